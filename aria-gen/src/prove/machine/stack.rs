//! What is known of the stack pointer on entry: its remainder modulo a power of two.
//!
//! Both conventions make the stack pointer a multiple of 16 before the call that pushes the return
//! address (psABI for AMD64, section 3.2.2; Microsoft's "x64 stack usage"). A function that aligns its
//! frame further masks its stack pointer, and how far that moves depends on more than the convention
//! says. So the function is followed once for each remainder that the convention permits; in each, the
//! mask takes away a known number of bytes, and it is known which places are aligned.

use iced_x86::{Instruction, Mnemonic, OpKind, Register};

use super::image::Code;
use super::value::{Public, Symbol};

/// Of which the stack pointer before a call is a multiple, by the conventions.
const BY_CONVENTION: u64 = 16;

/// The largest alignment of frames that is told apart: that of the widest vectors.
const LARGEST: u64 = 64;

/// Bytes of the return address.
const RETURN_ADDRESS: u64 = 8;

/// The stack pointer on entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StackBase {
    /// A power of two.
    modulus: u64,
    remainder: u64,
}

impl StackBase {
    /// The first of the stack pointers with which the function may be called, told apart as far as
    /// its own masks need.
    pub(super) fn first(code: &Code<'_>) -> Self {
        let masks = code.instructions().filter_map(frame_alignment);
        let modulus = masks.fold(BY_CONVENTION, u64::max);
        Self { modulus, remainder: BY_CONVENTION - RETURN_ADDRESS }
    }

    /// The one after this.
    pub(super) fn next(self) -> Option<Self> {
        let remainder = self.remainder + BY_CONVENTION;
        (remainder < self.modulus).then_some(Self { remainder, ..self })
    }

    /// Whether the place so far from the stack pointer on entry is sure to be a multiple of
    /// `alignment`, a power of two.
    pub(super) fn is_aligned(self, offset: i64, alignment: u64) -> bool {
        self.beyond(offset.cast_unsigned(), alignment) == Some(0)
    }

    /// An address on the stack with its lower bits cleared, if that is what the mask does and they are
    /// known.
    pub(super) fn masked(self, address: &Public, mask: u64) -> Option<Public> {
        let offset = address.subtract(&Public::symbol(Symbol::Stack)).known()?;
        let beyond = self.beyond(offset, alignment_of(mask)?)?;
        Some(address.subtract(&Public::constant(beyond)))
    }

    /// By how much a place is beyond a multiple of `alignment`, a power of two, if that is known.
    fn beyond(self, offset: u64, alignment: u64) -> Option<u64> {
        // A smaller power of two divides the modulus, so that the remainder decides.
        (alignment <= self.modulus).then(|| self.remainder.wrapping_add(offset) % alignment)
    }
}

/// The power of two to multiples of which the mask rounds down.
fn alignment_of(mask: u64) -> Option<u64> {
    let alignment = mask.wrapping_neg();
    (alignment.is_power_of_two() && alignment <= LARGEST).then_some(alignment)
}

/// How the instruction aligns the frame, if it is one that does.
fn frame_alignment(i: &Instruction) -> Option<u64> {
    let masks = i.mnemonic() == Mnemonic::And && i.op0_register() == Register::RSP;
    let known = !matches!(i.op1_kind(), OpKind::Register | OpKind::Memory);
    (masks && known).then(|| i.immediate(1)).and_then(alignment_of)
}

#[cfg(test)]
mod tests {
    use super::super::convention::Convention;
    use super::super::fault::{Cause, Fault};
    use super::super::image::Image;
    use super::super::state::State;
    use super::super::{Machine, Stop};
    use super::*;
    use crate::prove::domain::Concrete;
    use crate::prove::memory::Memory;

    /// The instructions of a function, as bytes: `push rbp; mov rbp, rsp; and rsp, mask; sub rsp, 64`,
    /// `store`, and `mov rsp, rbp; pop rbp; ret`.
    fn function(mask: u8, store: &[u8]) -> Vec<u8> {
        let prologue = [0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xe4, mask, 0x48, 0x83, 0xec, 0x40];
        let epilogue = [0x48, 0x89, 0xec, 0x5d, 0xc3];
        [&prologue, store, &epilogue].concat()
    }

    /// What executing it comes to, for each stack pointer on entry.
    fn follow(bytes: Vec<u8>) -> Vec<Result<Stop, Cause>> {
        let (name, code, constants) = ("function".to_owned(), 0..bytes.len(), Vec::new());
        let image = Image { name, bytes, entry: 0, code, constants };
        let code = Code::decode(&image).expect("the bytes are instructions");
        let one = |stack| {
            let mut domain = Concrete;
            let nothing = Memory::one_batch(Vec::new());
            let convention = Convention::SystemV;
            let state = State::on_entry(&mut domain, 0, convention, Vec::new(), nothing);
            let keys = Vec::new().into();
            let mut machine = Machine::new(&code, &mut domain, convention, stack, keys, state);
            machine.run(|_| false).map_err(|Fault { cause, .. }| cause)
        };
        core::iter::successors(Some(StackBase::first(&code)), |stack| stack.next())
            .map(one)
            .collect()
    }

    const MISALIGNED: Cause =
        Cause::Address("memory that is not aligned as the instruction demands");

    /// `vmovaps [rsp], ymm0`.
    const AT_STACK_POINTER: &[u8] = &[0xc5, 0xfc, 0x29, 0x04, 0x24];

    #[test]
    fn masks_clear_known_bits_of_stack_addresses() {
        let stack = |constant: i64| {
            Public::symbol(Symbol::Stack).add(&Public::constant(constant.cast_unsigned()))
        };
        for base in [8_u64, 24, 40, 56].map(|remainder| StackBase { modulus: 64, remainder }) {
            for offset in -200..200_i64 {
                for alignment in [1, 2, 4, 8, 16, 32, 64_i64] {
                    // A stack pointer with the remainder.
                    let address = 4096 + base.remainder.cast_signed() + offset;
                    let expected = address / alignment * alignment - address;
                    let masked = base.masked(&stack(offset), (-alignment).cast_unsigned());
                    assert_eq!(masked, Some(stack(offset + expected)));
                    let aligned = base.is_aligned(offset, alignment.cast_unsigned());
                    assert_eq!(aligned, expected == 0);
                }
            }
            for mask in [-128, 31, -33, 0, i64::MIN] {
                assert_eq!(base.masked(&stack(-8), mask.cast_unsigned()), None);
            }
            let others = [Symbol::Input, Symbol::Keys].map(Public::symbol);
            for address in others.into_iter().chain([
                stack(0).times(2),
                stack(0).subtract(&stack(0)).add(&Public::symbol(Symbol::Batch)),
            ]) {
                assert_eq!(base.masked(&address, (-32_i64).cast_unsigned()), None);
            }
        }
        let narrow = StackBase { modulus: 16, remainder: 8 };
        assert_eq!(narrow.masked(&stack(0), (-16_i64).cast_unsigned()), Some(stack(-8)));
        assert_eq!(narrow.masked(&stack(0), (-32_i64).cast_unsigned()), None);
        assert!(narrow.is_aligned(-8, 16) && !narrow.is_aligned(-8, 32));
    }

    #[test]
    fn a_frame_is_followed_for_each_stack_pointer() {
        assert_eq!(follow(function(0xf0, &[])), [Ok(Stop::Return)]);
        assert_eq!(follow(function(0xe0, AT_STACK_POINTER)), [const { Ok(Stop::Return) }; 2]);
        // vmovaps [rsp], zmm0
        let widest = [0x62, 0xf1, 0x7c, 0x48, 0x29, 0x04, 0x24];
        assert_eq!(follow(function(0xc0, &widest)), [const { Ok(Stop::Return) }; 4]);
    }

    #[test]
    fn what_is_not_aligned_for_each_stack_pointer_is_refused() {
        // In a frame of 16 bytes' alignment no place is sure.
        assert_eq!(follow(function(0xf0, AT_STACK_POINTER)), [Err(MISALIGNED)]);
        // vmovaps [rsp + 16], ymm0: never aligned.
        let between = [0xc5, 0xfc, 0x29, 0x44, 0x24, 0x10];
        assert_eq!(follow(function(0xe0, &between)), [const { Err(MISALIGNED) }; 2]);
        // vmovaps [rbp - 32], ymm0: aligned if the frame needs no more than the convention gives.
        let from_base = [0xc5, 0xfc, 0x29, 0x45, 0xe0];
        let runs = follow(function(0xe0, &from_base));
        assert_eq!(runs.iter().filter(|run| **run == Ok(Stop::Return)).count(), 1);
        assert_eq!(runs.iter().filter(|run| **run == Err(MISALIGNED)).count(), 1);
    }

    #[test]
    fn other_masks_of_the_stack_pointer_are_refused() {
        // -128, 31 and -33.
        for mask in [0x80, 0x1f, 0xdf] {
            let refused = Err(Cause::Unsupported("bits of an address"));
            assert_eq!(follow(function(mask, &[])), [refused]);
        }
    }
}
