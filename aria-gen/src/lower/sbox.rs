//! How each unit computes an S-box, given as field inversion between two affine maps.
//!
//! *GFNI* (Intel SDM volume 2): GF2P8AFFINEINVQB inverts in the field of FIPS 197 and RFC 5794, then
//! applies a matrix and a constant; GF2P8AFFINEQB applies them alone. An S-box whose map before the
//! inversion is the identity is one instruction, any other two.
//!
//! *AES instructions*: AESENCLAST computes S(x) = a(x⁻¹) with FIPS 197's affine map a, AESDECLAST its
//! inverse. An S-box without a map before the inversion is an affine map after AESENCLAST; one
//! without a map after it is AESDECLAST after an affine map. Affine maps other than the identity
//! are looked up by nibbles. The instructions permute the bytes of a lane, which is left as it is
//! and noted, and add an operand: the round key, where the key form provides it so mapped that it
//! comes out of the rest of the round as the plain round key.

use super::LowerError;
use super::routine::Lowering;
use super::writer::{Writer, aes_affine, push_nibbles};
use crate::ir::{Constant, ConstantData, MachineOp, Span, Value};
use crate::isa::{Unit, Width};
use crate::math::{BitMatrix, Sbox};

impl Lowering<'_> {
    /// Computes `sbox` of `arg`, which is the lowered value of the abstract `from`.
    pub(super) fn push_sbox(
        &mut self,
        sbox: Sbox,
        role: &str,
        from: Value,
        arg: Value,
    ) -> Result<Value, LowerError> {
        match self.target.unit {
            Unit::Gfni => Ok(self.push_gfni(sbox, role, arg)),
            Unit::Aesni | Unit::Vaes => self.push_aes(sbox, role, from, arg),
        }
    }

    fn push_gfni(&mut self, sbox: Sbox, role: &str, arg: Value) -> Value {
        let name = sbox.name.to_uppercase();
        let mut value = arg;
        if !sbox.before.is_identity() {
            let matrix = self.push_constant(Constant {
                name: format!("{name}_BEFORE"),
                doc: format!("The matrix of {name} before the field inversion."),
                data: ConstantData::Matrix(sbox.before.matrix),
            });
            let op = MachineOp::Affine { constant: sbox.before.constant };
            value = self.push(&format!("{role}_inner"), op, &[value, matrix]);
        }
        let identity = sbox.after.matrix == BitMatrix::IDENTITY;
        let matrix = self.push_constant(Constant {
            name: if identity { "IDENTITY".to_owned() } else { format!("{name}_AFTER") },
            doc: if identity {
                "The identity, for a field inversion with nothing after it.".to_owned()
            } else {
                format!("The matrix of {name} after the field inversion.")
            },
            data: ConstantData::Matrix(sbox.after.matrix),
        });
        let op = MachineOp::AffineInverse { constant: sbox.after.constant };
        self.push(role, op, &[value, matrix])
    }

    fn push_aes(
        &mut self,
        sbox: Sbox,
        role: &str,
        from: Value,
        arg: Value,
    ) -> Result<Value, LowerError> {
        let no_route = || LowerError::NoRoute { sbox: sbox.name, unit: self.target.unit };
        let key = self.key_word(sbox, from)?;
        let inner = format!("{role}_inner");
        if sbox.before.is_identity() {
            let aes = aes_affine().inverse().ok_or_else(no_route)?;
            let outer = sbox.after.after(aes);
            if outer.is_identity() {
                return Ok(self.push_aes_step(role, Direction::Encrypt, arg, key));
            }
            let value = self.push_aes_step(&inner, Direction::Encrypt, arg, key);
            return Ok(push_nibbles(self, sbox.name, outer, role, value));
        }
        if !sbox.after.is_identity() {
            return Err(no_route());
        }
        // X(y) = before(y)⁻¹, and AESDECLAST of z is (a⁻¹(z))⁻¹: so z = a(before(y)).
        let first = aes_affine().after(sbox.before);
        let mut value = arg;
        if !first.is_identity() {
            value = push_nibbles(self, sbox.name, first, &inner, value);
        }
        Ok(self.push_aes_step(role, Direction::Decrypt, value, key))
    }

    /// The word of the round key that belongs to the S-box on the slice `from`.
    fn key_word(&self, sbox: Sbox, from: Value) -> Result<usize, LowerError> {
        let place = self.from.params().iter().position(|param| *param == from);
        match place {
            Some(place) if self.keys_in_sboxes => Ok(place % 16),
            _ => {
                let routine = self.from.name().to_owned();
                Err(LowerError::NoKeyByte { sbox: sbox.name, routine })
            }
        }
    }

    /// One AES step on every lane: with AES-NI on ymm, lane by lane.
    fn push_aes_step(&mut self, role: &str, to: Direction, arg: Value, index: usize) -> Value {
        let by_lanes = self.target.unit == Unit::Aesni && self.target.isa.width != Width::Xmm;
        let span = if by_lanes { Span::Lane } else { Span::Vector };
        let (step, turn) = match to {
            Direction::Encrypt => (MachineOp::AesEncryptLast { span }, 1),
            Direction::Decrypt => (MachineOp::AesDecryptLast { span }, 3),
        };
        let key = self.push(&format!("k{index}"), MachineOp::KeySplat32 { index, span }, &[]);
        let turns = (self.turns_of(arg) + turn) % 4;
        let result = if by_lanes {
            let halves = [("low", MachineOp::LaneLow), ("high", MachineOp::LaneHigh)];
            let [low, high] = halves.map(|(half, op)| {
                let lane = self.push(&format!("{role}_{half}_lane"), op, &[arg]);
                self.push(&format!("{role}_{half}"), step.clone(), &[lane, key])
            });
            self.push(role, MachineOp::JoinLanes, &[high, low])
        } else {
            self.push(role, step, &[arg, key])
        };
        self.set_turns(result, turns);
        result
    }
}

/// Which AES step.
#[derive(Clone, Copy)]
enum Direction {
    Encrypt,
    Decrypt,
}
