//! The table as text, and how costs follow from times.

use std::fmt::Write;

/// Cycles of one call of the library for so many blocks, by a kernel whose batch has b.
#[derive(Clone, Copy, Debug)]
pub struct Calls {
    /// b
    pub batch: f64,
    /// b (1 + [`FURTHER`])
    pub more_batches: f64,
    /// 1
    pub one: f64,
    /// b - 1
    pub one_less: f64,
    /// b + 1
    pub one_more: f64,
    /// 2 b - 1
    pub almost_two: f64,
}

/// Further batches over which the cost of one is taken.
pub const FURTHER: usize = 4;

impl Calls {
    /// The numbers of blocks, in the order of the fields.
    #[must_use]
    pub fn counts(batch: usize) -> [usize; 6] {
        [batch, batch * (1 + FURTHER), 1, usize::max(batch - 1, 1), batch + 1, 2 * batch - 1]
    }

    /// From cycles in that order.
    #[must_use]
    pub fn new([batch, more_batches, one, one_less, one_more, almost_two]: [f64; 6]) -> Self {
        Self { batch, more_batches, one, one_less, one_more, almost_two }
    }

    /// The row of a kernel: as a call's first run, and as a later one, a batch, one block and all but
    /// one; and a further batch.
    ///
    /// A call of b + 1 blocks is a run over b, and then one over one block, which thus costs the
    /// difference; in the same way one over b - 1. A later run over b is the same run going on. That a
    /// later run is mostly of another kernel comes on top.
    #[must_use]
    pub fn row(&self, id: &str, batch: usize) -> Row {
        // Noise must not make anything free.
        let cycles = |value: f64| value.round().max(1.0) as u32;
        let next = (self.more_batches - self.batch) / FURTHER as f64;
        let (one_block, all_but_one) = match batch {
            1 => (next, next), // nothing is fewer blocks than a batch
            _ => (self.one_more - self.batch, self.almost_two - self.batch),
        };
        Row {
            id: id.to_owned(),
            first: [self.batch, self.one, self.one_less].map(cycles),
            later: [next, one_block, all_but_one].map(|value| cycles(value + CHANGE)),
            next: cycles(next),
        }
    }
}

/// Cycles from one kernel to another: about what calls with several kernels took longer than the sum of
/// the rest (Emerald Rapids).
const CHANGE: f64 = 40.0;

/// A kernel and the columns of its row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The kernel's id.
    pub id: String,
    /// As the first run of a call: a batch, one block, all blocks of a batch but one.
    pub first: [u32; 3],
    /// As a later run: the same.
    pub later: [u32; 3],
    /// Each further batch of a run.
    pub next: u32,
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
    for Row { id, first, later, next } in sorted {
        let id = format!("\"{id}\",");
        let columns = |[a, b, c]: [u32; 3]| format!("[{a:5}, {b:5}, {c:5}]");
        let (first, later) = (columns(*first), columns(*later));
        writeln!(text, "    ({id:width$} {first}, {later}, {next:5}),")
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

    /// A kernel of known costs, called by a library whose calls cost something besides.
    #[test]
    fn costs_come_back_from_calls() {
        let (ends, next, one, almost) = (150.0, 380.0, 450.0, 520.0);
        let batch = ends + 400.0;
        let calls = Calls::new([
            batch,
            batch + 4.0 * next,
            ends + one,
            ends + almost,
            batch + one,
            batch + almost,
        ]);
        let (id, first, later) = ("k".to_owned(), [550, 600, 670], [420, 490, 560]);
        assert_eq!(calls.row("k", 16), Row { id, first, later, next: 380 });
        assert_eq!(Calls::counts(16), [16, 80, 1, 15, 17, 31]);
    }

    #[test]
    fn single_blocks_are_not_padded() {
        assert_eq!(Calls::counts(1), [1, 5, 1, 1, 2, 1]);
        let row = Calls::new([120.0, 480.0, 120.0, 120.0, 210.0, 120.0]).row("k", 1);
        assert_eq!((row.first, row.later, row.next), ([120; 3], [130; 3], 90));
    }

    #[test]
    fn noise_makes_nothing_free() {
        let row = Calls::new([100.0, 60.0, 95.0, 99.0, 90.0, 80.0]).row("k", 8);
        assert_eq!((row.first, row.later, row.next), ([100, 95, 99], [30, 30, 20], 1));
    }

    #[test]
    fn the_text_is_sorted_and_parses() {
        let row = |id: &str| {
            let (first, later) = ([1, 20, 300], [4000, 5, 6]);
            Row { id: id.to_owned(), first, later, next: 7 }
        };
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
