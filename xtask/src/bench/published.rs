//! What the originals published of their own code, to stand beside ours. Other CPUs, other
//! harnesses: an order of magnitude, no ratio.

use serde::Serialize;

use aria_gen::isa::{Tier, Unit};

/// A published figure.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Published {
    /// Whose, and what measured it.
    pub by: Source,
    /// Where they said so: the subject of a patch series, or a commit.
    pub stated_in: &'static str,
    /// The CPU.
    pub cpu: &'static str,
    /// Cipher and operation.
    pub what: &'static str,
    /// The length of the key in bits; `None` where the source does not tell.
    pub key_bits: Option<usize>,
    /// Tier and unit that the code corresponds to here; `None` for code on tables.
    #[serde(serialize_with = "cell")]
    pub like: Option<(Tier, Unit)>,
    /// The figure.
    pub figure: Figure,
}

/// Where a figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The Linux kernel: tcrypt in mode 610, encryption, in the letter to the patch series of October
    /// 2022 that adds aria-avx2 and aria-avx512 and in the messages of its two patches.
    Linux,
    /// libgcrypt: bench-slope, encryption, in the messages of the commits that add or improve the
    /// code.
    Libgcrypt,
}

/// What was published.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// Cycles of one operation on so many bytes.
    Operation {
        /// Bytes.
        bytes: usize,
        /// Cycles.
        cycles: u32,
    },
    /// Cycles a byte, from the slope.
    PerByte(f64),
}

#[rustfmt::skip]
const fn linux(tier: Tier, unit: Unit, key_bits: usize, bytes: usize, cycles: u32) -> Published {
    Published {
        by: Source::Linux, stated_in: "crypto: aria: implement aria-avx2 and aria-avx512", cpu: "Core i3-12100",
        what: "ARIA ECB", key_bits: Some(key_bits), like: Some((tier, unit)),
        figure: Figure::Operation { bytes, cycles },
    }
}

/// ARIA-128; code on tables has no cell.
#[rustfmt::skip]
const fn aria(commit: &'static str, cpu: &'static str, what: &'static str, like: Option<(Tier, Unit)>, cycles: f64) -> Published {
    Published { by: Source::Libgcrypt, stated_in: commit, cpu, what, key_bits: Some(128), like, figure: Figure::PerByte(cycles) }
}

/// AES, whose key length the message does not tell.
#[rustfmt::skip]
const fn aes(cpu: &'static str, what: &'static str, cycles: f64) -> Published {
    Published { by: Source::Libgcrypt, stated_in: "9e3af928", cpu, what, key_bits: None, like: Some((Tier::Avx512, Unit::Vaes)), figure: Figure::PerByte(cycles) }
}

/// Every figure.
#[rustfmt::skip]
pub const PUBLISHED: &[Published] = &{
    use {Tier::{Avx, Avx2, Avx512}, Unit::{Aesni, Gfni, Vaes}};
    [
        linux(Avx512, Gfni, 128, 1024,  1504),
        linux(Avx512, Gfni, 128, 4096,  4595),
        linux(Avx512, Gfni, 256, 1024,  1763),
        linux(Avx512, Gfni, 256, 4096,  5540),
        linux(Avx2,   Gfni, 128, 1024,  2003),
        linux(Avx2,   Gfni, 128, 4096,  5867),
        linux(Avx2,   Gfni, 256, 1024,  2358),
        linux(Avx2,   Gfni, 256, 4096,  7295),
        linux(Avx,    Gfni, 128, 1024,  2761),
        linux(Avx,    Gfni, 128, 4096,  9390),
        linux(Avx,    Gfni, 256, 1024,  3401),
        linux(Avx,    Gfni, 256, 4096, 11876),
        // What a message calls "After", where there is a before.
        aria("f359a3ec", "Zen 4",      "ARIA ECB",         Some((Avx512, Gfni)),   0.925),
        aria("f4268a8f", "Zen 4",      "ARIA ECB",         Some((Avx2,   Gfni)),   1.11),
        aria("f4268a8f", "Zen 4",      "ARIA ECB",         Some((Avx2,   Aesni)),  1.96),
        aria("855f1551", "Zen 4",      "ARIA ECB",         Some((Avx,    Gfni)),   2.30),
        aria("f4268a8f", "Zen 4",      "ARIA ECB",         Some((Avx,    Aesni)),  3.36),
        aria("5e1a04f7", "Zen 4",      "ARIA ECB",         None,                  14.74),
        aria("f359a3ec", "Zen 4",      "ARIA CTR",         Some((Avx512, Gfni)),   0.942),
        aria("f4268a8f", "Zen 4",      "ARIA CTR",         Some((Avx2,   Gfni)),   1.09),
        aria("f4268a8f", "Zen 4",      "ARIA CTR",         Some((Avx2,   Aesni)),  1.95),
        aria("855f1551", "Zen 4",      "ARIA CTR",         Some((Avx,    Gfni)),   2.32),
        aria("f4268a8f", "Zen 4",      "ARIA CTR",         Some((Avx,    Aesni)),  3.36),
        aria("5e1a04f7", "Zen 4",      "ARIA CTR",         None,                  14.87),
        aria("5e1a04f7", "Zen 4",      "ARIA CBC encrypt", None,                  20.34),
        aria("caf402e9", "Zen 3",      "ARIA ECB",         Some((Avx2,   Vaes)),   1.65),
        aria("caf402e9", "Zen 3",      "ARIA CTR",         Some((Avx2,   Vaes)),   1.57),
        aria("45351e64", "Tiger Lake", "ARIA ECB",         Some((Avx512, Gfni)),   1.08),
        aria("f4268a8f", "Tiger Lake", "ARIA ECB",         Some((Avx2,   Gfni)),   1.51),
        aria("f4268a8f", "Tiger Lake", "ARIA ECB",         Some((Avx2,   Aesni)),  2.44),
        aria("855f1551", "Tiger Lake", "ARIA ECB",         Some((Avx,    Gfni)),   2.72),
        aria("f4268a8f", "Tiger Lake", "ARIA ECB",         Some((Avx,    Aesni)),  3.77),
        aria("45351e64", "Tiger Lake", "ARIA CTR",         Some((Avx512, Gfni)),   1.08),
        aria("f4268a8f", "Tiger Lake", "ARIA CTR",         Some((Avx2,   Gfni)),   1.69),
        aes("Zen 5", "AES ECB",                 0.085),
        aes("Zen 5", "AES CTR",                 0.087),
        aes("Zen 5", "AES XTS",                 0.098),
        aes("Zen 5", "AES GCM",                 0.206),
        aes("Zen 5", "AES GCM, authentication", 0.120),
        aes("Zen 5", "AES OCB",                 0.087),
        aes("Zen 4", "AES ECB",                 0.161),
        aes("Zen 4", "AES CTR",                 0.163),
        aes("Zen 4", "AES XTS",                 0.195),
        aes("Zen 4", "AES GCM",                 0.324),
        aes("Zen 4", "AES GCM, authentication", 0.164),
        aes("Zen 4", "AES OCB",                 0.166),
    ]
};

/// The figure to stand beside an ECB operation on `bytes` under a key of `key_bits`: for a kernel
/// that of the same tier and unit, else the best.
#[must_use]
pub fn beside(
    cell: Option<(Tier, Unit)>,
    key_bits: usize,
    bytes: usize,
) -> Option<&'static Published> {
    let cycles = |published: &Published| match published.figure {
        Figure::Operation { bytes: at, cycles } if at == bytes => Some(cycles),
        _ => None,
    };
    let alike = PUBLISHED.iter().filter(|published| {
        published.key_bits == Some(key_bits) && (cell.is_none() || published.like == cell)
    });
    alike.filter(|published| cycles(published).is_some()).min_by_key(|published| cycles(published))
}

impl Source {
    /// As tables name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linux => "Linux",
            Self::Libgcrypt => "libgcrypt",
        }
    }
}

impl Published {
    /// The code as tables name it: tier and unit.
    #[must_use]
    pub fn code(&self) -> String {
        self.like
            .map_or_else(String::new, |(tier, unit)| format!("{} {}", tier.name(), unit.name()))
    }
}

fn cell<S: serde::Serializer>(
    like: &Option<(Tier, Unit)>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    like.map(|(tier, unit)| [tier.name(), unit.name()]).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(cell: Option<(Tier, Unit)>, key_bits: usize, bytes: usize) -> Option<Figure> {
        beside(cell, key_bits, bytes).map(|published| published.figure)
    }

    #[test]
    fn a_kernel_meets_its_like_and_the_library_the_best() {
        let avx2 = Some((Tier::Avx2, Unit::Gfni));
        let expected = |cycles| Some(Figure::Operation { bytes: 4096, cycles });
        assert_eq!(figure(avx2, 128, 4096), expected(5867));
        assert_eq!(figure(avx2, 256, 4096), expected(7295));
        assert_eq!(figure(None, 128, 4096), expected(4595));
    }

    #[test]
    fn nothing_stands_in_for_what_was_not_published() {
        assert_eq!(figure(Some((Tier::Avx2, Unit::Vaes)), 128, 4096), None);
        assert_eq!(figure(None, 192, 4096), None);
        assert_eq!(figure(None, 128, 64), None);
    }
}
