//! The few methods that emitted code calls.

use std::rc::Rc;

use syn::{Expr, ExprMethodCall};

use super::super::domain::Domain;
use super::super::fault::Cause;
use super::Value;
use super::machine::{At, Machine, Step, unsupported};
use super::value::{Pointer, Word};

impl<'p, D: Domain> Machine<'p, '_, D> {
    /// A method call.
    pub(super) fn method(&mut self, node: &'p ExprMethodCall) -> Step<Value<D::Byte>, D::Byte> {
        if node.turbofish.is_some() {
            return unsupported(node);
        }
        let name = node.method.to_string();
        if name == "next" && node.args.is_empty() {
            return self.next(node);
        }
        let receiver = self.evaluate(&node.receiver)?;
        let args: Vec<_> =
            node.args.iter().map(|arg| self.evaluate(arg)).collect::<Step<_, _>>()?;
        match (name.as_str(), receiver, args.as_slice()) {
            ("add", Value::Pointer(pointer), [Value::Number(offset)]) if pointer.to_bytes => {
                let address = pointer.address.add(*offset);
                let overflow = || Cause::Panic("the address overflows".to_owned());
                let address = address.ok_or_else(overflow).at(node)?;
                Ok(Value::Pointer(Pointer { address, ..pointer }))
            }
            ("cast", Value::Pointer(pointer), []) => {
                Ok(Value::Pointer(Pointer { to_bytes: false, ..pointer }))
            }
            ("cast_signed", Value::Word(word), []) if !word.signed => {
                Ok(Value::Word(Word { signed: true, ..word }))
            }
            ("iter", Value::Array(items), []) => Ok(Value::Iterator(items, 0)),
            _ => unsupported(node),
        }
    }

    /// `iterator.next()`, which changes the iterator.
    fn next(&mut self, node: &'p ExprMethodCall) -> Step<Value<D::Byte>, D::Byte> {
        let Expr::Path(receiver) = &*node.receiver else { return unsupported(node) };
        let Some(name) = receiver.path.get_ident() else { return unsupported(node) };
        match self.place(name)? {
            Value::Iterator(items, taken) => {
                let item = items.get(*taken).cloned();
                *taken += usize::from(item.is_some());
                Ok(Value::Option(item.map(Rc::new)))
            }
            other => Err(other.mismatch("an iterator")).at(node),
        }
    }
}
