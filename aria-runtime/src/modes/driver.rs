//! RustCrypto's block-mode traits over a mode that takes any number of blocks.
//!
//! A mode of ours has one method for all its work, which prepares the cipher once. The traits'
//! methods that users call are sent there as they are. The traits' way in for others is a
//! closure that asks for batches; [`Driver`] serves it by that method, too.

use cipher::array::ArraySize;
use cipher::consts::U64;
use cipher::{
    Array, BlockModeDecBackend, BlockModeEncBackend, BlockSizeUser, InOut, InOutBuf, ParBlocks,
    ParBlocksSizeUser,
};

/// A mode that goes through its message in blocks of `Size` bytes.
pub(crate) trait Blockwise {
    /// Bytes in one block of the mode, which need not be that of its cipher.
    type Size: ArraySize;

    /// Encrypts or decrypts the next blocks of the message.
    fn blocks(&mut self, blocks: InOutBuf<'_, '_, Array<u8, Self::Size>>);
}

/// Serves a closure by [`Blockwise::blocks`].
pub(crate) struct Driver<'a, M>(pub(crate) &'a mut M);

impl<M: Blockwise> BlockSizeUser for Driver<'_, M> {
    type BlockSize = M::Size;
}

impl<M: Blockwise> ParBlocksSizeUser for Driver<'_, M> {
    type ParBlocksSize = U64;
}

impl<M: Blockwise> BlockModeEncBackend for Driver<'_, M> {
    fn encrypt_block(&mut self, block: InOut<'_, '_, Array<u8, M::Size>>) {
        self.0.blocks(block.into_buf().into_chunks().0);
    }

    fn encrypt_par_blocks(&mut self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.0.blocks(blocks.into_buf());
    }

    fn encrypt_tail_blocks(&mut self, blocks: InOutBuf<'_, '_, Array<u8, M::Size>>) {
        self.0.blocks(blocks);
    }
}

impl<M: Blockwise> BlockModeDecBackend for Driver<'_, M> {
    fn decrypt_block(&mut self, block: InOut<'_, '_, Array<u8, M::Size>>) {
        self.0.blocks(block.into_buf().into_chunks().0);
    }

    fn decrypt_par_blocks(&mut self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.0.blocks(blocks.into_buf());
    }

    fn decrypt_tail_blocks(&mut self, blocks: InOutBuf<'_, '_, Array<u8, M::Size>>) {
        self.0.blocks(blocks);
    }
}

/// Implements what a mode of one direction over one cipher and one chaining block has: the traits
/// to make it, to read and set its chaining block, and to run it. The mode is a struct with fields
/// `cipher` and `chain`, the latter one wiped block.
macro_rules! block_mode {
    (
        $mode:ident: $bound:path, $size:ty, $name:literal,
        $trait:ident::$with_backend:ident($closure:ident),
        $inout:ident, $in_place:ident, $b2b:ident
    ) => {
        $crate::modes::describe::describe!($mode[C: $bound]; $name);

        impl<C: $bound> cipher::BlockSizeUser for $mode<C> {
            type BlockSize = $size;
        }

        impl<C: $bound> cipher::common::InnerUser for $mode<C> {
            type Inner = C;
        }

        impl<C: $bound> cipher::common::IvSizeUser for $mode<C> {
            type IvSize = cipher::consts::U16;
        }

        impl<C: $bound> cipher::InnerIvInit for $mode<C> {
            fn inner_iv_init(cipher: C, iv: &cipher::Iv<Self>) -> Self {
                let mut chain = $crate::wiped::Wiped::zero();
                chain[0] = iv.0;
                Self { cipher, chain }
            }
        }

        impl<C: $bound> cipher::IvState for $mode<C> {
            fn iv_state(&self) -> cipher::Iv<Self> {
                self.chain[0].into()
            }
        }

        impl<C: $bound> cipher::SetIvState for $mode<C> {
            fn set_iv(&mut self, iv: &cipher::Iv<Self>) {
                self.chain[0] = iv.0;
            }
        }

        impl<C: $bound> cipher::$trait for $mode<C> {
            fn $with_backend(&mut self, f: impl cipher::$closure<BlockSize = $size>) {
                f.call(&mut $crate::modes::driver::Driver(self));
            }

            fn $inout(
                &mut self,
                blocks: cipher::InOutBuf<'_, '_, cipher::Array<u8, $size>>,
            ) {
                $crate::modes::driver::Blockwise::blocks(self, blocks);
            }

            fn $in_place(&mut self, blocks: &mut [cipher::Array<u8, $size>]) {
                $crate::modes::driver::Blockwise::blocks(self, blocks.into());
            }

            fn $b2b(
                &mut self,
                input: &[cipher::Array<u8, $size>],
                output: &mut [cipher::Array<u8, $size>],
            ) -> Result<(), cipher::inout::NotEqualError> {
                let blocks = cipher::InOutBuf::new(input, output)?;
                $crate::modes::driver::Blockwise::blocks(self, blocks);
                Ok(())
            }
        }
    };
}

pub(crate) use block_mode;
