//! ECB kernels: which of them a token permits, and the call.
//!
//! This is where kernels are reached. [`EcbKernel`] is the permission to call one: it is made from
//! a token that permits it, and nowhere else. Each further frame of the kernels' table gets a
//! module like this one.

use core::num::NonZeroU16;

use aria_kernels::{Entry, KERNELS, Kernel};
use cipher::InOutBuf;

use crate::Block;
use crate::ctr;
use crate::forms::{Form, Kept, Keys, Shape};
use crate::planner::{Candidate, MAX_STEPS, Plan};
use crate::table;
use crate::token::Token;

/// An ECB kernel that a token permits. Its field is the row in [`KERNELS`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct EcbKernel(u16);

impl EcbKernel {
    /// The kernel in this row, if it is an ECB kernel and the token permits it.
    fn permitted(token: Token, row: u16) -> Option<Candidate<Self>> {
        let kernel = &KERNELS[usize::from(row)];
        form(kernel.entry)?;
        token.permits(row).then_some(Candidate {
            kernel: Self(row),
            batch: batch(kernel),
            batch_cycles: kernel.batch_cycles,
        })
    }

    /// The form of round keys that the kernel wants.
    pub(crate) fn form(self) -> Form {
        form(KERNELS[usize::from(self.0)].entry).expect("permitted() saw that the entry has one")
    }

    /// Runs the kernel over all full batches of `blocks`; what is left after them is not touched.
    #[inline]
    pub(crate) fn run<const RK: usize>(self, rk: &Keys<'_, RK>, blocks: InOutBuf<'_, '_, Block>) {
        const { assert!(matches!(RK, 13 | 15 | 17)) };
        let kernel = &KERNELS[usize::from(self.0)];
        let batches = blocks.len() / kernel.blocks;
        let (input, output) = blocks.into_raw();
        // SAFETY of each call of `entry` below:
        // - Features: an `EcbKernel` is only made in `permitted`, for a row that a token permits, so
        //   this CPU has all that the row names.
        // - Round keys: there are `RK` of them, which is 13, 15 or 17, in the form that the variant
        //   names.
        // - Buffers: an `InOutBuf` is readable and writable for its length, which is at least
        //   `batches * kernel.blocks` blocks of 16 bytes, and its two sides are equal or do not
        //   overlap.
        match kernel.entry {
            Entry::EcbRaw(entry) => {
                // SAFETY: see above.
                unsafe { entry(rk.kept(), input.cast(), output.cast(), batches) }
            }
            Entry::EcbPlanes(entry) => {
                // SAFETY: see above.
                unsafe { entry(rk.kept(), input.cast(), output.cast(), batches) }
            }
            Entry::EcbSpreadPlanes(entry) => rk.with_spread_planes(|rk| {
                // SAFETY: see above.
                unsafe { entry(rk, input.cast(), output.cast(), batches) }
            }),
            Entry::EcbBroadcast32(entry) => rk.with_words(Shape::Broadcast32, |rk| {
                // SAFETY: see above.
                unsafe { entry(rk, input.cast(), output.cast(), batches) }
            }),
            Entry::EcbMapped32(entry) => rk.with_words(Shape::Mapped32, |rk| {
                // SAFETY: see above.
                unsafe { entry(rk, input.cast(), output.cast(), batches) }
            }),
            other => unreachable!("{other:?} has no EcbKernel"),
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
    if let Some(candidate) = token.only().and_then(permitted) {
        return Plan::forced(candidate);
    }
    // Ciphers keep round keys in one form, and a call makes one other at most: that of the kernel which
    // is cheapest by the block. So portable kernels run where nothing else does.
    let form = |candidate: &Candidate<EcbKernel>| candidate.kernel.form();
    let is_portable = |candidate: &Candidate<EcbKernel>| form(candidate).kept() == Kept::Planes;
    let candidates = || {
        let all = table::rows().filter_map(permitted);
        // A cipher forced to a kernel of another frame has portable ones for this, unless that kernel
        // wants round keys kept raw.
        let free = token.only().is_none_or(ctr::is_framed);
        all.filter(move |candidate| free || is_portable(candidate))
    };
    let cheapest = candidates().min_by_key(Candidate::bulk_cycles);
    let cheapest = cheapest.expect("every token permits portable kernels");
    let suits = |candidate: &Candidate<EcbKernel>| match form(candidate) {
        Form::Raw | Form::Planes => form(candidate) == form(&cheapest).kept().form(),
        own => own == form(&cheapest),
    };
    Plan::new(candidates().filter(suits))
}

/// How a cipher with this plan keeps its round keys.
pub(crate) fn kept(plan: &Plan<EcbKernel>) -> Kept {
    plan.widest().form().kept()
}

/// The form of round keys that an ECB entry takes; `None` for entries of other frames.
const fn form(entry: Entry) -> Option<Form> {
    match entry {
        Entry::EcbRaw(_) => Some(Form::Raw),
        Entry::EcbBroadcast32(_) => Some(Form::Words(Shape::Broadcast32)),
        Entry::EcbMapped32(_) => Some(Form::Words(Shape::Mapped32)),
        Entry::EcbPlanes(_) => Some(Form::Planes),
        Entry::EcbSpreadPlanes(_) => Some(Form::SpreadPlanes),
        _ => None,
    }
}

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
    use crate::features::FeatureSet;
    use crate::planner::Move;
    use aria_kernels::Feature;

    /// The ids of the kernels that serve 1 to `most` blocks under a token.
    fn ids(token: Token, most: usize) -> Vec<&'static str> {
        let plan = plan(token);
        let moves = (1..=most).flat_map(|blocks| plan.moves(blocks).collect::<Vec<_>>());
        let mut ids: Vec<_> = moves
            .map(|piece| match piece {
                Move::Whole { with, .. } | Move::Padded { with, .. } => with.kernel.id(),
            })
            .collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    const PORTABLE: [&str; 2] = ["aria_portable_bits_u64_blk1", "aria_portable_bits_u64_blk4"];

    /// A forced kernel that quietly gave way to another would make every test of it worthless.
    #[test]
    fn forced_kernels_serve_everything_themselves() {
        let is_ecb = |row: &u16| form(KERNELS[usize::from(*row)].entry).is_some();
        for row in table::rows().filter(is_ecb) {
            let id = KERNELS[usize::from(row)].id;
            let Ok(token) = Token::detect().forced(id) else {
                continue; // not on this CPU
            };
            assert_eq!(ids(token, 2 * MAX_BATCH + 1), [id]);
            if !PORTABLE.contains(&id) {
                assert_eq!(ids(token.capped(Cap::Portable), 10), PORTABLE);
            }
        }
    }

    #[test]
    fn portable_kernels_run_where_nothing_else_does() {
        assert_eq!(ids(Token::detect().capped(Cap::Portable), 100), PORTABLE);
        assert_eq!(ids(Token::assumed(FeatureSet::EMPTY), 100), PORTABLE);
        let sse = FeatureSet::of(&[Feature::Ssse3, Feature::Aes]);
        assert!(ids(Token::assumed(sse), 100).iter().all(|id| id.starts_with("aria_sse")));
    }
}
