//! What can go wrong while machine code is read, at which instruction, and what to do about it.

use super::super::domain::Refusal;
use super::super::memory::MemoryFault;

/// Why execution of an image stopped, at an instruction of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} at {at:#x}, `{instruction}`: {cause}; {}", .cause.remedy())]
pub struct Fault {
    /// The image.
    pub name: String,
    /// Where the instruction begins.
    pub at: u64,
    /// The instruction, as text.
    pub instruction: String,
    /// What is wrong.
    pub cause: Cause,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// Bytes that are no code.
    #[error("there is no code here")]
    NoCode,
    /// An instruction without a row.
    #[error("the reader does not know this instruction")]
    UnknownInstruction,
    /// A form of a known instruction.
    #[error("the reader does not know {0}")]
    Unsupported(&'static str),
    /// An instruction that the kernel's row, or its width, does not permit.
    #[error("it needs {0}, which the kernel does not ask for")]
    Feature(String),
    /// An operation that the domain cannot express.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Input or output used as it must not be.
    #[error("the kernel {0}")]
    Memory(#[from] MemoryFault),
    /// An address that is not within what may be touched.
    #[error("touches {0}")]
    Address(&'static str),
    /// A branch or an address that may depend on key or data.
    #[error("{0} may depend on key or data")]
    Secret(&'static str),
    /// A broken calling convention.
    #[error("returns with {0}")]
    Convention(String),
    /// A batch loop outside the form that induction covers.
    #[error("the batch loop {0}")]
    Induction(&'static str),
    /// Execution takes more steps than any kernel needs.
    #[error("execution takes more than {0} steps")]
    Endless(u64),
    /// The output is another form than the reference's, yet no run shows a difference.
    #[error("output block {block}, byte {byte}, bit {bit} is computed otherwise than RFC 5794's")]
    Difference {
        /// The block of the batch.
        block: usize,
        /// The byte of the block.
        byte: usize,
        /// The bit of the byte.
        bit: u32,
    },
    /// A kind of kernel that this reader cannot prove.
    #[error("no proof from machine code is known for {0}")]
    Kind(&'static str),
}

impl Cause {
    /// What to do.
    #[must_use]
    pub const fn remedy(&self) -> &'static str {
        match self {
            Self::NoCode => "see that the image holds all code and branches stay within",
            Self::UnknownInstruction | Self::Unsupported(_) => {
                "add it to aria-gen/src/prove/machine/table.rs, and to its test"
            }
            Self::Feature(_) => "see which features the function enables",
            Self::Refused(_) | Self::Kind(_) => {
                "the domain holds linear forms and field inverses only; \
                 SOUNDNESS.md says how other steps are proved"
            }
            Self::Memory(_) | Self::Address(_) | Self::Secret(_) | Self::Convention(_) => {
                "see the code there: the entry's `# Safety` section says what it may touch"
            }
            Self::Induction(_) => "aria-gen/src/prove/machine/batches.rs says which loops it knows",
            Self::Endless(_) => "see that every loop ends",
            Self::Difference { .. } => {
                "the forms differ but may be equal as functions; teach aria-gen/src/prove/domain"
            }
        }
    }

    /// Whether the execution itself went wrong, so that the code, not the prover, is at fault.
    #[must_use]
    pub const fn is_misbehaviour(&self) -> bool {
        matches!(self, Self::Memory(_) | Self::Address(_) | Self::Convention(_) | Self::NoCode)
    }
}
