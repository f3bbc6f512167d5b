//! Loads and stores: which region an address is in, and whether it may be touched.

use std::rc::Rc;

use iced_x86::{Instruction, Register};

use super::super::memory::{Linear, Region};
use super::Machine;
use super::fault::Cause;
use super::state::{StackByte, Unknown};
use super::value::{Public, Scalar, Symbol};

/// Bytes of a frame at most, so that none steps over the page that guards the end of the stack.
const LARGEST_FRAME: i64 = 4096;

/// Where an address points.
enum Place {
    Keys(u64),
    Region(Region, Linear),
    Stack(i64),
    Image(u64),
}

impl<D: Unknown> Machine<'_, D> {
    /// The address of the memory operand.
    pub(super) fn address(&self, instruction: &Instruction) -> Result<Public, Cause> {
        if !matches!(instruction.segment_prefix(), Register::None | Register::CS | Register::DS) {
            return Err(Cause::Unsupported("this segment"));
        }
        let displacement = Public::constant(instruction.memory_displacement64());
        if instruction.is_ip_rel_memory_operand() {
            return Ok(Public::symbol(Symbol::Image).add(&displacement));
        }
        let public = |register: Register| match register {
            Register::None => Ok(Public::default()),
            _ if !register.is_gpr64() => Err(Cause::Unsupported("an address of this size")),
            _ => match &self.state.general[register.number()] {
                Scalar::Public(public) => Ok(public.clone()),
                Scalar::Data(_) | Scalar::Counter(..) => Err(Cause::Secret("the address")),
            },
        };
        let base = public(instruction.memory_base())?;
        let index = public(instruction.memory_index())?;
        let scale = u64::from(instruction.memory_index_scale());
        Ok(base.add(&index.times(scale)).add(&displacement))
    }

    fn place(&self, address: &Public, width: usize) -> Result<Place, Cause> {
        let constant = address.constant_part();
        let per_batch = address.factor(Symbol::Batch);
        let bases = address.terms().iter().filter(|(symbol, _)| *symbol != Symbol::Batch);
        match (&*bases.collect::<Vec<_>>(), per_batch) {
            ([(Symbol::Keys, 1)], 0) => Ok(Place::Keys(constant)),
            ([(Symbol::Image, 1)], 0) => Ok(Place::Image(constant)),
            ([(Symbol::Input, 1)], _) => {
                Ok(Place::Region(Region::Input, Linear { constant, per_batch }))
            }
            ([(Symbol::Output, 1)], _) => {
                Ok(Place::Region(Region::Output, Linear { constant, per_batch }))
            }
            ([(Symbol::Stack, 1)], 0) => {
                let offset = constant.cast_signed();
                let lowest = self.stack_pointer()? - self.convention.red_zone();
                let width = i64::try_from(width).unwrap_or(i64::MAX);
                if offset < lowest.max(-LARGEST_FRAME) || offset.checked_add(width).is_none() {
                    return Err(Cause::Address("the stack below its frame"));
                }
                Ok(Place::Stack(offset))
            }
            _ => Err(Cause::Address("an address in no region that the reader knows")),
        }
    }

    /// The stack pointer, from what it was on entry.
    pub(super) fn stack_pointer(&self) -> Result<i64, Cause> {
        let unknown = Cause::Unsupported("this stack pointer");
        let Scalar::Public(pointer) = &self.state.general[Register::RSP.number()] else {
            return Err(unknown);
        };
        let offset = pointer.subtract(&Public::symbol(Symbol::Stack)).known().ok_or(unknown)?;
        Ok(offset.cast_signed())
    }

    /// Refuses an address that is not sure to be a multiple of `alignment`, a power of two.
    fn check_alignment(&self, place: &Place, alignment: u64) -> Result<(), Cause> {
        let sure = match place {
            Place::Stack(offset) => self.stack.is_aligned(*offset, alignment),
            // That of constants is looked up with them.
            Place::Image(_) => true,
            Place::Keys(_) | Place::Region(..) => alignment == 1,
        };
        let misaligned = "memory that is not aligned as the instruction demands";
        if sure { Ok(()) } else { Err(Cause::Address(misaligned)) }
    }

    /// Reads bytes. A value on the stack that is not known byte by byte is given whole, or refused.
    pub(super) fn load(
        &mut self,
        address: &Public,
        width: usize,
        alignment: u64,
    ) -> Result<Loaded<D::Byte>, Cause> {
        let place = self.place(address, width)?;
        self.check_alignment(&place, alignment)?;
        let bytes = match place {
            Place::Keys(offset) => {
                let start = usize::try_from(offset).ok();
                let range = start.and_then(|start| Some(start..start.checked_add(width)?));
                let bytes = range.and_then(|range| self.keys.get(range));
                bytes.ok_or(Cause::Address("memory beside the round keys"))?.to_vec()
            }
            Place::Image(offset) => {
                let bytes = self.code.constants(offset, width, alignment);
                let outside = Cause::Address("memory that holds no constants, or not aligned ones");
                let bytes = bytes.ok_or(outside)?;
                bytes.iter().map(|byte| self.domain.constant(*byte)).collect()
            }
            Place::Region(region, address) => self.state.memory.load(region, address, width)?,
            Place::Stack(offset) => return self.load_stack(offset, width),
        };
        Ok(Loaded::Bytes(bytes))
    }

    fn load_stack(&mut self, offset: i64, width: usize) -> Result<Loaded<D::Byte>, Cause> {
        let mut bytes = Vec::with_capacity(width);
        let mut pieces = 0;
        for i in 0..width {
            let place = offset + i as i64;
            match self.state.stack.get(&place) {
                Some(StackByte::Byte(byte)) => bytes.push(byte.clone()),
                Some(StackByte::Piece(scalar, number)) if scalar.known().is_some() => {
                    let byte = scalar.known().unwrap_or_default().to_le_bytes()[*number];
                    bytes.push(self.domain.constant(byte));
                }
                Some(StackByte::Piece(_, number)) if *number == i => pieces += 1,
                Some(StackByte::Piece(..)) => {
                    return Err(Cause::Unsupported("part of a public number"));
                }
                None if place < 0 || self.is_home(place) => {
                    // Never written: any byte, and from now on this one.
                    let byte = self.domain.unknown();
                    self.state.stack.insert(place, StackByte::Byte(byte.clone()));
                    bytes.push(byte);
                }
                None => return Err(Cause::Address("the caller's frame")),
            }
        }
        if bytes.len() == width {
            return Ok(Loaded::Bytes(bytes));
        }
        match self.state.stack.get(&offset) {
            Some(StackByte::Piece(scalar, 0)) if pieces == 8 && width == 8 => {
                let scalar = scalar.clone();
                let same = |i: usize| {
                    self.state.stack.get(&(offset + i as i64))
                        == Some(&StackByte::Piece(scalar.clone(), i))
                };
                if (1..8).all(same) {
                    return Ok(Loaded::Scalar(scalar));
                }
                Err(Cause::Unsupported("parts of public numbers"))
            }
            _ => Err(Cause::Unsupported("part of a public number")),
        }
    }

    /// Whether the function may use this place above the return address.
    fn is_home(&self, place: i64) -> bool {
        (8..8 + self.convention.home()).contains(&place)
    }

    /// Writes bytes.
    pub(super) fn store(
        &mut self,
        address: &Public,
        bytes: &[D::Byte],
        alignment: u64,
    ) -> Result<(), Cause> {
        let place = self.place(address, bytes.len())?;
        self.check_alignment(&place, alignment)?;
        match place {
            Place::Region(region, address) => {
                Ok(self.state.memory.store(region, address, bytes)?)
            }
            Place::Stack(offset) => {
                for (i, byte) in bytes.iter().enumerate() {
                    self.store_stack(offset + i as i64, StackByte::Byte(byte.clone()))?;
                }
                Ok(())
            }
            Place::Keys(_) => Err(Cause::Address("the round keys, to write them")),
            Place::Image(_) => Err(Cause::Address("constants or code, to write them")),
        }
    }

    fn store_stack(&mut self, place: i64, byte: StackByte<D::Byte>) -> Result<(), Cause> {
        if place >= 0 && !self.is_home(place) {
            return Err(Cause::Address("the caller's frame, to write it"));
        }
        self.state.stack.insert(place, byte);
        Ok(())
    }

    /// Writes eight bytes of a value.
    pub(super) fn store_scalar(
        &mut self,
        address: &Public,
        scalar: &Scalar<D::Byte>,
    ) -> Result<(), Cause> {
        if let Some(bytes) = self.bytes_of(scalar) {
            return self.store(address, &bytes, 1);
        }
        match self.place(address, 8)? {
            Place::Stack(offset) => (0..8).try_for_each(|i| {
                self.store_stack(offset + i as i64, StackByte::Piece(scalar.clone(), i))
            }),
            _ => Err(Cause::Address("memory to leave an address or a counter there")),
        }
    }

    /// The eight bytes of a value, if it has them.
    pub(super) fn bytes_of(&self, scalar: &Scalar<D::Byte>) -> Option<Rc<[D::Byte]>> {
        match scalar {
            Scalar::Data(bytes) => Some(bytes.clone()),
            Scalar::Public(_) => {
                let known = scalar.known()?;
                Some(known.to_le_bytes().iter().map(|byte| self.domain.constant(*byte)).collect())
            }
            Scalar::Counter(..) => None,
        }
    }

    /// The value of eight bytes.
    pub(super) fn scalar_of(&self, bytes: Rc<[D::Byte]>) -> Scalar<D::Byte> {
        let known: Option<Vec<u8>> = bytes.iter().map(|byte| self.domain.known(byte)).collect();
        match known.and_then(|known| <[u8; 8]>::try_from(known).ok()) {
            Some(known) => Scalar::constant(u64::from_le_bytes(known)),
            None => Scalar::Data(bytes),
        }
    }

    /// Moves the stack pointer, and forgets what is below all that the convention keeps.
    pub(super) fn set_stack_pointer(&mut self, pointer: Scalar<D::Byte>) -> Result<(), Cause> {
        self.state.general[Register::RSP.number()] = pointer;
        let kept = self.stack_pointer()? - self.convention.red_zone();
        self.state.stack = self.state.stack.split_off(&kept);
        Ok(())
    }
}

/// What a load gives.
pub(super) enum Loaded<B> {
    Bytes(Vec<B>),
    Scalar(Scalar<B>),
}

impl<B> Loaded<B> {
    /// The bytes.
    pub(super) fn bytes(self) -> Result<Vec<B>, Cause> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::Scalar(_) => Err(Cause::Unsupported("a public number as data")),
        }
    }
}
