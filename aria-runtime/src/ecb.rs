//! ECB kernels: which of them a token permits, and the call.
//!
//! This is where kernels are reached. [`EcbKernel`] is the permission to call one: it is made from
//! a token that permits it, and nowhere else. Each further frame of the kernels' table gets a
//! module like this one.

use core::num::NonZeroU16;

use aria_kernels::{Entry, KERNELS, Kernel};
use cipher::consts::U4;
use cipher::{Array, InOutBuf};

use crate::Block;
use crate::forms::{Form, Forms, Planes, Words};
use crate::planner::{Candidate, MAX_STEPS, Plan};
use crate::schedule::RoundKeys;
use crate::table;
use crate::token::Token;
use crate::wiped::Wiped;

/// An ECB kernel that a token permits. Its field is the row in [`KERNELS`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct EcbKernel(u16);

impl EcbKernel {
    /// The kernel in this row, if it is an ECB kernel and the token permits it.
    fn permitted(token: Token, row: u16) -> Option<Candidate<Self>> {
        let kernel = &KERNELS[usize::from(row)];
        if form(kernel.entry).is_none() && !matches!(kernel.entry, Entry::EcbPlanes { .. }) {
            return None;
        }
        token.permits(row).then_some(Candidate {
            kernel: Self(row),
            batch: batch(kernel),
            batch_cycles: kernel.batch_cycles,
        })
    }

    fn entry(self) -> Entry {
        KERNELS[usize::from(self.0)].entry
    }

    /// Whether [`run`](Self::run) serves a last batch that is not full, too.
    pub(crate) fn serves_any_number(self) -> bool {
        matches!(self.entry(), Entry::EcbPlanes { .. })
    }

    /// Makes the form of the round keys that the kernel wants, unless it is there already.
    pub(crate) fn prepare<const RK: usize>(self, forms: &mut Forms<RK>, keys: &RoundKeys<RK>) {
        match self.entry() {
            Entry::EcbPlanes { expand, .. } => {
                if forms.planes.is_none() {
                    forms.planes.insert(Planes::zero()).fill(keys, expand);
                }
            }
            entry => {
                if let (Some(form), None) = (form(entry), &forms.words) {
                    forms.words.insert(Words::zero()).fill(form, keys);
                }
            }
        }
    }

    /// Runs the kernel over all full batches of `blocks`; what is left after them is not touched,
    /// unless the kernel [serves any number](Self::serves_any_number).
    ///
    /// # Panics
    ///
    /// If `forms` were not [prepared](Self::prepare) for it.
    pub(crate) fn run<const RK: usize>(self, forms: &Forms<RK>, blocks: InOutBuf<'_, '_, Block>) {
        const { assert!(matches!(RK, 13 | 15 | 17)) };
        let kernel = &KERNELS[usize::from(self.0)];
        match (kernel.entry, forms) {
            (
                Entry::EcbBroadcast32(entry) | Entry::EcbMapped32(entry),
                Forms { words: Some(rk), .. },
            ) => {
                let batches = blocks.len() / kernel.blocks;
                let (input, output) = blocks.into_raw();
                // SAFETY:
                // - Features: an `EcbKernel` is only made in `permitted`, for a row that a token
                //   permits, so this CPU has all that the row names.
                // - Round keys: `rk` has `RK` of them, which is 13, 15 or 17.
                // - Buffers: an `InOutBuf` is readable and writable for its length, which is at
                //   least `batches * kernel.blocks` blocks of 16 bytes, and its two sides are equal
                //   or do not overlap.
                unsafe { entry(rk.as_words(), input.cast(), output.cast(), batches) }
            }
            (Entry::EcbPlanes { run, .. }, Forms { planes: Some(rk), .. }) => {
                let (batches, mut rest) = blocks.into_chunks::<U4>();
                for mut batch in batches {
                    let input = batch.clone_in().0.map(|block| block.0);
                    *batch.get_out() = Array(run(rk.as_words(), &input).map(Array));
                }
                if !rest.is_empty() {
                    let mut batch = Wiped::<u8, 4>::zero();
                    let used = rest.len();
                    Block::cast_slice_from_core_mut(&mut batch[..])[..used]
                        .copy_from_slice(rest.get_in());
                    let output = run(rk.as_words(), &batch).map(Array);
                    rest.get_out().copy_from_slice(&output[..used]);
                }
            }
            (other, _) => unreachable!("{other:?} has no EcbKernel, or its keys are not there"),
        }
    }
}

#[cfg(test)]
impl EcbKernel {
    /// The kernel's id.
    pub(crate) fn id(self) -> &'static str {
        KERNELS[usize::from(self.0)].id
    }
}

/// The plan for ECB under this token.
pub(crate) fn plan(token: Token) -> Plan<EcbKernel> {
    let permitted = |row| EcbKernel::permitted(token, row);
    match token.only() {
        Some(row) => {
            let candidate = permitted(row).or_else(|| permitted(PORTABLE));
            Plan::forced(candidate.expect("every token permits the portable kernel"))
        }
        None => {
            // One call expands round keys into one form of words, so of slice kernels a plan has
            // those of one form: that of the kernel which is cheapest by the block.
            let by_block = |candidate: &Candidate<EcbKernel>| {
                u64::from(candidate.batch_cycles) * 1024 / candidate.batch() as u64
            };
            let cheapest = table::rows().filter_map(permitted).min_by_key(by_block);
            let wanted = cheapest.and_then(|candidate| form(candidate.kernel.entry()));
            let suits = |candidate: &Candidate<EcbKernel>| match form(candidate.kernel.entry()) {
                None => true,
                own => own == wanted,
            };
            Plan::new(table::rows().filter_map(permitted).filter(suits))
        }
    }
}

/// The form of words that an ECB entry takes round keys in; `None` for the portable kernel and for
/// entries of other frames.
const fn form(entry: Entry) -> Option<Form> {
    match entry {
        Entry::EcbBroadcast32(_) => Some(Form::Broadcast32),
        Entry::EcbMapped32(_) => Some(Form::Mapped32),
        _ => None,
    }
}

/// The row of a kernel that needs no feature, so that there is one for every token.
const PORTABLE: u16 = {
    let mut row = 0;
    while !KERNELS[row].features.is_empty() {
        row += 1;
    }
    row as u16
};

/// Blocks in a batch.
const fn batch(kernel: &Kernel) -> NonZeroU16 {
    assert!(kernel.blocks <= u16::MAX as usize);
    NonZeroU16::new(kernel.blocks as u16).expect("a batch has blocks")
}

/// Blocks in the largest batch; computing it checks, at compile time, what a plan and [`batch`]
/// ask of the table: no empty batch, and not more different sizes than a plan has steps.
pub(crate) const MAX_BATCH: usize = {
    let (mut most, mut sizes) = (1, 0);
    let mut row = 0;
    while row < KERNELS.len() {
        let blocks = batch(&KERNELS[row]).get();
        let mut first = 0;
        while KERNELS[first].blocks != KERNELS[row].blocks {
            first += 1;
        }
        sizes += (first == row) as usize;
        if blocks > most {
            most = blocks;
        }
        row += 1;
    }
    assert!(sizes <= MAX_STEPS);
    most as usize
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cap::Cap;
    use crate::planner::Move;

    /// The rows of the kernels that serve 1 to `most` blocks.
    fn rows_of(plan: &Plan<EcbKernel>, most: usize) -> Vec<u16> {
        let moves = (1..=most).flat_map(|blocks| plan.moves(blocks).collect::<Vec<_>>());
        let row = |piece| match piece {
            Move::Whole { with, .. } | Move::Padded { with, .. } => {
                let Candidate::<EcbKernel> { kernel, .. } = with;
                kernel.0
            }
        };
        let mut rows: Vec<u16> = moves.map(row).collect();
        rows.dedup();
        rows
    }

    /// A forced kernel that quietly gave way to another would make every test of it worthless.
    #[test]
    fn forced_kernels_serve_everything_themselves() {
        for row in table::rows() {
            let Ok(token) = Token::detect().forced(KERNELS[usize::from(row)].id) else {
                continue; // not on this CPU
            };
            assert_eq!(rows_of(&plan(token), 2 * MAX_BATCH + 1), [row]);
            assert_eq!(rows_of(&plan(token.capped(Cap::Portable)), 10), [PORTABLE]);
        }
    }

    #[test]
    fn the_lowest_cap_leaves_the_portable_kernel() {
        let token = Token::detect().capped(Cap::Portable);
        assert_eq!(rows_of(&plan(token), 100), [PORTABLE]);
    }
}
