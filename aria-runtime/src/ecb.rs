//! ECB kernels: the permission to call one, and the call.
//!
//! This is where kernels are reached. [`EcbKernel`] is the permission to call one: it is made from
//! a token that permits it, and nowhere else. Each further frame of the kernels' table gets a
//! module like this one. Which kernel runs for how many blocks is for `plans`.

use aria_kernels::{Entry, Frame, KERNELS};
use cipher::InOutBuf;

use crate::Block;
use crate::extent::Extent;
use crate::forms::{Keys, Shape};
use crate::padded::through_buffer;
use crate::token::Token;

/// An ECB kernel that a token permits. Its field is the row in [`KERNELS`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct EcbKernel(u16);

impl EcbKernel {
    /// The kernel in this row, if it is an ECB kernel and the token permits it.
    #[inline]
    pub(crate) fn permitted(token: Token, row: u16) -> Option<Self> {
        let is_ecb = KERNELS[usize::from(row)].frame == Frame::Ecb;
        (is_ecb && token.permits(row)).then_some(Self(row))
    }

    /// Runs the kernel over all full batches of `blocks`; what is left after them is not touched. Or, if
    /// there are fewer blocks than a batch, over all of them.
    #[inline]
    pub(crate) fn run<const RK: usize>(self, rk: &Keys<'_, RK>, blocks: InOutBuf<'_, '_, Block>) {
        const { assert!(matches!(RK, 13 | 15 | 17)) };
        let kernel = &KERNELS[usize::from(self.0)];
        let (entry, count) = match Extent::of(kernel, blocks.len()) {
            Extent::Batches(entry, count) | Extent::Part(entry, count) => (entry, count),
            Extent::Padded => {
                return through_buffer(kernel.blocks, blocks, |batch| self.run(rk, batch));
            }
        };
        let (input, output) = blocks.into_raw();
        // SAFETY of each call of `entry` below:
        // - Features: an `EcbKernel` is only made in `permitted`, for a row that a token permits, so
        //   this CPU has all that the row names.
        // - Round keys: there are `RK` of them, which is 13, 15 or 17, in the form that the variant
        //   names.
        // - Buffers: an `InOutBuf` is readable and writable for its length, which is at least what an
        //   `Extent` names, and its two sides are equal or do not overlap.
        match entry {
            Entry::EcbRaw(entry) => {
                // SAFETY: see above.
                unsafe { entry(rk.kept(), input.cast(), output.cast(), count) }
            }
            Entry::EcbPlanes(entry) => {
                // SAFETY: see above.
                unsafe { entry(rk.kept(), input.cast(), output.cast(), count) }
            }
            Entry::EcbSpreadPlanes(entry) => rk.with_spread_planes(|rk| {
                // SAFETY: see above.
                unsafe { entry(rk, input.cast(), output.cast(), count) }
            }),
            Entry::EcbBroadcast32(entry) => rk.with_words(Shape::Broadcast32, |rk| {
                // SAFETY: see above.
                unsafe { entry(rk, input.cast(), output.cast(), count) }
            }),
            Entry::EcbMapped32(entry) => rk.with_words(Shape::Mapped32, |rk| {
                // SAFETY: see above.
                unsafe { entry(rk, input.cast(), output.cast(), count) }
            }),
            other => unreachable!("{other:?} has no EcbKernel"),
        }
    }
}
