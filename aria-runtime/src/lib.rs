//! The block cipher ARIA (RFC 5794), fast on x86-64 and constant time everywhere.
//!
//! The work is done by generated SIMD kernels (crate `aria-kernels`) where the CPU has what they
//! need, found out at run time, and by a portable bit-sliced one elsewhere. The types are a drop-in
//! for RustCrypto's [`aria`](https://docs.rs/aria/0.2) 0.2: same names, same traits of [`cipher`]
//! 0.5, so its mode crates work on top.
//!
//! ```
//! use aria_runtime::Aria128;
//! use aria_runtime::cipher::{BlockCipherEncrypt, KeyInit};
//!
//! // RFC 5794, appendix A.1
//! let key: [u8; 16] = core::array::from_fn(|i| i as u8);
//! let cipher = Aria128::new(&key.into());
//!
//! let mut block = 0x00112233445566778899aabbccddeeff_u128.to_be_bytes().into();
//! cipher.encrypt_block(&mut block);
//! assert_eq!(block, 0xd718fbd6ab644c739da95f3be6451778_u128.to_be_bytes());
//! ```
//!
//! This is the bare cipher: it hides nothing about which blocks are equal and protects nothing from
//! being changed. Use it through a mode of operation: [`modes`] has CTR, CBC, CFB, OFB, XTS,
//! ciphertext stealing, CMAC and key wrap, and says which one is for what.
//!
//! ```
//! # #[cfg(feature = "modes")] {
//! use aria_runtime::cipher::{KeyIvInit, StreamCipher};
//! use aria_runtime::modes::Aria256Ctr;
//!
//! let mut message = *b"sixteen bytes or any other length";
//! let mut ctr = Aria256Ctr::new(&[7; 32].into(), &[0; 16].into());
//! ctr.apply_keystream(&mut message);
//! # }
//! ```
//!
//! # Bulk methods
//!
//! Kernels process up to 64 blocks at once, so hand over as many as there are. The inherent methods
//! [`encrypt_bulk`](Aria::encrypt_bulk) and [`encrypt_bulk_b2b`](Aria::encrypt_bulk_b2b), and the
//! same for decryption, take any number of blocks as plain `[u8; 16]`:
//!
//! ```
//! use aria_runtime::Aria256Enc;
//! use aria_runtime::cipher::KeyInit;
//!
//! let cipher = Aria256Enc::new(&[7; 32].into());
//! let input = [[0; 16]; 100];
//! let mut output = [[0; 16]; 100];
//! cipher.encrypt_bulk_b2b(&input, &mut output)?;
//! # Ok::<(), aria_runtime::LengthError>(())
//! ```
//!
//! The traits' `encrypt_blocks` and `encrypt_blocks_b2b` take the same path. Ours have names of
//! their own because an inherent method hides a trait's method of the same name: code that calls
//! `encrypt_blocks` for RustCrypto's `aria`, with that method's argument and error types, would no
//! longer compile. What a mode crate passes on is its own choice: RustCrypto's `ctr` and `cbc` pass
//! multiples of 64 blocks and then single ones, each of which costs nearly as much as the narrowest
//! kernel's batch. The [`modes`] of this crate do not do that.
//!
//! # Counter mode
//!
//! [`ctr_bulk`](Aria::ctr_bulk) and [`ctr_bulk_b2b`](Aria::ctr_bulk_b2b) add the keystream of counter
//! mode (NIST SP 800-38A, section 6.5) to whole blocks, faster than a mode crate can over the
//! traits, since counters need not be written down to be encrypted. Encryption and decryption are the
//! same:
//!
//! ```
//! use aria_runtime::Aria128Enc;
//! use aria_runtime::cipher::KeyInit;
//!
//! let cipher = Aria128Enc::new(&[7; 16].into());
//! let iv = [0xff; 16];
//! let mut blocks = [[0x5a; 16]; 100];
//! let next = cipher.ctr_bulk(u128::from_be_bytes(iv), &mut blocks);
//! assert_eq!(next, 99); // where to go on; it has wrapped
//! cipher.ctr_bulk(u128::from_be_bytes(iv), &mut blocks);
//! assert_eq!(blocks, [[0x5a; 16]; 100]);
//! ```
//!
//! A counter must never be used twice under one key. These methods do not see to that, nor to bytes
//! that fill no block.
//!
//! # Which code runs
//!
//! [`Token::detect`] looks at the CPU once and says what may run; a cipher made by `new` uses that.
//! [`Token::capped`] and [`Token::forced`] narrow it, for tests, benchmarks or tools that cannot
//! follow wide instructions, and `new_with_token` makes a cipher with the result. Setting the
//! environment variable `ARIA_CAP` to `portable`, `sse`, `avx`, `avx2` or `avx512` caps a whole
//! process. [`kernels()`] lists what there is and what is missing here.
//!
//! # Secrets
//!
//! No branch and no address depends on a key or a block. Round keys are wiped when a cipher is
//! dropped, expanded keys and buffers when a call ends. What a compiler keeps in registers and
//! spills, or leaves behind where a cipher was moved from, is beyond reach.
//!
//! # Features
//!
//! - `jit`: kernels assembled at run time, on x86-64, of any cell of the kernel matrix. Needs `std`.
//! - `modes` (default): modes of operation.
//! - `oid`: object identifiers, TLS cipher suites and SRTP protection profiles, as constants.
//! - `std` (default): the environment variable. Without it the crate is `no_std`; it never
//!   allocates.
//! - `zeroize`: does nothing, since wiping is always on; it is there so that a manifest written for
//!   RustCrypto's `aria` needs no change.
#![cfg_attr(not(any(feature = "std", test)), no_std)]

mod aria;
mod bulk;
mod cap;
#[cfg(feature = "modes")]
mod chain;
#[cfg(feature = "modes")]
mod chained;
mod costs;
mod ctr;
mod detect;
mod ecb;
mod engine;
mod extent;
mod features;
mod forms;
#[cfg(feature = "oid")]
pub mod identifiers;
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
pub mod jit;
mod keys;
#[cfg(feature = "modes")]
pub mod modes;
mod padded;
mod planner;
mod plans;
mod schedule;
mod table;
mod token;
mod wiped;

#[cfg(feature = "std")]
mod environment;

/// Without `std` there is no environment and so no cap from it.
#[cfg(not(feature = "std"))]
mod environment {
    use crate::cap::Cap;

    pub(crate) const fn cap() -> Option<Cap> {
        None
    }
}

pub use aria_kernels::{Feature, Frame};
pub use cipher;

pub use crate::aria::{
    Aria, Aria128, Aria128Dec, Aria128Enc, Aria192, Aria192Dec, Aria192Enc, Aria256, Aria256Dec,
    Aria256Enc, AriaDec, AriaEnc,
};
pub use crate::bulk::LengthError;
pub use crate::cap::{Cap, CapError};
pub use crate::costs::cost_table;
#[cfg(feature = "std")]
pub use crate::environment::cap_from_env;
pub use crate::features::FeatureSet;
pub use crate::table::{KernelInfo, kernels};
pub use crate::token::{ForceError, Token};

/// A block in the type of the `cipher` crate.
type Block = cipher::Array<u8, cipher::consts::U16>;
