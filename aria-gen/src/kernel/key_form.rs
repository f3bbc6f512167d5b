//! Key forms: the shapes in which kernels want round keys in memory.

/// How a round key lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyForm {
    /// Each byte of the RFC's round key as four equal bytes, so that a 32-bit broadcast, which
    /// EVEX instructions do in their memory operand, fills a register with it.
    Broadcast32,
    /// Eight 64-bit words a round key: the bit planes of four copies of it, with constants of the
    /// S-boxes added. The kernel that takes it comes with the function that makes it.
    Planes,
}

impl KeyForm {
    /// The name as generated code and listings spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Broadcast32 => "broadcast32",
            Self::Planes => "planes",
        }
    }

    /// The memory form of a round key: what a machine program reads.
    ///
    /// # Panics
    ///
    /// For [`KeyForm::Planes`], in which a round key's form depends on the round: the kernel's own
    /// program expands all keys at once.
    #[must_use]
    pub fn expand(self, raw: &[u8]) -> Vec<u8> {
        match self {
            Self::Broadcast32 => raw.iter().flat_map(|&byte| [byte; 4]).collect(),
            Self::Planes => unreachable!("round keys become planes all at once"),
        }
    }
}
