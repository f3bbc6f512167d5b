//! Counter mode (NIST SP 800-38A, section 6.5), with counters of 128 and of 32 bits.
//!
//! The counter block is the IV as a big-endian number, counted up once a block. [`Ctr128BE`] counts
//! with the whole block, as TLS-less protocols, files and OpenSSL's `-ctr` do; [`Ctr32BE`] with its
//! last four bytes only, as GCM does inside. Encryption and decryption are the same.
//!
//! Never use a counter block twice with one key: two messages whose counters overlap give away their
//! difference. Nothing protects from being changed; add a MAC, or use an AEAD.
//!
//! ```
//! use aria_runtime::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
//! use aria_runtime::modes::Aria128Ctr;
//!
//! let mut cipher = Aria128Ctr::new(&[7; 16].into(), &[0; 16].into());
//! let mut message = *b"in pieces of any length";
//! let (head, tail) = message.split_at_mut(5);
//! cipher.try_apply_keystream(head)?;
//! cipher.try_apply_keystream(tail)?;
//!
//! // Any part can be decrypted by itself.
//! cipher.try_seek(13)?;
//! cipher.try_apply_keystream(&mut message[13..])?;
//! assert_eq!(&message[13..], b"any length");
//! # Ok::<(), aria_runtime::cipher::StreamCipherError>(())
//! ```

use core::marker::PhantomData;

use cipher::common::{InnerUser, IvSizeUser};
use cipher::consts::U16;
use cipher::{
    InOutBuf, InnerIvInit, Iv, OverflowError, SeekNum, StreamCipher, StreamCipherError,
    StreamCipherSeek,
};

use super::cipher::{
    BATCH, BulkEncrypt, CounterWidth, Permute, Work, add_keystream, encrypting, in_pieces,
};
use super::describe::describe;
use crate::wiped::Wiped;

/// How wide a counter is, as a type.
pub trait Width: sealed::Sealed + Clone {
    /// The same as a value.
    const WIDTH: CounterWidth;

    /// Bytes of keystream for one IV.
    ///
    /// For 32 bits this is all until the counter comes round, 2^36 bytes. For 128 bits it is one
    /// byte less than a position can count, 2^128 - 1: no one gets there.
    const LIMIT: u128;

    /// Name, as RustCrypto's `ctr` has it.
    #[doc(hidden)]
    const NAME: &'static str;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Bits128 {}
    impl Sealed for super::Bits32 {}
}

/// [`CounterWidth::Bits128`] as a type.
#[derive(Clone, Copy, Debug)]
pub enum Bits128 {}

impl Width for Bits128 {
    const WIDTH: CounterWidth = CounterWidth::Bits128;
    const LIMIT: u128 = u128::MAX;
    const NAME: &'static str = "Ctr128BE";
}

/// [`CounterWidth::Bits32`] as a type.
#[derive(Clone, Copy, Debug)]
pub enum Bits32 {}

impl Width for Bits32 {
    const WIDTH: CounterWidth = CounterWidth::Bits32;
    const LIMIT: u128 = 16 << 32;
    const NAME: &'static str = "Ctr32BE";
}

/// CTR with a big-endian counter of 128 bits.
pub type Ctr128BE<C> = Ctr<C, Bits128>;
/// CTR with a big-endian counter of 32 bits.
pub type Ctr32BE<C> = Ctr<C, Bits32>;

/// CTR over the cipher `C`. Use it as [`Ctr128BE`] or [`Ctr32BE`].
///
/// When the keystream of an IV is used up, and only then, the traits' methods refuse: none of the
/// data is touched then. The last byte can be used and the position after it be asked for.
#[derive(Clone)]
pub struct Ctr<C: BulkEncrypt, W: Width> {
    cipher: C,
    iv: u128,
    /// Bytes of keystream used.
    position: u128,
    /// The block of keystream that holds the byte at `position`, unless that starts a block.
    keystream: Wiped<u8, 1>,
    width: PhantomData<W>,
}

describe!(Ctr[C: BulkEncrypt, W: Width]; W::NAME);

impl<C: BulkEncrypt, W: Width> InnerUser for Ctr<C, W> {
    type Inner = C;
}

impl<C: BulkEncrypt, W: Width> IvSizeUser for Ctr<C, W> {
    type IvSize = U16;
}

impl<C: BulkEncrypt, W: Width> InnerIvInit for Ctr<C, W> {
    fn inner_iv_init(cipher: C, iv: &Iv<Self>) -> Self {
        let iv = u128::from_be_bytes(iv.0);
        Self { cipher, iv, position: 0, keystream: Wiped::zero(), width: PhantomData }
    }
}

impl<C: BulkEncrypt, W: Width> Ctr<C, W> {
    /// The keystream block at `position` is taken up to there; adds the rest of it to the first
    /// bytes of `data`, and returns what is left of that.
    fn finish_block<'i, 'o>(&self, data: InOutBuf<'i, 'o, u8>) -> InOutBuf<'i, 'o, u8> {
        let used = (self.position % 16) as usize;
        if used == 0 {
            return data;
        }
        let cut = data.len().min(16 - used);
        let (mut head, rest) = data.split_at(cut);
        head.xor_in2out(&self.keystream[0][used..used + cut]);
        rest
    }

    /// Adds keystream from a block's start.
    fn apply_blocks(&mut self, index: u128, mut data: InOutBuf<'_, '_, u8>) {
        let first = W::WIDTH.advance(self.iv, index);
        // An end of less than a block wants one more block of keystream: better in one batch with
        // the blocks before it than by itself.
        let whole = match (data.len() / 16, data.len() % 16) {
            (blocks, 0) => blocks,
            (blocks, _) => blocks / BATCH * BATCH,
        };
        let (blocks, _) = data.reborrow().split_at(16 * whole);
        let done = self.cipher.fused_ctr(W::WIDTH, first, blocks.into_chunks().0);
        let (_, data) = data.split_at(16 * done);
        if !data.is_empty() {
            let first = W::WIDTH.advance(first, done as u128);
            let last = &mut self.keystream[0];
            encrypting(&self.cipher, Keystream { width: W::WIDTH, first, data, last });
        }
    }
}

impl<C: BulkEncrypt, W: Width> StreamCipher for Ctr<C, W> {
    fn check_remaining(&self, data_len: usize) -> Result<(), StreamCipherError> {
        let end = self.position.checked_add(data_len as u128);
        end.filter(|end| *end <= W::LIMIT).map(|_| ()).ok_or(StreamCipherError)
    }

    fn unchecked_apply_keystream_inout(&mut self, data: InOutBuf<'_, '_, u8>) {
        let end = self.position.wrapping_add(data.len() as u128);
        let index = self.position.div_ceil(16);
        let rest = self.finish_block(data);
        if !rest.is_empty() {
            self.apply_blocks(index, rest);
        }
        self.position = end;
    }

    fn unchecked_write_keystream(&mut self, data: &mut [u8]) {
        data.fill(0);
        self.unchecked_apply_keystream_inout(data.into());
    }
}

impl<C: BulkEncrypt, W: Width> StreamCipherSeek for Ctr<C, W> {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        // The position in blocks of one byte, of which the first has been used: that is how this
        // function is asked for a mere conversion.
        T::from_block_byte(self.position, 1, 1)
    }

    fn try_seek<T: SeekNum>(&mut self, position: T) -> Result<(), StreamCipherError> {
        let (position, _) = position.into_block_byte::<u128>(1)?;
        if position > W::LIMIT {
            return Err(StreamCipherError);
        }
        if position % 16 != 0 {
            let mut block = W::WIDTH.advance(self.iv, position / 16).to_be_bytes().into();
            self.cipher.encrypt_block(&mut block);
            self.keystream[0] = block.0;
        }
        self.position = position;
        Ok(())
    }
}

/// Adds the keystream from the counter `first` on.
struct Keystream<'a, 'i, 'o> {
    width: CounterWidth,
    first: u128,
    data: InOutBuf<'i, 'o, u8>,
    /// Takes the last block of keystream, if not all of it was used.
    last: &'a mut [u8; 16],
}

impl Work for Keystream<'_, '_, '_> {
    #[inline(always)]
    fn run(self, cipher: &impl Permute) {
        let blocks = self.data.len().div_ceil(16);
        in_pieces!(self, cipher, blocks);
    }
}

impl Keystream<'_, '_, '_> {
    #[inline(always)]
    fn in_pieces<const N: usize>(self, cipher: &impl Permute) {
        let Self { width, mut first, mut data, last } = self;
        let mut buffer = Wiped::<u8, N>::zero();
        while !data.is_empty() {
            let bytes = data.len().min(16 * N);
            let (now, later) = data.split_at(bytes);
            let keystream = &mut buffer[..now.len().div_ceil(16)];
            counters(width, first, keystream);
            cipher.many(crate::bulk::in_place(keystream));
            if now.len() % 16 != 0 {
                *last = keystream[now.len() / 16];
            }
            add_keystream(now, keystream);
            first = width.advance(first, N as u128);
            data = later;
        }
    }
}

/// Consecutive counter blocks.
#[inline(always)]
fn counters(width: CounterWidth, first: u128, blocks: &mut [[u8; 16]]) {
    // Two halves instead of one number: where the low half does not overflow, which is nearly
    // always, the high half is the same for all.
    let (high, low) = ((first >> 64) as u64, first as u64);
    let wraps = match width {
        CounterWidth::Bits128 => low.checked_add(blocks.len() as u64).is_none(),
        CounterWidth::Bits32 => (low as u32).checked_add(blocks.len() as u32).is_none(),
    };
    if wraps {
        for (i, block) in blocks.iter_mut().enumerate() {
            *block = width.advance(first, i as u128).to_be_bytes();
        }
    } else {
        let high = high.to_be_bytes();
        for (block, low) in blocks.iter_mut().zip(low..) {
            block[..8].copy_from_slice(&high);
            block[8..].copy_from_slice(&low.to_be_bytes());
        }
    }
}
