//! Parts of a batch, by masked accesses: does the prover refute every way to get them wrong, and does a
//! kernel touch nothing beyond the part?
//!
//! Each edit of the text is one that compiles. What the masked instructions mean is shown on the CPU by
//! every other test that runs these kernels, at each number of blocks.

use std::fs;
use std::path::Path;

use aria_gen::prove::package::{Kernel, read_kernels};
use aria_gen::prove::prove_kernel;
use aria_gen::prove::reader::Program;
use aria_gen::prove::verdict::{Extent, Verdict};
use aria_gen::spec::aria::KeySize;
use aria_kernels::{Frame, KERNELS};

/// A row and slices of each width; each has several registers.
const SAMPLE: [&str; 4] = [
    "aria_avx512_aesni_ymm_blk32",
    "aria_avx512_gfni_zmm_blk8",
    "aria_avx512_gfni_zmm_blk64",
    "aria_avx512_vaes_xmm_blk16",
];

/// What is edited: the last place where the text stands, which is in what parts are for. The texts are
/// those of the sample's widths, of which a kernel has one.
const EDITS: [(&[&str], &str); 6] = [
    (&["(2 * count)) - 1"], "(3 * count)) - 1"),
    (&["(2 * count)) - 1"], "(2 * count)) - 2"),
    (&["(2 * count)) - 1"], "(4 * count)) - 1"),
    (&["(quadwords >> 8) as", "(quadwords >> 4) as", "(quadwords >> 2) as"], "(quadwords >> 1) as"),
    (&["store_part(output, quadwords, "], "store(output, "),
    (&["output.add(64)", "output.add(32)", "output.add(16)"], "output.add(8)"),
];

fn read(path: &str) -> String {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated");
    fs::read_to_string(package.join(path)).expect("the generator wrote it")
}

fn kernels() -> Vec<Kernel> {
    read_kernels("src/lib.rs", &read("src/lib.rs")).expect("as the generator writes it")
}

#[test]
fn every_edit_is_refuted_by_a_part_of_a_batch() {
    let mut refuted = 0;
    for kernel in kernels().iter().filter(|kernel| SAMPLE.contains(&kernel.id.as_str())) {
        let text = read(&kernel.path());
        for (places, replacement) in EDITS {
            let found = places.iter().find_map(|place| Some((text.rfind(place)?, place.len())));
            let (start, length) = found.expect("each kernel has one of these texts");
            let mut edited = text.clone();
            edited.replace_range(start..start + length, replacement);
            let program = Program::parse(&kernel.path(), &edited).expect("edits are Rust");
            match prove_kernel(&program, kernel, KeySize::K128) {
                Verdict::Refuted(found) => {
                    assert!(matches!(found.extent, Extent::Part(_)), "{}: {found}", kernel.id);
                    refuted += 1;
                }
                other => panic!("{}: `{replacement}`: {other}", kernel.id),
            }
        }
    }
    assert_eq!(refuted, SAMPLE.len() * EDITS.len());
}

/// Every kernel with masked accesses that does not count, and no other.
#[test]
fn kernels_take_parts_where_they_can() {
    for kernel in KERNELS {
        let takes = kernel.part.is_some();
        let expected =
            kernel.id.contains("_avx512_") && kernel.blocks > 1 && kernel.frame == Frame::Ecb;
        assert_eq!(takes, expected, "{}", kernel.id);
    }
}
