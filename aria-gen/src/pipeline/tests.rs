//! Does every cell mean what RFC 5794 says, after building, after lowering and after every pass?
//! Interpreted, so it needs no special CPU.

use super::*;
use crate::ir::{Operation, interp};
use crate::kernel::Frame;
use crate::spec::aria::{self, KeySize, MAX_ROUND_KEYS};

/// Bytes that look random; fixed, so that a failure repeats.
fn bytes(count: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        // Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) as u8
    };
    (0..count).map(|_| next()).collect()
}

fn expect_spec<O: Operation>(
    id: KernelId,
    stage: Stage,
    program: &Program<O>,
    form: impl Fn(&[[u8; 16]]) -> Vec<Vec<u8>>,
) {
    for key_bytes in [16, 24, 32] {
        let key = bytes(key_bytes, 1);
        let raw = aria::encryption_keys(&key).expect("a legal length");
        let round_keys = form(&raw);
        let input = bytes(2 * program.batch_bytes + program.overlap, 2);
        for counter in starts(id) {
            let mut output = vec![0; 2 * program.output_bytes];
            interp::run_from(program, counter, &round_keys, &input, &mut output)
                .expect("whole batches");
            let mut chain = counter.to_be_bytes();
            let blocks = input.as_chunks::<16>().0;
            let pairs = blocks.iter().zip(output.as_chunks::<16>().0);
            for (block, (plain, cipher)) in pairs.enumerate() {
                let add = |a: [u8; 16], b: &[u8; 16]| core::array::from_fn(|i| a[i] ^ b[i]);
                let expected = match id.frame {
                    Frame::Ecb | Frame::Keys => aria::encrypt_with(&raw, plain),
                    Frame::CbcEnc => {
                        let sum = core::array::from_fn(|i| plain[i] ^ chain[i]);
                        chain = aria::encrypt_with(&raw, &sum);
                        chain
                    }
                    Frame::Ctr => {
                        let counter = counter.wrapping_add(block as u128).to_be_bytes();
                        let mask = aria::encrypt_with(&raw, &counter);
                        add(mask, plain)
                    }
                    Frame::CbcDec => add(aria::encrypt_with(&raw, &blocks[block + 1]), plain),
                    Frame::CfbDec => add(aria::encrypt_with(&raw, plain), &blocks[block + 1]),
                };
                let context = format!("{id} {stage} {key_bytes}-byte key, counter {counter:#x}");
                assert_eq!(*cipher, expected, "{context}, block {block}");
            }
        }
    }
}

/// Where to start counting, or the initial value as a number. For counters: no carry, a carry in either batch, one that goes all the way, and the
/// two numbers between which the way to the counters changes.
fn starts(id: KernelId) -> Vec<u128> {
    let blocks = id.blocks as u128;
    match id.frame {
        Frame::Ecb | Frame::Keys | Frame::CbcDec | Frame::CfbDec => vec![0],
        Frame::CbcEnc => vec![0, 0x0123_4567_89ab_cdef_1032_5476_98ba_dcfe],
        Frame::Ctr => vec![0, 0x1ff, u128::MAX - blocks - 2, 256 - blocks, 257 - blocks],
    }
}

/// Runs a key schedule on two master keys of each size and compares with RFC 5794.
fn expect_key_schedule<O: Operation>(id: KernelId, stage: Stage, program: &Program<O>) {
    for size in KeySize::ALL {
        let constants = size.schedule_constants().map(|ck| ck.to_be_bytes().to_vec());
        let masters = [bytes(size.bytes(), 1), bytes(size.bytes(), 7)];
        let mut input = vec![0; 2 * program.batch_bytes];
        for (padded, master) in input.chunks_exact_mut(program.batch_bytes).zip(&masters) {
            padded[..master.len()].copy_from_slice(master);
        }
        let mut output = vec![0; 2 * program.output_bytes];
        interp::run(program, &constants, &input, &mut output).expect("whole batches");
        for (got, master) in output.chunks_exact(program.output_bytes).zip(&masters) {
            let keys = got.as_chunks::<16>().0;
            let expected = aria::encryption_keys(master).expect("a legal length");
            for (i, key) in expected.iter().enumerate() {
                assert_eq!(keys[i], *key, "{id} {stage} {size:?} ek{}", i + 1);
            }
            for (i, key) in keys[..MAX_ROUND_KEYS].iter().enumerate() {
                let image = aria::diffuse(key);
                assert_eq!(keys[MAX_ROUND_KEYS + i], image, "{id} {stage} {size:?} A(ek{})", i + 1);
            }
        }
    }
}

/// Kernels on words have one stage.
fn expect_words(id: KernelId) {
    let built = build_words(id).expect("a legal cell");
    for key_bytes in [16, 24, 32] {
        let raw = aria::encryption_keys(&bytes(key_bytes, 1)).expect("a legal length");
        let round_keys = built.expand_keys(&raw);
        let input = bytes(built.program.batch_bytes, 2);
        let output = built.program.run(0, &round_keys, &input);
        let pairs = input.as_chunks::<16>().0.iter().zip(output.as_chunks::<16>().0);
        for (block, (plain, cipher)) in pairs.enumerate() {
            let expected = aria::encrypt_with(&raw, plain);
            assert_eq!(*cipher, expected, "{id} {key_bytes}-byte key, block {block}");
        }
    }
}

fn expect_every_stage(id: KernelId) {
    if is_words(id) {
        return expect_words(id);
    }
    let built = build_kernel(id).expect("a legal cell");
    if id.frame == Frame::Keys {
        expect_key_schedule(id, Stage::Build, &built.abstract_program);
        for (stage, program) in Stage::all().skip(1).zip(&built.machine_programs) {
            expect_key_schedule(id, stage, program);
        }
        return;
    }
    expect_spec(id, Stage::Build, &built.abstract_program, |raw| {
        raw.iter().map(|rk| rk.to_vec()).collect()
    });
    let form = |raw: &[[u8; 16]]| built.recipe.key_form.expand(raw);
    let stages = Stage::all().skip(1).zip(&built.machine_programs);
    for (stage, program) in stages {
        expect_spec(id, stage, program, form);
    }
    assert_eq!(built.machine_programs.len(), Stage::all().count() - 1);
}

#[test]
fn every_row_equals_the_specification_after_every_stage() {
    for &id in matrix::ROWS {
        expect_every_stage(id);
    }
}

#[test]
fn every_other_legal_cell_does_too() {
    let others: Vec<KernelId> = matrix::cells()
        .filter(|id| matrix::recipe(*id).is_ok() && !matrix::ROWS.contains(id))
        .collect();
    for &id in &others {
        expect_every_stage(id);
    }
    // Slices: two halves of every tier, unit and width but zmm, and xmm blk16 at avx2, 16 in all, each
    // in two frames, and of the chained ones 7 more that no CPU would choose. Rows: xmm at avx2 (4), VAES
    // (7) and two registers (6). Key schedules: avx2, and VAES at avx512 (3); CBC encryption the same (3).
    assert_eq!(others.len(), 2 * 16 + 2 * (16 + 7) + 23, "{others:?}");
}

#[test]
fn decryption_is_encryption_with_other_round_keys() {
    let id = matrix::ROWS[0];
    let built = build_kernel(id).expect("a row");
    let ek = aria::encryption_keys(&bytes(32, 5)).expect("a legal length");
    let dk = aria::decryption_keys(&ek);
    let run = |keys: &[[u8; 16]], input: &[u8]| {
        let mut output = vec![0; input.len()];
        let keys = built.recipe.key_form.expand(keys);
        interp::run(built.finished(), &keys, input, &mut output).expect("one batch");
        output
    };
    let plain = bytes(built.finished().batch_bytes, 6);
    assert_eq!(run(&dk, &run(&ek, &plain)), plain);
}

#[test]
fn wrong_lengths_and_key_counts_are_refused() {
    let built = build_kernel(matrix::ROWS[0]).expect("a row");
    let program = built.finished();
    let keys = vec![vec![0; 64]; 13];
    let mut output = vec![0; program.batch_bytes];
    let short = vec![0; program.batch_bytes - 1];
    assert!(interp::run(program, &keys, &short, &mut output).is_err());
    let input = output.clone();
    assert!(interp::run(program, &keys[..12], &input, &mut output).is_err());
    assert!(interp::run(program, &keys[..1], &input, &mut output).is_err());
}

#[test]
fn a_round_of_the_widest_kernel_is_sixty_operations() {
    let id = "aria_avx512_gfni_zmm_blk64".parse().expect("an id");
    let facts = build_kernel(id).expect("a row").facts().expect("rows exist");
    assert_eq!(facts.operations_a_round, 60);
    assert_eq!(facts.pressure.excess(), 0, "{:?}", facts.pressure);
}
