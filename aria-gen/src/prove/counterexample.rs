//! Concrete runs: the same reader on plain bytes, to confirm what a symbolic run doubts.
//!
//! Expected values come from the oracle [`spec::aria`](crate::spec::aria), not from the prover's own
//! reference, so a refutation rests on neither the symbolic domain nor on [`super::reference`].

use super::domain::Concrete;
use super::fault::Fault;
use super::memory::{Memory, Placement};
use super::package::Kernel;
use super::reader::{Arguments, Program, Value, run};
use super::verdict::{Counterexample, Finding};
use crate::spec::aria::{self, BLOCK_BYTES, KeySize};

/// Runs the kernel on plain bytes and returns its output.
///
/// # Errors
///
/// When execution stops, or does not read all input or write all output.
pub fn execute(
    program: &Program,
    kernel: &Kernel,
    round_keys: &[aria::Block],
    input: &[u8],
    placement: Placement,
) -> Result<Vec<u8>, Fault> {
    let batches = input.len() / (BLOCK_BYTES * kernel.blocks);
    let arguments = Arguments {
        keys: kernel.key_form.expand(&Concrete, round_keys),
        batches: Value::number(batches as u64),
    };
    let memory = Memory::whole(placement, input.to_vec(), input.len());
    let memory = run(program, &kernel.function, &mut Concrete, &arguments, memory)?;
    let line = program.line_of(&kernel.function);
    memory.finish().map_err(|fault| program.fault(line, fault.into()))
}

/// Runs for each way of calling before the search goes on to the next. Of two forms that are not
/// equal, every other run shows a difference.
const TRIALS: usize = 16;

/// The ways of calling: the number of batches, and where the output goes.
const CALLS: [(usize, Placement); 4] =
    [(1, Placement::Apart), (1, Placement::Same), (2, Placement::Apart), (3, Placement::Same)];

/// Looks for a run in which the kernel goes wrong; one that shows a difference at `wanted` (block,
/// byte, bit), if possible.
#[must_use]
pub fn search(
    program: &Program,
    kernel: &Kernel,
    size: KeySize,
    wanted: Option<(usize, usize, u32)>,
) -> Option<Counterexample> {
    let mut bytes = Bytes(size.rounds() as u64);
    let mut second_best = None;
    for (batches, placement) in CALLS {
        for _ in 0..TRIALS {
            // What the reader cannot execute, it cannot execute with other bytes either.
            let found = trial(program, kernel, size, batches, placement, &mut bytes).ok()?;
            let Some(found) = found else { continue };
            if let Finding::Differs { block, byte, bit, .. } = found.finding
                && wanted.is_some_and(|place| place != (block, byte, bit))
            {
                second_best.get_or_insert(found);
                continue;
            }
            return Some(found);
        }
        if second_best.is_some() {
            break;
        }
    }
    second_best
}

/// One run with the next key and input from `bytes`; an error when the reader cannot execute it.
fn trial(
    program: &Program,
    kernel: &Kernel,
    size: KeySize,
    batches: usize,
    placement: Placement,
    bytes: &mut Bytes,
) -> Result<Option<Counterexample>, Fault> {
    let key: Vec<u8> = bytes.by_ref().take(size.bytes()).collect();
    let round_keys = aria::encryption_keys(&key).expect("the key has one of the three sizes");
    let input: Vec<u8> = bytes.by_ref().take(BLOCK_BYTES * kernel.blocks * batches).collect();
    let finding = match execute(program, kernel, &round_keys, &input, placement) {
        Ok(output) => differs(&round_keys, &input, &output),
        Err(fault) if fault.cause.is_misbehaviour() => Some(Finding::Misbehaves(fault)),
        Err(fault) => return Err(fault),
    };
    let in_place = placement == Placement::Same;
    Ok(finding.map(|finding| Counterexample { key, batches, in_place, finding }))
}

/// The first difference between the output and what the oracle makes of the input.
fn differs(round_keys: &[aria::Block], input: &[u8], output: &[u8]) -> Option<Finding> {
    let (inputs, outputs) = (input.as_chunks().0, output.as_chunks().0);
    inputs.iter().zip(outputs).enumerate().find_map(|(block, (input, got))| {
        let expected = aria::encrypt_with(round_keys, input);
        let byte = expected.iter().zip(got).position(|(a, b)| a != b)?;
        let bit = (expected[byte] ^ got[byte]).trailing_zeros();
        Some(Finding::Differs { block, byte, bit, input: *input, expected, got: *got })
    })
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), byte by byte: the same bytes in every run.
pub(super) struct Bytes(pub(super) u64);

impl Iterator for Bytes {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Some((z ^ (z >> 31)) as u8)
    }
}
