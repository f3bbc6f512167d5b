//! Four blocks in eight words: word k holds bit k of every byte.
//!
//! Bit 16·row + 4·block + column of a word is one byte of one block, so sums over rows are rotations
//! of the word, and sums over columns stay within nibbles.

use super::{
    BitsError, BitsRoutine, ConstantRow, GRID_COLUMNS, Layout, Places, add, cipher, params,
    push_exchange, row_word,
};
use crate::circuit::{Circuit, GateKind, SboxCircuits};
use crate::ir::word::{WordOp, WordProgram};
use crate::ir::{Routine, Value};
use crate::kernel::KernelId;
use crate::math::Sbox;
use crate::spec::aria::{self, Layer};

/// Blocks in the words.
pub(super) const BLOCKS: usize = 4;

/// Planes of a byte.
const PLANES: usize = 8;

/// The bit of a place of the grid, counted row by row, in one block.
pub(super) const fn position(place: usize, block: usize) -> usize {
    16 * (place / GRID_COLUMNS) + 4 * block + place % GRID_COLUMNS
}

/// The program: the block function alone.
pub(super) fn build(id: KernelId, [odd, even]: [Layout; 2]) -> Result<WordProgram, BitsError> {
    let circuits = SboxCircuits::derive(aria::s1(), aria::s2(), aria::x1(), aria::x2())?;
    let (layers, rows) = layer_rows(&circuits, [odd, even]);
    Ok(WordProgram {
        state_words: PLANES,
        batch_bytes: BLOCKS * aria::BLOCK_BYTES,
        places: vec![
            places("odd", "before odd rounds", odd),
            places("even", "before even rounds", even),
        ],
        rows,
        routines: vec![transpose(), add(PLANES), substitute(&circuits, &layers), diffuse()],
        entries: vec![cipher(id, BitsRoutine::Slice)],
        spread: Some(spread()),
    })
}

/// Word w, byte j before the transposition becomes bit 8j + w of the planes.
fn places(name: &'static str, doc: &'static str, layout: Layout) -> Places {
    let mut words = vec![[0; 8]; PLANES];
    for block in 0..BLOCKS {
        for (place, &byte) in layout.iter().enumerate() {
            let bit = position(place, block);
            words[bit % 8][bit / 8] = aria::BLOCK_BYTES * block + usize::from(byte);
        }
    }
    Places { name, doc, words }
}

/// Where in a layer's row the constants of planes are; `None` for those that are zero.
struct LayerRows {
    before: [Option<usize>; PLANES],
    after: [Option<usize>; PLANES],
}

/// The rows of both layers: positions of X1, X2, S1 and S2; constants before the inversion, in its
/// basis, and constants after. A word that a row has already is not put into it again.
fn layer_rows(circuits: &SboxCircuits, layouts: [Layout; 2]) -> (LayerRows, Vec<ConstantRow>) {
    let layers = [(Layer::Sl1, layouts[0]), (Layer::Sl2, layouts[1])];
    // The planes of a byte that depends on the S-box at each position, for both layers.
    let planes = |value: &dyn Fn(Sbox) -> u8| {
        layers.map(|(layer, layout)| {
            let mut planes = [0u64; PLANES];
            for (place, &byte) in layout.iter().enumerate() {
                let value = value(layer.sbox(usize::from(byte)));
                for block in 0..BLOCKS {
                    for (k, plane) in planes.iter_mut().enumerate() {
                        *plane |= u64::from(value >> k & 1) << position(place, block);
                    }
                }
            }
            planes
        })
    };
    // Word i of both rows.
    let mut words: Vec<[u64; 2]> = [aria::x1(), aria::x2(), aria::s1(), aria::s2()]
        .map(|sbox| planes(&|other| u8::from(other == sbox)).map(|planes| planes[0]))
        .to_vec();
    let mut indices = |constants: [[u64; PLANES]; 2]| {
        core::array::from_fn(|k| {
            let pair = constants.map(|planes| planes[k]);
            let known = words.iter().position(|word| *word == pair);
            (pair != [0, 0]).then(|| {
                known.unwrap_or_else(|| {
                    words.push(pair);
                    words.len() - 1
                })
            })
        })
    };
    let before = planes(&|sbox| circuits.from_field.apply(sbox.before.constant));
    let after = planes(&|sbox| sbox.after.constant);
    let rows = LayerRows { before: indices(before), after: indices(after) };
    let constant_rows = [("SL1", "odd"), ("SL2", "even")].into_iter().enumerate();
    let constant_rows = constant_rows.map(|(i, (name, rounds))| {
        let doc = format!(
            "{name}, in {rounds} rounds: the positions of X1, X2, S1 and S2, and further sets of \
             positions where constants of their affine maps have a bit."
        );
        ConstantRow { name, doc, words: words.iter().map(|word| word[i]).collect(), hidden: false }
    });
    (rows, constant_rows.collect())
}

/// The three exchanges that turn bit k of word w's bytes into bit w of word k's bytes, and back.
fn transpose() -> Routine<WordOp> {
    let doc =
        "Bytes to planes, and back: bit w of byte j of word k becomes bit k of byte j of word w.";
    let mut routine = Routine::new("transpose", doc);
    let mut words = params(&mut routine, "w", PLANES);
    for (distance, mask) in [(4, 0x0f), (2, 0x33), (1, 0x55)] {
        routine.step(format!("Exchange bits {distance} apart with words {distance} apart"));
        let mask = u64::from_ne_bytes([mask; 8]);
        let by = u32::try_from(distance).expect("at most 4");
        for low in (0..PLANES).filter(|w| w & distance == 0) {
            push_exchange(&mut routine, &mut words, [low, low + distance], (by, mask), "w");
        }
    }
    routine.set_results(words);
    routine
}

fn substitute(circuits: &SboxCircuits, rows: &LayerRows) -> Routine<WordOp> {
    let doc = "A substitution layer, RFC 5794 section 2.4.2: one field inversion, in the basis of a \
               tower of fields, with what X1 and X2 do before it and S1 and S2 after it at the \
               positions of each.";
    let mut routine = Routine::new("substitute", doc);
    let planes = params(&mut routine, "p", PLANES);
    let planes = push_selected(&mut routine, &circuits.before, ["x1", "x2"], 0, &planes);
    let planes = push_constants(&mut routine, &rows.before, ["X1", "X2"], &planes);
    routine.step("The field inversion");
    let inverse =
        push_circuit(&mut routine, &circuits.inversion, &planes, "t", |i| format!("v{i}"));
    let inverse: Vec<Value> = inverse.into_iter().map(|v| v.expect("no zero output")).collect();
    let results = push_selected(&mut routine, &circuits.after, ["s1", "s2"], 2, &inverse);
    let results = push_constants(&mut routine, &rows.after, ["S1", "S2"], &results);
    routine.set_results(results);
    routine
}

/// Changes the basis and adds what each of two S-boxes adds at its positions; their masks are words
/// `first_mask` and the next of the row.
fn push_selected(
    routine: &mut Routine<WordOp>,
    circuit: &Circuit,
    sboxes: [&str; 2],
    first_mask: usize,
    planes: &[Value],
) -> Vec<Value> {
    let [a, b] = sboxes.map(str::to_uppercase);
    routine.step(format!("The basis changed, and what {a} and {b} add to that"));
    let name = |i: usize| match i / PLANES {
        0 => format!("p{i}"),
        which => format!("{}_{}", sboxes[which - 1], i % PLANES),
    };
    let outputs = push_circuit(routine, circuit, planes, "t", name);
    let (plain, added) = outputs.split_at(PLANES);
    let mut results: Vec<Value> = plain.iter().map(|v| v.expect("a permutation")).collect();
    for (number, sbox) in sboxes.into_iter().enumerate() {
        routine.step(format!("The positions of {}", sbox.to_uppercase()));
        let mask = row_word(routine, &format!("{sbox}_mask"), first_mask + number);
        for (i, plane) in results.iter_mut().enumerate() {
            if let Some(value) = added[PLANES * number + i] {
                let masked = routine.push("t", WordOp::And, &[value, mask]);
                *plane = routine.push(format!("p{i}"), WordOp::Xor, &[*plane, masked]);
            }
        }
    }
    results
}

/// Adds the constants of the affine maps.
fn push_constants(
    routine: &mut Routine<WordOp>,
    rows: &[Option<usize>; PLANES],
    sboxes: [&str; 2],
    planes: &[Value],
) -> Vec<Value> {
    routine.step(format!("The constants of {} and {}", sboxes[0], sboxes[1]));
    let planes = planes.iter().enumerate().map(|(i, plane)| match rows[i] {
        Some(index) => {
            let constant = row_word(routine, &format!("c{i}"), index);
            routine.push(format!("p{i}"), WordOp::Xor, &[*plane, constant])
        }
        None => *plane,
    });
    planes.collect()
}

/// Appends `circuit` on words; `names` names its outputs.
fn push_circuit(
    routine: &mut Routine<WordOp>,
    circuit: &Circuit,
    inputs: &[Value],
    gate_name: &str,
    names: impl Fn(usize) -> String,
) -> Vec<Option<Value>> {
    let mut values = inputs.to_vec();
    for gate in circuit.gates() {
        let args = gate.operands.map(|wire| values[wire.0]);
        let op = match gate.kind {
            GateKind::Xor => WordOp::Xor,
            GateKind::And => WordOp::And,
        };
        let output = circuit.outputs().iter().position(|w| w.is_some_and(|w| w.0 == values.len()));
        let name = output.map_or_else(|| gate_name.to_owned(), &names);
        values.push(routine.push(name, op, &args));
    }
    circuit.outputs().iter().map(|wire| wire.map(|wire| values[wire.0])).collect()
}

fn diffuse() -> Routine<WordOp> {
    let doc = "A, the diffusion layer, RFC 5794 section 2.4.3, and a round key: to each bit the sums \
               over its row and its column of the grid.";
    let mut routine = Routine::new("diffuse", doc);
    let planes = params(&mut routine, "p", PLANES);
    let mut results = Vec::new();
    for (i, &p) in planes.iter().enumerate() {
        routine.step(format!("Plane {i}"));
        let row = push_nibble_sums(&mut routine, p);
        // Four rows are the quarters of the word; every quarter gets their sum.
        let turned = routine.push("t", WordOp::RotateRight { by: 16 }, &[p]);
        let halves = routine.push("t", WordOp::Xor, &[p, turned]);
        let turned = routine.push("t", WordOp::RotateRight { by: 32 }, &[halves]);
        let column = routine.push("c", WordOp::Xor, &[halves, turned]);
        let key = row_word(&mut routine, "k", i);
        let y = routine.push("t", WordOp::Xor, &[p, key]);
        let y = routine.push("t", WordOp::Xor, &[y, row]);
        results.push(routine.push(format!("y{i}"), WordOp::Xor, &[y, column]));
    }
    routine.set_results(results);
    routine
}

/// The sum of the four columns, which are the bits of a nibble, in each of its bits.
pub(super) fn push_nibble_sums(routine: &mut Routine<WordOp>, p: Value) -> Value {
    let shifted = routine.push("t", WordOp::ShiftRight { by: 2 }, &[p]);
    let halves = routine.push("t", WordOp::Xor, &[p, shifted]);
    let shifted = routine.push("t", WordOp::ShiftRight { by: 1 }, &[halves]);
    let sum = routine.push("t", WordOp::Xor, &[halves, shifted]);
    let lowest = WordOp::AndMask { mask: 0x1111_1111_1111_1111 };
    let sum = routine.push("t", lowest, &[sum]);
    push_copies(routine, sum, [1, 2], "r")
}

/// Copies a bit of four, then both of these, upwards.
pub(super) fn push_copies(
    routine: &mut Routine<WordOp>,
    mut word: Value,
    distances: [u32; 2],
    name: &str,
) -> Value {
    for (by, name) in distances.into_iter().zip(["t", name]) {
        let shifted = routine.push("t", WordOp::ShiftLeft { by }, &[word]);
        word = routine.push(name, WordOp::Or, &[word, shifted]);
    }
    word
}

fn spread() -> Routine<WordOp> {
    let doc = "A round key's planes, of 16 bits each, to eight words, each with four copies of a \
               plane: one for each block.";
    let mut routine = Routine::new("spread", doc);
    let words = params(&mut routine, "w", 2);
    let mut results = Vec::new();
    for plane in 0..PLANES {
        routine.step(format!("Plane {plane}"));
        let by = 16 * u32::try_from(plane / 2).expect("below 4");
        let mut word = words[plane % 2];
        if by != 0 {
            word = routine.push("t", WordOp::ShiftRight { by }, &[word]);
        }
        word = routine.push("t", WordOp::AndMask { mask: 0xffff }, &[word]);
        for (by, mask) in [(24, 0x0000_00ff_0000_00ff), (12, 0x000f_000f_000f_000f)] {
            let shifted = routine.push("t", WordOp::ShiftLeft { by }, &[word]);
            let both = routine.push("t", WordOp::Or, &[word, shifted]);
            word = routine.push("t", WordOp::AndMask { mask }, &[both]);
        }
        results.push(push_copies(&mut routine, word, [4, 8], &format!("k{plane}")));
    }
    routine.set_results(results);
    routine
}
