//! Instructions on general registers.
//!
//! Written from the Intel SDM, volume 2. Public numbers are added and multiplied as the numbers that
//! they are, modulo 2⁶⁴; data are bytes of the domain, of which bits are moved, and added where no
//! two are at one place, so that nothing carries.

use std::rc::Rc;

use iced_x86::{Instruction, Mnemonic, OpKind, Register};

use super::super::domain::Refusal;
use super::super::domain::word::{self, Fill};
use super::Machine;
use super::control::Answer;
use super::fault::Cause;
use super::memory::Loaded;
use super::state::{Fact, Flags, Unknown};
use super::value::{Public, Scalar, Symbol};

/// Where control goes after an instruction.
pub(super) enum Flow {
    Next,
    Jump(u64),
    /// To `target` when the answer to the branch's condition is yes.
    Branch {
        answer: Answer,
        target: u64,
    },
    Return,
}

/// How to add.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sum {
    Add,
    Subtract,
}

/// A bitwise operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bitwise {
    And,
    Or,
    Xor,
}

/// What shifts and rotations do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Left,
    Right(Fill),
    RotateRight,
    RotateLeft,
}

impl<D: Unknown> Machine<'_, D> {
    /// Executes the instruction if it is one on general registers.
    pub(super) fn general(&mut self, i: &Instruction) -> Result<Option<Flow>, Cause> {
        use Mnemonic::*;
        match i.mnemonic() {
            Nop | Endbr64 => {}
            // `xchg ax, ax` does nothing either, but for 32 bits, which clears the upper half.
            Xchg if i.op0_register() == i.op1_register() && i.op0_register().size() != 4 => {}
            Mov | Movzx => self.mov(i)?,
            Lea => {
                let address = self.address(i)?;
                self.write(i, 0, Scalar::Public(address))?;
            }
            Add => self.add(i, Sum::Add, None)?,
            Adc => self.add(i, Sum::Add, Some(()))?,
            Sub => self.add(i, Sum::Subtract, None)?,
            Cmp => self.compare(i)?,
            Inc | Dec => self.step_by_one(i)?,
            Neg => self.negate(i)?,
            And => self.bitwise(i, Bitwise::And, true)?,
            Or => self.bitwise(i, Bitwise::Or, true)?,
            Xor => self.bitwise(i, Bitwise::Xor, true)?,
            Test => self.bitwise(i, Bitwise::And, false)?,
            Not => {
                let (value, width) = (self.read(i, 0)?, self.width(i, 0));
                let ones = Scalar::constant(low_ones(width));
                let value = self.combine(Bitwise::Xor, &value, &ones)?;
                self.write(i, 0, value)?;
            }
            Shl => self.shift(i, Turn::Left)?,
            Shr => self.shift(i, Turn::Right(Fill::Zero))?,
            Sar => self.shift(i, Turn::Right(Fill::Sign))?,
            Rol => self.shift(i, Turn::RotateLeft)?,
            Ror => self.shift(i, Turn::RotateRight)?,
            Imul => self.multiply(i)?,
            Bswap => self.bswap(i)?,
            Push => {
                let value = self.read(i, 0)?;
                if self.width(i, 0) != 8 {
                    return Err(Cause::Unsupported("a push of this size"));
                }
                let pointer = self.moved_stack_pointer(-8)?;
                self.set_stack_pointer(Scalar::Public(pointer.clone()))?;
                self.store_scalar(&pointer, &value)?;
            }
            Pop => {
                let pointer = self.moved_stack_pointer(0)?;
                let value = match self.load(&pointer, 8, 1)? {
                    Loaded::Scalar(scalar) => scalar,
                    Loaded::Bytes(bytes) => self.scalar_of(bytes.into()),
                };
                let above = self.moved_stack_pointer(8)?;
                self.set_stack_pointer(Scalar::Public(above))?;
                self.write(i, 0, value)?;
            }
            Jmp if i.op0_kind() == OpKind::NearBranch64 => {
                return Ok(Some(Flow::Jump(i.near_branch_target())));
            }
            Ret if i.op_count() == 0 => return Ok(Some(Flow::Return)),
            _ if i.is_jcc_short_or_near() => {
                let holds = self.state.assumption.holds(i.condition_code(), &self.state.flags);
                let target = i.near_branch_target();
                return Ok(Some(Flow::Branch { answer: holds?, target }));
            }
            _ if is_conditional_move(i.mnemonic()) => {
                match self.state.assumption.holds(i.condition_code(), &self.state.flags)? {
                    Answer::Known(true) => self.mov(i)?,
                    // The upper half is cleared even then.
                    Answer::Known(false) => {
                        let value = self.read(i, 0)?;
                        self.write(i, 0, value)?;
                    }
                    _ => return Err(Cause::Unsupported("this conditional move")),
                }
            }
            _ => return Ok(None),
        }
        Ok(Some(Flow::Next))
    }

    fn moved_stack_pointer(&self, by: i64) -> Result<Public, Cause> {
        let offset = self.stack_pointer()? + by;
        Ok(Public::symbol(Symbol::Stack).add(&Public::constant(offset.cast_unsigned())))
    }

    /// Bytes of an operand.
    fn width(&self, i: &Instruction, operand: u32) -> usize {
        match i.op_kind(operand) {
            OpKind::Register => i.op_register(operand).size(),
            OpKind::Memory => i.memory_size().size(),
            // An immediate is as wide as what it meets.
            _ => self.width(i, 0),
        }
    }

    /// An operand, zeros above it.
    pub(super) fn read(&mut self, i: &Instruction, operand: u32) -> Result<Scalar<D::Byte>, Cause> {
        let width = self.width(i, operand);
        match i.op_kind(operand) {
            OpKind::Register => self.read_register(i.op_register(operand)),
            OpKind::Memory => {
                let address = self.address(i)?;
                match self.load(&address, width, 1)? {
                    Loaded::Scalar(scalar) => Ok(scalar),
                    Loaded::Bytes(mut bytes) => {
                        bytes.resize(8, self.domain.constant(0));
                        Ok(self.scalar_of(bytes.into()))
                    }
                }
            }
            OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64 => {
                Err(Cause::Unsupported("this operand"))
            }
            _ => Ok(Scalar::constant(i.immediate(operand) & low_ones(width))),
        }
    }

    fn read_register(&self, register: Register) -> Result<Scalar<D::Byte>, Cause> {
        if !register.is_gpr() {
            return Err(Cause::Unsupported("this register"));
        }
        let whole = &self.state.general[register.full_register().number()];
        let width = register.size();
        if width == 8 {
            return Ok(whole.clone());
        }
        let bytes = self.bytes_of(whole).ok_or(Cause::Unsupported("part of a public number"))?;
        let start = usize::from(is_high_byte(register));
        let mut part = bytes[start..start + width].to_vec();
        part.resize(8, self.domain.constant(0));
        Ok(self.scalar_of(part.into()))
    }

    /// Writes to an operand the lower bytes of a value, as many as it has.
    fn write(
        &mut self,
        i: &Instruction,
        operand: u32,
        value: Scalar<D::Byte>,
    ) -> Result<(), Cause> {
        let width = self.width(i, operand);
        if i.op_kind(operand) == OpKind::Memory {
            let address = self.address(i)?;
            if width == 8 {
                return self.store_scalar(&address, &value);
            }
            let bytes = self.bytes_of(&value);
            let bytes = bytes.ok_or(Cause::Unsupported("part of a public number"))?;
            return self.store(&address, &bytes[..width], 1);
        }
        self.write_register(i.op_register(operand), value)
    }

    pub(super) fn write_register(
        &mut self,
        register: Register,
        value: Scalar<D::Byte>,
    ) -> Result<(), Cause> {
        let (full, width) = (register.full_register(), register.size());
        let value = if width == 8 {
            value
        } else {
            let part = Cause::Unsupported("part of a public number");
            let bytes = self.bytes_of(&value).ok_or(part.clone())?;
            let whole: Vec<D::Byte> = if width == 4 {
                let zeros = core::iter::repeat_n(self.domain.constant(0), 4);
                bytes[..4].iter().cloned().chain(zeros).collect()
            } else {
                let mut whole =
                    self.bytes_of(&self.state.general[full.number()]).ok_or(part)?.to_vec();
                let start = usize::from(is_high_byte(register));
                whole[start..start + width].clone_from_slice(&bytes[..width]);
                whole
            };
            self.scalar_of(whole.into())
        };
        if full == Register::RSP {
            return self.set_stack_pointer(value);
        }
        self.state.general[full.number()] = value;
        Ok(())
    }

    fn mov(&mut self, i: &Instruction) -> Result<(), Cause> {
        let value = self.read(i, 1)?;
        self.write(i, 0, value)
    }

    /// ADD, ADC and SUB.
    fn add(&mut self, i: &Instruction, sum: Sum, with_carry: Option<()>) -> Result<(), Cause> {
        let (a, b, width) = (self.read(i, 0)?, self.read(i, 1)?, self.width(i, 0));
        let carry = match with_carry {
            None => Fact::Known(false),
            Some(()) => self.state.flags.carry.clone(),
        };
        let (value, flags) = self.sum(sum, &a, &b, &carry, width)?;
        self.state.flags = flags;
        self.write(i, 0, value)
    }

    fn compare(&mut self, i: &Instruction) -> Result<(), Cause> {
        let (a, b, width) = (self.read(i, 0)?, self.read(i, 1)?, self.width(i, 0));
        self.state.flags = match self.sum(Sum::Subtract, &a, &b, &Fact::Known(false), width) {
            Ok((_, flags)) => flags,
            // Whoever asks for them is refused.
            Err(_) => Flags::UNKNOWN,
        };
        Ok(())
    }

    /// INC and DEC, which leave the carry as it is.
    fn step_by_one(&mut self, i: &Instruction) -> Result<(), Cause> {
        let (a, width) = (self.read(i, 0)?, self.width(i, 0));
        let sum = if i.mnemonic() == Mnemonic::Inc { Sum::Add } else { Sum::Subtract };
        let (value, flags) = self.sum(sum, &a, &Scalar::constant(1), &Fact::Known(false), width)?;
        let carry = self.state.flags.carry.clone();
        self.state.flags = Flags { carry, ..flags };
        self.write(i, 0, value)
    }

    fn negate(&mut self, i: &Instruction) -> Result<(), Cause> {
        let (a, width) = (self.read(i, 0)?, self.width(i, 0));
        let zero = Scalar::constant(0);
        let (value, flags) = self.sum(Sum::Subtract, &zero, &a, &Fact::Known(false), width)?;
        self.state.flags = flags;
        self.write(i, 0, value)
    }

    /// The sum or difference of two numbers of so many bytes, and the flags.
    fn sum(
        &self,
        sum: Sum,
        a: &Scalar<D::Byte>,
        b: &Scalar<D::Byte>,
        carry: &Fact,
        width: usize,
    ) -> Result<(Scalar<D::Byte>, Flags), Cause> {
        if let (Some(a), Some(b), Fact::Known(carry)) = (a.known(), b.known(), carry) {
            let (value, flags) = sum_of_known(sum, a, b, *carry, width);
            return Ok((Scalar::constant(value), flags));
        }
        if let Some(result) = self.sum_of_counter(a, b, carry, sum == Sum::Add && width == 8)? {
            return Ok(result);
        }
        if *carry != Fact::Known(false) {
            return Err(Cause::Refused(Refusal::Sum));
        }
        match (a, b) {
            (Scalar::Public(a), Scalar::Public(b)) if width == 8 => {
                let difference = a.subtract(b);
                let (value, flags) = match sum {
                    Sum::Add => {
                        let value = a.add(b);
                        let zero = Fact::IsZero(value.clone());
                        (value, Flags { zero, ..Flags::UNKNOWN })
                    }
                    Sum::Subtract => {
                        let zero = Fact::IsZero(difference.clone());
                        let carry = Fact::Below(a.clone(), b.clone());
                        (difference, Flags { zero, carry, ..Flags::UNKNOWN })
                    }
                };
                Ok((Scalar::Public(value), flags))
            }
            _ if sum == Sum::Add => {
                let value = self.disjoint_sum(a, b)?;
                Ok((value, Flags::UNKNOWN))
            }
            _ => Err(Cause::Refused(Refusal::Sum)),
        }
    }

    /// The sum of data that have no bit at one place.
    fn disjoint_sum(
        &self,
        a: &Scalar<D::Byte>,
        b: &Scalar<D::Byte>,
    ) -> Result<Scalar<D::Byte>, Cause> {
        let refused = || Cause::Refused(Refusal::Sum);
        let both = self.combine(Bitwise::And, a, b).map_err(|_| refused())?;
        if both.known() != Some(0) {
            return Err(refused());
        }
        self.combine(Bitwise::Xor, a, b)
    }

    fn bitwise(&mut self, i: &Instruction, op: Bitwise, keep: bool) -> Result<(), Cause> {
        let same = i.op0_kind() == OpKind::Register
            && i.op1_kind() == OpKind::Register
            && i.op0_register() == i.op1_register();
        let value = if same && op == Bitwise::Xor {
            Scalar::constant(0)
        } else if same {
            self.read(i, 0)?
        } else {
            let (a, b) = (self.read(i, 0)?, self.read(i, 1)?);
            self.combine(op, &a, &b)?
        };
        let width = self.width(i, 0);
        let [carry, overflow] = [(); 2].map(|()| Fact::Known(false));
        let (zero, sign) = match &value {
            Scalar::Public(public) => match public.known() {
                Some(known) => (Fact::Known(known == 0), Fact::Known(is_negative(known, width))),
                None => (Fact::IsZero(public.clone()), Fact::Unknown),
            },
            Scalar::Data(_) | Scalar::Counter(..) => (Fact::Unknown, Fact::Unknown),
        };
        self.state.flags = Flags { carry, zero, sign, overflow };
        if keep { self.write(i, 0, value) } else { Ok(()) }
    }

    fn combine(
        &self,
        op: Bitwise,
        a: &Scalar<D::Byte>,
        b: &Scalar<D::Byte>,
    ) -> Result<Scalar<D::Byte>, Cause> {
        if let (Some(a), Some(b)) = (a.known(), b.known()) {
            return Ok(Scalar::constant(match op {
                Bitwise::And => a & b,
                Bitwise::Or => a | b,
                Bitwise::Xor => a ^ b,
            }));
        }
        if let (Bitwise::And, Scalar::Public(address), Some(mask)) = (op, a, b.known())
            && let Some(masked) = self.stack.masked(address, mask)
        {
            return Ok(Scalar::Public(masked));
        }
        let bytes = |scalar| self.bytes_of(scalar).ok_or(Cause::Unsupported("bits of an address"));
        let (a, b) = (bytes(a)?, bytes(b)?);
        let byte = |(a, b)| match op {
            Bitwise::And => self.domain.and(a, b),
            Bitwise::Xor => Ok(self.domain.xor(a, b)),
            Bitwise::Or => {
                let both = self.domain.and(a, b)?;
                Ok(self.domain.xor(&self.domain.xor(a, b), &both))
            }
        };
        let combined: Rc<[D::Byte]> = a.iter().zip(&*b).map(byte).collect::<Result<_, _>>()?;
        Ok(self.scalar_of(combined))
    }

    fn shift(&mut self, i: &Instruction, turn: Turn) -> Result<(), Cause> {
        let width = self.width(i, 0);
        let count = match i.op1_kind() {
            OpKind::Register => self.read_register(i.op1_register())?,
            _ => Scalar::constant(i.immediate(1)),
        };
        let count = count.known().ok_or(Cause::Secret("the count of this shift"))?;
        let count = count & if width == 8 { 63 } else { 31 };
        let value = self.read(i, 0)?;
        if count > 0 {
            self.state.flags = Flags::UNKNOWN;
        }
        let value = self.turned(&value, turn, count, width)?;
        self.write(i, 0, value)
    }

    fn turned(
        &self,
        value: &Scalar<D::Byte>,
        turn: Turn,
        count: u64,
        width: usize,
    ) -> Result<Scalar<D::Byte>, Cause> {
        if let (Scalar::Public(public), Turn::Left, 8) = (value, turn, width) {
            return Ok(Scalar::Public(public.times(1 << count)));
        }
        let bytes = self.bytes_of(value).ok_or(Cause::Unsupported("bits of an address"))?;
        let (word, places) = (&bytes[..width], count as usize);
        let bits = 8 * width;
        let mut word = match turn {
            Turn::Left => word::shift_left(self.domain, word, places),
            Turn::Right(fill) => word::shift_right(self.domain, word, places, fill),
            Turn::RotateRight => word::rotate_right(self.domain, word, places),
            Turn::RotateLeft => word::rotate_right(self.domain, word, bits - places % bits),
        };
        word.resize(8, self.domain.constant(0));
        Ok(self.scalar_of(word.into()))
    }

    /// IMUL with two or three operands, one factor known.
    fn multiply(&mut self, i: &Instruction) -> Result<(), Cause> {
        let (first, second) = match i.op_count() {
            2 => (0, 1),
            3 => (1, 2),
            _ => return Err(Cause::Unsupported("this product")),
        };
        let (a, b, width) = (self.read(i, first)?, self.read(i, second)?, self.width(i, 0));
        self.state.flags = Flags::UNKNOWN;
        let (value, factor) = match (a.known(), b.known()) {
            (_, Some(factor)) => (a, factor),
            (Some(factor), _) => (b, factor),
            _ => return Err(Cause::Refused(Refusal::Product)),
        };
        let product = match &value {
            Scalar::Public(public) if width == 8 => Scalar::Public(public.times(factor)),
            Scalar::Public(public) if public.known().is_some() => {
                let product = public.times(factor).constant_part();
                Scalar::constant(product & low_ones(width))
            }
            value => {
                let bytes = self.bytes_of(value).ok_or(Cause::Unsupported("this product"))?;
                let mut bytes = self.product(&bytes[..width], factor)?;
                bytes.resize(8, self.domain.constant(0));
                self.scalar_of(bytes.into())
            }
        };
        self.write(i, 0, product)
    }

    /// The product with a known number: a sum of shifted words, if no two of them have a bit at one
    /// place.
    pub(super) fn product(&self, word: &[D::Byte], factor: u64) -> Result<Vec<D::Byte>, Cause> {
        let refused = || Cause::Refused(Refusal::Sum);
        let mut sum = vec![self.domain.constant(0); word.len()];
        for place in (0..8 * word.len()).filter(|place| *place < 64 && factor >> place & 1 == 1) {
            let term = word::shift_left(self.domain, word, place);
            for (sum, term) in sum.iter_mut().zip(&term) {
                let both = self.domain.and(sum, term).map_err(|_| refused())?;
                if self.domain.known(&both) != Some(0) {
                    return Err(refused());
                }
                *sum = self.domain.xor(sum, term);
            }
        }
        Ok(sum)
    }

    fn bswap(&mut self, i: &Instruction) -> Result<(), Cause> {
        let (value, width) = (self.read(i, 0)?, self.width(i, 0));
        let bytes = self.bytes_of(&value).ok_or(Cause::Unsupported("bits of an address"))?;
        let mut swapped: Vec<D::Byte> = bytes[..width].iter().rev().cloned().collect();
        swapped.resize(8, self.domain.constant(0));
        let value = self.scalar_of(swapped.into());
        self.write(i, 0, value)
    }
}

/// The lower `width` bytes.
fn low_ones(width: usize) -> u64 {
    u64::MAX >> (64 - 8 * width)
}

fn is_negative(value: u64, width: usize) -> bool {
    value >> (8 * width - 1) & 1 == 1
}

fn sum_of_known(sum: Sum, a: u64, b: u64, carry: bool, width: usize) -> (u64, Flags) {
    let mask = u128::from(low_ones(width));
    let [wide_a, wide_b, wide_carry] = [u128::from(a), u128::from(b), u128::from(carry)];
    let wide = match sum {
        Sum::Add => wide_a + wide_b + wide_carry,
        Sum::Subtract => wide_a.wrapping_sub(wide_b).wrapping_sub(wide_carry),
    };
    let value = (wide & mask) as u64;
    let [a, b, c] = [a, b, value].map(|number| is_negative(number, width));
    let overflow = match sum {
        Sum::Add => a == b && a != c,
        Sum::Subtract => a != b && a != c,
    };
    let flags = Flags {
        carry: Fact::Known(wide & !mask != 0),
        zero: Fact::Known(value == 0),
        sign: Fact::Known(c),
        overflow: Fact::Known(overflow),
    };
    (value, flags)
}

fn is_high_byte(register: Register) -> bool {
    matches!(register, Register::AH | Register::BH | Register::CH | Register::DH)
}

fn is_conditional_move(mnemonic: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        mnemonic,
        Cmova
            | Cmovae
            | Cmovb
            | Cmovbe
            | Cmove
            | Cmovg
            | Cmovge
            | Cmovl
            | Cmovle
            | Cmovne
            | Cmovno
            | Cmovns
            | Cmovo
            | Cmovs
    )
}
