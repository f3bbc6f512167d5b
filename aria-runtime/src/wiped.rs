//! Rows of numbers, sixteen each unless stated otherwise, that are overwritten with zeros when dropped.
//!
//! Round keys in every form, and the buffer of padded batches, are such rows, so wiping is done in
//! this one place. `zeroize` does it; given a slice it stores whole vectors, given nested arrays it
//! would store byte by byte.

use core::ops::{Deref, DerefMut};

use zeroize::{DefaultIsZeroes, Zeroize};

/// `N` rows of `W` numbers, all zero at first; wiped when dropped.
#[derive(Clone)]
pub(crate) struct Wiped<T: DefaultIsZeroes, const N: usize, const W: usize = 16>([[T; W]; N]);

impl<T: DefaultIsZeroes, const N: usize, const W: usize> Wiped<T, N, W> {
    /// All zero. To be filled in place, since moving it would leave a copy behind.
    pub(crate) fn zero() -> Self {
        Self([[T::default(); W]; N])
    }
}

impl<T: DefaultIsZeroes, const N: usize, const W: usize> Deref for Wiped<T, N, W> {
    type Target = [[T; W]; N];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T: DefaultIsZeroes, const N: usize, const W: usize> DerefMut for Wiped<T, N, W> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<T: DefaultIsZeroes, const N: usize, const W: usize> Drop for Wiped<T, N, W> {
    fn drop(&mut self) {
        self.0.as_flattened_mut().zeroize();
    }
}
