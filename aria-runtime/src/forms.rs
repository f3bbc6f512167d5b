//! Round keys in the shapes that kernels want.
//!
//! A cipher keeps its round keys as the bytes of RFC 5794 and nothing else, so that it stays small.
//! What a kernel wants beyond that is computed for one call, on the stack, and wiped. The shapes
//! are named as in the kernels' table; further ones go here.

use crate::schedule::RoundKeys;
use crate::wiped::Wiped;

/// A shape that has 16 words a round key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `broadcast32`: each byte of a round key as a `u32` of four equal bytes, which a kernel in
    /// the slice layout loads as an embedded or plain broadcast.
    Broadcast32,
    /// `mapped32`: the same of round keys taken back through the rest of their round, for kernels
    /// that add them in the midst of an S-box.
    Mapped32,
}

/// Round keys in one of the shapes.
pub(crate) struct Words<const RK: usize>(Wiped<u32, RK>);

impl<const RK: usize> Words<RK> {
    /// No keys yet.
    pub(crate) fn zero() -> Self {
        Self(Wiped::zero())
    }

    /// Takes the round keys.
    pub(crate) fn fill(&mut self, form: Form, keys: &RoundKeys<RK>) {
        match form {
            Form::Broadcast32 => {
                for (words, bytes) in self.0.iter_mut().zip(keys.as_raw()) {
                    for (word, &byte) in words.iter_mut().zip(bytes) {
                        *word = u32::from(byte) * 0x0101_0101;
                    }
                }
            }
            Form::Mapped32 => aria_kernels::mapped32(keys.as_raw(), &mut self.0[..]),
        }
    }

    /// The round keys, 16 words each.
    pub(crate) fn as_words(&self) -> &[[u32; 16]; RK] {
        &self.0
    }
}

/// `planes`: the bit planes of each round key, which the portable kernel makes itself.
pub(crate) struct Planes<const RK: usize>(Wiped<u64, RK, 8>);

impl<const RK: usize> Planes<RK> {
    /// No keys yet.
    pub(crate) fn zero() -> Self {
        Self(Wiped::zero())
    }

    /// Takes the round keys, by the kernel's own expansion.
    pub(crate) fn fill(&mut self, keys: &RoundKeys<RK>, expand: fn(&[[u8; 16]], &mut [[u64; 8]])) {
        expand(keys.as_raw(), &mut self.0[..]);
    }

    /// The round keys, 8 words each.
    pub(crate) fn as_words(&self) -> &[[u64; 8]; RK] {
        &self.0
    }
}

/// The forms of one set of round keys that the kernels of a plan want; the others are not made.
pub(crate) struct Forms<const RK: usize> {
    /// For slice kernels, in the form that those of the plan share.
    pub(crate) words: Option<Words<RK>>,
    /// For the portable kernel.
    pub(crate) planes: Option<Planes<RK>>,
}
