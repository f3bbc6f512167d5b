//! Which kernels run for a number of blocks.
//!
//! The choice follows a cost model alone: each kernel's modelled cycles a batch, and the constants
//! below. It is made once, when a cipher gets its key ([`Plan::new`]); a call then only walks the
//! plan's few steps ([`Plan::moves`]). A plan does not know what a kernel is: it carries handles,
//! so it is tested here with kernels that do not exist, and a new row in the kernels' table is
//! taken into account without a change here.
//!
//! A plan runs its widest kernel over all full batches, hands what is left to the next narrower
//! one, and so on. Where a kernel's whole batch costs no more than serving the rest with narrower
//! ones, it takes the rest as a *padded* batch, through a buffer. The narrowest kernel pads whatever is
//! left for it, so a plan serves any number of blocks.

use core::num::NonZeroU16;

/// Steps of a plan at most, one for each distinct batch size; the matrix of kernels has seven
/// (1, 2, 4, 8, 16, 32 and 64 blocks).
pub(crate) const MAX_STEPS: usize = 8;

/// Modelled cycles that padding adds to a batch: to clear, fill, empty and wipe the buffer; about
/// what the same core took.
const PADDING_CYCLES: u32 = 100;

/// A kernel to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate<K> {
    /// Stands for the kernel.
    pub(crate) kernel: K,
    /// Blocks in a batch.
    pub(crate) batch: NonZeroU16,
    /// Modelled cycles of a batch.
    pub(crate) batch_cycles: u32,
}

impl<K> Candidate<K> {
    /// Blocks in a batch.
    pub(crate) fn batch(&self) -> usize {
        usize::from(self.batch.get())
    }

    /// Modelled cycles of 1024 blocks in full batches: to compare kernels of different batches by.
    pub(crate) fn bulk_cycles(&self) -> u64 {
        u64::from(self.batch_cycles) * 1024 / self.batch() as u64
    }

    fn padded_cycles(&self) -> u32 {
        self.batch_cycles.saturating_add(PADDING_CYCLES)
    }
}

/// A kernel of a plan.
#[derive(Clone, Copy, Debug)]
struct Step<K> {
    candidate: Candidate<K>,
    /// From how many blocks on, fewer than a batch, a padded batch of this kernel serves them.
    pad_from: u16,
}

/// What runs for how many blocks: kernels from wide to narrow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan<K> {
    /// The steps come first, then only `None`; there is at least one.
    steps: [Option<Step<K>>; MAX_STEPS],
}

/// A piece of the work: what runs, and over how many consecutive blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move<K> {
    /// Full batches of a kernel; the blocks are a multiple of its batch.
    Whole { with: Candidate<K>, blocks: usize },
    /// One batch of a kernel, padded: the blocks are fewer than its batch.
    Padded { with: Candidate<K>, blocks: usize },
}

impl<K> Move<K> {
    /// How many blocks the move serves; at least one.
    pub(crate) const fn blocks(&self) -> usize {
        match *self {
            Self::Whole { blocks, .. } | Self::Padded { blocks, .. } => blocks,
        }
    }

    /// Modelled cycles.
    fn cycles(&self) -> u32 {
        let times = |count: usize, cycles: u32| {
            u32::try_from(count).unwrap_or(u32::MAX).saturating_mul(cycles)
        };
        match self {
            Self::Whole { with, blocks } => times(blocks / with.batch(), with.batch_cycles),
            Self::Padded { with, .. } => with.padded_cycles(),
        }
    }
}

impl<K: Copy> Plan<K> {
    /// No plan yet.
    const EMPTY: Self = Self { steps: [None; MAX_STEPS] };

    /// The plan of least modelled cost, from kernels of at most [`MAX_STEPS`] different batch
    /// sizes. Of kernels that are equally large and cheap, the last one is taken.
    ///
    /// # Panics
    ///
    /// If there is no kernel.
    pub(crate) fn new(candidates: impl Iterator<Item = Candidate<K>>) -> Self {
        let mut plan = Self::EMPTY;
        for candidate in cheapest_of_each_size(candidates).into_iter().flatten() {
            plan.widen(candidate);
        }
        assert!(plan.steps[0].is_some(), "a plan takes a kernel");
        plan
    }

    /// The plan in which one kernel serves everything, whatever it costs.
    pub(crate) fn forced(candidate: Candidate<K>) -> Self {
        let mut plan = Self::EMPTY;
        plan.steps[0] = Some(Step { candidate, pad_from: 1 });
        plan
    }

    /// Adds a kernel that is wider than those of the plan, unless they do its work as cheaply.
    fn widen(&mut self, candidate: Candidate<K>) {
        let batch = candidate.batch.get();
        if self.steps[0].is_none() {
            *self = Self::forced(candidate);
            return;
        }
        if candidate.batch_cycles >= self.cycles(batch) {
            return;
        }
        // The plan's cost grows with the number of blocks, but for a dip of PADDING_CYCLES where a
        // narrower batch is just full. So bisection finds the point from which padding pays, to
        // within that dip.
        let (mut never, mut always) = (0, batch);
        while always - never > 1 {
            let middle = never.midpoint(always);
            if candidate.padded_cycles() <= self.cycles(middle) {
                always = middle;
            } else {
                never = middle;
            }
        }
        self.steps.rotate_right(1);
        self.steps[0] = Some(Step { candidate, pad_from: always });
    }

    /// The widest kernel.
    ///
    /// # Panics
    ///
    /// Never: a plan has a kernel.
    pub(crate) fn widest(&self) -> K {
        self.steps[0].expect("a plan has a kernel").candidate.kernel
    }

    /// The moves that serve so many blocks, in order; their blocks add up to exactly that.
    pub(crate) const fn moves(&self, blocks: usize) -> Moves<'_, K> {
        Moves { steps: &self.steps, left: blocks }
    }

    /// Modelled cycles for so many blocks.
    fn cycles(&self, blocks: u16) -> u32 {
        self.moves(usize::from(blocks)).fold(0, |sum, piece| sum.saturating_add(piece.cycles()))
    }
}

/// The moves of a plan; see [`Plan::moves`].
#[derive(Debug)]
pub(crate) struct Moves<'a, K> {
    steps: &'a [Option<Step<K>>],
    left: usize,
}

impl<K: Copy> Iterator for Moves<'_, K> {
    type Item = Move<K>;

    #[inline]
    fn next(&mut self) -> Option<Move<K>> {
        if self.left == 0 {
            return None;
        }
        while let [Some(step), narrower @ ..] = self.steps {
            let with = step.candidate;
            if self.left >= with.batch() {
                let rest = self.left % with.batch();
                let blocks = self.left - rest;
                self.left = rest;
                return Some(Move::Whole { with, blocks });
            }
            if self.left >= usize::from(step.pad_from) {
                let blocks = self.left;
                self.left = 0;
                return Some(Move::Padded { with, blocks });
            }
            self.steps = narrower;
        }
        unreachable!("the last step pads every rest")
    }
}

/// The cheapest kernel of each batch size, from narrow to wide.
fn cheapest_of_each_size<K: Copy>(
    candidates: impl Iterator<Item = Candidate<K>>,
) -> [Option<Candidate<K>>; MAX_STEPS] {
    let mut sizes: [Option<Candidate<K>>; MAX_STEPS] = [None; MAX_STEPS];
    for candidate in candidates {
        let place =
            sizes.iter().position(|kept| kept.is_none_or(|kept| kept.batch >= candidate.batch));
        let Some(tail) = place.and_then(|place| sizes.get_mut(place..)) else {
            continue; // more sizes than steps
        };
        match &mut tail[0] {
            Some(kept) if kept.batch == candidate.batch => {
                if candidate.batch_cycles <= kept.batch_cycles {
                    *kept = candidate;
                }
            }
            _ => {
                tail.rotate_right(1);
                tail[0] = Some(candidate);
            }
        }
    }
    sizes
}

#[cfg(test)]
mod tests;
