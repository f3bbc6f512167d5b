//! Key schedules shown equal to RFC 5794 section 2.2.
//!
//! A batch is a master key, padded with zeros. CK1, CK2 and CK3 come from the caller and are unknown
//! here, so one proof covers the order of every key size; the sizes differ in nothing else. Input and
//! output lie apart.

use super::Doubt;
use super::counterexample::Bytes;
use super::domain::{Concrete, Domain, Form, Symbolic};
use super::fault::{Cause, Fault};
use super::memory::{Memory, Placement};
use super::package::Kernel;
use super::reader::{Arguments, Program, Value, run};
use super::reference::{self, Block};
use super::verdict::{Counterexample, Extent, Finding, Proof};
use crate::spec::aria::{self, BLOCK_BYTES, KeySize, MAX_ROUND_KEYS};

/// Bytes of a padded master key.
pub(super) const MASTER_BYTES: usize = 2 * BLOCK_BYTES;

/// Blocks that are made of it.
pub(super) const BLOCKS: usize = 2 * MAX_ROUND_KEYS;

/// The symbolic run of one batch, held against the reference.
pub(super) fn compare(program: &Program, kernel: &Kernel) -> Result<Proof, Doubt> {
    let mut domain = Symbolic::default();
    let mut block = || core::array::from_fn(|_| domain.fresh());
    let (master, constants): ([Block<Form>; 2], [Block<Form>; 3]) =
        ([block(), block()], [block(), block(), block()]);
    let memory = Memory::one_batch_apart(master.as_flattened().to_vec(), BLOCKS * BLOCK_BYTES);
    let output = execute(program, kernel, &mut domain, &constants, Value::Batches, memory)?;
    let expected = reference::key_schedule(&mut domain, &constants, [&master[0], &master[1]]);
    let blocks = expected.iter().zip(output.as_chunks::<BLOCK_BYTES>().0);
    for (block, (expected, got)) in blocks.enumerate() {
        for (byte, (expected, got)) in expected.iter().zip(got).enumerate() {
            if let Some(bit) = expected.first_difference(got) {
                let cause = Cause::Difference { block, byte, bit };
                return Err(program.fault(program.line_of(&kernel.function), cause).into());
            }
        }
    }
    let (written, inversions) = (output.len(), domain.inversions());
    Ok(Proof { read: MASTER_BYTES, written, in_place: false, inversions })
}

fn execute<D: Domain>(
    program: &Program,
    kernel: &Kernel,
    domain: &mut D,
    constants: &[Block<D::Byte>; 3],
    batches: Value<D::Byte>,
    memory: Memory<D::Byte>,
) -> Result<Vec<D::Byte>, Fault> {
    let keys = Value::array(constants.iter().map(reference::raw));
    let arguments =
        Arguments { keys, batches, counter: Value::Unit, unknown_counter: None, initial: None };
    let memory = run(program, &kernel.function, domain, &arguments, memory)?;
    let line = program.line_of(&kernel.function);
    memory.finish().map_err(|fault| program.fault(line, fault.into()))
}

/// Master keys at once.
const BATCHES: [usize; 2] = [1, 2];

/// Runs for each of them.
const TRIALS: usize = 8;

/// Looks for master keys of which the kernel makes what the oracle does not: of 256 bits, which have
/// all the round keys that a kernel makes.
pub(super) fn search(program: &Program, kernel: &Kernel) -> Option<Counterexample> {
    let size = KeySize::K256;
    let mut bytes = Bytes(size.rounds() as u64);
    let constants = size.schedule_constants().map(u128::to_be_bytes);
    for batches in BATCHES {
        for _ in 0..TRIALS {
            let master: Vec<u8> = bytes.by_ref().take(size.bytes() * batches).collect();
            let masters: Vec<&[u8]> = master.chunks_exact(size.bytes()).collect();
            let mut input = vec![0; MASTER_BYTES * batches];
            for (padded, master) in input.chunks_exact_mut(MASTER_BYTES).zip(&masters) {
                padded[..master.len()].copy_from_slice(master);
            }
            let memory = Memory::whole(Placement::Apart, input, BLOCKS * BLOCK_BYTES * batches);
            let number = Value::number(batches as u64);
            let output = execute(program, kernel, &mut Concrete, &constants, number, memory);
            let finding = match output {
                Ok(output) => differs(&masters, &output),
                Err(fault) if fault.cause.is_misbehaviour() => Some(Finding::Misbehaves(fault)),
                // What the reader cannot execute, it cannot execute with other bytes either.
                Err(_) => return None,
            };
            if let Some(finding) = finding {
                let (counter, in_place) = (None, false);
                let extent = Extent::Batches(batches);
                let key = master;
                let chaining = None;
                return Some(Counterexample { key, counter, chaining, extent, in_place, finding });
            }
        }
    }
    None
}

/// The first block that is not what the oracle makes of its master key.
pub(super) fn differs<F>(masters: &[&[u8]], output: &[u8]) -> Option<Finding<F>> {
    let outputs = output.as_chunks::<BLOCK_BYTES>().0.chunks_exact(BLOCKS);
    masters.iter().zip(outputs).enumerate().find_map(|(batch, (master, got))| {
        let keys = aria::encryption_keys(master).expect("a key of ARIA");
        let images = got[..MAX_ROUND_KEYS].iter().map(aria::diffuse).enumerate();
        let images = images.map(|(i, image)| (MAX_ROUND_KEYS + i, image));
        keys.iter().copied().enumerate().chain(images).find_map(|(block, expected)| {
            let got = got[block];
            let byte = expected.iter().zip(&got).position(|(a, b)| a != b)?;
            let bit = (expected[byte] ^ got[byte]).trailing_zeros();
            Some(Finding::RoundKey { block: BLOCKS * batch + block, byte, bit, expected, got })
        })
    })
}
