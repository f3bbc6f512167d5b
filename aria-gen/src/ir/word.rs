//! The third vocabulary: what plain Rust does with 64-bit words, for the portable tier.
//!
//! A [`WordProgram`] is a kernel whose state is a few words at any time, and whose routines are
//! straight-line ([`Routine`]) from state to state. It reads its batch into words, runs them through
//! the routines of one of its entries, and writes them back. Round keys and constants come as *rows*
//! of words, which a routine reads by public number. So here too a secret-dependent branch or address
//! cannot be written down; and every operation is one that takes the same time for all values on
//! every CPU: there is no sum, no product and no rotation by a variable.
//!
//! This file knows words. It does not know ciphers or Rust text.

use core::fmt::{self, Display, Formatter};

use super::interp::{Context, run_routine};
use super::op::{Access, Arity, Operation};
use super::program::Program;
use super::routine::Routine;
use super::verify::VerifyError;

/// An operation on words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WordOp {
    /// A word of the row that the routine is called with.
    Row {
        /// Number of the word.
        index: usize,
    },
    /// Exclusive or of two words.
    Xor,
    /// And of two words.
    And,
    /// Or of two words.
    Or,
    /// Exclusive or with a constant.
    XorMask {
        /// The constant.
        mask: u64,
    },
    /// And with a constant.
    AndMask {
        /// The constant.
        mask: u64,
    },
    /// Shift towards the most significant bit; zeros come in.
    ShiftLeft {
        /// By so many bits, below 64.
        by: u32,
    },
    /// Shift towards the least significant bit; zeros come in.
    ShiftRight {
        /// By so many bits, below 64.
        by: u32,
    },
    /// Rotation towards the least significant bit.
    RotateRight {
        /// By so many bits, below 64.
        by: u32,
    },
}

impl Display for WordOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row { index } => write!(f, "row {index}"),
            Self::Xor => f.write_str("xor"),
            Self::And => f.write_str("and"),
            Self::Or => f.write_str("or"),
            Self::XorMask { mask } => write!(f, "xor_mask {mask:#018x}"),
            Self::AndMask { mask } => write!(f, "and_mask {mask:#018x}"),
            Self::ShiftLeft { by } => write!(f, "shift_left {by}"),
            Self::ShiftRight { by } => write!(f, "shift_right {by}"),
            Self::RotateRight { by } => write!(f, "rotate_right {by}"),
        }
    }
}

impl Operation for WordOp {
    const VECTOR_GRANULE: usize = 8;

    fn arity(&self) -> Arity {
        Arity::Exactly(match self {
            Self::Row { .. } => 0,
            Self::Xor | Self::And | Self::Or => 2,
            _ => 1,
        })
    }

    fn access(&self) -> Access {
        // What a row has is checked where routines are called, with rows of their own lengths.
        Access::Pure
    }

    fn evaluate(&self, operands: &[&[u8]], context: &Context<'_>) -> Vec<u8> {
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("a word is 8 bytes"));
        let operand = |i: usize| word(operands[i]);
        let result = match *self {
            Self::Row { index } => word(&context.round_key()[8 * index..][..8]),
            Self::Xor => operand(0) ^ operand(1),
            Self::And => operand(0) & operand(1),
            Self::Or => operand(0) | operand(1),
            Self::XorMask { mask } => operand(0) ^ mask,
            Self::AndMask { mask } => operand(0) & mask,
            Self::ShiftLeft { by } => operand(0) << by,
            Self::ShiftRight { by } => operand(0) >> by,
            Self::RotateRight { by } => operand(0).rotate_right(by),
        };
        result.to_le_bytes().to_vec()
    }
}

/// A named row of constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantRow {
    /// Upper-case name, unique in the program.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub doc: String,
    /// Its words.
    pub words: Vec<u64>,
    /// Whether the kernel gets it through a reference that the compiler cannot see through. Words
    /// that are used once a round are read from memory then; LLVM would make each an instruction of
    /// ten bytes.
    pub hidden: bool,
}

/// The row that a routine is called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowRef {
    /// None: the routine reads none.
    None,
    /// The first round key.
    First,
    /// That of the enclosing round loop's turn.
    Turn,
    /// The last round key.
    Last,
    /// A constant row, by number.
    Constant(usize),
}

/// A call: the state through a routine, with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordCall {
    /// Number of the routine.
    pub routine: usize,
    /// The row that it reads.
    pub row: RowRef,
}

/// Public control flow of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    /// A call.
    Call(WordCall),
    /// The calls `odd`, `even`, `odd`, …, `odd`, one group for each round key between the first and
    /// the last.
    AlternateRounds {
        /// Odd rounds.
        odd: Vec<WordCall>,
        /// Even rounds.
        even: Vec<WordCall>,
    },
}

/// A way in which the bytes of a batch lie in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// Lower-case name, unique in the program.
    pub name: &'static str,
    /// What it is, after "Bytes of a batch".
    pub doc: &'static str,
    /// Byte `words[w][j]` of the batch is byte j, the least significant first, of word w.
    pub words: Vec<[usize; 8]>,
}

/// A function of a kernel: a batch in, a batch out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordEntry {
    /// The function's name.
    pub name: String,
    /// What it computes, in a sentence or two.
    pub doc: String,
    /// Where the batch's bytes lie before the first call.
    pub load: usize,
    /// What is done.
    pub flow: Vec<Flow>,
    /// Where the batch's bytes lie after the last call.
    pub store: usize,
}

/// A kernel on words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordProgram {
    /// Words of the state.
    pub state_words: usize,
    /// Bytes that a batch reads and writes.
    pub batch_bytes: usize,
    /// Ways in which the batch's bytes lie in the words.
    pub places: Vec<Places>,
    /// Named constants.
    pub rows: Vec<ConstantRow>,
    /// The routines, in the order in which a reader wants them.
    pub routines: Vec<Routine<WordOp>>,
    /// The functions.
    pub entries: Vec<WordEntry>,
    /// What makes a round key's row of its planes, which are two words, if that takes anything.
    pub spread: Option<Routine<WordOp>>,
}

impl WordProgram {
    /// Runs an entry over one batch. Round keys are rows of as many words as the state has.
    ///
    /// # Panics
    ///
    /// When the program does not verify, the entry is none, or the batch has another size.
    #[must_use]
    pub fn run(&self, entry: usize, round_keys: &[Vec<u64>], batch: &[u8]) -> Vec<u8> {
        let entry = &self.entries[entry];
        let load = self.places[entry.load].words.iter();
        let mut state: Vec<u64> =
            load.map(|word| u64::from_le_bytes(word.map(|place| batch[place]))).collect();
        for flow in &entry.flow {
            match flow {
                Flow::Call(call) => state = self.call(*call, round_keys, 0, &state),
                Flow::AlternateRounds { odd, even } => {
                    for turn in 1..round_keys.len() - 1 {
                        for call in if turn % 2 == 1 { odd } else { even } {
                            state = self.call(*call, round_keys, turn, &state);
                        }
                    }
                }
            }
        }
        let mut output = vec![0; self.batch_bytes];
        for (word, places) in state.iter().zip(&self.places[entry.store].words) {
            for (byte, place) in word.to_le_bytes().into_iter().zip(places) {
                output[*place] = byte;
            }
        }
        output
    }

    fn call(&self, call: WordCall, keys: &[Vec<u64>], turn: usize, state: &[u64]) -> Vec<u64> {
        let row: &[u64] = match call.row {
            RowRef::None => &[],
            RowRef::First => &keys[0],
            RowRef::Turn => &keys[turn],
            RowRef::Last => &keys[keys.len() - 1],
            RowRef::Constant(number) => &self.rows[number].words,
        };
        run_words(&self.routines[call.routine], state, row)
    }

    /// Checks the whole program: SSA, shapes, and that each byte of a batch is read, and written,
    /// exactly once.
    ///
    /// # Errors
    ///
    /// The first rule broken, with its place.
    pub fn verify(&self) -> Result<(), VerifyError> {
        let frame = Program {
            vector_bytes: 8,
            batch_bytes: self.batch_bytes,
            output_bytes: self.batch_bytes,
            overlap: 0,
            counter: None,
            constants: Vec::new(),
            routines: Vec::new(),
            entry: Vec::new(),
        };
        if let Some(spread) = &self.spread {
            frame.verify_routine(spread)?;
            let shape = [spread.params().len(), spread.results().len()];
            if shape != [2, self.state_words] || row_length(spread) != 0 {
                let fault = "it makes a row of two words and of nothing else";
                return Err(VerifyError::new(spread.name(), fault));
            }
        }
        for routine in &self.routines {
            frame.verify_routine(routine)?;
            let shape = [routine.params().len(), routine.results().len()];
            if shape != [self.state_words; 2] {
                let fault = "a routine takes the state and returns it";
                return Err(VerifyError::new(routine.name(), fault));
            }
        }
        for Places { name, words, .. } in &self.places {
            let mut seen: Vec<usize> = words.iter().flatten().copied().collect();
            seen.sort_unstable();
            if seen != (0..self.batch_bytes).collect::<Vec<_>>() {
                return Err(VerifyError::new(name, "not every byte of the batch has one place"));
            }
        }
        self.entries.iter().try_for_each(|entry| self.verify_entry(entry))
    }

    fn verify_entry(&self, entry: &WordEntry) -> Result<(), VerifyError> {
        let fail = |fault: &str| Err(VerifyError::new(&entry.name, fault));
        if entry.load.max(entry.store) >= self.places.len() {
            return fail("it loads or stores in a way that the program lacks");
        }
        let calls = entry.flow.iter().flat_map(|flow| match flow {
            Flow::Call(call) => vec![(false, *call)],
            Flow::AlternateRounds { odd, even } => {
                odd.iter().chain(even).map(|call| (true, *call)).collect()
            }
        });
        for (turn, call) in calls {
            let Some(routine) = self.routines.get(call.routine) else {
                return fail("a call of a routine that the program lacks");
            };
            let length = match call.row {
                RowRef::None => 0,
                RowRef::Turn if !turn => return fail("a turn's round key outside the round loop"),
                RowRef::First | RowRef::Turn | RowRef::Last => self.state_words,
                RowRef::Constant(number) => match self.rows.get(number) {
                    Some(row) => row.words.len(),
                    None => return fail("a call with a row that the program lacks"),
                },
            };
            if length != row_length(routine) {
                return fail("a call with a row of another length than the routine reads");
            }
        }
        Ok(())
    }
}

/// Runs a routine on words, with the row that it reads.
///
/// # Panics
///
/// When the routine does not verify, or the row is shorter than what it reads.
#[must_use]
pub fn run_words(routine: &Routine<WordOp>, state: &[u64], row: &[u64]) -> Vec<u64> {
    let row: Vec<u8> = row.iter().flat_map(|word| word.to_le_bytes()).collect();
    let args: Vec<Vec<u8>> = state.iter().map(|word| word.to_le_bytes().to_vec()).collect();
    let context = Context::new(8, &[], &[], &row);
    let results = run_routine(routine, &args, &context, &mut []);
    let word = |bytes: &Vec<u8>| u64::from_le_bytes(bytes[..].try_into().expect("a word"));
    results.iter().map(word).collect()
}

/// How many words of its row a routine reads: one more than the highest number.
#[must_use]
pub fn row_length(routine: &Routine<WordOp>) -> usize {
    let indices = routine.body().iter().filter_map(|stmt| match stmt.op {
        WordOp::Row { index } => Some(index + 1),
        _ => None,
    });
    indices.max().unwrap_or(0)
}

impl Display for WordProgram {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (words, bytes) = (self.state_words, self.batch_bytes);
        writeln!(f, "program: {words} words, batches of {bytes} bytes")?;
        for row in &self.rows {
            let words: Vec<String> = row.words.iter().map(|word| format!("{word:#018x}")).collect();
            writeln!(f, "row {} = {}", row.name, words.join(" "))?;
        }
        for routine in self.routines.iter().chain(&self.spread) {
            write!(f, "\n{routine}")?;
        }
        for entry in &self.entries {
            let (load, store) = (self.places[entry.load].name, self.places[entry.store].name);
            writeln!(f, "\nentry {}\n  load {load}", entry.name)?;
            for flow in &entry.flow {
                match flow {
                    Flow::Call(call) => writeln!(f, "  {}", self.call_text(*call))?,
                    Flow::AlternateRounds { odd, even } => {
                        writeln!(f, "  alternate rounds")?;
                        for (name, calls) in [("odd", odd), ("even", even)] {
                            for call in calls {
                                writeln!(f, "    {name}: {}", self.call_text(*call))?;
                            }
                        }
                    }
                }
            }
            writeln!(f, "  store {store}")?;
        }
        Ok(())
    }
}

impl WordProgram {
    fn call_text(&self, call: WordCall) -> String {
        let row = match call.row {
            RowRef::None => "",
            RowRef::First => "first key",
            RowRef::Turn => "this turn's key",
            RowRef::Last => "last key",
            RowRef::Constant(number) => self.rows[number].name,
        };
        format!("{}({row})", self.routines[call.routine].name())
    }
}

#[cfg(test)]
mod tests;
