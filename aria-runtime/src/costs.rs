//! What a call of a kernel costs on this CPU, for `planner` to choose by.
//!
//! `cargo xtask tune` measures every kernel and writes a table for the micro-architecture that it
//! runs on; the modules below are such tables. Elsewhere, and for kernels that a table does not have,
//! the figures follow from the cost model of the generator (the ports of a Zen 4 core), which gives
//! the cycles of a batch, and from the constants here, which are about what calls took on the CPUs
//! measured. A wrong figure can make a call slower, not wrong.

mod golden_cove;

use aria_kernels::Kernel;

use crate::detect::{self, Model, Vendor};
use crate::forms::Form;

/// What a kernel costs, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Costs {
    /// As the first or only kernel that a call of the library runs: to the end of the call, with the
    /// form of round keys that it takes, should that be made.
    pub(crate) first: Runs,
    /// After another: what the call takes longer for it.
    pub(crate) later: Runs,
    /// Each further batch in one run of the kernel.
    pub(crate) next: u32,
}

/// What one run of a kernel costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Runs {
    /// Over one batch.
    pub(crate) batch: u32,
    /// Over one block, where a batch has more.
    pub(crate) one_block: u32,
    /// Over all blocks of a batch but one.
    pub(crate) all_but_one: u32,
}

/// What a run costs besides its batches, and the first in a call besides that.
const RUN: u32 = 10;
const CALL: u32 = 20;

/// What it costs to bring fewer blocks than a batch through a buffer; and for each block.
const BUFFER: u32 = 60;
const BUFFERED_BLOCK: u32 = 2;

/// To write sixteen words for each of thirteen round keys, and wipe them.
const MAKE_KEYS: u32 = 80;

impl Costs {
    /// A row of a table.
    const fn measured(row: Row) -> Self {
        const fn runs([batch, one_block, all_but_one]: [u32; 3]) -> Runs {
            Runs { batch, one_block, all_but_one }
        }
        let (_, first, later, next) = row;
        Self { first: runs(first), later: runs(later), next }
    }

    /// By the cost model.
    fn modelled(kernel: &Kernel) -> Self {
        let next = kernel.batch_cycles;
        let blocks = u32::try_from(kernel.blocks).unwrap_or(u32::MAX);
        let (buffer, copies) = match kernel.part {
            Some(_) => (0, 0),
            None => (BUFFER, blocks.saturating_mul(BUFFERED_BLOCK)),
        };
        let runs = |besides: u32| {
            let batch = next.saturating_add(RUN + besides);
            let one_block = batch.saturating_add(buffer);
            Runs { batch, one_block, all_but_one: one_block.saturating_add(copies) }
        };
        let makes_keys = Form::of(kernel.entry).is_some_and(Form::is_made);
        Self { first: runs(CALL + if makes_keys { MAKE_KEYS } else { 0 }), later: runs(0), next }
    }

    /// Those of a kernel on the CPU of this model.
    pub(crate) fn of(kernel: &Kernel, model: Option<Model>) -> Self {
        let rows = table_for(model).map_or(&[][..], |table| table.rows);
        match rows.binary_search_by_key(&kernel.id, |row| row.0) {
            Ok(place) => Self::measured(rows[place]),
            Err(_) => Self::modelled(kernel),
        }
    }

    /// One run, first in a call or later, over so many blocks, at least one: whole batches of so many,
    /// or fewer blocks than one.
    pub(crate) fn run(&self, is_first: bool, blocks: usize, batch: usize) -> u32 {
        let runs = if is_first { self.first } else { self.later };
        match u32::try_from(blocks / batch) {
            Ok(0) => runs.part(blocks, batch),
            Ok(batches) => runs.batch.saturating_add((batches - 1).saturating_mul(self.next)),
            Err(_) => u32::MAX,
        }
    }
}

impl Runs {
    /// Over so many blocks, fewer than the `batch` has; from a line through the two measures.
    fn part(&self, blocks: usize, batch: usize) -> u32 {
        let part = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let (done, most) = (part(blocks.saturating_sub(1)), part(batch.saturating_sub(2)).max(1));
        let rise = u64::from(self.all_but_one.saturating_sub(self.one_block));
        self.one_block.saturating_add((rise * done.min(most) / most) as u32)
    }
}

/// A kernel's id, and the fields of its [`Costs`] in order.
type Row = (&'static str, [u32; 3], [u32; 3], u32);

/// The measures of one micro-architecture.
struct Table {
    /// Its name, which is that of the module with the rows.
    name: &'static str,
    /// What CPUs of it call themselves.
    models: &'static [Model],
    /// In the order of the ids.
    rows: &'static [Row],
}

fn table_for(model: Option<Model>) -> Option<&'static Table> {
    TABLES.iter().find(|table| model.is_some_and(|model| table.models.contains(&model)))
}

/// The name of the table of measured costs by which kernels are chosen on this CPU; `None` where
/// there is none, and the generator's cost model decides.
#[must_use]
pub fn cost_table() -> Option<&'static str> {
    table_for(detect::model()).map(|table| table.name)
}

/// A table for each micro-architecture that was measured.
static TABLES: &[Table] = &[
    // Sapphire Rapids and Emerald Rapids.
    Table { name: "golden_cove", models: &[intel(0x8f), intel(0xcf)], rows: golden_cove::ROWS },
];

/// A model of Intel's family 6.
const fn intel(model: u8) -> Model {
    Model { vendor: Vendor::Intel, family: 6, model }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aria_kernels::KERNELS;

    #[test]
    fn tables_are_in_order_and_name_kernels_that_exist() {
        for table in TABLES {
            assert!(!table.rows.is_empty());
            assert!(table.rows.is_sorted_by(|a, b| a.0 < b.0));
            for (id, first, later, next) in table.rows {
                assert!(
                    cfg!(not(target_arch = "x86_64")) || KERNELS.iter().any(|k| k.id == *id),
                    "{id}: no such kernel; run `cargo xtask tune`"
                );
                assert!(first.iter().chain(later).chain([next]).all(|&cycles| cycles > 0), "{id}");
            }
        }
    }

    #[test]
    fn no_model_has_two_tables() {
        let models = || TABLES.iter().flat_map(|table| table.models);
        for model in models() {
            assert_eq!(models().filter(|other| *other == model).count(), 1, "{model:?}");
        }
    }

    #[test]
    fn measures_where_there_is_a_table_and_the_model_elsewhere() {
        for kernel in KERNELS {
            let modelled = Costs::of(kernel, None);
            assert_eq!(modelled, Costs::modelled(kernel));
            assert_eq!(modelled.next, kernel.batch_cycles);
            for table in TABLES {
                let row = table.rows.iter().find(|row| row.0 == kernel.id);
                let expected = row.map_or(modelled, |row| Costs::measured(*row));
                assert_eq!(Costs::of(kernel, Some(table.models[0])), expected);
            }
        }
    }

    #[test]
    fn a_run_costs_by_batches_and_a_part_between_its_two_measures() {
        let costs = Costs::measured(("", [200, 210, 250], [100, 110, 150], 90));
        assert_eq!([16, 32, 48].map(|blocks| costs.run(true, blocks, 16)), [200, 290, 380]);
        assert_eq!([16, 32, 48].map(|blocks| costs.run(false, blocks, 16)), [100, 190, 280]);
        let parts: Vec<u32> = (1..16).map(|blocks| costs.run(false, blocks, 16)).collect();
        assert_eq!((parts[0], parts[14]), (110, 150));
        assert!(parts.is_sorted());
        assert_eq!(costs.run(true, 1, 2), 210);
        assert_eq!(costs.run(true, usize::MAX, 1), u32::MAX);
    }
}
