//! Can `cargo xtask gen` mend a `generated/` that does not compile, or is not there?

use std::fs;
use std::path::Path;

use aria_tests::cargo::{cargo, printed};

/// Copies what cargo needs of the workspace.
fn copy_workspace(to: &Path) {
    let root = xtask::workspace::root();
    fs::create_dir_all(to).expect("a folder can be made");
    for name in ["Cargo.toml", "Cargo.lock", ".cargo", "clippy.toml"] {
        copy(&root.join(name), &to.join(name));
    }
    for package in ["aria-gen", "aria-runtime", "generated", "tests", "xtask"] {
        copy(&root.join(package), &to.join(package));
    }
}

fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        fs::copy(from, to).expect("a file can be copied");
        return;
    }
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in from.read_dir().expect("a folder can be read") {
        let entry = entry.expect("a folder can be read");
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

#[test]
fn gen_mends_a_syntax_error_and_missing_sources() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mending");
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an earlier copy can be removed");
    }
    copy_workspace(&folder);
    let sources = folder.join("generated/src");
    let broken = sources.join("aria_avx2_gfni_ymm_blk32.rs");
    let whole = fs::read_to_string(&broken).expect("the kernel is checked in");
    fs::write(&broken, "fn broken( {").expect("the copy can be written");

    let run = ["run", "--quiet", "--package", "xtask", "--"];
    let build = cargo(&folder, &["check", "--quiet", "--package", "aria-kernels"]);
    assert!(!build.status.success(), "the kernels compile although one is broken");
    let check = cargo(&folder, &[&run[..], &["gen", "--check"]].concat());
    assert!(!check.status.success());
    let message = printed(&check);
    assert!(message.contains("src/aria_avx2_gfni_ymm_blk32.rs:1 differs"), "{message}");
    assert!(message.contains("run `cargo xtask gen`"), "{message}");

    let mend = cargo(&folder, &[&run[..], &["gen"]].concat());
    assert!(mend.status.success(), "{}", printed(&mend));
    assert_eq!(fs::read_to_string(&broken).expect("mended"), whole);

    fs::remove_dir_all(&sources).expect("the copy can be removed");
    let mend = cargo(&folder, &[&run[..], &["gen"]].concat());
    assert!(mend.status.success(), "{}", printed(&mend));
    assert_eq!(fs::read_to_string(&broken).expect("mended"), whole);
}
