//! Short circuits for linear maps of a few bits.
//!
//! The heuristic of Boyar and Peralta ("A depth-16 circuit for the AES S-box", 2011): a growing set
//! of known sums, and for each wanted sum its distance, the least number of known sums that add up
//! to it. The next gate is the one that brings the distances down most. With at most eight inputs
//! there are 255 sums, so distances are kept for all of them, exactly: a new known sum e makes the
//! distance of x the lesser of d(x) and d(x + e) + 1.

use super::{Circuit, Wire};

/// A circuit of exclusive ors for the map with these rows: bit j of row i says whether output i
/// contains input j. Among `tries` ways to break ties, the shortest result is taken; the ways are
/// the same each time.
///
/// # Panics
///
/// When there are more than eight inputs, or a row names one that is none.
#[must_use]
pub fn derive_linear(inputs: usize, rows: &[u8], tries: u64) -> Circuit {
    let mut circuit = Circuit::new(inputs);
    let known: Vec<(u8, Wire)> = (0..inputs).map(|i| (1 << i, Wire(i))).collect();
    let outputs = extend_linear(&mut circuit, &known, rows, tries);
    circuit.set_outputs(outputs);
    circuit
}

/// The same within a circuit that has some sums already: `known` are sums of up to eight bits, as in
/// rows, with the wires that hold them. Returns the wires of the rows, `None` for an empty one.
///
/// # Panics
///
/// When a row is no sum of known ones.
pub fn extend_linear(
    circuit: &mut Circuit,
    known: &[(u8, Wire)],
    rows: &[u8],
    tries: u64,
) -> Vec<Option<Wire>> {
    let attempts = (0..tries.max(1)).map(|seed| {
        let mut extended = circuit.clone();
        let outputs = attempt(&mut extended, known, rows, seed);
        (extended, outputs)
    });
    let best = attempts.min_by_key(|(extended, _)| extended.gates.len());
    let (extended, outputs) = best.expect("at least one attempt was made");
    *circuit = extended;
    outputs
}

fn attempt(
    circuit: &mut Circuit,
    known: &[(u8, Wire)],
    rows: &[u8],
    seed: u64,
) -> Vec<Option<Wire>> {
    let mut distances = vec![UNREACHED; 256];
    distances[0] = 0;
    for (sum, _) in known {
        lower(&mut distances, *sum);
    }
    let reached = |row: &u8| distances[usize::from(*row)] < UNREACHED;
    assert!(rows.iter().all(reached), "a row is no sum of the known ones");
    let mut known = known.to_vec();
    let mut ties = Ties(seed);
    while rows.iter().any(|&row| distances[usize::from(row)] > 1) {
        let (sum, a, b) = best_pair(&known, rows, &distances, &mut ties);
        known.push((sum, circuit.xor(a, b)));
        lower(&mut distances, sum);
    }
    let wire = |row: u8| known.iter().find(|(sum, _)| *sum == row).map(|(_, wire)| *wire);
    rows.iter().map(|&row| wire(row)).collect()
}

/// More than any distance.
const UNREACHED: u32 = 1 << 10;

/// Takes a new known sum into account.
fn lower(distances: &mut [u32], sum: u8) {
    let before = distances.to_vec();
    for (x, distance) in distances.iter_mut().enumerate() {
        *distance = before[x].min(before[x ^ usize::from(sum)] + 1);
    }
}

/// Two known sums and what they add up to.
type Pair = (u8, Wire, Wire);

/// The pair of known sums to add next.
fn best_pair(known: &[(u8, Wire)], rows: &[u8], distances: &[u32], ties: &mut Ties) -> Pair {
    let mut best: Option<((u32, i64), Pair)> = None;
    let mut equals = 0;
    for (i, (a, wire_a)) in known.iter().enumerate() {
        for (b, wire_b) in &known[..i] {
            let sum = a ^ b;
            if known.iter().any(|(x, _)| *x == sum) {
                continue;
            }
            let after = rows
                .iter()
                .map(|&row| distances[usize::from(row)].min(distances[usize::from(row ^ sum)] + 1));
            // The least total; then the most uneven, which leaves fewer rows to do.
            let (total, squares) =
                after.fold((0, 0), |(total, squares), d| (total + d, squares - i64::from(d * d)));
            let rank = (total, squares);
            match &best {
                Some((least, _)) if rank > *least => continue,
                Some((least, _)) if rank == *least => {
                    equals += 1;
                    if !ties.replace(equals) {
                        continue;
                    }
                }
                _ => equals = 1,
            }
            best = Some((rank, (sum, *wire_b, *wire_a)));
        }
    }
    best.expect("while a row is missing, two known sums have an unknown sum").1
}

/// Breaks ties: seed 0 keeps the first, others choose evenly by a fixed sequence (Steele, Lea and
/// Flood, "Fast splittable pseudorandom number generators", 2014).
struct Ties(u64);

impl Ties {
    /// Whether the newest of `equals` equals replaces the one kept.
    fn replace(&mut self, equals: u64) -> bool {
        if self.0 == 0 {
            return false;
        }
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31).is_multiple_of(equals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn multiply(rows: &[u8], x: u32) -> u32 {
        let bit = |row: u8| (u32::from(row) & x).count_ones() & 1;
        rows.iter().enumerate().fold(0, |y, (i, &row)| y | bit(row) << i)
    }

    #[test]
    fn circuits_compute_their_rows() {
        let rows = [0xff, 0x00, 0x01, 0xf0, 0xfc, 0x3c, 0xa5, 0xa4, 0xff];
        let circuit = derive_linear(8, &rows, 4);
        for x in 0..=255 {
            assert_eq!(circuit.evaluate(x), multiply(&rows, x), "{x:#04x}");
        }
        assert!(circuit.gates().len() <= 14, "{}", circuit.gates().len());
    }

    #[test]
    fn rows_that_are_inputs_need_no_gate() {
        assert_eq!(derive_linear(3, &[1, 2, 4, 0], 1).gates(), []);
    }
}
