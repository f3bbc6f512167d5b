//! Parts of a batch: a kernel's function for fewer blocks than a batch, for each number of them.
//!
//! The number decides masks, so it is known in each run; there is no loop to be proved by induction.
//! Memory is that many blocks, no more.

use super::super::domain::{Form, Symbolic};
use super::super::memory::{Memory, Placement};
use super::super::reference::{self, Block};
use super::super::verdict::Proof;
use super::batches::compare;
use super::contract::Contract;
use super::control::Assumption;
use super::fault::{Cause, Fault};
use super::state::State;
use super::value::Scalar;
use super::{Machine, Stop};
use crate::spec::aria::BLOCK_BYTES;

/// Proves each number of blocks below a batch's equal to the specification.
pub(super) fn prove(contract: &Contract<'_>) -> Result<Proof, Fault> {
    let Contract { code, kernel, convention, stack, .. } = *contract;
    let entry = code.image.entry as u64;
    let mut domain = Symbolic::default();
    let mut block = || core::array::from_fn(|_| domain.fresh());
    let keys: Vec<Block<Form>> = (0..contract.key_blocks()).map(|_| block()).collect();
    let blocks: Vec<Block<Form>> = (1..kernel.blocks).map(|_| block()).collect();
    let encrypt = |block| reference::encrypt(&mut domain, &keys, block);
    let expected: Vec<Block<Form>> = blocks.iter().map(encrypt).collect();
    let key_bytes = contract.key_bytes(&domain, &keys);
    for count in 1..kernel.blocks {
        let input = blocks[..count].as_flattened().to_vec();
        let memory = Memory::whole(Placement::Any, input, BLOCK_BYTES * count);
        let number = Scalar::constant(count as u64);
        // Such functions do not count.
        let arguments = contract.arguments(keys.len(), number, [0, 0].map(Scalar::constant));
        let mut state = State::on_entry(&mut domain, entry, convention, arguments, memory);
        state.assumption = Assumption::Done;
        let mut machine =
            Machine::new(code, &mut domain, convention, stack, key_bytes.clone(), state);
        let stop = machine.run(|_| false)?;
        let at = machine.state.at;
        if stop != Stop::Return {
            return Err(code.fault(at, Cause::Unsupported("this branch")));
        }
        let output = machine.state.memory.finish().map_err(|fault| code.fault(at, fault.into()))?;
        compare(&expected[..count], &output).map_err(|cause| code.fault(at, cause))?;
    }
    let most = BLOCK_BYTES * (kernel.blocks - 1);
    Ok(Proof { read: most, written: most, in_place: true, inversions: domain.inversions() })
}
