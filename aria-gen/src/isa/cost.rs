//! What instructions cost: a port model of the micro-architectures that kernels run on.
//!
//! An instruction is some pieces of work, each of which keeps one of a set of ports busy for some
//! cycles. The work of a batch divided over the ports, and its pieces over the issue width, bounds
//! its time from below ([`Work::centicycles`]). Latency is summed by
//! [`Isa::latency`](super::Isa::latency). The model leaves out register spills, the caches and the
//! loads of matrices that are memory operands: an estimate to compare kernels by, no measurement.

mod tables;

use std::collections::BTreeMap;

use super::axes::{Encoding, Width};
use super::table::Row;
use crate::ir::Form;

pub use tables::MICRO_ARCHITECTURES;

/// A set of ports, a bit each. Bit numbers have a meaning within one micro-architecture only.
pub type Ports = u16;

/// A piece of work for one port of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The ports that can do it.
    pub ports: Ports,
    /// For how many cycles it keeps one of them.
    pub cycles: u32,
}

/// What one instruction costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Cycles from operands to result.
    pub latency: u32,
    /// Its work.
    pub pieces: &'static [Piece],
}

/// One modelled micro-architecture.
#[derive(Clone, Copy, Debug)]
pub struct MicroArchitecture {
    /// Its name, in lower case.
    pub name: &'static str,
    /// Instructions that it can start in a cycle.
    pub issue: u32,
    /// Whether it has EVEX-encoded instructions.
    pub has_evex: bool,
    costs: fn(Form, Width) -> Cost,
}

impl MicroArchitecture {
    /// What an instruction costs here.
    #[must_use]
    pub fn cost(&self, row: &Row) -> Cost {
        (self.costs)(row.form, row.width)
    }

    /// Whether the core has the encoding at all.
    #[must_use]
    pub fn has(&self, encoding: Encoding) -> bool {
        encoding != Encoding::Evex || self.has_evex
    }
}

/// Work summed up over many instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    instructions: u64,
    /// Cycles wanted of each set of ports.
    demands: BTreeMap<Ports, u64>,
}

impl Work {
    /// Adds an instruction, `times` over.
    pub fn add(&mut self, cost: Cost, times: usize) {
        let times = times as u64;
        self.instructions += if cost.pieces.is_empty() { 0 } else { times };
        for piece in cost.pieces {
            *self.demands.entry(piece.ports).or_default() += u64::from(piece.cycles) * times;
        }
    }

    /// A lower bound on the cycles that the work takes on `cpu`, in hundredths.
    ///
    /// The bound by ports is the greatest, over all unions of the sets in demand, of the work that
    /// only they can do divided by their number (Hall's condition; exact for divisible work).
    #[must_use]
    pub fn centicycles(&self, cpu: &MicroArchitecture) -> u64 {
        let mut unions: Vec<Ports> = vec![0];
        for &ports in self.demands.keys() {
            for i in 0..unions.len() {
                let union = unions[i] | ports;
                if !unions.contains(&union) {
                    unions.push(union);
                }
            }
        }
        let bound = |&union: &Ports| {
            let inside = self.demands.iter().filter(|(ports, _)| *ports & !union == 0);
            let cycles: u64 = inside.map(|(_, cycles)| cycles).sum();
            (100 * cycles).div_ceil(u64::from(union.count_ones()))
        };
        let by_ports = unions.iter().filter(|u| **u != 0).map(bound).max().unwrap_or(0);
        by_ports.max((100 * self.instructions).div_ceil(u64::from(cpu.issue)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::ROWS;

    const WIDE: MicroArchitecture = MicroArchitecture { issue: 100, ..MICRO_ARCHITECTURES[0] };

    fn work(demands: &[(Ports, u32, usize)]) -> Work {
        let mut work = Work::default();
        for &(ports, cycles, times) in demands {
            let piece: &'static [Piece] = Box::leak(Box::new([Piece { ports, cycles }]));
            work.add(Cost { latency: 1, pieces: piece }, times);
        }
        work
    }

    #[test]
    fn the_busiest_union_of_ports_bounds() {
        assert_eq!(work(&[(0b01, 1, 3)]).centicycles(&WIDE), 300);
        assert_eq!(work(&[(0b11, 1, 3)]).centicycles(&WIDE), 150);
        // Three only on port 0, five on either: eight over two ports.
        assert_eq!(work(&[(0b01, 1, 3), (0b11, 1, 5)]).centicycles(&WIDE), 400);
        // Six only on port 0, two on either: port 0 alone decides.
        assert_eq!(work(&[(0b01, 2, 3), (0b11, 1, 2)]).centicycles(&WIDE), 600);
    }

    #[test]
    fn the_issue_width_bounds_too() {
        let narrow = MicroArchitecture { issue: 2, ..WIDE };
        assert_eq!(work(&[(0b1111, 1, 8)]).centicycles(&narrow), 400);
    }

    #[test]
    fn every_row_has_a_cost_everywhere() {
        for cpu in MICRO_ARCHITECTURES {
            for row in ROWS.iter().filter(|row| cpu.has(row.encoding)) {
                let cost = cpu.cost(row);
                let free = row.form == Form::LaneLow;
                assert_eq!(cost.pieces.is_empty(), free, "{} {row:?}", cpu.name);
            }
        }
    }
}
