//! Do CBC with PKCS#7, CMAC, KW and KWP give what Project Wycheproof says: every ARIA vector, valid
//! and invalid, on every kernel? And do the same lines of code over RustCrypto's AES give what it
//! says of AES, XTS included?

use aes::{Aes128, Aes192, Aes256};
use aria_runtime::cipher::{InnerIvInit, KeyInit};
use aria_runtime::modes::cmac::{Cmac, Mac};
use aria_runtime::modes::kw::{Kw, Kwp};
use aria_runtime::modes::{BulkDecrypt, BulkEncrypt, Error, cbc, xts};
use aria_runtime::{Aria128, Aria192, Aria256, Frame, Token};
use aria_tests::modes::Foreign;
use aria_tests::report::for_each_kernel;
use wycheproof::{TestResult, cipher, keywrap, mac};

/// What this test wants of a cipher.
trait Cipher: BulkEncrypt + BulkDecrypt + Clone {}
impl<C: BulkEncrypt + BulkDecrypt + Clone> Cipher for C {}

/// Calls `$test`, a function generic over the cipher, with the ARIA cipher for `$key`; `None` if
/// there is none with keys that long.
macro_rules! with_aria {
    ($token:expr, $key:expr, $test:expr) => {{
        let (token, key): (Token, &[u8]) = ($token, $key);
        match key.len() {
            16 => Some($test(Aria128::new_from_slice_with_token(key, token).unwrap())),
            24 => Some($test(Aria192::new_from_slice_with_token(key, token).unwrap())),
            32 => Some($test(Aria256::new_from_slice_with_token(key, token).unwrap())),
            _ => None,
        }
    }};
}

/// The same for AES.
macro_rules! with_aes {
    ($key:expr, $test:expr) => {{
        let key: &[u8] = $key;
        match key.len() {
            16 => Some($test(Foreign(Aes128::new_from_slice(key).unwrap()))),
            24 => Some($test(Foreign(Aes192::new_from_slice(key).unwrap()))),
            32 => Some($test(Foreign(Aes256::new_from_slice(key).unwrap()))),
            _ => None,
        }
    }};
}

fn must_accept(result: TestResult) -> bool {
    assert_ne!(result, TestResult::Acceptable, "none of these sets has such a vector");
    result == TestResult::Valid
}

/// Returns whether the ciphertext was accepted.
fn cbc_pkcs7(cipher: impl Cipher, test: &cipher::Test) -> bool {
    let iv = <[u8; 16]>::try_from(&test.nonce[..]).expect("an IV has 16 bytes").into();
    let decryptor = cbc::Decryptor::inner_iv_init(cipher.clone(), &iv);
    let mut buffer = test.ct.to_vec();
    let decrypted = decryptor.decrypt_pkcs7(&mut buffer).map(|plain| plain.to_vec());
    let Ok(plain) = decrypted else {
        let untouched = decrypted != Err(Error::Padding) && buffer == test.ct[..];
        let cleared = decrypted == Err(Error::Padding) && buffer.iter().all(|byte| *byte == 0);
        assert!(untouched || cleared, "vector {}: neither untouched nor cleared", test.tc_id);
        return false;
    };
    assert_eq!(plain, test.pt[..], "vector {}", test.tc_id);
    let mut encrypted = vec![0; plain.len() + 16];
    let encryptor = cbc::Encryptor::inner_iv_init(cipher, &iv);
    let encrypted = encryptor.encrypt_pkcs7_b2b(&plain, &mut encrypted).expect("there is room");
    assert_eq!(encrypted[..], test.ct[..], "vector {}", test.tc_id);
    true
}

#[test]
fn aria_cbc_pkcs7() {
    let set = cipher::TestSet::load(cipher::TestName::AriaCbcPkcs5).unwrap();
    for_each_kernel("wycheproof, CBC", Frame::Ecb, |subject| {
        let mut tests = 0;
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            let accepted = with_aria!(subject.token, &test.key, |cipher| cbc_pkcs7(cipher, test));
            assert_eq!(accepted, Some(must_accept(test.result)), "vector {}", test.tc_id);
            tests += 1;
        }
        assert_eq!(tests, set.number_of_tests);
        tests
    });
}

#[test]
fn aes_cbc_pkcs7() {
    let set = cipher::TestSet::load(cipher::TestName::AesCbcPkcs5).unwrap();
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        let accepted = with_aes!(&test.key, |cipher| cbc_pkcs7(cipher, test));
        assert_eq!(accepted, Some(must_accept(test.result)), "vector {}", test.tc_id);
    }
}

/// Returns whether the tag, or the first bytes of it, was accepted.
fn cmac(cipher: impl Cipher, test: &mac::Test) -> bool {
    use aria_runtime::cipher::common::InnerInit;
    let cmac = Cmac::inner_init(cipher);
    let at_once = cmac.mac(&test.msg);
    let piecewise = test.msg.chunks(7).fold(cmac.clone(), |cmac, piece| cmac.chain_update(piece));
    assert_eq!(piecewise.finalize().into_bytes(), at_once, "vector {}", test.tc_id);
    cmac.chain_update(&test.msg[..]).verify_truncated_left(&test.tag).is_ok()
}

#[test]
fn aria_cmac() {
    let set = mac::TestSet::load(mac::TestName::AriaCmac).unwrap();
    for_each_kernel("wycheproof, CMAC", Frame::Ecb, |subject| {
        let mut tests = 0;
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            // Some keys have a length that no ARIA has; then there is nothing to accept.
            let accepted = with_aria!(subject.token, &test.key, |cipher| cmac(cipher, test));
            let accepted = accepted.unwrap_or(false);
            assert_eq!(accepted, must_accept(test.result), "vector {}", test.tc_id);
            tests += 1;
        }
        assert_eq!(tests, set.number_of_tests);
        tests
    });
}

#[test]
fn aes_cmac() {
    let set = mac::TestSet::load(mac::TestName::AesCmac).unwrap();
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        let accepted = with_aes!(&test.key, |cipher| cmac(cipher, test)).unwrap_or(false);
        assert_eq!(accepted, must_accept(test.result), "vector {}", test.tc_id);
    }
}

/// Returns whether the wrapped key was accepted; if not, whether by unwrapping or by wrapping.
fn key_wrap(cipher: impl Cipher, pads: bool, test: &keywrap::Test) -> bool {
    use aria_runtime::cipher::common::InnerInit;
    let mut key = vec![0xa5; test.ct.len() + 8];
    let mut wrapped = vec![0xa5; test.pt.len() + 16];
    let (unwrapped, wrapped) = if pads {
        let kwp = Kwp::inner_init(cipher);
        (kwp.unwrap(&test.ct, &mut key), kwp.wrap(&test.pt, &mut wrapped))
    } else {
        let kw = Kw::inner_init(cipher);
        (kw.unwrap(&test.ct, &mut key), kw.wrap(&test.pt, &mut wrapped))
    };
    match unwrapped {
        Ok(key) => {
            assert_eq!(key[..], test.pt[..], "vector {}", test.tc_id);
            assert_eq!(wrapped.as_deref(), Ok(&test.ct[..]), "vector {}", test.tc_id);
            true
        }
        Err(error) => {
            let written = if error == Error::Integrity { test.ct.len() - 8 } else { 0 };
            let (cleared, untouched) = key.split_at(written);
            assert!(cleared.iter().all(|byte| *byte == 0), "vector {}", test.tc_id);
            assert!(untouched.iter().all(|byte| *byte == 0xa5), "vector {}", test.tc_id);
            false
        }
    }
}

/// RFC 3394 and SP 800-38F want two semiblocks or more; Wycheproof calls one acceptable.
fn key_wrap_accepts(accepted: Option<bool>, pads: bool, test: &keywrap::Test) {
    let accepted = accepted.expect("a cipher has keys that long");
    match test.result {
        TestResult::Valid => assert!(accepted, "vector {}", test.tc_id),
        TestResult::Invalid => assert!(!accepted, "vector {}", test.tc_id),
        TestResult::Acceptable => {
            assert_eq!(accepted, pads || test.pt.len() >= 16, "vector {}", test.tc_id);
        }
    }
}

#[test]
fn aria_key_wrap() {
    use keywrap::TestName::{AriaKeyWrap, AriaKeyWrapWithPadding};
    for (name, pads) in [(AriaKeyWrap, false), (AriaKeyWrapWithPadding, true)] {
        let set = keywrap::TestSet::load(name).unwrap();
        for_each_kernel("wycheproof, key wrap", Frame::Ecb, |subject| {
            let mut tests = 0;
            for test in set.test_groups.iter().flat_map(|group| &group.tests) {
                let accepted =
                    with_aria!(subject.token, &test.key, |cipher| key_wrap(cipher, pads, test));
                key_wrap_accepts(accepted, pads, test);
                tests += 1;
            }
            assert_eq!(tests, set.number_of_tests);
            tests
        });
    }
}

#[test]
fn aes_key_wrap() {
    use keywrap::TestName::{AesKeyWrap, AesKeyWrapWithPadding};
    for (name, pads) in [(AesKeyWrap, false), (AesKeyWrapWithPadding, true)] {
        let set = keywrap::TestSet::load(name).unwrap();
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            let accepted = with_aes!(&test.key, |cipher| key_wrap(cipher, pads, test));
            key_wrap_accepts(accepted, pads, test);
        }
    }
}

fn xts(data: impl Cipher, tweak: impl Cipher, test: &cipher::Test) -> Result<(), Error> {
    let mut unit = [0; 16];
    unit[..test.nonce.len()].copy_from_slice(&test.nonce);
    let unit = u128::from_le_bytes(unit);
    let mut buffer = test.pt.to_vec();
    xts::Encryptor::from_ciphers(data.clone(), tweak.clone())?.encrypt_unit(unit, &mut buffer)?;
    assert_eq!(buffer, test.ct[..], "vector {}", test.tc_id);
    xts::Decryptor::from_ciphers(data, tweak).decrypt_unit(unit, &mut buffer)?;
    assert_eq!(buffer, test.pt[..], "vector {}", test.tc_id);
    Ok(())
}

#[test]
fn aes_xts() {
    let set = cipher::TestSet::load(cipher::TestName::AesXts).unwrap();
    let mut tests = 0;
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        let (data, tweak) = test.key.split_at(test.key.len() / 2);
        let accepted = with_aes!(data, |data| {
            with_aes!(tweak, |tweak| xts(data, tweak, test)).expect("keys are of one length")
        });
        assert_eq!(accepted.unwrap().is_ok(), must_accept(test.result), "vector {}", test.tc_id);
        tests += 1;
    }
    assert_eq!(tests, set.number_of_tests);
}
