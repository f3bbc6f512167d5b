//! Buffers of blocks as plain arrays of bytes, for the bulk methods.

use core::fmt;

use cipher::InOutBuf;

use crate::Block;

/// The same blocks as input and output.
pub(crate) fn in_place(blocks: &mut [[u8; 16]]) -> InOutBuf<'_, '_, Block> {
    InOutBuf::from(Block::cast_slice_from_core_mut(blocks))
}

/// Input blocks, and as many output blocks; output beyond them stays out of it.
pub(crate) fn buffer_to_buffer<'i, 'o>(
    input: &'i [[u8; 16]],
    output: &'o mut [[u8; 16]],
) -> Result<InOutBuf<'i, 'o, Block>, LengthError> {
    let error = LengthError { input: input.len(), output: output.len() };
    let output = output.get_mut(..input.len()).ok_or(error)?;
    InOutBuf::new(Block::cast_slice_from_core(input), Block::cast_slice_from_core_mut(output))
        .map_err(|_| error)
}

/// The output has fewer blocks than the input. Nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthError {
    /// Blocks of 16 bytes in the input.
    pub input: usize,
    /// Blocks of 16 bytes in the output.
    pub output: usize,
}

impl fmt::Display for LengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { input, output } = self;
        write!(
            f,
            "output of {output} blocks is too short for an input of {input} blocks; \
             pass an output of at least {input} blocks"
        )
    }
}

impl core::error::Error for LengthError {}
