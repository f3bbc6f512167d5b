//! Expressions.

use std::rc::Rc;

use syn::spanned::Spanned;
use syn::{
    BinOp, Expr, ExprBinary, ExprCall, ExprIf, ExprIndex, ExprLit, ExprPath, ExprRange, ExprRepeat,
    Lit, LitInt, RangeLimits, UnOp,
};

use super::super::domain::Domain;
use super::super::domain::word::{Fill, shift_left, shift_right};
use super::super::fault::Cause;
use super::super::meaning::table;
use super::Value;
use super::machine::{At, Interrupt, Machine, Step, unsupported};
use super::value::{Type, Word};

impl<'p, D: Domain> Machine<'p, '_, D> {
    /// The value of an expression.
    pub(super) fn evaluate(&mut self, expr: &'p Expr) -> Step<Value<D::Byte>, D::Byte> {
        self.step(expr)?;
        match expr {
            Expr::Array(node) => {
                let items = node.elems.iter().map(|item| self.evaluate(item));
                Ok(Value::Array(items.collect::<Step<_, _>>()?))
            }
            Expr::Assign(node) => {
                let Expr::Path(left) = &*node.left else { return unsupported(node) };
                let Some(name) = left.path.get_ident() else { return unsupported(node) };
                let value = self.evaluate(&node.right)?;
                *self.place(name)? = value;
                Ok(Value::Unit)
            }
            Expr::Binary(node) => self.binary(node),
            Expr::Block(node) if node.label.is_none() => self.block(&node.block),
            Expr::Break(node) if node.label.is_none() && node.expr.is_none() => {
                Err(Interrupt::Break)
            }
            Expr::Call(node) => self.call_expression(node),
            Expr::Cast(node) => self.as_mask(node),
            Expr::ForLoop(node) => self.for_loop(node),
            Expr::Index(node) => self.index(node),
            Expr::If(node) => self.if_known(node),
            Expr::Lit(node) => match &node.lit {
                Lit::Int(literal) => self.literal(literal),
                _ => unsupported(node),
            },
            Expr::MethodCall(node) => self.method(node),
            Expr::Paren(node) => self.evaluate(&node.expr),
            Expr::Path(node) => self.path(node),
            Expr::Range(node) => self.range(node),
            Expr::Reference(node) if node.mutability.is_none() => self.evaluate(&node.expr),
            Expr::Repeat(node) => self.repeat(node),
            Expr::Return(node) => {
                let value = match &node.expr {
                    Some(expr) => self.evaluate(expr)?,
                    None => Value::Unit,
                };
                Err(Interrupt::Return(value))
            }
            // A reference is as what it refers to; a raw pointer is not read through.
            Expr::Unary(node) if matches!(node.op, UnOp::Deref(_)) => {
                match self.evaluate(&node.expr)? {
                    value @ Value::Array(_) => Ok(value),
                    _ => unsupported(node),
                }
            }
            Expr::Unsafe(node) => self.block(&node.block),
            Expr::While(node) => self.while_loop(node),
            _ => unsupported(expr),
        }
    }

    /// An integer, typed if it has a suffix.
    fn literal(&mut self, literal: &LitInt) -> Step<Value<D::Byte>, D::Byte> {
        let number = literal.base10_parse();
        let number = number.map_err(|error| Cause::Syntax(error.to_string())).at(literal)?;
        let number = Value::number(number);
        match (literal.suffix(), Type::named(literal.suffix())) {
            ("", _) => Ok(number),
            (_, Some(ty)) => ty.conform(self.domain, number).at(literal),
            (_, None) => unsupported(literal),
        }
    }

    /// A variable or constant.
    fn path(&mut self, node: &'p ExprPath) -> Step<Value<D::Byte>, D::Byte> {
        let Some(name) = node.path.get_ident() else { return unsupported(node) };
        if let Some(value) = self.variable(name) {
            return Ok(value.clone());
        }
        match self.program.constant(&name.to_string()) {
            Some(item) => self.constant(item),
            None => Err(Cause::Undefined(name.to_string())).at(node),
        }
    }

    /// A call of a function of the file, or of an intrinsic.
    fn call_expression(&mut self, node: &'p ExprCall) -> Step<Value<D::Byte>, D::Byte> {
        let Expr::Path(callee) = &*node.func else { return unsupported(node) };
        if word_of_bytes(&callee.path).is_some() && callee.qself.is_none() {
            let [arg] = &*node.args.iter().collect::<Vec<_>>() else { return unsupported(node) };
            let value = self.evaluate(arg)?;
            return self.word_from_bytes(&callee.path, value, node);
        }
        let [segment] = &*callee.path.segments.iter().collect::<Vec<_>>() else {
            return unsupported(node);
        };
        let name = &segment.ident;
        let is_plain = callee.qself.is_none() && callee.path.leading_colon.is_none();
        if !is_plain || self.variable(name).is_some() {
            return unsupported(node);
        }
        let args: Vec<_> =
            node.args.iter().map(|arg| self.evaluate(arg)).collect::<Step<_, _>>()?;
        let text = name.to_string();
        if self.program.function(&text).is_some() {
            return match segment.arguments {
                syn::PathArguments::None if args.iter().any(Value::is_counter) => {
                    self.by_last_byte(name, &args, node)
                }
                syn::PathArguments::None => self.call(name, args, node),
                _ => unsupported(node),
            };
        }
        if let ([arg], true) = (args.as_slice(), self.program.is_black_box(&text)) {
            return Ok(arg.clone());
        }
        if !self.program.imports_intrinsic(&text) {
            return Err(Cause::Undefined(text)).at(node);
        }
        match table::find(&text) {
            Some(row) => self.intrinsic(row, &segment.arguments, &args, node),
            None => Err(Cause::UnknownIntrinsic(text)).at(node),
        }
    }

    /// The function of `core` that `path` names, of an array of bytes.
    pub(super) fn word_from_bytes(
        &mut self,
        path: &syn::Path,
        value: Value<D::Byte>,
        node: &'p impl Spanned,
    ) -> Step<Value<D::Byte>, D::Byte> {
        let Some((length, signed)) = word_of_bytes(path) else { return unsupported(node) };
        let byte = Type::Word { bytes: 1, signed: false };
        let ty = Type::Array(Box::new(byte), Some(length));
        let Value::Array(items) = ty.conform(self.domain, value).at(node)? else {
            return unsupported(node);
        };
        let bytes = items.iter().flat_map(|item| match item {
            Value::Word(word) => word.bytes.to_vec(),
            _ => Vec::new(),
        });
        Ok(Value::Word(Word { bytes: bytes.collect(), signed }))
    }

    /// `[value; number]`
    fn repeat(&mut self, node: &'p ExprRepeat) -> Step<Value<D::Byte>, D::Byte> {
        let value = self.evaluate(&node.expr)?;
        let Expr::Lit(ExprLit { lit: Lit::Int(count), .. }) = &*node.len else {
            return unsupported(node);
        };
        let count: usize =
            count.base10_parse().map_err(|error| Cause::Syntax(error.to_string())).at(node)?;
        if count > 256 {
            return unsupported(node);
        }
        Ok(Value::array((0..count).map(|_| value.clone())))
    }

    /// `if value <= number { … } else { … }`, where the value is the same for every input and key.
    fn if_known(&mut self, node: &'p ExprIf) -> Step<Value<D::Byte>, D::Byte> {
        let (Expr::Binary(condition), Some((_, otherwise))) = (&*node.cond, &node.else_branch)
        else {
            return unsupported(node);
        };
        let (Value::Word(value), Value::Number(most), BinOp::Le(_)) =
            (self.evaluate(&condition.left)?, self.evaluate(&condition.right)?, &condition.op)
        else {
            return unsupported(node);
        };
        // A byte is enough for counters; a longer or signed word would want more rules.
        let ([byte], false) = (&*value.bytes, value.signed) else { return unsupported(node) };
        let (Some(value), Some(most)) = (self.domain.known(byte), most.known()) else {
            return unsupported(node);
        };
        // The literal takes the type of the value, and rustc refuses it if it does not fit.
        if u64::from(value) <= most {
            self.block(&node.then_branch)
        } else {
            self.evaluate(otherwise)
        }
    }

    /// `array[number]`
    fn index(&mut self, node: &'p ExprIndex) -> Step<Value<D::Byte>, D::Byte> {
        let items = match self.evaluate(&node.expr)? {
            Value::Array(items) => items,
            other => return Err(other.mismatch("an array")).at(node),
        };
        let index = match self.evaluate(&node.index)? {
            Value::Number(number) => number,
            other => return Err(other.mismatch("a number")).at(node),
        };
        let Some(index) = index.known() else { return unsupported(node) };
        let found = usize::try_from(index).ok().and_then(|i| items.get(i));
        let beyond = || Cause::Panic(format!("index {index} of {} items", items.len()));
        found.cloned().ok_or_else(beyond).at(node)
    }

    /// Sums and products of numbers, at most one factor of which depends on the batch; operations on
    /// words.
    fn binary(&mut self, node: &'p ExprBinary) -> Step<Value<D::Byte>, D::Byte> {
        let (left, right) = (self.evaluate(&node.left)?, self.evaluate(&node.right)?);
        if let Some(part) = self.of_part(&node.op, &left, &right).at(node)? {
            return Ok(part);
        }
        let (left, right) = match (left, right) {
            (Value::Number(left), Value::Number(right)) => (left, right),
            (Value::Word(word), other) | (other, Value::Word(word))
                if !matches!(other, Value::Number(_)) || !is_shift(&node.op) =>
            {
                let Word { signed, .. } = word;
                let ty = Type::Word { bytes: word.bytes.len(), signed };
                let Value::Word(other) = ty.conform(self.domain, other).at(node)? else {
                    return unsupported(node);
                };
                let bytes = self.bitwise(&node.op, &word.bytes, &other.bytes, node)?;
                return Ok(Value::Word(Word { bytes, signed }));
            }
            (Value::Word(word), Value::Number(places)) if !word.signed => {
                let bits = 8 * word.bytes.len();
                let places = places.known().and_then(|places| usize::try_from(places).ok());
                let Some(places) = places else { return unsupported(node) };
                if places >= bits {
                    return Err(Cause::Panic(format!("a shift of {bits} bits by {places}")))
                        .at(node);
                }
                let bytes = match node.op {
                    BinOp::Shl(_) => shift_left(self.domain, &word.bytes, places),
                    BinOp::Shr(_) => shift_right(self.domain, &word.bytes, places, Fill::Zero),
                    _ => return unsupported(node),
                };
                return Ok(Value::Word(Word { bytes: bytes.into(), signed: false }));
            }
            (Value::Number(_), other) | (other, _) => {
                return Err(other.mismatch("a number")).at(node);
            }
        };
        let result = match (&node.op, left.known(), right.known()) {
            (BinOp::Add(_), _, _) => left.add(right),
            (BinOp::Mul(_), Some(factor), _) => right.times(factor),
            (BinOp::Mul(_), _, Some(factor)) => left.times(factor),
            _ => return unsupported(node),
        };
        let overflow = || Cause::Panic("the result does not fit into 64 bits".to_owned());
        result.map(Value::Number).ok_or_else(overflow).at(node)
    }

    /// And, or, exclusive or, byte by byte; a or b is a + b + a·b.
    fn bitwise(
        &mut self,
        op: &BinOp,
        left: &[D::Byte],
        right: &[D::Byte],
        node: &'p ExprBinary,
    ) -> Step<Rc<[D::Byte]>, D::Byte> {
        let domain = &*self.domain;
        let bytes = left.iter().zip(right).map(|(a, b)| match op {
            BinOp::BitXor(_) => Ok(domain.xor(a, b)),
            BinOp::BitAnd(_) => domain.and(a, b).at(node),
            BinOp::BitOr(_) => {
                let product = domain.and(a, b).at(node)?;
                Ok(domain.xor(&domain.xor(a, b), &product))
            }
            _ => unsupported(node),
        });
        bytes.collect()
    }

    /// `start..end`
    fn range(&mut self, node: &'p ExprRange) -> Step<Value<D::Byte>, D::Byte> {
        let (Some(start), Some(end), RangeLimits::HalfOpen(_)) =
            (&node.start, &node.end, &node.limits)
        else {
            return unsupported(node);
        };
        match (self.evaluate(start)?, self.evaluate(end)?) {
            (Value::Number(start), Value::Number(end)) => Ok(Value::Range(start, Some(end))),
            (Value::Number(start), Value::Batches) => Ok(Value::Range(start, None)),
            (Value::Number(_), other) | (other, _) => Err(other.mismatch("a number")).at(node),
        }
    }
}

/// The functions from an array of bytes to an integer, spelled by type and name: how many bytes, and
/// whether the integer is signed. No item can take the name of a type, for the reader refuses types.
/// `from_ne_bytes` is little-endian, as every CPU with these intrinsics is.
fn word_of_bytes(path: &syn::Path) -> Option<(usize, bool)> {
    let words: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    let plain = path.segments.iter().all(|s| s.arguments.is_none());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match (words.as_slice(), plain && path.leading_colon.is_none()) {
        (["i64", "from_le_bytes"], true) => Some((8, true)),
        (["u64", "from_le_bytes"], true) => Some((8, false)),
        (["u32", "from_ne_bytes"], true) => Some((4, false)),
        _ => None,
    }
}

const fn is_shift(op: &BinOp) -> bool {
    matches!(op, BinOp::Shl(_) | BinOp::Shr(_))
}
