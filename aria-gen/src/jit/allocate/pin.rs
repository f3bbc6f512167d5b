//! Which constants stay in a register throughout.

use super::super::AssembleError;
use super::super::flow::{Flow, Home, Stretch, Value};
use crate::pass::measure_pressure;
use crate::pipeline::Built;

/// The values that are pinned, with their registers, from the uppermost down: as many constants as
/// registers are free at the worst point, those first that cannot be an operand in memory.
pub(super) fn choose(built: &Built, flow: &Flow) -> Result<Vec<(Value, u8)>, AssembleError> {
    let pressure = measure_pressure(built.finished(), built.isa)
        .map_err(|missing| AssembleError::MissingRow(built.id, missing))?;
    let registers = pressure.registers;
    let others = pressure.peak() - pressure.pinned;
    // One more for an operand that an instruction does not take from memory.
    let free = registers.saturating_sub(others + 1);
    let mut weights: Vec<(usize, Value)> = Vec::new();
    for (value, fact) in flow.facts.iter().enumerate() {
        if let Some(Home::Constant(_)) = fact.home {
            let weight = stretches(flow).map(|stretch| weight(stretch, value)).sum();
            weights.push((weight, value));
        }
    }
    weights.sort_by_key(|(weight, value)| (core::cmp::Reverse(*weight), *value));
    let places = (0..registers).rev().map(|number| u8::try_from(number).unwrap_or(u8::MAX));
    Ok(weights.into_iter().map(|(_, value)| value).zip(places).take(free).collect())
}

fn stretches(flow: &Flow) -> impl Iterator<Item = &Stretch> {
    let rounds = flow.rounds.iter().flat_map(|r| [&r.odd, &r.even, &r.after]);
    core::iter::once(&flow.before).chain(rounds)
}

/// Uses of a value; one as any operand but the last costs an instruction otherwise.
fn weight(stretch: &Stretch, value: Value) -> usize {
    let weigh = |args: &[Value]| {
        let (last, others) = args.split_last().map_or((0, 0), |(last, others)| {
            (usize::from(*last == value), others.iter().filter(|arg| **arg == value).count())
        });
        last + 4 * others
    };
    stretch.ops.iter().map(|op| weigh(&op.args)).sum()
}
