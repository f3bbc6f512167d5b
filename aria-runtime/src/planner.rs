//! Which kernels run for a number of blocks.
//!
//! A [`Plan`] knows what every kernel that may run costs, and holds for each number of blocks up to
//! [`EXACT`] the cheapest way to compose it, found by dynamic programming over all of them; for more
//! blocks the kernel that is cheapest by the block takes what is above. It is worked out once, and a
//! call then only looks up a few [`Move`]s. A plan is advice: it does not know what a kernel is, and
//! who runs one asks a token whether it may. So it is tested here with kernels that do not exist, and
//! a new row in the kernels' table is taken into account without a change here.
//!
//! A plan consists of atomics so that it can be worked out in a `static` by whoever first needs it,
//! without a lock, hence without a wait, and without harm if a process forks meanwhile: everyone who
//! works it out from the same kernels writes the same values.

use core::num::NonZeroU8;
use core::sync::atomic::{AtomicU16, AtomicU32, Ordering};

use crate::costs::Costs;

/// Up to how many blocks a plan is exact: two batches of the widest kernel, so that what is left of
/// more blocks than this is more than one batch.
pub(crate) const EXACT: usize = 128;

/// Kernels in a plan at most. Of those of one batch size a plan needs two, of the matrix's seven
/// sizes (1, 2, 4, 8, 16, 32 and 64 blocks) hence fourteen.
const MAX_KERNELS: usize = 16;

/// Batches of one kernel in a move at most, where a plan is exact. More of them are two moves, which
/// cost a call more.
const MAX_BATCHES: usize = 8;

/// A kernel to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// Stands for the kernel.
    pub(crate) row: u16,
    /// Blocks in a batch, at most [`EXACT`].
    pub(crate) batch: NonZeroU8,
    /// Whether it takes the round keys in the form that is made for a call, not as they are kept.
    pub(crate) wants_made_keys: bool,
    /// What it costs.
    pub(crate) costs: Costs,
}

impl Candidate {
    /// Blocks in a batch.
    pub(crate) fn batch(&self) -> usize {
        usize::from(self.batch.get())
    }

    /// Cycles of 1024 blocks in full batches: to compare kernels of different batches by.
    pub(crate) fn bulk_cycles(&self) -> u64 {
        u64::from(self.costs.next) * 1024 / self.batch() as u64
    }

    /// Whether a plan that has `other` has no use for this one: as wide, asking for no less, and not
    /// cheaper. Of equals the first gives way.
    fn yields_to(&self, other: &Self) -> bool {
        self.batch == other.batch
            && (self.wants_made_keys || !other.wants_made_keys)
            && self.bulk_cycles() >= other.bulk_cycles()
            && self.costs.first.batch >= other.costs.first.batch
    }
}

/// A piece of the work: what runs, and over how many consecutive blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    /// Stands for the kernel.
    pub(crate) row: u16,
    /// At least one: a multiple of the kernel's batch, or fewer blocks than that.
    pub(crate) blocks: usize,
}

/// What runs for how many blocks.
#[derive(Debug)]
pub(crate) struct Plan {
    /// [`Kernel::to_bits`] of each kernel; the cheapest by the block comes first.
    kernels: [AtomicU32; MAX_KERNELS],
    /// [`Choice::to_bits`] of the first move for each number of blocks, by [`Stage`].
    choices: [[AtomicU16; EXACT + 1]; 3],
}

/// How far a call has come. Kernels that want round keys in a form that is made run first, if they
/// run: so the first move tells whether to make it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nothing ran.
    Start,
    /// What ran takes round keys as they are kept, and so does what comes.
    Kept,
    /// The other form was made, and anything may come.
    Made,
}

impl Stage {
    /// After a kernel that wants round keys in the form that is made, or as they are kept.
    fn after(self, wants_made_keys: bool) -> Self {
        match (self, wants_made_keys) {
            (Self::Made, _) | (_, true) => Self::Made,
            (Self::Start | Self::Kept, false) => Self::Kept,
        }
    }
}

/// What a plan remembers of a kernel.
#[derive(Clone, Copy)]
struct Kernel {
    row: u16,
    batch: u8,
    wants_made_keys: bool,
}

impl Kernel {
    fn to_bits(self) -> u32 {
        u32::from(self.row) | u32::from(self.batch) << 16 | u32::from(self.wants_made_keys) << 24
    }

    fn from_bits(bits: u32) -> Self {
        Self { row: bits as u16, batch: (bits >> 16) as u8, wants_made_keys: bits >> 24 == 1 }
    }
}

/// A kernel by its place in the plan, and how many blocks it takes.
#[derive(Clone, Copy)]
struct Choice {
    place: u8,
    blocks: u8,
}

impl Choice {
    fn to_bits(self) -> u16 {
        u16::from(self.place) << 8 | u16::from(self.blocks)
    }

    fn from_bits(bits: u16) -> Self {
        Self { place: (bits >> 8) as u8, blocks: bits as u8 }
    }
}

impl Plan {
    /// A plan that serves nothing yet.
    pub(crate) const fn empty() -> Self {
        Self {
            kernels: [const { AtomicU32::new(0) }; MAX_KERNELS],
            choices: [const { [const { AtomicU16::new(0) }; EXACT + 1] }; 3],
        }
    }

    /// Makes this the plan of least cost. Without a candidate the plan stays empty.
    pub(crate) fn fill(&self, candidates: impl Iterator<Item = Candidate>) {
        let retained = Retained::of(candidates);
        for (slot, candidate) in self.kernels.iter().zip(retained.iter()) {
            let Candidate { row, batch, wants_made_keys, .. } = *candidate;
            let kernel = Kernel { row, batch: batch.get(), wants_made_keys };
            slot.store(kernel.to_bits(), Ordering::Relaxed);
        }
        let mut least = [[None; EXACT + 1]; 3];
        for stage in &mut least {
            stage[0] = Some(0);
        }
        for blocks in 1..=EXACT {
            for stage in [Stage::Kept, Stage::Made, Stage::Start] {
                let Some((cycles, choice)) = retained.cheapest(blocks, stage, &least) else {
                    continue;
                };
                least[stage as usize][blocks] = Some(cycles);
                self.choices[stage as usize][blocks].store(choice.to_bits(), Ordering::Relaxed);
            }
        }
    }

    /// The kernel that is cheapest by the block; none in an empty plan.
    pub(crate) fn bulk(&self) -> Option<u16> {
        let kernel = self.kernel(0);
        (kernel.batch != 0).then_some(kernel.row)
    }

    /// The moves that serve so many blocks, in order; their blocks add up to exactly that. An empty
    /// plan has none.
    pub(crate) fn moves(&self, blocks: usize) -> Moves<'_> {
        Moves { plan: self, left: blocks, stage: Stage::Start }
    }

    fn kernel(&self, place: u8) -> Kernel {
        let place = usize::from(place) % MAX_KERNELS;
        Kernel::from_bits(self.kernels[place].load(Ordering::Relaxed))
    }
}

/// The moves of a plan; see [`Plan::moves`].
#[derive(Debug)]
pub(crate) struct Moves<'a> {
    plan: &'a Plan,
    left: usize,
    stage: Stage,
}

impl Moves<'_> {
    /// The choice for what is left, which is at most [`EXACT`] blocks.
    fn choice(&self) -> Choice {
        let choices = &self.plan.choices[self.stage as usize];
        Choice::from_bits(choices[self.left].load(Ordering::Relaxed))
    }
}

impl Iterator for Moves<'_> {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        if self.left == 0 {
            return None;
        }
        if self.left <= EXACT {
            let choice = self.choice();
            let (kernel, blocks) = (self.plan.kernel(choice.place), usize::from(choice.blocks));
            self.left -= blocks;
            self.stage = self.stage.after(kernel.wants_made_keys);
            return (blocks != 0).then_some(Move { row: kernel.row, blocks });
        }
        let kernel = self.plan.kernel(0);
        let batch = usize::from(kernel.batch);
        if batch == 0 {
            return None;
        }
        let mut blocks = (self.left - EXACT).next_multiple_of(batch);
        self.left -= blocks;
        self.stage = self.stage.after(kernel.wants_made_keys);
        // What goes on with the same kernel is the same run.
        let next = self.choice();
        if next.place == 0 && usize::from(next.blocks) >= batch {
            blocks += usize::from(next.blocks);
            self.left -= usize::from(next.blocks);
        }
        Some(Move { row: kernel.row, blocks })
    }
}

/// The candidates that a plan has a use for, the cheapest by the block first.
struct Retained([Option<Candidate>; MAX_KERNELS]);

impl Retained {
    fn of(candidates: impl Iterator<Item = Candidate>) -> Self {
        let mut retained = Self([None; MAX_KERNELS]);
        for candidate in candidates {
            if retained
                .iter()
                .any(|other| candidate.yields_to(other) && !other.yields_to(&candidate))
            {
                continue;
            }
            for slot in &mut retained.0 {
                if slot.is_some_and(|other| other.yields_to(&candidate)) {
                    *slot = None;
                }
            }
            // More kernels than there is room for are left out; the others serve everything.
            if let Some(free) = retained.0.iter_mut().find(|slot| slot.is_none()) {
                *free = Some(candidate);
            }
        }
        retained.0.sort_unstable_by_key(|slot| {
            slot.map_or((u64::MAX, u16::MAX), |kernel| (kernel.bulk_cycles(), kernel.row))
        });
        retained
    }

    fn iter(&self) -> impl Iterator<Item = &Candidate> {
        self.0.iter().flatten()
    }

    /// The least cycles for so many blocks at a stage and the move to begin with, where `least` has
    /// those of every smaller number at each stage.
    fn cheapest(
        &self,
        blocks: usize,
        stage: Stage,
        least: &[[Option<u32>; EXACT + 1]; 3],
    ) -> Option<(u32, Choice)> {
        let mut best: Option<(u32, Choice)> = None;
        for (place, candidate) in self.iter().enumerate() {
            if stage == Stage::Kept && candidate.wants_made_keys {
                continue;
            }
            let (is_first, after) = (stage == Stage::Start, stage.after(candidate.wants_made_keys));
            let batch = candidate.batch();
            let runs = match (blocks / batch).min(MAX_BATCHES) {
                0 => blocks..=blocks,
                batches => batch..=batch * batches,
            };
            for now in runs.step_by(batch) {
                let Some(later) = least[after as usize][blocks - now] else { continue };
                let cycles = candidate.costs.run(is_first, now, batch).saturating_add(later);
                if best.is_none_or(|(best, _)| cycles < best) {
                    best = Some((cycles, Choice { place: place as u8, blocks: now as u8 }));
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests;
