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

use crate::ir::{AbstractOp, Call, Control, KeyRef, Program, Routine, RoutineId, Value};
use crate::kernel::KernelId;
use crate::spec::aria::{self, Layer};

/// The abstract program of an ARIA kernel in the slice layout.
///
/// `id.blocks` must be a multiple of the register's bytes; `kernel::matrix` sees to it.
#[must_use]
pub fn build_slice(id: KernelId) -> Program<AbstractOp> {
    let vector_bytes = id.width.bytes();
    let shape = Shape { vector_bytes, halves: id.blocks / vector_bytes };
    let routines = vec![
        shape.load(),
        shape.interleave(),
        shape.add_round_key(),
        shape.round("fo", Layer::Sl1),
        shape.round("fe", Layer::Sl2),
        shape.last_round(),
        shape.store(),
    ];
    let [load, interleave, add_round_key, fo, fe, last_round, store] =
        core::array::from_fn(RoutineId);
    let on_slices =
        |routine, key| Call { routine, arg: Some("slices"), key, result: Some("slices"), times: 1 };
    let transpose = |arg, result| {
        Control::Call(Call {
            routine: interleave,
            arg: Some(arg),
            key: None,
            result: Some(result),
            times: 4,
        })
    };
    let batch = vec![
        Control::Call(Call {
            routine: load,
            arg: None,
            key: None,
            result: Some("blocks"),
            times: 1,
        }),
        transpose("blocks", "slices"),
        Control::Call(on_slices(add_round_key, Some(KeyRef::First))),
        Control::AlternateRounds {
            odd: on_slices(fo, Some(KeyRef::Turn)),
            even: on_slices(fe, Some(KeyRef::Turn)),
        },
        Control::Call(on_slices(last_round, Some(KeyRef::Last))),
        transpose("slices", "blocks"),
        Control::Call(Call {
            routine: store,
            arg: Some("blocks"),
            key: None,
            result: None,
            times: 1,
        }),
    ];
    Program {
        vector_bytes,
        batch_bytes: id.blocks * aria::BLOCK_BYTES,
        output_bytes: id.blocks * aria::BLOCK_BYTES,
        constants: Vec::new(),
        routines,
        entry: vec![Control::EachBatch(batch)],
    }
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

    fn params(self, routine: &mut Routine<AbstractOp>, prefix: &str) -> Vec<Value> {
        let registers = 0..self.registers();
        registers.map(|r| routine.param(self.role(prefix, r))).collect()
    }

    fn load(self) -> Routine<AbstractOp> {
        let blocks = self.vector_bytes / aria::BLOCK_BYTES;
        let doc = match blocks {
            1 => "Loads a batch, one block a register.".to_owned(),
            n => format!("Loads a batch, {n} blocks a register."),
        };
        let mut routine = Routine::new("load", doc);
        let loaded = (0..self.registers()).map(|r| {
            let offset = r * self.vector_bytes;
            routine.push(self.role("b", r), AbstractOp::Load { offset }, &[])
        });
        let results = loaded.collect();
        routine.set_results(results);
        routine
    }

    fn store(self) -> Routine<AbstractOp> {
        let mut routine = Routine::new("store", "Stores a batch as `load` loads it.");
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
        let sum = AbstractOp::XorSelected { mask: 0b11 };
        let sums = slices.iter().enumerate().map(|(r, slice)| {
            routine.push(self.role("y", r), sum.clone(), &[*slice, keys[r % 16]])
        });
        sums.collect()
    }
}
