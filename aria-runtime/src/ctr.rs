//! Counter mode: which kernels of that frame a token permits, the call, and the run of a plan.
//!
//! NIST SP 800-38A, section 6.5: to each block the image of a counter is added, which counts up by
//! one from block to block, here as one number of 128 bits with the most significant byte first,
//! modulo 2¹²⁸. Encryption and decryption are the same. Modes that count so, or that know that their
//! smaller counter does not wrap, are to be built on [`crypt`]. Bytes that do not fill a block are
//! their business.
//!
//! Counters are public; what is secret is round keys and keystream. A last batch that is not full
//! goes through a buffer that is wiped, since what it holds beyond the blocks is keystream.

use core::num::NonZeroU16;

use aria_kernels::{Entry, KERNELS};
use cipher::InOutBuf;

use crate::Block;
use crate::ecb::MAX_BATCH;
use crate::forms::{Form, Words};
use crate::planner::{Candidate, Move, Plan};
use crate::scalar;
use crate::schedule::RoundKeys;
use crate::table;
use crate::token::Token;
use crate::wiped::Wiped;

/// A kernel for counter mode that a token permits. Its field is the row in [`KERNELS`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct CtrKernel(u16);

impl CtrKernel {
    /// The kernel in this row, if it is one for counter mode and the token permits it.
    fn permitted(token: Token, row: u16) -> Option<Candidate<Self>> {
        let kernel = &KERNELS[usize::from(row)];
        form(kernel.entry)?;
        let batch = NonZeroU16::new(u16::try_from(kernel.blocks).ok()?)?;
        let batch_cycles = kernel.batch_cycles;
        token.permits(row).then_some(Candidate { kernel: Self(row), batch, batch_cycles })
    }

    /// The form of round keys that the kernel wants.
    fn form(self) -> Form {
        form(KERNELS[usize::from(self.0)].entry).expect("permitted() saw that the entry has one")
    }

    /// Runs the kernel over all full batches of `blocks`; what is left after them is not touched.
    fn run<const RK: usize>(self, rk: &Words<RK>, counter: u128, blocks: InOutBuf<'_, '_, Block>) {
        const { assert!(matches!(RK, 13 | 15 | 17)) };
        let kernel = &KERNELS[usize::from(self.0)];
        let batches = blocks.len() / kernel.blocks;
        let (input, output) = blocks.into_raw();
        match kernel.entry {
            Entry::CtrBroadcast32(entry) | Entry::CtrMapped32(entry) => {
                // SAFETY:
                // - Features: a `CtrKernel` is only made in `permitted`, for a row that a token
                //   permits, so this CPU has all that the row names.
                // - Round keys: `rk` has `RK` of them, which is 13, 15 or 17.
                // - Buffers: an `InOutBuf` is readable and writable for its length, which is at
                //   least `batches * kernel.blocks` blocks of 16 bytes, and its two sides are equal
                //   or do not overlap.
                unsafe { entry(rk.as_words(), counter, input.cast(), output.cast(), batches) }
            }
            other => unreachable!("{other:?} has no CtrKernel"),
        }
    }
}

/// The plan for counter mode under this token.
pub(crate) fn plan(token: Token) -> Plan<CtrKernel> {
    let permitted = |row| CtrKernel::permitted(token, row);
    match token.only() {
        Some(row) => permitted(row).map_or_else(|| Plan::new([].into_iter()), Plan::forced),
        None => {
            // One call expands round keys into one form: that of the kernel which is cheapest by the
            // block.
            let by_block = |candidate: &Candidate<CtrKernel>| {
                u64::from(candidate.batch_cycles) * 1024 / candidate.batch() as u64
            };
            let cheapest = table::rows().filter_map(permitted).min_by_key(by_block);
            let form = cheapest.map(|candidate| candidate.kernel.form());
            let suits = |candidate: &Candidate<CtrKernel>| Some(candidate.kernel.form()) == form;
            Plan::new(table::rows().filter_map(permitted).filter(suits))
        }
    }
}

/// The form of round keys that an entry for counter mode takes; `None` for entries of other frames.
const fn form(entry: Entry) -> Option<Form> {
    match entry {
        Entry::CtrBroadcast32(_) => Some(Form::Broadcast32),
        Entry::CtrMapped32(_) => Some(Form::Mapped32),
        _ => None,
    }
}

/// Adds the keystream to `blocks`, from `counter` on, and returns the counter after the last block.
pub(crate) fn crypt<const RK: usize>(
    keys: &RoundKeys<RK>,
    plan: &Plan<CtrKernel>,
    counter: u128,
    mut blocks: InOutBuf<'_, '_, Block>,
) -> u128 {
    let mut words = Words::zero();
    if let Some(widest) = plan.widest().filter(|_| !blocks.is_empty()) {
        words.fill(widest.form(), keys);
    }
    let mut counter = counter;
    for piece in plan.moves(blocks.len()) {
        let (now, later) = blocks.split_at(piece.blocks());
        let next = counter.wrapping_add(now.len() as u128);
        match piece {
            Move::Whole { with, .. } => with.kernel.run(&words, counter, now),
            Move::Padded { with, .. } => crypt_padded(with, &words, counter, now),
            Move::Scalar { .. } => crypt_scalar(keys, counter, now),
        }
        counter = next;
        blocks = later;
    }
    counter
}

/// Fewer blocks than a batch: through a buffer of a whole batch, the rest of it zero blocks. Out of
/// line, so that calls which need no buffer have none on their stack.
#[inline(never)]
fn crypt_padded<const RK: usize>(
    with: Candidate<CtrKernel>,
    words: &Words<RK>,
    counter: u128,
    mut blocks: InOutBuf<'_, '_, Block>,
) {
    let mut buffer = Wiped::<u8, MAX_BATCH>::zero();
    let buffer = Block::cast_slice_from_core_mut(&mut buffer[..with.batch()]);
    let used = blocks.len();
    buffer[..used].copy_from_slice(blocks.get_in());
    with.kernel.run(words, counter, InOutBuf::from(&mut *buffer));
    blocks.get_out().copy_from_slice(&buffer[..used]);
}

#[inline(never)]
fn crypt_scalar<const RK: usize>(
    keys: &RoundKeys<RK>,
    mut counter: u128,
    blocks: InOutBuf<'_, '_, Block>,
) {
    for mut block in blocks {
        let mut image = Wiped::<u8, 1>::zero();
        image[0] = scalar::crypt_block(keys.as_raw(), counter.to_be_bytes());
        block.xor_in2out((&image[0]).into());
        counter = counter.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cap::Cap;

    /// A forced kernel that quietly gave way to another would make every test of it worthless.
    #[test]
    fn forced_kernels_serve_everything_themselves() {
        let mut forced = 0;
        for row in table::rows() {
            let kernel = &KERNELS[usize::from(row)];
            let Ok(token) = Token::detect().forced(kernel.id) else {
                continue; // not on this CPU
            };
            let plan = plan(token);
            if form(kernel.entry).is_none() {
                assert!(plan.widest().is_none(), "{} is of another frame", kernel.id);
                continue;
            }
            for blocks in 1..=2 * MAX_BATCH + 1 {
                for piece in plan.moves(blocks) {
                    let (Move::Whole { with, .. } | Move::Padded { with, .. }) = piece else {
                        panic!("{token:?} let the scalar path run");
                    };
                    assert_eq!(with.kernel.0, row);
                }
            }
            assert!(super::plan(token.capped(Cap::Portable)).widest().is_none());
            forced += 1;
        }
        let here =
            table::rows().filter(|&row| CtrKernel::permitted(Token::detect(), row).is_some());
        assert_eq!(forced, here.count());
    }

    #[test]
    fn no_blocks_leave_the_counter_alone() {
        let keys = RoundKeys::<13>::encryption(&[7; 16]);
        let plan = plan(Token::detect());
        let none = InOutBuf::from(&mut [][..]);
        assert_eq!(crypt(&keys, &plan, u128::MAX, none), u128::MAX);
    }
}
