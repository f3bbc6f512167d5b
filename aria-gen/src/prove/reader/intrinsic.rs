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
        use Meaning::{Load, MaskedLoad, MaskedStore, Store};
        if self.in_case && matches!(row.meaning, Load | Store | MaskedLoad | MaskedStore) {
            return unsupported(node);
        }
        match (row.meaning, args, immediate) {
            (Meaning::Load, [Value::Pointer(from)], None) => {
                self.unmasked().at(node)?;
                let Pointer { region, address, .. } = *from;
                let bytes = self.memory.load(region, address, row.width).at(node)?;
                Ok(Value::Vector(bytes.into()))
            }
            (Meaning::Store, [Value::Pointer(to), value], None) => {
                self.unmasked().at(node)?;
                let Pointer { region, address, .. } = *to;
                let bytes = vector(value, row).at(node)?;
                self.memory.store(region, address, bytes).at(node)?;
                Ok(Value::Unit)
            }
            (Meaning::MaskedLoad, [mask, Value::Pointer(from)], None) => {
                let bytes = self.load_masked(mask, *from, row.width).at(node)?;
                Ok(Value::Vector(bytes.into()))
            }
            (Meaning::MaskedStore, [Value::Pointer(to), mask, value], None) => {
                let bytes = vector(value, row).at(node)?;
                self.store_masked(mask, *to, bytes).at(node)?;
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
            (Meaning::Set(size), scalars, None) if scalars.len() * size == row.width => {
                let ty = Type::Word { bytes: size, signed: true };
                let mut bytes = Vec::with_capacity(row.width);
                for scalar in scalars.iter().rev() {
                    match ty.conform(self.domain, scalar.clone()).at(node)? {
                        Value::Word(word) => bytes.extend(word.bytes.iter().cloned()),
                        other => return Err(other.mismatch("an integer")).at(node),
                    }
                }
                Ok(Value::Vector(bytes.into()))
            }
            (Meaning::LaneLow, [value], None) => lane(value, row, 0).at(node),
            (Meaning::Lane, [value], Some(number)) => lane(value, row, number).at(node),
            (Meaning::JoinLanes, [Value::Vector(high), Value::Vector(low)], None)
                if high.len() == low.len() && high.len() + low.len() == row.width =>
            {
                Ok(Value::Vector(low.iter().chain(&**high).cloned().collect()))
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

/// Half number `number` of a vector of the intrinsic's width.
fn lane<B: Clone>(value: &Value<B>, row: &Row, number: u8) -> Result<Value<B>, Cause> {
    let bytes = vector(value, row)?;
    let half = row.width / 2;
    let beyond = || Cause::Panic(format!("lane {number} of a vector of two"));
    let start = Some(usize::from(number)).filter(|number| *number < 2).ok_or_else(beyond)? * half;
    Ok(Value::Vector(bytes[start..start + half].into()))
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
