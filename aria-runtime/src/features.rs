//! A set of CPU features.
//!
//! Which features exist, and where CPUID reports them, is the kernels' table to say
//! ([`aria_kernels::Feature`]); this is only the set arithmetic over it.

use core::fmt;

use aria_kernels::Feature;

/// A set of CPU features, as small as a register. Prints as `avx2, gfni`, or `none`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct FeatureSet(u64);

// One bit each, and the topmost stays free for `token`'s cache.
const _: () = assert!(Feature::ALL.len() < 64);

impl FeatureSet {
    /// No features.
    pub const EMPTY: Self = Self(0);

    /// The features listed.
    #[must_use]
    pub const fn of(features: &[Feature]) -> Self {
        let mut set = Self::EMPTY;
        let mut i = 0;
        while i < features.len() {
            set = set.with(features[i]);
            i += 1;
        }
        set
    }

    /// This set and `feature`.
    #[must_use]
    pub const fn with(self, feature: Feature) -> Self {
        Self(self.0 | 1 << feature as u32)
    }

    /// The features of this set that `other` lacks.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether `feature` is in the set.
    #[must_use]
    pub const fn contains(self, feature: Feature) -> bool {
        self.0 >> feature as u32 & 1 == 1
    }

    /// Whether every feature of this set is in `other`.
    #[must_use]
    pub const fn is_subset(self, other: Self) -> bool {
        self.without(other).is_empty()
    }

    /// Whether there is nothing in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The features, in the order of [`Feature::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.iter().copied().filter(move |&feature| self.contains(feature))
    }

    /// One bit a feature, bit 63 clear.
    pub(crate) const fn to_bits(self) -> u64 {
        self.0
    }

    /// Undoes [`to_bits`](Self::to_bits).
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }
}

impl FromIterator<Feature> for FeatureSet {
    fn from_iter<I: IntoIterator<Item = Feature>>(features: I) -> Self {
        features.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl fmt::Display for FeatureSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("none");
        }
        for (i, feature) in self.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{}", feature.name())?;
        }
        Ok(())
    }
}

impl fmt::Debug for FeatureSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FeatureSet({self})")
    }
}
