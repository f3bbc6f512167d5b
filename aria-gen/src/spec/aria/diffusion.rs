//! ARIA's diffusion layer A: sixteen bytes, each replaced by the sum of seven (RFC 5794 section
//! 2.4.3).
//!
//! This file knows the matrix and its meaning. Cheaper ways to evaluate it (networks of two- and
//! three-input XORs) are not known here; they are checked against these rows.

use super::{BLOCK_BYTES, Block};

/// The matrix by rows: output byte i is the sum of the input bytes in row i.
///
/// It equals its transpose and, being A's inverse as well, its own inverse.
#[rustfmt::skip]
pub const DIFFUSION: [[usize; 7]; BLOCK_BYTES] = [
    [3, 4, 6,  8,  9, 13, 14], // y0
    [2, 5, 7,  8,  9, 12, 15],
    [1, 4, 6, 10, 11, 12, 15],
    [0, 5, 7, 10, 11, 13, 14],
    [0, 2, 5,  8, 11, 14, 15], // y4
    [1, 3, 4,  9, 10, 14, 15],
    [0, 2, 7,  9, 10, 12, 13],
    [1, 3, 6,  8, 11, 12, 13],
    [0, 1, 4,  7, 10, 13, 15], // y8
    [0, 1, 5,  6, 11, 12, 14],
    [2, 3, 5,  6,  8, 13, 15],
    [2, 3, 4,  7,  9, 12, 14],
    [1, 2, 6,  7,  9, 11, 12], // y12
    [0, 3, 6,  7,  8, 10, 13],
    [0, 3, 4,  5,  9, 11, 14],
    [1, 2, 4,  5,  8, 10, 15],
];

/// A, the diffusion layer. It undoes itself.
#[must_use]
pub fn diffuse(x: &Block) -> Block {
    DIFFUSION.map(|row| row.iter().fold(0, |sum, &i| sum ^ x[i]))
}

/// Row `row` of the matrix as a set of bits: bit i tells whether input byte i contributes.
///
/// # Panics
///
/// When `row` is above 15.
#[must_use]
pub fn diffusion_mask(row: usize) -> u16 {
    DIFFUSION[row].iter().fold(0, |mask, &i| mask | (1 << i))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The image of a vector of sixteen bits, byte i shrunk to bit i.
    fn diffuse_bits(x: u16) -> u16 {
        (0..BLOCK_BYTES).fold(0, |y, i| {
            let sum = (diffusion_mask(i) & x).count_ones() & 1;
            y | ((sum as u16) << i)
        })
    }

    /// A is linear, so the 128 blocks of a single bit stand for all.
    #[test]
    fn diffusion_is_an_involution() {
        for bit in 0..128 {
            let block = (1u128 << bit).to_be_bytes();
            assert_eq!(diffuse(&diffuse(&block)), block, "bit {bit}");
        }
    }

    #[test]
    fn rows_name_seven_inputs_in_ascending_order() {
        for (i, row) in DIFFUSION.iter().enumerate() {
            assert!(row.is_sorted_by(|a, b| a < b), "row {i}");
            assert_eq!(diffusion_mask(i).count_ones(), 7, "row {i}");
        }
    }

    #[test]
    fn masks_mean_what_the_layer_does() {
        for i in 0..BLOCK_BYTES {
            let mut unit = [0; BLOCK_BYTES];
            unit[i] = 0xff;
            for (row, byte) in diffuse(&unit).into_iter().enumerate() {
                let contributes = (diffusion_mask(row) >> i) & 1 == 1;
                assert_eq!(byte, if contributes { 0xff } else { 0 }, "row {row} input {i}");
            }
        }
    }

    #[test]
    fn matrix_is_symmetric() {
        for row in 0..BLOCK_BYTES {
            for column in 0..BLOCK_BYTES {
                let entry = |r: usize, c: usize| (diffusion_mask(r) >> c) & 1;
                assert_eq!(entry(row, column), entry(column, row), "{row} {column}");
            }
        }
    }

    /// "Specification of ARIA" (NSRI, 2005), section 1: the branch number is 8, the most that a
    /// 16×16 binary matrix can have.
    #[test]
    fn branch_number_is_eight() {
        let branch = (1..=u16::MAX).map(|x| x.count_ones() + diffuse_bits(x).count_ones()).min();
        assert_eq!(branch, Some(8));
    }
}
