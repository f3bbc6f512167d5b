//! Concrete runs: the same reader on plain bytes, to confirm what a symbolic run doubts.
//!
//! Expected values come from the oracle [`spec::aria`](crate::spec::aria), not from the prover's own
//! reference, so a refutation rests on neither the symbolic domain nor on [`super::reference`].

use super::Doubt;
use super::domain::Concrete;
use super::fault::{Cause, Fault};
use super::memory::{Memory, Placement};
use super::package::Kernel;
use super::reader::{Arguments, InitialValue, Program, Value, Word, run};
use super::reference::{self, Frame};
use super::verdict::{Counterexample, Extent, Finding};
use crate::spec::aria::{self, BLOCK_BYTES, KeySize};

/// Runs the kernel on plain bytes, whole batches or fewer blocks than one, and returns its output.
/// Where the frame wants a block before those, `input` begins with it.
/// `counter` is for kernels that count; for kernels that chain it is the initial value, the most
/// significant byte first.
///
/// # Errors
///
/// When execution stops, or does not read all input or write all output; or if there are fewer blocks
/// than a batch and the kernel does not take such.
pub fn execute(
    program: &Program,
    kernel: &Kernel,
    round_keys: &[aria::Block],
    counter: u128,
    input: &[u8],
    placement: Placement,
) -> Result<Vec<u8>, Fault> {
    let leading = kernel.frame.leading_blocks();
    let blocks = (input.len() / BLOCK_BYTES).saturating_sub(leading);
    let (function, count) = if blocks < kernel.blocks {
        let name = kernel.part.as_ref();
        let missing =
            || program.fault(1, Cause::Undefined("a function for part of a batch".into()));
        (name.ok_or_else(missing)?, blocks)
    } else {
        (&kernel.function, blocks / kernel.blocks)
    };
    let arguments = Arguments {
        keys: kernel.key_form.expand(&Concrete, round_keys),
        batches: Value::number(count as u64),
        counter: Value::Word(Word { bytes: counter.to_le_bytes().into(), signed: false }),
        unknown_counter: None,
        initial: (kernel.frame == Frame::CbcEnc)
            .then(|| InitialValue { value: reference::raw(&counter.to_be_bytes()), unknown: None }),
    };
    let memory = Memory::whole(placement, input.to_vec(), input.len());
    let memory = memory.with_leading(BLOCK_BYTES * leading);
    let memory = run(program, function, &mut Concrete, &arguments, memory)?;
    let line = program.line_of(function);
    memory.finish().map_err(|fault| program.fault(line, fault.into()))
}

/// Runs for each way of calling before the search goes on to the next. Of two forms that are not
/// equal, every other run shows a difference.
const TRIALS: usize = 16;

/// The ways of calling: over what, and where the output goes.
const CALLS: [(Extent, Placement); 4] = [
    (Extent::Batches(1), Placement::Apart),
    (Extent::Batches(1), Placement::Same),
    (Extent::Batches(2), Placement::Apart),
    (Extent::Batches(3), Placement::Same),
];

/// The same of parts of a batch of so many blocks.
const fn part_calls(blocks: usize) -> [(Extent, Placement); 3] {
    [
        (Extent::Part(blocks - 1), Placement::Apart),
        (Extent::Part(1), Placement::Same),
        (Extent::Part(blocks.div_ceil(2)), Placement::Same),
    ]
}

/// Looks for a run in which the kernel goes wrong; one that shows the difference in doubt, if
/// possible.
#[must_use]
pub(super) fn search(
    program: &Program,
    kernel: &Kernel,
    size: KeySize,
    doubt: &Doubt,
) -> Option<Counterexample> {
    let wanted = doubt.place;
    let last = match doubt.fault.cause {
        Cause::Counter { last, .. } => Some(last),
        _ => None,
    };
    let mut bytes = Bytes(size.rounds() as u64);
    let mut second_best = None;
    let parts = part_calls(kernel.blocks);
    let calls = if doubt.in_part { &parts[..] } else { &CALLS };
    for &(extent, placement) in calls {
        for number in 0..TRIALS {
            let counter = match kernel.frame {
                Frame::Ecb | Frame::Keys | Frame::CbcDec | Frame::CfbDec => 0,
                Frame::Ctr => counter(kernel, number, last, &mut bytes),
                Frame::CbcEnc => drawn(&mut bytes),
            };
            let call = Call { extent, placement, counter };
            // What the reader cannot execute, it cannot execute with other bytes either.
            let found = trial(program, kernel, size, call, &mut bytes).ok()?;
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

/// One way of calling.
#[derive(Clone, Copy)]
struct Call {
    extent: Extent,
    placement: Placement,
    counter: u128,
}

/// A counter to start from in this trial: any one, then such as carry in the first batch out of one
/// byte, of two, and so on. The last byte is `last`, if that is where the doubt is.
fn counter(kernel: &Kernel, trial: usize, last: Option<u8>, bytes: &mut Bytes) -> u128 {
    let drawn = drawn(bytes);
    let ones = (1_u128 << (8 * (trial % 16))) - 1;
    let any = match trial {
        0 => drawn,
        _ => (drawn | ones).wrapping_sub(drawn % kernel.blocks as u128),
    };
    last.map_or(any, |last| any & !0xff | u128::from(last))
}

/// Any number.
fn drawn(bytes: &mut Bytes) -> u128 {
    bytes.by_ref().take(16).fold(0, |sum, byte| sum << 8 | u128::from(byte))
}

/// One run with the next key and input from `bytes`; an error when the reader cannot execute it.
fn trial(
    program: &Program,
    kernel: &Kernel,
    size: KeySize,
    Call { extent, placement, counter }: Call,
    bytes: &mut Bytes,
) -> Result<Option<Counterexample>, Fault> {
    let key: Vec<u8> = bytes.by_ref().take(size.bytes()).collect();
    let round_keys = aria::encryption_keys(&key).expect("the key has one of the three sizes");
    let blocks = match extent {
        Extent::Batches(batches) => batches * kernel.blocks,
        Extent::Part(blocks) => blocks,
    };
    let bytes_read = BLOCK_BYTES * (kernel.frame.leading_blocks() + blocks);
    let input: Vec<u8> = bytes.by_ref().take(bytes_read).collect();
    let finding = match execute(program, kernel, &round_keys, counter, &input, placement) {
        Ok(output) => differs(kernel.frame, &round_keys, counter, &input, &output),
        Err(fault) if fault.cause.is_misbehaviour() => Some(Finding::Misbehaves(fault)),
        Err(fault) => return Err(fault),
    };
    let in_place = placement == Placement::Same;
    let chaining = match finding {
        Some(Finding::Differs { block, .. }) if kernel.frame == Frame::CbcEnc => {
            let blocks = input.as_chunks().0;
            Some(before(&round_keys, counter, block, blocks))
        }
        _ => None,
    };
    let counter = (kernel.frame == Frame::Ctr).then(|| counter.to_be_bytes());
    Ok(finding.map(|finding| Counterexample { key, counter, chaining, extent, in_place, finding }))
}

/// The first difference between the output and what the oracle makes of the input.
pub(super) fn differs<F>(
    frame: Frame,
    round_keys: &[aria::Block],
    counter: u128,
    input: &[u8],
    output: &[u8],
) -> Option<Finding<F>> {
    let (inputs, outputs) = (input.as_chunks().0, output.as_chunks().0);
    outputs.iter().enumerate().find_map(|(block, got)| {
        let expected = expected(frame, round_keys, counter, block, inputs);
        let input = &inputs[frame.leading_blocks() + block];
        let byte = expected.iter().zip(got).position(|(a, b)| a != b)?;
        let bit = (expected[byte] ^ got[byte]).trailing_zeros();
        Some(Finding::Differs { block, byte, bit, input: *input, expected, got: *got })
    })
}

/// What the oracle makes of block number `block` of the output, `input` being all blocks of the input.
#[must_use]
pub fn expected(
    frame: Frame,
    round_keys: &[aria::Block],
    counter: u128,
    block: usize,
    input: &[aria::Block],
) -> aria::Block {
    let add =
        |image: aria::Block, other: aria::Block| core::array::from_fn(|i| image[i] ^ other[i]);
    let image = |block| aria::encrypt_with(round_keys, block);
    match frame {
        Frame::Ecb | Frame::Keys => image(&input[block]),
        Frame::CbcEnc => {
            let before = before(round_keys, counter, block, input);
            image(&add(before, input[block]))
        }
        Frame::CbcDec => add(image(&input[block + 1]), input[block]),
        Frame::CfbDec => add(image(&input[block]), input[block + 1]),
        Frame::Ctr => {
            let counter = counter.wrapping_add(block as u128).to_be_bytes();
            add(image(&counter), input[block])
        }
    }
}

/// The chaining value before block number `block` of the input, the initial value being `initial`.
fn before(
    round_keys: &[aria::Block],
    initial: u128,
    block: usize,
    input: &[aria::Block],
) -> aria::Block {
    input[..block].iter().fold(initial.to_be_bytes(), |before, block| {
        let sum = core::array::from_fn(|i| before[i] ^ block[i]);
        aria::encrypt_with(round_keys, &sum)
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
