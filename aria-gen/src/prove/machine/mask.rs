//! Mask registers: moved from general registers, and used to load and store parts of vectors.
//!
//! Intel SDM, volume 2: KMOVW, KMOVD; volume 1, section 15.6: an element whose bit is not set is not
//! touched in memory, and zero in a register where the instruction says so. Masks must be known.

use iced_x86::{Instruction, Mnemonic, OpKind};

use super::Machine;
use super::fault::Cause;
use super::state::Unknown;
use super::value::{Public, Scalar};
use super::vector::vector_width;

impl<D: Unknown> Machine<'_, D> {
    /// Executes the instruction if it has to do with mask registers.
    pub(super) fn mask(&mut self, i: &Instruction) -> Result<bool, Cause> {
        let bits = match i.mnemonic() {
            Mnemonic::Kmovw => 16,
            Mnemonic::Kmovd => 32,
            _ if i.has_op_mask() => return self.masked_move(i).map(|()| true),
            _ => return Ok(false),
        };
        let source = i.op1_register();
        let value = if i.op1_kind() == OpKind::Register && source.is_k() {
            self.state.masks[source.number()]
        } else {
            self.read(i, 1)?.known()
        };
        let value = value.ok_or(Cause::Secret("this mask"))? & ((1 << bits) - 1);
        match i.op0_kind() {
            OpKind::Register if i.op0_register().is_k() => {
                self.state.masks[i.op0_register().number()] = Some(value);
            }
            OpKind::Register => self.write_register(i.op0_register(), Scalar::constant(value))?,
            _ => {
                let address = self.address(i)?;
                let bytes = value.to_le_bytes().map(|byte| self.domain.constant(byte));
                self.store(&address, &bytes[..bits / 8], 1)?;
            }
        }
        Ok(true)
    }

    fn masked_move(&mut self, i: &Instruction) -> Result<(), Cause> {
        let element = match i.mnemonic() {
            Mnemonic::Vmovdqu32 => 4,
            Mnemonic::Vmovdqu64 => 8,
            _ => return Err(Cause::Unsupported("a mask here")),
        };
        let mask = self.state.masks[i.op_mask().number()].ok_or(Cause::Secret("this mask"))?;
        let address = self.address(i)?;
        let set = |number: usize| mask >> number & 1 == 1;
        let place = |number: usize| address.add(&Public::constant((number * element) as u64));
        match (i.op0_kind(), i.op1_kind()) {
            (OpKind::Register, OpKind::Memory) if i.zeroing_masking() => {
                let width = vector_width(i.op0_register())?;
                let mut bytes = Vec::with_capacity(width);
                for number in 0..width / element {
                    if set(number) {
                        bytes.extend(self.load(&place(number), element, 1)?.bytes()?);
                    } else {
                        bytes.extend(core::iter::repeat_n(self.domain.constant(0), element));
                    }
                }
                self.write_vector(i, bytes.into());
                Ok(())
            }
            (OpKind::Memory, OpKind::Register) => {
                let width = vector_width(i.op1_register())?;
                let bytes = self.read_vector(i.op1_register().number(), width);
                let elements = bytes.chunks_exact(element).enumerate();
                elements
                    .filter(|(number, _)| set(*number))
                    .try_for_each(|(number, bytes)| self.store(&place(number), bytes, 1))
            }
            _ => Err(Cause::Unsupported("a mask here")),
        }
    }
}
