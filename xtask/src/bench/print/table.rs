//! A table for each operation, key length and size: time, throughput, cycles, ratios to the peers.

use comfy_table::{CellAlignment, Table, presets};

use super::{families, figure};
use crate::bench::operation::Load;
use crate::bench::report::{Measurement, Report};

/// The tables.
pub(super) fn text(report: &Report) -> String {
    let key = |row: &Measurement| (row.subject.operation, row.subject.key_bits, row.bytes);
    let tables = report.measurements.chunk_by(|a, b| key(a) == key(b)).map(table);
    tables.map(|table| format!("{table}\n")).collect::<Vec<_>>().join("\n")
}

fn table(rows: &[Measurement]) -> Table {
    let subject = &rows[0].subject;
    let operation = subject.operation.row();
    let title = match operation.load {
        Load::Blocks | Load::Unit => {
            format!("ARIA-{}, {}, {} bytes", subject.key_bits, operation.name, rows[0].bytes)
        }
        Load::Block | Load::Key => format!("ARIA-{}, {}", subject.key_bits, operation.name),
    };
    let families = families(rows.iter().map(|row| &row.ratios));
    let on_data = operation.load.is_data();
    let columns: &[&str] = match on_data {
        true => &["ns/B", "median", "MiB/s", "c/B"],
        false => &["ns", "median", "cycles"],
    };
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let ratios = families.iter().map(|family| format!("x {}", family.name()));
    let columns = columns.iter().map(|column| (*column).to_owned());
    table.set_header([title].into_iter().chain(columns).chain(ratios));
    for row in rows {
        let mut cells = vec![row.subject.name.clone()];
        match row.per_byte.filter(|_| on_data) {
            Some(per_byte) => cells.extend([
                format!("{:.3}", per_byte.nanoseconds),
                format!("{:.3}", row.median_nanoseconds / row.bytes as f64),
                format!("{:.0}", per_byte.mebibytes_per_second),
                figure(per_byte.cycles, 3),
            ]),
            None => cells.extend([
                format!("{:.1}", row.nanoseconds),
                format!("{:.1}", row.median_nanoseconds),
                figure(row.cycles, 0),
            ]),
        }
        cells.extend(families.iter().map(|family| figure(row.ratios.get(family).copied(), 2)));
        table.add_row(cells);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
