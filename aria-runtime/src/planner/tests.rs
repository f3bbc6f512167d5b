//! Plans over kernels that do not exist: what a plan does, and that no other way is much cheaper.

use super::*;

fn kernel(name: &'static str, batch: u16, batch_cycles: u32) -> Candidate<&'static str> {
    Candidate { kernel: name, batch: NonZeroU16::new(batch).unwrap(), batch_cycles }
}

/// Sets of kernels as CPUs of several kinds might run them.
fn machines() -> [Vec<Candidate<&'static str>>; 8] {
    [
        vec![kernel("portable", 4, 1200)],
        vec![kernel("portable", 4, 1200), kernel("slow16", 16, 3000)],
        vec![kernel("xmm", 16, 590)],
        vec![kernel("xmm", 16, 590), kernel("ymm", 32, 740)],
        vec![kernel("xmm", 16, 560), kernel("ymm", 32, 580), kernel("zmm", 64, 600)],
        vec![
            kernel("row1", 1, 130),
            kernel("row2", 2, 140),
            kernel("row4", 4, 190),
            kernel("row8", 8, 330),
            kernel("xmm", 16, 560),
            kernel("ymm", 32, 580),
            kernel("zmm", 64, 600),
        ],
        vec![kernel("row1", 1, 130), kernel("zmm", 64, 600)],
        vec![kernel("slow", 4, 100_000), kernel("odd", 7, 1000)],
    ]
}

fn plan(machine: &[Candidate<&'static str>]) -> Plan<&'static str> {
    Plan::new(machine.iter().copied())
}

/// The names of what runs for so many blocks, `+` marking a padded batch.
fn names(machine: &[Candidate<&'static str>], blocks: usize) -> Vec<String> {
    plan(machine)
        .moves(blocks)
        .map(|piece| match piece {
            Move::Whole { with, blocks } => format!("{}:{blocks}", with.kernel),
            Move::Padded { with, blocks } => format!("{}+:{blocks}", with.kernel),
        })
        .collect()
}

#[test]
fn moves_serve_every_block_once() {
    for machine in machines() {
        let plan = plan(&machine);
        for blocks in (0..300).chain([1 << 20, usize::MAX]) {
            let mut left = blocks;
            for piece in plan.moves(blocks) {
                let (fits, served) = match piece {
                    Move::Whole { with, blocks } => (blocks % with.batch() == 0, blocks),
                    Move::Padded { with, blocks } => (blocks < with.batch(), blocks),
                };
                assert!(fits, "{piece:?}");
                assert_eq!(served, piece.blocks());
                assert!(served > 0, "{piece:?}");
                left -= served;
            }
            assert_eq!(left, 0, "{blocks} blocks with {plan:?}");
        }
    }
}

/// The least cycles for each number of blocks below `LIMIT`, over all ways to compose them.
fn optimum(machine: &[Candidate<&'static str>], limit: usize) -> Vec<u32> {
    let mut least = vec![0];
    for blocks in 1..limit {
        let batches = machine.iter().map(|with| {
            if with.batch() <= blocks {
                least[blocks - with.batch()] + with.batch_cycles
            } else {
                with.padded_cycles()
            }
        });
        least.push(batches.min().unwrap());
    }
    least
}

/// The plan's rule is greedy and its padding points are bisected; neither loses more than the cost
/// of one padding against the best of all ways.
#[test]
fn no_other_way_is_cheaper_by_more_than_a_padding() {
    for machine in machines() {
        let plan = plan(&machine);
        for (blocks, least) in optimum(&machine, 200).into_iter().enumerate() {
            let planned = plan.cycles(u16::try_from(blocks).unwrap());
            assert!(
                planned <= least + PADDING_CYCLES,
                "{blocks} blocks: {planned} cycles planned, {least} possible, with {machine:?}"
            );
        }
    }
}

/// The fault of others: 31 blocks that take twice as long as 32 (DESIGN.md, section 5).
#[test]
fn no_count_costs_more_than_the_next_larger_full_batch() {
    for machine in machines() {
        let plan = plan(&machine);
        for blocks in 1..200u16 {
            for with in &machine {
                let batch = with.batch.get();
                let full = blocks.next_multiple_of(batch);
                assert!(
                    plan.cycles(blocks) <= plan.cycles(full) + PADDING_CYCLES,
                    "{blocks} blocks against {full} with {machine:?}"
                );
            }
        }
    }
}

#[test]
fn the_narrowest_pads_what_is_left() {
    let [portable, slow, ..] = machines();
    assert_eq!(names(&portable, 0), [""; 0]);
    assert_eq!(names(&portable, 6), ["portable:4", "portable+:2"]);
    assert_eq!(names(&slow, 23), ["slow16:16", "portable:4", "portable+:3"]);
}

#[test]
#[should_panic(expected = "takes a kernel")]
fn without_a_kernel_there_is_no_plan() {
    let _ = plan(&[]);
}

#[test]
fn the_widest_runs_first_and_the_rest_is_padded() {
    let [_, _, xmm, ymm, zmm, ..] = machines();
    assert_eq!(names(&xmm, 1), ["xmm+:1"]);
    assert_eq!(names(&xmm, 33), ["xmm:32", "xmm+:1"]);
    assert_eq!(names(&ymm, 33), ["ymm:32", "xmm+:1"]);
    assert_eq!(names(&ymm, 16), ["xmm:16"]);
    assert_eq!(names(&ymm, 17), ["ymm+:17"]);
    assert_eq!(names(&zmm, 130), ["zmm:128", "xmm+:2"]);
    assert_eq!(names(&zmm, 100), ["zmm:64", "zmm+:36"]);
}

#[test]
fn a_kernel_dearer_than_narrower_ones_is_left_out() {
    let machine = [kernel("xmm", 16, 300), kernel("ymm", 32, 600)];
    assert_eq!(names(&machine, 32), ["xmm:32"]);
    let [.., slow] = machines();
    assert_eq!(names(&slow, 4), ["odd+:4"]);
}

#[test]
fn among_equals_the_cheaper_then_the_later() {
    let machine = [
        kernel("dear", 16, 700),
        kernel("first", 16, 600),
        kernel("second", 16, 600),
        kernel("dearest", 16, 800),
    ];
    assert_eq!(names(&machine, 16), ["second:16"]);
}

#[test]
fn order_of_candidates_does_not_matter() {
    let [.., zen4, _, _] = machines();
    let mut reversed = zen4.clone();
    reversed.reverse();
    for blocks in 0..200 {
        assert_eq!(names(&zen4, blocks), names(&reversed, blocks));
    }
}

#[test]
fn more_sizes_than_steps_still_serve_everything() {
    let machine: Vec<_> = (1..=20).map(|batch| kernel("n", batch, 100)).collect();
    for blocks in 0..100 {
        let served: usize = plan(&machine).moves(blocks).map(|m| m.blocks()).sum();
        assert_eq!(served, blocks);
    }
}

#[test]
fn forced_serves_everything_with_one_kernel() {
    let plan = Plan::forced(kernel("slow", 4, 1_000_000));
    for blocks in 0..20 {
        for piece in plan.moves(blocks) {
            let (Move::Whole { with, .. } | Move::Padded { with, .. }) = piece;
            assert_eq!(with.kernel, "slow");
        }
    }
}
