//! The traits of the `cipher` crate, as RustCrypto's `aria` implements them.

use core::fmt;

use cipher::consts::{U16, U24, U32};
use cipher::{
    AlgorithmName, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncClosure,
    BlockCipherEncrypt, BlockSizeUser, KeySizeUser,
};
use zeroize::ZeroizeOnDrop;

use super::{Aria, AriaDec, AriaEnc};
use crate::engine::Engine;

/// What the number of round keys decides: the key's length in bytes, and the name.
macro_rules! sizes {
    ($($cipher:ident < $rk:literal >: $key_size:ty, $name:literal;)*) => {$(
        impl KeySizeUser for $cipher<$rk> {
            type KeySize = $key_size;
        }

        impl AlgorithmName for $cipher<$rk> {
            fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($name)
            }
        }
    )*};
}

#[rustfmt::skip]
sizes! {
    Aria<13>:    U16, "Aria128";
    AriaEnc<13>: U16, "Aria128Enc";
    AriaDec<13>: U16, "Aria128Dec";
    Aria<15>:    U24, "Aria192";
    AriaEnc<15>: U24, "Aria192Enc";
    AriaDec<15>: U24, "Aria192Dec";
    Aria<17>:    U32, "Aria256";
    AriaEnc<17>: U32, "Aria256Enc";
    AriaDec<17>: U32, "Aria256Dec";
}

/// What all types have: a block size, a `Debug` that tells no key, and keys that wipe themselves.
macro_rules! common {
    ($($cipher:ident)*) => {$(
        impl<const RK: usize> BlockSizeUser for $cipher<RK> {
            type BlockSize = U16;
        }

        impl<const RK: usize> fmt::Debug for $cipher<RK>
        where
            Self: AlgorithmName,
        {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                Self::write_alg_name(f)?;
                f.write_str(" { ... }")
            }
        }

        impl<const RK: usize> ZeroizeOnDrop for $cipher<RK> {}
    )*};
}

common!(Aria AriaEnc AriaDec);

macro_rules! encrypt {
    ($($cipher:ident)*) => {$(
        impl<const RK: usize> BlockCipherEncrypt for $cipher<RK> {
            #[inline]
            fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = U16>) {
                Engine::with(&self.ek, self.plans, |engine| f.call(engine));
            }
        }
    )*};
}

macro_rules! decrypt {
    ($($cipher:ident)*) => {$(
        impl<const RK: usize> BlockCipherDecrypt for $cipher<RK> {
            #[inline]
            fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = U16>) {
                Engine::with(&self.dk, self.plans, |engine| f.call(engine));
            }
        }
    )*};
}

encrypt!(Aria AriaEnc);
decrypt!(Aria AriaDec);

#[cfg(test)]
mod tests {
    use crate::{Aria128Dec, Aria256Enc};
    use cipher::KeyInit;

    #[test]
    fn debug_tells_the_name_only() {
        assert_eq!(format!("{:?}", Aria256Enc::new(&[7; 32].into())), "Aria256Enc { ... }");
        assert_eq!(format!("{:?}", Aria128Dec::new(&[7; 16].into())), "Aria128Dec { ... }");
    }
}
