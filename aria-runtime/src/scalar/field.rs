//! Arithmetic in GF(2⁸) = GF(2)\[x\]/(x⁸ + x⁴ + x³ + x + 1), the field of ARIA's S-boxes
//! (RFC 5794, section 2.4.2), on the sixteen bytes of a block at once.
//!
//! A value's bit is never tested: it becomes a mask of eight equal bits ([`bits`]), and a product
//! is a sum of masked constants or masked multiples ([`combine`]). No branch and no address
//! depends on data. Each mask holds the bits of many bytes together, so a compiler has no single
//! condition that it could turn back into a branch; `core::hint::black_box` is not needed.
//!
//! Knows no cipher. The constants that it is given come from `sbox`.

/// The sixteen bytes of a block, the first one most significant in the first half.
///
/// Two halves rather than a `u128`, whose shifts and subtractions would link the halves: so
/// compilers keep both in one vector register where there are any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bytes([u64; 2]);

impl Bytes {
    const ZERO: Self = Self([0; 2]);

    /// The same byte in all places.
    pub(super) const fn splat(byte: u8) -> Self {
        Self([u64::from_ne_bytes([byte; 8]); 2])
    }

    /// The bytes of a block read as a big-endian number.
    pub(super) const fn from_number(block: u128) -> Self {
        Self([(block >> 64) as u64, block as u64])
    }

    /// Undoes [`from_number`](Self::from_number).
    pub(super) const fn to_number(self) -> u128 {
        (self.0[0] as u128) << 64 | self.0[1] as u128
    }

    /// The sum in the field.
    #[inline]
    pub(super) const fn xor(self, other: Self) -> Self {
        Self([self.0[0] ^ other.0[0], self.0[1] ^ other.0[1]])
    }

    #[inline]
    const fn and(self, mask: Self) -> Self {
        Self([self.0[0] & mask.0[0], self.0[1] & mask.0[1]])
    }

    /// Shifts each half; bits of one byte reach the next one.
    #[inline]
    const fn shl(self, count: u32) -> Self {
        Self([self.0[0] << count, self.0[1] << count])
    }

    /// Shifts each half; bits of one byte reach the next one.
    #[inline]
    const fn shr(self, count: u32) -> Self {
        Self([self.0[0] >> count, self.0[1] >> count])
    }

    /// Subtracts in each half, as integers.
    #[inline]
    const fn minus(self, other: Self) -> Self {
        Self([self.0[0].wrapping_sub(other.0[0]), self.0[1].wrapping_sub(other.0[1])])
    }
}

/// Bit `i` of every byte, spread over the byte: entry `i` holds `0x00` or `0xff` sixteen times.
#[inline]
pub(super) const fn bits(x: Bytes) -> [Bytes; 8] {
    let mut masks = [Bytes::ZERO; 8];
    let mut i = 0;
    while i < 8 {
        let lowest = x.shr(i as u32).and(Bytes::splat(0x01));
        // 256·lowest − lowest: no byte borrows from another, and the topmost shifts out.
        masks[i] = lowest.shl(8).minus(lowest);
        i += 1;
    }
    masks
}

/// The linear map whose matrix has these columns, applied to the elements whose [`bits`] are given.
///
/// Columns may differ from byte to byte. With `powers(a)` as columns it is the product with `a`.
#[inline]
pub(super) const fn combine(columns: &[Bytes; 8], bits: &[Bytes; 8]) -> Bytes {
    let mut sum = Bytes::ZERO;
    let mut i = 0;
    while i < 8 {
        sum = sum.xor(columns[i].and(bits[i]));
        i += 1;
    }
    sum
}

/// a, a·x, a·x², … a·x⁷ for each of the sixteen elements.
#[inline]
const fn powers(a: Bytes) -> [Bytes; 8] {
    let mut multiples = [a; 8];
    let mut i = 1;
    while i < 8 {
        let top = multiples[i - 1].and(Bytes::splat(0x80));
        let reduction = top.minus(top.shr(7)).and(Bytes::splat(0x1b)); // x⁸ = x⁴ + x³ + x + 1
        multiples[i] = multiples[i - 1].xor(top).shl(1).xor(reduction);
        i += 1;
    }
    multiples
}

/// The product of two elements, for constants.
pub(super) const fn multiply(a: u8, b: u8) -> u8 {
    combine(&powers(Bytes::splat(a)), &bits(Bytes::splat(b))).0[0] as u8
}

/// `a` raised to 2ᵏ, a linear map; for constants.
pub(super) const fn frobenius(a: u8, k: u32) -> u8 {
    let mut power = a;
    let mut i = 0;
    while i < k {
        power = multiply(power, power);
        i += 1;
    }
    power
}

/// The columns of x ↦ x^(2ᵏ), the same for all sixteen bytes.
const fn frobenius_columns(k: u32) -> [Bytes; 8] {
    let mut columns = [Bytes::ZERO; 8];
    let mut i = 0;
    while i < 8 {
        columns[i] = Bytes::splat(frobenius(1 << i, k));
        i += 1;
    }
    columns
}

const SQUARE: [Bytes; 8] = frobenius_columns(1);
const POWER_4: [Bytes; 8] = frobenius_columns(2);
const POWER_16: [Bytes; 8] = frobenius_columns(4);

/// x⁻¹ = x²⁵⁴ for each of the sixteen elements, and 0 for 0.
///
/// The chain 1, 2, 3, 12, 14, 15, 240, 254 takes four products; its other steps are linear.
#[inline]
pub(super) const fn invert(x: Bytes) -> Bytes {
    let x2 = bits(combine(&SQUARE, &bits(x)));
    let x3 = bits(combine(&powers(x), &x2));
    let x12 = powers(combine(&POWER_4, &x3));
    let x14 = combine(&x12, &x2);
    let x15 = combine(&x12, &x3);
    let x240 = combine(&POWER_16, &bits(x15));
    combine(&powers(x240), &bits(x14))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schoolbook product: polynomials over GF(2), reduced from the top.
    fn schoolbook(a: u8, b: u8) -> u8 {
        let mut product =
            (0..8).filter(|i| b >> i & 1 == 1).fold(0u16, |sum, i| sum ^ (u16::from(a) << i));
        for i in (8..15).rev() {
            if product >> i & 1 == 1 {
                product ^= 0x11b << (i - 8);
            }
        }
        u8::try_from(product).unwrap()
    }

    #[test]
    fn product_equals_the_schoolbook_product() {
        for a in 0..=255 {
            for b in 0..=255 {
                assert_eq!(multiply(a, b), schoolbook(a, b), "{a:#04x} * {b:#04x}");
            }
        }
    }

    #[test]
    fn inverse_times_value_is_one() {
        assert_eq!(invert(Bytes::splat(0)), Bytes::splat(0));
        for first in (0..=255u8).step_by(16) {
            let x: [u8; 16] = core::array::from_fn(|i| first + u8::try_from(i).unwrap());
            let y = invert(Bytes::from_number(u128::from_be_bytes(x))).to_number().to_be_bytes();
            for (x, y) in x.into_iter().zip(y) {
                assert_eq!(multiply(x, y), u8::from(x != 0), "{x:#04x}");
            }
        }
    }
}
