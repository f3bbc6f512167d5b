//! Copies between registers, the stack and the places that values come from.

use super::super::super::AssembleError;
use super::super::super::encoding::{self, SPREAD};
use super::super::super::flow::{Home, Value};
use super::super::{Operand, Place};
use super::Work;
use crate::ir::{Form, MachineOp};
use crate::isa::Encoding;

impl Work {
    /// Sees that a value can be read again without its register.
    pub(super) fn set_aside(&mut self, value: Value, register: u8) {
        if self.homes[value].is_none() && self.slot[value].is_none() {
            let slot = self.free_slot();
            self.slots[slot] = Some(value);
            self.slot[value] = Some(slot);
            self.store(slot, register, value);
        }
    }

    fn free_slot(&mut self) -> usize {
        let free = self.slots.iter().position(Option::is_none);
        free.unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        })
    }

    pub(super) fn store(&mut self, slot: usize, register: u8, value: Value) {
        let source = Operand::Register(register, self.isa.width);
        let operands = [Operand::Memory(Place::Slot(slot)), source];
        self.emit(encoding::spill(self.isa), &operands, None, &[value]);
    }

    pub(super) fn copy(&mut self, to: u8, from: u8, value: Value) -> Result<(), AssembleError> {
        let width = self.isa.width;
        let code = self.whole(Form::Bytes)?.code;
        let operands = [Operand::Register(to, width), Operand::Register(from, width)];
        self.emit(code, &operands, Some(value), &[value]);
        Ok(())
    }

    pub(super) fn load(&mut self, value: Value, register: u8) -> Result<(), AssembleError> {
        if self.homes[value].is_some() {
            return self.load_home(value, register);
        }
        let Some(slot) = self.slot[value] else {
            return Err(AssembleError::Encode(self.id, "a value is nowhere".to_owned()));
        };
        self.load_slot(value, slot, register)
    }

    pub(super) fn load_slot(
        &mut self,
        value: Value,
        slot: usize,
        to: u8,
    ) -> Result<(), AssembleError> {
        let code = self.whole(Form::Bytes)?.code;
        let target = Operand::Register(to, self.isa.width);
        self.emit(code, &[target, Operand::Memory(Place::Slot(slot))], Some(value), &[]);
        Ok(())
    }

    pub(super) fn load_home(&mut self, value: Value, register: u8) -> Result<(), AssembleError> {
        let Some(home) = self.homes[value] else { return Ok(()) };
        let code = match home {
            Home::Constant(_) => self.whole(Form::Bytes)?,
            Home::KeyLanes(_) => self.whole(Form::KeyLanes)?,
            Home::Input(_) => self.whole(Form::Load)?,
            Home::KeyWord(_, index, span) => {
                self.encoded(&MachineOp::KeySplat32 { index, span })?
            }
        };
        let target = Operand::Register(register, code.width);
        let source = Operand::Memory(Place::Home(home));
        self.emit(code.code, &[target, source], Some(value), &[]);
        if matches!(home, Home::KeyWord(..)) && code.encoding == Encoding::Legacy {
            self.emit(SPREAD, &[target, target, Operand::Immediate(0)], Some(value), &[]);
        }
        Ok(())
    }
}
