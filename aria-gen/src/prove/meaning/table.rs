//! The intrinsics that the prover knows: name, width and meaning of each.
//!
//! Names are those of `core::arch::x86_64`; meanings, of the instruction that the Rust
//! documentation and Intel's intrinsics guide name for each. What is not here is refused, never
//! guessed. Adding an instruction is one row, and a variant of [`VectorOp`] if it means something
//! new; the test against the CPU then asks for its probe.

use super::{Meaning, VectorOp};

/// One intrinsic.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Bytes in its vectors, the wider ones where it takes lanes apart or together.
    pub width: usize,
    /// What it does.
    pub meaning: Meaning,
}

/// Every intrinsic, by name.
#[rustfmt::skip]
pub const ROWS: &[Row] = &{
    use Meaning::{JoinLanes, Lane, LaneLow, Load, Set, Splat, Store, Vector};
    use VectorOp::*;
    const fn row(name: &'static str, width: usize, meaning: Meaning) -> Row {
        Row { name, width, meaning }
    }
    [
        row("_mm256_add_epi8",                    32, Vector(Add8)),
        row("_mm256_adds_epu8",                   32, Vector(AddSaturating8)),
        row("_mm256_aesdeclast_epi128",         32, Vector(AesDecryptLast)),
        row("_mm256_aesenclast_epi128",         32, Vector(AesEncryptLast)),
        row("_mm256_and_si256",                 32, Vector(And)),
        row("_mm256_castsi256_si128",           32, LaneLow),
        row("_mm256_extracti128_si256",         32, Lane),
        row("_mm256_gf2p8affine_epi64_epi8",    32, Vector(Affine)),
        row("_mm256_gf2p8affineinv_epi64_epi8", 32, Vector(AffineInverse)),
        row("_mm256_loadu_si256",               32, Load),
        row("_mm256_set1_epi32",                32, Splat(4)),
        row("_mm256_set1_epi64x",               32, Splat(8)),
        row("_mm256_set_epi64x",                32, Set(8)),
        row("_mm256_set_m128i",                 32, JoinLanes),
        row("_mm256_shuffle_epi8",              32, Vector(ShuffleBytes)),
        row("_mm256_slli_epi16",                32, Vector(ShiftLeft16)),
        row("_mm256_srli_epi16",                32, Vector(ShiftRight16)),
        row("_mm256_storeu_si256",              32, Store),
        row("_mm256_subs_epu8",                   32, Vector(SubtractSaturating8)),
        row("_mm256_ternarylogic_epi32",        32, Vector(Ternary)),
        row("_mm256_unpackhi_epi8",             32, Vector(UnpackHigh8)),
        row("_mm256_unpacklo_epi8",             32, Vector(UnpackLow8)),
        row("_mm256_xor_si256",                 32, Vector(Xor)),
        row("_mm512_add_epi8",                    64, Vector(Add8)),
        row("_mm512_adds_epu8",                   64, Vector(AddSaturating8)),
        row("_mm512_aesdeclast_epi128",         64, Vector(AesDecryptLast)),
        row("_mm512_aesenclast_epi128",         64, Vector(AesEncryptLast)),
        row("_mm512_and_si512",                 64, Vector(And)),
        row("_mm512_gf2p8affine_epi64_epi8",    64, Vector(Affine)),
        row("_mm512_gf2p8affineinv_epi64_epi8", 64, Vector(AffineInverse)),
        row("_mm512_loadu_si512",               64, Load),
        row("_mm512_set1_epi32",                64, Splat(4)),
        row("_mm512_set1_epi64",                64, Splat(8)),
        row("_mm512_set_epi64",                 64, Set(8)),
        row("_mm512_shuffle_epi8",              64, Vector(ShuffleBytes)),
        row("_mm512_slli_epi16",                64, Vector(ShiftLeft16)),
        row("_mm512_srli_epi16",                64, Vector(ShiftRight16)),
        row("_mm512_storeu_si512",              64, Store),
        row("_mm512_subs_epu8",                   64, Vector(SubtractSaturating8)),
        row("_mm512_ternarylogic_epi32",        64, Vector(Ternary)),
        row("_mm512_unpackhi_epi8",             64, Vector(UnpackHigh8)),
        row("_mm512_unpacklo_epi8",             64, Vector(UnpackLow8)),
        row("_mm512_xor_si512",                 64, Vector(Xor)),
        row("_mm_add_epi8",                       16, Vector(Add8)),
        row("_mm_adds_epu8",                      16, Vector(AddSaturating8)),
        row("_mm_aesdeclast_si128",             16, Vector(AesDecryptLast)),
        row("_mm_aesenclast_si128",             16, Vector(AesEncryptLast)),
        row("_mm_and_si128",                    16, Vector(And)),
        row("_mm_gf2p8affine_epi64_epi8",       16, Vector(Affine)),
        row("_mm_gf2p8affineinv_epi64_epi8",    16, Vector(AffineInverse)),
        row("_mm_loadu_si128",                  16, Load),
        row("_mm_set1_epi32",                   16, Splat(4)),
        row("_mm_set1_epi64x",                  16, Splat(8)),
        row("_mm_set_epi64x",                   16, Set(8)),
        row("_mm_shuffle_epi8",                 16, Vector(ShuffleBytes)),
        row("_mm_slli_epi16",                   16, Vector(ShiftLeft16)),
        row("_mm_srli_epi16",                   16, Vector(ShiftRight16)),
        row("_mm_storeu_si128",                 16, Store),
        row("_mm_subs_epu8",                      16, Vector(SubtractSaturating8)),
        row("_mm_ternarylogic_epi32",           16, Vector(Ternary)),
        row("_mm_unpackhi_epi8",                16, Vector(UnpackHigh8)),
        row("_mm_unpacklo_epi8",                16, Vector(UnpackLow8)),
        row("_mm_xor_si128",                    16, Vector(Xor)),
    ]
};

/// Masked accesses, apart from [`ROWS`] since no probe can show them: what tests them against the CPU
/// are the kernels, at each number of blocks.
#[rustfmt::skip]
pub const MASKED: &[Row] = &[
    Row { name: "_mm256_mask_storeu_epi64", width: 32, meaning: Meaning::MaskedStore },
    Row { name: "_mm256_maskz_loadu_epi64", width: 32, meaning: Meaning::MaskedLoad },
    Row { name: "_mm512_mask_storeu_epi64", width: 64, meaning: Meaning::MaskedStore },
    Row { name: "_mm512_maskz_loadu_epi64", width: 64, meaning: Meaning::MaskedLoad },
    Row { name: "_mm_mask_storeu_epi64",    width: 16, meaning: Meaning::MaskedStore },
    Row { name: "_mm_maskz_loadu_epi64",    width: 16, meaning: Meaning::MaskedLoad },
];

/// The row of the intrinsic `name`.
#[must_use]
pub fn find(name: &str) -> Option<&'static Row> {
    let among = |rows: &'static [Row]| {
        rows.binary_search_by(|row| row.name.cmp(name)).ok().map(|i| &rows[i])
    };
    among(ROWS).or_else(|| among(MASKED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_order_and_are_found() {
        for rows in [ROWS, MASKED] {
            assert!(rows.is_sorted_by(|a, b| a.name < b.name));
        }
        for row in ROWS.iter().chain(MASKED) {
            assert_eq!(find(row.name).map(|found| found.name), Some(row.name));
        }
        assert!(find("_mm_add_epi16").is_none());
    }

    #[test]
    fn widths_are_those_that_names_say() {
        for row in ROWS.iter().chain(MASKED) {
            let prefix = match row.width {
                16 => "_mm_",
                32 => "_mm256_",
                _ => "_mm512_",
            };
            assert!(row.name.starts_with(prefix), "{}", row.name);
        }
    }
}
