//! A routine as a Rust function: one instruction a `let`, in the order of the program.
//!
//! Functions that touch no memory but the round key are safe; `load` and `store` are unsafe, with
//! one unsafe block each. Every function is private, and called from one place or short enough that
//! the compiler inlines it wherever it is called; `tests/shape.rs` sees that it does.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::items::{hex_u8, ident, intrinsic, number, target_feature, vector_type};
use super::source::{Notes, Source, blank, doc};
use crate::ir::{Form, MachineOp, Program, Routine, Stmt, Value};
use crate::isa::{Feature, Isa, Row};

/// Writes `routine` of `program` into `source`; a round key has sixteen items of type `key_item`.
pub(super) fn emit_routine(
    source: &mut Source,
    program: &Program<MachineOp>,
    routine: &Routine<MachineOp>,
    isa: Isa,
    key_item: &str,
    features: &[Feature],
) {
    let mut notes = Notes::default();
    let names = name_values(routine);
    let function = Function { program, routine, isa, key_item: ident(key_item), names };
    let item = function.item(features, &mut notes);
    source.items(item, &notes);
}

/// Writes the functions that fill a register lane by lane, those of them that `program` uses.
pub(super) fn emit_lanes(
    source: &mut Source,
    program: &Program<MachineOp>,
    isa: Isa,
    features: &[Feature],
) {
    let uses = |forms: &[Form]| {
        let mut body = program.routines.iter().flat_map(Routine::body);
        body.any(|stmt| forms.contains(&stmt.op.form()))
    };
    if uses(&[Form::Bytes, Form::KeyLanes]) {
        let bytes: Vec<Ident> = (0..16_usize).map(|i| format_ident!("b{i}")).collect();
        let (low, high) = bytes.split_at(8);
        let item = fill(
            isa,
            features,
            "Sixteen bytes in each 128-bit lane.",
            quote! { lanes(bytes: [u8; 16]) },
            quote! {
                let [#(#bytes),*] = bytes;
                let low = i64::from_le_bytes([#(#low),*]);
                let high = i64::from_le_bytes([#(#high),*]);
            },
        );
        source.items(item, &Notes::default());
    }
    if uses(&[Form::MatrixPair]) {
        let item = fill(
            isa,
            features,
            "A word in the lower half of each 128-bit lane, and one in the upper.",
            quote! { halves(words: [u64; 2]) },
            quote! {
                let [low, high] = words;
                let low = low.cast_signed();
                let high = high.cast_signed();
            },
        );
        source.items(item, &Notes::default());
    }
}

/// A function that makes two signed words, `low` and `high`, and fills every lane with them.
fn fill(
    isa: Isa,
    features: &[Feature],
    meaning: &str,
    signature: TokenStream,
    words: TokenStream,
) -> TokenStream {
    let row = isa.row(Form::Bytes).expect("every target can fill a register");
    let (function, vector) = (intrinsic(row), vector_type(isa));
    let target_feature = target_feature(features);
    // The intrinsic takes the most significant half of the most significant lane first.
    let halves = (0..isa.width.lanes()).map(|_| quote! { high, low });
    let doc = doc(meaning);
    quote! {
        #doc
        #[inline]
        #target_feature
        fn #signature -> #vector {
            #words
            #function(#(#halves),*)
        }
    }
}

struct Function<'a> {
    program: &'a Program<MachineOp>,
    routine: &'a Routine<MachineOp>,
    isa: Isa,
    /// The type of a round key's items.
    key_item: Ident,
    names: Vec<Ident>,
}

impl Function<'_> {
    fn item(&self, features: &[Feature], notes: &mut Notes) -> TokenStream {
        let routine = self.routine;
        let name = ident(routine.name());
        let vector = vector_type(self.isa);
        let target_feature = target_feature(features);
        let mut params = Vec::new();
        if routine.reads_input() {
            params.push(quote! { input: *const u8 });
        }
        if routine.writes_output() {
            params.push(quote! { output: *mut u8 });
        }
        let mut prologue = TokenStream::new();
        if !routine.params().is_empty() {
            let count = number(routine.params().len());
            params.push(quote! { state: [#vector; #count] });
            let values = self.list(routine.params());
            prologue.extend(quote! { let [#values] = state; });
        }
        if routine.reads_round_key() {
            let item = &self.key_item;
            params.push(quote! { rk: &[#item; 16] });
        }
        let result = if routine.results().is_empty() {
            TokenStream::new()
        } else {
            let count = number(routine.results().len());
            quote! { -> [#vector; #count] }
        };
        let body = self.body(prologue, notes);
        let (doc, unsafety) = self.doc_and_unsafety();
        quote! {
            #doc
            #[inline]
            #target_feature
            #unsafety fn #name(#(#params),*) #result {
                #body
            }
        }
    }

    fn touches_memory(&self) -> bool {
        self.routine.reads_input() || self.routine.writes_output()
    }

    fn doc_and_unsafety(&self) -> (TokenStream, TokenStream) {
        if !self.touches_memory() {
            return (doc(self.routine.doc()), TokenStream::new());
        }
        let Program { batch_bytes: read, output_bytes: written, .. } = self.program;
        let duty = match (self.routine.reads_input(), self.routine.writes_output()) {
            (true, false) => format!("* `input` must be valid for reads of {read} bytes."),
            (false, _) => format!("* `output` must be valid for writes of {written} bytes."),
            (true, true) => format!(
                "* `input` must be valid for reads of {read} bytes, `output` for writes of {written}."
            ),
        };
        let text = format!("{}\n\n# Safety\n\n{duty}", self.routine.doc());
        (doc(&text), quote! { unsafe })
    }

    /// The statements with a comment at each step, in an unsafe block if they touch memory.
    fn body(&self, prologue: TokenStream, notes: &mut Notes) -> TokenStream {
        let mut statements = TokenStream::new();
        let mut step = None;
        for stmt in self.routine.body() {
            let title = &self.routine.steps()[stmt.step.index()];
            let before = step.replace(stmt.step);
            if before != Some(stmt.step) && !(before.is_none() && title.is_empty()) {
                statements.extend(blank());
                if !title.is_empty() {
                    statements.extend(notes.note(title));
                }
            }
            statements.extend(self.statement(stmt));
        }
        if !self.routine.results().is_empty() {
            let titled = self.routine.steps().iter().any(|title| !title.is_empty());
            statements.extend(titled.then(blank));
            let values = self.list(self.routine.results());
            statements.extend(quote! { [#values] });
        }
        if !self.touches_memory() {
            return quote! { #prologue #statements };
        }
        let bytes = match (self.routine.reads_input(), self.routine.writes_output()) {
            (true, false) => self.program.batch_bytes,
            (false, true) => self.program.output_bytes,
            _ => usize::min(self.program.batch_bytes, self.program.output_bytes),
        };
        let safety = notes.note(format!(
            "SAFETY: every access lies within the {bytes} bytes that the caller answers for."
        ));
        quote! {
            #prologue
            #safety
            unsafe { #statements }
        }
    }

    fn statement(&self, stmt: &Stmt<MachineOp>) -> TokenStream {
        let row = self.row(&stmt.op);
        let function = intrinsic(row);
        let args: Vec<&Ident> = stmt.args.iter().map(|v| &self.names[v.index()]).collect();
        let call = match &stmt.op {
            MachineOp::Load { offset } => {
                let pointer = at(quote! { input }, *offset);
                quote! { #function(#pointer) }
            }
            MachineOp::Store { offset } => {
                let pointer = at(quote! { output }, *offset);
                quote! { #function(#pointer, #(#args),*) }
            }
            MachineOp::KeySplat32 { index, .. } => {
                let index = number(*index);
                quote! { #function(rk[#index].cast_signed()) }
            }
            MachineOp::KeyLanes => quote! { lanes(*rk) },
            MachineOp::MatrixPair { id } => {
                let name = ident(&self.program.constants[*id].name);
                quote! { halves(#name) }
            }
            MachineOp::Matrix { id } => {
                let name = ident(&self.program.constants[*id].name);
                quote! { #function(#name.cast_signed()) }
            }
            MachineOp::Bytes { id } => {
                let name = ident(&self.program.constants[*id].name);
                quote! { lanes(#name) }
            }
            MachineOp::ShiftLeft16 { count } | MachineOp::ShiftRight16 { count } => {
                let count = number(usize::from(*count));
                quote! { #function::<#count>(#(#args),*) }
            }
            MachineOp::LaneHigh => quote! { #function::<1>(#(#args),*) },
            MachineOp::And
            | MachineOp::ShuffleBytes
            | MachineOp::AesEncryptLast { .. }
            | MachineOp::AesDecryptLast { .. }
            | MachineOp::LaneLow
            | MachineOp::JoinLanes
            | MachineOp::Xor
            | MachineOp::UnpackLow8
            | MachineOp::UnpackHigh8 => quote! { #function(#(#args),*) },
            // Truth table of an exclusive or of three: bit abc of the immediate is a ^ b ^ c.
            MachineOp::Xor3 => {
                let table = hex_u8(0x96);
                quote! { #function::<#table>(#(#args),*) }
            }
            MachineOp::Affine { constant } | MachineOp::AffineInverse { constant } => {
                let constant = hex_u8(*constant);
                quote! { #function::<#constant>(#(#args),*) }
            }
        };
        match stmt.result {
            Some(result) => {
                let name = &self.names[result.index()];
                quote! { let #name = #call; }
            }
            None => quote! { #call; },
        }
    }

    fn row(&self, op: &MachineOp) -> &'static Row {
        self.isa.row_of(op).expect("the pipeline has looked every instruction up")
    }

    fn list(&self, values: &[Value]) -> TokenStream {
        let names = values.iter().map(|v| &self.names[v.index()]);
        quote! { #(#names),* }
    }
}

/// `base` moved on by `offset` bytes, as a pointer to a vector.
fn at(base: TokenStream, offset: usize) -> TokenStream {
    if offset == 0 {
        return quote! { #base.cast() };
    }
    let offset = number(offset);
    quote! { #base.add(#offset).cast() }
}

/// A name for each value: its role, with a number from the second value of that role on, in the
/// order of definition.
fn name_values(routine: &Routine<MachineOp>) -> Vec<Ident> {
    let mut names = vec![ident("undefined"); routine.value_count()];
    let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
    let defined = routine.body().iter().filter_map(|stmt| stmt.result);
    for value in routine.params().iter().copied().chain(defined) {
        let role = routine.role(value);
        let count = taken.entry(role).or_default();
        *count += 1;
        names[value.index()] = match *count {
            1 => ident(role),
            n => format_ident!("{role}_{n}"),
        };
    }
    names
}
