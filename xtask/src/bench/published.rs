//! What the originals published of their own code, to stand beside ours. Other CPUs, other
//! harnesses: an order of magnitude, no ratio.

use serde::Serialize;

use aria_gen::isa::{Tier, Unit};

/// A published figure.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Published {
    /// Whose, and what measured it.
    pub by: Source,
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
    /// The Linux kernel: tcrypt, in the messages of the commits that add aria-avx, aria-avx2 and
    /// aria-avx512 (crypto: x86/aria).
    Linux,
    /// libgcrypt: bench-slope, in the messages of the commits that add the code.
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
        by: Source::Linux, cpu: "Core i3-12100", what: "ARIA ECB", key_bits: Some(key_bits), like: Some((tier, unit)),
        figure: Figure::Operation { bytes, cycles },
    }
}

#[rustfmt::skip]
const fn libgcrypt(cpu: &'static str, what: &'static str, key_bits: Option<usize>, like: Option<(Tier, Unit)>, cycles: f64) -> Published {
    Published { by: Source::Libgcrypt, cpu, what, key_bits, like, figure: Figure::PerByte(cycles) }
}

const AVX512_GFNI: Option<(Tier, Unit)> = Some((Tier::Avx512, Unit::Gfni));
const AVX512_VAES: Option<(Tier, Unit)> = Some((Tier::Avx512, Unit::Vaes));

/// Every figure.
#[rustfmt::skip]
pub const PUBLISHED: &[Published] = &[
    linux(Tier::Avx512, Unit::Gfni, 128, 1024,  1504),
    linux(Tier::Avx512, Unit::Gfni, 128, 4096,  4595),
    linux(Tier::Avx512, Unit::Gfni, 256, 1024,  1763),
    linux(Tier::Avx512, Unit::Gfni, 256, 4096,  5540),
    linux(Tier::Avx2,   Unit::Gfni, 128, 1024,  2003),
    linux(Tier::Avx2,   Unit::Gfni, 128, 4096,  5867),
    linux(Tier::Avx2,   Unit::Gfni, 256, 1024,  2358),
    linux(Tier::Avx2,   Unit::Gfni, 256, 4096,  7295),
    linux(Tier::Avx,    Unit::Gfni, 128, 1024,  2761),
    linux(Tier::Avx,    Unit::Gfni, 128, 4096,  9390),
    linux(Tier::Avx,    Unit::Gfni, 256, 1024,  3401),
    linux(Tier::Avx,    Unit::Gfni, 256, 4096, 11876),
    libgcrypt("Zen 5",      "ARIA CBC encrypt",           Some(128), AVX512_GFNI, 14.21),
    libgcrypt("Zen 4",      "ARIA CBC encrypt",           Some(128), AVX512_GFNI, 11.51),
    libgcrypt("Tiger Lake", "ARIA CBC encrypt",           Some(128), AVX512_GFNI, 12.54),
    libgcrypt("Zen 5",      "ARIA CBC encrypt, C tables", Some(128), None,        17.48),
    libgcrypt("Zen 4",      "ARIA CBC encrypt, C tables", Some(128), None,        21.72),
    libgcrypt("Tiger Lake", "ARIA CBC encrypt, C tables", Some(128), None,        22.76),
    libgcrypt("Zen 5",      "AES ECB",                    None,      AVX512_VAES,  0.085),
    libgcrypt("Zen 5",      "AES CTR",                    None,      AVX512_VAES,  0.087),
    libgcrypt("Zen 5",      "AES XTS",                    None,      AVX512_VAES,  0.098),
    libgcrypt("Zen 5",      "AES GCM",                    None,      AVX512_VAES,  0.206),
    libgcrypt("Zen 5",      "AES GCM, authentication",    None,      AVX512_VAES,  0.120),
    libgcrypt("Zen 5",      "AES OCB",                    None,      AVX512_VAES,  0.087),
    libgcrypt("Zen 4",      "AES ECB",                    None,      AVX512_VAES,  0.161),
    libgcrypt("Zen 4",      "AES CTR",                    None,      AVX512_VAES,  0.163),
    libgcrypt("Zen 4",      "AES XTS",                    None,      AVX512_VAES,  0.195),
    libgcrypt("Zen 4",      "AES GCM",                    None,      AVX512_VAES,  0.324),
    libgcrypt("Zen 4",      "AES GCM, authentication",    None,      AVX512_VAES,  0.164),
    libgcrypt("Zen 4",      "AES OCB",                    None,      AVX512_VAES,  0.166),
];

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
