//! What is timed: a row an operation. A mode of operation is one row more here, and one arm in each
//! library that has it.

use serde::Serialize;

/// An operation that a library may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Blocks in place, each for itself.
    EcbEncrypt,
    /// The inverse.
    EcbDecrypt,
    /// One block, through the call that is made for one.
    OneBlock,
    /// Round keys for encryption.
    KeysEncryption,
    /// Round keys for decryption.
    KeysDecryption,
}

/// What a call of an operation works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// Any number of blocks.
    Blocks,
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

/// Every operation.
#[rustfmt::skip]
pub const OPERATIONS: &[Row] = &[
    Row { operation: Operation::EcbEncrypt,     name: "ECB encrypt",             short: "ECB enc", load: Load::Blocks },
    Row { operation: Operation::EcbDecrypt,     name: "ECB decrypt",             short: "ECB dec", load: Load::Blocks },
    Row { operation: Operation::OneBlock,       name: "one block",               short: "block",   load: Load::Block },
    Row { operation: Operation::KeysEncryption, name: "key set-up, encryption",  short: "key enc", load: Load::Key },
    Row { operation: Operation::KeysDecryption, name: "key set-up, decryption",  short: "key dec", load: Load::Key },
];

impl Operation {
    /// Its row.
    #[must_use]
    pub fn row(self) -> &'static Row {
        let mut rows = OPERATIONS.iter();
        rows.find(|row| row.operation == self)
            .expect("every operation has a row; a test sees to it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_one_row() {
        for operation in [
            Operation::EcbEncrypt,
            Operation::EcbDecrypt,
            Operation::OneBlock,
            Operation::KeysEncryption,
            Operation::KeysDecryption,
        ] {
            assert_eq!(OPERATIONS.iter().filter(|row| row.operation == operation).count(), 1);
            assert_eq!(operation.row().operation, operation);
        }
    }
}
