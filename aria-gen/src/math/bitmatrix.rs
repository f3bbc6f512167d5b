//! 8×8 matrices over GF(2), acting on the bits of a byte, and their packing for GFNI.
//!
//! It knows linear algebra and, in [`BitMatrix::to_gfni`], the operand order of GF2P8AFFINEQB
//! (Intel SDM vol. 2). It knows neither constants to add (that is [`Affine`](super::Affine)) nor
//! where its matrices come from.
//!
//! Two orders of writing a row meet here, and taking one for the other mirrors the input byte:
//!
//! - *stored*: a row is a byte, bit j of which belongs to input bit j. A Rust literal shows bit 7
//!   at the left.
//! - *printed*: FIPS 197 and the papers put input bit 0 at the left. [`Display`](fmt::Display)
//!   prints so, and [`BitMatrix::from_printed_rows`] reads so.

use std::fmt;
use std::ops::Mul;

/// An 8×8 matrix over GF(2): a linear map from bytes to bytes.
///
/// Row i yields output bit i; bit j of a row (bit 0 the least significant) says whether input bit
/// j contributes.
///
/// Its [`Display`](fmt::Display) prints eight rows of binary digits, one a line without a trailing
/// newline, as papers do: the row of output bit 0 first, and in each row the digit of input bit 0
/// first. So the identity shows its ones from top left to bottom right.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BitMatrix {
    rows: [u8; 8],
}

impl BitMatrix {
    /// The matrix that leaves every byte as it is.
    pub const IDENTITY: Self = Self::from_rows([1, 2, 4, 8, 16, 32, 64, 128]);

    /// The matrix with these rows: `rows[i]` yields output bit i, its bit j is for input bit j.
    #[must_use]
    pub const fn from_rows(rows: [u8; 8]) -> Self {
        Self { rows }
    }

    /// The matrix with rows as papers print them: the leftmost (most significant) binary digit of
    /// each literal is for input bit 0. The row of output bit 0 comes first, as in
    /// [`from_rows`](Self::from_rows).
    #[must_use]
    pub const fn from_printed_rows(mut rows: [u8; 8]) -> Self {
        let mut i = 0;
        while i < 8 {
            rows[i] = rows[i].reverse_bits();
            i += 1;
        }
        Self { rows }
    }

    /// The rows, in the order of [`from_rows`](Self::from_rows).
    #[must_use]
    pub const fn rows(self) -> [u8; 8] {
        self.rows
    }

    /// The matrix of `f`, or `None` when `f` is not linear over GF(2). The images of the eight
    /// single bits fix the matrix; it is then compared with `f` on all 256 bytes.
    #[must_use]
    pub fn from_fn_linear(f: impl Fn(u8) -> u8) -> Option<Self> {
        let columns = std::array::from_fn(|j| f(1 << j));
        let matrix = Self::from_rows(columns).transpose();
        (0..=255).all(|x| matrix.apply(x) == f(x)).then_some(matrix)
    }

    /// The product of the matrix and the byte, taken as a column of bits.
    #[must_use]
    pub fn apply(self, x: u8) -> u8 {
        (0..8).fold(0, |y, i| y | (parity(self.rows[i] & x) << i))
    }

    /// The inverse matrix, or `None` when the matrix is singular. Gauss-Jordan elimination.
    #[must_use]
    pub fn inverse(self) -> Option<Self> {
        let mut left = self.rows;
        let mut right = Self::IDENTITY.rows;
        for column in 0..8 {
            let has_column = |row: u8| (row >> column) & 1 == 1;
            let pivot = (column..8).find(|&i| has_column(left[i]))?;
            left.swap(column, pivot);
            right.swap(column, pivot);

            let (pivot_left, pivot_right) = (left[column], right[column]);
            for i in (0..8).filter(|&i| i != column) {
                if has_column(left[i]) {
                    left[i] ^= pivot_left;
                    right[i] ^= pivot_right;
                }
            }
        }
        Some(Self::from_rows(right))
    }

    /// The matrix with rows and columns exchanged.
    #[must_use]
    pub fn transpose(self) -> Self {
        Self::from_rows(std::array::from_fn(|j| {
            (0..8).fold(0, |row, i| row | (((self.rows[i] >> j) & 1) << i))
        }))
    }

    /// The quadword that GF2P8AFFINEQB and GF2P8AFFINEINVQB take as matrix.
    ///
    /// Intel SDM vol. 2, GF2P8AFFINEQB: result bit i is
    /// `parity(src2.byte[7-i] AND src1.byte) XOR imm8.bit[i]`. So row 0 is the most significant
    /// byte, while the bits within a row keep their places.
    #[must_use]
    pub const fn to_gfni(self) -> u64 {
        u64::from_be_bytes(self.rows)
    }

    /// The matrix that a quadword means to GF2P8AFFINEQB; the inverse of
    /// [`to_gfni`](Self::to_gfni).
    #[must_use]
    pub const fn from_gfni(packed: u64) -> Self {
        Self::from_rows(packed.to_be_bytes())
    }
}

/// Composition, right factor first: `(a * b).apply(x) == a.apply(b.apply(x))`.
impl Mul for BitMatrix {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        // A row of the product is a row of `self` times `other`, which is `otherᵀ` times that row
        // taken as a column.
        let transposed = other.transpose();
        Self::from_rows(self.rows.map(|row| transposed.apply(row)))
    }
}

impl fmt::Display for BitMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, row) in self.rows.iter().enumerate() {
            let line_break = if i == 0 { "" } else { "\n" };
            write!(f, "{line_break}{:08b}", row.reverse_bits())?;
        }
        Ok(())
    }
}

/// The sum of the bits over GF(2).
fn parity(x: u8) -> u8 {
    (x.count_ones() & 1) as u8
}

#[cfg(test)]
mod tests {
    use super::super::gf256;
    use super::*;

    /// The matrix of the AES S-box as FIPS 197 section 5.1.1 prints it: invertible, and neither
    /// symmetric nor a field multiplication, so that a wrong order of anything shows.
    const AES: BitMatrix = BitMatrix::from_printed_rows([
        0b1000_1111,
        0b1100_0111,
        0b1110_0011,
        0b1111_0001,
        0b1111_1000,
        0b0111_1100,
        0b0011_1110,
        0b0001_1111,
    ]);

    /// The 64 matrices with a single one: a basis of all matrices.
    fn basis() -> impl Iterator<Item = BitMatrix> {
        (0..64).map(|k| {
            let mut rows = [0; 8];
            rows[k / 8] = 1 << (k % 8);
            BitMatrix::from_rows(rows)
        })
    }

    /// x ↦ a·x in the field.
    fn multiplication_by(a: u8) -> BitMatrix {
        BitMatrix::from_fn_linear(|x| gf256::mul(a, x)).unwrap()
    }

    /// `affine_byte` of the Intel SDM, GF2P8AFFINEQB, without the constant, line by line.
    fn affine_byte(tsrc2qw: u64, src1byte: u8) -> u8 {
        let mut retbyte = 0;
        for i in 0..8 {
            let byte = tsrc2qw.to_le_bytes()[7 - i];
            let mut t = 0;
            for bit in 0..8 {
                t ^= ((byte & src1byte) >> bit) & 1;
            }
            retbyte |= t << i;
        }
        retbyte
    }

    #[test]
    fn identity_leaves_every_byte() {
        for x in 0..=255 {
            assert_eq!(BitMatrix::IDENTITY.apply(x), x);
        }
    }

    #[test]
    fn a_single_one_moves_input_bit_j_to_output_bit_i() {
        for i in 0..8 {
            for j in 0..8 {
                let mut rows = [0; 8];
                rows[i] = 1 << j;
                let matrix = BitMatrix::from_rows(rows);
                for x in 0..=255 {
                    assert_eq!(matrix.apply(x), ((x >> j) & 1) << i, "row {i} column {j}");
                }
            }
        }
    }

    /// Both sides are linear in the matrix, so the basis stands for all 2⁶⁴ matrices.
    #[test]
    fn gfni_packing_means_the_same_to_the_pseudo_code_of_the_sdm() {
        for matrix in basis() {
            for x in 0..=255 {
                assert_eq!(affine_byte(matrix.to_gfni(), x), matrix.apply(x), "\n{matrix}\n{x}");
            }
        }
    }

    #[test]
    fn gfni_packing_of_the_identity_and_of_the_aes_matrix() {
        assert_eq!(BitMatrix::IDENTITY.to_gfni(), 0x0102_0408_1020_4080);
        assert_eq!(AES.to_gfni(), 0xf1e3_c78f_1f3e_7cf8);
    }

    #[test]
    fn gfni_packing_is_undone() {
        for matrix in basis().chain([AES, BitMatrix::IDENTITY]) {
            assert_eq!(BitMatrix::from_gfni(matrix.to_gfni()), matrix);
        }
    }

    #[test]
    fn from_fn_linear_recovers_every_matrix() {
        for matrix in basis().chain([AES, BitMatrix::IDENTITY]) {
            assert_eq!(BitMatrix::from_fn_linear(|x| matrix.apply(x)), Some(matrix));
        }
    }

    #[test]
    fn from_fn_linear_refuses_what_is_not_linear() {
        assert_eq!(BitMatrix::from_fn_linear(gf256::inverse), None);
        assert_eq!(BitMatrix::from_fn_linear(|x| x ^ 1), None);
        // Wrong at one input only, and at none of the eight that fix the matrix.
        assert_eq!(BitMatrix::from_fn_linear(|x| if x == 255 { 0 } else { x }), None);
    }

    #[test]
    fn product_applies_the_right_factor_first() {
        for a in 0..=255 {
            let factor = multiplication_by(a);
            for x in 0..=255 {
                assert_eq!((AES * factor).apply(x), AES.apply(gf256::mul(a, x)));
                assert_eq!((factor * AES).apply(x), gf256::mul(a, AES.apply(x)));
            }
        }
        assert_ne!(AES * multiplication_by(2), multiplication_by(2) * AES);
    }

    #[test]
    fn inverse_of_a_field_multiplication_multiplies_by_the_field_inverse() {
        assert_eq!(multiplication_by(0).inverse(), None);
        for a in 1..=255 {
            let inverse = multiplication_by(gf256::inverse(a));
            assert_eq!(multiplication_by(a).inverse(), Some(inverse), "{a:#04x}");
        }
    }

    #[test]
    fn inverse_is_two_sided_and_singular_matrices_have_none() {
        let inverse = AES.inverse().unwrap();
        assert_eq!(AES * inverse, BitMatrix::IDENTITY);
        assert_eq!(inverse * AES, BitMatrix::IDENTITY);

        // Every matrix of rank 7 that drops or repeats a row of an invertible one.
        for i in 0..8 {
            for replacement in (0..8).filter(|&k| k != i).map(|k| AES.rows[k]).chain([0]) {
                let mut rows = AES.rows;
                rows[i] = replacement;
                assert_eq!(BitMatrix::from_rows(rows).inverse(), None, "row {i}");
            }
        }
    }

    #[test]
    fn transposition_exchanges_rows_and_columns() {
        for i in 0..8 {
            for j in 0..8 {
                let single = |row: usize, column: usize| {
                    let mut rows = [0; 8];
                    rows[row] = 1 << column;
                    BitMatrix::from_rows(rows)
                };
                assert_eq!(single(i, j).transpose(), single(j, i));
            }
        }
        let factor = multiplication_by(3);
        assert_eq!((AES * factor).transpose(), factor.transpose() * AES.transpose());
    }

    #[test]
    fn display_prints_the_matrix_as_fips_197_does() {
        let printed = "10001111\n11000111\n11100011\n11110001\n\
                       11111000\n01111100\n00111110\n00011111";
        assert_eq!(AES.to_string(), printed);
    }
}
