//! Arguments of field inversions in a canonical form.
//!
//! Inversion commutes with the 8 · 255 maps x ↦ c·xᵗ, t a power of two:
//!
//! ```text
//! (x²)⁻¹ = (x⁻¹)²        (c·x)⁻¹ = c⁻¹·x⁻¹
//! ```
//!
//! They are linear over GF(2), so they carry forms to forms. Of all forms to which they carry an
//! argument, the least is its representative; S-boxes written with other matrices before and after
//! their inversion, when they are equal, then invert the same argument. That the choice is the least
//! matters for completeness only: any choice is sound, since the identities above hold.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::LazyLock;

use super::form::Form;
use crate::math::{Affine, BitMatrix, gf256};

/// A map x ↦ c·xᵗ and what undoes its counterpart behind the inversion.
struct Semilinear {
    /// x ↦ c·xᵗ.
    map: BitMatrix,
    /// The map that undoes y ↦ c⁻¹·yᵗ, so that x⁻¹ = `restore`((`map`(x))⁻¹).
    restore: BitMatrix,
}

/// All 2040 of them.
static MAPS: LazyLock<Vec<Semilinear>> = LazyLock::new(|| {
    let multiply =
        |c| BitMatrix::from_fn_linear(|x| gf256::mul(c, x)).expect("multiplication is linear");
    let square = BitMatrix::from_fn_linear(|x| gf256::mul(x, x)).expect("squaring is linear");
    let mut power = BitMatrix::IDENTITY;
    let mut maps = Vec::new();
    for _ in 0..8 {
        for c in 1..=255 {
            let counterpart = multiply(gf256::inverse(c)) * power;
            let restore = counterpart.inverse().expect("factors and powers can be undone");
            maps.push(Semilinear { map: multiply(c) * power, restore });
        }
        power = square * power;
    }
    maps
});

/// Finds representatives, and remembers what it found for each matrix that led a form.
#[derive(Default)]
pub(super) struct Canonicaliser {
    /// By leading matrix: the numbers of the maps that carry it to its least image.
    least: HashMap<BitMatrix, Rc<[usize]>>,
}

impl Canonicaliser {
    /// The representative of `form`, which must have a term, and the matrix `restore` for which
    /// form⁻¹ = `restore`·representative⁻¹.
    pub(super) fn canonicalise(&mut self, form: &Form) -> (Form, BitMatrix) {
        let image = |number: &usize| {
            let map = Affine { matrix: MAPS[*number].map, constant: 0 };
            (form.affine(map), MAPS[*number].restore)
        };
        // Images are compared by their leading matrix first, so only maps that make it least count.
        let candidates = self.candidates(form.terms()[0].matrix);
        let images = candidates.iter().map(image);
        images.min_by_key(|(image, _)| order(image)).expect("some map makes a matrix least")
    }

    fn candidates(&mut self, matrix: BitMatrix) -> Rc<[usize]> {
        let found = self.least.entry(matrix).or_insert_with(|| {
            let images: Vec<BitMatrix> = MAPS.iter().map(|m| m.map * matrix).collect();
            let least = images.iter().min();
            (0..images.len()).filter(|&i| images.get(i) == least).collect()
        });
        Rc::clone(found)
    }
}

/// The order of images of one form: by their matrices, then by their constant.
fn order(form: &Form) -> (Vec<BitMatrix>, u8) {
    (form.terms().iter().map(|t| t.matrix).collect(), form.constant_part())
}

#[cfg(test)]
mod tests {
    use super::super::form::Atom;
    use super::*;

    #[test]
    fn every_map_commutes_with_inversion() {
        assert_eq!(MAPS.len(), 2040);
        for Semilinear { map, restore } in MAPS.iter() {
            for x in 0..=255 {
                let inverse = restore.apply(gf256::inverse(map.apply(x)));
                assert_eq!(inverse, gf256::inverse(x));
            }
        }
    }

    /// Forms that some map carries into each other: whatever the rank of their matrices, one
    /// representative.
    #[test]
    fn images_of_a_form_have_its_representative() {
        let matrices = [
            BitMatrix::IDENTITY,
            BitMatrix::from_rows([0x3a, 0x01, 0xc5, 0x77, 0x92, 0xee, 0x48, 0xb3]),
            BitMatrix::from_rows([1, 1, 0, 0, 0, 0, 0, 0]),
            BitMatrix::from_rows([0xff, 0, 0x0f, 0xf0, 0, 0xff, 0, 0]),
        ];
        let mut canonicaliser = Canonicaliser::default();
        for first in matrices {
            for second in matrices {
                let form = Form::term(Atom(0), first)
                    .xor(&Form::term(Atom(7), second))
                    .xor(&Form::constant(0x2c));
                let (representative, _) = canonicaliser.canonicalise(&form);
                for Semilinear { map, .. } in MAPS.iter() {
                    let image = form.affine(Affine { matrix: *map, constant: 0 });
                    assert_eq!(canonicaliser.canonicalise(&image).0, representative);
                }
            }
        }
    }
}
