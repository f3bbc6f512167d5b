//! Compares a set of files with the set that should be there.

use aria_gen::emit::Files;

/// The first difference, in path order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Drift {
    /// A file is not there.
    #[error("{0} is missing; run `cargo xtask gen`")]
    Missing(String),
    /// A file should not be there.
    #[error("{0} is stale: no row of the matrix yields it; run `cargo xtask gen` or remove it")]
    Stale(String),
    /// A file has other contents.
    #[error(
        "{path}:{line} differs; run `cargo xtask gen`\n  found:    {found}\n  expected: {expected}"
    )]
    Differs {
        /// Its path.
        path: String,
        /// The first line that differs, from 1.
        line: usize,
        /// That line as it stands.
        found: String,
        /// That line as it should be.
        expected: String,
    },
}

/// Compares both file sets.
///
/// # Errors
///
/// The first difference in path order.
pub fn compare(expected: &Files, found: &Files) -> Result<(), Drift> {
    let mut names: Vec<&String> = expected.keys().chain(found.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        match (expected.get(name), found.get(name)) {
            (Some(_), None) => return Err(Drift::Missing(name.clone())),
            (None, _) => return Err(Drift::Stale(name.clone())),
            (Some(expected), Some(found)) if expected != found => {
                return Err(first_difference(name, expected, found));
            }
            _ => {}
        }
    }
    Ok(())
}

fn first_difference(path: &str, expected: &str, found: &str) -> Drift {
    const END: &str = "(end of file)";
    // A final newline alone makes one more, empty line.
    let (mut expected, mut found) = (expected.split('\n'), found.split('\n'));
    let mut line = 1;
    loop {
        let (e, f) = (expected.next(), found.next());
        if e != f || e.is_none() {
            return Drift::Differs {
                path: path.to_owned(),
                line,
                found: f.unwrap_or(END).to_owned(),
                expected: e.unwrap_or(END).to_owned(),
            };
        }
        line += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> Files {
        list.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn each_kind_of_drift_is_found() {
        let expected = files(&[("a", "1\n2\n"), ("b", "")]);
        assert_eq!(compare(&expected, &expected), Ok(()));
        let missing = files(&[("a", "1\n2\n")]);
        assert_eq!(compare(&expected, &missing), Err(Drift::Missing("b".to_owned())));
        let stale = files(&[("a", "1\n2\n"), ("aa", ""), ("b", "")]);
        assert_eq!(compare(&expected, &stale), Err(Drift::Stale("aa".to_owned())));
    }

    #[test]
    fn the_first_differing_line_is_named() {
        let expected = files(&[("a", "1\n2\n")]);
        for (text, number) in [("1\n3\n", 2), ("1\n2", 3), ("1\n2\n\n", 4), ("", 1)] {
            match compare(&expected, &files(&[("a", text)])) {
                Err(Drift::Differs { line, .. }) => assert_eq!(line, number, "{text:?}"),
                other => panic!("{text:?}: {other:?}"),
            }
        }
    }
}
