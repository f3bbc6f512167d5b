//! Do the modes give the published results?
//!
//! SRTP with ARIA (RFC 8269, appendices A and B), on every kernel; and, since the modes are generic,
//! the vectors that documents have for AES, over RustCrypto's `aes`: SP 800-38A, IEEE 1619,
//! RFC 3962, RFC 4493, RFC 3394 and RFC 5649.

use aes::{Aes128, Aes192};
use aria_runtime::Frame;
use aria_runtime::cipher::KeyInit;
use aria_runtime::cipher::common::InnerInit;
use aria_runtime::modes::cmac::Cmac;
use aria_runtime::modes::kw::{Kw, Kwp};
use aria_runtime::modes::{Error, xts};
use aria_tests::modes::{Direction, Foreign, Form, Mode, array, counting, iv};
use aria_tests::report::for_each_kernel;

fn bytes(digits: &str) -> Vec<u8> {
    hex::decode(digits).expect("hex digits")
}

/// The RTP payload of RFC 8269's examples.
const PAYLOAD: &str = concat!(
    "f57af5fd4ae19562976ec57a5a7ad55a5af5c5e5c5fdf5c55ad57a4a7272d572",
    "62e9729566ed66e97ac54a4a5a7ad5e15ae5fdd5fd5ac5d56ae56ad5c572d54a",
    "e54ac55a956afd6aed5a4ac562957a9516991691d572fd14e97ae962ed7a9f4a",
    "955af572e162f57a956666e17ae1f54a95f566d54a66e16e4afd6a9f7ae1c5c5",
    "5ae5d56afde916c5e94a6ec56695e14afde1148416e94ad57ac5146ed59d1cc5",
);

/// Session key, and the encrypted payload; RFC 8269, appendices A.1.1 and A.1.2.
const SRTP: [(&str, &str); 2] = [
    (
        "0c5ffd37a11edc42c325287fc0604f2e",
        concat!(
            "1bf753f412e6f35058cc398dc851aae3a6ccdcb463fbed9cfb3de2fb76fdffa9",
            "e481f5efb64c92487f59dabbc7cc72da092485f3fbad87888820b86037311fa4",
            "4330e18a59a1e1338ba2c21458493a57463475c54691f91cec785429119e0dfc",
            "d9048f90e07fecd50b528e8c62ee6e71445de5d7f659405135aff3604c2ca4ff",
            "4aaca40809cb9eee42cc4ad23230757081ca289f2851d3315e9568b501fdce6d",
        ),
    ),
    (
        "0c5ffd37a11edc42c325287fc0604f2e3e8cd5671a00fe3216aa5eb105783b54",
        concat!(
            "c424c59fd5696305e5b13d8e8ca7656617ccd7471088af9debf07b55c750f804",
            "a5ac2b737be48140958a9b420524112ae72e4da5bca59d2b1019ddd7dbdc30b4",
            "3d5f046152ced40947d62d2c93e7b8e50f02db2b6b61b010e4c1566884de1fa9",
            "702cdf8157e8aedfe3dd77c76bb50c25ae4d624615c15acfdeeb5f79482aaa01",
            "d3e4c05eb601eca2bd10518e9d46b02116359232e9eac0fabd05235dd09e6dea",
        ),
    ),
];

/// Session salt, SSRC and packet index of the examples.
const SALT: u128 = 0xcd3a_7c42_c671_e006_7a2a_2639_b43a;
const SSRC: u128 = 0x20e8_f5eb;
const INDEX: u128 = 0x315e;

/// Master key and salt, and the session's key for encryption, key for authentication, and salt.
const DERIVED: [(&str, u128, [&str; 3]); 2] = [
    (
        "e1f97a0d3e018be0d64fa32c06de4139",
        0x0ec6_75ad_498a_feeb_b696_0b3a_abe6,
        [
            "dbd85a3c4d9219b3e81f7d942e299de4",
            "d021877bd3eaf92d581ed70ddc050e03f1125703",
            "9700657f5f34161830d7d85f5dc8",
        ],
    ),
    (
        "0c5ffd37a11edc42c325287fc0604f2e3e8cd5671a00fe3216aa5eb105783b54",
        0x0ec6_75ad_498a_feeb_b696_0b3a_abe6,
        [
            "0649a09d93755fe9c2b2efba1cce930af2e76ce8b77e4b175950321aa94b0cf4",
            "e58d42915873b71899234807334658f20bc46018",
            "194abaa8553a8eba8a413a340fc8",
        ],
    ),
];

#[test]
fn srtp_on_every_kernel() {
    for_each_kernel("modes_vectors, SRTP", Frame::Ecb, |subject| {
        let mut cases = 0;
        // A packet has at most 2^16 blocks, so either width of counter will do.
        for mode in [Mode::Ctr, Mode::Ctr32] {
            let ctr = |key: &str, iv: u128, data: &[u8]| {
                let key = (&bytes(key)[..], iv.to_be_bytes());
                mode.run(key, subject.token, Direction::Encrypt, Form::Apart, data).unwrap()
            };
            for (key, encrypted) in SRTP {
                // RFC 3711, section 4.1.1.
                let iv = SALT << 16 ^ SSRC << 64 ^ INDEX << 16;
                assert_eq!(hex::encode(ctr(key, iv, &bytes(PAYLOAD))), encrypted);
                cases += 1;
            }
            for (key, salt, derived) in DERIVED {
                for (label, derived) in (0_u128..).zip(derived) {
                    // RFC 3711, section 4.3.1: the label stands before a 48-bit index, here 0.
                    let iv = (salt ^ label << 48) << 16;
                    let zeros = vec![0; derived.len() / 2];
                    assert_eq!(hex::encode(ctr(key, iv, &zeros)), derived);
                    cases += 1;
                }
            }
        }
        cases
    });
}

/// A mode over AES, there and back, in place, apart and in pieces.
fn aes(mode: Mode, key: &str, iv: [u8; 16], plain: &[u8], encrypted: &str) {
    let cipher = Foreign(Aes128::new_from_slice(&bytes(key)).expect("a key of 16 bytes"));
    for form in [Form::InPlace, Form::Apart, Form::Pieces(&[5, 16, 1])] {
        let run = |direction, data: &[u8]| {
            mode.run_with(cipher.clone(), cipher.clone(), iv, direction, form, data)
                .expect("it takes this length")
        };
        assert_eq!(hex::encode(run(Direction::Encrypt, plain)), encrypted, "{mode:?} {form:?}");
        assert_eq!(run(Direction::Decrypt, &bytes(encrypted)), plain, "{mode:?} {form:?}");
    }
}

#[test]
fn sp_800_38a() {
    let key = "2b7e151628aed2a6abf7158809cf4f3c";
    let plain = bytes(concat!(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51",
        "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
    ));
    let start = iv("000102030405060708090a0b0c0d0e0f");
    let cfb = concat!(
        "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b",
        "26751f67a3cbb140b1808cf187a4f4dfc04b05357c5d1c0eeac4c66f9ff7f2e6",
    );
    // F.2.1, F.3.7, F.3.13, F.4.1, F.5.1
    aes(
        Mode::Cbc,
        key,
        start,
        &plain,
        concat!(
            "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2",
            "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7",
        ),
    );
    aes(Mode::Cfb8, key, start, &plain[..18], "3b79424c9c0dd436bace9e0ed4586a4f32b9");
    aes(Mode::Cfb, key, start, &plain, cfb);
    aes(Mode::CfbBuf, key, start, &plain, cfb);
    aes(
        Mode::Ofb,
        key,
        start,
        &plain,
        concat!(
            "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed825",
            "9740051e9c5fecf64344f7a82260edcc304c6528f659c77866a510d9c1d6ae5e",
        ),
    );
    aes(
        Mode::Ctr,
        key,
        iv("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
        &plain,
        concat!(
            "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff",
            "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
        ),
    );
}

/// RFC 3962, appendix B: CBC-CS3 under the key `chicken teriyaki`.
#[test]
fn rfc_3962() {
    let plain = b"I would like the General Gau's Chicken, please, and wonton soup.";
    for (length, encrypted) in [
        (17, "c6353568f2bf8cb4d8a580362da7ff7f97"),
        (31, "fc00783e0efdb2c1d445d4c8eff7ed2297687268d6ecccc0c07b25e25ecfe5"),
        (32, "39312523a78662d5be7fcbcc98ebf5a897687268d6ecccc0c07b25e25ecfe584"),
        (
            47,
            concat!(
                "97687268d6ecccc0c07b25e25ecfe584b3fffd940c16a18c1b5549d2f838029e",
                "39312523a78662d5be7fcbcc98ebf5",
            ),
        ),
        (
            48,
            concat!(
                "97687268d6ecccc0c07b25e25ecfe5849dad8bbb96c4cdc03bc103e1a194bbd8",
                "39312523a78662d5be7fcbcc98ebf5a8",
            ),
        ),
        (
            64,
            concat!(
                "97687268d6ecccc0c07b25e25ecfe58439312523a78662d5be7fcbcc98ebf5a8",
                "4807efe836ee89a526730dbc2f7bc8409dad8bbb96c4cdc03bc103e1a194bbd8",
            ),
        ),
    ] {
        aes(Mode::Cs3, "636869636b656e207465726979616b69", [0; 16], &plain[..length], encrypted);
    }
}

/// IEEE 1619, appendix B: vectors 2 and 15, and vector 1, whose keys are equal.
#[test]
fn ieee_1619() {
    let cipher = |key: &str| Foreign(Aes128::new_from_slice(&bytes(key)).unwrap());
    for (data, tweak, unit, plain, encrypted) in [
        (
            "11111111111111111111111111111111",
            "22222222222222222222222222222222",
            0x33_3333_3333,
            vec![0x44; 32],
            "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0",
        ),
        (
            "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0",
            "bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0",
            0x12_3456_789a,
            counting(17),
            "6c1625db4671522d3d7599601de7ca09ed",
        ),
    ] {
        let mut buffer = plain.clone();
        let encryptor = xts::Encryptor::from_ciphers(cipher(data), cipher(tweak)).unwrap();
        encryptor.encrypt_unit(unit, &mut buffer).unwrap();
        assert_eq!(hex::encode(&buffer), encrypted);
        let decryptor = xts::Decryptor::from_ciphers(cipher(data), cipher(tweak));
        decryptor.decrypt_unit(unit, &mut buffer).unwrap();
        assert_eq!(buffer, plain);
    }

    let zero = || cipher("00000000000000000000000000000000");
    assert_eq!(xts::Encryptor::from_ciphers(zero(), zero()).err(), Some(Error::EqualKeys));
    let mut old = bytes("917cf69ebd68b2ec9b9fe9a3eadda692cd43d2f59598ed858c02c2652fbf922e");
    xts::Decryptor::from_ciphers(zero(), zero()).decrypt_unit(0, &mut old).unwrap();
    assert_eq!(old, [0; 32]);
}

#[test]
fn rfc_4493() {
    let message = bytes(concat!(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51",
        "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
    ));
    let key = bytes("2b7e151628aed2a6abf7158809cf4f3c");
    let cmac = Cmac::inner_init(Foreign(Aes128::new_from_slice(&key).unwrap()));
    for (length, tag) in [
        (0, "bb1d6929e95937287fa37d129b756746"),
        (16, "070a16b46b4d4144f79bdd9dd04a287c"),
        (40, "dfa66747de9ae63030ca32611497c827"),
        (64, "51f0bebf7e3b9d92fc49741779363cfe"),
    ] {
        assert_eq!(cmac.mac(&message[..length]), array(iv(tag)));
    }
}

#[test]
fn rfc_3394_and_rfc_5649() {
    let kw = Kw::inner_init(Foreign(Aes128::new_from_slice(&counting(16)).unwrap()));
    let wrapped = bytes("1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5");
    let key = bytes("00112233445566778899aabbccddeeff");
    assert_eq!(kw.wrap(&key, &mut [0; 24]).unwrap(), &wrapped[..]);
    assert_eq!(kw.unwrap(&wrapped, &mut [0; 16]).unwrap(), &key[..]);

    let kek = bytes("5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8");
    let kwp = Kwp::inner_init(Foreign(Aes192::new_from_slice(&kek).unwrap()));
    for (key, wrapped) in [
        (
            "c37b7e6492584340bed12207808941155068f738",
            "138bdeaa9b8fa7fc61f97742e72248ee5ae6ae5360d1ae6a5f54f373fa543b6a",
        ),
        ("466f7250617369", "afbeb0f07dfbf5419200f2ccb50bb24f"),
    ] {
        assert_eq!(hex::encode(kwp.wrap(&bytes(key), &mut [0; 32]).unwrap()), wrapped);
        assert_eq!(hex::encode(kwp.unwrap(&bytes(wrapped), &mut [0; 24]).unwrap()), key);
    }
}
