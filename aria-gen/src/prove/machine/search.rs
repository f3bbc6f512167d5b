//! Plain runs of an image: to find the loop over batches, and to refute.

use super::super::counterexample::{self, Bytes};
use super::super::domain::Concrete;
use super::super::keys;
use super::super::memory::{Memory, Placement};
use super::super::reference::{Block, Frame};
use super::super::verdict::{Counterexample, Extent, Finding};
use super::contract::Contract;
use super::fault::{Cause, Fault};
use super::state::State;
use super::value::Scalar;
use super::{Machine, Stop};
use crate::spec::aria;

/// A call with plain bytes.
#[derive(Clone)]
pub(super) struct Call {
    pub(super) keys: Vec<Block<u8>>,
    pub(super) counter: u128,
    pub(super) input: Vec<u8>,
    /// The argument that says how much is to be done: batches, or blocks of a part.
    pub(super) number: usize,
    /// Bytes of the output.
    pub(super) output: usize,
    pub(super) placement: Placement,
}

impl Call {
    /// A call with whatever bytes come next.
    pub(super) fn random(contract: &Contract<'_>, batches: usize, bytes: &mut Bytes) -> Self {
        let mut block = || core::array::from_fn(|_| bytes.next().unwrap_or_default());
        let keys: Vec<Block<u8>> = (0..contract.key_blocks()).map(|_| block()).collect();
        let counter = u128::from_be_bytes(block());
        let input = bytes.take(contract.input_bytes() * batches).collect();
        let output = contract.output_bytes() * batches;
        Self { keys, counter, input, number: batches, output, placement: Placement::Apart }
    }

    /// Executes until the return. `each` sees the machine before every instruction.
    pub(super) fn execute(
        &self,
        contract: &Contract<'_>,
        mut each: impl FnMut(&Machine<'_, Concrete>),
    ) -> Result<Vec<u8>, Fault> {
        let Contract { code, convention, stack, .. } = *contract;
        let mut domain = Concrete;
        let memory = Memory::whole(self.placement, self.input.clone(), self.output);
        let halves = [self.counter as u64, (self.counter >> 64) as u64];
        let number = Scalar::constant(self.number as u64);
        let arguments = contract.arguments(self.keys.len(), number, halves.map(Scalar::constant));
        let entry = code.image.entry as u64;
        let state = State::on_entry(&mut domain, entry, convention, arguments, memory);
        let keys = contract.key_bytes(&domain, &self.keys);
        let mut machine = Machine::new(code, &mut domain, convention, stack, keys, state);
        let stop = machine.run(|machine| {
            each(machine);
            false
        })?;
        let at = machine.state.at;
        if stop != Stop::Return {
            return Err(code.fault(at, Cause::Unsupported("this branch")));
        }
        machine.state.memory.finish().map_err(|fault| code.fault(at, fault.into()))
    }
}

/// Batches at once, and where the output goes.
const CALLS: [(usize, Placement); 4] =
    [(1, Placement::Apart), (1, Placement::Same), (2, Placement::Apart), (3, Placement::Same)];

/// Runs for each of these.
const TRIALS: u64 = 8;

/// Looks for a run that goes wrong.
pub(super) fn search(contract: &Contract<'_>) -> Option<Counterexample<Fault>> {
    let mut bytes = Bytes(contract.size.rounds() as u64);
    let frame = contract.kernel.frame;
    for (batches, placement) in CALLS {
        if frame == Frame::Keys && placement == Placement::Same {
            continue;
        }
        for trial in 0..TRIALS {
            let mut call = Call::random(contract, batches, &mut bytes);
            call.placement = placement;
            // From a counter whose carry goes up so many bytes, within the first batch.
            call.counter |= (1 << (16 * trial)) - 1;
            let blocks = contract.kernel.blocks as u128;
            call.counter = call.counter.wrapping_sub(call.counter >> 64 & (blocks - 1));
            let size = if frame == Frame::Keys { aria::KeySize::K256 } else { contract.size };
            let key: Vec<u8> = bytes.by_ref().take(size.bytes()).collect();
            let finding = match frame {
                Frame::Keys => master_keys(contract, &mut call),
                Frame::Ecb | Frame::Ctr | Frame::CbcEnc | Frame::CbcDec | Frame::CfbDec => {
                    call.keys = aria::encryption_keys(&key).ok()?;
                    call.execute(contract, |_| {}).map(|output| {
                        let Call { keys, counter, input, .. } = &call;
                        counterexample::differs(frame, keys, *counter, input, &output)
                    })
                }
            };
            let finding = match finding {
                Ok(finding) => finding,
                Err(fault) if fault.cause.is_misbehaviour() => Some(Finding::Misbehaves(fault)),
                // What cannot be executed cannot be executed with other bytes either.
                Err(_) => return None,
            };
            if let Some(finding) = finding {
                let counter = (frame == Frame::Ctr).then(|| call.counter.to_be_bytes());
                let key = if frame == Frame::Keys { call.input.clone() } else { key };
                let in_place = placement == Placement::Same;
                let extent = Extent::Batches(batches);
                return Some(Counterexample {
                    key,
                    counter,
                    chaining: None,
                    extent,
                    in_place,
                    finding,
                });
            }
        }
    }
    None
}

/// Looks for a number of blocks below a batch's for which a run goes wrong.
pub(super) fn search_part(contract: &Contract<'_>) -> Option<Counterexample<Fault>> {
    let mut bytes = Bytes(contract.size.rounds() as u64);
    let frame = contract.kernel.frame;
    for count in 1..contract.kernel.blocks {
        for placement in [Placement::Apart, Placement::Same] {
            let key: Vec<u8> = bytes.by_ref().take(contract.size.bytes()).collect();
            let keys = aria::encryption_keys(&key).ok()?;
            let output = aria::BLOCK_BYTES * count;
            let input: Vec<u8> = bytes.by_ref().take(output).collect();
            let call = Call { keys, counter: 0, input, number: count, output, placement };
            let finding = match call.execute(contract, |_| {}) {
                Ok(output) => counterexample::differs(frame, &call.keys, 0, &call.input, &output),
                Err(fault) if fault.cause.is_misbehaviour() => Some(Finding::Misbehaves(fault)),
                Err(_) => return None,
            };
            if let Some(finding) = finding {
                let (in_place, extent) = (placement == Placement::Same, Extent::Part(count));
                return Some(Counterexample {
                    key,
                    counter: None,
                    chaining: None,
                    extent,
                    in_place,
                    finding,
                });
            }
        }
    }
    None
}

/// The run of a key schedule of the largest size, the input being master keys.
fn master_keys(contract: &Contract<'_>, call: &mut Call) -> Result<Option<Finding<Fault>>, Fault> {
    call.keys = aria::KeySize::K256.schedule_constants().map(u128::to_be_bytes).to_vec();
    let output = call.execute(contract, |_| {})?;
    let masters: Vec<&[u8]> = call.input.chunks_exact(keys::MASTER_BYTES).collect();
    Ok(keys::differs(&masters, &output))
}
