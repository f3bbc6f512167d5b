//! The field of 256 elements over GF(16), and GF(16) in a normal basis in which squaring turns the
//! coefficients: for words that hold the four coefficients of an element side by side.
//!
//! **GF(16).** A root β of x⁴ + x³ + x² + x + 1 has order 5, and β, β², β⁴, β³ are a basis. Let lane l
//! hold the coefficient of β^(2^l), and write `x[r]` for x with its lanes turned by r, so that lane l of
//! `x[r]` is lane l + r of x. Then
//!
//! * x² is x\[3\];
//! * x·y is x\[1\]y\[2\] + x\[2\]y\[1\] + x\[3\]y\[3\] + z, where every lane of z is the sum of the lanes
//!   of x·y\[2\], lane by lane: those are the products that meet in β⁰ = 1 = β + β² + β³ + β⁴;
//! * the inverse is ((x + x\[1\])·t or x\[2\]) + x·t with t = x + x\[3\], and the inverse of 0 is 0: being
//!   a power, inversion commutes with squaring, so it is one function of four bits in each lane.
//!
//! **GF(256).** An element is a·u + b·v with a and b in GF(16). Its norm, the 17th power, is a quadratic
//! form in a and b; u and v are chosen so that it is a² + a·b + β·b². The inverse is the conjugate,
//! the 16th power, over the norm: a/n·u¹⁶ + b/n·v¹⁶. So it leaves a and b in place and comes in another
//! basis than its argument, which makes no difference to whom changes basis on both sides anyway.

use crate::math::{BitMatrix, gf256};

/// The bases of an argument and of its inverse. Bit l of a byte is lane l of a, bit 4 + l lane l of b.
#[derive(Clone, Copy, Debug)]
pub struct NormalBasis {
    /// From the field's basis to that of the argument.
    pub from_field: BitMatrix,
    /// From the basis of the inverse to the field's.
    pub to_field: BitMatrix,
}

/// Lanes of an element of GF(16).
pub const LANES: usize = 4;

/// In each lane of β·b², which lanes of b it is the sum of: by how many lanes b is turned, and the
/// lanes to which that is added. The lane of b\[2\] that every lane of the norm has besides is the last.
pub const SCALED_SQUARE: [(usize, &[usize]); 3] = [(0, &[2]), (1, &[3]), (2, &[1])];

/// See [`SCALED_SQUARE`]: this lane of b\[2\] is a summand of every lane.
pub const SCALED_SQUARE_EVERYWHERE: usize = 3;

impl NormalBasis {
    /// Finds the bases.
    ///
    /// # Panics
    ///
    /// Never: the field has such elements.
    #[must_use]
    pub fn derive() -> Self {
        let elements = || 1..=255u8;
        let beta = elements().find(|&x| x != 1 && gf256::pow(x, 5) == 1).expect("5 divides 255");
        let norm = |x: u8| gf256::pow(x, 17);
        let mixed =
            |u: u8, v: u8| gf256::mul(u, gf256::pow(v, 16)) ^ gf256::mul(v, gf256::pow(u, 16));
        let pairs = elements().flat_map(|u| elements().map(move |v| (u, v)));
        let mut suitable =
            pairs.filter(|&(u, v)| norm(u) == 1 && norm(v) == beta && mixed(u, v) == 1);
        let (u, v) = suitable.next().expect("the form is that of a field of 256 elements");
        let products = |u: u8, v: u8| {
            let columns = core::array::from_fn(|bit| {
                let factor = if bit < LANES { u } else { v };
                gf256::mul(gf256::pow(beta, 1 << (bit % LANES)), factor)
            });
            BitMatrix::from_rows(columns).transpose()
        };
        let from_field = products(u, v).inverse().expect("a basis");
        Self { from_field, to_field: products(gf256::pow(u, 16), gf256::pow(v, 16)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lane by lane, in the order of the module's text.
    fn turned(x: u8, by: usize) -> u8 {
        (0..LANES).fold(0, |y, l| y | (x >> ((l + by) % LANES) & 1) << l)
    }

    fn product(x: u8, y: u8) -> u8 {
        let t = |x, by| turned(x, by);
        let everywhere = if (x & t(y, 2)).count_ones() % 2 == 1 { 0xf } else { 0 };
        t(x, 1) & t(y, 2) ^ t(x, 2) & t(y, 1) ^ t(x, 3) & t(y, 3) ^ everywhere
    }

    #[test]
    fn the_text_is_true() {
        let NormalBasis { from_field, to_field } = NormalBasis::derive();
        for x in 0..=255u8 {
            let [a, b] = [from_field.apply(x) & 15, from_field.apply(x) >> 4];
            let mut scaled = if turned(b, 2) >> SCALED_SQUARE_EVERYWHERE & 1 == 1 { 15 } else { 0 };
            for (by, lanes) in SCALED_SQUARE {
                scaled ^= lanes.iter().fold(0, |sum, l| sum | turned(b, by) & 1 << l);
            }
            let norm = turned(a, 3) ^ product(a, b) ^ scaled;
            let t = norm ^ turned(norm, 3);
            let inverse = ((norm ^ turned(norm, 1)) & t | turned(norm, 2)) ^ norm & t;
            let result = product(a, inverse) | product(b, inverse) << 4;
            assert_eq!(to_field.apply(result), gf256::inverse(x), "{x:#04x}");
        }
    }
}
