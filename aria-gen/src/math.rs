//! The finite mathematics underneath byte-oriented ciphers: one field, one matrix algebra, and the
//! two shapes built from them.
//!
//! ```text
//! gf256 ──────────────┐
//!                     ├─► Sbox       x ↦ after(before(x)⁻¹)
//! BitMatrix ─► Affine ┘
//!              x ↦ M·x + c
//! ```
//!
//! Everything here is a value of at most nine bytes, an exact function on bytes, and small enough
//! to be checked on all 256 inputs. So it is: conversions from functions compare every input, and
//! the tests sample nothing.
//!
//! This module knows no cipher and no instruction, with one exception: [`BitMatrix::to_gfni`]
//! packs a matrix in the order the Intel SDM prescribes, since a packing is a fact about matrices
//! and is best tested beside them. It imports nothing of ours; `spec`, `ir` and all later stages
//! may use its types.

mod affine;
mod bitmatrix;
pub mod gf256;
mod sbox;

pub use affine::Affine;
pub use bitmatrix::BitMatrix;
pub use sbox::Sbox;
