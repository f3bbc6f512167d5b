//! The prover: every emitted kernel shown equal to RFC 5794, from the text that ships.
//!
//! ```text
//! checked-in Rust ─► reader ─► forms of the output bits ─┐
//!                                                        ├─► equal?
//! RFC 5794        ─► reference ─► forms                 ─┘
//! ```
//!
//! [`prove_kernel`] reads a kernel's file and executes it over the [`domain`] of linear forms, for one
//! batch with an unknown index, unknown input and unknown round keys. The result is, for each output
//! bit, which function of input and key it is, in a form that is unique for what a cipher of
//! inversions and linear layers can do. The [`mod@reference`] cipher gives forms as well; equal forms
//! are equal functions. SOUNDNESS.md says what that proves and on what it rests.
//!
//! * [`domain`]: bytes, plain or symbolic.
//! * [`meaning`]: what instructions do to them.
//! * [`memory`]: what a kernel may touch.
//! * [`reader`]: Rust text → an execution.
//! * `keys`: the same for key schedules.
//! * [`columns`]: functions that the domain cannot follow, proved on all inputs.
//! * `machine`, with the feature of that name: the same from machine code.
//! * [`package`]: which kernels there are.
//! * [`mod@reference`]: what they must compute.
//! * [`verdict`], [`fault`], [`counterexample`]: the answers.
//!
//! It uses `math` and `spec`, and of the generator nothing: no IR, instruction table, builder, pass
//! or emitter, so that it cannot share their mistakes. It reads no files; the caller does.

pub mod columns;
pub mod counterexample;
pub mod domain;
pub mod fault;
mod keys;
#[cfg(feature = "machine")]
pub mod machine;
pub mod meaning;
pub mod memory;
pub mod package;
pub mod reader;
pub mod reference;
pub mod verdict;

use domain::{Form, Symbolic};
use fault::{Cause, Fault};
use memory::{Memory, Placement};
use package::Kernel;
use reader::{Arguments, InitialValue, Part, Program, UnknownChain, UnknownCounter, Value};
use reference::Frame;
use verdict::{Proof, Verdict};

use crate::spec::aria::{BLOCK_BYTES, KeySize};

/// Proves or refutes that `kernel`, whose file `program` is, encrypts as RFC 5794 says with the
/// number of rounds of `size`.
#[must_use]
pub fn prove_kernel(program: &Program, kernel: &Kernel, size: KeySize) -> Verdict {
    if let Err(fault) = check_features(program, kernel) {
        return Verdict::Unknown(fault);
    }
    let (proof, search): (_, &dyn Fn(&Doubt) -> _) = match kernel.frame {
        Frame::Ecb | Frame::Ctr | Frame::CbcEnc | Frame::CbcDec | Frame::CfbDec => {
            (compare_all(program, kernel, size), &|doubt| {
                counterexample::search(program, kernel, size, doubt)
            })
        }
        Frame::Keys => (keys::compare(program, kernel), &|_| keys::search(program, kernel)),
    };
    match proof {
        Ok(proof) => Verdict::Proved(proof),
        Err(doubt) => match search(&doubt) {
            Some(found) => Verdict::Refuted(Box::new(found)),
            None => Verdict::Unknown(doubt.fault),
        },
    }
}

/// Why a symbolic run does not prove the kernel.
struct Doubt {
    fault: Fault,
    /// Block, byte and bit of the first difference, if the run came to its end.
    place: Option<(usize, usize, u32)>,
    /// Whether it is about parts of a batch.
    in_part: bool,
}

impl From<Fault> for Doubt {
    fn from(fault: Fault) -> Self {
        Self { fault, place: None, in_part: false }
    }
}

/// The proof for whole batches, if what the kernel does to a part of one, should it take such, is
/// proved as well.
fn compare_all(program: &Program, kernel: &Kernel, size: KeySize) -> Result<Proof, Doubt> {
    let function = &kernel.function;
    let over = Over { function, count: Value::Batches, memory: Memory::one_batch };
    let proof = compare(program, kernel, size, &over)?;
    if let Some(function) = &kernel.part {
        let memory = |input: Vec<Form>| {
            let bytes = input.len();
            Memory::whole(Placement::Any, input, bytes)
        };
        let over = Over { function, count: Value::Part(Part::Count), memory };
        compare(program, kernel, size, &over).map_err(|doubt| Doubt { in_part: true, ..doubt })?;
    }
    Ok(proof)
}

/// One of a kernel's functions, and what it is run over.
struct Over<'a> {
    function: &'a str,
    count: Value<Form>,
    /// The memory with this input.
    memory: fn(Vec<Form>) -> Memory<Form>,
}

/// The symbolic run of one batch, or of a part of it, held against the reference.
fn compare(
    program: &Program,
    kernel: &Kernel,
    size: KeySize,
    over: &Over<'_>,
) -> Result<Proof, Doubt> {
    let mut domain = Symbolic::default();
    let leading = kernel.frame.leading_blocks();
    let bytes = BLOCK_BYTES * (leading + kernel.blocks);
    let input: Vec<Form> = (0..bytes).map(|_| domain.fresh()).collect();
    let round_keys: Vec<reference::Block<Form>> =
        (0..=size.rounds()).map(|_| core::array::from_fn(|_| domain.fresh())).collect();

    let unknown_counter =
        (kernel.frame == Frame::Ctr).then(|| unknown_counter(&mut domain, kernel));
    let unknown_chain = (kernel.frame == Frame::CbcEnc).then(|| unknown_chain(&mut domain));
    // What is encrypted, of the input or the counters, and what is added to that.
    let blocks = input.as_chunks().0;
    let (plain, added): (&[reference::Block<Form>], _) = match (kernel.frame, &unknown_counter) {
        (Frame::CbcDec, _) => (&blocks[leading..], Some(blocks)),
        (Frame::CfbDec, _) => (blocks, Some(&blocks[leading..])),
        (_, None) => (blocks, None),
        (_, Some(unknown)) => (&unknown.blocks, Some(blocks)),
    };
    let plain = plain.to_vec();
    let arguments = Arguments {
        keys: kernel.key_form.expand(&domain, &round_keys),
        batches: over.count.clone(),
        counter: unknown_counter.as_ref().map_or(Value::Unit, |_| Value::Counter(0)),
        unknown_counter,
        initial: unknown_chain.clone().map(|unknown| InitialValue {
            value: reference::raw(&unknown.initial),
            unknown: Some(unknown),
        }),
    };
    let memory = (over.memory)(input.clone()).with_leading(BLOCK_BYTES * leading);
    let memory = reader::run(program, over.function, &mut domain, &arguments, memory)?;
    let line = program.line_of(over.function);
    let output = memory.finish().map_err(|fault| program.fault(line, fault.into()))?;

    let mut before = unknown_chain.map(|unknown| unknown.before);
    for (block, (got, plain)) in output.as_chunks::<BLOCK_BYTES>().0.iter().zip(&plain).enumerate()
    {
        let sum = before.as_ref().map(|before| reference::add(&domain, plain, before));
        let image = reference::encrypt(&mut domain, &round_keys, sum.as_ref().unwrap_or(plain));
        before = before.map(|_| image.clone());
        let expected = match added {
            None => image,
            Some(added) => reference::add(&domain, &image, &added[block]),
        };
        for (byte, (expected, got)) in expected.iter().zip(got).enumerate() {
            if let Some(bit) = expected.first_difference(got) {
                let cause = Cause::Difference { block, byte, bit };
                let fault = program.fault(line, cause);
                let place = Some((block, byte, bit));
                return Err(Doubt { place, ..fault.into() });
            }
        }
    }
    let (read, written) = (input.len(), output.len());
    let inversions = domain.inversions();
    Ok(Proof { read, written, in_place: true, inversions })
}

/// A counter of which nothing is known, and one for each block of a batch.
fn unknown_counter(domain: &mut Symbolic, kernel: &Kernel) -> UnknownCounter<Form> {
    UnknownCounter {
        high: core::array::from_fn(|_| domain.fresh()),
        carried: core::array::from_fn(|_| domain.fresh()),
        blocks: (0..kernel.blocks).map(|_| core::array::from_fn(|_| domain.fresh())).collect(),
    }
}

/// An initial value and a chaining value of which nothing is known.
fn unknown_chain(domain: &mut Symbolic) -> UnknownChain<Form> {
    let mut fresh = || core::array::from_fn(|_| domain.fresh());
    UnknownChain { initial: fresh(), before: fresh() }
}

/// No function of the file may use an instruction that the table does not ask the CPU for.
fn check_features(program: &Program, kernel: &Kernel) -> Result<(), Fault> {
    for (feature, line) in program.target_features() {
        if !kernel.features.contains(feature) {
            let text = format!("it enables `{feature}`, which its row in `KERNELS` lacks");
            return Err(program.fault(*line, Cause::Contract(text)));
        }
    }
    Ok(())
}
