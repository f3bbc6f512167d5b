//! Does the model equal silicon? Each row of the instruction table, on random operands: the
//! interpreter against the instruction, for what this CPU has.
#![cfg(target_arch = "x86_64")]

use aria_gen::ir::interp::{Context, run_routine};
use aria_gen::probe::{Probe, probes};
use aria_kernels::probe::PROBES;
use aria_runtime::Token;
use aria_tests::report;
use aria_tests::seed::Random;

const TITLE: &str = "instruction table";

/// Random operands for each row.
const CASES: usize = 1000;

#[test]
fn every_row_of_the_instruction_table_does_what_the_interpreter_says() {
    report::require_features();
    let here = Token::detect().features();
    let mut random = Random::new();
    let (mut ran, mut cannot) = (0, 0);
    let models = probes();
    for silicon in PROBES.iter().copied().flatten() {
        let model = models.iter().find(|model| name(model) == silicon.name);
        let model = model.expect("the emitter and this test read one table");
        let missing: Vec<&str> = silicon
            .features
            .iter()
            .filter(|feature| !here.contains(**feature))
            .map(|feature| feature.name())
            .collect();
        if !missing.is_empty() {
            let line = format!("{} cannot run here: missing {}", silicon.name, missing.join(", "));
            report::tell(TITLE, &line);
            cannot += 1;
            continue;
        }
        for _ in 0..CASES {
            compare(model, silicon.run, &mut random);
        }
        ran += 1;
    }
    let line = format!("{ran} probes ran with {CASES} cases each, {cannot} cannot run here");
    report::tell(TITLE, &line);
    assert_eq!(ran + cannot, models.len());
    assert!(ran > 0, "a CPU without SSSE3 is none that this project serves");
}

fn name(probe: &Probe) -> &str {
    probe.program.routines[0].name()
}

fn compare(model: &Probe, run: unsafe fn(*const u8, *mut u8, &[u32; 16]), random: &mut Random) {
    let program = &model.program;
    let input = random.bytes(program.batch_bytes);
    let round_key = random.bytes(64);
    let context = Context::new(program.vector_bytes, &program.constants, &input, &round_key);
    let mut expected = vec![0; program.vector_bytes];
    run_routine(&program.routines[0], &[], &context, &mut expected);

    let words = round_key.as_chunks::<4>().0;
    let rk: [u32; 16] = core::array::from_fn(|i| u32::from_le_bytes(words[i]));
    let mut found = vec![0; program.vector_bytes];
    // SAFETY: the caller saw that the CPU has the probe's features; `input` has the bytes that the
    // model reads, `found` the vector that it writes.
    unsafe { run(input.as_ptr(), found.as_mut_ptr(), &rk) };
    assert_eq!(found, expected, "{} on {input:02x?}, round key {round_key:02x?}", name(model));
}
