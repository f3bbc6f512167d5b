//! `cargo xtask prove`: shows that the kernels of a package are the cipher of RFC 5794, from their
//! text, or with `--object` from the object code that rustc makes of it; or that one is not, with a
//! counterexample.
//!
//! Every kernel is proved for 12, 14 and 16 rounds. Only when all are proved does the command
//! succeed.

pub mod object;

use core::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use anyhow::{Context, bail};
use aria_gen::kernel::{KernelId, matrix};
use aria_gen::prove::machine::{self, Convention, Image, prove_image, prove_part};
use aria_gen::prove::package::{Kernel, read_kernels};
use aria_gen::prove::reader::Program;
use aria_gen::prove::verdict::{Counterexample, Extent, Finding, Verdict};
use aria_gen::prove::{fault::Fault, prove_kernel};
use aria_gen::spec::aria::KeySize;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::workspace;

/// Arguments of `prove`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Kernels to prove; all of the package when none is named
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// The package that holds them, as `gen` or `gen --out` wrote it [default: generated]
    #[arg(long, value_name = "DIR")]
    package: Option<PathBuf>,
    /// Prove the object code instead of the text, for x86-64 and System V; kernels on words are left
    /// out unless named
    #[arg(long)]
    object: bool,
    /// With `--object`, prove the functions for parts of a batch, too: a run for each number of blocks,
    /// a minute in all
    #[arg(long, requires = "object")]
    parts: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The answer for one kernel and number of rounds.
#[derive(Debug, Serialize)]
struct Answer {
    id: String,
    rounds: usize,
    /// `proved`, `refuted` or `unknown`.
    verdict: &'static str,
    /// What was compared, the counterexample, or what stands in the way, as a sentence.
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    counterexample: Option<Run>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<Place>,
    seconds: f64,
}

/// A run that goes wrong, bytes in hexadecimal digits.
#[derive(Debug, Serialize)]
struct Run {
    key: String,
    counter: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    batches: Option<usize>,
    /// Fewer blocks than a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<usize>,
    in_place: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Difference>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<Place>,
}

/// The first difference of a run.
#[derive(Debug, Serialize)]
struct Difference {
    block: usize,
    byte: usize,
    bit: u32,
    /// None for round keys: what they are made of is the run's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    expected: String,
    got: String,
}

/// What is wrong at a line of a file, or at an instruction of an image.
#[derive(Debug, Serialize)]
struct Place {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    reason: String,
    remedy: &'static str,
}

impl From<&Fault> for Place {
    fn from(fault: &Fault) -> Self {
        let (reason, remedy) = (fault.cause.to_string(), fault.cause.remedy());
        Self { path: fault.path.clone(), line: Some(fault.line), offset: None, reason, remedy }
    }
}

impl From<&machine::Fault> for Place {
    fn from(fault: &machine::Fault) -> Self {
        let (reason, remedy) = (fault.cause.to_string(), fault.cause.remedy());
        Self { path: fault.name.clone(), line: None, offset: Some(fault.at), reason, remedy }
    }
}

impl<F> From<&Counterexample<F>> for Run
where
    Place: for<'f> From<&'f F>,
{
    fn from(found: &Counterexample<F>) -> Self {
        let (key, in_place) = (hex(&found.key), found.in_place);
        let (batches, blocks) = match found.extent {
            Extent::Batches(batches) => (Some(batches), None),
            Extent::Part(blocks) => (None, Some(blocks)),
        };
        let counter = found.counter.map(|counter| hex(&counter));
        let (difference, fault) = match &found.finding {
            Finding::Differs { block, byte, bit, input, expected, got } => {
                let [input, expected, got] = [input, expected, got].map(|bytes| hex(bytes));
                let (block, byte, bit, input) = (*block, *byte, *bit, Some(input));
                (Some(Difference { block, byte, bit, input, expected, got }), None)
            }
            Finding::RoundKey { block, byte, bit, expected, got } => {
                let [expected, got] = [expected, got].map(|bytes| hex(bytes));
                let (block, byte, bit, input) = (*block, *byte, *bit, None);
                (Some(Difference { block, byte, bit, input, expected, got }), None)
            }
            Finding::Misbehaves(fault) => (None, Some(fault.into())),
        };
        Self { key, counter, batches, blocks, in_place, difference, fault }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The whole answer.
#[derive(Debug, Serialize)]
struct Report {
    proved: usize,
    refuted: usize,
    unknown: usize,
    seconds: f64,
    kernels: Vec<Answer>,
}

/// What is to be proved.
struct Task {
    kernel: Kernel,
    size: KeySize,
    source: Source,
}

/// From what.
#[derive(Clone)]
enum Source {
    /// A file.
    Text { path: String, text: Arc<str> },
    /// Object code, with vectors of so many bytes at most.
    Object { image: Arc<Image>, part: Option<Arc<Image>>, widest: usize },
}

/// Runs the command.
///
/// # Errors
///
/// When a kernel is not proved, and when one is named that is not there.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let package = args.package.clone().unwrap_or_else(workspace::generated);
    let start = Instant::now();
    let tasks = tasks(&package, args)?;
    let kernels = answer_all(&tasks);
    let count = |name| kernels.iter().filter(|answer| answer.verdict == name).count();
    let report = Report {
        proved: count("proved"),
        refuted: count("refuted"),
        unknown: count("unknown"),
        seconds: start.elapsed().as_secs_f64(),
        kernels,
    };
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print_report(&report);
    }
    let (total, open) = (tasks.len(), tasks.len() - report.proved);
    if open > 0 {
        bail!(
            "{open} of {total} not proved: {} refuted, {} unknown",
            report.refuted,
            report.unknown
        );
    }
    Ok(())
}

/// The kernels of `package` that `args` names, or all, each with every number of rounds.
fn tasks(package: &Path, args: &Args) -> anyhow::Result<Vec<Task>> {
    let read = |name: &str| {
        let path = package.join(name);
        let shown = path.strip_prefix(workspace::root()).unwrap_or(&path).display().to_string();
        let text = fs::read_to_string(&path);
        let remedy = || format!("cannot read {shown}; run `cargo xtask gen`, or see `--package`");
        Ok::<_, anyhow::Error>((shown.clone(), text.with_context(remedy)?))
    };
    let (path, text) = read("src/lib.rs")?;
    let mut kernels = read_kernels(&path, &text)?;
    for id in &args.ids {
        if kernels.iter().all(|kernel| kernel.id != *id) {
            matrix::select(id)?;
            bail!("{path} has no `{id}`; `cargo xtask gen --out DIR --only {id}` makes a package");
        }
    }
    kernels.retain(|kernel| match &*args.ids {
        // The machine code of those that are left out is not proved; SOUNDNESS.md says why.
        [] => !args.object || !kernel.features.is_empty() && !kernel.frame.chains(),
        ids => ids.contains(&kernel.id),
    });
    let sources = if args.object {
        objects(package, &kernels, args.parts)?
    } else {
        let text = |kernel: &Kernel| {
            let (path, text) = read(&kernel.path())?;
            Ok(Source::Text { path, text: text.into() })
        };
        kernels.iter().map(text).collect::<anyhow::Result<_>>()?
    };
    let mut tasks = Vec::new();
    for (kernel, source) in kernels.into_iter().zip(sources) {
        for size in KeySize::ALL {
            tasks.push(Task { kernel: kernel.clone(), size, source: source.clone() });
        }
    }
    if tasks.is_empty() {
        bail!("{path} lists no kernel; nothing would be proved");
    }
    Ok(tasks)
}

/// The object code of each kernel, and of its function for parts of a batch if asked for.
fn objects(package: &Path, kernels: &[Kernel], parts: bool) -> anyhow::Result<Vec<Source>> {
    let library = object::build(package)?;
    let bytes = fs::read(&library).with_context(|| format!("cannot read {}", library.display()))?;
    let functions = kernels.iter().flat_map(|kernel| {
        let functions = [Some(&kernel.function), kernel.part.as_ref()].into_iter().flatten();
        functions.map(|function| (kernel.module.clone(), function.clone()))
    });
    let mut images = object::images(&bytes, &functions.collect::<Vec<_>>())?;
    let mut take = |kernel: &Kernel, function: &String| {
        let image = images.remove(&(kernel.module.clone(), function.clone()));
        image.map(Arc::new).context("two kernels of one function")
    };
    let source = |kernel: &Kernel| {
        let image = take(kernel, &kernel.function)?;
        let part =
            kernel.part.as_ref().filter(|_| parts).map(|part| take(kernel, part)).transpose()?;
        let widest = kernel.id.parse::<KernelId>()?.width.bytes();
        Ok(Source::Object { image, part, widest })
    };
    kernels.iter().map(source).collect()
}

/// The answers, in the order of the tasks, found on all cores.
fn answer_all(tasks: &[Task]) -> Vec<Answer> {
    let bar = ProgressBar::new(tasks.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(Vec::new());
    let work = || {
        while let Some((number, task)) = take(tasks, &next) {
            bar.set_message(task.kernel.id.clone());
            let answer = answer(task);
            answers.lock().expect("no other worker panicked").push((number, answer));
            bar.inc(1);
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from).min(tasks.len());
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
    bar.finish_and_clear();
    let mut answers = answers.into_inner().expect("no worker panicked");
    answers.sort_by_key(|(number, _)| *number);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// The next task that no worker has taken, with its number.
fn take<'a>(tasks: &'a [Task], next: &AtomicUsize) -> Option<(usize, &'a Task)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    tasks.get(number).map(|task| (number, task))
}

fn answer(task: &Task) -> Answer {
    let start = Instant::now();
    let Task { kernel, size, source } = task;
    let mut answer = match source {
        Source::Text { path, text } => {
            let program = Program::parse(path, text);
            let verdict = program.map(|program| prove_kernel(&program, kernel, *size));
            describe(task, verdict.unwrap_or_else(Verdict::Unknown))
        }
        Source::Object { image, part, widest } => {
            let system_v = Convention::SystemV;
            let verdict = prove_image(image, kernel, system_v, *widest, *size);
            match part {
                Some(part) if verdict.is_proved() => {
                    let of_parts = prove_part(part, kernel, system_v, *widest, *size);
                    describe(task, if of_parts.is_proved() { verdict } else { of_parts })
                }
                _ => describe(task, verdict),
            }
        }
    };
    answer.seconds = start.elapsed().as_secs_f64();
    answer
}

fn describe<F: Display>(task: &Task, verdict: Verdict<F>) -> Answer
where
    Place: for<'f> From<&'f F>,
{
    let (detail, counterexample, fault) = match &verdict {
        Verdict::Proved(proof) => (proof.to_string(), None, None),
        Verdict::Refuted(found) => (found.to_string(), Some((&**found).into()), None),
        Verdict::Unknown(fault) => (fault.to_string(), None, Some(fault.into())),
    };
    Answer {
        id: task.kernel.id.clone(),
        rounds: task.size.rounds(),
        verdict: verdict.name(),
        detail,
        counterexample,
        fault,
        seconds: 0.0,
    }
}

fn print_report(report: &Report) {
    let width = report.kernels.iter().map(|answer| answer.id.len()).max().unwrap_or(0);
    for Answer { id, rounds, verdict, detail, .. } in &report.kernels {
        println!("{id:width$}  {rounds} rounds  {verdict}: {detail}");
    }
    let (proved, total, seconds) = (report.proved, report.kernels.len(), report.seconds);
    println!("{proved} of {total} proved in {seconds:.2} s");
}
