//! The target: axes of the kernel matrix, CPU features, the instruction table and its costs.
//!
//! Everything that differs between encodings and widths stands here as a column of a table, so that
//! neither `lower` nor `emit` ever asks for a width. This module knows the IR's machine operations;
//! it does not know ciphers.

mod axes;
mod cost;
mod feature;
mod table;

pub(crate) use axes::axis;
pub use axes::{Encoding, Tier, Unit, UnknownAxis, Width};
pub use cost::{Cost, MICRO_ARCHITECTURES, MicroArchitecture, Piece, Ports, Work};
pub use feature::{CpuidRegister, Feature, RegisterState};
pub use table::{MASKED, Masked, ROWS, Residence, Row};

use crate::ir::{Access, Form, MachineOp, Operation, Program, Span};

/// A tier at a width: what the lowering aims at and the passes are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa {
    /// Encoding and register file.
    pub tier: Tier,
    /// Register width.
    pub width: Width,
}

/// An instruction form that the target lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no `{form}` row at {} {}", .encoding.name(), .width.name())]
pub struct MissingRow {
    /// The form asked for.
    pub form: Form,
    /// The tier's encoding.
    pub encoding: Encoding,
    /// The width.
    pub width: Width,
}

fn find_row(form: Form, encoding: Encoding, width: Width) -> Result<&'static Row, MissingRow> {
    let found =
        ROWS.iter().find(|row| row.form == form && row.encoding == encoding && row.width == width);
    found.ok_or(MissingRow { form, encoding, width })
}

impl Isa {
    /// The instruction for `form` on a whole register.
    ///
    /// # Errors
    ///
    /// When the table has no such row.
    pub fn row(self, form: Form) -> Result<&'static Row, MissingRow> {
        find_row(form, self.tier.encoding(), self.width)
    }

    /// The instruction for `op`. On a single lane that is an xmm instruction, VEX-encoded even where
    /// the tier is EVEX: AES-NI has no EVEX form.
    ///
    /// # Errors
    ///
    /// When the table has no such row.
    pub fn row_of(self, op: &MachineOp) -> Result<&'static Row, MissingRow> {
        match op.span() {
            Span::Vector => self.row(op.form()),
            Span::Lane => find_row(op.form(), self.tier.encoding().min(Encoding::Vex), Width::Xmm),
        }
    }

    /// Whether the target has an instruction for `form`.
    #[must_use]
    pub fn has(self, form: Form) -> bool {
        self.row(form).is_ok()
    }

    /// How registers are loaded and stored in part, where the target can.
    #[must_use]
    pub fn masked(self) -> Option<&'static Masked> {
        let here = |masked: &&Masked| {
            masked.encoding == self.tier.encoding() && masked.width == self.width
        };
        MASKED.iter().find(here)
    }

    /// The features that a program needs: those of its instructions and the tier's floor, each
    /// once, in the order of [`Feature`].
    ///
    /// # Errors
    ///
    /// When an instruction has no row.
    pub fn features(self, program: &Program<MachineOp>) -> Result<Vec<Feature>, MissingRow> {
        let mut features = self.tier.floor().to_vec();
        for stmt in program.routines.iter().flat_map(|r| r.body()) {
            features.extend(self.row_of(&stmt.op)?.features);
        }
        features.sort_unstable();
        features.dedup();
        Ok(features)
    }

    /// Whether the result of `op` takes a register for as long as it lives.
    ///
    /// # Errors
    ///
    /// When `op` has no row.
    pub fn residence(self, op: &MachineOp) -> Result<Residence, MissingRow> {
        Ok(self.row_of(op)?.residence)
    }

    /// The work of one batch on `cpu`: `calls` says how often each routine runs.
    ///
    /// # Errors
    ///
    /// When an instruction has no row or no cost.
    pub fn work(
        self,
        program: &Program<MachineOp>,
        calls: &[usize],
        cpu: &MicroArchitecture,
    ) -> Result<Work, MissingRow> {
        let mut work = Work::default();
        for (routine, &times) in program.routines.iter().zip(calls) {
            for stmt in routine.body() {
                let row = self.row_of(&stmt.op)?;
                // Constants are loaded once a call of the kernel, outside the batch loop.
                if !matches!(row.form, Form::Matrix | Form::MatrixPair | Form::Bytes) {
                    work.add(cpu.cost(row), times);
                }
            }
        }
        Ok(work)
    }

    /// Cycles from a batch's input to its output on `cpu`: the longest chain of dependent
    /// instructions, routine after routine. Constants and round keys are ready when they are wanted.
    ///
    /// # Errors
    ///
    /// When an instruction has no row.
    pub fn latency(
        self,
        program: &Program<MachineOp>,
        calls: &[usize],
        cpu: &MicroArchitecture,
    ) -> Result<u64, MissingRow> {
        let mut total = 0;
        for (routine, &times) in program.routines.iter().zip(calls) {
            let mut ready = vec![0_u64; routine.value_count()];
            let mut last = 0;
            for stmt in routine.body() {
                let row = self.row_of(&stmt.op)?;
                let waits = match stmt.op.access() {
                    Access::RoundKey { .. } | Access::Constant { .. } => continue,
                    _ => stmt.args.iter().map(|arg| ready[arg.index()]).max().unwrap_or(0),
                };
                let done = waits + u64::from(cpu.cost(row).latency);
                last = last.max(done);
                if let Some(result) = stmt.result {
                    ready[result.index()] = done;
                }
            }
            total += last * times as u64;
        }
        Ok(total)
    }

    /// How many vector operations a routine is: its instructions without loads, stores, constants
    /// and operands that memory supplies for nothing.
    #[must_use]
    pub fn operations(self, routine: &crate::ir::Routine<MachineOp>) -> usize {
        let counts = |op: &MachineOp| {
            let memory = matches!(
                op.form(),
                Form::Load
                    | Form::Store
                    | Form::KeySplat32
                    | Form::KeyLanes
                    | Form::Matrix
                    | Form::MatrixPair
                    | Form::Bytes
                    | Form::LaneLow
            );
            !memory && op.has_result()
        };
        routine.body().iter().filter(|s| counts(&s.op)).count()
    }
}
