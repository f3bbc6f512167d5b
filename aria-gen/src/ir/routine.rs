//! Straight-line SSA over byte vectors, and how to build it.
//!
//! Values carry role names (`s3`, `t0`, `y15`), which the emitted code keeps. Statements carry a
//! step, the unit in which a reader takes in a routine ("SL1: S2 on bytes 1, 5, 9 and 13").

use super::op::{Access, CounterPart, Operation};

/// A vector defined once in a [`Routine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(pub(crate) u32);

impl Value {
    /// The value's number, an index into the routine's role names.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A step of a routine: an index into [`Routine::steps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step(pub(crate) u32);

impl Step {
    /// Index into [`Routine::steps`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One operation applied to values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt<O> {
    /// What is done.
    pub op: O,
    /// To which values.
    pub args: Vec<Value>,
    /// The value that it defines; a store defines none.
    pub result: Option<Value>,
    /// The step that it belongs to.
    pub step: Step,
}

/// A straight-line function from vectors to vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routine<O> {
    name: String,
    doc: String,
    params: Vec<Value>,
    body: Vec<Stmt<O>>,
    results: Vec<Value>,
    roles: Vec<String>,
    steps: Vec<String>,
}

impl<O: Operation> Routine<O> {
    /// An empty routine. `name` follows the specification (`fo`, `fe`); `doc` says in a sentence
    /// or two what the routine computes.
    #[must_use]
    pub fn new(name: impl Into<String>, doc: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            doc: doc.into(),
            params: Vec::new(),
            body: Vec::new(),
            results: Vec::new(),
            roles: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// A routine with this one's name, documentation, parameters, results, values and steps, and
    /// another body: what a pass makes.
    #[must_use]
    pub fn with_body(&self, body: Vec<Stmt<O>>) -> Self {
        Self { body, ..self.clone() }
    }

    /// A routine of another vocabulary with this one's name and documentation and no body yet.
    #[must_use]
    pub fn translated<P: Operation>(&self) -> Routine<P> {
        Routine::new(self.name.clone(), self.doc.clone())
    }

    /// Adds a parameter.
    pub fn param(&mut self, role: impl Into<String>) -> Value {
        let value = self.fresh(role);
        self.params.push(value);
        value
    }

    /// Opens a step; the statements that follow belong to it. A title that is open already is
    /// not opened again.
    pub fn step(&mut self, title: impl Into<String>) -> Step {
        let title = title.into();
        if self.steps.last() != Some(&title) {
            self.steps.push(title);
        }
        self.current_step()
    }

    fn current_step(&self) -> Step {
        Step(u32::try_from(self.steps.len() - 1).expect("fewer than 2^32 steps"))
    }

    /// Appends a statement that defines a value.
    pub fn push(&mut self, role: impl Into<String>, op: O, args: &[Value]) -> Value {
        self.ensure_step();
        self.push_in(self.current_step(), role, op, args)
    }

    /// Appends a statement that defines a value and belongs to an earlier step. The order of the
    /// body is no worse for it: a pass puts steps in order.
    pub fn push_in(&mut self, step: Step, role: impl Into<String>, op: O, args: &[Value]) -> Value {
        let result = self.fresh(role);
        self.body.push(Stmt { op, args: args.to_vec(), result: Some(result), step });
        result
    }

    /// Appends a store.
    pub fn push_store(&mut self, op: O, args: &[Value]) {
        self.ensure_step();
        let step = self.current_step();
        self.body.push(Stmt { op, args: args.to_vec(), result: None, step });
    }

    /// Sets what the routine returns.
    pub fn set_results(&mut self, results: Vec<Value>) {
        self.results = results;
    }

    fn ensure_step(&mut self) {
        if self.steps.is_empty() {
            self.steps.push(String::new());
        }
    }

    fn fresh(&mut self, role: impl Into<String>) -> Value {
        let value = Value(u32::try_from(self.roles.len()).expect("fewer than 2^32 values"));
        self.roles.push(role.into());
        value
    }

    /// The routine's name, an identifier.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it computes, in a sentence or two.
    #[must_use]
    pub fn doc(&self) -> &str {
        &self.doc
    }

    /// The parameters, in order.
    #[must_use]
    pub fn params(&self) -> &[Value] {
        &self.params
    }

    /// The statements, in order.
    #[must_use]
    pub fn body(&self) -> &[Stmt<O>] {
        &self.body
    }

    /// What it returns, in order.
    #[must_use]
    pub fn results(&self) -> &[Value] {
        &self.results
    }

    /// How many values there are; [`Value::index`] is below it.
    #[must_use]
    pub fn value_count(&self) -> usize {
        self.roles.len()
    }

    /// The role name of a value; several values may share one.
    #[must_use]
    pub fn role(&self, value: Value) -> &str {
        &self.roles[value.index()]
    }

    /// The titles of the steps; an empty title stands for a routine without steps.
    #[must_use]
    pub fn steps(&self) -> &[String] {
        &self.steps
    }

    /// Whether any statement reads the current round key.
    #[must_use]
    pub fn reads_round_key(&self) -> bool {
        self.touches(|access| {
            let keyed = CounterPart::StartPlusKey;
            matches!(access, Access::RoundKey { .. })
                || matches!(access, Access::Counter { part, .. } if part == keyed)
        })
    }

    /// Whether any statement reads the batch's counter.
    #[must_use]
    pub fn reads_counter(&self) -> bool {
        self.touches(|access| matches!(access, Access::Counter { .. }))
    }

    /// Whether any statement reads the counter 256 further on.
    #[must_use]
    pub fn reads_carried_counter(&self) -> bool {
        self.touches(|access| matches!(access, Access::Counter { part: CounterPart::Change, .. }))
    }

    /// Whether any statement reads the input.
    #[must_use]
    pub fn reads_input(&self) -> bool {
        self.touches(|access| matches!(access, Access::Input { .. }))
    }

    /// Whether any statement writes the output.
    #[must_use]
    pub fn writes_output(&self) -> bool {
        self.touches(|access| matches!(access, Access::Output { .. }))
    }

    fn touches(&self, wanted: impl Fn(Access) -> bool) -> bool {
        self.body.iter().any(|stmt| wanted(stmt.op.access()))
    }
}
