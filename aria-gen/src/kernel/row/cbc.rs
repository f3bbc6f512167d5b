//! Builds ARIA's encryption by cipher block chaining in the row layout.
//!
//! NIST SP 800-38A, section 6.2: C(i) = E(P(i) ^ C(i-1)), and C(0) is the initial value. Each block waits
//! for the one before it, so what counts is the way from one to the next. The first round key is added
//! to the input, which need not wait, and the sum to the chaining value; that is carried as the rounds
//! want it, and brought into the order of RFC 5794 only where it is stored.

use super::Shape;
use crate::ir::{AbstractOp, Call, Control, KeyRef, Program, Routine, RoutineId};
use crate::kernel::KernelId;
use crate::spec::aria::{self, Layer};

/// The abstract program of ARIA's encryption by cipher block chaining.
///
/// `id.blocks` must be 1 and `id.width` xmm; `kernel::matrix` sees to it.
#[must_use]
pub fn build_cbc_enc(id: KernelId) -> Program<AbstractOp> {
    let shape = Shape { vector_bytes: id.width.bytes(), registers: 1 };
    let routines = vec![
        start(),
        shape.load(),
        shape.add_round_key(),
        add_chain(),
        shape.round("fo", Layer::Sl1),
        shape.round("fe", Layer::Sl2),
        shape.last_round(),
        shape.store(),
    ];
    let [start, load, add_round_key, add_chain, fo, fe, last_round, store] =
        core::array::from_fn(RoutineId);
    let call = |routine, arg, key, result| Call { routine, arg, key, result, times: 1 };
    let (block, chain) = (Some("block"), Some("chain"));
    let batch = vec![
        Control::Call(call(load, None, None, block)),
        Control::Call(call(add_round_key, block, Some(KeyRef::First), block)),
        Control::Join { routine: add_chain, state: "block", chain: "chain" },
        Control::AlternateRounds {
            odd: call(fo, block, Some(KeyRef::Turn), block),
            even: call(fe, block, Some(KeyRef::Turn), block),
        },
        Control::Call(call(last_round, block, Some(KeyRef::Last), chain)),
        Control::Call(call(store, chain, None, None)),
    ];
    Program {
        vector_bytes: shape.vector_bytes,
        overlap: 0,
        batch_bytes: aria::BLOCK_BYTES,
        output_bytes: aria::BLOCK_BYTES,
        counter: None,
        constants: Vec::new(),
        routines,
        entry: vec![
            Control::Call(call(start, None, Some(KeyRef::Initial), chain)),
            Control::EachBatch(batch),
        ],
    }
}

fn start() -> Routine<AbstractOp> {
    let mut routine = Routine::new("start", "The initial value as chaining value.");
    let chain = routine.push("c", AbstractOp::RoundKey, &[]);
    routine.set_results(vec![chain]);
    routine
}

fn add_chain() -> Routine<AbstractOp> {
    let mut routine = Routine::new("add_chain", "Adds the chaining value.");
    let (block, chain) = (routine.param("b"), routine.param("c"));
    let sum = routine.push("y", AbstractOp::XorSelected { mask: 0b11 }, &[block, chain]);
    routine.set_results(vec![sum]);
    routine
}
