//! Walks over sets of values: which sums a program computes, not in which order or from what.
//!
//! A set is a program if every value in it is a sum of two or three others that can be had before it;
//! of a set, this is quickly decided, and the order and the operands follow. A step adds one or two
//! sums of present values and then takes away, in random order, whatever the rest can do without. A
//! step that keeps the number is taken, so that the walk crosses plateaus; now and then one that adds
//! a value is. The first set comes from the greedy choice of the sum that most rows share (Paar,
//! "Optimized Arithmetic for Reed-Solomon Encoders", 1997).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::random::Random;

/// Inputs, and rows.
pub(super) const SIZE: usize = 16;

/// A sum: bit i for input i, bit 16 + j for the addend of row j.
pub(super) type Sum = u32;

/// A set of positions in [`Signals::sums`].
type Set = u128;

/// Most signals that a step may see.
const MOST: usize = 127;

/// A walk that has found nothing for so many steps starts anew.
const PATIENCE: u64 = 150_000;

/// One in so many steps that cost a value is taken.
const UPHILL: u64 = 30;

/// What a program must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Shape {
    /// Operands of a gate, 2 or 3.
    pub(super) fan_in: usize,
    /// Whether each row adds an addend of its own, at most one in a gate.
    pub(super) keys: bool,
    /// Gates on the longest path, if limited.
    pub(super) depth: Option<usize>,
}

/// A walk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Walk {
    shape: Shape,
    targets: Vec<Sum>,
    /// The values beside inputs, addends and targets, in order.
    current: Vec<Sum>,
    best: Vec<Sum>,
    /// Steps since the walk started or found something better than before.
    idle: u64,
    /// The fewest values that this walk has seen since it started.
    least: usize,
    /// What follows from `current`; made anew where it is missing.
    #[serde(skip)]
    signals: Option<Signals>,
}

/// A gate of a finished program: its value and its operands.
pub(super) type Gate = (Sum, Vec<Sum>);

impl Walk {
    /// `None` if the first set is too large to walk from.
    pub(super) fn new(rows: &[u16; SIZE], shape: Shape, random: &mut Random) -> Option<Self> {
        let key = |row: usize| if shape.keys { 1 << (SIZE + row) } else { 0 };
        let targets: Vec<Sum> = (0..SIZE).map(|row| Sum::from(rows[row]) | key(row)).collect();
        let current = greedy(&targets, shape, random);
        // Room for the two that a step adds.
        let leaves = leaves(shape).len();
        if leaves + SIZE + current.len() + 2 > MOST {
            return None;
        }
        let (best, least) = (current.clone(), current.len());
        Some(Self { shape, targets, current, best, idle: 0, least, signals: None })
    }

    /// Gates of the best program.
    pub(super) fn best_gates(&self) -> usize {
        SIZE + self.best.len()
    }

    /// The best program, each gate after those that it uses.
    pub(super) fn best(&self) -> Vec<Gate> {
        let signals = Signals::new(self.shape, &self.targets, &self.best);
        let mut gates = Vec::new();
        signals.derive(signals.all(), |at, operands| {
            let sums = (0..signals.sums.len()).filter(|other| operands >> other & 1 == 1);
            gates.push((signals.sums[at], sums.map(|other| signals.sums[other]).collect()));
        });
        gates
    }

    /// One step.
    pub(super) fn step(&mut self, random: &mut Random) {
        self.idle += 1;
        if self.idle > PATIENCE {
            self.idle = 0;
            self.current = greedy(&self.targets, self.shape, random);
            self.least = self.current.len();
            self.signals = None;
        }
        let Self { shape, targets, current, signals, .. } = self;
        let signals = signals.get_or_insert_with(|| Signals::new(*shape, targets, current));
        let base = signals.sums.len();
        for _ in 0..if random.once_in(3) { 2 } else { 1 } {
            if let Some(sum) = signals.draw(random) {
                signals.push(sum);
            }
        }
        if signals.sums.len() == base {
            return;
        }
        let kept = signals.pruned(base, random);
        let intermediates = signals.first_intermediate..signals.sums.len();
        let kept = intermediates.filter(|at| kept >> at & 1 == 1).map(|at| signals.sums[at]);
        let mut kept: Vec<Sum> = kept.collect();
        signals.truncate(base);
        kept.sort_unstable();
        let uphill = kept.len() == self.current.len() + 1
            && kept.len() <= self.least + 2
            && random.once_in(UPHILL);
        if kept.len() > self.current.len() && !uphill || kept == self.current {
            return;
        }
        self.current = kept;
        // The walk must not depend on how it came here, so that it can be resumed from `current`.
        self.signals = None;
        if self.current.len() < self.least {
            self.least = self.current.len();
            self.idle = 0;
        }
        if self.current.len() < self.best.len() {
            self.best = self.current.clone();
        }
    }
}

/// The signals that need no gate.
fn leaves(shape: Shape) -> Vec<Sum> {
    let count = if shape.keys { 2 * SIZE } else { SIZE };
    (0..count).map(|bit| 1 << bit).collect()
}

/// Present signals, and in which ways each is a sum of others.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Signals {
    shape: Shape,
    /// Leaves, targets, intermediates.
    sums: Vec<Sum>,
    first_intermediate: usize,
    /// For each signal, sets of others of which it is the sum.
    ways: Vec<Vec<Set>>,
    /// Positions by hashed sum.
    places: Vec<u8>,
}

const PLACES_BITS: u32 = 10;
const EMPTY: u8 = u8::MAX;

/// Where the search for a sum's position starts.
const fn hash(sum: Sum) -> usize {
    (sum.wrapping_mul(0x9e37_79b1) >> (Sum::BITS - PLACES_BITS)) as usize
}

impl Signals {
    fn new(shape: Shape, targets: &[Sum], intermediates: &[Sum]) -> Self {
        let leaves = leaves(shape);
        let mut signals = Self {
            shape,
            first_intermediate: leaves.len() + targets.len(),
            sums: leaves,
            ways: Vec::new(),
            places: vec![EMPTY; 1 << PLACES_BITS],
        };
        let leaves = signals.sums.len();
        signals.sums.extend(targets.iter().chain(intermediates));
        for at in 0..signals.sums.len() {
            signals.enter(at);
        }
        for at in 0..signals.sums.len() {
            let ways = if at < leaves { Vec::new() } else { signals.ways_of(signals.sums[at], at) };
            signals.ways.push(ways);
        }
        signals
    }

    fn leaves(&self) -> usize {
        self.first_intermediate - SIZE
    }

    fn all(&self) -> Set {
        (1 << self.sums.len()) - 1
    }

    /// The positions that are addends.
    fn keys(&self) -> Set {
        if self.shape.keys { ((1 << SIZE) - 1) << SIZE } else { 0 }
    }

    fn enter(&mut self, at: usize) {
        let mut place = hash(self.sums[at]);
        while self.places[place] != EMPTY {
            place = (place + 1) % self.places.len();
        }
        self.places[place] = u8::try_from(at).expect("positions are below MOST");
    }

    fn find(&self, sum: Sum) -> Option<usize> {
        let mut place = hash(sum);
        loop {
            match self.places[place] {
                EMPTY => return None,
                at if self.sums[usize::from(at)] == sum => return Some(usize::from(at)),
                _ => place = (place + 1) % self.places.len(),
            }
        }
    }

    /// Whether a gate may have these operands.
    fn allows(&self, way: Set) -> bool {
        (way & self.keys()).count_ones() <= 1
    }

    /// The ways in which `sum`, at position `own`, is a sum of others.
    fn ways_of(&self, sum: Sum, own: usize) -> Vec<Set> {
        let mut ways = Vec::new();
        for a in (0..self.sums.len()).filter(|a| *a != own) {
            let rest = sum ^ self.sums[a];
            if let Some(b) = self.find(rest).filter(|b| *b > a && *b != own) {
                ways.push(1 << a | 1 << b);
            }
            if self.shape.fan_in == 3 {
                for b in (a + 1..self.sums.len()).filter(|b| *b != own) {
                    let c = self.find(rest ^ self.sums[b]).filter(|c| *c > b && *c != own);
                    ways.extend(c.map(|c| 1 << a | 1 << b | 1 << c));
                }
            }
        }
        ways.retain(|way| self.allows(*way));
        ways
    }

    /// A sum of present signals that is none yet.
    fn draw(&self, random: &mut Random) -> Option<Sum> {
        let terms = if self.shape.fan_in == 3 { 2 + random.below(2) } else { 2 };
        let mut way: Set = 0;
        let mut sum = 0;
        for _ in 0..terms {
            let at = random.below(self.sums.len());
            way |= 1 << at;
            sum ^= self.sums[at];
        }
        let inputs = sum & ((1 << SIZE) - 1);
        let fresh = self.allows(way) && inputs != 0 && self.find(sum).is_none();
        (fresh && self.sums.len() < MOST).then_some(sum)
    }

    /// Adds a signal, and the ways that it opens for others.
    fn push(&mut self, sum: Sum) {
        let own = self.sums.len();
        let ways = self.ways_of(sum, own);
        for at in self.leaves()..own {
            let rest = self.sums[at] ^ sum;
            let others = (0..own).filter(|other| *other != at);
            let mut opened: Vec<Set> = Vec::new();
            opened.extend(self.find(rest).filter(|b| *b != at).map(|b| 1 << own | 1 << b));
            if self.shape.fan_in == 3 {
                for a in others {
                    let b = self.find(rest ^ self.sums[a]).filter(|b| *b > a && *b != at);
                    opened.extend(b.map(|b| 1 << own | 1 << a | 1 << b));
                }
            }
            opened.retain(|way| self.allows(*way));
            self.ways[at].extend(opened);
        }
        self.sums.push(sum);
        self.ways.push(ways);
        self.enter(own);
    }

    /// Takes the signals from `base` on away again.
    fn truncate(&mut self, base: usize) {
        self.sums.truncate(base);
        self.ways.truncate(base);
        for ways in &mut self.ways {
            // Ways are in the order in which they were opened.
            let old = ways.iter().position(|way| way >> base != 0).unwrap_or(ways.len());
            ways.truncate(old);
        }
        self.places.fill(EMPTY);
        for at in 0..base {
            self.enter(at);
        }
    }

    /// What is left when, one after another, intermediates are taken away that the rest can do
    /// without; the new ones, from `base`, are tried last.
    fn pruned(&self, base: usize, random: &mut Random) -> Set {
        let mut old: Vec<usize> = (self.first_intermediate..base).collect();
        random.shuffle(&mut old);
        let mut kept = self.all();
        for at in old.into_iter().chain(base..self.sums.len()) {
            let fewer = kept & !(1 << at);
            if self.derive(fewer, |_, _| {}) == fewer {
                kept = fewer;
            }
        }
        kept
    }

    /// The signals of `present` that can be had from those of `present` alone; `found` is told each
    /// with its operands, in an order in which they can be computed.
    fn derive(&self, present: Set, mut found: impl FnMut(usize, Set)) -> Set {
        let mut had: Set = (1 << self.leaves()) - 1;
        for _ in 0..self.shape.depth.unwrap_or(MOST) {
            let before = had;
            let mut missing = present & !had;
            if missing == 0 {
                break;
            }
            while missing != 0 {
                let at = missing.trailing_zeros() as usize;
                missing &= missing - 1;
                // With a limit, what this round finds is for the next.
                let usable = if self.shape.depth.is_some() { before } else { had };
                if let Some(way) = self.ways[at].iter().find(|way| *way & !usable == 0) {
                    had |= 1 << at;
                    found(at, *way);
                }
            }
            if had == before {
                break;
            }
        }
        had
    }
}

/// The intermediates of a first program: as long as a row is a sum of several signals, the sum that
/// most rows have in common becomes one, ties broken by `random`. A row admits a sum only if it can
/// then still be had within the depth: a tree whose leaf of depth d lies at most (limit - d) below the
/// root exists if and only if the sum of the fan-in to the d is at most the fan-in to the limit (Kraft).
fn greedy(targets: &[Sum], shape: Shape, random: &mut Random) -> Vec<Sum> {
    let mut depths: BTreeMap<Sum, u32> = leaves(shape).into_iter().map(|leaf| (leaf, 0)).collect();
    let terms = |target: &Sum| (0..Sum::BITS).map(|b| 1 << b).filter(|b| target & b != 0).collect();
    let mut rows: Vec<Vec<Sum>> = targets.iter().map(terms).collect();
    let base = shape.fan_in as u64;
    // Without a limit of depth, starts from pairs lead elsewhere than starts from triples.
    let largest = if shape.depth.is_none() && random.once_in(2) { 2 } else { shape.fan_in };
    let fits = |depths: &BTreeMap<Sum, u32>, row: &[Sum], group: &[Sum]| {
        let Some(limit) = shape.depth.filter(|limit| *limit < SIZE) else { return true };
        let deepest = group.iter().map(|sum| depths[sum]).max().unwrap_or(0);
        let rest = row.iter().filter(|sum| !group.contains(sum)).map(|sum| base.pow(depths[sum]));
        rest.sum::<u64>() + base.pow(deepest + 1) <= base.pow(u32::try_from(limit).unwrap_or(0))
    };
    let mut made = Vec::new();
    while rows.iter().any(|row| row.len() > 1) {
        // For each group of signals, in how many rows it may become one.
        let mut counts: BTreeMap<Vec<Sum>, usize> = BTreeMap::new();
        for row in rows.iter().filter(|row| row.len() > 1) {
            for group in groups(row, largest) {
                if fits(&depths, row, &group) {
                    *counts.entry(group).or_default() += 1;
                }
            }
        }
        // What a group saves: its size less one in every row, for one gate.
        let saved = |group: &[Sum], count: usize| (group.len() - 1) * count;
        let most = counts.iter().map(|(group, count)| saved(group, *count)).max().unwrap_or(0);
        let groups: Vec<&Vec<Sum>> =
            counts.iter().filter(|(g, c)| saved(g, **c) == most).map(|(g, _)| g).collect();
        assert!(!groups.is_empty(), "by Kraft, a row within the limit has a group within it");
        let group = groups[random.below(groups.len())].clone();
        let sum = group.iter().fold(0, |sum, term| sum ^ term);
        for row in &mut rows {
            if group.iter().all(|term| row.contains(term)) && fits(&depths, row, &group) {
                row.retain(|term| !group.contains(term));
                row.push(sum);
                row.sort_unstable();
            }
        }
        let deepest = group.iter().map(|term| depths[term]).max().unwrap_or(0);
        depths.insert(sum, deepest + 1);
        if !targets.contains(&sum) {
            made.push(sum);
        }
    }
    made.sort_unstable();
    made.dedup();
    made
}

/// The pairs, and if the largest group is three the triples, of a sorted row.
fn groups(row: &[Sum], largest: usize) -> Vec<Vec<Sum>> {
    let mut groups = Vec::new();
    for a in 0..row.len() {
        for b in a + 1..row.len() {
            groups.push(vec![row[a], row[b]]);
            if largest == 3 {
                groups.extend(row[b + 1..].iter().map(|c| vec![row[a], row[b], *c]));
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::aria::diffusion_mask;

    fn rows() -> [u16; SIZE] {
        core::array::from_fn(diffusion_mask)
    }

    const SHAPES: &[Shape] = &[
        Shape { fan_in: 2, keys: false, depth: None },
        Shape { fan_in: 2, keys: false, depth: Some(3) },
        Shape { fan_in: 3, keys: false, depth: Some(2) },
        Shape { fan_in: 3, keys: true, depth: None },
        Shape { fan_in: 3, keys: true, depth: Some(2) },
    ];

    /// Every gate from present operands, within fan-in, addends and depth; every row computed.
    fn check(gates: &[Gate], targets: &[Sum], shape: Shape) {
        let mut depths: BTreeMap<Sum, usize> =
            leaves(shape).into_iter().map(|leaf| (leaf, 0)).collect();
        for (sum, operands) in gates {
            assert!((2..=shape.fan_in).contains(&operands.len()));
            assert_eq!(operands.iter().fold(0, |sum, term| sum ^ term), *sum);
            assert!(operands.iter().filter(|o| o.trailing_zeros() >= 16).count() <= 1);
            let depth = operands.iter().map(|o| depths[o]).max().expect("operands") + 1;
            assert!(depths.insert(*sum, depth).is_none());
            assert!(depth <= shape.depth.unwrap_or(usize::MAX), "{shape:?}");
        }
        assert!(targets.iter().all(|target| depths.contains_key(target)), "{shape:?}");
    }

    #[test]
    fn walks_keep_their_shape_and_never_lose_a_row() {
        for shape in SHAPES {
            let mut random = Random::new(11);
            let mut walk = Walk::new(&rows(), *shape, &mut random).expect("small enough");
            check(&walk.best(), &walk.targets, *shape);
            let first = walk.best_gates();
            for _ in 0..3000 {
                walk.step(&mut random);
            }
            check(&walk.best(), &walk.targets, *shape);
            assert!(walk.best_gates() <= first);
            assert_eq!(walk.best().len(), walk.best_gates());
        }
    }

    /// Ways that grow signal by signal are those found at once, up to order.
    #[test]
    fn ways_do_not_depend_on_the_order_of_signals() {
        let shape = Shape { fan_in: 3, keys: true, depth: None };
        let walk = Walk::new(&rows(), shape, &mut Random::new(1)).expect("small enough");
        let at_once = Signals::new(shape, &walk.targets, &walk.current);
        let mut grown = Signals::new(shape, &walk.targets, &walk.current[..5]);
        for sum in &walk.current[5..] {
            grown.push(*sum);
        }
        let sorted = |signals: &Signals| {
            let mut ways = signals.ways.clone();
            ways.iter_mut().for_each(|ways| ways.sort_unstable());
            ways
        };
        assert_eq!(sorted(&grown), sorted(&at_once));
        let base = grown.sums.len() - 1;
        let smaller = Signals::new(shape, &walk.targets, &walk.current[..walk.current.len() - 1]);
        grown.truncate(base);
        assert_eq!(sorted(&grown), sorted(&smaller));
    }
}
