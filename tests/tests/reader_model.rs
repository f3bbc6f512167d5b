//! Does the prover's reader mean what silicon does? Every intrinsic that it knows, on random bytes:
//! the reader on the *text* of the probes against the same text compiled and run, for what this CPU
//! has. The symbolic domain is held against plain bytes at the same time.
#![cfg(target_arch = "x86_64")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use aria_gen::prove::domain::{Concrete, Domain, Symbolic};
use aria_gen::prove::meaning::table::ROWS;
use aria_gen::prove::memory::{Memory, Placement};
use aria_gen::prove::reader::{Arguments, Program, Value, Word, run};
use aria_kernels::probe::{PROBES, Probe};
use aria_runtime::Token;
use aria_tests::report;
use aria_tests::seed::Random;

/// Random operands for each probe.
const CASES: usize = 300;

/// Bytes of the largest probe's input: three vectors of 64.
const INPUT: usize = 192;

/// Bytes of the widest vector.
const OUTPUT: usize = 64;

/// A probe's file: its text, and the text read.
struct File {
    text: String,
    program: Program,
}

impl File {
    /// The file that holds `probe`, whose name ends with that of the file.
    fn of(probe: &Probe) -> Self {
        let words: Vec<&str> = probe.name.rsplit('_').take(2).collect();
        let name = format!("src/probe/{}_{}.rs", words[1], words[0]);
        let generated = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated");
        let text = fs::read_to_string(generated.join(&name)).expect("the generator wrote it");
        let program = Program::parse(&name, &text).expect("probes are read as kernels are");
        Self { text, program }
    }

    /// The intrinsics that the body of `probe` names.
    fn intrinsics(&self, probe: &Probe) -> impl Iterator<Item = &str> {
        let body = self.body(probe.name).expect("the file has the probe");
        let called = if body.contains(" lanes(") { self.body("lanes") } else { None };
        [body, called.unwrap_or_default()].into_iter().flat_map(|body| {
            body.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .filter(|word| word.starts_with("_mm"))
        })
    }

    /// The text of a function.
    fn body(&self, name: &str) -> Option<&str> {
        let start = self.text.find(&format!("fn {name}("))?;
        let body = &self.text[start..];
        Some(&body[..body.find("\n}")?])
    }
}

/// What a probe is run on.
struct Case {
    input: Vec<u8>,
    rk: [u32; 16],
}

impl Case {
    fn new(random: &mut Random) -> Self {
        let words = random.bytes(64);
        let words = words.as_chunks::<4>().0;
        let rk = core::array::from_fn(|i| u32::from_le_bytes(words[i]));
        Self { input: random.bytes(INPUT), rk }
    }

    /// What the reader makes of the probe's text. Bytes that it does not write are zero.
    fn read(&self, file: &File, probe: &Probe) -> Vec<u8> {
        let words = self
            .rk
            .map(|word| Value::Word(Word { bytes: word.to_le_bytes().into(), signed: false }));
        let arguments = arguments(Value::array(words));
        let memory = Memory::whole(Placement::Apart, self.input.clone(), OUTPUT);
        let memory = run(&file.program, probe.name, &mut Concrete, &arguments, memory);
        let memory = memory.unwrap_or_else(|fault| panic!("{fault}"));
        memory.output().iter().map(|byte| byte.unwrap_or(0)).collect()
    }

    /// What the reader makes of it over forms, evaluated. Affine maps want a known matrix, so where
    /// all operands unknown are refused, the first alone is; sums with carries, no operand.
    fn follow(&self, file: &File, probe: &Probe) -> Option<Vec<u8>> {
        let first = ROWS.iter().find(|row| file.intrinsics(probe).any(|name| name == row.name))?;
        [INPUT, first.width, 0].into_iter().find_map(|unknown| {
            let mut domain = Symbolic::default();
            let known = self.input[unknown..].iter().map(|byte| domain.constant(*byte));
            let known: Vec<_> = known.collect();
            let input = (0..unknown).map(|_| domain.fresh()).chain(known).collect();
            let words: Vec<_> = (0..16)
                .map(|_| {
                    let bytes = (0..4).map(|_| domain.fresh()).collect();
                    Value::Word(Word { bytes, signed: false })
                })
                .collect();
            let arguments = arguments(Value::array(words));
            let memory = Memory::whole(Placement::Apart, input, OUTPUT);
            let memory = run(&file.program, probe.name, &mut domain, &arguments, memory).ok()?;
            let written: Vec<_> = memory.output().iter().flatten().cloned().collect();
            let keys = self.rk.iter().flat_map(|word| word.to_le_bytes());
            let values: Vec<u8> = self.input[..unknown].iter().copied().chain(keys).collect();
            let mut bytes = domain.evaluate(&written, &values);
            bytes.resize(OUTPUT, 0);
            Some(bytes)
        })
    }

    /// What the CPU makes of it.
    fn execute(&self, probe: &Probe) -> Vec<u8> {
        let mut output = vec![0; OUTPUT];
        // SAFETY: the caller saw that the CPU has the probe's features; no probe reads more than
        // `INPUT` bytes or writes more than `OUTPUT`.
        unsafe { (probe.run)(self.input.as_ptr(), output.as_mut_ptr(), &self.rk) };
        output
    }
}

/// What a probe is called with besides memory.
fn arguments<B>(keys: Value<B>) -> Arguments<B> {
    Arguments {
        keys,
        batches: Value::Unit,
        counter: Value::Unit,
        unknown_counter: None,
        initial: None,
    }
}

#[test]
fn every_intrinsic_does_what_the_reader_says() {
    report::require_features();
    let mut random = Random::new();
    let here = Token::detect().features();
    let (mut ran, mut cannot) = (0, 0);
    let mut tested = BTreeSet::new();
    for probe in PROBES.iter().copied().flatten() {
        let file = File::of(probe);
        tested.extend(file.intrinsics(probe).map(str::to_owned));
        let case = Case::new(&mut random);
        let bytes = case.follow(&file, probe);
        assert_eq!(bytes, Some(case.read(&file, probe)), "{} over forms", probe.name);
        let missing = probe.features.iter().filter(|feature| !here.contains(**feature));
        let missing: Vec<&str> = missing.map(|feature| feature.name()).collect();
        if !missing.is_empty() {
            report::tell(
                "reader_model",
                &format!("{} cannot run here: missing {}", probe.name, missing.join(", ")),
            );
            cannot += 1;
            continue;
        }
        for _ in 0..CASES {
            let case = Case::new(&mut random);
            assert_eq!(case.read(&file, probe), case.execute(probe), "{}", probe.name);
        }
        ran += 1;
    }
    report::tell(
        "reader_model",
        &format!("{ran} probes ran {CASES} cases each, {cannot} cannot run here"),
    );
    assert_eq!(ran + cannot, PROBES.iter().copied().map(<[_]>::len).sum::<usize>());
    let known: BTreeSet<String> = ROWS.iter().map(|row| row.name.to_owned()).collect();
    assert_eq!(tested, known, "every intrinsic of the reader's table has a probe");
    assert_eq!(known.len(), 63);
}
