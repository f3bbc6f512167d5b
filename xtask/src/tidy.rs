//! `cargo xtask tidy`: the structural rules of the house, checked by reading the sources.
//!
//! A rule is a function from the sources to findings. The rules: module documentation, file length
//! and names, no orphans, import directions, where `unsafe` may stand, and that paths named in the
//! documents exist.

mod documents;
mod imports;
mod layout;
mod unsafety;

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use walkdir::WalkDir;

use crate::workspace::root;

/// One Rust source file.
#[derive(Debug)]
pub(crate) struct Source {
    /// Path from the root, `/`-separated.
    path: String,
    /// Its text.
    text: String,
    /// Its syntax tree.
    tree: syn::File,
}

/// What breaks a rule, and where.
pub(crate) type Finding = String;

/// A rule: its name and what it finds.
type Rule = (&'static str, fn(&[Source]) -> Vec<Finding>);

const RULES: &[Rule] = &[
    ("module documentation", layout::module_docs),
    ("file length", layout::file_length),
    ("file names", layout::file_names),
    ("orphans", layout::orphans),
    ("to-dos", layout::todos),
    ("import directions", imports::directions),
    ("unsafe code", unsafety::places),
];

/// Runs the command.
///
/// # Errors
///
/// When a rule is broken: every finding, by rule.
pub fn run() -> anyhow::Result<()> {
    let sources = read_sources(&root())?;
    // A checker that looked at nothing must not pass.
    if sources.len() < 50 {
        bail!(
            "only {} sources found below {}; is this the workspace?",
            sources.len(),
            root().display()
        );
    }
    let mut findings = 0;
    for (name, rule) in RULES {
        for finding in rule(&sources) {
            eprintln!("{name}: {finding}");
            findings += 1;
        }
    }
    let (paths, missing) = documents::named_paths(&root())?;
    for finding in &missing {
        eprintln!("documents: {finding}");
    }
    findings += missing.len();
    if findings > 0 {
        bail!("{findings} findings");
    }
    println!("tidy: {} sources, {} rules, {paths} paths in documents", sources.len(), RULES.len());
    Ok(())
}

fn read_sources(root: &Path) -> anyhow::Result<Vec<Source>> {
    let mut sources = Vec::new();
    for folder in ["aria-gen", "aria-runtime", "generated", "tests", "xtask"] {
        for entry in WalkDir::new(root.join(folder)).sort_by_file_name() {
            let entry = entry?;
            if entry.path().extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(entry.path())?;
                let path = entry.path().strip_prefix(root)?.to_string_lossy().replace('\\', "/");
                let tree = syn::parse_file(&text).with_context(|| path.clone())?;
                sources.push(Source { path, text, tree });
            }
        }
    }
    Ok(sources)
}

impl Source {
    /// Whether the generator wrote it.
    fn is_generated(&self) -> bool {
        self.path.starts_with("generated/")
    }
}

#[cfg(test)]
pub(crate) fn source(path: &str, text: &str) -> Source {
    let tree = syn::parse_file(text).expect("test sources are well formed");
    Source { path: path.to_owned(), text: text.to_owned(), tree }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_workspace_is_tidy() {
        super::run().expect("every finding stands above");
    }
}
