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
use aria_gen::prove::verdict::{Counterexample, Extent, Finding, Verdict};
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

/// The counterexample of a kernel, checked against the oracle once more, but for chained modes: it does
/// not hold the neighbouring block.
fn counterexample_of(kernel: &Kernel, verdict: Verdict) -> Counterexample {
    match verdict {
        Verdict::Refuted(found) if kernel.frame.leading_blocks() > 0 => *found,
        verdict => counterexample(verdict),
    }
}

/// The counterexample, checked against the oracle once more.
fn counterexample(verdict: Verdict) -> Counterexample {
    let Verdict::Refuted(found) = verdict else { panic!("{verdict}") };
    if let Finding::Differs { block, byte, bit, input, expected, got } = found.finding {
        let keys = aria::encryption_keys(&found.key).expect("a key of ARIA");
        let right = match found.counter {
            None if found.chaining.is_some() => {
                let before = found.chaining.expect("the frame has an initial value");
                aria::encrypt_with(&keys, &core::array::from_fn(|i| before[i] ^ input[i]))
            }
            None => aria::encrypt_with(&keys, &input),
            Some(counter) => {
                let counter = u128::from_be_bytes(counter).wrapping_add(block as u128);
                let image = aria::encrypt_with(&keys, &counter.to_be_bytes());
                core::array::from_fn(|i| image[i] ^ input[i])
            }
        };
        assert_eq!(right, expected);
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
                Frame::Ecb | Frame::Ctr | Frame::CbcEnc => {
                    (16 * row.blocks, 16 * row.blocks, size.rounds())
                }
                // And the block before.
                Frame::CbcDec | Frame::CfbDec => {
                    (16 * (row.blocks + 1), 16 * row.blocks, size.rounds())
                }
                // KL and KR; all round keys and their images; three rounds make them.
                Frame::Keys => (32, 16 * 2 * 17, 3),
            };
            assert_eq!((proof.read, proof.written), (read, written));
            assert_eq!(proof.inversions, inversions_a_byte(*row) * 16 * rounds * row.blocks);
            proved += 1;
        }
    }
    assert_eq!(proved, 3 * ROWS.len());
    assert_eq!(proved, 3 * (14 + 14 + 7 + 7 + 11 + 5 + 5 + 2));
}

/// In slices and bit planes nothing is inverted but what the cipher inverts. In rows each instruction inverts all
/// bytes of a lane, of which the next layer picks those that it wants.
fn inversions_a_byte(id: KernelId) -> usize {
    match (recipe(id).expect("a legal cell").layout, id.unit) {
        (Layout::Slice | Layout::Bits, _) => 1,
        // One for S1 and S2, one for X1 and X2.
        (Layout::Row, Unit::Gfni) => 2,
        // One for S1 and S2, one for X1, one for X2.
        (Layout::Row, _) => 3,
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
        // Chained modes have their rounds from ECB: the least number of them is enough for a test.
        let chains = kernel.frame.leading_blocks() > 0;
        let sizes = if chains { &KeySize::ALL[..1] } else { &KeySize::ALL[..] };
        for &size in sizes {
            let verdict = prove(kernel, &files[&kernel.path()], size);
            assert!(verdict.is_proved(), "{}: {verdict}", kernel.id);
        }
    }
    assert_eq!(kernels.len(), 2 * 16 + 2 * 23 + 23);
}

/// One bit of each constant of each file: of a digit of a matrix, of an entry of a table.
#[test]
fn a_constant_edited_by_hand_gives_a_counterexample() {
    let mut refuted = 0;
    for (kernel, text) in kernels() {
        // The first digit of a matrix, be it one of a pair or not.
        let matrices = text.match_indices("0x").filter(|(at, _)| text[*at..].find('_') == Some(6));
        // What portable kernels have for the key schedule is no part of them.
        let matrices = matrices.filter(|(at, _)| {
            let before = &text[..*at];
            let item = before.rfind("\nconst ").max(before.rfind("\nfn "));
            let name = item.map_or("", |item| text[item..].trim_start());
            !name.starts_with("const NO_KEY") && !name.starts_with("fn spread(")
        });
        let edits = matrices.enumerate().map(|(number, (at, _))| {
            let at = at + 2;
            let digit = u8::from_str_radix(&text[at..=at], 16).unwrap() ^ (1 << (number % 4));
            format!("{}{digit:x}{}", &text[..at], &text[at + 1..])
        });
        // The second entry of a table; with AES instructions in rows only odd places of nibbles count.
        // The numbers of blocks stand in rows of eight where a register has several lanes.
        let starts = [": [u8; 16] = [", "] = [\n    ["];
        let tables = starts.iter().flat_map(|start| text.match_indices(start));
        let entries = tables.enumerate().map(|(number, (at, _))| {
            let at = at + text[at..].find(',').unwrap() + 2;
            let end = at + text[at..].find(',').unwrap();
            let entry: u8 = text[at..end].parse().unwrap();
            let is_mask = text[..at].rsplit_once("const ").unwrap().1.starts_with("BITS_");
            let bit = match entry {
                // A shuffle looks at the top bit before it looks at the low four.
                0x80.. => 0x80,
                // Shifts leave zeros at one end of a word, where a wider mask changes nothing.
                _ if is_mask => 1,
                _ => 1 << (number % 4),
            };
            format!("{}{}{}", &text[..at], entry ^ bit, &text[end..])
        });
        for edited in edits.chain(entries) {
            let found = counterexample_of(&kernel, prove(&kernel, &edited, KeySize::K192));
            let differs =
                matches!(found.finding, Finding::Differs { .. } | Finding::RoundKey { .. });
            assert!(differs, "{found}");
            refuted += 1;
        }
    }
    // Slices: five matrices where GFNI computes the S-boxes, six tables where AES instructions do; in
    // counter mode one table more. Rows: five matrices, eleven shuffles and four sums; with AES
    // instructions four tables of nibbles, a mask, a zero and 20 shuffles. Key schedules have more of
    // each, CBC encryption with GFNI one shuffle more. Bit planes: two rows of constants, and masks.
    let chained = 2 * (3 * 5 + 4 * 6);
    let (slices, rows) = (2 * (6 * 5 + 8 * 6) + 14 + chained, 8 * (5 + 15) + 3 * 26);
    let keys = 3 * (5 + 38) + 2 * 53;
    let chains = 3 * (5 + 16) + 2 * 26;
    let (single, wide) = (2 * 36 + 7 + 4 + 4 + 7, 2 * 6 + 12 + 8);
    assert_eq!(refuted, slices + rows + keys + chains + single + wide);
}

#[test]
fn a_kernel_that_is_right_only_out_of_place_is_refuted() {
    for (kernel, text) in kernels() {
        // Stores scrambled bytes, then loads the input (again) and goes on.
        let store = "unsafe { store(output.add(batch * BATCH_BYTES), scramble(blocks)) };";
        // Any routine that takes a state and gives one.
        let routine =
            if text.contains("fn interleave(") { "interleave(blocks)" } else { "fo(blocks, last)" };
        let store = store.replace("scramble(blocks)", routine);
        let load = match kernel.frame {
            reference::Frame::Ecb => {
                "let blocks = unsafe { load(input.add(batch * BATCH_BYTES)) };"
            }
            reference::Frame::Ctr | reference::Frame::CbcDec | reference::Frame::CfbDec => {
                "let blocks = unsafe { add_input(input.add(batch * BATCH_BYTES), blocks) };"
            }
            reference::Frame::CbcEnc => {
                "let block = unsafe { load(input.add(batch * BATCH_BYTES)) };"
            }
            reference::Frame::Keys => continue,
        };
        let before = match kernel.frame {
            reference::Frame::Ecb | reference::Frame::CbcEnc => load,
            _ => "",
        };
        let store = match kernel.frame {
            reference::Frame::CbcEnc => store.replace("blocks", "block"),
            _ => store,
        };
        let mut edited = text.replacen(load, &format!("{before} {store} {load}"), 1);
        if let Some(at) = text.find("let blocks = unsafe {").filter(|_| !text.contains(load)) {
            // On words, a batch is read and written as a whole.
            let end = at + text[at..].find("};").unwrap() + 2;
            let load = &text[at..end];
            let store = load.replace("let blocks = ", "").replace("input", "output");
            let store = store.replace(".read()", ".write(store_even(load_odd(blocks)))");
            edited = format!("{}{load} {store} {load}{}", &text[..at], &text[end..]);
        }
        let found = counterexample_of(&kernel, prove(&kernel, &edited, KeySize::K128));
        assert!(found.in_place, "{found}");
        // The first block that CBC adds lies before the output.
        let first = usize::from(kernel.frame == reference::Frame::CbcDec);
        let expected = format!("1 batch, in place: block {first} differs");
        assert!(found.to_string().contains(&expected), "{found}");
    }
}

/// What can go wrong with a mode that adds another block than the one it enciphers.
#[test]
fn chained_modes_that_go_wrong_are_refuted() {
    let chained = [reference::Frame::CbcDec, reference::Frame::CfbDec];
    let mut refuted = 0;
    for (kernel, text) in
        kernels().into_iter().filter(|(kernel, _)| chained.contains(&kernel.frame))
    {
        // Right for one batch, and for any number that does not lie in place.
        let ascending = text.replacen("(0..batches).rev()", "0..batches", 1);
        assert_ne!(ascending, text, "the emitter does not write batches down any more");
        let found = counterexample_of(&kernel, prove(&kernel, &ascending, KeySize::K128));
        assert!(found.in_place && found.extent == Extent::Batches(3), "{found}");
        // One mode taken for the other.
        let mut other = kernel.clone();
        other.frame = chained[usize::from(kernel.frame == chained[0])];
        counterexample_of(&other, prove(&other, &text, KeySize::K128));
        refuted += 2;
    }
    assert_eq!(refuted, 14 * 2);
}

/// What can go wrong with counters, each in a few of the 256 cases or in later batches only.
#[test]
fn counters_that_go_wrong_in_few_cases_are_refuted() {
    let mut refuted = 0;
    for (kernel, text) in
        kernels().into_iter().filter(|(kernel, _)| kernel.frame == reference::Frame::Ctr)
    {
        let blocks = kernel.blocks;
        let edits = [
            // Right but where the last block alone is behind the carry.
            (format!("if last <= {}", 256 - blocks), format!("if last <= {}", 257 - blocks)),
            ("wrapping_add(256)".to_owned(), "wrapping_add(255 + 256)".to_owned()),
            (format!("wrapping_add({blocks})"), format!("wrapping_add({})", blocks / 2)),
            ("adds_epu8(below, below)".to_owned(), "adds_epu8(below, last)".to_owned()),
            ("counter[0] ^ carried[0]".to_owned(), "counter[0] ^ carried[1]".to_owned()),
        ];
        for (from, to) in edits {
            let edited = text.replacen(&from, &to, 1);
            assert_ne!(edited, text, "the emitter does not write `{from}` any more");
            let found = counterexample(prove(&kernel, &edited, KeySize::K128));
            assert!(found.counter.is_some(), "{found}");
            refuted += 1;
        }
    }
    assert_eq!(refuted, 14 * 5);
}

/// What can go wrong with a chaining value, in the first block or from the second on only.
#[test]
fn chains_that_go_wrong_are_refuted() {
    const NEXT: &str = "chain = last_round(block, last);";
    const ADD: &str = "add_chain([block[0], chain[0]])";
    let edits = [
        // Not brought up to date; brought to what was not written; the initial value again and again.
        (NEXT, "let chain = last_round(block, last);", 2),
        (NEXT, "chain = block; let chain = last_round(block, last);", 2),
        (ADD, "add_chain([block[0], start(iv)[0]])", 2),
        // The chaining value with the input besides, at the end.
        (
            NEXT,
            "chain = last_round(block, last); let own = chain; chain = add_chain([chain[0], first_block]);",
            2,
        ),
        // A round key for the initial value; the input twice; the chaining value not at all.
        ("start(iv)", "start(&rk[0])", 1),
        (ADD, "add_chain([add_chain([block[0], chain[0]])[0], block[0]])", 1),
        (ADD, "block", 1),
    ];
    let mut refuted = 0;
    for (kernel, text) in kernels() {
        if kernel.frame != reference::Frame::CbcEnc {
            continue;
        }
        for (from, to, batches) in edits {
            let mut edited = text.replacen(from, to, 1);
            assert_ne!(edited, text, "the emitter does not write `{from}` any more");
            if to.contains("first_block") {
                edited = edited.replacen(
                    "add_round_key(block, first);",
                    "add_round_key(block, first); let first_block = block[0];",
                    1,
                );
                edited = edited.replacen(
                    "batch * BATCH_BYTES), chain)",
                    "batch * BATCH_BYTES), own)",
                    1,
                );
            }
            let found = counterexample(prove(&kernel, &edited, KeySize::K128));
            assert!(found.chaining.is_some(), "{found}");
            assert_eq!(found.extent, Extent::Batches(batches), "{to}: {found}");
            refuted += 1;
        }
    }
    assert_eq!(refuted, 5 * 7);
}

#[test]
fn a_wrong_stride_is_refuted_by_a_run_of_more_than_one_batch() {
    let (kernel, text) = gfni();
    let edited = text.replace("output.add(batch * BATCH_BYTES)", "output.add(batch * 256)");
    let found = counterexample(prove(&kernel, &edited, KeySize::K128));
    assert_eq!(found.extent, Extent::Batches(2));
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
        message("_mm256_xor_si256", "_mm256_add_epi16"),
        "unknown intrinsic `_mm256_add_epi16`; \
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
