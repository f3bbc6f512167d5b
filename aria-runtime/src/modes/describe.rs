//! What every mode says of itself: its name, a `Debug` that shows no secret, and that it wipes.

/// Implements `AlgorithmName`, `Debug` and `ZeroizeOnDrop` for a mode with these type parameters,
/// the first of which is the cipher.
macro_rules! describe {
    ($mode:ident[$cipher:ident: $bound:path $(, $other:ident: $other_bound:path)*]; $name:expr) => {
        impl<$cipher: $bound + cipher::AlgorithmName $(, $other: $other_bound)*>
            cipher::AlgorithmName for $mode<$cipher $(, $other)*>
        {
            fn write_alg_name(f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str($name)?;
                f.write_str("<")?;
                $cipher::write_alg_name(f)?;
                f.write_str(">")
            }
        }

        impl<$cipher: $bound + cipher::AlgorithmName $(, $other: $other_bound)*> core::fmt::Debug
            for $mode<$cipher $(, $other)*>
        {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                <Self as cipher::AlgorithmName>::write_alg_name(f)?;
                f.write_str(" { ... }")
            }
        }

        impl<$cipher: $bound + zeroize::ZeroizeOnDrop $(, $other: $other_bound)*>
            zeroize::ZeroizeOnDrop for $mode<$cipher $(, $other)*>
        {
        }
    };
}

pub(crate) use describe;
