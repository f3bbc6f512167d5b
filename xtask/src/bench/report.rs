//! The results: what was measured, and what follows from it. What JSON output contains.

use std::collections::BTreeMap;

use serde::Serialize;

use super::clock::Clock;
use super::goals::{Outcome, SweepOutcome};
use super::library::Family;
use super::limits::Limits;
use super::operation::{Load, Operation};
use super::published::Published;
use super::statistics::{Summary, fit};

/// The whole answer.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The CPU's name.
    pub cpu: String,
    /// Its clock in this run.
    pub megahertz: Option<f64>,
    /// How often each was timed.
    pub samples: usize,
    /// What did not take part, and why.
    pub absent: Vec<Absence>,
    /// One for each contender, operation, key length and size.
    pub measurements: Vec<Measurement>,
    /// Cost of a byte from the slope over sizes, if asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slopes: Vec<Slope>,
    /// Every number of blocks, if asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sweep: Vec<Step>,
    /// How the goals stand, if asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<Outcome>,
    /// How those for every number of blocks stand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sweep_goals: Vec<SweepOutcome>,
    /// What the originals published.
    pub published: &'static [Published],
}

/// What did not take part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Absence {
    /// A peer or a kernel.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// Who was measured, at what.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Subject {
    /// The operation.
    pub operation: Operation,
    /// The length of the key in bits.
    pub key_bits: usize,
    /// Kernel id, function, or library with version and limits.
    pub name: String,
    /// Whose it is.
    pub family: Family,
    /// The CPU features it was kept from.
    pub limits: Option<Limits>,
}

/// The times of one subject at one size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measurement {
    /// Who.
    #[serde(flatten)]
    pub subject: Subject,
    /// Bytes of the data; 0 for key set-up.
    pub bytes: usize,
    /// Nanoseconds of a call, the least.
    pub nanoseconds: f64,
    /// The median.
    pub median_nanoseconds: f64,
    /// Cycles of a call at this run's clock.
    pub cycles: Option<f64>,
    /// Cost of a byte, for operations on data.
    pub per_byte: Option<PerByte>,
    /// For ours: how many times as fast as the peer of that family and of the same limits, by the
    /// medians: the least times of two may come from moments when the clock was another.
    pub ratios: BTreeMap<Family, f64>,
}

/// The cost of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PerByte {
    /// Nanoseconds.
    pub nanoseconds: f64,
    /// Throughput in 2^20 bytes a second.
    pub mebibytes_per_second: f64,
    /// Cycles at this run's clock.
    pub cycles: Option<f64>,
}

/// The cost of a byte from the line through the least times at many sizes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Slope {
    /// Who.
    #[serde(flatten)]
    pub subject: Subject,
    /// Slope of the line.
    pub per_byte: PerByte,
    /// Where it meets no bytes, in nanoseconds.
    pub call_nanoseconds: f64,
    /// For ours: how many times as fast as the peer of that family and of the same limits.
    pub ratios: BTreeMap<Family, f64>,
}

/// One number of blocks in a sweep.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// Which of ours, and at what.
    #[serde(flatten)]
    pub subject: Subject,
    /// How many blocks.
    pub blocks: usize,
    /// What the library takes at least, in nanoseconds. Numbers of blocks are timed one after the
    /// other, so that a disturbance would meet the medians of some.
    pub nanoseconds: f64,
    /// What each peer takes at least.
    pub peers: BTreeMap<Family, f64>,
    /// The cheapest number of blocks that is not smaller, within the sweep.
    pub cheapest_blocks: usize,
    /// How many times its cost this number has.
    pub excess: f64,
}

/// More than this many times the cost of a larger number of blocks is a fault of the planner.
pub const EXCESS: f64 = 1.1;

impl PerByte {
    /// From nanoseconds.
    #[must_use]
    pub fn new(nanoseconds: f64, clock: &Clock) -> Self {
        let mebibytes_per_second = 1e9 / (nanoseconds * f64::from(1 << 20));
        Self { nanoseconds, mebibytes_per_second, cycles: clock.cycles(nanoseconds) }
    }
}

/// The measurements of a race at `bytes`, ratios still to come: the clock is known at the end.
#[must_use]
pub fn measurements(subjects: &[Subject], bytes: usize, times: &[Summary]) -> Vec<Measurement> {
    let medians: Vec<f64> = times.iter().map(|summary| summary.median).collect();
    let rows = subjects.iter().zip(times).enumerate().map(|(place, (subject, summary))| {
        let data = subject.operation.row().load != Load::Key;
        Measurement {
            subject: subject.clone(),
            bytes: if data { bytes } else { 0 },
            nanoseconds: summary.least,
            median_nanoseconds: summary.median,
            cycles: None,
            per_byte: None,
            ratios: ratios(place, subjects, &medians),
        }
    });
    rows.collect()
}

/// Adds what depends on the clock.
pub fn apply_clock(measurements: &mut [Measurement], clock: &Clock) {
    for row in measurements {
        row.cycles = clock.cycles(row.nanoseconds);
        let bytes = row.bytes as f64;
        row.per_byte = (row.bytes > 0).then(|| PerByte::new(row.nanoseconds / bytes, clock));
    }
}

/// How many times as fast the subject at `place` is as each peer that is like it; peers have none.
fn ratios(place: usize, subjects: &[Subject], nanoseconds: &[f64]) -> BTreeMap<Family, f64> {
    let own = &subjects[place];
    if own.family != Family::Ours {
        return BTreeMap::new();
    }
    let peers = subjects.iter().zip(nanoseconds).filter(|(peer, _)| is_peer(peer, own));
    peers.map(|(peer, ns)| (peer.family, ns / nanoseconds[place])).collect()
}

/// Whether a subject is a peer that one of ours is held against: one without limits or of the same.
fn is_peer(peer: &Subject, ours: &Subject) -> bool {
    let alike = peer.limits.is_none() || peer.limits == ours.limits;
    let at = |subject: &Subject| (subject.operation, subject.key_bits);
    peer.family != Family::Ours && alike && at(peer) == at(ours)
}

/// The slopes of the subjects of `measurements` that were measured at two sizes or more.
#[must_use]
pub fn slopes(measurements: &[Measurement], clock: &Clock) -> Vec<Slope> {
    let mut slopes: Vec<Slope> = Vec::new();
    for group in groups(measurements) {
        let (mut subjects, mut lines) = (Vec::new(), Vec::new());
        for subject in group {
            let own = measurements.iter().filter(|row| row.subject == *subject);
            let points: Vec<(f64, f64)> =
                own.map(|row| (row.bytes as f64, row.nanoseconds)).collect();
            if let Some(line) = fit(&points) {
                subjects.push(subject.clone());
                lines.push(line);
            }
        }
        let per_byte: Vec<f64> = lines.iter().map(|line| line.slope).collect();
        for (place, (subject, line)) in subjects.iter().zip(&lines).enumerate() {
            slopes.push(Slope {
                subject: subject.clone(),
                per_byte: PerByte::new(line.slope, clock),
                call_nanoseconds: line.base,
                ratios: ratios(place, &subjects, &per_byte),
            });
        }
    }
    slopes
}

/// The subjects, those of one operation and key length together, in order of appearance.
fn groups(measurements: &[Measurement]) -> Vec<Vec<&Subject>> {
    let mut groups: Vec<Vec<&Subject>> = Vec::new();
    for row in measurements {
        let key = |subject: &Subject| (subject.operation, subject.key_bits);
        match groups.iter_mut().find(|group| key(group[0]) == key(&row.subject)) {
            Some(group) if group.contains(&&row.subject) => {}
            Some(group) => group.push(&row.subject),
            None => groups.push(vec![&row.subject]),
        }
    }
    groups
}

/// The steps of a sweep, from measurements of ours and their peers at many sizes; those of one of
/// ours at one operation follow each other.
#[must_use]
pub fn sweep(measurements: &[Measurement]) -> Vec<Step> {
    let ours: Vec<&Measurement> =
        measurements.iter().filter(|row| row.subject.family == Family::Ours).collect();
    let step = |row: &&Measurement| {
        let larger = ours.iter().filter(|m| m.subject == row.subject && m.bytes >= row.bytes);
        let cheapest = larger.min_by(|a, b| a.nanoseconds.total_cmp(&b.nanoseconds)).unwrap_or(row);
        let peers = measurements
            .iter()
            .filter(|peer| peer.bytes == row.bytes && is_peer(&peer.subject, &row.subject))
            .map(|peer| (peer.subject.family, peer.nanoseconds));
        Step {
            subject: row.subject.clone(),
            blocks: row.bytes / 16,
            nanoseconds: row.nanoseconds,
            peers: peers.collect(),
            cheapest_blocks: cheapest.bytes / 16,
            excess: row.nanoseconds / cheapest.nanoseconds,
        }
    };
    let mut steps: Vec<Step> = Vec::new();
    for subject in groups(measurements).into_iter().flatten() {
        steps.extend(ours.iter().filter(|row| row.subject == *subject).map(step));
    }
    steps
}

#[cfg(test)]
mod tests;
