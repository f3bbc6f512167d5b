//! Output feedback (NIST SP 800-38A, section 6.4).
//!
//! The keystream is the IV encrypted again and again, so both directions are serial and the same.
//! An IV used twice with one key gives away the difference of two messages; nothing is protected
//! from being changed. Old protocols use it; anything new takes CTR instead.
//!
//! ```
//! use aria_runtime::cipher::{KeyIvInit, StreamCipher};
//! use aria_runtime::modes::Aria128Ofb;
//!
//! let (key, iv) = ([7; 16].into(), [9; 16].into());
//! let mut message = *b"there and back";
//! Aria128Ofb::new(&key, &iv).apply_keystream(&mut message);
//! Aria128Ofb::new(&key, &iv).apply_keystream(&mut message);
//! assert_eq!(&message, b"there and back");
//! ```

use cipher::common::{InnerUser, IvSizeUser};
use cipher::consts::U16;
use cipher::{InOutBuf, InnerIvInit, Iv, StreamCipher, StreamCipherError};

use super::cipher::{BulkEncrypt, Permute, Work, encrypting};
use super::describe::describe;
use crate::Block;
use crate::wiped::Wiped;

/// OFB over the cipher `C`.
///
/// The keystream comes round after some 2^128 blocks, so the traits' methods never refuse.
#[derive(Clone)]
pub struct Ofb<C: BulkEncrypt> {
    cipher: C,
    /// The last block of keystream, the first `used` bytes of which are used; all of them if that
    /// is 0.
    chain: Wiped<u8, 1>,
    used: usize,
}

describe!(Ofb[C: BulkEncrypt]; "Ofb");

impl<C: BulkEncrypt> InnerUser for Ofb<C> {
    type Inner = C;
}

impl<C: BulkEncrypt> IvSizeUser for Ofb<C> {
    type IvSize = U16;
}

impl<C: BulkEncrypt> InnerIvInit for Ofb<C> {
    fn inner_iv_init(cipher: C, iv: &Iv<Self>) -> Self {
        let mut chain = Wiped::zero();
        chain[0] = iv.0;
        Self { cipher, chain, used: 0 }
    }
}

impl<C: BulkEncrypt> StreamCipher for Ofb<C> {
    fn check_remaining(&self, _: usize) -> Result<(), StreamCipherError> {
        Ok(())
    }

    fn unchecked_apply_keystream_inout(&mut self, data: InOutBuf<'_, '_, u8>) {
        let head = if self.used == 0 { 0 } else { data.len().min(16 - self.used) };
        let (mut head, rest) = data.split_at(head);
        head.xor_in2out(&self.chain[0][self.used..self.used + head.len()]);
        self.used = (self.used + head.len()) % 16;
        if !rest.is_empty() {
            let (blocks, tail) = rest.into_chunks();
            self.used = tail.len();
            encrypting(&self.cipher, Keystream { chain: &mut self.chain[0], blocks, tail });
        }
    }

    fn unchecked_write_keystream(&mut self, data: &mut [u8]) {
        data.fill(0);
        self.unchecked_apply_keystream_inout(data.into());
    }
}

/// Adds keystream to some blocks and then to less than a block.
struct Keystream<'a, 'i, 'o> {
    chain: &'a mut [u8; 16],
    blocks: InOutBuf<'i, 'o, Block>,
    tail: InOutBuf<'i, 'o, u8>,
}

impl Work for Keystream<'_, '_, '_> {
    #[inline(always)]
    fn run(mut self, cipher: &impl Permute) {
        let chain: &mut Block = self.chain.into();
        for mut block in self.blocks {
            cipher.in_place(chain);
            block.xor_in2out(chain);
        }
        if !self.tail.is_empty() {
            cipher.in_place(chain);
            let bytes = self.tail.len();
            self.tail.xor_in2out(&chain[..bytes]);
        }
    }
}
