//! One tiny program for each row of the instruction table, to hold the model against silicon.
//!
//! A probe loads its operands one after the other, applies one instruction and stores the result.
//! The emitter writes the same programs as functions, so that a test can compare the interpreter
//! with the CPU, through the emitter and the compiler, row by row.

use crate::ir::{
    Arity, Constant, ConstantData, Form, MachineOp, Operation, Program, Routine, Span, Value,
};
use crate::isa::{Isa, ROWS, Row, Tier};
use crate::math::BitMatrix;

/// A probe.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The row.
    pub row: &'static Row,
    /// A target that has the row.
    pub isa: Isa,
    /// One routine, named after form, immediates, encoding and width; `batch_bytes` is what it
    /// reads. It has no entry.
    pub program: Program<MachineOp>,
}

/// A constant that no symmetry hides: its rows are all different and none is a shifted other.
const SKEWED: BitMatrix = BitMatrix::from_rows([0x01, 0x3a, 0xc5, 0x77, 0x92, 0xee, 0x48, 0xb3]);

/// Another.
const OTHER: BitMatrix = BitMatrix::from_rows([0x80, 0x1d, 0x6a, 0xf7, 0x35, 0x09, 0xb2, 0x5c]);

/// Every probe, in the order of the table.
#[must_use]
pub fn probes() -> Vec<Probe> {
    ROWS.iter().flat_map(|row| operations(row.form).into_iter().map(|op| probe(row, op))).collect()
}

/// The operations by which a form is tried.
fn operations(form: Form) -> Vec<MachineOp> {
    // Each bit of the immediate is set in one and clear in the other.
    let constants = [0x2c, 0xd3];
    let span = Span::Vector;
    match form {
        Form::Load => vec![MachineOp::Load { offset: 0 }],
        // Every probe stores its result; the probe of joined lanes takes them apart first.
        Form::Store | Form::LaneLow | Form::LaneHigh => Vec::new(),
        // The same function of a word as the probe of a key's word.
        Form::CounterSplat32 => Vec::new(),
        Form::KeySplat32 => [0, 15].map(|index| MachineOp::KeySplat32 { index, span }).to_vec(),
        // A round key of bytes is filled into a register as a constant is, by the same function.
        Form::KeyLanes => Vec::new(),
        Form::Matrix => vec![MachineOp::Matrix { id: 0 }],
        Form::Bytes => vec![MachineOp::Bytes { id: 1 }],
        Form::MatrixPair => vec![MachineOp::MatrixPair { id: 2 }],
        Form::And => vec![MachineOp::And],
        Form::Add8 => vec![MachineOp::Add8],
        Form::AddSaturating8 => vec![MachineOp::AddSaturating8],
        Form::SubtractSaturating8 => vec![MachineOp::SubtractSaturating8],
        Form::ShiftLeft16 => vec![MachineOp::ShiftLeft16 { count: 3 }],
        Form::ShiftRight16 => vec![MachineOp::ShiftRight16 { count: 4 }],
        Form::ShuffleBytes => vec![MachineOp::ShuffleBytes],
        Form::AesEncryptLast => vec![MachineOp::AesEncryptLast { span }],
        Form::AesDecryptLast => vec![MachineOp::AesDecryptLast { span }],
        Form::JoinLanes => vec![MachineOp::JoinLanes],
        Form::Xor => vec![MachineOp::Xor],
        Form::Xor3 => vec![MachineOp::Xor3],
        Form::UnpackLow8 => vec![MachineOp::UnpackLow8],
        Form::UnpackHigh8 => vec![MachineOp::UnpackHigh8],
        Form::Affine => constants.map(|constant| MachineOp::Affine { constant }).to_vec(),
        Form::AffineInverse => {
            constants.map(|constant| MachineOp::AffineInverse { constant }).to_vec()
        }
    }
}

fn probe(row: &'static Row, op: MachineOp) -> Probe {
    let vector_bytes = row.width.bytes();
    let tier = Tier::ALL
        .iter()
        .copied()
        .find(|tier| tier.encoding() == row.encoding && tier.widest() >= row.width);
    let isa = Isa { tier: tier.expect("each encoding has a tier"), width: row.width };
    let Arity::Exactly(operands) = op.arity() else {
        unreachable!("machine operations have fixed arities");
    };
    let name = format!("{} {} {}", op, row.encoding.name(), row.width.name());
    let name = name.to_lowercase().replace(' ', "_");
    let mut routine = Routine::new(name, format!("`{}`: {op}.", row.mnemonic));
    let args: Vec<Value> = (0..operands)
        .map(|i| {
            let offset = i * vector_bytes;
            routine.push(format!("a{i}"), MachineOp::Load { offset }, &[])
        })
        .collect();
    let args = match op {
        // The lower lane of the first operand above the upper lane of the second.
        MachineOp::JoinLanes => vec![
            routine.push("low", MachineOp::LaneLow, &args[..1]),
            routine.push("high", MachineOp::LaneHigh, &args[1..]),
        ],
        _ => args,
    };
    let result = routine.push("r", op, &args);
    routine.push_store(MachineOp::Store { offset: 0 }, &[result]);
    let program = Program {
        vector_bytes,
        overlap: 0,
        counter: None,
        batch_bytes: operands.max(1) * vector_bytes,
        output_bytes: vector_bytes,
        constants: vec![
            Constant {
                name: "SKEWED".to_owned(),
                doc: "A matrix without symmetry.".to_owned(),
                data: ConstantData::Matrix(SKEWED),
            },
            Constant {
                name: "COUNTED".to_owned(),
                doc: "Sixteen different bytes.".to_owned(),
                data: ConstantData::Bytes(core::array::from_fn(|i| 0xf0 - 13 * i as u8)),
            },
            Constant {
                name: "SKEWED_PAIR".to_owned(),
                doc: "Two matrices without symmetry.".to_owned(),
                data: ConstantData::MatrixPair([SKEWED, OTHER]),
            },
        ],
        routines: vec![routine],
        entry: Vec::new(),
    };
    Probe { row, isa, program }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_probe_and_names_are_unique() {
        let probes = probes();
        for row in ROWS {
            let found = probes.iter().any(|p| core::ptr::eq(p.row, row));
            let by_others = matches!(
                row.form,
                Form::Store
                    | Form::LaneLow
                    | Form::LaneHigh
                    | Form::KeyLanes
                    | Form::CounterSplat32
            );
            assert!(found || by_others, "{row:?}");
        }
        let mut names: Vec<_> = probes.iter().map(|p| p.program.routines[0].name()).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn a_probe_uses_the_row_that_it_is_for() {
        for probe in probes() {
            let row = probe.isa.row(probe.row.form).expect("the probe's target has its row");
            assert!(core::ptr::eq(row, probe.row), "{:?}", probe.row);
        }
    }
}
