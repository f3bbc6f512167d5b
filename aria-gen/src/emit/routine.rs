//! A routine as a Rust function: one instruction a `let`, in the order of the program.
//!
//! Functions that touch no memory but the round key are safe; `load` and `store` are unsafe, with
//! one unsafe block each. Every function is private, and called from one place or short enough that
//! the compiler inlines it wherever it is called; `tests/shape.rs` sees that it does.

use core::iter;
use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::items::{filled, hex_u8, ident, intrinsic, number, target_feature, vector_type};
use super::part::{self, NAME as QUADWORDS, lanes_of, part_name};
use super::source::{Notes, Source, blank, doc};
use crate::ir::{
    Constant, ConstantData, CounterPart, Form, MachineOp, Program, Routine, Stmt, Value,
};
use crate::isa::{Feature, Isa, Masked, Row};

/// Why constants are hidden from the optimiser, as the emitted code says it.
const HIDDEN_NOTE: &str = "Hidden from the optimiser, so that no register is held from round to \
    round while slices wait on the stack.";

/// How the routines of a file are written.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    /// The registers.
    pub(super) isa: Isa,
    /// The type of a round key's sixteen items.
    pub(super) key_item: &'a str,
    /// The features that each function enables.
    pub(super) features: &'a [Feature],
    /// How memory is accessed where only a part of the batch is there. If given, a routine that touches
    /// memory is written for parts of a batch, too.
    pub(super) masked: Option<&'static Masked>,
    /// The constants that are hidden from the compiler, by number.
    pub(super) hidden: &'a [usize],
}

/// Writes `routine` of `program` into `source`.
pub(super) fn emit_routine(
    source: &mut Source,
    program: &Program<MachineOp>,
    routine: &Routine<MachineOp>,
    look: Look<'_>,
) {
    let Look { isa, key_item, features, masked, hidden } = look;
    let whole = Function {
        program,
        routine,
        isa,
        key_item: ident(key_item),
        hidden,
        names: name_values(routine),
        masked: None,
    };
    let part = masked.filter(|_| whole.touches_memory());
    let part = part.map(|masked| Function { masked: Some(masked), ..whole.clone() });
    for function in iter::once(whole).chain(part) {
        let mut notes = Notes::default();
        let item = function.item(features, &mut notes);
        source.items(item, &notes);
    }
}

/// Writes the functions that fill a register lane by lane, those of them that `program` uses.
pub(super) fn emit_lanes(
    source: &mut Source,
    program: &Program<MachineOp>,
    isa: Isa,
    features: &[Feature],
) {
    let lanes = |constant: &Constant| matches!(constant.data, ConstantData::Lanes(_));
    if program.constants.iter().any(lanes) {
        source.items(register(program, isa, features), &Notes::default());
    }
    let used = |wanted: &dyn Fn(&MachineOp) -> bool| {
        program.routines.iter().flat_map(Routine::body).any(|stmt| wanted(&stmt.op))
    };
    let sixteen = |op: &MachineOp| match op {
        MachineOp::KeyLanes => true,
        MachineOp::Bytes { id } => !lanes(&program.constants[*id]),
        _ => false,
    };
    if used(&sixteen) {
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
    if used(&|op| op.form() == Form::MatrixPair) {
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

/// The function that fills a register with bytes that differ from lane to lane.
fn register(program: &Program<MachineOp>, isa: Isa, features: &[Feature]) -> TokenStream {
    let row = isa.row(Form::Bytes).expect("the pipeline has looked every instruction up");
    let (function, vector) = (intrinsic(row), vector_type(isa));
    let target_feature = target_feature(features);
    let halves = program.vector_bytes / 8;
    let count = number(halves);
    let quadwords = (0..halves).rev().map(|half| {
        let half = number(half);
        quote! { quadwords[#half] }
    });
    quote! {
        /// The bytes of each half of each 128-bit lane.
        #[inline]
        #target_feature
        fn register(halves: [[u8; 8]; #count]) -> #vector {
            let quadwords = halves.map(i64::from_le_bytes);
            #function(#(#quadwords),*)
        }
    }
}

#[derive(Clone)]
struct Function<'a> {
    program: &'a Program<MachineOp>,
    routine: &'a Routine<MachineOp>,
    isa: Isa,
    /// The type of a round key's items.
    key_item: Ident,
    /// The constants that are hidden from the compiler, by number.
    hidden: &'a [usize],
    names: Vec<Ident>,
    /// How memory is accessed, if only a part of the batch is there.
    masked: Option<&'static Masked>,
}

impl Function<'_> {
    fn item(&self, features: &[Feature], notes: &mut Notes) -> TokenStream {
        let routine = self.routine;
        let name = match self.masked {
            None => ident(routine.name()),
            Some(_) => part_name(routine.name()),
        };
        let vector = vector_type(self.isa);
        let target_feature = target_feature(features);
        let mut params = Vec::new();
        if routine.reads_input() {
            params.push(quote! { input: *const u8 });
        }
        if routine.writes_output() {
            params.push(quote! { output: *mut u8 });
        }
        if self.masked.is_some() {
            let quadwords = ident(QUADWORDS);
            params.push(quote! { #quadwords: u128 });
        }
        let mut prologue = TokenStream::new();
        if routine.reads_counter() {
            params.push(quote! { counter: &[u32; 16] });
        }
        if routine.reads_carried_counter() {
            params.push(quote! { carried: &[u32; 16] });
        }
        if !routine.params().is_empty() {
            let count = number(routine.params().len());
            params.push(quote! { state: [#vector; #count] });
            let values = self.list(routine.params());
            prologue.extend(quote! { let [#values] = state; });
        }
        if routine.reads_round_key() {
            let item = &self.key_item;
            let name = self.key_name();
            params.push(quote! { #name: &[#item; 16] });
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

    /// What its round key is called.
    fn key_name(&self) -> Ident {
        ident(if self.program.takes_initial_value(self.routine) { "iv" } else { "rk" })
    }

    fn touches_memory(&self) -> bool {
        self.routine.reads_input() || self.routine.writes_output()
    }

    fn doc_and_unsafety(&self) -> (TokenStream, TokenStream) {
        if !self.touches_memory() {
            return (doc(self.routine.doc()), TokenStream::new());
        }
        let (read, written) = (self.program.read_bytes(), self.program.output_bytes);
        let duty = match (self.routine.reads_input(), self.routine.writes_output()) {
            (true, false) => format!("* `input` must be valid for reads of {read} bytes."),
            (false, _) => format!("* `output` must be valid for writes of {written} bytes."),
            (true, true) => format!(
                "* `input` must be valid for reads of {read} bytes, `output` for writes of {written}."
            ),
        };
        let (part, duty) = match self.masked {
            None => (String::new(), duty),
            Some(_) => part::duty(self.routine.reads_input(), self.routine.writes_output()),
        };
        let text = format!("{}{part}\n\n# Safety\n\n{duty}", self.routine.doc());
        (doc(&text), quote! { unsafe })
    }

    /// The statements with a comment at each step, in an unsafe block if they touch memory.
    fn body(&self, prologue: TokenStream, notes: &mut Notes) -> TokenStream {
        let mut statements = TokenStream::new();
        let mut step = None;
        let mut said = false;
        for stmt in self.routine.body() {
            let title = &self.routine.steps()[stmt.step.index()];
            let before = step.replace(stmt.step);
            if before != Some(stmt.step) && !(before.is_none() && title.is_empty()) {
                let first = prologue.is_empty() && statements.is_empty();
                statements.extend((!first).then(blank));
                if !title.is_empty() {
                    statements.extend(notes.note(title));
                }
            }
            if self.hides(stmt) && !said {
                statements.extend(notes.note(HIDDEN_NOTE));
                said = true;
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
            (true, false) => self.program.read_bytes(),
            (false, true) => self.program.output_bytes,
            _ => usize::min(self.program.read_bytes(), self.program.output_bytes),
        };
        let safety = notes.note(match self.masked {
            None => format!(
                "SAFETY: every access lies within the {bytes} bytes that the caller answers for."
            ),
            Some(_) => part::SAFETY.to_owned(),
        });
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
                match self.masked {
                    None => quote! { #function(#pointer) },
                    Some(Masked { load, .. }) => {
                        let (load, lanes) = (ident(load), lanes_of(*offset));
                        quote! { #load(#lanes, #pointer) }
                    }
                }
            }
            MachineOp::Store { offset } => {
                let pointer = at(quote! { output }, *offset);
                match self.masked {
                    None => quote! { #function(#pointer, #(#args),*) },
                    Some(Masked { store, .. }) => {
                        let (store, lanes) = (ident(store), lanes_of(*offset));
                        quote! { #store(#pointer, #lanes, #(#args),*) }
                    }
                }
            }
            MachineOp::KeySplat32 { index, .. } => {
                let index = number(*index);
                quote! { #function(rk[#index].cast_signed()) }
            }
            MachineOp::CounterSplat32 { index, part } => {
                let index = number(*index);
                let word = match part {
                    CounterPart::Start => quote! { counter[#index] },
                    CounterPart::StartPlusKey => quote! { (counter[#index] ^ rk[#index]) },
                    CounterPart::Change => quote! { (counter[#index] ^ carried[#index]) },
                };
                quote! { #function(#word.cast_signed()) }
            }
            MachineOp::KeyLanes => {
                let name = self.key_name();
                quote! { lanes(*#name) }
            }
            MachineOp::MatrixPair { id } => {
                let name = ident(&self.program.constants[*id].name);
                quote! { halves(#name) }
            }
            MachineOp::Matrix { id } | MachineOp::Bytes { id } => {
                filled(self.isa, &self.program.constants[*id].data, &self.constant(*id))
            }
            MachineOp::ShiftLeft16 { count } | MachineOp::ShiftRight16 { count } => {
                let count = number(usize::from(*count));
                quote! { #function::<#count>(#(#args),*) }
            }
            MachineOp::LaneHigh => quote! { #function::<1>(#(#args),*) },
            MachineOp::And
            | MachineOp::Add8
            | MachineOp::AddSaturating8
            | MachineOp::SubtractSaturating8
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

    /// Whether the statement makes a register of a constant that is hidden.
    fn hides(&self, stmt: &Stmt<MachineOp>) -> bool {
        match stmt.op {
            MachineOp::Matrix { id } | MachineOp::Bytes { id } => self.hidden.contains(&id),
            _ => false,
        }
    }

    /// A constant's value, hidden from the compiler if it is one of those.
    fn constant(&self, id: usize) -> TokenStream {
        let name = ident(&self.program.constants[id].name);
        if self.hidden.contains(&id) {
            quote! { black_box(#name) }
        } else {
            quote! { #name }
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
