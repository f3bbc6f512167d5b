//! The passes over machine programs: one visible list, verified after each.
//!
//! A pass is a function from a program and its target to a program of the same meaning. It sees
//! instructions and their costs and cannot tell one cipher from another. `cargo xtask inspect`
//! prints the program after any of them.

mod pressure;
mod schedule;
mod simplify;

pub use pressure::{Pressure, measure_pressure};

use crate::ir::{MachineOp, Program};
use crate::isa::{Isa, MissingRow};

/// A pass.
pub type Pass = fn(&Program<MachineOp>, Isa) -> Result<Program<MachineOp>, MissingRow>;

/// Every pass, in order, with the name by which stages are asked for.
pub const PASSES: &[(&str, Pass)] =
    &[("simplify", simplify::simplify), ("schedule", schedule::schedule)];
