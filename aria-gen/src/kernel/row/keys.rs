//! Builds ARIA's key schedule, RFC 5794 section 2.2, in the row layout.
//!
//! A batch is one master key: KL and KR, 32 bytes, which a caller pads with zeros. The three rounds
//! that make W0 to W3 are rounds of the cipher under the constants CK1 to CK3, which come in place
//! of round keys, in the order that the key's size asks for. Then follow all round keys that a key of
//! any size may need: ek1 to ek17, and the image of each under the diffusion layer, of which
//! decryption keys are made. How many there are, and the order for decryption, is the caller's part;
//! so one kernel serves all sizes and has no branch at all.

use super::Shape;
use crate::ir::{AbstractOp, Call, Control, KeyRef, Program, Routine, RoutineId, Value};
use crate::kernel::KernelId;
use crate::spec::aria::{self, KEY_ROTATIONS, Layer, MAX_ROUND_KEYS};

/// Blocks of a padded master key.
const MASTER_BLOCKS: usize = 2;

/// The abstract program of an ARIA key schedule.
///
/// `id.width` must be one lane and `id.blocks` one; `kernel::matrix` sees to it.
#[must_use]
pub fn build_keys(id: KernelId) -> Program<AbstractOp> {
    let shape = Shape { vector_bytes: id.width.bytes(), registers: 1 };
    let layers = [Layer::Sl1, Layer::Sl2, Layer::Sl1];
    let mut routines = vec![load(shape)];
    routines.extend(layers.iter().zip(1..).map(|(layer, number)| stir(shape, *layer, number)));
    routines.push(expand());
    let on_words = |routine, key| Call {
        routine: RoutineId(routine),
        arg: Some("w"),
        key,
        result: Some("w"),
        times: 1,
    };
    let mut batch = vec![Control::Call(Call { arg: None, ..on_words(0, None) })];
    batch.extend((0..3).map(|i| Control::Call(on_words(1 + i, Some(KeyRef::Nth(i))))));
    batch.push(Control::Call(Call { result: None, ..on_words(4, None) }));
    Program {
        vector_bytes: shape.vector_bytes,
        batch_bytes: MASTER_BLOCKS * aria::BLOCK_BYTES,
        output_bytes: 2 * MAX_ROUND_KEYS * aria::BLOCK_BYTES,
        overlap: 0,
        counter: None,
        constants: Vec::new(),
        routines,
        entry: vec![Control::EachBatch(batch)],
    }
}

fn load(shape: Shape) -> Routine<AbstractOp> {
    let mut routine = Routine::new("load", "Loads KL, which is W0, and KR.");
    let halves = [("kl", 0), ("kr", shape.vector_bytes)];
    let halves = halves.map(|(role, offset)| routine.push(role, AbstractOp::Load { offset }, &[]));
    routine.set_results(halves.to_vec());
    routine
}

/// W`number`, from the words before it and, for W1, KR.
fn stir(shape: Shape, layer: Layer, number: usize) -> Routine<AbstractOp> {
    let function = if layer == Layer::Sl1 { "FO" } else { "FE" };
    let other = match number {
        1 => "KR".to_owned(),
        n => format!("W{}", n - 2),
    };
    let doc = format!("W{number} = {function}(W{}, CK{number}) ^ {other}.", number - 1);
    let mut routine = Routine::new(format!("make_w{number}"), doc);
    let mut words: Vec<Value> = (0..number).map(|i| routine.param(format!("w{i}"))).collect();
    let addend = match number {
        1 => routine.param("kr"),
        n => words[n - 2],
    };
    let added = shape.push_add_round_key(&mut routine, &words[number - 1..]);
    let substituted = shape.push_substitution(&mut routine, layer, &added);
    routine.step("A");
    let rows = core::array::from_fn(aria::diffusion_mask);
    let diffused = routine.push("d", AbstractOp::XorWithinLane(rows), &substituted);
    let sum = AbstractOp::XorSelected { mask: 0b11 };
    words.push(routine.push(format!("w{number}"), sum, &[diffused, addend]));
    routine.set_results(words);
    routine
}

/// All round keys, from W0 to W3.
fn expand() -> Routine<AbstractOp> {
    let doc = "Stores ek1 to ek17, then A(ek1) to A(ek17).";
    let mut routine = Routine::new("expand", doc);
    let words: [Value; 4] = core::array::from_fn(|i| routine.param(format!("w{i}")));
    let rows = core::array::from_fn(aria::diffusion_mask);
    for i in 0..MAX_ROUND_KEYS {
        let (first, second, bits) = (i % 4, (i + 1) % 4, KEY_ROTATIONS[i / 4]);
        let number = i + 1;
        routine.step(format!("ek{number} = W{first} ^ (W{second} >>> {bits}), and A of it"));
        let turned = AbstractOp::RotateLane { bits };
        let turned = routine.push(format!("r{number}"), turned, &[words[second]]);
        let sum = AbstractOp::XorSelected { mask: 0b11 };
        let key = routine.push(format!("ek{number}"), sum, &[words[first], turned]);
        let offset = i * aria::BLOCK_BYTES;
        routine.push_store(AbstractOp::Store { offset }, &[key]);
        let image = AbstractOp::XorWithinLane(rows);
        let image = routine.push(format!("dk{number}"), image, &[key]);
        let offset = (MAX_ROUND_KEYS + i) * aria::BLOCK_BYTES;
        routine.push_store(AbstractOp::Store { offset }, &[image]);
    }
    routine
}
