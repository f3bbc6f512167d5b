//! Plans over kernels that do not exist: what a plan does, and that no other way is cheaper.

use super::*;
use crate::costs::Runs;

const MAKE_KEYS: u32 = 100;

/// Names and kernels; a candidate's row is its place.
struct Machine(Vec<(&'static str, Candidate)>);

impl Machine {
    fn new(kernels: &[(&'static str, u8, u32)]) -> Self {
        let mut machine = Self(Vec::new());
        for &(name, batch, cycles) in kernels {
            let row = machine.0.len() as u16;
            // By their names, kernels in rows take keys as they are kept.
            let wants_made_keys = !name.starts_with("row");
            let runs = |besides: u32| {
                let (run, one_block) = (cycles + besides + 10, cycles + besides + 30);
                Runs { batch: run, one_block, all_but_one: one_block + 2 * u32::from(batch) }
            };
            let first = runs(if wants_made_keys { MAKE_KEYS } else { 0 });
            let costs = Costs { first, later: runs(0), next: cycles };
            let batch = NonZeroU8::new(batch).expect("a batch has blocks");
            machine.0.push((name, Candidate { row, batch, wants_made_keys, costs }));
        }
        machine
    }

    fn candidates(&self) -> impl Iterator<Item = Candidate> + Clone {
        self.0.iter().map(|(_, candidate)| *candidate)
    }

    fn plan(&self) -> Plan {
        let plan = Plan::empty();
        plan.fill(self.candidates());
        plan
    }

    fn named(&self, row: u16) -> &(&'static str, Candidate) {
        &self.0[usize::from(row)]
    }

    /// The names of what runs for so many blocks, `+` marking a padded batch.
    fn names(&self, blocks: usize) -> Vec<String> {
        let name = |piece: Move| {
            let (name, candidate) = self.named(piece.row);
            let mark = if piece.blocks < candidate.batch() { "+" } else { "" };
            format!("{name}{mark}:{}", piece.blocks)
        };
        self.plan().moves(blocks).map(name).collect()
    }

    /// What the moves for so many blocks cost.
    fn cycles(&self, plan: &Plan, blocks: usize) -> u32 {
        let runs = plan.moves(blocks).enumerate().map(|(number, piece)| {
            let (_, candidate) = self.named(piece.row);
            candidate.costs.run(number == 0, piece.blocks, candidate.batch())
        });
        runs.sum()
    }
}

const SLICES: [(&str, u8, u32); 3] = [("xmm", 16, 560), ("ymm", 32, 580), ("zmm", 64, 600)];
const ROWS: [(&str, u8, u32); 4] =
    [("row1", 1, 130), ("row2", 2, 140), ("row4", 4, 190), ("row8", 8, 330)];

/// Sets of kernels as CPUs of several kinds might run them.
fn machines() -> Vec<Machine> {
    let both: Vec<_> = ROWS.iter().chain(&SLICES).copied().collect();
    let sets: &[&[(&str, u8, u32)]] = &[
        &[("portable", 4, 1200)],
        &[("portable", 4, 1200), ("slow16", 16, 3000)],
        &SLICES[..1],
        &SLICES[..2],
        &SLICES,
        &both,
        &[("row1", 1, 130), ("zmm", 64, 600)],
        &[("slow", 4, 100_000), ("odd", 7, 1000)],
        &ROWS,
    ];
    sets.iter().map(|set| Machine::new(set)).collect()
}

#[test]
fn moves_serve_every_block_once() {
    for machine in machines() {
        let plan = machine.plan();
        for blocks in (0..300).chain([1 << 20, usize::MAX]) {
            let mut left = blocks;
            for piece in plan.moves(blocks) {
                let batch = machine.named(piece.row).1.batch();
                assert!(piece.blocks < batch || piece.blocks % batch == 0, "{piece:?}");
                assert!(piece.blocks > 0, "{piece:?}");
                left -= piece.blocks;
            }
            assert_eq!(left, 0, "{blocks} blocks with {:?}", machine.0);
        }
    }
}

/// The least cycles for each number of blocks up to `EXACT`, over all sequences of runs in which made
/// round keys are made by the first: what the plan claims to find, worked out from the end.
fn optimum(machine: &Machine) -> Vec<u32> {
    let ways = |blocks: usize, may: &dyn Fn(&Candidate) -> bool| -> Vec<(Candidate, usize)> {
        let runs = |candidate: Candidate| {
            let batches = (1..=MAX_BATCHES).map(move |batches| batches * candidate.batch());
            let whole = batches.filter(move |&now| now <= blocks);
            let part = (0 < blocks && blocks < candidate.batch()).then_some(blocks);
            whole.chain(part).map(move |now| (candidate, now))
        };
        machine.candidates().filter(|candidate| may(candidate)).flat_map(runs).collect()
    };
    let later = |may: &dyn Fn(&Candidate) -> bool| {
        let mut least: Vec<Option<u32>> = vec![Some(0)];
        for blocks in 1..=EXACT {
            let runs = ways(blocks, may).into_iter().filter_map(|(candidate, now)| {
                let run = candidate.costs.run(false, now, candidate.batch());
                least[blocks - now].map(|rest| rest + run)
            });
            let best = runs.min();
            least.push(best);
        }
        least
    };
    let (kept, all) = (later(&|kernel| !kernel.wants_made_keys), later(&|_| true));
    let whole = |blocks: usize| {
        let runs = ways(blocks, &|_| true).into_iter().filter_map(|(candidate, now)| {
            let rest = if candidate.wants_made_keys { &all } else { &kept };
            rest[blocks - now].map(|rest| rest + candidate.costs.run(true, now, candidate.batch()))
        });
        runs.min().unwrap_or(0)
    };
    (0..=EXACT).map(whole).collect()
}

#[test]
fn no_other_way_is_cheaper() {
    for machine in machines() {
        let plan = machine.plan();
        for (blocks, least) in optimum(&machine).into_iter().enumerate() {
            let planned = machine.cycles(&plan, blocks);
            assert_eq!(planned, least, "{blocks} blocks with {:?}", machine.0);
        }
    }
}

/// The fault of others: 31 blocks that take twice as long as 32 (DESIGN.md, section 5).
#[test]
fn no_count_costs_more_than_a_larger_one_and_its_padding() {
    for machine in machines() {
        let plan = machine.plan();
        let cycles: Vec<u32> = (0..300).map(|blocks| machine.cycles(&plan, blocks)).collect();
        for (blocks, own) in cycles.iter().enumerate() {
            let larger = cycles[blocks..].iter().min().expect("its own at least");
            // 20 to begin with the buffer, 2 a block for copies, 10 for the call.
            assert!(*own <= larger + 30 + 2 * 64, "{blocks} blocks with {:?}", machine.0);
        }
    }
}

#[test]
fn more_blocks_than_are_planned_exactly_go_to_the_cheapest_in_one_call() {
    let machine = Machine::new(&SLICES);
    assert_eq!(machine.names(1024), ["zmm:1024"]);
    assert_eq!(machine.names(1025), ["zmm:1024", "xmm+:1"]);
    assert_eq!(machine.names(1024 + 20), ["zmm:1024", "ymm+:20"]);
}

#[test]
fn round_keys_are_made_where_that_pays() {
    let machine = Machine::new(&[ROWS[3], SLICES[0]]);
    assert_eq!(machine.names(15), ["row8:8", "row8+:7"]);
    assert_eq!(machine.names(16), ["xmm:16"]); // 670 cycles either way
    assert_eq!(machine.names(32), ["xmm:32"]);
    assert_eq!(machine.names(40), ["xmm:32", "row8:8"]);
    assert_eq!(machine.names(1024 + 8), ["xmm:1024", "row8:8"]);
}

#[test]
fn one_kernel_serves_everything() {
    let machine = Machine::new(&[("portable", 4, 1200)]);
    assert_eq!(machine.names(0), [""; 0]);
    assert_eq!(machine.names(6), ["portable:4", "portable+:2"]);
    assert_eq!(machine.names(3), ["portable+:3"]);
}

#[test]
fn an_empty_plan_serves_nothing() {
    let plan = Plan::empty();
    assert_eq!(plan.bulk(), None);
    plan.fill([].into_iter());
    assert_eq!(plan.bulk(), None);
    assert_eq!([0, 1, EXACT, EXACT + 1, usize::MAX].map(|n| plan.moves(n).count()), [0; 5]);
}

#[test]
fn among_equals_the_cheaper_then_the_later() {
    let machine = Machine::new(&[
        ("dear", 16, 700),
        ("first", 16, 600),
        ("second", 16, 600),
        ("dearest", 16, 800),
    ]);
    assert_eq!(machine.names(16), ["second:16"]);
    assert_eq!(machine.named(machine.plan().bulk().unwrap()).0, "second");
}

#[test]
fn order_of_candidates_does_not_matter() {
    for machine in machines() {
        let reversed = Plan::empty();
        let mut candidates: Vec<_> = machine.candidates().collect();
        candidates.reverse();
        reversed.fill(candidates.into_iter());
        for blocks in 0..300 {
            assert!(machine.plan().moves(blocks).eq(reversed.moves(blocks)), "{blocks}");
        }
    }
}

#[test]
fn more_kernels_than_there_is_room_for_still_serve_everything() {
    let kernels: Vec<_> = (1..=40).map(|batch| ("n", batch, 100)).collect();
    let machine = Machine::new(&kernels);
    for blocks in 0..300 {
        let served: usize = machine.plan().moves(blocks).map(|piece| piece.blocks).sum();
        assert_eq!(served, blocks);
    }
}

/// A plan is worked out by whoever comes first, and perhaps by two at once.
#[test]
fn to_fill_a_plan_again_changes_nothing() {
    for machine in machines() {
        let (once, twice) = (machine.plan(), machine.plan());
        twice.fill(machine.candidates());
        for blocks in 0..300 {
            assert!(once.moves(blocks).eq(twice.moves(blocks)));
        }
    }
}
