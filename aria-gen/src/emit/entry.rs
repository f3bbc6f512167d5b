//! A kernel's entry point: the program's control flow as Rust.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::items::{filled, ident, number, target_feature};
use super::part::{self, masked_for, part_name, quadwords_of_blocks};
use super::source::{Notes, Source, doc};
use crate::ir::{Call, Control, Counter, KeyRef, MachineOp, Program};
use crate::isa::{Feature, Width};
use crate::kernel::{Frame, KeyForm};
use crate::pipeline::Built;
use crate::spec::aria::{BLOCK_BYTES, MAX_ROUND_KEYS};

/// Why round keys are hidden from the optimiser, as the emitted code says it.
const KEYS_NOTE: &str = "Hidden from the optimiser, round keys are read anew for each batch. \
    Made ready once before the loop, they would be spilled: no faster, and keys on the stack.";

/// Why a register is put on the stack before the loop, as the emitted code says it.
const FRAME_NOTE: &str = "Where a whole register lies on the stack, the compiler aligns the frame. Else \
    slices that wait there may straddle cache lines, as the caller's stack has it.";

/// Over what an entry point goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// Whole batches, as many as the caller says.
    Batches,
    /// The first blocks of one batch.
    Part,
}

/// Why batches go from the last to the first, as the emitted code says it.
const ORDER_NOTE: &str = "From the last to the first: in place, a batch overwrites the blocks that the \
    one behind it adds.";

/// Writes the entry points of a kernel into `source`.
pub(super) fn emit_entry(source: &mut Source, built: &Built, features: &[Feature]) {
    emit_extent(source, built, features, Extent::Batches);
    if masked_for(built.finished(), built.isa).is_some() {
        emit_extent(source, built, features, Extent::Part);
    }
}

fn emit_extent(source: &mut Source, built: &Built, features: &[Feature], extent: Extent) {
    let (id, program) = (built.id, built.finished());
    let mut notes = Notes::default();
    let frame = match extent {
        Extent::Batches => aligned_frame(built, &mut notes),
        Extent::Part => None,
    };
    let mut entry = Entry { program, extent, in_batch: false, notes: &mut notes };
    let body = entry.sequence(&program.entry);
    let counts = extent == Extent::Batches;
    let (param, start) = match program.counter {
        None => (None, None),
        Some(Counter::Whole) => {
            (Some(quote! { counter: u128, }), counts.then(|| quote! { let mut counter = counter; }))
        }
    };
    let initial = program.chain().map(|_| quote! { iv: &[u8; 16], });
    let target_feature = target_feature(features);
    let item = ident(built.recipe.key_form.item());
    let (read, written) = (number(program.batch_bytes), number(program.output_bytes));
    let sizes = if program.batch_bytes == program.output_bytes {
        quote! { const BATCH_BYTES: usize = #read; }
    } else {
        quote! {
            const INPUT_BYTES: usize = #read;
            const OUTPUT_BYTES: usize = #written;
        }
    };
    let (name, count, start, text) = match extent {
        Extent::Batches => (
            ident(&id.to_string()),
            ident("batches"),
            quote! { #sizes #start },
            entry_doc(built, features),
        ),
        Extent::Part => {
            (part_name(&id.to_string()), ident("count"), quadwords_of_blocks(), part_doc(built))
        }
    };
    let doc = doc(&text);
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
                #initial
                #param
                input: *const u8,
                output: *mut u8,
                #count: usize,
            ) {
                #start
                #frame
                #body
            }
        },
        &notes,
    );
}

/// A statement that makes the compiler align the stack frame to the width of a register, in kernels that
/// keep slices there. The ABI aligns to 16 bytes, and LLVM alone does not ask for more: AVX2 kernels
/// took 2 to 5 % longer at some places of the stack, and 1.8 times as long where a slot straddled pages.
fn aligned_frame(built: &Built, notes: &mut Notes) -> Option<TokenStream> {
    let program = built.finished();
    if built.isa.width == Width::Xmm {
        return None;
    }
    let constant = &program.constants[*built.hidden().first()?];
    let name = ident(&constant.name);
    let register = filled(built.isa, &constant.data, &quote! { #name });
    let note = notes.note(FRAME_NOTE);
    Some(quote! { #note let _ = black_box(#register); })
}

fn part_doc(built: &Built) -> String {
    format!(
        "The same over `count` blocks, fewer than {} and at least one.\n\
         \n\
         # Safety\n\
         \n\
         * The CPU and its operating system as for whole batches.\n\
         * `input` must be valid for reads, and `output` for writes, of `count` × {BLOCK_BYTES} bytes, at \
         any alignment; `count` must be as said.\n\
         * `input` and `output` must be equal or not overlap.",
        built.id.blocks
    )
}

fn entry_doc(built: &Built, features: &[Feature]) -> String {
    let keys = match built.recipe.key_form {
        KeyForm::Raw => "round keys as RFC 5794 writes them",
        KeyForm::Broadcast32 => "round keys, each byte as four equal bytes of a `u32`",
        KeyForm::Mapped32 => {
            "round keys in the form `mapped32`, each byte as four equal bytes of a `u32`"
        }
        KeyForm::Planes | KeyForm::SpreadPlanes => unreachable!("forms of kernels on words"),
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
        Frame::Ctr => (
            format!(
                "Adds the keystream to `batches` {batches}: to each block the image of its counter. \
                 That of the first block is `counter`; each later one is one more, modulo 2¹²⁸."
            ),
            format!("`rk` holds 13, 15 or 17 {keys}."),
        ),
        Frame::CbcDec => (
            format!(
                "Decrypts `batches` {batches} by cipher block chaining: to the image of each block of \
                 the input but the first, the block before it is added."
            ),
            format!("`rk` holds 13, 15 or 17 {keys}, for decryption."),
        ),
        Frame::CfbDec => (
            format!(
                "Decrypts `batches` {batches} by cipher feedback: to each block of the input but the \
                 first, the image of the block before it is added."
            ),
            format!("`rk` holds 13, 15 or 17 {keys}, for encryption."),
        ),
        Frame::CbcEnc => (
            format!(
                "Encrypts `batches` {batches} by cipher block chaining: to each block the image of the \
                 one before is added, `iv` to the first, and the image of the sum is written. The last \
                 is the `iv` of what follows."
            ),
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
    let overlap = built.finished().overlap;
    let regions = if overlap > 0 {
        format!(
            "* `input` must be valid for reads of {overlap} + `batches` × {batch_bytes} bytes, and \
             `output` for writes of `batches` × {output_bytes}, at any alignment.\n\
             * `output` must be `input` + {overlap}, or they must not overlap."
        )
    } else if batch_bytes == output_bytes {
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
    extent: Extent,
    /// Whether what is written stands in the loop over batches.
    in_batch: bool,
    notes: &'a mut Notes,
}

impl Entry<'_> {
    fn sequence(&mut self, control: &[Control]) -> TokenStream {
        let mut tokens = TokenStream::new();
        for (i, item) in control.iter().enumerate() {
            match item {
                Control::EachBatch(body) => {
                    self.in_batch = true;
                    let body = self.sequence(body);
                    self.in_batch = false;
                    let blocks = number(self.program.batch_blocks());
                    let next = self.program.counter.map(|Counter::Whole| {
                        quote! { counter = counter.wrapping_add(#blocks); }
                    });
                    let order = match self.program.overlap {
                        0 => quote! { 0..batches },
                        _ => quote! { (0..batches).rev() },
                    };
                    let note = (self.program.overlap > 0).then(|| self.notes.note(ORDER_NOTE));
                    let (before, within) = self.keys();
                    if self.extent == Extent::Part {
                        tokens.extend(quote! { #before #within #body });
                        continue;
                    }
                    tokens.extend(quote! {
                        #before
                        #note
                        for batch in #order {
                            #within
                            #body
                            #next
                        }
                    });
                }
                Control::ByCarry { alike, .. } => {
                    let state = alike.result.map(ident);
                    let key = alike.key.map(key_name);
                    // The rounds change it.
                    tokens.extend(quote! { let mut #state = counters(counter, #key); });
                }
                Control::Call(call) => {
                    let changes = changed_by(control.get(i + 1), call.result);
                    tokens.extend(self.call(call, changes));
                }
                Control::Join { routine, state, chain } => {
                    let routine = self.program.routine(*routine);
                    let name = ident(routine.name());
                    let own = routine.results().len();
                    let args = (0..routine.params().len()).map(|i| {
                        let (from, i) = if i < own { (*state, i) } else { (*chain, i - own) };
                        let (from, i) = (ident(from), number(i));
                        quote! { #from[#i] }
                    });
                    let value = quote! { #name([#(#args),*]) };
                    let changes = changed_by(control.get(i + 1), Some(*state));
                    let mutable = changes.then(|| quote! { mut });
                    let state = ident(state);
                    tokens.extend(quote! { let #mutable #state = #value; });
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
            None if self.extent == Extent::Part => {
                let split = quote! { let [first, turns @ .., last] = rk else { return }; };
                (TokenStream::new(), split)
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

    /// A call as one or more `let`s; the last is mutable when a loop after it changes the state. The
    /// state that goes from batch to batch is made before the loop, and changed in it.
    fn call(&mut self, call: &Call, changed_next: bool) -> TokenStream {
        let mut tokens = TokenStream::new();
        for time in 1..=call.times {
            let arg = if time == 1 { call.arg } else { call.result };
            let (safety, value) = self.expression(call, arg);
            tokens.extend(safety);
            tokens.extend(match call.result.map(ident) {
                None => quote! { #value; },
                Some(state) if self.program.chain() == call.result => match self.in_batch {
                    true => quote! { #state = #value; },
                    false => quote! { let mut #state = #value; },
                },
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
        let touches_memory = routine.reads_input() || routine.writes_output();
        let part = touches_memory && self.extent == Extent::Part;
        let name = if part { part_name(routine.name()) } else { ident(routine.name()) };
        let mut args: Vec<TokenStream> = Vec::new();
        if routine.reads_input() {
            args.push(self.region("input", "INPUT_BYTES"));
        }
        if routine.writes_output() {
            args.push(self.region("output", "OUTPUT_BYTES"));
        }
        if part {
            let quadwords = ident(part::NAME);
            args.push(quote! { #quadwords });
        }
        if let Some(state) = arg {
            let state = ident(state);
            args.push(quote! { #state });
        }
        if let Some(key) = call.key.map(key_name) {
            args.push(quote! { #key });
        }
        let value = quote! { #name(#(#args),*) };
        if !touches_memory {
            return (None, value);
        }
        let side = if routine.reads_input() { "input" } else { "output" };
        let safety = self.notes.note(match self.extent {
            Extent::Batches => format!(
                "SAFETY: `batch` is below `batches`, so this batch lies within the caller's {side}."
            ),
            Extent::Part => {
                format!("SAFETY: the bits set are those of the blocks of the caller's {side}.")
            }
        });
        (Some(safety), quote! { unsafe { #value } })
    }

    /// Where a region of the batch begins. It moves on with each batch by a constant, `own` where the
    /// regions differ.
    fn region(&self, name: &str, own: &str) -> TokenStream {
        let name = ident(name);
        let alike = self.program.batch_bytes == self.program.output_bytes;
        let stride = ident(if alike { "BATCH_BYTES" } else { own });
        match self.extent {
            Extent::Batches => quote! { #name.add(batch * #stride) },
            Extent::Part => quote! { #name },
        }
    }
}

/// Whether what comes next changes a state.
fn changed_by(next: Option<&Control>, state: Option<&str>) -> bool {
    matches!(next, Some(Control::AlternateRounds { odd, .. }) if odd.result == state)
}

fn key_name(key: KeyRef) -> Ident {
    match key {
        KeyRef::Initial => ident("iv"),
        KeyRef::First => ident("first"),
        KeyRef::Turn => ident("rk"),
        KeyRef::Last => ident("last"),
        KeyRef::Nth(number) => format_ident!("ck{}", number + 1),
    }
}
