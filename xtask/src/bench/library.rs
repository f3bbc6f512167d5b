//! What takes part: libraries, the work that they offer, and the limits under which they compare.

use std::hint::black_box;

use serde::Serialize;

use super::limits::Limits;
use super::operation::Operation;

/// Blocks in memory.
pub type Blocks = [[u8; 16]];

/// The initial value of every message: counter, IV or tweak. Its last byte carries soon.
pub const IV: [u8; 16] = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c8d5_u128.to_be_bytes();

/// The other key of XTS, under which tweaks are encrypted.
#[must_use]
pub fn tweak_key(key: &[u8]) -> Vec<u8> {
    key.iter().map(|byte| byte ^ 0x5c).collect()
}

/// Prepared work: an operation under one key.
pub trait Work {
    /// Does the operation `calls` times on `data`, in place.
    fn run(&mut self, data: &mut Blocks, calls: u32);

    /// Does the operation once and leaves in `data` what shows whether it was done right.
    fn witness(&mut self, data: &mut Blocks) {
        self.run(data, 1);
    }
}

/// Whose work it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// This workspace.
    Ours,
    /// RustCrypto's `aria`.
    RustCrypto,
    /// libgcrypt.
    Libgcrypt,
    /// OpenSSL.
    OpenSsl,
}

impl Family {
    /// The peers.
    pub const PEERS: &'static [Self] = &[Self::RustCrypto, Self::Libgcrypt, Self::OpenSsl];

    /// As tables name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::RustCrypto => "RustCrypto",
            Self::Libgcrypt => "libgcrypt",
            Self::OpenSsl => "OpenSSL",
        }
    }
}

/// An operation that a library offers under one key.
pub struct Offer {
    /// What the table calls it: a function, a kernel, a library with its version.
    pub name: String,
    /// The work.
    pub work: Box<dyn Work>,
}

/// A library, or a part of one, that can take part.
pub trait Library {
    /// Whose it is.
    fn family(&self) -> Family;

    /// Whether it is a kernel by force, which does not choose by the number of blocks.
    fn is_kernel(&self) -> bool {
        false
    }

    /// The CPU features it is kept from. Like meets like: the ratio is taken to the peer of the same
    /// limits, if its family knows limits.
    fn limits(&self) -> Option<&Limits>;

    /// Prepares an operation under `key` of 16, 24 or 32 bytes, in each way in which the library has
    /// it; none if there is no such thing.
    ///
    /// # Errors
    ///
    /// When the library refuses.
    fn offers(&self, operation: Operation, key: &[u8]) -> anyhow::Result<Vec<Offer>>;
}

/// Work on data by a closure.
pub struct OnData<F>(pub F);

impl<F: FnMut(&mut Blocks)> Work for OnData<F> {
    fn run(&mut self, data: &mut Blocks, calls: u32) {
        for _ in 0..calls {
            (self.0)(black_box(&mut *data));
        }
    }
}

/// Boxed [`OnData`].
pub fn on_data(work: impl FnMut(&mut Blocks) + 'static) -> Box<dyn Work> {
    Box::new(OnData(work))
}

/// Key set-up: a closure that makes a cipher of a key, another that shows what cipher it made.
pub struct SetUp<S, W> {
    /// The key.
    pub key: Vec<u8>,
    /// Makes a cipher.
    pub set_up: S,
    /// Puts it to use.
    pub witness: W,
}

impl<C, S: FnMut(&[u8]) -> C, W: FnMut(C, &mut Blocks)> Work for SetUp<S, W> {
    fn run(&mut self, _: &mut Blocks, calls: u32) {
        for _ in 0..calls {
            black_box((self.set_up)(black_box(&self.key)));
        }
    }

    fn witness(&mut self, data: &mut Blocks) {
        let cipher = (self.set_up)(&self.key);
        (self.witness)(cipher, data);
    }
}
