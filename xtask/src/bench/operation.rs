//! What is timed: a row an operation. A mode of operation is one row more here, and one arm in each
//! library that has it.

use serde::Serialize;

/// Defines the operations: for each its name in code, what a call does, as tables name it, as
/// bench-slope's users know it, and what a call works on.
macro_rules! operations {
    ($($(#[$doc:meta])* $operation:ident, $name:literal, $short:literal, $load:ident;)+) => {
        /// An operation that a library may have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Operation { $($(#[$doc])* $operation,)+ }

        /// Every operation.
        pub const OPERATIONS: &[Row] = &[$(
            Row {
                operation: Operation::$operation,
                name: $name,
                short: $short,
                load: Load::$load,
            },
        )+];
    };
}

operations! {
    /// Blocks in place, each for itself.
    EcbEncrypt,     "ECB encrypt",            "ECB enc", Blocks;
    /// The inverse.
    EcbDecrypt,     "ECB decrypt",            "ECB dec", Blocks;
    /// A message in counter mode, from a counter of 128 bits on; both directions are the same.
    Ctr,            "CTR",                    "CTR enc", Blocks;
    /// A message from its IV on: one stream, whose blocks wait for each other.
    CbcEncrypt,     "CBC encrypt",            "CBC enc", Blocks;
    /// The inverse, whose blocks do not.
    CbcDecrypt,     "CBC decrypt",            "CBC dec", Blocks;
    /// A message from its IV on, in CFB-128: one stream, whose blocks wait for each other.
    CfbEncrypt,     "CFB encrypt",            "CFB enc", Blocks;
    /// The inverse, whose blocks do not.
    CfbDecrypt,     "CFB decrypt",            "CFB dec", Blocks;
    /// A message from its IV on; both directions are the same, and blocks wait for each other.
    Ofb,            "OFB",                    "OFB enc", Blocks;
    /// A unit, its tweak included, under two keys.
    XtsEncrypt,     "XTS encrypt",            "XTS enc", Unit;
    /// The inverse.
    XtsDecrypt,     "XTS decrypt",            "XTS dec", Unit;
    /// The tag of a message, which takes the place of its first block.
    Cmac,           "CMAC",                   "CMAC",    Blocks;
    /// One block, through the call that is made for one.
    OneBlock,       "one block",              "block",   Block;
    /// Round keys for both directions.
    KeysBoth,       "key set-up, both",       "key",     Key;
    /// Round keys for encryption.
    KeysEncryption, "key set-up, encryption", "key enc", Key;
    /// Round keys for decryption.
    KeysDecryption, "key set-up, decryption", "key dec", Key;
}

/// The operations whose cost is shown for every number of blocks: those whose kernels have batches.
pub const SWEPT: &[Operation] = &[Operation::EcbEncrypt, Operation::Ctr];

/// What a call of an operation works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// Any number of blocks.
    Blocks,
    /// A unit of XTS: so many blocks as IEEE 1619 allows, under keys of the lengths that it has.
    Unit,
    /// One block.
    Block,
    /// A key; no data.
    Key,
}

/// The facts of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Which.
    pub operation: Operation,
    /// As tables name it.
    pub name: &'static str,
    /// As bench-slope's users know it.
    pub short: &'static str,
    /// What a call works on.
    pub load: Load,
}

impl Operation {
    /// Its row.
    #[must_use]
    pub fn row(self) -> &'static Row {
        let mut rows = OPERATIONS.iter();
        rows.find(|row| row.operation == self).expect("the macro writes a row for each")
    }
}

/// The largest unit of XTS (IEEE 1619, section 5.1).
const MOST_BLOCKS_OF_A_UNIT: usize = 1 << 20;

impl Load {
    /// Whether a call is given data of any length, so that its cost is one of bytes.
    #[must_use]
    pub const fn is_data(self) -> bool {
        matches!(self, Self::Blocks | Self::Unit)
    }

    /// Whether a call can be given so many blocks.
    #[must_use]
    pub const fn takes_blocks(self, blocks: usize) -> bool {
        match self {
            Self::Unit => blocks <= MOST_BLOCKS_OF_A_UNIT,
            Self::Blocks | Self::Block | Self::Key => true,
        }
    }

    /// Whether there is such an operation under keys of so many bits. XTS (IEEE 1619, section 5.1)
    /// has no keys of 192 bits.
    #[must_use]
    pub const fn takes_key_bits(self, bits: usize) -> bool {
        match self {
            Self::Unit => bits != 192,
            Self::Blocks | Self::Block | Self::Key => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_its_own_row_and_names() {
        for row in OPERATIONS {
            assert_eq!(row.operation.row().name, row.name);
            let alike = |other: &&Row| other.name == row.name || other.short == row.short;
            assert_eq!(OPERATIONS.iter().filter(alike).count(), 1, "{row:?}");
        }
    }

    #[test]
    fn units_of_xts_have_limits() {
        for row in OPERATIONS {
            let unit = [Operation::XtsEncrypt, Operation::XtsDecrypt].contains(&row.operation);
            assert_eq!(row.load.takes_blocks(1 << 20 | 1), !unit, "{row:?}");
            assert_eq!(row.load.takes_key_bits(192), !unit, "{row:?}");
            assert!(row.load.takes_blocks(1 << 20) && row.load.takes_key_bits(128));
        }
    }
}
