//! What kernels cost on this micro-architecture. Written by `cargo xtask tune`; do not edit.

use super::Row;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    ("aria_avx2_aesni_ymm_blk32",   [ 1053,   956,  1062,  1137,  384]),
    ("aria_avx2_gfni_ymm_blk2",     [  163,   153,   227,   227,   44]),
    ("aria_avx2_gfni_ymm_blk32",    [  646,   563,   673,   741,   33]),
    ("aria_avx2_gfni_ymm_blk4",     [  221,   226,   286,   291,   46]),
    ("aria_avx2_vaes_ymm_blk2",     [  208,   202,   268,   267,   27]),
    ("aria_avx2_vaes_ymm_blk32",    [  767,   708,   794,   847,  332]),
    ("aria_avx512_aesni_ymm_blk32", [  935,   843,   961,  1024,  381]),
    ("aria_avx512_gfni_xmm_blk1",   [   98,    98,    98,    98,    1]),
    ("aria_avx512_gfni_xmm_blk16",  [  518,   468,   471,   569,   28]),
    ("aria_avx512_gfni_ymm_blk2",   [  125,   104,   187,   187,   42]),
    ("aria_avx512_gfni_ymm_blk32",  [  546,   476,   600,   617,   21]),
    ("aria_avx512_gfni_zmm_blk4",   [  124,   125,   188,   188,   80]),
    ("aria_avx512_gfni_zmm_blk64",  [  698,   619,   742,   829,   25]),
    ("aria_avx512_gfni_zmm_blk8",   [  230,   238,   312,   317,   31]),
    ("aria_avx512_vaes_xmm_blk16",  [  564,   538,   568,   629,  441]),
    ("aria_avx512_vaes_ymm_blk32",  [  632,   542,   630,   725,  378]),
    ("aria_avx512_vaes_zmm_blk64",  [  893,   829,   957,  1016,  423]),
    ("aria_avx_aesni_xmm_blk1",     [  193,   193,   193,   193,    1]),
    ("aria_avx_aesni_xmm_blk16",    [  632,   603,   631,   695,  442]),
    ("aria_avx_gfni_xmm_blk1",      [  143,   143,   143,   143,    1]),
    ("aria_avx_gfni_xmm_blk16",     [  558,   519,   548,   610,   57]),
    ("aria_portable_bits_u64_blk1", [  792,   792,   792,   792,    1]),
    ("aria_portable_bits_u64_blk4", [ 1231,  1204,  1245,  1256,  495]),
    ("aria_sse_aesni_xmm_blk1",     [  192,   192,   192,   192,    1]),
    ("aria_sse_aesni_xmm_blk16",    [  683,   640,   671,   749,  424]),
    ("aria_sse_gfni_xmm_blk1",      [  144,   144,   144,   144,    1]),
    ("aria_sse_gfni_xmm_blk16",     [  554,   522,   552,   611,   66]),
];
