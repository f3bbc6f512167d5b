//! What the prover says of a kernel.

use core::fmt::{self, Display, Formatter};

use super::fault::Fault;
use crate::spec::aria;

/// The answer for one kernel and number of rounds. `F` is what stops an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<F = Fault> {
    /// Every output bit is the specification's, for every input, every round key and every number
    /// of batches, and no other memory is touched.
    Proved(Proof),
    /// It is not the specification.
    Refuted(Box<Counterexample<F>>),
    /// Neither could be shown; why.
    Unknown(F),
}

impl<F> Verdict<F> {
    /// Whether it is [`Proved`](Self::Proved).
    #[must_use]
    pub const fn is_proved(&self) -> bool {
        matches!(self, Self::Proved(_))
    }

    /// One word for it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Proved(_) => "proved",
            Self::Refuted(_) => "refuted",
            Self::Unknown(_) => "unknown",
        }
    }
}

impl<F: Display> Display for Verdict<F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proved(proof) => write!(f, "proved: {proof}"),
            Self::Refuted(counterexample) => write!(f, "refuted: {counterexample}"),
            Self::Unknown(fault) => write!(f, "unknown: {fault}"),
        }
    }
}

/// What a proof covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Bytes that each batch reads: all of its input.
    pub read: usize,
    /// Bytes that each batch writes: all of its output. Every bit of them was compared.
    pub written: usize,
    /// Whether input and output may be the same memory.
    pub in_place: bool,
    /// Different field inversions in them.
    pub inversions: usize,
}

impl Display for Proof {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { read, written, in_place, inversions } = self;
        let bits = 8 * written;
        let place = if *in_place { "in place or apart" } else { "apart" };
        write!(
            f,
            "{bits} output bits over {inversions} inversions; a batch reads {read} bytes and writes \
             {written}, {place}"
        )
    }
}

/// What a kernel is run over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// So many whole batches.
    Batches(usize),
    /// So many blocks, fewer than a batch.
    Part(usize),
}

impl Display for Extent {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Batches(1) => f.write_str("1 batch"),
            Self::Batches(batches) => write!(f, "{batches} batches"),
            Self::Part(blocks) => write!(f, "{blocks} of the blocks of a batch"),
        }
    }
}

/// A run on plain bytes that goes wrong: anybody can repeat it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample<F = Fault> {
    /// The key, whose encryption round keys the kernel was given.
    pub key: Vec<u8>,
    /// The first block's counter, for kernels that count.
    pub counter: Option<aria::Block>,
    /// What is added to the block that differs, for kernels that chain: the block of the output before it,
    /// or the initial value.
    pub chaining: Option<aria::Block>,
    /// What it was to do.
    pub extent: Extent,
    /// Whether input and output were the same memory.
    pub in_place: bool,
    /// What goes wrong.
    pub finding: Finding<F>,
}

/// What goes wrong in a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding<F = Fault> {
    /// A block differs; the first that does.
    Differs {
        /// Its index.
        block: usize,
        /// The first byte that differs.
        byte: usize,
        /// The least significant bit of it that differs.
        bit: u32,
        /// The input block.
        input: aria::Block,
        /// What RFC 5794 makes of it.
        expected: aria::Block,
        /// What the kernel makes of it.
        got: aria::Block,
    },
    /// A round key differs; the first that does.
    RoundKey {
        /// Its index in the output.
        block: usize,
        /// The first byte that differs.
        byte: usize,
        /// The least significant bit of it that differs.
        bit: u32,
        /// What RFC 5794 makes of the key.
        expected: aria::Block,
        /// What the kernel makes of it.
        got: aria::Block,
    },
    /// It touches memory that it must not, or leaves out some, or would panic.
    Misbehaves(F),
}

/// Bytes as hexadecimal digits.
struct Hex<'a>(&'a [u8]);

impl Display for Hex<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl<F: Display> Display for Counterexample<F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { key, counter, chaining, extent, in_place, finding } = self;
        let place = if *in_place { ", in place" } else { "" };
        write!(f, "key {}, ", Hex(key))?;
        if let Some(counter) = counter {
            write!(f, "counter {}, ", Hex(counter))?;
        }
        if let Some(chaining) = chaining {
            write!(f, "chaining value {}, ", Hex(chaining))?;
        }
        write!(f, "{extent}{place}: ")?;
        match finding {
            Finding::Differs { block, byte, bit, input, expected, got } => write!(
                f,
                "block {block} differs first at byte {byte} bit {bit}: input {}, expected {}, got {}",
                Hex(input),
                Hex(expected),
                Hex(got),
            ),
            Finding::RoundKey { block, byte, bit, expected, got } => write!(
                f,
                "round key {block} differs first at byte {byte} bit {bit}: expected {}, got {}",
                Hex(expected),
                Hex(got),
            ),
            Finding::Misbehaves(fault) => write!(f, "{fault}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counterexample_says_all_that_is_needed_to_repeat_it() {
        let counterexample = Counterexample {
            key: vec![0, 1, 0xfe],
            counter: None,
            chaining: None,
            extent: Extent::Batches(2),
            in_place: true,
            finding: Finding::Differs {
                block: 17,
                byte: 3,
                bit: 6,
                input: [0; 16],
                expected: [0x11; 16],
                got: [0x12; 16],
            },
        };
        let verdict: Verdict = Verdict::Refuted(Box::new(counterexample));
        assert_eq!(
            verdict.to_string(),
            "refuted: key 0001fe, 2 batches, in place: block 17 differs first at byte 3 bit 6: \
             input 00000000000000000000000000000000, \
             expected 11111111111111111111111111111111, \
             got 12121212121212121212121212121212"
        );
        assert!(!verdict.is_proved());
    }
}
