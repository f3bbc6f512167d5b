//! Is each rule enforced? A small program that verifies, and one change for each rule it may break.

use super::*;
use crate::ir::{Constant, ConstantData, MachineOp, RoutineId, Span, Step, Stmt};
use crate::math::BitMatrix;

/// Copies a batch of one vector through a round that adds its key.
fn copying() -> Program<MachineOp> {
    let mut load = Routine::new("load", "");
    let loaded = load.push("b", MachineOp::Load { offset: 0 }, &[]);
    load.set_results(vec![loaded]);
    let mut round = Routine::new("round", "");
    let s = round.param("s");
    let k = round.push("k", MachineOp::KeySplat32 { index: 0, span: Span::Vector }, &[]);
    let y = round.push("y", MachineOp::Xor, &[s, k]);
    round.set_results(vec![y]);
    let mut store = Routine::new("store", "");
    let b = store.param("b");
    store.push_store(MachineOp::Store { offset: 0 }, &[b]);
    Program {
        vector_bytes: 16,
        batch_bytes: 16,
        output_bytes: 16,
        overlap: 0,
        counter: None,
        constants: Vec::new(),
        routines: vec![load, round, store],
        entry: vec![Control::EachBatch(vec![
            Control::Call(call(0, None, None, Some("s"))),
            Control::AlternateRounds {
                odd: call(1, Some("s"), Some(KeyRef::Turn), Some("s")),
                even: call(1, Some("s"), Some(KeyRef::Turn), Some("s")),
            },
            Control::Call(call(2, Some("s"), None, None)),
        ])],
    }
}

fn call(
    routine: usize,
    arg: Option<&'static str>,
    key: Option<KeyRef>,
    result: Option<&'static str>,
) -> Call {
    Call { routine: RoutineId(routine), arg, key, result, times: 1 }
}

#[track_caller]
fn refused(fault: &str, change: impl FnOnce(&mut Program<MachineOp>)) {
    let mut program = copying();
    assert_eq!(program.verify(), Ok(()), "before the change");
    change(&mut program);
    let error = program.verify().expect_err(fault).to_string();
    assert!(error.contains(fault), "{error}");
}

/// Replaces the body of a routine by what `change` makes of it.
fn with_body(
    program: &mut Program<MachineOp>,
    routine: usize,
    change: impl FnOnce(&mut Vec<Stmt<MachineOp>>),
) {
    let mut body = program.routines[routine].body().to_vec();
    change(&mut body);
    program.routines[routine] = program.routines[routine].with_body(body);
}

fn batch(program: &mut Program<MachineOp>) -> &mut Vec<Control> {
    match &mut program.entry[0] {
        Control::EachBatch(body) => body,
        _ => unreachable!("copying() starts with a batch loop"),
    }
}

fn first_call(program: &mut Program<MachineOp>, place: usize) -> &mut Call {
    match &mut batch(program)[place] {
        Control::Call(call) | Control::AlternateRounds { odd: call, .. } => call,
        other => unreachable!("copying() has calls in its batch loop, not {other:?}"),
    }
}

#[test]
fn shapes_are_checked() {
    refused("not whole lanes", |p| p.vector_bytes = 24);
    refused("two constants named M", |p| {
        let (name, doc) = ("M".to_owned(), String::new());
        let constant = Constant { name, doc, data: ConstantData::Matrix(BitMatrix::IDENTITY) };
        p.constants = vec![constant.clone(), constant];
    });
}

#[test]
fn statements_are_checked() {
    refused("takes Exactly(2) operands, got 1", |p| {
        with_body(p, 1, |body| body[1].args.truncate(1));
    });
    refused("used before it is defined", |p| with_body(p, 1, |body| body.swap(0, 1)));
    refused("is defined twice or unknown", |p| {
        with_body(p, 1, |body| body.push(body[1].clone()));
    });
    refused("a store has no result", |p| with_body(p, 1, |body| body[1].result = None));
    refused("no step 7", |p| with_body(p, 1, |body| body[1].step = Step(7)));
    refused("ends past the batch", |p| {
        with_body(p, 0, |body| body[0].op = MachineOp::Load { offset: 1 });
    });
    refused("a round key has no byte 16", |p| {
        with_body(p, 1, |body| {
            body[0].op = MachineOp::KeySplat32 { index: 16, span: Span::Vector }
        });
    });
    refused("no constant 0", |p| {
        with_body(p, 1, |body| body[0].op = MachineOp::Matrix { id: 0 });
    });
    refused("is not defined", |p| with_body(p, 1, |body| body.truncate(1)));
}

#[test]
fn calls_are_checked() {
    refused("no routine 9", |p| first_call(p, 0).routine = RoutineId(9));
    refused("its state is not defined before", |p| first_call(p, 2).arg = Some("t"));
    refused("not as many vectors", |p| first_call(p, 2).arg = None);
    refused("must return what it takes", |p| first_call(p, 2).times = 2);
    refused("must return what it takes", |p| first_call(p, 1).times = 0);
    refused("passed exactly when", |p| first_call(p, 1).key = None);
    refused("bound exactly when", |p| first_call(p, 1).result = None);
    refused("outside the round loop", |p| {
        batch(p)[1] = Control::Call(call(1, Some("s"), Some(KeyRef::Turn), Some("s")));
    });
    refused("must redefine the state", |p| first_call(p, 1).result = Some("t"));
    refused("a batch loop inside", |p| {
        let inner = Control::EachBatch(Vec::new());
        batch(p).push(inner);
    });
}

#[test]
fn memory_is_checked() {
    refused("output byte 0 is never written", |p| {
        batch(p).pop();
    });
    refused("output byte 16 is never written", |p| p.output_bytes = 32);
    refused("is written twice", |p| {
        let again = batch(p)[2].clone();
        batch(p).push(again);
    });
    refused("not safe in place", |p| {
        let again = batch(p)[0].clone();
        batch(p).push(again);
    });
    refused("outside a batch", |p| p.entry = batch(p).clone());
}

#[test]
fn counters_are_checked() {
    use crate::ir::{Counter, CounterPart};

    // The key word of the second routine becomes a counter's.
    let counting = |p: &mut Program<MachineOp>, index| {
        p.counter = Some(Counter::Whole);
        let part = CounterPart::StartPlusKey;
        with_body(p, 1, |body| body[0].op = MachineOp::CounterSplat32 { index, part });
    };
    refused("a counter has no byte 16", |p| counting(p, 16));
    refused("the program counts nothing", |p| {
        counting(p, 0);
        p.counter = None;
    });
    refused("a counter is read outside a batch, in a round or repeatedly", |p| {
        counting(p, 0);
    });
    refused("calls by carry stand in a batch, with one key and result", |p| {
        let carried = call(1, Some("s"), Some(KeyRef::First), Some("s"));
        let alike = call(1, Some("s"), Some(KeyRef::Last), Some("s"));
        batch(p)[1] = Control::ByCarry { carried, alike };
    });
}
