//! Cipher descriptions: each cipher as its document defines it, slow and obvious.
//!
//! A description is two things at once:
//!
//! - *data* for the builders: S-boxes as [`Sbox`](crate::math::Sbox), linear layers as index
//!   tables, constants, numbers of rounds;
//! - the *oracle* that everything later is compared with: plain functions on byte arrays, made of
//!   nothing but those data.
//!
//! Because one transcription serves as both, a builder and its judge cannot disagree about a
//! constant; that the transcription itself is right is what the tests named after the document's
//! appendices and tables are for.
//!
//! Descriptions keep the names and the order of their documents. They know bytes and blocks; they
//! do not know lanes, registers, instructions, batches or kernels, and import only
//! [`math`](crate::math). They are neither fast nor constant time and wipe nothing: no secret key
//! may be given to them.

pub mod aria;
