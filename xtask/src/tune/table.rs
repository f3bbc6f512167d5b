//! The table as text, and how costs follow from times.

use std::fmt::Write;

/// Cycles of one call of the library for so many blocks, by a kernel whose batch has b.
#[derive(Clone, Copy, Debug)]
pub struct Calls {
    /// b
    pub batch: f64,
    /// b (1 + [`FURTHER`])
    pub more_batches: f64,
    /// b + 1
    pub one_more: f64,
    /// 2 b - 1
    pub almost_two: f64,
    /// b - 1
    pub one_less: f64,
}

/// Further batches over which the cost of one is taken.
pub const FURTHER: usize = 4;

impl Calls {
    /// The numbers of blocks, in the order of the fields.
    #[must_use]
    pub fn counts(batch: usize) -> [usize; 5] {
        [batch, batch * (1 + FURTHER), batch + 1, 2 * batch - 1, batch - 1]
    }

    /// From cycles in that order.
    #[must_use]
    pub fn new([batch, more_batches, one_more, almost_two, one_less]: [f64; 5]) -> Self {
        Self { batch, more_batches, one_more, almost_two, one_less }
    }

    /// The columns of the library's table: first batch, each further one, one block padded, all but
    /// one padded, round keys made.
    ///
    /// What stands within a call is wanted, so what a call costs at its ends has to fall out: a call of
    /// b + 1 blocks is one of b blocks and then a padded one. The call of b - 1 blocks then tells what
    /// the ends cost, to which the making of round keys belongs.
    #[must_use]
    pub fn costs(&self, batch: usize) -> [u32; 5] {
        let next = (self.more_batches - self.batch) / FURTHER as f64;
        let (one_block, all_but_one) = (self.one_more - self.batch, self.almost_two - self.batch);
        let ends = self.one_less - all_but_one;
        let costs = match batch {
            // Nothing is padded, and no round keys are made.
            0 | 1 => [next, next, next, next, 0.0],
            _ => [self.batch - ends, next, one_block, all_but_one, ends],
        };
        // Noise must not make anything free.
        costs.map(|cycles| cycles.round().max(1.0) as u32)
    }
}

/// A kernel and the columns of its row.
#[derive(Clone, Debug)]
pub struct Row {
    /// The kernel's id.
    pub id: String,
    /// See [`Calls::costs`].
    pub costs: [u32; 5],
}

/// The module with these rows.
#[must_use]
pub fn text(rows: &[Row]) -> String {
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by(|a, b| a.id.cmp(&b.id));
    let width = rows.iter().map(|row| row.id.len()).max().unwrap_or(0) + 3;
    let mut text = String::from(
        "//! What kernels cost on this micro-architecture. Written by `cargo xtask tune`; do not edit.\n\
         \n\
         use super::Row;\n\
         \n\
         #[rustfmt::skip]\n\
         pub(super) const ROWS: &[Row] = &[\n",
    );
    for Row { id, costs: [first, next, one_block, all_but_one, make_keys] } in sorted {
        let id = format!("\"{id}\",");
        writeln!(
            text,
            "    ({id:width$} [{first:5}, {next:5}, {one_block:5}, {all_but_one:5}, {make_keys:4}]),"
        )
        .expect("a string takes everything");
    }
    text + "];\n"
}

/// Where the table for a micro-architecture is, from the root of the workspace.
#[must_use]
pub fn path(name: &str) -> String {
    format!("aria-runtime/src/costs/{name}.rs")
}

/// Takes the name of a module.
///
/// # Errors
///
/// When it has anything but lower-case letters, digits and underscores, or begins with a digit.
pub fn name(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(fits) {
        Ok(text.to_owned())
    } else {
        Err("a name has lower-case letters, digits and underscores, as golden_cove has".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel of known costs, called by a library of known ones.
    #[test]
    fn costs_come_back_from_calls() {
        let (ends, first, next, one, almost) = (150.0, 400.0, 380.0, 450.0, 520.0);
        let calls = Calls::new([
            ends + first,
            ends + first + 4.0 * next,
            ends + first + one,
            ends + first + almost,
            ends + almost,
        ]);
        assert_eq!(calls.costs(16), [400, 380, 450, 520, 150]);
        assert_eq!(Calls::counts(16), [16, 80, 17, 31, 15]);
    }

    #[test]
    fn single_blocks_are_not_padded() {
        assert_eq!(Calls::new([120.0, 480.0, 210.0, 120.0, 15.0]).costs(1), [90, 90, 90, 90, 1]);
    }

    #[test]
    fn noise_makes_nothing_free() {
        assert_eq!(Calls::new([100.0, 90.0, 95.0, 99.0, 100.0]).costs(8), [1, 1, 1, 1, 101]);
    }

    #[test]
    fn the_text_is_sorted_and_parses() {
        let row = |id: &str| Row { id: id.to_owned(), costs: [1, 20, 300, 4000, 5] };
        let text = text(&[row("aria_b"), row("aria_a_long")]);
        let (a, b) = (text.find("aria_a_long").unwrap(), text.find("aria_b").unwrap());
        assert!(a < b, "{text}");
        assert!(text.lines().all(|line| line.len() <= 100), "{text}");
        syn::parse_file(&text).expect("Rust");
    }

    #[test]
    fn names_are_those_of_modules() {
        assert_eq!(name("zen_4").as_deref(), Ok("zen_4"));
        for wrong in ["", "Zen", "4", "../x", "a-b"] {
            assert!(name(wrong).is_err(), "{wrong}");
        }
    }
}
