//! Cost of a byte from the slope over many sizes, in the columns of libgcrypt's bench-slope.

use comfy_table::{CellAlignment, Table, presets};

use super::{families, figure};
use crate::bench::args::SLOPE_BYTES;
use crate::bench::published::{Figure, PUBLISHED};
use crate::bench::report::Report;

/// The slopes, then what was published in the same columns.
pub(super) fn text(report: &Report) -> String {
    let families = families(report.slopes.iter().map(|slope| &slope.ratios));
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let columns = ["", "", "nanosecs/byte", "mebibytes/sec", "cycles/byte", "Mhz"];
    let ratios = families.iter().map(|family| format!("x {}", family.name()));
    table.set_header(columns.map(str::to_owned).into_iter().chain(ratios));
    for slope in &report.slopes {
        let (subject, cost) = (&slope.subject, &slope.per_byte);
        let operation = subject.operation.row().short;
        let mut cells = vec![
            format!("ARIA{} {operation}", subject.key_bits),
            subject.name.clone(),
            format!("{:.3} ns/B", cost.nanoseconds),
            format!("{:.1} MiB/s", cost.mebibytes_per_second),
            cost.cycles.map_or_else(|| "-".to_owned(), |cycles| format!("{cycles:.3} c/B")),
            figure(report.megahertz, 0),
        ];
        cells.extend(families.iter().map(|family| figure(slope.ratios.get(family).copied(), 2)));
        table.add_row(cells);
    }
    for published in PUBLISHED {
        if let Figure::PerByte(cycles) = published.figure {
            let (by, code) = (published.by.name(), published.code());
            let name =
                format!("published by {by} ({}), {}, {code}", published.stated_in, published.cpu);
            table.add_row([
                published.what.to_owned(),
                name.trim_end_matches([',', ' ']).to_owned(),
                String::new(),
                String::new(),
                format!("{cycles:.3} c/B"),
            ]);
        }
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let (first, last, step) = SLOPE_BYTES;
    format!("{table}\n\nSlope of the least times at {first} to {last} bytes in steps of {step}.")
}
