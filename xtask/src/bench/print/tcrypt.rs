//! Cycles of an operation at fixed sizes, in the words of Linux's tcrypt, with what was published of
//! Linux's own code beside them.

use aria_gen::kernel::KernelId;

use super::figure;
use crate::bench::library::Family;
use crate::bench::operation::Operation;
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
    // What was published is encryption in ECB.
    let alike =
        row.subject.family == Family::Ours && row.subject.operation == Operation::EcbEncrypt;
    let published = alike.then(|| beside(cell, bits, bytes));
    let Some(published) = published.flatten() else { return line };
    let Figure::Operation { cycles, .. } = published.figure else { return line };
    let (by, code, cpu) = (published.by.name(), published.code(), published.cpu);
    format!("{line}; published by {by}, {code}, {cpu}: {cycles}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::report::Subject;
    use std::collections::BTreeMap;

    #[test]
    fn only_what_was_published_stands_beside() {
        let row = |operation, family, name: &str| Measurement {
            subject: Subject {
                operation,
                key_bits: 128,
                name: name.to_owned(),
                family,
                limits: None,
            },
            bytes: 4096,
            nanoseconds: 1000.0,
            median_nanoseconds: 1000.0,
            cycles: Some(3000.0),
            per_byte: None,
            ratios: BTreeMap::new(),
        };
        let ours = line(5, &row(Operation::EcbEncrypt, Family::Ours, "aria_avx2_gfni_ymm_blk32"));
        assert_eq!(
            ours,
            "test  5 (128 bit key, 4096 byte blocks): 1 operation in    3000 cycles (4096 bytes); \
             published by Linux, avx2 gfni, Core i3-12100: 5867"
        );
        for other in [
            row(Operation::Ctr, Family::Ours, "aria_avx2_gfni_ymm_blk32_ctr"),
            row(Operation::EcbEncrypt, Family::Libgcrypt, "libgcrypt"),
            row(Operation::EcbEncrypt, Family::Ours, "aria_avx2_vaes_ymm_blk32"),
        ] {
            assert!(!line(5, &other).contains("published"), "{other:?}");
        }
    }
}
