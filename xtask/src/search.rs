//! `cargo xtask search diffusion`: searches XOR networks for ARIA's diffusion layer (RFC 5794 section
//! 2.4.3) and prints the best one in the notation of `aria-gen/src/lower/networks`.
//!
//! The search itself is `aria_gen::search`, which knows no files and no time. Here are the budget, the
//! progress bar and the checkpoint: a file from which the same command goes on after an interruption,
//! to the same result as if there had been none.
//!
//! What it found with seed 1, and in how many steps: in place 47 gates in ten million, the same with
//! an involution of outputs in five million; two operands 48 in 400 thousand; three operands 26 in a
//! million, 29 with a depth of 3 in 400 thousand; with keys 37 in 700 thousand. That is one core and
//! half a minute to a minute and a half each. The networks that ship come from longer searches and are
//! better by one gate (46 in place; 28 of three operands at depth 3; 36 with keys).

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use aria_gen::search::{Form, Operands, Search, Tables};
use aria_gen::spec::aria::diffusion_mask;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};

use crate::workspace::write_whole;

/// Arguments of `search`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The linear layer
    layer: Layer,
    /// Operations `r_i ^= r_j` on the sixteen registers and no other
    #[arg(long, conflicts_with_all = ["operands", "keys", "depth"])]
    in_place: bool,
    /// With --in-place: the registers of the results are an involution of the rows, so that two
    /// rounds bring everything back
    #[arg(long, requires = "in_place")]
    involution: bool,
    /// Operands of a gate at most, 2 or 3
    #[arg(long, value_name = "N", default_value_t = 3)]
    operands: usize,
    /// Each row adds a round key byte, an operand of some gate, at most one in each
    #[arg(long)]
    keys: bool,
    /// Gates on a path at most
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    /// Seed of the walk
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Steps of the walk, counted from its start
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    steps: u64,
    /// Where to store the search now and then, and to go on from if the file is there
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Write the network there instead of printing it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// A linear layer to search networks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Layer {
    /// ARIA's, RFC 5794 section 2.4.3
    Diffusion,
}

/// Steps between checkpoints.
const PIECE: u64 = 20_000;

/// Runs the command.
///
/// # Errors
///
/// When there can be no such network, or a file cannot be read or written.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let form = form(args)?;
    let mut search = start(args, form)?;
    let tables = Tables::new(form);
    let bar = ProgressBar::new(args.steps);
    bar.set_style(ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {eta} left, {msg}")?);
    bar.set_position(search.steps());
    while search.steps() < args.steps {
        search.run(&tables, PIECE.min(args.steps - search.steps()));
        if let Some(path) = &args.checkpoint {
            write_whole(path, &serde_json::to_string(&search)?)?;
        }
        bar.set_position(search.steps());
        bar.set_message(format!("{} gates", search.gates()));
    }
    bar.finish_and_clear();
    let found = search.best().context(
        "the best network does not compute the layer; delete the checkpoint, it was altered",
    )?;
    match &args.out {
        Some(path) => write_whole(path, &found.text),
        None => Ok(write!(std::io::stdout(), "{}", found.text)?),
    }
}

fn form(args: &Args) -> anyhow::Result<Form> {
    if args.in_place {
        return Ok(Form::InPlace { involution: args.involution });
    }
    let operands = match args.operands {
        2 => Operands::Two,
        3 => Operands::Three,
        other => bail!("--operands {other}: gates have 2 or 3"),
    };
    Ok(Form::Gates { operands, keys: args.keys, depth: args.depth })
}

/// The search from its checkpoint, or a new one.
fn start(args: &Args, form: Form) -> anyhow::Result<Search> {
    let rows = match args.layer {
        Layer::Diffusion => core::array::from_fn(diffusion_mask),
    };
    let fresh = Search::new(rows, form, args.seed)?;
    let Some(path) = args.checkpoint.as_deref().filter(|path| path.exists()) else {
        return Ok(fresh);
    };
    let stored = read(path)?;
    let same = |search: &Search| (search.rows(), search.form(), search.seed());
    ensure!(
        same(&stored) == same(&fresh),
        "{} is of another search ({}, seed {}); take another file or delete it",
        path.display(),
        stored.form().describe(),
        stored.seed()
    );
    ensure!(
        stored.steps() <= args.steps,
        "{} is at step {} already; take --steps beyond it",
        path.display(),
        stored.steps()
    );
    Ok(stored)
}

fn read(path: &Path) -> anyhow::Result<Search> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| {
        format!("{} is no checkpoint of a search; take another file or delete it", path.display())
    })
}
