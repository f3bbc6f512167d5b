//! The cipher types: what they hold, how they are made, and the bulk methods.
//!
//! The traits of the `cipher` crate are implemented in the module below this one; all work is done
//! by `engine`.

mod traits;

#[cfg(feature = "modes")]
use aria_kernels::Frame;
use cipher::{InvalidLength, Key, KeyInit, KeySizeUser};

use crate::bulk::{self, LengthError};
#[cfg(feature = "modes")]
use crate::chained;
use crate::ctr;
use crate::engine::Engine;
use crate::plans::Plans;
use crate::schedule::RoundKeys;
use crate::token::Token;

/// ARIA with `RK` round keys, for both directions.
///
/// Holds the round keys of both and the choice of kernels; [`AriaEnc`] and [`AriaDec`] are half
/// as large. Only 13, 15 and 17 round keys make a cipher: use [`Aria128`], [`Aria192`] and
/// [`Aria256`].
#[derive(Clone)]
pub struct Aria<const RK: usize> {
    ek: RoundKeys<RK>,
    dk: RoundKeys<RK>,
    plans: Plans,
}

/// ARIA with `RK` round keys, for encryption only. See [`Aria`].
#[derive(Clone)]
pub struct AriaEnc<const RK: usize> {
    ek: RoundKeys<RK>,
    plans: Plans,
}

/// ARIA with `RK` round keys, for decryption only. See [`Aria`].
#[derive(Clone)]
pub struct AriaDec<const RK: usize> {
    dk: RoundKeys<RK>,
    plans: Plans,
}

/// ARIA with a 128-bit key.
pub type Aria128 = Aria<13>;
/// ARIA with a 192-bit key.
pub type Aria192 = Aria<15>;
/// ARIA with a 256-bit key.
pub type Aria256 = Aria<17>;

/// ARIA with a 128-bit key, for encryption only.
pub type Aria128Enc = AriaEnc<13>;
/// ARIA with a 192-bit key, for encryption only.
pub type Aria192Enc = AriaEnc<15>;
/// ARIA with a 256-bit key, for encryption only.
pub type Aria256Enc = AriaEnc<17>;

/// ARIA with a 128-bit key, for decryption only.
pub type Aria128Dec = AriaDec<13>;
/// ARIA with a 192-bit key, for decryption only.
pub type Aria192Dec = AriaDec<15>;
/// ARIA with a 256-bit key, for decryption only.
pub type Aria256Dec = AriaDec<17>;

/// The constructors that take a token; `$new` makes the cipher of a key and a token.
macro_rules! constructors {
    ($cipher:ident, $new:expr) => {
        impl<const RK: usize> $cipher<RK>
        where
            Self: KeySizeUser,
        {
            /// A cipher that runs what `token` permits.
            #[must_use]
            pub fn new_with_token(key: &Key<Self>, token: Token) -> Self {
                $new(key.as_slice(), token)
            }

            /// A cipher that runs what `token` permits.
            ///
            /// # Errors
            ///
            /// [`InvalidLength`] if the key does not have 16, 24 or 32 bytes, as the type demands.
            pub fn new_from_slice_with_token(
                key: &[u8],
                token: Token,
            ) -> Result<Self, InvalidLength> {
                let key = <&Key<Self>>::try_from(key).map_err(|_| InvalidLength)?;
                Ok(Self::new_with_token(key, token))
            }
        }

        impl<const RK: usize> KeyInit for $cipher<RK>
        where
            Self: KeySizeUser,
        {
            fn new(key: &Key<Self>) -> Self {
                Self::new_with_token(key, Token::detect())
            }
        }
    };
}

constructors!(Aria, |key, token| {
    let plans = Plans::of(token);
    let mut new = Self { ek: RoundKeys::zero(), dk: RoundKeys::zero(), plans };
    new.ek.fill(Some(&mut new.dk), key, plans.key_schedule());
    plans.kept().make(&mut new.ek);
    plans.kept().make(&mut new.dk);
    new
});
constructors!(AriaEnc, |key, token| {
    let plans = Plans::of(token);
    let mut new = Self { ek: RoundKeys::zero(), plans };
    new.ek.fill(None, key, plans.key_schedule());
    plans.kept().make(&mut new.ek);
    new
});
constructors!(AriaDec, |key, token| {
    let plans = Plans::of(token);
    let mut new = Self { dk: RoundKeys::zero(), plans };
    RoundKeys::zero().fill(Some(&mut new.dk), key, plans.key_schedule());
    plans.kept().make(&mut new.dk);
    new
});

impl<const RK: usize> AriaEnc<RK> {
    /// Makes `dk` the round keys of decryption, kept as those of encryption are.
    fn fill_decryption_keys(&self, dk: &mut RoundKeys<RK>) {
        let kept = self.plans.kept();
        let mut ek = self.ek.clone();
        kept.undo(&mut ek);
        dk.invert(&ek);
        kept.make(dk);
    }
}

impl<const RK: usize> From<&AriaEnc<RK>> for AriaDec<RK> {
    fn from(enc: &AriaEnc<RK>) -> Self {
        let mut new = Self { dk: RoundKeys::zero(), plans: enc.plans };
        enc.fill_decryption_keys(&mut new.dk);
        new
    }
}

impl<const RK: usize> From<AriaEnc<RK>> for AriaDec<RK> {
    fn from(enc: AriaEnc<RK>) -> Self {
        Self::from(&enc)
    }
}

impl<const RK: usize> From<&AriaEnc<RK>> for Aria<RK> {
    fn from(enc: &AriaEnc<RK>) -> Self {
        Self::from(enc.clone())
    }
}

impl<const RK: usize> From<AriaEnc<RK>> for Aria<RK> {
    fn from(enc: AriaEnc<RK>) -> Self {
        let mut dk = RoundKeys::zero();
        enc.fill_decryption_keys(&mut dk);
        Self { dk, ek: enc.ek, plans: enc.plans }
    }
}

/// The bulk methods of one direction.
macro_rules! bulk_methods {
    ($cipher:ident, $keys:ident, $verb:literal, $in_place:ident, $b2b:ident) => {
        impl<const RK: usize> $cipher<RK> {
            #[doc = concat!($verb, " any number of blocks in place, at any alignment.")]
            ///
            /// Same as the trait's method on blocks of its own type; see the [crate's
            /// documentation](crate#bulk-methods) on the names.
            pub fn $in_place(&self, blocks: &mut [[u8; 16]]) {
                Engine::with(&self.$keys, self.plans, |engine| {
                    engine.crypt(bulk::in_place(blocks));
                });
            }

            #[doc = concat!($verb, " the blocks of `input` to the first blocks of `output`.")]
            ///
            /// An output longer than the input is allowed; the blocks beyond are not touched.
            ///
            /// # Errors
            ///
            /// [`LengthError`] if the output is shorter than the input; nothing is written then.
            pub fn $b2b(
                &self,
                input: &[[u8; 16]],
                output: &mut [[u8; 16]],
            ) -> Result<(), LengthError> {
                let blocks = bulk::buffer_to_buffer(input, output)?;
                Engine::with(&self.$keys, self.plans, |engine| engine.crypt(blocks));
                Ok(())
            }
        }
    };
}

bulk_methods!(Aria, ek, "Encrypts", encrypt_bulk, encrypt_bulk_b2b);
bulk_methods!(AriaEnc, ek, "Encrypts", encrypt_bulk, encrypt_bulk_b2b);
bulk_methods!(Aria, dk, "Decrypts", decrypt_bulk, decrypt_bulk_b2b);
bulk_methods!(AriaDec, dk, "Decrypts", decrypt_bulk, decrypt_bulk_b2b);

/// The bulk methods by an assembled kernel.
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
macro_rules! assembled_methods {
    ($cipher:ident, $keys:ident, $verb:literal, $in_place:ident) => {
        impl<const RK: usize> $cipher<RK> {
            #[doc = concat!($verb, " any number of blocks in place, by this kernel whatever the")]
            /// planner would choose. A last batch that is not full is padded.
            pub fn $in_place(&self, kernel: &crate::jit::Kernel, blocks: &mut [[u8; 16]]) {
                kernel.crypt(&self.$keys, self.plans, bulk::in_place(blocks));
            }
        }
    };
}

#[cfg(all(feature = "jit", target_arch = "x86_64"))]
mod assembled {
    use super::{Aria, AriaDec, AriaEnc, bulk};

    assembled_methods!(Aria, ek, "Encrypts", encrypt_bulk_by);
    assembled_methods!(AriaEnc, ek, "Encrypts", encrypt_bulk_by);
    assembled_methods!(Aria, dk, "Decrypts", decrypt_bulk_by);
    assembled_methods!(AriaDec, dk, "Decrypts", decrypt_bulk_by);
}

/// Counter mode, which both directions do by encryption.
macro_rules! counter_mode {
    ($cipher:ident) => {
        impl<const RK: usize> $cipher<RK> {
            /// Adds the keystream of counter mode to any number of blocks in place, at any
            /// alignment, and returns the counter that comes after the last block.
            ///
            /// Block number i is added the image of `counter` + i modulo 2¹²⁸, as a number whose most
            /// significant byte comes first (NIST SP 800-38A, section 6.5, appendix B.1). The counters
            /// under one key must all be different.
            pub fn ctr_bulk(&self, counter: u128, blocks: &mut [[u8; 16]]) -> u128 {
                ctr::crypt(&self.ek, self.plans, counter, bulk::in_place(blocks))
            }

            /// The same from the blocks of `input` to the first blocks of `output`.
            ///
            /// An output longer than the input is allowed; the blocks beyond are not touched.
            ///
            /// # Errors
            ///
            /// [`LengthError`] if the output is shorter than the input; nothing is written then.
            pub fn ctr_bulk_b2b(
                &self,
                counter: u128,
                input: &[[u8; 16]],
                output: &mut [[u8; 16]],
            ) -> Result<u128, LengthError> {
                let blocks = bulk::buffer_to_buffer(input, output)?;
                Ok(ctr::crypt(&self.ek, self.plans, counter, blocks))
            }

            /// The same by kernels of counter mode, if there are any: returns how many blocks were
            /// done, all or none.
            #[cfg(feature = "modes")]
            pub(crate) fn ctr_fused(
                &self,
                counter: u128,
                blocks: cipher::InOutBuf<'_, '_, crate::Block>,
            ) -> usize {
                let count = blocks.len();
                if self.plans.moves(Frame::Ctr, count).is_none() {
                    return 0;
                }
                ctr::crypt(&self.ek, self.plans, counter, blocks);
                count
            }
        }
    };
}

counter_mode!(Aria);
counter_mode!(AriaEnc);

/// Decryption of chained modes, by kernels that have it built in: each returns how many blocks were
/// done, all or none.
#[cfg(feature = "modes")]
macro_rules! chained_mode {
    ($cipher:ident, $keys:ident, $name:ident, $mode:ident) => {
        impl<const RK: usize> $cipher<RK> {
            /// See [`chained::decrypt`].
            pub(crate) fn $name(
                &self,
                iv: &mut crate::Block,
                blocks: cipher::InOutBuf<'_, '_, crate::Block>,
            ) -> usize {
                chained::decrypt(&self.$keys, self.plans, chained::Mode::$mode, iv, blocks)
            }
        }
    };
}

#[cfg(feature = "modes")]
mod chained_modes {
    use super::{Aria, AriaDec, AriaEnc, chained};

    chained_mode!(Aria, dk, cbc_fused, Cbc);
    chained_mode!(AriaDec, dk, cbc_fused, Cbc);
    chained_mode!(Aria, ek, cfb_fused, Cfb);
    chained_mode!(AriaEnc, ek, cfb_fused, Cfb);
}

/// Encryption by cipher block chaining.
#[cfg(feature = "modes")]
macro_rules! chaining_mode {
    ($cipher:ident) => {
        impl<const RK: usize> $cipher<RK> {
            /// See [`chain::encrypt`](crate::chain::encrypt).
            pub(crate) fn cbc_encrypt_fused(
                &self,
                iv: &mut crate::Block,
                blocks: cipher::InOutBuf<'_, '_, crate::Block>,
            ) -> usize {
                crate::chain::encrypt(&self.ek, self.plans, iv, blocks)
            }
        }
    };
}

#[cfg(feature = "modes")]
chaining_mode!(Aria);
#[cfg(feature = "modes")]
chaining_mode!(AriaEnc);

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 5794, appendix A.2, through the types of one direction and every conversion.
    #[test]
    fn types_of_one_direction_and_conversions() {
        let key: [u8; 24] = core::array::from_fn(|i| u8::try_from(i).unwrap());
        let key = key.into();
        let plain = [0x0011_2233_4455_6677_8899_aabb_ccdd_eeff_u128.to_be_bytes(); 3];
        let encrypted = [0x2644_9c18_05db_e7aa_25a4_68ce_263a_9e79_u128.to_be_bytes(); 3];

        let enc = Aria192Enc::new(&key);
        let mut blocks = plain;
        enc.encrypt_bulk(&mut blocks);
        assert_eq!(blocks, encrypted);

        for dec in [Aria192Dec::new(&key), Aria192Dec::from(&enc), Aria192Dec::from(enc.clone())] {
            let mut blocks = [[0; 16]; 3];
            dec.decrypt_bulk_b2b(&encrypted, &mut blocks).unwrap();
            assert_eq!(blocks, plain);
        }
        for both in [Aria192::new(&key), Aria192::from(&enc), Aria192::from(enc)] {
            let mut blocks = plain;
            both.encrypt_bulk(&mut blocks);
            assert_eq!(blocks, encrypted);
            both.decrypt_bulk(&mut blocks);
            assert_eq!(blocks, plain);
        }
    }
}
