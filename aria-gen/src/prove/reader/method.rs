//! The few methods that emitted code calls.

use std::rc::Rc;

use syn::{Expr, ExprClosure, ExprMethodCall, Pat, ReturnType};

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
        if name == "map" && node.args.len() == 1 {
            return self.map(node);
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
            ("to_be_bytes", Value::Word(word), []) if !word.signed => {
                let bytes = word.bytes.iter().rev();
                Ok(Value::array(bytes.map(|byte| {
                    Value::Word(Word { bytes: Rc::new([byte.clone()]), signed: false })
                })))
            }
            ("wrapping_add", Value::Counter(further), [Value::Number(addend)]) => {
                let sum = addend.known().and_then(|addend| further.checked_add(addend));
                sum.map(Value::Counter).map_or_else(|| unsupported(node), Ok)
            }
            ("wrapping_add", Value::Word(word), [Value::Number(addend)])
                if word.bytes.len() == 16 && !word.signed =>
            {
                let Some(addend) = addend.known() else { return unsupported(node) };
                self.add_to_counter(&word, addend).map(Value::Word).at(node)
            }
            ("iter", Value::Array(items), []) => Ok(Value::Iterator(items, 0)),
            _ => unsupported(node),
        }
    }

    /// `array.map(function)`: a closure of one name, or a function of `core`.
    fn map(&mut self, node: &'p ExprMethodCall) -> Step<Value<D::Byte>, D::Byte> {
        let items = match self.evaluate(&node.receiver)? {
            Value::Array(items) => items,
            other => return Err(other.mismatch("an array")).at(node),
        };
        let mut images = Vec::with_capacity(items.len());
        for item in &*items {
            images.push(match &node.args[0] {
                Expr::Path(path) if path.qself.is_none() => {
                    self.word_from_bytes(&path.path, item.clone(), node)?
                }
                Expr::Closure(closure) => self.closure(closure, item.clone())?,
                _ => return unsupported(node),
            });
        }
        Ok(Value::Array(images.into()))
    }

    /// `|name| expression`
    fn closure(
        &mut self,
        node: &'p ExprClosure,
        value: Value<D::Byte>,
    ) -> Step<Value<D::Byte>, D::Byte> {
        let special = [node.asyncness.is_some(), node.constness.is_some(), node.capture.is_some()];
        let typed = !matches!(node.output, ReturnType::Default) || node.lifetimes.is_some();
        let ([Pat::Ident(_)], false) =
            (&*node.inputs.iter().collect::<Vec<_>>(), special.contains(&true) || typed)
        else {
            return unsupported(node);
        };
        let start = self.bindings_len();
        self.bind(&node.inputs[0], value)?;
        let value = self.evaluate(&node.body);
        self.forget(start);
        value
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
