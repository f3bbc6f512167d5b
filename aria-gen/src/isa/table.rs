//! The instruction table: one row per instruction form, encoding and width.
//!
//! Columns in the manual's order. Mnemonics and features follow the Intel SDM, volume 2; intrinsic
//! names follow `core::arch::x86_64`. AES on a single lane is AES-NI; on ymm and zmm, VAES. The 512-bit logic forms need AVX512F alone, their xmm and ymm
//! forms AVX512VL as well; EVEX byte unpacks need AVX512BW. What a form means stands in `ir::op`,
//! what it costs in `isa::cost`.

use super::axes::{Encoding, Width};
use super::feature::Feature;
use crate::ir::Form;

/// Where the result of an instruction form stays while it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residence {
    /// In a register of its own.
    Register,
    /// In a register of its own throughout the kernel, loop-invariant.
    Pinned,
    /// Nowhere: it is the memory operand of the instruction that uses it.
    Operand,
}

/// One instruction form at one encoding and width.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What it does.
    pub form: Form,
    /// How it is encoded.
    pub encoding: Encoding,
    /// On which width.
    pub width: Width,
    /// The manual's mnemonic. Where a form needs two instructions, the one that moves the data.
    pub mnemonic: &'static str,
    /// The `core::arch::x86_64` function.
    pub intrinsic: &'static str,
    /// What it needs beyond SSE2.
    pub features: &'static [Feature],
    /// Where its result stays.
    pub residence: Residence,
}

/// How registers are loaded and stored in part: quadword i where bit i of a mask is set.
#[derive(Clone, Copy, Debug)]
pub struct Masked {
    /// How it is encoded.
    pub encoding: Encoding,
    /// On which width.
    pub width: Width,
    /// The `core::arch::x86_64` function that loads, zeros where the mask has none.
    pub load: &'static str,
    /// The one that stores.
    pub store: &'static str,
}

/// Masked accesses, both `vmovdqu64`, which every tier that has them has for whole registers, too.
///
/// AVX2 has VPMASKMOVQ, but as a store it takes dozens of cycles on AMD's cores (Fog, Instruction
/// tables), longer than to copy a batch.
#[rustfmt::skip]
pub static MASKED: &[Masked] = &{
    use Encoding::Evex;
    use Width::{Xmm, Ymm, Zmm};
    [
        Masked { encoding: Evex, width: Xmm, load: "_mm_maskz_loadu_epi64",    store: "_mm_mask_storeu_epi64" },
        Masked { encoding: Evex, width: Ymm, load: "_mm256_maskz_loadu_epi64", store: "_mm256_mask_storeu_epi64" },
        Masked { encoding: Evex, width: Zmm, load: "_mm512_maskz_loadu_epi64", store: "_mm512_mask_storeu_epi64" },
    ]
};

/// Every row, by form.
#[rustfmt::skip]
pub static ROWS: &[Row] = &{
    use Encoding::{Evex, Legacy, Vex};
    use Feature::{Aes, Avx, Avx2, Avx512bw as Bw, Avx512f as F, Avx512vl as Vl, Gfni, Ssse3, Vaes};
    use Form::*;
    use Residence::{Operand, Pinned, Register};
    use Width::{Xmm, Ymm, Zmm};
    const fn row(form: Form, encoding: Encoding, width: Width, mnemonic: &'static str, intrinsic: &'static str, features: &'static [Feature], residence: Residence) -> Row {
        Row { form, encoding, width, mnemonic, intrinsic, features, residence }
    }
    [
        row(Load,          Legacy, Xmm, "movdqu",            "_mm_loadu_si128",                       &[],           Register),
        row(Load,          Vex,    Xmm, "vmovdqu",           "_mm_loadu_si128",                       &[Avx],        Register),
        row(Load,          Vex,    Ymm, "vmovdqu",           "_mm256_loadu_si256",                    &[Avx],        Register),
        row(Load,          Evex,   Xmm, "vmovdqu64",         "_mm_loadu_si128",                       &[F, Vl],      Register),
        row(Load,          Evex,   Ymm, "vmovdqu64",         "_mm256_loadu_si256",                    &[F, Vl],      Register),
        row(Load,          Evex,   Zmm, "vmovdqu64",         "_mm512_loadu_si512",                    &[F],          Register),

        row(Store,         Legacy, Xmm, "movdqu",            "_mm_storeu_si128",                      &[],           Operand),
        row(Store,         Vex,    Xmm, "vmovdqu",           "_mm_storeu_si128",                      &[Avx],        Operand),
        row(Store,         Vex,    Ymm, "vmovdqu",           "_mm256_storeu_si256",                   &[Avx],        Operand),
        row(Store,         Evex,   Xmm, "vmovdqu64",         "_mm_storeu_si128",                      &[F, Vl],      Operand),
        row(Store,         Evex,   Ymm, "vmovdqu64",         "_mm256_storeu_si256",                   &[F, Vl],      Operand),
        row(Store,         Evex,   Zmm, "vmovdqu64",         "_mm512_storeu_si512",                   &[F],          Operand),

        // Legacy: movd and pshufd. EVEX: an embedded {1to4, 1to8, 1to16} operand.
        row(KeySplat32,    Legacy, Xmm, "pshufd",            "_mm_set1_epi32",                        &[],           Register),
        row(KeySplat32,    Vex,    Xmm, "vbroadcastss",      "_mm_set1_epi32",                        &[Avx],        Register),
        row(KeySplat32,    Vex,    Ymm, "vpbroadcastd",      "_mm256_set1_epi32",                     &[Avx, Avx2],  Register),
        row(KeySplat32,    Evex,   Xmm, "vpbroadcastd",      "_mm_set1_epi32",                        &[F, Vl],      Operand),
        row(KeySplat32,    Evex,   Ymm, "vpbroadcastd",      "_mm256_set1_epi32",                     &[F, Vl],      Operand),
        row(KeySplat32,    Evex,   Zmm, "vpbroadcastd",      "_mm512_set1_epi32",                     &[F],          Operand),

        // Sixteen bytes of memory in each lane: a load, wider than a lane a broadcast.
        row(KeyLanes,      Legacy, Xmm, "movdqu",            "_mm_set_epi64x",                        &[],           Register),
        row(KeyLanes,      Vex,    Xmm, "vmovdqu",           "_mm_set_epi64x",                        &[Avx],        Register),
        row(KeyLanes,      Vex,    Ymm, "vbroadcasti128",    "_mm256_set_epi64x",                     &[Avx, Avx2],  Register),
        row(KeyLanes,      Evex,   Xmm, "vmovdqu64",         "_mm_set_epi64x",                        &[F, Vl],      Register),
        row(KeyLanes,      Evex,   Ymm, "vbroadcasti32x4",   "_mm256_set_epi64x",                     &[F, Vl],      Register),
        row(KeyLanes,      Evex,   Zmm, "vbroadcasti32x4",   "_mm512_set_epi64",                      &[F],          Register),

        // From a general register: movd, then pshufd, vpshufd or vpbroadcastd; EVEX in one step.
        row(CounterSplat32,    Legacy, Xmm, "pshufd",            "_mm_set1_epi32",                        &[],           Register),
        row(CounterSplat32,    Vex,    Xmm, "vpshufd",           "_mm_set1_epi32",                        &[Avx],        Register),
        row(CounterSplat32,    Vex,    Ymm, "vpbroadcastd",      "_mm256_set1_epi32",                     &[Avx, Avx2],  Register),
        row(CounterSplat32,    Evex,   Xmm, "vpbroadcastd",      "_mm_set1_epi32",                        &[F, Vl],      Register),
        row(CounterSplat32,    Evex,   Ymm, "vpbroadcastd",      "_mm256_set1_epi32",                     &[F, Vl],      Register),
        row(CounterSplat32,    Evex,   Zmm, "vpbroadcastd",      "_mm512_set1_epi32",                     &[F],          Register),

        // With 16 registers a matrix is a memory operand; with 32 it stays in a register.
        row(Matrix,    Legacy, Xmm, "movdqa",            "_mm_set1_epi64x",                       &[],           Operand),
        row(Matrix,    Vex,    Xmm, "vmovdqa",           "_mm_set1_epi64x",                       &[Avx],        Operand),
        row(Matrix,    Vex,    Ymm, "vmovdqa",           "_mm256_set1_epi64x",                    &[Avx],        Operand),
        row(Matrix,    Evex,   Xmm, "vpbroadcastq",      "_mm_set1_epi64x",                       &[F, Vl],      Pinned),
        row(Matrix,    Evex,   Ymm, "vpbroadcastq",      "_mm256_set1_epi64x",                    &[F, Vl],      Pinned),
        row(Matrix,    Evex,   Zmm, "vpbroadcastq",      "_mm512_set1_epi64",                     &[F],          Pinned),

        row(MatrixPair,    Legacy, Xmm, "movdqa",            "_mm_set_epi64x",                        &[],           Operand),
        row(MatrixPair,    Vex,    Xmm, "vmovdqa",           "_mm_set_epi64x",                        &[Avx],        Operand),
        row(MatrixPair,    Vex,    Ymm, "vmovdqa",           "_mm256_set_epi64x",                     &[Avx],        Operand),
        row(MatrixPair,    Evex,   Xmm, "vmovdqa64",         "_mm_set_epi64x",                        &[F, Vl],      Pinned),
        row(MatrixPair,    Evex,   Ymm, "vmovdqa64",         "_mm256_set_epi64x",                     &[F, Vl],      Pinned),
        row(MatrixPair,    Evex,   Zmm, "vmovdqa64",         "_mm512_set_epi64",                      &[F],          Pinned),

        row(Xor,           Legacy, Xmm, "pxor",              "_mm_xor_si128",                         &[],           Register),
        row(Xor,           Vex,    Xmm, "vpxor",             "_mm_xor_si128",                         &[Avx],        Register),
        row(Xor,           Vex,    Ymm, "vpxor",             "_mm256_xor_si256",                      &[Avx, Avx2],  Register),
        row(Xor,           Evex,   Xmm, "vpxord",            "_mm_xor_si128",                         &[F, Vl],      Register),
        row(Xor,           Evex,   Ymm, "vpxord",            "_mm256_xor_si256",                      &[F, Vl],      Register),
        row(Xor,           Evex,   Zmm, "vpxord",            "_mm512_xor_si512",                      &[F],          Register),

        row(Xor3,          Evex,   Xmm, "vpternlogd",        "_mm_ternarylogic_epi32",                &[F, Vl],      Register),
        row(Xor3,          Evex,   Ymm, "vpternlogd",        "_mm256_ternarylogic_epi32",             &[F, Vl],      Register),
        row(Xor3,          Evex,   Zmm, "vpternlogd",        "_mm512_ternarylogic_epi32",             &[F],          Register),

        // The same bytes in each lane or each lane its own. With 16 registers they are counted as memory operands, like matrices.
        row(Bytes,         Legacy, Xmm, "movdqa",            "_mm_set_epi64x",                        &[],          Operand),
        row(Bytes,         Vex,    Xmm, "vmovdqa",           "_mm_set_epi64x",                        &[Avx],       Operand),
        row(Bytes,         Vex,    Ymm, "vmovdqa",           "_mm256_set_epi64x",                     &[Avx],       Operand),
        row(Bytes,         Evex,   Xmm, "vmovdqa64",         "_mm_set_epi64x",                        &[F, Vl],     Pinned),
        row(Bytes,         Evex,   Ymm, "vmovdqa64",         "_mm256_set_epi64x",                     &[F, Vl],     Pinned),
        row(Bytes,         Evex,   Zmm, "vmovdqa64",         "_mm512_set_epi64",                      &[F],         Pinned),

        row(And,           Legacy, Xmm, "pand",              "_mm_and_si128",                         &[],          Register),
        row(And,           Vex,    Xmm, "vpand",             "_mm_and_si128",                         &[Avx],       Register),
        row(And,           Vex,    Ymm, "vpand",             "_mm256_and_si256",                      &[Avx, Avx2], Register),
        row(And,           Evex,   Xmm, "vpandd",            "_mm_and_si128",                         &[F, Vl],     Register),
        row(And,           Evex,   Ymm, "vpandd",            "_mm256_and_si256",                      &[F, Vl],     Register),
        row(And,           Evex,   Zmm, "vpandd",            "_mm512_and_si512",                      &[F],         Register),

        row(Add8,              Legacy, Xmm, "paddb",             "_mm_add_epi8",                          &[],           Register),
        row(Add8,              Vex,    Xmm, "vpaddb",            "_mm_add_epi8",                          &[Avx],        Register),
        row(Add8,              Vex,    Ymm, "vpaddb",            "_mm256_add_epi8",                       &[Avx, Avx2],  Register),
        row(Add8,              Evex,   Xmm, "vpaddb",            "_mm_add_epi8",                          &[F, Bw, Vl],  Register),
        row(Add8,              Evex,   Ymm, "vpaddb",            "_mm256_add_epi8",                       &[F, Bw, Vl],  Register),
        row(Add8,              Evex,   Zmm, "vpaddb",            "_mm512_add_epi8",                       &[F, Bw],      Register),

        row(AddSaturating8,    Legacy, Xmm, "paddusb",           "_mm_adds_epu8",                         &[],           Register),
        row(AddSaturating8,    Vex,    Xmm, "vpaddusb",          "_mm_adds_epu8",                         &[Avx],        Register),
        row(AddSaturating8,    Vex,    Ymm, "vpaddusb",          "_mm256_adds_epu8",                      &[Avx, Avx2],  Register),
        row(AddSaturating8,    Evex,   Xmm, "vpaddusb",          "_mm_adds_epu8",                         &[F, Bw, Vl],  Register),
        row(AddSaturating8,    Evex,   Ymm, "vpaddusb",          "_mm256_adds_epu8",                      &[F, Bw, Vl],  Register),
        row(AddSaturating8,    Evex,   Zmm, "vpaddusb",          "_mm512_adds_epu8",                      &[F, Bw],      Register),

        row(SubtractSaturating8,Legacy, Xmm, "psubusb",           "_mm_subs_epu8",                         &[],           Register),
        row(SubtractSaturating8,Vex,    Xmm, "vpsubusb",          "_mm_subs_epu8",                         &[Avx],        Register),
        row(SubtractSaturating8,Vex,    Ymm, "vpsubusb",          "_mm256_subs_epu8",                      &[Avx, Avx2],  Register),
        row(SubtractSaturating8,Evex,   Xmm, "vpsubusb",          "_mm_subs_epu8",                         &[F, Bw, Vl],  Register),
        row(SubtractSaturating8,Evex,   Ymm, "vpsubusb",          "_mm256_subs_epu8",                      &[F, Bw, Vl],  Register),
        row(SubtractSaturating8,Evex,   Zmm, "vpsubusb",          "_mm512_subs_epu8",                      &[F, Bw],      Register),

        row(ShiftLeft16,   Legacy, Xmm, "psllw",             "_mm_slli_epi16",                        &[],          Register),
        row(ShiftLeft16,   Vex,    Xmm, "vpsllw",            "_mm_slli_epi16",                        &[Avx],       Register),
        row(ShiftLeft16,   Vex,    Ymm, "vpsllw",            "_mm256_slli_epi16",                     &[Avx, Avx2], Register),
        row(ShiftLeft16,   Evex,   Xmm, "vpsllw",            "_mm_slli_epi16",                        &[F, Bw, Vl], Register),
        row(ShiftLeft16,   Evex,   Ymm, "vpsllw",            "_mm256_slli_epi16",                     &[F, Bw, Vl], Register),
        row(ShiftLeft16,   Evex,   Zmm, "vpsllw",            "_mm512_slli_epi16",                     &[F, Bw],     Register),

        row(ShiftRight16,  Legacy, Xmm, "psrlw",             "_mm_srli_epi16",                        &[],          Register),
        row(ShiftRight16,  Vex,    Xmm, "vpsrlw",            "_mm_srli_epi16",                        &[Avx],       Register),
        row(ShiftRight16,  Vex,    Ymm, "vpsrlw",            "_mm256_srli_epi16",                     &[Avx, Avx2], Register),
        row(ShiftRight16,  Evex,   Xmm, "vpsrlw",            "_mm_srli_epi16",                        &[F, Bw, Vl], Register),
        row(ShiftRight16,  Evex,   Ymm, "vpsrlw",            "_mm256_srli_epi16",                     &[F, Bw, Vl], Register),
        row(ShiftRight16,  Evex,   Zmm, "vpsrlw",            "_mm512_srli_epi16",                     &[F, Bw],     Register),

        row(ShuffleBytes,  Legacy, Xmm, "pshufb",            "_mm_shuffle_epi8",                      &[Ssse3],     Register),
        row(ShuffleBytes,  Vex,    Xmm, "vpshufb",           "_mm_shuffle_epi8",                      &[Avx],       Register),
        row(ShuffleBytes,  Vex,    Ymm, "vpshufb",           "_mm256_shuffle_epi8",                   &[Avx, Avx2], Register),
        row(ShuffleBytes,  Evex,   Xmm, "vpshufb",           "_mm_shuffle_epi8",                      &[F, Bw, Vl], Register),
        row(ShuffleBytes,  Evex,   Ymm, "vpshufb",           "_mm256_shuffle_epi8",                   &[F, Bw, Vl], Register),
        row(ShuffleBytes,  Evex,   Zmm, "vpshufb",           "_mm512_shuffle_epi8",                   &[F, Bw],     Register),

        row(AesEncryptLast,Legacy, Xmm, "aesenclast",        "_mm_aesenclast_si128",                  &[Aes],       Register),
        row(AesEncryptLast,Vex,    Xmm, "vaesenclast",       "_mm_aesenclast_si128",                  &[Avx, Aes],  Register),
        row(AesEncryptLast,Vex,    Ymm, "vaesenclast",       "_mm256_aesenclast_epi128",              &[Avx, Vaes], Register),
        row(AesEncryptLast,Evex,   Xmm, "vaesenclast",       "_mm_aesenclast_si128",                  &[F, Vl, Aes, Vaes], Register),
        row(AesEncryptLast,Evex,   Ymm, "vaesenclast",       "_mm256_aesenclast_epi128",              &[F, Vl, Vaes], Register),
        row(AesEncryptLast,Evex,   Zmm, "vaesenclast",       "_mm512_aesenclast_epi128",              &[F, Vaes],   Register),

        row(AesDecryptLast,Legacy, Xmm, "aesdeclast",        "_mm_aesdeclast_si128",                  &[Aes],       Register),
        row(AesDecryptLast,Vex,    Xmm, "vaesdeclast",       "_mm_aesdeclast_si128",                  &[Avx, Aes],  Register),
        row(AesDecryptLast,Vex,    Ymm, "vaesdeclast",       "_mm256_aesdeclast_epi128",              &[Avx, Vaes], Register),
        row(AesDecryptLast,Evex,   Xmm, "vaesdeclast",       "_mm_aesdeclast_si128",                  &[F, Vl, Aes, Vaes], Register),
        row(AesDecryptLast,Evex,   Ymm, "vaesdeclast",       "_mm256_aesdeclast_epi128",              &[F, Vl, Vaes], Register),
        row(AesDecryptLast,Evex,   Zmm, "vaesdeclast",       "_mm512_aesdeclast_epi128",              &[F, Vaes],   Register),

        // The lower lane of a register is the register of the narrower name.
        row(LaneLow,       Vex,    Ymm, "(none)",            "_mm256_castsi256_si128",                &[Avx],       Operand),
        row(LaneLow,       Evex,   Ymm, "(none)",            "_mm256_castsi256_si128",                &[Avx],       Operand),

        row(LaneHigh,      Vex,    Ymm, "vextracti128",      "_mm256_extracti128_si256",              &[Avx, Avx2], Register),
        row(LaneHigh,      Evex,   Ymm, "vextracti128",      "_mm256_extracti128_si256",              &[Avx, Avx2], Register),

        row(JoinLanes,     Vex,    Ymm, "vinserti128",       "_mm256_set_m128i",                      &[Avx],       Register),
        row(JoinLanes,     Evex,   Ymm, "vinserti128",       "_mm256_set_m128i",                      &[Avx],       Register),

        row(UnpackLow8,    Legacy, Xmm, "punpcklbw",         "_mm_unpacklo_epi8",                     &[],           Register),
        row(UnpackLow8,    Vex,    Xmm, "vpunpcklbw",        "_mm_unpacklo_epi8",                     &[Avx],        Register),
        row(UnpackLow8,    Vex,    Ymm, "vpunpcklbw",        "_mm256_unpacklo_epi8",                  &[Avx, Avx2],  Register),
        row(UnpackLow8,    Evex,   Xmm, "vpunpcklbw",        "_mm_unpacklo_epi8",                     &[F, Bw, Vl],  Register),
        row(UnpackLow8,    Evex,   Ymm, "vpunpcklbw",        "_mm256_unpacklo_epi8",                  &[F, Bw, Vl],  Register),
        row(UnpackLow8,    Evex,   Zmm, "vpunpcklbw",        "_mm512_unpacklo_epi8",                  &[F, Bw],      Register),

        row(UnpackHigh8,   Legacy, Xmm, "punpckhbw",         "_mm_unpackhi_epi8",                     &[],           Register),
        row(UnpackHigh8,   Vex,    Xmm, "vpunpckhbw",        "_mm_unpackhi_epi8",                     &[Avx],        Register),
        row(UnpackHigh8,   Vex,    Ymm, "vpunpckhbw",        "_mm256_unpackhi_epi8",                  &[Avx, Avx2],  Register),
        row(UnpackHigh8,   Evex,   Xmm, "vpunpckhbw",        "_mm_unpackhi_epi8",                     &[F, Bw, Vl],  Register),
        row(UnpackHigh8,   Evex,   Ymm, "vpunpckhbw",        "_mm256_unpackhi_epi8",                  &[F, Bw, Vl],  Register),
        row(UnpackHigh8,   Evex,   Zmm, "vpunpckhbw",        "_mm512_unpackhi_epi8",                  &[F, Bw],      Register),

        row(Affine,        Legacy, Xmm, "gf2p8affineqb",     "_mm_gf2p8affine_epi64_epi8",            &[Gfni],       Register),
        row(Affine,        Vex,    Xmm, "vgf2p8affineqb",    "_mm_gf2p8affine_epi64_epi8",            &[Avx, Gfni],  Register),
        row(Affine,        Vex,    Ymm, "vgf2p8affineqb",    "_mm256_gf2p8affine_epi64_epi8",         &[Avx, Gfni],  Register),
        row(Affine,        Evex,   Xmm, "vgf2p8affineqb",    "_mm_gf2p8affine_epi64_epi8",            &[F, Vl, Gfni], Register),
        row(Affine,        Evex,   Ymm, "vgf2p8affineqb",    "_mm256_gf2p8affine_epi64_epi8",         &[F, Vl, Gfni], Register),
        row(Affine,        Evex,   Zmm, "vgf2p8affineqb",    "_mm512_gf2p8affine_epi64_epi8",         &[F, Gfni],    Register),

        row(AffineInverse, Legacy, Xmm, "gf2p8affineinvqb",  "_mm_gf2p8affineinv_epi64_epi8",         &[Gfni],       Register),
        row(AffineInverse, Vex,    Xmm, "vgf2p8affineinvqb", "_mm_gf2p8affineinv_epi64_epi8",         &[Avx, Gfni],  Register),
        row(AffineInverse, Vex,    Ymm, "vgf2p8affineinvqb", "_mm256_gf2p8affineinv_epi64_epi8",      &[Avx, Gfni],  Register),
        row(AffineInverse, Evex,   Xmm, "vgf2p8affineinvqb", "_mm_gf2p8affineinv_epi64_epi8",         &[F, Vl, Gfni], Register),
        row(AffineInverse, Evex,   Ymm, "vgf2p8affineinvqb", "_mm256_gf2p8affineinv_epi64_epi8",      &[F, Vl, Gfni], Register),
        row(AffineInverse, Evex,   Zmm, "vgf2p8affineinvqb", "_mm512_gf2p8affineinv_epi64_epi8",      &[F, Gfni],    Register),
    ]
};

#[cfg(test)]
mod tests {
    use super::*;

    fn key(row: &Row) -> (Form, Encoding, Width) {
        (row.form, row.encoding, row.width)
    }

    #[test]
    fn each_cell_has_one_row() {
        for (i, row) in ROWS.iter().enumerate() {
            assert!(ROWS[..i].iter().all(|other| key(other) != key(row)), "{row:?}");
        }
    }

    #[test]
    fn names_agree_with_encoding_and_width() {
        for row in ROWS {
            let vector = row.mnemonic.starts_with('v') || row.form == Form::LaneLow;
            assert_eq!(vector, row.encoding != Encoding::Legacy, "{row:?}");
            let prefix = match row.width {
                Width::U64 => unreachable!("the table has vector instructions only"),
                Width::Xmm => "_mm_",
                Width::Ymm => "_mm256_",
                Width::Zmm => "_mm512_",
            };
            assert!(row.intrinsic.starts_with(prefix), "{row:?}");
            let evex = row.features.contains(&Feature::Avx512f);
            let vex = row.features.contains(&Feature::Avx);
            match row.encoding {
                Encoding::Plain => panic!("{row:?}: the table has vector instructions only"),
                Encoding::Legacy => assert!(!evex && !vex, "{row:?}"),
                Encoding::Vex => assert!(vex && !evex, "{row:?}"),
                // Moving lanes has VEX forms only below AVX512DQ.
                Encoding::Evex => assert!(evex || vex, "{row:?}"),
            }
        }
    }

    #[test]
    fn unpacks_come_in_pairs() {
        let cells = |form| {
            let rows = ROWS.iter().filter(move |row| row.form == form);
            rows.map(|row| (row.encoding, row.width, row.features)).collect::<Vec<_>>()
        };
        assert_eq!(cells(Form::UnpackLow8), cells(Form::UnpackHigh8));
        assert_eq!(cells(Form::Affine), cells(Form::AffineInverse));
        assert_eq!(cells(Form::AesEncryptLast), cells(Form::AesDecryptLast));
    }
}
