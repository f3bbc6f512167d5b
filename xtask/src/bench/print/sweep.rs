//! Every number of blocks: the library beside its peers, and against larger numbers of blocks.

use comfy_table::{CellAlignment, Table, presets};

use crate::bench::library::Family;
use crate::bench::report::{EXCESS, Report, Step};

/// The steps, then those that fall short.
pub(super) fn text(report: &Report) -> String {
    let groups = report.sweep.chunk_by(|a, b| a.subject == b.subject);
    groups.map(group).collect::<Vec<_>>().join("\n\n")
}

fn group(steps: &[Step]) -> String {
    let families: Vec<Family> = steps[0].peers.keys().copied().collect();
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let subject = &steps[0].subject;
    let (operation, name) = (subject.operation.row().name, &subject.name);
    let title = format!("ARIA-{}, {operation}, {name}, blocks", subject.key_bits);
    let columns = [title, "ns".to_owned(), "ns/B".to_owned()].into_iter();
    let peers = families.iter().map(|family| family.name().to_owned());
    let ratios = families.iter().map(|family| format!("x {}", family.name()));
    let last = ["cheapest".to_owned(), "excess".to_owned()];
    table.set_header(columns.chain(peers).chain(ratios).chain(last));
    for step in steps {
        let per_byte = step.nanoseconds / (16 * step.blocks) as f64;
        let mut cells = vec![step.blocks.to_string(), format!("{:.1}", step.nanoseconds)];
        cells.push(format!("{per_byte:.3}"));
        cells.extend(step.peers.values().map(|peer| format!("{peer:.1}")));
        cells.extend(step.peers.values().map(|peer| format!("{:.2}", peer / step.nanoseconds)));
        cells.extend([step.cheapest_blocks.to_string(), format!("{:.2}", step.excess)]);
        table.add_row(cells);
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut lines = vec![format!("{table}\n")];
    for family in families {
        let slower = |step: &&Step| step.peers.get(&family).is_some_and(|p| *p < step.nanoseconds);
        lines.push(format!("slower than {} at: {}", family.name(), numbers(steps, slower)));
    }
    let excess = numbers(steps, |step| step.excess > EXCESS);
    lines.push(format!("more than {EXCESS} times the cost of a larger number at: {excess}"));
    lines.join("\n")
}

/// The numbers of blocks of the steps that are so, or `none`.
fn numbers(steps: &[Step], so: impl FnMut(&&Step) -> bool) -> String {
    let found: Vec<String> = steps.iter().filter(so).map(|step| step.blocks.to_string()).collect();
    if found.is_empty() { "none".to_owned() } else { found.join(" ") }
}
