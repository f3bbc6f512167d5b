//! A file as the reader knows it: its functions and constants.
//!
//! Items that could change what a name means are refused here: macros, globs of other modules,
//! attributes such as `cfg`. Constants and bodies are looked at only when they are executed.

use std::collections::BTreeMap;

use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Attribute, Item, ItemConst, ItemFn, UseTree};

use super::super::fault::{Cause, Fault};
use super::value::Type;

/// A parsed file.
#[derive(Debug)]
pub struct Program {
    path: String,
    functions: BTreeMap<String, ItemFn>,
    constants: BTreeMap<String, ItemConst>,
    /// Names imported one by one, with their full paths.
    imported: BTreeMap<String, String>,
    /// Whether `core::arch::x86_64::*` is imported.
    intrinsics: bool,
    /// Features that functions enable, with the line of the first that does.
    features: BTreeMap<String, usize>,
}

/// Attributes that do not change what an item means.
const HARMLESS: &[&str] = &["allow", "doc", "expect", "inline", "must_use", "target_feature"];

/// The module of the intrinsics.
const ARCH: [&str; 3] = ["core", "arch", "x86_64"];

impl Program {
    /// Parses the text of the file at `path`, which is for messages only.
    ///
    /// # Errors
    ///
    /// When the text is no Rust, or has items that the reader does not know.
    pub fn parse(path: &str, text: &str) -> Result<Self, Fault> {
        let mut program = Self {
            path: path.to_owned(),
            functions: BTreeMap::new(),
            constants: BTreeMap::new(),
            imported: BTreeMap::new(),
            intrinsics: false,
            features: BTreeMap::new(),
        };
        let file = syn::parse_file(text).map_err(|error| {
            let line = error.span().start().line;
            program.fault(line, Cause::Syntax(error.to_string()))
        })?;
        let attributes = file.attrs.iter().try_for_each(check_attribute);
        let items = file.items.into_iter().try_for_each(|item| program.add(item));
        attributes.and(items).map_err(|(line, cause)| program.fault(line, cause))?;
        Ok(program)
    }

    /// A fault in this file.
    pub(in super::super) fn fault(&self, line: usize, cause: Cause) -> Fault {
        Fault { path: self.path.clone(), line, cause }
    }

    fn add(&mut self, item: Item) -> Result<(), (usize, Cause)> {
        let line = line(&item);
        let mut attributes = Attributes(Ok(()));
        attributes.visit_item(&item);
        attributes.0?;
        let unique = match item {
            Item::Fn(item) => {
                for feature in features(&item.attrs)? {
                    self.features.entry(feature).or_insert(line);
                }
                self.functions.insert(item.sig.ident.to_string(), item).is_none()
            }
            Item::Const(item) => self.constants.insert(item.ident.to_string(), item).is_none(),
            Item::Use(item) => return self.import(item.tree, &mut Vec::new(), line),
            _ => return Err((line, Cause::Unsupported("this kind of item".to_owned()))),
        };
        let twice = || (line, Cause::Unsupported("two items of one name".to_owned()));
        if unique { Ok(()) } else { Err(twice()) }
    }

    fn import(
        &mut self,
        tree: UseTree,
        path: &mut Vec<String>,
        line: usize,
    ) -> Result<(), (usize, Cause)> {
        match tree {
            UseTree::Path(node) => {
                path.push(node.ident.to_string());
                self.import(*node.tree, path, line)
            }
            UseTree::Name(node) if !has_meaning(&node.ident.to_string()) => {
                let name = node.ident.to_string();
                path.push(name.clone());
                self.imported.insert(name, path.join("::"));
                Ok(())
            }
            UseTree::Glob(_) if path.iter().eq(ARCH.iter()) => {
                self.intrinsics = true;
                Ok(())
            }
            _ => Err((line, Cause::Unsupported("this kind of import".to_owned()))),
        }
    }

    /// The function `name`.
    pub(super) fn function(&self, name: &str) -> Option<&ItemFn> {
        self.functions.get(name)
    }

    /// The constant `name`.
    pub(super) fn constant(&self, name: &str) -> Option<&ItemConst> {
        self.constants.get(name)
    }

    /// Whether `name` is `core::hint::black_box`, which returns its argument.
    pub(super) fn is_black_box(&self, name: &str) -> bool {
        self.imported.get(name).is_some_and(|path| path == "core::hint::black_box")
    }

    /// Whether `name`, which is no item, means an intrinsic: all of them begin so.
    pub(super) fn imports_intrinsic(&self, name: &str) -> bool {
        let known = name.starts_with("_mm") || name == "__mmask8";
        self.intrinsics && known && !self.imported.contains_key(name)
    }

    /// Whether the file gives `name` a meaning.
    pub(super) fn is_item(&self, name: &str) -> bool {
        let items = [self.functions.contains_key(name), self.constants.contains_key(name)];
        items.contains(&true) || self.imported.contains_key(name)
    }

    /// The line of function `name`, 1 if there is none.
    pub(in super::super) fn line_of(&self, name: &str) -> usize {
        self.function(name).map_or(1, |item| line(&item.sig))
    }

    /// The CPU features that some function enables, with the line of the first that does.
    pub(in super::super) fn target_features(&self) -> &BTreeMap<String, usize> {
        &self.features
    }
}

/// The names in `#[target_feature(enable = "…")]`, the only form that rustc knows.
fn features(attributes: &[Attribute]) -> Result<Vec<String>, (usize, Cause)> {
    let mut features = Vec::new();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("target_feature")) {
        let parsed = attribute.parse_nested_meta(|meta| {
            let names: syn::LitStr = meta.value()?.parse()?;
            features.extend(names.value().split(',').map(str::to_owned));
            Ok(())
        });
        parsed.map_err(|error| (line(attribute), Cause::Syntax(error.to_string())))?;
    }
    Ok(features)
}

/// Whether the reader knows what `name` means, if nothing else takes the name.
fn has_meaning(name: &str) -> bool {
    ["Some", "None"].contains(&name) || Type::named(name).is_some()
}

/// Looks at every attribute within an item.
struct Attributes(Result<(), (usize, Cause)>);

impl<'ast> Visit<'ast> for Attributes {
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if self.0.is_ok() {
            self.0 = check_attribute(attribute);
        }
    }
}

fn check_attribute(attribute: &Attribute) -> Result<(), (usize, Cause)> {
    let path = attribute.path();
    if HARMLESS.iter().any(|name| path.is_ident(name)) {
        return Ok(());
    }
    let name = path.segments.last().map_or_else(String::new, |s| s.ident.to_string());
    Err((line(attribute), Cause::Unsupported(format!("the attribute `{name}`"))))
}

/// The line on which a node begins.
pub(super) fn line(node: &impl Spanned) -> usize {
    node.span().start().line
}
