//! The kernel matrix: the cells that ship, the rules that make a cell illegal, and the recipe of
//! each legal one.
//!
//! Adding a kernel is one line in [`ROWS`]; any other legal cell can be built out of tree. A cell is
//! illegal for the first rule that it breaks, which says why and what to take instead.

use core::fmt::{self, Display, Formatter};

use super::id::{Cipher, Frame, KernelId, ParseIdError};
use super::key_form::KeyForm;
use crate::isa::{Tier, Unit, Width};

/// How blocks lie in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A 128-bit lane holds a block.
    Row,
    /// Register i holds byte i of every block.
    Slice,
    /// Words hold one bit, or four, of every byte of every block.
    Bits,
}

impl Layout {
    /// What it means, for the headers of generated files.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Row => "in rows: a 128-bit lane holds a block",
            Self::Slice => "byte-sliced: register i holds byte i of every block",
            Self::Bits => "bit-sliced: in words of bit planes",
        }
    }

    /// The name, which is also that of the builder's module.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Row => "row",
            Self::Slice => "slice",
            Self::Bits => "bits",
        }
    }
}

/// How a legal cell is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// How blocks lie in registers.
    pub layout: Layout,
    /// How round keys lie in memory.
    pub key_form: KeyForm,
}

/// The cells that are checked in as kernels, in order of their ids.
///
/// Of the frames `cbc_dec` and `cfb_dec` there are rows for the cells that are fastest on most CPUs: the
/// widest of each unit that tiers below AVX-512 have, and GFNI on zmm, since CPUs with VAES on zmm have
/// GFNI, too. Elsewhere the runtime adds the blocks to the output of ECB, a twentieth slower; a file for
/// each of the others would cost every user its compilation.
#[rustfmt::skip]
pub const ROWS: &[KernelId] = &{
    use {Cipher::Aria, Frame::{CbcDec, CbcEnc, CfbDec, Ctr, Ecb, Keys}, Tier::{Avx, Avx2, Avx512, Portable, Sse}, Unit::{Aesni, Bits, Gfni, Vaes}, Width::{U64, Xmm, Ymm, Zmm}};
    const fn row(cipher: Cipher, tier: Tier, unit: Unit, width: Width, blocks: usize, frame: Frame) -> KernelId {
        KernelId { cipher, tier, unit, width, blocks, frame }
    }
    [
        //  cipher tier    unit   width blocks frame
        row(Aria,  Avx2,   Aesni, Ymm,  32,    Ecb),
        row(Aria,  Avx2,   Aesni, Ymm,  32,    CbcDec),
        row(Aria,  Avx2,   Aesni, Ymm,  32,    CfbDec),
        row(Aria,  Avx2,   Aesni, Ymm,  32,    Ctr),
        row(Aria,  Avx2,   Gfni,  Ymm,  2,     Ecb),
        row(Aria,  Avx2,   Gfni,  Ymm,  32,    Ecb),
        row(Aria,  Avx2,   Gfni,  Ymm,  32,    CbcDec),
        row(Aria,  Avx2,   Gfni,  Ymm,  32,    CfbDec),
        row(Aria,  Avx2,   Gfni,  Ymm,  32,    Ctr),
        row(Aria,  Avx2,   Gfni,  Ymm,  4,     Ecb),
        row(Aria,  Avx2,   Vaes,  Ymm,  2,     Ecb),
        row(Aria,  Avx2,   Vaes,  Ymm,  32,    Ecb),
        row(Aria,  Avx2,   Vaes,  Ymm,  32,    CbcDec),
        row(Aria,  Avx2,   Vaes,  Ymm,  32,    CfbDec),
        row(Aria,  Avx2,   Vaes,  Ymm,  32,    Ctr),
        row(Aria,  Avx512, Aesni, Ymm,  32,    Ecb),
        row(Aria,  Avx512, Aesni, Ymm,  32,    Ctr),
        row(Aria,  Avx512, Gfni,  Xmm,  1,     Ecb),
        row(Aria,  Avx512, Gfni,  Xmm,  16,    Ecb),
        row(Aria,  Avx512, Gfni,  Xmm,  16,    Ctr),
        row(Aria,  Avx512, Gfni,  Xmm,  1,     CbcEnc),
        row(Aria,  Avx512, Gfni,  Xmm,  1,     Keys),
        row(Aria,  Avx512, Gfni,  Ymm,  2,     Ecb),
        row(Aria,  Avx512, Gfni,  Ymm,  32,    Ecb),
        row(Aria,  Avx512, Gfni,  Ymm,  32,    Ctr),
        row(Aria,  Avx512, Gfni,  Zmm,  4,     Ecb),
        row(Aria,  Avx512, Gfni,  Zmm,  64,    Ecb),
        row(Aria,  Avx512, Gfni,  Zmm,  64,    CbcDec),
        row(Aria,  Avx512, Gfni,  Zmm,  64,    CfbDec),
        row(Aria,  Avx512, Gfni,  Zmm,  64,    Ctr),
        row(Aria,  Avx512, Gfni,  Zmm,  8,     Ecb),
        row(Aria,  Avx512, Vaes,  Xmm,  16,    Ecb),
        row(Aria,  Avx512, Vaes,  Xmm,  16,    Ctr),
        row(Aria,  Avx512, Vaes,  Ymm,  32,    Ecb),
        row(Aria,  Avx512, Vaes,  Ymm,  32,    Ctr),
        row(Aria,  Avx512, Vaes,  Zmm,  64,    Ecb),
        row(Aria,  Avx512, Vaes,  Zmm,  64,    Ctr),
        row(Aria,  Avx,    Aesni, Xmm,  1,     Ecb),
        row(Aria,  Avx,    Aesni, Xmm,  16,    Ecb),
        row(Aria,  Avx,    Aesni, Xmm,  16,    CbcDec),
        row(Aria,  Avx,    Aesni, Xmm,  16,    CfbDec),
        row(Aria,  Avx,    Aesni, Xmm,  16,    Ctr),
        row(Aria,  Avx,    Aesni, Xmm,  1,     CbcEnc),
        row(Aria,  Avx,    Aesni, Xmm,  1,     Keys),
        row(Aria,  Avx,    Gfni,  Xmm,  1,     Ecb),
        row(Aria,  Avx,    Gfni,  Xmm,  16,    Ecb),
        row(Aria,  Avx,    Gfni,  Xmm,  16,    CbcDec),
        row(Aria,  Avx,    Gfni,  Xmm,  16,    CfbDec),
        row(Aria,  Avx,    Gfni,  Xmm,  16,    Ctr),
        row(Aria,  Avx,    Gfni,  Xmm,  1,     CbcEnc),
        row(Aria,  Avx,    Gfni,  Xmm,  1,     Keys),
        row(Aria,  Portable, Bits, U64, 1,   Ecb),
        row(Aria,  Portable, Bits, U64, 4,   Ecb),
        row(Aria,  Sse,    Aesni, Xmm,  1,     Ecb),
        row(Aria,  Sse,    Aesni, Xmm,  16,    Ecb),
        row(Aria,  Sse,    Aesni, Xmm,  16,    CbcDec),
        row(Aria,  Sse,    Aesni, Xmm,  16,    CfbDec),
        row(Aria,  Sse,    Aesni, Xmm,  16,    Ctr),
        row(Aria,  Sse,    Aesni, Xmm,  1,     CbcEnc),
        row(Aria,  Sse,    Aesni, Xmm,  1,     Keys),
        row(Aria,  Sse,    Gfni,  Xmm,  1,     Ecb),
        row(Aria,  Sse,    Gfni,  Xmm,  16,    Ecb),
        row(Aria,  Sse,    Gfni,  Xmm,  16,    Ctr),
        row(Aria,  Sse,    Gfni,  Xmm,  1,     CbcEnc),
        row(Aria,  Sse,    Gfni,  Xmm,  1,     Keys),
    ]
};

/// Block counts that a listing of the whole matrix walks.
pub const BLOCK_COUNTS: &[usize] = &[1, 2, 4, 8, 16, 32, 64];

/// Why a cell makes no sense, and what to ask for instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{id}: {reason}; {remedy}")]
pub struct Illegal {
    /// The cell.
    pub id: KernelId,
    /// Why it makes no sense.
    pub reason: &'static str,
    /// What to ask for instead.
    pub remedy: &'static str,
}

/// One rule: cells for which `breaks` holds are illegal.
struct Rule {
    breaks: fn(&KernelId) -> bool,
    reason: &'static str,
    remedy: &'static str,
}

/// The rules for cells with a value of the portable tier on some axis. Those that break none are the
/// portable kernels; the other rules are about vectors.
const PORTABLE_RULES: &[Rule] = &[
    Rule {
        breaks: |id| id.tier == Tier::Portable && id.unit != Unit::Bits,
        reason: "the portable tier has no instruction of a unit",
        remedy: "take unit bits, or another tier",
    },
    Rule {
        breaks: |id| id.unit == Unit::Bits && id.tier != Tier::Portable,
        reason: "circuits of bit operations are what the portable tier computes S-boxes with",
        remedy: "take tier portable, or another unit",
    },
    Rule {
        breaks: |id| id.tier == Tier::Portable && id.width != Width::U64,
        reason: "the portable tier works on words of 64 bits",
        remedy: "take width u64, or another tier",
    },
    Rule {
        breaks: |id| id.width == Width::U64 && id.tier != Tier::Portable,
        reason: "words of 64 bits are for the portable tier",
        remedy: "take width xmm, or tier portable",
    },
    Rule {
        breaks: |id| id.tier == Tier::Portable && id.frame != Frame::Ecb,
        reason: "portable kernels have the block function alone, which the frames are made of",
        remedy: "leave the frame out, or take another tier",
    },
    Rule {
        breaks: |id| id.tier == Tier::Portable && !matches!(id.blocks, 1 | 4),
        reason: "a word of 64 bits has a bit for each byte of four blocks, or four bits of each of one",
        remedy: "take blk1 or blk4",
    },
];

/// The rules for all other cells, the most basic first.
const RULES: &[Rule] = &[
    Rule {
        breaks: |id| id.width > id.tier.widest() && id.tier == Tier::Avx2,
        reason: "VEX cannot address zmm registers",
        remedy: "take tier avx512, or width ymm",
    },
    Rule {
        breaks: |id| id.width > id.tier.widest() && id.tier == Tier::Avx,
        reason: "AVX has no integer operations on ymm",
        remedy: "take tier avx2 or avx512, or width xmm",
    },
    Rule {
        breaks: |id| id.width > id.tier.widest(),
        reason: "the legacy encoding addresses xmm registers only",
        remedy: "take tier avx2 or avx512, or width xmm",
    },
    Rule {
        breaks: |id| id.unit == Unit::Vaes && id.tier < Tier::Avx2,
        reason: "VAES exists on ymm and zmm, which the tier lacks",
        remedy: "take unit aesni, or tier avx2 or avx512",
    },
    Rule {
        breaks: |id| id.unit == Unit::Vaes && id.tier == Tier::Avx2 && id.width == Width::Xmm,
        reason: "VEX-encoded AES on xmm is AES-NI, not VAES",
        remedy: "take unit aesni with tier avx, or width ymm",
    },
    Rule {
        breaks: |id| id.unit == Unit::Aesni && id.tier == Tier::Avx512 && id.width == Width::Xmm,
        reason: "AES-NI reaches 16 registers only, so the kernel would be that of tier avx",
        remedy: "take tier avx, or width ymm, or unit vaes or gfni",
    },
    Rule {
        breaks: |id| id.unit == Unit::Aesni && id.width == Width::Zmm,
        reason: "AES-NI works on one 128-bit lane, and zmm would need four a register",
        remedy: "take unit vaes or gfni, or width ymm",
    },
    Rule {
        breaks: |id| id.blocks == 0 || !id.blocks.is_power_of_two() || id.blocks > 64,
        reason: "batches are of 1, 2, 4, 8, 16, 32 or 64 blocks",
        remedy: "take one of these",
    },
    Rule {
        breaks: |id| id.frame == Frame::Keys && (id.blocks != 1 || id.width != Width::Xmm),
        reason: "a key schedule is one chain of 128-bit words",
        remedy: "take width xmm and blk1",
    },
    Rule {
        breaks: |id| id.frame == Frame::CbcEnc && (id.blocks != 1 || id.width != Width::Xmm),
        reason: "each block of CBC encryption waits for the one before it",
        remedy: "take width xmm and blk1",
    },
    Rule {
        breaks: |id| layout(id) == Layout::Row && id.blocks < id.width.lanes(),
        reason: "a register of the row layout has a lane for each block and would not be full",
        remedy: "take a narrower width, or as many blocks as the register has lanes",
    },
    Rule {
        breaks: |id| layout(id) == Layout::Row && id.blocks > 2 * id.width.lanes(),
        reason: "two registers of the row layout side by side hide each other's latency, more are no \
                 faster than slices",
        remedy: "take at most twice as many blocks as the register has lanes, or blk16 or more",
    },
    Rule {
        breaks: |id| layout(id) == Layout::Row && id.unit == Unit::Aesni && id.width != Width::Xmm,
        reason: "AES-NI works on one 128-bit lane, so wider rows would be taken apart for each S-box",
        remedy: "take width xmm, or unit vaes or gfni",
    },
    Rule {
        breaks: |id| layout(id) == Layout::Row && id.frame == Frame::Ctr,
        reason: "in rows a counter is a block like any other, and there is no builder that writes it \
                 down yet",
        remedy: "take frame ecb and encrypt counters with it, as the runtime does, or blk16 or more",
    },
    Rule {
        breaks: |id| layout(id) == Layout::Row && matches!(id.frame, Frame::CbcDec | Frame::CfbDec),
        reason: "in rows a batch is few blocks, of which a call takes longer than to add them",
        remedy: "take frame ecb and add the blocks to its output, as the runtime does, or blk16 or more",
    },
    Rule {
        breaks: |id| layout(id) == Layout::Slice && id.blocks < id.width.bytes(),
        reason: "a register of the slice layout has a byte for each block and would not be full",
        remedy: "take a narrower width, or as many blocks as the register has bytes",
    },
    Rule {
        breaks: |id| layout(id) == Layout::Slice && id.blocks > 2 * id.width.bytes(),
        reason: "more than two slices a byte position do not fit any register file",
        remedy: "take at most twice as many blocks as the register has bytes",
    },
];

/// How to build `id`.
///
/// # Errors
///
/// When the cell makes no sense: why, and what to ask for instead.
pub fn recipe(id: KernelId) -> Result<Recipe, Illegal> {
    let portable = id.tier == Tier::Portable || id.unit == Unit::Bits || id.width == Width::U64;
    let rules = if portable { PORTABLE_RULES } else { RULES };
    match rules.iter().find(|rule| (rule.breaks)(&id)) {
        Some(rule) => Err(Illegal { id, reason: rule.reason, remedy: rule.remedy }),
        None => Ok(Recipe {
            layout: layout(&id),
            key_form: match (layout(&id), id.unit) {
                (Layout::Row, _) => KeyForm::Raw,
                (Layout::Slice, Unit::Aesni | Unit::Vaes) => KeyForm::Mapped32,
                (Layout::Slice, _) => KeyForm::Broadcast32,
                (Layout::Bits, _) if id.blocks == 1 => KeyForm::Planes,
                (Layout::Bits, _) => KeyForm::SpreadPlanes,
            },
        }),
    }
}

/// The layout that serves a number of blocks: slices want as many as a register has bytes.
fn layout(id: &KernelId) -> Layout {
    match id.tier {
        Tier::Portable => Layout::Bits,
        _ if id.blocks < 16 => Layout::Row,
        _ => Layout::Slice,
    }
}

/// The whole matrix, legal cells and others, in order.
pub fn cells() -> impl Iterator<Item = KernelId> {
    fn pairs<A: Copy, B: Copy>(
        items: impl Iterator<Item = A>,
        axis: &'static [B],
    ) -> impl Iterator<Item = (A, B)> {
        items.flat_map(move |a| axis.iter().map(move |&b| (a, b)))
    }
    let ciphers = Cipher::ALL.iter().copied();
    let cells = pairs(pairs(pairs(ciphers, Tier::ALL), Unit::ALL), Width::ALL);
    pairs(pairs(cells, BLOCK_COUNTS), Frame::ALL).map(
        |(((((cipher, tier), unit), width), blocks), frame)| KernelId {
            cipher,
            tier,
            unit,
            width,
            blocks,
            frame,
        },
    )
}

/// A name that is no kernel id, with the ids that are nearest to it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown kernel `{name}`: {cause}{}", Nearest(.nearest))]
pub struct UnknownKernel {
    /// What was asked for.
    pub name: String,
    /// Why it is no id.
    pub cause: ParseIdError,
    /// The most similar ids that ship.
    pub nearest: Vec<String>,
}

struct Nearest<'a>(&'a [String]);

impl Display for Nearest<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => f.write_str(". `cargo xtask list` shows all"),
            names => write!(f, ". Did you mean {}?", names.join(" or ")),
        }
    }
}

/// Reads a kernel id and sees that it can be built.
///
/// # Errors
///
/// [`SelectError::Unknown`] with near matches, or [`SelectError::Illegal`] with the reason.
pub fn select(name: &str) -> Result<KernelId, SelectError> {
    let id: KernelId = name.parse().map_err(|cause| UnknownKernel {
        name: name.to_owned(),
        cause,
        nearest: nearest(name),
    })?;
    recipe(id)?;
    Ok(id)
}

/// Why a name selects no kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// It is no kernel id.
    #[error(transparent)]
    Unknown(#[from] UnknownKernel),
    /// It is the id of a cell that makes no sense.
    #[error(transparent)]
    Illegal(#[from] Illegal),
}

/// At most three ids that ship and look like `name`, the most similar first.
fn nearest(name: &str) -> Vec<String> {
    const ALIKE: f64 = 0.8;
    let mut scored: Vec<(f64, String)> = ROWS
        .iter()
        .map(|id| (strsim::jaro_winkler(name, &id.to_string()), id.to_string()))
        .filter(|(score, _)| *score >= ALIKE)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.into_iter().take(3).map(|(_, id)| id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_legal_unique_and_in_order_of_their_ids() {
        let ids: Vec<String> = ROWS.iter().map(ToString::to_string).collect();
        assert!(ids.windows(2).all(|w| w[0] < w[1]), "{ids:?}");
        for id in ROWS {
            assert_eq!(recipe(*id).map(|_| ()), Ok(()));
        }
    }

    #[test]
    fn every_rule_is_broken_by_some_cell_first() {
        for (number, rule) in PORTABLE_RULES.iter().chain(RULES).enumerate() {
            let odd_counts = [0, 3, 128];
            let candidates = cells().chain(
                cells().flat_map(|id| odd_counts.map(move |blocks| KernelId { blocks, ..id })),
            );
            let found = candidates
                .filter_map(|id| recipe(id).err())
                .any(|illegal| illegal.reason == rule.reason);
            assert!(found, "rule {number} ({}) never decides", rule.reason);
        }
    }

    #[test]
    fn a_slip_of_the_pen_gets_the_nearest_ids() {
        let error = select("aria_avx512_gfni_zmm_blk64x").expect_err("no such block count");
        let SelectError::Unknown(unknown) = error else {
            panic!("{error}");
        };
        assert_eq!(unknown.nearest[0], "aria_avx512_gfni_zmm_blk64");
        assert!(unknown.to_string().contains("Did you mean"), "{unknown}");
    }

    #[test]
    fn zmm_at_avx2_is_refused_with_a_remedy() {
        let error = select("aria_avx2_gfni_zmm_blk64").expect_err("VEX has no zmm");
        assert_eq!(
            error.to_string(),
            "aria_avx2_gfni_zmm_blk64: VEX cannot address zmm registers; \
             take tier avx512, or width ymm"
        );
    }
}
