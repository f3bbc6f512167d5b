//! Networks of exclusive ors for linear layers: data, verified whenever it is used.
//!
//! A linear layer is a 0/1 matrix on byte positions, with a round key byte added to each row. The
//! table holds straight-line programs for ARIA's diffusion layer (RFC 5794 section 2.4.3) found by
//! search; [`choose`] takes the first that fits the target *and* computes the layer it is given,
//! which is checked symbolically, so that a slip in the data cannot reach a kernel. A layer that no
//! network computes is lowered row by row.

mod text;

pub use text::{NetworkError, parse};

use crate::ir::{AbstractOp, Form, Routine, Stmt, Value};
use crate::isa::Isa;

/// An operand of a [`Gate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Input of the layer, by position.
    Input(usize),
    /// The addend of a row: a round key byte.
    Key(usize),
    /// The result of an earlier gate.
    Gate(usize),
}

/// An exclusive or of two or three operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The name of its result.
    pub name: String,
    /// What is added.
    pub operands: Vec<Source>,
}

/// A straight-line program of exclusive ors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// The gates, each after those that it uses.
    pub gates: Vec<Gate>,
    /// For each row of the layer, the gate that is its result.
    pub outputs: Vec<usize>,
    /// Whether the addends are operands of gates; otherwise they are added afterwards.
    pub adds_keys: bool,
}

impl Network {
    /// The row whose result `gate` is.
    #[must_use]
    pub fn output_of(&self, gate: usize) -> Option<usize> {
        self.outputs.iter().position(|&g| g == gate)
    }

    /// What each row computes: bit i for input i, bit 16 + j for addend j.
    #[must_use]
    pub fn rows(&self) -> Vec<u32> {
        let mut gates: Vec<u32> = Vec::new();
        for gate in &self.gates {
            let terms = gate.operands.iter().map(|source| match *source {
                Source::Input(i) => 1 << i,
                Source::Key(j) => 1 << (16 + j),
                Source::Gate(g) => gates[g],
            });
            let sum = terms.fold(0, |sum, term| sum ^ term);
            gates.push(sum);
        }
        self.outputs.iter().map(|&g| gates[g]).collect()
    }

    /// Whether this is the layer of `rows`, bit i for input i, each row with its addend if there are
    /// addends.
    #[must_use]
    pub fn computes(&self, rows: &[u32]) -> bool {
        let expected = (0..).zip(rows).map(|(j, row)| match self.adds_keys {
            true => row | 1 << (16 + j),
            false => *row,
        });
        self.rows().into_iter().eq(expected)
    }

    /// Gates on the longest path.
    #[must_use]
    pub fn depth(&self) -> usize {
        let mut depths: Vec<usize> = Vec::new();
        for gate in &self.gates {
            let operands = gate.operands.iter().map(|source| match *source {
                Source::Input(_) | Source::Key(_) => 0,
                Source::Gate(g) => depths[g],
            });
            depths.push(1 + operands.max().unwrap_or(0));
        }
        self.outputs.iter().map(|&g| depths[g]).max().unwrap_or(0)
    }
}

/// A row of the table: where a network fits, and its text.
struct Entry {
    name: &'static str,
    /// The instruction forms that it is made for.
    needs: Form,
    text: &'static str,
}

/// The networks, the preferred first among those with the same need.
///
/// With 32 registers: three-input gates, the key an operand (with EVEX an embedded broadcast, for
/// nothing); without keys, where AES instructions have taken them. With 16: in place, so that no
/// temporary joins the 16 slices.
///
/// Each was measured beside others of its kind on an Emerald Rapids server core, November 2026, the
/// whole kernel in ns/B: with keys 36 gates 0.214, 37 gates of depth 3 0.227, 35 of depth 8 0.237 (zmm);
/// without keys 28 gates 0.368, 30 of depth 2 0.368, 26 of depth 9 0.378 (ymm); in place 0.376 to 0.418,
/// 48 gates of depth 4 0.408 to 0.421 (AVX2).
const TABLE: &[Entry] = &[
    Entry {
        name: "xor3_keys_36_depth5",
        needs: Form::Xor3,
        text: include_str!("networks/xor3_keys_36_depth5.txt"),
    },
    Entry {
        name: "xor3_28_depth3",
        needs: Form::Xor3,
        text: include_str!("networks/xor3_28_depth3.txt"),
    },
    Entry {
        name: "xor2_inplace_46_depth8",
        needs: Form::Xor,
        text: include_str!("networks/xor2_inplace_46_depth8.txt"),
    },
];

/// A linear layer as the abstract program writes it.
#[derive(Clone, Debug)]
pub struct LinearLayer {
    /// The values that the rows' columns stand for.
    pub inputs: Vec<Value>,
    /// The value added to each row, if any: a byte of the round key.
    pub addends: Vec<Option<Value>>,
    /// The columns of each row: bit i for input i.
    pub rows: Vec<u32>,
}

impl LinearLayer {
    /// Reads the layer that `stmts`, found by [`leading_layer`], write.
    #[must_use]
    pub fn of(stmts: &[Stmt<AbstractOp>], routine: &Routine<AbstractOp>) -> Self {
        let args = &stmts[0].args;
        let inputs = args[..args.len() - 1].to_vec();
        let reads_key = |value: Value| {
            let mut definitions = routine.body().iter().filter(|s| s.result == Some(value));
            definitions.any(|s| matches!(s.op, AbstractOp::RoundKeyByte { .. }))
        };
        let mut layer = Self { inputs, addends: Vec::new(), rows: Vec::new() };
        let columns = layer.inputs.len();
        for stmt in stmts {
            let AbstractOp::XorSelected { mask } = stmt.op else {
                unreachable!("leading_layer() yields sums only");
            };
            let addend = stmt.args[columns];
            let added = mask >> columns & 1 == 1 && reads_key(addend);
            layer.addends.push(added.then_some(addend));
            layer.rows.push(mask & ((1 << columns) - 1));
        }
        layer
    }
}

/// The longest prefix of `stmts` that is one linear layer: sums over the same inputs, each with
/// one operand of its own at the end.
#[must_use]
pub fn leading_layer(stmts: &[Stmt<AbstractOp>]) -> &[Stmt<AbstractOp>] {
    let inputs = |stmt: &Stmt<AbstractOp>| match stmt.op {
        AbstractOp::XorSelected { .. } if stmt.args.len() > 2 => {
            Some(stmt.args[..stmt.args.len() - 1].to_vec())
        }
        _ => None,
    };
    let Some(first) = stmts.first().and_then(inputs) else {
        return &stmts[..0];
    };
    let more = stmts.iter().take_while(|s| inputs(s).as_ref() == Some(&first));
    &stmts[..more.count()]
}

/// The network for `layer` on `isa`; `None` when none in the table computes it.
///
/// # Errors
///
/// When a network of the table cannot be read.
pub fn choose(layer: &LinearLayer, isa: Isa) -> Result<Option<Network>, NetworkError> {
    let keyed = layer.addends.iter().all(Option::is_some);
    let bare = layer.addends.iter().all(Option::is_none);
    if layer.inputs.len() != 16 || layer.rows.len() != 16 || !(keyed || bare) {
        return Ok(None);
    }
    for entry in TABLE.iter().filter(|entry| isa.has(entry.needs)) {
        let network = parse(entry.name, entry.text)?;
        if network.adds_keys && bare {
            continue;
        }
        if network.computes(&layer.rows) {
            return Ok(Some(network));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::aria::diffusion_mask;

    #[test]
    fn every_network_is_the_diffusion_layer_of_rfc_5794() {
        for entry in TABLE {
            let network = parse(entry.name, entry.text).expect("the table's own data");
            for (j, row) in network.rows().into_iter().enumerate() {
                let key = if network.adds_keys { 1 << (16 + j) } else { 0 };
                let expected = u32::from(diffusion_mask(j)) | key;
                assert_eq!(row, expected, "{} row {j}", entry.name);
            }
        }
    }

    #[test]
    fn names_tell_the_number_of_gates() {
        for entry in TABLE {
            let network = parse(entry.name, entry.text).expect("the table's own data");
            let gates = format!("_{}_", network.gates.len());
            assert!(entry.name.contains(&gates), "{}: {gates}", entry.name);
        }
    }

    #[test]
    fn a_changed_network_is_not_chosen() {
        let entry = &TABLE[0];
        let network = parse(entry.name, entry.text).expect("the table's own data");
        for gate in 0..network.gates.len() {
            let mut changed = network.clone();
            let operand = &mut changed.gates[gate].operands[0];
            *operand = match *operand {
                Source::Input(i) => Source::Input((i + 1) % 16),
                Source::Key(j) => Source::Key((j + 1) % 16),
                Source::Gate(_) => Source::Input(0),
            };
            assert_ne!(changed.rows(), network.rows(), "gate {gate}");
        }
    }
}
