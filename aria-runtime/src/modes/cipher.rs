//! What a mode asks of a block cipher: many blocks in one call, and perhaps a fused kernel.
//!
//! Two things are kept apart here. [`Work`] is what a mode does with the permutation of a cipher,
//! in either direction, written once and compiled for each cipher; it runs within one call into the
//! cipher, so that whatever the cipher prepares for a call is prepared once a message and not once
//! a batch. [`BulkEncrypt`] and [`BulkDecrypt`] are where a cipher may do part of a mode by itself,
//! with a kernel that has the mode built in; a cipher that has none writes an empty `impl`.

use cipher::consts::U16;
use cipher::{
    BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncBackend,
    BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, InOut, InOutBuf,
};

use crate::Block;

/// How the counter of CTR mode goes on from one block to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterWidth {
    /// The whole block is one big-endian number, modulo 2^128.
    Bits128,
    /// The last four bytes are one big-endian number, modulo 2^32; the others stay.
    Bits32,
}

impl CounterWidth {
    /// The counter block `index` blocks after `first`.
    #[must_use]
    pub const fn advance(self, first: u128, index: u128) -> u128 {
        match self {
            Self::Bits128 => first.wrapping_add(index),
            Self::Bits32 => {
                let low = (first as u32).wrapping_add(index as u32);
                first & !0xffff_ffff | low as u128
            }
        }
    }
}

/// A cipher whose encryption a mode can use, of blocks of 16 bytes.
///
/// The methods are for ciphers with fused kernels: each does as many of the first blocks as such a
/// kernel does well, brings the chaining value up to date, and returns how many it did. The mode
/// does the rest in batches by way of [`BlockCipherEncrypt`]. None is right, too, and the default:
///
/// ```
/// # use aria_runtime::cipher::{BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser};
/// # use aria_runtime::cipher::consts::U16;
/// # struct MyCipher;
/// # impl BlockSizeUser for MyCipher { type BlockSize = U16; }
/// # impl BlockCipherEncrypt for MyCipher {
/// #     fn encrypt_with_backend(&self, _: impl BlockCipherEncClosure<BlockSize = U16>) {}
/// # }
/// impl aria_runtime::modes::BulkEncrypt for MyCipher {}
/// ```
pub trait BulkEncrypt: BlockCipherEncrypt<BlockSize = U16> {
    /// CTR: to the i-th block adds the image of `width.advance(first, i)`, as a big-endian number.
    fn fused_ctr(
        &self,
        width: CounterWidth,
        first: u128,
        blocks: InOutBuf<'_, '_, Block>,
    ) -> usize {
        let _ = (width, first, blocks);
        0
    }

    /// CBC encryption: to each block adds the output block before it, `iv` for the first, and encrypts
    /// the sum; leaves the last output block in `iv`.
    fn fused_cbc_encrypt(&self, iv: &mut Block, blocks: InOutBuf<'_, '_, Block>) -> usize {
        let _ = (iv, blocks);
        0
    }

    /// CFB decryption: to each block adds the image of the one before it, `iv` for the first, and
    /// leaves the last input block in `iv`.
    fn fused_cfb_decrypt(&self, iv: &mut Block, blocks: InOutBuf<'_, '_, Block>) -> usize {
        let _ = (iv, blocks);
        0
    }

    /// XTS encryption: the first block is encrypted with `tweak`, a little-endian number, and each
    /// further one with the tweak before it times x; leaves the next tweak.
    fn fused_xts_encrypt(&self, tweak: &mut Block, blocks: InOutBuf<'_, '_, Block>) -> usize {
        let _ = (tweak, blocks);
        0
    }
}

/// A cipher whose decryption a mode can use, of blocks of 16 bytes. See [`BulkEncrypt`].
pub trait BulkDecrypt: BlockCipherDecrypt<BlockSize = U16> {
    /// CBC decryption: decrypts each block and adds the input block before it, `iv` for the first,
    /// and leaves the last input block in `iv`.
    fn fused_cbc_decrypt(&self, iv: &mut Block, blocks: InOutBuf<'_, '_, Block>) -> usize {
        let _ = (iv, blocks);
        0
    }

    /// XTS decryption; see [`BulkEncrypt::fused_xts_encrypt`].
    fn fused_xts_decrypt(&self, tweak: &mut Block, blocks: InOutBuf<'_, '_, Block>) -> usize {
        let _ = (tweak, blocks);
        0
    }
}

impl<C: BulkEncrypt> BulkEncrypt for &C {
    fn fused_ctr(
        &self,
        width: CounterWidth,
        first: u128,
        blocks: InOutBuf<'_, '_, Block>,
    ) -> usize {
        C::fused_ctr(self, width, first, blocks)
    }

    fn fused_cbc_encrypt(&self, iv: &mut Block, blocks: InOutBuf<'_, '_, Block>) -> usize {
        C::fused_cbc_encrypt(self, iv, blocks)
    }

    fn fused_cfb_decrypt(&self, iv: &mut Block, blocks: InOutBuf<'_, '_, Block>) -> usize {
        C::fused_cfb_decrypt(self, iv, blocks)
    }

    fn fused_xts_encrypt(&self, tweak: &mut Block, blocks: InOutBuf<'_, '_, Block>) -> usize {
        C::fused_xts_encrypt(self, tweak, blocks)
    }
}

impl<C: BulkDecrypt> BulkDecrypt for &C {
    fn fused_cbc_decrypt(&self, iv: &mut Block, blocks: InOutBuf<'_, '_, Block>) -> usize {
        C::fused_cbc_decrypt(self, iv, blocks)
    }

    fn fused_xts_decrypt(&self, tweak: &mut Block, blocks: InOutBuf<'_, '_, Block>) -> usize {
        C::fused_xts_decrypt(self, tweak, blocks)
    }
}

/// Blocks that a mode prepares before it hands them over: the batch of the widest kernel.
pub(crate) const BATCH: usize = 64;

/// Calls `in_pieces::<N>(cipher)` of a work that has so many `blocks`, where `N` is the length of
/// the buffer that it takes on the stack: clearing and wiping a whole [`BATCH`] would cost a short
/// message more than its encryption.
macro_rules! in_pieces {
    ($work:ident, $cipher:ident, $blocks:expr) => {
        match $blocks {
            0..=4 => $work.in_pieces::<4>($cipher),
            5..=16 => $work.in_pieces::<16>($cipher),
            _ => $work.in_pieces::<{ $crate::modes::cipher::BATCH }>($cipher),
        }
    };
}

pub(crate) use in_pieces;

/// A cipher in one direction, within one call into it.
pub(crate) trait Permute {
    /// Replaces a block by its image.
    fn one(&self, block: InOut<'_, '_, Block>);

    /// Replaces each of any number of blocks by its image.
    fn many(&self, blocks: InOutBuf<'_, '_, Block>);

    /// The image of a block, in its place.
    #[inline(always)]
    fn in_place(&self, block: &mut Block) {
        self.one(block.into());
    }
}

/// What a mode does with a cipher in one direction.
pub(crate) trait Work {
    /// Does it.
    fn run(self, cipher: &impl Permute);
}

/// Does `work` with a cipher's encryption.
#[inline(always)]
pub(crate) fn encrypting(cipher: &impl BlockCipherEncrypt<BlockSize = U16>, work: impl Work) {
    cipher.encrypt_with_backend(Closure(work));
}

/// Does `work` with a cipher's decryption.
#[inline(always)]
pub(crate) fn decrypting(cipher: &impl BlockCipherDecrypt<BlockSize = U16>, work: impl Work) {
    cipher.decrypt_with_backend(Closure(work));
}

/// Work in the form that the traits of `cipher` take.
struct Closure<W>(W);

impl<W> BlockSizeUser for Closure<W> {
    type BlockSize = U16;
}

impl<W: Work> BlockCipherEncClosure for Closure<W> {
    #[inline(always)]
    fn call<B: BlockCipherEncBackend<BlockSize = U16>>(self, backend: &B) {
        self.0.run(&Encryption(backend));
    }
}

impl<W: Work> BlockCipherDecClosure for Closure<W> {
    #[inline(always)]
    fn call<B: BlockCipherDecBackend<BlockSize = U16>>(self, backend: &B) {
        self.0.run(&Decryption(backend));
    }
}

struct Encryption<'a, B>(&'a B);

impl<B: BlockCipherEncBackend<BlockSize = U16>> Permute for Encryption<'_, B> {
    #[inline(always)]
    fn one(&self, block: InOut<'_, '_, Block>) {
        self.0.encrypt_block(block);
    }

    #[inline(always)]
    fn many(&self, blocks: InOutBuf<'_, '_, Block>) {
        let (full, rest) = blocks.into_chunks::<B::ParBlocksSize>();
        for blocks in full {
            self.0.encrypt_par_blocks(blocks);
        }
        if !rest.is_empty() {
            self.0.encrypt_tail_blocks(rest);
        }
    }
}

struct Decryption<'a, B>(&'a B);

impl<B: BlockCipherDecBackend<BlockSize = U16>> Permute for Decryption<'_, B> {
    #[inline(always)]
    fn one(&self, block: InOut<'_, '_, Block>) {
        self.0.decrypt_block(block);
    }

    #[inline(always)]
    fn many(&self, blocks: InOutBuf<'_, '_, Block>) {
        let (full, rest) = blocks.into_chunks::<B::ParBlocksSize>();
        for blocks in full {
            self.0.decrypt_par_blocks(blocks);
        }
        if !rest.is_empty() {
            self.0.decrypt_tail_blocks(rest);
        }
    }
}

/// Adds `from` to `to` in GF(2).
///
/// Both are read before anything is written: so this is one vector instruction, and what the cipher
/// loads next was stored in one piece.
#[inline(always)]
pub(crate) fn add(to: &mut [u8; 16], from: &[u8; 16]) {
    let (a, b) = (*to, *from);
    *to = core::array::from_fn(|i| a[i] ^ b[i]);
}

/// Adds the `keystream` to `data`, which has as many bytes.
///
/// Block by block, since each side of the data may be the other: that way a block is loaded
/// whole before it is stored, and the compiler needs no proof that the sides do not overlap.
#[inline(always)]
pub(crate) fn add_keystream(data: InOutBuf<'_, '_, u8>, keystream: &[[u8; 16]]) {
    let (blocks, mut rest) = data.into_chunks::<U16>();
    let whole = blocks.len();
    for (mut block, keystream) in blocks.into_iter().zip(keystream) {
        block.xor_in2out(keystream.into());
    }
    if !rest.is_empty() {
        rest.xor_in2out(&keystream[whole][..rest.len()]);
    }
}
