//! The token: what this CPU was seen to offer, and the only way to a kernel.
//!
//! A kernel may run only where every feature in its row is there. [`Token`] says which are there;
//! its fields are private and its one constructor looks at the CPU, so safe code cannot make one
//! up. A token can only be narrowed: by a cap, or to one kernel. Which of the permitted kernels
//! runs for how many blocks, it does not know; that is `planner`.

use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

use aria_kernels::KERNELS;

use crate::cap::Cap;
use crate::detect;
use crate::environment;
use crate::features::FeatureSet;
use crate::table;

/// Permission to run kernels: the features that detection found, narrowed by choice.
///
/// Small and `Copy`. Ciphers take one when they are made; those made by
/// [`KeyInit`](cipher::KeyInit) take [`Token::detect`].
///
/// ```
/// use aria_runtime::{Aria128, Cap, Token};
///
/// let portable = Token::detect().capped(Cap::Portable);
/// let cipher = Aria128::new_with_token(&[0; 16].into(), portable);
/// # let mut block = [[0; 16]];
/// # cipher.encrypt_bulk(&mut block);
/// ```
///
/// A token cannot be had without detection:
///
/// ```compile_fail,E0451
/// use aria_runtime::{FeatureSet, Token};
///
/// let forged = Token { features: FeatureSet::EMPTY, only: None };
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Every one of these was detected on this CPU.
    features: FeatureSet,
    /// The row of [`KERNELS`] to which [`Token::forced`] narrowed the choice.
    only: Option<u16>,
}

// Rows are numbered with 16 bits in tokens and plans.
const _: () = assert!(KERNELS.len() <= u16::MAX as usize);

impl Token {
    /// What this CPU offers, and its operating system supports.
    ///
    /// With feature `std`, limited by the environment variable `ARIA_CAP`, one of the names of
    /// [`Cap`]. The CPU and the variable are looked at once; the answer is kept for the process. A
    /// value that names no cap counts as no cap, so that a misspelt variable cannot stop a
    /// program; one that wants to complain about it asks `cap_from_env`.
    ///
    /// Under Miri nothing is detected.
    #[must_use]
    pub fn detect() -> Self {
        Self { features: detected(), only: None }
    }

    /// This token, limited to what `cap` allows. [`Cap::Portable`] leaves the portable kernel alone.
    ///
    /// If [`forced`](Self::forced) narrowed it to a kernel that the cap forbids, the portable
    /// kernel takes its place.
    #[must_use]
    pub fn capped(self, cap: Cap) -> Self {
        let features = cap.limit(self.features);
        match self.only {
            Some(row) if !table::required(row).is_subset(features) => {
                Self { features: FeatureSet::EMPTY, only: None }
            }
            only => Self { features, only },
        }
    }

    /// This token, narrowed to the kernel with this id, whatever the planner would choose.
    ///
    /// That kernel then serves every number of blocks; a last batch that is not full is padded.
    /// For tests and benchmarks. The ids are those of [`kernels()`](crate::kernels()).
    ///
    /// # Errors
    ///
    /// [`ForceError::Unknown`] if there is no such kernel, [`ForceError::CannotRun`] if the token
    /// lacks features that it needs.
    pub fn forced(self, id: &str) -> Result<Self, ForceError> {
        let row =
            table::find(id).ok_or_else(|| ForceError::Unknown { nearest: table::nearest(id) })?;
        let missing = table::required(row).without(self.features);
        if !missing.is_empty() {
            let id = KERNELS[usize::from(row)].id;
            return Err(ForceError::CannotRun { id, missing });
        }
        Ok(Self { only: Some(row), ..self })
    }

    /// The features that kernels may use under this token.
    #[must_use]
    pub const fn features(self) -> FeatureSet {
        self.features
    }

    /// Whether this token lets the kernel in this row of [`KERNELS`] run. This is the check on
    /// which the soundness of every kernel call rests.
    pub(crate) fn permits(self, row: u16) -> bool {
        table::required(row).is_subset(self.features)
    }

    /// The row that [`forced`](Self::forced) chose.
    pub(crate) const fn only(self) -> Option<u16> {
        self.only
    }
}

#[cfg(test)]
impl Token {
    /// A token for a CPU that need not be this one: for plans, which run nothing.
    pub(crate) const fn assumed(features: FeatureSet) -> Self {
        Self { features, only: None }
    }
}

/// The detected features under the environment's cap, looked up once.
fn detected() -> FeatureSet {
    /// Set once the other bits are an answer, so that the CPU is not asked again.
    const KNOWN: u64 = 1 << 63;
    static CACHE: AtomicU64 = AtomicU64::new(0);

    // One word holds a whole answer, true whichever thread found it, so none waits for another.
    let cached = CACHE.load(Ordering::Relaxed);
    if cached & KNOWN != 0 {
        return FeatureSet::from_bits(cached & !KNOWN);
    }
    let found = detect::cpu_features();
    let features = environment::cap().map_or(found, |cap| cap.limit(found));
    CACHE.store(features.to_bits() | KNOWN, Ordering::Relaxed);
    features
}

/// Why [`Token::forced`] refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForceError {
    /// No kernel has this id.
    Unknown {
        /// The id of a kernel that shares most parts with the one asked for.
        nearest: Option<&'static str>,
    },
    /// The CPU, its operating system or a cap denies features that the kernel needs.
    CannotRun {
        /// The kernel's id.
        id: &'static str,
        /// What the token lacks.
        missing: FeatureSet,
    },
}

impl fmt::Display for ForceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { nearest } => {
                f.write_str("unknown kernel id; ")?;
                if let Some(nearest) = nearest {
                    write!(f, "the nearest is {nearest}; ")?;
                }
                f.write_str("kernels() lists those there are")
            }
            Self::CannotRun { id, missing } => write!(
                f,
                "kernel {id} cannot run here: this CPU, its operating system or a cap denies {missing}"
            ),
        }
    }
}

impl core::error::Error for ForceError {}
