//! The two domains are one: whatever is computed on forms, evaluated, is what is computed on bytes.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::math::BitMatrix;

/// Bytes about which nothing is known, in every computation.
const FRESH: usize = 4;

/// A step of a computation. Operands are numbers of earlier values, modulo how many there are.
#[derive(Clone, Debug)]
enum Step {
    Constant(u8),
    Xor(usize, usize),
    And(usize, usize),
    Mask(usize, u8),
    Affine(usize, [u8; 8], u8),
    Inverse(usize),
    Gather([Option<(usize, u32)>; 8]),
    LookUp(usize, [u8; 16]),
    AffineLookUp(usize, [u8; 8], u8),
}

fn step() -> impl Strategy<Value = Step> {
    let value = || any::<usize>();
    prop_oneof![
        any::<u8>().prop_map(Step::Constant),
        (value(), value()).prop_map(|(a, b)| Step::Xor(a, b)),
        (value(), value()).prop_map(|(a, b)| Step::And(a, b)),
        (value(), any::<u8>()).prop_map(|(a, mask)| Step::Mask(a, mask)),
        (value(), any::<[u8; 8]>(), any::<u8>()).prop_map(|(a, m, c)| Step::Affine(a, m, c)),
        value().prop_map(Step::Inverse),
        proptest::array::uniform8(proptest::option::of((value(), 0..8u32))).prop_map(Step::Gather),
        (value(), any::<[u8; 16]>()).prop_map(|(a, table)| Step::LookUp(a, table)),
        (value(), any::<[u8; 8]>(), any::<u8>()).prop_map(|(a, m, c)| Step::AffineLookUp(a, m, c)),
    ]
}

/// Does a step; a refused one gives zero and `true`.
fn apply<D: Domain>(domain: &mut D, values: &[D::Byte], step: &Step) -> (D::Byte, bool) {
    let at = |number: usize| values[number % values.len()].clone();
    let affine = |rows: [u8; 8], constant| Affine { matrix: BitMatrix::from_rows(rows), constant };
    let result = match step {
        Step::Constant(value) => Ok(domain.constant(*value)),
        Step::Xor(a, b) => Ok(domain.xor(&at(*a), &at(*b))),
        Step::And(a, b) => domain.and(&at(*a), &at(*b)),
        Step::Mask(a, mask) => domain.and(&domain.constant(*mask), &at(*a)),
        Step::Affine(a, rows, constant) => Ok(domain.affine(affine(*rows, *constant), &at(*a))),
        Step::Inverse(a) => Ok(domain.inverse(&at(*a))),
        Step::Gather(bits) => {
            let bits = bits.map(|bit| bit.map(|(number, from)| (at(number), from)));
            let bits = core::array::from_fn(|i| bits[i].as_ref().map(|(byte, from)| (byte, *from)));
            Ok(domain.gather(bits))
        }
        Step::LookUp(a, table) => domain.look_up(table, &at(*a)),
        Step::AffineLookUp(a, rows, constant) => {
            let map = affine(*rows, *constant);
            let table = core::array::from_fn(|i| map.apply(i as u8));
            let nibble = domain.and(&domain.constant(0x0f), &at(*a));
            nibble.and_then(|nibble| domain.look_up(&table, &nibble))
        }
    };
    match result {
        Ok(value) => (value, false),
        Err(_) => (domain.constant(0), true),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn forms_evaluate_to_what_bytes_compute(
        steps in vec(step(), 1..40),
        inputs in vec(any::<[u8; FRESH]>(), 8),
    ) {
        let mut symbolic = Symbolic::default();
        let mut forms: Vec<Form> = (0..FRESH).map(|_| symbolic.fresh()).collect();
        let mut done = Vec::new();
        for step in &steps {
            // What the symbolic domain refuses is left out on both sides.
            let (form, refused) = apply(&mut symbolic, &forms, step);
            if !refused {
                forms.push(form);
                done.push(step);
            }
        }
        for input in inputs {
            let mut bytes = input.to_vec();
            for step in &done {
                let (byte, refused) = apply(&mut Concrete, &bytes, step);
                prop_assert!(!refused, "{step:?} is refused on plain bytes alone");
                bytes.push(byte);
            }
            prop_assert_eq!(symbolic.evaluate(&forms, &input), bytes);
        }
    }
}
