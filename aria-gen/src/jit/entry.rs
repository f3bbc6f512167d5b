//! The function around the stretches: arguments, stack, loops, what is wiped and restored.

use iced_x86::{Code, Instruction, MemoryOperand, Register};

use super::allocate::{Inst, Operand, Place, Placed};
use super::encode::{BATCHES, Bytes, INPUT, KEYS, LAST, OUTPUT, STACK, TURN, register};
use super::flow::Flow;
use super::listing::note;
use super::{ALIGNMENT, AssembleError, Assembly, Convention, encoding};
use crate::ir::Form;
use crate::isa::{Encoding, Isa, Width};
use crate::kernel::KeyForm;
use crate::pipeline::Built;

/// Loops begin at a multiple of this: a line of the decoded-instruction cache.
const LOOP_ALIGNMENT: usize = 64;

/// The vector registers that survive a call in [`Convention::Win64`], lower 128 bits of each.
const WIN64_KEPT: core::ops::RangeInclusive<u8> = 6..=15;

/// Makes the bytes of a kernel.
pub(super) fn encode_kernel(
    built: &Built,
    convention: Convention,
    flow: &Flow,
    placed: &Placed,
) -> Result<Assembly, AssembleError> {
    let program = built.finished();
    let key_bytes = match built.recipe.key_form {
        KeyForm::Raw | KeyForm::Planes => 16,
        KeyForm::Broadcast32 | KeyForm::Mapped32 | KeyForm::SpreadPlanes => 64,
    };
    let mut pool = Vec::new();
    for constant in &program.constants {
        let bytes = constant.data.bytes();
        pool.extend(bytes.iter().cycle().take(program.vector_bytes));
    }
    pool.resize(pool.len().next_multiple_of(ALIGNMENT), 0);
    let entry = pool.len();
    let kept = match convention {
        Convention::SystemV => Vec::new(),
        Convention::Win64 => kept_by(placed),
    };
    let spill_bytes = placed.slots * program.vector_bytes;
    let mut function = Function {
        bytes: Bytes::new(built.id, pool, program.vector_bytes, key_bytes),
        isa: built.isa,
        flow,
        slots: placed.slots,
        kept,
        spill_bytes: i64::try_from(spill_bytes).unwrap_or(i64::MAX),
        notes: Vec::new(),
    };
    function.arguments(convention, program.fixed_keys().is_some(), key_bytes)?;
    function.bytes.push(Instruction::with2(Code::Test_rm64_r64, BATCHES, BATCHES))?;
    let nothing = function.bytes.jump_on(Code::Je_rel32_64)?;
    function.open_frame()?;
    function.stretch(&placed.once)?;
    function.bytes.align(LOOP_ALIGNMENT)?;
    let batch = function.bytes.here();
    function.stretch(&placed.before)?;
    if let Some([odd, even, after]) = &placed.rounds {
        let key_bytes = i64::try_from(key_bytes).unwrap_or(i64::MAX);
        let second = MemoryOperand::with_base_displ(KEYS, key_bytes);
        function.bytes.push(Instruction::with2(Code::Lea_r64_m, TURN, second))?;
        function.bytes.align(LOOP_ALIGNMENT)?;
        let round = function.bytes.here();
        function.stretch(odd)?;
        function.advance(TURN, key_bytes)?;
        function.bytes.push(Instruction::with2(Code::Cmp_r64_rm64, TURN, LAST))?;
        let done = function.bytes.jump_on(Code::Jae_rel32_64)?;
        function.stretch(even)?;
        function.advance(TURN, key_bytes)?;
        function.bytes.jump_back(Code::Jmp_rel32_64, round)?;
        function.bytes.land(done)?;
        function.stretch(after)?;
    }
    function.advance(INPUT, i64::try_from(program.batch_bytes).unwrap_or(i64::MAX))?;
    function.advance(OUTPUT, i64::try_from(program.output_bytes).unwrap_or(i64::MAX))?;
    function.bytes.push(Instruction::with1(Code::Dec_rm64, BATCHES))?;
    function.bytes.jump_back(Code::Jne_rel32_64, batch)?;
    function.close_frame()?;
    function.bytes.land(nothing)?;
    function.bytes.push(Ok(Instruction::with(Code::Retnq)))?;
    let notes = function.notes;
    let bytes = function.bytes.finish();
    Ok(Assembly { id: built.id, convention, bytes, entry, spill_bytes, notes })
}

/// The registers of [`WIN64_KEPT`] that the stretches write to.
fn kept_by(placed: &Placed) -> Vec<u8> {
    let rounds = placed.rounds.iter().flatten();
    let stretches = [&placed.once, &placed.before].into_iter().chain(rounds);
    let operands = stretches.flatten().flat_map(|inst| &inst.operands);
    let mut kept: Vec<u8> = operands
        .filter_map(|operand| match operand {
            Operand::Register(number, _) if WIN64_KEPT.contains(number) => Some(*number),
            _ => None,
        })
        .collect();
    kept.sort_unstable();
    kept.dedup();
    kept
}

struct Function<'a> {
    bytes: Bytes,
    isa: Isa,
    flow: &'a Flow,
    slots: usize,
    kept: Vec<u8>,
    spill_bytes: i64,
    notes: Vec<(usize, String)>,
}

impl Function<'_> {
    fn stretch(&mut self, insts: &[Inst]) -> Result<(), AssembleError> {
        for inst in insts {
            let place = self.bytes.here();
            self.notes.extend(note(self.flow, inst).map(|text| (place, text)));
            self.bytes.vector(inst)?;
        }
        Ok(())
    }

    fn mov(&mut self, to: Register, from: Register) -> Result<(), AssembleError> {
        self.bytes.push(Instruction::with2(Code::Mov_r64_rm64, to, from))
    }

    fn advance(&mut self, register: Register, bytes: i64) -> Result<(), AssembleError> {
        let next = MemoryOperand::with_base_displ(register, bytes);
        self.bytes.push(Instruction::with2(Code::Lea_r64_m, register, next))
    }

    /// Brings the arguments to where the stretches want them.
    fn arguments(
        &mut self,
        convention: Convention,
        fixed: bool,
        key_bytes: usize,
    ) -> Result<(), AssembleError> {
        use Register::{R8, R9, R10, RCX, RDI, RDX, RSI, RSP};
        let keys = match (convention, fixed) {
            // ck, input, output, batches
            (Convention::SystemV, true) => {
                for (to, from) in [(KEYS, RDI), (OUTPUT, RDX), (BATCHES, RCX), (INPUT, RSI)] {
                    self.mov(to, from)?;
                }
                return Ok(());
            }
            (Convention::Win64, true) => {
                for (to, from) in [(KEYS, RCX), (R10, R9), (OUTPUT, R8), (BATCHES, R10)] {
                    self.mov(to, from)?;
                }
                return Ok(());
            }
            // rk, keys, input, output, batches
            (Convention::SystemV, false) => {
                for (to, from) in [(KEYS, RDI), (OUTPUT, RCX)] {
                    self.mov(to, from)?;
                }
                RSI
            }
            (Convention::Win64, false) => {
                for (to, from) in [(KEYS, RCX), (LAST, RDX), (INPUT, R8)] {
                    self.mov(to, from)?;
                }
                // Above the return address and the shadow space of four arguments.
                let fifth = MemoryOperand::with_base_displ(RSP, 40);
                self.bytes.push(Instruction::with2(Code::Mov_r64_rm64, BATCHES, fifth))?;
                LAST
            }
        };
        // The last round key is keys - 1 further on.
        let bytes = i32::try_from(key_bytes).unwrap_or(i32::MAX);
        self.bytes.push(Instruction::with3(Code::Imul_r64_rm64_imm32, LAST, keys, bytes))?;
        let last = MemoryOperand::new(KEYS, LAST, 1, -i64::from(bytes), 1, false, Register::None);
        self.bytes.push(Instruction::with2(Code::Lea_r64_m, LAST, last))
    }

    fn frame_bytes(&self) -> i64 {
        let kept = 16 * i64::try_from(self.kept.len()).unwrap_or(i64::MAX);
        self.spill_bytes + kept
    }

    fn open_frame(&mut self) -> Result<(), AssembleError> {
        if self.frame_bytes() == 0 {
            return Ok(());
        }
        self.mov(STACK, Register::RSP)?;
        let bytes = i32::try_from(self.frame_bytes()).unwrap_or(i32::MAX);
        self.bytes.push(Instruction::with2(Code::Sub_rm64_imm32, Register::RSP, bytes))?;
        let mask = -i32::try_from(ALIGNMENT).unwrap_or(i32::MAX);
        self.bytes.push(Instruction::with2(Code::And_rm64_imm8, Register::RSP, mask))?;
        let code = self.kept_code(Code::VEX_Vmovups_xmmm128_xmm, Code::Movups_xmmm128_xmm);
        for (memory, register) in self.kept_places() {
            self.bytes.push(Instruction::with2(code, memory, register))?;
        }
        Ok(())
    }

    fn close_frame(&mut self) -> Result<(), AssembleError> {
        self.wipe()?;
        if self.isa.width > Width::Xmm {
            self.bytes.push(Ok(Instruction::with(Code::VEX_Vzeroupper)))?;
        }
        let code = self.kept_code(Code::VEX_Vmovups_xmm_xmmm128, Code::Movups_xmm_xmmm128);
        for (memory, register) in self.kept_places() {
            self.bytes.push(Instruction::with2(code, register, memory))?;
        }
        if self.frame_bytes() > 0 {
            self.mov(Register::RSP, STACK)?;
        }
        Ok(())
    }

    /// Overwrites what waited on the stack: state, from which round keys follow.
    fn wipe(&mut self) -> Result<(), AssembleError> {
        if self.slots == 0 {
            return Ok(());
        }
        let (zero, store) = (encoding::whole(self.isa, Form::Xor), encoding::spill(self.isa));
        let Some(zero) = zero else { return Ok(()) };
        let vector = Operand::Register(0, self.isa.width);
        let operands = match zero.encoding {
            Encoding::Legacy => vec![vector; 2],
            _ => vec![vector; 3],
        };
        let note = (None, Vec::new());
        self.bytes.vector(&Inst { code: zero.code, operands, note: note.clone() })?;
        for slot in 0..self.slots {
            let operands = vec![Operand::Memory(Place::Slot(slot)), vector];
            self.bytes.vector(&Inst { code: store, operands, note: note.clone() })?;
        }
        Ok(())
    }

    fn kept_code(&self, vex: Code, legacy: Code) -> Code {
        if self.isa.tier.encoding() == Encoding::Legacy { legacy } else { vex }
    }

    /// Where the registers that survive are kept: above the slots.
    fn kept_places(&self) -> Vec<(MemoryOperand, Register)> {
        let places = (self.spill_bytes..).step_by(16);
        let places = places.map(|place| MemoryOperand::with_base_displ(Register::RSP, place));
        places.zip(self.kept.iter().map(|number| register(*number, Width::Xmm))).collect()
    }
}
