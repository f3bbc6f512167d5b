//! Is each rule for word programs enforced, and does each operation mean what it says?

use super::*;
use crate::ir::Value;

const STATE_WORDS: usize = 8;

/// Adds a round key, between loading bytes in order and storing them in order.
fn adding() -> WordProgram {
    let mut routine = Routine::new("add", "");
    let state: Vec<Value> = (0..STATE_WORDS).map(|i| routine.param(format!("s{i}"))).collect();
    let sum = state.iter().enumerate().map(|(index, s)| {
        let k = routine.push("k", WordOp::Row { index }, &[]);
        routine.push("y", WordOp::Xor, &[*s, k])
    });
    let sum = sum.collect();
    routine.set_results(sum);
    let words = (0..STATE_WORDS).map(|w| core::array::from_fn(|j| 8 * w + j)).collect();
    WordProgram {
        state_words: STATE_WORDS,
        batch_bytes: 64,
        places: vec![Places { name: "in_order", doc: "", words }],
        rows: vec![ConstantRow {
            name: "ONE",
            doc: String::new(),
            words: vec![1; STATE_WORDS],
            hidden: false,
        }],
        routines: vec![routine],
        entries: vec![WordEntry {
            name: "adding".to_owned(),
            doc: String::new(),
            load: 0,
            flow: vec![
                Flow::Call(WordCall { routine: 0, row: RowRef::First }),
                Flow::Call(WordCall { routine: 0, row: RowRef::Constant(0) }),
            ],
            store: 0,
        }],
        spread: None,
    }
}

#[track_caller]
fn refused(fault: &str, change: impl FnOnce(&mut WordProgram)) {
    let mut program = adding();
    assert_eq!(program.verify(), Ok(()), "before the change");
    change(&mut program);
    let error = program.verify().expect_err(fault).to_string();
    assert!(error.contains(fault), "{error}");
}

#[test]
fn entries_run() {
    let output = adding().run(0, &[vec![2; STATE_WORDS]], &[4; 64]);
    assert_eq!(output[..9], [7, 4, 4, 4, 4, 4, 4, 4, 7]);
}

#[test]
fn rules_are_enforced() {
    refused("takes the state", |p| p.routines[0].set_results(Vec::new()));
    refused("of two words", |p| p.spread = Some(p.routines[0].clone()));
    refused("has one place", |p| p.places[0].words[0][0] = 1);
    refused("stores in a way", |p| p.entries[0].store = 1);
    refused("a routine that the program lacks", |p| {
        p.entries[0].flow.push(Flow::Call(WordCall { routine: 1, row: RowRef::None }));
    });
    refused("outside the round loop", |p| {
        p.entries[0].flow.push(Flow::Call(WordCall { routine: 0, row: RowRef::Turn }));
    });
    refused("a row that the program lacks", |p| {
        p.entries[0].flow.push(Flow::Call(WordCall { routine: 0, row: RowRef::Constant(1) }));
    });
    refused("of another length", |p| {
        p.rows[0].words.pop();
    });
}

#[test]
fn operations_on_a_word() {
    let x: u64 = 0x8000_0000_0000_0013;
    let context = Context::new(8, &[], &[], &[]);
    let apply = |op: WordOp| {
        let result = op.evaluate(&[&x.to_le_bytes()], &context);
        u64::from_le_bytes(result[..].try_into().expect("a word"))
    };
    assert_eq!(apply(WordOp::ShiftLeft { by: 4 }), 0x130);
    assert_eq!(apply(WordOp::ShiftRight { by: 4 }), 0x0800_0000_0000_0001);
    assert_eq!(apply(WordOp::RotateRight { by: 4 }), 0x3800_0000_0000_0001);
    assert_eq!(apply(WordOp::AndMask { mask: 0x12 }), 0x12);
    assert_eq!(apply(WordOp::XorMask { mask: 0x12 }), 0x8000_0000_0000_0001);
    let y: u64 = 0x8000_0000_0000_0001;
    let binary = |op: WordOp| op.evaluate(&[&x.to_le_bytes(), &y.to_le_bytes()], &context);
    assert_eq!(binary(WordOp::Xor), 0x12_u64.to_le_bytes());
    assert_eq!(binary(WordOp::And), 0x8000_0000_0000_0001_u64.to_le_bytes());
    assert_eq!(binary(WordOp::Or), x.to_le_bytes());
}
