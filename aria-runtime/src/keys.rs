//! Key schedule kernels: which of them a token permits, and the call.
//!
//! What the frame `keys` is to kernels; `schedule` has the order of round keys. [`KeysKernel`] is the
//! permission to call one: it is made from a token that permits it, and nowhere else.

use aria_kernels::{Entry, KERNELS};

use crate::token::Token;

/// Round keys of the largest key; a kernel makes as many for every size.
pub(crate) const MAX_ROUND_KEYS: usize = 17;

/// Blocks that a kernel makes of a master key: encryption round keys, then A of each.
pub(crate) const EXPANDED: usize = 2 * MAX_ROUND_KEYS;

/// A key schedule kernel that a token permits. Its field is the row in [`KERNELS`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeysKernel(u16);

impl KeysKernel {
    /// The kernel in this row, if it is a key schedule and the token permits it.
    pub(crate) fn permitted(token: Token, row: u16) -> Option<Self> {
        let is_schedule = matches!(KERNELS[usize::from(row)].entry, Entry::Keys(_));
        (is_schedule && token.permits(row)).then_some(Self(row))
    }

    /// Expands a master key, padded with zeros to 32 bytes, under CK1, CK2 and CK3 of its size.
    pub(crate) fn run(
        self,
        ck: &[[u8; 16]; 3],
        master: &[[u8; 16]; 2],
        expanded: &mut [[u8; 16]; EXPANDED],
    ) {
        match KERNELS[usize::from(self.0)].entry {
            Entry::Keys(entry) => {
                // SAFETY:
                // - Features: a `KeysKernel` is only made in `permitted`, for a row that a token
                //   permits, so this CPU has all that the row names.
                // - Buffers: one batch reads 32 bytes, which `master` has, and writes `EXPANDED`
                //   blocks, which `expanded` has; a shared and an exclusive reference do not overlap.
                unsafe { entry(ck, master.as_ptr().cast(), expanded.as_mut_ptr().cast(), 1) }
            }
            other => unreachable!("{other:?} is no key schedule"),
        }
    }
}
