//! Our ciphers, by key length, with their bulk methods behind one trait.

use aria_runtime::{Aria, Aria128, Aria192, Aria256, LengthError, Token};

/// The bulk methods of a cipher of any key length.
pub trait Bulk {
    /// Encrypts in place.
    fn encrypt(&self, blocks: &mut [[u8; 16]]);

    /// Decrypts in place.
    fn decrypt(&self, blocks: &mut [[u8; 16]]);

    /// Adds the keystream of counter mode in place; returns the next counter.
    fn ctr(&self, counter: u128, blocks: &mut [[u8; 16]]) -> u128;

    /// The same from buffer to buffer.
    ///
    /// # Errors
    ///
    /// If the output is shorter than the input.
    fn ctr_b2b(
        &self,
        counter: u128,
        input: &[[u8; 16]],
        output: &mut [[u8; 16]],
    ) -> Result<u128, LengthError>;

    /// Encrypts from buffer to buffer.
    ///
    /// # Errors
    ///
    /// If the output is shorter than the input.
    fn encrypt_b2b(&self, input: &[[u8; 16]], output: &mut [[u8; 16]]) -> Result<(), LengthError>;

    /// Decrypts from buffer to buffer.
    ///
    /// # Errors
    ///
    /// If the output is shorter than the input.
    fn decrypt_b2b(&self, input: &[[u8; 16]], output: &mut [[u8; 16]]) -> Result<(), LengthError>;
}

impl<const RK: usize> Bulk for Aria<RK> {
    fn encrypt(&self, blocks: &mut [[u8; 16]]) {
        self.encrypt_bulk(blocks);
    }

    fn decrypt(&self, blocks: &mut [[u8; 16]]) {
        self.decrypt_bulk(blocks);
    }

    fn ctr(&self, counter: u128, blocks: &mut [[u8; 16]]) -> u128 {
        self.ctr_bulk(counter, blocks)
    }

    fn ctr_b2b(
        &self,
        counter: u128,
        input: &[[u8; 16]],
        output: &mut [[u8; 16]],
    ) -> Result<u128, LengthError> {
        self.ctr_bulk_b2b(counter, input, output)
    }

    fn encrypt_b2b(&self, input: &[[u8; 16]], output: &mut [[u8; 16]]) -> Result<(), LengthError> {
        self.encrypt_bulk_b2b(input, output)
    }

    fn decrypt_b2b(&self, input: &[[u8; 16]], output: &mut [[u8; 16]]) -> Result<(), LengthError> {
        self.decrypt_bulk_b2b(input, output)
    }
}

/// The cipher for this key, which runs what `token` permits.
///
/// # Panics
///
/// If the key does not have 16, 24 or 32 bytes.
#[must_use]
pub fn cipher(key: &[u8], token: Token) -> Box<dyn Bulk> {
    let made = match key.len() {
        16 => Aria128::new_from_slice_with_token(key, token).map(|cipher| Box::new(cipher) as _),
        24 => Aria192::new_from_slice_with_token(key, token).map(|cipher| Box::new(cipher) as _),
        _ => Aria256::new_from_slice_with_token(key, token).map(|cipher| Box::new(cipher) as _),
    };
    made.expect("an ARIA key has 16, 24 or 32 bytes")
}
