//! Runs what is planned over blocks: the one path that every call takes, of one block or of many.
//!
//! An [`Engine`] lives for one call into a cipher: it holds the round keys in the forms that its
//! kernels want, so that a caller who processes many pieces within that call, as mode crates do,
//! pays for them once, and only for what is used. Direction is no matter here: for ARIA the round
//! keys decide it.

use aria_kernels::Frame;
use cipher::consts::{U16, U64};
use cipher::{
    BlockCipherDecBackend, BlockCipherEncBackend, BlockSizeUser, InOut, InOutBuf, ParBlocks,
    ParBlocksSizeUser,
};

use crate::Block;
use crate::ecb::EcbKernel;
use crate::forms::Keys;
use crate::plans::Plans;
use crate::schedule::RoundKeys;

/// Everything that it takes to process blocks in one direction.
pub(crate) struct Engine<'a, const RK: usize> {
    keys: Keys<'a, RK>,
    plans: Plans,
}

impl<'a, const RK: usize> Engine<'a, RK> {
    /// Calls `work` with an engine, and wipes that afterwards.
    ///
    /// It takes a closure so that expanded keys are never moved, which could leave a copy.
    #[inline]
    pub(crate) fn with(keys: &'a RoundKeys<RK>, plans: Plans, work: impl FnOnce(&Self)) {
        work(&Self { keys: Keys::new(keys), plans });
    }

    /// Replaces every input block by its image.
    #[inline]
    pub(crate) fn crypt(&self, mut blocks: InOutBuf<'_, '_, Block>) {
        let moves = self.plans.moves(Frame::Ecb, blocks.len());
        for piece in moves.expect("portable kernels run anywhere") {
            let kernel = EcbKernel::permitted(self.plans.token(), piece.row);
            let kernel = kernel.expect("plans are made for the token that they are asked for");
            let (now, later) = blocks.split_at(piece.blocks);
            kernel.run(&self.keys, now);
            blocks = later;
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
