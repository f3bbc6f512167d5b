//! Round keys in the shapes that kernels want.
//!
//! A cipher keeps its round keys as the bytes of RFC 5794, or with their bits in another order, and
//! nothing else, so that it stays small. What a kernel wants beyond that is computed for one call, on
//! the stack, and wiped. The shapes are named as in the kernels' table; further ones go here.

use core::cell::RefCell;

use aria_kernels::Entry;

use crate::schedule::RoundKeys;
use crate::wiped::Wiped;

/// How a cipher keeps its round keys. Its plan has only kernels that can do with that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// As RFC 5794 writes them.
    Raw,
    /// In the form `planes` of the portable kernels: to put the bits of a round key in order takes half
    /// as long as a block.
    Planes,
}

impl Kept {
    /// The form of kernels that take round keys as they are kept.
    pub(crate) const fn form(self) -> Form {
        match self {
            Self::Raw => Form::Raw,
            Self::Planes => Form::Planes,
        }
    }

    /// Brings raw round keys into this form.
    pub(crate) fn make<const RK: usize>(self, keys: &mut RoundKeys<RK>) {
        if self == Self::Planes {
            each(keys, aria_kernels::odd_planes, aria_kernels::even_planes);
        }
    }

    /// Brings them back.
    pub(crate) fn undo<const RK: usize>(self, keys: &mut RoundKeys<RK>) {
        if self == Self::Planes {
            each(keys, aria_kernels::from_odd_planes, aria_kernels::from_even_planes);
        }
    }
}

/// A function on the round keys that are added before odd rounds, another on the others. They are
/// counted from 0, and no round follows the last.
fn each<const RK: usize>(
    keys: &mut RoundKeys<RK>,
    odd: fn([u8; 16]) -> [u8; 16],
    even: fn([u8; 16]) -> [u8; 16],
) {
    for (number, key) in keys.as_mut().iter_mut().enumerate() {
        let before_odd = number % 2 == 0 && number + 1 < RK;
        *key = if before_odd { odd(*key) } else { even(*key) };
    }
}

/// A shape of round keys, in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `raw`: as RFC 5794 writes them, which is how a cipher keeps them.
    Raw,
    /// `planes`: as a cipher keeps them under [`Kept::Planes`].
    Planes,
    /// One that is made of raw round keys for a call.
    Words(Shape),
    /// `spread_planes`: planes repeated for four blocks, made of the form `planes` for a call.
    SpreadPlanes,
}

impl Form {
    /// The form of round keys that a kernel's entry takes; `None` for a key schedule, which takes none, and for kernels
    /// that run by no plan.
    pub(crate) const fn of(entry: Entry) -> Option<Self> {
        match entry {
            Entry::EcbRaw(_) => Some(Self::Raw),
            Entry::EcbBroadcast32(_)
            | Entry::CtrBroadcast32(_)
            | Entry::CbcDecBroadcast32(_)
            | Entry::CfbDecBroadcast32(_) => Some(Self::Words(Shape::Broadcast32)),
            Entry::EcbMapped32(_)
            | Entry::CtrMapped32(_)
            | Entry::CbcDecMapped32(_)
            | Entry::CfbDecMapped32(_) => Some(Self::Words(Shape::Mapped32)),
            Entry::EcbPlanes(_) => Some(Self::Planes),
            Entry::EcbSpreadPlanes(_) => Some(Self::SpreadPlanes),
            _ => None,
        }
    }

    /// Whether it is made for a call: ciphers keep round keys in no such form.
    pub(crate) fn is_made(self) -> bool {
        self != self.kept().form()
    }

    /// What it is made of.
    pub(crate) const fn kept(self) -> Kept {
        match self {
            Self::Raw | Self::Words(_) => Kept::Raw,
            Self::Planes | Self::SpreadPlanes => Kept::Planes,
        }
    }
}

/// A shape that has 16 words a round key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `broadcast32`: each byte of a round key as a `u32` of four equal bytes, which a kernel in
    /// the slice layout loads as an embedded or plain broadcast.
    Broadcast32,
    /// `mapped32`: the same of round keys taken back through the rest of their round, for kernels
    /// that add them in the midst of an S-box.
    Mapped32,
}

/// The round keys of one direction for the length of a call, in the shapes that its kernels ask for.
pub(crate) struct Keys<'a, const RK: usize> {
    kept: &'a RoundKeys<RK>,
    /// Made when a kernel first asks. A call of few blocks, served by kernels that take raw round
    /// keys, neither makes nor wipes it.
    words: RefCell<Option<Words<RK>>>,
    /// The same of the form `spread_planes`.
    spread: RefCell<Option<Wiped<u64, RK, 8>>>,
}

struct Words<const RK: usize> {
    shape: Shape,
    keys: Wiped<u32, RK>,
}

impl<'a, const RK: usize> Keys<'a, RK> {
    /// Those of a cipher.
    pub(crate) const fn new(kept: &'a RoundKeys<RK>) -> Self {
        Self { kept, words: RefCell::new(None), spread: RefCell::new(None) }
    }

    /// As the cipher keeps them.
    pub(crate) fn kept(&self) -> &[[u8; 16]; RK] {
        self.kept.as_bytes()
    }

    /// Calls `work` with the form `spread_planes` of round keys kept as planes. Must not be called from
    /// within `work`.
    pub(crate) fn with_spread_planes(&self, work: impl FnOnce(&[[u64; 8]; RK])) {
        let mut slot = self.spread.borrow_mut();
        // What moves into the slot is zero; keys are written to where they stay.
        let spread = match &mut *slot {
            Some(spread) => spread,
            slot => {
                let spread = slot.insert(Wiped::zero());
                for (words, planes) in spread.iter_mut().zip(self.kept.as_bytes()) {
                    *words = aria_kernels::spread_planes(*planes);
                }
                spread
            }
        };
        work(spread);
    }

    /// Calls `work` with raw round keys brought into `shape`. Must not be called from within `work`.
    pub(crate) fn with_words(&self, shape: Shape, work: impl FnOnce(&[[u32; 16]; RK])) {
        let mut slot = self.words.borrow_mut();
        // What moves into the slot is zero; keys are written to where they stay.
        let words = match &mut *slot {
            Some(words) if words.shape == shape => words,
            slot => {
                let words = slot.insert(Words { shape, keys: Wiped::zero() });
                fill(&mut words.keys, shape, self.kept.as_bytes());
                words
            }
        };
        work(&words.keys);
    }
}

fn fill<const RK: usize>(words: &mut [[u32; 16]; RK], shape: Shape, raw: &[[u8; 16]; RK]) {
    match shape {
        Shape::Broadcast32 => aria_kernels::broadcast32(raw, words),
        Shape::Mapped32 => aria_kernels::mapped32(raw, words),
    }
}
