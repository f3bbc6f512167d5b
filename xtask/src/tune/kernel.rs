//! Measures kernels through the library, each by force.

use aria_runtime::{Token, kernels};
use indicatif::ProgressBar;

use super::table::{Calls, Row};
use crate::bench::clock::Clock;
use crate::bench::library::{Blocks, Library, Work};
use crate::bench::measure::take_turns;
use crate::bench::ours::Kernel;

/// The rows of all kernels that run here and that a plan chooses among.
///
/// # Errors
///
/// When a cipher cannot be made.
pub(super) fn measure_all(samples: usize) -> anyhow::Result<Vec<Row>> {
    let mut clock = Clock::default();
    let (able, _) = Kernel::all(Token::detect(), &[])?;
    let bar = ProgressBar::new(able.len() as u64);
    let mut measured = Vec::new();
    for kernel in &able {
        bar.inc(1);
        let info = kernels().find(|info| info.id == kernel.id()).expect("it is one of these");
        let Some(operation) = kernel.bulk_operation()? else { continue };
        let mut works = Vec::new();
        for blocks in Calls::counts(info.blocks) {
            let offer = kernel.offers(operation, &[7; 16])?.into_iter().next();
            works.extend(offer.map(|offer| FirstOf { work: offer.work, blocks }));
        }
        let mut works: Vec<&mut dyn Work> = works.iter_mut().map(|w| w as &mut dyn Work).collect();
        let most = Calls::counts(info.blocks).into_iter().max().unwrap_or(0);
        let times = take_turns(&mut works, &mut vec![[0x5a; 16]; most], samples, &mut clock);
        let least: Vec<f64> = times.iter().map(|time| time.least).collect();
        measured.push((info, <[f64; 6]>::try_from(least).expect("one time for each count")));
    }
    bar.finish_and_clear();
    // By the highest clock of the whole run, which is why this comes last.
    let row = |(info, times): (aria_runtime::KernelInfo, [f64; 6])| {
        let cycles = times.map(|time| clock.cycles(time).unwrap_or(time));
        Calls::new(cycles).row(info.id, info.blocks)
    };
    Ok(measured.into_iter().map(row).collect())
}

/// Work on the first so many blocks of the data.
struct FirstOf {
    work: Box<dyn Work>,
    blocks: usize,
}

impl Work for FirstOf {
    fn run(&mut self, data: &mut Blocks, calls: u32) {
        self.work.run(&mut data[..self.blocks], calls);
    }
}
