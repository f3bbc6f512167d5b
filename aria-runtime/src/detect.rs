//! From CPUID leaves and XCR0 to a set of features: a pure function, and the reader that feeds it.
//!
//! The bits are those of the kernels' feature table; the rules are those of the Intel SDM, vol. 1,
//! sections 14.3 and 15.2 to 15.4. A feature counts when CPUID reports it *and* the operating
//! system saves the registers it uses *and* CPUID reports the base of its encoding:
//!
//! | state | XCR0 bits | base | features, for example |
//! |---|---|---|---|
//! | XMM | — | — | `ssse3`, `gfni`, `aes` |
//! | YMM | 1, 2 | `avx` | `avx`, `avx2`, `vaes` |
//! | ZMM | 1, 2, 5, 6, 7 | `avx`, `avx2`, `avx512f` | `avx512f`, `avx512bw`, `avx512vl` |
//!
//! Otherwise no feature stands for another: AVX512F says nothing of BW or VL, and GFNI is on CPUs
//! without AVX-512 (Alder Lake) and without AVX (Tremont). When OSXSAVE is clear there is no XCR0
//! to read, XGETBV would fault, and no feature beyond the XMM state counts. (macOS sets the ZMM
//! bits of XCR0 only after a process has first used them; there, AVX-512 goes unreported.)

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod cpu;
mod model;

/// Elsewhere, and under Miri, which runs no vendor intrinsics, there is nothing to read.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
mod cpu {
    use super::CpuidLeaves;

    pub(super) fn read() -> (CpuidLeaves, Option<u64>) {
        (CpuidLeaves::default(), None)
    }

    pub(super) fn signature() -> ([u8; 12], u32) {
        ([0; 12], 0)
    }
}

use aria_kernels::{CpuidBit, CpuidRegister, Feature, RegisterState};

use crate::features::FeatureSet;

pub(crate) use model::{Model, Vendor};

/// Bit 27 of leaf 1's ECX: the operating system has enabled XSAVE, so XCR0 can be read.
const OSXSAVE: u32 = 27;

/// What this CPU and its operating system offer.
pub(crate) fn cpu_features() -> FeatureSet {
    let (leaves, xcr0) = cpu::read();
    features_from(&leaves, xcr0)
}

/// What this CPU calls itself, if that is known here.
pub(crate) fn model() -> Option<Model> {
    let (vendor, signature) = cpu::signature();
    Model::from_leaves(vendor, signature)
}

/// The registers of a CPUID leaf that hold feature bits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Leaf {
    pub(crate) ebx: u32,
    pub(crate) ecx: u32,
}

/// The CPUID leaves in which the feature table has bits; a leaf that the CPU lacks is all zeros.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CpuidLeaves {
    /// Leaf 1.
    pub(crate) leaf1: Leaf,
    /// Leaf 7, sub-leaf 0.
    pub(crate) leaf7: Leaf,
}

impl CpuidLeaves {
    /// The leaf that `bit` is in, if it is one of those kept here.
    const fn leaf_of(&self, bit: CpuidBit) -> Option<Leaf> {
        match (bit.leaf, bit.subleaf) {
            (1, 0) => Some(self.leaf1),
            (7, 0) => Some(self.leaf7),
            _ => None,
        }
    }

    fn reports(&self, feature: Feature) -> bool {
        let bit = feature.cpuid();
        let register = self.leaf_of(bit).map(|leaf| match bit.register {
            CpuidRegister::Ebx => leaf.ebx,
            CpuidRegister::Ecx => leaf.ecx,
        });
        register.is_some_and(|register| register >> bit.bit & 1 == 1)
    }

    /// Whether XCR0 can be read.
    const fn has_xcr0(&self) -> bool {
        self.leaf1.ecx >> OSXSAVE & 1 == 1
    }
}

// A feature whose leaf is not read here would silently never be found.
const _: () = {
    let leaves = CpuidLeaves { leaf1: Leaf { ebx: 0, ecx: 0 }, leaf7: Leaf { ebx: 0, ecx: 0 } };
    let mut i = 0;
    while i < Feature::ALL.len() {
        assert!(leaves.leaf_of(Feature::ALL[i].cpuid()).is_some());
        i += 1;
    }
};

/// The features that may be used, from the CPU's report and the state that the operating system
/// saves; `xcr0` is `None` where it cannot be read, and ignored if OSXSAVE says so.
pub(crate) fn features_from(leaves: &CpuidLeaves, xcr0: Option<u64>) -> FeatureSet {
    let enabled = xcr0.filter(|_| leaves.has_xcr0()).unwrap_or(0);
    let saved = |state: RegisterState| enabled & state.xcr0() == state.xcr0();
    let usable = |feature: Feature| {
        leaves.reports(feature)
            && saved(feature.state())
            && encoding_base(feature.state()).iter().all(|&base| leaves.reports(base))
    };
    Feature::ALL.iter().copied().filter(|&feature| usable(feature)).collect()
}

/// What CPUID must report besides, for an instruction that uses this state to be encodable.
const fn encoding_base(state: RegisterState) -> &'static [Feature] {
    match state {
        RegisterState::Xmm => &[],
        RegisterState::Ymm => &[Feature::Avx],
        RegisterState::Zmm => &[Feature::Avx, Feature::Avx2, Feature::Avx512f],
    }
}

#[cfg(test)]
mod tests;
