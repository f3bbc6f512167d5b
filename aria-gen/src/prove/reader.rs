//! The reader of emitted Rust: executes a function of a checked-in file, over any domain.
//!
//! It parses the file with syn and follows it as Rust does: local functions, constants, `let`s with
//! patterns, arrays, loops, loads and stores at computed offsets. It knows the small part of Rust
//! that emitted kernels are written in; whatever else it meets is a [`Fault`] with its line, for a
//! construct that is skipped could mean anything. It trusts rustc for types: a file that rustc
//! accepts has the meaning that is read here.
//!
//! There are no branches on data: a condition must have the same value for every input and key. Pointers are offsets into [`Memory`]. A loop over an unknown
//! number of batches is followed for one batch with an unknown index; see `machine`. A counter is
//! followed for each of its last bytes; see `counter`. A chaining value is carried by induction; see `chain`.
//!
//! It shares nothing with the generator's builders, passes and emitter, and knows no cipher.

mod chain;
mod counter;
mod expression;
mod intrinsic;
mod machine;
mod method;
mod part;
mod pattern;
mod program;
mod value;

pub use chain::UnknownChain;
pub use counter::UnknownCounter;
pub use part::Part;
pub use program::Program;
pub use value::{Value, Word};

use super::domain::Domain;
use super::fault::{Cause, Fault};
use super::memory::Memory;
use machine::Machine;

/// What a function that chains is called with for its initial value.
#[derive(Clone, Debug)]
pub struct InitialValue<B> {
    /// Its parameter that is a reference to 16 bytes.
    pub value: Value<B>,
    /// What stands for the chaining value where it is unknown.
    pub unknown: Option<UnknownChain<B>>,
}

/// What a function is called with, besides the two regions of memory.
#[derive(Clone, Debug)]
pub struct Arguments<B> {
    /// For its parameter that is a reference: one round key or all.
    pub keys: Value<B>,
    /// For its parameter of type `usize`: a number, [`Value::Batches`] or [`Part::Count`].
    pub batches: Value<B>,
    /// For its parameter of type `u128`: a number, or [`Value::Counter`].
    pub counter: Value<B>,
    /// What stands for the counter where it is unknown.
    pub unknown_counter: Option<UnknownCounter<B>>,
    /// The initial value, for a function that chains; another function of 16 bytes has them as keys.
    pub initial: Option<InitialValue<B>>,
}

/// Calls `function` and returns the memory as it left it.
///
/// Parameters are told apart by their types: `*const u8` is the input, `*mut u8` the output, a
/// reference the keys (one to 16 bytes the initial value, if there is one), `usize` the number of batches and `u128` the counter.
///
/// # Errors
///
/// When execution stops: at what line and why.
pub fn run<D: Domain>(
    program: &Program,
    function: &str,
    domain: &mut D,
    arguments: &Arguments<D::Byte>,
    memory: Memory<D::Byte>,
) -> Result<Memory<D::Byte>, Fault> {
    let stopped = |(line, cause): (usize, Cause)| program.fault(line, cause);
    let unknown_counter = arguments.unknown_counter.clone();
    let mut machine = Machine::new(program, domain, memory, unknown_counter);
    machine.unknown_chain = arguments.initial.as_ref().and_then(|initial| initial.unknown.clone());
    machine.enter(function, arguments).map_err(stopped)?;
    Ok(machine.into_memory())
}

#[cfg(test)]
mod tests;
