//! What is read: bytes of code and constants as they lie in memory together.
//!
//! Whoever made them, a compiler and a linker or an assembler of our own, is not known here.

use core::ops::Range;
use std::collections::BTreeMap;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction};

use super::fault::{Cause, Fault};

/// A function and the constants that it reads.
#[derive(Clone, Debug)]
pub struct Image {
    /// A name, for messages.
    pub name: String,
    /// All bytes. Where they are mapped is unknown.
    pub bytes: Vec<u8>,
    /// Where the function begins.
    pub entry: usize,
    /// Where code lies. Nothing else is executed.
    pub code: Range<usize>,
    /// What may be read and never changes. Nothing else of the image is read.
    pub constants: Vec<Constants>,
}

/// Constants that lie together.
#[derive(Clone, Debug)]
pub struct Constants {
    /// Where.
    pub range: Range<usize>,
    /// A power of two of which their first byte's address is sure to be a multiple.
    pub alignment: u64,
}

/// The instructions of an image that control can reach, by where they begin.
#[derive(Debug)]
pub(super) struct Code<'i> {
    pub(super) image: &'i Image,
    instructions: BTreeMap<u64, Instruction>,
}

impl<'i> Code<'i> {
    /// Decodes from the entry on, along branches.
    pub(super) fn decode(image: &'i Image) -> Result<Self, Fault> {
        let mut code = Self { image, instructions: BTreeMap::new() };
        let mut open = vec![image.entry as u64];
        while let Some(start) = open.pop() {
            if code.instructions.contains_key(&start) {
                continue;
            }
            let instruction = code.decode_at(start).ok_or_else(|| Fault {
                name: image.name.clone(),
                at: start,
                instruction: "(bad)".to_owned(),
                cause: Cause::NoCode,
            })?;
            match instruction.flow_control() {
                FlowControl::Next => open.push(instruction.next_ip()),
                FlowControl::ConditionalBranch => {
                    open.extend([instruction.near_branch_target(), instruction.next_ip()]);
                }
                FlowControl::UnconditionalBranch => open.push(instruction.near_branch_target()),
                // Where these lead is not asked: but for the return they are refused.
                _ => {}
            }
            code.instructions.insert(start, instruction);
        }
        Ok(code)
    }

    fn decode_at(&self, start: u64) -> Option<Instruction> {
        let start_index = usize::try_from(start).ok()?;
        let Range { start: first, end } = self.image.code;
        let bytes = self.image.bytes.get(start_index..end).filter(|_| start_index >= first)?;
        let mut decoder = Decoder::with_ip(64, bytes, start, DecoderOptions::NONE);
        let instruction = decoder.decode();
        (!instruction.is_invalid()).then_some(instruction)
    }

    /// The instruction that begins at `at`.
    pub(super) fn instruction(&self, at: u64) -> Option<&Instruction> {
        self.instructions.get(&at)
    }

    /// All that control can reach.
    pub(super) fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.instructions.values()
    }

    /// The fault `cause` at the instruction that begins at `at`.
    pub(super) fn fault(&self, at: u64, cause: Cause) -> Fault {
        let text = self.instruction(at).map_or_else(String::new, ToString::to_string);
        Fault { name: self.image.name.clone(), at, instruction: text, cause }
    }

    /// The constant bytes at an offset of the image, if they are aligned.
    pub(super) fn constants(&self, start: u64, width: usize, alignment: u64) -> Option<&[u8]> {
        let start = usize::try_from(start).ok()?;
        let end = start.checked_add(width)?;
        let own = self.image.constants.iter().find(|own| {
            let aligned = (start.wrapping_sub(own.range.start) as u64).is_multiple_of(alignment);
            let within = own.range.start <= start && end <= own.range.end;
            within && aligned && alignment <= own.alignment
        });
        own.and_then(|_| self.image.bytes.get(start..end))
    }
}
