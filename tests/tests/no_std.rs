//! Does the library build where there is no standard library, and would this test notice if not?
//!
//! A `#![no_std]` static library for this host, which brings a panic handler of its own: with the
//! standard library in the graph there are two, and the build fails.

use std::fs;
use std::path::Path;
use std::process::Output;

use aria_tests::cargo::{cargo, printed};

const LIBRARY: &str = r#"
#![no_std]
use aria_runtime::cipher::{BlockCipherEncrypt, KeyInit};
use aria_runtime::{Aria128, Cap, Token};

/// Encrypts a block, by detected instructions or without any.
#[unsafe(no_mangle)]
pub extern "C" fn encrypt(key: &[u8; 16], block: &mut [u8; 16], portable: bool) {
    let cipher = match portable {
        true => Aria128::new_with_token(key.into(), Token::detect().capped(Cap::Portable)),
        false => Aria128::new(key.into()),
    };
    cipher.encrypt_block(block.into());
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
"#;

/// Builds the library on top of `aria-runtime` with these features.
fn build(name: &str, features: &str) -> Output {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("it exists");
    let manifest = format!(
        "[package]\nname = \"{name}\"\nedition = \"2024\"\n[workspace]\n\
         [lib]\ncrate-type = [\"staticlib\"]\n\
         [profile.dev]\npanic = \"abort\"\n\
         [dependencies.aria-runtime]\npath = {:?}\n\
         default-features = false\nfeatures = [{features}]\n",
        root.join("aria-runtime")
    );
    fs::create_dir_all(folder.join("src")).expect("a folder can be made");
    fs::write(folder.join("Cargo.toml"), manifest).expect("a file can be written");
    fs::write(folder.join("src/lib.rs"), LIBRARY).expect("likewise");
    // The versions that are here already.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("likewise");
    cargo(&folder, &["build", "--quiet"])
}

#[test]
fn a_library_without_std_builds() {
    let output = build("without-std", "");
    assert!(output.status.success(), "{}", printed(&output));
}

#[test]
fn with_std_it_does_not() {
    let output = build("with-std", "\"std\"");
    let message = printed(&output);
    assert!(!output.status.success(), "nothing was noticed");
    assert!(message.contains("found duplicate lang item `panic_impl`"), "{message}");
}
