//! Detection as a table: CPUs, what they report, what follows; then each with a bit dropped.
//!
//! Bit positions are written out again here, from the Intel SDM (vol. 2, CPUID), so that a wrong
//! one in the feature table shows.

use Feature::{Aes, Avx, Avx2, Avx512bw, Avx512f, Avx512vl, Gfni, Ssse3, Vaes};

use super::*;
use crate::plans::tests::best_for;

/// Leaf 1, ECX.
mod leaf1_ecx {
    pub(super) const SSSE3: u32 = 1 << 9;
    pub(super) const AES: u32 = 1 << 25;
    pub(super) const XSAVE: u32 = 1 << 26 | 1 << 27;
    pub(super) const AVX: u32 = 1 << 28;
}

/// Leaf 7, EBX.
mod leaf7_ebx {
    pub(super) const AVX2: u32 = 1 << 5;
    pub(super) const F: u32 = 1 << 16;
    pub(super) const DQ_IFMA_CD: u32 = 1 << 17 | 1 << 21 | 1 << 28;
    pub(super) const BW: u32 = 1 << 30;
    pub(super) const VL: u32 = 1 << 31;
}

/// Leaf 7, ECX.
mod leaf7_ecx {
    pub(super) const VBMI: u32 = 1 << 1;
    pub(super) const GFNI: u32 = 1 << 8;
    pub(super) const VAES: u32 = 1 << 9;
}

use leaf1_ecx::{AES, AVX, SSSE3, XSAVE};
use leaf7_ebx::{AVX2, BW, DQ_IFMA_CD, F, VL};
use leaf7_ecx::{GFNI, VAES, VBMI};

const XMM_STATE: u64 = 0x03;
const YMM_STATE: u64 = 0x07;
const ZMM_STATE: u64 = 0xe7;

struct Cpu {
    name: &'static str,
    leaf1_ecx: u32,
    leaf7_ebx: u32,
    leaf7_ecx: u32,
    xcr0: u64,
    features: &'static [Feature],
    /// The kernel for many blocks.
    best: &'static str,
}

impl Cpu {
    fn leaves(&self) -> CpuidLeaves {
        CpuidLeaves {
            leaf1: Leaf { ebx: 0, ecx: self.leaf1_ecx },
            leaf7: Leaf { ebx: self.leaf7_ebx, ecx: self.leaf7_ecx },
        }
    }

    fn expected(&self) -> FeatureSet {
        FeatureSet::of(self.features)
    }
}

#[rustfmt::skip]
const CPUS: &[Cpu] = &[
    Cpu { name: "Westmere",        leaf1_ecx: SSSE3 | AES,                leaf7_ebx: 0,                               leaf7_ecx: 0,
          xcr0: 0,         features: &[Ssse3, Aes],
          best: "aria_sse_aesni_xmm_blk16" },
    Cpu { name: "Sandy Bridge",    leaf1_ecx: SSSE3 | AES | XSAVE | AVX,  leaf7_ebx: 0,                               leaf7_ecx: 0,
          xcr0: YMM_STATE, features: &[Ssse3, Avx, Aes],
          best: "aria_avx_aesni_xmm_blk16" },
    Cpu { name: "Haswell",         leaf1_ecx: SSSE3 | AES | XSAVE | AVX,  leaf7_ebx: AVX2,                            leaf7_ecx: 0,
          xcr0: YMM_STATE, features: &[Ssse3, Avx, Avx2, Aes],
          best: "aria_avx2_aesni_ymm_blk32" },
    Cpu { name: "Skylake-X",       leaf1_ecx: SSSE3 | AES | XSAVE | AVX,  leaf7_ebx: AVX2 | F | DQ_IFMA_CD | BW | VL, leaf7_ecx: 0,
          xcr0: ZMM_STATE, features: &[Ssse3, Avx, Avx2, Avx512f, Avx512bw, Avx512vl, Aes],
          best: "aria_avx512_aesni_ymm_blk32" },
    Cpu { name: "Cascade Lake",    leaf1_ecx: SSSE3 | AES | XSAVE | AVX,  leaf7_ebx: AVX2 | F | DQ_IFMA_CD | BW | VL, leaf7_ecx: 0,
          xcr0: ZMM_STATE, features: &[Ssse3, Avx, Avx2, Avx512f, Avx512bw, Avx512vl, Aes],
          best: "aria_avx512_aesni_ymm_blk32" },
    Cpu { name: "Knights Landing", leaf1_ecx: SSSE3 | AES | XSAVE | AVX,  leaf7_ebx: AVX2 | F | DQ_IFMA_CD,           leaf7_ecx: 0,
          xcr0: ZMM_STATE, features: &[Ssse3, Avx, Avx2, Avx512f, Aes],
          best: "aria_avx2_aesni_ymm_blk32" },
    Cpu { name: "Ice Lake",        leaf1_ecx: SSSE3 | AES | XSAVE | AVX,  leaf7_ebx: AVX2 | F | DQ_IFMA_CD | BW | VL, leaf7_ecx: VBMI | GFNI | VAES,
          xcr0: ZMM_STATE, features: &[Ssse3, Avx, Avx2, Avx512f, Avx512bw, Avx512vl, Gfni, Aes, Vaes],
          best: "aria_avx512_gfni_zmm_blk64" },
    Cpu { name: "Alder Lake",      leaf1_ecx: SSSE3 | AES | XSAVE | AVX,  leaf7_ebx: AVX2,                            leaf7_ecx: GFNI | VAES,
          xcr0: YMM_STATE, features: &[Ssse3, Avx, Avx2, Gfni, Aes, Vaes],
          best: "aria_avx2_gfni_ymm_blk32" },
    Cpu { name: "Tremont",         leaf1_ecx: SSSE3 | AES | XSAVE,        leaf7_ebx: 0,                               leaf7_ecx: GFNI,
          xcr0: XMM_STATE, features: &[Ssse3, Gfni, Aes],
          best: "aria_sse_gfni_xmm_blk16" },
    Cpu { name: "Zen 1",           leaf1_ecx: SSSE3 | AES | XSAVE | AVX,  leaf7_ebx: AVX2,                            leaf7_ecx: 0,
          xcr0: YMM_STATE, features: &[Ssse3, Avx, Avx2, Aes],
          best: "aria_avx2_aesni_ymm_blk32" },
    Cpu { name: "Zen 2",           leaf1_ecx: SSSE3 | AES | XSAVE | AVX,  leaf7_ebx: AVX2,                            leaf7_ecx: 0,
          xcr0: YMM_STATE, features: &[Ssse3, Avx, Avx2, Aes],
          best: "aria_avx2_aesni_ymm_blk32" },
    Cpu { name: "Zen 3",           leaf1_ecx: SSSE3 | AES | XSAVE | AVX,  leaf7_ebx: AVX2,                            leaf7_ecx: VAES,
          xcr0: YMM_STATE, features: &[Ssse3, Avx, Avx2, Aes, Vaes],
          best: "aria_avx2_vaes_ymm_blk32" },
    Cpu { name: "Zen 4",           leaf1_ecx: SSSE3 | AES | XSAVE | AVX,  leaf7_ebx: AVX2 | F | DQ_IFMA_CD | BW | VL, leaf7_ecx: VBMI | GFNI | VAES,
          xcr0: ZMM_STATE, features: &[Ssse3, Avx, Avx2, Avx512f, Avx512bw, Avx512vl, Gfni, Aes, Vaes],
          best: "aria_avx512_gfni_zmm_blk64" },
    Cpu { name: "Zen 5",           leaf1_ecx: SSSE3 | AES | XSAVE | AVX,  leaf7_ebx: AVX2 | F | DQ_IFMA_CD | BW | VL, leaf7_ecx: VBMI | GFNI | VAES,
          xcr0: ZMM_STATE, features: &[Ssse3, Avx, Avx2, Avx512f, Avx512bw, Avx512vl, Gfni, Aes, Vaes],
          best: "aria_avx512_gfni_zmm_blk64" },
];

#[test]
fn each_cpu_as_it_is() {
    for cpu in CPUS {
        let found = features_from(&cpu.leaves(), Some(cpu.xcr0));
        assert_eq!(found, cpu.expected(), "{}", cpu.name);
    }
}

/// What is detected is put to its best use, by the cost model: a change of that may rightly change
/// this.
#[test]
fn each_cpu_gets_its_best_kernel() {
    for cpu in CPUS {
        let found = features_from(&cpu.leaves(), Some(cpu.xcr0));
        assert_eq!(best_for(found), cpu.best, "{}", cpu.name);
    }
}

/// An operating system that does not save a part of the state takes away what uses that part.
#[test]
fn each_state_bit_dropped() {
    for cpu in CPUS {
        for (bit, lost) in [
            (0, None),
            (1, Some(RegisterState::Ymm)),
            (2, Some(RegisterState::Ymm)),
            (5, Some(RegisterState::Zmm)),
            (6, Some(RegisterState::Zmm)),
            (7, Some(RegisterState::Zmm)),
        ] {
            let expected = cpu
                .expected()
                .iter()
                .filter(|feature| match lost {
                    None => true,
                    Some(RegisterState::Zmm) => feature.state() != RegisterState::Zmm,
                    Some(_) => feature.state() == RegisterState::Xmm,
                })
                .collect();
            let found = features_from(&cpu.leaves(), Some(cpu.xcr0 & !(1 << bit)));
            assert_eq!(found, expected, "{} without XCR0 bit {bit}", cpu.name);
        }
    }
}

/// `noxsave`, or a virtual machine that hides it: XCR0 must not be asked, and does not count.
#[test]
fn osxsave_clear() {
    for cpu in CPUS {
        let mut leaves = cpu.leaves();
        leaves.leaf1.ecx &= !(1 << 27);
        let expected =
            cpu.expected().iter().filter(|feature| feature.state() == RegisterState::Xmm).collect();
        assert!(!leaves.has_xcr0());
        for xcr0 in [None, Some(0), Some(u64::MAX)] {
            let found = features_from(&leaves, xcr0);
            assert_eq!(found, expected, "{} with XCR0 {xcr0:?}", cpu.name);
        }
    }
}

/// One CPUID bit hidden takes away its feature, and what is encoded on top of it, but nothing else.
#[test]
fn each_feature_dropped() {
    for cpu in CPUS {
        for dropped in cpu.expected().iter() {
            let mut leaves = cpu.leaves();
            let bit = dropped.cpuid();
            let leaf = if bit.leaf == 1 { &mut leaves.leaf1 } else { &mut leaves.leaf7 };
            let register = match bit.register {
                CpuidRegister::Ebx => &mut leaf.ebx,
                CpuidRegister::Ecx => &mut leaf.ecx,
            };
            *register &= !(1 << bit.bit);

            let expected = cpu
                .expected()
                .iter()
                .filter(|&feature| {
                    let on_top = match dropped {
                        Avx => feature.state() != RegisterState::Xmm,
                        Avx2 | Avx512f => feature.state() == RegisterState::Zmm,
                        _ => false,
                    };
                    feature != dropped && !on_top
                })
                .collect();
            let found = features_from(&leaves, Some(cpu.xcr0));
            assert_eq!(found, expected, "{} without {}", cpu.name, dropped.name());
        }
    }
}

#[test]
fn nothing_from_nothing_and_everything_from_everything() {
    assert_eq!(features_from(&CpuidLeaves::default(), Some(u64::MAX)), FeatureSet::EMPTY);
    let full = Leaf { ebx: u32::MAX, ecx: u32::MAX };
    let leaves = CpuidLeaves { leaf1: full, leaf7: full };
    assert_eq!(features_from(&leaves, Some(u64::MAX)), Feature::ALL.iter().copied().collect());
}
