//! Calling conventions: where arguments come in, and what must be as it was on return.
//!
//! System V: psABI for AMD64, section 3.2. Windows: Microsoft's "x64 calling convention". Rust's own
//! convention, by which the kernels are called, is not promised to be either; what rustc makes of
//! their signatures is read here as if it were, and code that disagrees is not proved.

use iced_x86::Register::{self, *};

/// A calling convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// That of Unix.
    SystemV,
    /// That of Windows.
    Win64,
}

impl Convention {
    /// The registers of the first arguments, each of eight bytes.
    pub(super) const fn arguments(self) -> &'static [Register] {
        match self {
            Self::SystemV => &[RDI, RSI, RDX, RCX, R8, R9],
            Self::Win64 => &[RCX, RDX, R8, R9],
        }
    }

    /// Where the other arguments begin, from the stack pointer on entry, which points to the return
    /// address.
    pub(super) const fn stack_arguments(self) -> i64 {
        8 + self.home()
    }

    /// Bytes behind the return address that the function may use as it likes.
    pub(super) const fn home(self) -> i64 {
        match self {
            Self::SystemV => 0,
            Self::Win64 => 32,
        }
    }

    /// Bytes below the stack pointer that nobody else touches.
    pub(super) const fn red_zone(self) -> i64 {
        match self {
            Self::SystemV => 128,
            Self::Win64 => 0,
        }
    }

    /// General registers that keep what they hold, besides the stack pointer.
    pub(super) const fn saved(self) -> &'static [Register] {
        match self {
            Self::SystemV => &[RBX, RBP, R12, R13, R14, R15],
            Self::Win64 => &[RBX, RBP, RDI, RSI, R12, R13, R14, R15],
        }
    }

    /// Vector registers whose lower 16 bytes keep what they hold.
    pub(super) const fn saved_vectors(self) -> core::ops::Range<usize> {
        match self {
            Self::SystemV => 0..0,
            Self::Win64 => 6..16,
        }
    }
}
