//! The field of 256 elements as a tower, GF(((2²)²)²), in which inversion is a small circuit.
//!
//! Canright, "A very compact S-box for AES" (CHES 2005): each step of the tower is taken in a normal
//! basis, so that an element is a pair of elements of the field below.
//!
//! ```text
//! GF(4)    g = g1·W² + g0·W        W² = W + 1
//! GF(16)   G = G1·Z⁴ + G0·Z        Z² = Z + N, N in GF(4)
//! GF(256)  γ = γ1·Y¹⁶ + γ0·Y       Y² = Y + ν, ν in GF(16)
//! ```
//!
//! With θ = γ1·γ0 + ν·(γ1 + γ0)², the inverse of γ is (γ0/θ)·Y¹⁶ + (γ1/θ)·Y, and the same one step
//! further down. A choice of W, Z and Y in the field of [`gf256`] is a [`Tower`]; there are 128.

use super::linear::extend_linear;
use super::{Circuit, Wire};
use crate::math::{BitMatrix, gf256};

/// Ways to break ties when sums are derived.
const TRIES: u64 = 8;

/// A choice of the three basis elements. Bit 4i + 2j + k of an element in its basis is the
/// coefficient of the product of Y or Y¹⁶, Z or Z⁴, W or W²; set bits choose the powers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tower {
    w: u8,
    z: u8,
    y: u8,
}

impl Tower {
    /// Every choice, in a fixed order.
    pub fn all() -> impl Iterator<Item = Self> {
        let minimal = |x: u8| gf256::pow(x, 2) ^ x;
        let elements = || 0..=255u8;
        let below = |x: u8, size: u32| gf256::pow(x, size) == x;
        elements().filter(move |&w| minimal(w) == 1).flat_map(move |w| {
            let z = elements().filter(move |&z| !below(z, 4) && below(minimal(z), 4));
            let z = z.filter(|&z| gf256::pow(z, 4) ^ z == 1);
            z.flat_map(move |z| {
                let y = elements().filter(move |&y| !below(y, 16) && below(minimal(y), 16));
                let y = y.filter(|&y| gf256::pow(y, 16) ^ y == 1);
                y.map(move |y| Self { w, z, y })
            })
        })
    }

    /// From the tower's basis to the field's own.
    #[must_use]
    pub fn to_field(self) -> BitMatrix {
        let power = |number: usize, bit: usize, x: u8, conjugate: u32| {
            if number >> bit & 1 == 1 { gf256::pow(x, conjugate) } else { x }
        };
        let columns = core::array::from_fn(|number| {
            let (y, z) = (power(number, 2, self.y, 16), power(number, 1, self.z, 4));
            gf256::mul(gf256::mul(y, z), power(number, 0, self.w, 2))
        });
        BitMatrix::from_rows(columns).transpose()
    }

    /// The rows of a linear map of GF(16), or of GF(4) for two bits, in the tower's basis.
    fn rows(self, bits: usize, map: impl Fn(u8) -> u8) -> Vec<u8> {
        let to_field = self.to_field();
        let from_field = to_field.inverse().expect("the products of basis elements are a basis");
        // An element of a smaller field is γ·(Y¹⁶ + Y), hence both halves are equal.
        let copies = 8 / bits;
        let lift = |x: u8| (0..copies).fold(0, |sum, i| sum | x << (i * bits));
        let image = |x: u8| from_field.apply(map(to_field.apply(lift(x))));
        let columns: Vec<u8> = (0..bits).map(|j| image(1 << j)).collect();
        let row = |i: usize| columns.iter().enumerate().fold(0, |r, (j, c)| r | (c >> i & 1) << j);
        (0..bits).map(row).collect()
    }

    fn nu(self) -> u8 {
        gf256::pow(self.y, 2) ^ self.y
    }

    fn n(self) -> u8 {
        gf256::pow(self.z, 2) ^ self.z
    }

    /// Inversion in the tower's basis, eight bits to eight; the inverse of 0 is 0.
    #[must_use]
    pub fn inversion(self) -> Circuit {
        let mut circuit = Circuit::new(8);
        let wires: [Wire; 8] = core::array::from_fn(Wire);
        let [lower, upper] = [[0, 1, 2, 3], [4, 5, 6, 7]].map(|half| half.map(|i| wires[i]));
        let (lower, upper) = (Sums::of(&mut circuit, lower), Sums::of(&mut circuit, upper));
        let product = self.product(&mut circuit, &upper, &lower);
        // ν·(γ1 + γ0)², a sum of bits of both, with what was added up for the product.
        let known: Vec<(u8, Wire)> = lower.known(0).chain(upper.known(4)).collect();
        let scaled = self.rows(4, |x| gf256::mul(self.nu(), gf256::pow(x, 2)));
        let scaled: Vec<u8> = scaled.into_iter().map(|row| row | row << 4).collect();
        let scaled = extend_linear(&mut circuit, &known, &scaled, TRIES);
        let theta = core::array::from_fn(|i| add(&mut circuit, product[i], scaled[i]));
        let inverse = self.inversion_16(&mut circuit, theta);
        let inverse = Sums::of(&mut circuit, inverse);
        let new_lower = self.product(&mut circuit, &inverse, &upper);
        let new_upper = self.product(&mut circuit, &inverse, &lower);
        circuit.set_outputs(new_lower.into_iter().chain(new_upper).map(Some).collect());
        circuit
    }

    /// Inversion in GF(16).
    fn inversion_16(self, circuit: &mut Circuit, x: [Wire; 4]) -> [Wire; 4] {
        let [l0, l1, u0, u1] = x;
        let (lower, upper) = (Pair::of(circuit, [l0, l1]), Pair::of(circuit, [u0, u1]));
        let product = product_4(circuit, &upper, &lower);
        let known: Vec<(u8, Wire)> = lower.known(0).into_iter().chain(upper.known(2)).collect();
        let scaled = self.rows(2, |x| gf256::mul(self.n(), gf256::pow(x, 2)));
        let scaled: Vec<u8> = scaled.into_iter().map(|row| row | row << 2).collect();
        let scaled = extend_linear(circuit, &known, &scaled, TRIES);
        let [p0, p1] = [0, 1].map(|i| add(circuit, product[i], scaled[i]));
        // In GF(4) the inverse is the square, which exchanges the two coefficients.
        let inverse = Pair::of(circuit, [p1, p0]);
        let [y0, y1] = product_4(circuit, &inverse, &upper);
        let [y2, y3] = product_4(circuit, &inverse, &lower);
        [y0, y1, y2, y3]
    }

    /// The product in GF(16), after Karatsuba.
    fn product(self, circuit: &mut Circuit, a: &Sums, b: &Sums) -> [Wire; 4] {
        let lower = product_4(circuit, &a.lower, &b.lower);
        let upper = product_4(circuit, &a.upper, &b.upper);
        let both = self.scaled_product_4(circuit, &a.both, &b.both);
        let [y0, y1] = [0, 1].map(|i| circuit.xor(lower[i], both[i]));
        let [y2, y3] = [0, 1].map(|i| circuit.xor(upper[i], both[i]));
        [y0, y1, y2, y3]
    }

    /// The product in GF(4), times N, which is W or W².
    fn scaled_product_4(self, circuit: &mut Circuit, a: &Pair, b: &Pair) -> [Wire; 2] {
        let [p0, p1, both] = products(circuit, a, b);
        // The product is (p1 + both)·W² + (p0 + both)·W.
        if self.n() == self.w {
            [circuit.xor(p1, both), circuit.xor(p0, p1)]
        } else {
            [circuit.xor(p0, p1), circuit.xor(p0, both)]
        }
    }
}

fn add(circuit: &mut Circuit, a: Wire, b: Option<Wire>) -> Wire {
    b.map_or(a, |b| circuit.xor(a, b))
}

/// An element of GF(4) with the sum of its coefficients.
struct Pair {
    bits: [Wire; 2],
    sum: Wire,
}

impl Pair {
    fn of(circuit: &mut Circuit, bits: [Wire; 2]) -> Self {
        Self { bits, sum: circuit.xor(bits[0], bits[1]) }
    }

    /// Its sums, the bits numbered from `first` on.
    fn known(&self, first: u32) -> [(u8, Wire); 3] {
        let [a, b] = self.bits;
        [(1 << first, a), (2 << first, b), (3 << first, self.sum)]
    }
}

/// An element of GF(16) with the sums that products take.
struct Sums {
    lower: Pair,
    upper: Pair,
    both: Pair,
}

impl Sums {
    fn of(circuit: &mut Circuit, bits: [Wire; 4]) -> Self {
        let [l0, l1, u0, u1] = bits;
        let (lower, upper) = (Pair::of(circuit, [l0, l1]), Pair::of(circuit, [u0, u1]));
        let both = [circuit.xor(l0, u0), circuit.xor(l1, u1)];
        let both = Pair { bits: both, sum: circuit.xor(lower.sum, upper.sum) };
        Self { lower, upper, both }
    }

    /// Its sums, the bits numbered from `first` on.
    fn known(&self, first: u32) -> impl Iterator<Item = (u8, Wire)> {
        let both = self.both.known(0).map(|(sum, wire)| ((sum | sum << 2) << first, wire));
        self.lower.known(first).into_iter().chain(self.upper.known(first + 2)).chain(both)
    }
}

/// The three products of bits that a product in GF(4) takes.
fn products(circuit: &mut Circuit, a: &Pair, b: &Pair) -> [Wire; 3] {
    let [p0, p1] = [0, 1].map(|i| circuit.and(a.bits[i], b.bits[i]));
    [p0, p1, circuit.and(a.sum, b.sum)]
}

fn product_4(circuit: &mut Circuit, a: &Pair, b: &Pair) -> [Wire; 2] {
    let [p0, p1, both] = products(circuit, a, b);
    [circuit.xor(p0, both), circuit.xor(p1, both)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tower_inverts() {
        for tower in Tower::all() {
            let (to_field, circuit) = (tower.to_field(), tower.inversion());
            for x in 0..=255u8 {
                let y = u8::try_from(circuit.evaluate(u32::from(x))).expect("eight outputs");
                let expected = gf256::inverse(to_field.apply(x));
                assert_eq!(to_field.apply(y), expected, "{tower:?} {x:#04x}");
            }
        }
    }

    #[test]
    fn there_are_128_towers() {
        assert_eq!(Tower::all().count(), 128);
    }
}
