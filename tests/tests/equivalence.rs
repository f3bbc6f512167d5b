//! Does every kernel equal RustCrypto's `aria` for every number of blocks?
//!
//! Kernels are forced by id; each count from 0 to two batches and a block, in place and from buffer
//! to buffer, at every offset from a 64-byte boundary, with guard bytes around the output. Then
//! random keys; and every count under every cap, as the planner chooses.

use aria_runtime::{Cap, Frame, Token};
use aria_tests::buffer::Guarded;
use aria_tests::oracle::{self, KEY_SIZES};
use aria_tests::ours::{Bulk, cipher};
use aria_tests::report::for_each_kernel;
use aria_tests::seed::Random;

#[derive(Clone, Copy, Debug)]
enum Direction {
    Encrypt,
    Decrypt,
}

impl Direction {
    fn in_place(self, cipher: &dyn Bulk, blocks: &mut [[u8; 16]]) {
        match self {
            Self::Encrypt => cipher.encrypt(blocks),
            Self::Decrypt => cipher.decrypt(blocks),
        }
    }

    fn b2b(self, cipher: &dyn Bulk, input: &[[u8; 16]], output: &mut [[u8; 16]]) {
        match self {
            Self::Encrypt => cipher.encrypt_b2b(input, output),
            Self::Decrypt => cipher.decrypt_b2b(input, output),
        }
        .expect("the output is as long as the input");
    }
}

/// Fails with the first block that differs.
fn assert_blocks(actual: &[[u8; 16]], expected: &[[u8; 16]], context: impl Fn() -> String) {
    assert_eq!(actual.len(), expected.len(), "{}", context());
    for (i, (actual, expected)) in actual.iter().zip(expected).enumerate() {
        assert!(
            actual == expected,
            "{}: block {i} is {}, not {}",
            context(),
            hex::encode(actual),
            hex::encode(expected)
        );
    }
}

/// Every count up to that of `input`, at these offsets, in place and from buffer to buffer; returns
/// how many calls that took.
fn sweep(
    cipher: &dyn Bulk,
    direction: Direction,
    offsets: impl Iterator<Item = usize> + Clone,
    input: &[[u8; 16]],
    expected: &[[u8; 16]],
) -> usize {
    let mut cases = 0;
    let (mut from, mut to) = (Guarded::new(input.len()), Guarded::new(input.len()));
    for count in 0..=input.len() {
        let (input, expected) = (&input[..count], &expected[..count]);
        for offset in offsets.clone() {
            let context =
                |how: &str| format!("{direction:?} {count} blocks {how}, offset {offset}");
            let output = to.with(offset, input, |blocks| direction.in_place(cipher, blocks));
            assert_blocks(output, expected, || context("in place"));

            // Input and output at different offsets; what the output held before does not matter.
            let other = (7 * offset + 5) % 64;
            let input = from.with(other, input, |_| ());
            let old = vec![[0x5a; 16]; count];
            let output = to.with(offset, &old, |blocks| direction.b2b(cipher, input, blocks));
            assert_blocks(output, expected, || context("from buffer to buffer"));
            cases += 2;
        }
    }
    cases
}

/// [`sweep`] for the three key sizes and both directions.
fn sweep_all(
    random: &mut Random,
    token: Token,
    most: usize,
    offsets: impl Iterator<Item = usize> + Clone,
) -> usize {
    let mut cases = 0;
    for size in KEY_SIZES {
        let (key, plain) = (random.bytes(size), random.blocks(most));
        let encrypted = oracle::encrypt(&key, &plain);
        let cipher = cipher(&key, token);
        cases += sweep(&*cipher, Direction::Encrypt, offsets.clone(), &plain, &encrypted);
        cases += sweep(&*cipher, Direction::Decrypt, offsets.clone(), &encrypted, &plain);
    }
    cases
}

#[test]
fn every_count_and_offset() {
    let mut random = Random::new();
    for_each_kernel("every count and offset", Frame::Ecb, |subject| {
        let most = 2 * subject.batch + 1;
        let counts = most + 1;
        let cases = sweep_all(&mut random, subject.token, most, 0..64);
        assert_eq!(cases, KEY_SIZES.len() * 2 * counts * 64 * 2);
        cases
    });
}

#[test]
fn random_keys() {
    const KEYS: usize = 300;
    let mut random = Random::new();
    for_each_kernel("random keys", Frame::Ecb, |subject| {
        for size in KEY_SIZES {
            for _ in 0..KEYS {
                let key = random.bytes(size);
                let count = random.below(2 * subject.batch + 2);
                let plain = random.blocks(count);
                let cipher = cipher(&key, subject.token);
                let context = |what| format!("{what} {count} blocks with {}", hex::encode(&key));

                let mut blocks = plain.clone();
                cipher.encrypt(&mut blocks);
                assert_blocks(&blocks, &oracle::encrypt(&key, &plain), || context("encrypting"));
                cipher.decrypt(&mut blocks);
                assert_blocks(&blocks, &plain, || context("decrypting the encrypted"));

                cipher.decrypt(&mut blocks);
                assert_blocks(&blocks, &oracle::decrypt(&key, &plain), || context("decrypting"));
                cipher.encrypt(&mut blocks);
                assert_blocks(&blocks, &plain, || context("encrypting the decrypted"));
            }
        }
        KEY_SIZES.len() * KEYS
    });
}

/// What the planner makes of every count, on a CPU of each tier.
#[test]
fn every_count_under_every_cap() {
    let mut random = Random::new();
    for &cap in Cap::ALL {
        let token = Token::detect().capped(cap);
        let most = 200;
        println!("cap {cap}: up to {most} blocks");
        sweep_all(&mut random, token, most, [0, 1, 17].into_iter());
    }
}

/// Many random blocks at once, the expected ones computed once for all kernels.
#[test]
fn a_hundred_thousand_blocks() {
    const BLOCKS: usize = 100_000;
    let mut random = Random::new();
    let key = random.bytes(32);
    let plain = random.blocks(BLOCKS);
    let encrypted = oracle::encrypt(&key, &plain);
    for_each_kernel("a hundred thousand blocks", Frame::Ecb, |subject| {
        // The portable path is slow in an unoptimised build.
        let count = if subject.batch == 1 { BLOCKS / 50 } else { BLOCKS };
        let cipher = cipher(&key, subject.token);
        let mut blocks = plain[..count].to_vec();
        cipher.encrypt(&mut blocks);
        assert_blocks(&blocks, &encrypted[..count], || "encrypting".to_owned());
        cipher.decrypt(&mut blocks);
        assert_blocks(&blocks, &plain[..count], || "decrypting".to_owned());
        2 * count
    });
}
