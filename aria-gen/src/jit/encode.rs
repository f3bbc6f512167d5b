//! Instructions to bytes, by iced-x86's encoder. Addresses are distances from the pool's beginning.

use iced_x86::{Code, Encoder, Instruction, MemoryOperand, OpKind, Register};

use super::AssembleError;
use super::allocate::{Inst, Operand, Place};
use super::flow::{Home, KeyBase};
use crate::isa::Width;
use crate::kernel::KernelId;

/// The registers that hold addresses; none of them survives a call in either convention.
pub(super) const KEYS: Register = Register::RAX;
/// The round key of the round loop's turn.
pub(super) const TURN: Register = Register::R10;
/// The last round key.
pub(super) const LAST: Register = Register::R11;
/// The batch's input.
pub(super) const INPUT: Register = Register::RDX;
/// The batch's output.
pub(super) const OUTPUT: Register = Register::R9;
/// Batches that are still to be done.
pub(super) const BATCHES: Register = Register::R8;
/// What the stack pointer was.
pub(super) const STACK: Register = Register::RCX;

/// A place in the code to jump to from before it.
#[derive(Debug)]
pub(super) struct Jump {
    /// Where the four bytes of the distance end.
    end: usize,
}

/// Bytes under construction.
pub(super) struct Bytes {
    id: KernelId,
    encoder: Encoder,
    /// Bytes before those of the encoder.
    start: usize,
    length: usize,
    bytes: Vec<u8>,
    vector_bytes: usize,
    key_bytes: usize,
}

impl Bytes {
    /// After the pool, with which the bytes begin.
    pub(super) fn new(id: KernelId, pool: Vec<u8>, vector_bytes: usize, key_bytes: usize) -> Self {
        let start = pool.len();
        let encoder = Encoder::new(64);
        Self { id, encoder, start, length: 0, bytes: pool, vector_bytes, key_bytes }
    }

    /// Where the next instruction begins.
    pub(super) fn here(&self) -> usize {
        self.start + self.length
    }

    /// All bytes.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.flush();
        self.bytes
    }

    fn flush(&mut self) {
        self.bytes.extend(self.encoder.take_buffer());
        self.start = self.bytes.len();
        self.length = 0;
    }

    /// Appends an instruction.
    pub(super) fn push(
        &mut self,
        instruction: Result<Instruction, iced_x86::IcedError>,
    ) -> Result<(), AssembleError> {
        let failed = |cause: iced_x86::IcedError| AssembleError::Encode(self.id, cause.to_string());
        let instruction = instruction.map_err(failed)?;
        let place = self.here() as u64;
        self.length += self.encoder.encode(&instruction, place).map_err(failed)?;
        Ok(())
    }

    /// Appends a jump back to `target`.
    pub(super) fn jump_back(&mut self, code: Code, target: usize) -> Result<(), AssembleError> {
        self.push(Instruction::with_branch(code, target as u64))
    }

    /// Appends a jump to a place that [`Bytes::land`] will say.
    pub(super) fn jump_on(&mut self, code: Code) -> Result<Jump, AssembleError> {
        self.push(Instruction::with_branch(code, self.here() as u64))?;
        Ok(Jump { end: self.here() })
    }

    /// Lets a jump end here.
    pub(super) fn land(&mut self, jump: Jump) -> Result<(), AssembleError> {
        let distance = i32::try_from(self.here() - jump.end);
        let distance =
            distance.map_err(|_| AssembleError::Encode(self.id, "a jump is too far".to_owned()))?;
        self.flush();
        self.bytes[jump.end - 4..jump.end].copy_from_slice(&distance.to_le_bytes());
        Ok(())
    }

    /// Fills up with instructions that do nothing, so that a loop begins at a multiple of `alignment`.
    pub(super) fn align(&mut self, alignment: usize) -> Result<(), AssembleError> {
        while let missing @ 1.. = self.here().next_multiple_of(alignment) - self.here() {
            // The manual's recommended forms, by length (NOP).
            let memory = |displacement, size| {
                MemoryOperand::new(
                    Register::RAX,
                    Register::RAX,
                    1,
                    displacement,
                    size,
                    false,
                    Register::None,
                )
            };
            let nop = match missing {
                1 => Ok(Instruction::with(Code::Nopd)),
                2 => Ok(Instruction::with(Code::Nopw)),
                3 => Instruction::with1(Code::Nop_rm32, Register::EAX),
                4 => Instruction::with1(Code::Nop_rm16, Register::AX),
                5..=7 => Instruction::with1(Code::Nop_rm32, memory(0, 1)),
                _ => Instruction::with1(Code::Nop_rm32, memory(0, 8)),
            };
            self.push(nop)?;
        }
        Ok(())
    }

    /// Appends an instruction on vectors.
    pub(super) fn vector(&mut self, inst: &Inst) -> Result<(), AssembleError> {
        let mut instruction = Instruction::default();
        instruction.set_code(inst.code);
        for (number, operand) in (0..).zip(&inst.operands) {
            match *operand {
                Operand::Register(number_of, width) => {
                    instruction.set_op_kind(number, OpKind::Register);
                    instruction.set_op_register(number, register(number_of, width));
                }
                Operand::Immediate(value) => {
                    instruction.set_op_kind(number, OpKind::Immediate8);
                    instruction.set_immediate8(value);
                }
                Operand::Memory(place) | Operand::Repeated(place) => {
                    let (base, displacement) = self.address(place);
                    instruction.set_op_kind(number, OpKind::Memory);
                    instruction.set_memory_base(base);
                    instruction.set_memory_displacement64(displacement as u64);
                    let size = u32::from(displacement != 0 || base == Register::RIP);
                    instruction.set_memory_displ_size(if base == Register::RIP { 8 } else { size });
                    instruction.set_is_broadcast(matches!(operand, Operand::Repeated(_)));
                }
            }
        }
        self.push(Ok(instruction))
    }

    fn address(&self, place: Place) -> (Register, usize) {
        let key = |base| match base {
            KeyBase::Nth(number) => (KEYS, number * self.key_bytes),
            KeyBase::Turn => (TURN, 0),
            KeyBase::Last => (LAST, 0),
        };
        match place {
            Place::Home(Home::Constant(number)) => (Register::RIP, number * self.vector_bytes),
            Place::Home(Home::KeyWord(base, index, _)) => {
                let (register, offset) = key(base);
                (register, offset + 4 * index)
            }
            Place::Home(Home::KeyLanes(base)) => key(base),
            Place::Home(Home::Input(offset)) => (INPUT, offset),
            Place::Output(offset) => (OUTPUT, offset),
            Place::Slot(number) => (Register::RSP, number * self.vector_bytes),
        }
    }
}

/// A vector register.
pub(super) fn register(number: u8, width: Width) -> Register {
    let first = match width {
        Width::Ymm => Register::YMM0,
        Width::Zmm => Register::ZMM0,
        Width::Xmm | Width::U64 => Register::XMM0,
    };
    first + u32::from(number)
}
