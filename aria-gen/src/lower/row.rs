//! Lowers the row layout, where a 128-bit lane holds a block.
//!
//! An abstract value is a block in the order of RFC 5794. In a register it may lie in another order
//! and be off by a constant: its [`Shape`]. Which shape, the consumer says, since S-boxes on a lane
//! ask for one (`sbox`); so the control flow is walked from its end to its start, and each routine
//! leaves its results as the next one wants them. Reordering and constants then cost nothing: both
//! go into the shuffles of the diffusion layer and into the round key.
//!
//! Where a unit computes the S-boxes of some places only, a value is *spread* over several registers.
//! A linear layer on it is one sum of shuffles of these registers: each byte of the result takes its
//! addends from where they lie, and no two from the same shuffle.

mod sbox;

use std::collections::BTreeMap;

use super::writer::{Writer, constant_op, push_sum_of_ready};
use super::{Constants, LowerError, Target};
use crate::ir::{
    AbstractOp, Call, Constant, ConstantData, Control, MachineOp, Operation, Program, Routine,
    RoutineId, Step, Stmt, Value,
};
use crate::isa::{Isa, Unit};
use crate::kernel::Layout;

/// The name of the order in which RFC 5794 writes blocks.
const PLAIN: &str = "PLAIN";

/// How a block lies in a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    /// The name of the order, for constants.
    name: &'static str,
    /// Which byte of the block lies at each place of the lane.
    order: [u8; 16],
    /// What is added to each byte of the block, by the byte's number.
    offset: [u8; 16],
}

impl Shape {
    /// As RFC 5794 writes blocks.
    fn plain() -> Self {
        Self { name: PLAIN, order: core::array::from_fn(|i| i as u8), offset: [0; 16] }
    }

    /// For each place of this shape, the place of the same byte in `other`.
    fn places_in(&self, other: &Self) -> [u8; 16] {
        self.order.map(|byte| {
            let place = other.order.iter().position(|b| *b == byte);
            place.expect("an order has every byte") as u8
        })
    }
}

/// Some bytes of a block in a register.
#[derive(Clone, Debug)]
struct Part {
    value: Value,
    /// Which bytes, for names of values and constants.
    name: String,
    /// The byte of the block at each place, where there is one.
    holds: [Option<u8>; 16],
    ready: u32,
}

/// What is known of an abstract value.
#[derive(Clone, Debug)]
enum Known {
    /// It lies in one register.
    Placed { value: Value, shape: Shape, ready: u32 },
    /// It is the round key, in memory.
    Key,
    /// Byte j of it is the exclusive or of the bytes in mask j of a block that lies in several
    /// registers, and of a constant.
    Spread { parts: Vec<Part>, rows: [u16; 16], constant: [u8; 16] },
}

/// Lowers every routine of `program`.
pub(super) fn lower_routines(
    program: &Program<AbstractOp>,
    target: Target,
    constants: &mut Constants,
) -> Result<Vec<Routine<MachineOp>>, LowerError> {
    let mut walk = Walk::new(program, target.unit, None);
    walk.control(&program.entry)?;
    if let Some(chain) = walk.chain {
        walk = Walk::new(program, target.unit, Some(chain));
        walk.control(&program.entry)?;
    }
    let mut routines = Vec::new();
    let shapes = walk.results.into_iter().zip(walk.given);
    for (routine, (results, given)) in program.routines.iter().zip(shapes) {
        let results = results.unwrap_or_else(Shape::plain);
        let mut to = routine.translated();
        let constants_step = to.step("Constants");
        let (from, known) = (routine, BTreeMap::new());
        let mut lowering = Lowering {
            target,
            constants,
            from,
            to,
            given,
            results,
            known,
            key: None,
            constants_step,
        };
        lowering.run()?;
        routines.push(lowering.to);
    }
    Ok(routines)
}

/// Walks the control flow backwards, to see in which shape the results of each routine are wanted.
struct Walk<'a> {
    program: &'a Program<AbstractOp>,
    unit: Unit,
    /// By routine.
    results: Vec<Option<Shape>>,
    /// By routine: the shape of each parameter, where that is not for the routine to say.
    given: Vec<Vec<Shape>>,
    /// The shape of the state that goes from batch to batch: as the start of a batch wants it, which the
    /// walk meets after the end. So it is walked twice, and known the second time.
    chain: Option<Shape>,
    /// By state: as its next user wants it.
    wanted: Vec<(&'static str, Shape)>,
}

impl<'a> Walk<'a> {
    fn new(program: &'a Program<AbstractOp>, unit: Unit, chain: Option<Shape>) -> Self {
        let (results, given) = program.routines.iter().map(|_| (None, Vec::new())).unzip();
        Self { program, unit, results, given, chain, wanted: Vec::new() }
    }

    fn control(&mut self, control: &[Control]) -> Result<(), LowerError> {
        for item in control.iter().rev() {
            match item {
                Control::Call(call) => self.call(call)?,
                Control::ByCarry { carried, alike } => {
                    self.call(carried)?;
                    self.call(alike)?;
                }
                Control::Join { routine, state, .. } => {
                    // What S-boxes add comes with the state, which need not wait; so adding is all that
                    // is left to do.
                    let shape = self.wanted(state).unwrap_or_else(Shape::plain);
                    let chain = Shape { offset: [0; 16], ..shape };
                    self.set_results(*routine, shape)?;
                    let called = self.program.routine(*routine);
                    let shapes = (0..called.params().len())
                        .map(|i| if i < called.results().len() { shape } else { chain });
                    self.given[routine.0] = shapes.collect();
                    self.want(state, shape);
                    self.chain = Some(chain);
                }
                Control::EachBatch(body) => self.control(body)?,
                Control::AlternateRounds { odd, even } => {
                    self.call(odd)?;
                    self.call(even)?;
                    // The second turn of the loop: the state must be wanted as before.
                    self.call(odd)?;
                }
            }
        }
        Ok(())
    }

    fn call(&mut self, call: &Call) -> Result<(), LowerError> {
        let mut shape = call.result.and_then(|name| self.wanted(name)).unwrap_or_else(Shape::plain);
        let routine = self.program.routine(call.routine);
        if let (Some(name), Some(chain)) = (call.arg, self.chain)
            && self.program.chain() == Some(name)
        {
            self.given[call.routine.0] = vec![chain; routine.params().len()];
        }
        for _ in 0..call.times {
            self.set_results(call.routine, shape)?;
            // All of a state has one shape.
            if let Some(param) = routine.params().first() {
                shape = wanted_of(*param, routine, shape, self.unit)?;
            }
        }
        if let Some(name) = call.arg {
            self.want(name, shape);
        }
        Ok(())
    }

    fn set_results(&mut self, id: RoutineId, shape: Shape) -> Result<(), LowerError> {
        match self.results[id.0].replace(shape) {
            Some(before) if before != shape => {
                Err(LowerError::Shapes { routine: self.program.routine(id).name().to_owned() })
            }
            _ => Ok(()),
        }
    }

    /// The shape in which a state is wanted.
    fn wanted(&self, state: &str) -> Option<Shape> {
        if self.program.chain() == Some(state) && self.chain.is_some() {
            return self.chain;
        }
        self.wanted.iter().find(|(name, _)| *name == state).map(|(_, shape)| *shape)
    }

    fn want(&mut self, state: &'static str, shape: Shape) {
        self.wanted.retain(|(known, _)| *known != state);
        self.wanted.push((state, shape));
    }
}

/// The shape in which a value of `routine` is wanted: by the caller, who wants results in shape
/// `results`, or by its first user.
fn wanted_of(
    value: Value,
    routine: &Routine<AbstractOp>,
    results: Shape,
    unit: Unit,
) -> Result<Shape, LowerError> {
    if routine.results().contains(&value) {
        return Ok(results);
    }
    match routine.body().iter().find(|stmt| stmt.args.contains(&value)) {
        Some(Stmt { op: AbstractOp::SubstituteLane(sboxes), .. }) => sbox::shape_for(unit, *sboxes),
        _ => Ok(Shape::plain()),
    }
}

/// A routine on its way.
struct Lowering<'a> {
    target: Target,
    constants: &'a mut Constants,
    from: &'a Routine<AbstractOp>,
    to: Routine<MachineOp>,
    /// The shape of each parameter, where that is not for the routine to say.
    given: Vec<Shape>,
    /// The shape of the routine's results.
    results: Shape,
    known: BTreeMap<Value, Known>,
    /// The round key, once it was loaded.
    key: Option<Value>,
    constants_step: Step,
}

/// Cycles after which results are ready, roughly; only their order matters, to shape sums.
mod ready {
    pub(super) const LOAD: u32 = 5;
    pub(super) const SHUFFLE: u32 = 1;
    pub(super) const UNIT: u32 = 4;
}

impl<'a> Lowering<'a> {
    fn run(&mut self) -> Result<(), LowerError> {
        for (i, param) in self.from.params().iter().enumerate() {
            let shape = match self.given.get(i) {
                Some(shape) => *shape,
                None => self.wanted_of(*param)?,
            };
            let value = self.to.param(self.from.role(*param));
            self.known.insert(*param, Known::Placed { value, shape, ready: 0 });
        }
        for stmt in self.from.body() {
            self.to.step(&self.from.steps()[stmt.step.index()]);
            self.lower_stmt(stmt)?;
        }
        let mut results = Vec::new();
        for value in self.from.results() {
            results.push(self.placed(self.from.role(*value), *value, self.results).0);
        }
        self.to.set_results(results);
        Ok(())
    }

    fn wanted_of(&self, value: Value) -> Result<Shape, LowerError> {
        wanted_of(value, self.from, self.results, self.target.unit)
    }

    fn lower_stmt(&mut self, stmt: &Stmt<AbstractOp>) -> Result<(), LowerError> {
        let shape = Shape::plain();
        let known = match &stmt.op {
            AbstractOp::Load { offset } => {
                let value = self.push(self.role(stmt), MachineOp::Load { offset: *offset }, &[]);
                Known::Placed { value, shape, ready: ready::LOAD }
            }
            AbstractOp::Store { offset } => {
                let (value, _) = self.placed(self.from.role(stmt.args[0]), stmt.args[0], shape);
                self.to.push_store(MachineOp::Store { offset: *offset }, &[value]);
                return Ok(());
            }
            AbstractOp::RoundKey => Known::Key,
            AbstractOp::SubstituteLane(sboxes) => {
                let shape = sbox::shape_for(self.target.unit, *sboxes)?;
                let (value, ready) = self.placed(self.role(stmt), stmt.args[0], shape);
                self.substitute(self.role(stmt), value, ready, shape, *sboxes)?
            }
            AbstractOp::XorWithinLane(rows) => self.spread(stmt.args[0], *rows),
            AbstractOp::RotateLane { bits } => {
                let (value, ready) = self.placed(self.role(stmt), stmt.args[0], shape);
                self.rotate(self.role(stmt), value, ready, *bits)
            }
            AbstractOp::XorSelected { mask } => {
                let selected = stmt.args.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
                let addends: Vec<Value> = selected.map(|(_, value)| *value).collect();
                let result = stmt.result.expect("a sum has a result");
                let shape = self.wanted_of(result)?;
                let (value, ready) = self.push_sum(self.role(stmt), &addends, shape);
                Known::Placed { value, shape, ready }
            }
            AbstractOp::RoundKeyByte { .. }
            | AbstractOp::CounterByte { .. }
            | AbstractOp::BlockNumbers { .. }
            | AbstractOp::AddBytes
            | AbstractOp::Carried
            | AbstractOp::Masked
            | AbstractOp::InterleaveLow
            | AbstractOp::InterleaveHigh
            | AbstractOp::Substitute(_) => {
                let layout = Layout::Row.name();
                return Err(LowerError::Layout { op: stmt.op.to_string(), layout });
            }
        };
        if stmt.op.has_result() {
            self.known.insert(stmt.result.expect("it has a result"), known);
        }
        Ok(())
    }

    /// `rows` applied to a value.
    fn spread(&self, arg: Value, rows: [u16; 16]) -> Known {
        let (parts, before, added) = match &self.known[&arg] {
            Known::Spread { parts, rows, constant } => (parts.clone(), *rows, *constant),
            Known::Placed { value, shape, ready } => {
                let (value, name, ready) = (*value, "all".to_owned(), *ready);
                let part = Part { value, name, holds: shape.order.map(Some), ready };
                (vec![part], identity_rows(), shape.offset)
            }
            Known::Key => unreachable!("no builder has a linear layer on the round key"),
        };
        let sum_of = |row: u16, term: &dyn Fn(usize) -> u16| {
            (0..16).filter(|i| row >> i & 1 == 1).fold(0, |sum, i| sum ^ term(i))
        };
        let constant = rows.map(|row| sum_of(row, &|i| added[i].into()) as u8);
        let rows = rows.map(|row| sum_of(row, &|i| before[i]));
        Known::Spread { parts, rows, constant }
    }

    /// A block in plain order as a number, rotated right by `bits`: a byte of the result has its high
    /// bits from one byte and its low bits from the byte before, so it is a sum of what shifts within
    /// bytes leave.
    fn rotate(&mut self, role: &str, value: Value, ready: u32, bits: u32) -> Known {
        let (bytes, rest) = (bits / 8, (bits % 8) as u8);
        // Place p of a register holds a share of byte p + `by` of the result.
        let held = |by: u32| core::array::from_fn(|p| Some(((p as u32 + by) % 16) as u8));
        if rest == 0 {
            let part = Part { value, name: format!("by{bytes}"), holds: held(bytes), ready };
            let (parts, rows) = (vec![part], identity_rows());
            return Known::Spread { parts, rows, constant: [0; 16] };
        }
        let shares = [
            (MachineOp::ShiftRight16 { count: rest }, 0xff >> rest, bytes),
            (MachineOp::ShiftLeft16 { count: 8 - rest }, 0xff << (8 - rest), bytes + 1),
        ];
        let parts = shares.map(|(shift, mask, by)| {
            let mask_value = self.push_constant(Constant {
                name: format!("BITS_{mask:02X}"),
                doc: "These bits of each byte.".to_owned(),
                data: ConstantData::Bytes([mask; 16]),
            });
            let shifted = self.push(&format!("{role}_shifted"), shift, &[value]);
            let role = format!("{role}_bits{mask:02x}");
            let value = self.push(&role, MachineOp::And, &[shifted, mask_value]);
            Part {
                value,
                name: format!("by{by}"),
                holds: held(by),
                ready: ready + 2 * ready::SHUFFLE,
            }
        });
        Known::Spread { parts: parts.to_vec(), rows: identity_rows(), constant: [0; 16] }
    }

    /// A value in one register in `shape`, and when it is ready.
    fn placed(&mut self, role: &str, value: Value, shape: Shape) -> (Value, u32) {
        match &self.known[&value] {
            Known::Placed { value, shape: is, ready } if *is == shape => (*value, *ready),
            _ => self.push_sum(role, &[value], shape),
        }
    }

    /// The exclusive or of abstract values, in `shape`.
    fn push_sum(&mut self, role: &str, values: &[Value], shape: Shape) -> (Value, u32) {
        let mut addends = Vec::new();
        let mut constant = shape.offset;
        let add = |constant: &mut [u8; 16], more: [u8; 16]| {
            constant.iter_mut().zip(more).for_each(|(byte, more)| *byte ^= more);
        };
        for value in values {
            match self.known[value].clone() {
                Known::Key => {
                    let key = self.load_key();
                    addends.push(self.reorder("k", key, 0, Shape::plain(), shape));
                }
                Known::Placed { value, shape: from, ready } => {
                    add(&mut constant, from.offset);
                    addends.push(self.reorder(role, value, ready, from, shape));
                }
                Known::Spread { parts, rows, constant: more } => {
                    add(&mut constant, more);
                    for part in &parts {
                        self.push_shares(role, part, rows, shape, &mut addends);
                    }
                }
            }
        }
        if constant != [0; 16] {
            let value = self.push_constant(Constant {
                name: match shape.name {
                    PLAIN => format!("{}_ADDED", self.from.name().to_uppercase()),
                    order => format!("{}_ADDED_{order}", self.from.name().to_uppercase()),
                },
                doc: "What S-boxes add after this layer and before the next, taken to where the round \
                      key is added."
                    .to_owned(),
                data: ConstantData::Bytes(shape.order.map(|byte| constant[usize::from(byte)])),
            });
            addends.push((0, value));
        }
        let (ready, value) = push_sum_of_ready(self, role, addends);
        (value, ready)
    }

    /// A register's bytes in the order of another shape.
    fn reorder(
        &mut self,
        role: &str,
        value: Value,
        ready: u32,
        from: Shape,
        to: Shape,
    ) -> (u32, Value) {
        if from.order == to.order {
            return (ready, value);
        }
        let control = self.push_constant(Constant {
            name: format!("{}_FROM_{}", to.name, from.name),
            doc: "Place i of a lane takes the byte at this place.".to_owned(),
            data: ConstantData::Bytes(to.places_in(&from)),
        });
        let role = format!("{role}_{}", to.name.to_lowercase());
        (ready + ready::SHUFFLE, self.push(&role, MachineOp::ShuffleBytes, &[value, control]))
    }

    /// What `part` adds to the bytes that `rows` make of a block: so many shuffles that no byte
    /// takes two addends from one.
    fn push_shares(
        &mut self,
        role: &str,
        part: &Part,
        rows: [u16; 16],
        shape: Shape,
        addends: &mut Vec<(u32, Value)>,
    ) {
        let places_of = |row: u16| {
            let taken = move |byte: &Option<u8>| byte.is_some_and(|byte| row >> byte & 1 == 1);
            (0_u8..16).filter(move |&place| taken(&part.holds[usize::from(place)]))
        };
        let wanted = shape.order.map(|byte| places_of(rows[usize::from(byte)]));
        let mut wanted = wanted.map(|places| places.collect::<Vec<u8>>().into_iter());
        for share in 0.. {
            // A shuffle clears the bytes whose control has the top bit.
            let control = wanted.each_mut().map(|places| places.next().unwrap_or(0x80));
            if control == [0x80; 16] {
                break;
            }
            let control = self.push_constant(Constant {
                name: format!("{}_{share}", self.name_of_shares(part, rows)),
                doc: "What these bytes add to each place of a lane: the byte at this place, 128 for none."
                    .to_owned(),
                data: ConstantData::Bytes(control),
            });
            let name = &part.name;
            let role = format!("{role}_{name}{share}");
            let value = self.push(&role, MachineOp::ShuffleBytes, &[part.value, control]);
            addends.push((part.ready + ready::SHUFFLE, value));
        }
    }

    /// A name for the shuffles that `part` needs. Where the part is a half of the places, odd and even
    /// rounds share them: what one has at even places, the other has at odd places.
    fn name_of_shares(&self, part: &Part, rows: [u16; 16]) -> String {
        let sum = if rows == identity_rows() { "PICK" } else { "SUM" };
        let held = part.holds.iter().enumerate().filter(|(_, byte)| byte.is_some());
        let places: Vec<usize> = held.map(|(place, _)| place).collect();
        match places.len() {
            8 if places.iter().all(|place| place % 2 == 0) => format!("{sum}_EVEN"),
            8 if places.iter().all(|place| place % 2 == 1) => format!("{sum}_ODD"),
            _ => format!("{}_{}", self.from.name(), part.name).to_uppercase(),
        }
    }

    fn load_key(&mut self) -> Value {
        match self.key {
            Some(key) => key,
            None => {
                let key = self.push("k", MachineOp::KeyLanes, &[]);
                self.key = Some(key);
                key
            }
        }
    }

    fn role(&self, stmt: &Stmt<AbstractOp>) -> &'a str {
        self.from.role(stmt.result.expect("only statements with a result are asked for its role"))
    }
}

/// The identity as masks.
fn identity_rows() -> [u16; 16] {
    core::array::from_fn(|i| 1 << i)
}

impl Writer for Lowering<'_> {
    fn isa(&self) -> Isa {
        self.target.isa
    }

    fn push(&mut self, role: &str, op: MachineOp, args: &[Value]) -> Value {
        self.to.push(role, op, args)
    }

    fn push_constant(&mut self, constant: Constant) -> Value {
        let role = constant.name.to_lowercase();
        let id = self.constants.intern(constant.clone());
        self.to.push_in(self.constants_step, role, constant_op(&constant, id), &[])
    }
}
