//! The pipeline of kernels on words: build and verify. There is no lowering and no pass, since the
//! builder writes what the compiler takes, and the compiler allocates and orders.

use super::{Stage, check};
use crate::error::GenError;
use crate::ir::word::{Flow, WordCall, WordOp, WordProgram};
use crate::ir::{Operation, Routine};
use crate::kernel::bits::{self, BitsRoutine};
use crate::kernel::{KernelId, Layout, Recipe, matrix};

/// A kernel on words.
#[derive(Clone, Debug)]
pub struct BuiltWords {
    /// Which kernel.
    pub id: KernelId,
    /// How it was built.
    pub recipe: Recipe,
    /// The program, which is also what is emitted.
    pub program: WordProgram,
}

/// Whether the kernel is one on words: then [`build_words`] builds it, else
/// [`build_kernel`](super::build_kernel).
#[must_use]
pub fn is_words(id: KernelId) -> bool {
    matrix::recipe(id).is_ok_and(|recipe| recipe.layout == Layout::Bits)
}

/// Builds a kernel on words.
///
/// # Errors
///
/// When the cell is illegal, or the program cannot be derived.
///
/// # Panics
///
/// When the kernel is not one on words.
pub fn build_words(id: KernelId) -> Result<BuiltWords, GenError> {
    let recipe = matrix::recipe(id).map_err(matrix::SelectError::from)?;
    assert!(is_words(id), "{id} is a kernel on vectors");
    let program = check(id, Stage::Build, bits::build_bits(id))?;
    check(id, Stage::Build, program.verify())?;
    Ok(BuiltWords { id, recipe, program })
}

/// Rounds at which operations are counted: those of a 128-bit key.
const MODEL_ROUNDS: usize = 12;

/// Operations on words that a core does in a cycle, by which operations become modelled cycles:
/// about what an Emerald Rapids server core did in November 2026, where moves between registers and
/// memory take the rest.
const OPERATIONS_A_CYCLE: usize = 3;

impl BuiltWords {
    /// Operations of a round: a substitution and a diffusion.
    #[must_use]
    pub fn operations_a_round(&self) -> usize {
        let routines = [BitsRoutine::Substitute, BitsRoutine::Diffuse];
        routines.iter().map(|routine| operations(&self.program.routines[*routine as usize])).sum()
    }

    /// Modelled cycles of a batch at 12 rounds.
    #[must_use]
    pub fn batch_cycles(&self) -> usize {
        let count = |calls: &[WordCall]| -> usize {
            calls.iter().map(|call| operations(&self.program.routines[call.routine])).sum()
        };
        let flows = self.program.entries[0].flow.iter().map(|flow| match flow {
            Flow::Call(call) => count(&[*call]),
            Flow::AlternateRounds { odd, even } => {
                count(odd) * (MODEL_ROUNDS / 2) + count(even) * (MODEL_ROUNDS / 2 - 1)
            }
        });
        flows.sum::<usize>() / OPERATIONS_A_CYCLE
    }

    /// The round keys in the form that the program reads, as rows of words.
    #[must_use]
    pub fn expand_keys(&self, raw: &[[u8; 16]]) -> Vec<Vec<u64>> {
        let keys = self.recipe.key_form.expand(raw);
        let words = |key: &Vec<u8>| {
            key.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
        };
        keys.iter().map(words).collect()
    }
}

/// The operations of a routine; reading a word of a row is none, being an operand.
fn operations(routine: &Routine<WordOp>) -> usize {
    let counts = |op: &WordOp| match op {
        WordOp::Row { .. } => 0,
        op => usize::from(op.has_result()),
    };
    routine.body().iter().map(|stmt| counts(&stmt.op)).sum()
}
