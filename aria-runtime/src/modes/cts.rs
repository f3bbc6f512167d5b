//! CBC with ciphertext stealing (addendum to NIST SP 800-38A): any length from a block up, and no
//! padding.
//!
//! Three variants differ in the order of the last two blocks: [`Cs1`] keeps it, [`Cs3`], which is
//! Kerberos' (RFC 3962, RFC 6803), always swaps, and [`Cs2`] swaps unless the message is whole
//! blocks. A message of one block is encrypted as by CBC in all three.
//!
//! What [`cbc`] says of IVs and of changed messages holds here.
//!
//! ```
//! use aria_runtime::cipher::KeyIvInit;
//! use aria_runtime::modes::{Aria128Cs3Dec, Aria128Cs3Enc};
//!
//! let (key, iv) = ([7; 16].into(), [9; 16].into());
//! let mut message = *b"a column of 21 bytes.";
//! Aria128Cs3Enc::new(&key, &iv).encrypt(&mut message)?;
//! Aria128Cs3Dec::new(&key, &iv).decrypt(&mut message)?;
//! assert_eq!(&message, b"a column of 21 bytes.");
//! # Ok::<(), aria_runtime::modes::Error>(())
//! ```

use core::marker::PhantomData;

use cipher::common::{InnerUser, IvSizeUser};
use cipher::consts::U16;
use cipher::{InOutBuf, InnerIvInit, Iv};

use super::cbc;
use super::cipher::{BulkDecrypt, BulkEncrypt, Permute, Work, add, decrypting, encrypting};
use super::describe::describe;
use super::error::Error;
use crate::bulk::in_place;
use crate::wiped::Wiped;

/// In which order the last two blocks of ciphertext stand, as a type.
pub trait Variant: sealed::Sealed + Clone {
    /// Whether they are swapped in a message whose last block has so many bytes, 1 to 16.
    #[doc(hidden)]
    fn swaps(last: usize) -> bool;
    /// Name.
    #[doc(hidden)]
    const NAME: &'static str;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Cs1 {}
    impl Sealed for super::Cs2 {}
    impl Sealed for super::Cs3 {}
}

/// CBC-CS1: as CBC has them.
#[derive(Clone, Copy, Debug)]
pub enum Cs1 {}

/// CBC-CS2: swapped unless the last block is whole.
#[derive(Clone, Copy, Debug)]
pub enum Cs2 {}

/// CBC-CS3: swapped.
#[derive(Clone, Copy, Debug)]
pub enum Cs3 {}

impl Variant for Cs1 {
    fn swaps(_: usize) -> bool {
        false
    }
    const NAME: &'static str = "cts::Cs1";
}

impl Variant for Cs2 {
    fn swaps(last: usize) -> bool {
        last < 16
    }
    const NAME: &'static str = "cts::Cs2";
}

impl Variant for Cs3 {
    fn swaps(_: usize) -> bool {
        true
    }
    const NAME: &'static str = "cts::Cs3";
}

/// Encryption of one message.
#[derive(Clone)]
pub struct Encryptor<C: BulkEncrypt, V: Variant> {
    pub(super) cipher: C,
    pub(super) chain: Wiped<u8, 1>,
    variant: PhantomData<V>,
}

/// Decryption of one message.
#[derive(Clone)]
pub struct Decryptor<C: BulkDecrypt, V: Variant> {
    pub(super) cipher: C,
    pub(super) chain: Wiped<u8, 1>,
    variant: PhantomData<V>,
}

describe!(Encryptor[C: BulkEncrypt, V: Variant]; V::NAME);
describe!(Decryptor[C: BulkDecrypt, V: Variant]; V::NAME);

/// The traits to make a mode, and its methods.
macro_rules! direction {
    ($mode:ident: $bound:ident, $verb:literal, $with:ident, $ending:ident, $blocks:ident;
     $in_place:ident, $b2b:ident, $inout:ident) => {
        impl<C: $bound, V: Variant> InnerUser for $mode<C, V> {
            type Inner = C;
        }

        impl<C: $bound, V: Variant> IvSizeUser for $mode<C, V> {
            type IvSize = U16;
        }

        impl<C: $bound, V: Variant> InnerIvInit for $mode<C, V> {
            fn inner_iv_init(cipher: C, iv: &Iv<Self>) -> Self {
                let mut chain = Wiped::zero();
                chain[0] = iv.0;
                Self { cipher, chain, variant: PhantomData }
            }
        }

        impl<C: $bound, V: Variant> $mode<C, V> {
            #[doc = concat!($verb, " a message in place.")]
            ///
            /// # Errors
            ///
            /// [`Error::Short`] below 16 bytes.
            pub fn $in_place(self, message: &mut [u8]) -> Result<(), Error> {
                self.$inout(message.into())
            }

            #[doc = concat!($verb, " a message from `input` to the first bytes of `output`.")]
            ///
            /// # Errors
            ///
            /// [`Error::Short`] below 16 bytes, [`Error::Output`] if the output is shorter than
            /// the input.
            pub fn $b2b(self, input: &[u8], output: &mut [u8]) -> Result<(), Error> {
                self.$inout(super::b2b(input, output)?)
            }

            #[doc = concat!($verb, " a message.")]
            ///
            /// # Errors
            ///
            /// [`Error::Short`] below 16 bytes.
            pub fn $inout(mut self, message: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
                if message.len() < 16 {
                    return Err(Error::Short { bytes: message.len() as u64, least: 16 });
                }
                let body = message.len().saturating_sub(17) / 16 * 16;
                let (body, ending) = message.split_at(body);
                cbc::$blocks(&self.cipher, &mut self.chain[0], body.into_chunks().0);
                self.ending(ending);
                Ok(())
            }

            /// The next blocks of the message, which are not the last.
            pub(super) fn whole_blocks(&mut self, blocks: &mut [[u8; 16]]) {
                cbc::$blocks(&self.cipher, &mut self.chain[0], in_place(blocks));
            }

            /// The last 16 to 32 bytes of a message; 16 only if these are all.
            pub(super) fn ending(&mut self, data: InOutBuf<'_, '_, u8>) {
                let swaps = V::swaps((data.len() - 1) % 16 + 1);
                $with(&self.cipher, $ending { chain: &mut self.chain[0], data, swaps });
            }
        }
    };
}

direction!(
    Encryptor: BulkEncrypt, "Encrypts", encrypting, EncryptEnding, encrypt;
    encrypt, encrypt_b2b, encrypt_inout
);
direction!(
    Decryptor: BulkDecrypt, "Decrypts", decrypting, DecryptEnding, decrypt;
    decrypt, decrypt_b2b, decrypt_inout
);

/// The last 16 to 32 bytes of plaintext.
struct EncryptEnding<'a, 'i, 'o> {
    chain: &'a mut [u8; 16],
    data: InOutBuf<'i, 'o, u8>,
    swaps: bool,
}

impl Work for EncryptEnding<'_, '_, '_> {
    #[inline(always)]
    fn run(mut self, cipher: &impl Permute) {
        let length = self.data.len();
        // The plaintext, padded with zeros, and then the ciphertext of both blocks.
        let mut buffer = Wiped::<u8, 2>::zero();
        buffer.as_flattened_mut()[..length].copy_from_slice(self.data.get_in());
        let [first, last] = &mut *buffer;
        add(first, self.chain);
        cipher.in_place(first.into());
        let output = self.data.get_out();
        if length == 16 {
            output.copy_from_slice(first);
            return;
        }
        add(last, first);
        cipher.in_place(last.into());
        let stolen = &first[..length - 16];
        if self.swaps {
            output[..16].copy_from_slice(last);
            output[16..].copy_from_slice(stolen);
        } else {
            output[..length - 16].copy_from_slice(stolen);
            output[length - 16..].copy_from_slice(last);
        }
    }
}

/// The last 16 to 32 bytes of ciphertext.
struct DecryptEnding<'a, 'i, 'o> {
    chain: &'a mut [u8; 16],
    data: InOutBuf<'i, 'o, u8>,
    swaps: bool,
}

impl Work for DecryptEnding<'_, '_, '_> {
    #[inline(always)]
    fn run(mut self, cipher: &impl Permute) {
        let length = self.data.len();
        let mut buffer = Wiped::<u8, 2>::zero();
        let [first, last] = &mut *buffer;
        let input = self.data.get_in();
        if length == 16 {
            first.copy_from_slice(input);
            cipher.in_place((&mut *first).into());
            add(first, self.chain);
            self.data.get_out().copy_from_slice(first);
            return;
        }
        let rest = length - 16;
        let (whole, stolen) = match self.swaps {
            true => input.split_at(16),
            false => {
                let (stolen, whole) = input.split_at(rest);
                (whole, stolen)
            }
        };
        // Decrypted, the whole block is the last of the plaintext, padded with zeros, plus the
        // block before it; so its end is what was cut off from that one.
        last.copy_from_slice(whole);
        first[..rest].copy_from_slice(stolen);
        cipher.in_place((&mut *last).into());
        first[rest..].copy_from_slice(&last[rest..]);
        add(last, first);
        cipher.in_place((&mut *first).into());
        add(first, self.chain);
        self.data.get_out().copy_from_slice(&buffer.as_flattened()[..length]);
    }
}
