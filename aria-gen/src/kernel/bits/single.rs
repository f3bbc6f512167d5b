//! One block in two words: planes of 16 bits side by side, the even ones in word 0, the odd in word 1.
//!
//! Bit 4·row + column of plane k, counted on the grid, is bit 16·⌊k/2⌋ of word k mod 2 and so many
//! more. A word turned by a multiple of 16 has other planes of the same bytes in the same places, so a
//! linear map of bytes is a sum of turned words under masks, whatever the map of each position; and
//! GF(16) in the basis of [`mod@crate::circuit::normal`] has its four coefficients in the four lanes.

use super::wide::{push_copies, push_nibble_sums};
use super::{
    BitsRoutine, ConstantRow, Flow, Layout, Place, Places, Row, RowRef, WordEntry, add, call,
    cipher, constant, params, push_exchange, push_sum, row_word,
};
use crate::circuit::normal::{LANES, NormalBasis, SCALED_SQUARE, SCALED_SQUARE_EVERYWHERE};
use crate::ir::word::{WordOp, WordProgram};
use crate::ir::{Routine, Value};
use crate::kernel::KernelId;
use crate::math::Affine;
use crate::spec::aria::{self, Layer};

/// Blocks in the words.
pub(super) const BLOCKS: usize = 1;

const WORDS: usize = 2;

/// The word and the bit in it that hold this bit of the byte at a place of the grid.
pub(super) const fn position(place: usize, bit: usize) -> (usize, usize) {
    (bit % WORDS, 16 * (bit / WORDS) + place)
}

/// The program: the block function; FO and FE and the planes of round keys, for the key schedule.
pub(super) fn build(id: KernelId, [odd, even]: [Layout; 2]) -> WordProgram {
    let in_order: Layout = core::array::from_fn(|i| i as u8);
    let basis = NormalBasis::derive();
    let no_key = ConstantRow {
        name: "NO_KEY",
        doc: "For FO and FE alone.".to_owned(),
        words: vec![0; WORDS],
        hidden: false,
    };
    WordProgram {
        state_words: WORDS,
        batch_bytes: aria::BLOCK_BYTES,
        places: vec![
            places("odd", "before odd rounds", odd),
            places("even", "before even rounds", even),
            places("key", "of a round key's planes", in_order),
        ],
        rows: vec![layer_row(&basis, Layer::Sl1, odd), layer_row(&basis, Layer::Sl2, even), no_key],
        routines: vec![slice(), add(WORDS), substitute(), diffuse(), unslice()],
        entries: entries(id),
        spread: None,
    }
}

fn places(name: &'static str, doc: &'static str, layout: Layout) -> Places {
    let word = |w: usize| core::array::from_fn(|j| usize::from(layout[8 * w + j]));
    Places { name, doc, words: (0..WORDS).map(word).collect() }
}

fn entries(id: KernelId) -> Vec<WordEntry> {
    use BitsRoutine::{Diffuse, Slice, Substitute, Unslice};
    let entry = |name: &str, doc: String, load: Place, flow, store: Place| WordEntry {
        name: name.to_owned(),
        doc,
        load: load as usize,
        flow,
        store: store as usize,
    };
    let alone = |name: &str, layer, load, store| {
        let doc = format!(
            "{} of RFC 5794 section 2.4.1 without its key addition, for the key schedule.",
            name.to_uppercase()
        );
        let flow = vec![
            Flow::Call(call(Slice, RowRef::None)),
            Flow::Call(call(Substitute, constant(layer))),
            Flow::Call(call(Diffuse, constant(Row::NoKey))),
            Flow::Call(call(Unslice, RowRef::None)),
        ];
        entry(name, doc, load, flow, store)
    };
    let only = |routine| vec![Flow::Call(call(routine, RowRef::None))];
    let to =
        |which: &str| format!("The planes of a round key that is added before {which} rounds.");
    let from = |which: &str| format!("The round key whose planes before {which} rounds these are.");
    vec![
        cipher(id, Unslice),
        alone("fo", Row::Sl1, Place::Odd, Place::Even),
        alone("fe", Row::Sl2, Place::Even, Place::Odd),
        entry("odd_planes", to("odd"), Place::Odd, only(Slice), Place::Key),
        entry(
            "even_planes",
            to("even, or after the last of these,"),
            Place::Even,
            only(Slice),
            Place::Key,
        ),
        entry("from_odd_planes", from("odd"), Place::Key, only(Unslice), Place::Odd),
        entry("from_even_planes", from("even"), Place::Key, only(Unslice), Place::Even),
    ]
}

/// The steps from bytes to planes: places exchanged within words, then between the two.
const EXCHANGES: [([usize; 2], u32, u64); 7] = [
    ([0, 0], 7, 0x00aa_00aa_00aa_00aa),
    ([1, 1], 7, 0x00aa_00aa_00aa_00aa),
    ([0, 0], 14, 0x0000_cccc_0000_cccc),
    ([1, 1], 14, 0x0000_cccc_0000_cccc),
    ([0, 0], 28, 0x0000_0000_f0f0_f0f0),
    ([1, 1], 28, 0x0000_0000_f0f0_f0f0),
    ([0, 1], 8, 0x00ff_00ff_00ff_00ff),
];

fn exchange(routine: &mut Routine<WordOp>, order: impl Iterator<Item = ([usize; 2], u32, u64)>) {
    let mut words = params(routine, "w", WORDS);
    for (pair, by, mask) in order {
        let text = match by {
            7 => "Of each 2×2 bits, exchange those beside the diagonal",
            14 => "The same of each 2×2 groups of 2×2 bits",
            28 => "And of 2×2 groups of 4×4 bits: bytes are planes then",
            _ => "Planes of one word and of the other, exchanged to halves of planes side by side",
        };
        if pair[0] == 0 {
            routine.step(text);
        }
        push_exchange(routine, &mut words, pair, (by, mask), "w");
    }
    routine.set_results(words);
}

fn slice() -> Routine<WordOp> {
    let mut routine = Routine::new("slice", "Bytes to planes.");
    exchange(&mut routine, EXCHANGES.into_iter());
    routine
}

fn unslice() -> Routine<WordOp> {
    let mut routine = Routine::new("unslice", "Planes to bytes: the steps of `slice` backwards.");
    let [a, b, c, d, e, f, last] = EXCHANGES;
    exchange(&mut routine, [last, e, f, c, d, a, b].into_iter());
    routine
}

/// Masks of a linear map: for each result word, one for each operand word and turn of it.
const MASKS: usize = WORDS * WORDS * LANES;

/// Where in a layer's row the mask stands for a result word and one of its eight turned operands.
///
/// Those of one result stand apart, and those of the other run against them. With masks side by side
/// LLVM takes two words as a vector, which in SSE2 has no rotation: that is 1.5 times slower (Emerald
/// Rapids, November 2026).
const fn mask_index(side: usize, result: usize, operand: usize) -> usize {
    let place = if result == 0 { 2 * operand } else { MASKS - 1 - 2 * operand };
    MASKS * side + place
}

/// Where the word stands that is added to a result.
const fn constant_index(side: usize, result: usize) -> usize {
    2 * MASKS + WORDS * side + result
}

/// Word and bit that hold a bit of the byte at the first place.
type BitPlace = fn(usize) -> (usize, usize);

/// The row of a layer: the maps from the field's basis to that of the inversion, which is side 0, and
/// back, side 1, with the affine maps of each position's S-box. Within the inversion bit 4w + l is lane
/// l of word w.
fn layer_row(basis: &NormalBasis, layer: Layer, layout: Layout) -> ConstantRow {
    let outside: BitPlace = |bit| position(0, bit);
    let inside: BitPlace = |bit| (bit / LANES, 16 * (bit % LANES));
    let mut words = vec![0; 2 * (MASKS + WORDS)];
    for (place, &byte) in layout.iter().enumerate() {
        let sbox = layer.sbox(usize::from(byte));
        let to_inside = Affine { matrix: basis.from_field, constant: 0 }.after(sbox.before);
        let to_outside = sbox.after.after(Affine { matrix: basis.to_field, constant: 0 });
        let sides = [(to_inside, [outside, inside]), (to_outside, [inside, outside])];
        for (side, (map, [from, to])) in sides.into_iter().enumerate() {
            for (bit, row) in map.matrix.rows().into_iter().enumerate() {
                let (result, at) = to(bit);
                let here = at + place;
                for (word, operand_at) in (0..8).filter(|j| row >> j & 1 == 1).map(from) {
                    let turn = (LANES + operand_at / 16 - at / 16) % LANES;
                    words[mask_index(side, result, LANES * word + turn)] |= 1 << here;
                }
                let constant = u64::from(map.constant >> bit & 1);
                words[constant_index(side, result)] |= constant << here;
            }
        }
    }
    let (name, rounds) = match layer {
        Layer::Sl1 => ("SL1", "odd"),
        Layer::Sl2 => ("SL2", "even"),
    };
    let doc = format!(
        "{name}, in {rounds} rounds: which planes go where, at each position, before the inversion \
         and after it; then what is added before, and after."
    );
    ConstantRow { name, doc, words, hidden: true }
}

/// A word with its lanes turned by 0, 1, 2 and 3.
fn push_turns(routine: &mut Routine<WordOp>, word: Value, name: &str) -> [Value; LANES] {
    core::array::from_fn(|turn| match turn {
        0 => word,
        turn => {
            let by = 16 * u32::try_from(turn).expect("below 4");
            routine.push(format!("{name}_{turn}"), WordOp::RotateRight { by }, &[word])
        }
    })
}

fn substitute() -> Routine<WordOp> {
    let doc = "A substitution layer, RFC 5794 section 2.4.2: one field inversion, and before and \
               after it the affine maps of the S-box at each position, changes of basis included.";
    let mut routine = Routine::new("substitute", doc);
    let state = params(&mut routine, "p", WORDS);
    routine.step("To a basis over GF(16), and what X1 and X2 do");
    let elements = push_affine(&mut routine, 0, &state, ["a", "b"]);
    let inverse = push_inversion(&mut routine, &elements);
    routine.step("Back, and what S1 and S2 do");
    let results = push_affine(&mut routine, 1, &inverse, ["y0", "y1"]);
    routine.set_results(results);
    routine
}

/// The affine maps before or after the inversion: turned words under masks, added up.
fn push_affine(
    routine: &mut Routine<WordOp>,
    side: usize,
    words: &[Value],
    names: [&str; WORDS],
) -> Vec<Value> {
    let turns = [push_turns(routine, words[0], "a"), push_turns(routine, words[1], "b")];
    let mut results = Vec::new();
    for (result, name) in names.into_iter().enumerate() {
        let mut terms = Vec::new();
        for (operand, turned) in turns.as_flattened().iter().enumerate() {
            let mask = row_word(routine, "m", mask_index(side, result, operand));
            terms.push(routine.push("t", WordOp::And, &[*turned, mask]));
        }
        terms.push(row_word(routine, "c", constant_index(side, result)));
        results.push(push_sum(routine, &terms, name));
    }
    results
}

/// Lanes as a mask.
fn lane_mask(lanes: &[usize]) -> u64 {
    lanes.iter().fold(0, |mask, lane| mask | 0xffff << (16 * lane))
}

/// The inversion, as `circuit::normal` has it.
fn push_inversion(routine: &mut Routine<WordOp>, elements: &[Value]) -> Vec<Value> {
    let [a, b] = [elements[0], elements[1]];
    let xor = WordOp::Xor;
    routine.step("The norm, a² + a·b + β·b²");
    let (a, b) = (push_turns(routine, a, "a"), push_turns(routine, b, "b"));
    // A lane of b[2] that is a summand everywhere, and the lane of a·b[2] there, in one product.
    let mask = lane_mask(&[SCALED_SQUARE_EVERYWHERE]);
    let shifted = routine.push("t", WordOp::XorMask { mask }, &[a[0]]);
    let met = routine.push("t", WordOp::And, &[shifted, b[2]]);
    let everywhere = push_lane_sum(routine, met);
    let mut terms = vec![a[3]];
    for (i, j) in [(1, 2), (2, 1), (3, 3)] {
        terms.push(routine.push("t", WordOp::And, &[a[i], b[j]]));
    }
    for (turn, lanes) in SCALED_SQUARE {
        let mask = lane_mask(lanes);
        terms.push(routine.push("t", WordOp::AndMask { mask }, &[b[turn]]));
    }
    terms.push(everywhere);
    let norm = push_sum(routine, &terms, "n");

    routine.step("Its inverse");
    let n = push_turns(routine, norm, "n");
    let t = routine.push("t", xor.clone(), &[n[0], n[3]]);
    let sum = routine.push("t", xor.clone(), &[n[0], n[1]]);
    let both = routine.push("t", WordOp::And, &[sum, t]);
    let either = routine.push("t", WordOp::Or, &[both, n[2]]);
    let rest = routine.push("t", WordOp::And, &[n[0], t]);
    let inverse = routine.push("d", xor, &[either, rest]);

    routine.step("The products with it");
    let d = push_turns(routine, inverse, "d");
    [(a, "a"), (b, "b")].map(|(x, name)| push_product(routine, &x, &d, name)).to_vec()
}

/// The sum of the lanes, in every lane.
fn push_lane_sum(routine: &mut Routine<WordOp>, mut word: Value) -> Value {
    for by in [32, 16] {
        let turned = routine.push("t", WordOp::RotateRight { by }, &[word]);
        word = routine.push("z", WordOp::Xor, &[word, turned]);
    }
    word
}

/// The product in GF(16).
fn push_product(
    routine: &mut Routine<WordOp>,
    x: &[Value; LANES],
    y: &[Value; LANES],
    name: &str,
) -> Value {
    let met = routine.push("t", WordOp::And, &[x[0], y[2]]);
    let everywhere = push_lane_sum(routine, met);
    let mut terms = Vec::new();
    for (i, j) in [(1, 2), (2, 1), (3, 3)] {
        terms.push(routine.push("t", WordOp::And, &[x[i], y[j]]));
    }
    terms.push(everywhere);
    push_sum(routine, &terms, name)
}

fn diffuse() -> Routine<WordOp> {
    let doc = "A, the diffusion layer, RFC 5794 section 2.4.3, and a round key: to each bit the sums \
               over its row and its column of the grid.";
    let mut routine = Routine::new("diffuse", doc);
    let words = params(&mut routine, "p", WORDS);
    let mut results = Vec::new();
    for (i, &p) in words.iter().enumerate() {
        routine.step(format!("The planes of word {i}"));
        let row = push_nibble_sums(&mut routine, p);
        // Four rows are the nibbles of 16 bits; their sum is made in the lowest, then copied.
        let mut sum = p;
        for by in [8, 4] {
            let shifted = routine.push("t", WordOp::ShiftRight { by }, &[sum]);
            sum = routine.push("t", WordOp::Xor, &[sum, shifted]);
        }
        let lowest = WordOp::AndMask { mask: 0x000f_000f_000f_000f };
        let sum = routine.push("t", lowest, &[sum]);
        let column = push_copies(&mut routine, sum, [4, 8], "c");
        let key = row_word(&mut routine, "k", i);
        let y = routine.push("t", WordOp::Xor, &[p, key]);
        let sums = routine.push("t", WordOp::Xor, &[row, column]);
        results.push(routine.push(format!("y{i}"), WordOp::Xor, &[y, sums]));
    }
    routine.set_results(results);
    routine
}
