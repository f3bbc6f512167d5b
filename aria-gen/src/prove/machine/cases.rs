//! A batch of a kernel that counts, for each of the 256 last bytes of its first block's counter.
//!
//! From the head of the batch loop on, the code is followed for each last byte, the other bytes of the
//! counter being unknown (see [`UnknownCounter`]), until the instruction where all ways are one again.
//! Input and output are not touched up to there. What a register or the stack then holds is:
//!
//! * a half of the counter, so much further on, in every case: then it is that;
//! * the same in every case: then it is that;
//! * byte i of block j's counter, in every case, plus what is the same in every case: then it is that
//!   plus an unknown byte, which stands for byte i of block j's counter whatever it is;
//! * something else: then it may be anything.
//!
//! From there on one execution stands for all. In block 0 no case carries, so all but the last byte
//! of its counter are those of the batch's.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::counterexample::Bytes;
use super::super::domain::{Domain, Form, Symbolic};
use super::super::reader::UnknownCounter;
use super::batches::HALVES;
use super::contract::Contract;
use super::counter::Case;
use super::fault::{Cause, Fault};
use super::search::Call;
use super::state::{Above, Flags, StackByte, State, Vector};
use super::value::Scalar;
use super::{Machine, Stop};

/// All but the last byte of a counter.
const HIGH: usize = 15;

/// Bytes that stand for the counters of a batch.
pub(super) fn unknown_counter(domain: &mut Symbolic, blocks: usize) -> UnknownCounter<Form> {
    let high: [Form; HIGH] = core::array::from_fn(|_| domain.fresh());
    let carried = core::array::from_fn(|_| domain.fresh());
    let block = |number| {
        core::array::from_fn(|i| match high.get(i) {
            Some(byte) if number == 0 => byte.clone(),
            _ => domain.fresh(),
        })
    };
    let blocks = (0..blocks).map(block).collect();
    UnknownCounter { high, carried, blocks }
}

/// Where the ways with and without a carry are one again, by two plain runs.
pub(super) fn find_merge(contract: &Contract<'_>, head: u64) -> Result<u64, Fault> {
    let mut traces = Vec::new();
    for last in [0, 255] {
        let mut call = Call::random(contract, 1, &mut Bytes(1));
        call.counter = call.counter & !0xff | last;
        let mut trace = Vec::new();
        call.execute(contract, |machine| trace.push(machine.state.at))?;
        traces.push(trace);
    }
    let pairs = traces[0].iter().rev().zip(traces[1].iter().rev());
    let common = pairs.take_while(|(a, b)| a == b).map(|(at, _)| *at).last();
    let cause = Cause::Kind("counters without a way of their own across a carry");
    common.filter(|at| *at != traces[0][0]).ok_or_else(|| contract.code.fault(head, cause))
}

/// Follows the code from `start` to `merge`, the counter being any.
pub(super) fn follow(
    machine: &mut Machine<'_, Symbolic>,
    start: &State<Form>,
    merge: u64,
    unknown: &UnknownCounter<Form>,
) -> Result<State<Form>, Fault> {
    let mut ends = Vec::new();
    for last in 0..=255 {
        let case = Case { unknown: unknown.clone(), last };
        let state = with_counter(machine, start, &case)
            .map_err(|cause| machine.code.fault(start.at, cause))?;
        machine.case = Some(case);
        let stop = machine.at(state).run(|machine| machine.state.at == merge);
        machine.case = None;
        if stop? != Stop::There {
            let cause = Cause::Induction("asks for the number of batches within one");
            return Err(machine.code.fault(machine.state.at, cause));
        }
        ends.push(machine.state.clone());
    }
    Ok(Merge { domain: machine.domain, unknown, ends }.state())
}

/// The state with the counter's bytes in place of its halves.
fn with_counter(
    machine: &Machine<'_, Symbolic>,
    start: &State<Form>,
    case: &Case<Form>,
) -> Result<State<Form>, Cause> {
    let mut state = start.clone();
    let bytes = |scalar: &Scalar<Form>| match scalar {
        Scalar::Counter(half, further) => {
            let bytes = case.half(&*machine.domain, *half, *further);
            bytes.map(Some).ok_or(Cause::Unsupported("a counter so far on"))
        }
        _ => Ok(None),
    };
    for scalar in &mut state.general {
        if let Some(bytes) = bytes(scalar)? {
            *scalar = machine.scalar_of(bytes.into());
        }
    }
    for byte in state.stack.values_mut() {
        if let StackByte::Piece(scalar, i) = byte
            && let Some(bytes) = bytes(scalar)?
        {
            *byte = StackByte::Byte(bytes[*i].clone());
        }
    }
    Ok(state)
}

/// The states at the end of each case.
struct Merge<'a> {
    domain: &'a mut Symbolic,
    unknown: &'a UnknownCounter<Form>,
    ends: Vec<State<Form>>,
}

impl Merge<'_> {
    fn state(mut self) -> State<Form> {
        let mut state = self.ends[0].clone();
        state.flags = Flags::UNKNOWN;
        state.masks = [None; 8];
        for number in 0..state.general.len() {
            let values = self.ends.iter().map(|end| end.general[number].clone()).collect();
            state.general[number] = self.scalar(values);
        }
        for number in 0..state.vectors.len() {
            let values: Vec<_> = self.ends.iter().map(|end| end.vectors[number].clone()).collect();
            state.vectors[number] = self.vector(&values);
        }
        state.stack = self.stack();
        state
    }

    fn scalar(&mut self, values: Vec<Scalar<Form>>) -> Scalar<Form> {
        if let Some(counter) = self.half(&values) {
            return counter;
        }
        if values.iter().all(|value| *value == values[0]) {
            return values[0].clone();
        }
        Scalar::Data((0..8).map(|_| self.domain.fresh()).collect())
    }

    /// The half of the counter that the value is in every case.
    fn half(&self, values: &[Scalar<Form>]) -> Option<Scalar<Form>> {
        let blocks = self.unknown.blocks.len() as u64;
        let is = |half, further| {
            (0..=255).zip(values).all(|(last, value)| {
                let case = Case { unknown: self.unknown.clone(), last };
                let bytes = case.half(&*self.domain, half, further);
                matches!(value, Scalar::Data(own) if bytes.is_some_and(|bytes| *bytes == **own))
            })
        };
        let candidates = [0, blocks, 256].into_iter();
        let mut candidates = candidates.flat_map(|further| HALVES.map(|half| (half, further)));
        let found = candidates.find(|(half, further)| is(*half, *further));
        found.map(|(half, further)| Scalar::Counter(half, further))
    }

    fn vector(&mut self, values: &[Vector<Form>]) -> Vector<Form> {
        let width = values[0].bytes.len();
        let alike =
            |value: &Vector<Form>| value.bytes.len() == width && value.above == values[0].above;
        if !values.iter().all(alike) {
            return Vector::unknown();
        }
        let bytes: Rc<[Form]> = (0..width)
            .map(|i| {
                let bytes: Vec<&Form> = values.iter().map(|value| &value.bytes[i]).collect();
                self.byte(&bytes).unwrap_or_else(|| self.domain.fresh())
            })
            .collect();
        let above: Above = values[0].above;
        Vector { bytes, above }
    }

    /// What every case has at a place of the stack. Words are at multiples of eight bytes.
    fn stack(&mut self) -> BTreeMap<i64, StackByte<Form>> {
        let mut stack = BTreeMap::new();
        let places: Vec<i64> = self.ends[0].stack.keys().copied().collect();
        for place in places {
            if stack.contains_key(&place) {
                continue;
            }
            if place % 8 == 0
                && let Some(counter) = self.half(&self.words(place))
            {
                stack.extend(
                    (0..8).map(|i| (place + i as i64, StackByte::Piece(counter.clone(), i))),
                );
                continue;
            }
            let values: Option<Vec<StackByte<Form>>> =
                self.ends.iter().map(|end| end.stack.get(&place).cloned()).collect();
            let Some(values) = values else { continue };
            if values.iter().all(|value| *value == values[0]) {
                stack.insert(place, values[0].clone());
                continue;
            }
            let bytes: Option<Vec<&Form>> = values
                .iter()
                .map(|value| match value {
                    StackByte::Byte(byte) => Some(byte),
                    StackByte::Piece(..) => None,
                })
                .collect();
            if let Some(byte) = bytes.and_then(|bytes| self.byte(&bytes)) {
                stack.insert(place, StackByte::Byte(byte));
            }
        }
        stack
    }

    /// The eight bytes from a place on, in each case that has them.
    fn words(&self, place: i64) -> Vec<Scalar<Form>> {
        let word = |end: &State<Form>| {
            let byte = |i| match end.stack.get(&(place + i)) {
                Some(StackByte::Byte(byte)) => Some(byte.clone()),
                _ => None,
            };
            (0..8).map(byte).collect::<Option<Rc<[Form]>>>()
        };
        let nothing = || Scalar::constant(0);
        self.ends.iter().map(|end| word(end).map_or_else(nothing, Scalar::Data)).collect()
    }

    /// A byte, of which each case has its own.
    fn byte(&self, values: &[&Form]) -> Option<Form> {
        let (first, last) = (values[0], values[values.len() - 1]);
        if values.iter().all(|value| *value == first) {
            return Some(first.clone());
        }
        let unknown = self.unknown;
        // One of the bytes that change with a carry: from some case on, for a block as far on.
        let change = self.domain.xor(first, last);
        let is = |i: &usize| self.domain.xor(&unknown.high[*i], &unknown.carried[*i]) == change;
        if let Some(i) = (0..HIGH).find(is) {
            let block = values.iter().filter(|value| **value == last).count();
            let (before, after) = values.split_at(values.len() - block);
            let split = before.iter().all(|value| *value == first)
                && after.iter().all(|value| *value == last);
            let own = &unknown.blocks.get(block).filter(|_| split)?[i];
            let rest = self.domain.xor(first, &unknown.high[i]);
            return Some(self.domain.xor(&rest, own));
        }
        // The last byte, which is known in each case but for what is added to it.
        let changes: Option<Vec<u8>> =
            values.iter().map(|value| self.domain.xor(value, first).known()).collect();
        let changes = changes?;
        let is = |block: &usize| {
            let counted = |case: usize| ((case + block) % 256) as u8;
            (0..256).all(|case| changes[case] == counted(case) ^ counted(0))
        };
        let block = (0..unknown.blocks.len()).find(is)?;
        let rest = self.domain.xor(first, &self.domain.constant(block as u8));
        Some(self.domain.xor(&rest, &unknown.blocks[block][HIGH]))
    }
}
