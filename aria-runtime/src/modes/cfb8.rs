//! Cipher feedback byte by byte, CFB-8 (NIST SP 800-38A, section 6.3).
//!
//! A block is encrypted for every *byte*, so this costs sixteen times what other modes do; it is
//! here because old protocols and database drivers use it. Decryption runs in batches and loses
//! less. RustCrypto's block-mode traits with blocks of one byte take pieces of any length.
//!
//! ```
//! use aria_runtime::cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit, Array};
//! use aria_runtime::modes::{Aria128Cfb8Dec, Aria128Cfb8Enc};
//!
//! let (key, iv) = ([7; 16].into(), [9; 16].into());
//! let mut message = *b"byte by byte";
//! let bytes = Array::cast_slice_from_core_mut(message.as_chunks_mut().0);
//! Aria128Cfb8Enc::new(&key, &iv).encrypt_blocks(bytes);
//! Aria128Cfb8Dec::new(&key, &iv).decrypt_blocks(bytes);
//! assert_eq!(&message, b"byte by byte");
//! ```

use cipher::consts::U1;
use cipher::{Array, InOutBuf};

use super::cipher::{BulkEncrypt, Permute, Work, encrypting, in_pieces};
use super::driver::{Blockwise, block_mode};
use crate::Block;
use crate::bulk::in_place;
use crate::wiped::Wiped;

type Byte = Array<u8, U1>;

/// CFB-8 encryption.
#[derive(Clone)]
pub struct Encryptor<C: BulkEncrypt> {
    cipher: C,
    /// The last 16 bytes of ciphertext.
    chain: Wiped<u8, 1>,
}

/// CFB-8 decryption.
#[derive(Clone)]
pub struct Decryptor<C: BulkEncrypt> {
    cipher: C,
    /// The last 16 bytes of ciphertext.
    chain: Wiped<u8, 1>,
}

block_mode!(
    Encryptor: BulkEncrypt, U1, "cfb8::Encryptor",
    BlockModeEncrypt::encrypt_with_backend(BlockModeEncClosure),
    encrypt_blocks_inout, encrypt_blocks, encrypt_blocks_b2b
);

block_mode!(
    Decryptor: BulkEncrypt, U1, "cfb8::Decryptor",
    BlockModeDecrypt::decrypt_with_backend(BlockModeDecClosure),
    decrypt_blocks_inout, decrypt_blocks, decrypt_blocks_b2b
);

impl<C: BulkEncrypt> Blockwise for Encryptor<C> {
    type Size = U1;

    fn blocks(&mut self, bytes: InOutBuf<'_, '_, Byte>) {
        if !bytes.is_empty() {
            encrypting(&self.cipher, Encryption { chain: &mut self.chain[0], bytes });
        }
    }
}

impl<C: BulkEncrypt> Blockwise for Decryptor<C> {
    type Size = U1;

    fn blocks(&mut self, bytes: InOutBuf<'_, '_, Byte>) {
        if !bytes.is_empty() {
            encrypting(&self.cipher, Decryption { chain: &mut self.chain[0], bytes });
        }
    }
}

/// Moves the window of ciphertext on by one byte.
#[inline(always)]
fn push(window: &mut [u8; 16], byte: u8) {
    // As a big-endian number, so that it is a shift in a register.
    *window = (u128::from_be_bytes(*window) << 8 | u128::from(byte)).to_be_bytes();
}

struct Encryption<'a, 'i, 'o> {
    chain: &'a mut [u8; 16],
    bytes: InOutBuf<'i, 'o, Byte>,
}

impl Work for Encryption<'_, '_, '_> {
    #[inline(always)]
    fn run(self, cipher: &impl Permute) {
        let mut buffer = Wiped::<u8, 1>::zero();
        let keystream: &mut Block = (&mut buffer[0]).into();
        for mut byte in self.bytes {
            keystream.0 = *self.chain;
            cipher.in_place(keystream);
            let ciphertext = byte.get_in()[0] ^ keystream[0];
            byte.get_out()[0] = ciphertext;
            push(self.chain, ciphertext);
        }
    }
}

struct Decryption<'a, 'i, 'o> {
    chain: &'a mut [u8; 16],
    bytes: InOutBuf<'i, 'o, Byte>,
}

impl Work for Decryption<'_, '_, '_> {
    #[inline(always)]
    fn run(self, cipher: &impl Permute) {
        let blocks = self.bytes.len();
        in_pieces!(self, cipher, blocks);
    }
}

impl Decryption<'_, '_, '_> {
    #[inline(always)]
    fn in_pieces<const N: usize>(self, cipher: &impl Permute) {
        let Self { chain, mut bytes } = self;
        let mut buffer = Wiped::<u8, N>::zero();
        while !bytes.is_empty() {
            let count = bytes.len().min(N);
            let (mut now, later) = bytes.split_at(count);
            let keystream = &mut buffer[..count];
            for (window, byte) in keystream.iter_mut().zip(now.get_in()) {
                *window = *chain;
                push(chain, byte[0]);
            }
            cipher.many(in_place(keystream));
            for (mut byte, keystream) in now.reborrow().into_iter().zip(&*keystream) {
                *byte.get_out() = [byte.get_in()[0] ^ keystream[0]].into();
            }
            bytes = later;
        }
    }
}
