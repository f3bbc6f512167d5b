//! Runs a [`Program`] on bytes. Slow and obvious; needs no special CPU.
//!
//! Round keys are given in the *memory form* that the program's vocabulary reads: raw bytes for
//! [`crate::ir::AbstractOp`], the kernel's key form for [`crate::ir::MachineOp`]
//! (`kernel::KeyForm::expand`).

use super::machine::Span;
use super::op::{Access, CounterPart, Operation};
use super::program::{Call, Constant, ConstantData, Control, KeyRef, Program, STATE_KEYS};
use super::routine::Routine;

/// Why a program could not be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InterpError {
    /// Lengths do not fit the program.
    #[error(
        "input has {input} bytes and output {output}; they must be as many batches, of {read} and \
         {written} bytes, after {overlap} bytes of input"
    )]
    Length {
        /// Bytes of input.
        input: usize,
        /// Bytes of output.
        output: usize,
        /// Bytes of input that a batch has for itself.
        read: usize,
        /// Bytes that a batch writes.
        written: usize,
        /// Bytes of input besides.
        overlap: usize,
    },
    /// The alternating rounds need an odd number of round keys, three at least; other programs as
    /// many as they name.
    #[error(
        "{0} round keys; where rounds alternate give an odd number, {STATE_KEYS} or more, else as \
         many as the program names"
    )]
    RoundKeys(usize),
}

/// What an operation can see besides its operands.
#[derive(Debug)]
pub struct Context<'a> {
    vector_bytes: usize,
    constants: &'a [Constant],
    input: &'a [u8],
    round_key: &'a [u8],
    counter: u128,
}

impl<'a> Context<'a> {
    /// A context for one operation or routine: `input` is the current batch, `round_key` the
    /// current round key in its memory form.
    #[must_use]
    pub fn new(
        vector_bytes: usize,
        constants: &'a [Constant],
        input: &'a [u8],
        round_key: &'a [u8],
    ) -> Self {
        Self { vector_bytes, constants, input, round_key, counter: 0 }
    }

    /// The same, with `counter` as the first of the batch.
    #[must_use]
    pub fn with_counter(self, counter: u128) -> Self {
        Self { counter, ..self }
    }

    /// A byte of the counters, without a round key.
    pub(crate) fn counter_byte(&self, index: usize, part: CounterPart) -> u8 {
        let start = self.counter.to_be_bytes()[index];
        match part {
            CounterPart::Start | CounterPart::StartPlusKey => start,
            CounterPart::Change => start ^ self.counter.wrapping_add(256).to_be_bytes()[index],
        }
    }

    pub(crate) fn vector_bytes(&self) -> usize {
        self.vector_bytes
    }

    pub(crate) fn input(&self, offset: usize) -> Vec<u8> {
        self.input[offset..][..self.vector_bytes].to_vec()
    }

    pub(crate) fn round_key(&self) -> &[u8] {
        self.round_key
    }

    pub(crate) fn constant(&self, id: usize) -> &ConstantData {
        &self.constants[id].data
    }

    /// `pattern` over and over, to the length of a vector or of a lane.
    pub(crate) fn splat(&self, pattern: &[u8], span: Span) -> Vec<u8> {
        let length = match span {
            Span::Vector => self.vector_bytes,
            Span::Lane => 16,
        };
        pattern.iter().copied().cycle().take(length).collect()
    }
}

/// Runs one routine and returns its results; stores go to `output`, the current batch's.
///
/// # Panics
///
/// When the routine does not verify.
pub fn run_routine<O: Operation>(
    routine: &Routine<O>,
    args: &[Vec<u8>],
    context: &Context<'_>,
    output: &mut [u8],
) -> Vec<Vec<u8>> {
    let mut values: Vec<Vec<u8>> = vec![Vec::new(); routine.value_count()];
    for (param, arg) in routine.params().iter().zip(args) {
        values[param.index()].clone_from(arg);
    }
    for stmt in routine.body() {
        let operands: Vec<&[u8]> = stmt.args.iter().map(|v| &values[v.index()][..]).collect();
        let bytes = stmt.op.evaluate(&operands, context);
        match (stmt.op.access(), stmt.result) {
            (Access::Output { offset }, _) => {
                output[offset..][..bytes.len()].copy_from_slice(&bytes)
            }
            (_, Some(result)) => values[result.index()] = bytes,
            (_, None) => {}
        }
    }
    let results = routine.results().iter();
    results.map(|v| values[v.index()].clone()).collect()
}

/// Runs a verified program over all batches of `input`; if it counts, from zero.
///
/// # Errors
///
/// When the lengths or the number of round keys do not fit.
pub fn run<O: Operation>(
    program: &Program<O>,
    round_keys: &[Vec<u8>],
    input: &[u8],
    output: &mut [u8],
) -> Result<(), InterpError> {
    run_from(program, 0, round_keys, input, output)
}

/// Runs a verified program over all batches of `input`; the first block's counter is `counter`, or the
/// initial value these 16 bytes, the most significant first.
///
/// # Errors
///
/// When the lengths or the number of round keys do not fit.
pub fn run_from<O: Operation>(
    program: &Program<O>,
    counter: u128,
    round_keys: &[Vec<u8>],
    input: &[u8],
    output: &mut [u8],
) -> Result<(), InterpError> {
    let (read, written) = (program.batch_bytes, program.output_bytes);
    let batches = input.len().checked_sub(program.overlap).filter(|n| n.is_multiple_of(read));
    let whole = output.len().is_multiple_of(written);
    if !whole || batches.map(|bytes| bytes / read) != Some(output.len() / written) {
        let (input, output, overlap) = (input.len(), output.len(), program.overlap);
        return Err(InterpError::Length { input, output, read, written, overlap });
    }
    let fits = match program.fixed_keys() {
        Some(count) => round_keys.len() == count,
        None => round_keys.len() >= STATE_KEYS && !round_keys.len().is_multiple_of(2),
    };
    if !fits {
        return Err(InterpError::RoundKeys(round_keys.len()));
    }
    let mut machine = Machine { program, round_keys, counter, states: Vec::new() };
    machine.run(&program.entry, input, output);
    Ok(())
}

struct Machine<'a, O> {
    program: &'a Program<O>,
    round_keys: &'a [Vec<u8>],
    /// That of the batch's first block.
    counter: u128,
    states: Vec<(&'static str, Vec<Vec<u8>>)>,
}

impl<O: Operation> Machine<'_, O> {
    /// Runs `control` with `input` and `output` as the memory in reach.
    fn run(&mut self, control: &[Control], input: &[u8], output: &mut [u8]) {
        for item in control {
            match item {
                Control::Call(call) => self.call(call, None, input, output),
                Control::ByCarry { carried, alike } => {
                    let last = (self.counter & 0xff) as usize + self.program.batch_blocks() - 1;
                    let call = if last > 255 { carried } else { alike };
                    self.call(call, None, input, output);
                }
                Control::EachBatch(body) => {
                    let Program { batch_bytes, output_bytes, .. } = self.program;
                    // Input and output are apart here, so the order does not matter.
                    let read = self.program.read_bytes();
                    for (batch, output) in output.chunks_exact_mut(*output_bytes).enumerate() {
                        let input = &input[batch * batch_bytes..][..read];
                        self.run(body, input, output);
                        let blocks = self.program.batch_blocks() as u128;
                        self.counter = self.counter.wrapping_add(blocks);
                    }
                }
                Control::Join { routine, state, chain } => {
                    let args = [self.state(state), self.state(chain)].concat();
                    let context =
                        Context::new(self.program.vector_bytes, &self.program.constants, &[], &[]);
                    let results =
                        run_routine(self.program.routine(*routine), &args, &context, output);
                    self.define(state, results);
                }
                Control::AlternateRounds { odd, even } => {
                    for turn in 1..self.round_keys.len() - 1 {
                        let call = if turn % 2 == 1 { odd } else { even };
                        self.call(call, Some(turn), input, output);
                    }
                }
            }
        }
    }

    fn call(&mut self, call: &Call, turn: Option<usize>, input: &[u8], output: &mut [u8]) {
        let initial = self.counter.to_be_bytes();
        let round_key = match call.key {
            None => &[][..],
            Some(KeyRef::Initial) => &initial,
            Some(KeyRef::First) => &self.round_keys[0],
            Some(KeyRef::Last) => &self.round_keys[self.round_keys.len() - 1],
            Some(KeyRef::Nth(number)) => &self.round_keys[number],
            Some(KeyRef::Turn) => &self.round_keys[turn.expect("verified: inside a round loop")],
        };
        let vector_bytes = self.program.vector_bytes;
        let context = Context::new(vector_bytes, &self.program.constants, input, round_key)
            .with_counter(self.counter);
        let mut state = call.arg.map(|name| self.state(name)).unwrap_or_default();
        for _ in 0..call.times {
            let routine = self.program.routine(call.routine);
            state = run_routine(routine, &state, &context, output);
        }
        if let Some(name) = call.result {
            self.define(name, state);
        }
    }

    fn define(&mut self, name: &'static str, state: Vec<Vec<u8>>) {
        self.states.retain(|(known, _)| *known != name);
        self.states.push((name, state));
    }

    fn state(&self, name: &str) -> Vec<Vec<u8>> {
        let found = self.states.iter().find(|(known, _)| *known == name);
        found.expect("verified: defined before use").1.clone()
    }
}
