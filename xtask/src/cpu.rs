//! What this CPU has, for listings. The library has its own detection; this one must work while
//! the library does not compile.

use aria_gen::isa::Feature;

/// Whether this CPU and operating system have `feature`.
#[must_use]
#[cfg(target_arch = "x86_64")]
pub fn has(feature: Feature) -> bool {
    match feature {
        Feature::Ssse3 => is_x86_feature_detected!("ssse3"),
        Feature::Avx => is_x86_feature_detected!("avx"),
        Feature::Avx2 => is_x86_feature_detected!("avx2"),
        Feature::Avx512f => is_x86_feature_detected!("avx512f"),
        Feature::Avx512bw => is_x86_feature_detected!("avx512bw"),
        Feature::Avx512vl => is_x86_feature_detected!("avx512vl"),
        Feature::Gfni => is_x86_feature_detected!("gfni"),
        Feature::Aes => is_x86_feature_detected!("aes"),
        Feature::Vaes => is_x86_feature_detected!("vaes"),
    }
}

/// Whether this CPU and operating system have `feature`: no other architecture has.
#[must_use]
#[cfg(not(target_arch = "x86_64"))]
pub fn has(_feature: Feature) -> bool {
    false
}

/// Those of `features` that this CPU lacks.
#[must_use]
pub fn missing(features: &[Feature]) -> Vec<&'static str> {
    features.iter().filter(|f| !has(**f)).map(|f| f.name()).collect()
}
