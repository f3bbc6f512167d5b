//! Lowers one routine, statement by statement, linear layers as a whole.

use std::collections::BTreeMap;

use super::network::{self, LinearLayer, Source};
use super::writer::{Writer, constant_op, xor_of};
use super::{Constants, LowerError, Target};
use crate::ir::{
    AbstractOp, Constant, ConstantData, Form, MachineOp, Operation, Routine, Span, Step, Stmt,
    Value, shift_rows,
};
use crate::isa::Isa;
use crate::kernel::{KeyForm, Layout};

/// A routine done.
#[derive(Clone, Debug)]
pub(super) struct Lowered {
    /// The machine routine.
    pub(super) routine: Routine<MachineOp>,
    /// By how many turns of ShiftRows the state is off when it comes in.
    pub(super) turns_in: u8,
    /// And when it goes out.
    pub(super) turns_out: u8,
}

/// Lowers `routine`, whose parameters come in `turns_in` turns off.
pub(super) fn lower_routine(
    routine: &Routine<AbstractOp>,
    turns_in: u8,
    target: Target,
    constants: &mut Constants,
) -> Result<Lowered, LowerError> {
    let mut to = routine.translated();
    let substitutes = routine.body().iter().any(|s| matches!(s.op, AbstractOp::Substitute(_)));
    let mut lowering = Lowering {
        target,
        constants,
        keys_in_sboxes: target.key_form == KeyForm::Mapped32 && substitutes,
        constants_step: to.step("Constants"),
        from: routine,
        to,
        values: BTreeMap::new(),
        turns: BTreeMap::new(),
    };
    let turns_out = lowering.run(turns_in)?;
    Ok(Lowered { routine: lowering.to, turns_in, turns_out })
}

/// A routine on its way.
pub(super) struct Lowering<'a> {
    pub(super) target: Target,
    constants: &'a mut Constants,
    /// Whether the round key enters through the S-boxes, not through sums.
    pub(super) keys_in_sboxes: bool,
    pub(super) from: &'a Routine<AbstractOp>,
    to: Routine<MachineOp>,
    /// The lowered value of each abstract value so far.
    values: BTreeMap<Value, Value>,
    /// By how many turns of ShiftRows each lowered value is off.
    turns: BTreeMap<Value, u8>,
    /// The step of the constants, the first of all.
    constants_step: Step,
}

impl<'a> Lowering<'a> {
    fn run(&mut self, turns_in: u8) -> Result<u8, LowerError> {
        for param in self.from.params() {
            let lowered = self.to.param(self.from.role(*param));
            self.set_turns(lowered, turns_in);
            self.values.insert(*param, lowered);
        }
        let mut rest = self.from.body();
        while let Some((stmt, after)) = rest.split_first() {
            self.to.step(&self.from.steps()[stmt.step.index()]);
            let layer = network::leading_layer(rest);
            rest = if layer.len() > 1 {
                self.lower_layer(layer)?;
                &rest[layer.len()..]
            } else {
                self.lower_stmt(stmt)?;
                after
            };
        }
        let results = self.from.results().iter().map(|v| self.values[v]).collect();
        let (results, turns_out) = self.settle(results, None);
        self.to.set_results(results);
        Ok(turns_out)
    }

    fn lower_stmt(&mut self, stmt: &Stmt<AbstractOp>) -> Result<(), LowerError> {
        let op = match &stmt.op {
            AbstractOp::Load { offset } => MachineOp::Load { offset: *offset },
            AbstractOp::Store { offset } => MachineOp::Store { offset: *offset },
            AbstractOp::InterleaveLow => MachineOp::UnpackLow8,
            AbstractOp::InterleaveHigh => MachineOp::UnpackHigh8,
            AbstractOp::RoundKeyByte { .. } if self.keys_in_sboxes => return Ok(()),
            AbstractOp::RoundKeyByte { index } => {
                MachineOp::KeySplat32 { index: *index, span: Span::Vector }
            }
            AbstractOp::Substitute(sbox) => {
                let arg = self.values[&stmt.args[0]];
                let result = self.push_sbox(*sbox, self.role(stmt), stmt.args[0], arg)?;
                self.define(stmt, result);
                return Ok(());
            }
            // The builder of slices uses none of these; what they would take stands in `row`.
            AbstractOp::RoundKey
            | AbstractOp::RotateLane { .. }
            | AbstractOp::SubstituteLane(_)
            | AbstractOp::XorWithinLane(_) => {
                return Err(LowerError::Layout {
                    op: stmt.op.to_string(),
                    layout: Layout::Slice.name(),
                });
            }
            AbstractOp::XorSelected { mask } => {
                let selected = stmt.args.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
                // A round key byte that an S-box has taken has no lowered value.
                let addends = selected.filter_map(|(_, v)| self.values.get(v).copied()).collect();
                let (addends, _) = self.settle(addends, None);
                let result = self.push_sum(self.role(stmt), &addends);
                self.define(stmt, result);
                return Ok(());
            }
        };
        let args = stmt.args.iter().map(|v| self.values[v]).collect();
        // Positions in a lane matter to everything else, so its operands are put right.
        let (args, _) = self.settle(args, Some(0));
        if op.has_result() {
            let result = self.push(self.role(stmt), op, &args);
            self.define(stmt, result);
        } else {
            self.to.push_store(op, &args);
        }
        Ok(())
    }

    /// An exclusive or of any number of values, three at a time where the target can.
    fn push_sum(&mut self, role: &str, addends: &[Value]) -> Value {
        let mut pending = addends.to_vec();
        while pending.len() > 1 {
            let three = pending.len() > 2 && self.target.isa.has(Form::Xor3);
            let operands: Vec<Value> = pending.drain(..if three { 3 } else { 2 }).collect();
            pending.push(self.push(role, xor_of(operands.len()), &operands));
        }
        pending[0]
    }

    /// A whole linear layer: through a network of the table when one computes it, else row by row.
    fn lower_layer(&mut self, stmts: &[Stmt<AbstractOp>]) -> Result<(), LowerError> {
        let mut layer = LinearLayer::of(stmts, self.from);
        if self.keys_in_sboxes {
            layer.addends.fill(None);
        }
        let Some(network) = network::choose(&layer, self.target.isa)? else {
            for stmt in stmts {
                self.lower_stmt(stmt)?;
            }
            return Ok(());
        };
        let inputs = layer.inputs.iter().map(|v| self.values[v]).collect();
        let (inputs, _) = self.settle(inputs, None);
        let adds_later = !network.adds_keys && layer.addends.iter().any(Option::is_some);
        let mut gates: Vec<Value> = Vec::new();
        for gate in &network.gates {
            let operands: Vec<Value> = gate
                .operands
                .iter()
                .map(|source| match *source {
                    Source::Input(i) => inputs[i],
                    Source::Key(j) => self.values[&layer.addends[j].expect("choose() saw keys")],
                    Source::Gate(g) => gates[g],
                })
                .collect();
            let role = match network.output_of(gates.len()) {
                Some(row) if adds_later => format!("d{row}"),
                Some(row) => self.role(&stmts[row]).to_owned(),
                None => gate.name.clone(),
            };
            gates.push(self.push(&role, xor_of(operands.len()), &operands));
        }
        for (row, stmt) in stmts.iter().enumerate() {
            let sum = gates[network.outputs[row]];
            let result = match layer.addends[row] {
                Some(key) if adds_later => {
                    let operands = [sum, self.values[&key]];
                    self.push(self.role(stmt), MachineOp::Xor, &operands)
                }
                _ => sum,
            };
            self.define(stmt, result);
        }
        Ok(())
    }

    /// Makes `values` off by the same number of turns: by `wanted`, or else by none if one of them
    /// is not off, or else by the greatest number among them.
    ///
    /// Encryption steps turn once, decryption steps thrice: from a state that is not off, they leave
    /// halves 1 and 3 off, which are settled at 3; from 3 they leave 0 and 2, settled at 0. Each time
    /// half of the slices move, two turns, which is its own inverse.
    fn settle(&mut self, values: Vec<Value>, wanted: Option<u8>) -> (Vec<Value>, u8) {
        let turns: Vec<u8> = values.iter().map(|v| self.turns_of(*v)).collect();
        let least = turns.iter().copied().min().unwrap_or(0);
        let most = turns.iter().copied().max().unwrap_or(0);
        let target = wanted.unwrap_or(if least == 0 { 0 } else { most });
        let settled = values
            .into_iter()
            .zip(turns)
            .map(|(value, turns)| match (4 + target - turns) % 4 {
                0 => value,
                missing => self.push_turns(value, missing, target),
            })
            .collect();
        (settled, target)
    }

    fn push_turns(&mut self, value: Value, count: u8, turns: u8) -> Value {
        let once = shift_rows();
        let mut control: [u8; 16] = core::array::from_fn(|i| i as u8);
        for _ in 0..count {
            control = control.map(|i| once[usize::from(i)]);
        }
        let times = ["", "", "_TWICE", "_THRICE"][usize::from(count)];
        let control = self.push_constant(Constant {
            name: format!("SHIFT_ROWS{times}"),
            doc: "Byte i of a lane comes from this place: ShiftRows of FIPS 197, repeated as the \
                  name says."
                .to_owned(),
            data: ConstantData::Bytes(control),
        });
        let role = format!("{}_turned", self.to.role(value));
        let turned = self.to.push(role, MachineOp::ShuffleBytes, &[value, control]);
        self.set_turns(turned, turns);
        turned
    }

    /// By how many turns of ShiftRows a value is off.
    pub(super) fn turns_of(&self, value: Value) -> u8 {
        self.turns.get(&value).copied().unwrap_or(0)
    }

    /// Notes by how many turns of ShiftRows a value is off.
    pub(super) fn set_turns(&mut self, value: Value, turns: u8) {
        self.turns.insert(value, turns);
    }

    fn role(&self, stmt: &Stmt<AbstractOp>) -> &'a str {
        let result = stmt.result.expect("only statements with a result are asked for its role");
        self.from.role(result)
    }

    fn define(&mut self, stmt: &Stmt<AbstractOp>, lowered: Value) {
        let result = stmt.result.expect("only statements with a result define one");
        self.values.insert(result, lowered);
    }
}

impl Writer for Lowering<'_> {
    fn isa(&self) -> Isa {
        self.target.isa
    }

    /// The operands are off alike; so is the result.
    fn push(&mut self, role: &str, op: MachineOp, args: &[Value]) -> Value {
        let turns = args.iter().map(|v| self.turns_of(*v)).max().unwrap_or(0);
        let result = self.to.push(role, op, args);
        self.set_turns(result, turns);
        result
    }

    fn push_constant(&mut self, constant: Constant) -> Value {
        let role = constant.name.to_lowercase();
        let id = self.constants.intern(constant.clone());
        self.to.push_in(self.constants_step, role, constant_op(&constant, id), &[])
    }
}
