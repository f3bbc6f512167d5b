//! Paths that the documents name must exist, so that documents do not outlive what they describe.

use std::fs;
use std::path::Path;

use super::Finding;

/// The documents, at the root.
const DOCUMENTS: &[&str] =
    &["README.md", "ARCHITECTURE.md", "SOUNDNESS.md", "CONTRIBUTING.md", "CHANGELOG.md"];

/// Roots under which a word in backquotes is taken for a path.
const FOLDERS: &[&str] = &["aria-gen/", "aria-runtime/", "generated/", "tests/", "xtask/", ".ci/"];

/// How many paths the documents name, and those that do not exist.
pub(super) fn named_paths(root: &Path) -> std::io::Result<(usize, Vec<Finding>)> {
    let mut count = 0;
    let mut findings = Vec::new();
    for document in DOCUMENTS {
        let text = fs::read_to_string(root.join(document))?;
        for path in paths(&text) {
            count += 1;
            if !root.join(path).exists() {
                findings.push(format!("{document} names {path}, which does not exist"));
            }
        }
    }
    Ok((count, findings))
}

/// Words in backquotes that look like paths below [`FOLDERS`].
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|word| {
        let plain = !word.contains([' ', '<', '*', '{', '…', '\n']);
        plain && FOLDERS.iter().any(|folder| word.starts_with(folder))
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn paths_are_words_in_backquotes_below_known_folders() {
        let text = "`xtask/src/tidy.rs`, `generated/src/<id>.rs`, `cargo xtask gen`, tests/x.rs";
        let found: Vec<&str> = super::paths(text).collect();
        assert_eq!(found, ["xtask/src/tidy.rs"]);
    }
}
