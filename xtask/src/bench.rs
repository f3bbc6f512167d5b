//! `cargo xtask bench`: our kernels and library beside RustCrypto's `aria`, in one process.
//!
//! The candidates take turns, sample by sample, so that a noisy neighbour or a change of clock
//! meets all of them; the least time of each counts, and the median shows how noisy the run was.
//! What matters is the ratio to the peer: times are those of this machine today.

use std::time::Instant;

use anyhow::bail;
use aria_runtime::cipher::KeyInit;
use aria_runtime::{Aria128, Frame, Token, kernels};
use comfy_table::{Table, presets};
use serde::Serialize;

use crate::BenchArgs;

/// A call to time, on a buffer of whole blocks.
type Call = Box<dyn Fn(&mut [[u8; 16]])>;

struct Candidate {
    name: String,
    call: Call,
    nanoseconds: Vec<u64>,
}

/// One line of the result.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    bytes: usize,
    /// Least time of a sample.
    ns_per_byte: f64,
    /// Median time of a sample.
    median_ns_per_byte: f64,
    mib_per_second: f64,
    /// Throughput over that of RustCrypto's `aria` in this run.
    ratio: f64,
}

/// Runs the command.
///
/// # Errors
///
/// When the size is no multiple of a block or the filter leaves nothing.
pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<()> {
    if args.size == 0 || !args.size.is_multiple_of(16) || args.samples == 0 {
        bail!("--size takes a multiple of 16 bytes, --samples a number from 1");
    }
    let mut candidates = candidates(&args.filter)?;
    let mut blocks = vec![[0; 16]; args.size / 16];
    for _ in 0..=args.samples {
        for candidate in &mut candidates {
            let start = Instant::now();
            (candidate.call)(&mut blocks);
            let elapsed = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
            candidate.nanoseconds.push(elapsed);
        }
    }
    let rows = rows(candidates, args.size);
    if args.json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
    } else {
        print(&rows, args);
    }
    Ok(())
}

/// The peer first, then the library's own choice, then each kernel by force.
fn candidates(filter: &str) -> anyhow::Result<Vec<Candidate>> {
    let key = [0x5a; 16];
    let peer = <aria::Aria128 as aria::cipher::KeyInit>::new(&key.into());
    let mut list = vec![candidate("RustCrypto aria", move |blocks| {
        use aria::cipher::BlockCipherEncrypt;
        // The peer's block type is a wrapper of ours, without padding.
        for block in blocks {
            let mut own = (*block).into();
            peer.encrypt_block(&mut own);
            *block = own.into();
        }
    })];
    let library = Aria128::new(&key.into());
    list.push(candidate("Aria128::encrypt_bulk", move |blocks| library.encrypt_bulk(blocks)));
    for kernel in kernels().filter(|kernel| kernel.frame == Frame::Ecb) {
        if !kernel.id.contains(filter) {
            continue;
        }
        if !kernel.runs_here() {
            eprintln!("{} cannot run here: missing {}", kernel.id, kernel.missing);
            continue;
        }
        let cipher = Aria128::new_with_token(&key.into(), Token::detect().forced(kernel.id)?);
        list.push(candidate(kernel.id, move |blocks| cipher.encrypt_bulk(blocks)));
    }
    Ok(list)
}

fn candidate(name: &str, call: impl Fn(&mut [[u8; 16]]) + 'static) -> Candidate {
    Candidate { name: name.to_owned(), call: Box::new(call), nanoseconds: Vec::new() }
}

fn rows(candidates: Vec<Candidate>, bytes: usize) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for mut candidate in candidates {
        // The first sample warms caches up.
        candidate.nanoseconds.remove(0);
        candidate.nanoseconds.sort_unstable();
        let per_byte = |ns: u64| ns as f64 / bytes as f64;
        let least = per_byte(candidate.nanoseconds[0]);
        let peer = rows.first().map_or(least, |row| row.ns_per_byte);
        rows.push(Row {
            name: candidate.name,
            bytes,
            ns_per_byte: least,
            median_ns_per_byte: per_byte(candidate.nanoseconds[candidate.nanoseconds.len() / 2]),
            mib_per_second: 1e9 / (least * 1024.0 * 1024.0),
            ratio: peer / least,
        });
    }
    rows
}

fn print(rows: &[Row], args: &BenchArgs) {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["ARIA-128 ECB", "ns/B", "median", "MiB/s", "ratio"]);
    for row in rows {
        table.add_row([
            row.name.clone(),
            format!("{:.3}", row.ns_per_byte),
            format!("{:.3}", row.median_ns_per_byte),
            format!("{:.0}", row.mib_per_second),
            format!("{:.2}", row.ratio),
        ]);
    }
    println!("{table}");
    println!("{} bytes, least and median of {} samples in turn.", args.size, args.samples);
}
