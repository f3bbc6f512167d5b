//! `cargo xtask bench`: our kernels, ciphers and modes beside their peers, in one process.
//!
//! Contenders take turns, sample by sample, so that a noisy neighbour or a change of clock meets all
//! of them. What matters is the ratio to a peer, that of the medians: times are those of this machine
//! today.
//!
//! Peers are RustCrypto's `aria` and mode crates, which also judge every output before anything is
//! timed, and, if they are there, OpenSSL and libgcrypt, loaded at run time. libgcrypt is kept from
//! the CPU features that a kernel does not use, so that like meets like.
//!
//! What runs kernels or loads libraries is compiled under feature `run` only; arguments, statistics
//! and printing always are, and are tested without it.

pub mod args;
pub mod clock;
pub mod frames;
pub mod goals;
pub mod library;
pub mod limits;
pub mod machine;
pub mod measure;
pub mod operation;
#[cfg(feature = "run")]
pub(crate) mod ours;
#[cfg(feature = "run")]
mod peer;
pub mod print;
pub mod published;
#[cfg(feature = "run")]
mod race;
pub mod report;
pub mod statistics;
#[cfg(feature = "run")]
mod traits;

#[cfg(feature = "run")]
use std::io::Write;

use args::Args;

/// Runs the command.
///
/// # Errors
///
/// When the arguments make no sense, the filter leaves nothing, or an output is wrong.
#[cfg(feature = "run")]
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let request = args.request()?;
    let report = race::run(&request)?;
    let text = match request.json {
        true => serde_json::to_string_pretty(&report)?,
        false => print::text(&report, &request.view),
    };
    // Unlike `println!`, this is an error and no panic when the reader has seen enough.
    Ok(writeln!(std::io::stdout(), "{text}")?)
}

/// Checks the arguments and runs the command in a build that has the kernels.
///
/// # Errors
///
/// As there.
#[cfg(not(feature = "run"))]
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    args.request()?;
    crate::reenter::with_kernels()
}
