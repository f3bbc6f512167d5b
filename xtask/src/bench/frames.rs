//! By which operations a kernel is timed: a row a frame. A kernel runs through the library, under a
//! token that forces it, in the operations that would use it.

use aria_gen::kernel::{Frame, KernelId};

use super::operation::Operation;

/// Kernels, and the operations that show what they cost.
struct Row {
    /// The frame.
    frame: Frame,
    /// Blocks in a batch, where that matters.
    blocks: Option<usize>,
    /// The operations; for ARIA decryption is the same kernel with other round keys.
    operations: &'static [Operation],
}

/// Every frame that is timed.
#[rustfmt::skip]
const ROWS: &[Row] = &{
    use Operation::{CbcDecrypt, CbcEncrypt, CfbDecrypt, Ctr, EcbEncrypt, KeysBoth, KeysDecryption, KeysEncryption, OneBlock};
    const fn row(frame: Frame, blocks: Option<usize>, operations: &'static [Operation]) -> Row {
        Row { frame, blocks, operations }
    }
    [
        row(Frame::Ecb,  None,    &[EcbEncrypt]),
        // What goes block by block lives on these.
        row(Frame::Ecb,  Some(1), &[OneBlock, CbcEncrypt]),
        row(Frame::Ctr,  None,    &[Ctr]),
        row(Frame::CbcDec, None, &[CbcDecrypt]),
        row(Frame::CfbDec, None, &[CfbDecrypt]),
        row(Frame::CbcEnc, None, &[CbcEncrypt]),
        row(Frame::Keys, None,    &[KeysBoth, KeysEncryption, KeysDecryption]),
    ]
};

/// The operations by which this kernel is timed; none if no row has its frame.
pub fn operations(kernel: KernelId) -> impl Iterator<Item = Operation> {
    let rows = ROWS.iter().filter(move |row| {
        row.frame == kernel.frame && row.blocks.is_none_or(|blocks| blocks == kernel.blocks)
    });
    rows.flat_map(|row| row.operations.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use aria_gen::kernel::matrix::ROWS as KERNELS;

    fn of(id: &str) -> Vec<Operation> {
        operations(id.parse().expect("a kernel id")).collect()
    }

    #[test]
    fn frames_and_blocks_choose_the_operations() {
        use Operation::{CbcEncrypt, Ctr, EcbEncrypt, KeysBoth, OneBlock};
        assert_eq!(of("aria_avx512_gfni_zmm_blk64"), [EcbEncrypt]);
        assert_eq!(of("aria_avx_gfni_xmm_blk1"), [EcbEncrypt, OneBlock, CbcEncrypt]);
        assert_eq!(of("aria_avx512_gfni_zmm_blk64_ctr"), [Ctr]);
        assert_eq!(of("aria_sse_gfni_xmm_blk1_keys")[0], KeysBoth);
        assert_eq!(of("aria_sse_gfni_xmm_blk1_cbc_enc"), [CbcEncrypt]);
    }

    #[test]
    fn no_operation_is_timed_twice() {
        for kernel in KERNELS {
            let mut found: Vec<Operation> = operations(*kernel).collect();
            found.sort_unstable();
            assert!(found.windows(2).all(|pair| pair[0] != pair[1]), "{kernel}: {found:?}");
        }
    }
}
