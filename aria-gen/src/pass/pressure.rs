//! How many registers a program wants: the model behind "peak 27 of 32 registers".
//!
//! A value takes a register from its definition to its last use, unless its row in the instruction
//! table says that it is an operand in memory ([`Residence::Operand`]) or stays in a register
//! throughout ([`Residence::Pinned`]: loop-invariant constants, counted over the whole program).
//! A result may take the register of an operand that dies in the same instruction. What a compiler
//! makes of it is its own; `tests/shape.rs` counts the stack references that remain.

use crate::ir::{MachineOp, Operation, Program, Routine, Value};
use crate::isa::{Isa, MissingRow, Residence};

/// The result of [`measure_pressure`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pressure {
    /// Registers that the tier has.
    pub registers: usize,
    /// Registers taken by pinned constants throughout.
    pub pinned: usize,
    /// The most registers wanted at once in each routine, pinned ones included, in the program's
    /// order.
    pub peaks: Vec<usize>,
}

impl Pressure {
    /// The most registers wanted at once anywhere.
    #[must_use]
    pub fn peak(&self) -> usize {
        self.peaks.iter().copied().max().unwrap_or(self.pinned)
    }

    /// How many values must wait on the stack at the worst point.
    #[must_use]
    pub fn excess(&self) -> usize {
        self.peak().saturating_sub(self.registers)
    }
}

/// Measures `program` as its routines are ordered now.
///
/// # Errors
///
/// When an instruction has no row.
pub fn measure_pressure(program: &Program<MachineOp>, isa: Isa) -> Result<Pressure, MissingRow> {
    let pinned = pinned_constants(program, isa)?;
    let peaks: Result<Vec<usize>, MissingRow> =
        program.routines.iter().map(|r| Ok(pinned + peak(r, isa)?)).collect();
    Ok(Pressure { registers: isa.tier.registers(), pinned, peaks: peaks? })
}

/// How many registers the loop-invariant constants of `program` take.
pub(super) fn pinned_constants(
    program: &Program<MachineOp>,
    isa: Isa,
) -> Result<usize, MissingRow> {
    let mut pinned: Vec<&MachineOp> = Vec::new();
    for stmt in program.routines.iter().flat_map(|r| r.body()) {
        if isa.residence(&stmt.op)? == Residence::Pinned && !pinned.contains(&&stmt.op) {
            pinned.push(&stmt.op);
        }
    }
    Ok(pinned.len())
}

/// The values that take a register of their own while they live, by index.
pub(super) fn registers_of(
    routine: &Routine<MachineOp>,
    isa: Isa,
) -> Result<Vec<bool>, MissingRow> {
    let mut takes = vec![false; routine.value_count()];
    for param in routine.params() {
        takes[param.index()] = true;
    }
    for stmt in routine.body() {
        if let Some(result) = stmt.result {
            takes[result.index()] = isa.residence(&stmt.op)? == Residence::Register;
        }
    }
    Ok(takes)
}

/// How often each value is used, results of the routine included, by index.
pub(super) fn use_counts<O: Operation>(routine: &Routine<O>) -> Vec<usize> {
    let mut uses = vec![0; routine.value_count()];
    let args = routine.body().iter().flat_map(|s| &s.args);
    for value in args.chain(routine.results()) {
        uses[value.index()] += 1;
    }
    uses
}

fn peak(routine: &Routine<MachineOp>, isa: Isa) -> Result<usize, MissingRow> {
    let takes = registers_of(routine, isa)?;
    let mut uses = use_counts(routine);
    let held = |value: Value| usize::from(takes[value.index()]);
    let mut live: usize = routine.params().iter().map(|p| held(*p)).sum();
    let mut peak = live;
    for stmt in routine.body() {
        for arg in &stmt.args {
            uses[arg.index()] -= 1;
            if uses[arg.index()] == 0 {
                live -= held(*arg);
            }
        }
        live += stmt.result.map_or(0, held);
        peak = peak.max(live);
    }
    Ok(peak)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Span;
    use crate::isa::{Tier, Width};

    fn isa(tier: Tier) -> Isa {
        let width = Width::Xmm;
        Isa { tier, width }
    }

    #[test]
    fn a_result_takes_the_register_of_an_operand_that_dies() {
        let mut routine = Routine::new("r", "");
        let (a, b) = (routine.param("a"), routine.param("b"));
        let x = routine.push("x", MachineOp::Xor, &[a, b]);
        routine.set_results(vec![x]);
        assert_eq!(peak(&routine, isa(Tier::Avx)), Ok(2));
    }

    #[test]
    fn an_interleaved_pair_needs_a_third_register() {
        let mut routine = Routine::new("r", "");
        let (a, b) = (routine.param("a"), routine.param("b"));
        let low = routine.push("low", MachineOp::UnpackLow8, &[a, b]);
        let high = routine.push("high", MachineOp::UnpackHigh8, &[a, b]);
        routine.set_results(vec![low, high]);
        assert_eq!(peak(&routine, isa(Tier::Avx)), Ok(3));
    }

    #[test]
    fn a_key_takes_a_register_except_under_evex() {
        let mut routine = Routine::new("r", "");
        let a = routine.param("a");
        let k = routine.push("k", MachineOp::KeySplat32 { index: 0, span: Span::Vector }, &[]);
        let x = routine.push("x", MachineOp::Xor, &[a, k]);
        routine.set_results(vec![x]);
        assert_eq!(peak(&routine, isa(Tier::Avx)), Ok(2));
        assert_eq!(peak(&routine, isa(Tier::Avx512)), Ok(1));
    }
}
