//! What instructions mean, byte by byte, over any domain.
//!
//! Written from the Intel SDM, volume 2, for the prover alone: neither the generator's instruction
//! table nor its interpreter is used, so that a mistake there cannot hide here. The tests hold these
//! meanings against the CPU (`tests/reader_model.rs`).
//!
//! Vectors are slices of bytes, byte 0 the least significant. This module knows no intrinsic but in
//! its [`table`], and no syntax; a reader of machine code would use the same meanings.

mod aes;
pub mod table;

use super::domain::{Domain, Refusal, word};
use crate::math::{Affine, BitMatrix};

/// Bytes in a lane, within which unpacks stay.
const LANE: usize = 16;

/// What an intrinsic does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Reads a vector from memory.
    Load,
    /// Writes a vector to memory.
    Store,
    /// VMOVDQU64 with a mask: reads the quadwords of a vector whose bit is set; the others are zero.
    MaskedLoad,
    /// The same as a store: writes the quadwords whose bit is set.
    MaskedStore,
    /// Fills a vector with a scalar of so many bytes.
    Splat(usize),
    /// Fills a vector with scalars of so many bytes, the most significant first.
    Set(usize),
    /// The lower lane of a vector of two.
    LaneLow,
    /// The lane of a vector of two that the immediate names.
    Lane,
    /// A vector of two lanes, the upper one first.
    JoinLanes,
    /// An operation on vectors.
    Vector(VectorOp),
}

/// An operation from vectors to a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorOp {
    /// PXOR: bitwise exclusive or.
    Xor,
    /// PAND: bitwise product.
    And,
    /// PADDB: bytes as numbers, modulo 256.
    Add8,
    /// PADDUSB: bytes as numbers, at most 255.
    AddSaturating8,
    /// PSUBUSB: bytes as numbers, at least 0.
    SubtractSaturating8,
    /// PSLLW: words of 16 bits shifted to the left by the immediate, zeros shifted in.
    ShiftLeft16,
    /// PSRLW: words of 16 bits shifted to the right by the immediate, zeros shifted in.
    ShiftRight16,
    /// PSHUFB: in each lane, byte i is the byte of the first operand that the low four bits of byte i
    /// of the second name, or zero where its top bit is set.
    ShuffleBytes,
    /// AESENCLAST: ShiftRows and SubBytes of each lane, plus the second operand (FIPS 197, section
    /// 5.1).
    AesEncryptLast,
    /// AESDECLAST: InvShiftRows and InvSubBytes of each lane, plus the second operand (FIPS 197,
    /// section 5.3).
    AesDecryptLast,
    /// VPTERNLOGD: bitwise function of three operands; the immediate is its truth table.
    Ternary,
    /// PUNPCKLBW: interleaves the low halves of each lane.
    UnpackLow8,
    /// PUNPCKHBW: interleaves the high halves of each lane.
    UnpackHigh8,
    /// GF2P8AFFINEQB: an affine map of each byte, with the matrix in its quadword of the second
    /// operand and the constant in the immediate.
    Affine,
    /// GF2P8AFFINEINVQB: the same, of the field inverse of each byte.
    AffineInverse,
}

impl VectorOp {
    /// How many vectors it takes.
    #[must_use]
    pub const fn operands(self) -> usize {
        match self {
            Self::Ternary => 3,
            Self::ShiftLeft16 | Self::ShiftRight16 => 1,
            Self::Xor
            | Self::And
            | Self::Add8
            | Self::AddSaturating8
            | Self::SubtractSaturating8
            | Self::ShuffleBytes
            | Self::AesEncryptLast
            | Self::AesDecryptLast
            | Self::UnpackLow8
            | Self::UnpackHigh8
            | Self::Affine
            | Self::AffineInverse => 2,
        }
    }

    /// Whether it takes an immediate byte.
    #[must_use]
    pub const fn has_immediate(self) -> bool {
        matches!(
            self,
            Self::Ternary
                | Self::ShiftLeft16
                | Self::ShiftRight16
                | Self::Affine
                | Self::AffineInverse
        )
    }

    /// The result for `operands`: as many as [`operands`](Self::operands) says, of equal length, a
    /// whole number of lanes.
    ///
    /// # Errors
    ///
    /// When the domain cannot express the result.
    ///
    /// # Panics
    ///
    /// When the operands are not as described.
    pub fn apply<D: Domain>(
        self,
        domain: &mut D,
        operands: &[&[D::Byte]],
        immediate: u8,
    ) -> Result<Vec<D::Byte>, Refusal> {
        match (self, operands) {
            (Self::Xor, [a, b]) => Ok(zip(a, b).map(|(a, b)| domain.xor(a, b)).collect()),
            (Self::Ternary, [a, b, c]) => {
                let bits = zip(a, b).zip(*c);
                bits.map(|((a, b), c)| ternary(domain, immediate, [a, b, c])).collect()
            }
            (Self::And, [a, b]) => zip(a, b).map(|(a, b)| domain.and(a, b)).collect(),
            (Self::Add8, [a, b]) => numbers(domain, a, b, u8::wrapping_add),
            (Self::AddSaturating8, [a, b]) => numbers(domain, a, b, u8::saturating_add),
            (Self::SubtractSaturating8, [a, b]) => numbers(domain, a, b, u8::saturating_sub),
            (Self::ShiftLeft16, [a]) => {
                let words = a.chunks_exact(2);
                let shift = |word| word::shift_left(domain, word, usize::from(immediate));
                Ok(words.flat_map(shift).collect())
            }
            (Self::ShiftRight16, [a]) => {
                let words = a.chunks_exact(2);
                let places = usize::from(immediate);
                let shift = |word| word::shift_right(domain, word, places, word::Fill::Zero);
                Ok(words.flat_map(shift).collect())
            }
            (Self::ShuffleBytes, [a, b]) => lanes(a, b, |a, b| shuffle(domain, a, b)),
            (Self::AesEncryptLast, [a, b]) => {
                lanes(a, b, |a, b| Ok(aes::encrypt_last(domain, a, b)))
            }
            (Self::AesDecryptLast, [a, b]) => {
                lanes(a, b, |a, b| Ok(aes::decrypt_last(domain, a, b)))
            }
            (Self::UnpackLow8, [a, b]) => Ok(unpack(a, b, 0)),
            (Self::UnpackHigh8, [a, b]) => Ok(unpack(a, b, LANE / 2)),
            (Self::Affine, [x, matrices]) => affine(domain, x, matrices, immediate),
            (Self::AffineInverse, [x, matrices]) => {
                let inverses: Vec<D::Byte> = x.iter().map(|x| domain.inverse(x)).collect();
                affine(domain, &inverses, matrices, immediate)
            }
            (_, operands) => panic!("{self:?} does not take {} operands", operands.len()),
        }
    }
}

fn zip<'a, B>(a: &'a [B], b: &'a [B]) -> impl Iterator<Item = (&'a B, &'a B)> {
    a.iter().zip(b)
}

/// A function of bytes as numbers, which must be known: their sums are not linear.
fn numbers<D: Domain>(
    domain: &D,
    a: &[D::Byte],
    b: &[D::Byte],
    function: fn(u8, u8) -> u8,
) -> Result<Vec<D::Byte>, Refusal> {
    let number = |byte| domain.known(byte).ok_or(Refusal::Sum);
    zip(a, b).map(|(a, b)| Ok(domain.constant(function(number(a)?, number(b)?)))).collect()
}

/// A function of the lanes of two vectors.
fn lanes<B>(
    a: &[B],
    b: &[B],
    mut each: impl FnMut(&[B], &[B]) -> Result<Vec<B>, Refusal>,
) -> Result<Vec<B>, Refusal> {
    let mut result = Vec::with_capacity(a.len());
    for (a, b) in a.chunks_exact(LANE).zip(b.chunks_exact(LANE)) {
        result.extend(each(a, b)?);
    }
    Ok(result)
}

/// A lane shuffled. Where the control is known it moves bytes; else the bytes must be a known table
/// and the control indexes below 16.
fn shuffle<D: Domain>(
    domain: &D,
    data: &[D::Byte],
    control: &[D::Byte],
) -> Result<Vec<D::Byte>, Refusal> {
    let table: Option<Vec<u8>> = data.iter().map(|byte| domain.known(byte)).collect();
    let table = table.and_then(|table| <[u8; LANE]>::try_from(table).ok());
    let pick = |control| match (domain.known(control), &table) {
        (Some(c), _) if c & 0x80 != 0 => Ok(domain.constant(0)),
        (Some(c), _) => Ok(data[usize::from(c & 0x0f)].clone()),
        (None, Some(table)) => domain.look_up(table, control),
        (None, None) => Err(Refusal::Table),
    };
    control.iter().map(pick).collect()
}

/// Bit n of the truth table is the result where the operands' bits a, b, c read n = 4a + 2b + c. As
/// a polynomial over GF(2), whose coefficient for a set of operands is the sum of the table over the
/// subsets of that set.
fn ternary<D: Domain>(domain: &D, table: u8, [a, b, c]: [&D::Byte; 3]) -> Result<D::Byte, Refusal> {
    let mut sum = domain.constant(0);
    for set in 0..8u8 {
        let subsets = (0..8).filter(|subset| subset & !set == 0);
        if subsets.fold(0, |sum, subset| sum ^ ((table >> subset) & 1)) == 0 {
            continue;
        }
        let mut product = domain.constant(0xff);
        for (operand, weight) in [(a, 4), (b, 2), (c, 1)] {
            if set & weight != 0 {
                product = domain.and(&product, operand)?;
            }
        }
        sum = domain.xor(&sum, &product);
    }
    Ok(sum)
}

/// Of each lane eight bytes from `start` on, those of `a` and of `b` in turn.
fn unpack<B: Clone>(a: &[B], b: &[B], start: usize) -> Vec<B> {
    let lanes = a.chunks_exact(LANE).zip(b.chunks_exact(LANE));
    let half = start..start + LANE / 2;
    let pairs = lanes.flat_map(|(a, b)| zip(&a[half.clone()], &b[half.clone()]));
    pairs.flat_map(|(a, b)| [a.clone(), b.clone()]).collect()
}

/// Each byte under the matrix in its quadword and the constant: bit i of the result is the parity of
/// the byte and the quadword's byte 7 - i, plus bit i of the constant.
fn affine<D: Domain>(
    domain: &D,
    x: &[D::Byte],
    matrices: &[D::Byte],
    constant: u8,
) -> Result<Vec<D::Byte>, Refusal> {
    let mut results = Vec::with_capacity(x.len());
    for (x, quadword) in x.chunks_exact(8).zip(matrices.chunks_exact(8)) {
        let mut rows = [0; 8];
        for (row, byte) in rows.iter_mut().rev().zip(quadword) {
            *row = domain.known(byte).ok_or(Refusal::Matrix)?;
        }
        let map = Affine { matrix: BitMatrix::from_rows(rows), constant };
        results.extend(x.iter().map(|x| domain.affine(map, x)));
    }
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::super::domain::{Concrete, Form, Symbolic};
    use super::*;

    fn vector(domain: &mut Symbolic) -> Vec<Form> {
        (0..LANE).map(|_| domain.fresh()).collect()
    }

    #[test]
    fn unpacks_stay_within_lanes() {
        let a: Vec<u8> = (0..32).collect();
        let b: Vec<u8> = (100..132).collect();
        let low = VectorOp::UnpackLow8.apply(&mut Concrete, &[&a, &b], 0).unwrap();
        assert_eq!(low[..4], [0, 100, 1, 101]);
        assert_eq!(low[16..20], [16, 116, 17, 117]);
        let high = VectorOp::UnpackHigh8.apply(&mut Concrete, &[&a, &b], 0).unwrap();
        assert_eq!(high[..4], [8, 108, 9, 109]);
        assert_eq!(high[28..], [30, 130, 31, 131]);
    }

    #[test]
    fn a_truth_table_is_read_with_the_first_operand_on_top() {
        let (a, b, c) = ([0xf0; LANE], [0xcc; LANE], [0xaa; LANE]);
        for table in 0..=255 {
            let result = VectorOp::Ternary.apply(&mut Concrete, &[&a, &b, &c], table).unwrap();
            assert_eq!(result, [table; LANE]);
        }
    }

    /// Of the 256 functions of three bits, those that are affine go through and no other.
    #[test]
    fn affine_truth_tables_are_exact_and_others_refused() {
        let mut domain = Symbolic::default();
        let [a, b, c] = [(); 3].map(|()| vector(&mut domain));
        let mut accepted = 0;
        for table in 0..=255 {
            match VectorOp::Ternary.apply(&mut domain, &[&a, &b, &c], table) {
                Ok(_) => accepted += 1,
                Err(refusal) => assert_eq!(refusal, Refusal::Product),
            }
        }
        assert_eq!(accepted, 16);
        let sum = VectorOp::Ternary.apply(&mut domain, &[&a, &b, &c], 0x96).unwrap();
        for i in 0..LANE {
            let expected = domain.xor(&domain.xor(&a[i], &b[i]), &c[i]);
            assert_eq!(sum[i], expected);
        }
    }

    #[test]
    fn sums_of_unknown_numbers_are_refused() {
        let mut domain = Symbolic::default();
        let unknown = vector(&mut domain);
        let known: Vec<Form> = (0..LANE).map(|i| domain.constant(200 + i as u8)).collect();
        let expected = [
            (VectorOp::Add8, 144),
            (VectorOp::AddSaturating8, 255),
            (VectorOp::SubtractSaturating8, 0),
        ];
        for (op, first) in expected {
            for operands in [[&*unknown, &*known], [&*known, &*unknown]] {
                assert_eq!(op.apply(&mut domain, &operands, 0), Err(Refusal::Sum));
            }
            let result = op.apply(&mut domain, &[&known, &known], 0).unwrap();
            assert_eq!(result[0].known(), Some(first));
        }
    }

    #[test]
    fn an_unknown_matrix_is_refused() {
        let mut domain = Symbolic::default();
        let [a, b] = [(); 2].map(|()| vector(&mut domain));
        for op in [VectorOp::Affine, VectorOp::AffineInverse] {
            assert_eq!(op.apply(&mut domain, &[&a, &b], 0), Err(Refusal::Matrix));
        }
    }
}
