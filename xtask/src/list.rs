//! `cargo xtask list`: the matrix, legal cells with their facts, the others with the reason.

use std::collections::BTreeMap;

use aria_gen::kernel::KernelId;
use aria_gen::kernel::matrix::{ROWS, cells, recipe};
use aria_gen::pipeline::{build_kernel, build_words, is_words};
use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;

use crate::cpu;

/// Arguments of `list`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only cells whose id contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    filter: String,
    /// Leave out the cells that make no sense
    #[arg(long)]
    legal: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A legal cell.
#[derive(Debug, Serialize)]
struct Legal {
    id: String,
    checked_in: bool,
    features: Vec<&'static str>,
    blocks: usize,
    layout: &'static str,
    key_form: &'static str,
    operations_a_round: usize,
    /// By the model; `None` where the compiler allocates registers.
    peak_registers: Option<usize>,
    registers: usize,
    /// Modelled cycles a block at 12 rounds, by micro-architecture.
    cycles_a_block: BTreeMap<&'static str, Option<f64>>,
    missing_here: Vec<&'static str>,
}

/// Cells that make no sense for one reason and differ in their block counts only.
#[derive(Debug, Serialize)]
struct Illegal {
    cells: Vec<String>,
    reason: &'static str,
    remedy: &'static str,
}

/// The whole answer.
#[derive(Debug, Serialize)]
struct Matrix {
    legal: Vec<Legal>,
    illegal: Vec<Illegal>,
}

/// Runs the command.
///
/// # Errors
///
/// When a legal cell cannot be built.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let wanted = |id: &KernelId| id.to_string().contains(&args.filter);
    let mut matrix = Matrix { legal: Vec::new(), illegal: Vec::new() };
    for id in cells().filter(wanted) {
        match recipe(id) {
            Ok(_) => matrix.legal.push(legal(id)?),
            Err(illegal) if !args.legal => push_illegal(&mut matrix.illegal, illegal),
            Err(_) => {}
        }
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&matrix)?);
    } else {
        print_matrix(&matrix);
    }
    Ok(())
}

fn legal(id: KernelId) -> anyhow::Result<Legal> {
    if is_words(id) {
        return legal_on_words(id);
    }
    let built = build_kernel(id)?;
    let facts = built.facts()?;
    let per_block = |centicycles: u64| centicycles as f64 / 100.0 / id.blocks as f64;
    let cycles = facts.centicycles.iter().map(|(cpu, cycles)| (cpu.name, cycles.map(per_block)));
    Ok(Legal {
        id: id.to_string(),
        checked_in: ROWS.contains(&id),
        features: facts.features.iter().map(|f| f.name()).collect(),
        blocks: id.blocks,
        layout: built.recipe.layout.name(),
        key_form: built.recipe.key_form.name(),
        operations_a_round: facts.operations_a_round,
        peak_registers: Some(facts.pressure.peak()),
        registers: facts.pressure.registers,
        cycles_a_block: cycles.collect(),
        missing_here: cpu::missing(&facts.features),
    })
}

/// The model of ports is one of vector instructions; for words there is one figure.
fn legal_on_words(id: KernelId) -> anyhow::Result<Legal> {
    let built = build_words(id)?;
    let cycles = built.batch_cycles() as f64 / id.blocks as f64;
    let cpus = aria_gen::isa::MICRO_ARCHITECTURES.iter();
    Ok(Legal {
        id: id.to_string(),
        checked_in: ROWS.contains(&id),
        features: Vec::new(),
        blocks: id.blocks,
        layout: built.recipe.layout.name(),
        key_form: built.recipe.key_form.name(),
        operations_a_round: built.operations_a_round(),
        peak_registers: None,
        registers: id.tier.registers(),
        cycles_a_block: cpus.map(|cpu| (cpu.name, Some(cycles))).collect(),
        missing_here: Vec::new(),
    })
}

fn push_illegal(list: &mut Vec<Illegal>, cell: aria_gen::kernel::Illegal) {
    let family = |id: &str| id.rsplit_once("_blk").map(|(family, _)| family.to_owned());
    let id = cell.id.to_string();
    match list.last_mut() {
        Some(last) if last.reason == cell.reason && family(&last.cells[0]) == family(&id) => {
            last.cells.push(id);
        }
        _ => list.push(Illegal { cells: vec![id], reason: cell.reason, remedy: cell.remedy }),
    }
}

fn table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Disabled);
    table
}

fn print_matrix(matrix: &Matrix) {
    let mut legal = table();
    let cpus: Vec<&str> = aria_gen::isa::MICRO_ARCHITECTURES.iter().map(|cpu| cpu.name).collect();
    let mut header = vec!["kernel", "features", "blocks", "layout", "keys", "ops a round", "peak"];
    header.extend(&cpus);
    header.push("runs here");
    legal.set_header(header);
    for cell in &matrix.legal {
        let mark = if cell.checked_in { "" } else { " *" };
        let mut row = vec![
            format!("{}{mark}", cell.id),
            cell.features.join(" "),
            cell.blocks.to_string(),
            cell.layout.to_owned(),
            cell.key_form.to_owned(),
            cell.operations_a_round.to_string(),
            match cell.peak_registers {
                Some(peak) => format!("{peak} of {}", cell.registers),
                None => "–".to_owned(),
            },
        ];
        row.extend(cpus.iter().map(|cpu| match cell.cycles_a_block[cpu] {
            Some(cycles) => format!("{cycles:.2}"),
            None => "–".to_owned(),
        }));
        row.push(match cell.missing_here.as_slice() {
            [] => "yes".to_owned(),
            missing => format!("no: {}", missing.join(" ")),
        });
        legal.add_row(row);
    }
    println!("{legal}");
    println!(
        "Columns named after cores: modelled cycles a block, ARIA-128. * legal, not checked in: \
         `cargo xtask gen --out DIR --only ID` builds it."
    );
    if !matrix.illegal.is_empty() {
        let mut illegal = table();
        illegal.set_header(["no kernel", "why", "instead"]);
        for row in &matrix.illegal {
            illegal.add_row([merged(&row.cells), row.reason.to_owned(), row.remedy.to_owned()]);
        }
        println!("\n{illegal}");
    }
}

/// `…_blk1`, `…_blk2` → `…_blk{1,2}`.
fn merged(cells: &[String]) -> String {
    let split = |id: &'_ str| id.rsplit_once("_blk").map(|(a, b)| (a.to_owned(), b.to_owned()));
    let parts: Vec<(String, String)> = cells.iter().filter_map(|id| split(id)).collect();
    match parts.as_slice() {
        [(family, count)] => format!("{family}_blk{count}"),
        [(family, _), ..] => {
            let counts: Vec<&str> = parts.iter().map(|(_, count)| count.as_str()).collect();
            format!("{family}_blk{{{}}}", counts.join(","))
        }
        [] => String::new(),
    }
}
