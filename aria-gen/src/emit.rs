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
mod probe;
mod routine;
mod source;
mod table;

use std::collections::BTreeMap;

use crate::error::GenError;
use crate::kernel::KernelId;
use crate::pipeline::{Built, Facts, build_kernel};

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
    for id in ids {
        let built = build_kernel(id)?;
        let facts = built.facts()?;
        kernels.push(Kernel { built, facts });
    }
    let mut files = package::package_files(kind, &kernels);
    files.insert("src/lib.rs".to_owned(), table::emit_lib(kind, &kernels));
    files.insert("src/feature.rs".to_owned(), feature::emit_features());
    files.insert("src/key_form.rs".to_owned(), key_form::emit_key_forms());
    if kind == PackageKind::Workspace {
        files.extend(probe::emit_probes());
    }
    for kernel in &kernels {
        files.insert(kernel_path(kernel.built.id), kernel::emit_kernel(kernel));
    }
    Ok(files)
}

/// Where the kernel `id` stands in its package.
#[must_use]
pub fn kernel_path(id: KernelId) -> String {
    format!("src/{id}.rs")
}
