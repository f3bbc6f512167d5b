//! Runs cargo from a test, on packages outside the workspace.

use std::path::Path;
use std::process::{Command, Output};

/// Runs cargo with `args` in `folder`, offline, with a target folder of its own beside it.
///
/// The workspace's target folder would not do: cargo tells packages of different copies of a
/// workspace apart by time stamps only.
///
/// # Panics
///
/// If cargo cannot be started.
#[must_use]
pub fn cargo(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(folder).args(args).env("CARGO_NET_OFFLINE", "true");
    command.env("CARGO_TARGET_DIR", folder.with_extension("target"));
    command.output().expect("cargo can be started")
}

/// What a command printed, for messages.
#[must_use]
pub fn printed(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err))
}
