//! Runs a plan over blocks: the one path that every call takes, of one block or of many.
//!
//! An [`Engine`] lives for one call into a cipher: it holds the round keys in the forms that its
//! plan's kernels want, so that a caller who processes many pieces within that call, as mode crates
//! do, pays for them once, and only for what is used. Direction is no matter here: for ARIA the round keys decide it.

use cipher::consts::{U16, U64};
use cipher::{
    BlockCipherDecBackend, BlockCipherEncBackend, BlockSizeUser, InOut, InOutBuf, ParBlocks,
    ParBlocksSizeUser,
};

use crate::Block;
use crate::ecb::{EcbKernel, MAX_BATCH};
use crate::forms::Keys;
use crate::planner::{Candidate, Move, Plan};
use crate::scalar;
use crate::schedule::RoundKeys;
use crate::wiped::Wiped;

/// Everything that it takes to process blocks in one direction.
pub(crate) struct Engine<'a, const RK: usize> {
    keys: Keys<'a, RK>,
    plan: &'a Plan<EcbKernel>,
}

impl<'a, const RK: usize> Engine<'a, RK> {
    /// Calls `work` with an engine, and wipes that afterwards.
    ///
    /// It takes a closure so that expanded keys are never moved, which could leave a copy.
    #[inline]
    pub(crate) fn with(
        raw: &'a RoundKeys<RK>,
        plan: &'a Plan<EcbKernel>,
        work: impl FnOnce(&Self),
    ) {
        work(&Self { keys: Keys::new(raw), plan });
    }

    /// Replaces every input block by its image.
    #[inline]
    pub(crate) fn crypt(&self, mut blocks: InOutBuf<'_, '_, Block>) {
        for piece in self.plan.moves(blocks.len()) {
            let (now, later) = blocks.split_at(piece.blocks());
            match piece {
                Move::Whole { with, .. } => with.kernel.run(&self.keys, now),
                Move::Padded { with, .. } => self.crypt_padded(with, now),
                Move::Scalar { .. } => self.crypt_scalar(now),
            }
            blocks = later;
        }
    }

    /// Fewer blocks than a batch: through a buffer of a whole batch, the rest of it zero blocks.
    /// Out of line, so that calls which need no buffer have none on their stack.
    #[inline(never)]
    fn crypt_padded(&self, with: Candidate<EcbKernel>, mut blocks: InOutBuf<'_, '_, Block>) {
        let mut buffer = Wiped::<u8, MAX_BATCH>::zero();
        let buffer = Block::cast_slice_from_core_mut(&mut buffer[..with.batch()]);
        let used = blocks.len();
        buffer[..used].copy_from_slice(blocks.get_in());
        with.kernel.run(&self.keys, InOutBuf::from(&mut *buffer));
        blocks.get_out().copy_from_slice(&buffer[..used]);
    }

    #[inline(never)]
    fn crypt_scalar(&self, blocks: InOutBuf<'_, '_, Block>) {
        for mut block in blocks {
            *block.get_out() = scalar::crypt_block(self.keys.raw(), block.clone_in().0).into();
        }
    }
}

impl<const RK: usize> BlockSizeUser for Engine<'_, RK> {
    type BlockSize = U16;
}

/// Mode crates hand over this many blocks at once, the batch of the widest kernel. A plan splits
/// them where kernels are narrower.
impl<const RK: usize> ParBlocksSizeUser for Engine<'_, RK> {
    type ParBlocksSize = U64;
}

impl<const RK: usize> BlockCipherEncBackend for Engine<'_, RK> {
    #[inline]
    fn encrypt_block(&self, block: InOut<'_, '_, Block>) {
        self.crypt(block.into_buf().into_chunks().0);
    }

    #[inline]
    fn encrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.crypt(blocks.into_buf());
    }

    #[inline]
    fn encrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block>) {
        self.crypt(blocks);
    }
}

impl<const RK: usize> BlockCipherDecBackend for Engine<'_, RK> {
    #[inline]
    fn decrypt_block(&self, block: InOut<'_, '_, Block>) {
        self.crypt(block.into_buf().into_chunks().0);
    }

    #[inline]
    fn decrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.crypt(blocks.into_buf());
    }

    #[inline]
    fn decrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block>) {
        self.crypt(blocks);
    }
}
