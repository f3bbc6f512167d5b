//! What can go wrong in the pipeline, with the kernel and the stage that it went wrong in.

use crate::ir::VerifyError;
use crate::isa::MissingRow;
use crate::kernel::{KernelId, matrix::SelectError};
use crate::lower::LowerError;
use crate::pipeline::Stage;

/// Why a kernel cannot be generated. Prints as "kernel: stage: value; remedy".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GenError {
    /// The name selects no kernel.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// A stage failed.
    #[error("{kernel}: {stage}: {cause}")]
    Stage {
        /// The kernel.
        kernel: KernelId,
        /// The stage.
        stage: Stage,
        /// What failed and what to do.
        cause: StageError,
    },
}

/// What failed in a stage.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StageError {
    /// The lowering has no way to express something.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// A program of vectors was asked for where there is one of words.
    #[error("the kernel is a program of words; ask `pipeline::build_words` for it")]
    Words,
    /// The portable tier's program cannot be derived.
    #[error("{0}; this is a fault of the generator, please report it")]
    Bits(#[from] crate::kernel::bits::BitsError),
    /// A pass or the emitter met an instruction without a row.
    #[error("{0}; add one to the instruction table or mark the cell illegal")]
    MissingRow(#[from] MissingRow),
    /// The stage's result is not well formed: a fault of the stage.
    #[error("{0}; this is a fault of the generator, please report it")]
    Verify(#[from] VerifyError),
}
