//! Cipher feedback with whole blocks, CFB-128 (NIST SP 800-38A, section 6.3).
//!
//! The ciphertext so far is encrypted to make the keystream of the next block, so encryption is
//! serial; decryption runs in batches. One pair of types takes whole blocks and has RustCrypto's
//! block-mode traits; the other, [`BufEncryptor`] and [`BufDecryptor`], takes bytes in pieces of
//! any length. Both give the same ciphertext.
//!
//! The IV must be unpredictable, and nothing is protected from being changed. For new designs
//! there is no reason to choose CFB.
//!
//! ```
//! use aria_runtime::cipher::KeyIvInit;
//! use aria_runtime::modes::{Aria128CfbBufDec, Aria128CfbBufEnc};
//!
//! let (key, iv) = ([7; 16].into(), [9; 16].into());
//! let mut message = *b"no padding, any length";
//! Aria128CfbBufEnc::new(&key, &iv).encrypt(&mut message);
//!
//! let mut decryptor = Aria128CfbBufDec::new(&key, &iv);
//! let (head, tail) = message.split_at_mut(3);
//! decryptor.decrypt(head);
//! decryptor.decrypt(tail);
//! assert_eq!(&message, b"no padding, any length");
//! ```

use cipher::common::{InnerUser, IvSizeUser};
use cipher::consts::U16;
use cipher::inout::NotEqualError;
use cipher::{InOutBuf, InnerIvInit, Iv};

use super::cipher::{BulkEncrypt, Permute, Work, add, encrypting, in_pieces};
use super::describe::describe;
use super::driver::{Blockwise, block_mode};
use crate::Block;
use crate::wiped::Wiped;

/// CFB-128 encryption of whole blocks.
#[derive(Clone)]
pub struct Encryptor<C: BulkEncrypt> {
    cipher: C,
    chain: Wiped<u8, 1>,
}

/// CFB-128 decryption of whole blocks.
#[derive(Clone)]
pub struct Decryptor<C: BulkEncrypt> {
    cipher: C,
    chain: Wiped<u8, 1>,
}

block_mode!(
    Encryptor: BulkEncrypt, U16, "cfb::Encryptor",
    BlockModeEncrypt::encrypt_with_backend(BlockModeEncClosure),
    encrypt_blocks_inout, encrypt_blocks, encrypt_blocks_b2b
);

block_mode!(
    Decryptor: BulkEncrypt, U16, "cfb::Decryptor",
    BlockModeDecrypt::decrypt_with_backend(BlockModeDecClosure),
    decrypt_blocks_inout, decrypt_blocks, decrypt_blocks_b2b
);

impl<C: BulkEncrypt> Blockwise for Encryptor<C> {
    type Size = U16;

    fn blocks(&mut self, blocks: InOutBuf<'_, '_, Block>) {
        encrypt(&self.cipher, &mut self.chain[0], blocks, no_tail());
    }
}

impl<C: BulkEncrypt> Blockwise for Decryptor<C> {
    type Size = U16;

    fn blocks(&mut self, blocks: InOutBuf<'_, '_, Block>) {
        decrypt(&self.cipher, &mut self.chain[0], blocks, no_tail());
    }
}

fn no_tail() -> InOutBuf<'static, 'static, u8> {
    InOutBuf::from(&mut [][..])
}

/// CFB-128 encryption in pieces of any length.
#[derive(Clone)]
pub struct BufEncryptor<C: BulkEncrypt> {
    cipher: C,
    /// The ciphertext of the block begun, as far as `used`, and the keystream for the rest of it;
    /// if none is begun, the last block of ciphertext.
    chain: Wiped<u8, 1>,
    used: usize,
}

/// CFB-128 decryption in pieces of any length.
#[derive(Clone)]
pub struct BufDecryptor<C: BulkEncrypt> {
    cipher: C,
    /// As in [`BufEncryptor`].
    chain: Wiped<u8, 1>,
    used: usize,
}

/// What the two have: the traits to make them, and the methods.
macro_rules! buffered {
    ($mode:ident, $name:literal, $verb:literal, $work:ident, $byte:ident;
     $in_place:ident, $b2b:ident, $inout:ident) => {
        describe!($mode[C: BulkEncrypt]; $name);

        impl<C: BulkEncrypt> InnerUser for $mode<C> {
            type Inner = C;
        }

        impl<C: BulkEncrypt> IvSizeUser for $mode<C> {
            type IvSize = U16;
        }

        impl<C: BulkEncrypt> InnerIvInit for $mode<C> {
            fn inner_iv_init(cipher: C, iv: &Iv<Self>) -> Self {
                let mut chain = Wiped::zero();
                chain[0] = iv.0;
                Self { cipher, chain, used: 0 }
            }
        }

        impl<C: BulkEncrypt> $mode<C> {
            #[doc = concat!($verb, " the next bytes of the message in place.")]
            pub fn $in_place(&mut self, data: &mut [u8]) {
                self.$inout(data.into());
            }

            #[doc = concat!($verb, " the next bytes of the message from `input` to `output`.")]
            ///
            /// # Errors
            ///
            /// [`NotEqualError`] if they differ in length; nothing is written then.
            pub fn $b2b(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), NotEqualError> {
                self.$inout(InOutBuf::new(input, output)?);
                Ok(())
            }

            #[doc = concat!($verb, " the next bytes of the message.")]
            pub fn $inout(&mut self, data: InOutBuf<'_, '_, u8>) {
                let chain = &mut self.chain[0];
                let head = if self.used == 0 { 0 } else { data.len().min(16 - self.used) };
                let (head, rest) = data.split_at(head);
                for (chain, mut byte) in chain[self.used..].iter_mut().zip(head) {
                    let (ciphertext, out) = $byte(*byte.get_in(), *chain);
                    *chain = ciphertext;
                    *byte.get_out() = out;
                    self.used = (self.used + 1) % 16;
                }
                if !rest.is_empty() {
                    let (blocks, tail) = rest.into_chunks();
                    self.used = tail.len();
                    $work(&self.cipher, chain, blocks, tail);
                }
            }
        }
    };
}

buffered!(
    BufEncryptor, "cfb::BufEncryptor", "Encrypts", encrypt, encrypt_byte;
    encrypt, encrypt_b2b, encrypt_inout
);
buffered!(
    BufDecryptor, "cfb::BufDecryptor", "Decrypts", decrypt, decrypt_byte;
    decrypt, decrypt_b2b, decrypt_inout
);

/// The byte of ciphertext, and what is put out.
fn encrypt_byte(byte: u8, keystream: u8) -> (u8, u8) {
    (byte ^ keystream, byte ^ keystream)
}

/// The byte of ciphertext, and what is put out.
fn decrypt_byte(byte: u8, keystream: u8) -> (u8, u8) {
    (byte, byte ^ keystream)
}

/// Encrypts some blocks and then less than a block.
fn encrypt<C: BulkEncrypt>(
    cipher: &C,
    chain: &mut [u8; 16],
    blocks: InOutBuf<'_, '_, Block>,
    tail: InOutBuf<'_, '_, u8>,
) {
    if !blocks.is_empty() || !tail.is_empty() {
        encrypting(cipher, Encryption { chain, blocks, tail });
    }
}

/// Decrypts some blocks and then less than a block.
fn decrypt<C: BulkEncrypt>(
    cipher: &C,
    chain: &mut [u8; 16],
    mut blocks: InOutBuf<'_, '_, Block>,
    tail: InOutBuf<'_, '_, u8>,
) {
    let done = cipher.fused_cfb_decrypt(chain.into(), blocks.reborrow());
    let (_, blocks) = blocks.split_at(done);
    if !blocks.is_empty() || !tail.is_empty() {
        encrypting(cipher, Decryption { chain, blocks, tail });
    }
}

struct Encryption<'a, 'i, 'o> {
    chain: &'a mut [u8; 16],
    blocks: InOutBuf<'i, 'o, Block>,
    tail: InOutBuf<'i, 'o, u8>,
}

impl Work for Encryption<'_, '_, '_> {
    #[inline(always)]
    fn run(self, cipher: &impl Permute) {
        let chain: &mut Block = self.chain.into();
        for mut block in self.blocks {
            cipher.in_place(chain);
            add(&mut chain.0, &block.get_in().0);
            *block.get_out() = *chain;
        }
        if !self.tail.is_empty() {
            cipher.in_place(chain);
            for (chain, mut byte) in chain.iter_mut().zip(self.tail) {
                *chain ^= *byte.get_in();
                *byte.get_out() = *chain;
            }
        }
    }
}

struct Decryption<'a, 'i, 'o> {
    chain: &'a mut [u8; 16],
    blocks: InOutBuf<'i, 'o, Block>,
    tail: InOutBuf<'i, 'o, u8>,
}

impl Work for Decryption<'_, '_, '_> {
    #[inline(always)]
    fn run(self, cipher: &impl Permute) {
        let blocks = self.blocks.len() + 1;
        in_pieces!(self, cipher, blocks);
    }
}

impl Decryption<'_, '_, '_> {
    #[inline(always)]
    fn in_pieces<const N: usize>(self, cipher: &impl Permute) {
        let Self { chain, mut blocks, tail } = self;
        let mut buffer = Wiped::<u8, N>::zero();
        let buffer = Block::cast_slice_from_core_mut(&mut buffer[..]);
        loop {
            // The keystream of `count` blocks, and, if there is room, of the tail.
            let count = blocks.len().min(N);
            let with_tail = !tail.is_empty() && count == blocks.len() && count < N;
            let (mut now, later) = blocks.split_at(count);
            blocks = later;
            let keystream = &mut buffer[..count + usize::from(with_tail)];
            if let [first, others @ ..] = &mut *keystream {
                *first = (*chain).into();
                others.copy_from_slice(&now.get_in()[..others.len()]);
            }
            if let Some(last) = now.get_in().last() {
                *chain = last.0;
            }
            cipher.many((&mut *keystream).into());
            for (mut block, keystream) in now.reborrow().into_iter().zip(&*keystream) {
                block.xor_in2out(keystream);
            }
            if with_tail {
                *chain = keystream[count].0;
                for (chain, mut byte) in chain.iter_mut().zip(tail) {
                    let ciphertext = *byte.get_in();
                    *byte.get_out() = ciphertext ^ *chain;
                    *chain = ciphertext;
                }
                return;
            }
            if blocks.is_empty() && tail.is_empty() {
                return;
            }
        }
    }
}
