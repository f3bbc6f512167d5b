//! Rust text: the files of `generated/`, or of a crate with some kernels only.
//!
//! Input is a finished program and what is known of it; nothing here chooses an instruction or an
//! order. What differs by encoding or width comes from columns of `isa`'s tables.

mod counter;
mod entry;
mod feature;
mod items;
mod kernel;
mod key_form;
mod package;
mod part;
mod probe;
mod routine;
mod source;
mod table;
mod words;

use std::collections::BTreeMap;

use crate::error::GenError;
use crate::kernel::KernelId;
use crate::pipeline::{Built, BuiltWords, Facts, build_kernel, build_words, is_words};

pub use package::PackageKind;

/// The files of a package, by path within it, `/`-separated.
pub type Files = BTreeMap<String, String>;

/// A kernel ready to be written down.
struct Kernel {
    built: Built,
    facts: Facts,
}

/// Generates the package with the kernels `ids`: manifest, tables and one file a kernel.
///
/// # Errors
///
/// When one of the kernels cannot be built.
pub fn generate(ids: &[KernelId], kind: PackageKind) -> Result<Files, GenError> {
    let mut ids = ids.to_vec();
    ids.sort_unstable_by_key(KernelId::to_string);
    ids.dedup();
    let mut kernels = Vec::new();
    let mut words: Vec<BuiltWords> = Vec::new();
    for id in ids {
        if is_words(id) {
            words.push(build_words(id)?);
            continue;
        }
        let built = build_kernel(id)?;
        let facts = built.facts()?;
        kernels.push(Kernel { built, facts });
    }
    let mut files = package::package_files(kind, &names(&kernels, &words));
    files.insert("src/lib.rs".to_owned(), table::emit_lib(kind, &kernels, &words));
    files.insert("src/feature.rs".to_owned(), feature::emit_features());
    files.insert("src/key_form.rs".to_owned(), key_form::emit_key_forms());
    if kind == PackageKind::Workspace {
        files.extend(probe::emit_probes());
    }
    for kernel in &kernels {
        files.insert(kernel_path(kernel.built.id), kernel::emit_kernel(kernel));
    }
    for built in &words {
        files.insert(kernel_path(built.id), words::emit_words(built));
    }
    Ok(files)
}

/// The ids of all kernels, in order.
fn names(kernels: &[Kernel], words: &[BuiltWords]) -> Vec<String> {
    let ids = kernels.iter().map(|kernel| kernel.built.id).chain(words.iter().map(|w| w.id));
    let mut names: Vec<String> = ids.map(|id| id.to_string()).collect();
    names.sort_unstable();
    names
}

/// Where the kernel `id` stands in its package.
#[must_use]
pub fn kernel_path(id: KernelId) -> String {
    format!("src/{id}.rs")
}
