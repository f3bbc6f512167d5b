//! What can go wrong while a file is read, where, and what to do about it.

use super::domain::Refusal;
use super::memory::MemoryFault;

/// Why execution of a file stopped, at a line of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}:{line}: {cause}; {}", .cause.remedy())]
pub struct Fault {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub cause: Cause,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// The text is no Rust.
    #[error("this does not parse: {0}")]
    Syntax(String),
    /// Rust that the reader does not know.
    #[error("the reader does not know {0}")]
    Unsupported(String),
    /// An intrinsic without a row.
    #[error("unknown intrinsic `{0}`")]
    UnknownIntrinsic(String),
    /// A name that means nothing here.
    #[error("`{0}` is not defined here")]
    Undefined(String),
    /// A value of another type than what it is used for.
    #[error("expected {expected}, found {found}")]
    Type {
        /// What is wanted.
        expected: String,
        /// What is there.
        found: &'static str,
    },
    /// An operation that the domain cannot express.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Memory used as it must not be.
    #[error("the kernel {0}")]
    Memory(#[from] MemoryFault),
    /// Execution would panic, or wrap around.
    #[error("this would panic: {0}")]
    Panic(String),
    /// A batch loop outside the form that induction covers.
    #[error("the batch loop {0}")]
    Induction(String),
    /// Execution takes more steps than any kernel needs.
    #[error("execution takes more than {0} steps")]
    Endless(u64),
    /// The file and the table of kernels disagree.
    #[error("{0}")]
    Contract(String),
    /// A function of the counter does not return counters in every case.
    #[error(
        "with a counter whose last byte is {last}, byte {byte} of block {block}'s counter is wrong"
    )]
    Counter {
        /// The last byte of the batch's first counter.
        last: u8,
        /// The block of the batch.
        block: usize,
        /// The byte of the counter.
        byte: usize,
    },
    /// The output is another form than the reference's, yet no run shows a difference.
    #[error("output block {block}, byte {byte}, bit {bit} is written otherwise than RFC 5794's")]
    Difference {
        /// The block of the batch.
        block: usize,
        /// The byte of the block.
        byte: usize,
        /// The bit of the byte.
        bit: u32,
    },
}

impl Cause {
    /// What to do.
    #[must_use]
    pub const fn remedy(&self) -> &'static str {
        match self {
            Self::Syntax(_) | Self::Undefined(_) | Self::Type { .. } => {
                "mend the file, or run `cargo xtask gen` to write it anew"
            }
            Self::Unsupported(_) => {
                "write it in the forms that the emitter uses, or teach aria-gen/src/prove/reader"
            }
            Self::UnknownIntrinsic(_) => {
                "add a row to aria-gen/src/prove/meaning/table.rs, and a probe to test it"
            }
            Self::Refused(_) => {
                "the domain holds linear forms and field inverses only; \
                 SOUNDNESS.md says how other steps are proved"
            }
            Self::Counter { .. } => {
                "mend the emitter, or teach aria-gen/src/prove/reader/counter.rs another order"
            }
            Self::Memory(_) | Self::Panic(_) => {
                "mend the emitter: the entry's `# Safety` section says what a kernel may touch"
            }
            Self::Induction(_) => {
                "keep to `for batch in 0..batches` with nothing carried over, \
                 or state the loop's invariant to the prover"
            }
            Self::Endless(_) => "see that every loop ends",
            Self::Difference { .. } => {
                "the forms differ but may be equal as functions; teach aria-gen/src/prove/domain"
            }
            Self::Contract(_) => "run `cargo xtask gen` to write file and table anew",
        }
    }

    /// Whether the execution itself went wrong, so that the kernel, not the prover, is at fault.
    #[must_use]
    pub const fn is_misbehaviour(&self) -> bool {
        matches!(self, Self::Memory(_) | Self::Panic(_))
    }
}
