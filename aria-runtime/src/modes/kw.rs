//! Key wrap, KW (NIST SP 800-38F, RFC 3394) and KWP, which pads (RFC 5649): for keys under keys.
//!
//! Both hide a key and notice if it was changed, without an IV, so that wrapping the same key twice
//! gives the same result; that is meant for keys, which are random, and for nothing else. They
//! cost twelve cipher calls for each 16 bytes. KW takes multiples of 8 bytes from 16 up, KWP any
//! length from 1 byte. Each result is its own: KW does not unwrap what KWP wrapped.
//!
//! ```
//! use aria_runtime::cipher::KeyInit;
//! use aria_runtime::modes::Aria256Kw;
//!
//! let kek = Aria256Kw::new(&[7; 32].into());
//! let mut wrapped = [0; 40];
//! kek.wrap(&[9; 32], &mut wrapped)?;
//! let mut key = [0; 32];
//! kek.unwrap(&wrapped, &mut key)?;
//! assert_eq!(key, [9; 32]);
//! # Ok::<(), aria_runtime::modes::Error>(())
//! ```

use cipher::common::{InnerInit, InnerUser};

use super::cipher::{BulkDecrypt, BulkEncrypt, Permute, Work, decrypting, encrypting};
use super::error::Error;
use crate::Block;
use crate::wiped::Wiped;

/// ICV1 of SP 800-38F, the initial value of RFC 3394, section 2.2.3.
const ICV1: [u8; 8] = [0xa6; 8];
/// ICV2 of SP 800-38F, the first half of the alternative initial value of RFC 5649, section 3.
const ICV2: [u8; 4] = [0xa6, 0x59, 0x59, 0xa6];
/// Bytes that wrapping adds, besides padding.
pub const OVERHEAD: usize = 8;

/// KW over the cipher `C`.
#[derive(Clone)]
pub struct Kw<C>(C);

/// KWP over the cipher `C`.
#[derive(Clone)]
pub struct Kwp<C>(C);

macro_rules! common {
    ($mode:ident, $name:literal) => {
        impl<C> InnerUser for $mode<C> {
            type Inner = C;
        }

        impl<C> InnerInit for $mode<C> {
            fn inner_init(cipher: C) -> Self {
                Self(cipher)
            }
        }

        impl<C: cipher::AlgorithmName> cipher::AlgorithmName for $mode<C> {
            fn write_alg_name(f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!($name, "<"))?;
                C::write_alg_name(f)?;
                f.write_str(">")
            }
        }

        impl<C: cipher::AlgorithmName> core::fmt::Debug for $mode<C> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                <Self as cipher::AlgorithmName>::write_alg_name(f)?;
                f.write_str(" { ... }")
            }
        }

        impl<C: zeroize::ZeroizeOnDrop> zeroize::ZeroizeOnDrop for $mode<C> {}
    };
}

common!(Kw, "Kw");
common!(Kwp, "Kwp");

impl<C: BulkEncrypt> Kw<C> {
    /// Wraps `key` to the first bytes of `output`, and returns those: 8 more than the key has.
    ///
    /// # Errors
    ///
    /// [`Error::Short`] for a key below 16 bytes, [`Error::Ragged`] for one that is not a multiple
    /// of 8, [`Error::Output`] if the output is too short.
    pub fn wrap<'o>(&self, key: &[u8], output: &'o mut [u8]) -> Result<&'o mut [u8], Error> {
        check_semiblocks(key.len(), 16)?;
        let output = first(output, key.len().saturating_add(OVERHEAD))?;
        let (head, rest) = output.split_at_mut(OVERHEAD);
        head.copy_from_slice(&ICV1);
        rest.copy_from_slice(key);
        encrypting(&self.0, Wrap(output));
        Ok(output)
    }
}

impl<C: BulkDecrypt> Kw<C> {
    /// Unwraps `wrapped` to the first bytes of `output`, and returns those: 8 fewer than it has.
    ///
    /// # Errors
    ///
    /// [`Error::Short`] below 24 bytes, [`Error::Ragged`] for anything but a multiple of 8,
    /// [`Error::Output`] if the output is too short; [`Error::Integrity`] if this is not a key
    /// wrapped under this one, and then those bytes are cleared.
    pub fn unwrap<'o>(&self, wrapped: &[u8], output: &'o mut [u8]) -> Result<&'o mut [u8], Error> {
        check_semiblocks(wrapped.len(), 24)?;
        let output = first(output, wrapped.len() - OVERHEAD)?;
        let (head, rest) = wrapped.split_at(OVERHEAD);
        output.copy_from_slice(rest);
        let mut state = Wiped::<u8, 1>::zero();
        state[0][..8].copy_from_slice(head);
        decrypting(&self.0, Unwrap { state: (&mut state[0]).into(), semiblocks: output });
        let wrong = differences(&state[0][..8], &ICV1);
        if core::hint::black_box(wrong) != 0 {
            output.fill(0);
            return Err(Error::Integrity);
        }
        Ok(output)
    }
}

impl<C: BulkEncrypt> Kwp<C> {
    /// Wraps `key` to the first bytes of `output`, and returns those: 8 more than the key has when
    /// made a multiple of 8.
    ///
    /// # Errors
    ///
    /// [`Error::Short`] for an empty key, [`Error::Long`] for one of 2^32 bytes or more,
    /// [`Error::Output`] if the output is too short.
    pub fn wrap<'o>(&self, key: &[u8], output: &'o mut [u8]) -> Result<&'o mut [u8], Error> {
        let bytes = key.len() as u64;
        if bytes == 0 {
            return Err(Error::Short { bytes, least: 1 });
        }
        let most = u64::from(u32::MAX);
        let length = u32::try_from(bytes).map_err(|_| Error::Long { bytes, most })?;
        // On a 32-bit machine the longest keys leave no room for their result.
        let padded = key.len().checked_next_multiple_of(8).unwrap_or(usize::MAX);
        let output = first(output, padded.saturating_add(OVERHEAD))?;
        output[..4].copy_from_slice(&ICV2);
        output[4..8].copy_from_slice(&length.to_be_bytes());
        output[8..8 + key.len()].copy_from_slice(key);
        output[8 + key.len()..].fill(0);
        match output.as_chunks_mut() {
            ([block], []) => self.0.encrypt_block(block.into()),
            _ => encrypting(&self.0, Wrap(output)),
        }
        Ok(output)
    }
}

impl<C: BulkDecrypt> Kwp<C> {
    /// Unwraps `wrapped` to the first bytes of `output`, and returns those that are the key. The
    /// output must have 8 bytes fewer than `wrapped`, though the key may be up to 7 shorter.
    ///
    /// # Errors
    ///
    /// [`Error::Short`] below 16 bytes, [`Error::Ragged`] for anything but a multiple of 8,
    /// [`Error::Output`] if the output is too short; [`Error::Integrity`] if this is not a key
    /// wrapped under this one, and then those bytes are cleared.
    pub fn unwrap<'o>(&self, wrapped: &[u8], output: &'o mut [u8]) -> Result<&'o mut [u8], Error> {
        check_semiblocks(wrapped.len(), 16)?;
        let output = first(output, wrapped.len() - OVERHEAD)?;
        let (head, rest) = wrapped.split_at(OVERHEAD);
        output.copy_from_slice(rest);
        let mut buffer = Wiped::<u8, 1>::zero();
        let state = &mut buffer[0];
        state[..8].copy_from_slice(head);
        if output.len() == 8 {
            state[8..].copy_from_slice(output);
            self.0.decrypt_block((&mut *state).into());
            output.copy_from_slice(&state[8..]);
        } else {
            decrypting(&self.0, Unwrap { state: (&mut *state).into(), semiblocks: output });
        }
        // Everything is looked at before anything is told (SP 800-38F, section 6.3, step 5): the
        // constant, a length that these semiblocks can have, and zeros after it.
        let [_, _, _, _, length @ .., _, _, _, _, _, _, _, _] = *state;
        let (length, padded) = (u64::from(u32::from_be_bytes(length)), output.len() as u64);
        let less = |a: u64, b: u64| a.wrapping_sub(b) >> 63;
        let mut wrong = u64::from(differences(&state[..4], &ICV2));
        wrong |= less(length, padded - 7) | less(padded, length);
        let last_bytes = output.iter().enumerate().skip(output.len() - 8);
        for (at, byte) in last_bytes {
            let is_padding = 1 - less(at as u64, length);
            wrong |= is_padding * u64::from(*byte);
        }
        if core::hint::black_box(wrong) != 0 {
            output.fill(0);
            return Err(Error::Integrity);
        }
        Ok(&mut output[..length as usize])
    }
}

/// Whether so many bytes are semiblocks, and not too few.
fn check_semiblocks(bytes: usize, least: u64) -> Result<(), Error> {
    let bytes = bytes as u64;
    if bytes < least {
        return Err(Error::Short { bytes, least });
    }
    if !bytes.is_multiple_of(8) {
        return Err(Error::Ragged { bytes, unit: 8 });
    }
    Ok(())
}

/// The first so many bytes of the output.
fn first(output: &mut [u8], needed: usize) -> Result<&mut [u8], Error> {
    let given = output.len();
    output.get_mut(..needed).ok_or(Error::Output { needed, given })
}

/// Nonzero if the two differ.
fn differences(a: &[u8], b: &[u8]) -> u8 {
    a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b))
}

/// W of SP 800-38F, section 6.1, in place, on three semiblocks or more.
struct Wrap<'a>(&'a mut [u8]);

impl Work for Wrap<'_> {
    #[inline(always)]
    fn run(self, cipher: &impl Permute) {
        let (semiblocks, _) = self.0.as_chunks_mut::<8>();
        let [a, semiblocks @ ..] = semiblocks else { return };
        let mut buffer = Wiped::<u8, 1>::zero();
        let state: &mut Block = (&mut buffer[0]).into();
        state[..8].copy_from_slice(a);
        let mut step = 0_u64;
        for _ in 0..6 {
            for semiblock in &mut *semiblocks {
                step += 1;
                state[8..].copy_from_slice(semiblock);
                cipher.in_place(state);
                semiblock.copy_from_slice(&state[8..]);
                add_step(state, step);
            }
        }
        a.copy_from_slice(&state[..8]);
    }
}

/// The inverse of W: the first semiblock is the first half of `state`, and stays there.
struct Unwrap<'a> {
    state: &'a mut Block,
    semiblocks: &'a mut [u8],
}

impl Work for Unwrap<'_> {
    #[inline(always)]
    fn run(self, cipher: &impl Permute) {
        let Self { state, semiblocks } = self;
        let (semiblocks, _) = semiblocks.as_chunks_mut::<8>();
        let mut step = 6 * semiblocks.len() as u64;
        for _ in 0..6 {
            for semiblock in semiblocks.iter_mut().rev() {
                add_step(state, step);
                step -= 1;
                state[8..].copy_from_slice(semiblock);
                cipher.in_place(state);
                semiblock.copy_from_slice(&state[8..]);
            }
        }
    }
}

/// Adds the number of the step to the first half.
#[inline(always)]
fn add_step(state: &mut Block, step: u64) {
    for (to, from) in state.iter_mut().zip(step.to_be_bytes()) {
        *to ^= from;
    }
}
