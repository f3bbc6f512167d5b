//! CPU features and where CPUID reports them.
//!
//! Intel SDM volume 2, CPUID; volume 1, section 13.3 (XCR0). The runtime's detection reads the same
//! rows in the emitted `generated/src/feature.rs`.

/// A CPU feature, named as `#[target_feature]` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// `ssse3`
    Ssse3,
    /// `avx`
    Avx,
    /// `avx2`
    Avx2,
    /// `avx512f`
    Avx512f,
    /// `avx512bw`
    Avx512bw,
    /// `avx512vl`
    Avx512vl,
    /// `gfni`
    Gfni,
    /// `aes`
    Aes,
    /// `vaes`
    Vaes,
}

/// A register in which CPUID returns bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuidRegister {
    /// EBX
    Ebx,
    /// ECX
    Ecx,
}

/// The register state that the operating system must save before a feature may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterState {
    /// XMM in the legacy encoding.
    Xmm,
    /// VEX encodings.
    Ymm,
    /// EVEX encodings and masks.
    Zmm,
}

/// One row of the feature table.
struct Row {
    feature: Feature,
    name: &'static str,
    leaf: u32,
    register: CpuidRegister,
    bit: u32,
    state: RegisterState,
}

#[rustfmt::skip]
const ROWS: &[Row] = &{
    use CpuidRegister::{Ebx, Ecx};
    use Feature::*;
    use RegisterState::*;
    const fn row(feature: Feature, name: &'static str, leaf: u32, register: CpuidRegister, bit: u32, state: RegisterState) -> Row {
        Row { feature, name, leaf, register, bit, state }
    }
    [
        //  feature   name        leaf  reg  bit  state
        row(Ssse3,    "ssse3",    1,    Ecx, 9,   Xmm),
        row(Avx,      "avx",      1,    Ecx, 28,  Ymm),
        row(Avx2,     "avx2",     7,    Ebx, 5,   Ymm),
        row(Avx512f,  "avx512f",  7,    Ebx, 16,  Zmm),
        row(Avx512bw, "avx512bw", 7,    Ebx, 30,  Zmm),
        row(Avx512vl, "avx512vl", 7,    Ebx, 31,  Zmm),
        // The legacy encoding needs no state of its own; VEX and EVEX forms come with the tier's.
        row(Gfni,     "gfni",     7,    Ecx, 8,   Xmm),
        row(Aes,      "aes",      1,    Ecx, 25,  Xmm),
        // Has no legacy encoding.
        row(Vaes,     "vaes",     7,    Ecx, 9,   Ymm),
    ]
};

impl Feature {
    /// Every feature, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.feature)
    }

    fn row(self) -> &'static Row {
        let found = ROWS.iter().find(|row| row.feature == self);
        found.expect("a unit test checks that every feature has a row")
    }

    /// The name that `#[target_feature]` uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// CPUID's leaf, register and bit; the sub-leaf is 0.
    #[must_use]
    pub fn cpuid(self) -> (u32, CpuidRegister, u32) {
        let row = self.row();
        (row.leaf, row.register, row.bit)
    }

    /// The register state that must be enabled.
    #[must_use]
    pub fn state(self) -> RegisterState {
        self.row().state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_enum_and_unique() {
        let features: Vec<_> = Feature::all().collect();
        assert!(features.windows(2).all(|w| w[0] < w[1]), "{features:?}");
        for (i, a) in ROWS.iter().enumerate() {
            for b in &ROWS[..i] {
                assert_ne!((a.leaf, a.register as u8, a.bit), (b.leaf, b.register as u8, b.bit));
                assert_ne!(a.name, b.name);
            }
        }
    }

    #[test]
    fn a_state_goes_with_the_encoding_that_the_name_tells() {
        for feature in Feature::all() {
            let name = feature.name();
            let state = match name {
                _ if name.starts_with("avx512") => RegisterState::Zmm,
                _ if name.starts_with("avx") || name == "vaes" => RegisterState::Ymm,
                _ => RegisterState::Xmm,
            };
            assert_eq!(feature.state(), state, "{name}");
        }
    }
}
