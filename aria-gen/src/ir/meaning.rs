//! What instructions do to bytes.
//!
//! After the Intel SDM, volume 2: PUNPCKLBW, PSHUFB, PSLLW, PSRLW, GF2P8AFFINEQB, GF2P8AFFINEINVQB,
//! AESENCLAST, AESDECLAST; AES itself after FIPS 197. `tests/hardware_model.rs` compares these
//! functions with silicon.

use std::sync::LazyLock;

use crate::math::{Affine, BitMatrix, gf256};

/// The exclusive or of vectors of the same length.
pub(super) fn xor<'a>(operands: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let add = |sum: Vec<u8>, operand: &[u8]| sum.iter().zip(operand).map(|(s, x)| s ^ x).collect();
    let mut operands = operands;
    let first = operands.next().map(<[u8]>::to_vec).unwrap_or_default();
    operands.fold(first, add)
}

/// The bitwise and of two vectors.
pub(super) fn and(a: &[u8], b: &[u8]) -> Vec<u8> {
    a.iter().zip(b).map(|(a, b)| a & b).collect()
}

/// PSLLW: each 16-bit word, least significant byte first, shifted left.
pub(super) fn shift_left_16(a: &[u8], count: u8) -> Vec<u8> {
    let words = a.as_chunks::<2>().0.iter().map(|word| u16::from_le_bytes(*word));
    words.flat_map(|word| (word << count).to_le_bytes()).collect()
}

/// PSRLW: each 16-bit word, least significant byte first, shifted right.
pub(super) fn shift_right_16(a: &[u8], count: u8) -> Vec<u8> {
    let words = a.as_chunks::<2>().0.iter().map(|word| u16::from_le_bytes(*word));
    words.flat_map(|word| (word >> count).to_le_bytes()).collect()
}

/// PSHUFB in each lane.
pub(super) fn shuffle_bytes(data: &[u8], control: &[u8]) -> Vec<u8> {
    let lanes = data.as_chunks::<16>().0.iter().zip(control.as_chunks::<16>().0);
    let pick = |data: &[u8; 16], c: u8| if c & 0x80 == 0 { data[usize::from(c & 15)] } else { 0 };
    lanes.flat_map(|(data, control)| control.map(|c| pick(data, c))).collect()
}

/// PUNPCKLBW (`from` 0) and PUNPCKHBW (`from` 8) in each lane.
pub(super) fn interleave(a: &[u8], b: &[u8], from: usize) -> Vec<u8> {
    let lanes = a.chunks_exact(16).zip(b.chunks_exact(16));
    lanes.flat_map(|(a, b)| (from..from + 8).flat_map(|i| [a[i], b[i]])).collect()
}

/// GF2P8AFFINEQB: each 64-bit word of `matrices` maps the eight bytes of `data` beside it, after
/// `first` has been applied to them.
pub(super) fn affine(
    data: &[u8],
    matrices: &[u8],
    constant: u8,
    first: impl Fn(u8) -> u8,
) -> Vec<u8> {
    let words = data.as_chunks::<8>().0.iter().zip(matrices.as_chunks::<8>().0);
    words
        .flat_map(|(bytes, word)| {
            let matrix = BitMatrix::from_gfni(u64::from_le_bytes(*word));
            bytes.map(|x| Affine { matrix, constant }.apply(first(x)))
        })
        .collect()
}

/// The S-box of AES, FIPS 197 section 5.1.1, and its inverse.
static AES_SBOX: LazyLock<([u8; 256], [u8; 256])> = LazyLock::new(|| {
    let mut forward = [0; 256];
    let mut backward = [0; 256];
    for x in 0..=255_u8 {
        let inverse = gf256::inverse(x);
        let rotated = (1..5).map(|count| inverse.rotate_left(count));
        let y = rotated.fold(inverse, |sum, term| sum ^ term) ^ 0x63;
        forward[usize::from(x)] = y;
        backward[usize::from(y)] = x;
    }
    (forward, backward)
});

/// The byte that ShiftRows, FIPS 197 section 5.1.2, puts at each place: row r of column c comes
/// from column c + r.
#[must_use]
pub fn shift_rows() -> [u8; 16] {
    core::array::from_fn(|place| {
        let (column, row) = (place / 4, place % 4);
        (4 * ((column + row) % 4) + row) as u8
    })
}

/// AESENCLAST in each lane.
pub(super) fn aes_encrypt_last(state: &[u8], key: &[u8]) -> Vec<u8> {
    let from = shift_rows();
    let lanes = state.as_chunks::<16>().0.iter().zip(key.as_chunks::<16>().0);
    lanes
        .flat_map(|(state, key)| {
            core::array::from_fn::<u8, 16, _>(|place| {
                let x = state[usize::from(from[place])];
                AES_SBOX.0[usize::from(x)] ^ key[place]
            })
        })
        .collect()
}

/// AESDECLAST in each lane.
pub(super) fn aes_decrypt_last(state: &[u8], key: &[u8]) -> Vec<u8> {
    let to = shift_rows();
    let lanes = state.as_chunks::<16>().0.iter().zip(key.as_chunks::<16>().0);
    lanes
        .flat_map(|(state, key)| {
            let mut result = *key;
            for (place, &x) in state.iter().enumerate() {
                // InvShiftRows sends each byte where ShiftRows takes it from.
                result[usize::from(to[place])] ^= AES_SBOX.1[usize::from(x)];
            }
            result
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shift_rows_has_order_four() {
        let rows = shift_rows();
        let again = |p: [u8; 16]| p.map(|i| rows[usize::from(i)]);
        assert_ne!(again(rows), core::array::from_fn(|i| i as u8));
        assert_eq!(again(again(again(rows))), core::array::from_fn(|i| i as u8));
    }

    #[test]
    fn decryption_undoes_encryption() {
        let state: Vec<u8> = (0..32).map(|i| i * 7).collect();
        let zero = [0; 32];
        assert_eq!(aes_decrypt_last(&aes_encrypt_last(&state, &zero), &zero), state);
    }

    #[test]
    fn the_s_box_has_the_published_corners() {
        // FIPS 197, figure 7.
        assert_eq!(AES_SBOX.0[..4], [0x63, 0x7c, 0x77, 0x7b]);
        assert_eq!(AES_SBOX.0[0xff], 0x16);
    }
}
