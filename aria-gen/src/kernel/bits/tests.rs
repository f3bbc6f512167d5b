//! Do the routines mean what they say, on the specification's terms? Exhaustively: substitution
//! keeps the bits of a place together, so that each byte at each place is all there is to try, and
//! the other routines are linear, so that a basis stands for all states.

use super::*;
use crate::ir::word::{row_length, run_words};
use crate::spec::aria::{Block, Layer};

/// A program, and where it holds bit `bit` of the byte at `place` in `block`: word and bit.
struct Shape {
    program: WordProgram,
    blocks: usize,
    position: fn(usize, usize, usize) -> (usize, usize),
}

fn shapes() -> [Shape; 2] {
    let program = |id: &str| build_bits(id.parse().expect("an id")).expect("checked");
    [
        Shape {
            program: program("aria_portable_bits_u64_blk1"),
            blocks: single::BLOCKS,
            position: |place, _, bit| single::position(place, bit),
        },
        Shape {
            program: program("aria_portable_bits_u64_blk4"),
            blocks: wide::BLOCKS,
            position: |place, block, bit| (bit, wide::position(place, block)),
        },
    ]
}

impl Shape {
    /// The state with these bytes, by place and block.
    fn state(&self, bytes: impl Fn(usize, usize) -> u8) -> Vec<u64> {
        let mut state = vec![0; self.program.state_words];
        for (block, place) in (0..self.blocks).flat_map(|b| (0..16).map(move |p| (b, p))) {
            for bit in 0..8 {
                let (word, at) = (self.position)(place, block, bit);
                state[word] |= u64::from(bytes(place, block) >> bit & 1) << at;
            }
        }
        state
    }

    fn run(&self, routine: BitsRoutine, state: &[u64], row: &[u64]) -> Vec<u64> {
        run_words(&self.program.routines[routine as usize], state, row)
    }
}

#[test]
fn they_verify() {
    for shape in shapes() {
        assert_eq!(shape.program.verify(), Ok(()));
    }
}

#[test]
fn substitution_of_every_byte_at_every_place() {
    let layouts = layouts().expect("ARIA's matrix is a sum over a grid");
    let layers = [(Layer::Sl1, Row::Sl1, layouts[0]), (Layer::Sl2, Row::Sl2, layouts[1])];
    for shape in shapes() {
        for (layer, row, layout) in layers {
            for x in 0..=255 {
                let state = shape.state(|_, _| x);
                let row = &shape.program.rows[row as usize].words;
                let found = shape.run(BitsRoutine::Substitute, &state, row);
                let sbox = |place: usize| layer.sbox(usize::from(layout[place]));
                assert_eq!(found, shape.state(|place, _| sbox(place).apply(x)), "{x:#04x}");
            }
        }
    }
}

#[test]
fn other_routines_are_linear() {
    for shape in shapes() {
        for (number, routine) in shape.program.routines.iter().enumerate() {
            let products = routine.body().iter().filter(|stmt| stmt.op == WordOp::And).count();
            assert_eq!(products > 0, number == BitsRoutine::Substitute as usize);
        }
    }
}

#[test]
fn diffusion_of_a_basis() {
    let [odd, even] = layouts().expect("ARIA's matrix is a sum over a grid");
    for shape in shapes() {
        for (before, after) in [(odd, even), (even, odd)] {
            for (from, block) in (0..16).flat_map(|p| (0..shape.blocks).map(move |b| (p, b))) {
                for bit in 0..8 {
                    let at = |p, b| if (p, b) == (from, block) { 1 << bit } else { 0 };
                    let zero = vec![0; shape.program.state_words];
                    let found = shape.run(BitsRoutine::Diffuse, &shape.state(at), &zero);
                    let contains =
                        |p: usize| aria_diffusion(usize::from(after[p])) >> before[from] & 1 == 1;
                    let expected = shape.state(|p, b| u8::from(b == block && contains(p)) << bit);
                    assert_eq!(found, expected, "place {from} block {block} bit {bit}");
                }
            }
        }
    }
}

fn aria_diffusion(row: usize) -> u16 {
    crate::spec::aria::diffusion_mask(row)
}

#[test]
fn entries_of_one_block_equal_the_specification() {
    use crate::spec::aria::{fe, fo};
    let [shape, _] = shapes();
    let entry = |name: &str| {
        let entries = &shape.program.entries;
        entries.iter().position(|entry| entry.name == name).expect("an entry")
    };
    let zero = [0; 16];
    for seed in 0..8u8 {
        let block: Block = core::array::from_fn(|i| (i as u8).wrapping_mul(37 + 2 * seed) ^ seed);
        let run = |name, batch: &[u8]| shape.program.run(entry(name), &[], batch);
        assert_eq!(run("fo", &block), fo(&block, &zero));
        assert_eq!(run("fe", &block), fe(&block, &zero));
        // Number 0 of three is laid out as for odd rounds, number 1 as for even ones.
        let [odd, even, _] = key_planes(&[block; 3])[..] else { panic!("three keys") };
        assert_eq!(run("odd_planes", &block), odd);
        assert_eq!(run("even_planes", &block), even);
        assert_eq!(run("from_odd_planes", &odd), block);
        assert_eq!(run("from_even_planes", &even), block);
    }
}

#[test]
fn planes_are_spread() {
    let [_, shape] = shapes();
    let spread = shape.program.spread.as_ref().expect("it has one");
    assert_eq!(row_length(spread), 0);
    for bit in 0..128 {
        let mut planes = [0; 16];
        planes[bit / 8] = 1 << (bit % 8);
        let words: Vec<u64> = planes.as_chunks().0.iter().map(|w| u64::from_le_bytes(*w)).collect();
        assert_eq!(run_words(spread, &words, &[]), spread_planes(&planes));
    }
}
