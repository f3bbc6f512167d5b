//! A cap: the tier above which no kernel runs.
//!
//! A cap speaks of features, never of kernel ids, so a new kernel falls under the right one by
//! itself. Knows nothing of the CPU.

use core::fmt;
use core::str::FromStr;

use aria_kernels::{Feature, RegisterState};

use crate::features::FeatureSet;

/// The highest tier that may run, by encoding and register file. The order is from low to high.
///
/// ```
/// use aria_runtime::Cap;
///
/// let cap: Cap = "avx2".parse()?;
/// assert!(cap < Cap::Avx512);
/// assert_eq!(cap.to_string(), "avx2");
/// # Ok::<(), aria_runtime::CapError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cap {
    /// `portable`: no CPU feature at all, hence no instruction beyond the compilation target's.
    Portable,
    /// `sse`: legacy encoding; nothing that needs more state than the XMM registers.
    Sse,
    /// `avx`: VEX encoding, XMM registers.
    Avx,
    /// `avx2`: VEX encoding, YMM registers.
    Avx2,
    /// `avx512`: no limit.
    Avx512,
}

impl Cap {
    /// Every cap, from low to high.
    pub const ALL: &'static [Self] =
        &[Self::Portable, Self::Sse, Self::Avx, Self::Avx2, Self::Avx512];

    /// The name that [`FromStr`] takes and [`Display`](fmt::Display) prints.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Sse => "sse",
            Self::Avx => "avx",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Whether kernels under this cap may need `feature`.
    ///
    /// The register state a feature uses decides. AVX and AVX2 share theirs, so AVX2 itself marks
    /// the border between those two.
    #[must_use]
    pub fn allows(self, feature: Feature) -> bool {
        let needed = match feature.state() {
            RegisterState::Xmm => Self::Sse,
            RegisterState::Ymm if feature == Feature::Avx2 => Self::Avx2,
            RegisterState::Ymm => Self::Avx,
            RegisterState::Zmm => Self::Avx512,
        };
        needed <= self
    }

    /// The features of `set` that this cap allows.
    pub(crate) fn limit(self, set: FeatureSet) -> FeatureSet {
        set.iter().filter(|&feature| self.allows(feature)).collect()
    }
}

impl fmt::Display for Cap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Cap {
    type Err = CapError;

    /// Takes the lower-case names of [`Cap::name`].
    fn from_str(name: &str) -> Result<Self, CapError> {
        Self::ALL.iter().copied().find(|cap| cap.name() == name).ok_or(CapError)
    }
}

/// The text names no cap. Its message lists those there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapError;

impl fmt::Display for CapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown cap; use one of ")?;
        for (i, cap) in Cap::ALL.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{cap}")?;
        }
        Ok(())
    }
}

impl core::error::Error for CapError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back() {
        for &cap in Cap::ALL {
            assert_eq!(cap.name().parse(), Ok(cap));
        }
        for wrong in ["", "AVX2", "avx2 ", "gfni", "avx5120"] {
            assert_eq!(wrong.parse::<Cap>(), Err(CapError), "{wrong:?}");
        }
    }

    #[test]
    #[rustfmt::skip]
    fn features_under_each_cap() {
        use Feature::{Avx, Avx2, Avx512bw, Avx512f, Avx512vl, Gfni, Ssse3};
        let all: FeatureSet = [Ssse3, Avx, Avx2, Avx512f, Avx512bw, Avx512vl, Gfni].into_iter().collect();
        for (cap, features) in [
            (Cap::Portable, &[] as &[Feature]),
            (Cap::Sse,      &[Ssse3, Gfni]),
            (Cap::Avx,      &[Ssse3, Gfni, Avx]),
            (Cap::Avx2,     &[Ssse3, Gfni, Avx, Avx2]),
            (Cap::Avx512,   &[Ssse3, Gfni, Avx, Avx2, Avx512f, Avx512bw, Avx512vl]),
        ] {
            assert_eq!(cap.limit(all), FeatureSet::of(features), "{cap}");
        }
    }
}
