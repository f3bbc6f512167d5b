//! Bytes as functions of input and key.
//!
//! A byte is a [`Form`] over atoms: an input byte, a key byte, or the field inverse of a form.
//! Inverses are hash-consed: two of them share an atom exactly when their arguments have the same
//! representative, so equal computations get equal forms however they were written. A form never
//! grows beyond what one layer of a cipher adds up, since each inversion starts anew.

use std::collections::HashMap;

use super::form::{Atom, Form};
use super::semilinear::Canonicaliser;
use super::{Domain, Refusal};
use crate::math::{Affine, BitMatrix, gf256};

/// The domain of linear forms.
#[derive(Default)]
pub struct Symbolic {
    /// What each atom is: the inverse of a form, or nothing known.
    atoms: Vec<Option<Form>>,
    inverses: HashMap<Form, Atom>,
    canonicaliser: Canonicaliser,
}

impl Symbolic {
    /// A byte about which nothing is known.
    pub fn fresh(&mut self) -> Form {
        Form::term(self.push_atom(None), BitMatrix::IDENTITY)
    }

    /// How many different inversions there are.
    #[must_use]
    pub fn inversions(&self) -> usize {
        self.inverses.len()
    }

    /// The values of `forms` when the fresh bytes, in order, are `values`.
    ///
    /// # Panics
    ///
    /// When there are fewer values than fresh bytes.
    #[must_use]
    pub fn evaluate(&self, forms: &[Form], values: &[u8]) -> Vec<u8> {
        let mut values = values.iter();
        let mut atoms = Vec::with_capacity(self.atoms.len());
        for atom in &self.atoms {
            atoms.push(match atom {
                None => *values.next().expect("a value for each fresh byte"),
                Some(argument) => gf256::inverse(argument.evaluate(&atoms)),
            });
        }
        forms.iter().map(|form| form.evaluate(&atoms)).collect()
    }

    fn push_atom(&mut self, argument: Option<Form>) -> Atom {
        let number = u32::try_from(self.atoms.len()).expect("fewer atoms than fill memory");
        self.atoms.push(argument);
        Atom(number)
    }
}

impl Domain for Symbolic {
    type Byte = Form;

    const BY_COLUMNS: bool = true;

    fn constant(&self, value: u8) -> Form {
        Form::constant(value)
    }

    fn known(&self, byte: &Form) -> Option<u8> {
        byte.known()
    }

    fn xor(&self, a: &Form, b: &Form) -> Form {
        a.xor(b)
    }

    fn and(&self, a: &Form, b: &Form) -> Result<Form, Refusal> {
        let (known_a, known_b) = (a.known_bits(), b.known_bits());
        if known_a | known_b != 0xff {
            return Err(Refusal::Product);
        }
        let by_a = b.masked(a.constant_part() & known_a);
        Ok(by_a.xor(&a.masked(b.constant_part() & known_b & !known_a)))
    }

    fn affine(&self, map: Affine, byte: &Form) -> Form {
        byte.affine(map)
    }

    fn inverse(&mut self, byte: &Form) -> Form {
        if let Some(value) = byte.known() {
            return Form::constant(gf256::inverse(value));
        }
        let (representative, restore) = self.canonicaliser.canonicalise(byte);
        let atom = match self.inverses.get(&representative) {
            Some(atom) => *atom,
            None => {
                let atom = self.push_atom(Some(representative.clone()));
                self.inverses.insert(representative, atom);
                atom
            }
        };
        Form::term(atom, restore)
    }

    fn gather(&self, bits: [Option<(&Form, u32)>; 8]) -> Form {
        Form::gather(bits)
    }

    fn look_up(&self, table: &[u8; 16], index: &Form) -> Result<Form, Refusal> {
        if !index.is_zero_in(0xf0) {
            return Err(Refusal::Index);
        }
        if let Some(index) = index.known() {
            return Ok(Form::constant(table[usize::from(index)]));
        }
        // The high bits, which the index does not have, are added so that they cannot spoil the map.
        let map = Affine::from_fn(|x| table[usize::from(x & 0x0f)] ^ (x & 0xf0));
        Ok(index.affine(map.ok_or(Refusal::Table)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(f: impl Fn(u8) -> u8) -> Affine {
        Affine::from_fn(f).unwrap()
    }

    #[test]
    fn equal_arguments_share_an_inverse_and_others_do_not() {
        let mut domain = Symbolic::default();
        let (x, y) = (domain.fresh(), domain.fresh());
        let inverse = domain.inverse(&x.xor(&y));
        assert_eq!(domain.inverse(&y.xor(&x)), inverse);
        assert_ne!(domain.inverse(&x), inverse);
        let other_constant = x.xor(&y).xor(&Form::constant(1));
        assert_ne!(domain.inverse(&other_constant), inverse);
        assert_eq!(domain.inversions(), 3);
    }

    #[test]
    fn inversion_commutes_with_squaring_and_with_factors() {
        let mut domain = Symbolic::default();
        let x = domain.fresh();
        let x = x.xor(&domain.fresh()).xor(&Form::constant(0x63));
        let inverse = domain.inverse(&x);
        for c in 1..=255 {
            for squarings in 0..8 {
                let power = |x| gf256::pow(x, 1 << squarings);
                let argument = x.affine(linear(|x| gf256::mul(c, power(x))));
                let expected = inverse.affine(linear(|y| gf256::mul(gf256::inverse(c), power(y))));
                assert_eq!(domain.inverse(&argument), expected, "{c:#04x} {squarings}");
            }
        }
        assert_eq!(domain.inversions(), 1);
    }

    /// S2 of ARIA by its definition with x²⁴⁷ = (x⁸)⁻¹, against the form A·x⁻¹ + a.
    #[test]
    fn equal_s_boxes_written_differently_meet() {
        let mut domain = Symbolic::default();
        let x = domain.fresh();
        let s2 = crate::spec::aria::s2();
        let inverse = domain.inverse(&x);
        let one_way = domain.affine(s2.after, &inverse);
        let eighth = domain.affine(linear(|x| gf256::pow(x, 8)), &x);
        let inverse = domain.inverse(&eighth);
        let undo = linear(|y| s2.after.apply(gf256::pow(y, 32)));
        assert_eq!(domain.affine(undo, &inverse), one_way);
    }

    #[test]
    fn inverses_of_constants_are_constants() {
        let mut domain = Symbolic::default();
        for value in 0..=255 {
            let inverse = domain.inverse(&Form::constant(value));
            assert_eq!(inverse.known(), Some(gf256::inverse(value)));
        }
        assert_eq!(domain.inversions(), 0);
    }

    #[test]
    fn products_need_a_known_factor() {
        let mut domain = Symbolic::default();
        let (x, y) = (domain.fresh(), domain.fresh());
        let mask = Form::constant(0x3c);
        assert_eq!(domain.and(&x, &mask), domain.and(&mask, &x));
        assert_eq!(domain.and(&x, &mask), Ok(x.masked(0x3c)));
        assert_eq!(domain.and(&x, &y), Err(Refusal::Product));
        assert_eq!(domain.and(&x, &x), Err(Refusal::Product));
    }

    #[test]
    fn look_ups_are_exact_for_affine_tables_and_small_indices() {
        let mut domain = Symbolic::default();
        let x = domain.fresh();
        let map = linear(|x| gf256::mul(0x53, x) ^ 0xca);
        let low = core::array::from_fn(|i| map.apply(i as u8));
        let high = core::array::from_fn(|i| map.apply((i as u8) << 4) ^ map.constant);
        let low_nibble = x.masked(0x0f);
        let bits = core::array::from_fn(|i| (i < 4).then_some((&x, i as u32 + 4)));
        let high_nibble = domain.gather(bits);
        let parts = [domain.look_up(&low, &low_nibble), domain.look_up(&high, &high_nibble)];
        let [low_part, high_part] = parts.map(Result::unwrap);
        assert_eq!(low_part.xor(&high_part), x.affine(map));
    }

    #[test]
    fn look_ups_refuse_large_indices_and_shapeless_tables() {
        let mut domain = Symbolic::default();
        let x = domain.fresh();
        let affine = core::array::from_fn(|i| i as u8);
        assert_eq!(domain.look_up(&affine, &x), Err(Refusal::Index));
        assert_eq!(domain.look_up(&affine, &x.masked(0x1f)), Err(Refusal::Index));
        let shapeless = core::array::from_fn(|i| gf256::inverse(i as u8));
        assert_eq!(domain.look_up(&shapeless, &x.masked(0x0f)), Err(Refusal::Table));
        let at_seven = domain.look_up(&shapeless, &Form::constant(7));
        assert_eq!(at_seven.unwrap().known(), Some(gf256::inverse(7)));
    }
}
