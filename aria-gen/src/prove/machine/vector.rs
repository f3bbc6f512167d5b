//! Instructions on vectors: from operands to the meaning, and back.

use std::rc::Rc;

use iced_x86::{EncodingKind, Instruction, OpKind, Register};

use super::super::domain::{Refusal, word};
use super::super::meaning::VectorOp;
use super::Machine;
use super::fault::Cause;
use super::state::{Above, Unknown, Vector};
use super::table::{self, Meaning};
use super::value::Scalar;

/// Bytes of a lane.
const LANE: usize = 16;

/// Bytes of the widest register.
const WIDEST: usize = 64;

impl<D: Unknown> Machine<'_, D> {
    /// Executes an instruction on vectors.
    pub(super) fn vector(&mut self, i: &Instruction) -> Result<(), Cause> {
        if self.mask(i)? {
            return Ok(());
        }
        let meaning = table::find(i.mnemonic()).ok_or(Cause::UnknownInstruction)?;
        if meaning == Meaning::ZeroUpper {
            for register in 0..LANE {
                let bytes = self.read_vector(register, LANE);
                self.state.vectors[register] = Vector { bytes, above: Above::Zero };
            }
            return Ok(());
        }
        if let Meaning::MoveLow(width) = meaning {
            return self.move_low(i, width);
        }
        let width = match i.op0_kind() {
            OpKind::Register => vector_width(i.op0_register())?,
            _ => vector_width(i.op1_register())?,
        };
        let result = self.result(i, meaning, width)?;
        match i.op0_kind() {
            OpKind::Register => {
                self.write_vector(i, result.into());
                Ok(())
            }
            _ => {
                let alignment = self.alignment(i, meaning, result.len());
                let address = self.address(i)?;
                self.store(&address, &result, alignment)
            }
        }
    }

    /// What the instruction makes of its operands.
    fn result(
        &mut self,
        i: &Instruction,
        meaning: Meaning,
        width: usize,
    ) -> Result<Vec<D::Byte>, Cause> {
        let immediates = (0..i.op_count()).filter(|&n| i.op_kind(n) == OpKind::Immediate8);
        let immediate = immediates.map(|n| i.immediate(n) as u8).next();
        let number = usize::from(immediate.unwrap_or(0));
        let filled = match meaning {
            Meaning::Broadcast(size) => Some(size),
            Meaning::Duplicate if width == LANE => Some(LANE / 2),
            _ => None,
        };
        if let Some(size) = filled {
            let source = self.operand(i, 1, size, meaning)?;
            return Ok(source.iter().cycle().take(width).cloned().collect());
        }
        if let Meaning::Extract(size) = meaning {
            let source = self.operand(i, 1, vector_width(i.op1_register())?, meaning)?;
            let start = number % (source.len() / size) * size;
            return Ok(source[start..start + size].to_vec());
        }
        if matches!(meaning, Meaning::Move | Meaning::MoveAligned) {
            return Ok(self.operand(i, 1, width, meaning)?.to_vec());
        }
        // Operands that are read, in the manual's order: the first only where it is not replaced.
        let all: Vec<u32> = (0..i.op_count())
            .filter(|&n| matches!(i.op_kind(n), OpKind::Register | OpKind::Memory))
            .collect();
        let wanted = operands(meaning);
        let places = match all.len().checked_sub(wanted) {
            Some(0) => &all[..],
            Some(1) => &all[1..],
            _ => return Err(Cause::Unsupported("this form")),
        };
        // A register with itself has the same sum whatever it holds.
        let registers: Vec<Register> = places.iter().map(|&n| i.op_register(n)).collect();
        let same = |kind| {
            places.iter().all(|&n| i.op_kind(n) == kind) && {
                registers.iter().all(|register| *register == registers[0])
            }
        };
        if meaning == Meaning::Op(VectorOp::Xor) && same(OpKind::Register) {
            return Ok(vec![self.domain.constant(0); width]);
        }
        let mut vectors = Vec::with_capacity(wanted);
        for (number, &place) in places.iter().enumerate() {
            let bytes = match meaning {
                Meaning::Insert(size) if number == 1 => size,
                _ => width,
            };
            vectors.push(self.operand(i, place, bytes, meaning)?);
        }
        let vectors: Vec<&[D::Byte]> = vectors.iter().map(|vector| &**vector).collect();
        self.combined(meaning, &vectors, immediate)
    }

    fn combined(
        &mut self,
        meaning: Meaning,
        vectors: &[&[D::Byte]],
        immediate: Option<u8>,
    ) -> Result<Vec<D::Byte>, Cause> {
        let number = usize::from(immediate.unwrap_or(0));
        let domain = &*self.domain;
        let zip = |a: &'_ [D::Byte], b: &'_ [D::Byte]| -> Vec<(D::Byte, D::Byte)> {
            a.iter().cloned().zip(b.iter().cloned()).collect()
        };
        Ok(match (meaning, vectors) {
            (Meaning::Op(op), vectors) => {
                if op.has_immediate() != immediate.is_some() {
                    return Err(Cause::Unsupported("a count in a register"));
                }
                return Ok(op.apply(self.domain, vectors, immediate.unwrap_or(0))?);
            }
            (Meaning::AndNot, [a, b]) => {
                let ones = domain.constant(0xff);
                let byte = |(a, b)| domain.and(&domain.xor(&a, &ones), &b);
                zip(a, b).into_iter().map(byte).collect::<Result<_, _>>()?
            }
            (Meaning::BitOr, [a, b]) => {
                let byte = |(a, b)| {
                    let both = domain.and(&a, &b)?;
                    Ok::<_, Refusal>(domain.xor(&domain.xor(&a, &b), &both))
                };
                zip(a, b).into_iter().map(byte).collect::<Result<_, _>>()?
            }
            (Meaning::AddNumbers(1), [a, b]) if a != b => {
                return Ok(VectorOp::Add8.apply(self.domain, &[a, b], 0)?);
            }
            (Meaning::AddNumbers(size), [a, b]) => {
                if a != b {
                    return Err(Cause::Refused(Refusal::Sum));
                }
                a.chunks_exact(size).flat_map(|word| word::double(domain, word)).collect()
            }
            (Meaning::MultiplyLow32, [a, b]) => {
                let mut result = Vec::with_capacity(a.len());
                for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
                    result.extend(self.product_of_low(&a[..4], &b[..4])?);
                }
                result
            }
            (Meaning::UnpackLow(size), [a, b]) => unpack(a, b, size, 0),
            (Meaning::UnpackHigh(size), [a, b]) => unpack(a, b, size, LANE / 2),
            (Meaning::Permute(size), [a]) => {
                let groups = a.chunks_exact(4 * size);
                let item = |group: &[D::Byte], i: usize| {
                    let from = (number >> (2 * i) & 3) * size;
                    group[from..from + size].to_vec()
                };
                groups.flat_map(|group| (0..4).flat_map(move |i| item(group, i))).collect()
            }
            (Meaning::AlignRight, [a, b]) => {
                let lanes = a.chunks_exact(LANE).zip(b.chunks_exact(LANE));
                let zeros = vec![domain.constant(0); LANE];
                let lane = |(a, b): (&[D::Byte], &[D::Byte])| {
                    let both = [b, a, &zeros, &zeros].concat();
                    let start = number.min(2 * LANE);
                    both[start..start + LANE].to_vec()
                };
                lanes.flat_map(lane).collect()
            }
            (Meaning::Blend, [a, b, mask]) => {
                let byte = |((a, b), mask): ((&D::Byte, &D::Byte), &D::Byte)| {
                    let top = domain.gather(core::array::from_fn(|_| Some((mask, 7))));
                    match domain.known(&top) {
                        Some(0) => Ok(a.clone()),
                        Some(_) => Ok(b.clone()),
                        None => Err(Refusal::Product),
                    }
                };
                let bytes = a.iter().zip(*b).zip(*mask).map(byte);
                bytes.collect::<Result<_, _>>()?
            }
            (Meaning::Insert(size), [a, b]) => {
                let start = number % (a.len() / size) * size;
                let mut result = a.to_vec();
                result[start..start + size].clone_from_slice(b);
                result
            }
            (Meaning::ShuffleLanes, [a, b]) => {
                let lanes = a.len() / LANE;
                // One bit chooses among two lanes, two among four.
                let bits = lanes.ilog2() as usize;
                let lane = |i: usize| {
                    let from = (number >> (bits * i) & (lanes - 1)) * LANE;
                    let source = if i < lanes / 2 { a } else { b };
                    source[from..from + LANE].to_vec()
                };
                (0..lanes).flat_map(lane).collect()
            }
            _ => return Err(Cause::Unsupported("this form")),
        })
    }

    fn product_of_low(&self, a: &[D::Byte], b: &[D::Byte]) -> Result<Vec<D::Byte>, Cause> {
        let known = |word: &[D::Byte]| {
            word.iter()
                .rev()
                .try_fold(0, |sum, byte| Some(sum << 8 | u64::from(self.domain.known(byte)?)))
        };
        let (word, factor) = match (known(a), known(b)) {
            (_, Some(factor)) => (a, factor),
            (Some(factor), _) => (b, factor),
            _ => return Err(Cause::Refused(Refusal::Product)),
        };
        let mut word = word.to_vec();
        word.resize(8, self.domain.constant(0));
        self.product(&word, factor)
    }

    /// The lowest bytes of an operand, repeated where the instruction says so.
    fn operand(
        &mut self,
        i: &Instruction,
        place: u32,
        width: usize,
        meaning: Meaning,
    ) -> Result<Rc<[D::Byte]>, Cause> {
        match i.op_kind(place) {
            OpKind::Register => {
                let register = i.op_register(place);
                if register.is_gpr() {
                    let value = &self.state.general[register.full_register().number()];
                    let bytes = self.bytes_of(value);
                    let bytes = bytes.ok_or(Cause::Unsupported("a public number as data"))?;
                    return Ok(bytes[..width].into());
                }
                vector_width(register)?;
                Ok(self.read_vector(register.number(), width))
            }
            OpKind::Memory => {
                let size = i.memory_size().size();
                let alignment = self.alignment(i, meaning, size);
                let address = self.address(i)?;
                let bytes = self.load(&address, size, alignment)?.bytes()?;
                if i.is_broadcast() {
                    return Ok(bytes.iter().cycle().take(width).cloned().collect());
                }
                if bytes.len() != width {
                    return Err(Cause::Unsupported("a memory operand of this size"));
                }
                Ok(bytes.into())
            }
            _ => Err(Cause::Unsupported("this operand")),
        }
    }

    /// The alignment that the memory operand must have: its size for the moves that say so, and for
    /// legacy instructions but for the moves that do not.
    fn alignment(&self, i: &Instruction, meaning: Meaning, size: usize) -> u64 {
        let legacy = i.code().encoding() == EncodingKind::Legacy;
        let aligned = meaning == Meaning::MoveAligned
            || legacy && size >= LANE && !matches!(meaning, Meaning::Move | Meaning::MoveLow(_));
        if aligned { size as u64 } else { 1 }
    }

    fn move_low(&mut self, i: &Instruction, width: usize) -> Result<(), Cause> {
        let source = i.op1_register();
        let bytes = match i.op1_kind() {
            OpKind::Register if source.is_gpr() => {
                let value = &self.state.general[source.full_register().number()];
                let bytes = self.bytes_of(value);
                bytes.ok_or(Cause::Unsupported("a public number as data"))?[..width].into()
            }
            OpKind::Register => self.read_vector(source.number(), width),
            _ => {
                let address = self.address(i)?;
                self.load(&address, width, 1)?.bytes()?.into()
            }
        };
        match i.op0_kind() {
            OpKind::Register if i.op0_register().is_gpr() => {
                let mut bytes = bytes.to_vec();
                bytes.resize(8, self.domain.constant(0));
                let value: Scalar<D::Byte> = self.scalar_of(bytes.into());
                self.write_register(i.op0_register().full_register(), value)
            }
            OpKind::Register => {
                let mut bytes = bytes.to_vec();
                bytes.resize(LANE, self.domain.constant(0));
                self.write_vector(i, bytes.into());
                Ok(())
            }
            _ => {
                let address = self.address(i)?;
                self.store(&address, &bytes, 1)
            }
        }
    }

    /// The lower bytes of a register.
    pub(super) fn read_vector(&mut self, register: usize, width: usize) -> Rc<[D::Byte]> {
        let Vector { bytes, above } = &self.state.vectors[register];
        if bytes.len() == width {
            return bytes.clone();
        }
        if bytes.len() > width {
            return bytes[..width].into();
        }
        let (mut whole, above) = (bytes.to_vec(), *above);
        while whole.len() < width {
            whole.push(match above {
                Above::Zero => self.domain.constant(0),
                Above::Unknown => self.domain.unknown(),
            });
        }
        let whole: Rc<[D::Byte]> = whole.into();
        // What was not known is from now on this.
        self.state.vectors[register] = Vector { bytes: whole.clone(), above };
        whole
    }

    /// Writes the first operand. VEX and EVEX clear what is above.
    pub(super) fn write_vector(&mut self, i: &Instruction, bytes: Rc<[D::Byte]>) {
        let above = match i.code().encoding() {
            EncodingKind::Legacy => Above::Unknown,
            _ => Above::Zero,
        };
        self.state.vectors[i.op0_register().number()] = Vector { bytes, above };
    }
}

/// How many vectors it takes.
fn operands(meaning: Meaning) -> usize {
    match meaning {
        Meaning::Op(op) => op.operands(),
        Meaning::Permute(_) => 1,
        Meaning::Blend => 3,
        _ => 2,
    }
}

/// Bytes of a vector register.
pub(super) fn vector_width(register: Register) -> Result<usize, Cause> {
    let is_vector = register.is_vector_register();
    is_vector
        .then(|| register.size())
        .filter(|width| *width <= WIDEST)
        .ok_or(Cause::Unsupported("this register"))
}

/// Items of each lane from `start` on, of `a` and of `b` in turn.
fn unpack<B: Clone>(a: &[B], b: &[B], size: usize, start: usize) -> Vec<B> {
    let lanes = a.chunks_exact(LANE).zip(b.chunks_exact(LANE));
    let half = start..start + LANE / 2;
    let pairs = lanes.flat_map(|(a, b)| {
        a[half.clone()].chunks_exact(size).zip(b[half.clone()].chunks_exact(size))
    });
    pairs.flat_map(|(a, b)| a.iter().chain(b).cloned().collect::<Vec<_>>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpacks_keep_items_whole() {
        let a: Vec<u8> = (0..16).collect();
        let b: Vec<u8> = (100..116).collect();
        assert_eq!(unpack(&a, &b, 2, 0)[..6], [0, 1, 100, 101, 2, 3]);
        assert_eq!(unpack(&a, &b, 8, 8)[4..12], [12, 13, 14, 15, 108, 109, 110, 111]);
    }
}
