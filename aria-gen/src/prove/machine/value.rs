//! What a general register may hold: public numbers, data, halves of a counter.
//!
//! A public number is a sum of symbols, each an unknown number of 64 bits times a known one, modulo
//! 2⁶⁴: where a region of memory lies, how many batches there are, which batch it is. Data are bytes of
//! the domain. Only public numbers make addresses; so no address depends on data.

use std::rc::Rc;

use iced_x86::Register;

/// An unknown number that does not depend on key or blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Symbol {
    /// Where the round keys lie.
    Keys,
    /// Where the input lies.
    Input,
    /// Where the output lies.
    Output,
    /// The stack pointer on entry.
    Stack,
    /// Where the image lies.
    Image,
    /// The index of the batch.
    Batch,
    /// The number of batches.
    Batches,
    /// What a register held on entry.
    Saved(Register),
}

/// A public number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Public {
    constant: u64,
    /// By symbol; no factor is zero.
    terms: Vec<(Symbol, u64)>,
}

impl Public {
    pub(super) fn constant(constant: u64) -> Self {
        Self { constant, terms: Vec::new() }
    }

    pub(super) fn symbol(symbol: Symbol) -> Self {
        Self { constant: 0, terms: vec![(symbol, 1)] }
    }

    /// The number, if it has no symbol.
    pub(super) fn known(&self) -> Option<u64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// What is left without the symbols.
    pub(super) fn constant_part(&self) -> u64 {
        self.constant
    }

    /// The factor of a symbol.
    pub(super) fn factor(&self, symbol: Symbol) -> u64 {
        self.terms.iter().find(|(own, _)| *own == symbol).map_or(0, |(_, factor)| *factor)
    }

    /// The symbols with their factors.
    pub(super) fn terms(&self) -> &[(Symbol, u64)] {
        &self.terms
    }

    pub(super) fn add(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.constant = sum.constant.wrapping_add(other.constant);
        for (symbol, factor) in &other.terms {
            match sum.terms.binary_search_by(|(own, _)| own.cmp(symbol)) {
                Ok(place) => sum.terms[place].1 = sum.terms[place].1.wrapping_add(*factor),
                Err(place) => sum.terms.insert(place, (*symbol, *factor)),
            }
        }
        sum.terms.retain(|(_, factor)| *factor != 0);
        sum
    }

    pub(super) fn times(&self, by: u64) -> Self {
        let terms = self.terms.iter().map(|(symbol, factor)| (*symbol, factor.wrapping_mul(by)));
        let constant = self.constant.wrapping_mul(by);
        Self { constant, terms: terms.filter(|(_, factor)| *factor != 0).collect() }
    }

    pub(super) fn subtract(&self, other: &Self) -> Self {
        self.add(&other.times(u64::MAX))
    }

    /// The number where `symbol` is `value`.
    pub(super) fn substitute(&self, symbol: Symbol, value: &Self) -> Self {
        let factor = self.factor(symbol);
        let mut rest = self.clone();
        rest.terms.retain(|(own, _)| *own != symbol);
        rest.add(&value.times(factor))
    }
}

/// Which eight bytes of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    /// The less significant ones.
    Low,
    /// The more significant ones.
    High,
}

/// What 64 bits hold.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar<B> {
    /// A public number. A number that is known is always this.
    Public(Public),
    /// Eight bytes, the least significant first, not all of them known.
    Data(Rc<[B]>),
    /// Half of the counter of the batch, so much further on, modulo 2¹²⁸.
    Counter(Half, u64),
}

impl<B> Scalar<B> {
    pub(super) fn constant(value: u64) -> Self {
        Self::Public(Public::constant(value))
    }

    pub(super) fn symbol(symbol: Symbol) -> Self {
        Self::Public(Public::symbol(symbol))
    }

    /// The number, if it is known.
    pub(super) fn known(&self) -> Option<u64> {
        match self {
            Self::Public(public) => public.known(),
            Self::Data(_) | Self::Counter(..) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_numbers_are_numbers_modulo_two_to_the_64() {
        let (b, n) = (Public::symbol(Symbol::Batch), Public::symbol(Symbol::Batches));
        let next = b.add(&Public::constant(1));
        let left = n.subtract(&next);
        assert_eq!(left.factor(Symbol::Batches), 1);
        assert_eq!(left.factor(Symbol::Batch), u64::MAX);
        assert_eq!(left.substitute(Symbol::Batches, &next), Public::default());
        assert_eq!(left.times(1 << 63).times(2).known(), Some(0));
        assert_eq!(
            b.times(3).substitute(Symbol::Batch, &next),
            b.times(3).add(&Public::constant(3))
        );
        assert_eq!(b.subtract(&b).known(), Some(0));
    }
}
