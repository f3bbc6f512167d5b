//! The last rounds of AES over any domain: what AESENCLAST and AESDECLAST do to a lane.
//!
//! FIPS 197: byte r + 4c of the state is row r, column c. ShiftRows (section 5.1.2) takes row r of
//! column c from column c + r; SubBytes (5.1.1) inverts and applies an affine map.

use super::super::domain::Domain;
use crate::math::Affine;

/// Columns of the state, which are rows of it, too.
const SIDE: usize = 4;

/// FIPS 197, section 5.1.1: b'_i = b_i + b_(i+4) + b_(i+5) + b_(i+6) + b_(i+7) + c_i, c = 63.
fn sub_bytes() -> Affine {
    let map = |b: u8| {
        let bit = |i: u32| (b >> (i % 8)) & 1;
        let sums = (0..8).map(|i| (bit(i) ^ (4..8).fold(0, |s, k| s ^ bit(i + k))) << i);
        sums.fold(0x63, |sum, bit| sum ^ bit)
    };
    Affine::from_fn(map).expect("sums of bits and a constant are affine")
}

/// The place from which ShiftRows fills `place`.
fn shifted(place: usize) -> usize {
    let (column, row) = (place / SIDE, place % SIDE);
    SIDE * ((column + row) % SIDE) + row
}

/// ShiftRows, SubBytes, the key added.
pub(super) fn encrypt_last<D: Domain>(
    domain: &mut D,
    state: &[D::Byte],
    key: &[D::Byte],
) -> Vec<D::Byte> {
    let map = sub_bytes();
    let place = |place| {
        let inverse = domain.inverse(&state[shifted(place)]);
        let substituted = domain.affine(map, &inverse);
        domain.xor(&substituted, &key[place])
    };
    (0..state.len()).map(place).collect()
}

/// InvShiftRows, InvSubBytes, the key added.
pub(super) fn decrypt_last<D: Domain>(
    domain: &mut D,
    state: &[D::Byte],
    key: &[D::Byte],
) -> Vec<D::Byte> {
    let map = sub_bytes().inverse().expect("SubBytes is a permutation");
    let mut result = key.to_vec();
    for (place, byte) in state.iter().enumerate() {
        let argument = domain.affine(map, byte);
        let substituted = domain.inverse(&argument);
        let target = &mut result[shifted(place)];
        *target = domain.xor(target, &substituted);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::super::super::domain::Concrete;
    use super::*;

    /// FIPS 197, appendix B: round 10 of the cipher, from the state after round 9.
    #[test]
    fn the_last_round_of_fips_197_appendix_b() {
        let bytes = |number: u128| number.to_be_bytes().to_vec();
        let state = bytes(0xeb40_f21e_592e_3884_8ba1_13e7_1bc3_42d2);
        let key = bytes(0xd014_f9a8_c9ee_2589_e13f_0cc8_b663_0ca6);
        let output = bytes(0x3925_841d_02dc_09fb_dc11_8597_196a_0b32);
        assert_eq!(encrypt_last(&mut Concrete, &state, &key), output);
    }

    #[test]
    fn decryption_undoes_encryption() {
        let state: Vec<u8> = (0..16).map(|i| 0x0d * i).collect();
        let zero = vec![0; 16];
        let there = encrypt_last(&mut Concrete, &state, &zero);
        assert_eq!(decrypt_last(&mut Concrete, &there, &zero), state);
    }
}
