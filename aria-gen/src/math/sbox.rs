//! S-boxes of the one kind that AES instructions and GFNI can compute: field inversion between two
//! affine maps.
//!
//! This file knows the form. Which S-boxes exist is for `spec` to say, how to compute one on a
//! given unit for the lowering; neither is known here. The type lives in `math` because an IR
//! operation carries it, and the IR must not know any cipher.

use super::{Affine, gf256};

/// The S-box x ↦ `after`(`before`(x)⁻¹), the inverse taken in the field of [`gf256`] with 0⁻¹ = 0.
///
/// ```text
/// x ──► before ──► ⁻¹ ──► after ──► S(x)
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sbox {
    /// What the specification calls it, in lower case, as it appears in the names of values.
    pub name: &'static str,
    /// Applied to the input of the inversion.
    pub before: Affine,
    /// Applied to the output of the inversion.
    pub after: Affine,
}

impl Sbox {
    /// The image of `x`.
    #[must_use]
    pub fn apply(&self, x: u8) -> u8 {
        self.after.apply(gf256::inverse(self.before.apply(x)))
    }

    /// The S-box that undoes this one, under a name of its own; `None` when an affine map is
    /// singular. Inversion undoes itself, so the affine maps are inverted and change sides.
    #[must_use]
    pub fn inverse(&self, name: &'static str) -> Option<Self> {
        Some(Self { name, before: self.after.inverse()?, after: self.before.inverse()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two different affine maps, so that exchanging them, or leaving one out, shows.
    fn lopsided() -> Sbox {
        Sbox {
            name: "lopsided",
            before: Affine::from_fn(|x| gf256::mul(3, x) ^ 0x05).unwrap(),
            after: Affine::from_fn(|x| gf256::pow(x, 2) ^ 0x63).unwrap(),
        }
    }

    #[test]
    fn applies_before_then_inversion_then_after() {
        for x in 0..=255 {
            let inverse = gf256::inverse(gf256::mul(3, x) ^ 0x05);
            assert_eq!(lopsided().apply(x), gf256::mul(inverse, inverse) ^ 0x63);
        }
    }

    #[test]
    fn inverse_undoes_on_either_side() {
        let inverse = lopsided().inverse("inverse").unwrap();
        assert_eq!(inverse.name, "inverse");
        for x in 0..=255 {
            assert_eq!(inverse.apply(lopsided().apply(x)), x);
            assert_eq!(lopsided().apply(inverse.apply(x)), x);
        }
    }

    #[test]
    fn a_singular_affine_map_on_either_side_leaves_no_inverse() {
        let constant = Affine::from_fn(|_| 0x63).unwrap();
        assert_eq!(Sbox { before: constant, ..lopsided() }.inverse("none"), None);
        assert_eq!(Sbox { after: constant, ..lopsided() }.inverse("none"), None);
    }
}
