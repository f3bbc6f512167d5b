//! Round keys in the shapes that kernels want.
//!
//! A cipher keeps its round keys as the bytes of RFC 5794 and nothing else, so that it stays small.
//! What a kernel wants beyond that is computed for one call, on the stack, and wiped. The shapes
//! are named as in the kernels' table; further ones go here.

use core::cell::RefCell;

use crate::schedule::RoundKeys;
use crate::wiped::Wiped;

/// A shape of round keys, in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `raw`: as RFC 5794 writes them, which is how a cipher keeps them.
    Raw,
    /// One that is made for a call.
    Words(Shape),
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
    raw: &'a RoundKeys<RK>,
    /// Made when a kernel first asks. A call of few blocks, served by kernels that take raw round
    /// keys, neither makes nor wipes it.
    words: RefCell<Option<Words<RK>>>,
}

struct Words<const RK: usize> {
    shape: Shape,
    keys: Wiped<u32, RK>,
}

impl<'a, const RK: usize> Keys<'a, RK> {
    /// Those of a cipher.
    pub(crate) const fn new(raw: &'a RoundKeys<RK>) -> Self {
        Self { raw, words: RefCell::new(None) }
    }

    /// As RFC 5794 writes them.
    pub(crate) fn raw(&self) -> &[[u8; 16]; RK] {
        self.raw.as_raw()
    }

    /// Calls `work` with the round keys in `shape`. Must not be called from within `work`.
    pub(crate) fn with_words(&self, shape: Shape, work: impl FnOnce(&[[u32; 16]; RK])) {
        let mut slot = self.words.borrow_mut();
        // What moves into the slot is zero; keys are written to where they stay.
        let words = match &mut *slot {
            Some(words) if words.shape == shape => words,
            slot => {
                let words = slot.insert(Words { shape, keys: Wiped::zero() });
                fill(&mut words.keys, shape, self.raw.as_raw());
                words
            }
        };
        work(&words.keys);
    }
}

fn fill<const RK: usize>(words: &mut [[u32; 16]; RK], shape: Shape, raw: &[[u8; 16]; RK]) {
    match shape {
        Shape::Broadcast32 => {
            for (words, bytes) in words.iter_mut().zip(raw) {
                for (word, &byte) in words.iter_mut().zip(bytes) {
                    *word = u32::from(byte) * 0x0101_0101;
                }
            }
        }
        Shape::Mapped32 => aria_kernels::mapped32(raw, words),
    }
}
