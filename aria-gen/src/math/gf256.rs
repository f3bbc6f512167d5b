//! Arithmetic in the field GF(2)\[x\]/(x⁸ + x⁴ + x³ + x + 1), a byte holding the coefficients of
//! x⁰ (least significant bit) to x⁷.
//!
//! Follows FIPS 197 section 4 ("Mathematical Preliminaries"); GF2P8MULB and GF2P8AFFINEINVQB of
//! the Intel SDM are defined over the same field, which is why they serve ARIA and AES alike.
//!
//! It knows no table: each function is its definition, because tables derived elsewhere are
//! checked against it. It is neither fast nor constant time, and must not be: it runs in the
//! generator and in tests, never on secrets.

/// The reduction polynomial x⁸ + x⁴ + x³ + x + 1, bit i standing for xⁱ (FIPS 197 section 4.2).
pub const POLYNOMIAL: u16 = 0x11b;

/// The product of two field elements: the product of polynomials, reduced modulo [`POLYNOMIAL`].
#[must_use]
pub const fn mul(a: u8, b: u8) -> u8 {
    let mut product: u16 = 0;
    let mut i = 0;
    while i < 8 {
        if (b >> i) & 1 == 1 {
            product ^= (a as u16) << i;
        }
        i += 1;
    }

    // Two polynomials of degree 7 have a product of degree 14; clear its terms from the top down
    // to x⁸, so that a term brought in by one subtraction meets a later one.
    let mut degree = 14;
    while degree >= 8 {
        if (product >> degree) & 1 == 1 {
            product ^= POLYNOMIAL << (degree - 8);
        }
        degree -= 1;
    }
    product as u8
}

/// `a` to the power `e`, by squaring and multiplying. As usual `pow(0, 0)` is 1.
#[must_use]
pub const fn pow(a: u8, e: u32) -> u8 {
    let mut result = 1;
    let mut square = a;
    let mut rest = e;
    while rest != 0 {
        if rest & 1 == 1 {
            result = mul(result, square);
        }
        square = mul(square, square);
        rest >>= 1;
    }
    result
}

/// The multiplicative inverse, extended by 0 ↦ 0 as S-boxes want it: the power 254, since the
/// multiplicative group has order 255 (FIPS 197 section 5.1.1).
#[must_use]
pub const fn inverse(a: u8) -> u8 {
    pow(a, 254)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The elements xⁱ, a basis of the field over GF(2).
    fn basis() -> impl Iterator<Item = u8> {
        (0..8).map(|i| 1 << i)
    }

    #[test]
    fn products_of_fips_197_section_4_2() {
        assert_eq!(mul(0x57, 0x83), 0xc1);
        assert_eq!(mul(0x57, 0x13), 0xfe);
    }

    #[test]
    fn multiplication_commutes() {
        for a in 0..=255 {
            for b in 0..=255 {
                assert_eq!(mul(a, b), mul(b, a), "{a:#04x} {b:#04x}");
            }
        }
    }

    /// Adding one basis element at a time reaches every sum, so this is distributivity in full.
    #[test]
    fn multiplication_distributes_over_addition() {
        for a in 0..=255 {
            for b in 0..=255 {
                for c in basis() {
                    assert_eq!(mul(a, b ^ c), mul(a, b) ^ mul(a, c), "{a:#04x} {b:#04x} {c:#04x}");
                }
            }
        }
    }

    /// Both sides are linear in each factor (the test above), so a basis stands for all triples.
    #[test]
    fn multiplication_is_associative() {
        for a in basis() {
            for b in basis() {
                for c in basis() {
                    assert_eq!(mul(mul(a, b), c), mul(a, mul(b, c)), "{a:#04x} {b:#04x} {c:#04x}");
                }
            }
        }
    }

    #[test]
    fn one_is_neutral_and_zero_absorbs() {
        for a in 0..=255 {
            assert_eq!(mul(a, 1), a);
            assert_eq!(mul(a, 0), 0);
        }
    }

    #[test]
    fn powers_are_repeated_products() {
        for a in 0..=255 {
            let mut product = 1;
            for e in 0..=256 {
                assert_eq!(pow(a, e), product, "{a:#04x}^{e}");
                product = mul(product, a);
            }
        }
    }

    #[test]
    fn inverse_times_element_is_one_except_at_zero() {
        assert_eq!(inverse(0), 0);
        for a in 1..=255 {
            assert_eq!(mul(a, inverse(a)), 1, "{a:#04x}");
        }
    }

    /// Were the polynomial reducible, no element could have order 255.
    #[test]
    fn powers_of_three_are_all_nonzero_elements() {
        let mut seen = [false; 256];
        for e in 0..255 {
            let power = pow(3, e);
            assert!(!std::mem::replace(&mut seen[usize::from(power)], true), "3^{e} repeats");
        }
        assert!(!seen[0]);
    }
}
