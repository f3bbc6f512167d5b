//! Counters: sums on halves of the counter of a batch.
//!
//! Between batches a half of the counter is opaque and can be moved on. Within a batch the counter is
//! followed for each of its 256 last bytes, as the reader of Rust does (see
//! [`UnknownCounter`](super::super::reader::UnknownCounter)): in a case its last byte is known, the
//! others are unknown bytes, and those of the counter 256 further on are others.
//!
//! A sum with carries is done on such halves only: `add` on the low one, then `adc` of zero on the
//! high one, with the carry that the first left. That carry is one exactly when the high half changes,
//! so both halves are then those of the counter so much further on.

use super::super::domain::{Domain, Refusal};
use super::super::reader::UnknownCounter;
use super::Machine;
use super::fault::Cause;
use super::state::{Fact, Flags, Unknown};
use super::value::{Half, Scalar};

/// A sum, and the flags that it leaves.
pub(super) type Sum<B> = (Scalar<B>, Flags);

/// A case: the counter's last byte, and what stands for the others.
#[derive(Clone, Debug)]
pub(super) struct Case<B> {
    pub(super) unknown: UnknownCounter<B>,
    pub(super) last: u8,
}

/// How far a last byte and a sum reach without more unknown bytes.
const REACH: u64 = 511;

impl<B: Clone> Case<B> {
    /// A half of the counter so much further on.
    pub(super) fn half<D: Domain<Byte = B>>(
        &self,
        domain: &D,
        half: Half,
        further: u64,
    ) -> Option<Vec<B>> {
        (u64::from(self.last) + further <= REACH).then(|| {
            let counter = self.unknown.of_block(domain, self.last, further as usize);
            let bytes = match half {
                Half::Low => &counter[8..],
                Half::High => &counter[..8],
            };
            bytes.iter().rev().cloned().collect()
        })
    }
}

impl<D: Unknown> Machine<'_, D> {
    /// The sum, if `a` is a half of the counter; `none` if it is something else.
    pub(super) fn sum_of_counter(
        &self,
        a: &Scalar<D::Byte>,
        b: &Scalar<D::Byte>,
        carry: &Fact,
        is_add: bool,
    ) -> Result<Option<Sum<D::Byte>>, Cause> {
        let refused = Cause::Refused(Refusal::Sum);
        // From how far on to how far on, and in which half.
        let (half, from, to) = match (carry, b.known()) {
            (Fact::Known(false), Some(addend)) if addend < 1 << 62 => (Half::Low, None, addend),
            (Fact::CounterCarry(from, to), Some(0)) => (Half::High, Some(*from), *to),
            (Fact::CounterCarry(..), _) => return Err(refused),
            _ => return Ok(None),
        };
        let further = match (a, &self.case) {
            (Scalar::Counter(own, further), _) if *own == half => *further,
            (Scalar::Counter(..), _) => return Err(refused),
            (_, Some(case)) => {
                let bytes = self.bytes_of(a);
                let is = |further: u64| {
                    let counter = case.half(self.domain, half, further);
                    counter.is_some_and(|counter| {
                        bytes.as_ref().is_some_and(|bytes| **bytes == *counter)
                    })
                };
                match from {
                    Some(from) if is(from) => from,
                    None if is(0) && a.known().is_none() => 0,
                    _ => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        if !is_add || from.is_some_and(|from| from != further) {
            return Err(refused);
        }
        let to = if from.is_some() { to } else { further.wrapping_add(to) };
        let value = match (a, &self.case) {
            (Scalar::Data(_), Some(case)) => {
                let bytes = case.half(self.domain, half, to).ok_or(refused)?;
                self.scalar_of(bytes.into())
            }
            _ => Scalar::Counter(half, to),
        };
        let carry = match half {
            Half::Low => Fact::CounterCarry(further, to),
            Half::High => Fact::Unknown,
        };
        Ok(Some((value, Flags { carry, ..Flags::UNKNOWN })))
    }
}
