//! CMAC (NIST SP 800-38B, RFC 4493): a MAC from a block cipher and nothing else.
//!
//! [`Cmac`] has RustCrypto's traits of a MAC. The two subkeys are computed once a key, so a short
//! message costs one block; keep a `Cmac` and use [`mac`](Cmac::mac), or clone it, for the next
//! message under the same key. The cipher must be a block cipher; an AEAD is none, by its type.
//!
//! Compare tags by `verify`, never by `==`: that takes a time which tells how much was right.
//!
//! ```
//! use aria_runtime::modes::Aria128Cmac;
//! use aria_runtime::modes::cmac::{KeyInit, Mac};
//!
//! let cmac = Aria128Cmac::new(&[7; 16].into());
//! let tag = cmac.clone().chain_update(b"in pieces ").chain_update(b"or not").finalize();
//! cmac.clone().chain_update(b"in pieces or not").verify(&tag.into_bytes())?;
//! cmac.chain_update(b"another").verify_truncated_left(&[0; 8]).unwrap_err();
//! # Ok::<(), aria_runtime::modes::cmac::MacError>(())
//! ```

use cipher::common::{InnerInit, InnerUser};
use cipher::consts::U16;
use digest::{FixedOutput, FixedOutputReset, MacMarker, Output, OutputSizeUser, Reset, Update};

pub use digest::{KeyInit, Mac, MacError};

use super::cipher::{BulkEncrypt, Permute, Work, add, encrypting};
use super::describe::describe;
use crate::Block;
use crate::wiped::Wiped;

/// CMAC over the cipher `C`.
#[derive(Clone)]
pub struct Cmac<C: BulkEncrypt> {
    cipher: C,
    /// K1 and K2 of SP 800-38B.
    subkeys: Wiped<u8, 2>,
    chain: Wiped<u8, 1>,
    /// The last block as far as it is known, `used` bytes of it: the end of the message is
    /// processed differently, so a whole block stays here until there is more.
    last: Wiped<u8, 1>,
    used: usize,
}

describe!(Cmac[C: BulkEncrypt]; "Cmac");

impl<C: BulkEncrypt> InnerUser for Cmac<C> {
    type Inner = C;
}

impl<C: BulkEncrypt> InnerInit for Cmac<C> {
    fn inner_init(cipher: C) -> Self {
        let mut subkeys = Wiped::<u8, 2>::zero();
        cipher.encrypt_block((&mut subkeys[0]).into());
        subkeys[0] = double(subkeys[0]);
        subkeys[1] = double(subkeys[0]);
        Self { cipher, subkeys, chain: Wiped::zero(), last: Wiped::zero(), used: 0 }
    }
}

impl<C: BulkEncrypt> Cmac<C> {
    /// The tag of one whole message, in one go: that is the fastest for short ones. What was
    /// given to `update` has no part in it.
    pub fn mac(&self, message: &[u8]) -> Block {
        let (blocks, last) = split_last(message);
        let mut tag = Block::default();
        let mut ending = Wiped::<u8, 1>::zero();
        self.end(&mut ending[0], last);
        let ending = Some(&ending[0]);
        encrypting(&self.cipher, Chain { chain: &mut tag, first: None, blocks, ending });
        tag
    }

    /// Makes a block of zeros the last block as the cipher gets it: a whole one plus K1, another
    /// one padded and plus K2.
    fn end(&self, block: &mut [u8; 16], bytes: &[u8]) {
        block[..bytes.len()].copy_from_slice(bytes);
        if let Some(end) = block.get_mut(bytes.len()) {
            *end = 0x80;
        }
        add(block, &self.subkeys[usize::from(bytes.len() < 16)]);
    }
}

/// The blocks before the last, and the last, of 1 to 16 bytes unless there is none at all.
fn split_last(message: &[u8]) -> (&[[u8; 16]], &[u8]) {
    let before = message.len().saturating_sub(1) / 16 * 16;
    let (before, last) = message.split_at(before);
    (before.as_chunks().0, last)
}

impl<C: BulkEncrypt> Update for Cmac<C> {
    fn update(&mut self, data: &[u8]) {
        let (now, rest) = data.split_at(data.len().min(16 - self.used));
        self.last[0][self.used..self.used + now.len()].copy_from_slice(now);
        self.used += now.len();
        if rest.is_empty() {
            return;
        }
        // The block is full, and not the last.
        let (blocks, last) = split_last(rest);
        let chain = (&mut self.chain[0]).into();
        let first = Some(&self.last[0]);
        encrypting(&self.cipher, Chain { chain, first, blocks, ending: None });
        self.last[0][..last.len()].copy_from_slice(last);
        self.used = last.len();
    }
}

impl<C: BulkEncrypt> OutputSizeUser for Cmac<C> {
    type OutputSize = U16;
}

impl<C: BulkEncrypt> Reset for Cmac<C> {
    fn reset(&mut self) {
        self.chain = Wiped::zero();
        self.last = Wiped::zero();
        self.used = 0;
    }
}

impl<C: BulkEncrypt> FixedOutput for Cmac<C> {
    fn finalize_into(mut self, out: &mut Output<Self>) {
        self.finalize_into_reset(out);
    }
}

impl<C: BulkEncrypt> FixedOutputReset for Cmac<C> {
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        *out = self.chain[0].into();
        let mut ending = Wiped::<u8, 1>::zero();
        self.end(&mut ending[0], &self.last[0][..self.used]);
        let ending = Some(&ending[0]);
        encrypting(&self.cipher, Chain { chain: out, first: None, blocks: &[], ending });
        Reset::reset(self);
    }
}

impl<C: BulkEncrypt> MacMarker for Cmac<C> {}

/// Goes on with the chain over blocks.
struct Chain<'a> {
    chain: &'a mut Block,
    first: Option<&'a [u8; 16]>,
    blocks: &'a [[u8; 16]],
    ending: Option<&'a [u8; 16]>,
}

impl Work for Chain<'_> {
    #[inline(always)]
    fn run(self, cipher: &impl Permute) {
        for block in self.first.into_iter().chain(self.blocks).chain(self.ending) {
            add(&mut self.chain.0, block);
            cipher.in_place(self.chain);
        }
    }
}

/// A block, as a big-endian number, times x modulo x^128 + x^7 + x^2 + x + 1 (SP 800-38B, section
/// 5.3).
fn double(block: [u8; 16]) -> [u8; 16] {
    let block = u128::from_be_bytes(block);
    let carry = (block >> 127) as u64;
    (block << 1 ^ u128::from(carry.wrapping_neg() & 0x87)).to_be_bytes()
}
