//! The core's clock, measured in the same run as everything else.
//!
//! A chain of dependent multiplications, each of which takes three cycles on every x86-64 core of
//! the last fifteen years (Fog, Instruction tables, IMUL r64, r64; uops.info). A loop that counts
//! down would not do: its cycles a turn depend on where it lies and what front end it meets.

use std::time::Instant;

/// The highest clock seen, in Hz; none on other architectures.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    highest: Option<f64>,
}

/// Multiplications in a sample.
const CHAIN: u32 = 8000;

/// Cycles from a multiplication to one that needs its result.
const LATENCY: u32 = 3;

impl Clock {
    /// Times one chain.
    pub fn sample(&mut self) {
        let start = Instant::now();
        if chain() {
            let seconds = start.elapsed().as_secs_f64();
            let hertz = f64::from(CHAIN * LATENCY) / seconds;
            // Least time counts here as it does everywhere.
            self.highest = Some(self.highest.map_or(hertz, |highest| highest.max(hertz)));
        }
    }

    /// Megahertz, if known.
    #[must_use]
    pub fn megahertz(&self) -> Option<f64> {
        self.highest.map(|hertz| hertz / 1e6)
    }

    /// The cycles in so many nanoseconds, if known.
    #[must_use]
    pub fn cycles(&self, nanoseconds: f64) -> Option<f64> {
        self.highest.map(|hertz| nanoseconds * hertz / 1e9)
    }
}

/// Runs the chain; false where there is none.
#[cfg(target_arch = "x86_64")]
fn chain() -> bool {
    // Eight by eight, so that counting down costs nothing beside 24 cycles.
    let turns: u64 = u64::from(CHAIN / 8);
    // SAFETY: the instructions change the named registers and the flags, and nothing else.
    unsafe {
        core::arch::asm!(
            "2:",
            "imul {product}, {factor}",
            "imul {product}, {factor}",
            "imul {product}, {factor}",
            "imul {product}, {factor}",
            "imul {product}, {factor}",
            "imul {product}, {factor}",
            "imul {product}, {factor}",
            "imul {product}, {factor}",
            "dec {turns}",
            "jnz 2b",
            product = inout(reg) 3_u64 => _,
            factor = in(reg) 5_u64,
            turns = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
    true
}

/// Runs the chain; false where there is none.
#[cfg(not(target_arch = "x86_64"))]
fn chain() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_counts_and_cycles_follow_from_it() {
        let mut clock = Clock { highest: Some(1e12) };
        clock.sample();
        assert_eq!(clock.megahertz(), Some(1e6));
        assert_eq!(clock.cycles(2.0), Some(2000.0));
        assert_eq!(Clock::default().cycles(2.0), None);
    }
}
