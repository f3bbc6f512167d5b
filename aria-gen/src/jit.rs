//! Machine code: a finished machine program to position-independent bytes.
//!
//! ```text
//! flow ─────► allocate ───────► encode
//! stretches   registers, slots  bytes
//! ```
//!
//! The order of instructions is that of the program, in which no compiler has a say. [`assemble`] is
//! a pure function like every stage: who owns executable memory, and whether the CPU can run what
//! stands in it, is the caller's to know.
//!
//! The bytes are a pool of constants and, after it, one leaf function. It refers to the pool by
//! distance, so that they run at any address that is a multiple of [`ALIGNMENT`].
//!
//! | frame | arguments |
//! |---|---|
//! | ECB | `rk: *const`, `keys: usize`, `input: *const u8`, `output: *mut u8`, `batches: usize` |
//! | keys | `ck: *const`, `input: *const u8`, `output: *mut u8`, `batches: usize` |
//!
//! These are the arguments of the kernels that are emitted as Rust, a slice being its address and its
//! length. `keys`, the number of round keys, is odd and at least three.

mod allocate;
mod copies;
mod encode;
mod encoding;
mod entry;
mod flow;
mod listing;

use crate::ir::Form;
use crate::isa::MissingRow;
use crate::kernel::KernelId;
use crate::pipeline::Built;

pub use listing::list;

/// Assembled code must lie at a multiple of this many bytes: its pool is read with aligned loads.
pub const ALIGNMENT: usize = 64;

/// Which registers hold arguments and which survive a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Convention {
    /// The System V ABI for x86-64, section 3.2: Linux, macOS, the BSDs.
    SystemV,
    /// Microsoft's x64 calling convention, in which xmm6 to xmm15 survive.
    Win64,
}

impl Convention {
    /// Both.
    pub const ALL: &'static [Self] = &[Self::SystemV, Self::Win64];

    /// That of `extern "C"` on the target that this is compiled for.
    pub const NATIVE: Self = if cfg!(windows) { Self::Win64 } else { Self::SystemV };
}

/// A kernel as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembly {
    /// Which kernel.
    pub id: KernelId,
    /// How it is called.
    pub convention: Convention,
    /// The pool of constants from byte 0 on, then the code.
    pub bytes: Vec<u8>,
    /// Where in `bytes` the function begins, which is where the pool ends.
    pub entry: usize,
    /// Bytes of stack for values that wait in memory; wiped before the function returns.
    pub spill_bytes: usize,
    /// What instructions do: offset in `bytes`, in ascending order, and the roles of the values.
    pub notes: Vec<(usize, String)>,
}

/// Why there is no machine code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AssembleError {
    /// An instruction form without a row in the instruction table.
    #[error("{0}: assemble: {1}; add one to the instruction table")]
    MissingRow(KernelId, MissingRow),
    /// An instruction form without an encoding.
    #[error("{0}: assemble: no encoding of `{1}`; add one to the table of encodings")]
    MissingEncoding(KernelId, Form),
    /// Control flow that has no machine code.
    #[error("{0}: assemble: {1}; take the same cell in frame ecb")]
    Control(KernelId, &'static str),
    /// The encoder refused an instruction: a fault of the assembler.
    #[error("{0}: assemble: {1}; this is a fault of the generator, please report it")]
    Encode(KernelId, String),
}

/// Assembles a kernel's finished program.
///
/// # Errors
///
/// When its control flow or one of its instructions has no machine code.
pub fn assemble(built: &Built, convention: Convention) -> Result<Assembly, AssembleError> {
    let flow = flow::flatten(built)?;
    let placed = allocate::place(built, &flow)?;
    entry::encode_kernel(built, convention, &flow, &placed)
}

#[cfg(test)]
mod tests;
