//! ARIA as RFC 5794 describes it: the round functions (section 2.4.1) and the block function
//! (section 2.3), on top of the layers and the key schedule, which have a file each.
//!
//! | file | RFC 5794 |
//! |---|---|
//! | this one | 2.3 data randomizing part, 2.4.1 round functions |
//! | [`sbox`](self::Layer) | 2.4.2 substitution layers |
//! | [`diffusion`](self::DIFFUSION) | 2.4.3 diffusion layer |
//! | [`schedule`](self::encryption_keys) | 2.2 key scheduling part |
//!
//! Byte 0 of a block is x0 of the RFC, the leftmost in print. Round keys are lists, so index i
//! holds what the RFC calls ek(i+1).

mod diffusion;
mod sbox;
mod schedule;

pub use diffusion::{DIFFUSION, diffuse, diffusion_mask};
pub use sbox::{Layer, s1, s2, substitute, x1, x2};
pub use schedule::{
    C1, C2, C3, KEY_ROTATIONS, KeyLengthError, KeySize, MAX_ROUND_KEYS, decryption_keys,
    encryption_keys,
};

/// Bytes in a block, and in a round key.
pub const BLOCK_BYTES: usize = 16;

/// A block, a round key, or a state between rounds.
pub type Block = [u8; BLOCK_BYTES];

/// FO, the odd round function: A(SL1(D ^ RK)) (RFC 5794 section 2.4.1).
#[must_use]
pub fn fo(d: &Block, rk: &Block) -> Block {
    diffuse(&substitute(Layer::Sl1, &xor(d, rk)))
}

/// FE, the even round function: A(SL2(D ^ RK)) (RFC 5794 section 2.4.1).
#[must_use]
pub fn fe(d: &Block, rk: &Block) -> Block {
    diffuse(&substitute(Layer::Sl2, &xor(d, rk)))
}

/// The block function under n + 1 round keys, n being the number of rounds (RFC 5794 section 2.3):
/// it encrypts under [`encryption_keys`] and decrypts under [`decryption_keys`].
///
/// Rounds are FO and FE in turn; the last applies SL2 and a second key in place of the diffusion.
/// Any even n is accepted, so that variants with fewer rounds can be compared too.
///
/// # Panics
///
/// When n is odd or zero: the last round, being SL2's, is an even one.
#[must_use]
pub fn encrypt_with(round_keys: &[Block], block: &Block) -> Block {
    let [full_rounds @ .., last, whitening] = round_keys else {
        panic!("spec: aria: {} round keys; at least 3 are needed", round_keys.len());
    };
    assert!(
        full_rounds.len() % 2 == 1,
        "spec: aria: {} round keys make an odd number of rounds, but the last must be even",
        round_keys.len()
    );

    let mut p = *block;
    for (i, rk) in full_rounds.iter().enumerate() {
        p = if i % 2 == 0 { fo(&p, rk) } else { fe(&p, rk) };
    }
    xor(&substitute(Layer::Sl2, &xor(&p, last)), whitening)
}

/// The bitwise sum of two blocks.
fn xor(a: &Block, b: &Block) -> Block {
    std::array::from_fn(|i| a[i] ^ b[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAINTEXT: u128 = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff;

    /// Round keys of the key 00 01 02 … that Appendix A uses in every length.
    fn appendix_a_keys(size: KeySize) -> Vec<Block> {
        let key: Vec<u8> = (0..=255).take(size.bytes()).collect();
        encryption_keys(&key).unwrap()
    }

    fn encrypt(round_keys: &[Block], block: u128) -> u128 {
        u128::from_be_bytes(encrypt_with(round_keys, &block.to_be_bytes()))
    }

    #[test]
    fn appendix_a_1_128_bit_key() {
        let ek = appendix_a_keys(KeySize::K128);
        assert_eq!(encrypt(&ek, PLAINTEXT), 0xd718_fbd6_ab64_4c73_9da9_5f3b_e645_1778);
    }

    #[test]
    fn appendix_a_2_192_bit_key() {
        let ek = appendix_a_keys(KeySize::K192);
        assert_eq!(encrypt(&ek, PLAINTEXT), 0x2644_9c18_05db_e7aa_25a4_68ce_263a_9e79);
    }

    #[test]
    fn appendix_a_3_256_bit_key() {
        let ek = appendix_a_keys(KeySize::K256);
        assert_eq!(encrypt(&ek, PLAINTEXT), 0xf92b_d7c7_9fb7_2e2f_2b8f_80c1_972d_24fc);
    }

    #[test]
    fn appendix_a_1_intermediate_round_values() {
        #[rustfmt::skip]
        let expected: [u128; 11] = [
            0x7fc7f12befd0a0791de87fa96b469f52,
            0xac8de17e49f7c5117618993162b189e9,
            0xc3e8d59ec2e62d5249ca2741653cb7dd,
            0x5d4aebb165e141ff759f669e1e85cc45,
            0x7806e469f68874c5004b5f4a046bbcfa,
            0x110f93c9a630cdd51f97d2202413345a,
            0xe054428ef088fef97928241cd3be499e,
            0x5734f38ea1ca3ddd102e71f95e1d5f97,
            0x4903325be3e500cccd52fba4354a39ae,
            0xcb8c508e2c4f87880639dc896d25ec9d,
            0xe7e0d2457ed73d23d481424095afdca0,
        ];
        let mut p = PLAINTEXT.to_be_bytes();
        let ek = appendix_a_keys(KeySize::K128);
        for (i, (rk, value)) in ek.iter().zip(expected).enumerate() {
            p = if i % 2 == 0 { fo(&p, rk) } else { fe(&p, rk) };
            assert_eq!(p, value.to_be_bytes(), "P{}", i + 1);
        }
    }

    /// A value computed with OpenSSL 3.0: no structure of key or block to hide behind.
    #[test]
    fn zero_key_and_a_block_of_one_bit() {
        let ek = encryption_keys(&[0; 16]).unwrap();
        assert_eq!(encrypt(&ek, 1 << 127), 0x92e5_1e73_7dab_b6bf_d0ea_bc8d_3222_4f77);
    }

    #[test]
    fn decryption_keys_undo_encryption() {
        for size in KeySize::ALL {
            let ek = appendix_a_keys(size);
            let dk = decryption_keys(&ek);
            // Zero, and every block of a single bit: each bit of the state starts a difference.
            for block in (0..128).map(|bit| 1 << bit).chain([0, PLAINTEXT]) {
                assert_eq!(encrypt(&dk, encrypt(&ek, block)), block, "{size:?} {block:032x}");
                assert_eq!(encrypt(&ek, encrypt(&dk, block)), block, "{size:?} {block:032x}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "odd number of rounds")]
    fn an_odd_number_of_rounds_is_refused() {
        let _ = encrypt_with(&[[0; 16]; 12], &[0; 16]);
    }

    #[test]
    #[should_panic(expected = "1 round keys")]
    fn too_few_round_keys_are_refused() {
        let _ = encrypt_with(&[[0; 16]], &[0; 16]);
    }
}
