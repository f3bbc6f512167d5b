//! Which module of `aria-gen` may use which, and which package may depend on which.
//!
//! The table is the architecture: what a row does not list is forbidden. Test modules are free, for
//! they hold a module against the specification.

use syn::visit::Visit;

use super::{Finding, Source};

/// A top module of `aria-gen` and the top modules that it may name.
#[rustfmt::skip]
const MAY_USE: &[(&str, &[&str])] = &[
    ("math",     &[]),
    ("ir",       &["math"]),
    ("spec",     &["math"]),
    ("isa",      &["ir"]),
    ("circuit",  &["math"]),
    ("kernel",   &["math", "spec", "ir", "isa", "circuit"]),
    ("lower",    &["ir", "isa", "kernel", "math"]),
    ("pass",     &["ir", "isa"]),
    ("probe",    &["ir", "isa", "math"]),
    ("error",    &["ir", "isa", "kernel", "lower", "pipeline"]),
    ("pipeline", &["error", "ir", "isa", "kernel", "lower", "pass"]),
    ("search",   &["lower"]),
    ("prove",    &["math", "spec"]),
    ("jit",      &["ir", "isa", "kernel", "pass", "pipeline"]),
    ("emit",     &["error", "ir", "isa", "kernel", "pipeline", "probe", "spec"]),
];

/// Builders know nothing of each other, nor do emitters.
const SIBLINGS: &[(&str, &[&str])] = &[("kernel", &["bits", "slice"])];

/// Checks both tables.
pub(super) fn directions(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        let Some(path) = source.path.strip_prefix("aria-gen/src/") else { continue };
        let parts: Vec<&str> = path.trim_end_matches(".rs").split('/').collect();
        let top = parts[0];
        if top == "lib" || parts.last() == Some(&"tests") {
            continue;
        }
        let Some((_, allowed)) = MAY_USE.iter().find(|(module, _)| *module == top) else {
            findings.push(format!("{}: module `{top}` is not in tidy's table", source.path));
            continue;
        };
        for used in crate_paths(&source.tree) {
            let Some(target) = used.first().filter(|name| **name != top) else { continue };
            let is_item = target.starts_with(char::is_uppercase);
            if !is_item && !allowed.contains(&target.as_str()) {
                findings.push(format!("{}: `{top}` must not use `{target}`", source.path));
            }
        }
        for used in crate_paths(&source.tree) {
            let siblings = SIBLINGS.iter().find(|(parent, _)| *parent == top);
            let (Some((_, names)), Some(own), Some(other)) = (siblings, parts.get(1), used.get(1))
            else {
                continue;
            };
            let both = names.contains(own) && names.contains(&other.as_str());
            if both && used[0] == top && own != other {
                findings.push(format!("{}: `{own}` must not use `{other}`", source.path));
            }
        }
    }
    findings
}

/// Every path in `tree` that starts with `crate`, outside test modules, without `crate`.
fn crate_paths(tree: &syn::File) -> Vec<Vec<String>> {
    let mut paths = Paths::default();
    paths.visit_file(tree);
    paths.0
}

#[derive(Default)]
struct Paths(Vec<Vec<String>>);

impl Paths {
    fn use_tree(&mut self, tree: &syn::UseTree, prefix: &[String]) {
        let with = |name: &dyn ToString| [prefix, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.use_tree(&path.tree, &with(&path.ident)),
            syn::UseTree::Name(name) => self.push(&with(&name.ident)),
            syn::UseTree::Rename(rename) => self.push(&with(&rename.ident)),
            syn::UseTree::Glob(_) => self.push(prefix),
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.use_tree(tree, prefix);
                }
            }
        }
    }

    fn push(&mut self, path: &[String]) {
        if let Some((first, rest)) = path.split_first()
            && first == "crate"
        {
            self.0.push(rest.to_vec());
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.use_tree(&item.tree, &[]);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        self.push(&names);
        syn::visit::visit_path(self, path);
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.ident != "tests" {
            syn::visit::visit_item_mod(self, module);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::source;

    fn findings(path: &str, text: &str) -> usize {
        directions(&[source(path, text)]).len()
    }

    #[test]
    fn forbidden_directions_are_found_in_uses_and_paths() {
        assert_eq!(findings("aria-gen/src/math/x.rs", "use crate::ir::Value;"), 1);
        assert_eq!(findings("aria-gen/src/pass/x.rs", "use crate::{ir::Op, kernel::KernelId};"), 1);
        assert_eq!(findings("aria-gen/src/isa.rs", "fn f() { crate::spec::aria::s1(); }"), 1);
        assert_eq!(findings("aria-gen/src/strange/x.rs", ""), 1);
    }

    #[test]
    fn allowed_directions_and_tests_are_not() {
        assert_eq!(findings("aria-gen/src/lower/x.rs", "use crate::ir::Value;"), 0);
        let test = "#[cfg(test)] mod tests { use crate::spec::aria; }";
        assert_eq!(findings("aria-gen/src/lower/x.rs", test), 0);
        assert_eq!(findings("aria-gen/src/pipeline/tests.rs", "use crate::spec::aria;"), 0);
    }
}
