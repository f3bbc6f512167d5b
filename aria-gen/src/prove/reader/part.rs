//! Parts of a batch: a number of blocks that is not known, the bits made of it, and masked accesses.
//!
//! A kernel over fewer blocks than a batch makes a bit for each quadword of the batch, set for those of
//! the first `count` blocks, and hands eight of them or fewer to each load and store. In a symbolic run
//! `count` is opaque, and these steps are known by their form:
//!
//! ```text
//! (1_u128 << (2 * count)) - 1        bit u is set for u < 2 count: quadword u is of the first blocks
//! (bits >> f) as __mmask8            bit i of the mask is bit f + i
//! ```
//!
//! An access is good only if its quadword i is number f + i of the batch: then each quadword of input and
//! output is touched just if its bit is set, whatever `count` is. What a load gives for the others is
//! zero; followed are unknown bytes, of which zero is one case. The comparison is for all of a batch, so
//! a block depends on no other; those beyond `count` are written nowhere.
//!
//! With a known number all this is arithmetic on known bytes.

use syn::{BinOp, ExprCast, Type as SynType};

use super::super::domain::Domain;
use super::super::fault::Cause;
use super::super::memory::Linear;
use super::Value;
use super::machine::{At, Machine, Step, unsupported};
use super::value::{Pointer, Word};

/// Bytes that a bit of a mask stands for.
const QUADWORD: usize = 8;

/// Quadwords of a block.
const A_BLOCK: u64 = 2;

/// Bits that a mask takes of a longer number.
const MASK_BITS: usize = 8;

/// What is made of an unknown number of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The number itself.
    Count,
    /// How many quadwords that is.
    Quadwords,
    /// Two to the power of that.
    Power,
    /// A bit for each quadword of the batch, those of the blocks set, from this one on.
    Bits(u64),
    /// The lowest eight of them.
    Mask(u64),
}

impl Part {
    /// What it is, for messages.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Count => "the number of blocks",
            Self::Quadwords | Self::Power => "a function of the number of blocks",
            Self::Bits(_) => "a bit for each quadword",
            Self::Mask(_) => "a mask",
        }
    }
}

impl<'p, D: Domain> Machine<'p, '_, D> {
    /// The result of an operator, if an operand is part of this; or a known number less another.
    pub(super) fn of_part(
        &self,
        op: &BinOp,
        left: &Value<D::Byte>,
        right: &Value<D::Byte>,
    ) -> Result<Option<Value<D::Byte>>, Cause> {
        let known = |number: &Linear| number.known();
        let part = match (op, left, right) {
            (BinOp::Mul(_), Value::Number(factor), Value::Part(Part::Count))
                if known(factor) == Some(A_BLOCK) =>
            {
                Part::Quadwords
            }
            (BinOp::Shl(_), Value::Word(one), Value::Part(Part::Quadwords))
                if self.number(one) == Some(1) =>
            {
                Part::Power
            }
            (BinOp::Sub(_), Value::Part(Part::Power), Value::Number(one))
                if known(one) == Some(1) =>
            {
                Part::Bits(0)
            }
            (BinOp::Shr(_), Value::Part(Part::Bits(from)), Value::Number(places)) => {
                match known(places) {
                    Some(places) if places < u64::from(u128::BITS) => Part::Bits(from + places),
                    _ => return Err(left.mismatch("a shift by less than 128")),
                }
            }
            (BinOp::Sub(_), Value::Word(minuend), Value::Number(less)) => {
                let (Some(minuend), Some(less)) = (self.number(minuend), known(less)) else {
                    return Err(left.mismatch("a known number"));
                };
                let overflow = || Cause::Panic("the difference is negative".to_owned());
                let bits = minuend.checked_sub(u128::from(less)).ok_or_else(overflow)?;
                let bytes = bits.to_le_bytes().map(|byte| self.domain.constant(byte));
                return Ok(Some(Value::Word(Word { bytes: bytes.into(), signed: false })));
            }
            (_, Value::Part(_), _) => return Err(left.mismatch("a number")),
            (_, _, Value::Part(_)) => return Err(right.mismatch("a number")),
            _ => return Ok(None),
        };
        Ok(Some(Value::Part(part)))
    }

    /// The value of a `u128` whose bytes are known.
    fn number(&self, word: &Word<D::Byte>) -> Option<u128> {
        let bytes: Option<Vec<u8>> = word.bytes.iter().map(|b| self.domain.known(b)).collect();
        bytes?.try_into().ok().filter(|_| !word.signed).map(u128::from_le_bytes)
    }

    /// `value as __mmask8`, of a `u128`.
    pub(super) fn as_mask(&mut self, node: &'p ExprCast) -> Step<Value<D::Byte>, D::Byte> {
        let is_mask = matches!(&*node.ty, SynType::Path(ty) if ty.path.is_ident("__mmask8"));
        if !is_mask || !self.program.imports_intrinsic("__mmask8") {
            return unsupported(node);
        }
        match self.evaluate(&node.expr)? {
            Value::Part(Part::Bits(from)) => Ok(Value::Part(Part::Mask(from))),
            Value::Word(word) if word.bytes.len() == 16 && !word.signed => {
                let bytes = word.bytes[..MASK_BITS / 8].into();
                Ok(Value::Word(Word { bytes, signed: false }))
            }
            other => Err(other.mismatch("a `u128`")).at(node),
        }
    }

    /// Reads `width` bytes, those that the mask leaves out as zeros.
    pub(super) fn load_masked(
        &mut self,
        mask: &Value<D::Byte>,
        Pointer { region, address, .. }: Pointer,
        width: usize,
    ) -> Result<Vec<D::Byte>, Cause> {
        if let Value::Part(part) = mask {
            fits(*part, address, width)?;
            return Ok(self.memory.load(region, address, width)?);
        }
        let mut bytes = vec![self.domain.constant(0); width];
        for (start, address) in self.quadwords(mask, address, width)? {
            let loaded = self.memory.load(region, address, QUADWORD)?;
            bytes[start..start + QUADWORD].clone_from_slice(&loaded);
        }
        Ok(bytes)
    }

    /// Writes those of `bytes` that the mask does not leave out.
    pub(super) fn store_masked(
        &mut self,
        mask: &Value<D::Byte>,
        Pointer { region, address, .. }: Pointer,
        bytes: &[D::Byte],
    ) -> Result<(), Cause> {
        if let Value::Part(part) = mask {
            fits(*part, address, bytes.len())?;
            return Ok(self.memory.store(region, address, bytes)?);
        }
        for (start, address) in self.quadwords(mask, address, bytes.len())? {
            self.memory.store(region, address, &bytes[start..start + QUADWORD])?;
        }
        Ok(())
    }

    /// Which quadwords of an access a known mask has: where each is in the register and in memory.
    fn quadwords(
        &self,
        mask: &Value<D::Byte>,
        address: Linear,
        width: usize,
    ) -> Result<Vec<(usize, Linear)>, Cause> {
        let Value::Word(Word { bytes, signed: false }) = mask else {
            return Err(mask.mismatch("a mask"));
        };
        let [byte] = &**bytes else { return Err(mask.mismatch("a mask")) };
        let bits = self.domain.known(byte).ok_or_else(|| mask.mismatch("a known mask"))?;
        let set = (0..width / QUADWORD).filter(|i| bits >> i & 1 == 1).map(|i| i * QUADWORD);
        let at = |start: usize| {
            let overflow = || Cause::Panic("the address overflows".to_owned());
            let address = address.add(Linear::constant(start as u64)).ok_or_else(overflow)?;
            Ok((start, address))
        };
        set.map(at).collect()
    }
}

/// Whether the bits of the mask are those of the quadwords that an access touches.
fn fits(part: Part, address: Linear, width: usize) -> Result<(), Cause> {
    let own = match part {
        Part::Mask(from) => from.checked_mul(QUADWORD as u64).map(Linear::constant),
        _ => None,
    };
    if own == Some(address) && width <= MASK_BITS * QUADWORD {
        Ok(())
    } else {
        let text = "the mask has the bits of other quadwords than it is used on";
        Err(Cause::Contract(text.to_owned()))
    }
}
