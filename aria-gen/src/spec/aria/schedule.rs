//! ARIA's key scheduling part: from a key to its round keys (RFC 5794 section 2.2).
//!
//! It knows key sizes, their numbers of rounds, and the order of round keys for either direction.
//! It does not know the shapes in which kernels want their round keys, and like all of `spec` it
//! wipes nothing.

use thiserror::Error;

use super::{Block, diffuse, fe, fo};

/// The first 128 bits of the fractional part of 1/π (RFC 5794 section 2.2).
pub const C1: u128 = 0x517c_c1b7_2722_0a94_fe13_abe8_fa9a_6ee0;

/// The second 128 bits of the fractional part of 1/π.
pub const C2: u128 = 0x6db1_4acc_9e21_c820_ff28_b1d5_ef5d_e2b0;

/// The third 128 bits of the fractional part of 1/π.
pub const C3: u128 = 0xdb92_371d_2126_e970_0324_9775_04e8_c90e;

/// Rotations to the right, one for each group of four round keys: the RFC's `>>> 19`, `>>> 31`,
/// `<<< 61`, `<<< 31`, `<<< 19`.
pub const KEY_ROTATIONS: [u32; 5] = [19, 31, 128 - 61, 128 - 31, 128 - 19];

/// Round keys of the largest key.
pub const MAX_ROUND_KEYS: usize = KeySize::K256.rounds() + 1;

/// The size of a key, and all that depends on it alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum KeySize {
    /// 128 bits.
    K128,
    /// 192 bits.
    K192,
    /// 256 bits.
    K256,
}

impl KeySize {
    /// Every key size, the shortest first.
    pub const ALL: [Self; 3] = [Self::K128, Self::K192, Self::K256];

    /// The size of a key of so many bytes.
    ///
    /// # Errors
    ///
    /// [`KeyLengthError`] when ARIA has no keys of this length.
    pub fn from_bytes(bytes: usize) -> Result<Self, KeyLengthError> {
        Self::ALL
            .into_iter()
            .find(|size| size.bytes() == bytes)
            .ok_or(KeyLengthError { actual: bytes })
    }

    /// Bytes in a key.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::K128 => 16,
            Self::K192 => 24,
            Self::K256 => 32,
        }
    }

    /// The number of rounds n; there are n + 1 round keys.
    #[must_use]
    pub const fn rounds(self) -> usize {
        match self {
            Self::K128 => 12,
            Self::K192 => 14,
            Self::K256 => 16,
        }
    }

    /// CK1, CK2 and CK3, the keys of the three rounds that stir the master key.
    #[must_use]
    pub const fn schedule_constants(self) -> [u128; 3] {
        match self {
            Self::K128 => [C1, C2, C3],
            Self::K192 => [C2, C3, C1],
            Self::K256 => [C3, C1, C2],
        }
    }
}

/// A key of a length that ARIA does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error(
    "spec: aria: a key of {actual} bytes; the lengths allowed are {allowed:?}",
    allowed = KeySize::ALL.map(KeySize::bytes)
)]
pub struct KeyLengthError {
    /// The length got, in bytes.
    pub actual: usize,
}

/// The round keys for encryption, ek1 first: one more than [`KeySize::rounds`].
///
/// # Errors
///
/// [`KeyLengthError`] when the key has neither 16 nor 24 nor 32 bytes.
pub fn encryption_keys(key: &[u8]) -> Result<Vec<Block>, KeyLengthError> {
    let size = KeySize::from_bytes(key.len())?;
    let w = generators(size, key);
    let ek = |i: usize| w[i % 4] ^ w[(i + 1) % 4].rotate_right(KEY_ROTATIONS[i / 4]);
    Ok((0..=size.rounds()).map(|i| ek(i).to_be_bytes()).collect())
}

/// The round keys for decryption, dk1 first, from those for encryption: in reverse order, all but
/// the first and the last sent through the diffusion layer. It undoes itself.
#[must_use]
pub fn decryption_keys(encryption: &[Block]) -> Vec<Block> {
    let mut keys: Vec<Block> = encryption.iter().rev().copied().collect();
    if let [_, inner @ .., _] = keys.as_mut_slice() {
        for key in inner {
            *key = diffuse(key);
        }
    }
    keys
}

/// W0 to W3, the "round key generators" of RFC 5794 Appendix A.1: a Feistel cipher of three rounds
/// over KL ‖ KR, the key padded with zero bytes.
fn generators(size: KeySize, key: &[u8]) -> [u128; 4] {
    let mut halves: [Block; 2] = [[0; 16]; 2];
    halves.as_flattened_mut()[..key.len()].copy_from_slice(key);
    let [kl, kr] = halves.map(u128::from_be_bytes);

    let on_numbers = |round: fn(&Block, &Block) -> Block, w: u128, ck: u128| {
        u128::from_be_bytes(round(&w.to_be_bytes(), &ck.to_be_bytes()))
    };
    let [ck1, ck2, ck3] = size.schedule_constants();
    let w0 = kl;
    let w1 = on_numbers(fo, w0, ck1) ^ kr;
    let w2 = on_numbers(fe, w1, ck2) ^ w0;
    let w3 = on_numbers(fo, w2, ck3) ^ w1;
    [w0, w1, w2, w3]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key 00 01 02 … of Appendix A.
    fn appendix_a_key(size: KeySize) -> Vec<u8> {
        (0..=255).take(size.bytes()).collect()
    }

    fn appendix_a_encryption_keys(size: KeySize) -> Vec<Block> {
        encryption_keys(&appendix_a_key(size)).unwrap()
    }

    fn numbers(keys: &[Block]) -> Vec<u128> {
        keys.iter().map(|&key| u128::from_be_bytes(key)).collect()
    }

    #[test]
    fn appendix_a_1_round_key_generators() {
        #[rustfmt::skip]
        let expected = [
            0x000102030405060708090a0b0c0d0e0f,
            0x2afbea741e1746dd55c63ba1afcea0a5,
            0x7c8578018bb127e02dfe4e78c288e33c,
            0x6785b52b74da46bf181054082763ff6d,
        ];
        assert_eq!(generators(KeySize::K128, &appendix_a_key(KeySize::K128)), expected);
    }

    #[test]
    fn appendix_a_1_encryption_round_keys() {
        #[rustfmt::skip]
        let expected = [
            0xd415a75c794b85c5e0d2a0b3cb793bf6,
            0x369c65e4b11777ab713a3e1e6601b8f4,
            0x0368d4f13d14497b6529ad7ac809e7d0,
            0xc644552b549a263fb8d0b50906229eec,
            0x5f9c434951f2d2ef342787b1a781794c,
            0xafea2c0ce71db6de42a47461f4323c54,
            0x324286db44ba4db6c44ac306f2a84b2c,
            0x7f9fa93574d842b9101a58063771eb7b,
            0xaab9c57731fcd213ad5677458fcfe6d4,
            0x2f4423bb06465abada5694a19eb88459,
            0x9f8772808f5d580d810ef8ddac13abeb,
            0x8684946a155be77ef810744847e35fad,
            0x0f0aa16daee61bd7dfee5a599970fb35,
        ];
        assert_eq!(numbers(&appendix_a_encryption_keys(KeySize::K128)), expected);
    }

    /// "Specification of ARIA" (NSRI, 2005), Table 8, for the key of RFC 5794 Appendix A.1.
    #[test]
    fn specification_of_aria_table_8_decryption_round_keys() {
        #[rustfmt::skip]
        let expected = [
            0x0f0aa16daee61bd7dfee5a599970fb35,
            0xccb3a0230b6dac1d53eef49d961aa57f,
            0x60ea3252ac3ea9bc9ac78e79df20b5b5,
            0x5794eadaece652f8a2ccbf68ee82a730,
            0x468a335e49ec1db45d112aaf2109e5bf,
            0x938ebbda880c6bb87fa01c97e68811a9,
            0xbfda5018ab33d14cc538ea5c81bd1011,
            0xb5a90e77d5b94bb56e47af759fcfa05e,
            0x21a6c28c5e1175a4378cd34dd3195a83,
            0x8d726063ca2ceddc92afb45dd7db643e,
            0x27efd355eb17e90e5963c46515016f8d,
            0xd000e81367819b077b0a657f6740e8e4,
            0xd415a75c794b85c5e0d2a0b3cb793bf6,
        ];
        let ek = appendix_a_encryption_keys(KeySize::K128);
        assert_eq!(numbers(&decryption_keys(&ek)), expected);
    }

    /// A compiler once broke exactly this in another library (randombit/botan#3465): encryption
    /// right, decryption wrong. The value is OpenSSL's.
    #[test]
    fn second_decryption_key_of_a_256_bit_key() {
        let dk = decryption_keys(&appendix_a_encryption_keys(KeySize::K256));
        assert_eq!(numbers(&dk)[1], 0xfd62_e734_2bfd_e4db_d949_9dbb_605b_04bf);
    }

    #[test]
    fn decryption_keys_of_decryption_keys_encrypt() {
        for size in KeySize::ALL {
            let ek = appendix_a_encryption_keys(size);
            assert_eq!(ek.len(), size.rounds() + 1);
            assert_eq!(decryption_keys(&decryption_keys(&ek)), ek, "{size:?}");
        }
    }

    #[test]
    fn decryption_keys_of_very_short_lists_are_the_lists_reversed() {
        assert!(decryption_keys(&[]).is_empty());
        assert_eq!(decryption_keys(&[[1; 16]]), [[1; 16]]);
        assert_eq!(decryption_keys(&[[1; 16], [2; 16]]), [[2; 16], [1; 16]]);
    }

    #[test]
    fn only_keys_of_16_24_and_32_bytes_are_accepted() {
        let key = [0; 65];
        for bytes in 0..=64 {
            let accepted = [16, 24, 32].contains(&bytes);
            assert_eq!(encryption_keys(&key[..bytes]).is_ok(), accepted, "{bytes} bytes");
        }
    }

    #[test]
    fn the_error_names_the_length_got_and_those_allowed() {
        assert_eq!(
            encryption_keys(&[0; 17]).unwrap_err().to_string(),
            "spec: aria: a key of 17 bytes; the lengths allowed are [16, 24, 32]"
        );
    }

    /// A number below 2³² in fixed point: a whole limb, then 480 bits of fraction, the most
    /// significant limb first, so that arrays compare as numbers do.
    type Fixed = [u32; 16];

    fn divide(mut x: Fixed, divisor: u64) -> Fixed {
        let mut remainder = 0;
        for limb in &mut x {
            let dividend = (remainder << 32) | u64::from(*limb);
            *limb = (dividend / divisor) as u32;
            remainder = dividend % divisor;
        }
        x
    }

    fn add(mut x: Fixed, y: Fixed) -> Fixed {
        let mut carry = false;
        for (a, b) in x.iter_mut().zip(y).rev() {
            let sum = u64::from(*a) + u64::from(b) + u64::from(carry);
            *a = sum as u32;
            carry = sum > u64::from(u32::MAX);
        }
        x
    }

    fn subtract(x: Fixed, y: Fixed) -> Fixed {
        // Two's complement: the carry out of the whole limb falls off.
        let mut unit = [0; 16];
        unit[15] = 1;
        add(add(x, y.map(|limb| !limb)), unit)
    }

    /// `scale`·arctan(1/n) = `scale`·(1/n - 1/3n³ + 1/5n⁵ - …).
    fn arctan_of_inverse(scale: u32, n: u64) -> Fixed {
        let mut power = [0; 16];
        power[0] = scale;
        power = divide(power, n);
        let (mut sum, mut odd) = ([0; 16], 1);
        while power != [0; 16] {
            let term = divide(power, odd);
            sum = if odd % 4 == 1 { add(sum, term) } else { subtract(sum, term) };
            power = divide(power, n * n);
            odd += 2;
        }
        sum
    }

    /// The constants are digits of 1/π and not merely said to be: "Specification of ARIA" (2005)
    /// prints C1 with one digit wrong. π comes from Machin's formula; its error of less than 2⁻⁴⁶⁰
    /// does not reach the 384 digits.
    #[test]
    fn c1_c2_c3_are_the_first_384_bits_of_the_fraction_of_one_over_pi() {
        // π = 16·arctan(1/5) - 4·arctan(1/239)
        let pi = subtract(arctan_of_inverse(16, 5), arctan_of_inverse(4, 239));
        assert_eq!(pi[..3], [3, 0x243f_6a88, 0x85a3_08d3]);

        let mut remainder = [0; 16];
        remainder[0] = 1;
        for expected in [C1, C2, C3] {
            let mut digits = 0;
            for _ in 0..128 {
                remainder = add(remainder, remainder);
                let digit = remainder >= pi;
                if digit {
                    remainder = subtract(remainder, pi);
                }
                digits = (digits << 1) | u128::from(digit);
            }
            assert_eq!(digits, expected);
        }
    }
}
