//! Searches networks of exclusive ors for a 16×16 matrix over GF(2), such as ARIA's diffusion layer
//! (RFC 5794 section 2.4.3).
//!
//! Pure like everything in this crate: a search is a value, [`Search::run`] takes it so many steps
//! further, and where it gets to depends on problem and seed alone. A search that was stored and read
//! again goes on as if nothing had happened. Reading clocks, writing files and deciding when to stop
//! is its caller's.
//!
//! Two kinds of walk: over circuits that work in place (`in_place`), and over the sets of values that
//! gates compute (`values`). Results are printed in the notation of [`lower::network`](network), and
//! only after that module has read them back and found that they compute the matrix.

mod in_place;
mod random;
mod small_maps;
mod values;

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::lower::network::{self, Network};
use random::Random;
use small_maps::SmallMaps;
use values::{SIZE, Shape, Sum};

/// What is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// `r_i ^= r_j` on 16 registers, and no other register.
    InPlace {
        /// Whether the map from rows to the registers of their results must be its own inverse.
        involution: bool,
    },
    /// Gates of two or three operands.
    Gates {
        /// The most operands of a gate.
        operands: Operands,
        /// Whether each row adds an addend of its own, which is an operand of some gate; at most
        /// one in each.
        keys: bool,
        /// The most gates on a path, if limited.
        depth: Option<usize>,
    },
}

/// The most operands of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operands {
    /// Two: `pxor`.
    Two,
    /// Three: `vpternlog`.
    Three,
}

/// Why there is nothing to search.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// A row without a sum.
    #[error("row {0} is a sum of fewer than two inputs; it needs no gate")]
    Trivial(usize),
    /// Rows that depend on each other.
    #[error("the rows are not independent, so that no circuit in place can compute them")]
    Singular,
    /// Rows that are equal.
    #[error("rows {0} and {1} are equal; search for one of them")]
    Equal(usize, usize),
    /// Too few levels.
    #[error("depth {depth}: a row of {terms} terms needs at least {least}")]
    Depth {
        /// What was asked for.
        depth: usize,
        /// Terms of the longest row.
        terms: u32,
        /// What it takes.
        least: usize,
    },
    /// Too many values for a walk.
    #[error("the greedy program has too many gates to walk from; allow more depth or operands")]
    TooLarge,
}

/// A search, somewhere on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    rows: [u16; SIZE],
    form: Form,
    seed: u64,
    steps: u64,
    random: Random,
    walk: Walk,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Walk {
    InPlace(in_place::Walk),
    Gates(values::Walk),
}

/// Tables that searches of a form use; they are the same for each.
#[derive(Debug, Default)]
pub struct Tables(Option<SmallMaps>);

/// A network that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// As the generator takes it.
    pub network: Network,
    /// Gates on the longest path.
    pub depth: usize,
    /// In the notation of [`network::parse`], with a comment on top.
    pub text: String,
}

impl Tables {
    /// Makes what searches of `form` use.
    #[must_use]
    pub fn new(form: Form) -> Self {
        Self(matches!(form, Form::InPlace { .. }).then(SmallMaps::new))
    }
}

impl Search {
    /// The start of a search for `rows`, bit i for input i.
    ///
    /// # Errors
    ///
    /// When there can be no such network, or no walk to it.
    pub fn new(rows: [u16; SIZE], form: Form, seed: u64) -> Result<Self, ProblemError> {
        check(&rows, form)?;
        let mut random = Random::new(seed);
        let walk = match form {
            Form::InPlace { involution } => {
                Walk::InPlace(in_place::Walk::new(rows, involution, &mut random))
            }
            Form::Gates { operands, keys, depth } => {
                let shape = Shape { fan_in: operands.most(), keys, depth };
                let walk = values::Walk::new(&rows, shape, &mut random);
                Walk::Gates(walk.ok_or(ProblemError::TooLarge)?)
            }
        };
        Ok(Self { rows, form, seed, steps: 0, random, walk })
    }

    /// Takes `steps` steps. Two runs in sequence are one run of the sum of their steps.
    ///
    /// # Panics
    ///
    /// When `tables` were made for another form.
    pub fn run(&mut self, tables: &Tables, steps: u64) {
        for _ in 0..steps {
            match &mut self.walk {
                Walk::InPlace(walk) => {
                    let maps = tables.0.as_ref().expect("tables for circuits in place");
                    walk.step(maps, &mut self.random);
                }
                Walk::Gates(walk) => walk.step(&mut self.random),
            }
        }
        self.steps += steps;
    }

    /// Steps taken so far.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// What is searched for.
    #[must_use]
    pub const fn form(&self) -> Form {
        self.form
    }

    /// The seed of the walk.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The matrix, bit i of a row for input i.
    #[must_use]
    pub const fn rows(&self) -> [u16; SIZE] {
        self.rows
    }

    /// Gates of the best network so far.
    #[must_use]
    pub fn gates(&self) -> usize {
        match &self.walk {
            Walk::InPlace(walk) => walk.best().operations.len(),
            Walk::Gates(walk) => walk.best_gates(),
        }
    }

    /// The best network so far, read back and checked; `None` if it does not compute the rows, which
    /// a search that was altered in its file may hold.
    #[must_use]
    pub fn best(&self) -> Option<Found> {
        let body = match &self.walk {
            Walk::InPlace(walk) => in_place_text(walk.best()),
            Walk::Gates(walk) => gates_text(&walk.best(), self),
        };
        let network = network::parse("found by search", &body).ok()?;
        let rows = self.rows.map(u32::from);
        if !network.computes(&rows) || network.adds_keys != self.form.adds_keys() {
            return None;
        }
        let depth = network.depth();
        let (gates, seed, steps) = (network.gates.len(), self.seed, self.steps);
        let form = self.form.describe();
        let head = format!("# {form}: {gates} gates, depth {depth}; seed {seed}, {steps} steps\n");
        Some(Found { network, depth, text: head + &body })
    }
}

impl Operands {
    const fn most(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Three => 3,
        }
    }
}

impl Form {
    const fn adds_keys(self) -> bool {
        matches!(self, Self::Gates { keys: true, .. })
    }

    /// In words.
    #[must_use]
    pub fn describe(self) -> String {
        match self {
            Self::InPlace { involution: false } => "in place".to_owned(),
            Self::InPlace { involution: true } => "in place, outputs by an involution".to_owned(),
            Self::Gates { operands, keys, depth } => {
                let keys = if keys { " with keys" } else { "" };
                let depth = depth.map(|depth| format!(", depth at most {depth}"));
                format!("{} operands{keys}{}", operands.most(), depth.unwrap_or_default())
            }
        }
    }
}

/// Whether there can be such a network.
fn check(rows: &[u16; SIZE], form: Form) -> Result<(), ProblemError> {
    if let Some(row) = rows.iter().position(|row| row.count_ones() < 2) {
        return Err(ProblemError::Trivial(row));
    }
    for (later, row) in rows.iter().enumerate() {
        if let Some(earlier) = rows[..later].iter().position(|other| other == row) {
            return Err(ProblemError::Equal(earlier, later));
        }
    }
    match form {
        Form::InPlace { .. } if rank(rows) < SIZE => Err(ProblemError::Singular),
        Form::Gates { operands, keys, depth: Some(depth) } => {
            let terms = rows.iter().map(|row| row.count_ones()).max().unwrap_or(0);
            let terms = terms + u32::from(keys);
            let levels = 1..;
            let reaches = |levels: &u32| operands.most().pow(*levels) >= terms as usize;
            let least = levels.into_iter().find(reaches).unwrap_or(1) as usize;
            if depth < least { Err(ProblemError::Depth { depth, terms, least }) } else { Ok(()) }
        }
        _ => Ok(()),
    }
}

fn rank(rows: &[u16; SIZE]) -> usize {
    let mut rows = rows.to_vec();
    let mut rank = 0;
    for column in 0..SIZE {
        let Some(pivot) = rows.iter().position(|row| row >> column & 1 == 1) else { continue };
        let pivot = rows.swap_remove(pivot);
        for row in rows.iter_mut().filter(|row| **row >> column & 1 == 1) {
            *row ^= pivot;
        }
        rank += 1;
    }
    rank
}

fn in_place_text(circuit: &in_place::Circuit) -> String {
    let mut text = String::new();
    for (target, source) in &circuit.operations {
        writeln!(text, "r{target} ^= r{source}").expect("a string takes everything");
    }
    let outputs = circuit.outputs.iter().enumerate().map(|(row, r)| format!("y{row}=r{r}"));
    text + "# outputs: " + &outputs.collect::<Vec<_>>().join(", ") + "\n"
}

fn gates_text(gates: &[values::Gate], search: &Search) -> String {
    let row_of = |sum: Sum| search.rows.iter().position(|row| u32::from(*row) == sum & 0xffff);
    let is_row = |sum: Sum, row: usize| {
        let key = if search.form.adds_keys() { 1 << (SIZE + row) } else { 0 };
        sum == (Sum::from(search.rows[row]) | key)
    };
    let mut names: Vec<(Sum, String)> = Vec::new();
    names.extend((0..SIZE).map(|i| (1 << i, format!("x{i}"))));
    names.extend((0..SIZE).map(|j| (1 << (SIZE + j), format!("k{j}"))));
    let mut temporaries = 0;
    let mut text = String::new();
    for (sum, operands) in gates {
        let name = match row_of(*sum).filter(|row| is_row(*sum, *row)) {
            Some(row) => format!("y{row}"),
            None => {
                temporaries += 1;
                format!("t{}", temporaries - 1)
            }
        };
        let known = |operand: &Sum| names.iter().find(|(sum, _)| sum == operand);
        let mut terms: Vec<&str> =
            operands.iter().filter_map(known).map(|(_, name)| name.as_str()).collect();
        // The key last: it is the operand that may lie in memory.
        terms.sort_by_key(|name| name.starts_with('k'));
        writeln!(text, "{name} = {}", terms.join(" ^ ")).expect("a string takes everything");
        names.push((*sum, name));
    }
    text
}

#[cfg(test)]
mod tests;
