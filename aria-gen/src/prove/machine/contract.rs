//! What a kernel is called with and how many bytes it reads and writes.

use std::rc::Rc;

use super::super::domain::Domain;
use super::super::keys;
use super::super::package::Kernel;
use super::super::reader::Value;
use super::super::reference::{self, Block, Frame};
use super::convention::Convention;
use super::image::Code;
use super::stack::StackBase;
use super::value::{Half, Scalar, Symbol};
use crate::spec::aria::{BLOCK_BYTES, KeySize};

/// A kernel's code and what is asked of it.
#[derive(Clone, Copy)]
pub(super) struct Contract<'c> {
    pub(super) code: &'c Code<'c>,
    pub(super) kernel: &'c Kernel,
    pub(super) convention: Convention,
    pub(super) stack: StackBase,
    pub(super) size: KeySize,
}

impl Contract<'_> {
    /// Bytes of a batch's input.
    pub(super) fn input_bytes(&self) -> usize {
        match self.kernel.frame {
            Frame::Keys => keys::MASTER_BYTES,
            Frame::Ecb | Frame::Ctr | Frame::CbcEnc | Frame::CbcDec | Frame::CfbDec => {
                BLOCK_BYTES * self.kernel.blocks
            }
        }
    }

    /// Bytes of a batch's output.
    pub(super) fn output_bytes(&self) -> usize {
        match self.kernel.frame {
            Frame::Keys => keys::BLOCKS * BLOCK_BYTES,
            Frame::Ecb | Frame::Ctr | Frame::CbcEnc | Frame::CbcDec | Frame::CfbDec => {
                self.input_bytes()
            }
        }
    }

    /// How many keys the argument `rk` has: round keys, or the constants of a key schedule.
    pub(super) fn key_blocks(&self) -> usize {
        match self.kernel.frame {
            Frame::Keys => 3,
            Frame::Ecb | Frame::Ctr | Frame::CbcEnc | Frame::CbcDec | Frame::CfbDec => {
                self.size.rounds() + 1
            }
        }
    }

    /// What the argument `rk` points to.
    pub(super) fn key_bytes<D: Domain>(
        &self,
        domain: &D,
        keys: &[Block<D::Byte>],
    ) -> Rc<[D::Byte]> {
        let value = match self.kernel.frame {
            Frame::Keys => Value::array(keys.iter().map(reference::raw)),
            Frame::Ecb | Frame::Ctr | Frame::CbcEnc | Frame::CbcDec | Frame::CfbDec => {
                self.kernel.key_form.expand(domain, keys)
            }
        };
        let mut bytes = Vec::new();
        value.push_bytes(&mut bytes);
        bytes.into()
    }

    /// The arguments in the order of the signature, for so many keys; a slice is its address and its length.
    pub(super) fn arguments<B>(
        &self,
        keys: usize,
        batches: Scalar<B>,
        counter: [Scalar<B>; 2],
    ) -> Vec<Scalar<B>> {
        let mut arguments = vec![Scalar::symbol(Symbol::Keys)];
        if self.kernel.frame != Frame::Keys {
            arguments.push(Scalar::constant(keys as u64));
        }
        if self.kernel.frame == Frame::Ctr {
            arguments.extend(counter);
        }
        arguments.extend([Scalar::symbol(Symbol::Input), Scalar::symbol(Symbol::Output), batches]);
        arguments
    }

    /// The arguments where number and counter are not known.
    pub(super) fn unknown_arguments<B>(&self) -> Vec<Scalar<B>> {
        let counter = [Half::Low, Half::High].map(|half| Scalar::Counter(half, 0));
        self.arguments(self.key_blocks(), Scalar::symbol(Symbol::Batches), counter)
    }
}
