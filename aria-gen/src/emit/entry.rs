//! A kernel's entry point: the program's control flow as Rust.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::items::{ident, number, target_feature};
use super::source::{Notes, Source, doc};
use crate::ir::{Call, Control, KeyRef, MachineOp, Program};
use crate::isa::Feature;
use crate::kernel::KeyForm;
use crate::pipeline::Built;

/// Why round keys are hidden from the optimiser, as the emitted code says it.
const KEYS_NOTE: &str = "Hidden from the optimiser, round keys are read anew for each batch. \
    Made ready once before the loop, they would be spilled: no faster, and keys on the stack.";

/// Writes the entry point of a kernel into `source`.
pub(super) fn emit_entry(source: &mut Source, built: &Built, features: &[Feature]) {
    let (id, program) = (built.id, built.finished());
    let mut notes = Notes::default();
    let body = Entry { program, notes: &mut notes }.sequence(&program.entry);
    let name = ident(&id.to_string());
    let target_feature = target_feature(features);
    let bytes = number(program.batch_bytes);
    let item = ident(built.recipe.key_form.item());
    let doc = doc(&entry_doc(built, features));
    source.items(
        quote! {
            #doc
            #target_feature
            pub(crate) unsafe fn #name(
                rk: &[[#item; 16]],
                input: *const u8,
                output: *mut u8,
                batches: usize,
            ) {
                const BATCH_BYTES: usize = #bytes;
                #body
            }
        },
        &notes,
    );
}

fn entry_doc(built: &Built, features: &[Feature]) -> String {
    let keys = match built.recipe.key_form {
        KeyForm::Raw => "round keys as RFC 5794 writes them",
        KeyForm::Broadcast32 => "round keys, each byte as four equal bytes of a `u32`",
        KeyForm::Mapped32 => {
            "round keys in the form `mapped32`, each byte as four equal bytes of a `u32`"
        }
    };
    let batches = match built.id.blocks {
        1 => "blocks".to_owned(),
        n => format!("batches of {n} blocks"),
    };
    let names: Vec<&str> = features.iter().map(|f| f.name()).collect();
    format!(
        "Encrypts `batches` {batches}, or decrypts them, as `rk` says.\n\
         \n\
         `rk` holds 13, 15 or 17 {keys}.\n\
         \n\
         # Safety\n\
         \n\
         * The CPU must have {features}, and the operating system must save their registers.\n\
         * `input` must be valid for reads, and `output` for writes, of `batches` × {bytes} bytes, \
         at any alignment.\n\
         * `input` and `output` must be equal or not overlap.",
        features = names.join(", "),
        bytes = built.finished().batch_bytes,
    )
}

struct Entry<'a> {
    program: &'a Program<MachineOp>,
    notes: &'a mut Notes,
}

impl Entry<'_> {
    fn sequence(&mut self, control: &[Control]) -> TokenStream {
        let mut tokens = TokenStream::new();
        for (i, item) in control.iter().enumerate() {
            match item {
                Control::EachBatch(body) => {
                    let body = self.sequence(body);
                    let note = self.notes.note(KEYS_NOTE);
                    tokens.extend(quote! {
                        for batch in 0..batches {
                            #note
                            let [first, turns @ .., last] = black_box(rk) else { return };
                            #body
                        }
                    });
                }
                Control::Call(call) => {
                    let changed_next = match control.get(i + 1) {
                        Some(Control::AlternateRounds { odd, .. }) => odd.result == call.result,
                        _ => false,
                    };
                    tokens.extend(self.call(call, changed_next));
                }
                Control::AlternateRounds { odd, even } => tokens.extend(self.rounds(odd, even)),
            }
        }
        tokens
    }

    /// A call as one or more `let`s; the last is mutable when a loop after it changes the state.
    fn call(&mut self, call: &Call, changed_next: bool) -> TokenStream {
        let mut tokens = TokenStream::new();
        for time in 1..=call.times {
            let arg = if time == 1 { call.arg } else { call.result };
            let (safety, value) = self.expression(call, arg);
            tokens.extend(safety);
            tokens.extend(match call.result.map(ident) {
                None => quote! { #value; },
                Some(state) if changed_next && time == call.times => {
                    quote! { let mut #state = #value; }
                }
                Some(state) => quote! { let #state = #value; },
            });
        }
        tokens
    }

    fn rounds(&mut self, odd: &Call, even: &Call) -> TokenStream {
        let assignments = [odd, even].map(|call| {
            let (_, value) = self.expression(call, call.arg);
            let state = call.result.map(ident);
            quote! { #state = #value; }
        });
        let [odd, even] = assignments;
        quote! {
            let mut turns = turns.iter();
            while let Some(rk) = turns.next() {
                #odd
                let Some(rk) = turns.next() else { break };
                #even
            }
        }
    }

    /// The call expression, with the comment that an unsafe one needs before it.
    fn expression(
        &mut self,
        call: &Call,
        arg: Option<&'static str>,
    ) -> (Option<TokenStream>, TokenStream) {
        let routine = self.program.routine(call.routine);
        let name = ident(routine.name());
        let mut args: Vec<TokenStream> = Vec::new();
        if routine.reads_input() {
            args.push(quote! { input.add(batch * BATCH_BYTES) });
        }
        if routine.writes_output() {
            args.push(quote! { output.add(batch * BATCH_BYTES) });
        }
        if let Some(state) = arg {
            let state = ident(state);
            args.push(quote! { #state });
        }
        if let Some(key) = call.key.map(key_name) {
            args.push(quote! { #key });
        }
        let value = quote! { #name(#(#args),*) };
        if !routine.reads_input() && !routine.writes_output() {
            return (None, value);
        }
        let side = if routine.reads_input() { "input" } else { "output" };
        let safety = self.notes.note(format!(
            "SAFETY: `batch` is below `batches`, so this batch lies within the caller's {side}."
        ));
        (Some(safety), quote! { unsafe { #value } })
    }
}

fn key_name(key: KeyRef) -> Ident {
    ident(match key {
        KeyRef::First => "first",
        KeyRef::Turn => "rk",
        KeyRef::Last => "last",
    })
}
