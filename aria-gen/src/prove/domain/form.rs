//! Linear forms: what a byte is as a function of atoms.
//!
//! A form is a constant and a sum of terms, each the image of an atom, which is a byte, under an 8×8
//! matrix. Bit i of the form is then the exclusive or of the constant's bit i and, for each term, of
//! those bits of its atom that row i of the matrix names: eight bits, each a set of atom bits and a
//! constant, packed by atom. Terms are sorted by atom and no matrix is zero, so two forms are equal
//! as values exactly when all eight sets are.
//!
//! What an atom stands for is not known here.

use core::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::math::{Affine, BitMatrix};

/// The number of an atom.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Atom(pub(super) u32);

/// The image of an atom under a matrix that is not zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Term {
    pub(super) atom: Atom,
    pub(super) matrix: BitMatrix,
}

/// A byte as a constant plus a sum of linear images of atoms.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Form {
    constant: u8,
    terms: Rc<[Term]>,
}

const ZERO: BitMatrix = BitMatrix::from_rows([0; 8]);

impl Form {
    /// The same byte whatever the atoms are.
    pub(super) fn constant(value: u8) -> Self {
        Self { constant: value, terms: Rc::new([]) }
    }

    /// The image of one atom under a matrix.
    pub(super) fn term(atom: Atom, matrix: BitMatrix) -> Self {
        Self::new(0, [Term { atom, matrix }])
    }

    /// Drops zero matrices; the atoms must ascend.
    fn new(constant: u8, terms: impl IntoIterator<Item = Term>) -> Self {
        let terms: Rc<[Term]> = terms.into_iter().filter(|t| t.matrix != ZERO).collect();
        debug_assert!(terms.is_sorted_by(|a, b| a.atom < b.atom));
        Self { constant, terms }
    }

    /// The value when all atoms are zero.
    pub(super) fn constant_part(&self) -> u8 {
        self.constant
    }

    /// The terms, by atom.
    pub(super) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The value, if it depends on no atom.
    #[must_use]
    pub fn known(&self) -> Option<u8> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The bits that depend on no atom.
    pub(super) fn known_bits(&self) -> u8 {
        let rows = |i: usize| self.terms.iter().any(|term| term.matrix.rows()[i] != 0);
        (0..8).filter(|&i| !rows(i)).fold(0, |mask, i| mask | 1 << i)
    }

    /// The least significant bit in which the two are not the same function of the atoms.
    #[must_use]
    pub fn first_difference(&self, other: &Self) -> Option<u32> {
        if self == other { None } else { self.xor(other).lowest_bit() }
    }

    /// The least significant bit that is not zero for all values of the atoms.
    fn lowest_bit(&self) -> Option<u32> {
        let rows = self.terms.iter().map(|t| t.matrix.rows());
        (0..8).find(|&i| {
            (self.constant >> i) & 1 == 1 || rows.clone().any(|rows| rows[i as usize] != 0)
        })
    }

    /// The bitwise sum: a merge of the terms.
    pub(super) fn xor(&self, other: &Self) -> Self {
        let (mut left, mut right) = (&*self.terms, &*other.terms);
        let mut terms = Vec::with_capacity(left.len() + right.len());
        while let ([a, left_rest @ ..], [b, right_rest @ ..]) = (left, right) {
            match a.atom.cmp(&b.atom) {
                Ordering::Less => {
                    terms.push(*a);
                    left = left_rest;
                }
                Ordering::Greater => {
                    terms.push(*b);
                    right = right_rest;
                }
                Ordering::Equal => {
                    terms.push(Term { atom: a.atom, matrix: sum(a.matrix, b.matrix) });
                    (left, right) = (left_rest, right_rest);
                }
            }
        }
        terms.extend(left.iter().chain(right));
        Self::new(self.constant ^ other.constant, terms)
    }

    /// The image under an affine map.
    pub(super) fn affine(&self, map: Affine) -> Self {
        let terms = self.terms.iter().map(|t| Term { matrix: map.matrix * t.matrix, ..*t });
        Self::new(map.apply(self.constant), terms)
    }

    /// The bits that `mask` has, the others zero.
    pub(super) fn masked(&self, mask: u8) -> Self {
        let keep = |rows: [u8; 8]| {
            core::array::from_fn(|i| if (mask >> i) & 1 == 1 { rows[i] } else { 0 })
        };
        let terms = self.terms.iter().map(|t| {
            let matrix = BitMatrix::from_rows(keep(t.matrix.rows()));
            Term { matrix, ..*t }
        });
        Self::new(self.constant & mask, terms)
    }

    /// The form whose bit i is the given bit of the given form, or zero.
    pub(super) fn gather(bits: [Option<(&Self, u32)>; 8]) -> Self {
        let mut constant = 0;
        let mut rows: BTreeMap<Atom, [u8; 8]> = BTreeMap::new();
        for (i, bit) in bits.into_iter().enumerate() {
            let Some((form, from)) = bit else { continue };
            constant |= ((form.constant >> from) & 1) << i;
            for term in &*form.terms {
                rows.entry(term.atom).or_default()[i] = term.matrix.rows()[from as usize];
            }
        }
        let terms =
            rows.into_iter().map(|(atom, r)| Term { atom, matrix: BitMatrix::from_rows(r) });
        Self::new(constant, terms)
    }

    /// The value when atom i is `atoms[i]`.
    pub(super) fn evaluate(&self, atoms: &[u8]) -> u8 {
        let images = self.terms.iter().map(|t| t.matrix.apply(atoms[t.atom.0 as usize]));
        images.fold(self.constant, |sum, image| sum ^ image)
    }

    /// Whether every bit that `mask` has is zero for all values of the atoms.
    pub(super) fn is_zero_in(&self, mask: u8) -> bool {
        self.masked(mask) == Self::constant(0)
    }
}

/// The sum of two matrices: that of the maps.
fn sum(a: BitMatrix, b: BitMatrix) -> BitMatrix {
    let (a, b) = (a.rows(), b.rows());
    BitMatrix::from_rows(core::array::from_fn(|i| a[i] ^ b[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(number: u32) -> Form {
        Form::term(Atom(number), BitMatrix::IDENTITY)
    }

    #[test]
    fn a_sum_forgets_what_it_has_twice() {
        let (x, y, z) = (atom(0), atom(1), atom(2));
        let sum = x.xor(&y).xor(&z).xor(&Form::constant(0x63));
        assert_eq!(sum.xor(&y), x.xor(&z).xor(&Form::constant(0x63)));
        assert_eq!(z.xor(&y).xor(&x), x.xor(&y).xor(&z));
        assert_eq!(sum.xor(&sum), Form::constant(0));
        assert_eq!(sum.xor(&x).xor(&y).xor(&z).known(), Some(0x63));
    }

    #[test]
    fn the_lowest_bit_is_one_that_can_be_set() {
        let nibble = atom(3).masked(0xf0);
        assert_eq!(nibble.lowest_bit(), Some(4));
        assert_eq!(nibble.xor(&Form::constant(0x04)).lowest_bit(), Some(2));
        assert_eq!(Form::constant(0).lowest_bit(), None);
    }

    #[test]
    fn masks_split_a_form() {
        let x = atom(0).xor(&Form::constant(0xa5));
        assert_eq!(x.masked(0x0f).xor(&x.masked(0xf0)), x);
        assert_eq!(x.masked(0), Form::constant(0));
        assert!(x.masked(0x0f).is_zero_in(0xf0));
        assert!(!x.masked(0x1f).is_zero_in(0xf0));
    }

    /// A 16-bit word shifted left by four, the bits spread over two bytes.
    #[test]
    fn gathering_crosses_bytes() {
        let (low, high) = (atom(0), atom(1));
        let bits = core::array::from_fn(|i| {
            let i = i as u32;
            if i < 4 { Some((&low, i + 4)) } else { Some((&high, i - 4)) }
        });
        let shifted = Form::gather(bits);
        assert_eq!(shifted.terms().len(), 2);
        assert_eq!(shifted.terms()[0].matrix.rows(), [0x10, 0x20, 0x40, 0x80, 0, 0, 0, 0]);
        assert_eq!(shifted.terms()[1].matrix.rows(), [0, 0, 0, 0, 1, 2, 4, 8]);
        let back = Form::gather(core::array::from_fn(|i| Some((&low, i as u32))));
        assert_eq!(back, low);
    }
}
