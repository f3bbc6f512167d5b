//! ARIA's four S-boxes and the two substitution layers made of them.
//!
//! RFC 5794 section 2.4.2 gives the layers, and the S-boxes as look-up tables SB1 to SB4. The
//! algebra behind the tables is that of D. Kwon et al., "New Block Cipher: ARIA", ICISC 2003
//! (LNCS 2971): S1(x) = A·x⁻¹ + a and S2(x) = B·x²⁴⁷ + b, with X1 and X2 their inverses. Here the
//! algebra defines and the tables test, since an instruction can compute inversions and affine
//! maps but not a table. The RFC's SB1, SB2, SB3, SB4 are s1, s2, x1, x2.
//!
//! Not known here: on which unit, or in which order, anybody evaluates an S-box.

use std::sync::LazyLock;

use super::Block;
use crate::math::{Affine, BitMatrix, Sbox, gf256};

/// A of S1, as printed: the row of bit 0 first, the leftmost digit for bit 0 of x⁻¹.
/// It is the matrix of the AES S-box (FIPS 197 section 5.1.1).
const A: BitMatrix = BitMatrix::from_printed_rows([
    0b1000_1111,
    0b1100_0111,
    0b1110_0011,
    0b1111_0001,
    0b1111_1000,
    0b0111_1100,
    0b0011_1110,
    0b0001_1111,
]);

/// a of S1.
const A_CONSTANT: u8 = 0x63;

/// B of S2, as printed: the row of bit 0 first, the leftmost digit for bit 0 of x²⁴⁷.
const B: BitMatrix = BitMatrix::from_printed_rows([
    0b0101_1110,
    0b0011_1101,
    0b1101_0111,
    0b1001_1101,
    0b0010_1100,
    0b1000_0001,
    0b0101_1101,
    0b1101_0011,
]);

/// b of S2.
const B_CONSTANT: u8 = 0xe2;

/// s1, s2, x1, x2. Deriving them compares functions on all 256 bytes, too much to repeat for each
/// byte of each block.
static SBOXES: LazyLock<[Sbox; 4]> = LazyLock::new(|| {
    let s1 = derive_s1();
    let s2 = derive_s2();
    let x1 = s1.inverse("x1").expect("A is invertible");
    let x2 = s2.inverse("x2").expect("B is invertible, and so is the eighth power");
    [s1, s2, x1, x2]
});

/// S1 is the form itself: A·x⁻¹ + a.
fn derive_s1() -> Sbox {
    let after = Affine { matrix: A, constant: A_CONSTANT };
    Sbox { name: "s1", before: Affine::IDENTITY, after }
}

/// S2 comes to the form by x²⁴⁷ = (x⁻¹)⁸, since 247 = -8 modulo 255. The eighth power is three
/// squarings, which are linear; hence B·x²⁴⁷ + b is affine in x⁻¹.
fn derive_s2() -> Sbox {
    let after = Affine::from_fn(|inverse| B.apply(gf256::pow(inverse, 8)) ^ B_CONSTANT)
        .expect("the eighth power is linear");
    Sbox { name: "s2", before: Affine::IDENTITY, after }
}

/// S1, the RFC's SB1: the AES S-box.
#[must_use]
pub fn s1() -> Sbox {
    SBOXES[0]
}

/// S2, the RFC's SB2.
#[must_use]
pub fn s2() -> Sbox {
    SBOXES[1]
}

/// X1, the RFC's SB3: the inverse of S1.
#[must_use]
pub fn x1() -> Sbox {
    SBOXES[2]
}

/// X2, the RFC's SB4: the inverse of S2.
#[must_use]
pub fn x2() -> Sbox {
    SBOXES[3]
}

/// A substitution layer (RFC 5794 section 2.4.2).
///
/// ```text
/// byte   0  1  2  3   4  5  6  7   8  9 10 11  12 13 14 15
/// SL1   s1 s2 x1 x2  s1 s2 x1 x2  s1 s2 x1 x2  s1 s2 x1 x2
/// SL2   x1 x2 s1 s2  x1 x2 s1 s2  x1 x2 s1 s2  x1 x2 s1 s2
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layer {
    /// Type 1, of the odd rounds.
    Sl1,
    /// Type 2, of the even rounds; the inverse of type 1.
    Sl2,
}

impl Layer {
    /// The S-box that the layer applies to the byte at `position`; it depends on `position` mod 4.
    #[must_use]
    pub fn sbox(self, position: usize) -> Sbox {
        let period: [fn() -> Sbox; 4] = match self {
            Self::Sl1 => [s1, s2, x1, x2],
            Self::Sl2 => [x1, x2, s1, s2],
        };
        period[position % 4]()
    }

    /// The RFC's name: "SL1" or "SL2".
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sl1 => "SL1",
            Self::Sl2 => "SL2",
        }
    }
}

/// SL1 or SL2 of a block.
#[must_use]
pub fn substitute(layer: Layer, x: &Block) -> Block {
    std::array::from_fn(|i| layer.sbox(i).apply(x[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Look-up table SB1 of RFC 5794 section 2.4.2, a row of sixteen entries a line.
    #[rustfmt::skip]
    const SB1: [u128; 16] = [
        0x637c777bf26b6fc53001672bfed7ab76, 0xca82c97dfa5947f0add4a2af9ca472c0,
        0xb7fd9326363ff7cc34a5e5f171d83115, 0x04c723c31896059a071280e2eb27b275,
        0x09832c1a1b6e5aa0523bd6b329e32f84, 0x53d100ed20fcb15b6acbbe394a4c58cf,
        0xd0efaafb434d338545f9027f503c9fa8, 0x51a3408f929d38f5bcb6da2110fff3d2,
        0xcd0c13ec5f974417c4a77e3d645d1973, 0x60814fdc222a908846eeb814de5e0bdb,
        0xe0323a0a4906245cc2d3ac629195e479, 0xe7c8376d8dd54ea96c56f4ea657aae08,
        0xba78252e1ca6b4c6e8dd741f4bbd8b8a, 0x703eb5664803f60e613557b986c11d9e,
        0xe1f8981169d98e949b1e87e9ce5528df, 0x8ca1890dbfe6426841992d0fb054bb16,
    ];

    /// Look-up table SB2 of RFC 5794 section 2.4.2.
    #[rustfmt::skip]
    const SB2: [u128; 16] = [
        0xe24e54fc94c24acc620d6a463c4d8bd1, 0x5efa64cbb497be2bbc772e03d31959c1,
        0x1d06416b55f09969ea9c18ae63dfe7bb, 0x007366fb964c85e43a0945aa0fee10eb,
        0x2d7ff429accfad918d78c895f92fcecd, 0x087a88385c832a2847dbb8c793a41253,
        0xff870e3136215848018e377432cae9b1, 0xb7ab0cd7c4564226079860d9b6b91140,
        0xec208cbda0c984044923f14f501f13dc, 0xd8c09e57e3c37b653b028f3ee82592e5,
        0x15ddfd17a9bfd49a7ec53967fe769d43, 0xa7e1d0f568f21b347005a38ad57986a8,
        0x30c6514b1ea627f635d26e2416825fda, 0xe675a2ef2cb21c9f5d6f800a72449b6c,
        0x900b5b337d5a52f361a1f7b0d63f7c6d, 0xed14e0a53d22b3f889de711aafbab581,
    ];

    /// All 256 images in order, sixteen to a number.
    fn table(sbox: Sbox) -> [u128; 16] {
        std::array::from_fn(|row| {
            (0..16).fold(0, |line, x| (line << 8) | u128::from(sbox.apply((16 * row + x) as u8)))
        })
    }

    #[test]
    fn section_2_4_2_table_sb1_is_s1() {
        assert_eq!(table(s1()), SB1);
    }

    #[test]
    fn section_2_4_2_table_sb2_is_s2() {
        assert_eq!(table(s2()), SB2);
    }

    #[test]
    fn section_2_4_2_tables_sb3_and_sb4_begin_as_x1_and_x2() {
        assert_eq!(table(x1())[0], 0x52096ad53036a538bf40a39e81f3d7fb);
        assert_eq!(table(x2())[0], 0x3068991b87b921785039dbe17209623c);
    }

    #[test]
    fn section_2_4_2_example() {
        assert_eq!(s1().apply(0x23), 0x26);
        assert_eq!(x2().apply(0xef), 0xd3);
    }

    /// With the tables of s1 and s2 this settles those of x1 and x2 too.
    #[test]
    fn x1_and_x2_invert_s1_and_s2() {
        for x in 0..=255 {
            assert_eq!(x1().apply(s1().apply(x)), x);
            assert_eq!(x2().apply(s2().apply(x)), x);
        }
    }

    #[test]
    fn s1_and_s2_are_the_powers_of_the_definition() {
        for x in 0..=255 {
            assert_eq!(s1().apply(x), A.apply(gf256::pow(x, 254)) ^ 0x63);
            assert_eq!(s2().apply(x), B.apply(gf256::pow(x, 247)) ^ 0xe2);
        }
    }

    /// Computed apart from this crate, by inverting the maps as tables of 256 entries. A unit that
    /// gets one of these wrong computes another cipher, so they are worth seeing.
    #[test]
    fn affine_maps_have_the_known_matrices_and_constants() {
        let packed = |map: Affine| (map.matrix.to_gfni(), map.constant);
        assert_eq!(packed(s1().after), (0xf1e3_c78f_1f3e_7cf8, 0x63));
        assert_eq!(packed(s2().after), (0xeafc_b7c3_c273_c66f, 0xe2));
        assert_eq!(packed(x1().before), (0xa449_9225_4a94_2952, 0x05));
        assert_eq!(packed(x2().before), (0x1864_50c7_37d6_bdc9, 0x2c));
        for only_after in [s1(), s2()] {
            assert!(only_after.before.is_identity(), "{}", only_after.name);
        }
        for only_before in [x1(), x2()] {
            assert!(only_before.after.is_identity(), "{}", only_before.name);
        }
    }

    #[test]
    fn layers_apply_the_s_boxes_of_section_2_4_2_by_position() {
        let names = |layer: Layer| -> [&str; 16] { std::array::from_fn(|i| layer.sbox(i).name) };
        assert_eq!(names(Layer::Sl1), *["s1", "s2", "x1", "x2"].repeat(4));
        assert_eq!(names(Layer::Sl2), *["x1", "x2", "s1", "s2"].repeat(4));
    }

    #[test]
    fn sl2_is_the_inverse_of_sl1() {
        for x in 0..=255 {
            let block = [x; 16];
            assert_eq!(substitute(Layer::Sl2, &substitute(Layer::Sl1, &block)), block);
            assert_eq!(substitute(Layer::Sl1, &substitute(Layer::Sl2, &block)), block);
        }
    }
}
