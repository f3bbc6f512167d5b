//! Functions of a counter: right ones, ones that are wrong in few cases, and counters that are not
//! those of the batch.

use super::super::super::domain::Symbolic;
use super::super::super::memory::Memory;
use super::super::{Arguments, Program, Value, run};
use super::*;

/// Slices of sixteen counters; `high` makes slice # for # up to 14.
fn slices(high: &str) -> String {
    let high: Vec<String> = (0..15).map(|i| high.replace('#', &i.to_string())).collect();
    format!(
        "let n = _mm_set_epi64x(0x0f0e_0d0c_0b0a_0908, 0x0706_0504_0302_0100);
         let c = _mm_set1_epi32(w[15].cast_signed());
         let s = _mm_add_epi8(c, n);
         let b = _mm_subs_epu8(c, s);
         let m = _mm_adds_epu8(b, b);
         let v = words(counter.wrapping_add(256));
         [{}, s]",
        high.join(", ")
    )
}

/// Right in every case.
const CARRIED: &str = "_mm_xor_si128(
    _mm_set1_epi32(w[#].cast_signed()),
    _mm_and_si128(m, _mm_set1_epi32((w[#] ^ v[#]).cast_signed())))";

/// Without the carry.
const ALIKE: &str = "_mm_set1_epi32(w[#].cast_signed())";

/// A loop that calls `counters` and copies a block.
const LOOP: &str = "let mut c = counter;
    for b in 0..batches { let s = counters(c);
        _mm_storeu_si128(output.add(b * 16).cast(), _mm_loadu_si128(input.add(b * 16).cast()));
        c = c.wrapping_add(16); }";

/// A symbolic run with a batch of sixteen counters, of which one block is in memory.
fn count(counters: &str, body: &str) -> Result<(), Cause> {
    let text = format!(
        "use core::arch::x86_64::*;
         fn words(counter: u128) -> [u32; 16] {{
             counter.to_be_bytes().map(|byte| u32::from_ne_bytes([byte; 4]))
         }}
         fn counters(counter: u128) -> [__m128i; 16] {{
             let w = words(counter);
             {counters}
         }}
         unsafe fn copy(counter: u128, input: *const u8, output: *mut u8, batches: usize) {{
             {body}
         }}"
    );
    let program = Program::parse("test.rs", &text).unwrap();
    let mut domain = Symbolic::default();
    let unknown_counter = UnknownCounter {
        high: core::array::from_fn(|_| domain.fresh()),
        carried: core::array::from_fn(|_| domain.fresh()),
        blocks: (0..16).map(|_| core::array::from_fn(|_| domain.fresh())).collect(),
    };
    let arguments = Arguments {
        keys: Value::array([]),
        batches: Value::Batches,
        counter: Value::Counter(0),
        unknown_counter: Some(unknown_counter),
        initial: None,
    };
    let memory = Memory::one_batch((0..16).map(|_| domain.fresh()).collect());
    let memory = run(&program, "copy", &mut domain, &arguments, memory).map_err(|f| f.cause)?;
    Ok(memory.finish().map(|_| ())?)
}

fn unsupported(what: &str) -> Result<(), Cause> {
    Err(Cause::Unsupported(what.to_owned()))
}

#[test]
fn a_function_of_the_counter_is_followed_for_each_last_byte() {
    assert_eq!(count(&slices(CARRIED), LOOP), Ok(()));
    // Without the carry it is right up to last byte 240, where block 15 comes just before it.
    let cause = count(&slices(ALIKE), LOOP);
    assert_eq!(cause, Err(Cause::Counter { last: 241, block: 15, byte: 0 }));
    // Right in all cases but one.
    let once = format!(
        "let [.., last] = counter.to_be_bytes();
         if last <= 240 {{ {} }} else {{ {} }}",
        slices(ALIKE),
        slices(CARRIED)
    );
    assert_eq!(count(&once, LOOP), Ok(()));
    let cause = count(&once.replace("<= 240", "<= 241"), LOOP);
    assert_eq!(cause, Err(Cause::Counter { last: 241, block: 15, byte: 0 }));
    let nearer = slices(CARRIED).replace("256", "10");
    let cause = Err(Cause::Counter { last: 241, block: 15, byte: 0 });
    assert_eq!(count(&nearer, LOOP), cause);
}

#[test]
fn functions_that_return_no_counters_are_refused() {
    let same = slices(CARRIED).replace(", s]", ", c]");
    assert!(matches!(count(&same, LOOP), Err(Cause::Counter { last: 241, .. })));
    // Blocks in another order: any, but for the first.
    let turned = slices(CARRIED).replace("0x0706_0504_0302_0100", "0x0706_0504_0203_0100");
    assert_eq!(count(&turned, LOOP), Ok(()));
    let turned = slices(CARRIED).replace("0x0706_0504_0302_0100", "0x0706_0504_0302_0001");
    assert!(matches!(count(&turned, LOOP), Err(Cause::Counter { .. })));
    let beyond = slices(CARRIED).replace("0x0f0e", "0x1f0e");
    assert_eq!(count(&beyond, LOOP), unsupported("the order of these counters"));
    let further = slices(CARRIED).replace("256", "512");
    assert_eq!(count(&further, LOOP), unsupported("this sum of a counter"));
}

#[test]
fn counters_that_are_not_those_of_the_batch_are_refused() {
    let slices = slices(CARRIED);
    for (from, to) in [("wrapping_add(16)", "wrapping_add(17)"), ("c = c.wrapping_add(16);", "")] {
        let cause = Cause::Induction("does not move `c` on by its 16 blocks".to_owned());
        assert_eq!(count(&slices, &LOOP.replace(from, to)), Err(cause));
    }
    // That of batch 0 in every batch.
    for stale in [
        LOOP.replace("counters(c)", "counters(counter)"),
        LOOP.replace("counters(c)", "counters(k[0])")
            .replace("let mut", "let k = [counter]; let mut"),
    ] {
        let cause = count(&slices, &stale).unwrap_err();
        assert!(matches!(cause, Cause::Type { .. }), "{cause}");
    }
    let before = format!("let s = counters(counter); {LOOP}");
    assert_eq!(count(&slices, &before), unsupported("`counters(counter)`"));
    // Counters further on within the batch.
    let late = LOOP.replace("counters(c)", "counters(c.wrapping_add(16))");
    assert_eq!(count(&slices, &late), unsupported("`counters(c.wrapping_add(16))`"));
    // A branch on the counter outside of such a function.
    let branch = LOOP.replace("let s = counters(c);", "if c <= 5 {} else {}");
    assert_eq!(count(&slices, &branch), unsupported("`if c <= 5 {} else {}`"));
}
