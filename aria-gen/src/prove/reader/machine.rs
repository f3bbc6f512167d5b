//! The machine that executes: variables, calls, statements and loops.
//!
//! **Batch loops.** Over an unknown number of batches, `for batch in 0..batches` is followed once,
//! with `batch` = b unknown. That proves every batch by induction when nothing but memory passes from
//! one batch to the next: so no variable from outside the loop may change in it, nothing may leave it
//! early, and memory (see [`Memory`]) gives each batch its own bytes. There are two exceptions, of which the
//! loop's invariant is known: an unknown counter, which moves on by the blocks of a batch, and a chaining
//! value, which is the block written last (see `chain`). There is one such loop in an execution. The `for`
//! itself starts at 0 and adds 1, as Rust defines it, or with `.rev()` takes the same numbers from the last
//! to the first; where windows of batches overlap it must.

use syn::spanned::Spanned;
use syn::{Block, Expr, ExprForLoop, ExprWhile, FnArg, Ident, Item, ItemConst, ReturnType, Stmt};

use super::super::columns;
use super::super::domain::{Columns, Domain, Refusal};
use super::super::fault::Cause;
use super::super::memory::{Linear, Memory, Placement};
use super::chain::{Chain, UnknownChain};
use super::counter::UnknownCounter;
use super::program::line;
use super::value::{Pointer, Type};
use super::{Arguments, Program, Value};

/// Expressions evaluated in an execution; a batch of the largest kernel takes some 20 000.
const STEPS: u64 = 2_000_000;

/// Why an evaluation has no value.
pub(super) enum Interrupt<B> {
    Break,
    Return(Value<B>),
    Fault(usize, Cause),
}

pub(super) type Step<T, B> = Result<T, Interrupt<B>>;

/// Gives a cause the line of the node at which it arose.
pub(super) trait At<T> {
    fn at<B>(self, node: &impl Spanned) -> Step<T, B>;
}

impl<T, E: Into<Cause>> At<T> for Result<T, E> {
    fn at<B>(self, node: &impl Spanned) -> Step<T, B> {
        self.map_err(|cause| Interrupt::Fault(line(node), cause.into()))
    }
}

/// Refuses a node, quoting its first line, if it has text.
pub(super) fn unsupported<T, B>(node: &impl Spanned) -> Step<T, B> {
    let text = node.span().source_text().unwrap_or_default();
    let quoted = match text.lines().next() {
        Some(first) if !first.is_empty() => format!("`{first}`"),
        _ => "what stands here".to_owned(),
    };
    Err(Cause::Unsupported(quoted)).at(node)
}

struct Binding<'p, B> {
    name: &'p Ident,
    value: Value<B>,
    mutable: bool,
}

pub(super) struct Machine<'p, 'd, D: Domain> {
    pub(super) program: &'p Program,
    pub(super) domain: &'d mut D,
    pub(super) memory: Memory<D::Byte>,
    /// Variables, the innermost last.
    bindings: Vec<Binding<'p, D::Byte>>,
    /// Where the variables of the function begin.
    frame: usize,
    /// Names of the functions in execution.
    active: Vec<&'p Ident>,
    /// Where the variables of the batch loop begin, once it was entered.
    batch_loop: Option<usize>,
    /// Whether the body of the batch loop is being followed.
    pub(super) in_batch: bool,
    /// Whether a part of a batch is followed, so that accesses of whole registers reach too far.
    in_part: bool,
    /// What stands for the counter where it is unknown.
    pub(super) unknown_counter: Option<UnknownCounter<D::Byte>>,
    /// What stands for the chaining value where it is unknown.
    pub(super) unknown_chain: Option<UnknownChain<D::Byte>>,
    /// The variables that hold it, in the batch loop.
    pub(super) chains: Vec<Chain>,
    /// Whether a function of the counter is followed for one of its last bytes. It may not touch
    /// memory, which has but one content.
    pub(super) in_case: bool,
    steps: u64,
}

impl<'p, 'd, D: Domain> Machine<'p, 'd, D> {
    pub(super) fn new(
        program: &'p Program,
        domain: &'d mut D,
        memory: Memory<D::Byte>,
        unknown_counter: Option<UnknownCounter<D::Byte>>,
    ) -> Self {
        Self {
            program,
            domain,
            memory,
            bindings: Vec::new(),
            frame: 0,
            active: Vec::new(),
            batch_loop: None,
            in_batch: false,
            in_part: false,
            unknown_counter,
            unknown_chain: None,
            chains: Vec::new(),
            in_case: false,
            steps: 0,
        }
    }

    /// Sees that memory may be touched without a mask.
    pub(super) fn unmasked(&self) -> Result<(), Cause> {
        if self.in_part {
            let text = "it touches a whole register's memory, of which only a part is the caller's";
            return Err(Cause::Contract(text.to_owned()));
        }
        Ok(())
    }

    pub(super) fn into_memory(self) -> Memory<D::Byte> {
        self.memory
    }

    /// Calls the function from outside.
    pub(super) fn enter(
        &mut self,
        name: &str,
        arguments: &Arguments<D::Byte>,
    ) -> Result<(), (usize, Cause)> {
        let undefined = || (1, Cause::Undefined(name.to_owned()));
        let function = self.program.function(name).ok_or_else(undefined)?;
        let mut args = Vec::new();
        for input in &function.sig.inputs {
            let FnArg::Typed(param) = input else { return Err(undefined()) };
            let at_line = |cause| (line(param), cause);
            let pointer = |region| {
                let address = Linear::constant(0);
                Value::Pointer(Pointer { region, address, to_bytes: true })
            };
            args.push(match Type::read(&param.ty).map_err(at_line)? {
                Type::Pointer(region) => pointer(region),
                Type::Usize => arguments.batches.clone(),
                Type::Word { bytes: 16, signed: false } => arguments.counter.clone(),
                ty => match &arguments.initial {
                    Some(initial) if ty.bytes() == Some(16) => initial.value.clone(),
                    _ => arguments.keys.clone(),
                },
            });
        }
        // A part of a batch has no loop around it.
        self.in_part = matches!(arguments.batches, Value::Part(_));
        self.in_batch = self.in_part;
        match self.call(&function.sig.ident, args, &function.sig.ident) {
            Ok(_) => Ok(()),
            Err(Interrupt::Fault(line, cause)) => Err((line, cause)),
            Err(Interrupt::Break | Interrupt::Return(_)) => {
                Err((1, Cause::Unsupported("this `break`".to_owned())))
            }
        }
    }

    /// Calls a function of the file; `node` is what the call is blamed on.
    ///
    /// Where the domain refuses a product in it, and its arguments are words, which give it no way to
    /// memory, it is proved by its columns instead; a function that is not may be part of one that is.
    pub(super) fn call(
        &mut self,
        name: &Ident,
        args: Vec<Value<D::Byte>>,
        node: &impl Spanned,
    ) -> Step<Value<D::Byte>, D::Byte> {
        let columns = if D::BY_COLUMNS { columns::Call::new(self.domain, &args) } else { None };
        match (self.follow(name, args, node), columns) {
            (Err(Interrupt::Fault(line, cause)), Some(call))
                if cause == Cause::Refused(Refusal::Product) =>
            {
                self.by_columns(name, &call).ok_or(Interrupt::Fault(line, cause))
            }
            (result, _) => result,
        }
    }

    /// What a function does to the columns of its arguments.
    fn by_columns(
        &mut self,
        name: &Ident,
        call: &columns::Call<D::Byte>,
    ) -> Option<Value<D::Byte>> {
        let mut domain = Columns;
        let memory = Memory::whole(Placement::Apart, Vec::new(), 0);
        let mut machine = Machine::new(self.program, &mut domain, memory, None);
        let result = machine.call(name, call.arguments(), name).ok()?;
        self.steps += machine.steps;
        call.result(self.domain, &result)
    }

    /// Executes a function of the file.
    fn follow(
        &mut self,
        name: &Ident,
        args: Vec<Value<D::Byte>>,
        node: &impl Spanned,
    ) -> Step<Value<D::Byte>, D::Byte> {
        let Some(function) = self.program.function(&name.to_string()) else {
            return Err(Cause::Undefined(name.to_string())).at(node);
        };
        let signature = &function.sig;
        let plain = signature.generics.params.is_empty() && signature.inputs.len() == args.len();
        if !plain || signature.asyncness.is_some() || self.active.contains(&&signature.ident) {
            return unsupported(node);
        }
        let start = self.bindings.len();
        for (input, value) in signature.inputs.iter().zip(args) {
            let FnArg::Typed(param) = input else { return unsupported(input) };
            let value = Type::read(&param.ty).and_then(|ty| ty.conform(self.domain, value));
            let value = value.at(param)?;
            self.bind(&param.pat, value)?;
        }
        let frame = core::mem::replace(&mut self.frame, start);
        self.active.push(&signature.ident);
        let result = match self.block(&function.block) {
            Err(Interrupt::Return(value)) => Ok(value),
            result => result,
        };
        self.active.pop();
        self.frame = frame;
        self.bindings.truncate(start);
        match &signature.output {
            ReturnType::Default => result,
            ReturnType::Type(_, ty) => {
                let value = result?;
                Type::read(ty).and_then(|ty| ty.conform(self.domain, value)).at(signature)
            }
        }
    }

    /// Makes a variable.
    pub(super) fn define(
        &mut self,
        name: &'p Ident,
        value: Value<D::Byte>,
        mutable: bool,
    ) -> Step<(), D::Byte> {
        // A pattern with the name of a constant would compare, not bind.
        let text = name.to_string();
        if self.program.is_item(&text) || text.starts_with(char::is_uppercase) {
            return unsupported(name);
        }
        self.bindings.push(Binding { name, value, mutable });
        Ok(())
    }

    /// How many variables there are now.
    pub(super) fn bindings_len(&self) -> usize {
        self.bindings.len()
    }

    /// Ends the variables made since there were so many.
    pub(super) fn forget(&mut self, since: usize) {
        self.bindings.truncate(since);
    }

    /// The value of this variable, if it may change.
    pub(super) fn changeable(&mut self, variable: usize) -> Option<&mut Value<D::Byte>> {
        self.bindings.get_mut(variable).filter(|b| b.mutable).map(|binding| &mut binding.value)
    }

    /// The value of this variable, which has none afterwards.
    pub(super) fn taken_away(&mut self, variable: usize) -> Value<D::Byte> {
        core::mem::replace(&mut self.bindings[variable].value, Value::Unit)
    }

    /// The name of this variable.
    pub(super) fn name_of(&self, variable: usize) -> &'p Ident {
        self.bindings[variable].name
    }

    /// The value of a variable of the function, if there is one.
    pub(super) fn variable(&self, name: &Ident) -> Option<&Value<D::Byte>> {
        let own = self.bindings[self.frame..].iter();
        own.rev().find(|binding| binding.name == name).map(|binding| &binding.value)
    }

    /// The place of a variable that may change here.
    pub(super) fn place(&mut self, name: &Ident) -> Step<&mut Value<D::Byte>, D::Byte> {
        let own = &self.bindings[self.frame..];
        let Some(i) = own.iter().rposition(|binding| binding.name == name) else {
            return Err(Cause::Undefined(name.to_string())).at(name);
        };
        let i = i + self.frame;
        let counts = self.bindings[i].value.is_counter();
        let chains = self.chains.iter().any(|chain| chain.variable == i);
        if self.batch_loop.is_some_and(|inside| i < inside) && !counts && !chains {
            let cause = Cause::Induction(format!("carries `{name}` from batch to batch"));
            return Err(cause).at(name);
        }
        let binding = &mut self.bindings[i];
        if binding.mutable { Ok(&mut binding.value) } else { unsupported(name) }
    }

    /// The value of a constant of the file.
    pub(super) fn constant(&mut self, item: &'p ItemConst) -> Step<Value<D::Byte>, D::Byte> {
        // It sees no variables.
        let frame = core::mem::replace(&mut self.frame, self.bindings.len());
        let value = self.evaluate(&item.expr);
        self.frame = frame;
        let value = value?;
        Type::read(&item.ty).and_then(|ty| ty.conform(self.domain, value)).at(item)
    }

    pub(super) fn step(&mut self, node: &Expr) -> Step<(), D::Byte> {
        self.steps += 1;
        if self.steps > STEPS { Err(Cause::Endless(STEPS)).at(node) } else { Ok(()) }
    }

    pub(super) fn block(&mut self, block: &'p Block) -> Step<Value<D::Byte>, D::Byte> {
        let start = self.bindings.len();
        let result = self.statements(block);
        self.bindings.truncate(start);
        result
    }

    fn statements(&mut self, block: &'p Block) -> Step<Value<D::Byte>, D::Byte> {
        // Constants are visible in the whole block.
        for stmt in &block.stmts {
            match stmt {
                Stmt::Item(Item::Const(item)) if !self.program.is_item(&item.ident.to_string()) => {
                    let value = self.constant(item)?;
                    self.bindings.push(Binding { name: &item.ident, value, mutable: false });
                }
                Stmt::Item(item) => return unsupported(item),
                _ => {}
            }
        }
        let mut last = Value::Unit;
        for stmt in &block.stmts {
            last = Value::Unit;
            match stmt {
                Stmt::Local(local) => self.local(local)?,
                Stmt::Expr(expr, None) => last = self.evaluate(expr)?,
                Stmt::Expr(expr, Some(_)) => drop(self.evaluate(expr)?),
                Stmt::Item(_) => {}
                Stmt::Macro(stmt) => return unsupported(stmt),
            }
        }
        Ok(last)
    }

    fn local(&mut self, local: &'p syn::Local) -> Step<(), D::Byte> {
        let Some(init) = &local.init else { return unsupported(local) };
        let value = self.evaluate(&init.expr)?;
        let start = self.bindings.len();
        if self.bind(&local.pat, value)? {
            return Ok(());
        }
        self.bindings.truncate(start);
        match &init.diverge {
            Some((_, diverge)) => {
                self.evaluate(diverge)?;
                unsupported(&**diverge)
            }
            None => unsupported(local),
        }
    }

    /// `while let pattern = expression { … }`
    pub(super) fn while_loop(&mut self, node: &'p ExprWhile) -> Step<Value<D::Byte>, D::Byte> {
        let Expr::Let(condition) = &*node.cond else { return unsupported(node) };
        if node.label.is_some() {
            return unsupported(node);
        }
        let start = self.bindings.len();
        loop {
            let value = self.evaluate(&condition.expr)?;
            let again = self.bind(&condition.pat, value)? && self.iteration(&node.body)?;
            self.bindings.truncate(start);
            if !again {
                return Ok(Value::Unit);
            }
        }
    }

    pub(super) fn for_loop(&mut self, node: &'p ExprForLoop) -> Step<Value<D::Byte>, D::Byte> {
        if node.label.is_some() {
            return unsupported(node);
        }
        let (first, end, descends) = match self.evaluate(&node.expr)? {
            Value::Range(first, None) => return self.batches(node, first, false),
            Value::Reversed(first, None) => return self.batches(node, first, true),
            Value::Range(first, Some(end)) => (first, end, false),
            Value::Reversed(first, Some(end)) => (first, end, true),
            other => return Err(other.mismatch("a range")).at(&*node.expr),
        };
        let (Some(first), Some(end)) = (first.known(), end.known()) else {
            let cause = Cause::Induction("depends on the index of the batch".to_owned());
            return Err(cause).at(&*node.expr);
        };
        let start = self.bindings.len();
        for taken in first..end {
            let number = if descends { end - 1 - (taken - first) } else { taken };
            self.step(&node.expr)?;
            self.bind(&node.pat, Value::number(number))?;
            let again = self.iteration(&node.body)?;
            self.bindings.truncate(start);
            if !again {
                break;
            }
        }
        Ok(Value::Unit)
    }

    /// One iteration of a loop; false when it ended with `break`.
    fn iteration(&mut self, body: &'p Block) -> Step<bool, D::Byte> {
        match self.block(body) {
            Ok(_) => Ok(true),
            Err(Interrupt::Break) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// The loop over all batches: one of them.
    fn batches(
        &mut self,
        node: &'p ExprForLoop,
        first: Linear,
        descends: bool,
    ) -> Step<Value<D::Byte>, D::Byte> {
        let induction = |why: &str| Err(Cause::Induction(why.to_owned())).at(node);
        if first != Linear::constant(0) {
            return induction("does not begin with batch 0");
        }
        if self.batch_loop.is_some() {
            return induction("is not the only one");
        }
        if self.memory.descends() && !descends {
            return induction("overwrites in place what the batch behind it reads");
        }
        let start = self.bindings.len();
        let counters = self.begin_counting();
        if descends && !counters.is_empty() {
            return induction("counts up while batches go down");
        }
        self.begin_chaining();
        self.batch_loop = Some(start);
        self.bind(&node.pat, Value::Number(Linear { constant: 0, per_batch: 1 }))?;
        self.in_batch = true;
        let result = self.block(&node.body);
        self.in_batch = false;
        match result {
            Ok(_) => {}
            Err(Interrupt::Fault(line, cause)) => return Err(Interrupt::Fault(line, cause)),
            Err(Interrupt::Break | Interrupt::Return(_)) => return induction("is left early"),
        }
        self.bindings.truncate(start);
        self.end_counting(&counters).at(node)?;
        self.end_chaining().at(node)?;
        Ok(Value::Unit)
    }

    /// Before the batch loop: the variables with the counter of batch 0, which are to have that of
    /// each batch. What cannot move on would be stale in other batches, and is taken away.
    fn begin_counting(&mut self) -> Vec<usize> {
        let mut counters = Vec::new();
        for (i, binding) in self.bindings.iter_mut().enumerate() {
            match binding.value {
                Value::Counter(0) if binding.mutable => counters.push(i),
                _ if binding.value.holds_counter() => binding.value = Value::Unit,
                _ => {}
            }
        }
        counters
    }

    /// After one batch: each of these has moved on by as many as the batch has blocks. So by
    /// induction it has the counter of the first block of each batch. After the loop that of the last
    /// is not known, and they are taken away.
    fn end_counting(&mut self, counters: &[usize]) -> Result<(), Cause> {
        let blocks = self.unknown_counter.as_ref().map_or(0, |unknown| unknown.blocks.len() as u64);
        for &i in counters {
            let binding = &mut self.bindings[i];
            match core::mem::replace(&mut binding.value, Value::Unit) {
                Value::Counter(further) if further == blocks => {}
                _ => {
                    let name = binding.name;
                    let text = format!("does not move `{name}` on by its {blocks} blocks");
                    return Err(Cause::Induction(text));
                }
            }
        }
        Ok(())
    }
}
