//! Walks over circuits of `r_i ^= r_j` on 16 registers, without any other register.
//!
//! A walk starts from greedy elimination (after de Brugière, Baboulin, Valiron, Martiel, Allouche,
//! "Gaussian Elimination versus Greedy Methods for the Synthesis of Linear Reversible Circuits",
//! 2021: the row or column operation after which the sum of the logarithms of the weights of matrix
//! and inverse is least). A step takes a window of operations on five registers, which may lie apart
//! if what lies between commutes, and puts one of the cheapest circuits for the same map in its place.
//! Where results end up is free, so that the window's registers may change places.

use serde::{Deserialize, Serialize};

use super::random::Random;
use super::small_maps::{Packed, SmallMaps, WIRES};

const REGISTERS: usize = 16;

/// A walk that has found nothing for so many steps starts anew.
const PATIENCE: u64 = 400_000;

/// Operations that exchange two registers.
const EXCHANGE: usize = 3;

/// A step to a circuit that costs n more is taken once in this to the n.
const UPHILL: u64 = 8;

/// A circuit: operations, then the register in which each row's result lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Circuit {
    pub(super) operations: Vec<(usize, usize)>,
    pub(super) outputs: [usize; REGISTERS],
}

impl Circuit {
    /// What each row computes, bit i for input i.
    #[cfg(test)]
    pub(super) fn rows(&self) -> [u16; REGISTERS] {
        let mut registers: [u16; REGISTERS] = core::array::from_fn(|i| 1 << i);
        for (target, source) in &self.operations {
            registers[*target] ^= registers[*source];
        }
        self.outputs.map(|register| registers[register])
    }

    /// How many exchanges of two registers make the map of outputs an involution: a cycle of n
    /// splits into pairs.
    fn exchanges_to_involution(&self) -> usize {
        let mut seen = [false; REGISTERS];
        let mut exchanges = 0;
        for start in 0..REGISTERS {
            let (mut length, mut at) = (0_usize, start);
            while !seen[at] {
                seen[at] = true;
                length += 1;
                at = self.outputs[at];
            }
            exchanges += length.div_ceil(2).saturating_sub(1);
        }
        exchanges
    }

    /// The same map, results exchanged by operations until the map of outputs is an involution.
    fn made_involution(mut self) -> Self {
        while self.exchanges_to_involution() > 0 {
            let before = self.exchanges_to_involution();
            let pairs = (0..REGISTERS).flat_map(|a| (a + 1..REGISTERS).map(move |b| (a, b)));
            for (a, b) in pairs {
                let mut exchanged = self.clone();
                exchanged.outputs.swap(a, b);
                if exchanged.exchanges_to_involution() < before {
                    // An exchange of two registers, by three operations.
                    let (a, b) = (self.outputs[a], self.outputs[b]);
                    exchanged.operations.extend([(a, b), (b, a), (a, b)]);
                    self = exchanged;
                    break;
                }
            }
        }
        self
    }
}

/// A walk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Walk {
    rows: [u16; REGISTERS],
    involution: bool,
    current: Circuit,
    best: Circuit,
    /// Steps since the walk started or found something better than before.
    idle: u64,
    /// The least that this walk has seen since it started.
    least: usize,
}

impl Walk {
    pub(super) fn new(rows: [u16; REGISTERS], involution: bool, random: &mut Random) -> Self {
        let current = eliminate(rows, random);
        let best = if involution { current.clone().made_involution() } else { current.clone() };
        let mut walk = Self { rows, involution, current, best, idle: 0, least: 0 };
        walk.least = walk.cost(&walk.current);
        walk
    }

    pub(super) const fn best(&self) -> &Circuit {
        &self.best
    }

    /// Operations, those that would make the outputs an involution included if they must be one.
    fn cost(&self, circuit: &Circuit) -> usize {
        let exchanges = if self.involution { circuit.exchanges_to_involution() } else { 0 };
        circuit.operations.len() + EXCHANGE * exchanges
    }

    /// One step: a window of the current circuit made anew.
    pub(super) fn step(&mut self, maps: &SmallMaps, random: &mut Random) {
        self.idle += 1;
        if self.idle > PATIENCE {
            self.current = eliminate(self.rows, random);
            self.least = self.cost(&self.current);
            self.idle = 0;
        }
        let changed = remade(&self.current, maps, random);
        let cost = self.cost(&changed);
        let worse = cost.saturating_sub(self.cost(&self.current));
        // A window alone never grows, but it may take the outputs further from an involution.
        if worse > 0 && !random.once_in(UPHILL.pow(u32::try_from(worse).unwrap_or(u32::MAX).min(8)))
        {
            return;
        }
        self.current = changed;
        if cost < self.least {
            self.least = cost;
            self.idle = 0;
        }
        if cost < self.best.operations.len() {
            let involution = self.involution;
            let circuit = self.current.clone();
            self.best = if involution { circuit.made_involution() } else { circuit };
        }
    }
}

/// `circuit` with a window of it made anew.
fn remade(circuit: &Circuit, maps: &SmallMaps, random: &mut Random) -> Circuit {
    let operations = &circuit.operations;
    let start = random.below(operations.len());
    // The window takes operations on its registers until they touch one that was passed over.
    let mut wires: Vec<usize> = Vec::with_capacity(WIRES);
    let mut blocked = 0_u16;
    let (mut window, mut rest) = (Vec::new(), Vec::new());
    for &(target, source) in &operations[start..] {
        let fresh = [target, source].into_iter().filter(|wire| !wires.contains(wire)).count();
        let free = blocked >> target & 1 == 0 && blocked >> source & 1 == 0;
        // Passed over now and then, so that windows differ that start alike.
        if free && wires.len() + fresh <= WIRES && (wires.is_empty() || !random.once_in(12)) {
            for wire in [target, source] {
                if !wires.contains(&wire) {
                    wires.push(wire);
                }
            }
            window.push((target, source));
        } else {
            blocked |= 1 << target | 1 << source;
            rest.push((target, source));
        }
    }
    // Any other register may lend its place: at the window nothing has been passed over yet.
    while wires.len() < WIRES {
        let wire = random.below(REGISTERS);
        if !wires.contains(&wire) {
            wires.push(wire);
        }
    }
    let number = |wire: usize| wires.iter().position(|w| *w == wire).expect("the window's own");
    let mut matrix: [Packed; WIRES] = core::array::from_fn(|i| 1 << i);
    for (target, source) in &window {
        matrix[number(*target)] ^= matrix[number(*source)];
    }
    let packed = matrix.iter().enumerate().map(|(i, row)| row << (WIRES * i)).sum();
    let (places, made) = maps.circuit(packed, random);

    // Where each register's value lies from here on.
    let mut place: [usize; REGISTERS] = core::array::from_fn(|register| register);
    for (i, from) in places.into_iter().enumerate() {
        place[wires[i]] = wires[from];
    }
    let mut changed = operations[..start].to_vec();
    changed.extend(made.into_iter().map(|(t, s)| (place[wires[t]], place[wires[s]])));
    changed.extend(rest.into_iter().map(|(t, s)| (place[t], place[s])));
    Circuit { operations: changed, outputs: circuit.outputs.map(|register| place[register]) }
}

/// 1024 times the logarithm to base 2 of each weight, so that sums are exact on every machine.
const LOGARITHMS: [u32; REGISTERS + 1] = [
    0, 0, 1024, 1623, 2048, 2378, 2647, 2875, 3072, 3246, 3402, 3542, 3671, 3789, 3899, 3999, 4096,
];

/// How far matrix and inverse are from permutations.
fn distance(matrix: &[u16], inverse: &[u16]) -> u32 {
    let logarithm = |row: &u16| LOGARITHMS[row.count_ones() as usize];
    matrix.iter().chain(inverse).map(logarithm).sum()
}

/// Greedy elimination by row and column operations, ties and dead ends broken by `random`. The
/// rows must be linearly independent.
fn eliminate(rows: [u16; REGISTERS], random: &mut Random) -> Circuit {
    // The inverse is kept transposed, so that each operation is one on rows of both matrices, and a
    // column operation is one on rows of their transposes.
    let mut matrix = rows;
    let mut inverse = transposed(&inverted(&rows));
    let (mut before, mut after) = (Vec::new(), Vec::new());
    while matrix.iter().any(|row| row.count_ones() > 1) {
        let mut best = u32::MAX;
        let mut choices = Vec::new();
        let (columns, inverse_columns) = (transposed(&matrix), transposed(&inverse));
        for target in 0..REGISTERS {
            for source in (0..REGISTERS).filter(|source| *source != target) {
                for by_row in [true, false] {
                    let (matrix, inverse) = match by_row {
                        true => added(matrix, inverse, target, source),
                        false => added(columns, inverse_columns, source, target),
                    };
                    let reached = distance(&matrix, &inverse);
                    if reached < best {
                        best = reached;
                        choices.clear();
                    }
                    if reached == best {
                        choices.push((target, source, by_row));
                    }
                }
            }
        }
        let mut choice = choices[random.below(choices.len())];
        if best >= distance(&matrix, &inverse) {
            // A dead end: any operation at all.
            let target = random.below(REGISTERS);
            choice = (target, (target + 1 + random.below(REGISTERS - 1)) % REGISTERS, true);
        }
        let (target, source, by_row) = choice;
        if by_row {
            (matrix, inverse) = added(matrix, inverse, target, source);
            after.push((target, source));
        } else {
            let (m, i) = added(columns, inverse_columns, source, target);
            (matrix, inverse) = (transposed(&m), transposed(&i));
            before.push((target, source));
        }
    }
    // rows = after in reverse · permutation · before
    let outputs = matrix.map(|row| row.trailing_zeros() as usize);
    let place = |wire: usize| outputs[wire];
    let late = after.iter().rev().map(|(target, source)| (place(*target), place(*source)));
    Circuit { operations: before.iter().copied().chain(late).collect(), outputs }
}

/// Row `target` plus row `source`; the transposed inverse changes the other way round.
const fn added(
    mut matrix: [u16; REGISTERS],
    mut inverse: [u16; REGISTERS],
    target: usize,
    source: usize,
) -> ([u16; REGISTERS], [u16; REGISTERS]) {
    matrix[target] ^= matrix[source];
    inverse[source] ^= inverse[target];
    (matrix, inverse)
}

fn transposed(matrix: &[u16; REGISTERS]) -> [u16; REGISTERS] {
    core::array::from_fn(|column| {
        (0..REGISTERS).map(|row| (matrix[row] >> column & 1) << row).sum()
    })
}

/// The inverse of a matrix whose rows are independent.
fn inverted(rows: &[u16; REGISTERS]) -> [u16; REGISTERS] {
    let mut matrix = *rows;
    let mut inverse: [u16; REGISTERS] = core::array::from_fn(|i| 1 << i);
    for column in 0..REGISTERS {
        let pivot = (column..REGISTERS).find(|row| matrix[*row] >> column & 1 == 1);
        let pivot = pivot.expect("Problem::new saw that the rows are independent");
        matrix.swap(column, pivot);
        inverse.swap(column, pivot);
        for row in (0..REGISTERS).filter(|row| *row != column) {
            if matrix[row] >> column & 1 == 1 {
                matrix[row] ^= matrix[column];
                inverse[row] ^= inverse[column];
            }
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::aria::diffusion_mask;

    fn rows() -> [u16; REGISTERS] {
        core::array::from_fn(diffusion_mask)
    }

    #[test]
    fn elimination_and_its_involution_compute_the_rows() {
        for seed in 0..20 {
            let circuit = eliminate(rows(), &mut Random::new(seed));
            assert_eq!(circuit.rows(), rows(), "seed {seed}");
            let circuit = circuit.made_involution();
            assert_eq!(circuit.rows(), rows(), "seed {seed}");
            for (row, register) in circuit.outputs.into_iter().enumerate() {
                assert_eq!(circuit.outputs[register], row, "seed {seed}");
            }
        }
    }

    #[test]
    fn steps_keep_the_map_and_never_grow() {
        let maps = SmallMaps::new();
        let mut random = Random::new(3);
        let mut circuit = eliminate(rows(), &mut random);
        for step in 0..2000 {
            let changed = remade(&circuit, &maps, &mut random);
            assert_eq!(changed.rows(), rows(), "step {step}");
            assert!(changed.operations.len() <= circuit.operations.len(), "step {step}");
            circuit = changed;
        }
    }
}
