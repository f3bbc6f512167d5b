//! Does the lowering refuse what it cannot express, with the value and the remedy? That what it does
//! express keeps its meaning is tested for every legal cell in `pipeline`.

use super::*;
use crate::ir::{Form, KeyRef, RoutineId};
use crate::isa::{Tier, Width};
use crate::math::{Affine, Sbox};
use crate::spec::aria;

fn target(unit: Unit, key_form: KeyForm) -> Target {
    let isa = Isa { tier: Tier::Avx, width: Width::Xmm };
    Target { isa, unit, layout: Layout::Slice, key_form }
}

/// A routine that substitutes its one parameter, `nested` times over, and adds a round key byte.
fn substituting(name: &'static str, sbox: Sbox, nested: usize) -> Routine<AbstractOp> {
    let mut routine = Routine::new(name, "");
    let mut s = routine.param("s0");
    let k = routine.push("k0", AbstractOp::RoundKeyByte { index: 0 }, &[]);
    for _ in 0..nested {
        s = routine.push("s0_sl", AbstractOp::Substitute(sbox), &[s]);
    }
    let y = routine.push("y0", AbstractOp::XorSelected { mask: 0b11 }, &[s, k]);
    routine.set_results(vec![y]);
    routine
}

/// A program that loads one vector and calls `round` on it `times` over.
fn program(round: Routine<AbstractOp>, times: usize) -> Program<AbstractOp> {
    let mut load = Routine::new("load", "");
    let b = load.push("b0", AbstractOp::Load { offset: 0 }, &[]);
    load.set_results(vec![b]);
    let call = |routine, arg, key, times| {
        let result = Some("s");
        Control::Call(Call { routine: RoutineId(routine), arg, key, result, times })
    };
    Program {
        vector_bytes: 16,
        batch_bytes: 16,
        output_bytes: 16,
        overlap: 0,
        counter: None,
        constants: Vec::new(),
        routines: vec![load, round],
        entry: vec![call(0, None, None, 1), call(1, Some("s"), Some(KeyRef::First), times)],
    }
}

fn refused(program: &Program<AbstractOp>, target: Target) -> String {
    lower_program(program, target).expect_err("it cannot be expressed").to_string()
}

#[test]
fn an_s_box_with_maps_on_both_sides_has_no_route_on_aes_units() {
    let sbox = Sbox { name: "odd", before: aria::x1().before, after: aria::s1().after };
    let program = program(substituting("fo", sbox, 1), 1);
    let message = refused(&program, target(Unit::Aesni, KeyForm::Mapped32));
    assert_eq!(
        message,
        "no route for S-box odd on unit aesni; add one in aria-gen/src/lower/sbox.rs"
    );
    let gfni = lower_program(&program, target(Unit::Gfni, KeyForm::Broadcast32));
    assert!(gfni.is_ok(), "{gfni:?}");
}

#[test]
fn an_s_box_without_a_key_byte_is_refused_on_aes_units() {
    // The inner of two nested S-boxes is no slice that enters the routine.
    let nested = program(substituting("fo", aria::s1(), 2), 1);
    let message = refused(&nested, target(Unit::Aesni, KeyForm::Mapped32));
    assert!(
        message.starts_with("S-box s1 in fo does not work on a slice that enters"),
        "{message}"
    );
    let plain = program(substituting("fo", aria::s1(), 1), 1);
    let message = refused(&plain, target(Unit::Aesni, KeyForm::Broadcast32));
    assert!(message.starts_with("S-box s1 in fo"), "{message}");
}

#[test]
fn a_routine_whose_states_are_turned_differently_is_refused() {
    let program = program(substituting("fo", aria::s1(), 1), 2);
    let message = refused(&program, target(Unit::Aesni, KeyForm::Mapped32));
    assert!(message.starts_with("fo is called with states 0 and 1 turns"), "{message}");
}

#[test]
fn a_width_without_instructions_is_refused() {
    let program = program(substituting("fo", aria::s1(), 1), 1);
    let isa = Isa { tier: Tier::Avx2, width: Width::Zmm };
    let key_form = KeyForm::Broadcast32;
    let message =
        refused(&program, Target { isa, unit: Unit::Gfni, layout: Layout::Slice, key_form });
    assert_eq!(
        message,
        "no `load` row at VEX zmm; add one to the instruction table or mark the cell illegal"
    );
    assert!(!isa.has(Form::Load));
}

#[test]
fn an_s_box_that_is_the_inversion_alone_is_one_instruction_on_gfni() {
    let sbox = Sbox { name: "inv", before: Affine::IDENTITY, after: Affine::IDENTITY };
    let program = program(substituting("fo", sbox, 1), 1);
    let lowered = lower_program(&program, target(Unit::Gfni, KeyForm::Broadcast32));
    let forms: Vec<Form> = lowered.expect("GFNI inverts").routines[1]
        .body()
        .iter()
        .map(|stmt| stmt.op.form())
        .collect();
    assert_eq!(forms, [Form::KeySplat32, Form::Matrix, Form::AffineInverse, Form::Xor]);
}
