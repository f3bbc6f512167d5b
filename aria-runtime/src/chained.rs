//! Decryption of the chained modes: the permission to call a kernel, the call, and the run over all
//! blocks of a call.
//!
//! NIST SP 800-38A, section 6.2, CBC: to the image of each block the block before it is added. Section
//! 6.3, CFB with whole blocks: to each block the image of the one before it is added. The first has
//! the IV before it, or the last block of the call before.
//!
//! A kernel takes a run of blocks together with the block before them, and goes from its end to its
//! beginning, so that in place it destroys nothing that it still reads. The IV does not lie before
//! the message in memory. So kernels take as many whole batches as leave something over, from the
//! end; then the blocks at the beginning, at least one and at most a batch, are done as ECB, their
//! neighbours added in a buffer, which is wiped.

use aria_kernels::{Entry, Frame, KERNELS};
use cipher::InOutBuf;

use crate::Block;
use crate::engine::Engine;
use crate::forms::{Form, Keys};
use crate::modes::cipher::add;
use crate::plans::{MAX_BATCH, Plans};
use crate::schedule::RoundKeys;
use crate::token::Token;
use crate::wiped::Wiped;

/// A chained mode that has kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// CBC decryption, by round keys of decryption.
    Cbc,
    /// CFB decryption, by round keys of encryption.
    Cfb,
}

impl Mode {
    /// What its kernels are for.
    pub(crate) const fn frame(self) -> Frame {
        match self {
            Self::Cbc => Frame::CbcDec,
            Self::Cfb => Frame::CfbDec,
        }
    }
}

/// A kernel for a chained mode that a token permits. Its field is the row in [`KERNELS`].
#[derive(Clone, Copy, Debug)]
struct ChainedKernel(u16);

impl ChainedKernel {
    /// The kernel that plans have for a mode, if the token permits it.
    fn planned(plans: Plans, mode: Mode) -> Option<Self> {
        Self::permitted(plans.token(), plans.chained(mode)?, mode)
    }

    /// The kernel in this row, if it is one for the mode and the token permits it.
    fn permitted(token: Token, row: u16, mode: Mode) -> Option<Self> {
        let is_for_mode = KERNELS[usize::from(row)].frame == mode.frame();
        (is_for_mode && token.permits(row)).then_some(Self(row))
    }

    /// Blocks in a batch.
    fn batch(self) -> usize {
        KERNELS[usize::from(self.0)].blocks
    }

    /// Decrypts whole batches, as many as leave at least one block over, at the end of `blocks`;
    /// returns how many blocks are left, at the beginning.
    fn run<const RK: usize>(self, rk: &Keys<'_, RK>, blocks: InOutBuf<'_, '_, Block>) -> usize {
        const { assert!(matches!(RK, 13 | 15 | 17)) };
        let kernel = &KERNELS[usize::from(self.0)];
        let batches = blocks.len().saturating_sub(1) / kernel.blocks;
        let left = blocks.len() - batches * kernel.blocks;
        if batches == 0 {
            return left;
        }
        let (entry, shape) = match (kernel.entry, Form::of(kernel.entry)) {
            (
                Entry::CbcDecBroadcast32(entry)
                | Entry::CbcDecMapped32(entry)
                | Entry::CfbDecBroadcast32(entry)
                | Entry::CfbDecMapped32(entry),
                Some(Form::Words(shape)),
            ) => (entry, shape),
            (other, _) => unreachable!("{other:?} has no ChainedKernel"),
        };
        let (input, output) = blocks.into_raw();
        // There is a batch, so `left`, which is at least 1, and `left - 1` lie within the blocks.
        let (input, output) = (input.wrapping_add(left - 1), output.wrapping_add(left));
        rk.with_words(shape, |rk| {
            // SAFETY:
            // - Features: a `ChainedKernel` is only made in `permitted`, for a row that a token
            //   permits, so this CPU has all that the row names.
            // - Round keys: there are `RK` of them, which is 13, 15 or 17, in the entry's own form.
            // - Buffers: an `InOutBuf` is readable and writable for its length, which is `left` more
            //   than the blocks of these batches: that many are written from block `left` on, and one
            //   more read from the block before that on. Its two sides are equal, and then `output` is
            //   one block behind `input`, or do not overlap.
            unsafe { entry(rk, input.cast(), output.cast(), batches) }
        });
        left
    }
}

/// Decrypts all blocks and returns how many there are, or none if no kernel pays for so few. `iv` is the
/// block of ciphertext before them, and becomes the last of them.
pub(crate) fn decrypt<const RK: usize>(
    keys: &RoundKeys<RK>,
    plans: Plans,
    mode: Mode,
    iv: &mut Block,
    mut blocks: InOutBuf<'_, '_, Block>,
) -> usize {
    let count = blocks.len();
    let kernel = ChainedKernel::planned(plans, mode);
    let Some(kernel) = kernel.filter(|kernel| count > kernel.batch()) else {
        return 0;
    };
    let Some(&last) = blocks.get_in().last() else {
        return 0;
    };
    Engine::with(keys, plans, |engine| {
        let left = kernel.run(engine.keys(), blocks.reborrow());
        begin(engine, mode, iv, blocks.split_at(left).0);
    });
    *iv = last;
    count
}

/// Decrypts the first blocks of a call, at most a batch.
fn begin<const RK: usize>(
    engine: &Engine<'_, RK>,
    mode: Mode,
    iv: &Block,
    mut blocks: InOutBuf<'_, '_, Block>,
) {
    let count = blocks.len();
    let mut buffer = Wiped::<u8, MAX_BATCH>::zero();
    let images = Block::cast_slice_from_core_mut(&mut buffer[..count]);
    let input = blocks.get_in();
    match mode {
        Mode::Cbc => images.copy_from_slice(input),
        Mode::Cfb => {
            images[0] = *iv;
            images[1..].copy_from_slice(&input[..count - 1]);
        }
    }
    engine.crypt(InOutBuf::from(&mut *images));
    match mode {
        Mode::Cbc => {
            add(&mut images[0].0, &iv.0);
            images[1..].iter_mut().zip(input).for_each(|(image, before)| {
                add(&mut image.0, &before.0);
            });
        }
        Mode::Cfb => {
            images.iter_mut().zip(input).for_each(|(image, own)| add(&mut image.0, &own.0));
        }
    }
    blocks.get_out().copy_from_slice(images);
}
