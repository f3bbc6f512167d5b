//! Who races at what: filters, checks each contender's output, times, gathers the report.

use std::fs;

use anyhow::{Context, bail, ensure};
use aria_runtime::{Cap, Token, cap_from_env};
use indicatif::{ProgressBar, ProgressStyle};

use super::args::{Request, SWEEP_BLOCKS, View};
use super::clock::Clock;
use super::goals::{self, GOALS};
use super::library::{Blocks, Family, Library, Offer, Work};
use super::limits::Limits;
use super::machine::Machine;
use super::measure::take_turns;
use super::operation::{Load, OPERATIONS, Row, SWEPT};
use super::ours::{EntryPoints, Kernel};
use super::peer::libgcrypt::Libgcrypt;
use super::peer::openssl::OpenSsl;
use super::peer::rustcrypto::RustCrypto;
use super::published::PUBLISHED;
use super::report::{self, Absence, Measurement, Report, Subject};

/// Everyone who can take part, and who cannot.
struct Field {
    libraries: Vec<Box<dyn Library>>,
    absent: Vec<Absence>,
    /// The CPU's features, as `#[target_feature]` names them.
    cpu: Vec<&'static str>,
}

/// A contender in one race.
struct Contender {
    family: Family,
    limits: Option<Limits>,
    offer: Offer,
}

/// Measures what `request` asks for.
///
/// # Errors
///
/// When nothing is left to measure, or a contender's output is wrong.
pub(super) fn run(request: &Request) -> anyhow::Result<Report> {
    let field = field(request)?;
    let races = races(request, &field)?;
    let bar = ProgressBar::new(races.iter().map(|race| race.sizes.len() as u64).sum());
    bar.set_style(ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}")?);
    let mut clock = Clock::default();
    let (mut measurements, mut swept) = (Vec::new(), Vec::new());
    for race in races {
        let to = match race.part {
            Part::Sizes => &mut measurements,
            Part::Sweep => &mut swept,
        };
        to.extend(race.run(request.samples, &mut clock, &bar));
    }
    bar.finish_and_clear();
    report::apply_clock(&mut measurements, &clock);
    report::apply_clock(&mut swept, &clock);
    let machine = Machine::of_cpuinfo(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default());
    let sweep = report::sweep(&swept);
    let (mut goals, mut sweep_goals) = (Vec::new(), Vec::new());
    if request.view == View::Goals {
        let of = |bits| goals::outcomes(&measurements, bits, &machine, &field.cpu);
        goals = request.key_bits.iter().copied().flat_map(of).collect();
        sweep_goals = goals::sweep_outcomes(&sweep);
    }
    let slopes = match request.view {
        View::Slope => report::slopes(&measurements, &clock),
        _ => Vec::new(),
    };
    measurements.extend(swept);
    Ok(Report {
        cpu: machine.name,
        megahertz: clock.megahertz(),
        samples: request.samples,
        absent: field.absent,
        slopes,
        sweep,
        goals,
        sweep_goals,
        measurements,
        published: PUBLISHED,
    })
}

/// Peers first, then the library's own choice, then each kernel by force.
fn field(request: &Request) -> anyhow::Result<Field> {
    let cap = match &request.cap {
        Some(name) => Some(name.parse::<Cap>().with_context(|| format!("--cap {name}"))?),
        None => cap_from_env().context("environment variable ARIA_CAP")?,
    };
    let token = Token::detect().capped(cap.unwrap_or(Cap::Avx512));
    let features = aria_gen::isa::Feature::all();
    let cpu: Vec<&'static str> =
        features.filter(|f| crate::cpu::has(*f)).map(aria_gen::isa::Feature::name).collect();

    let mut ours: Vec<Box<dyn Library>> = vec![Box::new(EntryPoints::new(token, &cpu))];
    let mut absent = Vec::new();
    if request.view != View::Sweep {
        let (able, unable) = Kernel::all(token, &cpu)?;
        ours.extend(able.into_iter().map(|kernel| Box::new(kernel) as Box<dyn Library>));
        absent.extend(unable);
    }

    let mut limits: Vec<Limits> = Vec::new();
    for own in ours.iter().filter_map(|library| library.limits()) {
        if !limits.contains(own) {
            limits.push(own.clone());
        }
    }
    let mut libraries: Vec<Box<dyn Library>> = vec![Box::new(RustCrypto)];
    match OpenSsl::find() {
        Ok(library) => libraries.push(Box::new(library)),
        Err(missing) => absent.push(missing),
    }
    let (present, missing) = Libgcrypt::under(&limits);
    libraries.extend(present.into_iter().map(|library| Box::new(library) as Box<dyn Library>));
    absent.extend(missing);
    libraries.extend(ours);
    Ok(Field { libraries, absent, cpu })
}

/// A part of what a view asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Operations at the view's sizes.
    Sizes,
    /// The library, without kernels by force, at every number of blocks.
    Sweep,
}

impl Part {
    /// The parts of a view.
    const fn of(view: &View) -> &'static [Self] {
        match view {
            View::Table(_) | View::Slope | View::Tcrypt => &[Self::Sizes],
            View::Sweep => &[Self::Sweep],
            View::Goals => &[Self::Sizes, Self::Sweep],
        }
    }

    /// The sizes in blocks at which this part of a view has an operation; none if it has not.
    fn sizes(self, view: &View, row: &Row) -> Vec<usize> {
        let goal = || GOALS.iter().any(|goal| goal.operation == row.operation);
        let sizes = match (self, view) {
            (Self::Sweep, _) if SWEPT.contains(&row.operation) => (1..=SWEEP_BLOCKS).collect(),
            (Self::Sweep, _) => Vec::new(),
            (Self::Sizes, View::Goals) if !goal() => Vec::new(),
            _ if row.load.is_data() => view.bytes().iter().map(|bytes| bytes / 16).collect(),
            (Self::Sizes, View::Table(_) | View::Goals) => vec![1],
            (Self::Sizes, View::Slope | View::Tcrypt | View::Sweep) => Vec::new(),
        };
        sizes.into_iter().filter(|blocks| row.load.takes_blocks(*blocks)).collect()
    }
}

/// An operation under one key length, its contenders, and the sizes in blocks.
struct Race {
    part: Part,
    row: &'static Row,
    key_bits: usize,
    contenders: Vec<Contender>,
    sizes: Vec<usize>,
}

/// The races that `request` asks for, each contender checked.
fn races(request: &Request, field: &Field) -> anyhow::Result<Vec<Race>> {
    let mut races = Vec::new();
    for (&part, &key_bits) in Part::of(&request.view)
        .iter()
        .flat_map(|part| request.key_bits.iter().map(move |b| (part, b)))
    {
        for row in OPERATIONS.iter().filter(|row| row.load.takes_key_bits(key_bits)) {
            let sizes = part.sizes(&request.view, row);
            if sizes.is_empty() {
                continue;
            }
            let mut contenders = contenders(row, key_bits, &request.filter, part, field)?;
            if !contenders.is_empty() {
                check(row, &mut contenders)?;
                races.push(Race { part, row, key_bits, contenders, sizes });
            }
        }
    }
    if races.is_empty() {
        let matching = |absent: &&Absence| absent.name.contains(&request.filter);
        if let Some(absent) = field.absent.iter().find(matching) {
            bail!("--filter {}: {}: {}", request.filter, absent.name, absent.reason);
        }
        bail!(
            "--filter {}: no kernel and no entry point has that in its name or operation, under \
             keys and at sizes like these; \
             `cargo xtask bench` without it shows what there is",
            request.filter
        );
    }
    Ok(races)
}

/// Those of ours that the filter leaves, and the peers that they are compared with; nobody if it
/// leaves none of ours.
fn contenders(
    row: &Row,
    key_bits: usize,
    filter: &str,
    part: Part,
    field: &Field,
) -> anyhow::Result<Vec<Contender>> {
    let key: Vec<u8> = (0..).take(key_bits / 8).collect();
    let (mut peers, mut ours) = (Vec::new(), Vec::new());
    let taking_part = field.libraries.iter().filter(|library| match part {
        Part::Sizes => true,
        Part::Sweep => !library.is_kernel(),
    });
    for library in taking_part {
        let family = library.family();
        for offer in library.offers(row.operation, &key)? {
            let contender = Contender { family, limits: library.limits().cloned(), offer };
            if family != Family::Ours {
                peers.push(contender);
            } else if format!("{} {}", row.name, contender.offer.name).contains(filter) {
                ours.push(contender);
            }
        }
    }
    if ours.is_empty() {
        return Ok(Vec::new());
    }
    peers.retain(|peer| peer.limits.is_none() || ours.iter().any(|o| o.limits == peer.limits));
    Ok(peers.into_iter().chain(ours).collect())
}

/// Every contender's output on the same blocks, before any is timed.
///
/// # Errors
///
/// When one differs from RustCrypto's, which stands first.
fn check(row: &Row, contenders: &mut [Contender]) -> anyhow::Result<()> {
    // Two of the largest batches and a block, so that wide, narrow and padded paths are taken.
    let blocks = match row.load {
        Load::Blocks | Load::Unit => 129,
        Load::Block => 1,
        // One for each direction.
        Load::Key => 2,
    };
    let input: Vec<[u8; 16]> = (0..blocks).map(sample_block).collect();
    let mut expected: Option<Vec<[u8; 16]>> = None;
    for contender in contenders {
        let mut output = input.clone();
        contender.offer.work.witness(&mut output);
        match &expected {
            None => {
                ensure!(contender.family == Family::RustCrypto, "the judge comes first");
                ensure!(output != input, "the judge did nothing");
                expected = Some(output);
            }
            Some(expected) => {
                let wrong = expected.iter().zip(&output).position(|(a, b)| a != b);
                if let Some(block) = wrong {
                    let name = &contender.offer.name;
                    bail!(
                        "{}: {name} computes something else than RustCrypto's aria, from block \
                         {block} of {blocks} on; nothing was timed",
                        row.name
                    );
                }
            }
        }
    }
    Ok(())
}

/// Blocks in a cache line, where data starts, as it does in the originals' benchmarks.
const LINE_BLOCKS: usize = 4;

/// A block that differs from its neighbours in every byte.
fn sample_block(number: usize) -> [u8; 16] {
    const ODD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    let number = u128::try_from(number).expect("a usize fits");
    ODD.wrapping_mul(2 * number + 1).to_le_bytes()
}

impl Race {
    fn run(mut self, samples: usize, clock: &mut Clock, bar: &ProgressBar) -> Vec<Measurement> {
        let subject = |contender: &Contender| Subject {
            operation: self.row.operation,
            key_bits: self.key_bits,
            name: contender.offer.name.clone(),
            family: contender.family,
            limits: contender.limits.clone(),
        };
        let subjects: Vec<Subject> = self.contenders.iter().map(subject).collect();
        let mut measurements = Vec::new();
        for &blocks in &self.sizes {
            bar.set_message(format!("{}, {} bytes", self.row.name, 16 * blocks));
            let mut memory: Vec<[u8; 16]> = (0..blocks + LINE_BLOCKS).map(sample_block).collect();
            let start = memory.as_ptr().align_offset(16 * LINE_BLOCKS).min(LINE_BLOCKS);
            let data: &mut Blocks = &mut memory[start..start + blocks];
            let mut works: Vec<&mut dyn Work> =
                self.contenders.iter_mut().map(|c| &mut *c.offer.work as &mut dyn Work).collect();
            let times = take_turns(&mut works, data, samples, clock);
            measurements.extend(report::measurements(&subjects, 16 * blocks, &times));
            bar.inc(1);
        }
        measurements
    }
}

#[cfg(test)]
mod tests;
