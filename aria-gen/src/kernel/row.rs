//! Builds ARIA in the row layout: a 128-bit lane holds a block.
//!
//! RFC 5794, sections 2.2 and 2.4, block by block: the layers are operations within a lane. A
//! register holds as many blocks as it has lanes; with twice as many, two registers run side by side,
//! each hiding the latency of the other. In which order the bytes of a block lie in their lane is the
//! lowering's choice.
//!
//! **Round keys** are added at the end of a round, as in the slice layout, and stay as RFC 5794
//! writes them.

pub mod cbc;
pub mod keys;

use crate::ir::{AbstractOp, Call, Control, KeyRef, Program, Routine, RoutineId, Value};
use crate::kernel::KernelId;
use crate::spec::aria::{self, Layer};

/// The abstract program of an ARIA kernel in the row layout.
///
/// `id.blocks` must be a multiple of the register's lanes; `kernel::matrix` sees to it.
#[must_use]
pub fn build_row(id: KernelId) -> Program<AbstractOp> {
    let shape = Shape { vector_bytes: id.width.bytes(), registers: id.blocks / id.width.lanes() };
    let routines = vec![
        shape.load(),
        shape.add_round_key(),
        shape.round("fo", Layer::Sl1),
        shape.round("fe", Layer::Sl2),
        shape.last_round(),
        shape.store(),
    ];
    let [load, add_round_key, fo, fe, last_round, store] = core::array::from_fn(RoutineId);
    let on_blocks =
        |routine, key| Call { routine, arg: Some("blocks"), key, result: Some("blocks"), times: 1 };
    let batch = vec![
        Control::Call(Call { arg: None, ..on_blocks(load, None) }),
        Control::Call(on_blocks(add_round_key, Some(KeyRef::First))),
        Control::AlternateRounds {
            odd: on_blocks(fo, Some(KeyRef::Turn)),
            even: on_blocks(fe, Some(KeyRef::Turn)),
        },
        Control::Call(on_blocks(last_round, Some(KeyRef::Last))),
        Control::Call(Call { result: None, ..on_blocks(store, None) }),
    ];
    Program {
        vector_bytes: shape.vector_bytes,
        batch_bytes: id.blocks * aria::BLOCK_BYTES,
        output_bytes: id.blocks * aria::BLOCK_BYTES,
        overlap: 0,
        counter: None,
        constants: Vec::new(),
        routines,
        entry: vec![Control::EachBatch(batch)],
    }
}

/// How many registers of how many bytes.
#[derive(Clone, Copy)]
struct Shape {
    vector_bytes: usize,
    registers: usize,
}

impl Shape {
    /// `prefix`, with the register's letter if there are two.
    fn role(self, prefix: &str, register: usize) -> String {
        match (self.registers, register) {
            (1, _) => prefix.to_owned(),
            (_, 0) => format!("a_{prefix}"),
            (_, _) => format!("b_{prefix}"),
        }
    }

    fn params(self, routine: &mut Routine<AbstractOp>, prefix: &str) -> Vec<Value> {
        (0..self.registers).map(|r| routine.param(self.role(prefix, r))).collect()
    }

    fn load(self) -> Routine<AbstractOp> {
        let mut routine = Routine::new("load", "Loads a batch.");
        let loaded = (0..self.registers).map(|r| {
            let offset = r * self.vector_bytes;
            routine.push(self.role("b", r), AbstractOp::Load { offset }, &[])
        });
        let results = loaded.collect();
        routine.set_results(results);
        routine
    }

    fn store(self) -> Routine<AbstractOp> {
        let mut routine = Routine::new("store", "Stores a batch.");
        for (r, value) in self.params(&mut routine, "b").into_iter().enumerate() {
            let offset = r * self.vector_bytes;
            routine.push_store(AbstractOp::Store { offset }, &[value]);
        }
        routine
    }

    fn add_round_key(self) -> Routine<AbstractOp> {
        let mut routine = Routine::new("add_round_key", "Adds a round key to every block.");
        let blocks = self.params(&mut routine, "b");
        let results = self.push_add_round_key(&mut routine, &blocks);
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
        let blocks = self.params(&mut routine, "b");
        let substituted = self.push_substitution(&mut routine, layer, &blocks);
        routine.step("A, and the next round key");
        let rows = core::array::from_fn(aria::diffusion_mask);
        let diffused: Vec<Value> = substituted
            .iter()
            .enumerate()
            .map(|(r, block)| {
                routine.push(self.role("d", r), AbstractOp::XorWithinLane(rows), &[*block])
            })
            .collect();
        let results = self.push_add_round_key(&mut routine, &diffused);
        routine.set_results(results);
        routine
    }

    fn last_round(self) -> Routine<AbstractOp> {
        let doc = "The last round, RFC 5794 section 2.2, without its first key addition: \
                   SL2, then the last round key.";
        let mut routine = Routine::new("last_round", doc);
        let blocks = self.params(&mut routine, "b");
        let substituted = self.push_substitution(&mut routine, Layer::Sl2, &blocks);
        routine.step("The last round key");
        let results = self.push_add_round_key(&mut routine, &substituted);
        routine.set_results(results);
        routine
    }

    fn push_substitution(
        self,
        routine: &mut Routine<AbstractOp>,
        layer: Layer,
        blocks: &[Value],
    ) -> Vec<Value> {
        routine.step(layer.name());
        let sboxes = core::array::from_fn(|column| layer.sbox(column));
        let op = AbstractOp::SubstituteLane(sboxes);
        let substituted = blocks
            .iter()
            .enumerate()
            .map(|(r, block)| routine.push(self.role("sl", r), op.clone(), &[*block]));
        substituted.collect()
    }

    fn push_add_round_key(self, routine: &mut Routine<AbstractOp>, blocks: &[Value]) -> Vec<Value> {
        let key = routine.push("k", AbstractOp::RoundKey, &[]);
        let sum = AbstractOp::XorSelected { mask: 0b11 };
        let sums = blocks
            .iter()
            .enumerate()
            .map(|(r, block)| routine.push(self.role("y", r), sum.clone(), &[*block, key]));
        sums.collect()
    }
}
