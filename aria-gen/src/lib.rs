//! Generates specialised SIMD kernels for the ARIA block cipher (RFC 5794).
//!
//! ```text
//! spec ─► build ─► lower ─► passes ─► emit
//! math    IR       machine  simplify  Rust text
//!                  IR       schedule
//! ```
//!
//! Every arrow is a function from values to values; nothing here reads files, the clock, the
//! environment or the CPU. [`pipeline::build_kernel`] runs the stages for one kernel id,
//! `emit::generate` (feature `rust`) returns the files of `generated/`.
//!
//! * [`math`]: GF(2^8), bit matrices, affine maps.
//! * [`circuit`]: S-boxes as circuits of single bits, for the portable tier.
//! * [`spec`]: the cipher as its RFC writes it: slow, obvious, the oracle.
//! * [`ir`]: straight-line routines over byte vectors, with verifier and interpreter.
//! * [`isa`]: tiers, widths, features, the instruction table, costs.
//! * [`kernel`]: kernel ids, the matrix of legal and illegal cells, the builders.
//! * [`lower`]: what a layer means → instructions.
//! * [`pass`]: programs of instructions → better ones.
//! * `emit`: programs of instructions → Rust text.
//! * `jit`: programs of instructions → machine code (feature `jit`).
//! * `search`: a linear layer → networks of exclusive ors for it (feature `search`).
//! * `prove`: Rust text → whether it is the cipher (feature `prove`).
//!
//! ```
//! let id = aria_gen::kernel::matrix::select("aria_avx512_gfni_zmm_blk64")?;
//! let built = aria_gen::pipeline::build_kernel(id)?;
//! assert_eq!(built.facts()?.operations_a_round, 60);
//! # Ok::<(), aria_gen::GenError>(())
//! ```
#![forbid(unsafe_code)]

pub mod circuit;
#[cfg(feature = "rust")]
pub mod emit;
mod error;
pub mod ir;
pub mod isa;
#[cfg(feature = "jit")]
pub mod jit;
pub mod kernel;
pub mod lower;
pub mod math;
pub mod pass;
pub mod pipeline;
pub mod probe;
#[cfg(feature = "prove")]
pub mod prove;
#[cfg(feature = "search")]
pub mod search;
pub mod spec;

pub use error::{GenError, StageError};
