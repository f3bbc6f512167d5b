//! Chaining values: the one thing, besides counters, that passes from a batch to the next.
//!
//! In a symbolic run the initial value is unknown bytes v. Where the batch loop begins, a variable that
//! may change and whose bytes are bytes of v, in whatever order, is a *chain*: its bytes are replaced by
//! those of an unknown chaining value c in the same order π. The loop's invariant is that at the start of
//! batch b the variable holds π(c), where c is the initial value for b = 0 and else the last block that
//! batch b - 1 wrote.
//!
//! * Entry: before the loop it holds π(v), by the execution of what stands there, and c is v for b = 0.
//! * Step: the batch is followed from π(c), for a c of which nothing is known, and must leave π(w), where w
//!   is the last block that it wrote. Nothing else is asked of w here; the specification is held against
//!   it as the output of this batch, with c as the value before.
//!
//! v and c are different unknowns, so a batch that uses the initial value where it should use the
//! chaining value writes something else than what is specified. After the loop c is not known, and the
//! variables are taken away.

use super::super::domain::Domain;
use super::super::fault::Cause;
use super::Value;
use super::machine::Machine;

/// Bytes of a chaining value.
const BYTES: usize = 16;

/// What stands for the chaining value where it is unknown.
#[derive(Clone, Debug)]
pub struct UnknownChain<B> {
    /// The initial value.
    pub initial: [B; BYTES],
    /// The value that the batch starts with.
    pub before: [B; BYTES],
}

impl<B: PartialEq> UnknownChain<B> {
    /// Which bytes of the initial value a variable holds, from first to last, if it holds nothing else.
    fn order(&self, value: &Value<B>) -> Option<Vec<usize>> {
        match value {
            Value::Vector(bytes) => {
                bytes.iter().map(|byte| self.initial.iter().position(|own| own == byte)).collect()
            }
            Value::Array(items) => {
                let orders: Option<Vec<_>> = items.iter().map(|item| self.order(item)).collect();
                orders.map(|orders| orders.concat()).filter(|order| !order.is_empty())
            }
            _ => None,
        }
    }
}

/// A variable that is a chain.
pub(super) struct Chain {
    /// Its place among the variables.
    pub(super) variable: usize,
    /// For each of its bytes, from first to last, the byte of the chaining value.
    order: Vec<usize>,
}

/// `value` with these bytes in its vectors, from first to last.
fn with_bytes<B: Clone>(value: &Value<B>, bytes: &mut impl Iterator<Item = B>) -> Value<B> {
    match value {
        Value::Vector(old) => Value::Vector(bytes.take(old.len()).collect()),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| with_bytes(item, bytes)).collect();
            Value::array(items)
        }
        other => other.clone(),
    }
}

/// The bytes of vectors and of arrays of them; `None` if there is anything else.
fn bytes_of<B: Clone>(value: &Value<B>) -> Option<Vec<B>> {
    match value {
        Value::Vector(bytes) => Some(bytes.to_vec()),
        Value::Array(items) => {
            let bytes: Option<Vec<_>> = items.iter().map(bytes_of).collect();
            bytes.map(|bytes| bytes.concat())
        }
        _ => None,
    }
}

impl<D: Domain> Machine<'_, '_, D> {
    /// Before the batch loop: makes the variables that are chains hold the chaining value of any batch.
    pub(super) fn begin_chaining(&mut self) {
        let Some(unknown) = self.unknown_chain.clone() else { return };
        for variable in 0..self.bindings_len() {
            let Some(value) = self.changeable(variable) else { continue };
            let Some(order) = unknown.order(value) else { continue };
            let mut bytes = order.iter().map(|&byte| unknown.before[byte].clone());
            *value = with_bytes(value, &mut bytes);
            self.chains.push(Chain { variable, order });
        }
    }

    /// After one batch: each chain holds what the batch wrote last, in the same order.
    pub(super) fn end_chaining(&mut self) -> Result<(), Cause> {
        for Chain { variable, order } in core::mem::take(&mut self.chains) {
            let written = self.memory.output();
            let last = &written[written.len().saturating_sub(BYTES)..];
            let expected: Option<Vec<D::Byte>> =
                order.iter().map(|&byte| last.get(byte).cloned().flatten()).collect();
            let left = self.taken_away(variable);
            if expected.is_none() || bytes_of(&left) != expected {
                let name = self.name_of(variable);
                let text = format!("does not leave in `{name}` the last block that it writes");
                return Err(Cause::Induction(text));
            }
        }
        Ok(())
    }
}
