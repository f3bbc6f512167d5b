//! Which CPU features a contender may use, in terms of the peers that can be limited, so that like
//! meets like: a kernel for AVX2 meets what the peer has for AVX2.

use serde::{Serialize, Serializer};

/// A hardware feature as libgcrypt names it (its manual, `GCRYCTL_DISABLE_HWF`).
#[derive(Debug, PartialEq, Eq)]
pub struct Hardware {
    /// The name that it takes.
    pub hwf: &'static str,
    /// The name in tables.
    name: &'static str,
    /// Features, as `#[target_feature]` names them, of which any one stands for it.
    by: &'static [&'static str],
}

/// The features by which libgcrypt chooses its ARIA code. A CPU with GFNI has AES instructions, too;
/// where it may use GFNI, it uses no others.
#[rustfmt::skip]
static HARDWARE: &[Hardware] = &[
    Hardware { hwf: "intel-avx512",        name: "avx512", by: &["avx512f"] },
    Hardware { hwf: "intel-gfni",          name: "gfni",   by: &["gfni"] },
    Hardware { hwf: "intel-vaes-vpclmul",  name: "vaes",   by: &["vaes", "gfni"] },
    Hardware { hwf: "intel-avx2",          name: "avx2",   by: &["avx2", "avx512f"] },
    Hardware { hwf: "intel-aesni",         name: "aesni",  by: &["aes", "vaes", "gfni"] },
    Hardware { hwf: "intel-avx",           name: "avx",    by: &["avx", "avx2", "avx512f"] },
];

/// What a contender is kept from, of what this CPU has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits(Vec<&'static Hardware>);

impl Limits {
    /// The limits that leave `allowed`, on a CPU that has `cpu`; both as `#[target_feature]` names.
    #[must_use]
    pub fn leaving(allowed: &[&str], cpu: &[&str]) -> Self {
        let has = |set: &[&str], hardware: &Hardware| hardware.by.iter().any(|f| set.contains(f));
        Self(HARDWARE.iter().filter(|h| has(cpu, h) && !has(allowed, h)).collect())
    }

    /// No limits.
    #[must_use]
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// What is kept away.
    pub fn kept_away(&self) -> impl Iterator<Item = &'static Hardware> {
        self.0.iter().copied()
    }

    /// As tables write it, after a library's name: ` -avx512 -gfni`, or nothing.
    #[must_use]
    pub fn suffix(&self) -> String {
        self.0.iter().map(|hardware| format!(" -{}", hardware.name)).collect()
    }
}

impl Serialize for Limits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|hardware| hardware.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: &[&str] = &["ssse3", "aes", "avx", "avx2", "avx512f", "gfni", "vaes"];

    #[test]
    fn a_kernel_s_features_leave_the_peer_what_is_like_it() {
        let suffix = |allowed: &[&str]| Limits::leaving(allowed, SERVER).suffix();
        assert_eq!(suffix(SERVER), "");
        assert_eq!(suffix(&["avx512f", "gfni"]), "");
        assert_eq!(suffix(&["avx2", "gfni"]), " -avx512");
        assert_eq!(suffix(&["avx2", "vaes"]), " -avx512 -gfni");
        assert_eq!(suffix(&["avx2", "aes"]), " -avx512 -gfni -vaes");
        assert_eq!(suffix(&["avx", "aes"]), " -avx512 -gfni -vaes -avx2");
        assert_eq!(suffix(&["ssse3", "gfni"]), " -avx512 -avx2 -avx");
        assert_eq!(suffix(&[]), " -avx512 -gfni -vaes -avx2 -aesni -avx");
    }

    #[test]
    fn what_the_cpu_lacks_needs_no_limit() {
        assert_eq!(Limits::leaving(&["avx2", "aes"], &["avx", "avx2", "aes"]), Limits::none());
    }
}
