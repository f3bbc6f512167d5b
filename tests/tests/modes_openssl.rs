//! Do CTR, CBC, CFB-128, CFB-8 and OFB give what OpenSSL gives, at every length from 0 to 1040, on
//! every kernel?
//!
//! What OpenSSL 3.0 gave stands here as one SHA-256 a mode and key size, over all those messages,
//! so that the answer does not depend on what this machine has. Where it has OpenSSL, that is asked
//! again.

use aria_runtime::{Cap, Frame, Token};
use aria_tests::modes::{Direction, Form, Mode, counting, iv};
use aria_tests::openssl::OpenSsl;
use aria_tests::oracle::KEY_SIZES;
use aria_tests::report::{for_each_kernel, tell};
use sha2::{Digest, Sha256};

const LONGEST: usize = 1040;

/// OpenSSL's name of a mode, ours, and the digests for 128-, 192- and 256-bit keys.
#[rustfmt::skip]
const RECORDED: [(&str, Mode, [&str; 3]); 5] = [
    ("ctr", Mode::Ctr, [
        "3369ad868cfc429ed99e245a1e730a8979159485a8ff634983447bef8c9f7ca2",
        "28b271c9fb0560a79bd76a3db93dc940635e5ce21bb47be9fdaf028d61136db2",
        "121f5d2ec8186ace6867956c5459847159473e68fa38b1638fee00ab0f4761da",
    ]),
    ("cbc", Mode::Cbc, [
        "9d208956dadd2c6df91e62b29ad6aaf7980fd883b4d61e62f90d0d0bf3131a04",
        "0d1328a65734d1cb18d11d08d0f394a8bf1b443dd1e979942f7dec00026f37c8",
        "3118add589ee378ae0ad83dd825165aac67eea83591a93e847133cb170271952",
    ]),
    ("cfb", Mode::CfbBuf, [
        "6d8f1f872a5f3ee8bf5efc561aaa2dfea684aef12370dd458e28c3d6416c62ac",
        "b87424cd4c47c0ae497d8cdcd164bf822ad51157c48b69d92768a2b175916e5d",
        "22f897520a65a495387193ff20ba20363148d7c88c044543047f5a9a1e4cb874",
    ]),
    ("cfb8", Mode::Cfb8, [
        "79fc304938a4fb7413d2ef79b64c31514a621c6f5cc3c128c044b3d9db3e0483",
        "4fab3d8e8ec4dc48a196c776d51ac4f530a70a6ad9875336b09d87ebbfef6e48",
        "90d134ef0a0a8d5b641b56a86e59e85ae95913f423bde3cfa1789c9cfe397298",
    ]),
    ("ofb", Mode::Ofb, [
        "8812605ab47a25acb3f79179cde9f7620b83b79f216b8dcdda314855468b20a4",
        "4b2122c1da6fcaf81636a33d2df84ef4cd9b60ecd25ad010abea516e7551ed54",
        "af8ac52b76a5435a6c5ba36bf7322c08d113e805c95ec258bd57ee9e8d9f3fcc",
    ]),
];

/// The low half overflows after 33 blocks.
fn start() -> [u8; 16] {
    iv("0123456789abcdefffffffffffffffde")
}

/// The digest of the ciphertexts of all messages that the mode takes.
fn digest(mode: Mode, encrypt: impl Fn(&[u8]) -> Vec<u8>) -> String {
    let mut all = Sha256::new();
    for length in (0..=LONGEST).filter(|length| mode.takes(*length)) {
        all.update(encrypt(&counting(length)));
    }
    hex::encode(all.finalize())
}

fn digest_of_ours(mode: Mode, key_size: usize, token: Token) -> String {
    let key = counting(key_size);
    digest(mode, |plain| {
        let ours = mode.run((&key, start()), token, Direction::Encrypt, Form::InPlace, plain);
        ours.expect("it takes this length")
    })
}

#[test]
fn recorded_values_on_every_kernel() {
    for_each_kernel("modes_openssl", Frame::Ecb, |subject| {
        let mut cases = 0;
        for (name, mode, recorded) in RECORDED {
            // The other key sizes are for the kernels of choice, below.
            for (size, recorded) in KEY_SIZES.into_iter().zip(recorded).take(1) {
                let ours = digest_of_ours(mode, size, subject.token);
                assert_eq!(ours, recorded, "aria-{}-{name}, {}", 8 * size, subject.name);
                cases += 1;
            }
        }
        cases
    });
}

#[test]
fn recorded_values_for_every_key_size() {
    for token in [Token::detect(), Token::detect().capped(Cap::Portable)] {
        for (name, mode, recorded) in RECORDED {
            for (size, recorded) in KEY_SIZES.into_iter().zip(recorded) {
                let ours = digest_of_ours(mode, size, token);
                assert_eq!(ours, recorded, "aria-{}-{name}, {token:?}", 8 * size);
            }
        }
    }
}

#[test]
fn openssl_itself() {
    let Some(openssl) = OpenSsl::open() else {
        tell("modes_openssl", "SKIPPED: this machine has no libcrypto to ask");
        return;
    };
    for (name, mode, recorded) in RECORDED {
        for (size, recorded) in KEY_SIZES.into_iter().zip(recorded) {
            let cipher = format!("aria-{}-{name}", 8 * size);
            let key = counting(size);
            let crypt = |direction, data: &[u8]| {
                openssl.crypt(&cipher, &key, start(), direction, data).expect("it has this cipher")
            };
            let theirs = digest(mode, |plain| crypt(Direction::Encrypt, plain));
            assert_eq!(theirs, recorded, "{cipher}");
            // The other direction, by the kernels of choice, at every length.
            for length in (0..=LONGEST).filter(|length| mode.takes(*length)) {
                let data = counting(length);
                let ours = mode.run(
                    (&key, start()),
                    Token::detect(),
                    Direction::Decrypt,
                    Form::Apart,
                    &data,
                );
                assert_eq!(ours.unwrap(), crypt(Direction::Decrypt, &data), "{cipher}, {length}");
            }
        }
    }
    tell("modes_openssl", &format!("compared with {}", openssl.name));
}
