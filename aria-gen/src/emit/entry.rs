//! A kernel's entry point: the program's control flow as Rust.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::items::{ident, number, target_feature};
use super::source::{Notes, Source, doc};
use crate::ir::{Call, Control, KeyRef, MachineOp, Program};
use crate::isa::Feature;
use crate::kernel::{Frame, KeyForm};
use crate::pipeline::Built;
use crate::spec::aria::MAX_ROUND_KEYS;

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
    let item = ident(built.recipe.key_form.item());
    let doc = doc(&entry_doc(built, features));
    let (read, written) = (number(program.batch_bytes), number(program.output_bytes));
    let sizes = if program.batch_bytes == program.output_bytes {
        quote! { const BATCH_BYTES: usize = #read; }
    } else {
        quote! {
            const INPUT_BYTES: usize = #read;
            const OUTPUT_BYTES: usize = #written;
        }
    };
    let keys = match program.fixed_keys() {
        Some(count) => {
            let count = number(count);
            quote! { ck: &[[#item; 16]; #count] }
        }
        None => quote! { rk: &[[#item; 16]] },
    };
    source.items(
        quote! {
            #doc
            #target_feature
            pub(crate) unsafe fn #name(
                #keys,
                input: *const u8,
                output: *mut u8,
                batches: usize,
            ) {
                #sizes
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
    let Program { batch_bytes, output_bytes, .. } = built.finished();
    let (does, keys) = match built.id.frame {
        Frame::Ecb => (
            format!("Encrypts `batches` {batches}, or decrypts them, as `rk` says."),
            format!("`rk` holds 13, 15 or 17 {keys}."),
        ),
        Frame::Keys => (
            format!(
                "Expands `batches` master keys of {batch_bytes} bytes each, padded with zeros, to \
                 {MAX_ROUND_KEYS} encryption round keys and A of each."
            ),
            "`ck` holds CK1, CK2 and CK3 in the order for the size of the master key.".to_owned(),
        ),
    };
    let names: Vec<&str> = features.iter().map(|f| f.name()).collect();
    let regions = if batch_bytes == output_bytes {
        format!(
            "* `input` must be valid for reads, and `output` for writes, of `batches` × {batch_bytes} \
             bytes, at any alignment.\n\
             * `input` and `output` must be equal or not overlap."
        )
    } else {
        format!(
            "* `input` must be valid for reads of `batches` × {batch_bytes} bytes, and `output` for \
             writes of `batches` × {output_bytes}, at any alignment.\n\
             * `input` and `output` must not overlap."
        )
    };
    format!(
        "{does}\n\
         \n\
         {keys}\n\
         \n\
         # Safety\n\
         \n\
         * The CPU must have {features}, and the operating system must save their registers.\n\
         {regions}",
        features = names.join(", "),
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
                    let (before, within) = self.keys();
                    tokens.extend(quote! {
                        #before
                        for batch in 0..batches {
                            #within
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

    /// How round keys are named: before the loop over batches, and in each batch.
    fn keys(&mut self) -> (TokenStream, TokenStream) {
        match self.program.fixed_keys() {
            // Public constants, which may stay in registers.
            Some(count) => {
                let names = (0..count).map(|number| key_name(KeyRef::Nth(number)));
                (quote! { let [#(#names),*] = ck; }, TokenStream::new())
            }
            None => {
                let note = self.notes.note(KEYS_NOTE);
                let split = quote! {
                    #note
                    let [first, turns @ .., last] = black_box(rk) else { return };
                };
                (TokenStream::new(), split)
            }
        }
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
            let bytes = self.stride("INPUT_BYTES");
            args.push(quote! { input.add(batch * #bytes) });
        }
        if routine.writes_output() {
            let bytes = self.stride("OUTPUT_BYTES");
            args.push(quote! { output.add(batch * #bytes) });
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

    /// The constant by which a region moves on with each batch, `own` where the regions differ.
    fn stride(&self, own: &str) -> Ident {
        let alike = self.program.batch_bytes == self.program.output_bytes;
        ident(if alike { "BATCH_BYTES" } else { own })
    }
}

fn key_name(key: KeyRef) -> Ident {
    match key {
        KeyRef::First => ident("first"),
        KeyRef::Turn => ident("rk"),
        KeyRef::Last => ident("last"),
        KeyRef::Nth(number) => format_ident!("ck{}", number + 1),
    }
}
