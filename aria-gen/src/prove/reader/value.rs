//! Values of the execution, and the types that literals take from their surroundings.

use core::fmt::{self, Display, Formatter};
use std::rc::Rc;

use syn::spanned::Spanned;

use super::super::domain::Domain;
use super::super::fault::Cause;
use super::super::memory::{Linear, Region};
use super::part::Part;

/// A value.
#[derive(Clone, Debug)]
pub enum Value<B> {
    /// `()`.
    Unit,
    /// A `usize`, or a literal that has no type yet.
    Number(Linear),
    /// The number of batches where it is unknown.
    Batches,
    /// The number of blocks of a part of a batch where it is unknown, or what is made of it.
    Part(Part),
    /// `start..end`, or up to the unknown number of batches.
    Range(Linear, Option<Linear>),
    /// An integer of fixed size.
    Word(Word<B>),
    /// The unknown counter of the batch, so much further on.
    Counter(u64),
    /// A vector register, the least significant byte first.
    Vector(Rc<[B]>),
    /// An array, a slice, or a reference to one.
    Array(Rc<[Value<B>]>),
    /// A pointer into memory.
    Pointer(Pointer),
    /// `slice.iter()`: the slice and how many items were taken.
    Iterator(Rc<[Value<B>]>, usize),
    /// `Some` or `None`.
    Option(Option<Rc<Value<B>>>),
}

/// An integer of fixed size.
#[derive(Clone, Debug)]
pub struct Word<B> {
    /// The least significant byte first.
    pub bytes: Rc<[B]>,
    /// Whether the type is a signed one; the bytes are the same.
    pub signed: bool,
}

/// A pointer into memory.
#[derive(Clone, Copy, Debug)]
pub struct Pointer {
    pub(super) region: Region,
    pub(super) address: Linear,
    /// Whether it points to `u8`; after `cast()` it points to whatever rustc infers.
    pub(super) to_bytes: bool,
}

impl<B> Value<B> {
    /// A number that is the same in every batch.
    #[must_use]
    pub fn number(value: u64) -> Self {
        Self::Number(Linear::constant(value))
    }

    /// An array of `values`.
    #[must_use]
    pub fn array(values: impl IntoIterator<Item = Self>) -> Self {
        Self::Array(values.into_iter().collect())
    }

    /// Appends the bytes of an array of bytes, or of such arrays.
    pub(super) fn push_bytes(&self, bytes: &mut Vec<B>)
    where
        B: Clone,
    {
        match self {
            Self::Word(word) => bytes.extend(word.bytes.iter().cloned()),
            Self::Array(items) => items.iter().for_each(|item| item.push_bytes(bytes)),
            _ => {}
        }
    }

    /// What it is, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Unit => "nothing",
            Self::Number(_) => "a number",
            Self::Batches => "the number of batches",
            Self::Part(part) => part.kind(),
            Self::Range(..) => "a range",
            Self::Word(_) => "an integer of fixed size",
            Self::Counter(_) => "a counter",
            Self::Vector(_) => "a vector",
            Self::Array(_) => "an array",
            Self::Pointer(_) => "a pointer",
            Self::Iterator(..) => "an iterator",
            Self::Option(_) => "an option",
        }
    }

    /// Whether it is an unknown counter.
    pub(super) fn is_counter(&self) -> bool {
        matches!(self, Self::Counter(_))
    }

    /// Whether it is or holds an unknown counter.
    pub(super) fn holds_counter(&self) -> bool {
        match self {
            Self::Counter(_) => true,
            Self::Array(items) | Self::Iterator(items, _) => items.iter().any(Self::holds_counter),
            Self::Option(Some(value)) => value.holds_counter(),
            _ => false,
        }
    }

    pub(super) fn mismatch(&self, expected: impl Into<String>) -> Cause {
        Cause::Type { expected: expected.into(), found: self.kind() }
    }
}

/// A type of the language that the reader knows. References are as what they refer to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Usize,
    Word { bytes: usize, signed: bool },
    Vector(usize),
    Array(Box<Type>, Option<usize>),
    Pointer(Region),
}

impl Type {
    /// The type that `name` means.
    pub(super) fn named(name: &str) -> Option<Self> {
        let word = |bytes, signed| Some(Self::Word { bytes, signed });
        match name {
            "usize" => Some(Self::Usize),
            "u8" => word(1, false),
            "u32" => word(4, false),
            "i32" => word(4, true),
            "u64" => word(8, false),
            "i64" => word(8, true),
            "u128" => word(16, false),
            "__m128i" => Some(Self::Vector(16)),
            "__m256i" => Some(Self::Vector(32)),
            "__m512i" => Some(Self::Vector(64)),
            _ => None,
        }
    }

    /// Reads a type.
    pub(super) fn read(ty: &syn::Type) -> Result<Self, Cause> {
        let unknown = || {
            let text = ty.span().source_text().unwrap_or_default();
            Cause::Unsupported(format!("the type `{text}`"))
        };
        match ty {
            syn::Type::Path(node) => {
                let name = node.path.get_ident().map(ToString::to_string);
                name.and_then(|name| Self::named(&name)).ok_or_else(unknown)
            }
            syn::Type::Reference(node) if node.mutability.is_none() => Self::read(&node.elem),
            syn::Type::Slice(node) => Ok(Self::Array(Box::new(Self::read(&node.elem)?), None)),
            syn::Type::Array(node) => {
                let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(length), .. }) = &node.len
                else {
                    return Err(unknown());
                };
                let length = length.base10_parse().map_err(|_| unknown())?;
                Ok(Self::Array(Box::new(Self::read(&node.elem)?), Some(length)))
            }
            syn::Type::Ptr(node) => match (Self::read(&node.elem)?, &node.mutability) {
                (Self::Word { bytes: 1, .. }, syn::PointerMutability::Const(_)) => {
                    Ok(Self::Pointer(Region::Input))
                }
                (Self::Word { bytes: 1, .. }, syn::PointerMutability::Mut(_)) => {
                    Ok(Self::Pointer(Region::Output))
                }
                _ => Err(unknown()),
            },
            _ => Err(unknown()),
        }
    }

    /// How many bytes it has, if it is an array of bytes, or of such arrays.
    pub(super) fn bytes(&self) -> Option<usize> {
        match self {
            Self::Word { bytes: 1, signed: false } => Some(1),
            Self::Array(item, Some(length)) => item.bytes()?.checked_mul(*length),
            _ => None,
        }
    }

    /// The value of this type, which is made of [bytes](Self::bytes), with the next ones.
    pub(super) fn of_bytes<B: Clone>(&self, bytes: &mut impl Iterator<Item = B>) -> Value<B> {
        match self {
            Self::Array(item, Some(length)) => {
                let items: Vec<Value<B>> = (0..*length).map(|_| item.of_bytes(bytes)).collect();
                Value::array(items)
            }
            _ => Value::Word(Word { bytes: bytes.take(1).collect(), signed: false }),
        }
    }

    /// `value` as this type: literals take it, other values must have it.
    pub(super) fn conform<D: Domain>(
        &self,
        domain: &D,
        value: Value<D::Byte>,
    ) -> Result<Value<D::Byte>, Cause> {
        match (self, value) {
            (Self::Usize, value @ (Value::Number(_) | Value::Batches)) => Ok(value),
            (Self::Usize, value @ Value::Part(Part::Count)) => Ok(value),
            (Self::Word { bytes: 16, signed: false }, value @ Value::Part(Part::Bits(_))) => {
                Ok(value)
            }
            (Self::Word { bytes, signed }, Value::Number(number)) => {
                let bits = 8 * bytes - usize::from(*signed);
                let fits = |value: &u64| bits >= 64 || value >> bits == 0;
                let varies = || Cause::Induction("uses its index as a value".to_owned());
                let too_large = || Cause::Panic("the number is too large".to_owned());
                let value = number.known().ok_or_else(varies)?;
                let value = Some(value).filter(fits).ok_or_else(too_large)?;
                let bytes = u128::from(value).to_le_bytes().into_iter().take(*bytes);
                let bytes = bytes.map(|byte| domain.constant(byte)).collect();
                Ok(Value::Word(Word { bytes, signed: *signed }))
            }
            (Self::Word { bytes, signed }, Value::Word(word))
                if word.bytes.len() == *bytes && word.signed == *signed =>
            {
                Ok(Value::Word(word))
            }
            (Self::Word { bytes: 16, signed: false }, value @ Value::Counter(_)) => Ok(value),
            (Self::Vector(width), Value::Vector(bytes)) if bytes.len() == *width => {
                Ok(Value::Vector(bytes))
            }
            (Self::Array(item, length), Value::Array(items))
                if length.is_none_or(|length| length == items.len()) =>
            {
                let items = items.iter().map(|value| item.conform(domain, value.clone()));
                Ok(Value::Array(items.collect::<Result<_, _>>()?))
            }
            (Self::Pointer(region), Value::Pointer(pointer)) if pointer.region == *region => {
                Ok(Value::Pointer(pointer))
            }
            (_, value) => Err(value.mismatch(self.to_string())),
        }
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usize => f.write_str("a `usize`"),
            Self::Word { bytes, signed } => {
                write!(f, "an `{}{}`", if *signed { 'i' } else { 'u' }, 8 * bytes)
            }
            Self::Vector(width) => write!(f, "a vector of {width} bytes"),
            Self::Array(_, Some(length)) => write!(f, "an array of {length} items"),
            Self::Array(_, None) => f.write_str("a slice"),
            Self::Pointer(Region::Input) => f.write_str("a `*const u8`"),
            Self::Pointer(Region::Output) => f.write_str("a `*mut u8`"),
        }
    }
}
