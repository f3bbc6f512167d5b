//! What the modes refuse, and why. Nothing is written before an error, unless the function that
//! returns it says so.

use core::fmt;

/// Why a mode refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The output is too short.
    Output {
        /// Bytes that the result has.
        needed: usize,
        /// Bytes that the output has.
        given: usize,
    },
    /// The message is shorter than the mode can process.
    Short {
        /// Bytes in the message.
        bytes: u64,
        /// The least it may have.
        least: u64,
    },
    /// The message is longer than the mode may process.
    Long {
        /// Bytes in the message, or so many of it as were offered yet.
        bytes: u64,
        /// The most it may have.
        most: u64,
    },
    /// The message is not a whole number of units.
    Ragged {
        /// Bytes in the message.
        bytes: u64,
        /// Bytes in a unit.
        unit: u64,
    },
    /// A key has a length that the cipher does not take.
    KeyLength {
        /// Bytes in the key.
        bytes: usize,
    },
    /// Two keys that must differ are equal.
    EqualKeys,
    /// The padding is wrong. It is not told where, and whoever sent the message must not be told
    /// even that.
    Padding,
    /// What was unwrapped is not what was wrapped under this key.
    Integrity,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Output { needed, given } => write!(
                f,
                "output of {given} bytes is too short; pass one of at least {needed} bytes"
            ),
            Self::Short { bytes, least } => {
                write!(f, "message of {bytes} bytes is too short; the mode needs at least {least}")
            }
            Self::Long { bytes, most } => {
                write!(f, "message of {bytes} bytes is too long; the mode allows at most {most}")
            }
            Self::Ragged { bytes, unit } => {
                write!(f, "message of {bytes} bytes is not a whole number of units of {unit} bytes")
            }
            Self::KeyLength { bytes } => {
                write!(f, "key of {bytes} bytes; the cipher takes keys of another length")
            }
            Self::EqualKeys => f.write_str("the two keys are equal; make them independently"),
            Self::Padding => f.write_str("wrong padding; was the message changed, or the key?"),
            Self::Integrity => f.write_str("wrong check value; was the wrapped key changed?"),
        }
    }
}

impl core::error::Error for Error {}
