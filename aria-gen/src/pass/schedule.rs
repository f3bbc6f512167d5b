//! List scheduling of each routine, under the tier's number of registers.
//!
//! Steps keep their order, for a reader's sake: what a step needs comes before it. Within a step
//! the next statement is, of those whose operands are there, the one that (1) does not take the
//! routine above its registers, (2) has the longest way to the end of the routine by latency,
//! (3) frees most registers, (4) came first before. Loads of constants, key and counter bytes wait until
//! the statement that wants them is next, since holding them early only costs registers.
//!
//! The Rust compiler orders intrinsics again; an order of our own counts where we assemble.

use super::pressure::{pinned_constants, registers_of, use_counts};
use crate::ir::{Access, MachineOp, Operation, Program, Routine, Stmt, Value};
use crate::isa::{Isa, MICRO_ARCHITECTURES, MissingRow};

/// Schedules every routine.
pub(super) fn schedule(
    program: &Program<MachineOp>,
    isa: Isa,
) -> Result<Program<MachineOp>, MissingRow> {
    let limit = isa.tier.registers() - pinned_constants(program, isa)?.min(isa.tier.registers());
    let routines: Result<Vec<_>, MissingRow> =
        program.routines.iter().map(|routine| schedule_routine(routine, isa, limit)).collect();
    Ok(program.with_routines(program.constants.clone(), routines?))
}

fn schedule_routine(
    routine: &Routine<MachineOp>,
    isa: Isa,
    limit: usize,
) -> Result<Routine<MachineOp>, MissingRow> {
    let mut list = List::new(routine, isa, limit)?;
    while let Some(next) = list.choose() {
        list.place(next);
    }
    Ok(routine.with_body(list.done))
}

/// The state of a schedule under construction. Statements are named by their index in the routine.
struct List<'a> {
    body: &'a [Stmt<MachineOp>],
    /// The statement that defines each value; parameters have none.
    definition: Vec<Option<usize>>,
    /// Latency from the start of each statement to the end of the routine.
    height: Vec<u32>,
    takes_register: Vec<bool>,
    /// Uses of each value that are still to come.
    uses: Vec<usize>,
    placed: Vec<bool>,
    live: usize,
    limit: usize,
    done: Vec<Stmt<MachineOp>>,
}

impl<'a> List<'a> {
    fn new(routine: &'a Routine<MachineOp>, isa: Isa, limit: usize) -> Result<Self, MissingRow> {
        let body = routine.body();
        let mut definition = vec![None; routine.value_count()];
        for (number, stmt) in body.iter().enumerate() {
            if let Some(result) = stmt.result {
                definition[result.index()] = Some(number);
            }
        }
        let takes_register = registers_of(routine, isa)?;
        let params = routine.params().iter();
        Ok(Self {
            height: heights(body, &definition, isa)?,
            body,
            definition,
            live: params.filter(|p| takes_register[p.index()]).count(),
            takes_register,
            uses: use_counts(routine),
            placed: vec![false; body.len()],
            limit,
            done: Vec::new(),
        })
    }

    /// The best statement of the earliest step that is not complete.
    fn choose(&self) -> Option<usize> {
        let waiting = || (0..self.body.len()).filter(|&i| !self.placed[i]);
        let step = waiting().map(|i| self.body[i].step).min()?;
        waiting()
            .filter(|&i| self.body[i].step == step && self.is_ready(i))
            // A routine whose statements are all free loads has nothing else to offer.
            .min_by_key(|&i| {
                let growth = self.growth(i);
                let over = self.live.saturating_add_signed(growth) > self.limit;
                (
                    self.is_free_load(i),
                    over && growth > 0,
                    core::cmp::Reverse(self.height[i]),
                    growth,
                    i,
                )
            })
    }

    /// Whether all operands are there, or are loads that can be placed just before.
    fn is_ready(&self, number: usize) -> bool {
        let mut definitions =
            self.body[number].args.iter().filter_map(|v| self.definition[v.index()]);
        definitions.all(|d| self.placed[d] || self.is_free_load(d))
    }

    /// Whether a statement needs nothing and may be placed wherever its result is wanted.
    fn is_free_load(&self, number: usize) -> bool {
        let access = self.body[number].op.access();
        matches!(access, Access::RoundKey { .. } | Access::Counter { .. } | Access::Constant { .. })
    }

    /// By how many registers the statement, with the loads it pulls in, changes what is live.
    fn growth(&self, number: usize) -> isize {
        let stmt = &self.body[number];
        let takes = |v: &Value| self.takes_register[v.index()];
        let mut growth = isize::from(stmt.result.is_some_and(|v| takes(&v)));
        for (i, arg) in stmt.args.iter().enumerate() {
            let uses_here = stmt.args.iter().filter(|v| *v == arg).count();
            let first = !stmt.args[..i].contains(arg);
            let loaded = self.definition[arg.index()].is_some_and(|d| !self.placed[d]);
            let dies = self.uses[arg.index()] == uses_here;
            if first && takes(arg) {
                growth += isize::from(loaded) - isize::from(dies);
            }
        }
        growth
    }

    /// Places a statement, after the loads that it waits for.
    fn place(&mut self, number: usize) {
        let stmt = &self.body[number];
        for arg in &stmt.args {
            if let Some(load) = self.definition[arg.index()].filter(|&d| !self.placed[d]) {
                self.emit(load);
            }
        }
        self.emit(number);
    }

    fn emit(&mut self, number: usize) {
        let stmt = &self.body[number];
        let takes = |v: Value, registers: &[bool]| usize::from(registers[v.index()]);
        for arg in &stmt.args {
            self.uses[arg.index()] -= 1;
            if self.uses[arg.index()] == 0 {
                self.live -= takes(*arg, &self.takes_register);
            }
        }
        self.live += stmt.result.map_or(0, |v| takes(v, &self.takes_register));
        self.placed[number] = true;
        self.done.push(stmt.clone());
    }
}

/// Latency from the start of each statement to the end of the routine, on the slowest of the
/// modelled micro-architectures.
fn heights(
    body: &[Stmt<MachineOp>],
    definition: &[Option<usize>],
    isa: Isa,
) -> Result<Vec<u32>, MissingRow> {
    let mut after = vec![0; body.len()];
    let mut heights = vec![0; body.len()];
    for (number, stmt) in body.iter().enumerate().rev() {
        let row = isa.row_of(&stmt.op)?;
        let latencies = MICRO_ARCHITECTURES.iter().map(|cpu| cpu.cost(row).latency);
        heights[number] = after[number] + latencies.max().unwrap_or(1);
        for arg in &stmt.args {
            if let Some(d) = definition[arg.index()] {
                after[d] = after[d].max(heights[number]);
            }
        }
    }
    Ok(heights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Span;
    use crate::isa::{Tier, Width};

    fn isa(tier: Tier) -> Isa {
        Isa { tier, width: Width::Xmm }
    }

    fn roles(routine: &Routine<MachineOp>) -> Vec<&str> {
        let results = routine.body().iter().filter_map(|stmt| stmt.result);
        results.map(|value| routine.role(value)).collect()
    }

    #[test]
    fn the_longest_way_comes_first_within_a_step() {
        let mut routine = Routine::new("r", "");
        let a = routine.param("a");
        let m = routine.push("m", MachineOp::Matrix { id: 0 }, &[]);
        let short = routine.push("short", MachineOp::Xor, &[a, a]);
        let long = routine.push("long", MachineOp::Affine { constant: 0 }, &[a, m]);
        let longer = routine.push("longer", MachineOp::Affine { constant: 0 }, &[long, m]);
        routine.set_results(vec![short, longer]);
        let scheduled = schedule_routine(&routine, isa(Tier::Avx512), 32).expect("rows exist");
        assert_eq!(roles(&scheduled), ["m", "long", "longer", "short"]);
    }

    #[test]
    fn steps_keep_their_order() {
        let mut routine = Routine::new("r", "");
        let a = routine.param("a");
        routine.step("first");
        let short = routine.push("short", MachineOp::Xor, &[a, a]);
        routine.step("second");
        let m = routine.push("m", MachineOp::Matrix { id: 0 }, &[]);
        let long = routine.push("long", MachineOp::Affine { constant: 0 }, &[a, m]);
        routine.set_results(vec![short, long]);
        let scheduled = schedule_routine(&routine, isa(Tier::Avx512), 32).expect("rows exist");
        assert_eq!(roles(&scheduled), ["short", "m", "long"]);
    }

    #[test]
    fn a_key_byte_is_loaded_just_before_its_use() {
        let mut routine = Routine::new("r", "");
        let a = routine.param("a");
        let span = Span::Vector;
        let keys = [0, 1].map(|index| {
            routine.push(format!("k{index}"), MachineOp::KeySplat32 { index, span }, &[])
        });
        let x = routine.push("x", MachineOp::Xor, &[a, keys[0]]);
        let y = routine.push("y", MachineOp::Xor, &[x, keys[1]]);
        routine.set_results(vec![y]);
        let scheduled = schedule_routine(&routine, isa(Tier::Avx), 16).expect("rows exist");
        assert_eq!(roles(&scheduled), ["k0", "x", "k1", "y"]);
    }

    /// With room, both affine maps start before either result is summed; without, one is summed away
    /// before the other starts.
    #[test]
    fn the_limit_decides_between_length_and_registers() {
        let mut routine = Routine::new("r", "");
        let [a, b] = ["a", "b"].map(|role| routine.param(role));
        let m = routine.push("m", MachineOp::Matrix { id: 0 }, &[]);
        let sums = [a, b].map(|value| {
            let image = routine.push("image", MachineOp::Affine { constant: 0 }, &[value, m]);
            routine.push("sum", MachineOp::Xor, &[image, value])
        });
        routine.set_results(sums.to_vec());
        let order = |limit| {
            let scheduled = schedule_routine(&routine, isa(Tier::Avx), limit).expect("rows exist");
            roles(&scheduled).join(" ")
        };
        assert_eq!(order(16), "m image image sum sum");
        assert_eq!(order(3), "m image sum image sum");
    }
}
