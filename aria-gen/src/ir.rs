//! The intermediate representation: straight-line routines over byte vectors, and the public
//! control flow that calls them.
//!
//! A [`Program`] is one kernel. Its [`Routine`]s are SSA: every value is a vector of
//! [`Program::vector_bytes`] bytes, defined once. Control ([`Control`]) is a loop over batches and a
//! loop over round keys, both with public counts; an address is a fixed offset into the current
//! batch, the current round key or a named constant. So a secret-dependent branch or address cannot
//! be written down, and every kernel is constant time by construction.
//!
//! The same structures carry two vocabularies, [`AbstractOp`] (what a cipher means) and
//! [`MachineOp`] (what one instruction does); `lower` translates the first into the second. The
//! interpreter in [`interp`] gives both their meaning on bytes.
//!
//! This module knows vectors and bytes. It does not know ciphers, CPUs or Rust text.

pub mod interp;
mod machine;
mod meaning;
mod op;
mod print;
mod program;
mod routine;
mod verify;

pub use machine::{Form, MachineOp, Span};
pub use meaning::shift_rows;
pub use op::{AbstractOp, Access, Arity, CounterPart, Operation, block_numbers};
pub use program::{
    COUNTER_BYTES, Call, Constant, ConstantData, Control, Counter, KeyRef, Program, RoutineId,
    STATE_KEYS,
};
pub use routine::{Routine, Step, Stmt, Value};
pub use verify::VerifyError;
