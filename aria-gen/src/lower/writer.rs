//! What the lowerings of all layouts share: a place to push instructions to, and the sequences that
//! do not care how blocks lie in registers.

use crate::ir::{Constant, ConstantData, Form, MachineOp, Value};
use crate::isa::Isa;
use crate::math::Affine;

/// A machine routine on its way.
pub(super) trait Writer {
    /// The target.
    fn isa(&self) -> Isa;

    /// Appends an operation that has a result.
    fn push(&mut self, role: &str, op: MachineOp, args: &[Value]) -> Value;

    /// The value of a constant, in the step of constants.
    fn push_constant(&mut self, constant: Constant) -> Value;
}

/// The operation that loads the constant number `id`.
pub(super) fn constant_op(constant: &Constant, id: usize) -> MachineOp {
    match constant.data {
        ConstantData::Matrix(_) => MachineOp::Matrix { id },
        ConstantData::MatrixPair(_) => MachineOp::MatrixPair { id },
        ConstantData::Bytes(_) => MachineOp::Bytes { id },
    }
}

/// FIPS 197, section 5.1.1: the affine map of the AES S-box.
pub(super) fn aes_affine() -> Affine {
    let map = |x: u8| {
        let rotated = (1..5).map(|count| x.rotate_left(count));
        rotated.fold(x, |sum, term| sum ^ term) ^ 0x63
    };
    Affine::from_fn(map).expect("a sum of rotations and a constant is affine")
}

/// An affine map of the S-box `name` by two look-ups of sixteen entries: one for each half of a byte.
pub(super) fn push_nibbles(
    to: &mut impl Writer,
    name: &str,
    map: Affine,
    role: &str,
    arg: Value,
) -> Value {
    let upper = name.to_uppercase();
    let table = |half: &str, entry: &dyn Fn(u8) -> u8| Constant {
        name: format!("{upper}_{}", half.to_uppercase()),
        doc: format!("The affine part of {upper}, by the {half} half of a byte."),
        data: ConstantData::Bytes(core::array::from_fn(|i| entry(i as u8))),
    };
    // The constant of the map goes with the low half.
    let low_table = to.push_constant(table("low", &|i| map.apply(i)));
    let high_table = to.push_constant(table("high", &|i| map.matrix.apply(i << 4)));
    let mask = to.push_constant(Constant {
        name: "LOW_HALVES".to_owned(),
        doc: "The lower half of each byte.".to_owned(),
        data: ConstantData::Bytes([0x0f; 16]),
    });
    let low = to.push(&format!("{role}_low"), MachineOp::And, &[arg, mask]);
    let shift = MachineOp::ShiftRight16 { count: 4 };
    let shifted = to.push(&format!("{role}_shifted"), shift, &[arg]);
    let high = to.push(&format!("{role}_high"), MachineOp::And, &[shifted, mask]);
    let look_up = MachineOp::ShuffleBytes;
    let low = to.push(&format!("{role}_of_low"), look_up.clone(), &[low_table, low]);
    let high = to.push(&format!("{role}_of_high"), look_up, &[high_table, high]);
    to.push(role, MachineOp::Xor, &[low, high])
}

/// The exclusive or of two or three operands.
pub(super) fn xor_of(operands: usize) -> MachineOp {
    if operands == 3 { MachineOp::Xor3 } else { MachineOp::Xor }
}

/// An exclusive or of values of which each is ready after so many cycles, three at a time where the
/// target can. The earliest meet first, so that the sum is ready as early as can be.
pub(super) fn push_sum_of_ready(
    to: &mut impl Writer,
    role: &str,
    mut addends: Vec<(u32, Value)>,
) -> (u32, Value) {
    let three = to.isa().has(Form::Xor3);
    while addends.len() > 1 {
        addends.sort_by_key(|(ready, _)| *ready);
        // With gates of three inputs an even number of addends wants one gate of two, the earliest.
        let count = if three && addends.len() % 2 == 1 { 3 } else { 2 };
        let now: Vec<(u32, Value)> = addends.drain(..count).collect();
        let ready = 1 + now.iter().map(|(ready, _)| *ready).max().unwrap_or(0);
        let operands: Vec<Value> = now.into_iter().map(|(_, value)| value).collect();
        let name = if addends.is_empty() { role.to_owned() } else { format!("{role}_sum") };
        addends.push((ready, to.push(&name, xor_of(operands.len()), &operands)));
    }
    addends[0]
}
