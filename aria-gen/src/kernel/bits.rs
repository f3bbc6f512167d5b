//! Builds ARIA on 64-bit words, bit-sliced: bit planes of a batch's bytes.
//!
//! RFC 5794, sections 2.2 and 2.4. Nothing is looked up: S-boxes are circuits of ANDs, ORs and XORs
//! (`circuit`), all four of them around one field inversion, and masks choose by position what comes
//! before and after it.
//!
//! **Two shapes.** `wide` has a word for each of the eight planes, with a bit for each byte of
//! four blocks, and takes the fewest operations a block. `single` has four planes of one block
//! side by side in each of two words, so that one operation does the work of four: that takes the
//! fewest operations for one block alone.
//!
//! **Positions.** The diffusion layer is, up to a permutation, a sum over rows and columns of a grid
//! of 4×4 bytes (`grid`). The permutation is not done at all: a byte's result stays where the sum was
//! computed, and the next round finds the bytes in other places, which changes nothing but its masks.
//! After two rounds they are back. So there are two layouts, before odd and before even rounds, and
//! round keys are laid out to match.

mod grid;
mod single;
mod wide;

use crate::circuit::CircuitError;
use crate::ir::word::{
    ConstantRow, Flow, Places, RowRef, WordCall, WordEntry, WordOp, WordProgram,
};
use crate::ir::{Routine, Value};
use crate::kernel::KernelId;
use grid::{GRID_COLUMNS, Layout, layouts};

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
}

/// Numbers of the constant rows.
#[derive(Clone, Copy)]
enum Row {
    Sl1,
    Sl2,
    NoKey,
}

/// Numbers of the places.
#[derive(Clone, Copy)]
enum Place {
    Odd,
    Even,
    Key,
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

/// The program of an ARIA kernel on bit planes of one block or of four.
///
/// # Errors
///
/// When the derived circuits or positions are wrong: a fault of the derivation.
///
/// # Panics
///
/// When the cell has another number of blocks; the matrix has a rule about that.
pub fn build_bits(id: KernelId) -> Result<WordProgram, BitsError> {
    let layouts = layouts().ok_or(BitsError::Grid)?;
    match id.blocks {
        single::BLOCKS => Ok(single::build(id, layouts)),
        wide::BLOCKS => wide::build(id, layouts),
        blocks => panic!("the matrix lets {blocks} blocks through"),
    }
}

/// A round key's planes, 16 bytes: plane k is the 16 bits at byte 4·⌊k/2⌋ + … of
/// `single::position`, in the layout that the key is added in: that before odd rounds for keys with
/// even numbers, counted from 0, but for the last, which meets bytes as they are before even rounds.
///
/// # Panics
///
/// Never: the diffusion layer is known to have layouts.
#[must_use]
pub fn key_planes(raw: &[[u8; 16]]) -> Vec<[u8; 16]> {
    let [odd, even] = layouts().expect("the diffusion layer is a sum over a grid");
    let last = raw.len().saturating_sub(1);
    let planes = raw.iter().enumerate().map(|(turn, key)| {
        let layout = if turn == last || turn % 2 == 1 { even } else { odd };
        let mut planes = [0; 16];
        for (place, &byte) in layout.iter().enumerate() {
            for bit in 0..8 {
                let (word, at) = single::position(place, bit);
                planes[8 * word + at / 8] |= (key[usize::from(byte)] >> bit & 1) << (at % 8);
            }
        }
        planes
    });
    planes.collect()
}

/// A round key's eight planes, each repeated for four blocks, from its planes.
#[must_use]
pub fn spread_planes(planes: &[u8; 16]) -> Vec<u64> {
    let bit = |place, bit| {
        let (word, at) = single::position(place, bit);
        u64::from(planes[8 * word + at / 8] >> (at % 8) & 1)
    };
    let plane = |k| {
        let copies = (0..16).flat_map(|place| (0..wide::BLOCKS).map(move |block| (place, block)));
        copies.fold(0, |sum, (place, block)| sum | bit(place, k) << wide::position(place, block))
    };
    (0..8).map(plane).collect()
}

/// Loads, slices and adds the first key; rounds; the last round; unslices and stores.
fn cipher(id: KernelId, unslice: BitsRoutine) -> WordEntry {
    use BitsRoutine::{Add, Diffuse, Slice, Substitute};
    let round = |layer| vec![call(Substitute, constant(layer)), call(Diffuse, RowRef::Turn)];
    WordEntry {
        name: id.to_string(),
        doc: String::new(),
        load: Place::Odd as usize,
        flow: vec![
            Flow::Call(call(Slice, RowRef::None)),
            Flow::Call(call(Add, RowRef::First)),
            Flow::AlternateRounds { odd: round(Row::Sl1), even: round(Row::Sl2) },
            Flow::Call(call(Substitute, constant(Row::Sl2))),
            Flow::Call(call(Add, RowRef::Last)),
            Flow::Call(call(unslice, RowRef::None)),
        ],
        store: Place::Even as usize,
    }
}

fn call(routine: BitsRoutine, row: RowRef) -> WordCall {
    WordCall { routine: routine as usize, row }
}

fn constant(row: Row) -> RowRef {
    RowRef::Constant(row as usize)
}

fn params(routine: &mut Routine<WordOp>, prefix: &str, words: usize) -> Vec<Value> {
    (0..words).map(|i| routine.param(format!("{prefix}{i}"))).collect()
}

/// The row's word `index`.
fn row_word(routine: &mut Routine<WordOp>, name: &str, index: usize) -> Value {
    routine.push(name, WordOp::Row { index }, &[])
}

fn add(words: usize) -> Routine<WordOp> {
    let mut routine = Routine::new("add", "Adds a round key.");
    let planes = params(&mut routine, "p", words);
    let results = planes.iter().enumerate().map(|(index, plane)| {
        let k = row_word(&mut routine, &format!("k{index}"), index);
        routine.push(format!("y{index}"), WordOp::Xor, &[*plane, k])
    });
    let results = results.collect();
    routine.set_results(results);
    routine
}

/// The sum of a tree of values, pairs first, so that no long chain comes about.
fn push_sum(routine: &mut Routine<WordOp>, values: &[Value], name: &str) -> Value {
    let mut level = values.to_vec();
    while level.len() > 2 {
        let pairs = level.chunks(2).map(|pair| match *pair {
            [a, b] => routine.push("t", WordOp::Xor, &[a, b]),
            _ => pair[0],
        });
        level = pairs.collect();
    }
    match level[..] {
        [a, b] => routine.push(name, WordOp::Xor, &[a, b]),
        _ => level[0],
    }
}

/// Exchanges the bits that `mask` names in `low` with those `by` places further up in `high`, or in
/// the same word.
fn push_exchange(
    routine: &mut Routine<WordOp>,
    words: &mut [Value],
    [low, high]: [usize; 2],
    (by, mask): (u32, u64),
    name: &str,
) {
    let shifted = routine.push("t", WordOp::ShiftRight { by }, &[words[low]]);
    let different = routine.push("t", WordOp::Xor, &[shifted, words[high]]);
    let moved = routine.push("t", WordOp::AndMask { mask }, &[different]);
    words[high] = routine.push(format!("{name}{high}"), WordOp::Xor, &[words[high], moved]);
    let back = routine.push("t", WordOp::ShiftLeft { by }, &[moved]);
    words[low] = routine.push(format!("{name}{low}"), WordOp::Xor, &[words[low], back]);
}

#[cfg(test)]
mod tests;
