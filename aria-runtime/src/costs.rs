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

/// What a call of a kernel costs, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Costs {
    /// A call of one batch.
    pub(crate) first: u32,
    /// Each further batch in the same call.
    pub(crate) next: u32,
    /// A call of one block, where a batch has more.
    pub(crate) one_block: u32,
    /// A call of all blocks of a batch but one.
    pub(crate) all_but_one: u32,
    /// To make the form of round keys that the kernel takes, if that is not as ciphers keep them.
    pub(crate) make_keys: u32,
}

/// What a call costs besides its batches.
const CALL: u32 = 10;

/// What it costs to bring fewer blocks than a batch through a buffer; and for each block.
const BUFFER: u32 = 60;
const BUFFERED_BLOCK: u32 = 2;

/// To write sixteen words for each of thirteen round keys, and wipe them.
const MAKE_KEYS: u32 = 120;

impl Costs {
    /// A row of a table.
    const fn measured([first, next, one_block, all_but_one, make_keys]: [u32; 5]) -> Self {
        Self { first, next, one_block, all_but_one, make_keys }
    }

    /// By the cost model.
    fn modelled(kernel: &Kernel) -> Self {
        let next = kernel.batch_cycles;
        let blocks = u32::try_from(kernel.blocks).unwrap_or(u32::MAX);
        let first = next.saturating_add(CALL);
        let one_block = first.saturating_add(BUFFER);
        let copies = blocks.saturating_mul(BUFFERED_BLOCK);
        let all_but_one = one_block.saturating_add(copies);
        Self { first, next, one_block, all_but_one, make_keys: MAKE_KEYS }
    }

    /// Those of a kernel on the CPU of this model.
    pub(crate) fn of(kernel: &Kernel, model: Option<Model>) -> Self {
        let rows = table_for(model).map_or(&[][..], |table| table.rows);
        match rows.binary_search_by_key(&kernel.id, |row| row.0) {
            Ok(place) => Self::measured(rows[place].1),
            Err(_) => Self::modelled(kernel),
        }
    }

    /// A call of so many blocks, fewer than the `batch` has; from a line through the two measures.
    pub(crate) fn padded(&self, blocks: usize, batch: usize) -> u32 {
        let part = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let (done, most) = (part(blocks.saturating_sub(1)), part(batch.saturating_sub(2)).max(1));
        let rise = u64::from(self.all_but_one.saturating_sub(self.one_block));
        self.one_block.saturating_add((rise * done.min(most) / most) as u32)
    }
}

/// A kernel's id and its costs: `first`, `next`, `one_block`, `all_but_one` and `make_keys` of
/// [`Costs`].
type Row = (&'static str, [u32; 5]);

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
            for (id, cycles) in table.rows {
                assert!(
                    cfg!(not(target_arch = "x86_64")) || KERNELS.iter().any(|k| k.id == *id),
                    "{id}: no such kernel; run `cargo xtask tune`"
                );
                assert!(cycles[..4].iter().all(|&cycles| cycles > 0), "{id}");
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
                let expected = row.map_or(modelled, |row| Costs::measured(row.1));
                assert_eq!(Costs::of(kernel, Some(table.models[0])), expected);
            }
        }
    }

    #[test]
    fn padding_costs_between_its_two_measures() {
        let costs = Costs::measured([100, 90, 110, 150, 0]);
        let cycles: Vec<u32> = (1..16).map(|blocks| costs.padded(blocks, 16)).collect();
        assert_eq!((cycles[0], cycles[14]), (110, 150));
        assert!(cycles.is_sorted());
        assert_eq!(costs.padded(1, 2), 110);
    }
}
