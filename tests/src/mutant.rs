//! Mutants of emitted kernels: the text with one thing changed.
//!
//! The changes are those of which a slip of an emitter, or of a hand, is made: a constant, an operand,
//! an immediate, the index of a round-key word, a bound of a loop, the offset of a load or a store.
//! They are found in the text, line by line, in the form in which the emitter writes; so this module
//! shares nothing with the reader that is to notice them.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// One bit of a constant.
    Constant,
    /// One bit of an entry of a table: of a shuffle or of a look-up.
    TableEntry,
    /// An operand of an instruction, for another value of the function.
    Operand,
    /// Two operands of any other instruction, for each other.
    OperandOrder,
    /// Two operands of a sum or a product, for each other: this changes nothing.
    CommutedOrder,
    /// One bit of an immediate.
    Immediate,
    /// The index of a round-key word.
    RoundKeyIndex,
    /// What is done how often: batches, rounds, steps of the transposition.
    LoopBound,
    /// By how much a counter moves on, or from where on its carry is looked at.
    Counter,
    /// Where a load reads.
    LoadOffset,
    /// Where a store writes.
    StoreOffset,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 11] = [
        Self::Constant,
        Self::TableEntry,
        Self::Operand,
        Self::OperandOrder,
        Self::CommutedOrder,
        Self::Immediate,
        Self::RoundKeyIndex,
        Self::LoopBound,
        Self::Counter,
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
pub fn mutants(text: &str, kind: Kind, count: usize, random: &mut ChaCha8Rng) -> Vec<Mutant> {
    let lines: Vec<&str> = text.lines().collect();
    let has_one = |line: &usize| change(&lines, *line, kind, random).is_some();
    let sites: Vec<usize> = (0..lines.len()).filter(has_one).collect();
    let mut found: Vec<Mutant> = Vec::new();
    if sites.is_empty() {
        return found;
    }
    // Sites are drawn with repetition, so allow for some changes that come again.
    for _ in 0..20 * count {
        if found.len() == count {
            break;
        }
        let line = sites[below(random, sites.len())];
        let Some(after) = change(&lines, line, kind, random) else { continue };
        if found.iter().all(|mutant| mutant.line != line + 1 || mutant.after != after) {
            let before = lines[line].to_owned();
            let text = [&lines[..line], &[after.as_str()], &lines[line + 1..]].concat().join("\n");
            found.push(Mutant { kind, line: line + 1, before, after, text });
        }
    }
    found
}

/// A changed form of line `number`, if the line has what `kind` changes.
fn change(lines: &[&str], number: usize, kind: Kind, random: &mut ChaCha8Rng) -> Option<String> {
    let line = lines[number];
    match kind {
        Kind::Constant => {
            let value = match line.trim_start().strip_prefix("0x") {
                // A line of an array of words.
                Some(_) => {
                    let words: Vec<&str> = line.trim().trim_end_matches(',').split(", ").collect();
                    words[below(random, words.len())].strip_prefix("0x")?
                }
                None => line.starts_with("const ").then(|| between(line, "u64 = 0x", ";"))??,
            };
            let digit = below(random, value.replace('_', "").len());
            let at = value.char_indices().filter(|(_, c)| *c != '_').nth(digit)?.0;
            let old = u8::from_str_radix(&value[at..=at], 16).ok()?;
            let digit = format!("{:x}", old ^ (1 << below(random, 4)));
            Some(spliced(line, &value[at..=at], &digit))
        }
        Kind::TableEntry => {
            // A line of its own, in brackets where there are several, or the whole of a constant.
            let list = line.rsplit_once('[').map_or(line, |(_, list)| list);
            let list = list.trim().trim_end_matches([',', ']', ';']);
            let entries: Vec<&str> = list.split(", ").collect();
            let is_number = |entry: &&str| entry.parse::<u8>().is_ok();
            if ![8, 16].contains(&entries.len()) || !entries.iter().all(is_number) {
                return None;
            }
            let entry = entries[below(random, entries.len())];
            let old: u8 = entry.parse().ok()?;
            Some(spliced(line, entry, &(old ^ (1 << below(random, 4))).to_string()))
        }
        Kind::Immediate if is_on_words(line) => {
            let places = ["rotate_right(", " >> ", " << "].iter().find_map(|sign| {
                line.split_once(sign).map(|(_, places)| places.trim_end_matches([')', ';']))
            })?;
            let old: u32 = places.parse().ok().filter(|_| is_run(lines, number))?;
            Some(spliced(line, places, &(old ^ (1 << below(random, 4))).to_string()))
        }
        Kind::Immediate => {
            let value = between(line, "::<", ">")?;
            let (old, bits) = match value.strip_prefix("0x") {
                Some(digits) => (u8::from_str_radix(digits, 16).ok()?, 8),
                None => (value.parse().ok()?, 4),
            };
            let new = old ^ (1 << below(random, bits));
            Some(spliced(line, value, &format!("{new:#04x}")))
        }
        Kind::RoundKeyIndex if is_on_words(line) => {
            let index = between(line, "= row[", "]")?;
            let old: usize = index.parse().ok()?;
            Some(spliced(line, index, &(old ^ (1 << below(random, 3))).to_string()))
        }
        Kind::RoundKeyIndex => {
            let index = between(line, "rk[", "]")?;
            let old: usize = index.parse().ok()?;
            let new = (old + 1 + below(random, 15)) % 16;
            Some(spliced(line, index, &new.to_string()))
        }
        Kind::LoadOffset if line.contains("::from_le_bytes") => {
            swapped(between(line, "([", "])").filter(|_| is_run(lines, number))?, line, random)
        }
        Kind::StoreOffset if line.contains(".to_le_bytes()") => {
            swapped(between(line, "let [", "]").filter(|_| is_run(lines, number))?, line, random)
        }
        Kind::LoadOffset => offset(line, "loadu", "input.add(", random),
        Kind::StoreOffset => offset(line, "storeu", "output.add(", random),
        Kind::LoopBound => bound(line, random),
        Kind::Counter => {
            let value =
                between(line, "if last <= ", " ").or(between(line, "wrapping_add(", ")"))?;
            let old: usize = value.parse().ok()?;
            let new = if old > 1 { [old - 1, old + 1, old / 2, 0][below(random, 4)] } else { 2 };
            Some(spliced(line, value, &new.to_string()))
        }
        Kind::Operand => {
            let arguments = arguments(line).filter(|_| is_run(lines, number))?;
            let old = arguments[below(random, arguments.len())];
            let names = names_before(lines, number, old);
            let new = names.get(below(random, names.len().max(1)))?;
            (*new != old).then(|| spliced(line, old, new))
        }
        Kind::OperandOrder | Kind::CommutedOrder => {
            // The truth table 0x96 is that of a sum; a product commutes, too, and sums with carries.
            let commute =
                ["_xor_", "_and_", "_add_epi8", "_adds_epu8", "::<0x96>", " ^ ", " & ", " | "];
            let is_sum = commute.iter().any(|sign| line.contains(sign));
            let mut arguments =
                arguments(line).filter(|_| is_sum == (kind == Kind::CommutedOrder))?;
            if let Some(sign) = WORD_OPERATIONS.iter().find(|sign| line.contains(**sign)) {
                let (name, _) = line.split_once(" = ")?;
                arguments.reverse();
                return Some(format!("{name} = {};", arguments.join(sign)))
                    .filter(|_| is_run(lines, number));
            }
            let list = between(line, "(", ")")?;
            let first = below(random, arguments.len());
            let second = (first + 1 + below(random, arguments.len() - 1)) % arguments.len();
            arguments.swap(first, second);
            let swapped = spliced(line, list, &arguments.join(", "));
            (swapped != line).then_some(swapped)
        }
    }
}

/// Another offset, up to the next but one vector away, or anywhere in the first kibibyte.
fn offset(line: &str, call: &str, before: &str, random: &mut ChaCha8Rng) -> Option<String> {
    let value = between(line.contains(call).then_some(line)?, before, ")")?;
    let old: usize = value.parse().ok()?;
    let new = match below(random, 4) {
        0 => old + 1 + below(random, 128),
        1 => old - 1 - below(random, old.min(128)),
        2 => 16 * below(random, 64),
        _ => below(random, 1024),
    };
    (new != old).then(|| spliced(line, value, &new.to_string()))
}

/// Another number of batches, of bytes in one, of rounds, or of transposition steps.
fn bound(line: &str, random: &mut ChaCha8Rng) -> Option<String> {
    const EDITS: &[(&str, &[&str])] = &[
        ("0..batches", &["1..batches", "0..1", "0..0", "0..2", "0..batches + 1"]),
        ("BATCH_BYTES: usize = ", &["BATCH_BYTES: usize = 1", "BATCH_BYTES: usize = 2 * "]),
        (
            "[first, turns @ .., last]",
            &[
                "[first, _, turns @ .., last]",
                "[_, first, turns @ .., last]",
                "[first, turns @ .., last, _]",
                "[first, turns @ .., _, last]",
            ],
        ),
        ("else { break }", &["else { return }"]),
        ("let slices = interleave(slices);", &["", "let slices = interleave(interleave(slices));"]),
        ("let blocks = interleave(blocks);", &["", "let blocks = interleave(interleave(blocks));"]),
    ];
    let (from, to) = EDITS.iter().find(|(from, _)| line.contains(from))?;
    Some(line.replace(from, to[below(random, to.len())]))
}

/// The operations of portable kernels on two words.
const WORD_OPERATIONS: [&str; 3] = [" ^ ", " & ", " | "];

/// Whether the line is of a portable kernel's routine.
fn is_on_words(line: &str) -> bool {
    [" >> ", " << ", ".rotate_right(", "= row["].iter().any(|sign| line.contains(sign))
}

/// Whether the function around line `number` is run by a kernel: portable kernels' files have some
/// for the key schedule as well.
fn is_run(lines: &[&str], number: usize) -> bool {
    let function = lines[..number].iter().rev().find_map(|line| line.split_once("fn "));
    let others = ["spread", "load_even", "store_odd", "store_key"];
    !function.is_some_and(|(_, name)| others.iter().any(|other| name.starts_with(other)))
}

/// Two names of a list exchanged.
fn swapped(list: &str, line: &str, random: &mut ChaCha8Rng) -> Option<String> {
    let mut names: Vec<&str> = list.split(", ").collect();
    let first = below(random, names.len());
    let second = (first + 1 + below(random, names.len() - 1)) % names.len();
    names.swap(first, second);
    Some(spliced(line, list, &names.join(", ")))
}

/// The arguments of an intrinsic or operation on two or three values.
fn arguments(line: &str) -> Option<Vec<&str>> {
    let call = line.trim_start().strip_prefix("let ")?;
    let list: Vec<&str> = match WORD_OPERATIONS.iter().find(|sign| call.contains(**sign)) {
        Some(sign) => between(call, " = ", ";")?.split(sign).collect(),
        None => between(call.split_once(" = _mm")?.1, "(", ")")?.split(", ").collect(),
    };
    let is_name = |text: &&str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (list.len() >= 2 && list.iter().all(is_name)).then_some(list)
}

/// The vectors that the function around line `number` has defined before it and that are as wide as
/// `like`, one of them.
fn names_before<'a>(lines: &[&'a str], number: usize, like: &str) -> Vec<&'a str> {
    let start = lines[..number].iter().rposition(|line| line.contains("fn ")).unwrap_or(0);
    // Among wider registers, what narrower intrinsics compute is a lane.
    let wide = lines.iter().any(|line| line.contains("__m256i") || line.contains("__m512i"));
    let narrow = ["= _mm_", "castsi256_si128", "extracti128"];
    let is_lane = |line: &str| wide && narrow.iter().any(|sign| line.contains(sign));
    let mut names = Vec::new();
    for line in &lines[start..number] {
        let Some((pattern, _)) =
            line.trim_start().strip_prefix("let ").and_then(|rest| rest.split_once(" = "))
        else {
            continue;
        };
        let defined = pattern.trim_matches(['[', ']']).split(", ");
        names.extend(defined.map(|name| (name, is_lane(line))));
    }
    let lane = names.iter().find(|(name, _)| *name == like).is_some_and(|(_, lane)| *lane);
    names.into_iter().filter(|(_, other)| *other == lane).map(|(name, _)| name).collect()
}

/// What stands between the first `before` and the next `after`.
fn between<'a>(line: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let rest = line.split_once(before)?.1;
    Some(rest.split_once(after)?.0)
}

/// `line` with `part`, a slice of it, replaced.
fn spliced(line: &str, part: &str, by: &str) -> String {
    let start = part.as_ptr() as usize - line.as_ptr() as usize;
    format!("{}{by}{}", &line[..start], &line[start + part.len()..])
}

fn below(random: &mut ChaCha8Rng, limit: usize) -> usize {
    random.next_u32() as usize % limit
}
