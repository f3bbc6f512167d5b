//! Is counter mode right, by every kernel and as the planner chooses: for every number of blocks,
//! from every last byte of the counter, and across every carry up to that out of 128 bits?
//!
//! Expected values come from RustCrypto's `aria` block by block and a counter that is counted as a
//! number, once from RustCrypto's `ctr`, and from values published or computed by OpenSSL.

use aria_runtime::{Cap, Frame, Token};
use aria_tests::buffer::Guarded;
use aria_tests::oracle::{self, KEY_SIZES};
use aria_tests::ours::{Bulk, cipher};
use aria_tests::report::for_each_kernel;
use aria_tests::seed::Random;
use ctr::cipher::{KeyIvInit, StreamCipher};

/// Offsets from a 64-byte boundary.
const OFFSETS: [usize; 6] = [0, 1, 15, 16, 33, 63];

/// What is right.
fn expected(key: &[u8], counter: u128, blocks: &[[u8; 16]]) -> Vec<[u8; 16]> {
    let bytes = oracle::ctr(key, counter.to_be_bytes(), blocks.as_flattened());
    bytes.as_chunks().0.to_vec()
}

/// One number of blocks from one counter, at this offset, in place and from buffer to buffer.
fn check(
    cipher: &dyn Bulk,
    counter: u128,
    offset: usize,
    plain: &[[u8; 16]],
    encrypted: &[[u8; 16]],
    memory: &mut [Guarded; 2],
) {
    let count = plain.len();
    let context = || format!("{count} blocks from {counter:#x}, offset {offset}");
    let next = counter.wrapping_add(count as u128);
    let [from, to] = memory;
    let output = to.with(offset, plain, |blocks| assert_eq!(cipher.ctr(counter, blocks), next));
    assert!(output == encrypted, "{} in place", context());

    let input = from.with((7 * offset + 5) % 64, plain, |_| ());
    let output = to.with(offset, &vec![[0x5a; 16]; count], |blocks| {
        assert_eq!(cipher.ctr_b2b(counter, input, blocks), Ok(next));
    });
    assert!(output == encrypted, "{} from buffer to buffer", context());
}

/// Every count up to `most` at the offsets.
fn sweep(random: &mut Random, token: Token, most: usize) -> usize {
    let mut memory = [Guarded::new(most), Guarded::new(most)];
    for size in KEY_SIZES {
        let (key, plain) = (random.bytes(size), random.blocks(most));
        let cipher = cipher(&key, token);
        for offset in OFFSETS {
            let counter = u128::from_be_bytes(random.blocks(1)[0]);
            let encrypted = expected(&key, counter, &plain);
            for count in 0..=most {
                let (plain, encrypted) = (&plain[..count], &encrypted[..count]);
                check(&*cipher, counter, offset, plain, encrypted, &mut memory);
            }
        }
    }
    KEY_SIZES.len() * OFFSETS.len() * (most + 1)
}

#[test]
fn every_count() {
    let mut random = Random::new();
    for_each_kernel("ctr, every count", Frame::Ctr, |subject| {
        sweep(&mut random, subject.token, 2 * subject.batch + 1)
    });
}

#[test]
fn every_count_under_every_cap() {
    let mut random = Random::new();
    for &cap in Cap::ALL {
        let token = Token::detect().capped(cap);
        // The portable path is slow in an unoptimised build.
        let most = if token.features().is_empty() { 20 } else { 150 };
        sweep(&mut random, token, most);
    }
}

/// From each of the 256 numbers before 2⁸, 2¹⁶, … 2¹²⁸ on, over more than two batches.
#[test]
fn every_last_byte_before_every_carry() {
    let mut random = Random::new();
    let carries: Vec<u128> = (8..128).step_by(8).map(|bits| 1 << bits).chain([0]).collect();
    assert_eq!(carries.len(), 16);
    let key = random.bytes(32);
    let plain = random.blocks(2 * 64 + 3);
    let masks: Vec<Vec<[u8; 16]>> = carries
        .iter()
        .map(|carry| expected(&key, carry.wrapping_sub(256), &[[0; 16]; 256 + 2 * 64 + 3]))
        .collect();
    for_each_kernel("ctr, carries", Frame::Ctr, |subject| {
        let cipher = cipher(&key, subject.token);
        // The portable path is slow in an unoptimised build.
        let (count, step) = if subject.batch == 1 { (2, 17) } else { (2 * subject.batch + 3, 1) };
        let mut cases = 0;
        for (carry, masks) in carries.iter().zip(&masks) {
            for start in (0..256).step_by(step) {
                let counter = carry.wrapping_sub(256 - start as u128);
                let mut blocks = plain[..count].to_vec();
                let next = cipher.ctr(counter, &mut blocks);
                assert_eq!(next, counter.wrapping_add(count as u128));
                for (i, block) in blocks.iter().enumerate() {
                    let mask = masks[start + i];
                    let sum: [u8; 16] = core::array::from_fn(|byte| plain[i][byte] ^ mask[byte]);
                    assert_eq!(*block, sum, "{} from {counter:#x}, block {i}", subject.name);
                }
                cases += 1;
            }
        }
        cases
    });
}

/// In pieces of any length it is the same as at once, by the counter that each call returns.
#[test]
fn pieces_follow_each_other() {
    const BLOCKS: usize = 20_000;
    let mut random = Random::new();
    let (key, plain) = (random.bytes(16), random.blocks(BLOCKS));
    let start = u128::MAX - 5000;
    let encrypted = expected(&key, start, &plain);
    for_each_kernel("ctr, pieces", Frame::Ctr, |subject| {
        let cipher = cipher(&key, subject.token);
        let total = if subject.batch == 1 { 300 } else { BLOCKS };
        let mut blocks = plain[..total].to_vec();
        let (mut counter, mut left, mut pieces) = (start, &mut blocks[..], 0);
        while !left.is_empty() {
            let length = random.below(5 * subject.batch).min(left.len());
            let (piece, rest) = left.split_at_mut(length);
            counter = cipher.ctr(counter, piece);
            (left, pieces) = (rest, pieces + 1);
        }
        assert_eq!(counter, start.wrapping_add(total as u128));
        assert!(blocks == encrypted[..total], "{}", subject.name);
        pieces
    });
}

#[test]
fn the_same_as_the_mode_crate_over_another_aria() {
    let mut random = Random::new();
    let (key, plain, iv) = (random.bytes(24), random.blocks(777), random.bytes(16));
    let mut theirs = plain.clone();
    let mut mode = ctr::Ctr128BE::<aria::Aria192>::new_from_slices(&key, &iv).unwrap();
    mode.apply_keystream(theirs.as_flattened_mut());
    let mut ours = plain;
    let counter = u128::from_be_bytes(iv.try_into().unwrap());
    cipher(&key, Token::detect()).ctr(counter, &mut ours);
    assert_eq!(ours, theirs);
}

/// Values of OpenSSL 3, key 000102…0f, zero blocks: carries out of 128, 32 and 64 bits, with which
/// counters of other sizes go wrong.
#[test]
fn counters_have_128_bits() {
    let key: Vec<u8> = (0..16).collect();
    let cipher = cipher(&key, Token::detect());
    let mut blocks = [[0; 16]; 4];
    assert_eq!(cipher.ctr(u128::MAX - 2, &mut blocks), 1);
    let expected: [u128; 4] = [
        0xc2a0_e5ae_2453_dc29_d361_b82b_f2dd_591b,
        0x172a_33df_4c7e_3029_5822_5cd2_0836_a271,
        0x685c_678e_545d_7b37_de0c_3257_5205_a63c,
        0xfa28_27d1_436c_8a81_9973_436e_60ac_4790,
    ];
    assert_eq!(blocks, expected.map(u128::to_be_bytes));
    for (start, fourth) in [
        (0xffff_fffd, 0xcc11_ad65_2ad9_f983_43ad_ace5_7812_20b9_u128),
        (0xffff_ffff_ffff_fffd, 0x13f3_b712_41f0_af78_f932_408f_8b78_d29d),
    ] {
        let mut blocks = [[0; 16]; 4];
        cipher.ctr(start, &mut blocks);
        assert_eq!(blocks[3], fourth.to_be_bytes());
    }
}

#[test]
fn a_short_output_is_refused_before_anything_is_written() {
    let cipher = cipher(&[1; 16], Token::detect());
    let mut output = [[7; 16]; 2];
    let error = cipher.ctr_b2b(5, &[[0; 16]; 3], &mut output).unwrap_err();
    assert_eq!((error.input, error.output), (3, 2));
    assert_eq!(output, [[7; 16]; 2]);
    assert_eq!(cipher.ctr_b2b(5, &[], &mut output), Ok(5));
    assert_eq!(output, [[7; 16]; 2]);
}
