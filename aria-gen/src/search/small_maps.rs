//! The cheapest circuits of `r_i ^= r_j` for every invertible map of a few registers, up to the
//! order in which the results lie: breadth-first search over GL(k, 2) from its permutations.

use super::random::Random;

/// Registers of a map.
pub(super) const WIRES: usize = 5;

/// Not reached: no invertible matrix.
const UNKNOWN: u8 = u8::MAX;

/// For each matrix over `WIRES` registers, rows of `WIRES` bits packed, how few operations take it to
/// a permutation.
#[derive(Debug)]
pub(super) struct SmallMaps {
    cost: Vec<u8>,
}

/// A matrix, row i in bits `WIRES * i` and up.
pub(super) type Packed = u32;

const ROW: Packed = (1 << WIRES) - 1;

/// What `r_target ^= r_source` makes of a matrix of rows.
const fn add(matrix: Packed, target: usize, source: usize) -> Packed {
    matrix ^ ((matrix >> (WIRES * source)) & ROW) << (WIRES * target)
}

/// The pairs of different registers.
fn pairs() -> impl Iterator<Item = (usize, usize)> {
    let all = (0..WIRES).flat_map(|target| (0..WIRES).map(move |source| (target, source)));
    all.filter(|(target, source)| target != source)
}

impl SmallMaps {
    /// Searches the whole group: ten million matrices for five registers, about a second.
    pub(super) fn new() -> Self {
        let mut cost = vec![UNKNOWN; 1 << (WIRES * WIRES)];
        let mut front: Vec<Packed> = permutations();
        for matrix in &front {
            cost[*matrix as usize] = 0;
        }
        let mut steps = 0;
        while !front.is_empty() {
            steps += 1;
            let mut next = Vec::new();
            for matrix in front {
                for (target, source) in pairs() {
                    let reached = add(matrix, target, source);
                    if cost[reached as usize] == UNKNOWN {
                        cost[reached as usize] = steps;
                        next.push(reached);
                    }
                }
            }
            front = next;
        }
        Self { cost }
    }

    /// The fewest operations for `matrix`.
    pub(super) fn cost(&self, matrix: Packed) -> usize {
        usize::from(self.cost[matrix as usize])
    }

    /// One of the cheapest circuits for an invertible `matrix`, drawn by `random`: the register
    /// `place[i]` that stands for number i from the start, and the operations on numbers.
    pub(super) fn circuit(
        &self,
        mut matrix: Packed,
        random: &mut Random,
    ) -> ([usize; WIRES], Vec<(usize, usize)>) {
        let mut operations = Vec::new();
        let mut choices: Vec<(usize, usize)> = pairs().collect();
        while self.cost(matrix) > 0 {
            random.shuffle(&mut choices);
            let cheaper =
                |(t, s): &&(usize, usize)| self.cost(add(matrix, *t, *s)) < self.cost(matrix);
            let (target, source) =
                *choices.iter().find(cheaper).expect("each matrix was reached from a cheaper one");
            matrix = add(matrix, target, source);
            operations.push((target, source));
        }
        // The operations took the matrix to a permutation, so that and they in reverse make it.
        operations.reverse();
        let row = |i: usize| (matrix >> (WIRES * i)) & ROW;
        (core::array::from_fn(|i| row(i).trailing_zeros() as usize), operations)
    }
}

/// Every permutation matrix.
fn permutations() -> Vec<Packed> {
    let mut matrices = vec![(0, 0)];
    for row in 0..WIRES {
        let extended = matrices.iter().flat_map(|&(matrix, used)| {
            let free = (0..WIRES).filter(move |column| used >> column & 1 == 0);
            free.map(move |column| {
                (matrix | (1 as Packed) << (WIRES * row + column), used | 1_u32 << column)
            })
        });
        matrices = extended.collect();
    }
    matrices.into_iter().map(|(matrix, _)| matrix).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order of GL(5, 2), known costs, and circuits that compute what they should.
    #[test]
    fn every_invertible_map_has_a_circuit() {
        let maps = SmallMaps::new();
        assert_eq!(permutations().len(), 120);
        let group = maps.cost.iter().filter(|cost| **cost != UNKNOWN).count();
        assert_eq!(group, 9_999_360);
        let identity: Packed = (0..WIRES).map(|i| 1 << (WIRES * i + i)).sum();
        assert_eq!(maps.cost(identity), 0);
        assert_eq!(maps.cost(add(identity, 0, 1)), 1);

        let mut random = Random::new(5);
        for _ in 0..200 {
            let mut matrix = identity;
            for _ in 0..random.below(30) {
                let pairs: Vec<(usize, usize)> = pairs().collect();
                let (target, source) = pairs[random.below(pairs.len())];
                matrix = add(matrix, target, source);
            }
            let (places, operations) = maps.circuit(matrix, &mut random);
            let mut made: Packed = (0..WIRES).map(|i| 1 << (WIRES * i + places[i])).sum();
            for (target, source) in &operations {
                made = add(made, *target, *source);
            }
            assert_eq!(made, matrix);
            assert_eq!(operations.len(), maps.cost(matrix));
        }
    }
}
