//! Affine maps on bytes over GF(2): x ↦ M·x + c.
//!
//! What lies on either side of the field inversion in an S-box, and what one GF2P8AFFINEQB
//! computes. This file knows how such maps compose and invert; it knows neither S-boxes nor how a
//! unit without GFNI evaluates an affine map.

use super::BitMatrix;

/// The affine map x ↦ `matrix`·x + `constant`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Affine {
    /// The linear part.
    pub matrix: BitMatrix,
    /// The image of zero.
    pub constant: u8,
}

impl Affine {
    /// The map that leaves every byte as it is.
    pub const IDENTITY: Self = Self { matrix: BitMatrix::IDENTITY, constant: 0 };

    /// The affine map that `f` is, or `None` when it is none: `f` is compared on all 256 bytes.
    #[must_use]
    pub fn from_fn(f: impl Fn(u8) -> u8) -> Option<Self> {
        let constant = f(0);
        let matrix = BitMatrix::from_fn_linear(|x| f(x) ^ constant)?;
        Some(Self { matrix, constant })
    }

    /// The image of `x`.
    #[must_use]
    pub fn apply(self, x: u8) -> u8 {
        self.matrix.apply(x) ^ self.constant
    }

    /// The composition that applies `other` first: `a.after(b).apply(x) == a.apply(b.apply(x))`.
    #[must_use]
    pub fn after(self, other: Self) -> Self {
        Self { matrix: self.matrix * other.matrix, constant: self.apply(other.constant) }
    }

    /// The map that undoes this one, or `None` when the matrix is singular.
    #[must_use]
    pub fn inverse(self) -> Option<Self> {
        let matrix = self.matrix.inverse()?;
        // M·x + c = y is solved by x = M⁻¹·y + M⁻¹·c, minus being plus.
        Some(Self { matrix, constant: matrix.apply(self.constant) })
    }

    /// Whether this is [`IDENTITY`](Self::IDENTITY), hence an operation that can be left out.
    #[must_use]
    pub fn is_identity(self) -> bool {
        self == Self::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::super::gf256;
    use super::*;

    /// x ↦ a·x + c in the field.
    fn field_affine(a: u8, c: u8) -> Affine {
        Affine::from_fn(|x| gf256::mul(a, x) ^ c).unwrap()
    }

    /// x ↦ x² + c; squaring is linear but no multiplication, so it commutes with hardly any.
    fn square_plus(c: u8) -> Affine {
        Affine::from_fn(|x| gf256::pow(x, 2) ^ c).unwrap()
    }

    #[test]
    fn identity_leaves_every_byte() {
        for x in 0..=255 {
            assert_eq!(Affine::IDENTITY.apply(x), x);
        }
    }

    #[test]
    fn from_fn_gives_back_the_function() {
        for c in 0..=255 {
            let affine = square_plus(c);
            assert_eq!(affine.constant, c);
            for x in 0..=255 {
                assert_eq!(affine.apply(x), gf256::mul(x, x) ^ c);
            }
        }
    }

    #[test]
    fn from_fn_refuses_what_is_not_affine() {
        assert_eq!(Affine::from_fn(gf256::inverse), None);
        assert_eq!(Affine::from_fn(|x| gf256::pow(x, 3)), None);
        assert_eq!(Affine::from_fn(|x| x.wrapping_add(1)), None);
    }

    #[test]
    fn composition_applies_the_argument_first() {
        for a in 0..=255 {
            let (outer, inner) = (square_plus(0x63), field_affine(a, 0xe2));
            for x in 0..=255 {
                assert_eq!(outer.after(inner).apply(x), outer.apply(inner.apply(x)));
                assert_eq!(inner.after(outer).apply(x), inner.apply(outer.apply(x)));
            }
        }
    }

    #[test]
    fn inverse_undoes_on_either_side() {
        for a in 1..=255 {
            let affine = square_plus(a).after(field_affine(a, 0x63));
            let inverse = affine.inverse().unwrap();
            for x in 0..=255 {
                assert_eq!(inverse.apply(affine.apply(x)), x);
            }
            assert!(inverse.after(affine).is_identity());
            assert!(affine.after(inverse).is_identity());
        }
    }

    #[test]
    fn a_singular_map_has_no_inverse() {
        assert_eq!(field_affine(0, 0x63).inverse(), None);
    }

    #[test]
    fn only_the_identity_is_the_identity() {
        assert!(field_affine(1, 0).is_identity());
        for c in 1..=255 {
            assert!(!field_affine(1, c).is_identity(), "x + {c:#04x}");
            assert!(!square_plus(c).is_identity(), "x^2 + {c:#04x}");
        }
        assert!(!square_plus(0).is_identity());
    }
}
