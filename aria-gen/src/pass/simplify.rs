//! Merges equal values and drops unused ones.
//!
//! Two statements of a routine with the same operation and the same operands define the same value:
//! memory that a routine reads does not change under it. The lowering relies on this, for it asks
//! for a constant anew at each use.

use crate::ir::{MachineOp, Operation, Program, Routine, Stmt, Value};
use crate::isa::{Isa, MissingRow};

/// Merges and drops, in each routine.
pub(super) fn simplify(
    program: &Program<MachineOp>,
    _isa: Isa,
) -> Result<Program<MachineOp>, MissingRow> {
    let routines = program.routines.iter().map(|r| drop_unused(&merge_equal(r)));
    Ok(program.with_routines(program.constants.clone(), routines.collect()))
}

fn merge_equal(routine: &Routine<MachineOp>) -> Routine<MachineOp> {
    let mut same_as: Vec<Option<Value>> = vec![None; routine.value_count()];
    let resolve = |same_as: &[Option<Value>], v: Value| same_as[v.index()].unwrap_or(v);
    let mut body: Vec<Stmt<MachineOp>> = Vec::new();
    for stmt in routine.body() {
        let args = stmt.args.iter().map(|v| resolve(&same_as, *v)).collect();
        let stmt = Stmt { args, ..stmt.clone() };
        let equal = body.iter().find(|s| s.op == stmt.op && s.args == stmt.args);
        match (stmt.result, equal.and_then(|s| s.result)) {
            (Some(result), Some(earlier)) => same_as[result.index()] = Some(earlier),
            _ => body.push(stmt),
        }
    }
    let results = routine.results().iter().map(|v| resolve(&same_as, *v)).collect();
    let mut merged = routine.with_body(body);
    merged.set_results(results);
    merged
}

fn drop_unused(routine: &Routine<MachineOp>) -> Routine<MachineOp> {
    let mut used = vec![false; routine.value_count()];
    for value in routine.results() {
        used[value.index()] = true;
    }
    let mut body: Vec<Stmt<MachineOp>> = Vec::new();
    for stmt in routine.body().iter().rev() {
        if stmt.result.is_some_and(|v| !used[v.index()]) && stmt.op.has_result() {
            continue;
        }
        for arg in &stmt.args {
            used[arg.index()] = true;
        }
        body.push(stmt.clone());
    }
    body.reverse();
    routine.with_body(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Span;

    #[test]
    fn equal_values_merge_and_unused_ones_go() {
        let mut routine = Routine::new("r", "");
        let a = routine.param("a");
        let first = routine.push("k", MachineOp::KeySplat32 { index: 3, span: Span::Vector }, &[]);
        let again = routine.push("k", MachineOp::KeySplat32 { index: 3, span: Span::Vector }, &[]);
        let other = routine.push("k", MachineOp::KeySplat32 { index: 4, span: Span::Vector }, &[]);
        let x = routine.push("x", MachineOp::Xor, &[a, first]);
        let y = routine.push("y", MachineOp::Xor, &[a, again]);
        routine.push("unused", MachineOp::Xor, &[a, other]);
        let z = routine.push("z", MachineOp::Xor, &[x, y]);
        routine.set_results(vec![z, y]);

        let simplified = drop_unused(&merge_equal(&routine));

        let ops: Vec<_> = simplified.body().iter().map(|s| s.op.to_string()).collect();
        assert_eq!(ops, ["key_splat32 3", "xor", "xor"]);
        assert_eq!(simplified.results(), [z, x]);
    }
}
