//! Fewer blocks than a batch, by masked loads and stores: how the emitted code says it.
//!
//! A kernel with masked accesses has a second entry point, for such a part of a batch, and of each
//! routine that touches memory a second function, which takes a bit for each quadword of the batch:
//! set where it belongs to the part. What lies between is the same code.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::items::number;
use crate::ir::{MachineOp, Program};
use crate::isa::{Isa, Masked};
use crate::spec::aria::BLOCK_BYTES;

/// The parameter with the bits.
pub(super) const NAME: &str = "quadwords";

/// Bytes to which one bit belongs.
const QUADWORD: usize = 8;

/// The masked accesses of a program's target, if the program serves parts of a batch: it reads and
/// writes whole blocks, more than one a batch and not more than there are bits.
///
/// Not where it counts: the function that makes a batch's counters is long, and LLVM inlines it into
/// one caller only; called from two it would return its vectors in memory, for each batch.
pub(super) fn masked_for(program: &Program<MachineOp>, isa: Isa) -> Option<&'static Masked> {
    let bytes = program.batch_bytes;
    let fits = BLOCK_BYTES < bytes && bytes / QUADWORD <= u128::BITS as usize;
    let blockwise = bytes == program.output_bytes && program.fixed_keys().is_none();
    isa.masked().filter(|_| fits && blockwise && program.counter.is_none())
}

/// The name of the function for a part.
pub(super) fn part_name(name: &str) -> Ident {
    format_ident!("{name}_part")
}

/// The mask of the register at this offset.
pub(super) fn lanes_of(offset: usize) -> TokenStream {
    match offset / QUADWORD {
        0 => quote! { quadwords as __mmask8 },
        first => {
            let first = number(first);
            quote! { (quadwords >> #first) as __mmask8 }
        }
    }
}

/// What the functions for a part say of themselves: after their meaning, and as their duty.
pub(super) fn duty(reads: bool, writes: bool) -> (String, String) {
    let meaning = match reads {
        true => " Only the quadwords whose bit is set; the others are zero.",
        false => " Only the quadwords whose bit is set.",
    };
    let region = match (reads, writes) {
        (true, true) => "`input` must be valid for reads, and `output` for writes,",
        (true, false) => "`input` must be valid for reads",
        (false, _) => "`output` must be valid for writes",
    };
    (meaning.to_owned(), format!("* {region} of the quadwords whose bit is set."))
}

/// Why the accesses are sound.
pub(super) const SAFETY: &str = "SAFETY: the mask leaves out what the caller does not answer for.";

/// The statement that makes the bits of the first `count` blocks.
pub(super) fn quadwords_of_blocks() -> TokenStream {
    let name = format_ident!("{NAME}");
    let a_block = number(BLOCK_BYTES / QUADWORD);
    quote! { let #name = (1_u128 << (#a_block * count)) - 1; }
}
