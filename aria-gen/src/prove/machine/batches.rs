//! The loop over batches, by induction on their number.
//!
//! Where the loop begins and how public numbers move on in it is guessed from a plain run of a few
//! batches; nothing of the guess is believed. Shown is, with n the number of batches:
//!
//! * from the entry, with n = 0, the function returns; with n > 0, it comes to the head of the loop
//!   with the invariant for b = 0. Neither touches input or output;
//! * from the head, with the invariant for any b < n, it reads batch b of the input, writes batch b of
//!   the output, and either n = b + 1 and it returns, or b + 1 < n and it is at the head again with
//!   the invariant for b + 1.
//!
//! The invariant says of each register and each byte of the stack what it holds: a public number,
//! linear in b; a byte that is the same in every batch; a half of the counter of batch b; or nothing.
//! What turns out not to hold is taken out of it, until the rest holds, in both parts, or the proof
//! fails. So each batch is independent of those before it but for what the invariant says.

use std::collections::{BTreeMap, BTreeSet};

use super::super::counterexample::Bytes;
use super::super::domain::{Concrete, Form, Symbolic};
use super::super::memory::Memory;
use super::super::reader::UnknownCounter;
use super::super::reference::{self, Block, Frame};
use super::super::verdict::Proof;
use super::contract::Contract;
use super::control::Assumption;
use super::fault::{Cause, Fault};
use super::search::Call;
use super::state::{Flags, StackByte, State, Vector};
use super::value::{Half, Public, Scalar, Symbol};
use super::{Machine, Stop, cases};
use crate::spec::aria::BLOCK_BYTES;

/// Batches of the plain run: more than any loop inside one goes round as often.
const SAMPLE: usize = 5;

/// How often the invariant may turn out to say too much.
const WEAKENINGS: usize = 8;

/// Proves all batches equal to the specification.
pub(super) fn prove(contract: &Contract<'_>) -> Result<Proof, Fault> {
    let head = Head::find(contract)?;
    let merge = match contract.kernel.frame {
        Frame::Ctr => Some(cases::find_merge(contract, head.at)?),
        _ => None,
    };
    let mut domain = Symbolic::default();
    let mut block = || core::array::from_fn(|_| domain.fresh());
    let keys: Vec<Block<Form>> = (0..contract.key_blocks()).map(|_| block()).collect();
    let input: Vec<Form> = (0..contract.input_bytes()).map(|_| domain.fresh()).collect();
    let counter = merge.map(|_| cases::unknown_counter(&mut domain, contract.kernel.blocks));
    let expected = expected(contract, &mut domain, &keys, &input, counter.as_ref());
    let window = match contract.kernel.frame {
        Frame::Keys => Memory::one_batch_apart(input, contract.output_bytes()),
        Frame::Ecb | Frame::Ctr | Frame::CbcEnc | Frame::CbcDec | Frame::CfbDec => {
            Memory::one_batch(input)
        }
    };

    let Contract { code, convention, stack, .. } = *contract;
    let entry = code.image.entry as u64;
    let arguments = contract.unknown_arguments();
    let nothing = Memory::one_batch(Vec::new());
    let state = State::on_entry(&mut domain, entry, convention, arguments, nothing);
    let key_bytes = contract.key_bytes(&domain, &keys);
    let mut machine = Machine::new(code, &mut domain, convention, stack, key_bytes, state.clone());

    let first = before_the_loop(&mut machine, state, head.at)?;
    let mut invariant = head.invariant(&mut machine, first);
    for _ in 0..WEAKENINGS {
        let ends =
            batch(&mut machine, &invariant.state, &window, head.at, merge.zip(counter.as_ref()))?;
        let again = ends.iter().filter(|end| end.again);
        if again.clone().count() == 0 {
            return Err(code.fault(head.at, Cause::Induction("does not come round")));
        }
        let mut holds = true;
        for end in again {
            holds &= keeps(&mut machine, &mut invariant, &end.state, contract.kernel.blocks as u64);
        }
        if !holds {
            continue;
        }
        for End { state, .. } in ends {
            let output = state.memory.finish();
            let output = output.map_err(|fault| code.fault(state.at, fault.into()))?;
            compare(&expected, &output).map_err(|cause| code.fault(state.at, cause))?;
        }
        let (read, written) = (contract.input_bytes(), contract.output_bytes());
        let in_place = contract.kernel.frame != Frame::Keys;
        return Ok(Proof { read, written, in_place, inversions: domain.inversions() });
    }
    Err(code.fault(head.at, Cause::Induction("keeps no invariant")))
}

/// What a batch must be.
fn expected(
    contract: &Contract<'_>,
    domain: &mut Symbolic,
    keys: &[Block<Form>],
    input: &[Form],
    counter: Option<&UnknownCounter<Form>>,
) -> Vec<Block<Form>> {
    let blocks = input.as_chunks::<BLOCK_BYTES>().0;
    match (contract.kernel.frame, keys, blocks) {
        (Frame::Keys, [ck1, ck2, ck3], [kl, kr]) => {
            let constants = [ck1.clone(), ck2.clone(), ck3.clone()];
            reference::key_schedule(domain, &constants, [kl, kr])
        }
        _ => blocks
            .iter()
            .enumerate()
            .map(|(number, block)| match counter {
                None => reference::encrypt(domain, keys, block),
                Some(counter) => {
                    let image = reference::encrypt(domain, keys, &counter.blocks[number]);
                    reference::add(domain, &image, block)
                }
            })
            .collect(),
    }
}

/// Looks for the first bit in which the output differs.
pub(super) fn compare(expected: &[Block<Form>], output: &[Form]) -> Result<(), Cause> {
    let blocks = expected.iter().zip(output.as_chunks::<BLOCK_BYTES>().0);
    for (block, (expected, got)) in blocks.enumerate() {
        for (byte, (expected, got)) in expected.iter().zip(got).enumerate() {
            if let Some(bit) = expected.first_difference(got) {
                return Err(Cause::Difference { block, byte, bit });
            }
        }
    }
    Ok(())
}

/// Follows the code from the entry: to the return without a batch, and to the head with one.
fn before_the_loop(
    machine: &mut Machine<'_, Symbolic>,
    entry: State<Form>,
    head: u64,
) -> Result<State<Form>, Fault> {
    let mut first = None;
    let mut open = vec![entry];
    while let Some(state) = open.pop() {
        let stop = machine.at(state).run(|machine| machine.state.at == head)?;
        let state = machine.state.clone();
        let fault = |cause| Err(machine.code.fault(state.at, Cause::Induction(cause)));
        match stop {
            Stop::Fork { last, more } => {
                open.extend([machine.take(&state, last, true), machine.take(&state, more, false)]);
            }
            Stop::There if state.assumption == Assumption::NotEmpty && first.is_none() => {
                first = Some(state);
            }
            Stop::There => return fault("begins without a look at the number of batches"),
            Stop::Return if state.assumption == Assumption::Done => {}
            Stop::Return => return fault("is left out"),
        }
    }
    first.ok_or_else(|| machine.code.fault(head, Cause::Induction("is never entered")))
}

/// What holds at the head of the loop in batch b.
struct Invariant {
    state: State<Form>,
    /// The general registers that may hold anything.
    free: [bool; 16],
}

/// Where a batch ended: at the head again, or on return.
struct End {
    state: State<Form>,
    again: bool,
}

/// Follows one batch from the head, with an index of which only the invariant is known.
fn batch(
    machine: &mut Machine<'_, Symbolic>,
    invariant: &State<Form>,
    window: &Memory<Form>,
    head: u64,
    counted: Option<(u64, &UnknownCounter<Form>)>,
) -> Result<Vec<End>, Fault> {
    let mut start = invariant.clone();
    start.assumption = Assumption::InBatch;
    if let Some((merge, counter)) = counted {
        start = cases::follow(machine, &start, merge, counter)?;
    }
    start.memory = window.clone();
    let mut ends = Vec::new();
    let mut open = vec![start];
    // Of the ways that are open the first one alone begins at the head.
    let mut left_head = false;
    while let Some(state) = open.pop() {
        let stop = machine
            .at(state)
            .run(|machine| machine.state.at == head && (left_head || machine.steps > 0))?;
        left_head = true;
        let state = machine.state.clone();
        let expected = match stop {
            Stop::Fork { last, more } => {
                open.extend([machine.take(&state, last, true), machine.take(&state, more, false)]);
                continue;
            }
            Stop::There => Assumption::MoreToCome,
            Stop::Return => Assumption::Done,
        };
        if state.assumption != expected {
            let cause = Cause::Induction("ends before the last batch or goes on behind it");
            return Err(machine.code.fault(state.at, cause));
        }
        ends.push(End { state, again: stop == Stop::There });
    }
    Ok(ends)
}

/// The head of the loop, by a plain run.
struct Head {
    at: u64,
    /// The states there of the later batches, as far as they are public.
    later: Vec<State<u8>>,
}

impl Head {
    /// The first instruction that is executed once a batch.
    fn find(contract: &Contract<'_>) -> Result<Self, Fault> {
        let call = Call::random(contract, SAMPLE, &mut Bytes(SAMPLE as u64));
        let mut trace = Vec::new();
        call.execute(contract, |machine| trace.push(machine.state.at))?;
        let mut times: BTreeMap<u64, usize> = BTreeMap::new();
        trace.iter().for_each(|at| *times.entry(*at).or_default() += 1);
        let entry = contract.code.image.entry as u64;
        let none = || contract.code.fault(entry, Cause::Induction("is not to be found"));
        let at = *trace.iter().find(|at| times[at] == SAMPLE).ok_or_else(none)?;
        let mut later = Vec::new();
        call.execute(contract, |machine| {
            if machine.state.at == at {
                later.push(machine.state.clone());
            }
        })?;
        Ok(Self { at, later })
    }

    /// The guess: what holds in `first`, moved on with the batches as the plain run did.
    fn invariant(&self, machine: &mut Machine<'_, Symbolic>, first: State<Form>) -> Invariant {
        let mut invariant = first;
        let mut free = [false; 16];
        invariant.flags = Flags::UNKNOWN;
        invariant.masks = [None; 8];
        for (number, free) in free.iter_mut().enumerate() {
            let step = self.step(|state| Some(&state.general[number]));
            let value = moving(&invariant.general[number], step);
            *free = value.is_none();
            invariant.general[number] = value.unwrap_or_else(|| machine.unknown_scalar());
        }
        for number in 0..invariant.vectors.len() {
            let mut vectors = self.later.iter().map(|state| &state.vectors[number]);
            let one = vectors.next();
            if !vectors.all(|vector| one.is_some_and(|one| one.holds_of(&Concrete, vector))) {
                invariant.vectors[number] = Vector::unknown();
            }
        }
        self.stack(&mut invariant);
        Invariant { state: invariant, free }
    }

    /// Words of the stack, at multiples of eight bytes, move on as registers do. Other bytes stay.
    fn stack(&self, invariant: &mut State<Form>) {
        let places: BTreeSet<i64> = invariant.stack.keys().map(|place| place & !7).collect();
        for place in places {
            let Some(value) = word(invariant, place, Form::known) else { continue };
            let later: Vec<_> =
                self.later.iter().map(|state| word(state, place, |byte| Some(*byte))).collect();
            let step = self.step_of(later.iter().map(Option::as_ref));
            for i in 0..8 {
                match moving(&value, step) {
                    Some(value) => {
                        invariant.stack.insert(place + i as i64, StackByte::Piece(value, i))
                    }
                    None => invariant.stack.remove(&(place + i as i64)),
                };
            }
        }
    }

    fn step<'s>(&'s self, value: impl Fn(&'s State<u8>) -> Option<&'s Scalar<u8>>) -> Option<u64> {
        self.step_of(self.later.iter().map(value))
    }

    /// By how much a public number moves on from batch to batch, if always by the same.
    fn step_of<'s>(&self, values: impl Iterator<Item = Option<&'s Scalar<u8>>>) -> Option<u64> {
        let values: Vec<&Public> = values
            .map(|value| match value {
                Some(Scalar::Public(public)) => Some(public),
                _ => None,
            })
            .collect::<Option<_>>()?;
        let steps: Option<Vec<u64>> =
            values.windows(2).map(|pair| pair[1].subtract(pair[0]).known()).collect();
        let steps = steps?;
        let first = *steps.first()?;
        steps.iter().all(|step| *step == first).then_some(first)
    }
}

/// The value for batch b of what is `first` in batch 0. Halves of the counter are those of each batch;
/// what does not depend on it stays.
fn moving(first: &Scalar<Form>, step: Option<u64>) -> Option<Scalar<Form>> {
    match (first, step) {
        (Scalar::Public(public), Some(step)) => {
            let further = Public::symbol(Symbol::Batch).times(step);
            Some(Scalar::Public(public.add(&further)))
        }
        (Scalar::Public(_), None) => None,
        (scalar, _) => Some(scalar.clone()),
    }
}

/// The public number that eight bytes of the stack hold.
fn word<B: Clone + PartialEq>(
    state: &State<B>,
    place: i64,
    known: impl Fn(&B) -> Option<u8>,
) -> Option<Scalar<B>> {
    let byte = |i: i64| state.stack.get(&(place + i));
    match byte(0)? {
        StackByte::Piece(scalar, 0) => {
            let same = |i: usize| byte(i as i64) == Some(&StackByte::Piece(scalar.clone(), i));
            (1..8).all(same).then(|| scalar.clone())
        }
        _ => {
            let number = (0..8).rev().try_fold(0, |sum, i| match byte(i)? {
                StackByte::Byte(byte) => Some(sum << 8 | u64::from(known(byte)?)),
                StackByte::Piece(..) => None,
            })?;
            Some(Scalar::constant(number))
        }
    }
}

/// Whether the state, which is at the head again, is that of the invariant for the next batch. What
/// is not is taken out of the invariant.
fn keeps(
    machine: &mut Machine<'_, Symbolic>,
    Invariant { state: invariant, free }: &mut Invariant,
    state: &State<Form>,
    blocks: u64,
) -> bool {
    let next = |scalar: &Scalar<Form>| match scalar {
        Scalar::Public(public) => {
            let next = Public::symbol(Symbol::Batch).add(&Public::constant(1));
            Scalar::Public(public.substitute(Symbol::Batch, &next))
        }
        // The counter of the next batch is as many further on as there are blocks.
        Scalar::Counter(half, further) => Scalar::Counter(*half, further.wrapping_add(blocks)),
        Scalar::Data(bytes) => Scalar::Data(bytes.clone()),
    };
    let mut holds = true;
    for (number, free) in free.iter_mut().enumerate() {
        if !*free && next(&invariant.general[number]) != state.general[number] {
            invariant.general[number] = machine.unknown_scalar();
            *free = true;
            holds = false;
        }
    }
    let machine = machine.at(state.clone());
    for (vector, actual) in invariant.vectors.iter_mut().zip(&machine.state.vectors) {
        if !vector.holds_of(&*machine.domain, actual) {
            *vector = Vector::unknown();
            holds = false;
        }
    }
    let gone: Vec<i64> = invariant
        .stack
        .iter()
        .filter(|(place, byte)| {
            let expected = match byte {
                StackByte::Byte(byte) => StackByte::Byte(byte.clone()),
                StackByte::Piece(scalar, i) => StackByte::Piece(next(scalar), *i),
            };
            machine.stack_byte(**place) != Some(expected)
        })
        .map(|(place, _)| *place)
        .collect();
    for place in gone {
        invariant.stack.remove(&place);
        holds = false;
    }
    holds
}

impl Machine<'_, Symbolic> {
    /// Eight bytes of which nothing is known.
    pub(super) fn unknown_scalar(&mut self) -> Scalar<Form> {
        Scalar::Data((0..8).map(|_| self.domain.fresh()).collect())
    }

    /// The byte at a place of the stack, known numbers as parts of what they are.
    fn stack_byte(&self, place: i64) -> Option<StackByte<Form>> {
        let byte = self.state.stack.get(&place)?;
        match word(&self.state, place & !7, Form::known) {
            Some(scalar) => Some(StackByte::Piece(scalar, (place & 7) as usize)),
            None => Some(byte.clone()),
        }
    }
}

/// The halves of a counter.
pub(super) const HALVES: [Half; 2] = [Half::Low, Half::High];
