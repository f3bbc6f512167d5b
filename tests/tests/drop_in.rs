//! Does code written for RustCrypto's `aria` compile unchanged against ours, and do the same?
//!
//! The code below is compiled twice, once for each crate, and what the two return is compared. It
//! uses the traits directly, and through the mode crates `ctr` and `cbc`.

use aria_tests::oracle::{self, KEY_SIZES};
use aria_tests::seed::Random;

/// Code for a crate named `aria`.
macro_rules! code_for {
    ($module:ident, $aria:ident) => {
        mod $module {
            use $aria as aria;

            use aria::cipher::zeroize::ZeroizeOnDrop;
            use aria::cipher::{
                AlgorithmName, Array, Block, BlockCipherDecrypt, BlockCipherEncrypt,
                BlockModeDecrypt, BlockModeEncrypt, BlockSizeUser, InOutBuf, InvalidLength, Key,
                KeyInit, KeyIvInit, KeySizeUser, StreamCipher, StreamCipherSeek, consts::U16,
                inout::NotEqualError,
            };
            use aria::{Aria, Aria128, Aria192, Aria256};

            /// The example on the front page of `aria`'s documentation.
            pub(super) fn front_page() -> [u8; 16] {
                let key = Array::from([0u8; 16]);
                let mut block = Array::from([0u8; 16]);
                // Initialize cipher
                let cipher = Aria128::new(&key);

                let block_copy = block;
                // Encrypt block in-place
                cipher.encrypt_block(&mut block);
                let encrypted = block;
                // And decrypt it back
                cipher.decrypt_block(&mut block);
                assert_eq!(block, block_copy);
                encrypted.into()
            }

            /// The struct by its own name, and the aliases as what they are.
            pub(super) fn round_keys(cipher: &Aria<13>) -> &Aria128 {
                cipher
            }

            /// Everything that the type promises, in one bound.
            pub(super) trait Everything:
                BlockCipherEncrypt
                + BlockCipherDecrypt
                + BlockSizeUser<BlockSize = U16>
                + KeyInit
                + KeySizeUser
                + AlgorithmName
                + Clone
                + core::fmt::Debug
                + Send
                + Sync
                + Unpin
                + ZeroizeOnDrop
                + 'static
            {
            }

            impl Everything for Aria128 {}
            impl Everything for Aria192 {}
            impl Everything for Aria256 {}

            struct Name<C>(core::marker::PhantomData<C>);

            impl<C: AlgorithmName> core::fmt::Display for Name<C> {
                fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                    C::write_alg_name(f)
                }
            }

            pub(super) fn names(key: &[u8]) -> Vec<String> {
                fn of<C: Everything>(key: &[u8]) -> Vec<String> {
                    let key = Key::<C>::try_from(&key[..C::key_size()]).unwrap();
                    let name = Name::<C>(core::marker::PhantomData);
                    vec![format!("{:?}", C::new(&key)), name.to_string()]
                }
                [of::<Aria128>(key), of::<Aria192>(key), of::<Aria256>(key)].concat()
            }

            /// Every method of the block traits, on some blocks.
            pub(super) fn methods(key: &[u8], data: &[[u8; 16]]) -> Vec<[u8; 16]> {
                fn with<C: Everything>(key: &[u8], data: &[[u8; 16]]) -> Vec<[u8; 16]> {
                    let cipher = C::new_from_slice(key).unwrap().clone();
                    let original: Vec<Block<C>> = data.iter().map(|&block| block.into()).collect();
                    let mut results = Vec::new();

                    let mut blocks = original.clone();
                    cipher.encrypt_blocks(&mut blocks);
                    results.extend_from_slice(&blocks);
                    cipher.decrypt_blocks(&mut blocks);
                    assert_eq!(blocks, original);

                    let mut other = vec![Block::<C>::default(); blocks.len()];
                    let done: Result<(), NotEqualError> =
                        cipher.decrypt_blocks_b2b(&blocks, &mut other);
                    done.unwrap();
                    results.extend_from_slice(&other);
                    cipher.encrypt_blocks_b2b(&other, &mut blocks).unwrap();
                    assert_eq!(blocks, original);
                    other.push(Block::<C>::default());
                    cipher.encrypt_blocks_b2b(&blocks, &mut other).unwrap_err();

                    cipher.encrypt_blocks_inout(InOutBuf::from(&mut blocks[..]));
                    results.extend_from_slice(&blocks);
                    cipher.decrypt_blocks_inout(InOutBuf::from(&mut blocks[..]));

                    for block in &mut blocks {
                        let mut twice = Block::<C>::default();
                        cipher.encrypt_block(block);
                        cipher.encrypt_block_b2b(block, &mut twice);
                        cipher.encrypt_block_inout((&mut twice).into());
                        results.push(twice);
                        cipher.decrypt_block_inout((&mut twice).into());
                        cipher.decrypt_block_b2b(&twice, block);
                        cipher.decrypt_block(block);
                    }
                    assert_eq!(blocks, original);
                    results.into_iter().map(Into::into).collect()
                }
                match key.len() {
                    16 => with::<Aria128>(key, data),
                    24 => with::<Aria192>(key, data),
                    _ => with::<Aria256>(key, data),
                }
            }

            /// Types that only the argument of a trait's method tells: an inherent method of the
            /// same name, generic or for other blocks, would break this.
            pub(super) fn inference(cipher: &Aria128) -> Vec<u8> {
                let mut list = vec![Default::default(); 3];
                cipher.encrypt_blocks(&mut list);
                let mut array = [Default::default(); 2];
                cipher.encrypt_blocks(&mut array);
                cipher.encrypt_blocks(&mut []);
                let done = cipher.encrypt_blocks_b2b(&list[..2], &mut array);
                assert_eq!(done.map_err(|NotEqualError| ()), Ok(()));
                [list.concat(), array.concat()].concat()
            }

            pub(super) fn key_lengths() -> Vec<(bool, bool, bool)> {
                let key = [7; 65];
                (0..=64)
                    .map(|length| {
                        let a: Result<Aria128, InvalidLength> =
                            Aria128::new_from_slice(&key[..length]);
                        let b = Aria192::new_from_slice(&key[..length]);
                        let c = Aria256::new_from_slice(&key[..length]);
                        (a.is_ok(), b.is_ok(), c.is_ok())
                    })
                    .collect()
            }

            /// Counter mode, the data in pieces of the given sizes in turn.
            pub(super) fn ctr(key: &[u8], iv: [u8; 16], data: &[u8], pieces: &[usize]) -> Vec<u8> {
                fn with<C: Everything>(
                    key: &[u8],
                    iv: [u8; 16],
                    data: &[u8],
                    pieces: &[usize],
                ) -> Vec<u8> {
                    let mut cipher = ctr::Ctr128BE::<C>::new_from_slices(key, &iv).unwrap();
                    let mut data = data.to_vec();
                    let (mut rest, mut pieces) = (&mut data[..], pieces.iter().cycle());
                    while !rest.is_empty() {
                        let piece = (*pieces.next().unwrap()).min(rest.len());
                        let (now, later) = rest.split_at_mut(piece);
                        cipher.apply_keystream(now);
                        rest = later;
                    }
                    assert_eq!(cipher.current_pos::<usize>(), data.len());
                    data
                }
                match key.len() {
                    16 => with::<Aria128>(key, iv, data, pieces),
                    24 => with::<Aria192>(key, iv, data, pieces),
                    _ => with::<Aria256>(key, iv, data, pieces),
                }
            }

            /// CBC there and back; returns what was encrypted.
            pub(super) fn cbc(key: &[u8], iv: [u8; 16], data: &[[u8; 16]]) -> Vec<[u8; 16]> {
                fn with<C: Everything>(
                    key: &[u8],
                    iv: [u8; 16],
                    data: &[[u8; 16]],
                ) -> Vec<[u8; 16]> {
                    let original: Vec<Block<C>> = data.iter().map(|&block| block.into()).collect();
                    let mut blocks = original.clone();
                    let mut encryptor = cbc::Encryptor::<C>::new_from_slices(key, &iv).unwrap();
                    encryptor.encrypt_blocks(&mut blocks);
                    let encrypted = blocks.iter().map(|&block| block.into()).collect();
                    let mut decryptor = cbc::Decryptor::<C>::new_from_slices(key, &iv).unwrap();
                    decryptor.decrypt_blocks(&mut blocks);
                    assert_eq!(blocks, original);
                    encrypted
                }
                match key.len() {
                    16 => with::<Aria128>(key, iv, data),
                    24 => with::<Aria192>(key, iv, data),
                    _ => with::<Aria256>(key, iv, data),
                }
            }
        }
    };
}

code_for!(theirs, aria);
code_for!(ours, aria_runtime);

#[test]
fn front_page() {
    assert_eq!(ours::front_page(), theirs::front_page());
}

#[test]
fn round_keys_and_names() {
    use aria_runtime::cipher::KeyInit;

    let cipher = aria_runtime::Aria128::new(&[1; 16].into());
    assert!(std::ptr::eq(ours::round_keys(&cipher), &raw const cipher));
    let cipher = aria::Aria128::new(&[1; 16].into());
    assert!(std::ptr::eq(theirs::round_keys(&cipher), &raw const cipher));

    let key = [0x5a; 32];
    assert_eq!(ours::names(&key), theirs::names(&key));
    // No byte of the key is told.
    assert!(ours::names(&key).iter().all(|name| !name.contains("5a") && !name.contains("90")));
}

#[test]
fn methods() {
    let mut random = Random::new();
    for size in KEY_SIZES {
        for count in [0, 1, 2, 63, 64, 65, 130] {
            let (key, data) = (random.bytes(size), random.blocks(count));
            let (ours, theirs) = (ours::methods(&key, &data), theirs::methods(&key, &data));
            assert!(ours == theirs, "{size}-byte key, {count} blocks");
        }
    }
}

#[test]
fn inference() {
    use aria_runtime::cipher::KeyInit;

    let key = [3; 16].into();
    assert_eq!(
        ours::inference(&aria_runtime::Aria128::new(&key)),
        theirs::inference(&aria::Aria128::new(&key)),
    );
}

#[test]
fn key_lengths() {
    assert_eq!(ours::key_lengths(), theirs::key_lengths());
}

/// Lengths around the 64 blocks that our backend takes at once, in pieces that cut blocks.
#[test]
fn counter_mode() {
    let mut random = Random::new();
    for size in KEY_SIZES {
        let key = random.bytes(size);
        for length in [0, 1, 15, 16, 17, 1023, 1024, 1025, 2047, 2064, 5000] {
            let (data, iv) = (random.bytes(length), random.blocks(1)[0]);
            let pieces = [length.max(1), 1 + random.below(100), 1 + random.below(2000)];
            let expected = oracle::ctr(&key, iv, &data);
            assert_eq!(theirs::ctr(&key, iv, &data, &pieces[..1]), expected);
            for pieces in [&pieces[..1], &pieces[1..]] {
                assert!(
                    ours::ctr(&key, iv, &data, pieces) == expected,
                    "{size}-byte key, {length} bytes in pieces of {pieces:?}"
                );
            }
        }
    }
}

/// Where bulk and tail disagreed elsewhere: every distance to a carry out of 32, 64 and 128 bits.
#[test]
fn counter_wraps() {
    let key: Vec<u8> = (0..16).collect();
    let data = [0; 160 * 16];
    for carry in [32, 64, 128] {
        for distance in 1..=128u128 {
            let end = 1u128.checked_shl(carry).unwrap_or(0);
            let iv = end.wrapping_sub(distance).to_be_bytes();
            assert!(
                ours::ctr(&key, iv, &data, &[data.len()]) == oracle::ctr(&key, iv, &data),
                "{distance} blocks before a carry out of bit {carry}"
            );
        }
    }
}

/// The same by value, from OpenSSL 3.0: four zero blocks.
#[test]
fn counter_wraps_by_value() {
    let key: Vec<u8> = (0..16).collect();
    let encrypt = |iv: u128| hex::encode(ours::ctr(&key, iv.to_be_bytes(), &[0; 64], &[64]));
    assert_eq!(
        encrypt(u128::MAX - 2),
        concat!(
            "c2a0e5ae2453dc29d361b82bf2dd591b172a33df4c7e302958225cd20836a271",
            "685c678e545d7b37de0c32575205a63cfa2827d1436c8a819973436e60ac4790",
        )
    );
    assert_eq!(
        encrypt(u128::from(u32::MAX) - 2),
        concat!(
            "d32839279da2a15e9a37d05621fc5e7ea1fc059c85bfa7958d1f2b5168f147ae",
            "ca3ea267f4dac65e4cc2e006b231f959cc11ad652ad9f98343adace5781220b9",
        )
    );
}

#[test]
fn cipher_block_chaining() {
    let mut random = Random::new();
    for size in KEY_SIZES {
        for count in [0, 1, 2, 16, 63, 64, 65, 128, 130] {
            let (key, data) = (random.bytes(size), random.blocks(count));
            let iv = random.blocks(1)[0];
            assert!(
                ours::cbc(&key, iv, &data) == theirs::cbc(&key, iv, &data),
                "{size}-byte key, {count} blocks"
            );
        }
    }
}
