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
    /// Sixteen bytes in each lane: a shuffle's control, a nibble table, a mask.
    Bytes([u8; 16]),
    /// The bytes of each lane.
    Lanes(Vec<[u8; 16]>),
}

impl ConstantData {
    /// Whether it is made of bit matrices.
    #[must_use]
    pub fn is_matrix(&self) -> bool {
        matches!(self, Self::Matrix(_) | Self::MatrixPair(_))
    }

    /// The bytes of which repetition fills a vector: of a half lane, of a lane or of all lanes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Matrix(matrix) => matrix.to_gfni().to_le_bytes().to_vec(),
            Self::MatrixPair(pair) => {
                pair.iter().flat_map(|matrix| matrix.to_gfni().to_le_bytes()).collect()
            }
            Self::Bytes(bytes) => bytes.to_vec(),
            Self::Lanes(lanes) => lanes.as_flattened().to_vec(),
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
    /// Not a round key but the initial value of a program that [chains](Program::chain).
    Initial,
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

/// How a program counts its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// As one number of 128 bits, the most significant byte first.
    Whole,
}

/// Bytes of a counter, and of the block that it makes.
pub const COUNTER_BYTES: usize = 16;

/// Public control flow. Counts come from the caller and from the number of round keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// A call.
    Call(Call),
    /// The body once for each batch; input, output and the counter, if there is one, move on by a
    /// batch each time.
    EachBatch(Vec<Control>),
    /// One of two calls with the same key and result. Counters are public, so this is no branch on a
    /// secret.
    ByCarry {
        /// When the last byte of the counter carries within the batch.
        carried: Call,
        /// When all counters of the batch have their other bytes in common.
        alike: Call,
    },
    /// `state = routine(state, chain)`. The state `chain` is defined before the batches, and what a batch
    /// makes of it the next one takes.
    Join {
        /// What is called.
        routine: RoutineId,
        /// The state passed to it first, which it redefines.
        state: &'static str,
        /// The state passed to it behind that.
        chain: &'static str,
    },
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
    /// Bytes by which the input moves on with each batch.
    pub batch_bytes: usize,
    /// Bytes that a batch reads beyond these, which are the next batch's first. The input is longer
    /// by them, batches are done from the last to the first, and where input and output are one,
    /// the output begins that much further on: so a batch destroys nothing that another still reads.
    pub overlap: usize,
    /// Bytes that a batch writes.
    pub output_bytes: usize,
    /// The counter that the program counts, if it does.
    pub counter: Option<Counter>,
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
            overlap: self.overlap,
            output_bytes: self.output_bytes,
            counter: self.counter,
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

    /// Bytes that a batch reads.
    #[must_use]
    pub fn read_bytes(&self) -> usize {
        self.batch_bytes + self.overlap
    }

    /// Blocks of a batch, as counters count them.
    #[must_use]
    pub fn batch_blocks(&self) -> usize {
        self.batch_bytes / COUNTER_BYTES
    }

    /// The two calls of a [`Control::ByCarry`] in `control`, if there is one.
    #[must_use]
    pub fn by_carry(control: &[Control]) -> Option<(&Call, &Call)> {
        control.iter().find_map(|item| match item {
            Control::ByCarry { carried, alike } => Some((carried, alike)),
            Control::EachBatch(body) => Self::by_carry(body),
            Control::Call(_) | Control::Join { .. } | Control::AlternateRounds { .. } => None,
        })
    }

    /// The state that goes from batch to batch, if one does.
    #[must_use]
    pub fn chain(&self) -> Option<&'static str> {
        fn find(control: &[Control]) -> Option<&'static str> {
            control.iter().find_map(|item| match item {
                Control::Join { chain, .. } => Some(*chain),
                Control::EachBatch(body) => find(body),
                _ => None,
            })
        }
        find(&self.entry)
    }

    /// Whether a routine is passed the initial value where others are passed a round key.
    #[must_use]
    pub fn takes_initial_value(&self, routine: &Routine<O>) -> bool {
        self.entry.iter().any(|item| match item {
            Control::Call(call) => {
                call.key == Some(KeyRef::Initial)
                    && self.routine(call.routine).name() == routine.name()
            }
            _ => false,
        })
    }

    /// How many round keys the program takes, when it names each by its number.
    #[must_use]
    pub fn fixed_keys(&self) -> Option<usize> {
        fn most(control: &[Control]) -> Option<usize> {
            let numbers = control.iter().filter_map(|item| match item {
                Control::Call(Call { key: Some(KeyRef::Nth(number)), .. }) => Some(number + 1),
                Control::EachBatch(body) => most(body),
                Control::Call(_)
                | Control::ByCarry { .. }
                | Control::Join { .. }
                | Control::AlternateRounds { .. } => None,
            });
            numbers.max()
        }
        most(&self.entry)
    }

    /// How often each routine runs in one batch, in which no counter carries, with `rounds` rounds, by
    /// routine index.
    #[must_use]
    pub fn calls_per_batch(&self, rounds: usize) -> Vec<usize> {
        fn count(control: &[Control], rounds: usize, calls: &mut [usize]) {
            for item in control {
                match item {
                    Control::Call(call) => calls[call.routine.0] += call.times,
                    Control::EachBatch(body) => count(body, rounds, calls),
                    Control::ByCarry { alike, .. } => calls[alike.routine.0] += alike.times,
                    Control::Join { routine, .. } => calls[routine.0] += 1,
                    Control::AlternateRounds { odd, even } => {
                        calls[odd.routine.0] += odd.times * (rounds / 2);
                        calls[even.routine.0] += even.times * (rounds / 2 - 1);
                    }
                }
            }
        }
        let mut calls = vec![0; self.routines.len()];
        for item in &self.entry {
            if let Control::EachBatch(body) = item {
                count(body, rounds, &mut calls);
            }
        }
        calls
    }
}
