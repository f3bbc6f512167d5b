//! Small pieces that several emitted files share: identifiers, literals, attribute lists.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};

use super::source::doc;
use crate::ir::{Constant, ConstantData, Form};
use crate::isa::{Feature, Isa, Row};

/// An identifier of the emitted code.
pub(super) fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

/// A byte in hexadecimal.
pub(super) fn hex_u8(value: u8) -> Literal {
    let text = format!("{value:#04x}");
    text.parse().expect("a hexadecimal literal is a token")
}

/// A 64-bit word in hexadecimal, in groups of four digits.
pub(super) fn hex_u64(value: u64) -> Literal {
    grouped(&format!("{value:016x}"))
}

/// The same of 128 bits.
pub(super) fn hex_u128(value: u128) -> Literal {
    grouped(&format!("{value:032x}"))
}

fn grouped(digits: &str) -> Literal {
    let groups: Vec<&str> =
        (0..digits.len()).step_by(4).map(|start| &digits[start..start + 4]).collect();
    let text = format!("0x{}", groups.join("_"));
    text.parse().expect("a hexadecimal literal is a token")
}

/// The constant `constant` with its documentation. Bit matrices show their rows, other bytes their
/// values in order.
pub(super) fn constant_item(constant: &Constant) -> TokenStream {
    let name = ident(&constant.name);
    match constant.data {
        ConstantData::Matrix(matrix) => {
            let value = hex_u64(matrix.to_gfni());
            let doc = doc(&format!("{}\n\n```text\n{matrix}\n```", constant.doc));
            quote! { #doc const #name: u64 = #value; }
        }
        ConstantData::MatrixPair(matrices) => {
            let [low, high] = matrices.map(|matrix| hex_u64(matrix.to_gfni()));
            let [low_rows, high_rows] = matrices;
            let doc = doc(&format!(
                "{}\n\n```text\n{low_rows}\n```\n\n```text\n{high_rows}\n```",
                constant.doc
            ));
            quote! { #doc const #name: [u64; 2] = [#low, #high]; }
        }
        ConstantData::Bytes(bytes) => {
            let values = bytes.iter().map(|byte| number(usize::from(*byte)));
            let doc = doc(&constant.doc);
            quote! { #doc const #name: [u8; 16] = [#(#values),*]; }
        }
        ConstantData::Lanes(ref lanes) => {
            let halves = lanes.as_flattened().as_chunks::<8>().0;
            let rows = halves.iter().map(|half| {
                let values = half.iter().map(|byte| number(usize::from(*byte)));
                quote! { [#(#values),*] }
            });
            let (doc, count) = (doc(&constant.doc), number(halves.len()));
            quote! { #doc const #name: [[u8; 8]; #count] = [#(#rows),*]; }
        }
    }
}

/// A register filled with `value`, a constant of this kind.
pub(super) fn filled(isa: Isa, data: &ConstantData, value: &TokenStream) -> TokenStream {
    match data {
        ConstantData::Matrix(_) => {
            let row = isa.row(Form::Matrix).expect("the pipeline has looked every instruction up");
            let function = intrinsic(row);
            quote! { #function(#value.cast_signed()) }
        }
        _ => {
            let function = ident(fill_function(data));
            quote! { #function(#value) }
        }
    }
}

/// The function that fills a register with a constant.
pub(super) fn fill_function(data: &ConstantData) -> &'static str {
    match data {
        ConstantData::Lanes(_) => "register",
        ConstantData::MatrixPair(_) => "halves",
        ConstantData::Matrix(_) | ConstantData::Bytes(_) => "lanes",
    }
}

/// A number in decimal.
pub(super) fn number(value: usize) -> Literal {
    Literal::usize_unsuffixed(value)
}

/// `#[target_feature(enable = "…")]`.
pub(super) fn target_feature(features: &[Feature]) -> TokenStream {
    let names: Vec<&str> = features.iter().map(|f| f.name()).collect();
    let list = names.join(",");
    quote! { #[target_feature(enable = #list)] }
}

/// The variant of the emitted `Feature` enum.
pub(super) fn feature_variant(feature: Feature) -> Ident {
    let name = feature.name();
    let (first, rest) = name.split_at(1);
    format_ident!("{}{}", first.to_uppercase(), rest)
}

/// The type of a register.
pub(super) fn vector_type(isa: Isa) -> Ident {
    ident(isa.width.rust_type())
}

/// The function of an instruction.
pub(super) fn intrinsic(row: &Row) -> Ident {
    ident(row.intrinsic)
}
