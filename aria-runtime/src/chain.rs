//! Encryption by cipher block chaining: the permission to call a kernel, and the call.
//!
//! NIST SP 800-38A, section 6.2. Each block waits for the one before it, so there is nothing to plan: one
//! kernel runs over all blocks, and the chaining value stays in its registers from block to block. The
//! generic path in `modes` serves where no kernel has this frame.

use aria_kernels::{Entry, Frame, KERNELS};
use cipher::InOutBuf;

use crate::Block;
use crate::plans::Plans;
use crate::schedule::RoundKeys;
use crate::token::Token;

/// A kernel for CBC encryption that a token permits. Its field is the row in [`KERNELS`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct CbcEncKernel(u16);

impl CbcEncKernel {
    /// The kernel in this row, if it is for CBC encryption and the token permits it.
    pub(crate) fn permitted(token: Token, row: u16) -> Option<Self> {
        let is_cbc = KERNELS[usize::from(row)].frame == Frame::CbcEnc;
        (is_cbc && token.permits(row)).then_some(Self(row))
    }

    /// Encrypts all `blocks` under round keys as RFC 5794 writes them, with `iv` before the first.
    fn run<const RK: usize>(
        self,
        rk: &[[u8; 16]; RK],
        iv: &[u8; 16],
        blocks: InOutBuf<'_, '_, Block>,
    ) {
        const { assert!(matches!(RK, 13 | 15 | 17)) };
        let kernel = &KERNELS[usize::from(self.0)];
        let batches = blocks.len() / kernel.blocks;
        let (input, output) = blocks.into_raw();
        match kernel.entry {
            // SAFETY:
            // - Features: a `CbcEncKernel` is only made in `permitted`, for a row that a token permits,
            //   so this CPU has all that the row names.
            // - Round keys: there are `RK` of them, which is 13, 15 or 17; plans that keep them in
            //   another form have no such kernel.
            // - Buffers: an `InOutBuf` is readable and writable for its length, which is at least that
            //   of these batches, and its two sides are equal or do not overlap.
            Entry::CbcEncRaw(entry) => unsafe {
                entry(rk, iv, input.cast(), output.cast(), batches);
            },
            other => unreachable!("{other:?} has no CbcEncKernel"),
        }
    }
}

/// Encrypts `blocks` if there is a kernel for it, and leaves the last of them in `iv`; returns how many
/// were done, all or none.
pub(crate) fn encrypt<const RK: usize>(
    keys: &RoundKeys<RK>,
    plans: Plans,
    iv: &mut Block,
    mut blocks: InOutBuf<'_, '_, Block>,
) -> usize {
    let Some(kernel) = plans.cbc_encryption() else { return 0 };
    kernel.run(keys.as_bytes(), &iv.0, blocks.reborrow());
    if let Some(last) = blocks.get_out().last() {
        *iv = *last;
    }
    blocks.len()
}
