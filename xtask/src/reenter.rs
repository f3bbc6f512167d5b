//! Runs this same command again in a build that has the kernels.

use std::process::Command;

use anyhow::{Context, bail};

/// Calls cargo with feature `run`, optimised, and this process's arguments.
///
/// # Errors
///
/// When cargo cannot be started or the command fails.
pub(crate) fn with_kernels() -> anyhow::Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--quiet", "--release", "--package", "xtask", "--features", "run", "--"])
        .args(std::env::args_os().skip(1))
        .status()
        .context("cannot start cargo to build the kernels")?;
    if !status.success() {
        bail!(
            "the command failed, or the kernels do not compile; `cargo xtask gen` writes them anew"
        );
    }
    Ok(())
}
