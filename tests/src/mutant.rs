//! Mutants of emitted kernels: the text with one thing changed.
//!
//! The changes are those of which a slip of an emitter, or of a hand, is made: a constant, an operand,
//! an immediate, the index of a round-key word, a bound of a loop, the offset of a load or a store.
//! They are found in the text, line by line, in the form in which the emitter writes; so this module
//! shares nothing with the reader that is to notice them.

use crate::random::Chance;

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// One bit of a constant.
    Constant,
    /// An operand of an instruction, for another value of the function.
    Operand,
    /// Two operands of an instruction, for each other.
    OperandOrder,
    /// One bit of an immediate.
    Immediate,
    /// The index of a round-key word.
    RoundKeyIndex,
    /// What is done how often: batches, rounds, steps of the transposition.
    LoopBound,
    /// Where a load reads.
    LoadOffset,
    /// Where a store writes.
    StoreOffset,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Constant,
        Self::Operand,
        Self::OperandOrder,
        Self::Immediate,
        Self::RoundKeyIndex,
        Self::LoopBound,
        Self::LoadOffset,
        Self::StoreOffset,
    ];
}

/// A changed text.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// What is changed.
    pub kind: Kind,
    /// In which line, from 1.
    pub line: usize,
    /// The line before.
    pub before: String,
    /// The line after; empty when it is left out.
    pub after: String,
    /// The whole text.
    pub text: String,
}

/// So many mutants of `text` of one kind, fewer if there are no more; no two are equal.
#[must_use]
pub fn mutants(text: &str, kind: Kind, count: usize, chance: &mut Chance) -> Vec<Mutant> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<Mutant> = Vec::new();
    // Sites are drawn with repetition, so allow for some that come again.
    for _ in 0..20 * count {
        if found.len() == count {
            break;
        }
        let line = chance.below(lines.len());
        let Some(after) = change(&lines, line, kind, chance) else { continue };
        if found.iter().all(|mutant| mutant.line != line + 1 || mutant.after != after) {
            let (line, before) = (line + 1, lines[line].to_owned());
            let text = replaced(&lines, line - 1, &after);
            found.push(Mutant { kind, line, before, after, text });
        }
    }
    found
}
