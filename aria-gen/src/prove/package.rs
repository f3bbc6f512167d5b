//! The table of kernels as the package ships it: `KERNELS` of its `src/lib.rs`.
//!
//! The runtime calls whatever that table says, so what is proved is read from it too: the function,
//! its blocks, how it is called and the features behind which it stands.

use core::ops::RangeInclusive;

use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprArray, ExprLit, ExprReference, ExprStruct, File, Item, Lit};

use super::fault::{Cause, Fault};
use super::reference::{Frame, KeyForm};

/// One row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The kernel's id.
    pub id: String,
    /// The names of the features that its caller must have seen.
    pub features: Vec<String>,
    /// Blocks in a batch.
    pub blocks: usize,
    /// What it makes of its input.
    pub frame: Frame,
    /// How its round keys lie in memory.
    pub key_form: KeyForm,
    /// The module that holds it, below `src/`.
    pub module: String,
    /// The function.
    pub function: String,
    /// The function for fewer blocks than a batch, if there is one.
    pub part: Option<String>,
}

impl Kernel {
    /// Where the kernel's file stands in the package.
    #[must_use]
    pub fn path(&self) -> String {
        format!("src/{}.rs", self.module)
    }
}

/// Reads the table from the text of the package's `src/lib.rs`; `path` is for messages.
///
/// # Errors
///
/// When the text does not parse or the table is not where and how the generator writes it.
pub fn read_kernels(path: &str, text: &str) -> Result<Vec<Kernel>, Fault> {
    let fault = |line, cause| Fault { path: path.to_owned(), line, cause };
    let file = syn::parse_file(text)
        .map_err(|error| fault(error.span().start().line, Cause::Syntax(error.to_string())))?;
    // The other table of this name, for targets that hold portable kernels only, has fewer rows.
    let tables = file.items.iter().filter_map(|item| match item {
        Item::Const(item) if item.ident == "KERNELS" => rows(&item.expr),
        _ => None,
    });
    let Some(rows) = tables.max_by_key(|rows| rows.elems.len()) else {
        return Err(fault(1, Cause::Undefined("KERNELS".to_owned())));
    };
    let kernels = rows.elems.iter().map(|expr| {
        let line = expr.span().start().line;
        let unknown = || fault(line, Cause::Unsupported("this row of `KERNELS`".to_owned()));
        let kernel = read_row(expr).ok_or_else(unknown)?;
        let elsewhere = || {
            let text = format!("`{}` is not a plain module in a file of its own", kernel.module);
            fault(line, Cause::Contract(text))
        };
        if is_plain_module(&file, &kernel.module) { Ok(kernel) } else { Err(elsewhere()) }
    });
    kernels.collect()
}

/// Whether `mod name;` stands in the file, once and without an attribute that moves it elsewhere.
fn is_plain_module(file: &File, name: &str) -> bool {
    let mut modules = file.items.iter().filter_map(|item| match item {
        Item::Mod(item) if item.ident == name => Some(item),
        _ => None,
    });
    let Some(module) = modules.next() else { return false };
    let harmless = |attribute: &Attribute| {
        ["cfg", "doc"].iter().any(|known| attribute.path().is_ident(known))
            || attribute.path().segments.first().is_some_and(|word| word.ident == "rustfmt")
    };
    module.content.is_none() && module.attrs.iter().all(harmless) && modules.next().is_none()
}

/// The array in `&[…]`.
fn rows(expr: &Expr) -> Option<&ExprArray> {
    match expr {
        Expr::Reference(ExprReference { expr, .. }) => match &**expr {
            Expr::Array(array) => Some(array),
            _ => None,
        },
        _ => None,
    }
}

/// A batch of none would be proved of nothing, and no register file holds a thousand blocks.
const PLAUSIBLE_BLOCKS: RangeInclusive<usize> = 1..=1024;

fn read_row(expr: &Expr) -> Option<Kernel> {
    let Expr::Struct(row) = expr else { return None };
    let Expr::Lit(ExprLit { lit: Lit::Str(id), .. }) = field(row, "id")? else { return None };
    let Expr::Lit(ExprLit { lit: Lit::Int(blocks), .. }) = field(row, "blocks")? else {
        return None;
    };
    let features = rows(field(row, "features")?)?.elems.iter().map(|feature| {
        match path(feature)?.as_slice() {
            [_, variant] => Some(variant.to_lowercase()),
            _ => None,
        }
    });
    let entry = read_entry(field(row, "entry")?)?;
    let part = match field(row, "part")? {
        // Called as the other is: so of the same variant and file.
        Expr::Call(some) if path(&some.func)? == ["Some"] && some.args.len() == 1 => {
            let part = read_entry(some.args.first()?)?;
            let same = part.variant == entry.variant && part.module == entry.module;
            Some(Some(part.function).filter(|_| same)?)
        }
        none if path(none)? == ["None"] => None,
        _ => return None,
    };
    let (frame, key_form) = match entry.variant.as_str() {
        "EcbRaw" => (Frame::Ecb, KeyForm::Raw),
        "EcbBroadcast32" => (Frame::Ecb, KeyForm::Broadcast32),
        "EcbMapped32" => (Frame::Ecb, KeyForm::Mapped32),
        "CtrBroadcast32" => (Frame::Ctr, KeyForm::Broadcast32),
        "CtrMapped32" => (Frame::Ctr, KeyForm::Mapped32),
        "CbcDecBroadcast32" => (Frame::CbcDec, KeyForm::Broadcast32),
        "CbcDecMapped32" => (Frame::CbcDec, KeyForm::Mapped32),
        "CfbDecBroadcast32" => (Frame::CfbDec, KeyForm::Broadcast32),
        "CfbDecMapped32" => (Frame::CfbDec, KeyForm::Mapped32),
        "Keys" => (Frame::Keys, KeyForm::Raw),
        "CbcEncRaw" => (Frame::CbcEnc, KeyForm::Raw),
        "EcbPlanes" => (Frame::Ecb, KeyForm::Planes),
        "EcbSpreadPlanes" => (Frame::Ecb, KeyForm::SpreadPlanes),
        _ => return None,
    };
    let ReadEntry { module, function, .. } = entry;
    Some(Kernel {
        id: id.value(),
        features: features.collect::<Option<_>>()?,
        blocks: blocks.base10_parse().ok().filter(|blocks| PLAUSIBLE_BLOCKS.contains(blocks))?,
        frame,
        key_form,
        module,
        function,
        part,
    })
}

/// `Entry::Variant(module::function)`
struct ReadEntry {
    variant: String,
    module: String,
    function: String,
}

fn read_entry(expr: &Expr) -> Option<ReadEntry> {
    let Expr::Call(entry) = expr else { return None };
    let [_, variant] = <[String; 2]>::try_from(path(&entry.func)?).ok()?;
    let [module, function] = <[String; 2]>::try_from(path(entry.args.first()?)?).ok()?;
    (entry.args.len() == 1).then_some(ReadEntry { variant, module, function })
}

fn field<'a>(row: &'a ExprStruct, name: &str) -> Option<&'a Expr> {
    let mut fields = row.fields.iter();
    let found = fields.find(|field| matches!(&field.member, syn::Member::Named(n) if n == name));
    found.map(|field| &field.expr)
}

/// The words of a path.
fn path(expr: &Expr) -> Option<Vec<String>> {
    match expr {
        Expr::Path(node) => Some(node.path.segments.iter().map(|s| s.ident.to_string()).collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_field_by_field() {
        let text = "
            #[cfg(target_arch = \"x86_64\")]
            mod module;
            pub const KERNELS: &[Kernel] = &[Kernel {
                id: \"aria_avx_gfni_xmm_blk16\",
                features: &[Feature::Avx, Feature::Gfni],
                blocks: 16,
                batch_cycles: 339,
                entry: Entry::EcbBroadcast32(module::function),
                part: Some(Entry::EcbBroadcast32(module::function_part)),
            }];
            pub const KERNELS: &[Kernel] = &[];
        ";
        let kernel = Kernel {
            id: "aria_avx_gfni_xmm_blk16".to_owned(),
            features: vec!["avx".to_owned(), "gfni".to_owned()],
            blocks: 16,
            frame: Frame::Ecb,
            key_form: KeyForm::Broadcast32,
            module: "module".to_owned(),
            function: "function".to_owned(),
            part: Some("function_part".to_owned()),
        };
        let without = text.replace("Some(Entry::EcbBroadcast32(module::function_part))", "None");
        let whole = Kernel { part: None, ..kernel.clone() };
        assert_eq!(read_kernels("lib.rs", &without), Ok(vec![whole]));
        for other in ["Entry::EcbRaw(module::f)", "Entry::EcbBroadcast32(another::f)"] {
            let text = text.replace("Entry::EcbBroadcast32(module::function_part)", other);
            assert!(read_kernels("lib.rs", &text).is_err(), "{other}");
        }

        assert_eq!(kernel.path(), "src/module.rs");
        assert_eq!(read_kernels("lib.rs", text), Ok(vec![kernel]));

        let modules =
            ["", "mod module {}", "#[path = \"x.rs\"] mod module;", "mod module; mod module;"];
        for module in modules {
            let fault = read_kernels("lib.rs", &text.replace("mod module;", module)).unwrap_err();
            assert!(fault.to_string().contains("`module` is not a plain module"), "{fault}");
        }
    }

    #[test]
    fn what_is_no_table_has_its_line() {
        let message = |text: &str| read_kernels("src/lib.rs", text).unwrap_err().to_string();
        assert!(message("const X: u8 = ;").starts_with("src/lib.rs:1: this does not parse"));
        assert!(message("const X: u8 = 1;").contains("`KERNELS` is not defined"));
        let rows = [
            "id: 5",
            "id: \"x\", features: &[], blocks: 0, entry: Entry::EcbBroadcast32(m::f), part: None",
            "id: \"x\", features: &[], blocks: 16, entry: Entry::Other(m::f), part: None",
            "id: \"x\", features: &[], blocks: 16, entry: Entry::EcbBroadcast32(m::f)",
        ];
        for row in rows {
            let text = format!("mod m; const KERNELS: &[Kernel] = &[\nKernel {{ {row} }}];");
            assert!(message(&text).starts_with("src/lib.rs:2: the reader does not know this row"));
        }
    }
}
