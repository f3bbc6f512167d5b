//! Conditions, and what is known of the number of batches where they are asked.

use iced_x86::ConditionCode;

use super::fault::Cause;
use super::state::{Fact, Flags};
use super::value::{Public, Symbol};

/// What is known of the number n of batches, and of the index b of the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assumption {
    /// Nothing. There is no batch yet.
    Start,
    /// n > 0. There is no batch yet.
    NotEmpty,
    /// b < n.
    InBatch,
    /// b + 1 < n.
    MoreToCome,
    /// All batches are done: n is 0, or b + 1, and replaced by that.
    Done,
}

/// An answer to a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Known(bool),
    /// True when this was the last batch, or there is none.
    IsLast,
    /// True when another batch follows, or a first one.
    IsNotLast,
    Unknown,
}

impl Answer {
    fn not(self) -> Self {
        match self {
            Self::Known(answer) => Self::Known(!answer),
            Self::IsLast => Self::IsNotLast,
            Self::IsNotLast => Self::IsLast,
            Self::Unknown => Self::Unknown,
        }
    }

    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Known(true), _) | (_, Self::Known(true)) => Self::Known(true),
            (Self::Known(false), answer) | (answer, Self::Known(false)) => answer,
            (a, b) if a == b => a,
            _ => Self::Unknown,
        }
    }

    fn equals(self, other: Self) -> Self {
        match (self, other) {
            (Self::Known(a), Self::Known(b)) => Self::Known(a == b),
            _ => Self::Unknown,
        }
    }
}

impl Assumption {
    /// The number of batches after which this is the last one: b + 1, or none before the loop.
    pub(super) fn last(self) -> Public {
        match self {
            Self::Start | Self::NotEmpty => Public::default(),
            _ => Public::symbol(Symbol::Batch).add(&Public::constant(1)),
        }
    }

    /// What is known once it is known whether this was the last batch.
    pub(super) const fn after(self, last: bool) -> Self {
        match self {
            _ if last => Self::Done,
            Self::Start => Self::NotEmpty,
            _ => Self::MoreToCome,
        }
    }

    /// Whether n - [`last`](Self::last) is zero.
    const fn none_left(self) -> Answer {
        match self {
            Self::Start | Self::InBatch => Answer::IsLast,
            Self::NotEmpty | Self::MoreToCome => Answer::Known(false),
            Self::Done => Answer::Unknown,
        }
    }

    fn is_zero(self, number: &Public) -> Answer {
        if let Some(number) = number.known() {
            return Answer::Known(number == 0);
        }
        let is = |other: &Public| number == other || *number == other.times(u64::MAX);
        let (b, n) = (Public::symbol(Symbol::Batch), Public::symbol(Symbol::Batches));
        if is(&n.subtract(&self.last())) {
            return self.none_left();
        }
        // 0 ≤ b < n ≤ 2⁶⁴ - 1 while a batch is done, so these are not zero.
        let within = matches!(self, Self::InBatch | Self::MoreToCome);
        if within && (is(&n) || is(&n.subtract(&b)) || is(&self.last())) {
            return Answer::Known(false);
        }
        Answer::Unknown
    }

    fn is_below(self, a: &Public, b: &Public) -> Answer {
        if let (Some(a), Some(b)) = (a.known(), b.known()) {
            return Answer::Known(a < b);
        }
        let n = Public::symbol(Symbol::Batches);
        // last ≤ n, so last < n says that some are left, and n < last never holds.
        if *a == self.last() && *b == n {
            return self.none_left().not();
        }
        if *a == n && *b == self.last() && self != Self::Done {
            return Answer::Known(false);
        }
        // n < 1, before the loop.
        if *a == n && b.known() == Some(1) && self.last() == Public::default() {
            return self.none_left();
        }
        let within = matches!(self, Self::InBatch | Self::MoreToCome);
        if within && *a == Public::symbol(Symbol::Batch) && *b == n {
            return Answer::Known(true);
        }
        Answer::Unknown
    }

    fn flag(self, fact: &Fact) -> Answer {
        match fact {
            Fact::Known(answer) => Answer::Known(*answer),
            Fact::IsZero(number) => self.is_zero(number),
            Fact::Below(a, b) => self.is_below(a, b),
            Fact::Unknown | Fact::CounterCarry(..) => Answer::Unknown,
        }
    }

    /// Whether a condition holds.
    ///
    /// # Errors
    ///
    /// When that may depend on what is secret, or the reader does not know the condition.
    pub(super) fn holds(self, condition: ConditionCode, flags: &Flags) -> Result<Answer, Cause> {
        let [carry, zero, sign, overflow] =
            [&flags.carry, &flags.zero, &flags.sign, &flags.overflow].map(|fact| self.flag(fact));
        let answer = match condition {
            ConditionCode::b => carry,
            ConditionCode::ae => carry.not(),
            ConditionCode::e => zero,
            ConditionCode::ne => zero.not(),
            ConditionCode::be => carry.or(zero),
            ConditionCode::a => carry.or(zero).not(),
            ConditionCode::s => sign,
            ConditionCode::ns => sign.not(),
            ConditionCode::o => overflow,
            ConditionCode::no => overflow.not(),
            ConditionCode::l => sign.equals(overflow).not(),
            ConditionCode::ge => sign.equals(overflow),
            ConditionCode::le => zero.or(sign.equals(overflow).not()),
            ConditionCode::g => zero.or(sign.equals(overflow).not()).not(),
            _ => return Err(Cause::Unsupported("this condition")),
        };
        match answer {
            Answer::Unknown => Err(Cause::Secret("this condition")),
            answer => Ok(answer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public(symbol: Symbol, constant: u64) -> Public {
        Public::symbol(symbol).add(&Public::constant(constant))
    }

    #[test]
    fn the_number_of_batches_is_compared_with_those_done() {
        let (n, b) = (public(Symbol::Batches, 0), public(Symbol::Batch, 0));
        let next = public(Symbol::Batch, 1);
        let left = n.subtract(&next);
        assert_eq!(Assumption::Start.is_zero(&n), Answer::IsLast);
        assert_eq!(Assumption::NotEmpty.is_zero(&n), Answer::Known(false));
        for left in [left.clone(), left.times(u64::MAX)] {
            assert_eq!(Assumption::InBatch.is_zero(&left), Answer::IsLast);
            assert_eq!(Assumption::MoreToCome.is_zero(&left), Answer::Known(false));
        }
        assert_eq!(Assumption::InBatch.is_below(&next, &n), Answer::IsNotLast);
        assert_eq!(Assumption::InBatch.is_below(&b, &n), Answer::Known(true));
        // Of n - b - 2 nothing is known, nor of b alone.
        let other = left.subtract(&Public::constant(1));
        assert_eq!(Assumption::InBatch.is_zero(&other), Answer::Unknown);
        assert_eq!(Assumption::MoreToCome.is_zero(&other), Answer::Unknown);
        assert_eq!(Assumption::InBatch.is_zero(&b), Answer::Unknown);
    }
}
