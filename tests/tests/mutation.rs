//! Can the prover fail? Kernels with one thing changed: whatever changes the output is refuted, and
//! whatever does not is proved.
//!
//! Whether a mutant changes the output is decided by runs on random bytes, held against the oracle of
//! the specification: by the prover's reader, but without its symbolic domain and its reference.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

use aria_gen::prove::counterexample::{execute, expected};
use aria_gen::prove::memory::Placement;
use aria_gen::prove::package::{Kernel, read_kernels};
use aria_gen::prove::prove_kernel;
use aria_gen::prove::reader::Program;
use aria_gen::prove::reference::Frame;
use aria_gen::prove::verdict::Verdict;
use aria_gen::spec::aria::{self, KeySize};
use aria_tests::mutant::{Kind, Mutant, mutants};
use aria_tests::report;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Fixed, so that the counts below are.
const SEED: u64 = 0x5794;

/// One kernel of each way of computing the layers, and the widest.
const SAMPLE: [&str; 12] = [
    "aria_avx2_aesni_ymm_blk32",
    "aria_avx2_gfni_ymm_blk32",
    "aria_avx512_gfni_xmm_blk16",
    "aria_avx512_gfni_xmm_blk16_ctr",
    "aria_avx512_gfni_zmm_blk64",
    "aria_avx512_vaes_ymm_blk32_ctr",
    "aria_avx512_vaes_zmm_blk64",
    "aria_avx_gfni_xmm_blk16_cbc_dec",
    "aria_portable_bits_u64_blk1",
    "aria_portable_bits_u64_blk4",
    "aria_sse_aesni_xmm_blk16_ctr",
    "aria_sse_gfni_xmm_blk16",
];

/// Mutants of a kind and kernel.
const EACH: usize = 8;

/// Mutants of how counters move on that are refuted; the others change nothing.
const COUNTER_REFUTED: usize = 14;

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// Its output differs, and the prover refutes it.
    Refuted,
    /// Its output is the same, and the prover proves it.
    Equivalent,
    /// The prover is wrong, or cannot tell.
    Missed,
}

struct Case {
    kernel: Kernel,
    mutant: Mutant,
}

#[test]
fn every_mutant_that_changes_output_is_refuted() {
    println!("seed {SEED:#x}");
    let cases = cases();
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(number) else { break };
                    let outcome = judge(case, number as u64);
                    outcomes.lock().expect("no judge panicked").insert(number, outcome);
                }
            });
        }
    });
    let outcomes = outcomes.into_inner().expect("no judge panicked");
    assert_eq!(outcomes.len(), cases.len());

    let mut counts: BTreeMap<(Kind, Outcome), usize> = BTreeMap::new();
    for (number, outcome) in outcomes {
        let Case { kernel, mutant } = &cases[number];
        *counts.entry((mutant.kind, outcome)).or_default() += 1;
        if outcome == Outcome::Equivalent {
            let (line, before, after) = (mutant.line, mutant.before.trim(), mutant.after.trim());
            let what = format!("{} line {line}: `{before}` → `{after}`", kernel.id);
            let why = reason(mutant.kind).unwrap_or_else(|| panic!("{what}: proved, but why?"));
            report::tell("mutation", &format!("{what}: {why}"));
        }
    }
    let count = |outcome| Kind::ALL.map(|kind| counts.get(&(kind, outcome)).copied().unwrap_or(0));
    for ((kind, outcome), count) in &counts {
        report::tell("mutation", &format!("{kind:?}: {count} {outcome:?}"));
    }
    let all = SAMPLE.len() * EACH;
    // Six of the kernels on vectors have matrices, five have tables, three count; two are on words:
    // these have masks, and no operation in which operands have an order.
    let (constants, tables, ordered) = (8 * EACH, 5 * EACH, 10 * EACH);
    assert_eq!(count(Outcome::Missed), [0; 11]);
    assert_eq!(
        count(Outcome::Refuted),
        [constants, tables, all, ordered, 0, all, all, all, COUNTER_REFUTED, all, all]
    );
    assert_eq!(
        count(Outcome::Equivalent),
        [0, 0, 0, 0, all, 0, 0, 0, 3 * EACH - COUNTER_REFUTED, 0, 0]
    );
    assert_eq!(cases.len(), 880);
}

/// The mutants of the sample.
fn cases() -> Vec<Case> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated");
    let read = |name| fs::read_to_string(package.join(name)).expect("the generator wrote it");
    let table = read("src/lib.rs".to_owned());
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let mut cases = Vec::new();
    let kernels = read_kernels("src/lib.rs", &table);
    for kernel in kernels.expect("the table is as the generator writes it") {
        if !SAMPLE.contains(&kernel.id.as_str()) {
            continue;
        }
        let text = read(kernel.path());
        for kind in Kind::ALL {
            let mutants = mutants(&text, kind, EACH, &mut random);
            cases.extend(mutants.into_iter().map(|mutant| Case { kernel: kernel.clone(), mutant }));
        }
    }
    cases
}

fn judge(Case { kernel, mutant }: &Case, seed: u64) -> Outcome {
    let program = Program::parse(&kernel.path(), &mutant.text).expect("mutants are Rust");
    let verdict = prove_kernel(&program, kernel, KeySize::K128);
    match (changes_output(&program, kernel, seed), &verdict) {
        (true, Verdict::Refuted(_)) => Outcome::Refuted,
        (false, Verdict::Proved(_)) => Outcome::Equivalent,
        (changes, verdict) => {
            let Mutant { line, before, after, .. } = mutant;
            println!("{} line {line}: `{before}` → `{after}`", kernel.id);
            println!("changes output: {changes}, yet {verdict}");
            Outcome::Missed
        }
    }
}

/// Whether some run on random bytes differs from the oracle or goes wrong.
fn changes_output(program: &Program, kernel: &Kernel, seed: u64) -> bool {
    let mut random = ChaCha8Rng::seed_from_u64(SEED ^ seed << 32);
    let batches = |count| count * kernel.blocks;
    let whole = [
        (batches(1), Placement::Apart),
        (batches(2), Placement::Apart),
        (batches(3), Placement::Same),
    ];
    // Of a batch that is not full, if the kernel takes such.
    let parts = [(kernel.blocks - 1, Placement::Apart), (1, Placement::Same)];
    let parts = parts.into_iter().filter(|_| kernel.part.is_some());
    // From each last byte that carries within a batch, and some before; the carry goes so many bytes
    // up.
    let lasts = if kernel.frame == Frame::Ctr { 253 - kernel.blocks..256 } else { 0..0 };
    let counted = lasts.map(|last| (batches(1), Placement::Apart, last));
    let calls = whole.into_iter().chain(parts).map(|(blocks, placement)| (blocks, placement, 250));
    calls.chain(counted).any(|(blocks, placement, last)| {
        let above = u128::from(random.next_u64()) << 64 | u128::from(random.next_u64());
        let ones = (1 << (8 * (last % 16))) - 1;
        let counter = (above | ones) << 8 | last as u128;
        let mut keys = vec![[0; 16]; KeySize::K128.rounds() + 1];
        random.fill_bytes(keys.as_flattened_mut());
        let leading = kernel.frame.leading_blocks();
        let mut input = vec![[0; 16]; leading + blocks];
        random.fill_bytes(input.as_flattened_mut());
        let output = execute(program, kernel, &keys, counter, input.as_flattened(), placement);
        let expected: Vec<aria::Block> = (0..blocks)
            .map(|number| expected(kernel.frame, &keys, counter, number, &input))
            .collect();
        !output.is_ok_and(|output| output == expected.as_flattened())
    })
}

/// Why a mutant that is proved may be so.
fn reason(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::CommutedOrder => Some("sums and products have no order"),
        // So is any step from the last byte that carries to one that does not, by which a kernel
        // finds what a carry changes.
        Kind::Counter => Some("the way across a carry is right where there is none, too"),
        _ => None,
    }
}
