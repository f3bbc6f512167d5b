//! Does `cargo xtask search` find networks of RFC 5794's diffusion layer, go on where it stopped, and
//! refuse what makes no sense?

use std::fs;
use std::path::Path;

use aria_gen::lower::network;
use aria_gen::spec::aria::diffusion_mask;
use clap::Parser;

fn run(args: &[&str]) -> anyhow::Result<()> {
    let line = [&["xtask", "search", "diffusion"], args].concat();
    xtask::Cli::try_parse_from(line).expect("well-formed arguments").run()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary folders have plain names")
}

/// What the file holds computes the layer, by the generator's own check.
fn is_the_layer(path: &Path) -> bool {
    let found = fs::read_to_string(path).expect("the command wrote it");
    let network = network::parse("found", &found).expect("the generator's notation");
    let rows: Vec<u32> = (0..16).map(|row| u32::from(diffusion_mask(row))).collect();
    network.computes(&rows)
}

#[test]
fn interrupted_and_resumed_it_finds_the_same() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str| folder.path().join(name);
    let (whole, resumed, stored) = (file("whole.txt"), file("resumed.txt"), file("stored.json"));
    for form in [&["--in-place"][..], &["--operands", "2"], &["--depth", "3"]] {
        let with = |more: &[&str]| run(&[form, &["--seed", "4"], more].concat());
        with(&["--steps", "900", "--out", text(&whole)]).expect("a search");
        let checkpoint = ["--checkpoint", text(&stored), "--out", text(&resumed)];
        for steps in ["350", "900"] {
            with(&[&checkpoint[..], &["--steps", steps]].concat()).expect("a search");
        }
        assert!(is_the_layer(&whole), "{form:?}");
        let read = |path: &Path| fs::read_to_string(path).expect("the command wrote it");
        assert_eq!(read(&resumed), read(&whole), "{form:?}");
        fs::remove_file(&stored).expect("the command wrote it");
    }
}

#[test]
fn a_checkpoint_of_another_search_is_left_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let stored = folder.path().join("stored.json");
    let out = folder.path().join("out.txt");
    let common = ["--out", text(&out), "--checkpoint", text(&stored), "--steps"];
    let with = |more: &[&str]| run(&[&common[..], more].concat());
    with(&["50", "--seed", "1"]).expect("a search");
    let before = fs::read(&stored).expect("the command wrote it");
    for (more, told) in [
        (&["50", "--seed", "2"][..], "is of another search (3 operands, seed 1)"),
        (&["50", "--keys"], "is of another search"),
        (&["20"], "is at step 50 already"),
    ] {
        let message = format!("{:#}", with(more).expect_err("not this search"));
        assert!(message.contains(told), "{message}");
        assert_eq!(fs::read(&stored).expect("still there"), before);
    }
    fs::write(&stored, "{}").expect("a file can be written");
    let message = format!("{:#}", with(&["50"]).expect_err("no checkpoint"));
    assert!(message.contains("is no checkpoint of a search"), "{message}");
    assert_eq!(fs::read_to_string(&stored).expect("still there"), "{}");
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    for (args, told) in [
        (&["--operands", "4"][..], "gates have 2 or 3"),
        (&["--depth", "1"], "a row of 7 terms needs at least 2"),
        (&["--keys", "--operands", "2", "--depth", "2"], "a row of 8 terms needs at least 3"),
    ] {
        let message = format!("{:#}", run(args).expect_err("no such network"));
        assert!(message.contains(told), "{message}");
    }
    for args in [&["--in-place", "--keys"][..], &["--involution"]] {
        let line = [&["xtask", "search", "diffusion"], args].concat();
        assert!(xtask::Cli::try_parse_from(line).is_err(), "{args:?}");
    }
}
