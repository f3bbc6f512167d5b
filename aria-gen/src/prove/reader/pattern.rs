//! Patterns: names for values and for parts of arrays.

use syn::Pat;
use syn::punctuated::Punctuated;

use super::super::domain::Domain;
use super::Value;
use super::machine::{At, Machine, Step, unsupported};
use super::value::Type;

impl<'p, D: Domain> Machine<'p, '_, D> {
    /// Makes the variables of a pattern; false when the value does not match it.
    pub(super) fn bind(&mut self, pat: &'p Pat, value: Value<D::Byte>) -> Step<bool, D::Byte> {
        match pat {
            Pat::Ident(node) if node.by_ref.is_none() && node.subpat.is_none() => {
                self.define(&node.ident, value, node.mutability.is_some())?;
                Ok(true)
            }
            Pat::Wild(_) => Ok(true),
            Pat::Type(node) => {
                let value = Type::read(&node.ty).and_then(|ty| ty.conform(self.domain, value));
                let value = value.at(node)?;
                self.bind(&node.pat, value)
            }
            Pat::Slice(node) => match value {
                Value::Array(items) => self.bind_slice(&node.elems, &items),
                other => Err(other.mismatch("an array")).at(node),
            },
            Pat::TupleStruct(node) if node.path.is_ident("Some") && node.elems.len() == 1 => {
                match value {
                    Value::Option(Some(value)) => self.bind(&node.elems[0], (*value).clone()),
                    Value::Option(None) => Ok(false),
                    other => Err(other.mismatch("an option")).at(node),
                }
            }
            _ => unsupported(pat),
        }
    }

    /// `[a, b, rest @ .., c]`: the dots take what the others leave.
    fn bind_slice<P>(
        &mut self,
        pats: &'p Punctuated<Pat, P>,
        items: &[Value<D::Byte>],
    ) -> Step<bool, D::Byte> {
        let dots = pats.iter().position(is_dots);
        let singles = pats.len() - usize::from(dots.is_some());
        let matches = items.len() == singles || (dots.is_some() && items.len() > singles);
        if !matches {
            return Ok(false);
        }
        let mut rest = items;
        for (i, pat) in pats.iter().enumerate() {
            if Some(i) == dots {
                let (middle, tail) = rest.split_at(items.len() - singles);
                rest = tail;
                if let Pat::Ident(node) = pat {
                    self.define(&node.ident, Value::array(middle.iter().cloned()), false)?;
                }
            } else if let [item, tail @ ..] = rest {
                rest = tail;
                if !self.bind(pat, item.clone())? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// `..` or `name @ ..`
fn is_dots(pat: &Pat) -> bool {
    match pat {
        Pat::Rest(_) => true,
        Pat::Ident(node) => {
            let plain = node.by_ref.is_none() && node.mutability.is_none();
            plain && node.subpat.as_ref().is_some_and(|(_, sub)| matches!(**sub, Pat::Rest(_)))
        }
        _ => false,
    }
}
