//! Do the routines mean what they say, on the specification's terms?

use super::*;

fn program() -> WordProgram {
    build_bits("aria_portable_bits_u64_blk4".parse().expect("an id")).expect("checked")
}

#[test]
fn it_verifies() {
    assert_eq!(program().verify(), Ok(()));
}

#[test]
fn fo_and_fe_equal_the_specification() {
    let program = program();
    let zero = [0; 16];
    for seed in 0..8u8 {
        let batch: Vec<u8> = (0..64u8).map(|i| i.wrapping_mul(37 + 2 * seed) ^ seed).collect();
        for (entry, function) in [(1, aria::fo as fn(&Block, &Block) -> Block), (2, aria::fe)] {
            let found = program.run(entry, &[], &batch);
            let blocks = batch.as_chunks::<16>().0.iter();
            let expected: Vec<u8> = blocks.flat_map(|block| function(block, &zero)).collect();
            assert_eq!(found, expected, "entry {entry}, seed {seed}");
        }
    }
}
