//! Do kernels that are assembled at run time do the same as the cipher?
//!
//! Every legal ECB cell, checked in or not, assembled and called; those that this CPU cannot run are
//! assembled all the same, and named.

use aria_gen::kernel::matrix::{cells, recipe};
use aria_gen::kernel::{Frame, KernelId, Layout};
use aria_runtime::cipher::KeyInit;
use aria_runtime::jit::{Fallback, Jit, Kernel};
use aria_runtime::{Aria128, Aria192, Aria256, Cap, Token};
use aria_tests::buffer::Guarded;
use aria_tests::oracle;
use aria_tests::report::{require_features, tell};
use aria_tests::seed::Random;

/// The legal cells of the bare block function on vectors.
fn ecb_cells() -> Vec<KernelId> {
    let legal = cells().filter(|id| id.frame == Frame::Ecb);
    let vectors = |id: &KernelId| recipe(*id).is_ok_and(|recipe| recipe.layout != Layout::Bits);
    let cells: Vec<KernelId> = legal.filter(vectors).collect();
    assert!(cells.len() > 40, "there are more cells than {}", cells.len());
    cells
}

fn encrypt(kernel: &Kernel, key: &[u8], blocks: &mut [[u8; 16]]) {
    match *key {
        [..] if key.len() == 16 => {
            Aria128::new_from_slice(key).expect("16 bytes").encrypt_bulk_by(kernel, blocks);
        }
        [..] if key.len() == 24 => {
            Aria192::new_from_slice(key).expect("24 bytes").encrypt_bulk_by(kernel, blocks);
        }
        _ => Aria256::new_from_slice(key).expect("32 bytes").encrypt_bulk_by(kernel, blocks),
    }
}

fn decrypt(kernel: &Kernel, key: &[u8], blocks: &mut [[u8; 16]]) {
    match key.len() {
        16 => Aria128::new_from_slice(key).expect("16 bytes").decrypt_bulk_by(kernel, blocks),
        24 => Aria192::new_from_slice(key).expect("24 bytes").decrypt_bulk_by(kernel, blocks),
        _ => Aria256::new_from_slice(key).expect("32 bytes").decrypt_bulk_by(kernel, blocks),
    }
}

#[test]
fn every_cell_is_the_cipher() {
    require_features();
    let mut random = Random::new();
    let jit = Jit::new(Token::detect());
    let (mut ran, mut cannot) = (0, 0);
    for id in ecb_cells() {
        let kernel = jit.kernel(&id.to_string()).expect("a legal cell");
        match kernel.fallback() {
            None => ran += 1,
            Some(reason @ Fallback::Features { .. }) => {
                tell("jit", &format!("{id} cannot run here: {reason}"));
                cannot += 1;
                continue;
            }
            Some(reason) => panic!("{id}: {reason}"),
        }
        for size in [16, 24, 32] {
            let key = random.bytes(size);
            let counts = [0, 1, id.blocks - 1, id.blocks, 3 * id.blocks, 5 * id.blocks + 3];
            for (offset, count) in (0..).step_by(13).zip(counts) {
                let plain = random.blocks(count);
                let encrypted = oracle::encrypt(&key, &plain);
                let mut memory = Guarded::new(count);
                let output = memory.with(offset % 64, &plain, |b| encrypt(&kernel, &key, b));
                assert!(output == encrypted, "{id}: {count} blocks, key {}", hex::encode(&key));
                let output = memory.with(offset % 64, &encrypted, |b| decrypt(&kernel, &key, b));
                assert!(output == plain, "{id}: {count} blocks back, key {}", hex::encode(&key));
            }
        }
    }
    tell("jit", &format!("{ran} cells ran, {cannot} cannot run here"));
    assert_eq!(ran + cannot, ecb_cells().len());
}

#[test]
fn tokens_and_caps_are_obeyed() {
    let mut random = Random::new();
    let (key, plain) = (random.bytes(16), random.blocks(70));
    let encrypted = oracle::encrypt(&key, &plain);
    for &cap in Cap::ALL {
        let token = Token::detect().capped(cap);
        let jit = Jit::new(token);
        for id in ecb_cells() {
            let kernel = jit.kernel(&id.to_string()).expect("a legal cell");
            if let Some(Fallback::Features { missing }) = kernel.fallback() {
                assert!(missing.iter().all(|feature| !token.features().contains(feature)));
                assert!(kernel.bytes().is_none());
            }
            let above = aria_gen::isa::Tier::ALL[cap as usize] < id.tier;
            assert!(kernel.fallback().is_some() || !above, "{id} was assembled under {cap}");
            let mut blocks = plain.clone();
            encrypt(&kernel, &key, &mut blocks);
            assert!(blocks == encrypted, "{id} under {cap}");
        }
    }
}
