//! Cipher block chaining (NIST SP 800-38A, section 6.2), bare and with PKCS#7 padding.
//!
//! Encryption is serial by nature; decryption is not, and runs in batches. The IV must be
//! unpredictable, so make it by a random generator for each message.
//!
//! The methods of [`BlockModeEncrypt`](cipher::BlockModeEncrypt) and
//! [`BlockModeDecrypt`](cipher::BlockModeDecrypt) take whole blocks, as many or as few a call as
//! there are. Padding of PKCS#7 (RFC 5652, section 6.3) is done by [`Encryptor::encrypt_pkcs7`] and
//! [`Decryptor::decrypt_pkcs7`], or piece by piece by [`Buffered`](super::buffered::Buffered).
//!
//! An attacker who can change messages and learns whether the padding was right can decrypt. The
//! check here takes the same time wherever padding is wrong, but its answer alone is enough for
//! that attack: verify a MAC over IV and ciphertext *first*, or use an AEAD.
//!
//! ```
//! use aria_runtime::cipher::KeyIvInit;
//! use aria_runtime::modes::{Aria256CbcDec, Aria256CbcEnc};
//!
//! let (key, iv) = ([7; 32].into(), [9; 16].into());
//! let mut buffer = *b"eighteen bytes ...,.............";
//! let encrypted = Aria256CbcEnc::new(&key, &iv).encrypt_pkcs7(&mut buffer, 18)?;
//! assert_eq!(encrypted.len(), 32);
//! let plain = Aria256CbcDec::new(&key, &iv).decrypt_pkcs7(encrypted)?;
//! assert_eq!(plain, b"eighteen bytes ...");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use cipher::InOutBuf;
use cipher::consts::U16;

use super::cipher::{
    BulkDecrypt, BulkEncrypt, Permute, Work, add, decrypting, encrypting, in_pieces,
};
use super::driver::{Blockwise, block_mode};
use super::error::Error;
use super::pkcs7;
use crate::Block;
use crate::bulk::in_place;
use crate::wiped::Wiped;

/// CBC encryption.
#[derive(Clone)]
pub struct Encryptor<C: BulkEncrypt> {
    pub(super) cipher: C,
    pub(super) chain: Wiped<u8, 1>,
}

/// CBC decryption.
#[derive(Clone)]
pub struct Decryptor<C: BulkDecrypt> {
    pub(super) cipher: C,
    pub(super) chain: Wiped<u8, 1>,
}

block_mode!(
    Encryptor: BulkEncrypt, U16, "cbc::Encryptor",
    BlockModeEncrypt::encrypt_with_backend(BlockModeEncClosure),
    encrypt_blocks_inout, encrypt_blocks, encrypt_blocks_b2b
);

block_mode!(
    Decryptor: BulkDecrypt, U16, "cbc::Decryptor",
    BlockModeDecrypt::decrypt_with_backend(BlockModeDecClosure),
    decrypt_blocks_inout, decrypt_blocks, decrypt_blocks_b2b
);

impl<C: BulkEncrypt> Blockwise for Encryptor<C> {
    type Size = U16;

    fn blocks(&mut self, blocks: InOutBuf<'_, '_, Block>) {
        encrypt(&self.cipher, &mut self.chain[0], blocks);
    }
}

impl<C: BulkDecrypt> Blockwise for Decryptor<C> {
    type Size = U16;

    fn blocks(&mut self, blocks: InOutBuf<'_, '_, Block>) {
        decrypt(&self.cipher, &mut self.chain[0], blocks);
    }
}

impl<C: BulkEncrypt> Encryptor<C> {
    /// Pads the first `length` bytes of `buffer`, encrypts them in place, and returns the result,
    /// which is 1 to 16 bytes longer.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] if the buffer is too short for that.
    pub fn encrypt_pkcs7(mut self, buffer: &mut [u8], length: usize) -> Result<&mut [u8], Error> {
        let needed = pkcs7::padded_len(length)?;
        let given = buffer.len();
        let buffer = buffer.get_mut(..needed).ok_or(Error::Output { needed, given })?;
        let (blocks, _) = buffer.as_chunks_mut();
        if let Some(last) = blocks.last_mut() {
            pkcs7::pad(last, length % 16);
        }
        self.blocks(in_place(blocks));
        Ok(buffer)
    }

    /// Pads and encrypts `message` to the first bytes of `output`, and returns those.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] if the output is too short.
    pub fn encrypt_pkcs7_b2b<'o>(
        self,
        message: &[u8],
        output: &'o mut [u8],
    ) -> Result<&'o mut [u8], Error> {
        let needed = pkcs7::padded_len(message.len())?;
        let given = output.len();
        let output = output.get_mut(..needed).ok_or(Error::Output { needed, given })?;
        output[..message.len()].copy_from_slice(message);
        self.encrypt_pkcs7(output, message.len())
    }
}

impl<C: BulkDecrypt> Decryptor<C> {
    /// Decrypts all of `buffer` in place and returns it without its padding.
    ///
    /// # Errors
    ///
    /// [`Error::Short`] or [`Error::Ragged`] if the buffer is not one or more whole blocks, and
    /// then it is not touched; [`Error::Padding`] if the padding is wrong, and then it is cleared.
    /// The time it takes to find that out is the same whatever is wrong with the padding.
    pub fn decrypt_pkcs7(mut self, buffer: &mut [u8]) -> Result<&mut [u8], Error> {
        let bytes = buffer.len();
        pkcs7::check_padded_len(bytes)?;
        let (blocks, _) = buffer.as_chunks_mut();
        self.blocks(in_place(blocks));
        match blocks.last().and_then(pkcs7::unpad) {
            Some(rest) => Ok(&mut buffer[..bytes - 16 + rest]),
            None => {
                buffer.fill(0);
                Err(Error::Padding)
            }
        }
    }

    /// Decrypts `message` to the first bytes of `output`, and returns those without padding.
    ///
    /// # Errors
    ///
    /// As [`Decryptor::decrypt_pkcs7`], and [`Error::Output`] if the output is shorter than the
    /// message.
    pub fn decrypt_pkcs7_b2b<'o>(
        self,
        message: &[u8],
        output: &'o mut [u8],
    ) -> Result<&'o mut [u8], Error> {
        let (needed, given) = (message.len(), output.len());
        pkcs7::check_padded_len(needed)?;
        let output = output.get_mut(..needed).ok_or(Error::Output { needed, given })?;
        output.copy_from_slice(message);
        self.decrypt_pkcs7(output)
    }
}

/// Encrypts blocks; `chain` is the ciphertext block before them, and becomes the last of them.
pub(super) fn encrypt<C: BulkEncrypt>(
    cipher: &C,
    chain: &mut [u8; 16],
    mut blocks: InOutBuf<'_, '_, Block>,
) {
    let done = cipher.fused_cbc_encrypt(chain.into(), blocks.reborrow());
    let (_, blocks) = blocks.split_at(done);
    if !blocks.is_empty() {
        encrypting(cipher, Encryption { chain, blocks });
    }
}

/// Decrypts blocks; `chain` is the ciphertext block before them, and becomes the last of them.
pub(super) fn decrypt<C: BulkDecrypt>(
    cipher: &C,
    chain: &mut [u8; 16],
    mut blocks: InOutBuf<'_, '_, Block>,
) {
    let done = cipher.fused_cbc_decrypt(chain.into(), blocks.reborrow());
    let (_, blocks) = blocks.split_at(done);
    if !blocks.is_empty() {
        decrypting(cipher, Decryption { chain, blocks });
    }
}

/// Encrypts one block after the other.
struct Encryption<'a, 'i, 'o> {
    chain: &'a mut [u8; 16],
    blocks: InOutBuf<'i, 'o, Block>,
}

impl Work for Encryption<'_, '_, '_> {
    #[inline(always)]
    fn run(self, cipher: &impl Permute) {
        let chain: &mut Block = self.chain.into();
        for mut block in self.blocks {
            add(&mut chain.0, &block.get_in().0);
            cipher.in_place(chain);
            *block.get_out() = *chain;
        }
    }
}

/// Decrypts in batches.
struct Decryption<'a, 'i, 'o> {
    chain: &'a mut [u8; 16],
    blocks: InOutBuf<'i, 'o, Block>,
}

impl Work for Decryption<'_, '_, '_> {
    #[inline(always)]
    fn run(self, cipher: &impl Permute) {
        let blocks = self.blocks.len();
        in_pieces!(self, cipher, blocks);
    }
}

impl Decryption<'_, '_, '_> {
    #[inline(always)]
    fn in_pieces<const N: usize>(self, cipher: &impl Permute) {
        let Self { chain, mut blocks } = self;
        let mut buffer = Wiped::<u8, N>::zero();
        let buffer = Block::cast_slice_from_core_mut(&mut buffer[..]);
        while !blocks.is_empty() {
            let count = blocks.len().min(N);
            let (mut now, later) = blocks.split_at(count);
            let decrypted = &mut buffer[..count];
            let input = now.get_in();
            let last = input[count - 1];
            cipher.many(InOutBuf::new(input, decrypted).expect("both have `count` blocks"));
            // The output may be the input, so the whole input is added before any is overwritten.
            add(&mut decrypted[0].0, chain);
            for (to, from) in decrypted[1..].iter_mut().zip(input) {
                add(&mut to.0, &from.0);
            }
            now.get_out().copy_from_slice(decrypted);
            *chain = last.0;
            blocks = later;
        }
    }
}
