//! The third vocabulary: what plain Rust does with 64-bit words, for the portable tier.
//!
//! A [`WordProgram`] is a kernel whose state is eight words at any time, and whose routines are
//! straight-line ([`Routine`]) from eight words to eight. It reads its batch into words, runs them
//! through the routines of one of its entries, and writes them back. Round keys and constants come
//! as *rows* of words, which a routine reads by public number. So here too a secret-dependent branch
//! or address cannot be written down; and every operation is one that takes the same time for all
//! values on every CPU: there is no multiplication and no rotation by a variable.
//!
//! This file knows words. It does not know ciphers or Rust text.

use core::fmt::{self, Display, Formatter};

use super::interp::{Context, run_routine};
use super::op::{Access, Arity, Operation};
use super::program::Program;
use super::routine::Routine;
use super::verify::VerifyError;

/// Words of the state.
pub const STATE_WORDS: usize = 8;

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
    /// 16 times the word minus the word. If only the lowest bit of each nibble may be set, that
    /// makes four copies of each.
    SpreadNibbles,
}

impl Display for WordOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row { index } => write!(f, "row {index}"),
            Self::Xor => f.write_str("xor"),
            Self::And => f.write_str("and"),
            Self::XorMask { mask } => write!(f, "xor_mask {mask:#018x}"),
            Self::AndMask { mask } => write!(f, "and_mask {mask:#018x}"),
            Self::ShiftLeft { by } => write!(f, "shift_left {by}"),
            Self::ShiftRight { by } => write!(f, "shift_right {by}"),
            Self::RotateRight { by } => write!(f, "rotate_right {by}"),
            Self::SpreadNibbles => f.write_str("spread_nibbles"),
        }
    }
}

impl Operation for WordOp {
    const VECTOR_GRANULE: usize = 8;

    fn arity(&self) -> Arity {
        Arity::Exactly(match self {
            Self::Row { .. } => 0,
            Self::Xor | Self::And => 2,
            _ => 1,
        })
    }

    fn access(&self) -> Access {
        match *self {
            Self::Row { index } => Access::RoundKey { index },
            _ => Access::Pure,
        }
    }

    fn evaluate(&self, operands: &[&[u8]], context: &Context<'_>) -> Vec<u8> {
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("a word is 8 bytes"));
        let operand = |i: usize| word(operands[i]);
        let result = match *self {
            Self::Row { index } => word(&context.round_key()[8 * index..][..8]),
            Self::Xor => operand(0) ^ operand(1),
            Self::And => operand(0) & operand(1),
            Self::XorMask { mask } => operand(0) ^ mask,
            Self::AndMask { mask } => operand(0) & mask,
            Self::ShiftLeft { by } => operand(0) << by,
            Self::ShiftRight { by } => operand(0) >> by,
            Self::RotateRight { by } => operand(0).rotate_right(by),
            Self::SpreadNibbles => (operand(0) << 4).wrapping_sub(operand(0)),
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

/// Where the bytes of a batch lie in the words: byte `places[w][j]` of the batch is byte j, the
/// least significant first, of word w.
pub type Places = [[usize; 8]; STATE_WORDS];

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
    /// Bytes that a batch reads and writes.
    pub batch_bytes: usize,
    /// Ways in which the batch's bytes lie in the words, with a name and a sentence each.
    pub places: Vec<(&'static str, String, Places)>,
    /// Named constants.
    pub rows: Vec<ConstantRow>,
    /// The routines, in the order in which a reader wants them.
    pub routines: Vec<Routine<WordOp>>,
    /// The functions.
    pub entries: Vec<WordEntry>,
}

impl WordProgram {
    /// Runs an entry over one batch. Round keys are rows of [`STATE_WORDS`] words.
    ///
    /// # Panics
    ///
    /// When the program does not verify, the entry is none, or the batch has another size.
    #[must_use]
    pub fn run(&self, entry: usize, round_keys: &[Vec<u64>], batch: &[u8]) -> Vec<u8> {
        let entry = &self.entries[entry];
        let (_, _, load) = &self.places[entry.load];
        let (_, _, store) = &self.places[entry.store];
        let mut state = load.map(|word| u64::from_le_bytes(word.map(|place| batch[place])));
        for flow in &entry.flow {
            match flow {
                Flow::Call(call) => state = self.call(*call, round_keys, 0, state),
                Flow::AlternateRounds { odd, even } => {
                    for turn in 1..round_keys.len() - 1 {
                        for call in if turn % 2 == 1 { odd } else { even } {
                            state = self.call(*call, round_keys, turn, state);
                        }
                    }
                }
            }
        }
        let mut output = vec![0; self.batch_bytes];
        for (word, places) in state.iter().zip(store) {
            for (byte, place) in word.to_le_bytes().into_iter().zip(places) {
                output[*place] = byte;
            }
        }
        output
    }

    fn call(
        &self,
        call: WordCall,
        keys: &[Vec<u64>],
        turn: usize,
        state: [u64; STATE_WORDS],
    ) -> [u64; STATE_WORDS] {
        let row: &[u64] = match call.row {
            RowRef::None => &[],
            RowRef::First => &keys[0],
            RowRef::Turn => &keys[turn],
            RowRef::Last => &keys[keys.len() - 1],
            RowRef::Constant(number) => &self.rows[number].words,
        };
        self.run_routine(call.routine, state, row)
    }

    /// Runs one routine.
    ///
    /// # Panics
    ///
    /// When the program does not verify, or the row is shorter than the routine reads.
    #[must_use]
    pub fn run_routine(
        &self,
        routine: usize,
        state: [u64; STATE_WORDS],
        row: &[u64],
    ) -> [u64; STATE_WORDS] {
        let row: Vec<u8> = row.iter().flat_map(|word| word.to_le_bytes()).collect();
        let args = state.map(|word| word.to_le_bytes().to_vec());
        let context = Context::new(8, &[], &[], &row);
        let results = run_routine(&self.routines[routine], &args, &context, &mut []);
        core::array::from_fn(|i| u64::from_le_bytes(results[i][..].try_into().expect("a word")))
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
            constants: Vec::new(),
            routines: Vec::new(),
            entry: Vec::new(),
        };
        for routine in &self.routines {
            frame.verify_routine(routine)?;
            let shape = [routine.params().len(), routine.results().len()];
            if shape != [STATE_WORDS; 2] {
                let fault = "a routine takes the state and returns it";
                return Err(VerifyError::new(routine.name(), fault));
            }
        }
        for (name, _, places) in &self.places {
            let mut seen: Vec<usize> = places.iter().flatten().copied().collect();
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
                RowRef::First | RowRef::Turn | RowRef::Last => STATE_WORDS,
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
        writeln!(f, "program: {STATE_WORDS} words, batches of {} bytes", self.batch_bytes)?;
        for row in &self.rows {
            let words: Vec<String> = row.words.iter().map(|word| format!("{word:#018x}")).collect();
            writeln!(f, "row {} = {}", row.name, words.join(" "))?;
        }
        for routine in &self.routines {
            write!(f, "\n{routine}")?;
        }
        for entry in &self.entries {
            let (load, store) = (self.places[entry.load].0, self.places[entry.store].0);
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
