//! Encrypts a file with ARIA in counter mode, as `openssl enc -aria-128-ctr` does (and 192, 256).
//!
//! ```text
//! cargo run --release -p aria-runtime --example ctr_file -- \
//!     --key 000102030405060708090a0b0c0d0e0f --iv 00000000000000000000000000000000 IN OUT
//! ```
//!
//! The same command decrypts. Counter mode needs a fresh IV for each file under a key, and protects
//! nothing from being changed; a real tool would add a MAC and would not take its key from the
//! command line, where others can see it.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use aria_runtime::cipher::{KeyIvInit, StreamCipher};
use aria_runtime::modes::{Aria128Ctr, Aria192Ctr, Aria256Ctr};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use tempfile::NamedTempFile;

/// Read, encrypted and written at once: a multiple of the 1 KiB that kernels like best.
const CHUNK_BYTES: u64 = 1 << 20;

/// Files from here on get a progress bar.
const LARGE_BYTES: u64 = 64 << 20;

/// Encrypts or decrypts a file with ARIA in counter mode.
#[derive(Parser)]
struct Args {
    /// The key, in hex: 16, 24 or 32 bytes choose ARIA-128, ARIA-192 or ARIA-256.
    #[arg(long, value_name = "HEX", value_parser = parse_key)]
    key: Key,

    /// The first counter block, in hex: 16 bytes, counted up as one big-endian number.
    #[arg(long, value_name = "HEX", value_parser = parse_iv)]
    iv: [u8; 16],

    /// The file to read.
    #[arg(value_name = "IN")]
    input: PathBuf,

    /// The file to write. It appears, or is replaced, once all is done; only its owner may read it.
    #[arg(value_name = "OUT")]
    output: PathBuf,
}

/// A key, by size.
#[derive(Clone)]
enum Key {
    Bits128([u8; 16]),
    Bits192([u8; 24]),
    Bits256([u8; 32]),
}

fn parse_key(text: &str) -> Result<Key> {
    let bytes = hex::decode(text)?;
    let key = bytes.as_slice();
    key.try_into()
        .map(Key::Bits128)
        .or_else(|_| key.try_into().map(Key::Bits192))
        .or_else(|_| key.try_into().map(Key::Bits256))
        .map_err(|_| anyhow!("{} bytes; an ARIA key has 16, 24 or 32", key.len()))
}

fn parse_iv(text: &str) -> Result<[u8; 16]> {
    let bytes = hex::decode(text)?;
    let iv = bytes.as_slice();
    iv.try_into().map_err(|_| anyhow!("{} bytes; an IV has 16", iv.len()))
}

fn main() -> Result<()> {
    let Args { key, iv, input, output } = Args::parse();
    ensure!(
        !is_same_file(&input, &output)?,
        "{} and {} are the same file; choose another output",
        input.display(),
        output.display()
    );
    let iv = &iv.into();
    match key {
        Key::Bits128(key) => encrypt_file(Aria128Ctr::new(&key.into(), iv), &input, &output),
        Key::Bits192(key) => encrypt_file(Aria192Ctr::new(&key.into(), iv), &input, &output),
        Key::Bits256(key) => encrypt_file(Aria256Ctr::new(&key.into(), iv), &input, &output),
    }
}

/// Whether both paths lead to one file, by whatever links. An output that is not there does not.
fn is_same_file(input: &Path, output: &Path) -> Result<bool> {
    match same_file::is_same_file(input, output) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        other => other.with_context(|| {
            format!("cannot compare {} and {}", input.display(), output.display())
        }),
    }
}

/// Encrypts chunk by chunk into a temporary file beside the output, which then takes its name: a
/// failure leaves no half file under that name.
fn encrypt_file(mut cipher: impl StreamCipher, input: &Path, output: &Path) -> Result<()> {
    let cannot_read = || format!("cannot read {}", input.display());
    let cannot_write = || format!("cannot write {}", output.display());

    let from = File::open(input).with_context(cannot_read)?;
    let progress = progress_bar(from.metadata().with_context(cannot_read)?.len());
    let folder = match output.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut to = NamedTempFile::new_in(folder).with_context(cannot_write)?;

    let mut chunk = Vec::new();
    loop {
        chunk.clear();
        (&from).take(CHUNK_BYTES).read_to_end(&mut chunk).with_context(cannot_read)?;
        if chunk.is_empty() {
            break;
        }
        cipher.try_apply_keystream(&mut chunk).context("the keystream is used up")?;
        to.write_all(&chunk).with_context(cannot_write)?;
        progress.inc(chunk.len() as u64);
    }

    to.as_file().sync_all().with_context(cannot_write)?;
    to.persist(output).with_context(cannot_write)?;
    progress.finish_and_clear();
    Ok(())
}

/// A bar on the terminal, if there is one and the file is large.
fn progress_bar(bytes: u64) -> ProgressBar {
    if bytes < LARGE_BYTES {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(
        "{wide_bar} {bytes}/{total_bytes} {binary_bytes_per_sec} {eta}",
    );
    ProgressBar::new(bytes).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
