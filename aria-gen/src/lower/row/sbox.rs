//! S-boxes on a lane: in which shape each unit wants a block, and what it leaves.
//!
//! *GFNI*: a matrix belongs to half a lane, so places are ordered such that each half has one S-box
//! without an inner map and one without an outer map: even columns in the lower half, odd ones in the
//! upper. Then one instruction computes all S-boxes of the first kind, two those of the second.
//! Constants are left out: what is added after the inversion is known of the result, what is added
//! before it is wanted of the operand, B·x + b = B·(x + B⁻¹·b).
//!
//! *AES instructions*: AESENCLAST and AESDECLAST on the whole lane, after and before affine maps by
//! nibbles, give each of the four S-boxes on every byte; the diffusion layer's shuffles pick those
//! that are wanted, and undo ShiftRows.

use super::super::writer::{Writer, aes_affine, push_nibbles};
use super::{Known, Lowering, Part, Shape, identity_rows, ready};
use crate::ir::{Constant, ConstantData, MachineOp, Span, Value, shift_rows};
use crate::isa::Unit;
use crate::lower::LowerError;
use crate::math::{BitMatrix, Sbox};

/// The shape in which the unit wants a block to substitute.
pub(super) fn shape_for(unit: Unit, sboxes: [Sbox; 4]) -> Result<Shape, LowerError> {
    match unit {
        Unit::Aesni | Unit::Vaes => Ok(Shape::plain()),
        Unit::Gfni => {
            let mut offset = [0; 16];
            for (byte, offset) in offset.iter_mut().enumerate() {
                let sbox = sboxes[byte % 4];
                let undo = sbox.before.matrix.inverse().ok_or(no_route(sbox, unit))?;
                *offset = undo.apply(sbox.before.constant);
            }
            let order = core::array::from_fn(|place| (2 * (place % 8) + place / 8) as u8);
            Ok(Shape { name: "EVENS_FIRST", order, offset })
        }
    }
}

fn no_route(sbox: Sbox, unit: Unit) -> LowerError {
    LowerError::NoRoute { sbox: sbox.name, unit }
}

impl Lowering<'_> {
    /// S-box i mod 4 on byte i of a block that lies in `shape`, as [`shape_for`] says.
    pub(super) fn substitute(
        &mut self,
        role: &str,
        value: Value,
        ready: u32,
        shape: Shape,
        sboxes: [Sbox; 4],
    ) -> Result<Known, LowerError> {
        match self.target.unit {
            Unit::Gfni => self.substitute_gfni(role, value, ready, shape, sboxes),
            Unit::Aesni | Unit::Vaes => self.substitute_aes(role, value, ready, sboxes),
        }
    }

    fn substitute_gfni(
        &mut self,
        role: &str,
        value: Value,
        ready: u32,
        shape: Shape,
        sboxes: [Sbox; 4],
    ) -> Result<Known, LowerError> {
        let is_plain_inside = |sbox: &Sbox| sbox.before.is_identity();
        // The S-boxes of each half: one without an inner map, one without an outer map.
        let mut halves = Vec::new();
        for half in 0..2 {
            let [first, second] = [sboxes[half], sboxes[half + 2]];
            let (s, x) = if is_plain_inside(&first) { (first, second) } else { (second, first) };
            if !is_plain_inside(&s) {
                return Err(no_route(s, self.target.unit));
            }
            if !x.after.is_identity() {
                return Err(no_route(x, self.target.unit));
            }
            halves.push((s, x));
        }
        let pair = |of: fn(&(Sbox, Sbox)) -> BitMatrix| {
            ConstantData::MatrixPair([of(&halves[0]), of(&halves[1])])
        };
        let after = self.push_constant(Constant {
            name: "S_AFTER".to_owned(),
            doc: "The matrices of S1 and S2 after the field inversion.".to_owned(),
            data: pair(|(s, _)| s.after.matrix),
        });
        let before = self.push_constant(Constant {
            name: "X_BEFORE".to_owned(),
            doc: "The matrices of X1 and X2 before the field inversion.".to_owned(),
            data: pair(|(_, x)| x.before.matrix),
        });
        let identity = self.push_constant(Constant {
            name: "IDENTITY".to_owned(),
            doc: "The identity, for a field inversion with nothing after it.".to_owned(),
            data: ConstantData::Matrix(BitMatrix::IDENTITY),
        });
        let invert = MachineOp::AffineInverse { constant: 0 };
        let affine = MachineOp::Affine { constant: 0 };
        let s = self.push(&format!("{role}_s"), invert.clone(), &[value, after]);
        let inner = self.push(&format!("{role}_inner"), affine, &[value, before]);
        let x = self.push(&format!("{role}_x"), invert, &[inner, identity]);
        let holds = |plain_inside: bool| {
            shape.order.map(|byte| {
                let sbox = &sboxes[usize::from(byte) % 4];
                (is_plain_inside(sbox) == plain_inside).then_some(byte)
            })
        };
        let parts = vec![
            Part { value: s, name: "s".to_owned(), holds: holds(true), ready: ready + ready::UNIT },
            Part {
                value: x,
                name: "x".to_owned(),
                holds: holds(false),
                ready: ready + 2 * ready::UNIT,
            },
        ];
        let constant = core::array::from_fn(|byte| sboxes[byte % 4].after.constant);
        Ok(Known::Spread { parts, rows: identity_rows(), constant })
    }

    fn substitute_aes(
        &mut self,
        role: &str,
        value: Value,
        ready: u32,
        sboxes: [Sbox; 4],
    ) -> Result<Known, LowerError> {
        let aes = aes_affine();
        let undone = aes.inverse().ok_or(no_route(sboxes[0], self.target.unit))?;
        let zero = self.push_constant(Constant {
            name: "ZERO".to_owned(),
            doc: "No round key for AES instructions.".to_owned(),
            data: ConstantData::Bytes([0; 16]),
        });
        let span = Span::Vector;
        let encrypt = MachineOp::AesEncryptLast { span };
        let decrypt = MachineOp::AesDecryptLast { span };
        let from = shift_rows();
        let mut back = [0; 16];
        for (place, &source) in from.iter().enumerate() {
            back[usize::from(source)] = place as u8;
        }
        // One AESENCLAST serves all S-boxes without an inner map.
        let mut encrypted = None;
        let mut parts = Vec::new();
        for (column, sbox) in sboxes.into_iter().enumerate() {
            let role = format!("{role}_{}", sbox.name);
            let (value, ready, rows) = if sbox.before.is_identity() {
                let all = match encrypted {
                    Some(all) => all,
                    None => self.push(&format!("{role}_aes"), encrypt.clone(), &[value, zero]),
                };
                encrypted = Some(all);
                let outer = sbox.after.after(undone);
                if outer.is_identity() {
                    (all, ready + ready::UNIT, from)
                } else {
                    let value = push_nibbles(self, sbox.name, outer, &role, all);
                    (value, ready + 2 * ready::UNIT, from)
                }
            } else if sbox.after.is_identity() {
                // X(y) = before(y)⁻¹, and AESDECLAST of z is (a⁻¹(z))⁻¹: so z = a(before(y)).
                let first = aes.after(sbox.before);
                let (value, ready) = if first.is_identity() {
                    (value, ready)
                } else {
                    let inner = format!("{role}_inner");
                    let value = push_nibbles(self, sbox.name, first, &inner, value);
                    (value, ready + ready::UNIT)
                };
                let value = self.push(&role, decrypt.clone(), &[value, zero]);
                (value, ready + ready::UNIT, back)
            } else {
                return Err(no_route(sbox, self.target.unit));
            };
            let holds = rows.map(|byte| (usize::from(byte) % 4 == column).then_some(byte));
            parts.push(Part { value, name: sbox.name.to_owned(), holds, ready });
        }
        Ok(Known::Spread { parts, rows: identity_rows(), constant: [0; 16] })
    }
}
