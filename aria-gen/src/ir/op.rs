//! What an operation is, and the abstract vocabulary: what a cipher's layers mean.
//!
//! The other vocabulary, of instructions, stands in `ir::machine`.

use super::interp::Context;
use super::machine::Span;
use super::meaning::{interleave, xor};
use crate::math::Sbox;

/// How many vector operands an operation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// Just so many.
    Exactly(usize),
    /// So many or more.
    AtLeast(usize),
}

impl Arity {
    /// Whether `count` operands are acceptable.
    #[must_use]
    pub fn accepts(self, count: usize) -> bool {
        match self {
            Self::Exactly(n) => count == n,
            Self::AtLeast(n) => count >= n,
        }
    }
}

/// What an operation touches besides its operands; every place is public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing.
    Pure,
    /// Reads one vector at this byte offset of the current batch's input.
    Input {
        /// Bytes from the start of the batch.
        offset: usize,
    },
    /// Writes its operand at this byte offset of the current batch's output; has no result.
    Output {
        /// Bytes from the start of the batch.
        offset: usize,
    },
    /// Reads the entry for this byte of the current round key, or the whole of it from byte 0 on.
    RoundKey {
        /// Byte number within the round key.
        index: usize,
    },
    /// Reads the constant with this index in [`crate::ir::Program::constants`].
    Constant {
        /// Index of the constant.
        id: usize,
    },
}

/// An operation of either vocabulary.
pub trait Operation: Clone + PartialEq + core::fmt::Debug + core::fmt::Display {
    /// How many operands it takes.
    fn arity(&self) -> Arity;

    /// What it touches besides its operands.
    fn access(&self) -> Access;

    /// Its result on bytes (for a store: the bytes to write). Operands have the vector's length.
    fn evaluate(&self, operands: &[&[u8]], context: &Context<'_>) -> Vec<u8>;

    /// Whether it defines a value; all do, except stores.
    fn has_result(&self) -> bool {
        !matches!(self.access(), Access::Output { .. })
    }
}

/// What a cipher's layers mean, free of any instruction set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AbstractOp {
    /// One vector of the input.
    Load {
        /// Bytes from the start of the batch.
        offset: usize,
    },
    /// One vector of the output.
    Store {
        /// Bytes from the start of the batch.
        offset: usize,
    },
    /// One byte of the current round key, in every byte of the vector.
    RoundKeyByte {
        /// Byte number within the round key.
        index: usize,
    },
    /// The whole current round key, in each 128-bit lane.
    RoundKey,
    /// Bytes 0 to 7 of each 128-bit lane of two vectors, alternately.
    InterleaveLow,
    /// Bytes 8 to 15 of each 128-bit lane of two vectors, alternately.
    InterleaveHigh,
    /// An S-box on every byte.
    Substitute(Sbox),
    /// In each 128-bit lane, S-box i mod 4 of these on byte i.
    SubstituteLane([Sbox; 4]),
    /// Each 128-bit lane as a number, its byte 0 the most significant, rotated to the right.
    RotateLane {
        /// By how many bits, below 128.
        bits: u32,
    },
    /// In each 128-bit lane, byte j becomes the exclusive or of the bytes whose bit is set in
    /// entry j.
    XorWithinLane([u16; 16]),
    /// The exclusive or of those operands whose bit is set in `mask`.
    ///
    /// The rows of one linear layer all name the layer's inputs in the same order, so that
    /// `lower` sees the whole matrix and can put a shared network in its place.
    XorSelected {
        /// Bit i selects operand i.
        mask: u32,
    },
}

impl Operation for AbstractOp {
    fn arity(&self) -> Arity {
        match self {
            Self::Load { .. } | Self::RoundKeyByte { .. } | Self::RoundKey => Arity::Exactly(0),
            Self::Store { .. } | Self::Substitute(_) => Arity::Exactly(1),
            Self::SubstituteLane(_) | Self::XorWithinLane(_) => Arity::Exactly(1),
            Self::RotateLane { .. } => Arity::Exactly(1),
            Self::InterleaveLow | Self::InterleaveHigh => Arity::Exactly(2),
            // A row must have an operand for each of its bits; more are the layer's other inputs.
            Self::XorSelected { mask } => Arity::AtLeast(32 - mask.leading_zeros() as usize),
        }
    }

    fn access(&self) -> Access {
        match *self {
            Self::Load { offset } => Access::Input { offset },
            Self::Store { offset } => Access::Output { offset },
            Self::RoundKeyByte { index } => Access::RoundKey { index },
            Self::RoundKey => Access::RoundKey { index: 0 },
            _ => Access::Pure,
        }
    }

    fn evaluate(&self, operands: &[&[u8]], context: &Context<'_>) -> Vec<u8> {
        match self {
            Self::Load { offset } => context.input(*offset),
            Self::Store { .. } => operands[0].to_vec(),
            Self::RoundKeyByte { index } => {
                context.splat(&context.round_key()[*index..][..1], Span::Vector)
            }
            Self::RoundKey => context.splat(&context.round_key()[..16], Span::Vector),
            Self::InterleaveLow => interleave(operands[0], operands[1], 0),
            Self::InterleaveHigh => interleave(operands[0], operands[1], 8),
            Self::Substitute(sbox) => operands[0].iter().map(|&x| sbox.apply(x)).collect(),
            Self::SubstituteLane(sboxes) => {
                let sboxes = sboxes.iter().cycle();
                operands[0].iter().zip(sboxes).map(|(&x, sbox)| sbox.apply(x)).collect()
            }
            Self::RotateLane { bits } => {
                let lanes = operands[0].as_chunks().0.iter();
                let rotated = lanes.map(|lane| u128::from_be_bytes(*lane).rotate_right(*bits));
                rotated.flat_map(u128::to_be_bytes).collect()
            }
            Self::XorWithinLane(rows) => {
                let lanes = operands[0].as_chunks::<16>().0.iter();
                lanes.flat_map(|lane| rows.map(|row| xor_of_selected(lane, row))).collect()
            }
            Self::XorSelected { mask } => {
                let selected = operands.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
                xor(selected.map(|(_, operand)| *operand))
            }
        }
    }
}

/// The exclusive or of the bytes of `lane` whose bit is set in `mask`.
fn xor_of_selected(lane: &[u8; 16], mask: u16) -> u8 {
    let selected = lane.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
    selected.fold(0, |sum, (_, byte)| sum ^ byte)
}
