//! Counters: a function of a batch's counter is followed for each of its 256 last bytes.
//!
//! In a symbolic run the counter is an opaque value that can be moved on and handed to a function.
//! Such a function is executed 256 times: with last byte c, known, and other bytes h, unknown. The
//! counter 256 further on has the last byte c, too, and other bytes h', unknown as well; nothing else
//! is known of either, so what holds for them holds for every counter. Block b of the batch has the
//! counter with last byte c + b modulo 256 and other bytes h or, where that sum is 256 or more, h'.
//!
//! The function must return byte i of each block's counter in vector i (modulo 16), plus what does
//! not depend on the case, such as a round key: for every c the same. Its value is then that plus
//! unknown bytes, one for each byte of each block, which stand for the counters' bytes whatever they
//! are; the specification is applied to them.
//!
//! Functions of other layouts get another rule beside [`Machine::by_last_byte`].

use std::rc::Rc;

use syn::Ident;
use syn::spanned::Spanned;

use super::super::domain::Domain;
use super::super::fault::Cause;
use super::Value;
use super::machine::{At, Machine, Step, unsupported};
use super::value::Word;

/// Bytes of a counter.
const BYTES: usize = 16;

/// The counter's byte that differs from block to block, where none carries.
const LAST: usize = BYTES - 1;

/// What stands for a counter that is not known. Bytes are in order, the most significant first.
#[derive(Clone, Debug)]
pub struct UnknownCounter<B> {
    /// All but the last byte of the first counter of the batch.
    pub high: [B; LAST],
    /// The same of the counter that is greater by 256.
    pub carried: [B; LAST],
    /// The counter of each block of the batch.
    pub blocks: Vec<[B; BYTES]>,
}

impl<B: Clone> UnknownCounter<B> {
    /// The counter of block `block`, when the last byte of the first is `last`.
    pub(in crate::prove) fn of_block<D: Domain<Byte = B>>(
        &self,
        domain: &D,
        last: u8,
        block: usize,
    ) -> [B; BYTES] {
        let sum = usize::from(last) + block;
        let high = if sum < 256 { &self.high } else { &self.carried };
        core::array::from_fn(|i| match high.get(i) {
            Some(byte) => byte.clone(),
            None => domain.constant((sum % 256) as u8),
        })
    }
}

/// One case: for each vector and byte the block, and the value without the counter's part.
type Rest<B> = Vec<Vec<(usize, B)>>;

impl<'p, D: Domain> Machine<'p, '_, D> {
    /// Calls the function with the opaque counter among `args`, for each last byte.
    pub(super) fn by_last_byte(
        &mut self,
        name: &Ident,
        args: &[Value<D::Byte>],
        node: &impl Spanned,
    ) -> Step<Value<D::Byte>, D::Byte> {
        let Some(unknown) = self.unknown_counter.clone() else { return unsupported(node) };
        let places: Vec<usize> = (0..args.len()).filter(|&i| args[i].is_counter()).collect();
        let [place] = places[..] else { return unsupported(node) };
        // Outside the loop the counter is that of batch 0 only; the unknown blocks are any batch's.
        let at_start = matches!(args[place], Value::Counter(0));
        if !at_start || !self.in_batch || self.in_case {
            return unsupported(node);
        }
        let mut rest: Option<Rest<D::Byte>> = None;
        for last in 0..=255 {
            let mut args = args.to_vec();
            let low_first = unknown.of_block(self.domain, last, 0).into_iter().rev();
            args[place] = Value::Word(Word { bytes: low_first.collect(), signed: false });
            self.in_case = true;
            let value = self.call(name, args, node);
            self.in_case = false;
            let vectors = vectors(value?).at(node)?;
            match &rest {
                None => rest = Some(self.without_counters(&unknown, &vectors).at(node)?),
                Some(rest) => self.same_case(&unknown, last, rest, &vectors).at(node)?,
            }
        }
        let rest = rest.unwrap_or_default();
        Ok(Value::array(rest.iter().enumerate().map(|(i, vector)| {
            let bytes = vector
                .iter()
                .map(|(block, rest)| self.domain.xor(rest, &unknown.blocks[*block][i % BYTES]));
            Value::Vector(bytes.collect())
        })))
    }

    /// What the case of last byte 0, in which none carries, says: which block each byte belongs to,
    /// by the last bytes if byte 0 is block 0's, and what remains without its counter. Whether it is so in every case is
    /// seen by [`Self::same_case`]; this is but a guess.
    fn without_counters(
        &self,
        unknown: &UnknownCounter<D::Byte>,
        vectors: &[Rc<[D::Byte]>],
    ) -> Result<Rest<D::Byte>, Cause> {
        let order = || Cause::Unsupported("the order of these counters".to_owned());
        let first = vectors.get(LAST).and_then(|vector| vector.first()).ok_or_else(order)?;
        let mut rest = Vec::new();
        for (i, vector) in vectors.iter().enumerate() {
            let lasts = vectors.get(i / BYTES * BYTES + LAST).ok_or_else(order)?;
            let mut own = Vec::new();
            for (byte, last) in vector.iter().zip(&**lasts) {
                let block = self.domain.known(&self.domain.xor(last, first)).ok_or_else(order)?;
                let block = usize::from(block);
                if block >= unknown.blocks.len() {
                    return Err(order());
                }
                let counter = unknown.of_block(self.domain, 0, block);
                own.push((block, self.domain.xor(byte, &counter[i % BYTES])));
            }
            rest.push(own);
        }
        Ok(rest)
    }

    /// Sees that in the case of this last byte the value is the counters and the same rest.
    fn same_case(
        &self,
        unknown: &UnknownCounter<D::Byte>,
        last: u8,
        rest: &Rest<D::Byte>,
        vectors: &[Rc<[D::Byte]>],
    ) -> Result<(), Cause> {
        let counters: Vec<_> = (0..unknown.blocks.len())
            .map(|block| unknown.of_block(self.domain, last, block))
            .collect();
        for (i, (rest, vector)) in rest.iter().zip(vectors).enumerate() {
            for ((block, rest), byte) in rest.iter().zip(&**vector) {
                if self.domain.xor(rest, &counters[*block][i % BYTES]) != *byte {
                    return Err(Cause::Counter { last, block: *block, byte: i % BYTES });
                }
            }
        }
        Ok(())
    }

    /// `word` + `addend`, modulo 2¹²⁸, where the sum can be said: of known bytes, or of the unknown
    /// counter in one of its cases.
    pub(super) fn add_to_counter(
        &self,
        word: &Word<D::Byte>,
        addend: u64,
    ) -> Result<Word<D::Byte>, Cause> {
        let refused = || Cause::Unsupported("this sum of a counter".to_owned());
        let known: Option<Vec<u8>> = word.bytes.iter().map(|b| self.domain.known(b)).collect();
        let bytes: Vec<D::Byte> = match known.and_then(|bytes| <[u8; BYTES]>::try_from(bytes).ok())
        {
            Some(bytes) => {
                let sum = u128::from_le_bytes(bytes).wrapping_add(u128::from(addend));
                sum.to_le_bytes().map(|byte| self.domain.constant(byte)).into()
            }
            None => {
                let unknown = self.unknown_counter.as_ref().ok_or_else(refused)?;
                let last = self.domain.known(&word.bytes[0]).ok_or_else(refused)?;
                let same = unknown.of_block(self.domain, last, 0);
                let is_counter = word.bytes.iter().rev().eq(same.iter());
                let sum = u64::from(last).checked_add(addend).ok_or_else(refused)?;
                if !is_counter || sum > 511 {
                    return Err(refused());
                }
                let sum = unknown.of_block(self.domain, last, addend as usize);
                sum.into_iter().rev().collect()
            }
        };
        Ok(Word { bytes: bytes.into(), signed: word.signed })
    }
}

/// The vectors of an array.
fn vectors<B>(value: Value<B>) -> Result<Vec<Rc<[B]>>, Cause> {
    let Value::Array(items) = value else { return Err(value.mismatch("an array of vectors")) };
    let vectors = items.iter().map(|item| match item {
        Value::Vector(bytes) => Ok(bytes.clone()),
        other => Err(other.mismatch("a vector")),
    });
    vectors.collect()
}

#[cfg(test)]
mod tests;
