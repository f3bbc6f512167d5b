//! How libgcrypt does each operation: a row each. Calls nothing.

use std::ffi::c_int;

use crate::bench::operation::Operation;

// From gcrypt.h, whose values are fixed by its binary interface.
const CIPHER_MODE_ECB: c_int = 1;
const CIPHER_MODE_CFB: c_int = 2;
const CIPHER_MODE_CBC: c_int = 3;
const CIPHER_MODE_OFB: c_int = 5;
const CIPHER_MODE_CTR: c_int = 6;
pub(super) const CIPHER_MODE_XTS: c_int = 13;

/// Which way a cipher works.
#[derive(Clone, Copy, Debug)]
pub(super) enum Direction {
    Encrypt,
    Decrypt,
}

/// What a call does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Call {
    /// Takes the data.
    Data,
    /// Takes a new IV or tweak, then the data.
    Message,
    /// Takes a new counter, then the data.
    Counter,
    /// Takes the first block.
    Block,
    /// Takes a new key.
    Key,
}

/// How it does an operation.
pub(super) struct Arm {
    pub(super) operation: Operation,
    pub(super) mode: c_int,
    pub(super) direction: Direction,
    pub(super) call: Call,
}

/// The operations that its ciphers have. Round keys for decryption it makes when it first decrypts,
/// so there is no call to time. CMAC is another kind of handle.
#[rustfmt::skip]
pub(super) const ARMS: &[Arm] = &{
    use {Call::{Block, Counter, Data, Key, Message}, Direction::{Decrypt, Encrypt}};
    const fn arm(operation: Operation, mode: c_int, direction: Direction, call: Call) -> Arm {
        Arm { operation, mode, direction, call }
    }
    [
        arm(Operation::EcbEncrypt,     CIPHER_MODE_ECB, Encrypt, Data),
        arm(Operation::EcbDecrypt,     CIPHER_MODE_ECB, Decrypt, Data),
        arm(Operation::Ctr,            CIPHER_MODE_CTR, Encrypt, Counter),
        arm(Operation::CbcEncrypt,     CIPHER_MODE_CBC, Encrypt, Message),
        arm(Operation::CbcDecrypt,     CIPHER_MODE_CBC, Decrypt, Message),
        arm(Operation::CfbEncrypt,     CIPHER_MODE_CFB, Encrypt, Message),
        arm(Operation::CfbDecrypt,     CIPHER_MODE_CFB, Decrypt, Message),
        arm(Operation::Ofb,            CIPHER_MODE_OFB, Encrypt, Message),
        arm(Operation::XtsEncrypt,     CIPHER_MODE_XTS, Encrypt, Message),
        arm(Operation::XtsDecrypt,     CIPHER_MODE_XTS, Decrypt, Message),
        arm(Operation::OneBlock,       CIPHER_MODE_ECB, Encrypt, Block),
        arm(Operation::KeysEncryption, CIPHER_MODE_ECB, Encrypt, Key),
    ]
};
