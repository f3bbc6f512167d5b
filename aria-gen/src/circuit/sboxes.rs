//! Circuits for four S-boxes that share one inversion: two of them have an affine map after it, two
//! before it, and an input takes one of the four.
//!
//! ```text
//!           ┌ x                            ┌ s1: linear ─┐
//! x ────────┼ x1: linear ─┬─► inversion ───┼ s2: linear ─┼───►
//!           └ x2: linear ─┘                └ x1, x2      ┘
//! ```
//!
//! Inputs and outputs are in the basis of the field; the inversion is in a tower's basis, and the
//! change of basis is part of the linear circuits on either side. The constants of the affine maps are
//! left out; whoever uses the circuits adds them, between the linear circuits and the inversion on the
//! one side, after all on the other.
//!
//! Which tower: every one is tried, and the one whose circuits have the fewest gates is taken.

use super::Circuit;
use super::linear::derive_linear;
use super::tower::Tower;
use crate::math::{BitMatrix, Sbox};

/// The circuits. In both linear ones, outputs 0 to 7 are the plain change of basis, outputs 8 to 15
/// what x1 (s1) adds to that, outputs 16 to 23 what x2 (s2) adds.
#[derive(Clone, Debug)]
pub struct SboxCircuits {
    /// From the basis of the field to that of the inversion.
    pub from_field: BitMatrix,
    /// Before the inversion: to its basis, and what the linear parts of x1 and x2 add.
    pub before: Circuit,
    /// The inversion.
    pub inversion: Circuit,
    /// After the inversion: back to the field's basis, and what the linear parts of s1 and s2 add.
    pub after: Circuit,
}

/// Circuits that are not what they claim: a fault of the derivation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the circuit of S-box {sbox} gives {found:#04x} for {input:#04x}, not {expected:#04x}")]
pub struct CircuitError {
    sbox: &'static str,
    input: u8,
    found: u8,
    expected: u8,
}

/// Ways to break ties when linear circuits are derived; more were seen to gain nothing.
const TRIES: u64 = 16;

impl SboxCircuits {
    /// Derives the circuits and checks them on every input of every S-box.
    ///
    /// # Errors
    ///
    /// [`CircuitError`] with the first wrong value.
    ///
    /// # Panics
    ///
    /// When `s1` or `s2` has an affine map before the inversion, or `x1` or `x2` one after it.
    pub fn derive(s1: Sbox, s2: Sbox, x1: Sbox, x2: Sbox) -> Result<Self, CircuitError> {
        assert!(s1.before.is_identity() && s2.before.is_identity(), "maps after the inversion");
        assert!(x1.after.is_identity() && x2.after.is_identity(), "maps before the inversion");
        let maps = [x1.before, x2.before, s1.after, s2.after].map(|map| map.matrix);
        let circuits = Tower::all().map(|tower| Self::in_tower(tower, maps));
        let best = circuits.min_by_key(Self::gates).expect("there are towers");
        best.check(s1, s2, x1, x2)?;
        Ok(best)
    }

    fn in_tower(tower: Tower, maps: [BitMatrix; 4]) -> Self {
        let to_field = tower.to_field();
        let from_field = to_field.inverse().expect("a change of basis can be undone");
        let [x1, x2, s1, s2] = maps;
        Self {
            from_field,
            before: differences([from_field, from_field * x1, from_field * x2]),
            inversion: tower.inversion(),
            after: differences([to_field, s1 * to_field, s2 * to_field]),
        }
    }

    /// What an application costs: gates, and two operations for each output that is selected.
    #[must_use]
    pub fn gates(&self) -> usize {
        let selected = |circuit: &Circuit| circuit.outputs().iter().skip(8).flatten().count();
        let linear = |circuit: &Circuit| circuit.gates().len() + 2 * selected(circuit);
        linear(&self.before) + self.inversion.gates().len() + linear(&self.after)
    }

    fn check(&self, s1: Sbox, s2: Sbox, x1: Sbox, x2: Sbox) -> Result<(), CircuitError> {
        for (sbox, before, after) in
            [(s1, None, Some(8)), (s2, None, Some(16)), (x1, Some(8), None), (x2, Some(16), None)]
        {
            let constants = (sbox.before.constant, sbox.after.constant);
            for input in 0..=255 {
                let x = selected(&self.before, before, input);
                let x = x ^ self.from_field.apply(constants.0);
                let y = self.inversion.evaluate(u32::from(x)) as u8;
                let found = selected(&self.after, after, y) ^ constants.1;
                let expected = sbox.apply(input);
                if found != expected {
                    return Err(CircuitError { sbox: sbox.name, input, found, expected });
                }
            }
        }
        Ok(())
    }
}

/// The first eight outputs for `x`, plus the eight from `from` on, if any.
fn selected(circuit: &Circuit, from: Option<u32>, x: u8) -> u8 {
    let outputs = circuit.evaluate(u32::from(x));
    outputs as u8 ^ from.map_or(0, |from| (outputs >> from) as u8)
}

/// The circuit for a map, and for two others minus that one.
fn differences([plain, first, second]: [BitMatrix; 3]) -> Circuit {
    let plain = plain.rows();
    let minus_plain = |map: BitMatrix| core::array::from_fn(|i| map.rows()[i] ^ plain[i]);
    let rows: [[u8; 8]; 3] = [plain, minus_plain(first), minus_plain(second)];
    derive_linear(8, rows.as_flattened(), TRIES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::aria::{s1, s2, x1, x2};

    #[test]
    fn circuits_of_arias_s_boxes_are_right_and_small() {
        let circuits = SboxCircuits::derive(s1(), s2(), x1(), x2()).expect("checked");
        let gates = [&circuits.before, &circuits.inversion, &circuits.after];
        println!("{:?} {}", gates.map(|c| c.gates().len()), circuits.gates());
        assert!(circuits.gates() <= 240, "{}", circuits.gates());
    }

    #[test]
    fn a_wrong_circuit_is_found_out() {
        let mut circuits = SboxCircuits::derive(s1(), s2(), x1(), x2()).expect("checked");
        circuits.after = circuits.before.clone();
        assert!(circuits.check(s1(), s2(), x1(), x2()).is_err());
    }
}
