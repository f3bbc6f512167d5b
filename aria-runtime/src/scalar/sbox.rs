//! ARIA's four S-boxes from their definitions (RFC 5794, section 2.4.2), as affine maps before and
//! after one field inversion.
//!
//! ```text
//! S1(x) = A·x⁻¹ + 63      X1(y) = (A⁻¹·y + A⁻¹·63)⁻¹
//! S2(x) = B·x²⁴⁷ + e2     X2(y) = (C⁻¹·y + C⁻¹·e2)⁻¹   where C = B·(x ↦ x⁸), as x²⁴⁷ = (x⁻¹)⁸
//! ```
//!
//! So one inversion serves all sixteen bytes of a block, whichever S-box each of them takes. Only
//! A, B and the two constants come from the document; everything else is computed here, at
//! compile time. Knows no rounds and no keys.

use super::field::{self, Bytes};

/// The matrix A of S1. Row i tells which bits of the inverse make bit i, bit 0 written first.
#[rustfmt::skip]
const A: Linear = Linear::from_rows([
    0b10001111, 0b11000111, 0b11100011, 0b11110001,
    0b11111000, 0b01111100, 0b00111110, 0b00011111,
]);

/// The matrix B of S2, written like A.
#[rustfmt::skip]
const B: Linear = Linear::from_rows([
    0b01011110, 0b00111101, 0b11010111, 0b10011101,
    0b00101100, 0b10000001, 0b01011101, 0b11010011,
]);

const S1: SBox = SBox::forward(A, 0x63);
const S2: SBox = SBox::forward(B.after(Linear::frobenius(3)), 0xe2);
const X1: SBox = S1.inverse();
const X2: SBox = S2.inverse();

/// The substitution layer of odd rounds (RFC 5794, section 2.4.2, type 1).
pub(super) const SL1: Layer = Layer::new([S1, S2, X1, X2]);

/// The substitution layer of even rounds (type 2), the inverse of [`SL1`].
pub(super) const SL2: Layer = Layer::new([X1, X2, S1, S2]);

/// A linear map of the field's bits: column i is the image of bit i.
#[derive(Clone, Copy)]
struct Linear([u8; 8]);

impl Linear {
    const IDENTITY: Self = Self::frobenius(0);

    /// From rows as RFC 5794 prints them, bit 0 on the left.
    const fn from_rows(rows: [u8; 8]) -> Self {
        let mut columns = [0; 8];
        let mut i = 0;
        while i < 64 {
            let (row, column) = (i / 8, i % 8);
            columns[column] |= (rows[row] >> (7 - column) & 1) << row;
            i += 1;
        }
        Self(columns)
    }

    /// x ↦ x^(2ᵏ).
    const fn frobenius(k: u32) -> Self {
        let mut columns = [0; 8];
        let mut i = 0;
        while i < 8 {
            columns[i] = field::frobenius(1 << i, k);
            i += 1;
        }
        Self(columns)
    }

    const fn apply(self, x: u8) -> u8 {
        let mut y = 0;
        let mut i = 0;
        while i < 8 {
            y ^= self.0[i] * (x >> i & 1);
            i += 1;
        }
        y
    }

    /// This map after `first`.
    const fn after(self, first: Self) -> Self {
        let mut columns = [0; 8];
        let mut i = 0;
        while i < 8 {
            columns[i] = self.apply(first.0[i]);
            i += 1;
        }
        Self(columns)
    }

    /// The inverse map, by looking for each bit among the images. Fails to compile if there is none.
    const fn inverse(self) -> Self {
        let mut columns = [0; 8];
        let mut i = 0;
        while i < 8 {
            let mut x = 1;
            while self.apply(x) != 1 << i {
                x += 1;
            }
            columns[i] = x;
            i += 1;
        }
        Self(columns)
    }
}

/// A linear map and a constant to add to its result.
#[derive(Clone, Copy)]
struct Affine {
    linear: Linear,
    constant: u8,
}

impl Affine {
    const IDENTITY: Self = Self { linear: Linear::IDENTITY, constant: 0 };
}

/// x ↦ post((pre(x))⁻¹).
#[derive(Clone, Copy)]
struct SBox {
    pre: Affine,
    post: Affine,
}

impl SBox {
    /// x ↦ `linear`·x⁻¹ + `constant`.
    const fn forward(linear: Linear, constant: u8) -> Self {
        Self { pre: Affine::IDENTITY, post: Affine { linear, constant } }
    }

    /// The inverse of a [`forward`](Self::forward) box.
    const fn inverse(self) -> Self {
        let linear = self.post.linear.inverse();
        Self {
            pre: Affine { linear, constant: linear.apply(self.post.constant) },
            post: Affine::IDENTITY,
        }
    }
}

/// Four affine maps, one for each byte position modulo 4.
struct Columns {
    linear: [Bytes; 8],
    constant: Bytes,
}

impl Columns {
    const fn new(maps: [Affine; 4]) -> Self {
        let [a, b, c, d] = maps;
        let mut linear = [Bytes::splat(0); 8];
        let mut i = 0;
        while i < 8 {
            linear[i] = four(a.linear.0[i], b.linear.0[i], c.linear.0[i], d.linear.0[i]);
            i += 1;
        }
        Self { linear, constant: four(a.constant, b.constant, c.constant, d.constant) }
    }

    const fn apply(&self, x: Bytes) -> Bytes {
        field::combine(&self.linear, &field::bits(x)).xor(self.constant)
    }
}

/// The block `abcd abcd abcd abcd`.
const fn four(a: u8, b: u8, c: u8, d: u8) -> Bytes {
    Bytes::from_number(u128::from_be_bytes([a, b, c, d, a, b, c, d, a, b, c, d, a, b, c, d]))
}

/// A substitution layer: an S-box for each byte position modulo 4.
pub(super) struct Layer {
    pre: Columns,
    post: Columns,
}

impl Layer {
    const fn new([a, b, c, d]: [SBox; 4]) -> Self {
        Self {
            pre: Columns::new([a.pre, b.pre, c.pre, d.pre]),
            post: Columns::new([a.post, b.post, c.post, d.post]),
        }
    }

    /// Substitutes all sixteen bytes of a block, read as a big-endian number.
    pub(super) const fn apply(&self, block: u128) -> u128 {
        let inner = self.pre.apply(Bytes::from_number(block));
        self.post.apply(field::invert(inner)).to_number()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the layer makes of a block of sixteen equal bytes: the four S-boxes, four times.
    fn four_boxes(layer: &Layer, x: u8) -> [u8; 4] {
        let y = layer.apply(Bytes::splat(x).to_number()).to_be_bytes();
        assert_eq!(y[..4], y[4..8]);
        assert_eq!(y[..8], y[8..]);
        [y[0], y[1], y[2], y[3]]
    }

    #[test]
    fn boxes_are_their_definitions() {
        for x in 0..=255u8 {
            let inverse = (1..=255).find(|&y| field::multiply(x, y) == 1).unwrap_or(0);
            let s1 = A.apply(inverse) ^ 0x63;
            let s2 = B.apply(field::frobenius(inverse, 3)) ^ 0xe2;
            let [got_s1, got_s2, ..] = four_boxes(&SL1, x);
            assert_eq!((got_s1, got_s2), (s1, s2), "{x:#04x}");
        }
    }

    /// The first row of each table of RFC 5794, section 2.4.2.
    #[test]
    fn boxes_have_the_published_values() {
        #[rustfmt::skip]
        let published = [
            [0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76],
            [0xe2, 0x4e, 0x54, 0xfc, 0x94, 0xc2, 0x4a, 0xcc, 0x62, 0x0d, 0x6a, 0x46, 0x3c, 0x4d, 0x8b, 0xd1],
            [0x52, 0x09, 0x6a, 0xd5, 0x30, 0x36, 0xa5, 0x38, 0xbf, 0x40, 0xa3, 0x9e, 0x81, 0xf3, 0xd7, 0xfb],
            [0x30, 0x68, 0x99, 0x1b, 0x87, 0xb9, 0x21, 0x78, 0x50, 0x39, 0xdb, 0xe1, 0x72, 0x09, 0x62, 0x3c],
        ];
        for x in 0..16u8 {
            let expected: [u8; 4] = core::array::from_fn(|i| published[i][usize::from(x)]);
            assert_eq!(four_boxes(&SL1, x), expected, "{x:#04x}");
        }
    }

    #[test]
    fn second_layer_undoes_the_first() {
        for x in 0..=255u8 {
            let [s1, s2, x1, x2] = four_boxes(&SL1, x);
            let block = four(s1, s2, x1, x2).to_number();
            assert_eq!(SL2.apply(block), Bytes::splat(x).to_number(), "{x:#04x}");
        }
    }

    #[test]
    fn inner_constants_are_the_published_ones() {
        assert_eq!((X1.pre.constant, X2.pre.constant), (0x05, 0x2c));
    }
}
