//! Piece by piece through the modes whose end is special: CBC with and without padding, CBC with
//! ciphertext stealing, and a unit of XTS.
//!
//! Input comes in pieces of any length; what can be processed already is, and the rest is kept:
//! up to 16 bytes, or 32 where ciphertext is stolen. Where the input is cut never shows in the
//! output.
//!
//! ```
//! use aria_runtime::cipher::KeyIvInit;
//! use aria_runtime::modes::buffered::{Buffered, Padded};
//! use aria_runtime::modes::Aria128CbcEnc;
//!
//! let encryptor = Aria128CbcEnc::new(&[7; 16].into(), &[9; 16].into());
//! let mut buffered = Buffered::new(Padded(encryptor));
//! let mut encrypted = [0; 48];
//! let mut end = 0;
//! for piece in [&b"a message of "[..], b"", b"some thirty-six bytes.."] {
//!     end += buffered.update(piece, &mut encrypted[end..])?;
//! }
//! end += buffered.finish(&mut encrypted[end..])?;
//! assert_eq!(end, 48);
//! # Ok::<(), aria_runtime::modes::Error>(())
//! ```

use core::fmt;

use cipher::consts::U16;
use zeroize::ZeroizeOnDrop;

use super::cipher::{BulkDecrypt, BulkEncrypt};
use super::driver::Blockwise;
use super::error::Error;
use super::{cbc, cts, pkcs7, xts};
use crate::bulk::in_place;
use crate::wiped::Wiped;

/// A mode, or a message in it, that can be [`Buffered`].
pub trait Ending: sealed::Ending {}

impl<M: sealed::Ending> Ending for M {}

mod sealed {
    use super::Error;

    pub trait Ending: Sized {
        /// The most bytes that are kept until the end is known: 16 or 32.
        const KEEP: usize;

        /// Whether the message may have so many bytes, which may not be all.
        fn admit(&self, bytes: u64) -> Result<(), Error>;

        /// Processes blocks.
        fn whole(&mut self, blocks: &mut [[u8; 16]]);

        /// Processes the end of the message: the first `length` bytes of `end`, up to `KEEP`, and
        /// fewer than the last 16 of these only if the message, of `bytes`, is that short. Returns
        /// how long the result there is.
        fn end(self, end: &mut [u8; 48], length: usize, bytes: u64) -> Result<usize, Error>;
    }
}

/// CBC with PKCS#7 padding: wraps [`cbc::Encryptor`] or [`cbc::Decryptor`].
#[derive(Clone, Debug)]
pub struct Padded<M>(pub M);

/// CBC of whole blocks: wraps [`cbc::Encryptor`] or [`cbc::Decryptor`].
#[derive(Clone, Debug)]
pub struct Unpadded<M>(pub M);

/// A message on its way through a mode.
#[derive(Clone)]
pub struct Buffered<M> {
    mode: M,
    /// The end of the input so far, `length` bytes of it.
    kept: Wiped<u8, 2>,
    length: usize,
    /// Bytes of input so far.
    bytes: u64,
}

impl<M: Ending> Buffered<M> {
    /// At the start of a message.
    #[must_use]
    pub fn new(mode: M) -> Self {
        Self { mode, kept: Wiped::zero(), length: 0, bytes: 0 }
    }

    /// How many bytes [`update`](Self::update) will give for so many more bytes of input.
    #[must_use]
    pub const fn ready(&self, input: usize) -> usize {
        // All but the last 1 to 16, or 17 to 32, bytes.
        match self.length.saturating_add(input) {
            all if all <= M::KEEP => 0,
            all => (all - M::KEEP).div_ceil(16) * 16,
        }
    }

    /// Takes the next bytes of the message, writes what can be told of the result to the first
    /// bytes of `output`, and returns how many these are.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] if the output is shorter than [`ready`](Self::ready) says,
    /// [`Error::Long`] if this is more than the mode may process. Nothing has been taken then.
    pub fn update(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Error> {
        let bytes = self.bytes.saturating_add(input.len() as u64);
        self.mode.admit(bytes)?;
        let (needed, given) = (self.ready(input.len()), output.len());
        let output = output.get_mut(..needed).ok_or(Error::Output { needed, given })?;

        let kept = self.kept.as_flattened_mut();
        // What goes out is the head of the kept bytes and the input in one row.
        let from_kept = needed.min(self.length);
        let (head, tail) = output.split_at_mut(from_kept);
        head.copy_from_slice(&kept[..from_kept]);
        let (now, later) = input.split_at(tail.len());
        tail.copy_from_slice(now);
        kept.copy_within(from_kept..self.length, 0);
        self.length -= from_kept;
        kept[self.length..self.length + later.len()].copy_from_slice(later);
        self.length += later.len();
        self.bytes = bytes;

        self.mode.whole(output.as_chunks_mut().0);
        Ok(needed)
    }

    /// Writes the end of the result to the first bytes of `output`, and returns how many these
    /// are.
    ///
    /// # Errors
    ///
    /// [`Error::Output`] if the output is too short for it; what the mode says of the length of
    /// messages; and [`Error::Padding`]. Nothing is written then.
    pub fn finish(self, output: &mut [u8]) -> Result<usize, Error> {
        let mut buffer = Wiped::<u8, 3>::zero();
        let end: &mut [u8; 48] =
            buffer.as_flattened_mut().try_into().expect("three blocks have 48 bytes");
        end[..self.length].copy_from_slice(&self.kept.as_flattened()[..self.length]);
        let needed = self.mode.end(end, self.length, self.bytes)?;
        let given = output.len();
        let output = output.get_mut(..needed).ok_or(Error::Output { needed, given })?;
        output.copy_from_slice(&end[..needed]);
        Ok(needed)
    }
}

impl<M: fmt::Debug> fmt::Debug for Buffered<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffered({:?})", self.mode)
    }
}

impl<M: ZeroizeOnDrop> ZeroizeOnDrop for Buffered<M> {}

impl<C: BulkEncrypt> sealed::Ending for Padded<cbc::Encryptor<C>> {
    const KEEP: usize = 16;

    fn admit(&self, _: u64) -> Result<(), Error> {
        Ok(())
    }

    fn whole(&mut self, blocks: &mut [[u8; 16]]) {
        self.0.blocks(in_place(blocks));
    }

    fn end(mut self, end: &mut [u8; 48], length: usize, _: u64) -> Result<usize, Error> {
        let padded = pkcs7::padded_len(length)?;
        let (blocks, _) = end[..padded].as_chunks_mut();
        if let Some(last) = blocks.last_mut() {
            pkcs7::pad(last, length % 16);
        }
        self.0.blocks(in_place(blocks));
        Ok(padded)
    }
}

impl<C: BulkDecrypt> sealed::Ending for Padded<cbc::Decryptor<C>> {
    const KEEP: usize = 16;

    fn admit(&self, _: u64) -> Result<(), Error> {
        Ok(())
    }

    fn whole(&mut self, blocks: &mut [[u8; 16]]) {
        self.0.blocks(in_place(blocks));
    }

    fn end(mut self, end: &mut [u8; 48], length: usize, bytes: u64) -> Result<usize, Error> {
        if bytes == 0 {
            return Err(Error::Short { bytes, least: 16 });
        }
        end_of_blocks(&mut self.0, end, length, bytes)?;
        let (blocks, _) = end.as_chunks();
        pkcs7::unpad(&blocks[0]).ok_or(Error::Padding)
    }
}

/// The last block, if there is one, of a message that must be whole blocks.
fn end_of_blocks(
    mode: &mut impl Blockwise<Size = U16>,
    end: &mut [u8; 48],
    length: usize,
    bytes: u64,
) -> Result<usize, Error> {
    let (blocks, []) = end[..length].as_chunks_mut() else {
        return Err(Error::Ragged { bytes, unit: 16 });
    };
    mode.blocks(in_place(blocks));
    Ok(length)
}

impl<M: Blockwise<Size = U16>> sealed::Ending for Unpadded<M> {
    const KEEP: usize = 16;

    fn admit(&self, _: u64) -> Result<(), Error> {
        Ok(())
    }

    fn whole(&mut self, blocks: &mut [[u8; 16]]) {
        self.0.blocks(in_place(blocks));
    }

    fn end(mut self, end: &mut [u8; 48], length: usize, bytes: u64) -> Result<usize, Error> {
        end_of_blocks(&mut self.0, end, length, bytes)
    }
}

/// Ciphertext stealing: the last 17 to 32 bytes are processed together.
macro_rules! stealing {
    ($([$($generic:tt)*] $mode:ty: $most:expr;)*) => {$(
        impl<$($generic)*> sealed::Ending for $mode {
            const KEEP: usize = 32;

            fn admit(&self, bytes: u64) -> Result<(), Error> {
                let most = $most;
                if bytes > most { Err(Error::Long { bytes, most }) } else { Ok(()) }
            }

            fn whole(&mut self, blocks: &mut [[u8; 16]]) {
                self.whole_blocks(blocks);
            }

            fn end(
                mut self,
                end: &mut [u8; 48],
                length: usize,
                bytes: u64,
            ) -> Result<usize, Error> {
                if bytes < 16 {
                    return Err(Error::Short { bytes, least: 16 });
                }
                self.ending((&mut end[..length]).into());
                Ok(length)
            }
        }
    )*};
}

stealing! {
    [C: BulkEncrypt, V: cts::Variant] cts::Encryptor<C, V>: u64::MAX;
    [C: BulkDecrypt, V: cts::Variant] cts::Decryptor<C, V>: u64::MAX;
    [C: BulkEncrypt] xts::EncryptUnit<'_, C>: xts::MOST as u64;
    [C: BulkDecrypt] xts::DecryptUnit<'_, C>: xts::MOST as u64;
}
