//! The goals: what is wanted, what was measured, how that stands; then the sweeps in a line each.

use comfy_table::{CellAlignment, Table, presets};

use super::figure;
use crate::bench::goals::{BYTES, Outcome, SweepOutcome, SweepWanted, Verdict, Wanted};
use crate::bench::report::{EXCESS, Report};

/// How many offenders are told.
const WORST: usize = 8;

/// The table and the lines.
pub(super) fn text(report: &Report) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let header = ["goal", "ours", "against", "wanted", "aim", "is", "by least", ""];
    table.set_header(header);
    for outcome in &report.goals {
        table.add_row(cells(outcome));
    }
    for column in table.column_iter_mut().skip(3).take(4) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let count = |meant: fn(&Verdict) -> bool| {
        report.goals.iter().filter(|outcome| meant(&outcome.verdict)).count()
    };
    let known = count(|verdict| !matches!(verdict, Verdict::Unknown(_)));
    let reached = count(|verdict| matches!(verdict, Verdict::Reached | Verdict::Aim));
    let aims = count(|verdict| *verdict == Verdict::Aim);
    let mut lines = vec![format!("{table}\n")];
    lines.push(format!(
        "{reached} of {known} goals reached, {aims} of them as far as aimed, on {BYTES} bytes; {} \
         cannot be told here.",
        report.goals.len() - known
    ));
    lines.extend(report.sweep_goals.iter().map(line));
    lines.push(String::new());
    lines.join("\n")
}

fn cells(outcome: &Outcome) -> [String; 8] {
    let digits = |value| figure(Some(value), 2);
    let (wanted, aim) = match outcome.wanted {
        Wanted::Ratio { at_least, aim, .. } => (format!("≥ {}", digits(at_least)), aim),
        Wanted::Cycles { at_most, .. } => (format!("≤ {} c/B", digits(at_most)), None),
    };
    let verdict = match &outcome.verdict {
        Verdict::Missed => "missed".to_owned(),
        Verdict::Reached => "reached".to_owned(),
        Verdict::Aim => "reached, and the aim".to_owned(),
        Verdict::Unknown(reason) => reason.clone(),
    };
    let operation = outcome.operation.row().name;
    [
        format!("ARIA-{} {operation}", outcome.key_bits),
        outcome.ours.clone(),
        outcome.against.clone(),
        wanted,
        figure(aim, 2),
        figure(outcome.figure.map(|figure| figure.median), 2),
        figure(outcome.figure.map(|figure| figure.least), 2),
        verdict,
    ]
}

fn line(outcome: &SweepOutcome) -> String {
    let (subject, checked) = (&outcome.subject, outcome.checked);
    let operation = subject.operation.row().name;
    let title = format!("ARIA-{} {operation}, {}", subject.key_bits, subject.name);
    let goal = match outcome.wanted {
        SweepWanted::NeverSlower => "not slower than libgcrypt".to_owned(),
        SweepWanted::NoExcess => format!("at most {EXCESS} times the cost of a larger number"),
    };
    if checked == 0 {
        return format!("{title}: {goal}: libgcrypt is absent");
    }
    let good = checked - outcome.short.len();
    let worst: Vec<String> = outcome
        .short
        .iter()
        .take(WORST)
        .map(|(blocks, cost)| format!("{blocks} ({cost:.2})"))
        .collect();
    let worst = match worst.is_empty() {
        true => String::new(),
        false => format!("; worst, in multiples of what they may cost: {}", worst.join(", ")),
    };
    format!("{title}: {goal}: {good} of {checked} numbers of blocks{worst}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::library::Family;
    use crate::bench::operation::Operation;
    use crate::bench::report::Subject;

    #[test]
    fn a_sweep_is_told_by_counts_and_worst_first() {
        let subject = Subject {
            operation: Operation::Ctr,
            key_bits: 256,
            name: "Aria256Ctr".to_owned(),
            family: Family::Ours,
            limits: None,
        };
        let wanted = SweepWanted::NeverSlower;
        let mut outcome =
            SweepOutcome { subject, wanted, checked: 130, short: vec![(3, 1.5), (2, 1.25)] };
        let told = "ARIA-256 CTR, Aria256Ctr: not slower than libgcrypt: 128 of 130 numbers of \
                    blocks; worst, in multiples of what they may cost: 3 (1.50), 2 (1.25)";
        assert_eq!(line(&outcome), told);
        outcome.checked = 0;
        assert!(line(&outcome).ends_with("libgcrypt is absent"));
    }
}
