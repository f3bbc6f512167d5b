//! The object code that rustc makes of the kernels, as images for the prover.
//!
//! The package is built as a release is, and its library, an archive of ELF objects, is read. Of each
//! kernel's function an image is made: its section, then the sections that it refers to, relocations
//! applied as the psABI for AMD64 says (section 4.4.1), as a linker would.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use aria_gen::prove::machine::{Constants, Image};
use object::elf::{R_X86_64_PC32, R_X86_64_PLT32};
use object::read::archive::ArchiveFile;
use object::{
    File, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionIndex,
    SectionKind,
};

/// Builds the kernels' package in release mode and returns the path of its library.
///
/// # Errors
///
/// When cargo cannot build it.
pub fn build(package: &Path) -> anyhow::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args([
            "build",
            "--release",
            "--quiet",
            "--lib",
            "--message-format=json-render-diagnostics",
        ])
        .arg("--manifest-path")
        .arg(package.join("Cargo.toml"))
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo to build the kernels")?;
    if !output.status.success() {
        bail!("the kernels do not compile; `cargo xtask gen` writes them anew");
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let messages = messages.lines().filter_map(|line| serde_json::from_str(line).ok());
    let mut libraries = messages.filter_map(|message: serde_json::Value| {
        let is_artifact = message["reason"] == "compiler-artifact";
        let name = message["target"]["name"].as_str()?;
        let files = message["filenames"].as_array()?;
        let library =
            files.iter().filter_map(|file| file.as_str()).find(|f| f.ends_with(".rlib"))?;
        (is_artifact && name == "aria_kernels").then(|| PathBuf::from(library))
    });
    libraries.next_back().context("cargo does not say where the library is")
}

/// The images of the functions `names`, each given as module and function of the library's crate.
///
/// # Errors
///
/// When the archive cannot be read, or has not each function once.
pub fn images(
    library: &[u8],
    names: &[(String, String)],
) -> anyhow::Result<BTreeMap<(String, String), Image>> {
    let mut images = BTreeMap::new();
    let archive = ArchiveFile::parse(library).context("the library is no archive")?;
    for member in archive.members() {
        let data = member?.data(library)?;
        let Ok(file) = File::parse(data) else { continue };
        for symbol in file.symbols().filter(|symbol| symbol.size() > 0) {
            let mangled = symbol.name().unwrap_or_default();
            let name = format!("{:#}", rustc_demangle::demangle(mangled));
            let wanted = |(module, function): &&(String, String)| {
                name == format!("aria_kernels::{module}::{function}")
            };
            let Some(found) = names.iter().find(wanted) else { continue };
            let section = symbol.section_index().context("a function without a section")?;
            let image = link(&file, &found.1, section, symbol.address(), symbol.size())?;
            if images.insert(found.clone(), image).is_some() {
                bail!("`{name}` is there twice");
            }
        }
    }
    match names.iter().find(|name| !images.contains_key(*name)) {
        Some((module, function)) => bail!("the library has no `{module}::{function}`"),
        None => Ok(images),
    }
}

/// A section in an image.
struct Placed {
    index: SectionIndex,
    start: usize,
}

/// An image of the function at `address` of a section, the sections that it refers to behind it.
fn link(
    file: &File<'_>,
    name: &str,
    section: SectionIndex,
    address: u64,
    size: u64,
) -> anyhow::Result<Image> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut placed: Vec<Placed> = Vec::new();
    let mut constants = Vec::new();
    let mut place = |index: SectionIndex, bytes: &mut Vec<u8>, placed: &mut Vec<Placed>| {
        if let Some(found) = placed.iter().find(|placed| placed.index == index) {
            return Ok(found.start);
        }
        let section = file.section_by_index(index)?;
        let alignment = section.align().max(1);
        bytes.resize(bytes.len().next_multiple_of(usize::try_from(alignment)?), 0);
        let start = bytes.len();
        bytes.extend_from_slice(section.data()?);
        let kind = section.kind();
        if matches!(kind, SectionKind::ReadOnlyData | SectionKind::ReadOnlyString) {
            constants.push(Constants { range: start..bytes.len(), alignment });
        }
        placed.push(Placed { index, start });
        anyhow::Ok(start)
    };
    let start = place(section, &mut bytes, &mut placed)?;
    let (address, size) = (usize::try_from(address)?, usize::try_from(size)?);
    let code = start + address..start + address + size;
    for (offset, relocation) in file.section_by_index(section)?.relocations() {
        let offset = usize::try_from(offset)?;
        if !code.contains(&(start + offset)) {
            continue;
        }
        let RelocationTarget::Symbol(target) = relocation.target() else {
            bail!("{name}: a relocation without a symbol");
        };
        let target = file.symbol_by_index(target)?;
        // What is not in this object is another function: a call, which the prover refuses.
        let Some(section) = target.section_index() else { continue };
        let RelocationFlags::Elf { r_type: R_X86_64_PC32 | R_X86_64_PLT32, .. } =
            relocation.flags()
        else {
            bail!("{name}: an unknown kind of relocation at {offset:#x}");
        };
        let base = place(section, &mut bytes, &mut placed)?;
        let target = (base as i64).wrapping_add_unsigned(target.address());
        let value = target + relocation.addend() - (start + offset) as i64;
        let value = i32::try_from(value).context("a relocation that does not fit")?;
        let field = bytes.get_mut(start + offset..start + offset + 4);
        field.context("a relocation outside its section")?.copy_from_slice(&value.to_le_bytes());
    }
    Ok(Image { name: name.to_owned(), bytes, entry: code.start, code, constants })
}
