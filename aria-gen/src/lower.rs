//! From what a kernel means to instructions: abstract program in, machine program out.
//!
//! The only module that sees both vocabularies. S-boxes become the unit's sequences (`sbox`),
//! linear layers become networks of exclusive ors ([`network`]), round key bytes become loads of
//! the key form; loads, stores and interleavings have one instruction each. The result is correct
//! and naive: repeated constants are merged, and orders chosen, by the passes.
//!
//! **Lazy ShiftRows.** AES instructions permute the bytes of a lane. In the slice layout that only
//! renames blocks, as long as all slices agree; so a value carries the *turns* by which it is off,
//! powers of ShiftRows, and is put right only where values that are off differently meet
//! (`routine`). Turns pass from routine to routine with the state.

mod hidden;
pub mod network;
mod routine;
mod row;
mod sbox;
mod writer;

use crate::ir::{AbstractOp, Call, Constant, Control, MachineOp, Program, Routine};
use crate::isa::{Isa, Unit};
use crate::kernel::{KeyForm, Layout};
use network::NetworkError;
use routine::{Lowered, lower_routine};

pub use hidden::hidden_constants;

/// What is aimed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Tier and width.
    pub isa: Isa,
    /// What computes the S-boxes.
    pub unit: Unit,
    /// How blocks lie in registers.
    pub layout: Layout,
    /// How round keys lie in memory.
    pub key_form: KeyForm,
}

/// Why a program cannot be lowered: the value and the remedy. The caller adds kernel and stage.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LowerError {
    /// The target lacks an instruction form.
    #[error("{0}; add one to the instruction table or mark the cell illegal")]
    MissingRow(#[from] crate::isa::MissingRow),
    /// The unit has no way to compute an S-box.
    #[error(
        "no route for S-box {sbox} on unit {}; add one in aria-gen/src/lower/sbox.rs",
        .unit.name()
    )]
    NoRoute {
        /// The S-box.
        sbox: &'static str,
        /// The unit.
        unit: Unit,
    },
    /// An S-box that takes a round key byte works on no parameter of its routine.
    #[error(
        "S-box {sbox} in {routine} does not work on a slice that enters the routine, so no byte of \
         the mapped round key belongs to it; take key form broadcast32"
    )]
    NoKeyByte {
        /// The S-box.
        sbox: &'static str,
        /// The routine.
        routine: String,
    },
    /// A routine is called with states that AES instructions have permuted differently.
    #[error(
        "{routine} is called with states {first} and {second} turns of ShiftRows off; settle them \
         in a routine of its own"
    )]
    Turns {
        /// The routine.
        routine: String,
        /// Turns at the first call.
        first: u8,
        /// Turns at another.
        second: u8,
    },
    /// A builder used an operation that its layout's lowering does not know.
    #[error(
        "`{op}` has no meaning for registers in the {layout} layout; lower it in a module of its own"
    )]
    Layout {
        /// The operation.
        op: String,
        /// The layout.
        layout: &'static str,
    },
    /// A routine is called twice, and its results are wanted in different shapes.
    #[error("the results of {routine} are wanted in two different orders; make it two routines")]
    Shapes {
        /// The routine.
        routine: String,
    },
    /// A network of the table is not what it says.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

/// Lowers `program` to the instructions of `target`.
///
/// # Errors
///
/// When the target lacks an instruction or a route; see [`LowerError`].
pub fn lower_program(
    program: &Program<AbstractOp>,
    target: Target,
) -> Result<Program<MachineOp>, LowerError> {
    let mut constants = Constants::default();
    let routines = match target.layout {
        // Nothing abstract is in words; what asked for it meets a unit without a route.
        Layout::Slice | Layout::Bits => lower_slices(program, target, &mut constants)?,
        Layout::Row => row::lower_routines(program, target, &mut constants)?,
    };
    let lowered = program.with_routines(constants.list, routines);
    for stmt in lowered.routines.iter().flat_map(Routine::body) {
        target.isa.row_of(&stmt.op)?;
    }
    Ok(lowered)
}

/// Lowers every routine of a program in the slice layout.
fn lower_slices(
    program: &Program<AbstractOp>,
    target: Target,
    constants: &mut Constants,
) -> Result<Vec<Routine<MachineOp>>, LowerError> {
    let lowered = vec![None; program.routines.len()];
    let mut walk = Walk { program, target, constants, lowered, turns: Vec::new() };
    walk.control(&program.entry)?;
    let mut routines = Vec::new();
    for (routine, lowered) in program.routines.iter().zip(walk.lowered) {
        // A routine that is never called is lowered all the same: it stays in the program.
        let lowered = match lowered {
            Some(lowered) => lowered,
            None => lower_routine(routine, 0, target, walk.constants)?,
        };
        routines.push(lowered.routine);
    }
    Ok(routines)
}

/// The constants of a program, each once.
#[derive(Default)]
struct Constants {
    list: Vec<Constant>,
}

impl Constants {
    /// The id of `constant`, which is added when no equal one is there.
    fn intern(&mut self, constant: Constant) -> usize {
        let known = self.list.iter().position(|c| *c == constant);
        known.unwrap_or_else(|| {
            self.list.push(constant);
            self.list.len() - 1
        })
    }
}

/// Walks the control flow, lowering each routine where it is first called.
struct Walk<'a> {
    program: &'a Program<AbstractOp>,
    target: Target,
    constants: &'a mut Constants,
    lowered: Vec<Option<Lowered>>,
    /// By how many turns each state is off.
    turns: Vec<(&'static str, u8)>,
}

impl Walk<'_> {
    fn control(&mut self, control: &[Control]) -> Result<(), LowerError> {
        for item in control {
            match item {
                Control::Call(call) => self.call(call)?,
                Control::ByCarry { carried, alike } => {
                    self.call(carried)?;
                    self.call(alike)?;
                }
                // It would pass from batch to batch as many turns off as it came.
                Control::Join { .. } => {
                    let op = "a chaining value".to_owned();
                    return Err(LowerError::Layout { op, layout: Layout::Slice.name() });
                }
                Control::EachBatch(body) => self.control(body)?,
                Control::AlternateRounds { odd, even } => {
                    self.call(odd)?;
                    self.call(even)?;
                    // The second turn of the loop: the state must come back as it was.
                    self.call(odd)?;
                }
            }
        }
        Ok(())
    }

    fn call(&mut self, call: &Call) -> Result<(), LowerError> {
        let mut turns = call.arg.map_or(0, |name| self.turns_of(name));
        for _ in 0..call.times {
            turns = self.lower(call.routine.0, turns)?;
        }
        if let Some(name) = call.result {
            self.turns.retain(|(known, _)| *known != name);
            self.turns.push((name, turns));
        }
        Ok(())
    }

    /// Lowers a routine whose state comes in `turns` off, and says how far off its results are.
    fn lower(&mut self, number: usize, turns: u8) -> Result<u8, LowerError> {
        let routine = &self.program.routines[number];
        if let Some(lowered) = &self.lowered[number] {
            if lowered.turns_in == turns {
                return Ok(lowered.turns_out);
            }
            let routine = routine.name().to_owned();
            let (first, second) = (lowered.turns_in, turns);
            return Err(LowerError::Turns { routine, first, second });
        }
        let lowered = lower_routine(routine, turns, self.target, self.constants)?;
        let turns_out = lowered.turns_out;
        self.lowered[number] = Some(lowered);
        Ok(turns_out)
    }

    fn turns_of(&self, name: &str) -> u8 {
        let found = self.turns.iter().find(|(known, _)| *known == name);
        found.map_or(0, |(_, turns)| *turns)
    }
}

#[cfg(test)]
mod tests;
