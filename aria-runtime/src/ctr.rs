//! Counter mode: which kernels serve it under a token, the call, and the run of a plan.
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

use aria_kernels::{Entry, KERNELS, Kernel};
use cipher::InOutBuf;

use crate::Block;
use crate::ecb::{EcbKernel, MAX_BATCH};
use crate::engine::Engine;
use crate::forms::{Form, Keys, Shape};
use crate::planner::{Candidate, Move, Plan};
use crate::schedule::RoundKeys;
use crate::table;
use crate::token::Token;
use crate::wiped::Wiped;

/// A kernel that serves counter mode and that a token permits. Its field is the row in [`KERNELS`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct CtrKernel(u16);

impl CtrKernel {
    /// The kernel in this row, if it serves counter mode and the token permits it.
    fn permitted(token: Token, row: u16) -> Option<Candidate<Self>> {
        let kernel = &KERNELS[usize::from(row)];
        form(kernel)?;
        let batch = NonZeroU16::new(u16::try_from(kernel.blocks).ok()?)?;
        let batch_cycles = kernel.batch_cycles;
        token.permits(row).then_some(Candidate { kernel: Self(row), batch, batch_cycles })
    }

    /// The form of round keys that the kernel wants.
    fn form(self) -> Form {
        form(&KERNELS[usize::from(self.0)]).expect("permitted() saw that the entry has one")
    }

    /// Runs the kernel over all full batches of `blocks`; what is left after them is not touched.
    #[inline]
    fn run<const RK: usize>(
        self,
        rk: &Keys<'_, RK>,
        counter: u128,
        mut blocks: InOutBuf<'_, '_, Block>,
    ) {
        const { assert!(matches!(RK, 13 | 15 | 17)) };
        let kernel = &KERNELS[usize::from(self.0)];
        let batches = blocks.len() / kernel.blocks;
        // SAFETY of each call of `entry` below:
        // - Features: a `CtrKernel` is only made in `permitted`, for a row that a token permits, so
        //   this CPU has all that the row names.
        // - Round keys: there are `RK` of them, which is 13, 15 or 17, in the form that the variant
        //   names.
        // - Buffers: an `InOutBuf` or an array is readable and writable for its length, which is at
        //   least that of the batches asked for, and the two sides are equal or do not overlap.
        match kernel.entry {
            Entry::CtrBroadcast32(entry) => rk.with_words(Shape::Broadcast32, |rk| {
                let (input, output) = blocks.into_raw();
                // SAFETY: see above.
                unsafe { entry(rk, counter, input.cast(), output.cast(), batches) }
            }),
            Entry::CtrMapped32(entry) => rk.with_words(Shape::Mapped32, |rk| {
                let (input, output) = blocks.into_raw();
                // SAFETY: see above.
                unsafe { entry(rk, counter, input.cast(), output.cast(), batches) }
            }),
            Entry::EcbRaw(entry) => {
                for batch in 0..batches {
                    let start = batch * kernel.blocks;
                    let mut written = Wiped::<u8, MAX_WRITTEN>::zero();
                    for (number, block) in written[..kernel.blocks].iter_mut().enumerate() {
                        let number = (start + number) as u128;
                        *block = counter.wrapping_add(number).to_be_bytes();
                    }
                    let memory = written.as_mut_ptr().cast();
                    // SAFETY: see above.
                    unsafe { entry(rk.kept(), memory, memory, 1) }
                    for (number, image) in written[..kernel.blocks].iter().enumerate() {
                        blocks.get(start + number).xor_in2out(image.into());
                    }
                }
            }
            other => unreachable!("{other:?} has no CtrKernel"),
        }
    }
}

/// Blocks in the largest batch of the kernels whose counters are written down: those in rows.
const MAX_WRITTEN: usize = 8;

/// The plan for counter mode under this token; `None` where only portable kernels run, which have no
/// counters. Its kernels take what ciphers keep as [`Kept::Raw`](crate::forms::Kept::Raw).
pub(crate) fn plan(token: Token) -> Option<Plan<CtrKernel>> {
    let permitted = |row| CtrKernel::permitted(token, row);
    if let Some(row) = token.only() {
        return permitted(row).map(Plan::forced);
    }
    // A call makes one form of round keys besides the raw one at most: that of the kernel which is
    // cheapest by the block.
    let cheapest = table::rows().filter_map(permitted).min_by_key(Candidate::bulk_cycles)?;
    let suits = |candidate: &Candidate<CtrKernel>| {
        let own = candidate.kernel.form();
        own == Form::Raw || own == cheapest.kernel.form()
    };
    Some(Plan::new(table::rows().filter_map(permitted).filter(suits)))
}

/// Whether the kernel in this row has the frame of counter mode, so that round keys are kept for it.
pub(crate) fn is_framed(row: u16) -> bool {
    let entry = KERNELS[usize::from(row)].entry;
    matches!(entry, Entry::CtrBroadcast32(_) | Entry::CtrMapped32(_))
}

/// The form of round keys that an entry takes which serves counter mode; `None` for others.
///
/// Besides kernels for counter mode these are kernels for ECB in rows: they serve few blocks, whose
/// counters are blocks like any other and are written down.
const fn form(kernel: &Kernel) -> Option<Form> {
    match kernel.entry {
        Entry::CtrBroadcast32(_) => Some(Form::Words(Shape::Broadcast32)),
        Entry::CtrMapped32(_) => Some(Form::Words(Shape::Mapped32)),
        Entry::EcbRaw(_) if kernel.blocks <= MAX_WRITTEN => Some(Form::Raw),
        _ => None,
    }
}

/// Adds the keystream to `blocks`, from `counter` on, and returns the counter after the last block.
/// Without a plan for counter mode, that for ECB serves: counters are blocks like any other.
pub(crate) fn crypt<const RK: usize>(
    keys: &RoundKeys<RK>,
    ecb: &Plan<EcbKernel>,
    plan: Option<&Plan<CtrKernel>>,
    counter: u128,
    mut blocks: InOutBuf<'_, '_, Block>,
) -> u128 {
    let Some(plan) = plan else { return crypt_written(keys, ecb, counter, blocks) };
    let rk = Keys::new(keys);
    let mut counter = counter;
    for piece in plan.moves(blocks.len()) {
        let (now, later) = blocks.split_at(piece.blocks());
        let next = counter.wrapping_add(now.len() as u128);
        match piece {
            Move::Whole { with, .. } => with.kernel.run(&rk, counter, now),
            Move::Padded { with, .. } => crypt_padded(with, &rk, counter, now),
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
    rk: &Keys<'_, RK>,
    counter: u128,
    mut blocks: InOutBuf<'_, '_, Block>,
) {
    let mut buffer = Wiped::<u8, MAX_BATCH>::zero();
    let buffer = Block::cast_slice_from_core_mut(&mut buffer[..with.batch()]);
    let used = blocks.len();
    buffer[..used].copy_from_slice(blocks.get_in());
    with.kernel.run(rk, counter, InOutBuf::from(&mut *buffer));
    blocks.get_out().copy_from_slice(&buffer[..used]);
}

/// Writes counters down, some at a time, and encrypts them.
#[inline(never)]
fn crypt_written<const RK: usize>(
    keys: &RoundKeys<RK>,
    ecb: &Plan<EcbKernel>,
    mut counter: u128,
    mut blocks: InOutBuf<'_, '_, Block>,
) -> u128 {
    Engine::with(keys, ecb, |engine| {
        let mut written = Wiped::<u8, MAX_WRITTEN>::zero();
        for start in (0..blocks.len()).step_by(MAX_WRITTEN) {
            let count = usize::min(blocks.len() - start, MAX_WRITTEN);
            let images = &mut written[..count];
            for image in images.iter_mut() {
                *image = counter.to_be_bytes();
                counter = counter.wrapping_add(1);
            }
            engine.crypt(InOutBuf::from(Block::cast_slice_from_core_mut(images)));
            for (number, image) in images.iter().enumerate() {
                blocks.get(start + number).xor_in2out(image.into());
            }
        }
    });
    counter
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
            if form(kernel).is_none() {
                assert!(plan.is_none(), "{} is of another frame", kernel.id);
                continue;
            }
            let plan = plan.expect("the kernel serves counter mode");
            for blocks in 1..=2 * MAX_BATCH + 1 {
                for piece in plan.moves(blocks) {
                    let (Move::Whole { with, .. } | Move::Padded { with, .. }) = piece;
                    assert_eq!(with.kernel.0, row);
                }
            }
            assert!(super::plan(token.capped(Cap::Portable)).is_none());
            forced += 1;
        }
        let here =
            table::rows().filter(|&row| CtrKernel::permitted(Token::detect(), row).is_some());
        assert_eq!(forced, here.count());
    }

    #[test]
    fn no_blocks_leave_the_counter_alone() {
        let keys = RoundKeys::<13>::encryption(&[7; 16], None);
        let plan = plan(Token::detect());
        let ecb = crate::ecb::plan(Token::detect());
        let none = InOutBuf::from(&mut [][..]);
        assert_eq!(crypt(&keys, &ecb, plan.as_ref(), u128::MAX, none), u128::MAX);
    }
}
