//! The few methods that emitted code calls.

use std::rc::Rc;

use syn::{Expr, ExprClosure, ExprMethodCall, GenericArgument, Pat, ReturnType};

use super::super::domain::Domain;
use super::super::domain::word::rotate_right;
use super::super::fault::Cause;
use super::Value;
use super::machine::{At, Machine, Step, unsupported};
use super::value::{Pointer, Type, Word};

impl<'p, D: Domain> Machine<'p, '_, D> {
    /// A method call.
    pub(super) fn method(&mut self, node: &'p ExprMethodCall) -> Step<Value<D::Byte>, D::Byte> {
        if node.turbofish.is_some() {
            return unsupported(node);
        }
        let name = node.method.to_string();
        if let Some((pointer, ty)) = cast_pointer(node) {
            return self.access(node, pointer, ty);
        }
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
            ("rotate_right", Value::Word(word), [Value::Number(places)]) if !word.signed => {
                let places = places.known().and_then(|places| usize::try_from(places).ok());
                let Some(places) = places else { return unsupported(node) };
                let bytes = rotate_right(self.domain, &word.bytes, places);
                Ok(Value::Word(Word { bytes: bytes.into(), ..word }))
            }
            ("to_le_bytes", Value::Word(word), []) => {
                let byte = |byte: &D::Byte| {
                    Value::Word(Word { bytes: [byte.clone()].into(), signed: false })
                };
                Ok(Value::array(word.bytes.iter().map(byte)))
            }
            _ => unsupported(node),
        }
    }

    /// `pointer.cast::<T>().read()` and `.write(value)`, T being made of bytes, so that any address
    /// is aligned.
    fn access(
        &mut self,
        node: &'p ExprMethodCall,
        pointer: &'p Expr,
        ty: &'p syn::Type,
    ) -> Step<Value<D::Byte>, D::Byte> {
        let ty = Type::read(ty).at(ty)?;
        let Some(width) = ty.bytes() else { return unsupported(node) };
        let Value::Pointer(pointer) = self.evaluate(pointer)? else { return unsupported(node) };
        let Pointer { region, address, to_bytes: true } = pointer else { return unsupported(node) };
        self.unmasked().at(node)?;
        let args: Vec<_> =
            node.args.iter().map(|arg| self.evaluate(arg)).collect::<Step<_, _>>()?;
        match (node.method.to_string().as_str(), args.as_slice()) {
            ("read", []) => {
                let bytes = self.memory.load(region, address, width).at(node)?;
                Ok(ty.of_bytes(&mut bytes.into_iter()))
            }
            ("write", [value]) => {
                let value = ty.conform(self.domain, value.clone()).at(node)?;
                let mut bytes = Vec::with_capacity(width);
                value.push_bytes(&mut bytes);
                self.memory.store(region, address, &bytes).at(node)?;
                Ok(Value::Unit)
            }
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

/// Pointer and type of `pointer.cast::<T>()`, the receiver of `node`.
fn cast_pointer(node: &ExprMethodCall) -> Option<(&Expr, &syn::Type)> {
    let Expr::MethodCall(cast) = &*node.receiver else { return None };
    let generics = cast.turbofish.as_ref()?;
    match (generics.args.first()?, generics.args.len(), cast.args.len()) {
        (GenericArgument::Type(ty), 1, 0) if cast.method == "cast" => Some((&cast.receiver, ty)),
        _ => None,
    }
}
