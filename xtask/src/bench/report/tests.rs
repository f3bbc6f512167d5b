//! Ratios, slopes and sweeps from made-up times, and the shape of JSON.

use super::*;
use crate::bench::published::PUBLISHED;

fn subject(name: &str, family: Family, limits: Option<Limits>) -> Subject {
    let operation = Operation::EcbEncrypt;
    Subject { operation, key_bits: 128, name: name.to_owned(), family, limits }
}

fn subjects() -> Vec<Subject> {
    let cpu = &["avx", "avx2"];
    let avx = Limits::leaving(&["avx"], cpu);
    vec![
        subject("RustCrypto", Family::RustCrypto, None),
        subject("libgcrypt", Family::Libgcrypt, Some(Limits::none())),
        subject("libgcrypt -avx2", Family::Libgcrypt, Some(avx.clone())),
        subject("ours", Family::Ours, Some(Limits::none())),
        subject("ours for avx", Family::Ours, Some(avx)),
    ]
}

fn times(least: &[f64]) -> Vec<Summary> {
    least.iter().map(|&least| Summary { least, median: 2.0 * least }).collect()
}

#[test]
fn like_meets_like() {
    let rows = measurements(&subjects(), 16, &times(&[100.0, 20.0, 40.0, 10.0, 16.0]));
    let ratios =
        |place: usize| rows[place].ratios.iter().map(|(f, r)| (*f, *r)).collect::<Vec<_>>();
    assert_eq!(ratios(3), [(Family::RustCrypto, 10.0), (Family::Libgcrypt, 2.0)]);
    assert_eq!(ratios(4), [(Family::RustCrypto, 6.25), (Family::Libgcrypt, 2.5)]);
    assert!((0..3).all(|place| ratios(place).is_empty()), "peers are what others are held against");
}

#[test]
fn ratios_are_those_of_medians() {
    let mut times = times(&[100.0, 20.0, 40.0, 10.0, 16.0]);
    times[3].median = 40.0;
    let rows = measurements(&subjects(), 16, &times);
    assert_eq!((rows[3].nanoseconds, rows[3].median_nanoseconds), (10.0, 40.0));
    assert_eq!(rows[3].ratios[&Family::Libgcrypt], 1.0);
}

#[test]
fn slopes_leave_out_what_a_call_costs() {
    let mut rows = Vec::new();
    for bytes in [16, 80, 144] {
        let cost = |call: f64, byte: f64| call + byte * bytes as f64;
        let (peer, ours) = (cost(50.0, 1.0), cost(10.0, 0.25));
        rows.extend(measurements(&subjects(), bytes, &times(&[peer, peer, peer, ours, ours])));
    }
    let slopes = slopes(&rows, &Clock::default());
    assert_eq!(slopes.len(), 5);
    let ours = &slopes[3];
    assert!((ours.per_byte.nanoseconds - 0.25).abs() < 1e-12, "{ours:?}");
    assert!((ours.call_nanoseconds - 10.0).abs() < 1e-9, "{ours:?}");
    assert!((ours.ratios[&Family::Libgcrypt] - 4.0).abs() < 1e-9, "{ours:?}");
}

#[test]
fn a_sweep_holds_each_number_against_the_larger_ones() {
    let mut rows = Vec::new();
    for (blocks, ours) in [(1, 30.0), (2, 50.0), (3, 40.0), (4, 60.0)] {
        let peer = 20.0 * f64::from(blocks);
        let bytes = 16 * usize::try_from(blocks).expect("small");
        rows.extend(measurements(&subjects()[..4], bytes, &times(&[peer, peer, peer, ours])));
    }
    let steps = sweep(&rows);
    let seen: Vec<_> = steps.iter().map(|s| (s.blocks, s.cheapest_blocks, s.excess)).collect();
    assert_eq!(seen, [(1, 1, 1.0), (2, 3, 1.25), (3, 3, 1.0), (4, 4, 1.0)]);
    assert!((steps[0].peers[&Family::Libgcrypt] - 20.0).abs() < 1e-9);
}

#[test]
fn json_has_names_and_units_that_programs_can_rely_on() {
    let mut rows = measurements(&subjects(), 16, &times(&[160.0, 80.0, 80.0, 16.0, 32.0]));
    apply_clock(&mut rows, &Clock::default());
    let report = Report {
        cpu: "a CPU".to_owned(),
        megahertz: None,
        samples: 5,
        absent: vec![Absence { name: "OpenSSL".to_owned(), reason: "not here".to_owned() }],
        slopes: Vec::new(),
        sweep: sweep(&rows[..4]),
        goals: Vec::new(),
        sweep_goals: Vec::new(),
        measurements: rows,
        published: PUBLISHED,
    };
    let json = serde_json::to_value(&report).expect("plain data");
    assert_eq!(json["absent"][0]["reason"], "not here");
    assert_eq!(json["megahertz"], serde_json::Value::Null);
    assert!(json.get("slopes").is_none());
    let ours = &json["measurements"][4];
    assert_eq!(ours["operation"], "ecb-encrypt");
    assert_eq!(ours["family"], "ours");
    assert_eq!(ours["limits"], serde_json::json!(["avx2"]));
    assert_eq!(ours["bytes"], 16);
    assert_eq!(ours["nanoseconds"], 32.0);
    assert_eq!(ours["median_nanoseconds"], 64.0);
    assert_eq!(ours["per_byte"]["nanoseconds"], 2.0);
    assert_eq!(ours["ratios"]["libgcrypt"], 2.5);
    assert_eq!(json["sweep"][0]["cheapest_blocks"], 1);
    assert_eq!(json["published"][0]["by"], "linux");
    assert_eq!(json["published"][0]["like"], serde_json::json!(["avx512", "gfni"]));
    assert_eq!(json["published"][0]["figure"]["operation"]["cycles"], 1504);
}
