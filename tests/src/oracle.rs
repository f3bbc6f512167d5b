//! What is right: RustCrypto's `aria`, block by block, and a counter mode written from its
//! definition. Nothing of ours is used.

use aria::cipher::consts::U16;
use aria::cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aria::{Aria128, Aria192, Aria256};

/// Lengths of a key in bytes.
pub const KEY_SIZES: [usize; 3] = [16, 24, 32];

/// Encrypts each block.
///
/// # Panics
///
/// If the key does not have one of [`KEY_SIZES`].
#[must_use]
pub fn encrypt(key: &[u8], blocks: &[[u8; 16]]) -> Vec<[u8; 16]> {
    match key.len() {
        16 => each_block(key, blocks, Aria128::encrypt_block),
        24 => each_block(key, blocks, Aria192::encrypt_block),
        _ => each_block(key, blocks, Aria256::encrypt_block),
    }
}

/// Decrypts each block.
///
/// # Panics
///
/// If the key does not have one of [`KEY_SIZES`].
#[must_use]
pub fn decrypt(key: &[u8], blocks: &[[u8; 16]]) -> Vec<[u8; 16]> {
    match key.len() {
        16 => each_block(key, blocks, Aria128::decrypt_block),
        24 => each_block(key, blocks, Aria192::decrypt_block),
        _ => each_block(key, blocks, Aria256::decrypt_block),
    }
}

fn each_block<C: KeyInit>(
    key: &[u8],
    blocks: &[[u8; 16]],
    work: impl Fn(&C, &mut Array<u8, U16>),
) -> Vec<[u8; 16]> {
    let cipher = C::new_from_slice(key).expect("an ARIA key has 16, 24 or 32 bytes");
    let one = |&block| {
        let mut block = Array(block);
        work(&cipher, &mut block);
        block.0
    };
    blocks.iter().map(one).collect()
}

/// Counter mode with a 128-bit big-endian counter (NIST SP 800-38A, section 6.5).
#[must_use]
pub fn ctr(key: &[u8], iv: [u8; 16], data: &[u8]) -> Vec<u8> {
    let first = u128::from_be_bytes(iv);
    let counters: Vec<_> =
        (0..data.len().div_ceil(16) as u128).map(|i| first.wrapping_add(i).to_be_bytes()).collect();
    let keystream = encrypt(key, &counters);
    data.iter().zip(keystream.as_flattened()).map(|(byte, key)| byte ^ key).collect()
}
