//! Is every kernel proved, is every wrong constant noticed, and is every bad file an error that says
//! where and what to do?

use std::fs;
use std::path::{Path, PathBuf};

use aria_gen::emit::{PackageKind, generate};
use aria_gen::isa::Unit;
use aria_gen::kernel::matrix::{ROWS, cells, recipe};
use aria_gen::kernel::{Frame, KernelId, Layout};
use aria_gen::prove::package::{Kernel, read_kernels};
use aria_gen::prove::prove_kernel;
use aria_gen::prove::reader::Program;
use aria_gen::prove::reference;
use aria_gen::prove::verdict::{Counterexample, Finding, Verdict};
use aria_gen::spec::aria::{self, KeySize};
use clap::Parser;
use xtask::Cli;

fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated")
}

/// The text of a file of the package.
fn read(name: &str) -> String {
    fs::read_to_string(package().join(name)).expect("the generator wrote it")
}

/// The kernels that ship, each with the text of its file.
fn kernels() -> Vec<(Kernel, String)> {
    let table = read("src/lib.rs");
    let kernels =
        read_kernels("src/lib.rs", &table).expect("the table is as the generator writes it");
    let with_text = kernels.into_iter().map(|kernel| {
        let text = read(&kernel.path());
        (kernel, text)
    });
    with_text.collect()
}

fn prove(kernel: &Kernel, text: &str, size: KeySize) -> Verdict {
    match Program::parse(&kernel.path(), text) {
        Ok(program) => prove_kernel(&program, kernel, size),
        Err(fault) => Verdict::Unknown(fault),
    }
}

/// The counterexample, checked against the oracle once more.
fn counterexample(verdict: Verdict) -> Counterexample {
    let Verdict::Refuted(found) = verdict else { panic!("{verdict}") };
    if let Finding::Differs { byte, bit, input, expected, got, .. } = found.finding {
        let keys = aria::encryption_keys(&found.key).expect("a key of ARIA");
        assert_eq!(aria::encrypt_with(&keys, &input), expected);
        assert_eq!(expected[..byte], got[..byte]);
        assert_eq!((expected[byte] ^ got[byte]).trailing_zeros(), bit);
    }
    *found
}

#[test]
fn every_kernel_is_proved_for_every_number_of_rounds() {
    let kernels = kernels();
    let ids: Vec<&str> = kernels.iter().map(|(kernel, _)| kernel.id.as_str()).collect();
    let rows: Vec<String> = ROWS.iter().map(ToString::to_string).collect();
    assert_eq!(ids, rows, "the package ships the rows of the matrix");
    let mut proved = 0;
    for (row, (kernel, text)) in ROWS.iter().zip(&kernels) {
        assert_eq!(kernel.blocks, row.blocks);
        assert_eq!((&kernel.module, &kernel.function), (&kernel.id, &kernel.id));
        for size in KeySize::ALL {
            let verdict = prove(kernel, text, size);
            let Verdict::Proved(proof) = verdict else { panic!("{}: {verdict}", kernel.id) };
            let (read, written, rounds) = match row.frame {
                Frame::Ecb => (16 * row.blocks, 16 * row.blocks, size.rounds()),
                // KL and KR; all round keys and their images; three rounds make them.
                Frame::Keys => (32, 16 * 2 * 17, 3),
            };
            assert_eq!((proof.read, proof.written), (read, written));
            assert_eq!(proof.inversions, inversions_a_byte(*row) * 16 * rounds * row.blocks);
            proved += 1;
        }
    }
    assert_eq!(proved, 3 * ROWS.len());
    assert_eq!(proved, 90);
}

/// In slices nothing is inverted but what the cipher inverts. In rows each instruction inverts all
/// bytes of a lane, of which the next layer picks those that it wants.
fn inversions_a_byte(id: KernelId) -> usize {
    match (recipe(id).unwrap().layout, id.unit) {
        (Layout::Slice, _) => 1,
        // One for S1 and S2, one for X1 and X2.
        (Layout::Row, Unit::Gfni) => 2,
        // One for S1 and S2, one for X1, one for X2.
        (Layout::Row, Unit::Aesni | Unit::Vaes) => 3,
    }
}

/// Legal cells that are not checked in: as the generator would write them now.
#[test]
fn every_other_legal_cell_is_proved_too() {
    let ids: Vec<KernelId> =
        cells().filter(|id| recipe(*id).is_ok() && !ROWS.contains(id)).collect();
    let files = generate(&ids, PackageKind::Standalone).unwrap();
    let kernels = read_kernels("src/lib.rs", &files["src/lib.rs"]).unwrap();
    assert_eq!(kernels.len(), ids.len());
    for kernel in &kernels {
        for size in KeySize::ALL {
            let verdict = prove(kernel, &files[&kernel.path()], size);
            assert!(verdict.is_proved(), "{}: {verdict}", kernel.id);
        }
    }
    assert_eq!(kernels.len(), 36);
}

/// One bit of each constant of each file: of a digit of a matrix, of an entry of a table.
#[test]
fn a_constant_edited_by_hand_gives_a_counterexample() {
    let mut refuted = 0;
    for (kernel, text) in kernels() {
        // The first digit of a matrix, be it one of a pair or not.
        let matrices = text.match_indices("0x").filter(|(at, _)| text[*at..].find('_') == Some(6));
        let edits = matrices.enumerate().map(|(number, (at, _))| {
            let at = at + 2;
            let digit = u8::from_str_radix(&text[at..=at], 16).unwrap() ^ (1 << (number % 4));
            format!("{}{digit:x}{}", &text[..at], &text[at + 1..])
        });
        // The second entry of a table; with AES instructions in rows only odd places of nibbles count.
        let tables = text.match_indices(": [u8; 16] = [");
        let entries = tables.enumerate().map(|(number, (at, _))| {
            let at = at + text[at..].find(',').unwrap() + 2;
            let end = at + text[at..].find(',').unwrap();
            let entry: u8 = text[at..end].parse().unwrap();
            // A shuffle looks at the low four bits, and at the top bit first.
            let bit = if entry >> 7 == 1 { 0x80 } else { 1 << (number % 4) };
            format!("{}{}{}", &text[..at], entry ^ bit, &text[end..])
        });
        for edited in edits.chain(entries) {
            let found = counterexample(prove(&kernel, &edited, KeySize::K192));
            let differs =
                matches!(found.finding, Finding::Differs { .. } | Finding::RoundKey { .. });
            assert!(differs, "{found}");
            refuted += 1;
        }
    }
    // Slices: five matrices where GFNI computes the S-boxes, six tables where AES instructions do.
    // Rows: five matrices, eleven shuffles and four sums; with AES instructions four tables of
    // nibbles, a mask, a zero and 20 shuffles.
    assert_eq!(refuted, 6 * 5 + 8 * 6 + 8 * (5 + 15) + 3 * 26);
}

#[test]
fn a_kernel_that_is_right_only_out_of_place_is_refuted() {
    for (kernel, text) in kernels() {
        // Stores scrambled bytes, then loads the input again and goes on.
        let store = "unsafe { store(output.add(batch * BATCH_BYTES), scramble(blocks)) };";
        // Any routine that takes a state and gives one.
        let routine =
            if text.contains("fn interleave(") { "interleave(blocks)" } else { "fo(blocks, last)" };
        let store = store.replace("scramble(blocks)", routine);
        let load = "let blocks = unsafe { load(input.add(batch * BATCH_BYTES)) };";
        let edited = text.replacen(load, &format!("{load} {store} {load}"), 1);
        if kernel.frame == reference::Frame::Keys {
            continue;
        }
        let found = counterexample(prove(&kernel, &edited, KeySize::K128));
        assert!(found.in_place, "{found}");
        assert!(found.to_string().contains("1 batch, in place: block 0 differs"), "{found}");
    }
}

#[test]
fn a_wrong_stride_is_refuted_by_a_run_of_more_than_one_batch() {
    let (kernel, text) = gfni();
    let edited = text.replace("output.add(batch * BATCH_BYTES)", "output.add(batch * 256)");
    let found = counterexample(prove(&kernel, &edited, KeySize::K128));
    assert_eq!(found.batches, 2);
}

#[test]
fn a_wrong_number_of_blocks_in_the_table_is_refuted() {
    let (mut kernel, text) = gfni();
    for blocks in [16, 31, 33, 64] {
        kernel.blocks = blocks;
        let found = counterexample(prove(&kernel, &text, KeySize::K128));
        assert!(matches!(found.finding, Finding::Misbehaves(_)), "{found}");
    }
}

/// A kernel to spoil.
fn gfni() -> (Kernel, String) {
    let mut kernels = kernels().into_iter();
    let found = kernels.find(|(kernel, _)| kernel.id == "aria_avx2_gfni_ymm_blk32");
    found.expect("the kernel ships")
}

/// The message for that kernel with one text in the place of another.
fn message(from: &str, to: &str) -> String {
    let (kernel, text) = gfni();
    let at = text.find(from);
    let at = at.unwrap_or_else(|| panic!("the emitter does not write `{from}` any more"));
    let verdict = prove(&kernel, &text.replacen(from, to, 1), KeySize::K128);
    let Verdict::Unknown(fault) = verdict else { panic!("{verdict}") };
    let line = 1 + text[..at].matches('\n').count();
    let place = format!("src/{}.rs:{line}: ", kernel.id);
    let message = fault.to_string();
    message.strip_prefix(&place).unwrap_or_else(|| panic!("{message} not at {place}")).to_owned()
}

#[test]
fn a_file_that_does_not_parse_is_an_error_with_its_line() {
    let message = message("const X1_BEFORE: u64 =", "const X1_BEFORE u64 =");
    assert_eq!(
        message,
        "this does not parse: expected `:`; mend the file, or run `cargo xtask gen` to write it anew"
    );
}

#[test]
fn an_unsupported_construct_is_an_error_with_its_line() {
    let message = message("unsafe { load(", "if batch == 0 { load(");
    let remedy =
        "; write it in the forms that the emitter uses, or teach aria-gen/src/prove/reader";
    assert!(message.starts_with("the reader does not know `if batch == 0 { load("), "{message}");
    assert!(message.ends_with(remedy), "{message}");
}

#[test]
fn an_unknown_intrinsic_is_an_error_with_its_line() {
    assert_eq!(
        message("_mm256_xor_si256", "_mm256_add_epi8"),
        "unknown intrinsic `_mm256_add_epi8`; \
         add a row to aria-gen/src/prove/meaning/table.rs, and a probe to test it"
    );
}

#[test]
fn a_feature_that_the_table_does_not_ask_for_is_an_error_with_its_line() {
    let (mut kernel, text) = gfni();
    kernel.features.retain(|feature| feature != "gfni");
    let message = prove(&kernel, &text, KeySize::K128).to_string();
    assert!(message.contains("it enables `gfni`, which its row in `KERNELS` lacks"), "{message}");
    assert!(message.starts_with(&format!("unknown: src/{}.rs:", kernel.id)), "{message}");
}

fn command(args: &[&str]) -> Result<(), String> {
    let args = ["cargo xtask", "prove"].into_iter().chain(args.iter().copied());
    let cli = Cli::try_parse_from(args).map_err(|error| error.to_string())?;
    cli.run().map_err(|error| format!("{error:#}"))
}

#[test]
fn the_command_succeeds_for_what_ships() {
    assert_eq!(command(&["aria_sse_gfni_xmm_blk16", "--json"]), Ok(()));
}

#[test]
fn the_command_fails_for_a_package_with_a_wrong_kernel() {
    let id = "aria_avx_gfni_xmm_blk16";
    let copy = tempfile::tempdir().unwrap();
    fs::create_dir(copy.path().join("src")).unwrap();
    for name in ["src/lib.rs".to_owned(), format!("src/{id}.rs")] {
        let text = read(&name);
        fs::write(copy.path().join(&name), text.replace("::<0x2c>", "::<0x2d>")).unwrap();
    }
    let dir = copy.path().to_str().unwrap();
    let message = command(&["--package", dir, id]).unwrap_err();
    assert_eq!(message, "3 of 3 not proved: 3 refuted, 0 unknown");
    // The table lists kernels whose files are not there.
    let message = command(&["--package", dir]).unwrap_err();
    assert!(
        message.contains("cannot read") && message.contains("run `cargo xtask gen`"),
        "{message}"
    );
}

#[test]
fn the_command_refuses_what_is_not_there() {
    let message = command(&["aria_avx_gfni_xmm_blk61"]).unwrap_err();
    assert!(message.contains("aria_avx_gfni_xmm_blk16") || message.contains("take"), "{message}");
    let message = command(&["aria_avx512_gfni_ymm_blk64"]).unwrap_err();
    assert!(message.contains("cargo xtask gen --out DIR --only"), "{message}");
    let message = command(&["--package", "/nowhere"]).unwrap_err();
    assert!(message.contains("cannot read /nowhere/src/lib.rs"), "{message}");
}
