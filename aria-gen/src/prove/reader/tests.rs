//! Tests of the reader: what small functions do, and what is said of what it does not know.

use super::super::domain::{Concrete, Symbolic};
use super::super::memory::{MemoryFault, Placement, Region};
use super::*;

/// What functions of the tests count from, where they run on plain bytes.
const COUNTER: u128 = 0x0102_0304_0506_0708_090a_0b0c_0dff_fffe;

/// A file around the body of a function from 48 bytes of input to 16 bytes of output.
fn file(body: &str) -> String {
    format!(
        "use core::arch::x86_64::*;
         const PATTERN: u64 = 0x0807_0605_0403_0201;
         fn twice(a: __m128i) -> __m128i {{ _mm_unpacklo_epi8(a, a) }}
         unsafe fn copy(rk: &[[u32; 4]], input: *const u8, output: *mut u8, batches: usize) {{
             {body}
         }}"
    )
}

/// Input byte i is i; the keys are three of four words, byte j of word i of key k being 64k + 4i + j.
fn execute(text: &str) -> Result<Vec<Option<u8>>, Fault> {
    let program = Program::parse("test.rs", text)?;
    let word = |n: u8| {
        let bytes = [n, n + 1, n + 2, n + 3].into();
        Value::Word(Word { bytes, signed: false })
    };
    let key = |k: u8| Value::array((0..4).map(|i| word(64 * k + 4 * i)));
    let arguments = Arguments {
        keys: Value::array((0..3).map(key)),
        batches: Value::number(2),
        counter: Value::Word(Word { bytes: COUNTER.to_le_bytes().into(), signed: false }),
        unknown_counter: None,
        initial: None,
    };
    let memory = Memory::whole(Placement::Apart, (0..48).collect(), 16);
    let memory = run(&program, "copy", &mut Concrete, &arguments, memory)?;
    Ok(memory.output().to_vec())
}

fn output(body: &str) -> Vec<Option<u8>> {
    execute(&file(body)).unwrap()
}

/// The message for a body that the reader refuses, without path.
fn refusal(body: &str) -> String {
    let message = execute(&file(body)).unwrap_err().to_string();
    message.strip_prefix("test.rs:").unwrap().to_owned()
}

fn bytes(values: impl IntoIterator<Item = u8>) -> Vec<Option<u8>> {
    values.into_iter().map(Some).collect()
}

#[test]
fn offsets_are_computed() {
    let body = "const STEP: usize = 8;
        unsafe { _mm_storeu_si128(output.cast(), _mm_loadu_si128(input.add(2 * STEP + 1).cast())) };";
    assert_eq!(output(body), bytes(17..33));
}

#[test]
fn local_functions_are_called() {
    let body = "let a = _mm_loadu_si128(input.cast());
        _mm_storeu_si128(output.cast(), twice(twice(a)));";
    assert_eq!(output(body), bytes((0..4).flat_map(|i| [i; 4])));
}

#[test]
fn a_black_box_returns_its_argument_when_it_is_that_of_core() {
    let body = "let [first, ..] = black_box(rk) else { return };
        _mm_storeu_si128(output.cast(), _mm_set1_epi32(first[0].cast_signed()));";
    assert!(refusal(body).starts_with("5: `black_box` is not defined here"));
    let with = |import: &str| execute(&format!("{} use {import};", file(body)));
    assert_eq!(with("core::hint::black_box"), Ok(bytes([0, 1, 2, 3].repeat(4))));
    assert!(with("elsewhere::black_box").is_err());
}

#[test]
fn constants_and_keys_fill_vectors() {
    let body = "_mm_storeu_si128(output.cast(), _mm_set1_epi64x(PATTERN.cast_signed()));";
    assert_eq!(output(body), bytes((1..9).chain(1..9)));
    let body = "let [_, second, ..] = rk else { return };
        _mm_storeu_si128(output.cast(), _mm_set1_epi32(second[3].cast_signed()));";
    assert_eq!(output(body), bytes([76, 77, 78, 79].repeat(4)));
    let body = "_mm_storeu_si128(output.cast(), _mm_set1_epi32(0x0403_0201));";
    assert_eq!(output(body), bytes([1, 2, 3, 4].repeat(4)));
}

#[test]
fn loops_with_known_bounds_run() {
    let body = "let mut sum = _mm_set1_epi32(0);
        for i in 0..3 { sum = _mm_xor_si128(sum, _mm_loadu_si128(input.add(i * 16).cast())); }
        _mm_storeu_si128(output.cast(), sum);";
    assert_eq!(output(body), bytes((0..16).map(|i: u8| i ^ (i + 16) ^ (i + 32))));
}

#[test]
fn iterators_end_loops() {
    let body = "let mut sum = _mm_set1_epi32(0);
        let mut turns = rk.iter();
        while let Some(rk) = turns.next() {
            sum = _mm_xor_si128(sum, _mm_set1_epi32(rk[0].cast_signed()));
            let Some(rk) = turns.next() else { break };
            sum = _mm_xor_si128(sum, _mm_set1_epi32(rk[1].cast_signed()));
        }
        _mm_storeu_si128(output.cast(), sum);";
    let word = |j: u8| j ^ (68 + j) ^ (128 + j);
    assert_eq!(output(body), bytes((0..16).map(|i| word(i % 4))));
}

#[test]
fn patterns_take_arrays_apart() {
    let body =
        "let blocks = [_mm_loadu_si128(input.cast()), _mm_loadu_si128(input.add(16).cast())];
        let [first, second] = blocks;
        let [.., last] = blocks;
        let _ = first;
        _mm_storeu_si128(output.cast(), _mm_xor_si128(_mm_xor_si128(first, second), last));";
    assert_eq!(output(body), bytes(0..16));
    let body = "let [a, b] = rk else { return };
        _mm_storeu_si128(output.cast(), _mm_set1_epi32(a[0].cast_signed()));";
    assert_eq!(output(body), vec![None; 16]);
}

#[test]
fn text_that_is_no_rust_has_its_line() {
    let message = execute("fn copy() {\n    let = 5;\n}").unwrap_err().to_string();
    assert!(message.starts_with("test.rs:2: this does not parse: "), "{message}");
    assert!(message.ends_with("run `cargo xtask gen` to write it anew"), "{message}");
}

/// Each with the line in the file of [`file`], whose bodies begin on line 5.
#[test]
fn what_the_reader_does_not_know_has_its_line() {
    let unsupported = [
        ("let x = 5 - 3;", "5: the reader does not know `5 - 3`"),
        ("\n let x = if true { 1 } else { 2 };", "6: the reader does not know `if true"),
        ("let f = |x| x;", "5: the reader does not know `|x| x`"),
        ("println!();", "5: the reader does not know `println!()"),
        ("loop { break; }", "5: the reader does not know `loop"),
        ("'a: for i in 0..2 {}", "5: the reader does not know `'a: for"),
        ("let x: f64 = 1;", "5: the reader does not know the type `f64`"),
        ("let PATTERN = 5;", "5: the reader does not know `PATTERN`"),
        ("let twice = 5;", "5: the reader does not know `twice`"),
        ("let None = 5;", "5: the reader does not know `None`"),
        ("let x = 5; x = 6;", "5: the reader does not know `x`"),
        ("let x = input.cast().add(16);", "5: the reader does not know `input.cast().add(16)`"),
        ("let x = 5; fn inner() {}", "5: the reader does not know `fn inner() {}`"),
        ("let [a, b] = rk;", "5: the reader does not know `let [a, b] = rk;`"),
    ];
    for (body, expected) in unsupported {
        let message = refusal(body);
        assert!(message.starts_with(expected), "{message}");
        assert!(message.ends_with("or teach aria-gen/src/prove/reader"), "{message}");
    }
}

#[test]
fn unknown_intrinsics_and_names_are_errors() {
    let message = refusal("let a = _mm_add_epi8(twice(input), twice(input));");
    assert!(message.starts_with("3: expected a vector of 16 bytes, found a pointer"), "{message}");
    let message = refusal("let a = _mm_setzero_si128();");
    assert!(
        message.starts_with("5: unknown intrinsic `_mm_setzero_si128`; add a row"),
        "{message}"
    );
    let message = refusal("let a = nothing;");
    assert!(message.starts_with("5: `nothing` is not defined here"), "{message}");
    // Without the import, a name that looks like an intrinsic could be anything.
    let text = file("let a = _mm_set1_epi32(1);").replace("core::arch::x86_64::*", "super::_mm_x");
    let message = execute(&text).unwrap_err().to_string();
    assert!(message.contains("`_mm_set1_epi32` is not defined here"), "{message}");
}

#[test]
fn items_that_change_what_names_mean_are_refused() {
    let items = [
        ("use elsewhere::*;", "this kind of import"),
        ("use elsewhere::f as g;", "this kind of import"),
        ("use elsewhere::u64;", "this kind of import"),
        ("use elsewhere::Some;", "this kind of import"),
        ("macro_rules! m { () => {} }", "this kind of item"),
        ("#[cfg(any())] fn f() {}", "the attribute `cfg`"),
        ("fn f() { #[cfg(any())] let x = 5; }", "the attribute `cfg`"),
        ("fn f() {} const f: u64 = 1; fn f() {}", "two items of one name"),
    ];
    for (item, what) in items {
        let text = format!("{}\n{item}", file(""));
        let message = execute(&text).unwrap_err().to_string();
        assert!(
            message.starts_with(&format!("test.rs:7: the reader does not know {what}")),
            "{message}"
        );
    }
}

#[test]
fn a_feature_attribute_of_another_form_does_not_parse() {
    let text = format!("{}\n#[target_feature(disable)] fn f() {{}}", file(""));
    let message = execute(&text).unwrap_err().to_string();
    assert!(message.starts_with("test.rs:7: this does not parse: "), "{message}");
}

#[test]
fn immediates_are_bytes_and_as_many_as_the_intrinsic_takes() {
    let call = |generics: &str| {
        refusal(&format!(
            "let a = _mm_set1_epi32(1); let b = _mm_gf2p8affine_epi64_epi8{generics}(a, a);"
        ))
    };
    assert!(call("").contains("does not know `_mm_gf2p8affine_epi64_epi8(a, a)`"));
    assert!(call("::<256>").contains("number too large"));
    assert!(call("::<-1>").contains("invalid digit"));
    assert!(call("::<X>").contains("this generic argument"));
    assert!(call("::<1, 2>").contains("this generic argument"));
}

#[test]
fn misuse_of_memory_and_panics_are_faults_of_the_kernel() {
    let faults = [
        "let a = _mm_loadu_si128(input.add(33).cast());",
        "let a = _mm_loadu_si128(output.cast());",
        "_mm_storeu_si128(output.add(1).cast(), _mm_set1_epi32(1));",
        "_mm_storeu_si128(input.cast(), _mm_set1_epi32(1));",
        "let a = rk[3];",
        "let a = input.add(0xffff_ffff_ffff_ffff).add(1);",
    ];
    for body in faults {
        let fault = execute(&file(body)).unwrap_err();
        assert!(fault.cause.is_misbehaviour(), "{fault}");
        assert_eq!(fault.line, 5);
    }
}

#[test]
fn endless_loops_and_recursion_end() {
    let message = refusal("while let Some(x) = rk.iter().next() {}");
    assert!(message.contains("does not know `rk.iter().next()`"), "{message}");
    let text = file("again();").replace("unsafe fn", "fn again() { again(); } unsafe fn");
    let message = execute(&text).unwrap_err().to_string();
    assert!(message.contains("does not know `again()`"), "{message}");
    let body = "for i in 0..0xffff_ffff_ffff_ffff {}";
    let message = refusal(body);
    assert!(message.contains("takes more than"), "{message}");
}

#[test]
fn counters_are_numbers_and_bytes() {
    let store = |value: &str| {
        let body =
            format!("_mm_storeu_si128(output.cast(), _mm_set1_epi32({value}.cast_signed()));");
        execute(&file(&body).replace("output: *mut u8,", "output: *mut u8, counter: u128,"))
    };
    let word = |bytes: [u8; 4]| Ok(bytes.repeat(4).into_iter().map(Some).collect());
    let words = "to_be_bytes().map(|byte| u32::from_ne_bytes([byte; 4]))";
    assert_eq!(store(&format!("counter.{words}[1]")), word([2; 4]));
    assert_eq!(store(&format!("counter.wrapping_add(2).{words}[12]")), word([0x0e; 4]));
    assert_eq!(store(&format!("(counter.{words}[15] ^ rk[1][2])")), word([0xb6, 0xb7, 0xb4, 0xb5]));
    let choice = |most: u8| {
        let (ours, theirs) = (format!("counter.{words}[0]"), "rk[0][0]");
        let last = "let [.., last] = counter.to_be_bytes();";
        store(&format!("{{ {last} if last <= {most} {{ {ours} }} else {{ {theirs} }} }}"))
    };
    assert_eq!(choice(0xfe), word([1; 4]));
    assert_eq!(choice(0xfd), word([0, 1, 2, 3]));
    for refused in [
        "counter.to_ne_bytes()[0]",
        "{ if true { rk[0][0] } else { rk[0][1] } }",
        "{ if rk[0][0] <= 5 { rk[0][0] } else { rk[0][1] } }",
        "counter.to_be_bytes().map(move |b| u32::from_ne_bytes([b; 4]))[0]",
        "counter.to_be_bytes().map(|b| u64::from_ne_bytes([b; 8]))[0]",
    ] {
        let message = store(refused).unwrap_err().to_string();
        assert!(message.contains("the reader does not know"), "{message}");
    }
}

/// A symbolic run of one batch of 16 bytes.
fn follow(body: &str) -> Result<(), Cause> {
    let program = Program::parse("test.rs", &file(body)).unwrap();
    let mut domain = Symbolic::default();
    let input = (0..16).map(|_| domain.fresh()).collect();
    let arguments = Arguments {
        keys: Value::array([]),
        batches: Value::Batches,
        counter: Value::Unit,
        unknown_counter: None,
        initial: None,
    };
    let memory = Memory::one_batch(input);
    let memory = run(&program, "copy", &mut domain, &arguments, memory).map_err(|f| f.cause)?;
    Ok(memory.finish().map(|_| ())?)
}

const COPY: &str =
    "_mm_storeu_si128(output.add(b * 16).cast(), _mm_loadu_si128(input.add(b * 16).cast()));";

#[test]
fn a_batch_loop_is_followed_for_a_batch_of_unknown_index() {
    assert_eq!(follow(&format!("for b in 0..batches {{ {COPY} }}")), Ok(()));
    let local = "let mut x = 1; x = 2; for i in 0..2 { x = i; }";
    assert_eq!(follow(&format!("for b in 0..batches {{ {COPY} {local} }}")), Ok(()));
}

#[test]
fn loops_that_induction_does_not_cover_are_refused() {
    let induction = |body: &str, why: &str| {
        assert_eq!(follow(body), Err(Cause::Induction(why.to_owned())), "{body}");
    };
    induction("for b in 1..batches {}", "does not begin with batch 0");
    induction("let mut x = 1; for b in 0..batches { x = b; }", "carries `x` from batch to batch");
    induction("for b in 0..batches { break; }", "is left early");
    induction("for b in 0..batches { return; }", "is left early");
    induction("for b in 0..batches { for c in 0..batches {} }", "is not the only one");
    induction("for b in 0..batches {} for b in 0..batches {}", "is not the only one");
    induction("for b in 0..batches { for c in 0..b {} }", "depends on the index of the batch");
    induction("for b in 0..batches { _mm_set1_epi32(b); }", "uses its index as a value");
}

#[test]
fn addresses_move_on_with_the_batches() {
    let stride = |per_batch, region| MemoryFault::Stride { region, per_batch, stride: 16 };
    let (input, output) = (Region::Input, Region::Output);
    let loop_of = |body: &str| follow(&format!("for b in 0..batches {{ {body} }}"));
    let other = COPY.replace("input.add(b * 16)", "input.add(b * 17)");
    assert_eq!(loop_of(&other), Err(Cause::Memory(stride(17, input))));
    let other = COPY.replace("output.add(b * 16)", "output");
    assert_eq!(loop_of(&other), Err(Cause::Memory(stride(0, output))));
    // Outside the loop there is no batch.
    assert_eq!(
        follow("let a = _mm_loadu_si128(input.cast());"),
        Err(Cause::Memory(stride(0, input)))
    );
    assert_eq!(follow(""), Err(Cause::Memory(MemoryFault::Unread(0))));
}
