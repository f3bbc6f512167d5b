//! Who takes part, and that wrong output is found; nothing is timed.

use super::*;
use crate::bench::library::OnData;
use crate::bench::operation::Operation;

fn request(filter: &str) -> Request {
    Request {
        filter: filter.to_owned(),
        key_bits: vec![128, 192, 256],
        view: View::Table(vec![1024]),
        cap: None,
        samples: 1,
        json: false,
    }
}

fn only_rustcrypto_and_ours() -> Field {
    let entry = EntryPoints::new(Token::detect(), &[]);
    Field {
        libraries: vec![Box::new(RustCrypto), Box::new(entry)],
        absent: Vec::new(),
        cpu: Vec::new(),
    }
}

/// Every kernel, entry point and peer that is here, at every key length, against the judge.
#[test]
fn everyone_computes_the_same() {
    let field = field(&request("")).expect("no cap is set");
    let races = races(&request(""), &field).expect("all outputs agree");
    let units = OPERATIONS.iter().filter(|row| row.load == Load::Unit).count();
    assert_eq!(races.len(), 3 * OPERATIONS.len() - units, "XTS has no 192 bits");
    assert!(races.iter().all(|race| race.contenders.len() >= 2));
}

#[test]
fn a_filter_that_leaves_nothing_is_an_error() {
    let field = only_rustcrypto_and_ours();
    let error = races(&request("aria_mmx"), &field).err().expect("no such kernel");
    assert!(error.to_string().contains("--filter aria_mmx: no kernel"), "{error}");
    let some = races(&request("key set-up"), &field).expect("operations count");
    assert_eq!(some.len(), 9);
}

#[test]
fn a_filter_for_what_cannot_run_says_why() {
    let mut field = only_rustcrypto_and_ours();
    let (name, reason) = ("aria_avx1024_x".to_owned(), "misses avx1024".to_owned());
    field.absent.push(Absence { name, reason });
    let error = races(&request("avx1024"), &field).err().expect("it is absent");
    assert!(error.to_string().contains("aria_avx1024_x: misses avx1024"), "{error}");
}

#[test]
fn an_unknown_cap_is_an_error() {
    let request = Request { cap: Some("mmx".to_owned()), ..request("") };
    let error = field(&request).err().expect("no such tier");
    assert!(format!("{error:#}").contains("--cap mmx"), "{error:#}");
}

#[test]
fn wrong_output_is_an_error_before_timing() {
    let row = Operation::EcbEncrypt.row();
    let field = only_rustcrypto_and_ours();
    let mut contenders = contenders(row, 128, "", Part::Sizes, &field).expect("well-formed keys");
    let mut right = field.libraries[1]
        .offers(Operation::EcbEncrypt, &(0..16).collect::<Vec<u8>>())
        .expect("a key")
        .remove(0);
    contenders[1].offer.work = Box::new(OnData(move |data: &mut Blocks| {
        right.work.run(data, 1);
        data[7][3] ^= 1;
    }));
    let error = check(row, &mut contenders).expect_err("one bit is wrong").to_string();
    assert!(error.contains("Aria128::encrypt_bulk") && error.contains("block 7"), "{error}");
}

#[test]
fn goals_race_what_they_are_about_and_sweep_without_kernels() {
    let field = field(&request("")).expect("no cap is set");
    let request = Request { view: View::Goals, key_bits: vec![128], ..request("") };
    let races = races(&request, &field).expect("all outputs agree");
    for goal in GOALS {
        let meant = |race: &&Race| race.row.operation == goal.operation;
        let race = races.iter().find(meant).expect("a race for each goal");
        let blocks = if race.row.load.is_data() { 1024 } else { 1 };
        assert_eq!((race.part, &race.sizes[..]), (Part::Sizes, &[blocks][..]));
    }
    let sweeps: Vec<&Race> = races.iter().filter(|race| race.part == Part::Sweep).collect();
    assert_eq!(sweeps.len(), SWEPT.len());
    for race in sweeps {
        assert_eq!(race.sizes.len(), SWEEP_BLOCKS);
        let kernel = |contender: &Contender| contender.offer.name.starts_with("aria_");
        assert!(!race.contenders.iter().any(kernel), "{}", race.row.name);
    }
}
