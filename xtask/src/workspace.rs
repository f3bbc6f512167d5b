//! Where things are in the workspace, and how file sets are read and written.
//!
//! Writing is all or nothing as far as a file system allows: contents are generated in memory
//! before the first write, the folder is tried first, and each file appears under its name only
//! when it is whole.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use aria_gen::emit::Files;
use walkdir::WalkDir;

/// The root of the workspace.
#[must_use]
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_owned()
}

/// The package that `gen` writes.
#[must_use]
pub fn generated() -> PathBuf {
    root().join("generated")
}

/// Every file below `dir` as text, by path within it. A folder that is not there has none.
///
/// # Errors
///
/// When a file cannot be read or is no UTF-8.
pub fn read_files(dir: &Path) -> anyhow::Result<Files> {
    let mut files = Files::new();
    if !dir.exists() {
        return Ok(files);
    }
    let walk = WalkDir::new(dir).into_iter().filter_entry(|entry| entry.file_name() != "target");
    for entry in walk {
        let entry = entry.with_context(|| format!("cannot read {}", dir.display()))?;
        if entry.file_type().is_file() {
            let name = entry.path().strip_prefix(dir)?.to_string_lossy().replace('\\', "/");
            let text = fs::read_to_string(entry.path());
            let text = text.with_context(|| format!("cannot read {}", entry.path().display()))?;
            files.insert(name, text);
        }
    }
    Ok(files)
}

/// Writes those of `files` that differ from what stands in `dir`; returns their names.
///
/// # Errors
///
/// When the folder cannot be written to; then nothing is.
pub fn write_files(dir: &Path, files: &Files) -> anyhow::Result<Vec<String>> {
    let mut folders: Vec<PathBuf> =
        files.keys().filter_map(|name| dir.join(name).parent().map(Path::to_owned)).collect();
    folders.sort();
    folders.dedup();
    for folder in &folders {
        let remedy = || format!("cannot write to {}; choose another folder", folder.display());
        fs::create_dir_all(folder).with_context(remedy)?;
        tempfile::NamedTempFile::new_in(folder).with_context(remedy)?;
    }
    let mut written = Vec::new();
    for (name, text) in files {
        let path = dir.join(name);
        if fs::read(&path).is_ok_and(|found| found == text.as_bytes()) {
            continue;
        }
        write_whole(&path, text)?;
        written.push(name.clone());
    }
    Ok(written)
}

/// Writes a file that appears under its name only when it is whole.
///
/// # Errors
///
/// When its folder cannot be written to.
pub(crate) fn write_whole(path: &Path, text: &str) -> anyhow::Result<()> {
    let failed = || format!("cannot write {}", path.display());
    let Some(folder) = path.parent() else { bail!("{} has no folder", path.display()) };
    // A bare name lies in the current folder.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(failed)?;
    file.write_all(text.as_bytes()).with_context(failed)?;
    #[cfg(unix)]
    {
        // A temporary file is private to its owner; source files are not.
        use std::os::unix::fs::PermissionsExt;
        let public = fs::Permissions::from_mode(0o644);
        file.as_file().set_permissions(public).with_context(failed)?;
    }
    file.persist(path).with_context(failed)?;
    Ok(())
}
