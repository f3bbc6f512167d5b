//! How a kernel serves a number of blocks: as whole batches, as part of one, or not without a buffer.

use aria_kernels::{Entry, Kernel};

/// An entry of a kernel with its last argument.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extent {
    /// [`Kernel::entry`], for so many whole batches. The blocks may be more than these; the others
    /// are not touched.
    Batches(Entry, usize),
    /// [`Kernel::part`], for all the blocks, which are fewer than a batch and at least one.
    Part(Entry, usize),
    /// None: there are fewer blocks than a batch, and the kernel does not take that.
    Padded,
}

impl Extent {
    /// That of so many blocks.
    #[inline]
    pub(crate) fn of(kernel: &Kernel, blocks: usize) -> Self {
        match (blocks < kernel.blocks && blocks > 0, kernel.part) {
            (false, _) => Self::Batches(kernel.entry, blocks / kernel.blocks),
            (true, Some(part)) => Self::Part(part, blocks),
            (true, None) => Self::Padded,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aria_kernels::KERNELS;

    #[test]
    fn batches_where_there_is_one_and_parts_where_kernels_take_them() {
        for kernel in KERNELS {
            for blocks in 0..=2 * kernel.blocks {
                let fewer = (1..kernel.blocks).contains(&blocks);
                match Extent::of(kernel, blocks) {
                    Extent::Batches(_, batches) => {
                        assert!(!fewer);
                        assert_eq!(batches, blocks / kernel.blocks);
                    }
                    Extent::Part(_, count) => {
                        assert!(fewer && kernel.part.is_some());
                        assert_eq!(count, blocks);
                    }
                    Extent::Padded => assert!(fewer && kernel.part.is_none()),
                }
            }
        }
    }
}
