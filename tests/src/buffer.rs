//! Blocks at a chosen offset from a 64-byte boundary, between guard bytes that must stay as they
//! are.

/// What guard bytes hold.
const GUARD: u8 = 0xa5;

/// Guard bytes after the blocks, and, together with the offset, before them.
const MARGIN: usize = 64;

/// Memory for up to a number of blocks at any offset from 0 to 63.
pub struct Guarded(Vec<u8>);

impl Guarded {
    /// Memory for up to `blocks` blocks.
    #[must_use]
    pub fn new(blocks: usize) -> Self {
        // The boundary is found in the first 64 bytes.
        Self(vec![GUARD; 64 + MARGIN + 63 + 16 * blocks + MARGIN])
    }

    /// Lets `work` loose on a copy of `blocks` at this offset, and returns what it made of them.
    ///
    /// # Panics
    ///
    /// If a byte before or after the blocks was written to, or the memory is too small.
    pub fn with(
        &mut self,
        offset: usize,
        blocks: &[[u8; 16]],
        work: impl FnOnce(&mut [[u8; 16]]),
    ) -> &[[u8; 16]] {
        let Self(bytes) = self;
        bytes.fill(GUARD);
        let boundary = bytes.as_ptr().align_offset(64);
        let (before, rest) = bytes.split_at_mut(boundary + MARGIN + offset);
        let (middle, after) = rest.split_at_mut(16 * blocks.len());
        let (middle, _) = middle.as_chunks_mut();
        middle.copy_from_slice(blocks);
        work(middle);
        let intact = |guard: &[u8]| guard.iter().all(|&byte| byte == GUARD);
        assert!(intact(before), "bytes before the output were written to");
        assert!(intact(after), "bytes after the output were written to");
        middle
    }
}
