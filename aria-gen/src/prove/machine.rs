//! The reader of machine code: bytes that a CPU executes, proved as the text is.
//!
//! An [`Image`] is decoded with iced-x86 and executed over the same [`domain`](super::domain) and the
//! same meanings as the text, from the function's entry on, as a [`Convention`] passes arguments. The
//! result is held against the same [`reference`](super::reference). Who made the bytes is not asked:
//! rustc and LLVM, or an assembler of our own.
//!
//! * `image`: the bytes, decoded along branches.
//! * `value`: what general registers hold: public numbers, data, halves of a counter.
//! * `state`, `memory`: registers, flags, the stack; which memory may be touched.
//! * `stack`: what is known of the stack pointer on entry.
//! * `general`, `vector`, `table`, `mask`: what instructions do.
//! * `control`: conditions. A branch depends on public numbers, or is refused.
//! * `batches`: the loop over an unknown number of batches, by induction.
//! * `part`: fewer blocks than a batch, each number of them.
//! * `cases`: a counter's 256 last bytes.
//! * `contract`: what a kernel is called with.
//! * `requirements`: which instructions a kernel may use.
//! * `search`: plain runs, when a proof fails.
//!
//! Control is followed as it is for the number of rounds in question; only the loop over batches is
//! not unrolled.

mod batches;
mod cases;
mod contract;
mod control;
mod convention;
mod counter;
mod fault;
mod general;
mod image;
mod mask;
mod memory;
mod part;
mod requirements;
mod search;
mod stack;
mod state;
mod table;
mod value;
mod vector;

pub use convention::Convention;
pub use fault::{Cause, Fault};
pub use image::{Constants, Image};
pub use table::vector_mnemonics;

use std::rc::Rc;

use super::memory::Placement;
use super::package::Kernel;
use super::reference::KeyForm;
use super::verdict::{Counterexample, Proof};
use crate::spec::aria::{self, KeySize};
use contract::Contract;
use control::Answer;
use counter::Case;
use general::Flow;
use image::Code;
use stack::StackBase;
use state::{SAVED_BYTES, State, Unknown};
use value::Symbol;

/// The answer for one kernel and number of rounds.
pub type Verdict = super::verdict::Verdict<Fault>;

/// Instructions that a kernel executes at most for a few batches.
const MOST_STEPS: u64 = 1_000_000;

/// A machine that executes an image.
struct Machine<'m, D: Unknown> {
    code: &'m Code<'m>,
    domain: &'m mut D,
    convention: Convention,
    stack: StackBase,
    /// What the argument `rk` points to.
    keys: Rc<[D::Byte]>,
    /// The case in which a counter is followed.
    case: Option<Case<D::Byte>>,
    /// What the vector registers that the convention keeps held on entry.
    saved: Vec<Rc<[D::Byte]>>,
    state: State<D::Byte>,
    steps: u64,
}

/// Where a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// Where it was asked to stop, before the instruction.
    There,
    /// On return, as the convention asks.
    Return,
    /// At a branch that asks whether this was the last batch: where it goes if so, and if not.
    Fork { last: u64, more: u64 },
}

impl<'m, D: Unknown> Machine<'m, D> {
    fn new(
        code: &'m Code<'m>,
        domain: &'m mut D,
        convention: Convention,
        stack: StackBase,
        keys: Rc<[D::Byte]>,
        state: State<D::Byte>,
    ) -> Self {
        let saved =
            convention.saved_vectors().map(|register| state.vectors[register].bytes.clone());
        let saved = saved.collect();
        Self { code, domain, convention, stack, keys, case: None, saved, state, steps: 0 }
    }

    /// The same machine in another state.
    fn at(&mut self, state: State<D::Byte>) -> &mut Self {
        self.state = state;
        self.steps = 0;
        self
    }

    /// Executes until a return, a fork, or before an instruction for which `there` holds.
    fn run(&mut self, mut there: impl FnMut(&Self) -> bool) -> Result<Stop, Fault> {
        loop {
            if there(self) {
                return Ok(Stop::There);
            }
            let stop = self.step().map_err(|cause| self.code.fault(self.state.at, cause))?;
            if let Some(stop) = stop {
                return Ok(stop);
            }
        }
    }

    fn step(&mut self) -> Result<Option<Stop>, Cause> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(Cause::Endless(MOST_STEPS));
        }
        let instruction = self.code.instruction(self.state.at).ok_or(Cause::NoCode)?;
        let next = instruction.next_ip();
        let flow = match self.general(instruction)? {
            Some(flow) => flow,
            None => {
                self.vector(instruction)?;
                Flow::Next
            }
        };
        self.state.at = match flow {
            Flow::Next => next,
            Flow::Jump(target) => target,
            Flow::Branch { answer: Answer::Known(true), target } => target,
            Flow::Branch { answer: Answer::Known(false), .. } => next,
            Flow::Branch { answer: Answer::IsLast, target } => {
                return Ok(Some(Stop::Fork { last: target, more: next }));
            }
            Flow::Branch { target, .. } => {
                return Ok(Some(Stop::Fork { last: next, more: target }));
            }
            Flow::Return => {
                self.check_return()?;
                return Ok(Some(Stop::Return));
            }
        };
        Ok(None)
    }

    /// The state from which to go on at `to` after a fork.
    fn take(&self, fork: &State<D::Byte>, to: u64, last: bool) -> State<D::Byte> {
        let mut state = fork.clone();
        if last {
            state.substitute(Symbol::Batches, &fork.assumption.last());
        }
        state.assumption = fork.assumption.after(last);
        state.at = to;
        state
    }

    /// What the convention asks of a return.
    fn check_return(&mut self) -> Result<(), Cause> {
        if self.stack_pointer()? != 0 {
            return Err(Cause::Convention("the stack pointer moved".to_owned()));
        }
        for register in self.convention.saved() {
            let saved = value::Scalar::symbol(Symbol::Saved(register.full_register()));
            if self.state.general[register.number()] != saved {
                return Err(Cause::Convention(format!("{register:?} changed")));
            }
        }
        for (register, saved) in self.convention.saved_vectors().zip(self.saved.clone()) {
            if self.read_vector(register, SAVED_BYTES) != saved {
                return Err(Cause::Convention(format!("xmm{register} changed")));
            }
        }
        Ok(())
    }
}

/// Proves or refutes that `image`, which `convention` calls, is `kernel` with the number of rounds of
/// `size`. `widest` is how many bytes its vectors may have.
#[must_use]
pub fn prove_image(
    image: &Image,
    kernel: &Kernel,
    convention: Convention,
    widest: usize,
    size: KeySize,
) -> Verdict {
    judge(image, kernel, convention, widest, size, batches::prove, search::search)
}

/// The same of the kernel's function for parts of a batch, for each number of blocks.
#[must_use]
pub fn prove_part(
    image: &Image,
    kernel: &Kernel,
    convention: Convention,
    widest: usize,
    size: KeySize,
) -> Verdict {
    judge(image, kernel, convention, widest, size, part::prove, search::search_part)
}

fn judge(
    image: &Image,
    kernel: &Kernel,
    convention: Convention,
    widest: usize,
    size: KeySize,
    prove: fn(&Contract<'_>) -> Result<Proof, Fault>,
    search: fn(&Contract<'_>) -> Option<Counterexample<Fault>>,
) -> Verdict {
    let code = match Code::decode(image) {
        Ok(code) => code,
        Err(fault) => return Verdict::Unknown(fault),
    };
    if let Err(fault) = requirements::check(&code, &kernel.features, widest) {
        return Verdict::Unknown(fault);
    }
    if matches!(kernel.key_form, KeyForm::Planes | KeyForm::SpreadPlanes) {
        let cause = Cause::Kind("bit-sliced words, which multiply unknown bits");
        return Verdict::Unknown(code.fault(image.entry as u64, cause));
    }
    if kernel.frame.chains() {
        let cause = Cause::Kind("a mode that chains, with a loop that this reader does not know");
        return Verdict::Unknown(code.fault(image.entry as u64, cause));
    }
    let mut stack = StackBase::first(&code);
    loop {
        let contract = Contract { code: &code, kernel, convention, stack, size };
        let proof = match prove(&contract) {
            Ok(proof) => proof,
            Err(fault) => match search(&contract) {
                Some(found) => return Verdict::Refuted(Box::new(found)),
                None => return Verdict::Unknown(fault),
            },
        };
        match stack.next() {
            Some(next) => stack = next,
            None => return Verdict::Proved(proof),
        }
    }
}

/// Executes `image` on plain bytes, as [`prove_image`] reads it, and returns its output. `keys` are
/// round keys as the RFC writes them, or the constants of a key schedule; `counter` is for kernels
/// that count. Of the stack pointers that the convention permits it has one.
///
/// # Errors
///
/// When execution stops, or does not read all input or write all output.
pub fn execute(
    image: &Image,
    kernel: &Kernel,
    convention: Convention,
    keys: &[aria::Block],
    counter: u128,
    input: &[u8],
    placement: Placement,
) -> Result<Vec<u8>, Fault> {
    let code = Code::decode(image)?;
    // The number of rounds follows from the keys; what a contract says of it is not asked here.
    let (stack, size) = (StackBase::first(&code), KeySize::K256);
    let contract = Contract { code: &code, kernel, convention, stack, size };
    let batches = input.len() / contract.input_bytes();
    let (keys, input) = (keys.to_vec(), input.to_vec());
    let output = contract.output_bytes() * batches;
    search::Call { keys, counter, input, number: batches, output, placement }
        .execute(&contract, |_| {})
}
