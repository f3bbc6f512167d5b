//! XTS with ciphertext stealing, for storage (IEEE 1619, NIST SP 800-38E).
//!
//! A disk is encrypted in *units*, mostly sectors, of 16 bytes up to 2^20 blocks each. The number
//! of a unit enters its encryption, so that equal sectors do not look equal; the length stays the
//! same. A unit that is written again under the same number shows which of its blocks changed, and
//! one that was changed decrypts to garbage and no error: this is for disks, which have no room for
//! more. For files and messages take an AEAD.
//!
//! XTS has two keys, which must differ: [`Encryptor`] refuses equal ones. [`Decryptor`] takes them,
//! so that what others have written can be read.
//!
//! ```
//! use aria_runtime::modes::{Aria256XtsDec, Aria256XtsEnc};
//!
//! // Take all 64 bytes from a random generator.
//! let key: [u8; 64] = core::array::from_fn(|i| i as u8);
//! let mut disk = [0; 4096];
//! Aria256XtsEnc::new_from_slice(&key)?.encrypt_area(0, 512, &mut disk)?;
//!
//! // Sector 3 by itself.
//! let sector = &mut disk[3 * 512..4 * 512];
//! Aria256XtsDec::new_from_slice(&key)?.decrypt_unit(3, sector)?;
//! assert_eq!(sector, [0; 512]);
//! # Ok::<(), aria_runtime::modes::Error>(())
//! ```

mod blocks;

use core::fmt;

use cipher::{AlgorithmName, InOutBuf, Key, KeyInit};
use zeroize::ZeroizeOnDrop;

use self::blocks::{decrypt, decrypt_units, encrypt, encrypt_units};
use super::cipher::{BATCH, BulkDecrypt, BulkEncrypt};
use super::error::Error;
use crate::Block;
use crate::wiped::Wiped;

/// Bytes in the smallest unit.
pub const LEAST: usize = 16;
/// Bytes in the largest unit: 2^20 blocks (IEEE 1619, section 5.1; SP 800-38E, section 4).
pub const MOST: usize = 16 << 20;

/// XTS encryption: `C` encrypts data, under the first key, and `T` tweaks, under the second.
#[derive(Clone)]
pub struct Encryptor<C: BulkEncrypt, T: BulkEncrypt = C> {
    data: C,
    tweak: T,
}

/// XTS decryption: `C` decrypts data, under the first key, and `T` encrypts tweaks, under the
/// second.
#[derive(Clone)]
pub struct Decryptor<C: BulkDecrypt, T: BulkEncrypt> {
    data: C,
    tweak: T,
}

/// A unit that is encrypted piece by piece; see [`Encryptor::piecewise`].
#[derive(Clone)]
pub struct EncryptUnit<'a, C> {
    data: &'a C,
    /// Of the next block.
    tweak: Wiped<u8, 1>,
}

/// A unit that is decrypted piece by piece; see [`Decryptor::piecewise`].
#[derive(Clone)]
pub struct DecryptUnit<'a, C> {
    data: &'a C,
    /// Of the next block.
    tweak: Wiped<u8, 1>,
}

impl<C: BulkEncrypt, T: BulkEncrypt> Encryptor<C, T> {
    /// From two ciphers, with a key each.
    ///
    /// # Errors
    ///
    /// [`Error::EqualKeys`] if the keys are equal, which is seen from what the ciphers do.
    pub fn from_ciphers(data: C, tweak: T) -> Result<Self, Error> {
        let image = |encrypt: &dyn Fn(&mut Block)| {
            let mut block = Wiped::<u8, 1>::zero();
            encrypt((&mut block[0]).into());
            block
        };
        let a = image(&|block| data.encrypt_block(block));
        let b = image(&|block| tweak.encrypt_block(block));
        if equal(a.as_flattened(), b.as_flattened()) {
            return Err(Error::EqualKeys);
        }
        Ok(Self { data, tweak })
    }
}

impl<C: BulkEncrypt + KeyInit, T: BulkEncrypt + KeyInit> Encryptor<C, T> {
    /// From both keys.
    ///
    /// # Errors
    ///
    /// [`Error::EqualKeys`] if they are equal.
    pub fn new(data: &Key<C>, tweak: &Key<T>) -> Result<Self, Error> {
        if equal(data, tweak) {
            return Err(Error::EqualKeys);
        }
        Ok(Self { data: C::new(data), tweak: T::new(tweak) })
    }

    /// From both keys, one after the other.
    ///
    /// # Errors
    ///
    /// [`Error::KeyLength`] if the length is not that of two keys, [`Error::EqualKeys`] if they
    /// are equal.
    pub fn new_from_slice(keys: &[u8]) -> Result<Self, Error> {
        let (data, tweak) = split::<C, T>(keys)?;
        Self::new(data, tweak)
    }
}

impl<C: BulkDecrypt, T: BulkEncrypt> Decryptor<C, T> {
    /// From two ciphers, with a key each. Equal keys are not refused.
    pub fn from_ciphers(data: C, tweak: T) -> Self {
        Self { data, tweak }
    }
}

impl<C: BulkDecrypt + KeyInit, T: BulkEncrypt + KeyInit> Decryptor<C, T> {
    /// From both keys. Equal ones are not refused.
    pub fn new(data: &Key<C>, tweak: &Key<T>) -> Self {
        Self { data: C::new(data), tweak: T::new(tweak) }
    }

    /// From both keys, one after the other. Equal ones are not refused.
    ///
    /// # Errors
    ///
    /// [`Error::KeyLength`] if the length is not that of two keys.
    pub fn new_from_slice(keys: &[u8]) -> Result<Self, Error> {
        let (data, tweak) = split::<C, T>(keys)?;
        Ok(Self::new(data, tweak))
    }
}

/// The two keys.
fn split<C: KeyInit, T: KeyInit>(keys: &[u8]) -> Result<(&Key<C>, &Key<T>), Error> {
    let error = Error::KeyLength { bytes: keys.len() };
    let (data, tweak) = keys.split_at_checked(C::key_size()).ok_or(error)?;
    let data = data.try_into().map_err(|_| error)?;
    Ok((data, tweak.try_into().map_err(|_| error)?))
}

/// Whether two keys are equal, in a time that tells nothing else.
fn equal(a: &[u8], b: &[u8]) -> bool {
    let differences = a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b));
    a.len() == b.len() && core::hint::black_box(differences) == 0
}

/// The methods of a direction, and what can be told about it.
macro_rules! direction {
    ($mode:ident: $bound:ident, $name:literal, $verb:literal, $process:ident, $units:ident;
     $unit:ident, $unit_b2b:ident, $unit_inout:ident, $area:ident, $piecewise:ident) => {
        impl<C: $bound, T: BulkEncrypt> $mode<C, T> {
            #[doc = concat!($verb, " a unit in place. `unit` is its number or, seen as sixteen ",
                                "little-endian bytes, any other tweak.")]
            ///
            /// # Errors
            ///
            /// [`Error::Short`] below 16 bytes, [`Error::Long`] above 2^20 blocks.
            pub fn $unit(&self, unit: u128, data: &mut [u8]) -> Result<(), Error> {
                self.$unit_inout(unit, data.into())
            }

            #[doc = concat!($verb, " a unit from `input` to the first bytes of `output`.")]
            ///
            /// # Errors
            ///
            #[doc = concat!("As [`", stringify!($mode), "::", stringify!($unit), "`], and ",
                                "[`Error::Output`] if the output is shorter than the input.")]
            pub fn $unit_b2b(
                &self,
                unit: u128,
                input: &[u8],
                output: &mut [u8],
            ) -> Result<(), Error> {
                self.$unit_inout(unit, super::b2b(input, output)?)
            }

            #[doc = concat!($verb, " a unit.")]
            ///
            /// # Errors
            ///
            #[doc = concat!("As [`", stringify!($mode), "::", stringify!($unit), "`].")]
            pub fn $unit_inout(&self, unit: u128, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
                check_unit(data.len())?;
                let mut tweak = Wiped::<u8, 1>::zero();
                self.start(unit, &mut tweak[0]);
                $process(&self.data, &mut tweak[0], data);
                Ok(())
            }

            /// A unit that comes in pieces, for [`Buffered`](super::buffered::Buffered).
            #[must_use]
            pub fn piecewise(&self, unit: u128) -> $piecewise<'_, C> {
                let mut piecewise = $piecewise { data: &self.data, tweak: Wiped::zero() };
                self.start(unit, &mut piecewise.tweak[0]);
                piecewise
            }

            /// The tweak of a unit's first block.
            fn start(&self, unit: u128, tweak: &mut [u8; 16]) {
                *tweak = unit.to_le_bytes();
                self.tweak.encrypt_block(tweak.into());
            }

            #[doc = concat!($verb, " consecutive units of `unit_bytes` each, numbered from ",
                                "`first`, in place. The last may be shorter.")]
            ///
            /// # Errors
            ///
            /// [`Error::Short`] or [`Error::Long`] if a unit, the last one included, has not 16
            /// bytes to 2^20 blocks.
            pub fn $area(
                &self,
                first: u128,
                unit_bytes: usize,
                area: &mut [u8],
            ) -> Result<(), Error> {
                check_unit(unit_bytes)?;
                let last = area.len() % unit_bytes;
                if last != 0 {
                    check_unit(last)?;
                }
                let mut number = first;
                let mut tweaks = Wiped::<u8, BATCH>::zero();
                for units in area.chunks_mut(unit_bytes.saturating_mul(BATCH)) {
                    let tweaks = &mut tweaks[..units.len().div_ceil(unit_bytes)];
                    for tweak in tweaks.iter_mut() {
                        *tweak = number.to_le_bytes();
                        number = number.wrapping_add(1);
                    }
                    self.tweak.encrypt_blocks(Block::cast_slice_from_core_mut(tweaks));
                    // Units shorter than a batch go together as far as they are whole.
                    let together = match unit_bytes {
                        _ if unit_bytes % 16 != 0 || unit_bytes >= 16 * BATCH => 0,
                        _ => units.len() / unit_bytes,
                    };
                    let (row, units) = units.split_at_mut(together * unit_bytes);
                    let (row_tweaks, tweaks) = tweaks.split_at_mut(together);
                    if !row.is_empty() {
                        $units(&self.data, row_tweaks, unit_bytes / 16, row);
                    }
                    for (unit, tweak) in units.chunks_mut(unit_bytes).zip(tweaks) {
                        $process(&self.data, tweak, unit.into());
                    }
                }
                Ok(())
            }
        }

        impl<C: $bound> $piecewise<'_, C> {
            /// The next blocks.
            pub(super) fn whole_blocks(&mut self, blocks: &mut [[u8; 16]]) {
                $process(self.data, &mut self.tweak[0], blocks.as_flattened_mut().into());
            }

            /// The last 16 to 32 bytes.
            pub(super) fn ending(&mut self, data: InOutBuf<'_, '_, u8>) {
                $process(self.data, &mut self.tweak[0], data);
            }
        }

        impl<C: $bound + AlgorithmName> fmt::Debug for $piecewise<'_, C> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!($name, "<"))?;
                C::write_alg_name(f)?;
                f.write_str("> { one unit }")
            }
        }

        impl<C: $bound + AlgorithmName, T: BulkEncrypt> AlgorithmName for $mode<C, T> {
            fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!($name, "<"))?;
                C::write_alg_name(f)?;
                f.write_str(">")
            }
        }

        impl<C: $bound + AlgorithmName, T: BulkEncrypt> fmt::Debug for $mode<C, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                Self::write_alg_name(f)?;
                f.write_str(" { ... }")
            }
        }

        impl<C, T> ZeroizeOnDrop for $mode<C, T>
        where
            C: $bound + ZeroizeOnDrop,
            T: BulkEncrypt + ZeroizeOnDrop,
        {
        }
    };
}

direction!(
    Encryptor: BulkEncrypt, "xts::Encryptor", "Encrypts", encrypt, encrypt_units;
    encrypt_unit, encrypt_unit_b2b, encrypt_unit_inout, encrypt_area, EncryptUnit
);
direction!(
    Decryptor: BulkDecrypt, "xts::Decryptor", "Decrypts", decrypt, decrypt_units;
    decrypt_unit, decrypt_unit_b2b, decrypt_unit_inout, decrypt_area, DecryptUnit
);

/// Whether a unit may have so many bytes.
fn check_unit(bytes: usize) -> Result<(), Error> {
    if bytes < LEAST {
        return Err(Error::Short { bytes: bytes as u64, least: LEAST as u64 });
    }
    if bytes > MOST {
        return Err(Error::Long { bytes: bytes as u64, most: MOST as u64 });
    }
    Ok(())
}
