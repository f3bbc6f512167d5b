//! The key schedule (RFC 5794, section 2.2), constant time, both directions: by a kernel where there
//! is one, else by the portable FO and FE.
//!
//! Round keys are made as the bytes of the document; how they are kept, and what kernels want of them,
//! is for `forms`. It is not known here which kernels there are. FO and FE are those of the portable
//! kernel, which are constant time on any CPU.

use aria_kernels::{diffuse, fe, fo};
use zeroize::Zeroizing;

use crate::keys::{EXPANDED, KeysKernel, MAX_ROUND_KEYS};
use crate::wiped::Wiped;

/// C1, C2 and C3 of section 2.2: the first 384 bits of the fraction of 1/π.
const C: [u128; 3] = [
    0x517c_c1b7_2722_0a94_fe13_abe8_fa9a_6ee0,
    0x6db1_4acc_9e21_c820_ff28_b1d5_ef5d_e2b0,
    0xdb92_371d_2126_e970_0324_9775_04e8_c90e,
];

/// By how many bits W(i+1) is turned right for each four round keys; turns to the left, by 61, 31
/// and 19 bits, are written as turns to the right.
const TURNS: [u32; 5] = [19, 31, 128 - 61, 128 - 31, 128 - 19];

/// The round keys of one direction, in the order of use; wiped when dropped.
#[derive(Clone)]
pub(crate) struct RoundKeys<const RK: usize>(Wiped<u8, RK>);

impl<const RK: usize> RoundKeys<RK> {
    /// ek1 … ek(n+1) for a key of 16, 24 or 32 bytes, which is what 13, 15 or 17 round keys take.
    pub(crate) fn encryption(key: &[u8], kernel: Option<KeysKernel>) -> Self {
        match kernel {
            Some(kernel) => Self::encryption_of(&expand::<RK>(kernel, key)),
            None => Self::portable(key),
        }
    }

    /// ek1 … ek(n+1) and dk1 … dk(n+1).
    pub(crate) fn both(key: &[u8], kernel: Option<KeysKernel>) -> (Self, Self) {
        match kernel {
            Some(kernel) => {
                let expanded = expand::<RK>(kernel, key);
                (Self::encryption_of(&expanded), Self::decryption_of(&expanded))
            }
            None => {
                let ek = Self::portable(key);
                let dk = Self::decryption(&ek);
                (ek, dk)
            }
        }
    }

    /// The encryption round keys among what a kernel makes.
    fn encryption_of(expanded: &[[u8; 16]; EXPANDED]) -> Self {
        let mut ek = Self(Wiped::zero());
        ek.0.copy_from_slice(&expanded[..RK]);
        ek
    }

    /// The decryption round keys among what a kernel makes: the reverse order, A of all but the
    /// outer two.
    fn decryption_of(expanded: &[[u8; 16]; EXPANDED]) -> Self {
        let (keys, images) = expanded.split_at(MAX_ROUND_KEYS);
        let mut dk = Self(Wiped::zero());
        for (rk, image) in dk.0.iter_mut().zip(images[..RK].iter().rev()) {
            *rk = *image;
        }
        dk.0[0] = keys[RK - 1];
        dk.0[RK - 1] = keys[0];
        dk
    }

    fn portable(key: &[u8]) -> Self {
        let w = key_words::<RK>(key);
        let mut ek = Self(Wiped::zero());
        for (i, rk) in ek.0.iter_mut().enumerate() {
            *rk = (w[i % 4] ^ w[(i + 1) % 4].rotate_right(TURNS[i / 4])).to_be_bytes();
        }
        ek
    }

    /// dk1 … dk(n+1) from ek1 … ek(n+1): the reverse order, with A on all but the outer two.
    pub(crate) fn decryption(ek: &Self) -> Self {
        let mut dk = ek.clone();
        dk.0.reverse();
        if let [_, inner @ .., _] = &mut dk.0[..] {
            for rk in inner {
                *rk = diffuse(*rk);
            }
        }
        dk
    }

    /// The round keys, 16 bytes each.
    pub(crate) fn as_bytes(&self) -> &[[u8; 16]; RK] {
        &self.0
    }

    /// The same, to be changed in place.
    pub(crate) fn as_mut(&mut self) -> &mut [[u8; 16]; RK] {
        &mut self.0
    }
}

/// A function of a block, on the number that it is.
fn on_number(function: fn([u8; 16]) -> [u8; 16], x: u128) -> u128 {
    u128::from_be_bytes(function(x.to_be_bytes()))
}

/// CK1, CK2 and CK3: C1, C2, C3 for 128-bit keys, starting one further on for each larger size.
const fn constants<const RK: usize>() -> [u128; 3] {
    const { assert!(matches!(RK, 13 | 15 | 17)) };
    let first = (RK - 13) / 2;
    [C[first % 3], C[(first + 1) % 3], C[(first + 2) % 3]]
}

/// KL and KR: the key, padded with zero bytes.
fn padded(key: &[u8]) -> Wiped<u8, 2> {
    let mut padded = Wiped::zero();
    for (to, from) in padded.as_flattened_mut().iter_mut().zip(key) {
        *to = *from;
    }
    padded
}

/// All that a kernel makes of a key.
fn expand<const RK: usize>(kernel: KeysKernel, key: &[u8]) -> Wiped<u8, EXPANDED> {
    let mut expanded = Wiped::zero();
    kernel.run(&constants::<RK>().map(u128::to_be_bytes), &padded(key), &mut expanded);
    expanded
}

/// W0 … W3.
fn key_words<const RK: usize>(key: &[u8]) -> Zeroizing<[u128; 4]> {
    let ck = constants::<RK>();
    let [kl, kr] = padded(key).map(u128::from_be_bytes);

    let mut w = Zeroizing::new([0; 4]);
    w[0] = kl;
    w[1] = on_number(fo, w[0] ^ ck[0]) ^ kr;
    w[2] = on_number(fe, w[1] ^ ck[1]) ^ w[0];
    w[3] = on_number(fo, w[2] ^ ck[2]) ^ w[1];
    w
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;
    use crate::token::Token;

    fn key<const N: usize>() -> [u8; N] {
        core::array::from_fn(|i| u8::try_from(i).unwrap())
    }

    /// RFC 5794, appendix A.1: the 128-bit key's W0 … W3 and e1 … e13.
    #[test]
    fn rfc_5794_a1_round_keys() {
        assert_eq!(
            *key_words::<13>(&key::<16>()),
            [
                0x000102030405060708090a0b0c0d0e0f,
                0x2afbea741e1746dd55c63ba1afcea0a5,
                0x7c8578018bb127e02dfe4e78c288e33c,
                0x6785b52b74da46bf181054082763ff6d,
            ]
        );
        assert_eq!(
            RoundKeys::<13>::encryption(&key::<16>(), None).0.map(u128::from_be_bytes),
            [
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
            ]
        );
    }

    /// A compiler once broke just this part elsewhere (randombit/botan issue 3465). Both values
    /// come from OpenSSL 3.0.
    #[test]
    fn second_decryption_key_by_value() {
        let dk = RoundKeys::decryption(&RoundKeys::<13>::encryption(&key::<16>(), None));
        assert_eq!(u128::from_be_bytes(dk.0[1]), 0xccb3a0230b6dac1d53eef49d961aa57f);
        let dk = RoundKeys::decryption(&RoundKeys::<17>::encryption(&key::<32>(), None));
        assert_eq!(u128::from_be_bytes(dk.0[1]), 0xfd62e7342bfde4dbd9499dbb605b04bf);
    }

    #[test]
    fn decryption_keys_of_decryption_keys_are_encryption_keys() {
        let ek = RoundKeys::<15>::encryption(&key::<24>(), None);
        let dk = RoundKeys::decryption(&ek);
        assert_eq!(RoundKeys::decryption(&dk).as_bytes(), ek.as_bytes());
    }

    /// Whatever this CPU's kernels make of a key is what the portable rounds make of it.
    #[test]
    fn kernels_make_the_same_keys() {
        fn check<const RK: usize>(kernel: KeysKernel, key: &[u8]) {
            let portable = RoundKeys::<RK>::both(key, None);
            let (ek, dk) = RoundKeys::<RK>::both(key, Some(kernel));
            assert_eq!(
                (ek.as_bytes(), dk.as_bytes()),
                (portable.0.as_bytes(), portable.1.as_bytes())
            );
            assert_eq!(RoundKeys::<RK>::encryption(key, Some(kernel)).as_bytes(), ek.as_bytes());
        }
        let permitted = |row| KeysKernel::permitted(Token::detect(), row);
        for kernel in table::rows().filter_map(permitted) {
            check::<13>(kernel, &key::<16>());
            check::<15>(kernel, &key::<24>());
            check::<17>(kernel, &key::<32>());
        }
    }
}
