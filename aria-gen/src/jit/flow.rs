//! Control flow to stretches: what runs without a branch, with routines laid out in line.
//!
//! Values that wait in memory anyway (constants, round keys, input) are no operations here but have
//! a home; the allocator decides where they are loaded, or whether they are an operand in memory.

use std::collections::BTreeMap;

use super::AssembleError;
use crate::ir::{Access, Call, Control, Form, KeyRef, MachineOp, Operation, Program, Span};
use crate::pipeline::Built;

/// A value of a kernel, a number.
pub(super) type Value = usize;

/// A round key, by the register that holds its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyBase {
    /// This one, counted from the first.
    Nth(usize),
    /// That of the round loop's turn.
    Turn,
    /// The last.
    Last,
}

/// Where a value can be read from at any time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// The constant with this number.
    Constant(usize),
    /// A 32-bit word of a round key, to be repeated.
    KeyWord(KeyBase, usize, Span),
    /// The sixteen bytes of a round key, in each lane.
    KeyLanes(KeyBase),
    /// A vector of the input, at this offset.
    Input(usize),
}

/// An operation on values.
#[derive(Clone, Debug)]
pub(super) struct Op {
    pub(super) op: MachineOp,
    pub(super) args: Vec<Value>,
    pub(super) result: Option<Value>,
}

/// Operations without a branch.
#[derive(Clone, Debug, Default)]
pub(super) struct Stretch {
    pub(super) params: Vec<Value>,
    pub(super) ops: Vec<Op>,
    pub(super) results: Vec<Value>,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) role: String,
    pub(super) home: Option<Home>,
}

/// A kernel's batch.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) facts: Vec<Fact>,
    /// From the beginning of a batch to the rounds; all of it where there is no loop.
    pub(super) before: Stretch,
    pub(super) rounds: Option<Rounds>,
}

/// The loop of rounds, and what comes after it.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    pub(super) odd: Stretch,
    pub(super) even: Stretch,
    pub(super) after: Stretch,
}

/// Lays a kernel's routines out in line.
pub(super) fn flatten(built: &Built) -> Result<Flow, AssembleError> {
    let program = built.finished();
    let no = |what| AssembleError::Control(built.id, what);
    let [Control::EachBatch(body)] = program.entry.as_slice() else {
        return Err(no("more than one loop over batches has no machine code"));
    };
    if program.counter.is_some() {
        return Err(no("counting has no machine code"));
    }
    if program.overlap > 0 {
        return Err(no("going from the last batch to the first has no machine code"));
    }
    let mut layout =
        Layout { program, facts: Vec::new(), constants: BTreeMap::new(), input: BTreeMap::new() };
    let mut stretches = vec![Stretch::default()];
    let mut loops = None;
    let mut state = Vec::new();
    for item in body {
        match item {
            Control::Call(call) => {
                let stretch = stretches.last_mut().expect("there is one from the start");
                layout.call(stretch, call, &mut state);
            }
            Control::AlternateRounds { odd, even } if loops.is_none() => {
                stretches.last_mut().expect("there is one from the start").results = state.clone();
                let [odd, even] = [odd, even].map(|call| {
                    let params: Vec<Value> =
                        state.iter().map(|_| layout.fresh("s", None)).collect();
                    let mut values = params.clone();
                    let mut stretch = Stretch { params, ..Stretch::default() };
                    layout.call(&mut stretch, call, &mut values);
                    stretch.results = values;
                    stretch
                });
                loops = Some((odd, even));
                state = state.iter().map(|_| layout.fresh("s", None)).collect();
                stretches.push(Stretch { params: state.clone(), ..Stretch::default() });
            }
            _ => return Err(no("this control flow has no machine code")),
        }
    }
    let after = if loops.is_some() { stretches.pop() } else { None };
    let before = stretches.pop().expect("there is one from the start");
    let rounds = loops.zip(after).map(|((odd, even), after)| Rounds { odd, even, after });
    Ok(Flow { facts: layout.facts, before, rounds })
}

struct Layout<'a> {
    program: &'a Program<MachineOp>,
    facts: Vec<Fact>,
    /// The values that are constants, and those that are input, by number and offset.
    constants: BTreeMap<usize, Value>,
    input: BTreeMap<usize, Value>,
}

impl Layout<'_> {
    fn fresh(&mut self, role: &str, home: Option<Home>) -> Value {
        self.facts.push(Fact { role: role.to_owned(), home });
        self.facts.len() - 1
    }

    fn call(&mut self, stretch: &mut Stretch, call: &Call, state: &mut Vec<Value>) {
        let routine = self.program.routine(call.routine);
        for _ in 0..call.times {
            let mut values: Vec<Option<Value>> = vec![None; routine.value_count()];
            for (param, value) in routine.params().iter().zip(state.iter()) {
                values[param.index()] = Some(*value);
            }
            for stmt in routine.body() {
                let args: Vec<Value> = stmt
                    .args
                    .iter()
                    .map(|arg| values[arg.index()].expect("the verifier saw it defined"))
                    .collect();
                let Some(result) = stmt.result else {
                    stretch.ops.push(Op { op: stmt.op.clone(), args, result: None });
                    continue;
                };
                let role = routine.role(result);
                values[result.index()] = Some(match (self.home(&stmt.op, call.key), &stmt.op) {
                    (Some(home), _) => self.at_home(role, home),
                    // The lower lane of a register is the register of the narrower name.
                    (None, op) if op.form() == Form::LaneLow => args[0],
                    (None, op) => {
                        let value = self.fresh(role, None);
                        stretch.ops.push(Op { op: op.clone(), args, result: Some(value) });
                        value
                    }
                });
            }
            *state = routine
                .results()
                .iter()
                .map(|result| values[result.index()].expect("the verifier saw it defined"))
                .collect();
        }
    }

    /// A value that is read from `home`: for a constant or input always the same.
    fn at_home(&mut self, role: &str, home: Home) -> Value {
        let known = match home {
            Home::Constant(id) => self.constants.get(&id),
            Home::Input(offset) => self.input.get(&offset),
            Home::KeyWord(..) | Home::KeyLanes(_) => None,
        };
        if let Some(value) = known {
            return *value;
        }
        let value = self.fresh(role, Some(home));
        match home {
            Home::Constant(id) => self.constants.insert(id, value),
            Home::Input(offset) => self.input.insert(offset, value),
            Home::KeyWord(..) | Home::KeyLanes(_) => None,
        };
        value
    }

    fn home(&self, op: &MachineOp, key: Option<KeyRef>) -> Option<Home> {
        let base = match key {
            Some(KeyRef::Turn) => KeyBase::Turn,
            Some(KeyRef::Last) => KeyBase::Last,
            Some(KeyRef::Nth(number)) => KeyBase::Nth(number),
            Some(KeyRef::First) | None => KeyBase::Nth(0),
            Some(KeyRef::Initial) => {
                unreachable!("refused: it is read before the loop over batches")
            }
        };
        match (op.access(), op) {
            (Access::Constant { id }, _) => Some(Home::Constant(id)),
            (Access::RoundKey { index }, MachineOp::KeySplat32 { span, .. }) => {
                Some(Home::KeyWord(base, index, *span))
            }
            (Access::RoundKey { .. }, _) => Some(Home::KeyLanes(base)),
            (Access::Input { offset }, _) => Some(Home::Input(offset)),
            _ => None,
        }
    }
}
