//! What do the commands say to requests that make no sense, and do they leave everything as it was?

use std::fs;
use std::path::Path;

use clap::Parser;

/// Runs a command line that must fail; what it says.
fn refused(args: &[&str]) -> String {
    let cli = xtask::Cli::try_parse_from([&["xtask"], args].concat());
    let cli = cli.unwrap_or_else(|error| panic!("{args:?} should parse: {error}"));
    let error = cli.run().expect_err("the request makes no sense");
    format!("{error:#}")
}

fn is_empty(folder: &Path) -> bool {
    folder.read_dir().expect("a folder can be read").next().is_none()
}

#[test]
fn an_unknown_kernel_gets_near_matches() {
    for args in [
        &["gen", "aria_avx2_gfni_ymm_blk33x"][..],
        &["inspect", "aria_avx2_gfni_ymm_blk33x"],
        &["gen", "--out", "nowhere", "--only", "aria_avx2_gfni_ymm_blk33x"],
    ] {
        let message = refused(args);
        assert!(message.contains("unknown kernel `aria_avx2_gfni_ymm_blk33x`"), "{message}");
        assert!(message.contains("Did you mean aria_avx2_gfni_ymm_blk32"), "{message}");
    }
    assert!(!Path::new("nowhere").exists());
}

#[test]
fn an_impossible_cell_gets_reason_and_remedy() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().to_str().expect("temporary folders have plain names");
    let message = refused(&["gen", "--out", out, "--only", "aria_avx2_gfni_zmm_blk64"]);
    assert_eq!(
        message,
        "aria_avx2_gfni_zmm_blk64: VEX cannot address zmm registers; take tier avx512, or width ymm"
    );
    let message = refused(&["gen", "--out", out, "--only", "aria_avx512_aesni_zmm_blk64"]);
    assert!(message.contains("AES-NI works on one 128-bit lane"), "{message}");
    assert!(is_empty(folder.path()));
}

#[test]
fn a_legal_cell_that_is_no_row_is_not_written_into_the_workspace() {
    let message = refused(&["gen", "aria_avx512_gfni_ymm_blk64"]);
    assert!(message.contains("--out DIR --only aria_avx512_gfni_ymm_blk64"), "{message}");
    let generated = xtask::workspace::generated();
    assert!(!generated.join("src/aria_avx512_gfni_ymm_blk64.rs").exists());
}

#[test]
fn an_unwritable_folder_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("file");
    fs::write(&file, "mine").expect("a file can be written");
    for out in [file.clone(), file.join("below")] {
        let message = refused(&["gen", "--out", out.to_str().expect("a plain name")]);
        assert!(message.contains("choose another"), "{message}");
        assert!(message.contains(out.to_str().expect("a plain name")), "{message}");
    }
    assert_eq!(fs::read_to_string(&file).expect("still there"), "mine");
}

#[test]
fn a_folder_with_other_things_is_left_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("Cargo.toml"), "[package]").expect("a file can be written");
    let message = refused(&["gen", "--out", folder.path().to_str().expect("a plain name")]);
    assert!(message.contains("choose an empty folder"), "{message}");
    assert_eq!(folder.path().read_dir().expect("readable").count(), 1);
}

#[test]
fn an_unknown_stage_gets_the_known_ones() {
    let message = refused(&["inspect", "aria_avx_gfni_xmm_blk16", "--after", "spill"]);
    assert!(message.contains("build, lower, simplify, schedule, emit"), "{message}");
}

#[test]
fn bad_figures_for_bench_are_refused_before_anything_is_built() {
    for (args, told) in [
        (&["bench", "--sizes", "16,40"][..], "--sizes 40: take a multiple of 16"),
        (&["bench", "--key-bits", "160"], "--key-bits 160: ARIA has keys of 128, 192 and 256"),
        (&["bench", "--samples", "0"], "--samples 0: take at least one"),
    ] {
        let message = refused(args);
        assert!(message.contains(told), "{message}");
    }
}

#[test]
fn contradictory_options_do_not_parse() {
    for args in [
        &["gen", "--check", "--out", "x"][..],
        &["gen", "--only", "aria_avx_gfni_xmm_blk16"],
        &["gen", "--check", "aria_avx_gfni_xmm_blk16"],
        &["bench", "--sweep", "--sizes", "16"],
        &["frobnicate"],
    ] {
        let parsed = xtask::Cli::try_parse_from([&["xtask"], args].concat());
        assert!(parsed.is_err(), "{args:?}");
    }
}
