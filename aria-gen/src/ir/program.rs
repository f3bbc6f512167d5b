//! A whole kernel: routines, constants, and the public control flow around them.
//!
//! State between routines is a named group of vectors. The frame of a kernel (what is done per
//! batch, in which order round keys are used) is data here, so that the Rust emitter, the
//! interpreter and later the machine-code emitter read one description.

use super::op::Operation;
use super::routine::Routine;
use crate::math::BitMatrix;

/// The least number of round keys that a program can be run with: one before the rounds, one in
/// them, one after them.
pub const STATE_KEYS: usize = 3;

/// Index of a routine in [`Program::routines`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoutineId(pub usize);

/// What a constant is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstantData {
    /// A bit matrix, packed as GF2P8AFFINEQB takes it, in each half of a lane.
    Matrix(BitMatrix),
    /// Two such matrices: one for the lower half of a lane, one for the upper.
    MatrixPair([BitMatrix; 2]),
    /// Sixteen bytes: a shuffle's control, a nibble table, a mask.
    Bytes([u8; 16]),
}

impl ConstantData {
    /// Whether it is made of bit matrices.
    #[must_use]
    pub fn is_matrix(&self) -> bool {
        matches!(self, Self::Matrix(_) | Self::MatrixPair(_))
    }

    /// The bytes of one 128-bit lane.
    #[must_use]
    pub fn lane(&self) -> [u8; 16] {
        let pair = |low: &BitMatrix, high: &BitMatrix| {
            let halves = [low, high].map(|matrix| matrix.to_gfni().to_le_bytes());
            core::array::from_fn(|i| halves[i / 8][i % 8])
        };
        match self {
            Self::Matrix(matrix) => pair(matrix, matrix),
            Self::MatrixPair([low, high]) => pair(low, high),
            Self::Bytes(bytes) => *bytes,
        }
    }
}

/// A named constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Upper-case name, unique in the program.
    pub name: String,
    /// What it is, in a sentence.
    pub doc: String,
    /// Its value.
    pub data: ConstantData,
}

/// Which round key a call uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRef {
    /// The first of all.
    First,
    /// That of the enclosing round loop's turn.
    Turn,
    /// The last of all.
    Last,
    /// The one with this number, in a program that takes a fixed number of them.
    Nth(usize),
}

/// `result = routine(arg, key)`, `times` over (each time on the result of the time before).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// What is called.
    pub routine: RoutineId,
    /// The state passed to it, if it has parameters.
    pub arg: Option<&'static str>,
    /// The round key it reads, if it reads one.
    pub key: Option<KeyRef>,
    /// The state it defines or redefines, if it has results.
    pub result: Option<&'static str>,
    /// How often it is applied.
    pub times: usize,
}

/// Public control flow. Counts come from the caller and from the number of round keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// A call.
    Call(Call),
    /// The body once for each batch; input and output move on by a batch each time.
    EachBatch(Vec<Control>),
    /// The calls `odd`, `even`, `odd`, … , `odd`, one for each round key between the first and the
    /// last, whose number is odd.
    AlternateRounds {
        /// Odd rounds, RFC 5794's first among them.
        odd: Call,
        /// Even rounds.
        even: Call,
    },
}

/// One kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program<O> {
    /// Bytes in a vector: 16, 32 or 64 for x86; any multiple of 16 for the interpreter.
    pub vector_bytes: usize,
    /// Bytes that a batch reads.
    pub batch_bytes: usize,
    /// Bytes that a batch writes.
    pub output_bytes: usize,
    /// Named constants, in order of first use.
    pub constants: Vec<Constant>,
    /// The routines, in the order in which a reader wants them.
    pub routines: Vec<Routine<O>>,
    /// What the kernel does.
    pub entry: Vec<Control>,
}

impl<O: Operation> Program<O> {
    /// A program with this one's shape and control, other constants and routines: what a pass or
    /// a lowering makes. Routines must keep their order.
    #[must_use]
    pub fn with_routines<P>(
        &self,
        constants: Vec<Constant>,
        routines: Vec<Routine<P>>,
    ) -> Program<P> {
        Program {
            vector_bytes: self.vector_bytes,
            batch_bytes: self.batch_bytes,
            output_bytes: self.output_bytes,
            constants,
            routines,
            entry: self.entry.clone(),
        }
    }

    /// The routine with this id.
    ///
    /// # Panics
    ///
    /// When the id is not of this program.
    #[must_use]
    pub fn routine(&self, id: RoutineId) -> &Routine<O> {
        &self.routines[id.0]
    }

    /// How many round keys the program takes, when it names each by its number.
    #[must_use]
    pub fn fixed_keys(&self) -> Option<usize> {
        fn most(control: &[Control]) -> Option<usize> {
            let numbers = control.iter().filter_map(|item| match item {
                Control::Call(Call { key: Some(KeyRef::Nth(number)), .. }) => Some(number + 1),
                Control::EachBatch(body) => most(body),
                Control::Call(_) | Control::AlternateRounds { .. } => None,
            });
            numbers.max()
        }
        most(&self.entry)
    }

    /// How often each routine runs in one batch with `rounds` rounds, by routine index.
    #[must_use]
    pub fn calls_per_batch(&self, rounds: usize) -> Vec<usize> {
        fn count(control: &[Control], rounds: usize, calls: &mut [usize]) {
            for item in control {
                match item {
                    Control::Call(call) => calls[call.routine.0] += call.times,
                    Control::EachBatch(body) => count(body, rounds, calls),
                    Control::AlternateRounds { odd, even } => {
                        calls[odd.routine.0] += odd.times * (rounds / 2);
                        calls[even.routine.0] += even.times * (rounds / 2 - 1);
                    }
                }
            }
        }
        let mut calls = vec![0; self.routines.len()];
        count(&self.entry, rounds, &mut calls);
        calls
    }
}
