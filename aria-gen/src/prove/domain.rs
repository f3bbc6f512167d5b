//! What a byte may be while a kernel is read, and what can be done with it.
//!
//! The reader, the instruction meanings and the reference cipher are written once, over [`Domain`].
//! Over [`Concrete`] they run on bytes; over [`Symbolic`] they compute, for every output bit, which
//! function of input and key it is. Both are the same code, so a counterexample found by the second
//! is confirmed by the first.
//!
//! This module knows bytes and bits; it knows no register, no instruction, no cipher.

mod concrete;
mod form;
mod semilinear;
mod symbolic;
pub mod word;

use core::fmt::Debug;

use crate::math::Affine;

pub use concrete::Concrete;
pub use form::Form;
pub use symbolic::Symbolic;

/// Bytes of some kind, and the operations that the meanings of instructions are made of.
pub trait Domain {
    /// A byte.
    type Byte: Clone + PartialEq + Debug;

    /// The byte `value`.
    fn constant(&self, value: u8) -> Self::Byte;

    /// The value of `byte`, if it is the same for every input and key.
    fn known(&self, byte: &Self::Byte) -> Option<u8>;

    /// The bitwise sum.
    fn xor(&self, a: &Self::Byte, b: &Self::Byte) -> Self::Byte;

    /// The bitwise product.
    ///
    /// # Errors
    ///
    /// [`Refusal::Product`] when neither factor is known: the domain holds sums only.
    fn and(&self, a: &Self::Byte, b: &Self::Byte) -> Result<Self::Byte, Refusal>;

    /// The image of `byte` under an affine map.
    fn affine(&self, map: Affine, byte: &Self::Byte) -> Self::Byte;

    /// The inverse in GF(2⁸) modulo x⁸ + x⁴ + x³ + x + 1, with 0⁻¹ = 0.
    fn inverse(&mut self, byte: &Self::Byte) -> Self::Byte;

    /// The byte whose bit i is the bit of `bits[i]`, or zero. Shifts, rotations, doublings and the
    /// spreading of a sign are gatherings of bits.
    fn gather(&self, bits: [Option<(&Self::Byte, u32)>; 8]) -> Self::Byte;

    /// The entry of `table` that `index` selects.
    ///
    /// # Errors
    ///
    /// [`Refusal::Index`] when `index` is not sure to be below 16, [`Refusal::Table`] when the index
    /// is not known and the table is no affine map of its four bits.
    fn look_up(&self, table: &[u8; 16], index: &Self::Byte) -> Result<Self::Byte, Refusal>;
}

/// An operation that the domain cannot express exactly. It is never approximated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// A product of two unknown bytes.
    #[error("the product of two values that both depend on input or key is not linear")]
    Product,
    /// A sum, with carries, of numbers of which one is unknown.
    #[error("a sum with carries wants numbers that do not depend on input or key")]
    Sum,
    /// An affine map with an unknown matrix.
    #[error("the matrix of an affine map depends on input or key")]
    Matrix,
    /// A look-up that may miss its table.
    #[error("the index of a 16-entry look-up is not provably below 16")]
    Index,
    /// A look-up in a table without structure.
    #[error("the 16-entry table is no affine map of its four index bits")]
    Table,
}

#[cfg(test)]
mod tests;
