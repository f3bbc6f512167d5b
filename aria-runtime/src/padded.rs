//! Fewer blocks than a kernel's batch, by way of a buffer.
//!
//! The buffer holds copies of blocks, and what a kernel makes of zero blocks, which is keystream in
//! some modes: it is wiped. It is as large as the batch, in steps, since clearing and wiping cost
//! time.

use cipher::InOutBuf;

use crate::Block;
use crate::plans::MAX_BATCH;
use crate::wiped::Wiped;

/// Calls `run` with a whole batch: the blocks, and zero blocks after them. What becomes of the blocks
/// is written to their outputs.
#[inline]
pub(crate) fn through_buffer(
    batch: usize,
    blocks: InOutBuf<'_, '_, Block>,
    run: impl FnOnce(InOutBuf<'_, '_, Block>),
) {
    match batch {
        0..=8 => through::<8>(batch, blocks, run),
        9..=16 => through::<16>(batch, blocks, run),
        17..=32 => through::<32>(batch, blocks, run),
        _ => through::<MAX_BATCH>(batch, blocks, run),
    }
}

/// Out of line, so that calls which need no buffer have none on their stack.
#[inline(never)]
fn through<const N: usize>(
    batch: usize,
    mut blocks: InOutBuf<'_, '_, Block>,
    run: impl FnOnce(InOutBuf<'_, '_, Block>),
) {
    let mut buffer = Wiped::<u8, N>::zero();
    let buffer = Block::cast_slice_from_core_mut(&mut buffer[..batch]);
    let used = blocks.len();
    buffer[..used].copy_from_slice(blocks.get_in());
    run(InOutBuf::from(&mut *buffer));
    blocks.get_out().copy_from_slice(&buffer[..used]);
}
