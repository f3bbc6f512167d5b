//! From what a kernel means to instructions: abstract program in, machine program out.
//!
//! The only module that sees both vocabularies. S-boxes become the unit's sequences
//! (`sbox`), linear layers become networks of exclusive ors ([`network`]), round key bytes become
//! loads of the key form; loads, stores and interleavings have one instruction each. The result is
//! correct and naive: repeated constants are merged, and orders chosen, by the passes.

pub mod network;
mod sbox;

use std::collections::BTreeMap;

use crate::ir::{
    AbstractOp, Constant, Form, MachineOp, Operation, Program, Routine, Step, Stmt, Value,
};
use crate::isa::{Isa, Unit};
use crate::kernel::KeyForm;
use network::{LinearLayer, NetworkError, Source};

/// Why a program cannot be lowered: the value and the remedy. The caller adds kernel and stage.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LowerError {
    /// The target lacks an instruction form.
    #[error("{0}; add one to the instruction table or mark the cell illegal")]
    MissingRow(#[from] crate::isa::MissingRow),
    /// The unit has no way to compute an S-box.
    #[error(
        "no route for S-box {sbox} on unit {}; add one in aria-gen/src/lower/sbox.rs",
        .unit.name()
    )]
    NoRoute {
        /// The S-box.
        sbox: &'static str,
        /// The unit.
        unit: Unit,
    },
    /// A network of the table is not what it says.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

/// Lowers `program` to the instructions of `isa`, S-boxes by `unit`, keys in `key_form`.
///
/// # Errors
///
/// When the target lacks an instruction or a route; see [`LowerError`].
pub fn lower_program(
    program: &Program<AbstractOp>,
    isa: Isa,
    unit: Unit,
    key_form: KeyForm,
) -> Result<Program<MachineOp>, LowerError> {
    let mut constants = Constants::default();
    let mut routines = Vec::new();
    for routine in &program.routines {
        let mut to = routine.translated();
        let mut lowering = Lowering {
            isa,
            unit,
            key_form,
            constants: &mut constants,
            from: routine,
            matrices: to.step("Bit matrices"),
            to,
            values: BTreeMap::new(),
        };
        lowering.run()?;
        routines.push(lowering.to);
    }
    let lowered = program.with_routines(constants.list, routines);
    for stmt in lowered.routines.iter().flat_map(Routine::body) {
        isa.row(stmt.op.form())?;
    }
    Ok(lowered)
}

/// The constants of a program, each once.
#[derive(Default)]
struct Constants {
    list: Vec<Constant>,
}

impl Constants {
    /// The id of `constant`, which is added when no equal one is there.
    fn intern(&mut self, constant: Constant) -> usize {
        let known = self.list.iter().position(|c| *c == constant);
        known.unwrap_or_else(|| {
            self.list.push(constant);
            self.list.len() - 1
        })
    }
}

/// One routine on its way.
struct Lowering<'a> {
    isa: Isa,
    unit: Unit,
    key_form: KeyForm,
    constants: &'a mut Constants,
    from: &'a Routine<AbstractOp>,
    to: Routine<MachineOp>,
    /// The lowered value of each abstract value so far.
    values: BTreeMap<Value, Value>,
    /// The step of the bit matrices, the first of all.
    matrices: Step,
}

impl<'a> Lowering<'a> {
    fn run(&mut self) -> Result<(), LowerError> {
        for param in self.from.params() {
            let lowered = self.to.param(self.from.role(*param));
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
        self.to.set_results(results);
        Ok(())
    }

    fn lower_stmt(&mut self, stmt: &Stmt<AbstractOp>) -> Result<(), LowerError> {
        let args: Vec<Value> = stmt.args.iter().map(|v| self.values[v]).collect();
        let op = match &stmt.op {
            AbstractOp::Load { offset } => MachineOp::Load { offset: *offset },
            AbstractOp::Store { offset } => MachineOp::Store { offset: *offset },
            AbstractOp::InterleaveLow => MachineOp::UnpackLow8,
            AbstractOp::InterleaveHigh => MachineOp::UnpackHigh8,
            AbstractOp::RoundKeyByte { index } => match self.key_form {
                KeyForm::Broadcast32 => MachineOp::KeySplat32 { index: *index },
                KeyForm::Planes => unreachable!("kernels on words are not lowered"),
            },
            AbstractOp::Substitute(sbox) => {
                let role = self.role(stmt);
                let route = sbox::route(*sbox, self.unit)
                    .ok_or(LowerError::NoRoute { sbox: sbox.name, unit: self.unit })?;
                let result = self.push_route(&route, role, args[0]);
                self.define(stmt, result);
                return Ok(());
            }
            AbstractOp::XorSelected { mask } => {
                let selected = args.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
                let addends: Vec<Value> = selected.map(|(_, v)| *v).collect();
                let result = self.push_sum(self.role(stmt), &addends);
                self.define(stmt, result);
                return Ok(());
            }
        };
        if op.has_result() {
            let result = self.to.push(self.role(stmt), op, &args);
            self.define(stmt, result);
        } else {
            self.to.push_store(op, &args);
        }
        Ok(())
    }

    /// The steps of an S-box route, each an instruction with a matrix operand.
    fn push_route(&mut self, route: &[sbox::RouteStep], role: &str, arg: Value) -> Value {
        let mut value = arg;
        for (number, step) in route.iter().enumerate() {
            let id = self.constants.intern(step.matrix.clone());
            let matrix_role = step.matrix.name.to_lowercase();
            let matrix = self.to.push_in(self.matrices, matrix_role, MachineOp::Matrix { id }, &[]);
            let last = number + 1 == route.len();
            let role = if last { role.to_owned() } else { format!("{role}_inner") };
            value = self.to.push(role, step.op.clone(), &[value, matrix]);
        }
        value
    }

    /// An exclusive or of any number of values, three at a time where the target can.
    fn push_sum(&mut self, role: &str, addends: &[Value]) -> Value {
        let mut pending = addends.to_vec();
        while pending.len() > 1 {
            let take = if pending.len() > 2 && self.isa.has(Form::Xor3) { 3 } else { 2 };
            let operands: Vec<Value> = pending.drain(..take).collect();
            pending.push(self.to.push(role, xor_of(take), &operands));
        }
        pending[0]
    }

    /// A whole linear layer: through a network of the table when one computes it, else row by row.
    fn lower_layer(&mut self, stmts: &[Stmt<AbstractOp>]) -> Result<(), LowerError> {
        let layer = LinearLayer::of(stmts, self.from);
        let Some(network) = network::choose(&layer, self.isa)? else {
            for stmt in stmts {
                self.lower_stmt(stmt)?;
            }
            return Ok(());
        };
        let mut gates: Vec<Value> = Vec::new();
        for gate in &network.gates {
            let operands: Vec<Value> = gate
                .operands
                .iter()
                .map(|source| match *source {
                    Source::Input(i) => self.values[&layer.inputs[i]],
                    Source::Key(j) => self.values[&layer.addends[j].expect("choose() saw keys")],
                    Source::Gate(g) => gates[g],
                })
                .collect();
            let role = match network.output_of(gates.len()) {
                Some(row) if network.adds_keys => self.role(&stmts[row]).to_owned(),
                Some(row) => format!("d{row}"),
                None => gate.name.clone(),
            };
            gates.push(self.to.push(role, xor_of(operands.len()), &operands));
        }
        for (row, stmt) in stmts.iter().enumerate() {
            let sum = gates[network.outputs[row]];
            let result = match layer.addends[row] {
                Some(key) if !network.adds_keys => {
                    let operands = [sum, self.values[&key]];
                    self.to.push(self.role(stmt), MachineOp::Xor, &operands)
                }
                _ => sum,
            };
            self.define(stmt, result);
        }
        Ok(())
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

/// The exclusive or of two or three operands.
fn xor_of(operands: usize) -> MachineOp {
    if operands == 3 { MachineOp::Xor3 } else { MachineOp::Xor }
}
