//! Criterion benches of the ECB kernels and entry points: `cargo bench -p aria-tests`.
//!
//! For watching one kernel from change to change. To hold kernels against their peers, use
//! `cargo xtask bench`, where everyone takes turns.

use std::hint::black_box;
use std::time::Duration;

use aria_runtime::cipher::{BlockCipherEncrypt, Key, KeyInit};
use aria_runtime::{Aria128, Aria128Dec, Aria128Enc, Token, kernels};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// Bytes of the buffer.
const SIZES: [usize; 2] = [1024, 16384];

fn key() -> Key<Aria128> {
    [0x5a; 16].into()
}

/// Each kernel by force, then what the planner chooses.
fn bulk(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("aria128/ecb");
    let forced = kernels().filter_map(|kernel| match Token::detect().forced(kernel.id) {
        Ok(token) => Some((kernel.id, token)),
        Err(error) => {
            eprintln!("{error}");
            None
        }
    });
    let planned = ("Aria128::encrypt_bulk", Token::detect());
    for (name, token) in forced.chain([planned]) {
        let cipher = Aria128::new_with_token(&key(), token);
        for bytes in SIZES {
            let mut blocks = vec![[0; 16]; bytes / 16];
            group.throughput(Throughput::Bytes(bytes as u64));
            group.bench_function(BenchmarkId::new(name, bytes), |bencher| {
                bencher.iter(|| cipher.encrypt_bulk(black_box(&mut blocks)));
            });
        }
    }
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
    targets = bulk, one_block, key_set_up
}
criterion_main!(benches);
