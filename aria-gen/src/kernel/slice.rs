//! Builds ARIA in the slice layout: register i holds byte i of every block.
//!
//! RFC 5794, sections 2.2 and 2.4. The layers then work on whole registers: the S-box of a byte
//! position is one substitution, the diffusion layer is exclusive or of registers, and a round key
//! byte is added to all blocks at once. A batch has as many blocks as a register has bytes; with
//! twice as many, two halves `a` and `b` run side by side through the same routines.
//!
//! **Transposition.** Blocks arrive one after the other and must be turned into slices. Number a
//! byte of 16 registers by register r3 r2 r1 r0 and position p3 p2 p1 p0 within a 128-bit lane.
//! Interleaving registers i and i + 8 moves the byte at r3 r2 r1 r0 p3 p2 p1 p0 to
//! r2 r1 r0 p3 p2 p1 p0 r3, a rotation of its number; four times exchange r and p. Doing so once
//! more leads back, so the same routine serves both ways. Lanes never mix: which block sits in
//! which lane does not matter to a kernel that writes it back where it came from.
//!
//! **Round keys** are added at the end of a round, where the diffusion layer can take them as
//! further addends; the first round key is added before the first round.
//!
//! **Counter mode** needs no transposition on the way in. The counters of a batch differ in their
//! last byte only, so each other slice is one byte repeated, and the first round key is added to it
//! before that. Only where the last byte carries within the batch do the blocks behind the carry
//! have the other bytes of the next number. Counters are public: a batch in which none carries takes
//! a shorter way. On the way out the input is added to the blocks.
//!
//! **Chained modes** decrypt a block and add its neighbour: of `n + 1` blocks of input, CBC takes the
//! images of the last `n` and adds the first `n`; CFB the other way round. Either is a load at one
//! block's distance from the other.

use crate::ir::{
    AbstractOp, COUNTER_BYTES, Call, Control, Counter, CounterPart, KeyRef, Program, Routine,
    RoutineId, Value,
};
use crate::kernel::id::{Frame, KernelId};
use crate::spec::aria::{self, Layer};

/// The abstract program of an ARIA kernel in the slice layout.
///
/// `id.blocks` must be a multiple of the register's bytes; `kernel::matrix` sees to it.
#[must_use]
pub fn build_slice(id: KernelId) -> Program<AbstractOp> {
    let vector_bytes = id.width.bytes();
    let shape = Shape { vector_bytes, halves: id.blocks / vector_bytes };
    let ends = Ends::of(id.frame);
    let mut routines = Vec::new();
    let mut batch = match id.frame {
        Frame::Ctr => from_counters(shape, &mut routines),
        // Key schedules and what goes block by block are in rows, says the matrix.
        Frame::Ecb | Frame::Keys | Frame::CbcDec | Frame::CfbDec | Frame::CbcEnc => {
            from_input(shape, ends.enciphered, &mut routines)
        }
    };
    let [fo, fe, last_round] =
        [shape.round("fo", Layer::Sl1), shape.round("fe", Layer::Sl2), shape.last_round()]
            .map(|routine| add(&mut routines, routine));
    batch.push(Control::AlternateRounds {
        odd: on("slices", fo, Some(KeyRef::Turn)),
        even: on("slices", fe, Some(KeyRef::Turn)),
    });
    batch.push(Control::Call(on("slices", last_round, Some(KeyRef::Last))));
    batch.push(transpose(shape, &mut routines, "slices", "blocks"));
    if let Some(added) = ends.added {
        let add_input = add(&mut routines, shape.add_input(added, id.frame));
        batch.push(Control::Call(on("blocks", add_input, None)));
    }
    let store = add(&mut routines, shape.store());
    batch.push(Control::Call(Call { result: None, ..on("blocks", store, None) }));
    Program {
        vector_bytes,
        batch_bytes: id.blocks * aria::BLOCK_BYTES,
        overlap: ends.overlap,
        output_bytes: id.blocks * aria::BLOCK_BYTES,
        counter: (id.frame == Frame::Ctr).then_some(Counter::Whole),
        constants: Vec::new(),
        routines,
        entry: vec![Control::EachBatch(batch)],
    }
}

/// Where in the input of a batch what lies.
struct Ends {
    /// The first block to be enciphered.
    enciphered: usize,
    /// The first block to be added to the images, if any is.
    added: Option<usize>,
    /// Bytes shared with the next batch.
    overlap: usize,
}

impl Ends {
    fn of(frame: Frame) -> Self {
        let block = aria::BLOCK_BYTES;
        match frame {
            Frame::Ecb | Frame::Keys | Frame::CbcEnc => {
                Self { enciphered: 0, added: None, overlap: 0 }
            }
            Frame::Ctr => Self { enciphered: 0, added: Some(0), overlap: 0 },
            Frame::CbcDec => Self { enciphered: block, added: Some(0), overlap: block },
            Frame::CfbDec => Self { enciphered: 0, added: Some(block), overlap: block },
        }
    }
}

/// The blocks of the input as slices, with the first round key.
fn from_input(shape: Shape, start: usize, routines: &mut Vec<Routine<AbstractOp>>) -> Vec<Control> {
    let load = add(routines, shape.load(start));
    let load = Control::Call(Call { arg: None, ..on("blocks", load, None) });
    let transpose = transpose(shape, routines, "blocks", "slices");
    let add_round_key = add(routines, shape.add_round_key());
    vec![load, transpose, Control::Call(on("slices", add_round_key, Some(KeyRef::First)))]
}

/// The counters of the batch as slices, with the first round key.
fn from_counters(shape: Shape, routines: &mut Vec<Routine<AbstractOp>>) -> Vec<Control> {
    let [alike, carried] = [shape.counters_alike(), shape.counters_carried()].map(|routine| Call {
        arg: None,
        ..on("slices", add(routines, routine), Some(KeyRef::First))
    });
    vec![Control::ByCarry { carried, alike }]
}

/// A call that redefines a state.
fn on(state: &'static str, routine: RoutineId, key: Option<KeyRef>) -> Call {
    Call { routine, arg: Some(state), key, result: Some(state), times: 1 }
}

/// Four times `interleave`, which is added when it is not there yet.
fn transpose(
    shape: Shape,
    routines: &mut Vec<Routine<AbstractOp>>,
    arg: &'static str,
    result: &'static str,
) -> Control {
    let interleave = shape.interleave();
    let known = routines.iter().position(|routine| *routine == interleave);
    let routine = known.map_or_else(|| add(routines, interleave), RoutineId);
    let (arg, result) = (Some(arg), Some(result));
    Control::Call(Call { routine, arg, key: None, result, times: 4 })
}

fn add(routines: &mut Vec<Routine<AbstractOp>>, routine: Routine<AbstractOp>) -> RoutineId {
    routines.push(routine);
    RoutineId(routines.len() - 1)
}

/// The byte of a counter that counts blocks.
const LAST_BYTE: usize = COUNTER_BYTES - 1;

/// The exclusive or of two vectors.
fn sum_of_two() -> AbstractOp {
    AbstractOp::XorSelected { mask: 0b11 }
}

/// Sixteen slices for each half.
#[derive(Clone, Copy)]
struct Shape {
    vector_bytes: usize,
    halves: usize,
}

impl Shape {
    /// Registers of the whole state.
    fn registers(self) -> usize {
        16 * self.halves
    }

    /// `prefix` and a number; with two halves the half's letter comes first.
    fn role(self, prefix: &str, register: usize) -> String {
        let half = match (self.halves, register / 16) {
            (1, _) => "",
            (_, 0) => "a_",
            (_, _) => "b_",
        };
        format!("{half}{prefix}{}", register % 16)
    }

    /// A role that each half has once.
    fn half_role(self, name: &str, half: usize) -> String {
        match (self.halves, half) {
            (1, _) => name.to_owned(),
            (_, 0) => format!("a_{name}"),
            (_, _) => format!("b_{name}"),
        }
    }

    fn params(self, routine: &mut Routine<AbstractOp>, prefix: &str) -> Vec<Value> {
        let registers = 0..self.registers();
        registers.map(|r| routine.param(self.role(prefix, r))).collect()
    }

    /// `start` is where in the batch's input the blocks begin.
    fn load(self, start: usize) -> Routine<AbstractOp> {
        let blocks = self.vector_bytes / aria::BLOCK_BYTES;
        let doc = match blocks {
            1 => "Loads a batch, one block a register.".to_owned(),
            n => format!("Loads a batch, {n} blocks a register."),
        };
        let mut routine = Routine::new("load", doc);
        let loaded = (0..self.registers()).map(|r| {
            let offset = start + r * self.vector_bytes;
            routine.push(self.role("b", r), AbstractOp::Load { offset }, &[])
        });
        let results = loaded.collect();
        routine.set_results(results);
        routine
    }

    fn store(self) -> Routine<AbstractOp> {
        let mut routine = Routine::new("store", "Stores a batch, block after block.");
        for (r, value) in self.params(&mut routine, "b").into_iter().enumerate() {
            let offset = r * self.vector_bytes;
            routine.push_store(AbstractOp::Store { offset }, &[value]);
        }
        routine
    }

    fn interleave(self) -> Routine<AbstractOp> {
        let doc = "One of four steps that turn blocks into slices and slices into blocks: \
                   interleaves the bytes of registers i and i + 8 into registers 2i and 2i + 1.";
        let mut routine = Routine::new("interleave", doc);
        let params = self.params(&mut routine, "r");
        let mut results = Vec::new();
        for (h, half) in params.chunks_exact(16).enumerate() {
            for i in 0..8 {
                let pair = [half[i], half[i + 8]];
                let ops = [AbstractOp::InterleaveLow, AbstractOp::InterleaveHigh];
                for (k, op) in ops.into_iter().enumerate() {
                    let role = self.role("q", 16 * h + 2 * i + k);
                    results.push(routine.push(role, op, &pair));
                }
            }
        }
        routine.set_results(results);
        routine
    }

    fn add_round_key(self) -> Routine<AbstractOp> {
        let mut routine = Routine::new("add_round_key", "Adds a round key to every block.");
        let slices = self.params(&mut routine, "s");
        let results = self.push_add_round_key(&mut routine, &slices);
        routine.set_results(results);
        routine
    }

    fn counters_alike(self) -> Routine<AbstractOp> {
        let doc = "The counters of a batch as slices, and the first round key, when all counters \
                   but for their last bytes are alike.";
        let mut routine = Routine::new("counters_alike", doc);
        routine.step("All but the last bytes");
        let slices: Vec<Value> = (0..LAST_BYTE)
            .map(|index| Self::push_counter_byte(&mut routine, index, CounterPart::StartPlusKey))
            .collect();
        routine.step("The last bytes");
        let start = Self::push_counter_byte(&mut routine, LAST_BYTE, CounterPart::Start);
        let key = routine.push("k15", AbstractOp::RoundKeyByte { index: LAST_BYTE }, &[]);
        let mut results = Vec::new();
        for half in 0..self.halves {
            let last = self.push_last_bytes(&mut routine, half, start);
            let args = [last, key];
            let last = routine.push(self.role("s", 16 * half + LAST_BYTE), sum_of_two(), &args);
            results.extend(slices.iter().copied().chain([last]));
        }
        routine.set_results(results);
        routine
    }

    fn counters_carried(self) -> Routine<AbstractOp> {
        let doc = "The same when the last byte carries: the counters behind the carry differ by \
                   what it changes.";
        let mut routine = Routine::new("counters_carried", doc);
        routine.step("The last bytes, and where they carried");
        let start = Self::push_counter_byte(&mut routine, LAST_BYTE, CounterPart::Start);
        let key = routine.push("k15", AbstractOp::RoundKeyByte { index: LAST_BYTE }, &[]);
        let lasts: Vec<Value> =
            (0..self.halves).map(|half| self.push_last_bytes(&mut routine, half, start)).collect();
        let halves: Vec<[Value; 2]> = lasts
            .iter()
            .enumerate()
            .map(|(half, &last)| {
                let role = self.half_role("wrapped", half);
                let wrapped = routine.push(role, AbstractOp::Carried, &[start, last]);
                let role = self.role("s", 16 * half + LAST_BYTE);
                [wrapped, routine.push(role, sum_of_two(), &[last, key])]
            })
            .collect();
        routine.step("All but the last bytes");
        let mut results = Vec::new();
        for (half, [wrapped, last]) in halves.into_iter().enumerate() {
            for index in 0..LAST_BYTE {
                let part = CounterPart::StartPlusKey;
                let before = Self::push_counter_byte(&mut routine, index, part);
                let change = Self::push_counter_byte(&mut routine, index, CounterPart::Change);
                let role = |prefix| self.role(prefix, 16 * half + index);
                let changed = routine.push(role("d"), AbstractOp::Masked, &[wrapped, change]);
                results.push(routine.push(role("s"), sum_of_two(), &[before, changed]));
            }
            results.push(last);
        }
        routine.set_results(results);
        routine
    }

    /// The last bytes of the counters of a half, modulo 256.
    fn push_last_bytes(
        self,
        routine: &mut Routine<AbstractOp>,
        half: usize,
        start: Value,
    ) -> Value {
        let first = half * self.vector_bytes;
        let numbers = AbstractOp::BlockNumbers { first };
        let numbers = routine.push(self.half_role("n", half), numbers, &[]);
        let role = self.half_role("last", half);
        routine.push(role, AbstractOp::AddBytes, &[start, numbers])
    }

    fn push_counter_byte(
        routine: &mut Routine<AbstractOp>,
        index: usize,
        part: CounterPart,
    ) -> Value {
        let prefix = match part {
            CounterPart::Start => "c",
            CounterPart::StartPlusKey => "ck",
            CounterPart::Change => "x",
        };
        routine.push(format!("{prefix}{index}"), AbstractOp::CounterByte { index, part }, &[])
    }

    /// `start` is where in the batch's input the blocks to add begin.
    fn add_input(self, start: usize, frame: Frame) -> Routine<AbstractOp> {
        let doc = match frame {
            Frame::CbcDec => "Adds to each block the one before that of which it is the image.",
            Frame::CfbDec => "Adds to each block the one behind that of which it is the image.",
            _ => "Adds a batch of the input, which lies as `store` stores it.",
        };
        let mut routine = Routine::new("add_input", doc);
        let blocks = self.params(&mut routine, "b");
        let mut results = Vec::new();
        for (r, block) in blocks.into_iter().enumerate() {
            let offset = start + r * self.vector_bytes;
            let input = routine.push(self.role("m", r), AbstractOp::Load { offset }, &[]);
            results.push(routine.push(self.role("y", r), sum_of_two(), &[block, input]));
        }
        routine.set_results(results);
        routine
    }

    fn round(self, name: &'static str, layer: Layer) -> Routine<AbstractOp> {
        let function = name.to_uppercase();
        let doc = format!(
            "{function} of RFC 5794 section 2.4.1 without its key addition, then the next round \
             key: {}, A, key.",
            layer.name()
        );
        let mut routine = Routine::new(name, doc);
        let slices = self.params(&mut routine, "s");
        let substituted = self.push_substitution(&mut routine, layer, &slices);
        routine.step("A, and the next round key");
        let keys = self.push_round_key(&mut routine);
        let mut results = Vec::new();
        for (h, half) in substituted.chunks_exact(16).enumerate() {
            for (j, key) in keys.iter().enumerate() {
                let args: Vec<Value> = half.iter().chain([key]).copied().collect();
                let mask = u32::from(aria::diffusion_mask(j)) | 1 << 16;
                let role = self.role("y", 16 * h + j);
                results.push(routine.push(role, AbstractOp::XorSelected { mask }, &args));
            }
        }
        routine.set_results(results);
        routine
    }

    fn last_round(self) -> Routine<AbstractOp> {
        let doc = "The last round, RFC 5794 section 2.2, without its first key addition: \
                   SL2, then the last round key.";
        let mut routine = Routine::new("last_round", doc);
        let slices = self.params(&mut routine, "s");
        let substituted = self.push_substitution(&mut routine, Layer::Sl2, &slices);
        routine.step("The last round key");
        let results = self.push_add_round_key(&mut routine, &substituted);
        routine.set_results(results);
        routine
    }

    /// The S-boxes of a layer, those with an inner affine map first: they take longest.
    fn push_substitution(
        self,
        routine: &mut Routine<AbstractOp>,
        layer: Layer,
        slices: &[Value],
    ) -> Vec<Value> {
        let mut columns: Vec<usize> = (0..4).collect();
        columns.sort_by_key(|&c| layer.sbox(c).before.is_identity());
        let mut results = slices.to_vec();
        for column in columns {
            let sbox = layer.sbox(column);
            let name = sbox.name.to_uppercase();
            let [a, b, c, d] = [column, column + 4, column + 8, column + 12];
            routine.step(format!("{}: {name} on bytes {a}, {b}, {c} and {d}", layer.name()));
            for register in (column..self.registers()).step_by(4) {
                let op = AbstractOp::Substitute(sbox);
                let role = format!("{}_sl", self.role("s", register));
                results[register] = routine.push(role, op, &[slices[register]]);
            }
        }
        results
    }

    fn push_round_key(self, routine: &mut Routine<AbstractOp>) -> Vec<Value> {
        let keys = (0..aria::BLOCK_BYTES).map(|index| {
            routine.push(format!("k{index}"), AbstractOp::RoundKeyByte { index }, &[])
        });
        keys.collect()
    }

    fn push_add_round_key(self, routine: &mut Routine<AbstractOp>, slices: &[Value]) -> Vec<Value> {
        let keys = self.push_round_key(routine);
        let sums = slices.iter().enumerate().map(|(r, slice)| {
            routine.push(self.role("y", r), sum_of_two(), &[*slice, keys[r % 16]])
        });
        sums.collect()
    }
}
