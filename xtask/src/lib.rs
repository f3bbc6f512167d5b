//! The commands of the workspace, one a module. All reading and writing of files is here; the
//! generator itself (`aria-gen`) is pure.
//!
//! The default build depends on `aria-gen` alone. Commands that run kernels need feature `run`; a
//! build without it calls cargo again with the feature (module `reenter`), so that a broken file in
//! `generated/` never stops `gen` from mending it.

use clap::{Parser, Subcommand};

pub mod bench;
pub mod cpu;
pub mod generate;
pub mod inspect;
pub mod list;
pub mod prove;
#[cfg(not(feature = "run"))]
mod reenter;
pub mod search;
pub mod tidy;
pub mod tune;
pub mod workspace;

/// The command line.
#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    about = "Generate, look at and measure the kernels"
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the kernels of `generated/`, or a crate with some kernels only
    Gen(generate::Args),
    /// Print the matrix: every kernel with its facts, every other cell with the reason
    List(list::Args),
    /// Print a kernel after one stage of the pipeline
    Inspect(inspect::Args),
    /// Prove kernels equal to RFC 5794 from their text, or show an input where they are not
    Prove(prove::Args),
    /// Search XOR networks for a linear layer, to be stored and resumed
    Search(search::Args),
    /// Check the structural rules of the house
    Tidy,
    /// Time kernels and the library beside RustCrypto, OpenSSL and libgcrypt in one run
    Bench(bench::args::Args),
    /// Measure what kernels cost on this CPU, for the library to choose by
    Tune(tune::Args),
}

impl Cli {
    /// Runs the command.
    ///
    /// # Errors
    ///
    /// When the command fails; the message says what to do.
    pub fn run(self) -> anyhow::Result<()> {
        match self.command {
            Command::Gen(args) => generate::run(&args),
            Command::List(args) => list::run(&args),
            Command::Inspect(args) => inspect::run(&args),
            Command::Prove(args) => prove::run(&args),
            Command::Search(args) => search::run(&args),
            Command::Tidy => tidy::run(),
            Command::Bench(args) => bench::run(&args),
            Command::Tune(args) => tune::run(&args),
        }
    }
}
