//! Calls of intrinsics: from arguments to the operands of the meaning, and back.

use std::rc::Rc;

use syn::spanned::Spanned;
use syn::{Expr, GenericArgument, Lit, PathArguments};

use super::super::domain::Domain;
use super::super::fault::Cause;
use super::super::meaning::Meaning;
use super::super::meaning::table::Row;
use super::Value;
use super::machine::{At, Machine, Step, unsupported};
use super::value::{Pointer, Type};

impl<D: Domain> Machine<'_, '_, D> {
    /// Calls the intrinsic of `row`.
    pub(super) fn intrinsic(
        &mut self,
        row: &Row,
        generics: &PathArguments,
        args: &[Value<D::Byte>],
        node: &impl Spanned,
    ) -> Step<Value<D::Byte>, D::Byte> {
        let immediate = immediate(generics).at(node)?;
        match (row.meaning, args, immediate) {
            (Meaning::Load, [Value::Pointer(from)], None) => {
                let Pointer { region, address, .. } = *from;
                let bytes = self.memory.load(region, address, row.width).at(node)?;
                Ok(Value::Vector(bytes.into()))
            }
            (Meaning::Store, [Value::Pointer(to), value], None) => {
                let Pointer { region, address, .. } = *to;
                let bytes = vector(value, row).at(node)?;
                self.memory.store(region, address, bytes).at(node)?;
                Ok(Value::Unit)
            }
            (Meaning::Splat(size), [scalar], None) => {
                let ty = Type::Word { bytes: size, signed: true };
                match ty.conform(self.domain, scalar.clone()).at(node)? {
                    Value::Word(word) => {
                        let filled = word.bytes.iter().cycle().take(row.width);
                        Ok(Value::Vector(filled.cloned().collect()))
                    }
                    other => Err(other.mismatch("an integer")).at(node),
                }
            }
            (Meaning::Vector(op), args, immediate)
                if args.len() == op.operands() && immediate.is_some() == op.has_immediate() =>
            {
                let operands = args.iter().map(|arg| vector(arg, row));
                let operands = operands.collect::<Result<Vec<_>, _>>().at(node)?;
                let result = op.apply(self.domain, &operands, immediate.unwrap_or(0)).at(node)?;
                Ok(Value::Vector(Rc::from(result)))
            }
            _ => unsupported(node),
        }
    }
}

/// The bytes of a vector of the intrinsic's width.
fn vector<'v, B>(value: &'v Value<B>, row: &Row) -> Result<&'v [B], Cause> {
    match value {
        Value::Vector(bytes) if bytes.len() == row.width => Ok(bytes),
        other => Err(other.mismatch(format!("a vector of {} bytes", row.width))),
    }
}

/// The immediate in `::<0x63>`: a literal byte.
fn immediate(generics: &PathArguments) -> Result<Option<u8>, Cause> {
    let PathArguments::AngleBracketed(generics) = generics else { return Ok(None) };
    let literal = match generics.args.first() {
        Some(GenericArgument::Const(Expr::Lit(node))) if generics.args.len() == 1 => &node.lit,
        _ => return Err(Cause::Unsupported("this generic argument".to_owned())),
    };
    match literal {
        Lit::Int(literal) => {
            let byte = literal.base10_parse();
            byte.map(Some).map_err(|error| Cause::Syntax(error.to_string()))
        }
        _ => Err(Cause::Unsupported("this generic argument".to_owned())),
    }
}
