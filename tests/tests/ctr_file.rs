//! Does the example `ctr_file` encrypt files as OpenSSL does, and refuse what it must?
//!
//! Its output is compared with a counter mode over RustCrypto's `aria`, and with `openssl enc` where
//! there is one that knows ARIA; without it a skip is printed.

#![expect(clippy::unwrap_used, reason = "a file operation that fails, fails the test")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use aria_tests::oracle::{self, KEY_SIZES};
use aria_tests::report;
use aria_tests::seed::Random;
use tempfile::TempDir;

/// The example's path, built and up to date.
///
/// `cargo test --workspace` has built it already, and then this is a matter of a moment; a run of
/// this test alone has not.
static EXAMPLE: LazyLock<PathBuf> = LazyLock::new(|| {
    // target/[<triple>/]<profile>/deps/<this test>
    let this = env::current_exe().expect("this test is a file");
    let folder = this.ancestors().nth(2).expect("it lies in a profile's folder");
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(profile) => profile,
    };
    let status = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--quiet", "--workspace", "--example", "ctr_file", "--profile", profile])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .status()
        .expect("cargo runs");
    assert!(status.success(), "the example does not build");
    folder.join("examples").join("ctr_file").with_extension(env::consts::EXE_EXTENSION)
});

/// A folder for one test, with a file to encrypt.
struct Folder(TempDir);

impl Folder {
    fn with_input(data: &[u8]) -> Self {
        let folder = Self(TempDir::new().unwrap());
        fs::write(folder.path("in"), data).unwrap();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// What lies in the folder.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn ctr_file(key: &str, iv: &str, input: &Path, output: &Path) -> Output {
    let mut command = Command::new(&*EXAMPLE);
    command.args(["--key", key, "--iv", iv]).args([input, output]);
    command.output().unwrap()
}

/// What `openssl enc` makes of a file; `None` if it is not there or does not know ARIA.
fn openssl(key: &[u8], iv: &str, input: &Path) -> Option<Vec<u8>> {
    let output = Command::new("openssl")
        .args(["enc", &format!("-aria-{}-ctr", 8 * key.len()), "-K", &hex::encode(key), "-iv", iv])
        .arg("-in")
        .arg(input)
        .output()
        .ok()?;
    output.status.success().then_some(output.stdout)
}

#[test]
fn equals_openssl_and_rustcrypto() {
    const LENGTHS: [usize; 3] = [0, 1, (1 << 20) + 7];
    let mut random = Random::new();
    let mut compared = 0;
    for size in KEY_SIZES {
        for length in LENGTHS {
            // A random IV, and one that wraps within the first chunk.
            for iv in [random.blocks(1)[0], (u128::MAX - 1000).to_be_bytes()] {
                let (key, data) = (random.bytes(size), random.bytes(length));
                let folder = Folder::with_input(&data);
                let (input, output) = (folder.path("in"), folder.path("out"));
                let (key_hex, iv_hex) = (hex::encode(&key), hex::encode(iv));
                let context = format!("key {key_hex}, IV {iv_hex}, {length} bytes");

                let run = ctr_file(&key_hex, &iv_hex, &input, &output);
                assert!(run.status.success(), "{context}: {run:?}");
                let encrypted = fs::read(&output).unwrap();
                assert!(encrypted == oracle::ctr(&key, iv, &data), "{context}: not as RustCrypto");
                if let Some(theirs) = openssl(&key, &iv_hex, &input) {
                    assert!(encrypted == theirs, "{context}: not as OpenSSL");
                    compared += 1;
                }
                assert_eq!(folder.names(), ["in", "out"], "{context}");

                let run = ctr_file(&key_hex, &iv_hex, &output, &folder.path("back"));
                assert!(run.status.success(), "{context}: {run:?}");
                assert!(fs::read(folder.path("back")).unwrap() == data, "{context}: not inverted");
            }
        }
    }
    match compared {
        0 => report::tell(
            "ctr_file",
            "skipped the comparison with OpenSSL: no openssl with ARIA here",
        ),
        _ => {
            assert_eq!(compared, KEY_SIZES.len() * LENGTHS.len() * 2);
            report::tell("ctr_file", &format!("{compared} files as OpenSSL encrypts them"));
        }
    }
}

const KEY: &str = "000102030405060708090a0b0c0d0e0f";
const IV: &str = "00000000000000000000000000000000";

/// Fails unless the run failed, said so in these words, and left the input alone in its folder.
fn assert_refused(run: &Output, words: &str, folder: &Folder, names: &[&str]) {
    let message = String::from_utf8_lossy(&run.stderr);
    assert!(!run.status.success(), "not refused: {words}");
    assert!(message.contains(words), "not {words:?} in: {message}");
    assert_eq!(folder.names(), names, "{words}");
    assert_eq!(fs::read(folder.path("in")).unwrap(), b"data", "{words}");
}

#[test]
fn refuses_wrong_arguments() {
    let folder = Folder::with_input(b"data");
    let (input, output) = (folder.path("in"), folder.path("out"));
    for (key, iv, words) in [
        ("", IV, "0 bytes; an ARIA key has 16, 24 or 32"),
        ("0001", IV, "2 bytes; an ARIA key has 16, 24 or 32"),
        (&KEY[1..], IV, "Odd number of digits"),
        ("xy", IV, "Invalid character"),
        (KEY, "00", "1 bytes; an IV has 16"),
    ] {
        assert_refused(&ctr_file(key, iv, &input, &output), words, &folder, &["in"]);
    }
}

#[test]
fn refuses_files_that_cannot_be() {
    let folder = Folder::with_input(b"data");
    let (input, output) = (folder.path("in"), folder.path("out"));
    let run = ctr_file(KEY, IV, &folder.path("missing"), &output);
    assert_refused(&run, "cannot read", &folder, &["in"]);
    let run = ctr_file(KEY, IV, &input, &folder.path("no folder/out"));
    assert_refused(&run, "cannot write", &folder, &["in"]);
    fs::create_dir(&output).unwrap();
    let run = ctr_file(KEY, IV, &input, &output);
    assert_refused(&run, "cannot write", &folder, &["in", "out"]);
}

#[test]
fn refuses_to_write_over_its_input() {
    let folder = Folder::with_input(b"data");
    let input = folder.path("in");
    let run = ctr_file(KEY, IV, &input, &input);
    assert_refused(&run, "are the same file", &folder, &["in"]);
    let detour = folder.path("..").join(folder.0.path().file_name().unwrap()).join("in");
    let run = ctr_file(KEY, IV, &input, &detour);
    assert_refused(&run, "are the same file", &folder, &["in"]);
    fs::hard_link(&input, folder.path("hard")).unwrap();
    let run = ctr_file(KEY, IV, &input, &folder.path("hard"));
    assert_refused(&run, "are the same file", &folder, &["hard", "in"]);
}

#[cfg(unix)]
#[test]
fn refuses_to_write_over_its_input_by_a_symbolic_link() {
    let folder = Folder::with_input(b"data");
    std::os::unix::fs::symlink(folder.path("in"), folder.path("soft")).unwrap();
    for (input, output) in [("in", "soft"), ("soft", "in")] {
        let run = ctr_file(KEY, IV, &folder.path(input), &folder.path(output));
        assert_refused(&run, "are the same file", &folder, &["in", "soft"]);
    }
}

/// An output that is there already is replaced.
#[test]
fn replaces_its_output() {
    let folder = Folder::with_input(b"data");
    fs::write(folder.path("out"), b"something longer from before").unwrap();
    let run = ctr_file(KEY, IV, &folder.path("in"), &folder.path("out"));
    assert!(run.status.success(), "{run:?}");
    let key = hex::decode(KEY).unwrap();
    assert_eq!(fs::read(folder.path("out")).unwrap(), oracle::ctr(&key, [0; 16], b"data"));
}
