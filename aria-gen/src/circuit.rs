//! Circuits of single bits for ARIA's kind of S-box: derived here, never pasted, checked on all 256
//! inputs whenever they are used.
//!
//! A [`Circuit`] is a straight-line program of XOR and AND gates. [`mod@linear`] makes short ones for
//! linear maps; [`mod@tower`] makes one for the field inversion, in a basis in which that is cheap;
//! [`SboxCircuits`] puts both together for the four S-boxes of a cipher that share one inversion.
//! This module knows bits and fields. It knows neither words nor ciphers.

pub mod linear;
pub mod normal;
mod sboxes;
pub mod tower;

pub use sboxes::{CircuitError, SboxCircuits};

/// A bit of a circuit: an input, or the result of a gate. Inputs are numbered first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wire(pub usize);

/// What a gate does with two bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GateKind {
    /// Exclusive or: addition in GF(2).
    Xor,
    /// And: multiplication in GF(2).
    And,
}

/// A gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gate {
    /// What it does.
    pub kind: GateKind,
    /// With which bits; each is an input or the result of an earlier gate.
    pub operands: [Wire; 2],
}

/// A straight-line program on bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circuit {
    inputs: usize,
    gates: Vec<Gate>,
    outputs: Vec<Option<Wire>>,
}

impl Circuit {
    /// A circuit without gates or outputs.
    #[must_use]
    pub fn new(inputs: usize) -> Self {
        Self { inputs, gates: Vec::new(), outputs: Vec::new() }
    }

    /// How many inputs it has.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Its gates, in order.
    #[must_use]
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// Its outputs; `None` is the constant 0.
    #[must_use]
    pub fn outputs(&self) -> &[Option<Wire>] {
        &self.outputs
    }

    /// The exclusive or of two wires. A gate that is there already is not made again.
    pub fn xor(&mut self, a: Wire, b: Wire) -> Wire {
        self.gate(GateKind::Xor, a, b)
    }

    /// The and of two wires. A gate that is there already is not made again.
    pub fn and(&mut self, a: Wire, b: Wire) -> Wire {
        self.gate(GateKind::And, a, b)
    }

    fn gate(&mut self, kind: GateKind, a: Wire, b: Wire) -> Wire {
        let operands = [a.min(b), a.max(b)];
        let gate = Gate { kind, operands };
        let known = self.gates.iter().position(|g| *g == gate);
        let number = known.unwrap_or_else(|| {
            self.gates.push(gate);
            self.gates.len() - 1
        });
        Wire(self.inputs + number)
    }

    /// Sets the outputs.
    pub fn set_outputs(&mut self, outputs: Vec<Option<Wire>>) {
        self.outputs = outputs;
    }

    /// Appends `other`, fed with `inputs`, and returns its outputs.
    pub fn append(&mut self, other: &Self, inputs: &[Wire]) -> Vec<Option<Wire>> {
        let mut wires = inputs.to_vec();
        for gate in &other.gates {
            let [a, b] = gate.operands.map(|wire| wires[wire.0]);
            wires.push(self.gate(gate.kind, a, b));
        }
        other.outputs.iter().map(|wire| wire.map(|wire| wires[wire.0])).collect()
    }

    /// The outputs for these inputs, bit i for input or output i.
    #[must_use]
    pub fn evaluate(&self, input: u32) -> u32 {
        let mut bits: Vec<bool> = (0..self.inputs).map(|i| input >> i & 1 == 1).collect();
        for gate in &self.gates {
            let [a, b] = gate.operands.map(|wire| bits[wire.0]);
            bits.push(match gate.kind {
                GateKind::Xor => a ^ b,
                GateKind::And => a & b,
            });
        }
        let outputs = self.outputs.iter().enumerate();
        outputs.fold(0, |sum, (i, wire)| sum | u32::from(wire.is_some_and(|w| bits[w.0])) << i)
    }
}
