//! What the project wants of its speed: a row a goal, and how each stands in what was measured.
//! Nothing is timed here.
//!
//! A goal is a ratio to a peer in the same run, on [`BYTES`] bytes where the operation has data, or
//! cycles of a byte on a certain micro-architecture. Medians count, as everywhere: run after run their
//! ratio stays within two hundredths, that of the least times, which stands beside, within a tenth.

use aria_gen::isa::{Tier, Unit, Width};
use aria_gen::kernel::KernelId;
use serde::{Serialize, Serializer};

use super::library::Family;
use super::limits::Limits;
use super::machine::{Machine, Microarchitecture};
use super::operation::{Load, Operation};
use super::report::{EXCESS, Measurement, Step, Subject};

/// Bytes of the data.
pub const BYTES: usize = 16384;

/// Whose speed a goal is about. Of several, the fastest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ours {
    /// What the library chooses by itself.
    Library,
    /// Kernels of a tier, a unit and a width.
    Kernels(Tier, Unit, Width),
}

/// What a peer may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Under {
    /// What ours may.
    Same,
    /// These features, as `#[target_feature]` names them: less than ours.
    Only(&'static [&'static str]),
}

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wanted {
    /// To be so many times as fast as a peer.
    Ratio {
        /// Whose.
        peer: Family,
        /// Under which limits, if it knows any.
        under: Under,
        /// What there must be.
        at_least: f64,
        /// What there should be.
        aim: Option<f64>,
    },
    /// To take at most so many cycles a byte.
    Cycles {
        /// Where.
        on: Microarchitecture,
        /// How many.
        at_most: f64,
    },
}

/// A goal.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// At what.
    pub operation: Operation,
    /// Whose.
    pub ours: Ours,
    /// What is wanted.
    pub wanted: Wanted,
}

/// Every goal.
#[rustfmt::skip]
pub const GOALS: &[Goal] = &{
    use {Family::{Libgcrypt, OpenSsl, RustCrypto}, Microarchitecture::Zen4, Operation as Op};
    use {Ours::{Kernels, Library}, Tier::{Avx, Avx2, Avx512, Portable}, Under::{Only, Same}, Unit::{Aesni, Bits, Gfni, Vaes}, Width::{U64, Xmm, Ymm, Zmm}};
    const fn ratio(operation: Operation, ours: Ours, peer: Family, under: Under, at_least: f64, aim: Option<f64>) -> Goal {
        Goal { operation, ours, wanted: Wanted::Ratio { peer, under, at_least, aim } }
    }
    const fn cycles(operation: Operation, ours: Ours, on: Microarchitecture, at_most: f64) -> Goal {
        Goal { operation, ours, wanted: Wanted::Cycles { on, at_most } }
    }
    const GFNI_AVX: Under = Only(&["gfni", "avx"]);
    const GFNI_AVX2: Under = Only(&["gfni", "avx2"]);
    [
        //    operation           ours                          peer        under      at least    aim
        ratio(Op::EcbEncrypt, Kernels(Avx512,   Gfni,  Zmm), Libgcrypt,  Same,      1.55,  Some(1.9)),
        ratio(Op::EcbEncrypt, Kernels(Avx512,   Gfni,  Ymm), Libgcrypt,  GFNI_AVX2, 1.4,   Some(1.8)),
        ratio(Op::EcbEncrypt, Kernels(Avx512,   Gfni,  Xmm), Libgcrypt,  GFNI_AVX,  1.5,   Some(2.0)),
        ratio(Op::EcbEncrypt, Kernels(Avx2,     Gfni,  Ymm), Libgcrypt,  Same,      1.25,  Some(1.45)),
        ratio(Op::EcbEncrypt, Kernels(Avx,      Gfni,  Xmm), Libgcrypt,  Same,      1.32,  Some(1.55)),
        ratio(Op::EcbEncrypt, Kernels(Avx2,     Vaes,  Ymm), Libgcrypt,  Same,      1.37,  Some(1.55)),
        ratio(Op::EcbEncrypt, Kernels(Avx2,     Aesni, Ymm), Libgcrypt,  Same,      1.3,   Some(1.4)),
        ratio(Op::EcbEncrypt, Kernels(Avx,      Aesni, Xmm), Libgcrypt,  Same,      1.43,  Some(1.7)),
        ratio(Op::EcbEncrypt, Kernels(Portable, Bits,  U64), RustCrypto, Same,      1.0,   Some(3.0)),
        ratio(Op::Ctr,        Kernels(Avx512,   Gfni,  Zmm), Libgcrypt,  Same,      1.65,  Some(2.2)),
        ratio(Op::CbcEncrypt, Kernels(Avx512,   Gfni,  Xmm), Libgcrypt,  Same,      2.1,   Some(2.6)),
        cycles(Op::CbcEncrypt, Kernels(Avx512,  Gfni,  Xmm), Zen4, 9.8),
        cycles(Op::CbcEncrypt, Kernels(Avx,     Aesni, Xmm), Zen4, 13.0),
        ratio(Op::CbcDecrypt, Library,                       Libgcrypt,  Same,      1.55,  None),
        ratio(Op::CfbDecrypt, Library,                       Libgcrypt,  Same,      1.55,  None),
        ratio(Op::XtsEncrypt, Library,                       Libgcrypt,  Same,      1.75,  None),
        ratio(Op::XtsDecrypt, Library,                       Libgcrypt,  Same,      1.75,  None),
        ratio(Op::OneBlock,   Library,                       OpenSsl,    Same,      2.2,   Some(2.8)),
        ratio(Op::KeysBoth,   Library,                       RustCrypto, Same,      3.0,   Some(5.0)),
    ]
};

/// A ratio, or cycles of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// By the medians, which count.
    pub median: f64,
    /// By the least times.
    pub least: f64,
}

/// How a goal stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Not reached.
    Missed,
    /// Reached, the aim not yet or there is none.
    Reached,
    /// The aim as well.
    Aim,
    /// Not known here, for this reason.
    Unknown(String),
}

/// A goal and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// At what.
    pub operation: Operation,
    /// The length of the key in bits.
    pub key_bits: usize,
    /// Who was measured, or who should have been.
    pub ours: String,
    /// Against whom or where.
    pub against: String,
    /// What is wanted.
    #[serde(serialize_with = "bounds")]
    pub wanted: Wanted,
    /// What was measured.
    pub figure: Option<Figure>,
    /// How that stands.
    pub verdict: Verdict,
}

impl Wanted {
    /// How a figure stands.
    #[must_use]
    pub fn verdict(&self, figure: Figure) -> Verdict {
        match *self {
            Self::Ratio { aim: Some(aim), .. } if figure.median >= aim => Verdict::Aim,
            Self::Ratio { at_least, .. } if figure.median >= at_least => Verdict::Reached,
            Self::Cycles { at_most, .. } if figure.median <= at_most => Verdict::Reached,
            Self::Ratio { .. } | Self::Cycles { .. } => Verdict::Missed,
        }
    }
}

/// How every goal for this key length stands in `measurements`, made on a CPU that has the features
/// `cpu`.
#[must_use]
pub fn outcomes(
    measurements: &[Measurement],
    key_bits: usize,
    machine: &Machine,
    cpu: &[&str],
) -> Vec<Outcome> {
    let outcome = |goal: &Goal| {
        let rows: Vec<&Measurement> = rows(measurements, goal.operation, key_bits);
        let ours = fastest(rows.iter().copied().filter(|row| goal.ours.includes(&row.subject)));
        let result = match ours {
            None => Err(format!("not measured: {} cannot run here", goal.ours.name())),
            Some(ours) => goal.wanted.figure(ours, &rows, machine, cpu),
        };
        let (figure, verdict) = match result {
            Ok(figure) => (Some(figure), goal.wanted.verdict(figure)),
            Err(reason) => (None, Verdict::Unknown(reason)),
        };
        let against = match goal.wanted {
            Wanted::Cycles { on, .. } => on.name().to_owned(),
            Wanted::Ratio { peer, under, .. } => ours
                .and_then(|ours| find_peer(peer, under, ours, &rows, cpu))
                .map_or_else(|| peer.name().to_owned(), |row| row.subject.name.clone()),
        };
        Outcome {
            operation: goal.operation,
            key_bits,
            ours: ours.map_or_else(|| goal.ours.name(), |row| row.subject.name.clone()),
            against,
            wanted: goal.wanted,
            figure,
            verdict,
        }
    };
    let there = |goal: &&Goal| goal.operation.row().load.takes_key_bits(key_bits);
    GOALS.iter().filter(there).map(outcome).collect()
}

/// The measurements that goals for an operation are about.
fn rows(measurements: &[Measurement], operation: Operation, key_bits: usize) -> Vec<&Measurement> {
    let bytes = match operation.row().load {
        Load::Blocks | Load::Unit => BYTES,
        Load::Block => 16,
        Load::Key => 0,
    };
    let meant = |row: &&Measurement| {
        (row.subject.operation, row.subject.key_bits, row.bytes) == (operation, key_bits, bytes)
    };
    measurements.iter().filter(meant).collect()
}

fn fastest<'a>(rows: impl Iterator<Item = &'a Measurement>) -> Option<&'a Measurement> {
    rows.min_by(|a, b| a.nanoseconds.total_cmp(&b.nanoseconds))
}

fn find_peer<'a>(
    family: Family,
    under: Under,
    ours: &Measurement,
    rows: &[&'a Measurement],
    cpu: &[&str],
) -> Option<&'a Measurement> {
    let limits = match under {
        Under::Same => ours.subject.limits.clone(),
        Under::Only(features) => Some(Limits::leaving(features, cpu)),
    };
    let mut peers = rows.iter().filter(|row| row.subject.family == family);
    peers.find(|row| row.subject.limits.is_none() || row.subject.limits == limits).copied()
}

impl Wanted {
    /// The figure to hold against what is wanted, or why there is none.
    fn figure(
        &self,
        ours: &Measurement,
        rows: &[&Measurement],
        machine: &Machine,
        cpu: &[&str],
    ) -> Result<Figure, String> {
        match *self {
            Self::Ratio { peer, under, .. } => {
                let row = find_peer(peer, under, ours, rows, cpu)
                    .ok_or_else(|| format!("{} is absent", peer.name()))?;
                Ok(Figure {
                    least: row.nanoseconds / ours.nanoseconds,
                    median: row.median_nanoseconds / ours.median_nanoseconds,
                })
            }
            Self::Cycles { on, .. } if machine.microarchitecture != Some(on) => {
                Err(format!("this is no {}", on.name()))
            }
            Self::Cycles { .. } => {
                let cycles = ours.cycles.ok_or("the clock is unknown")?;
                let least = cycles / ours.bytes as f64;
                let noise = ours.median_nanoseconds / ours.nanoseconds;
                Ok(Figure { least, median: least * noise })
            }
        }
    }
}

impl Ours {
    fn includes(self, subject: &Subject) -> bool {
        let id = subject.name.parse::<KernelId>().ok();
        subject.family == Family::Ours
            && match (self, id) {
                (Self::Library, id) => id.is_none(),
                (Self::Kernels(..), None) => false,
                (Self::Kernels(tier, unit, width), Some(id)) => {
                    (id.tier, id.unit, id.width) == (tier, unit, width)
                }
            }
    }

    /// As tables name it.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Library => "the library".to_owned(),
            Self::Kernels(tier, unit, width) => {
                format!("{} {} {}", tier.name(), unit.name(), width.name())
            }
        }
    }
}

/// A goal for every number of blocks, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweepOutcome {
    /// Which of ours, at what.
    #[serde(flatten)]
    pub subject: Subject,
    /// What is wanted of it.
    pub wanted: SweepWanted,
    /// How many numbers of blocks were looked at.
    pub checked: usize,
    /// Numbers of blocks that fall short and how many times their cost is what it may be, the worst
    /// first.
    pub short: Vec<(usize, f64)>,
}

/// What is wanted of every number of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SweepWanted {
    /// Not to be slower than libgcrypt with as many.
    NeverSlower,
    /// Not to cost more than [`EXCESS`] times what a larger number costs.
    NoExcess,
}

/// How the goals for every number of blocks stand in `steps`.
#[must_use]
pub fn sweep_outcomes(steps: &[Step]) -> Vec<SweepOutcome> {
    let outcome = |steps: &[Step], wanted| {
        let cost = |step: &Step| match wanted {
            SweepWanted::NeverSlower => {
                step.peers.get(&Family::Libgcrypt).map(|peer| step.nanoseconds / peer)
            }
            SweepWanted::NoExcess => Some(step.excess / EXCESS),
        };
        let costs: Vec<(usize, f64)> =
            steps.iter().filter_map(|step| Some((step.blocks, cost(step)?))).collect();
        let mut short: Vec<(usize, f64)> =
            costs.iter().copied().filter(|(_, cost)| *cost > 1.0).collect();
        short.sort_by(|a, b| b.1.total_cmp(&a.1));
        SweepOutcome { subject: steps[0].subject.clone(), wanted, checked: costs.len(), short }
    };
    let groups = steps.chunk_by(|a, b| a.subject == b.subject);
    let both = [SweepWanted::NeverSlower, SweepWanted::NoExcess];
    groups.flat_map(|group| both.map(|wanted| outcome(group, wanted))).collect()
}

fn bounds<S: Serializer>(wanted: &Wanted, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    #[serde(rename_all = "snake_case")]
    enum Bounds {
        Ratio { at_least: f64, aim: Option<f64> },
        CyclesPerByte { at_most: f64 },
    }
    match *wanted {
        Wanted::Ratio { at_least, aim, .. } => Bounds::Ratio { at_least, aim },
        Wanted::Cycles { at_most, .. } => Bounds::CyclesPerByte { at_most },
    }
    .serialize(serializer)
}

#[cfg(test)]
mod tests;
