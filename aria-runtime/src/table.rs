//! The kernels as a program sees them: their ids, what they need, and what of that is missing here.
//!
//! Also the look-ups in [`KERNELS`] that forcing an id takes. Nothing here runs a kernel.

use core::cmp::Reverse;

use aria_kernels::{Feature, KERNELS, Kernel};

use crate::features::FeatureSet;
use crate::token::Token;

/// What each row of [`KERNELS`] needs, so that a check is one comparison.
static REQUIRED: [FeatureSet; KERNELS.len()] = {
    let mut required = [FeatureSet::EMPTY; KERNELS.len()];
    let mut row = 0;
    while row < KERNELS.len() {
        required[row] = FeatureSet::of(KERNELS[row].features);
        row += 1;
    }
    required
};

/// A kernel of this build, and whether it can run here.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct KernelInfo {
    /// The id, `<cipher>_<tier>_<unit>_<width>_blk<N>[_<frame>]`; [`Token::forced`] takes it.
    pub id: &'static str,
    /// The CPU features that it needs.
    pub features: &'static [Feature],
    /// How many blocks of 16 bytes a batch has.
    pub blocks: usize,
    /// Those of its features that [`Token::detect`] does not have.
    pub missing: FeatureSet,
}

impl KernelInfo {
    /// Whether this CPU, under the environment's cap, can run it.
    #[must_use]
    pub const fn runs_here(&self) -> bool {
        self.missing.is_empty()
    }
}

/// Every kernel that this build has, in the order of their ids; none on targets other than x86-64.
///
/// ```
/// for kernel in aria_runtime::kernels() {
///     if kernel.runs_here() {
///         println!("{}", kernel.id);
///     } else {
///         println!("{} cannot run here: missing {}", kernel.id, kernel.missing);
///     }
/// }
/// ```
pub fn kernels() -> impl ExactSizeIterator<Item = KernelInfo> {
    let here = Token::detect().features();
    KERNELS.iter().zip(&REQUIRED).map(move |(kernel, required)| KernelInfo {
        id: kernel.id,
        features: kernel.features,
        blocks: kernel.blocks,
        missing: required.without(here),
    })
}

/// What the kernel in this row of [`KERNELS`] needs.
pub(crate) fn required(row: u16) -> FeatureSet {
    REQUIRED[usize::from(row)]
}

/// The rows of [`KERNELS`], those that ask least of a CPU first.
static BY_DEMAND: [u16; KERNELS.len()] = {
    let mut rows = [0; KERNELS.len()];
    let mut count = 0;
    while count < rows.len() {
        // Insertion; rows that ask alike keep their order.
        let mut place = count;
        while place > 0 && demand(&KERNELS[rows[place - 1] as usize]) > demand(&KERNELS[count]) {
            rows[place] = rows[place - 1];
            place -= 1;
        }
        rows[place] = count as u16;
        count += 1;
    }
    rows
};

/// How much a kernel asks of a CPU: register state first, then how many features.
const fn demand(kernel: &Kernel) -> u64 {
    let mut state = 0;
    let mut i = 0;
    while i < kernel.features.len() {
        state |= kernel.features[i].state().xcr0();
        i += 1;
    }
    state << 32 | kernel.features.len() as u64
}

/// The numbers of all rows of [`KERNELS`], those that ask least of a CPU first. Where a plan has
/// nothing to choose by, a later row wins: VEX encoding over legacy, for one, saves the copies that
/// the cost model does not see.
pub(crate) fn rows() -> impl DoubleEndedIterator<Item = u16> {
    BY_DEMAND.iter().copied()
}

/// The row of the kernel with this id.
pub(crate) fn find(id: &str) -> Option<u16> {
    rows().find(|&row| KERNELS[usize::from(row)].id == id)
}

/// The kernel whose id shares most of its parts with `id`, if any is shared; of several, one of
/// those with the shortest id.
pub(crate) fn nearest(id: &str) -> Option<&'static str> {
    let ids = KERNELS.iter().map(|kernel| kernel.id);
    ids.map(|known| (shared_parts(known, id), known))
        .filter(|&(shared, _)| shared > 0)
        .max_by_key(|&(shared, known)| (shared, Reverse(known.len())))
        .map(|(_, known)| known)
}

/// How many parts of `known`, between underscores, are also parts of `id`.
fn shared_parts(known: &str, id: &str) -> usize {
    known.split('_').filter(|&part| id.split('_').any(|other| other == part)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_finds_its_own_row() {
        for row in rows() {
            let id = KERNELS[usize::from(row)].id;
            assert_eq!(find(id), Some(row));
            assert_eq!(nearest(id), Some(id));
        }
        assert_eq!(find(""), None);
        assert_eq!(nearest(""), None);
    }

    #[test]
    fn rows_are_all_there_by_demand() {
        let demands: Vec<u64> = rows().map(|row| demand(&KERNELS[usize::from(row)])).collect();
        assert!(demands.is_sorted(), "{demands:?}");
        let mut all: Vec<u16> = rows().collect();
        all.sort_unstable();
        assert!(all.iter().copied().eq((0..).take(KERNELS.len())));
    }

    #[test]
    fn parts_are_compared_whole() {
        let known = "aria_avx512_gfni_zmm_blk64";
        assert_eq!(shared_parts(known, "aria_avx512_gfni_zmm_blk46"), 4);
        assert_eq!(shared_parts(known, "aria-avx512"), 0);
        assert_eq!(shared_parts(known, ""), 0);
    }
}
