//! One stretch: a register for each value, operation by operation.

mod finish;
mod transfer;

use iced_x86::Code;

use super::super::AssembleError;
use super::super::encoding::{self, Encoded, Shape};
use super::super::flow::{Fact, Flow, Home, Op, Stretch, Value};
use super::{Inst, Operand, Place};
use crate::ir::{Form, MachineOp, Span};
use crate::isa::{Encoding, Isa, Width};
use crate::kernel::KernelId;
use crate::pipeline::Built;

/// The immediate of an exclusive or of three: bit abc of it is a ^ b ^ c.
const XOR3: u8 = 0x96;

/// What stretches have in common.
pub(super) struct Target<'a> {
    id: KernelId,
    isa: Isa,
    facts: &'a [Fact],
    pinned: Vec<(Value, u8)>,
    slots: usize,
}

impl<'a> Target<'a> {
    pub(super) fn new(built: &Built, flow: &'a Flow, pinned: Vec<(Value, u8)>) -> Self {
        Self { id: built.id, isa: built.isa, facts: &flow.facts, pinned, slots: 0 }
    }

    /// Vectors on the stack that the stretches placed so far take.
    pub(super) fn slots(&self) -> usize {
        self.slots
    }

    /// Loads the constants that stay in registers.
    pub(super) fn load_pinned(&mut self) -> Result<Vec<Inst>, AssembleError> {
        let mut work = Work::new(self, &Stretch::default());
        for (value, register) in self.pinned.clone() {
            work.load_home(value, register)?;
        }
        Ok(work.out)
    }

    /// Places a stretch whose parameters are in `start`, so that its results are in `end`, if that is
    /// asked for; returns where they are.
    pub(super) fn place(
        &mut self,
        stretch: &Stretch,
        start: &[Spot],
        end: Option<&[Spot]>,
    ) -> Result<(Vec<Inst>, Vec<Spot>), AssembleError> {
        let mut work = Work::new(self, stretch);
        for (value, register) in &self.pinned {
            work.hold(*value, *register);
        }
        for (value, spot) in stretch.params.iter().zip(start) {
            match register_of(*spot) {
                Ok(register) => work.hold(*value, register),
                Err(slot) => work.wait(*value, slot),
            }
        }
        for (value, _) in &self.pinned {
            work.is_pinned[*value] = true;
        }
        let mut distinct = stretch.results.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() != stretch.results.len() {
            let what = "a value that is two results needs two registers";
            return Err(AssembleError::Control(self.id, what));
        }
        if let Some(end) = end {
            work.hint(stretch, end);
        }
        for (number, op) in stretch.ops.iter().enumerate() {
            work.now = number;
            work.operation(op)?;
        }
        work.now = stretch.ops.len();
        let places = work.finish(&stretch.results, end)?;
        let (out, slots) = (work.out, work.slots.len());
        self.slots = self.slots.max(slots);
        Ok((out, places))
    }
}

/// A stretch under work.
struct Work {
    id: KernelId,
    isa: Isa,
    homes: Vec<Option<Home>>,
    /// The operations that use each value, in order; results are used after the last.
    uses: Vec<Vec<usize>>,
    /// Values that an instruction reads or writes which reaches the lower half of the registers only.
    is_low: Vec<bool>,
    is_pinned: Vec<bool>,
    wish: Vec<Option<u8>>,
    /// The registers in which results are asked for.
    claimed: Vec<u8>,
    /// What the operation at hand reads, which its result may take but no copy before it.
    reading: Vec<u8>,
    place: Vec<Option<u8>>,
    slot: Vec<Option<usize>>,
    holds: Vec<Option<Value>>,
    slots: Vec<Option<Value>>,
    now: usize,
    out: Vec<Inst>,
}

impl Work {
    fn new(target: &Target<'_>, stretch: &Stretch) -> Self {
        let count = target.facts.len();
        let mut uses = vec![Vec::new(); count];
        let mut is_low = vec![false; count];
        for (number, op) in stretch.ops.iter().enumerate() {
            for arg in &op.args {
                uses[*arg].push(number);
            }
            if op.op.span() == Span::Lane {
                for value in op.args.iter().chain(&op.result) {
                    is_low[*value] = true;
                }
            }
        }
        for value in &stretch.results {
            uses[*value].push(stretch.ops.len());
        }
        Self {
            id: target.id,
            isa: target.isa,
            homes: target.facts.iter().map(|fact| fact.home).collect(),
            uses,
            is_low,
            is_pinned: vec![false; count],
            wish: vec![None; count],
            claimed: Vec::new(),
            reading: Vec::new(),
            place: vec![None; count],
            slot: vec![None; count],
            holds: vec![None; target.isa.tier.registers()],
            slots: Vec::new(),
            now: 0,
            out: Vec::new(),
        }
    }

    /// Wishes for registers, from the end backwards: a value wants the register of what is made of it.
    fn hint(&mut self, stretch: &Stretch, end: &[Spot]) {
        self.claimed = end.iter().filter_map(|spot| register_of(*spot).ok()).collect();
        for (value, spot) in stretch.results.iter().zip(end) {
            self.wish[*value] = register_of(*spot).ok();
        }
        for (number, op) in stretch.ops.iter().enumerate().rev() {
            let Some(wish) = op.result.and_then(|result| self.wish[result]) else { continue };
            let dies = |arg: &&Value| self.uses[**arg].last() == Some(&number);
            if let Some(arg) = op.args.iter().find(dies) {
                self.wish[*arg].get_or_insert(wish);
            }
        }
    }

    fn encoded(&self, op: &MachineOp) -> Result<Encoded, AssembleError> {
        encoding::of(self.isa, op).ok_or(AssembleError::MissingEncoding(self.id, op.form()))
    }

    fn whole(&self, form: Form) -> Result<Encoded, AssembleError> {
        encoding::whole(self.isa, form).ok_or(AssembleError::MissingEncoding(self.id, form))
    }

    /// The next use of a value after this operation.
    fn next_use(&self, value: Value) -> Option<usize> {
        let uses = &self.uses[value];
        uses.get(uses.partition_point(|number| *number <= self.now)).copied()
    }

    fn dies(&self, value: Value) -> bool {
        !self.is_pinned[value] && self.next_use(value).is_none()
    }

    fn hold(&mut self, value: Value, register: u8) {
        self.place[value] = Some(register);
        self.holds[usize::from(register)] = Some(value);
    }

    fn wait(&mut self, value: Value, slot: usize) {
        self.slots.resize(self.slots.len().max(slot + 1), None);
        self.slot[value] = Some(slot);
        self.slots[slot] = Some(value);
    }

    fn vacate(&mut self, value: Value) {
        if let Some(register) = self.place[value].take() {
            self.holds[usize::from(register)] = None;
        }
    }

    fn release(&mut self, value: Value) {
        self.vacate(value);
        if let Some(slot) = self.slot[value].take() {
            self.slots[slot] = None;
        }
    }

    fn emit(&mut self, code: Code, operands: &[Operand], result: Option<Value>, args: &[Value]) {
        let note = (result, args.to_vec());
        self.out.push(Inst { code, operands: operands.to_vec(), note });
    }

    fn operation(&mut self, op: &Op) -> Result<(), AssembleError> {
        let code = self.encoded(&op.op)?;
        let mut args = op.args.clone();
        let last_in_memory = self.order(&code, &mut args);
        let mut locked: Vec<u8> = args.iter().filter_map(|arg| self.place[*arg]).collect();
        let split = args.len() - usize::from(last_in_memory);
        let takes_over = code.destroys() && op.result.is_some();
        let mut registers: Vec<u8> = Vec::new();
        for (number, arg) in args[..split].iter().enumerate() {
            // What is overwritten is loaded where it is overwritten.
            if !(number == 0 && takes_over && self.place[*arg].is_none()) {
                let register = self.read(*arg, &locked)?;
                locked.push(register);
                registers.push(register);
            }
        }
        let target = match op.result {
            None => None,
            Some(result) if takes_over => Some(self.take_over(&args, result, &locked)?),
            Some(result) => {
                // A slot stays taken until the instruction has read it.
                for arg in &args {
                    if self.dies(*arg) {
                        self.vacate(*arg);
                    }
                }
                locked.retain(|register| self.holds[usize::from(*register)].is_some());
                self.reading.clone_from(&registers);
                Some(self.room(self.is_low[result], self.wish[result], &locked)?)
            }
        };
        let mut operands = Vec::new();
        let width = code.width;
        if let Some(target) = target {
            operands.push(Operand::Register(target, self.width_of_result(&code)));
        }
        if let MachineOp::Store { offset } = op.op {
            operands.push(Operand::Memory(Place::Output(offset)));
        }
        let sources = if takes_over { &args[1..] } else { &args[..] };
        self.reading.clear();
        let mut registers = registers.into_iter().rev();
        let mut read: Vec<Operand> = Vec::new();
        for (number, arg) in sources.iter().enumerate().rev() {
            let is_last = number + 1 == sources.len();
            read.push(if is_last && last_in_memory {
                self.memory(*arg, &code)
            } else {
                let register = registers.next().expect("every source was read");
                Operand::Register(register, source_width(&code, is_last, width))
            });
        }
        operands.extend(read.into_iter().rev());
        operands.extend(immediate(&op.op).map(Operand::Immediate));
        self.emit(code.code, &operands, op.result, &op.args);
        self.bury(&args);
        if let (Some(result), Some(target)) = (op.result, target) {
            self.hold(result, target);
            if self.dies(result) {
                self.release(result);
            }
        }
        Ok(())
    }

    fn width_of_result(&self, code: &Encoded) -> Width {
        if code.codes.shape == Shape::High { Width::Xmm } else { code.width }
    }

    /// Brings operands into the best order that the operation allows, and says whether the last
    /// shall be one in memory.
    fn order(&self, code: &Encoded, args: &mut [Value]) -> bool {
        let foldable = |value: Value| self.place[value].is_none() && self.folds(value, code);
        match code.codes.shape {
            Shape::Join => args.swap(0, 1),
            Shape::Two { commutes: true } | Shape::Three => {
                let last = args.len() - 1;
                if !foldable(args[last])
                    && let Some(other) = args.iter().position(|arg| foldable(*arg))
                {
                    args.swap(other, last);
                }
                if code.destroys() {
                    let fixed = usize::from(foldable(args[last]));
                    let dying = args[..=last - fixed]
                        .iter()
                        .position(|arg| self.place[*arg].is_some() && self.dies(*arg));
                    if let Some(dying) = dying {
                        args.swap(0, dying);
                    }
                }
            }
            Shape::Two { commutes: false } => {}
            Shape::Load | Shape::Store | Shape::One | Shape::High => return false,
        }
        let last = args[args.len() - 1];
        if !foldable(last) {
            return false;
        }
        // What is wanted again may as well be loaded, if there is room.
        let is_state = matches!(self.homes[last], None | Some(Home::Input(_)));
        let again = is_state && !self.dies(last);
        !(again && self.holds.iter().any(Option::is_none))
    }

    /// Whether an instruction can take this value from memory as its last operand.
    fn folds(&self, value: Value, code: &Encoded) -> bool {
        let whole = code.width == self.isa.width;
        match self.homes[value] {
            Some(Home::Constant(_)) => whole,
            Some(Home::KeyWord(_, _, Span::Vector)) => code.broadcasts(),
            Some(Home::KeyWord(_, _, Span::Lane)) => false,
            Some(Home::KeyLanes(_)) => {
                code.width == Width::Xmm && code.encoding != Encoding::Legacy
            }
            Some(Home::Input(_)) => whole && code.encoding != Encoding::Legacy,
            None => self.slot[value].is_some(),
        }
    }

    fn memory(&self, value: Value, code: &Encoded) -> Operand {
        match (self.homes[value], self.slot[value]) {
            (Some(home @ Home::KeyWord(..)), _) if code.broadcasts() => {
                Operand::Repeated(Place::Home(home))
            }
            (Some(home), _) => Operand::Memory(Place::Home(home)),
            (None, slot) => Operand::Memory(Place::Slot(slot.unwrap_or(usize::MAX))),
        }
    }

    /// The register of a value, loaded if need be.
    fn read(&mut self, value: Value, locked: &[u8]) -> Result<u8, AssembleError> {
        let low = self.is_low[value];
        match self.place[value] {
            Some(register) if !low || register < 16 => Ok(register),
            Some(register) => {
                let better = self.room(true, None, locked)?;
                // Making room may have moved nothing but lower registers.
                self.copy(better, register, value)?;
                self.holds[usize::from(register)] = None;
                self.hold(value, better);
                Ok(better)
            }
            None => {
                let register = self.room(low, self.wish[value], locked)?;
                self.load(value, register)?;
                self.hold(value, register);
                Ok(register)
            }
        }
    }

    /// The register in which an instruction overwrites its first source.
    fn take_over(
        &mut self,
        args: &[Value],
        result: Value,
        locked: &[u8],
    ) -> Result<u8, AssembleError> {
        let first = args[0];
        match self.place[first] {
            Some(register) if self.dies(first) && !args[1..].contains(&first) => Ok(register),
            Some(register) => {
                let room = self.room(self.is_low[result], self.wish[result], locked)?;
                self.copy(room, register, first)?;
                Ok(room)
            }
            None => {
                let room = self.room(self.is_low[result], self.wish[result], locked)?;
                self.load(first, room)?;
                Ok(room)
            }
        }
    }

    /// Frees what the values that are not used again take.
    fn bury(&mut self, values: &[Value]) {
        for value in values {
            if self.dies(*value) {
                self.release(*value);
            }
        }
    }

    /// A register that is free, made so if need be.
    fn room(&mut self, low: bool, wish: Option<u8>, locked: &[u8]) -> Result<u8, AssembleError> {
        let count = u8::try_from(self.holds.len()).unwrap_or(u8::MAX);
        let fits = |register: u8| !low || register < 16;
        let is_free = |work: &Self, register: u8| {
            work.holds[usize::from(register)].is_none() && !locked.contains(&register)
        };
        if let Some(wish) = wish.filter(|wish| fits(*wish) && is_free(self, *wish)) {
            return Ok(wish);
        }
        // From above, so that lower ones stay for those that need them.
        let free = || (0..count).rev().filter(|r| fits(*r) && is_free(self, *r));
        if let Some(register) = free().find(|r| !self.claimed.contains(r)).or(free().next()) {
            return Ok(register);
        }
        let victim = (0..count)
            .filter(|register| fits(*register) && !locked.contains(register))
            .filter_map(|register| Some((register, self.holds[usize::from(register)]?)))
            .filter(|(_, value)| !self.is_pinned[*value])
            .max_by_key(|(_, value)| self.next_use(*value).unwrap_or(usize::MAX));
        let Some((register, value)) = victim else {
            return Err(AssembleError::Encode(self.id, "no register can be freed".to_owned()));
        };
        let above =
            (0..count).rev().find(|r| low && is_free(self, *r) && !self.reading.contains(r));
        if let Some(above) = above {
            self.copy(above, register, value)?;
            self.hold(value, above);
        } else {
            self.set_aside(value, register);
            self.place[value] = None;
        }
        self.holds[usize::from(register)] = None;
        Ok(register)
    }
}

/// The width of a source in a register.
fn source_width(code: &Encoded, is_last: bool, width: Width) -> Width {
    if code.codes.shape == Shape::Join && is_last { Width::Xmm } else { width }
}

/// The immediate of an instruction, if it has one.
fn immediate(op: &MachineOp) -> Option<u8> {
    match *op {
        MachineOp::ShiftLeft16 { count } | MachineOp::ShiftRight16 { count } => Some(count),
        MachineOp::LaneHigh | MachineOp::JoinLanes => Some(1),
        MachineOp::Xor3 => Some(XOR3),
        MachineOp::Affine { constant } | MachineOp::AffineInverse { constant } => Some(constant),
        _ => None,
    }
}

/// Where a value is between stretches: a register, or from [`FIRST_SLOT`] on a vector of the stack.
pub(super) type Spot = usize;

/// The first spot on the stack; there are no more vector registers than this.
const FIRST_SLOT: Spot = 32;

fn register_spot(register: u8) -> Spot {
    usize::from(register)
}

/// The register of a spot, or else the number of its slot.
fn register_of(spot: Spot) -> Result<u8, usize> {
    match u8::try_from(spot) {
        Ok(register) if spot < FIRST_SLOT => Ok(register),
        _ => Err(spot - FIRST_SLOT),
    }
}
