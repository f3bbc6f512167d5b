//! Who races at what: filters, checks each contender's output, times, gathers the report.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, bail, ensure};
use aria_runtime::{Cap, Token, cap_from_env};
use indicatif::{ProgressBar, ProgressStyle};

use super::args::{Request, View};
use super::clock::Clock;
use super::library::{Blocks, Family, Library, Offer, Work};
use super::limits::Limits;
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
    let mut measurements: Vec<Measurement> = Vec::new();
    for race in races {
        measurements.extend(race.run(request.samples, &mut clock, &bar));
    }
    bar.finish_and_clear();
    report::apply_clock(&mut measurements, &clock);
    Ok(Report {
        cpu: cpu_name(),
        megahertz: clock.megahertz(),
        samples: request.samples,
        absent: field.absent,
        slopes: match request.view {
            View::Slope => report::slopes(&measurements, &clock),
            _ => Vec::new(),
        },
        sweep: match request.view {
            View::Sweep => report::sweep(&measurements),
            _ => Vec::new(),
        },
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
    let cpu: Vec<&str> =
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
    Ok(Field { libraries, absent })
}

/// An operation under one key length, its contenders, and the sizes in blocks.
struct Race {
    row: &'static Row,
    key_bits: usize,
    contenders: Vec<Contender>,
    sizes: Vec<usize>,
}

/// The races that `request` asks for, each contender checked.
fn races(request: &Request, field: &Field) -> anyhow::Result<Vec<Race>> {
    let mut races = Vec::new();
    for &key_bits in &request.key_bits {
        for row in OPERATIONS {
            if !row.load.takes_key_bits(key_bits) {
                continue;
            }
            let sizes: Vec<usize> = match &request.view {
                View::Sweep if !SWEPT.contains(&row.operation) => continue,
                view if row.load.is_data() => view.bytes().iter().map(|n| n / 16).collect(),
                View::Table(_) => vec![1],
                _ => continue,
            };
            let sizes: Vec<usize> =
                sizes.into_iter().filter(|blocks| row.load.takes_blocks(*blocks)).collect();
            if sizes.is_empty() {
                continue;
            }
            let mut contenders = contenders(row, key_bits, &request.filter, field)?;
            if !contenders.is_empty() {
                check(row, &mut contenders)?;
                races.push(Race { row, key_bits, contenders, sizes });
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
    field: &Field,
) -> anyhow::Result<Vec<Contender>> {
    let key: Vec<u8> = (0..).take(key_bits / 8).collect();
    let (mut peers, mut ours) = (Vec::new(), Vec::new());
    for library in &field.libraries {
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
            let mut data: Vec<[u8; 16]> = (0..blocks).map(sample_block).collect();
            let data: &mut Blocks = &mut data;
            let mut works: Vec<&mut dyn Work> =
                self.contenders.iter_mut().map(|c| &mut *c.offer.work as &mut dyn Work).collect();
            let times = take_turns(&mut works, data, samples, clock);
            measurements.extend(report::measurements(&subjects, 16 * blocks, &times));
            bar.inc(1);
        }
        measurements
    }
}

/// The CPU as Linux names it.
fn cpu_name() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let fields: BTreeMap<&str, &str> = text
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(k, v)| (k.trim(), v.trim()))
        .collect();
    fields.get("model name").map_or_else(|| "unknown CPU".to_owned(), |name| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::library::OnData;
    use crate::bench::operation::Operation;

    fn request(filter: &str) -> Request {
        Request {
            filter: filter.to_owned(),
            key_bits: vec![128, 192, 256],
            view: View::Table(vec![1024]),
            cap: None,
            samples: 1,
            json: false,
        }
    }

    fn only_rustcrypto_and_ours() -> Field {
        let entry = EntryPoints::new(Token::detect(), &[]);
        Field { libraries: vec![Box::new(RustCrypto), Box::new(entry)], absent: Vec::new() }
    }

    /// Every kernel, entry point and peer that is here, at every key length, against the judge.
    #[test]
    fn everyone_computes_the_same() {
        let field = field(&request("")).expect("no cap is set");
        let races = races(&request(""), &field).expect("all outputs agree");
        let units = OPERATIONS.iter().filter(|row| row.load == Load::Unit).count();
        assert_eq!(races.len(), 3 * OPERATIONS.len() - units, "XTS has no 192 bits");
        assert!(races.iter().all(|race| race.contenders.len() >= 2));
    }

    #[test]
    fn a_filter_that_leaves_nothing_is_an_error() {
        let field = only_rustcrypto_and_ours();
        let error = races(&request("aria_mmx"), &field).err().expect("no such kernel");
        assert!(error.to_string().contains("--filter aria_mmx: no kernel"), "{error}");
        let some = races(&request("key set-up"), &field).expect("operations count");
        assert_eq!(some.len(), 9);
    }

    #[test]
    fn a_filter_for_what_cannot_run_says_why() {
        let mut field = only_rustcrypto_and_ours();
        let (name, reason) = ("aria_avx1024_x".to_owned(), "misses avx1024".to_owned());
        field.absent.push(Absence { name, reason });
        let error = races(&request("avx1024"), &field).err().expect("it is absent");
        assert!(error.to_string().contains("aria_avx1024_x: misses avx1024"), "{error}");
    }

    #[test]
    fn an_unknown_cap_is_an_error() {
        let request = Request { cap: Some("mmx".to_owned()), ..request("") };
        let error = field(&request).err().expect("no such tier");
        assert!(format!("{error:#}").contains("--cap mmx"), "{error:#}");
    }

    #[test]
    fn wrong_output_is_an_error_before_timing() {
        let row = Operation::EcbEncrypt.row();
        let field = only_rustcrypto_and_ours();
        let mut contenders = contenders(row, 128, "", &field).expect("well-formed keys");
        let mut right = field.libraries[1]
            .offers(Operation::EcbEncrypt, &(0..16).collect::<Vec<u8>>())
            .expect("a key")
            .remove(0);
        contenders[1].offer.work = Box::new(OnData(move |data: &mut Blocks| {
            right.work.run(data, 1);
            data[7][3] ^= 1;
        }));
        let error = check(row, &mut contenders).expect_err("one bit is wrong").to_string();
        assert!(error.contains("Aria128::encrypt_bulk") && error.contains("block 7"), "{error}");
    }
}
