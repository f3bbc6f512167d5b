//! ARIA's diffusion layer on one block, for the decryption keys (RFC 5794, section 2.4.3).
//!
//! Shifts and exclusive ors of four words: constant time. A block is its sixteen bytes read as a
//! big-endian number, as in the document. Kernels have their own way to compute the layer.

/// A, the diffusion layer (RFC 5794, section 2.4.3), an involution.
///
/// The 16×16 matrix factors into additions within and between the four 32-bit words and a fixed
/// permutation of bytes. In each of the first two kinds, an output is the sum of all inputs but
/// one. A test compares this with the document's sixteen equations on a basis.
///
/// ```text
/// bytes   y_i = x_j + x_k + x_l, the three others of the word
/// words   0 ← 0 1 2    1 ← 0 2 3    2 ← 0 1 3    3 ← 1 2 3
/// turn    0123 stays   0123 → 1032  0123 → 2301  0123 → 3210   in words 0, 1, 2, 3
/// words   as before
/// ```
pub(crate) fn a(x: u128) -> u128 {
    let [t0, t1, t2, t3] = mix_words(split(x).map(mix_bytes));
    join(mix_words([t0, t1.swap_bytes().rotate_left(16), t2.rotate_left(16), t3.swap_bytes()]))
}

/// Each byte becomes the sum of the other three of its word.
fn mix_bytes(word: u32) -> u32 {
    word.rotate_left(8) ^ word.rotate_left(16) ^ word.rotate_left(24)
}

/// Each word becomes the sum of three, as drawn at [`a`].
fn mix_words([t0, t1, t2, t3]: [u32; 4]) -> [u32; 4] {
    let sum = t0 ^ t1 ^ t2 ^ t3;
    [sum ^ t3, sum ^ t1, sum ^ t2, sum ^ t0]
}

/// The four words of a block, the first bytes first.
const fn split(x: u128) -> [u32; 4] {
    [(x >> 96) as u32, (x >> 64) as u32, (x >> 32) as u32, x as u32]
}

const fn join([t0, t1, t2, t3]: [u32; 4]) -> u128 {
    (t0 as u128) << 96 | (t1 as u128) << 64 | (t2 as u128) << 32 | t3 as u128
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 5794, section 2.4.3: byte j of the result is the sum of these bytes.
    #[rustfmt::skip]
    const EQUATIONS: [[usize; 7]; 16] = [
        [3, 4, 6, 8, 9, 13, 14],  [2, 5, 7, 8, 9, 12, 15],
        [1, 4, 6, 10, 11, 12, 15], [0, 5, 7, 10, 11, 13, 14],
        [0, 2, 5, 8, 11, 14, 15], [1, 3, 4, 9, 10, 14, 15],
        [0, 2, 7, 9, 10, 12, 13], [1, 3, 6, 8, 11, 12, 13],
        [0, 1, 4, 7, 10, 13, 15], [0, 1, 5, 6, 11, 12, 14],
        [2, 3, 5, 6, 8, 13, 15],  [2, 3, 4, 7, 9, 12, 14],
        [1, 2, 6, 7, 9, 11, 12],  [0, 3, 6, 7, 8, 10, 13],
        [0, 3, 4, 5, 9, 11, 14],  [1, 2, 4, 5, 8, 10, 15],
    ];

    #[test]
    fn diffusion_equals_the_equations_on_a_basis() {
        for bit in 0..128 {
            let x = (1u128 << bit).to_be_bytes();
            let y: [u8; 16] = EQUATIONS.map(|row| row.iter().fold(0, |sum, &i| sum ^ x[i]));
            assert_eq!(a(1 << bit), u128::from_be_bytes(y), "bit {bit}");
            assert_eq!(a(a(1 << bit)), 1 << bit, "bit {bit}");
        }
    }
}
