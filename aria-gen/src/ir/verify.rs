//! Checks that a [`Program`] is well formed; run after building, lowering and every pass.
//!
//! Beyond SSA's rules it checks what memory safety rests on: loads and stores stay inside a batch,
//! every output byte is written exactly once, and no input is read after the first output was
//! written, so that a kernel may work in place.

use super::op::{Access, Operation};
use super::program::{COUNTER_BYTES, Call, Control, KeyRef, Program, RoutineId};
use super::routine::{Routine, Value};

/// What is wrong with a program, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct VerifyError {
    place: String,
    fault: String,
}

impl VerifyError {
    pub(super) fn new(place: &str, fault: impl Into<String>) -> Self {
        Self { place: place.to_owned(), fault: fault.into() }
    }
}

impl<O: Operation> Program<O> {
    /// Checks the whole program.
    ///
    /// # Errors
    ///
    /// The first rule broken, with the routine and the statement.
    pub fn verify(&self) -> Result<(), VerifyError> {
        if self.vector_bytes == 0 || !self.vector_bytes.is_multiple_of(O::VECTOR_GRANULE) {
            let fault = format!("vectors of {} bytes are not whole lanes", self.vector_bytes);
            return Err(VerifyError::new("program", fault));
        }
        for (i, constant) in self.constants.iter().enumerate() {
            if self.constants[..i].iter().any(|c| c.name == constant.name) {
                let fault = format!("two constants named {}", constant.name);
                return Err(VerifyError::new("program", fault));
            }
        }
        for routine in &self.routines {
            self.verify_routine(routine)?;
        }
        if self.overlap > 0 && (self.counter.is_some() || self.batch_bytes != self.output_bytes) {
            let fault = "batches that overlap count nothing and write as much as they move on by";
            return Err(VerifyError::new("program", fault));
        }
        let mut frame =
            Frame { program: self, states: Vec::new(), written: vec![false; self.output_bytes] };
        frame.check(&self.entry, false)?;
        match frame.written.iter().position(|written| !written) {
            Some(byte) => {
                let fault = format!("output byte {byte} is never written");
                Err(VerifyError::new("entry", fault))
            }
            None => Ok(()),
        }
    }

    pub(super) fn verify_routine(&self, routine: &Routine<O>) -> Result<(), VerifyError> {
        let mut defined = vec![false; routine.value_count()];
        for param in routine.params() {
            define(&mut defined, *param, routine)?;
        }
        for (number, stmt) in routine.body().iter().enumerate() {
            let fail = |fault: String| {
                let place = format!("{} statement {number} ({})", routine.name(), stmt.op);
                Err(VerifyError::new(&place, fault))
            };
            if !stmt.op.arity().accepts(stmt.args.len()) {
                let (takes, got) = (stmt.op.arity(), stmt.args.len());
                return fail(format!("takes {takes:?} operands, got {got}"));
            }
            if let Some(arg) = stmt.args.iter().find(|v| !is_defined(&defined, **v)) {
                return fail(format!("operand {} is used before it is defined", arg.index()));
            }
            if stmt.step.index() >= routine.steps().len() {
                return fail(format!("no step {}", stmt.step.index()));
            }
            if stmt.op.has_result() != stmt.result.is_some() {
                return fail("a store has no result, every other operation has one".to_owned());
            }
            match stmt.op.access() {
                Access::Input { offset } if offset + self.vector_bytes > self.read_bytes() => {
                    return fail(format!("ends past the batch of {} bytes", self.read_bytes()));
                }
                Access::Output { offset } if offset + self.vector_bytes > self.output_bytes => {
                    return fail(format!("ends past the output of {} bytes", self.output_bytes));
                }
                Access::RoundKey { index } if index >= 16 => {
                    return fail(format!("a round key has no byte {index}"));
                }
                Access::Counter { index, .. } if index >= COUNTER_BYTES => {
                    return fail(format!("a counter has no byte {index}"));
                }
                Access::Counter { .. } if self.counter.is_none() => {
                    return fail("the program counts nothing".to_owned());
                }
                Access::Constant { id } if id >= self.constants.len() => {
                    return fail(format!("no constant {id}"));
                }
                _ => {}
            }
            if let Some(result) = stmt.result {
                define(&mut defined, result, routine)?;
            }
        }
        match routine.results().iter().find(|v| !is_defined(&defined, **v)) {
            Some(value) => {
                let fault = format!("result {} is not defined", value.index());
                Err(VerifyError::new(routine.name(), fault))
            }
            None => Ok(()),
        }
    }
}

fn is_defined(defined: &[bool], value: Value) -> bool {
    defined.get(value.index()).copied().unwrap_or(false)
}

fn define<O: Operation>(
    defined: &mut [bool],
    value: Value,
    routine: &Routine<O>,
) -> Result<(), VerifyError> {
    match defined.get_mut(value.index()) {
        Some(slot) if !*slot => {
            *slot = true;
            Ok(())
        }
        _ => {
            let fault = format!("value {} is defined twice or unknown", value.index());
            Err(VerifyError::new(routine.name(), fault))
        }
    }
}

/// What is known while the control flow is walked.
struct Frame<'a, O> {
    program: &'a Program<O>,
    states: Vec<(&'static str, usize)>,
    written: Vec<bool>,
}

impl<O: Operation> Frame<'_, O> {
    fn check(&mut self, control: &[Control], in_batch: bool) -> Result<(), VerifyError> {
        for item in control {
            match item {
                Control::EachBatch(_) if in_batch => {
                    return Err(VerifyError::new("entry", "a batch loop inside a batch loop"));
                }
                Control::EachBatch(body) => {
                    let before = self.chain_width();
                    self.check(body, true)?;
                    if self.chain_width() != before {
                        let fault = "a batch leaves another chaining value than it takes";
                        return Err(VerifyError::new("entry", fault));
                    }
                }
                Control::Call(call) => self.check_call(call, in_batch, false)?,
                Control::Join { routine, state, chain } => {
                    self.check_join(*routine, state, chain, in_batch)?;
                }
                Control::ByCarry { carried, alike } => {
                    if !in_batch || (carried.key, carried.result) != (alike.key, alike.result) {
                        let fault = "calls by carry stand in a batch, with one key and result";
                        return Err(VerifyError::new("entry", fault));
                    }
                    for call in [carried, alike] {
                        self.check_call(call, in_batch, false)?;
                    }
                }
                Control::AlternateRounds { odd, even } => {
                    for call in [odd, even] {
                        self.check_call(call, in_batch, true)?;
                        if call.arg != call.result {
                            let fault = "a round must redefine the state that it takes";
                            return Err(VerifyError::new("entry", fault));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn check_call(&mut self, call: &Call, in_batch: bool, turn: bool) -> Result<(), VerifyError> {
        let Some(routine) = self.program.routines.get(call.routine.0) else {
            return Err(VerifyError::new("entry", format!("no routine {}", call.routine.0)));
        };
        let fail =
            |fault: &str| Err(VerifyError::new(&format!("call of {}", routine.name()), fault));
        let width = match call.arg {
            None => 0,
            Some(name) => match self.states.iter().find(|(known, _)| *known == name) {
                None => return fail("its state is not defined before"),
                Some((_, width)) => *width,
            },
        };
        if width != routine.params().len() {
            return fail("the state has not as many vectors as the routine takes");
        }
        if call.times == 0 || (call.times > 1 && routine.params().len() != routine.results().len())
        {
            return fail("a repeated routine must return what it takes");
        }
        if call.key.is_some() != routine.reads_round_key() {
            return fail("a round key is passed exactly when the routine reads one");
        }
        if routine.reads_counter() && (!in_batch || turn || call.times > 1) {
            return fail("a counter is read outside a batch, in a round or repeatedly");
        }
        if call.key == Some(KeyRef::Initial) && in_batch {
            return fail("the initial value in a batch");
        }
        if call.key == Some(KeyRef::Turn) && !turn {
            return fail("a turn's round key outside the round loop");
        }
        if call.result.is_some() == routine.results().is_empty() {
            return fail("a result is bound exactly when the routine returns one");
        }
        if (routine.reads_input() || routine.writes_output())
            && (!in_batch || turn || call.times > 1)
        {
            return fail("memory is touched outside a batch, in a round or repeatedly");
        }
        self.check_memory(routine)?;
        if let Some(name) = call.result {
            self.states.retain(|(known, _)| *known != name);
            self.states.push((name, routine.results().len()));
        }
        Ok(())
    }

    /// How many vectors the state has that goes from batch to batch; `None` if none does, or if it is not
    /// defined.
    fn chain_width(&self) -> Option<usize> {
        self.program.chain().and_then(|name| self.width(name))
    }

    fn width(&self, name: &str) -> Option<usize> {
        self.states.iter().find(|(known, _)| *known == name).map(|(_, width)| *width)
    }

    fn check_join(
        &self,
        routine: RoutineId,
        state: &str,
        chain: &str,
        in_batch: bool,
    ) -> Result<(), VerifyError> {
        let Some(routine) = self.program.routines.get(routine.0) else {
            return Err(VerifyError::new("entry", format!("no routine {}", routine.0)));
        };
        let fail =
            |fault: &str| Err(VerifyError::new(&format!("call of {}", routine.name()), fault));
        let (Some(width), Some(more)) = (self.width(state), self.width(chain)) else {
            return fail("its states are not defined before");
        };
        if !in_batch || self.program.chain() != Some(chain) {
            return fail("a chaining value is added outside a batch, or there are two");
        }
        if (routine.params().len(), routine.results().len()) != (width + more, width) {
            return fail("the states have not as many vectors as the routine takes and returns");
        }
        let pure = !routine.reads_round_key()
            && !routine.reads_counter()
            && !routine.reads_input()
            && !routine.writes_output();
        if pure { Ok(()) } else { fail("it may read its two states only") }
    }

    fn check_memory(&mut self, routine: &Routine<O>) -> Result<(), VerifyError> {
        for stmt in routine.body() {
            match stmt.op.access() {
                Access::Input { .. } if self.written.contains(&true) => {
                    let fault = "input is read after output was written: not safe in place";
                    return Err(VerifyError::new(routine.name(), fault));
                }
                Access::Output { offset } => {
                    for byte in &mut self.written[offset..offset + self.program.vector_bytes] {
                        if std::mem::replace(byte, true) {
                            let fault = format!("output at offset {offset} is written twice");
                            return Err(VerifyError::new(routine.name(), fault));
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
