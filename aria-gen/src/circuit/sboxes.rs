//! Circuits for four S-boxes that share one inversion: two of them have an affine map after it, two
//! before it, and an input takes one of the four.
//!
//! ```text
//!           ┌ x                            ┌ s1: linear ─┐
//! x ────────┼ x1: linear ─┬─► inversion ───┼ s2: linear ─┼───►
//!           └ x2: linear ─┘                └ x1, x2      ┘
//! ```
//!
//! Everything is in a tower's basis, inputs and outputs too, so a linear layer that treats all bits
//! of a byte alike can stand between two applications without any change of basis. The constants of
//! the affine maps are left out; whoever uses the circuits adds them elsewhere.
//!
//! Which tower: every one is tried, and the one whose circuits have the fewest gates is taken.

use super::Circuit;
use super::linear::derive_linear;
use super::tower::Tower;
use crate::math::{BitMatrix, Sbox};

/// The circuits. In both linear ones, outputs 0 to 7 are what x1 (s1) adds to the plain bits, outputs
/// 8 to 15 what x2 (s2) adds beyond that.
#[derive(Clone, Debug)]
pub struct SboxCircuits {
    /// From the basis of the circuits to that of the field.
    pub to_field: BitMatrix,
    /// From the basis of the field to that of the circuits.
    pub from_field: BitMatrix,
    /// Before the inversion: for each of x1 and x2, its linear part minus the identity.
    pub before: Circuit,
    /// The inversion.
    pub inversion: Circuit,
    /// After the inversion: for each of s1 and s2, its linear part minus the identity.
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
        let [x1, x2, s1, s2] = maps.map(|map| (from_field * map * to_field).rows());
        Self {
            to_field,
            from_field,
            before: differences(x1, x2),
            inversion: tower.inversion(),
            after: differences(s1, s2),
        }
    }

    /// What an application costs: gates, and two operations for each output that is selected.
    #[must_use]
    pub fn gates(&self) -> usize {
        let selected = |circuit: &Circuit| circuit.outputs().iter().flatten().count();
        let linear = |circuit: &Circuit| circuit.gates().len() + 2 * selected(circuit);
        linear(&self.before) + self.inversion.gates().len() + linear(&self.after)
    }

    fn check(&self, s1: Sbox, s2: Sbox, x1: Sbox, x2: Sbox) -> Result<(), CircuitError> {
        for (sbox, before, after) in
            [(s1, None, Some(0)), (s2, None, Some(8)), (x1, Some(0), None), (x2, Some(8), None)]
        {
            let constants = (sbox.before.constant, sbox.after.constant);
            for input in 0..=255 {
                let x = selected(&self.before, before, self.from_field.apply(input));
                let x = x ^ self.from_field.apply(constants.0);
                let y = self.inversion.evaluate(u32::from(x)) as u8;
                let found = self.to_field.apply(selected(&self.after, after, y)) ^ constants.1;
                let expected = sbox.apply(input);
                if found != expected {
                    return Err(CircuitError { sbox: sbox.name, input, found, expected });
                }
            }
        }
        Ok(())
    }
}

/// `x` plus the eight outputs from `from` on, if any.
fn selected(circuit: &Circuit, from: Option<u32>, x: u8) -> u8 {
    from.map_or(x, |from| x ^ (circuit.evaluate(u32::from(x)) >> from) as u8)
}

/// The circuit for two maps, each minus the identity.
fn differences(first: [u8; 8], second: [u8; 8]) -> Circuit {
    let minus_identity = |rows: [u8; 8]| rows.into_iter().enumerate().map(|(i, row)| row ^ 1 << i);
    let rows: Vec<u8> = minus_identity(first).chain(minus_identity(second)).collect();
    derive_linear(8, &rows, TRIES)
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
