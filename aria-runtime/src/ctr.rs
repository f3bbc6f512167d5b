//! Counter mode: the permission to call a kernel, the call, and the run of what is planned.
//!
//! NIST SP 800-38A, section 6.5: to each block the image of a counter is added, which counts up by
//! one from block to block, here as one number of 128 bits with the most significant byte first,
//! modulo 2¹²⁸. Encryption and decryption are the same. Modes that count so, or that know that their
//! smaller counter does not wrap, are to be built on [`crypt`]. Bytes that do not fill a block are
//! their business.
//!
//! Counters are public; what is secret is round keys and keystream. A last batch that is not full
//! goes through a buffer that is wiped, since what it holds beyond the blocks is keystream.

use aria_kernels::{Entry, Frame, KERNELS, Kernel};
use cipher::InOutBuf;

use crate::Block;
use crate::ecb::EcbKernel;
use crate::engine::Engine;
use crate::extent::Extent;
use crate::forms::{Form, Keys, Shape};
use crate::padded::through_buffer;
use crate::plans::Plans;
use crate::schedule::RoundKeys;
use crate::token::Token;
use crate::wiped::Wiped;

/// A kernel that serves counter mode and that a token permits.
#[derive(Clone, Copy, Debug)]
enum CtrKernel {
    /// One of the frame: its row in [`KERNELS`].
    Framed(u16),
    /// One for ECB, for which counters are written down.
    Written(EcbKernel),
}

impl CtrKernel {
    /// The kernel in this row, if it serves counter mode and the token permits it.
    #[inline]
    fn permitted(token: Token, row: u16) -> Option<Self> {
        let kernel = &KERNELS[usize::from(row)];
        if kernel.frame == Frame::Ctr {
            return token.permits(row).then_some(Self::Framed(row));
        }
        EcbKernel::permitted(token, row).filter(|_| writes_counters(kernel)).map(Self::Written)
    }

    /// Runs the kernel over all full batches of `blocks`; what is left after them is not touched. Or, if
    /// there are fewer blocks than a batch, over all of them.
    #[inline]
    fn run<const RK: usize>(
        self,
        rk: &Keys<'_, RK>,
        counter: u128,
        blocks: InOutBuf<'_, '_, Block>,
    ) {
        const { assert!(matches!(RK, 13 | 15 | 17)) };
        let row = match self {
            Self::Framed(row) => row,
            Self::Written(kernel) => {
                return run_written(|images| kernel.run(rk, images), counter, blocks);
            }
        };
        let kernel = &KERNELS[usize::from(row)];
        let (entry, count) = match Extent::of(kernel, blocks.len()) {
            Extent::Batches(entry, count) | Extent::Part(entry, count) => (entry, count),
            Extent::Padded => {
                return through_buffer(kernel.blocks, blocks, |batch| self.run(rk, counter, batch));
            }
        };
        let (input, output) = blocks.into_raw();
        // SAFETY of each call of `entry` below:
        // - Features: a `CtrKernel` is only made in `permitted`, for a row that a token permits, so
        //   this CPU has all that the row names.
        // - Round keys: there are `RK` of them, which is 13, 15 or 17, in the form that the variant
        //   names.
        // - Buffers: an `InOutBuf` is readable and writable for its length, which is at least what an
        //   `Extent` names, and its two sides are equal or do not overlap.
        match entry {
            Entry::CtrBroadcast32(entry) => rk.with_words(Shape::Broadcast32, |rk| {
                // SAFETY: see above.
                unsafe { entry(rk, counter, input.cast(), output.cast(), count) }
            }),
            Entry::CtrMapped32(entry) => rk.with_words(Shape::Mapped32, |rk| {
                // SAFETY: see above.
                unsafe { entry(rk, counter, input.cast(), output.cast(), count) }
            }),
            other => unreachable!("{other:?} is not of this frame"),
        }
    }
}

/// Blocks in the largest batch of the kernels whose counters are written down: those in rows.
const MAX_WRITTEN: usize = 8;

/// Whether a kernel for ECB serves counter mode besides: those in rows do. They serve few blocks, whose
/// counters are blocks like any other and are written down.
pub(crate) fn writes_counters(kernel: &Kernel) -> bool {
    kernel.blocks <= MAX_WRITTEN && Form::of(kernel.entry) == Some(Form::Raw)
}

/// Adds the keystream to `blocks`, from `counter` on, and returns the counter after the last block.
/// Without a kernel for counter mode, those for ECB serve: counters are blocks like any other.
pub(crate) fn crypt<const RK: usize>(
    keys: &RoundKeys<RK>,
    plans: Plans,
    counter: u128,
    mut blocks: InOutBuf<'_, '_, Block>,
) -> u128 {
    let Some(moves) = plans.moves(Frame::Ctr, blocks.len()) else {
        return crypt_written(keys, plans, counter, blocks);
    };
    let rk = Keys::new(keys);
    let mut counter = counter;
    for piece in moves {
        let kernel = CtrKernel::permitted(plans.token(), piece.row);
        let kernel = kernel.expect("plans are made for the token that they are asked for");
        let (now, later) = blocks.split_at(piece.blocks);
        kernel.run(&rk, counter, now);
        counter = counter.wrapping_add(piece.blocks as u128);
        blocks = later;
    }
    counter
}

/// The same by ECB.
#[inline(never)]
fn crypt_written<const RK: usize>(
    keys: &RoundKeys<RK>,
    plans: Plans,
    counter: u128,
    blocks: InOutBuf<'_, '_, Block>,
) -> u128 {
    let next = counter.wrapping_add(blocks.len() as u128);
    Engine::with(keys, plans, |engine| {
        run_written(|images| engine.crypt(images), counter, blocks);
    });
    next
}

/// Writes counters down, some at a time, replaces them by their images with `encrypt`, and adds these.
fn run_written(
    encrypt: impl Fn(InOutBuf<'_, '_, Block>),
    mut counter: u128,
    mut blocks: InOutBuf<'_, '_, Block>,
) {
    let mut written = Wiped::<u8, MAX_WRITTEN>::zero();
    for start in (0..blocks.len()).step_by(MAX_WRITTEN) {
        let count = usize::min(blocks.len() - start, MAX_WRITTEN);
        let images = &mut written[..count];
        for image in images.iter_mut() {
            *image = counter.to_be_bytes();
            counter = counter.wrapping_add(1);
        }
        encrypt(InOutBuf::from(Block::cast_slice_from_core_mut(images)));
        for (number, image) in images.iter().enumerate() {
            blocks.get(start + number).xor_in2out(image.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_blocks_leave_the_counter_alone() {
        let keys = RoundKeys::<13>::zero();
        let none = InOutBuf::from(&mut [][..]);
        assert_eq!(crypt(&keys, Plans::of(Token::detect()), u128::MAX, none), u128::MAX);
    }
}
