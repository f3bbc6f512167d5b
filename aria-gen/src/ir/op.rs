//! The two vocabularies of the IR, and what each operation means on bytes.
//!
//! Meanings follow the Intel SDM, volume 2 (PUNPCKLBW, GF2P8AFFINEQB, GF2P8AFFINEINVQB,
//! VPTERNLOG); `tests/hardware_model.rs` compares them with silicon. Which CPU has which
//! instruction, and how it is spelled, stands in `isa`.

use crate::ir::interp::Context;
use crate::math::{Affine, Sbox};

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
    /// Reads the entry for this byte of the current round key.
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
    /// The vector's length is a multiple of so many bytes: a 128-bit lane, unless stated otherwise.
    const VECTOR_GRANULE: usize = 16;

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
    /// Bytes 0 to 7 of each 128-bit lane of two vectors, alternately.
    InterleaveLow,
    /// Bytes 8 to 15 of each 128-bit lane of two vectors, alternately.
    InterleaveHigh,
    /// An S-box on every byte.
    Substitute(Sbox),
    /// The exclusive or of those operands whose bit is set in `mask`.
    ///
    /// The rows of one linear layer all name the layer's inputs in the same order, so that
    /// `lower` sees the whole matrix and can put a shared network in its place.
    XorSelected {
        /// Bit i selects operand i.
        mask: u32,
    },
}

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
    },
    /// A constant bit matrix, packed as GF2P8AFFINEQB takes it, repeated over the vector.
    Matrix {
        /// Index of the constant in the program.
        id: usize,
    },
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

/// An instruction form: a [`MachineOp`] without its immediates and places. Key of `isa`'s table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// See [`MachineOp::Load`].
    Load,
    /// See [`MachineOp::Store`].
    Store,
    /// See [`MachineOp::KeySplat32`].
    KeySplat32,
    /// See [`MachineOp::Matrix`].
    Matrix,
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
            Self::Matrix { .. } => Form::Matrix,
            Self::Xor => Form::Xor,
            Self::Xor3 => Form::Xor3,
            Self::UnpackLow8 => Form::UnpackLow8,
            Self::UnpackHigh8 => Form::UnpackHigh8,
            Self::Affine { .. } => Form::Affine,
            Self::AffineInverse { .. } => Form::AffineInverse,
        }
    }
}

impl Operation for AbstractOp {
    fn arity(&self) -> Arity {
        match self {
            Self::Load { .. } | Self::RoundKeyByte { .. } => Arity::Exactly(0),
            Self::Store { .. } | Self::Substitute(_) => Arity::Exactly(1),
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
            _ => Access::Pure,
        }
    }

    fn evaluate(&self, operands: &[&[u8]], context: &Context<'_>) -> Vec<u8> {
        match self {
            Self::Load { offset } => context.input(*offset),
            Self::Store { .. } => operands[0].to_vec(),
            Self::RoundKeyByte { index } => context.splat(&context.round_key()[*index..][..1]),
            Self::InterleaveLow => interleave(operands[0], operands[1], 0),
            Self::InterleaveHigh => interleave(operands[0], operands[1], 8),
            Self::Substitute(sbox) => operands[0].iter().map(|&x| sbox.apply(x)).collect(),
            Self::XorSelected { mask } => {
                let selected = operands.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
                xor(selected.map(|(_, operand)| *operand), context)
            }
        }
    }
}

impl Operation for MachineOp {
    fn arity(&self) -> Arity {
        Arity::Exactly(match self {
            Self::Load { .. } | Self::KeySplat32 { .. } | Self::Matrix { .. } => 0,
            Self::Store { .. } => 1,
            Self::Xor | Self::UnpackLow8 | Self::UnpackHigh8 => 2,
            Self::Affine { .. } | Self::AffineInverse { .. } => 2,
            Self::Xor3 => 3,
        })
    }

    fn access(&self) -> Access {
        match *self {
            Self::Load { offset } => Access::Input { offset },
            Self::Store { offset } => Access::Output { offset },
            Self::KeySplat32 { index } => Access::RoundKey { index },
            Self::Matrix { id } => Access::Constant { id },
            _ => Access::Pure,
        }
    }

    fn evaluate(&self, operands: &[&[u8]], context: &Context<'_>) -> Vec<u8> {
        match self {
            Self::Load { offset } => context.input(*offset),
            Self::Store { .. } => operands[0].to_vec(),
            Self::KeySplat32 { index } => context.splat(&context.round_key()[4 * index..][..4]),
            Self::Matrix { id } => context.splat(&context.matrix(*id).to_gfni().to_le_bytes()),
            Self::Xor | Self::Xor3 => xor(operands.iter().copied(), context),
            Self::UnpackLow8 => interleave(operands[0], operands[1], 0),
            Self::UnpackHigh8 => interleave(operands[0], operands[1], 8),
            Self::Affine { constant } => affine(operands[0], operands[1], *constant, |x| x),
            Self::AffineInverse { constant } => {
                affine(operands[0], operands[1], *constant, crate::math::gf256::inverse)
            }
        }
    }
}

fn xor<'a>(operands: impl Iterator<Item = &'a [u8]>, context: &Context<'_>) -> Vec<u8> {
    let mut sum = vec![0; context.vector_bytes()];
    for operand in operands {
        for (s, x) in sum.iter_mut().zip(operand) {
            *s ^= x;
        }
    }
    sum
}

/// PUNPCKLBW (`from` 0) and PUNPCKHBW (`from` 8) in each 128-bit lane.
fn interleave(a: &[u8], b: &[u8], from: usize) -> Vec<u8> {
    let lanes = a.chunks_exact(16).zip(b.chunks_exact(16));
    lanes.flat_map(|(a, b)| (from..from + 8).flat_map(|i| [a[i], b[i]])).collect()
}

/// GF2P8AFFINEQB: each 64-bit word of `matrices` maps the eight bytes of `data` beside it.
fn affine(data: &[u8], matrices: &[u8], constant: u8, first: impl Fn(u8) -> u8) -> Vec<u8> {
    let words = data.chunks_exact(8).zip(matrices.chunks_exact(8));
    words
        .flat_map(|(bytes, word)| {
            let packed = u64::from_le_bytes(word.try_into().expect("chunks are eight bytes long"));
            let matrix = crate::math::BitMatrix::from_gfni(packed);
            let map = Affine { matrix, constant };
            bytes.iter().map(|&x| map.apply(first(x))).collect::<Vec<_>>()
        })
        .collect()
}
