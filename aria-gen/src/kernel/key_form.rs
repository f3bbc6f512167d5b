//! Key forms: the shapes in which kernels want round keys in memory.

/// How a round key lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyForm {
    /// Each byte of the RFC's round key as four equal bytes, so that a 32-bit broadcast, which
    /// EVEX instructions do in their memory operand, fills a register with it.
    Broadcast32,
}

impl KeyForm {
    /// The name as generated code and listings spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Broadcast32 => "broadcast32",
        }
    }

    /// The memory form of a round key: what a machine program reads.
    #[must_use]
    pub fn expand(self, raw: &[u8]) -> Vec<u8> {
        match self {
            Self::Broadcast32 => raw.iter().flat_map(|&byte| [byte; 4]).collect(),
        }
    }
}
