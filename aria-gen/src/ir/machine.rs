//! The machine vocabulary: what one instruction form does.
//!
//! Which CPU has which instruction, how it is spelled and what it costs stands in `isa`; what the
//! instructions do to bytes in `ir::meaning`.

use super::interp::Context;
use super::meaning;
use super::op::{Access, Arity, Operation};
use crate::math::gf256;

/// What one instruction form does; `isa` has its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MachineOp {
    /// Unaligned vector load.
    Load {
        /// Bytes from the start of the batch.
        offset: usize,
    },
    /// Unaligned vector store.
    Store {
        /// Bytes from the start of the batch.
        offset: usize,
    },
    /// A 32-bit word of the round key's memory form, repeated over the vector.
    KeySplat32 {
        /// Number of the word.
        index: usize,
        /// How much of a register it fills.
        span: Span,
    },
    /// The sixteen bytes of the round key's memory form, in each 128-bit lane.
    KeyLanes,
    /// A constant bit matrix, packed as GF2P8AFFINEQB takes it, repeated over the vector.
    Matrix {
        /// Index of the constant in the program.
        id: usize,
    },
    /// Two constant bit matrices, one for each half of a 128-bit lane, in each lane.
    MatrixPair {
        /// Index of the constant in the program.
        id: usize,
    },
    /// Sixteen constant bytes, in each 128-bit lane.
    Bytes {
        /// Index of the constant in the program.
        id: usize,
    },
    /// Bitwise and of two vectors.
    And,
    /// Each 16-bit word shifted left, zeros shifted in.
    ShiftLeft16 {
        /// By how many bits.
        count: u8,
    },
    /// Each 16-bit word shifted right, zeros shifted in.
    ShiftRight16 {
        /// By how many bits.
        count: u8,
    },
    /// In each lane: byte i is that byte of the first operand which byte i of the second names by
    /// its low four bits, or zero if its top bit is set.
    ShuffleBytes,
    /// The last round of AES encryption on each lane: ShiftRows, SubBytes, then the second operand
    /// is added.
    AesEncryptLast {
        /// On every lane at once or on a single one.
        span: Span,
    },
    /// The last round of AES decryption on each lane: InvShiftRows, InvSubBytes, then the second
    /// operand is added.
    AesDecryptLast {
        /// On every lane at once or on a single one.
        span: Span,
    },
    /// The lower lane of a vector of two.
    LaneLow,
    /// The upper lane of a vector of two.
    LaneHigh,
    /// A vector of two lanes, the upper one first.
    JoinLanes,
    /// Exclusive or of two vectors.
    Xor,
    /// Exclusive or of three vectors.
    Xor3,
    /// Bytes 0 to 7 of each 128-bit lane of two vectors, alternately.
    UnpackLow8,
    /// Bytes 8 to 15 of each 128-bit lane of two vectors, alternately.
    UnpackHigh8,
    /// A bit matrix (second operand) times each byte, plus an immediate.
    Affine {
        /// Added to each byte of the product.
        constant: u8,
    },
    /// A bit matrix (second operand) times the field inverse of each byte, plus an immediate.
    AffineInverse {
        /// Added to each byte of the product.
        constant: u8,
    },
}

/// How much of a register an operation works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Span {
    /// The whole vector.
    Vector,
    /// One 128-bit lane.
    Lane,
}

/// An instruction form: a [`MachineOp`] without its immediates and places. Key of `isa`'s table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// See [`MachineOp::Load`].
    Load,
    /// See [`MachineOp::Store`].
    Store,
    /// See [`MachineOp::KeySplat32`].
    KeySplat32,
    /// See [`MachineOp::KeyLanes`].
    KeyLanes,
    /// See [`MachineOp::Matrix`].
    Matrix,
    /// See [`MachineOp::MatrixPair`].
    MatrixPair,
    /// See [`MachineOp::Bytes`].
    Bytes,
    /// See [`MachineOp::And`].
    And,
    /// See [`MachineOp::ShiftLeft16`].
    ShiftLeft16,
    /// See [`MachineOp::ShiftRight16`].
    ShiftRight16,
    /// See [`MachineOp::ShuffleBytes`].
    ShuffleBytes,
    /// See [`MachineOp::AesEncryptLast`].
    AesEncryptLast,
    /// See [`MachineOp::AesDecryptLast`].
    AesDecryptLast,
    /// See [`MachineOp::LaneLow`].
    LaneLow,
    /// See [`MachineOp::LaneHigh`].
    LaneHigh,
    /// See [`MachineOp::JoinLanes`].
    JoinLanes,
    /// See [`MachineOp::Xor`].
    Xor,
    /// See [`MachineOp::Xor3`].
    Xor3,
    /// See [`MachineOp::UnpackLow8`].
    UnpackLow8,
    /// See [`MachineOp::UnpackHigh8`].
    UnpackHigh8,
    /// See [`MachineOp::Affine`].
    Affine,
    /// See [`MachineOp::AffineInverse`].
    AffineInverse,
}

impl MachineOp {
    /// The form that this operation is an instance of.
    #[must_use]
    pub fn form(&self) -> Form {
        match self {
            Self::Load { .. } => Form::Load,
            Self::Store { .. } => Form::Store,
            Self::KeySplat32 { .. } => Form::KeySplat32,
            Self::KeyLanes => Form::KeyLanes,
            Self::Matrix { .. } => Form::Matrix,
            Self::MatrixPair { .. } => Form::MatrixPair,
            Self::Bytes { .. } => Form::Bytes,
            Self::And => Form::And,
            Self::ShiftLeft16 { .. } => Form::ShiftLeft16,
            Self::ShiftRight16 { .. } => Form::ShiftRight16,
            Self::ShuffleBytes => Form::ShuffleBytes,
            Self::AesEncryptLast { .. } => Form::AesEncryptLast,
            Self::AesDecryptLast { .. } => Form::AesDecryptLast,
            Self::LaneLow => Form::LaneLow,
            Self::LaneHigh => Form::LaneHigh,
            Self::JoinLanes => Form::JoinLanes,
            Self::Xor => Form::Xor,
            Self::Xor3 => Form::Xor3,
            Self::UnpackLow8 => Form::UnpackLow8,
            Self::UnpackHigh8 => Form::UnpackHigh8,
            Self::Affine { .. } => Form::Affine,
            Self::AffineInverse { .. } => Form::AffineInverse,
        }
    }

    /// How much of a register the operation works on.
    #[must_use]
    pub fn span(&self) -> Span {
        match *self {
            Self::KeySplat32 { span, .. }
            | Self::AesEncryptLast { span }
            | Self::AesDecryptLast { span } => span,
            _ => Span::Vector,
        }
    }
}

impl Operation for MachineOp {
    fn arity(&self) -> Arity {
        Arity::Exactly(match self {
            Self::Load { .. } | Self::KeySplat32 { .. } | Self::KeyLanes => 0,
            Self::Matrix { .. } | Self::MatrixPair { .. } | Self::Bytes { .. } => 0,
            Self::Store { .. } | Self::ShiftLeft16 { .. } | Self::ShiftRight16 { .. } => 1,
            Self::LaneLow | Self::LaneHigh => 1,
            Self::Xor | Self::And | Self::UnpackLow8 | Self::UnpackHigh8 => 2,
            Self::ShuffleBytes | Self::JoinLanes => 2,
            Self::AesEncryptLast { .. } | Self::AesDecryptLast { .. } => 2,
            Self::Affine { .. } | Self::AffineInverse { .. } => 2,
            Self::Xor3 => 3,
        })
    }

    fn access(&self) -> Access {
        match *self {
            Self::Load { offset } => Access::Input { offset },
            Self::Store { offset } => Access::Output { offset },
            Self::KeySplat32 { index, .. } => Access::RoundKey { index },
            Self::KeyLanes => Access::RoundKey { index: 0 },
            Self::Matrix { id } | Self::MatrixPair { id } | Self::Bytes { id } => {
                Access::Constant { id }
            }
            _ => Access::Pure,
        }
    }

    fn evaluate(&self, operands: &[&[u8]], context: &Context<'_>) -> Vec<u8> {
        match *self {
            Self::Load { offset } => context.input(offset),
            Self::Store { .. } => operands[0].to_vec(),
            Self::KeySplat32 { index, span } => {
                context.splat(&context.round_key()[4 * index..][..4], span)
            }
            Self::KeyLanes => context.splat(&context.round_key()[..16], Span::Vector),
            Self::Matrix { id } | Self::MatrixPair { id } | Self::Bytes { id } => {
                context.splat(&context.constant(id).lane(), Span::Vector)
            }
            Self::Xor | Self::Xor3 => meaning::xor(operands.iter().copied()),
            Self::And => meaning::and(operands[0], operands[1]),
            Self::ShiftLeft16 { count } => meaning::shift_left_16(operands[0], count),
            Self::ShiftRight16 { count } => meaning::shift_right_16(operands[0], count),
            Self::ShuffleBytes => meaning::shuffle_bytes(operands[0], operands[1]),
            Self::AesEncryptLast { .. } => meaning::aes_encrypt_last(operands[0], operands[1]),
            Self::AesDecryptLast { .. } => meaning::aes_decrypt_last(operands[0], operands[1]),
            Self::LaneLow => operands[0][..16].to_vec(),
            Self::LaneHigh => operands[0][16..32].to_vec(),
            Self::JoinLanes => [operands[1], operands[0]].concat(),
            Self::UnpackLow8 => meaning::interleave(operands[0], operands[1], 0),
            Self::UnpackHigh8 => meaning::interleave(operands[0], operands[1], 8),
            Self::Affine { constant } => meaning::affine(operands[0], operands[1], constant, |x| x),
            Self::AffineInverse { constant } => {
                meaning::affine(operands[0], operands[1], constant, gf256::inverse)
            }
        }
    }
}
