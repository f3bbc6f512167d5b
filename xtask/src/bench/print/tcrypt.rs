//! Cycles of an operation at fixed sizes, in the words of Linux's tcrypt, with what was published of
//! Linux's own code beside them.

use aria_gen::kernel::KernelId;

use super::figure;
use crate::bench::library::Family;
use crate::bench::published::{Figure, beside};
use crate::bench::report::{Measurement, Report};

/// A paragraph for each operation and subject.
pub(super) fn text(report: &Report) -> String {
    let mut lines = Vec::new();
    let mut done: Vec<(&str, &str)> = Vec::new();
    for row in &report.measurements {
        let (operation, name) = (row.subject.operation.row().name, row.subject.name.as_str());
        // Names tell key lengths apart only for entry points; a paragraph has them all.
        if done.contains(&(operation, name)) {
            continue;
        }
        done.push((operation, name));
        lines.push(format!("testing speed of {operation}, {name}"));
        let rows = report.measurements.iter();
        let own =
            rows.filter(|m| m.subject.name == name && m.subject.operation == row.subject.operation);
        lines.extend(own.enumerate().map(|(number, row)| line(number, row)));
        lines.push(String::new());
    }
    lines.join("\n")
}

fn line(number: usize, row: &Measurement) -> String {
    let (bits, bytes) = (row.subject.key_bits, row.bytes);
    let cycles = figure(row.cycles, 0);
    let test = format!("test {number:2} ({bits} bit key, {bytes:4} byte blocks)");
    let line = format!("{test}: 1 operation in {cycles:>7} cycles ({bytes} bytes)");
    let cell = row.subject.name.parse::<KernelId>().ok().map(|id| (id.tier, id.unit));
    let published = (row.subject.family == Family::Ours).then(|| beside(cell, bits, bytes));
    let Some(published) = published.flatten() else { return line };
    let Figure::Operation { cycles, .. } = published.figure else { return line };
    let (by, code, cpu) = (published.by.name(), published.code(), published.cpu);
    format!("{line}; published by {by}, {code}, {cpu}: {cycles}")
}
