//! Rules about single files and about which files there are.

use std::collections::BTreeSet;

use super::{Finding, Source};

/// Every file opens with `//!`.
pub(super) fn module_docs(sources: &[Source]) -> Vec<Finding> {
    let bare = sources.iter().filter(|s| !s.text.starts_with("//!"));
    bare.map(|s| format!("{} does not open with `//!`", s.path)).collect()
}

/// No file written by hand is longer than this.
const LONGEST: usize = 600;

/// Nor is a generated one longer than this: a kernel is one file, and where AES-NI works lane by
/// lane, one S-box is several instructions; in counter mode, two ways to the counters; a key schedule is
/// seventeen round keys in a row; the table has a row for each kernel.
const LONGEST_GENERATED: usize = 1250;

/// Files stay below their length.
pub(super) fn file_length(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        let lines = source.text.lines().count();
        let longest = if source.is_generated() { LONGEST_GENERATED } else { LONGEST };
        if lines > longest {
            findings.push(format!("{} has {lines} lines; split it by responsibility", source.path));
        }
    }
    findings
}

/// Names that say nothing about what a file knows.
const EMPTY_NAMES: [&str; 5] = ["mod.rs", "utils.rs", "util.rs", "helpers.rs", "common.rs"];

/// No `mod.rs`, no `utils.rs` and the like.
pub(super) fn file_names(sources: &[Source]) -> Vec<Finding> {
    let named = sources.iter().filter(|s| {
        let name = s.path.rsplit('/').next().unwrap_or_default();
        EMPTY_NAMES.contains(&name)
    });
    named.map(|s| format!("{}: name it after what it knows", s.path)).collect()
}

/// A note of work to do names an issue.
pub(super) fn todos(sources: &[Source]) -> Vec<Finding> {
    // Spelled in two parts, so that this file does not find itself.
    let mark = concat!("TO", "DO");
    let mut findings = Vec::new();
    for source in sources {
        for (number, line) in source.text.lines().enumerate() {
            if line.contains(mark) && !line.contains('#') {
                findings.push(format!("{}:{}: {mark} without an issue", source.path, number + 1));
            }
        }
    }
    findings
}

/// Every file below a `src` folder is reached by `mod` from its crate's root.
pub(super) fn orphans(sources: &[Source]) -> Vec<Finding> {
    let mut reached: BTreeSet<String> = BTreeSet::new();
    for source in sources {
        let Some((folder, file)) = source.path.rsplit_once('/') else { continue };
        let stem = file.trim_end_matches(".rs");
        let is_root = matches!(file, "lib.rs" | "main.rs") && folder.ends_with("/src");
        if is_root {
            reached.insert(source.path.clone());
        }
        let below = if is_root { folder.to_owned() } else { format!("{folder}/{stem}") };
        for item in &source.tree.items {
            if let syn::Item::Mod(module) = item
                && module.content.is_none()
            {
                reached.insert(format!("{below}/{}.rs", module.ident));
            }
        }
    }
    let orphaned =
        sources.iter().filter(|s| s.path.contains("/src/") && !reached.contains(&s.path));
    orphaned.map(|s| format!("{} is reached by no `mod`; delete it or name it", s.path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::source;

    #[test]
    fn each_rule_finds_its_breach() {
        let long = format!("//! d\n{}", "fn f() {}\n".repeat(LONGEST));
        assert_eq!(module_docs(&[source("a/src/x.rs", "fn f() {}")]).len(), 1);
        assert_eq!(file_length(&[source("a/src/x.rs", &long)]).len(), 1);
        assert_eq!(file_names(&[source("a/src/x/mod.rs", "//! d")]).len(), 1);
        assert_eq!(todos(&[source("a/src/x.rs", concat!("// TO", "DO later"))]).len(), 1);
        assert_eq!(todos(&[source("a/src/x.rs", concat!("// TO", "DO(#7) later"))]).len(), 0);
    }

    #[test]
    fn a_file_without_a_mod_is_an_orphan() {
        let root = source("a/src/lib.rs", "//! d\nmod x;");
        let named = source("a/src/x.rs", "//! d\nmod y;");
        let nested = source("a/src/x/y.rs", "//! d");
        let orphan = source("a/src/x/z.rs", "//! d");
        let findings = orphans(&[root, named, nested, orphan]);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].starts_with("a/src/x/z.rs"), "{findings:?}");
    }
}
