//! The axes of the matrix that concern the target: tier, unit, width. Names are those of kernel
//! ids (`kernel::KernelId`), spelled here once.

use super::feature::Feature;

/// A word that names no value of an axis.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is no {axis}; there are {}", .known.join(", "))]
pub struct UnknownAxis {
    /// The word.
    pub word: String,
    /// The axis.
    pub axis: &'static str,
    /// The axis's values.
    pub known: Vec<&'static str>,
}

/// Defines an axis: an enum whose values have names.
macro_rules! axis {
    ($(#[$doc:meta])* $axis:ident, $title:literal { $($(#[$value_doc:meta])* $value:ident = $name:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $axis { $($(#[$value_doc])* $value,)+ }

        impl $axis {
            /// Every value, in order.
            pub const ALL: &'static [Self] = &[$(Self::$value),+];

            /// The name as kernel ids spell it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$value => $name,)+ }
            }
        }

        impl core::str::FromStr for $axis {
            type Err = $crate::isa::UnknownAxis;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                let found = Self::ALL.iter().copied().find(|value| value.name() == word);
                found.ok_or_else(|| $crate::isa::UnknownAxis {
                    word: word.to_owned(),
                    axis: $title,
                    known: Self::ALL.iter().map(|value| value.name()).collect(),
                })
            }
        }
    };
}
pub(crate) use axis;

axis! {
    /// Encoding and register file.
    Tier, "tier" {
        /// Legacy encoding, SSSE3 up, 16 registers.
        Sse = "sse",
        /// VEX encoding, xmm, 16 registers.
        Avx = "avx",
        /// VEX encoding, up to ymm, 16 registers.
        Avx2 = "avx2",
        /// EVEX encoding, any width, 32 registers, three-input logic, embedded broadcast.
        Avx512 = "avx512",
    }
}

axis! {
    /// What computes the S-boxes.
    Unit, "unit" {
        /// The 128-bit AES instructions.
        Aesni = "aesni",
        /// The AES instructions on ymm and zmm.
        Vaes = "vaes",
        /// The affine and affine-inverse instructions.
        Gfni = "gfni",
    }
}

axis! {
    /// Register width.
    Width, "width" {
        /// 128 bits.
        Xmm = "xmm",
        /// 256 bits.
        Ymm = "ymm",
        /// 512 bits.
        Zmm = "zmm",
    }
}

/// How instructions are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Encoding {
    /// Two-operand, 16 registers.
    Legacy,
    /// Three-operand, 16 registers.
    Vex,
    /// Three-operand with embedded broadcast and masks, 32 registers.
    Evex,
}

impl Encoding {
    /// A name for messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Vex => "VEX",
            Self::Evex => "EVEX",
        }
    }
}

impl Tier {
    /// The encoding of the tier's instructions.
    #[must_use]
    pub const fn encoding(self) -> Encoding {
        match self {
            Self::Sse => Encoding::Legacy,
            Self::Avx | Self::Avx2 => Encoding::Vex,
            Self::Avx512 => Encoding::Evex,
        }
    }

    /// How many vector registers there are.
    #[must_use]
    pub const fn registers(self) -> usize {
        match self.encoding() {
            Encoding::Legacy | Encoding::Vex => 16,
            Encoding::Evex => 32,
        }
    }

    /// The widest register.
    #[must_use]
    pub const fn widest(self) -> Width {
        match self {
            Self::Sse | Self::Avx => Width::Xmm,
            Self::Avx2 => Width::Ymm,
            Self::Avx512 => Width::Zmm,
        }
    }

    /// The features that every kernel of the tier needs, whatever its instructions.
    #[must_use]
    pub const fn floor(self) -> &'static [Feature] {
        match self {
            Self::Sse => &[Feature::Ssse3],
            Self::Avx => &[Feature::Avx],
            Self::Avx2 => &[Feature::Avx2],
            Self::Avx512 => &[Feature::Avx512f, Feature::Avx512bw, Feature::Avx512vl],
        }
    }
}

impl Width {
    /// Bytes in a register.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Xmm => 16,
            Self::Ymm => 32,
            Self::Zmm => 64,
        }
    }

    /// 128-bit lanes in a register.
    #[must_use]
    pub const fn lanes(self) -> usize {
        self.bytes() / 16
    }

    /// The Rust type of a register.
    #[must_use]
    pub const fn rust_type(self) -> &'static str {
        match self {
            Self::Xmm => "__m128i",
            Self::Ymm => "__m256i",
            Self::Zmm => "__m512i",
        }
    }
}
