//! `cargo xtask tune`: measures what each kernel costs here, and writes the table that the library's
//! planner chooses by.
//!
//! A table is for a micro-architecture; which one this CPU has, the library says
//! (`aria_runtime::cost_table`). The library takes figures from the generator's cost model where
//! there is no table. Figures are cycles, so that they hold at any clock.

#[cfg(feature = "run")]
mod kernel;
pub mod table;

/// Arguments of `cargo xtask tune`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print the table instead of writing it
    #[arg(long)]
    pub print: bool,
    /// Write the table for a micro-architecture of this name, new or not
    #[arg(long, value_name = "NAME", value_parser = table::name)]
    pub name: Option<String>,
    /// How many times to measure; the least time counts
    #[arg(long, value_name = "N", default_value_t = 1601, value_parser = clap::value_parser!(u32).range(1..))]
    pub samples: u32,
}

/// Runs the command.
///
/// # Errors
///
/// When this CPU has no table and no name is given for one, or the file cannot be written.
#[cfg(feature = "run")]
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    use std::io::Write;

    use anyhow::Context;

    let known = aria_runtime::cost_table().map(str::to_owned);
    let name = args.name.clone().or(known).context(
        "the library has no cost table for this CPU; choose a name with --name, and after that add \
         the new module and the CPU's models to TABLES in aria-runtime/src/costs.rs",
    )?;
    let rows = kernel::measure_all(args.samples as usize)?;
    let text = table::text(&rows);
    if args.print {
        return Ok(write!(std::io::stdout(), "{text}")?);
    }
    let path = crate::workspace::root().join(table::path(&name));
    crate::workspace::write_whole(&path, &text)?;
    println!("{}: {} kernels", path.display(), rows.len());
    Ok(())
}

/// Runs the command in a build that has the kernels.
///
/// # Errors
///
/// As there.
#[cfg(not(feature = "run"))]
pub(crate) fn run(_: &Args) -> anyhow::Result<()> {
    crate::reenter::with_kernels()
}
