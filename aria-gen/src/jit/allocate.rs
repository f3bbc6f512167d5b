//! Registers for values: which wait in memory, where copies are needed, what is an operand in memory.
//!
//! Stretches have no branches, so the value that is wanted last makes room (L. Belady, IBM Systems
//! Journal 5, 1966); one that can be read from where it came from is not written. Constants stay in
//! registers as far as the pressure report leaves some. The state between stretches has a register
//! for each value: the odd round ends wherever it likes, the even one where the odd one began.

mod pin;
mod stretch;

use iced_x86::Code;

use super::AssembleError;
use super::flow::{Flow, Home, Value};
use crate::isa::Width;
use crate::pipeline::Built;
use stretch::Target;

/// Where an operand in memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Where a value comes from.
    Home(Home),
    /// A vector of the output, at this offset.
    Output(usize),
    /// On the stack, this vector.
    Slot(usize),
}

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// This part of a vector register.
    Register(u8, Width),
    /// Memory, as wide as the operand.
    Memory(Place),
    /// A word in memory, repeated.
    Repeated(Place),
    /// An immediate byte.
    Immediate(u8),
}

/// An instruction with its operands.
#[derive(Clone, Debug)]
pub(super) struct Inst {
    pub(super) code: Code,
    pub(super) operands: Vec<Operand>,
    /// The value that it makes, and of which.
    pub(super) note: (Option<Value>, Vec<Value>),
}

/// A kernel's stretches with their registers.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    /// What is done once, before the first batch.
    pub(super) once: Vec<Inst>,
    pub(super) before: Vec<Inst>,
    pub(super) rounds: Option<[Vec<Inst>; 3]>,
    /// Vectors on the stack.
    pub(super) slots: usize,
}

/// Gives every value of `flow` its place.
pub(super) fn place(built: &Built, flow: &Flow) -> Result<Placed, AssembleError> {
    let pinned = pin::choose(built, flow)?;
    let mut target = Target::new(built, flow, pinned);
    let once = target.load_pinned()?;
    let (before, start) = target.place(&flow.before, &[], None)?;
    let rounds = match &flow.rounds {
        None => None,
        Some(rounds) => {
            let (odd, middle) = target.place(&rounds.odd, &start, None)?;
            let (even, _) = target.place(&rounds.even, &middle, Some(&start))?;
            let (after, _) = target.place(&rounds.after, &middle, None)?;
            Some([odd, even, after])
        }
    };
    Ok(Placed { once, before, rounds, slots: target.slots() })
}
