//! Times contenders in turn, in one process, so that a noisy neighbour or a change of clock meets
//! all of them.
//!
//! Where the stack lies is chance, and changes from process to process. Compilers need not align it
//! for registers wider than 16 bytes, and code that spills one to where a page ends takes up to three
//! times the time. So rounds go through places of the stack, for everyone alike (Mytkowicz et al.,
//! "Producing Wrong Data Without Doing Anything Obviously Wrong!", 2009).

use std::hint::black_box;
use std::time::Instant;

use super::clock::Clock;
use super::library::{Blocks, Work};
use super::statistics::{Summary, summary};

/// A sample lasts at least this long: far longer than it takes to read the time.
const SAMPLE_NANOSECONDS: f64 = 15_000.0;

/// Nanoseconds of one call of each of `works` on `data`, over `samples` rounds in which each has its
/// turn; every other round goes backwards, so that nobody always follows the same neighbour. The
/// clock has a turn in each round, too.
pub fn take_turns(
    works: &mut [&mut dyn Work],
    data: &mut Blocks,
    samples: usize,
    clock: &mut Clock,
) -> Vec<Summary> {
    // Warms up caches, predictors and wide registers as well.
    let calls: Vec<u32> = works.iter_mut().map(|work| calls_a_sample(*work, data)).collect();
    let mut times = vec![Vec::with_capacity(samples); works.len()];
    for round in 0..samples {
        clock.sample();
        for turn in 0..works.len() {
            let place = if round % 2 == 0 { turn } else { works.len() - 1 - turn };
            let mut elapsed = 0.0;
            deeper(round % DEPTHS, &mut || elapsed = nanoseconds(works[place], data, calls[place]));
            times[place].push(elapsed / f64::from(calls[place]));
        }
    }
    let summaries = times.iter().map(|times| summary(times).expect("a request has samples"));
    summaries.collect()
}

/// Depths of the stack, [`STEP`] bytes and a frame's own from one to the next, which takes them
/// through a page of 4 KiB.
const DEPTHS: usize = 16;

/// Bytes that a depth leaves unused.
const STEP: usize = 208;

/// Does `work` so much deeper in the stack.
#[inline(never)]
fn deeper(depth: usize, work: &mut dyn FnMut()) {
    if depth == 0 {
        return work();
    }
    let mut unused = [0_u8; STEP];
    black_box(&mut unused);
    deeper(depth - 1, work);
    black_box(&mut unused);
}

/// As many calls as fill a sample.
fn calls_a_sample(work: &mut dyn Work, data: &mut Blocks) -> u32 {
    let mut calls = 1;
    while nanoseconds(work, data, calls) < SAMPLE_NANOSECONDS && calls < 1 << 20 {
        calls *= 2;
    }
    calls
}

fn nanoseconds(work: &mut dyn Work, data: &mut Blocks, calls: u32) -> f64 {
    let start = Instant::now();
    work.run(data, calls);
    start.elapsed().as_nanos() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    /// Notes its turns, and takes a while.
    struct Noting(u8, Rc<RefCell<Vec<u8>>>);

    impl Work for Noting {
        fn run(&mut self, _: &mut Blocks, _: u32) {
            self.1.borrow_mut().push(self.0);
            std::thread::sleep(std::time::Duration::from_micros(20));
        }
    }

    #[test]
    fn everyone_has_a_turn_in_every_round_and_every_other_round_goes_back() {
        let notes = Rc::new(RefCell::new(Vec::new()));
        let mut works: Vec<Noting> = (0..3).map(|name| Noting(name, Rc::clone(&notes))).collect();
        let mut works: Vec<&mut dyn Work> = works.iter_mut().map(|w| w as &mut dyn Work).collect();
        let summaries = take_turns(&mut works, &mut [[0; 16]], 3, &mut Clock::default());
        // One call fills a sample, so that warming up takes one turn each.
        assert_eq!(*notes.borrow(), [0, 1, 2, 0, 1, 2, 2, 1, 0, 0, 1, 2]);
        assert_eq!(summaries.len(), 3);
        assert!(summaries.iter().all(|s| s.least >= 20_000.0 && s.least <= s.median));
    }
}
