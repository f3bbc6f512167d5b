//! Does `cargo xtask gen --out DIR --only ID` write a crate that compiles and is right, for rows of
//! the matrix and for legal cells that are no rows?

use std::fs;
use std::path::Path;

use aria_gen::kernel::KeyForm;
use aria_gen::spec::aria;
use aria_tests::cargo::{cargo, printed};
use aria_tests::{oracle, report};
use clap::Parser;

/// A row, and a cell that no row names: two interleaved halves of 32 blocks.
const KERNELS: [&str; 2] = ["aria_avx2_gfni_ymm_blk32", "aria_avx512_gfni_ymm_blk64"];

/// Blocks that each kernel encrypts: whole batches of both.
const BLOCKS: usize = 128;

/// A program that runs every kernel of the crate that this CPU can, and prints each result.
fn program(words: &str) -> String {
    format!(
        r#"
use aria_kernels::{{Entry, Feature, KERNELS}};
fn has(feature: &Feature) -> bool {{
    match feature.name() {{
        "avx" => is_x86_feature_detected!("avx"),
        "avx2" => is_x86_feature_detected!("avx2"),
        "avx512f" => is_x86_feature_detected!("avx512f"),
        "avx512bw" => is_x86_feature_detected!("avx512bw"),
        "avx512vl" => is_x86_feature_detected!("avx512vl"),
        "gfni" => is_x86_feature_detected!("gfni"),
        _ => false,
    }}
}}
fn main() {{
    const RK: &[[u32; 16]] = &{words};
    for kernel in KERNELS {{
        if !kernel.features.iter().all(has) {{
            println!("{{}} cannot", kernel.id);
            continue;
        }}
        let Entry::EcbBroadcast32(run) = kernel.entry else {{ panic!("another entry") }};
        let mut blocks: Vec<u8> = (0..16 * {BLOCKS}u32).map(|i| ((i * i) >> 3) as u8).collect();
        unsafe {{ run(RK, blocks.as_ptr(), blocks.as_mut_ptr(), {BLOCKS} / kernel.blocks) }};
        println!("{{}} {{blocks:?}}", kernel.id);
    }}
}}
"#
    )
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_crate_with_two_kernels_compiles_and_encrypts() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("standalone");
    let kernels = folder.join("kernels");
    let out = kernels.to_str().expect("the target folder has a plain name");
    let args = [&["xtask", "gen", "--out", out, "--only"][..], &KERNELS].concat();
    xtask::Cli::parse_from(args).run().expect("both cells are legal");

    let key: Vec<u8> = (0..32).collect();
    let rk = aria::encryption_keys(&key).expect("a legal length");
    let words: Vec<Vec<u32>> = KeyForm::Broadcast32
        .expand(&rk)
        .iter()
        .map(|form| form.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect())
        .collect();
    let driver = folder.join("driver");
    fs::create_dir_all(driver.join("src")).expect("a folder can be made");
    let manifest = "[package]\nname = \"driver\"\nedition = \"2024\"\n[workspace]\n\
                    [dependencies]\naria-kernels = { path = \"../kernels\" }\n";
    fs::write(driver.join("Cargo.toml"), manifest).expect("a file can be written");
    fs::write(driver.join("src/main.rs"), program(&format!("{words:?}"))).expect("likewise");
    let output = cargo(&driver, &["run", "--quiet", "--release"]);
    assert!(output.status.success(), "{}", printed(&output));

    let input: Vec<u8> = (0..16 * BLOCKS as u32).map(|i| ((i * i) >> 3) as u8).collect();
    let expected = oracle::encrypt(&key, input.as_chunks().0);
    let expected = format!("{:?}", expected.as_flattened());
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), KERNELS.len(), "{text}");
    for (line, id) in lines.iter().zip(KERNELS) {
        let result = line.strip_prefix(id).expect("kernels are listed in order of their ids");
        if result == " cannot" {
            report::tell("crates of their own", &format!("{id} cannot run here"));
        } else {
            assert_eq!(result.trim(), expected, "{id}");
        }
    }
}
