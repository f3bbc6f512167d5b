//! The functions of counter mode that are not straight-line: a counter as words, and the choice
//! between the two ways to a batch's counters.

use proc_macro2::TokenStream;
use quote::quote;

use super::items::{ident, number, target_feature, vector_type};
use super::source::{Notes, Source};
use crate::ir::{Call, Counter, MachineOp, Program};
use crate::isa::{Feature, Isa};

/// Writes them, if `program` counts.
pub(super) fn emit_counters(
    source: &mut Source,
    program: &Program<MachineOp>,
    isa: Isa,
    features: &[Feature],
) {
    let (Some(Counter::Whole), Some((carried, alike))) =
        (program.counter, Program::<MachineOp>::by_carry(&program.entry))
    else {
        return;
    };
    source.items(words(), &Notes::default());
    let mut notes = Notes::default();
    let item = counters(program, carried, alike, isa, features, &mut notes);
    source.items(item, &notes);
}

fn words() -> TokenStream {
    quote! {
        /// The bytes of a counter, the most significant first, each as four equal bytes of a word.
        #[inline]
        fn words(counter: u128) -> [u32; 16] {
            counter.to_be_bytes().map(|byte| u32::from_ne_bytes([byte; 4]))
        }
    }
}

fn counters(
    program: &Program<MachineOp>,
    carried: &Call,
    alike: &Call,
    isa: Isa,
    features: &[Feature],
    notes: &mut Notes,
) -> TokenStream {
    let [carried, alike] = [carried, alike].map(|call| program.routine(call.routine));
    let (vector, count) = (vector_type(isa), number(alike.results().len()));
    let target_feature = target_feature(features);
    let blocks = program.batch_blocks();
    let note = notes.note(format!("The batch counts {} further. Counters are public.", blocks - 1));
    let most = number(256 - blocks);
    let (alike, carried) = (ident(alike.name()), ident(carried.name()));
    quote! {
        /// The counters of a batch from `counter` on as slices, with the first round key.
        #[inline]
        #target_feature
        fn counters(counter: u128, rk: &[u32; 16]) -> [#vector; #count] {
            let start = words(counter);
            let [.., last] = counter.to_be_bytes();
            #note
            if last <= #most {
                #alike(&start, rk)
            } else {
                let carried = words(counter.wrapping_add(256));
                #carried(&start, &carried, rk)
            }
        }
    }
}
