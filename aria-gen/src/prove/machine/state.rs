//! The state of the machine: registers, flags, the stack, input and output.

use std::collections::BTreeMap;
use std::rc::Rc;

use iced_x86::Register;

use super::super::domain::{Concrete, Domain, Form, Symbolic};
use super::super::memory::Memory;
use super::control::Assumption;
use super::convention::Convention;
use super::value::{Public, Scalar, Symbol};

/// A domain with bytes of which nothing is known, or nothing that matters.
pub(super) trait Unknown: Domain {
    /// Such a byte, another one each time.
    fn unknown(&mut self) -> Self::Byte;
}

impl Unknown for Symbolic {
    fn unknown(&mut self) -> Form {
        self.fresh()
    }
}

impl Unknown for Concrete {
    /// What is not initialised may be anything: these bits, too.
    fn unknown(&mut self) -> u8 {
        0xa5
    }
}

/// Bytes of a vector register that Windows asks to be kept.
pub(super) const SAVED_BYTES: usize = 16;

/// What a vector register holds above its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Above {
    Zero,
    Unknown,
}

/// A vector register: its lower bytes, and what is above them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Vector<B> {
    pub(super) bytes: Rc<[B]>,
    pub(super) above: Above,
}

impl<B> Vector<B> {
    /// Nothing is known of it.
    pub(super) fn unknown() -> Self {
        Self { bytes: Rc::new([]), above: Above::Unknown }
    }

    /// Whether what this says of a register holds of one that is `other`.
    pub(super) fn holds_of<D: Domain<Byte = B>>(&self, domain: &D, other: &Self) -> bool
    where
        B: PartialEq,
    {
        let places = self.bytes.len().max(match self.above {
            Above::Zero => other.bytes.len(),
            Above::Unknown => 0,
        });
        let same = |place: usize| match (self.bytes.get(place), other.bytes.get(place)) {
            (Some(own), Some(other)) => own == other,
            (Some(own), None) => other.above == Above::Zero && domain.known(own) == Some(0),
            (None, Some(other)) => domain.known(other) == Some(0),
            (None, None) => true,
        };
        let above = self.above == Above::Unknown || other.above == Above::Zero;
        above && (0..places).all(same)
    }
}

/// A byte of the stack.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum StackByte<B> {
    Byte(B),
    /// Byte number so much of a value that is not known byte by byte.
    Piece(Scalar<B>, usize),
}

/// What is known of a flag.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fact {
    /// It may depend on anything.
    Unknown,
    Known(bool),
    /// It is set when the number is zero.
    IsZero(Public),
    /// It is set when the first number is below the second.
    Below(Public, Public),
    /// It is set when the low half of the counter overflows from so much further on to so much.
    CounterCarry(u64, u64),
}

/// The flags that conditions read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Flags {
    pub(super) carry: Fact,
    pub(super) zero: Fact,
    pub(super) sign: Fact,
    pub(super) overflow: Fact,
}

impl Flags {
    pub(super) const UNKNOWN: Self = Self {
        carry: Fact::Unknown,
        zero: Fact::Unknown,
        sign: Fact::Unknown,
        overflow: Fact::Unknown,
    };

    fn each(&mut self, f: impl Fn(&Public) -> Public) {
        for fact in [&mut self.carry, &mut self.zero, &mut self.sign, &mut self.overflow] {
            match fact {
                Fact::IsZero(a) => *a = f(a),
                Fact::Below(a, b) => (*a, *b) = (f(a), f(b)),
                Fact::Unknown | Fact::Known(_) | Fact::CounterCarry(..) => {}
            }
        }
    }
}

/// The state before an instruction.
#[derive(Clone, Debug)]
pub(super) struct State<B> {
    /// Where the instruction begins.
    pub(super) at: u64,
    /// By register number.
    pub(super) general: [Scalar<B>; 16],
    pub(super) vectors: [Vector<B>; 32],
    /// Mask registers, where known.
    pub(super) masks: [Option<u64>; 8],
    pub(super) flags: Flags,
    /// What was stored on the stack, and arguments there, by their place from the stack pointer on
    /// entry.
    pub(super) stack: BTreeMap<i64, StackByte<B>>,
    pub(super) memory: Memory<B>,
    /// What is known of the number of batches.
    pub(super) assumption: Assumption,
}

impl<B: Clone> State<B> {
    /// The state on entry: `arguments` as the convention passes them, nothing known of the rest.
    pub(super) fn on_entry<D: Unknown<Byte = B>>(
        domain: &mut D,
        entry: u64,
        convention: Convention,
        arguments: Vec<Scalar<B>>,
        memory: Memory<B>,
    ) -> Self {
        let saved = |number| Scalar::symbol(Symbol::Saved(Register::RAX + number));
        let mut state = Self {
            at: entry,
            general: core::array::from_fn(|number| saved(number as u32)),
            vectors: core::array::from_fn(|_| Vector::unknown()),
            masks: [None; 8],
            flags: Flags::UNKNOWN,
            stack: BTreeMap::new(),
            memory,
            assumption: Assumption::Start,
        };
        state.general[Register::RSP.number()] = Scalar::symbol(Symbol::Stack);
        for register in convention.saved_vectors() {
            let bytes = (0..SAVED_BYTES).map(|_| domain.unknown()).collect();
            state.vectors[register] = Vector { bytes, above: Above::Unknown };
        }
        let mut registers = convention.arguments().iter();
        let mut place = convention.stack_arguments();
        for argument in arguments {
            match registers.next() {
                Some(register) => state.general[register.number()] = argument,
                None => {
                    for i in 0..8 {
                        let piece = StackByte::Piece(argument.clone(), i);
                        state.stack.insert(place + i as i64, piece);
                    }
                    place += 8;
                }
            }
        }
        state
    }

    /// Replaces a symbol everywhere.
    pub(super) fn substitute(&mut self, symbol: Symbol, value: &Public) {
        let replace = |public: &Public| public.substitute(symbol, value);
        let scalar = |scalar: &mut Scalar<B>| {
            if let Scalar::Public(public) = scalar {
                *public = replace(public);
            }
        };
        self.general.iter_mut().for_each(scalar);
        for byte in self.stack.values_mut() {
            if let StackByte::Piece(piece, _) = byte {
                scalar(piece);
            }
        }
        self.flags.each(replace);
    }
}
