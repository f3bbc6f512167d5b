//! The kernel id, `<cipher>_<tier>_<unit>_<width>_blk<N>[_<frame>]`: the only place where it is
//! spelled or read.
//!
//! The same string is file stem, function name, test label, bench label and command argument.

use core::fmt::{self, Display, Formatter};
use core::str::FromStr;

use crate::isa::{Tier, Unit, UnknownAxis, Width, axis};

axis! {
    /// The cipher.
    Cipher, "cipher" {
        /// ARIA, RFC 5794. Decryption is the same kernel with other round keys.
        Aria = "aria",
    }
}

axis! {
    /// What surrounds the block function.
    Frame, "frame" {
        /// Nothing: each block for itself. Left out of ids.
        Ecb = "ecb",
        /// Counter mode, NIST SP 800-38A section 6.5: the images of a counter's values are added to
        /// the blocks. The counter is one number of 128 bits, the most significant byte first.
        Ctr = "ctr",
        /// The key schedule, RFC 5794 section 2.2, both directions.
        Keys = "keys",
        /// Decryption by cipher block chaining, NIST SP 800-38A section 6.2: to the image of each
        /// block the block before it is added. The input has one block more, the first.
        CbcDec = "cbc_dec",
        /// Decryption by cipher feedback with whole blocks, NIST SP 800-38A section 6.3: to each
        /// block the image of the block before it is added. The input has one block more, the first.
        CfbDec = "cfb_dec",
        /// Encryption by cipher block chaining, NIST SP 800-38A section 6.2: to each block the image of
        /// the one before is added, the initial value to the first, and then it is encrypted.
        CbcEnc = "cbc_enc",
    }
}

/// A cell of the kernel matrix, legal or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KernelId {
    /// The cipher.
    pub cipher: Cipher,
    /// Encoding and register file.
    pub tier: Tier,
    /// What computes the S-boxes.
    pub unit: Unit,
    /// Register width.
    pub width: Width,
    /// Blocks in a batch.
    pub blocks: usize,
    /// What surrounds the block function.
    pub frame: Frame,
}

impl Display for KernelId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (cipher, tier) = (self.cipher.name(), self.tier.name());
        let (unit, width, blocks) = (self.unit.name(), self.width.name(), self.blocks);
        let mut text = format!("{cipher}_{tier}_{unit}_{width}_blk{blocks}");
        if self.frame != Frame::Ecb {
            text.push('_');
            text.push_str(self.frame.name());
        }
        f.pad(&text)
    }
}

/// Why a string is no kernel id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseIdError {
    /// Too few parts.
    #[error("`{0}` is not of the form <cipher>_<tier>_<unit>_<width>_blk<N>[_<frame>]")]
    Form(String),
    /// A part names nothing.
    #[error(transparent)]
    Axis(#[from] UnknownAxis),
    /// The block count is no number.
    #[error("`{0}` is no block count; write blk1, blk2, … blk64")]
    Blocks(String),
}

impl FromStr for KernelId {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.splitn(6, '_');
        let mut next = || parts.next().ok_or_else(|| ParseIdError::Form(text.to_owned()));
        let (cipher, tier, unit, width) = (next()?, next()?, next()?, next()?);
        let blocks = next()?;
        let frame = match parts.next() {
            Some(name) => name.parse()?,
            None => Frame::Ecb,
        };
        Ok(Self {
            cipher: cipher.parse()?,
            tier: tier.parse()?,
            unit: unit.parse()?,
            width: width.parse()?,
            blocks: parse_blocks(blocks).ok_or_else(|| ParseIdError::Blocks(blocks.to_owned()))?,
            frame,
        })
    }
}

/// `blk64` → 64. One spelling for each number: no sign, no leading zero.
fn parse_blocks(word: &str) -> Option<usize> {
    let digits = word.strip_prefix("blk")?;
    let count: usize = digits.parse().ok()?;
    (count.to_string() == digits).then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_parses_back() {
        for &cipher in Cipher::ALL {
            for &tier in Tier::ALL {
                for &unit in Unit::ALL {
                    for &width in Width::ALL {
                        for &frame in Frame::ALL {
                            for blocks in [0, 1, 16, 64, 1000] {
                                let id = KernelId { cipher, tier, unit, width, blocks, frame };
                                assert_eq!(id.to_string().parse(), Ok(id));
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn other_spellings_are_refused() {
        for text in [
            "",
            "aria",
            "aria_avx512_gfni_zmm",
            "aria_avx512_gfni_zmm_64",
            "aria_avx512_gfni_zmm_blk064",
            "aria_avx512_gfni_zmm_blk+64",
            "aria_avx512_gfni_zmm_blk64_",
            "aria_avx512_gfni_zmm_blk64_ctr_ctr",
            "ARIA_avx512_gfni_zmm_blk64",
            "aria_avx1024_gfni_zmm_blk64",
        ] {
            assert!(text.parse::<KernelId>().is_err(), "{text:?}");
        }
    }
}
