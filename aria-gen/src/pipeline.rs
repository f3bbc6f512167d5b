//! The pipeline as one function per stretch: build, lower, passes; and what is known of the result.
//!
//! Each stage is a pure function of the kernel id; each result is verified before it goes on.

mod words;

use core::fmt::{self, Display, Formatter};

use crate::error::{GenError, StageError};
use crate::ir::{AbstractOp, MachineOp, Program};
use crate::isa::{Feature, Isa, MICRO_ARCHITECTURES, MicroArchitecture};
use crate::kernel::{Frame, KernelId, Layout, Recipe, matrix, row, slice};
use crate::lower::{Target, hidden_constants, lower_program};
use crate::pass::{PASSES, Pressure, measure_pressure};

pub use words::{BuiltWords, build_words, is_words};

/// A stage of the pipeline, in order: `build`, `lower`, then each of [`PASSES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The abstract program.
    Build,
    /// The naive machine program.
    Lower,
    /// The machine program after a pass, by index in [`PASSES`].
    Pass(usize),
}

impl Stage {
    /// Every stage, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Build, Self::Lower].into_iter().chain((0..PASSES.len()).map(Self::Pass))
    }

    /// The stage's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Lower => "lower",
            Self::Pass(number) => PASSES.get(number).map_or("no such pass", |(name, _)| name),
        }
    }
}

impl Display for Stage {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A kernel with the programs that its stages made.
#[derive(Clone, Debug)]
pub struct Built {
    /// Which kernel.
    pub id: KernelId,
    /// How it was built.
    pub recipe: Recipe,
    /// The target.
    pub isa: Isa,
    /// What the kernel means.
    pub abstract_program: Program<AbstractOp>,
    /// The machine program after lowering and after each pass; at least one.
    pub machine_programs: Vec<Program<MachineOp>>,
}

/// Builds, lowers and runs every pass.
///
/// # Errors
///
/// When the cell is illegal or a stage cannot do its work.
pub fn build_kernel(id: KernelId) -> Result<Built, GenError> {
    let recipe = matrix::recipe(id).map_err(matrix::SelectError::from)?;
    let isa = Isa { tier: id.tier, width: id.width };
    let abstract_program = match recipe.layout {
        Layout::Row if id.frame == Frame::Keys => row::keys::build_keys(id),
        Layout::Row if id.frame == Frame::CbcEnc => row::cbc::build_cbc_enc(id),
        Layout::Row => row::build_row(id),
        Layout::Slice => slice::build_slice(id),
        Layout::Bits => return check(id, Stage::Build, Err(StageError::Words)),
    };
    check(id, Stage::Build, abstract_program.verify())?;
    let target = target(id, recipe);
    let lowered = lower_program(&abstract_program, target);
    let mut machine_programs = vec![check(id, Stage::Lower, lowered)?];
    check(id, Stage::Lower, machine_programs[0].verify())?;
    for (number, (_, pass)) in PASSES.iter().enumerate() {
        let stage = Stage::Pass(number);
        let program = check(id, stage, pass(&machine_programs[number], isa))?;
        check(id, stage, program.verify())?;
        machine_programs.push(program);
    }
    Ok(Built { id, recipe, isa, abstract_program, machine_programs })
}

fn target(id: KernelId, Recipe { layout, key_form }: Recipe) -> Target {
    let isa = Isa { tier: id.tier, width: id.width };
    Target { isa, unit: id.unit, layout, key_form }
}

fn check<T, E: Into<StageError>>(
    kernel: KernelId,
    stage: Stage,
    result: Result<T, E>,
) -> Result<T, GenError> {
    result.map_err(|cause| GenError::Stage { kernel, stage, cause: cause.into() })
}

/// What is known of a finished kernel, for headers and listings.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The CPU features that it needs.
    pub features: Vec<Feature>,
    /// Registers wanted.
    pub pressure: Pressure,
    /// Vector operations of a round, the larger of `fo` and `fe`.
    pub operations_a_round: usize,
    /// Modelled cycles of a batch at 12 rounds in hundredths, for each of
    /// [`MICRO_ARCHITECTURES`]: what its work takes or what its longest chain takes, whichever is
    /// more; `None` where the core lacks the encoding.
    pub centicycles: Vec<(&'static MicroArchitecture, Option<u64>)>,
}

/// Rounds at which costs are modelled: those of a 128-bit key.
const MODEL_ROUNDS: usize = 12;

impl Built {
    /// The finished program: what is emitted.
    ///
    /// # Panics
    ///
    /// Never for a value that [`build_kernel`] made.
    #[must_use]
    pub fn finished(&self) -> &Program<MachineOp> {
        self.machine_programs.last().expect("lowering made one")
    }

    /// The constants of the finished program that the emitter hides from the Rust compiler, by number.
    #[must_use]
    pub fn hidden(&self) -> Vec<usize> {
        hidden_constants(self.finished(), target(self.id, self.recipe))
    }

    /// The program after `stage`, as text.
    #[must_use]
    pub fn print(&self, stage: Stage) -> Option<String> {
        match stage {
            Stage::Build => Some(self.abstract_program.to_string()),
            Stage::Lower => self.machine_programs.first().map(ToString::to_string),
            Stage::Pass(n) => self.machine_programs.get(n + 1).map(ToString::to_string),
        }
    }

    /// Features, pressure and modelled costs.
    ///
    /// # Errors
    ///
    /// When an instruction has no row.
    pub fn facts(&self) -> Result<Facts, GenError> {
        let last = Stage::Pass(PASSES.len() - 1);
        let program = self.finished();
        let calls = program.calls_per_batch(MODEL_ROUNDS);
        let mut centicycles = Vec::new();
        for cpu in MICRO_ARCHITECTURES {
            let runs = cpu.has(self.isa.tier.encoding());
            let work = check(self.id, last, self.isa.work(program, &calls, cpu))?;
            let latency = check(self.id, last, self.isa.latency(program, &calls, cpu))?;
            let cycles = u64::max(work.centicycles(cpu), 100 * latency);
            centicycles.push((cpu, runs.then_some(cycles)));
        }
        let rounds = program.routines.iter().filter(|r| r.reads_round_key());
        Ok(Facts {
            features: check(self.id, last, self.isa.features(program))?,
            pressure: check(self.id, last, measure_pressure(program, self.isa))?,
            operations_a_round: rounds.map(|r| self.isa.operations(r)).max().unwrap_or(0),
            centicycles,
        })
    }
}

impl Facts {
    /// Modelled cycles of a batch on the generic core: the mean over the cores that run it.
    #[must_use]
    pub fn generic_cycles(&self) -> u64 {
        let modelled = self.centicycles.iter().filter_map(|(_, c)| *c);
        let (sum, count) = modelled.fold((0, 0), |(sum, count), c| (sum + c, count + 1));
        sum / (100 * u64::max(count, 1))
    }
}

#[cfg(test)]
mod tests;
