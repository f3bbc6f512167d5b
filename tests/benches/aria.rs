//! Criterion benches of each kernel and each mode: `cargo bench -p aria-tests`.
//!
//! For watching one of them from change to change: `cargo bench -p aria-tests -- aria128/ctr`. To
//! hold kernels and modes against their peers, use `cargo xtask bench`, where everyone takes turns.

use std::hint::black_box;
use std::time::Duration;

use aria_runtime::cipher::{
    Array, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, InnerIvInit, Key, KeyInit,
    StreamCipher,
};
use aria_runtime::modes::cmac::{Cmac, Mac};
use aria_runtime::modes::ctr::Ctr128BE;
use aria_runtime::modes::{cbc, cfb, ofb, xts};
use aria_runtime::{Aria128, Aria128Dec, Aria128Enc, Frame, Token, kernels};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// Bytes of the buffer.
const SIZES: [usize; 2] = [1024, 16384];

/// The initial value of every message.
const IV: [u8; 16] = [0x3c; 16];

fn key() -> Key<Aria128> {
    [0x5a; 16].into()
}

/// Ciphers under one token.
struct Ciphers {
    both: Aria128,
    enc: Aria128Enc,
    dec: Aria128Dec,
    xts_enc: xts::Encryptor<Aria128Enc>,
    xts_dec: xts::Decryptor<Aria128Dec, Aria128Enc>,
    cmac: Cmac<Aria128Enc>,
}

impl Ciphers {
    fn new(token: Token) -> Self {
        let enc = Aria128Enc::new_with_token(&key(), token);
        let dec = Aria128Dec::new_with_token(&key(), token);
        let tweaks = Aria128Enc::new_with_token(&[0xa5; 16].into(), token);
        Self {
            both: Aria128::new_with_token(&key(), token),
            xts_enc: xts::Encryptor::from_ciphers(enc.clone(), tweaks.clone())
                .expect("the keys differ"),
            xts_dec: xts::Decryptor::from_ciphers(dec.clone(), tweaks),
            // Its token is that of detection: no kernel has it built in, so none is forced.
            cmac: Cmac::new(&key()),
            enc,
            dec,
        }
    }
}

/// A mode: a message of whole blocks, from the start.
struct Mode {
    /// In the names of benches.
    name: &'static str,
    /// The frame of kernels that have it built in.
    frame: Option<Frame>,
    run: fn(&mut Ciphers, &mut [[u8; 16]]),
}

/// Every mode.
#[rustfmt::skip]
const MODES: &[Mode] = &[
    Mode { name: "ecb", frame: Some(Frame::Ecb), run: |ciphers, data| ciphers.both.encrypt_bulk(data) },
    Mode { name: "ctr", frame: Some(Frame::Ctr), run: |ciphers, data| {
        ciphers.both.ctr_bulk(u128::from_be_bytes(IV), data);
    } },
    Mode { name: "cbc-encrypt", frame: Some(Frame::CbcEnc), run: |ciphers, data| {
        cbc::Encryptor::inner_iv_init(&ciphers.enc, &IV.into()).encrypt_blocks(Array::cast_slice_from_core_mut(data));
    } },
    Mode { name: "cbc-decrypt", frame: None, run: |ciphers, data| {
        cbc::Decryptor::inner_iv_init(&ciphers.dec, &IV.into()).decrypt_blocks(Array::cast_slice_from_core_mut(data));
    } },
    Mode { name: "cfb-encrypt", frame: None, run: |ciphers, data| {
        cfb::Encryptor::inner_iv_init(&ciphers.enc, &IV.into()).encrypt_blocks(Array::cast_slice_from_core_mut(data));
    } },
    Mode { name: "cfb-decrypt", frame: None, run: |ciphers, data| {
        cfb::Decryptor::inner_iv_init(&ciphers.enc, &IV.into()).decrypt_blocks(Array::cast_slice_from_core_mut(data));
    } },
    Mode { name: "ofb", frame: None, run: |ciphers, data| {
        ofb::Ofb::inner_iv_init(&ciphers.enc, &IV.into()).apply_keystream(data.as_flattened_mut());
    } },
    Mode { name: "xts-encrypt", frame: None, run: |ciphers, data| {
        ciphers.xts_enc.encrypt_unit(7, data.as_flattened_mut()).expect("a lawful length");
    } },
    Mode { name: "xts-decrypt", frame: None, run: |ciphers, data| {
        ciphers.xts_dec.decrypt_unit(7, data.as_flattened_mut()).expect("a lawful length");
    } },
    Mode { name: "cmac", frame: None, run: |ciphers, data| {
        ciphers.cmac.update(data.as_flattened());
        data[0] = ciphers.cmac.finalize_reset().into_bytes().into();
    } },
];

/// The kernels of a frame that run here, each with a token that forces it.
fn forced(frame: Frame) -> impl Iterator<Item = (&'static str, Token)> {
    let framed = kernels().filter(move |kernel| kernel.frame == frame);
    framed.filter_map(|kernel| match Token::detect().forced(kernel.id) {
        Ok(token) => Some((kernel.id, token)),
        Err(error) => {
            eprintln!("{error}");
            None
        }
    })
}

/// In each mode its kernels by force, then what the planner chooses.
fn modes(criterion: &mut Criterion) {
    for mode in MODES {
        let mut group = criterion.benchmark_group(format!("aria128/{}", mode.name));
        let kernels = mode.frame.into_iter().flat_map(forced);
        for (name, token) in kernels.chain([("planned", Token::detect())]) {
            let mut ciphers = Ciphers::new(token);
            for bytes in SIZES {
                let mut blocks = vec![[0; 16]; bytes / 16];
                group.throughput(Throughput::Bytes(bytes as u64));
                group.bench_function(BenchmarkId::new(name, bytes), |bencher| {
                    bencher.iter(|| (mode.run)(&mut ciphers, black_box(&mut blocks)));
                });
            }
        }
    }
}

/// A message that is no whole number of blocks.
fn short_message(criterion: &mut Criterion) {
    let cipher = Aria128Enc::new(&key());
    let mut message = [0; 100];
    criterion.bench_function("aria128/ctr/100 bytes", |bencher| {
        bencher.iter(|| {
            let mut mode = Ctr128BE::inner_iv_init(&cipher, &IV.into());
            mode.apply_keystream(black_box(&mut message));
        });
    });
}

fn one_block(criterion: &mut Criterion) {
    let cipher = Aria128::new(&key());
    let mut block = [0; 16].into();
    criterion.bench_function("aria128/encrypt_block", |bencher| {
        bencher.iter(|| cipher.encrypt_block(black_box(&mut block)));
    });
}

fn key_set_up(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("aria128/key-set-up");
    for (name, token) in forced(Frame::Keys) {
        group.bench_function(format!("both/{name}"), |bencher| {
            bencher.iter(|| Aria128::new_with_token(black_box(&key()), token))
        });
    }
    group.bench_function("both", |bencher| bencher.iter(|| Aria128::new(black_box(&key()))));
    group.bench_function("encryption", |bencher| {
        bencher.iter(|| Aria128Enc::new(black_box(&key())))
    });
    group.bench_function("decryption", |bencher| {
        bencher.iter(|| Aria128Dec::new(black_box(&key())))
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = modes, short_message, one_block, key_set_up
}
criterion_main!(benches);
