//! Do the routines mean what they say, on the specification's terms? Exhaustively: substitution
//! moves no bit, so that each byte at each position is all there is to try, and the other routines
//! are linear, so that a basis stands for all states.

use super::*;
use crate::math::gf256;

fn program() -> WordProgram {
    build_bits("aria_portable_bits_u64_blk4".parse().expect("an id")).expect("checked")
}

fn circuits() -> SboxCircuits {
    SboxCircuits::derive(aria::s1(), aria::s2(), aria::x1(), aria::x2()).expect("checked")
}

/// The byte at a bit position of the planes, in the tower's basis.
fn byte_at(planes: &[u64; STATE_WORDS], bit: usize) -> u8 {
    planes.iter().enumerate().fold(0, |byte, (k, plane)| byte | ((plane >> bit & 1) as u8) << k)
}

/// Every state with a single bit: word, bit, state.
fn basis() -> impl Iterator<Item = (usize, usize, [u64; STATE_WORDS])> {
    (0..STATE_WORDS).flat_map(|word| {
        (0..64).map(move |bit| {
            let mut state = [0; STATE_WORDS];
            state[word] = 1 << bit;
            (word, bit, state)
        })
    })
}

#[test]
fn it_verifies() {
    assert_eq!(program().verify(), Ok(()));
}

#[test]
fn substitution_of_every_byte_at_every_position() {
    let (program, circuits) = (program(), circuits());
    let layouts = layouts().expect("ARIA's matrix is a sum over a grid");
    for (layer, row, layout) in
        [(Layer::Sl1, Row::Sl1, layouts[0]), (Layer::Sl2, Row::Sl2, layouts[1])]
    {
        for x in 0..=255 {
            let inner = circuits.from_field.apply(x);
            let state = core::array::from_fn(|k| u64::from(inner >> k & 1) * u64::MAX);
            let row = &program.rows[row as usize].words;
            let planes = program.run_routine(BitsRoutine::Substitute as usize, state, row);
            for (place, &byte) in layout.iter().enumerate() {
                let sbox = layer.sbox(usize::from(byte));
                let inverse = gf256::inverse(sbox.before.matrix.apply(x));
                let expected = sbox.after.matrix.apply(inverse);
                for block in 0..BLOCKS {
                    let found = byte_at(&planes, position(place, block));
                    assert_eq!(circuits.to_field.apply(found), expected, "{} {x:#04x}", sbox.name);
                }
            }
        }
    }
    // No bit moves: there is no shift or rotation among the operations.
    let body = program.routines[BitsRoutine::Substitute as usize].body();
    let in_place = |op: &WordOp| matches!(op, WordOp::Xor | WordOp::And | WordOp::Row { .. });
    assert!(body.iter().all(|stmt| in_place(&stmt.op)));
}

#[test]
fn other_routines_are_linear() {
    for (number, routine) in program().routines.iter().enumerate() {
        let products = routine.body().iter().filter(|stmt| stmt.op == WordOp::And).count();
        assert_eq!(products > 0, number == BitsRoutine::Substitute as usize, "{}", routine.name());
        for stmt in routine.body().iter().filter(|stmt| stmt.op == WordOp::SpreadNibbles) {
            // Its operand has the lowest bit of each nibble only, where it is linear.
            let operand = routine.body().iter().find(|s| s.result == Some(stmt.args[0]));
            let lowest = WordOp::AndMask { mask: 0x1111_1111_1111_1111 };
            assert_eq!(operand.map(|s| &s.op), Some(&lowest));
        }
    }
}

#[test]
fn diffusion_of_a_basis() {
    let program = program();
    let [odd, even] = layouts().expect("ARIA's matrix is a sum over a grid");
    for (before, after) in [(odd, even), (even, odd)] {
        for (plane, bit, state) in basis() {
            let found = program.run_routine(BitsRoutine::Diffuse as usize, state, &[0; 8]);
            let mut expected = [0; STATE_WORDS];
            for block in 0..BLOCKS {
                let from = (0..16).find(|&place| position(place, block) == bit);
                let Some(from) = from.map(|place| before[place]) else { continue };
                for (place, &output) in after.iter().enumerate() {
                    let contains = aria::diffusion_mask(usize::from(output)) >> from & 1;
                    expected[plane] |= u64::from(contains) << position(place, block);
                }
            }
            assert_eq!(found, expected, "plane {plane} bit {bit}");
        }
    }
}

#[test]
fn slicing_of_a_basis() {
    let (program, circuits) = (program(), circuits());
    for (word, bit, state) in basis() {
        let planes = program.run_routine(BitsRoutine::Slice as usize, state, &[]);
        for place in 0..64 {
            let byte = if place == bit / 8 * 8 + word { 1 << (bit % 8) } else { 0 };
            assert_eq!(byte_at(&planes, place), circuits.from_field.apply(byte));
        }
        let back = program.run_routine(BitsRoutine::Unslice as usize, planes, &[]);
        assert_eq!(back, state);
    }
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
