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
    /// All zero. To be filled where they stay, since moving them would leave a copy behind.
    pub(crate) fn zero() -> Self {
        Self(Wiped::zero())
    }

    /// Makes these ek1 … ek(n+1), and `dk`, if given, dk1 … dk(n+1), for a key of 16, 24 or 32 bytes,
    /// which is what 13, 15 or 17 round keys take.
    pub(crate) fn fill(&mut self, dk: Option<&mut Self>, key: &[u8], kernel: Option<KeysKernel>) {
        let Some(kernel) = kernel else {
            self.fill_portably(key);
            if let Some(dk) = dk {
                dk.invert(self);
            }
            return;
        };
        let mut expanded = Wiped::<u8, EXPANDED>::zero();
        kernel.run(const { &constant_bytes::<RK>() }, &padded(key), &mut expanded);
        let (keys, images) = expanded.split_at(MAX_ROUND_KEYS);
        copy(self.as_mut(), keys[..RK].iter());
        if let Some(dk) = dk {
            // The reverse order, A of all but the outer two.
            copy(dk.as_mut(), images[..RK].iter().rev());
            dk.0[0] = keys[RK - 1];
            dk.0[RK - 1] = keys[0];
        }
    }

    fn fill_portably(&mut self, key: &[u8]) {
        let w = key_words::<RK>(key);
        for (i, rk) in self.0.iter_mut().enumerate() {
            *rk = (w[i % 4] ^ w[(i + 1) % 4].rotate_right(TURNS[i / 4])).to_be_bytes();
        }
    }

    /// Makes these dk1 … dk(n+1) of ek1 … ek(n+1), or the other way round: the reverse order, with A on
    /// all but the outer two.
    pub(crate) fn invert(&mut self, ek: &Self) {
        copy(self.as_mut(), ek.0.iter().rev());
        if let [_, inner @ .., _] = &mut self.0[..] {
            for rk in inner {
                *rk = diffuse(*rk);
            }
        }
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

/// The same as bytes.
const fn constant_bytes<const RK: usize>() -> [[u8; 16]; 3] {
    let [ck1, ck2, ck3] = constants::<RK>();
    [ck1.to_be_bytes(), ck2.to_be_bytes(), ck3.to_be_bytes()]
}

/// KL and KR: the key, padded with zero bytes; of at most 32 bytes.
fn padded(key: &[u8]) -> Wiped<u8, 2> {
    let mut padded = Wiped::zero();
    padded.as_flattened_mut()[..key.len()].copy_from_slice(key);
    padded
}

fn copy<'a>(to: &mut [[u8; 16]], from: impl Iterator<Item = &'a [u8; 16]>) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
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
            encryption::<13>(&key::<16>()).0.map(u128::from_be_bytes),
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

    fn encryption<const RK: usize>(key: &[u8]) -> RoundKeys<RK> {
        let mut ek = RoundKeys::zero();
        ek.fill(None, key, None);
        ek
    }

    fn inverted<const RK: usize>(ek: &RoundKeys<RK>) -> RoundKeys<RK> {
        let mut dk = RoundKeys::zero();
        dk.invert(ek);
        dk
    }

    /// A compiler once broke just this part elsewhere (randombit/botan issue 3465). Both values
    /// come from OpenSSL 3.0.
    #[test]
    fn second_decryption_key_by_value() {
        let dk = inverted(&encryption::<13>(&key::<16>()));
        assert_eq!(u128::from_be_bytes(dk.0[1]), 0xccb3a0230b6dac1d53eef49d961aa57f);
        let dk = inverted(&encryption::<17>(&key::<32>()));
        assert_eq!(u128::from_be_bytes(dk.0[1]), 0xfd62e7342bfde4dbd9499dbb605b04bf);
    }

    #[test]
    fn decryption_keys_of_decryption_keys_are_encryption_keys() {
        let ek = encryption::<15>(&key::<24>());
        assert_eq!(inverted(&inverted(&ek)).as_bytes(), ek.as_bytes());
    }

    /// Whatever this CPU's kernels make of a key is what the portable rounds make of it.
    #[test]
    fn kernels_make_the_same_keys() {
        fn check<const RK: usize>(kernel: KeysKernel, key: &[u8]) {
            let portable = encryption::<RK>(key);
            let (mut ek, mut dk) = (RoundKeys::zero(), RoundKeys::zero());
            ek.fill(Some(&mut dk), key, Some(kernel));
            assert_eq!(ek.as_bytes(), portable.as_bytes());
            assert_eq!(dk.as_bytes(), inverted(&portable).as_bytes());
            let mut alone = RoundKeys::<RK>::zero();
            alone.fill(None, key, Some(kernel));
            assert_eq!(alone.as_bytes(), ek.as_bytes());
        }
        let permitted = |row| KeysKernel::permitted(Token::detect(), row);
        for kernel in table::rows().filter_map(permitted) {
            check::<13>(kernel, &key::<16>());
            check::<15>(kernel, &key::<24>());
            check::<17>(kernel, &key::<32>());
        }
    }
}
