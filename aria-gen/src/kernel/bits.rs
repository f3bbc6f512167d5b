//! Builds ARIA on 64-bit words, bit-sliced: word k of the state holds bit k of 64 bytes, the bytes
//! of four blocks.
//!
//! RFC 5794, sections 2.2 and 2.4. Nothing is looked up: S-boxes are circuits of ANDs and XORs
//! (`circuit`), all four of them around one field inversion, and masks choose by position what comes
//! before and after it. Bits of a byte are in the basis of a tower field all the way, so that the
//! inversion needs no change of basis; the linear layers treat all bits alike and do not notice.
//!
//! **Positions.** The diffusion layer is, up to a permutation, a sum over rows and columns of a grid
//! of 4×4 bytes (`grid`). Bit 16·row + 4·block + column of a word is one byte of one block, so sums over
//! rows are rotations of the word, sums over columns stay within nibbles. The permutation is not done
//! at all: a byte's result stays where the sum was computed, and the next round finds the bytes in
//! other places, which changes nothing but its masks. After two rounds they are back.
//!
//! **Constants** of the S-boxes' affine maps are added to the round keys when those are expanded:
//! what a substitution adds after the inversion passes the diffusion layer and meets the next key,
//! and so does what the next one adds before its inversion.
//!
//! **One block** takes the same way, the other three being zeros.

mod grid;

use crate::circuit::{Circuit, CircuitError, GateKind, SboxCircuits};
use crate::ir::word::{
    ConstantRow, Flow, Places, RowRef, STATE_WORDS, WordCall, WordEntry, WordOp, WordProgram,
};
use crate::ir::{Routine, Value};
use crate::kernel::KernelId;
use crate::spec::aria::{self, Block, Layer};
use grid::{GRID_COLUMNS, Layout, layouts};

/// Blocks in the words.
const BLOCKS: usize = 4;

/// Numbers of the routines in [`WordProgram::routines`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitsRoutine {
    /// Bytes to planes.
    Slice = 0,
    /// Adds a row.
    Add = 1,
    /// A substitution layer.
    Substitute = 2,
    /// The diffusion layer, and a row.
    Diffuse = 3,
    /// Planes to bytes.
    Unslice = 4,
    /// The first block's bits to all blocks.
    Spread = 5,
    /// Every block's bits to the block before it.
    NextBlock = 6,
}

/// Why the program cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BitsError {
    /// A circuit is wrong.
    #[error(transparent)]
    Circuit(#[from] CircuitError),
    /// The diffusion layer is no sum over a grid.
    #[error("the diffusion layer is no sum over rows and columns of a grid")]
    Grid,
}

/// The program of an ARIA kernel on bit planes: the block function, FO and FE for the key schedule.
///
/// # Errors
///
/// When the derived circuits or positions are wrong: a fault of the derivation.
pub fn build_bits(id: KernelId) -> Result<WordProgram, BitsError> {
    let circuits = SboxCircuits::derive(aria::s1(), aria::s2(), aria::x1(), aria::x2())?;
    let [odd, even] = layouts().ok_or(BitsError::Grid)?;
    let parts = Parts { circuits: &circuits, odd, even };
    Ok(WordProgram {
        batch_bytes: BLOCKS * aria::BLOCK_BYTES,
        places: parts.places(),
        rows: parts.rows(),
        routines: vec![
            slice(&circuits),
            add(),
            substitute(&circuits),
            diffuse(),
            unslice(&circuits),
            spread(),
            next_block(),
        ],
        entries: entries(id),
    })
}

/// The circuits, and where bytes are before odd and before even rounds.
struct Parts<'a> {
    circuits: &'a SboxCircuits,
    odd: Layout,
    even: Layout,
}

/// Numbers of the constant rows; `Parts::rows` has the same order.
#[derive(Clone, Copy)]
enum Row {
    Sl1,
    Sl2,
    First,
    Last,
    BeforeFo,
    AfterFo,
    BeforeFe,
    AfterFe,
    Keys,
}

impl Parts<'_> {
    fn places(&self) -> Vec<(&'static str, String, Places)> {
        let (odd, even) = (&self.odd, &self.even);
        vec![
            (
                "ODD",
                "Where bytes are before odd rounds: bytes of a batch in the order of the words."
                    .to_owned(),
                places([odd, odd, odd, odd]),
            ),
            ("EVEN", "The same before even rounds.".to_owned(), places([even, even, even, even])),
            (
                "ALTERNATE",
                "The same for four consecutive round keys in place of blocks.".to_owned(),
                places([odd, even, odd, even]),
            ),
        ]
    }

    fn rows(&self) -> Vec<ConstantRow> {
        let row = |name, doc: &str, words| ConstantRow { name, doc: doc.to_owned(), words };
        let (odd, even) = (&self.odd, &self.even);
        let [sl1, sl2] = [Layer::Sl1, Layer::Sl2].map(Constants::of);
        let (after_fo, after_fe) = (aria::diffuse(&sl1.after), aria::diffuse(&sl2.after));
        let (to_odd, to_even) = (xor(&after_fe, &sl1.before), xor(&after_fo, &sl2.before));
        vec![
            row("SL1", "Positions of X1, X2, S1 and S2 in odd rounds.", masks(Layer::Sl1, odd)),
            row("SL2", "Positions of X1, X2, S1 and S2 in even rounds.", masks(Layer::Sl2, even)),
            row(
                "FIRST",
                "What the first round key holds beyond the constants before SL1: those of an even \
                 round before it, which is none.",
                self.planes([(odd, &after_fe); BLOCKS]),
            ),
            row(
                "LAST",
                "From the constants that the last round key holds to those after SL2.",
                self.planes([(even, &xor(&sl2.after, &to_even)); BLOCKS]),
            ),
            row(
                "BEFORE_FO",
                "The constants before SL1.",
                self.planes([(odd, &sl1.before); BLOCKS]),
            ),
            row(
                "AFTER_FO",
                "Those after SL1, through A.",
                self.planes([(even, &after_fo); BLOCKS]),
            ),
            row(
                "BEFORE_FE",
                "The constants before SL2.",
                self.planes([(even, &sl2.before); BLOCKS]),
            ),
            row("AFTER_FE", "Those after SL2, through A.", self.planes([(odd, &after_fe); BLOCKS])),
            row(
                "KEYS",
                "What is added to four consecutive round keys: the constants of the S-boxes around \
                 them.",
                self.planes([(odd, &to_odd), (even, &to_even), (odd, &to_odd), (even, &to_even)]),
            ),
        ]
    }

    /// The planes of four blocks, each in its layout.
    fn planes(&self, blocks: [(&Layout, &Block); BLOCKS]) -> Vec<u64> {
        let mut planes = vec![0; STATE_WORDS];
        for (block, (layout, bytes)) in blocks.into_iter().enumerate() {
            for (place, &byte) in layout.iter().enumerate() {
                let value = self.circuits.from_field.apply(bytes[usize::from(byte)]);
                for (k, plane) in planes.iter_mut().enumerate() {
                    *plane |= u64::from(value >> k & 1) << position(place, block);
                }
            }
        }
        planes
    }
}

/// The bit of a place of the grid, counted row by row, in one block.
fn position(place: usize, block: usize) -> usize {
    16 * (place / GRID_COLUMNS) + 4 * block + place % GRID_COLUMNS
}

/// Word w, byte j of the untransposed state becomes bit 8j + w of every plane.
fn places(layouts: [&Layout; BLOCKS]) -> Places {
    let mut places = [[0; 8]; STATE_WORDS];
    for (block, layout) in layouts.into_iter().enumerate() {
        for (place, &byte) in layout.iter().enumerate() {
            let bit = position(place, block);
            places[bit % 8][bit / 8] = aria::BLOCK_BYTES * block + usize::from(byte);
        }
    }
    places
}

/// The positions of X1, X2, S1 and S2.
fn masks(layer: Layer, layout: &Layout) -> Vec<u64> {
    let sboxes = [aria::x1(), aria::x2(), aria::s1(), aria::s2()];
    let mask = |sbox| {
        let places = (0..layout.len()).filter(|&p| layer.sbox(usize::from(layout[p])) == sbox);
        let bits = places.flat_map(|place| (0..BLOCKS).map(move |block| position(place, block)));
        bits.fold(0, |mask, bit| mask | 1 << bit)
    };
    sboxes.into_iter().map(mask).collect()
}

/// The constants of a layer's affine maps: what is added to its input, and to its output.
struct Constants {
    before: Block,
    after: Block,
}

impl Constants {
    fn of(layer: Layer) -> Self {
        // M·x + c = M·(x + M⁻¹·c), so that the constant can be added before the linear part.
        let before = |i| {
            let map = layer.sbox(i).before;
            map.matrix.inverse().expect("S-boxes are permutations").apply(map.constant)
        };
        Self {
            before: core::array::from_fn(before),
            after: core::array::from_fn(|i| layer.sbox(i).after.constant),
        }
    }
}

fn xor(a: &Block, b: &Block) -> Block {
    core::array::from_fn(|i| a[i] ^ b[i])
}

fn entries(id: KernelId) -> Vec<WordEntry> {
    use BitsRoutine::{Add, Diffuse, Slice, Substitute, Unslice};
    let call = |routine: BitsRoutine, row| WordCall { routine: routine as usize, row };
    let constant = |row: Row| RowRef::Constant(row as usize);
    let round = |layer| vec![call(Substitute, constant(layer)), call(Diffuse, RowRef::Turn)];
    let alone = |name: &str, before, layer, after, load, store| WordEntry {
        name: name.to_owned(),
        doc: format!(
            "{} of RFC 5794 section 2.4.1 without its key addition, on four blocks: for the key \
             schedule.",
            name.to_uppercase()
        ),
        load,
        flow: vec![
            Flow::Call(call(Slice, RowRef::None)),
            Flow::Call(call(Add, constant(before))),
            Flow::Call(call(Substitute, constant(layer))),
            Flow::Call(call(Diffuse, constant(after))),
            Flow::Call(call(Unslice, RowRef::None)),
        ],
        store,
    };
    vec![
        WordEntry {
            name: id.to_string(),
            doc: "Encrypts four blocks, or decrypts them, as `rk` says.".to_owned(),
            load: 0,
            flow: vec![
                Flow::Call(call(Slice, RowRef::None)),
                Flow::Call(call(Add, RowRef::First)),
                Flow::Call(call(Add, constant(Row::First))),
                Flow::AlternateRounds { odd: round(Row::Sl1), even: round(Row::Sl2) },
                Flow::Call(call(Substitute, constant(Row::Sl2))),
                Flow::Call(call(Add, RowRef::Last)),
                Flow::Call(call(Add, constant(Row::Last))),
                Flow::Call(call(Unslice, RowRef::None)),
            ],
            store: 1,
        },
        alone("fo", Row::BeforeFo, Row::Sl1, Row::AfterFo, 0, 1),
        alone("fe", Row::BeforeFe, Row::Sl2, Row::AfterFe, 1, 0),
    ]
}

/// The number of the places in which round keys are loaded, and of the row that is added to them.
pub const KEY_PLACES: usize = 2;

/// See [`KEY_PLACES`].
pub const KEY_ROW: usize = Row::Keys as usize;

fn params(routine: &mut Routine<WordOp>, prefix: &str) -> Vec<Value> {
    (0..STATE_WORDS).map(|i| routine.param(format!("{prefix}{i}"))).collect()
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

/// The three exchanges that turn bit k of word w's bytes into bit w of word k's bytes, and back.
fn push_transposition(routine: &mut Routine<WordOp>, words: &mut [Value], prefix: &str) {
    for (distance, mask) in [(4, 0x0f), (2, 0x33), (1, 0x55)] {
        routine.step(format!("Exchange bits {distance} apart with words {distance} apart"));
        let mask = u64::from_ne_bytes([mask; 8]);
        let by = u32::try_from(distance).expect("at most 4");
        for low in (0..STATE_WORDS).filter(|w| w & distance == 0) {
            let high = low + distance;
            let shifted = routine.push("t", WordOp::ShiftRight { by }, &[words[low]]);
            let different = routine.push("t", WordOp::Xor, &[shifted, words[high]]);
            let moved = routine.push("t", WordOp::AndMask { mask }, &[different]);
            words[high] =
                routine.push(format!("{prefix}{high}"), WordOp::Xor, &[words[high], moved]);
            let back = routine.push("t", WordOp::ShiftLeft { by }, &[moved]);
            words[low] = routine.push(format!("{prefix}{low}"), WordOp::Xor, &[words[low], back]);
        }
    }
}

fn push_basis(
    routine: &mut Routine<WordOp>,
    matrix: crate::math::BitMatrix,
    words: &[Value],
    prefix: &str,
) -> Vec<Value> {
    let circuit = crate::circuit::linear::derive_linear(8, &matrix.rows(), 16);
    let results = push_circuit(routine, &circuit, words, "t", |i| format!("{prefix}{i}"));
    results.into_iter().map(|v| v.expect("an invertible matrix has no zero row")).collect()
}

fn slice(circuits: &SboxCircuits) -> Routine<WordOp> {
    let doc = "Bytes to planes: bit w of byte j of plane k is bit k of byte j of word w, in the \
               basis of the tower field.";
    let mut routine = Routine::new("slice", doc);
    let mut words = params(&mut routine, "w");
    push_transposition(&mut routine, &mut words, "w");
    routine.step("To the basis of the tower field");
    let planes = push_basis(&mut routine, circuits.from_field, &words, "p");
    routine.set_results(planes);
    routine
}

fn unslice(circuits: &SboxCircuits) -> Routine<WordOp> {
    let mut routine = Routine::new("unslice", "Planes to bytes: what `slice` did, undone.");
    let planes = params(&mut routine, "p");
    routine.step("From the basis of the tower field");
    let mut words = push_basis(&mut routine, circuits.to_field, &planes, "w");
    push_transposition(&mut routine, &mut words, "w");
    routine.set_results(words);
    routine
}

fn add() -> Routine<WordOp> {
    let mut routine = Routine::new("add", "Adds a row of words.");
    let planes = params(&mut routine, "p");
    let results = planes.iter().enumerate().map(|(index, plane)| {
        let k = routine.push(format!("k{index}"), WordOp::Row { index }, &[]);
        routine.push(format!("y{index}"), WordOp::Xor, &[*plane, k])
    });
    let results = results.collect();
    routine.set_results(results);
    routine
}

fn substitute(circuits: &SboxCircuits) -> Routine<WordOp> {
    let doc = "A substitution layer, RFC 5794 section 2.4.2, without the constants of its affine \
               maps: one inversion, with what X1 and X2 do before it and S1 and S2 after it at the \
               positions of each.";
    let mut routine = Routine::new("substitute", doc);
    let planes = params(&mut routine, "p");
    let planes = push_selected(&mut routine, &circuits.before, ["x1", "x2"], 0, &planes);
    routine.step("The field inversion");
    let inverse =
        push_circuit(&mut routine, &circuits.inversion, &planes, "t", |i| format!("v{i}"));
    let inverse: Vec<Value> = inverse.into_iter().map(|v| v.expect("no zero output")).collect();
    let results = push_selected(&mut routine, &circuits.after, ["s1", "s2"], 2, &inverse);
    routine.set_results(results);
    routine
}

/// Adds, to the planes, what each of two S-boxes adds at its positions; their masks are words
/// `first_mask` and the next of the row.
fn push_selected(
    routine: &mut Routine<WordOp>,
    circuit: &Circuit,
    sboxes: [&str; 2],
    first_mask: usize,
    planes: &[Value],
) -> Vec<Value> {
    let [a, b] = sboxes.map(str::to_uppercase);
    routine.step(format!("What {a} and {b} add to a byte"));
    let name = |i: usize| format!("{}_{}", sboxes[i / 8], i % 8);
    let added = push_circuit(routine, circuit, planes, "t", name);
    let mut results = planes.to_vec();
    for (number, sbox) in sboxes.into_iter().enumerate() {
        routine.step(format!("The positions of {}", sbox.to_uppercase()));
        let index = first_mask + number;
        let mask = routine.push(format!("{sbox}_mask"), WordOp::Row { index }, &[]);
        for (i, plane) in results.iter_mut().enumerate() {
            if let Some(value) = added[8 * number + i] {
                let masked = routine.push("t", WordOp::And, &[value, mask]);
                *plane = routine.push(format!("p{i}"), WordOp::Xor, &[*plane, masked]);
            }
        }
    }
    results
}

fn diffuse() -> Routine<WordOp> {
    let doc = "A, the diffusion layer, RFC 5794 section 2.4.3, and a row of words: to each bit the \
               sums over its row and its column of the grid.";
    let mut routine = Routine::new("diffuse", doc);
    let planes = params(&mut routine, "p");
    let mut results = Vec::new();
    for (i, &p) in planes.iter().enumerate() {
        routine.step(format!("Plane {i}"));
        // Four columns are the bits of a nibble; their sum is made in the lowest, then copied.
        let shifted = routine.push("t", WordOp::ShiftRight { by: 2 }, &[p]);
        let halves = routine.push("t", WordOp::Xor, &[p, shifted]);
        let shifted = routine.push("t", WordOp::ShiftRight { by: 1 }, &[halves]);
        let sum = routine.push("t", WordOp::Xor, &[halves, shifted]);
        let lowest = WordOp::AndMask { mask: 0x1111_1111_1111_1111 };
        let sum = routine.push("t", lowest, &[sum]);
        let row = routine.push("r", WordOp::SpreadNibbles, &[sum]);
        // Four rows are the quarters of the word; every quarter gets their sum.
        let turned = routine.push("t", WordOp::RotateRight { by: 16 }, &[p]);
        let halves = routine.push("t", WordOp::Xor, &[p, turned]);
        let turned = routine.push("t", WordOp::RotateRight { by: 32 }, &[halves]);
        let column = routine.push("c", WordOp::Xor, &[halves, turned]);
        let key = routine.push("k", WordOp::Row { index: i }, &[]);
        let y = routine.push("t", WordOp::Xor, &[p, key]);
        let y = routine.push("t", WordOp::Xor, &[y, row]);
        results.push(routine.push(format!("y{i}"), WordOp::Xor, &[y, column]));
    }
    routine.set_results(results);
    routine
}

fn spread() -> Routine<WordOp> {
    let mut routine = Routine::new("spread", "Copies the first block to all four.");
    let planes = params(&mut routine, "p");
    let mut results = Vec::new();
    for (i, &p) in planes.iter().enumerate() {
        let first = WordOp::AndMask { mask: 0x000f_000f_000f_000f };
        let one = routine.push("t", first, &[p]);
        let shifted = routine.push("t", WordOp::ShiftLeft { by: 4 }, &[one]);
        let two = routine.push("t", WordOp::Xor, &[one, shifted]);
        let shifted = routine.push("t", WordOp::ShiftLeft { by: 8 }, &[two]);
        results.push(routine.push(format!("y{i}"), WordOp::Xor, &[two, shifted]));
    }
    routine.set_results(results);
    routine
}

fn next_block() -> Routine<WordOp> {
    let mut routine = Routine::new("next_block", "Makes the second block the first.");
    let planes = params(&mut routine, "p");
    let results = planes.iter().enumerate();
    let results =
        results.map(|(i, p)| routine.push(format!("y{i}"), WordOp::ShiftRight { by: 4 }, &[*p]));
    let results = results.collect();
    routine.set_results(results);
    routine
}

#[cfg(test)]
mod tests;
