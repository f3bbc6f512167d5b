//! Arithmetic in GF(2⁸) = GF(2)\[x\]/(x⁸ + x⁴ + x³ + x + 1), the field of ARIA's S-boxes
//! (RFC 5794, section 2.4.2), sixteen bytes at once in a `u128`.
//!
//! A value's bit is never tested: it becomes a mask of eight equal bits ([`bits`]), and a product
//! is a sum of masked constants or masked multiples ([`combine`]). No branch and no address
//! depends on data. A mask holds the bits of sixteen bytes together, so a compiler has no single
//! condition that it could turn back into a branch; `core::hint::black_box` is not needed.
//!
//! Knows no cipher. The constants that it is given come from `sbox`.

/// Sixteen field elements; which byte of the block each one is does not matter here.
pub(super) type Bytes = u128;

/// The same byte in all sixteen places.
pub(super) const fn splat(byte: u8) -> Bytes {
    u128::from_ne_bytes([byte; 16])
}

/// The product of two single elements. For constants: its loop branches on nothing, but it is slow.
pub(super) const fn multiply(a: u8, b: u8) -> u8 {
    combine(&powers(a as Bytes), &bits(b as Bytes)) as u8
}

/// `a` raised to 2ᵏ, which is a linear map of `a`.
pub(super) const fn frobenius(a: u8, k: u32) -> u8 {
    let mut power = a;
    let mut i = 0;
    while i < k {
        power = multiply(power, power);
        i += 1;
    }
    power
}

/// Bit `i` of every byte, spread over the byte: entry `i` holds `0x00` or `0xff` sixteen times.
pub(super) const fn bits(x: Bytes) -> [Bytes; 8] {
    let mut masks = [0; 8];
    let mut i = 0;
    while i < 8 {
        let lowest = (x >> i) & splat(0x01);
        // 256·lowest − lowest: no byte borrows from another, the top one shifts out.
        masks[i] = (lowest << 8).wrapping_sub(lowest);
        i += 1;
    }
    masks
}

/// The linear map whose matrix has these columns, applied to the element whose [`bits`] are given.
///
/// Columns may differ from byte to byte. With `powers(a)` as columns it is the product with `a`.
pub(super) const fn combine(columns: &[Bytes; 8], bits: &[Bytes; 8]) -> Bytes {
    let mut sum = 0;
    let mut i = 0;
    while i < 8 {
        sum ^= columns[i] & bits[i];
        i += 1;
    }
    sum
}

/// a, a·x, a·x², … a·x⁷ for each of the sixteen elements.
pub(super) const fn powers(a: Bytes) -> [Bytes; 8] {
    let mut multiples = [a; 8];
    let mut i = 1;
    while i < 8 {
        let top = multiples[i - 1] & splat(0x80);
        let carry = top.wrapping_sub(top >> 7) & splat(0x1b); // x⁸ = x⁴ + x³ + x + 1
        multiples[i] = ((multiples[i - 1] ^ top) << 1) ^ carry;
        i += 1;
    }
    multiples
}

/// The columns of x ↦ x^(2ᵏ), the same for all sixteen bytes.
const fn frobenius_columns(k: u32) -> [Bytes; 8] {
    let mut columns = [0; 8];
    let mut i = 0;
    while i < 8 {
        columns[i] = splat(frobenius(1 << i, k));
        i += 1;
    }
    columns
}

const SQUARE: [Bytes; 8] = frobenius_columns(1);
const POWER_4: [Bytes; 8] = frobenius_columns(2);
const POWER_16: [Bytes; 8] = frobenius_columns(4);

/// x⁻¹ = x²⁵⁴ for each of the sixteen elements, and 0 for 0.
///
/// The chain 1, 2, 3, 12, 14, 15, 240, 254 takes four products; the other steps are linear.
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
        assert_eq!(invert(0), 0);
        for first in (0..=255u8).step_by(16) {
            let x: [u8; 16] = core::array::from_fn(|i| first + u8::try_from(i).unwrap());
            let y = invert(u128::from_be_bytes(x)).to_be_bytes();
            for (x, y) in x.into_iter().zip(y) {
                assert_eq!(multiply(x, y), u8::from(x != 0), "{x:#04x}");
            }
        }
    }
}
