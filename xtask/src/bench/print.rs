//! Prints a report for people: a file each style. Chooses nothing and computes nothing.

mod goals;
mod slope;
mod sweep;
mod table;
mod tcrypt;

use std::collections::BTreeMap;

use super::args::View;
use super::library::Family;
use super::report::Report;

/// The text of a report in the style of `view`.
#[must_use]
pub fn text(report: &Report, view: &View) -> String {
    let body = match view {
        View::Table(_) => table::text(report),
        View::Slope => slope::text(report),
        View::Tcrypt => tcrypt::text(report),
        View::Sweep => sweep::text(report),
        View::Goals => goals::text(report),
    };
    let ratios = match view {
        View::Table(_) | View::Goals => "ratios are those of the medians",
        View::Slope | View::Tcrypt | View::Sweep => "what is shown follows from the least",
    };
    let clock = report.megahertz.map_or_else(
        || "clock unknown".to_owned(),
        |megahertz| format!("{megahertz:.0} MHz by a chain of multiplications in this run"),
    );
    let mut lines = vec![body, format!("{}, {clock}.", report.cpu)];
    lines.push(format!(
        "Least and median of {} samples, everyone in turn; {ratios}.",
        report.samples
    ));
    lines.extend(report.absent.iter().map(|a| format!("absent: {}: {}", a.name, a.reason)));
    lines.join("\n")
}

/// The families that some ratio of `all` is to, in order.
fn families<'a>(all: impl Iterator<Item = &'a BTreeMap<Family, f64>> + Clone) -> Vec<Family> {
    let present = |family: &&Family| all.clone().any(|ratios| ratios.contains_key(*family));
    Family::PEERS.iter().filter(present).copied().collect()
}

/// A figure with so many digits after the point, or a dash.
fn figure(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}
