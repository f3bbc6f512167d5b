//! Modes of operation: how a block cipher encrypts or authenticates what is not one block.
//!
//! # Which mode
//!
//! First: if you are free to choose, choose an AEAD, which encrypts and notices changes. The modes
//! here do one of the two, or are for places that have no room for more.
//!
//! | for | take | not |
//! |---|---|---|
//! | TLS | the AEAD suites of RFC 6209; CBC ones only with encrypt-then-MAC (RFC 7366) | CBC without it |
//! | SRTP (RFC 8269) | an AEAD profile, else [`ctr`] with HMAC | [`ctr`] alone |
//! | files, messages | an AEAD; else [`ctr`] or [`cbc`], then [`cmac`] over all of it, IV included, under another key | [`cfb`], [`ofb`], no MAC |
//! | disks, block devices | [`xts`] | [`ctr`], since sectors are written again; [`cbc`] |
//! | database columns of fixed width | an AEAD with a wider column; else [`cts`] with a random IV in another column, then [`cmac`] | one IV for all rows; ECB |
//! | keys under keys | [`kw`] | anything else |
//! | messages authenticated, not hidden | [`cmac`] | CBC-MAC |
//! | what an old protocol prescribes | [`cfb`], [`cfb8`], [`ofb`] | for anything new |
//!
//! ECB has no type here: what it hides is not what one thinks. The cipher's own methods are it.
//!
//! # What the types have in common
//!
//! They are generic over the cipher and have the traits that RustCrypto has for their kind:
//! `KeyIvInit` or `KeyInit` from bytes, `InnerIvInit` or `InnerInit` from a cipher, which may
//! be one that a [`Token`](crate::Token) restricts. A message may be processed in place or from
//! buffer to buffer, in one piece or in many: with the stream ciphers, with block modes in whole
//! blocks, and with [`buffered`] in any pieces. Where a message is cut never changes the result.
//! Lengths that a mode cannot process are an [`Error`] before anything is written. Nothing
//! allocates. Keystream, chaining blocks and copies of data are wiped.
//!
//! The modes hand over up to 64 blocks at a time, tail included. What is serial by nature, which is
//! encryption by CBC, CFB and OFB, and CMAC and KW, goes block by block.

pub mod buffered;
pub mod cbc;
pub mod cfb;
pub mod cfb8;
pub mod cmac;
pub mod ctr;
pub mod cts;
pub mod kw;
pub mod ofb;
pub mod xts;

mod aria;
pub(crate) mod cipher;
mod describe;
mod driver;
mod error;
mod pkcs7;

pub use self::aria::*;
pub use self::cipher::{BulkDecrypt, BulkEncrypt, CounterWidth};
pub use self::error::Error;

use ::cipher::InOutBuf;

/// Input, and as much output; output beyond it stays out of it.
fn b2b<'i, 'o>(input: &'i [u8], output: &'o mut [u8]) -> Result<InOutBuf<'i, 'o, u8>, Error> {
    let error = Error::Output { needed: input.len(), given: output.len() };
    let output = output.get_mut(..input.len()).ok_or(error)?;
    InOutBuf::new(input, output).map_err(|_| error)
}
