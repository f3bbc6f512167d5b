//! Does every kernel, and the scalar path, give the published results?
//!
//! RFC 5794, appendix A, and KISA's ECB vectors (ten blocks, three key sizes; the values are also in
//! OpenSSL's `evpciph_aria.txt`), in both directions: as they stand, and repeated until they fill
//! one batch, and two batches and a block.

use aria_runtime::{Frame, Token};
use aria_tests::ours::cipher;
use aria_tests::report::for_each_kernel;

/// A key, and blocks with what they become under it; all in hex.
struct Vector {
    name: &'static str,
    key: &'static str,
    plain: &'static str,
    encrypted: &'static str,
}

/// RFC 5794, appendix A: the plaintext of all three vectors.
const PLAIN_RFC: &str = "00112233445566778899aabbccddeeff";

/// The plaintext of KISA's ECB vectors.
const PLAIN_KISA: &str = concat!(
    "11111111aaaaaaaa11111111bbbbbbbb11111111cccccccc11111111dddddddd",
    "22222222aaaaaaaa22222222bbbbbbbb22222222cccccccc22222222dddddddd",
    "33333333aaaaaaaa33333333bbbbbbbb33333333cccccccc33333333dddddddd",
    "44444444aaaaaaaa44444444bbbbbbbb44444444cccccccc44444444dddddddd",
    "55555555aaaaaaaa55555555bbbbbbbb55555555cccccccc55555555dddddddd",
);

const VECTORS: [Vector; 7] = [
    Vector {
        name: "RFC 5794 A.1",
        key: "000102030405060708090a0b0c0d0e0f",
        plain: PLAIN_RFC,
        encrypted: "d718fbd6ab644c739da95f3be6451778",
    },
    Vector {
        name: "RFC 5794 A.2",
        key: "000102030405060708090a0b0c0d0e0f1011121314151617",
        plain: PLAIN_RFC,
        encrypted: "26449c1805dbe7aa25a468ce263a9e79",
    },
    Vector {
        name: "RFC 5794 A.3",
        key: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        plain: PLAIN_RFC,
        encrypted: "f92bd7c79fb72e2f2b8f80c1972d24fc",
    },
    Vector {
        name: "zero key, one bit set",
        key: "00000000000000000000000000000000",
        plain: "80000000000000000000000000000000",
        encrypted: "92e51e737dabb6bfd0eabc8d32224f77",
    },
    Vector {
        name: "KISA ECB, 128-bit key",
        key: "00112233445566778899aabbccddeeff",
        plain: PLAIN_KISA,
        encrypted: concat!(
            "c6ecd08e22c30abdb215cf74e2075e6e29ccaac63448708d331b2f816c51b17d",
            "9e133d1528dbf0af5787c7f3a3f5c2bf6b6f345907a3055612ce072ff54de7d7",
            "88424da6e8ccfe8172b391be499354165665ba7864917000a6eeb2ecb4a698ed",
            "fc7887e7f556377614ab0a282293e6d884dbb84206cdb16ed1754e77a1f243fd",
            "086953f752cc1e46c7c794ae85537dcaec8dd721f55c93b6edfe2adea43873e8",
        ),
    },
    Vector {
        name: "KISA ECB, 192-bit key",
        key: "00112233445566778899aabbccddeeff0011223344556677",
        plain: PLAIN_KISA,
        encrypted: concat!(
            "8d1470625f59ebacb0e55b534b3e462b5f23d33bff78f46c3c15911f4a21809a",
            "accad80b4bda915aa9dae6bcebe06a6c83f77fd5391acfe61de2f646b5d447ed",
            "bfd5bb49b12fbb9145b227895a757b2af1f7188734863d7b8b6ede5a5b2f06a0",
            "a233c8523d2db778fb31b0e311f32700152f33861e9d040c83b5eb40cd88ea49",
            "975709dc629365a189f78a3ec40345fc6a5a307a8f9a4413091e007eca5645a0",
        ),
    },
    Vector {
        name: "KISA ECB, 256-bit key",
        key: "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
        plain: PLAIN_KISA,
        encrypted: concat!(
            "58a875e6044ad7fffa4f58420f7f442d8e191016f28e79aefc01e204773280d7",
            "018e5f7a938ec30711719953bae86542cd7ebc752474c1a5f6eaaace2a7e2946",
            "2ee7dfa5afdb84177ead95ccd4b4bb6e1ed17b9534cff0a5fc2941429cfee2ee",
            "49c7adbeb7e9d1b0d2a8531d942079596a27ed79f5b1dd13ecd604b07a48885a",
            "3afa0627a0e4e60a3c703af292f1baa77b702f16c54aa74bc727ea95c7468b00",
        ),
    },
];

fn bytes(hex: &str) -> Vec<u8> {
    hex::decode(hex).expect("the vectors are in hex")
}

fn blocks(hex: &str) -> Vec<[u8; 16]> {
    let bytes = bytes(hex);
    let (blocks, rest) = bytes.as_chunks();
    assert!(rest.is_empty());
    blocks.to_vec()
}

/// Both directions of one vector, its blocks repeated in turn up to `count` blocks.
fn check(vector: &Vector, count: usize, token: Token) {
    let fill = |hex| blocks(hex).into_iter().cycle().take(count).collect::<Vec<_>>();
    let (plain, encrypted) = (fill(vector.plain), fill(vector.encrypted));
    let cipher = cipher(&bytes(vector.key), token);

    let mut buffer = plain.clone();
    cipher.encrypt(&mut buffer);
    assert_eq!(buffer, encrypted, "{}, {count} blocks encrypted", vector.name);
    cipher.decrypt(&mut buffer);
    assert_eq!(buffer, plain, "{}, {count} blocks decrypted", vector.name);
}

#[test]
fn published_vectors_by_every_kernel() {
    for_each_kernel("vectors", Frame::Ecb, |subject| {
        let mut cases = 0;
        for vector in &VECTORS {
            let own = blocks(vector.plain).len();
            for count in [own, subject.batch, 2 * subject.batch + 1] {
                check(vector, count, subject.token);
                cases += 2;
            }
        }
        cases
    });
}

#[test]
fn published_vectors_by_choice_of_the_planner() {
    for vector in &VECTORS {
        for count in [blocks(vector.plain).len(), 100] {
            check(vector, count, Token::detect());
        }
    }
}
