//! Is CBC encryption right by every kernel that has it built in, and as planned under every cap: for each
//! number of blocks, in place and apart, in pieces, for every key size?
//!
//! Expected values come from RustCrypto's `cbc` over its `aria`.

use aria_runtime::cipher::{Array, BlockModeEncrypt, InnerIvInit};
use aria_runtime::modes::{BulkEncrypt, cbc as ours};
use aria_runtime::{Aria128, Aria128Enc, Aria192Enc, Aria256Enc, Cap, Frame, Token};
use aria_tests::oracle::KEY_SIZES;
use aria_tests::report::for_each_kernel;
use aria_tests::seed::Random;
use cbc::cipher::KeyIvInit;

/// Blocks at most.
const MOST: usize = 70;

/// A key, an initial value, a message, and what becomes of it.
struct Case {
    key: Vec<u8>,
    iv: [u8; 16],
    plain: Vec<[u8; 16]>,
    encrypted: Vec<[u8; 16]>,
}

impl Case {
    fn new(random: &mut Random, size: usize) -> Self {
        let (key, iv, plain) = (random.bytes(size), random.blocks(1)[0], random.blocks(MOST));
        let mut encrypted = plain.clone();
        let blocks = Array::cast_slice_from_core_mut(&mut encrypted);
        macro_rules! theirs {
            ($cipher:ty) => {
                cbc::Encryptor::<$cipher>::new_from_slices(&key, &iv)
                    .expect("the lengths are right")
                    .encrypt_blocks(blocks)
            };
        }
        match size {
            16 => theirs!(aria::Aria128),
            24 => theirs!(aria::Aria192),
            _ => theirs!(aria::Aria256),
        }
        Self { key, iv, plain, encrypted }
    }

    /// Every number of blocks up to `most`, under this token; returns how many there were.
    fn check(&self, name: &str, token: Token, most: usize, random: &mut Random) -> usize {
        macro_rules! with {
            ($cipher:ident) => {{
                let cipher = $cipher::new_from_slice_with_token(&self.key, token);
                self.check_cipher(name, &cipher.expect("the length is right"), most, random)
            }};
        }
        match self.key.len() {
            16 => with!(Aria128Enc) + with!(Aria128),
            24 => with!(Aria192Enc),
            _ => with!(Aria256Enc),
        }
    }

    fn check_cipher<C>(&self, name: &str, cipher: &C, most: usize, random: &mut Random) -> usize
    where
        for<'c> &'c C: BulkEncrypt,
    {
        let begin = || ours::Encryptor::inner_iv_init(cipher, &self.iv.into());
        for count in 0..=most {
            let (plain, encrypted) = (&self.plain[..count], &self.encrypted[..count]);
            let mut blocks = plain.to_vec();
            begin().encrypt_blocks(Array::cast_slice_from_core_mut(&mut blocks));
            assert!(blocks == encrypted, "{name}: {count} blocks in place");

            let mut output = vec![[0x5a; 16]; count];
            let from = Array::cast_slice_from_core(plain);
            let to = Array::cast_slice_from_core_mut(&mut output);
            begin().encrypt_blocks_b2b(from, to).expect("as long");
            assert!(output == encrypted, "{name}: {count} blocks apart");

            let mut blocks = plain.to_vec();
            let (mut mode, mut left) = (begin(), &mut blocks[..]);
            while !left.is_empty() {
                let (piece, rest) = left.split_at_mut(random.below(left.len() + 1));
                mode.encrypt_blocks(Array::cast_slice_from_core_mut(piece));
                left = rest;
            }
            assert!(blocks == encrypted, "{name}: {count} blocks in pieces");
        }
        most + 1
    }
}

#[test]
fn every_number_of_blocks() {
    let mut random = Random::new();
    let cases = KEY_SIZES.map(|size| Case::new(&mut random, size));
    for_each_kernel("cbc", Frame::CbcEnc, |subject| {
        let (name, token) = (subject.name, subject.token);
        cases.iter().map(|case| case.check(name, token, MOST, &mut random)).sum()
    });
}

#[test]
fn as_planned_under_every_cap() {
    let mut random = Random::new();
    let cases = KEY_SIZES.map(|size| Case::new(&mut random, size));
    for &cap in Cap::ALL {
        let token = Token::detect().capped(cap);
        // The portable path is slow in an unoptimised build.
        let most = if token.features().is_empty() { 5 } else { MOST };
        for case in &cases {
            case.check(&cap.to_string(), token, most, &mut random);
        }
    }
}
