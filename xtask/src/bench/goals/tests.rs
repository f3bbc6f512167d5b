//! The arithmetic of goals, on made-up times.

use std::collections::BTreeMap;

use super::*;

/// The medians of everyone, as multiples of the least times.
const NOISE: f64 = 1.25;

const CPU: &[&str] = &["aes", "avx", "avx2", "avx512f", "gfni", "vaes"];

fn row(operation: Operation, family: Family, name: &str, allowed: &[&str], ns: f64) -> Measurement {
    let limits = match family {
        Family::Ours | Family::Libgcrypt => Some(Limits::leaving(allowed, CPU)),
        Family::RustCrypto | Family::OpenSsl => None,
    };
    let bytes = if operation.row().load.is_data() { BYTES } else { 0 };
    Measurement {
        subject: Subject { operation, key_bits: 128, name: name.to_owned(), family, limits },
        bytes,
        nanoseconds: ns,
        median_nanoseconds: ns * NOISE,
        cycles: Some(4.0 * ns),
        per_byte: None,
        ratios: BTreeMap::new(),
    }
}

fn machine(microarchitecture: Option<Microarchitecture>) -> Machine {
    Machine { name: "a CPU".to_owned(), microarchitecture }
}

/// The outcome of the goal for these kernels, or the library, at this.
fn outcome(rows: &[Measurement], operation: Operation, ours: Ours) -> Outcome {
    let place = GOALS.iter().position(|goal| (goal.operation, goal.ours) == (operation, ours));
    outcomes(rows, 128, &machine(None), CPU)[place.expect("a goal")].clone()
}

const ZMM: Ours = Ours::Kernels(Tier::Avx512, Unit::Gfni, Width::Zmm);
const XMM: Ours = Ours::Kernels(Tier::Avx512, Unit::Gfni, Width::Xmm);

#[test]
fn a_ratio_is_missed_reached_or_as_aimed() {
    let verdict = |ours: f64| {
        let rows = [
            row(Operation::EcbEncrypt, Family::Libgcrypt, "libgcrypt", CPU, 100.0),
            row(Operation::EcbEncrypt, Family::Ours, "aria_avx512_gfni_zmm_blk64", CPU, ours),
            row(Operation::EcbEncrypt, Family::Ours, "aria_avx512_gfni_zmm_blk8", CPU, 400.0),
        ];
        outcome(&rows, Operation::EcbEncrypt, ZMM)
    };
    assert_eq!(verdict(100.0 / 1.5).verdict, Verdict::Missed);
    assert_eq!(verdict(100.0 / 1.6).verdict, Verdict::Reached);
    let aim = verdict(50.0);
    assert_eq!(aim.verdict, Verdict::Aim);
    assert_eq!(aim.figure, Some(Figure { median: 2.0, least: 2.0 }));
    assert_eq!(
        (aim.ours.as_str(), aim.against.as_str()),
        ("aria_avx512_gfni_zmm_blk64", "libgcrypt")
    );
}

#[test]
fn a_narrow_kernel_meets_the_peer_for_its_width() {
    let rows = [
        row(Operation::EcbEncrypt, Family::Libgcrypt, "libgcrypt", CPU, 30.0),
        row(Operation::EcbEncrypt, Family::Libgcrypt, "for gfni, avx", &["gfni", "avx"], 100.0),
        row(Operation::EcbEncrypt, Family::Ours, "aria_avx512_gfni_xmm_blk16", CPU, 60.0),
    ];
    let outcome = outcome(&rows, Operation::EcbEncrypt, XMM);
    assert_eq!((outcome.against.as_str(), outcome.verdict), ("for gfni, avx", Verdict::Reached));
}

#[test]
fn an_absent_peer_and_an_absent_kernel_are_told() {
    let ours = row(Operation::EcbEncrypt, Family::Ours, "aria_avx512_gfni_zmm_blk64", CPU, 60.0);
    let no_peer = outcome(&[ours], Operation::EcbEncrypt, ZMM);
    assert_eq!(no_peer.verdict, Verdict::Unknown("libgcrypt is absent".to_owned()));
    let nobody = outcome(&[], Operation::EcbEncrypt, ZMM);
    let Verdict::Unknown(reason) = nobody.verdict else { panic!("{nobody:?}") };
    assert!(reason.contains("avx512 gfni zmm cannot run here"), "{reason}");
    assert_eq!((nobody.figure, nobody.against.as_str()), (None, "libgcrypt"));
}

#[test]
fn the_library_is_what_is_no_kernel() {
    let rows = [
        row(Operation::KeysBoth, Family::RustCrypto, "RustCrypto", &[], 40.0),
        row(Operation::KeysBoth, Family::Ours, "aria_avx_gfni_xmm_blk1_keys", CPU, 1.0),
        row(Operation::KeysBoth, Family::Ours, "Aria128::new", CPU, 10.0),
    ];
    let outcome = outcome(&rows, Operation::KeysBoth, Ours::Library);
    assert_eq!((outcome.ours.as_str(), outcome.verdict), ("Aria128::new", Verdict::Reached));
}

#[test]
fn cycles_count_on_the_cpu_that_they_are_said_of() {
    // 4 cycles a nanosecond, by the median.
    let ns = |cycles_per_byte: f64| cycles_per_byte / 4.0 / NOISE * BYTES as f64;
    let verdict = |cycles: f64, on: Option<Microarchitecture>| {
        let name = "aria_avx512_gfni_xmm_blk1";
        let rows = [row(Operation::CbcEncrypt, Family::Ours, name, CPU, ns(cycles))];
        let outcomes = outcomes(&rows, 128, &machine(on), CPU);
        let meant = |o: &&Outcome| matches!(o.wanted, Wanted::Cycles { .. }) && o.ours == name;
        outcomes.iter().find(meant).expect("a goal").verdict.clone()
    };
    let zen4 = Some(Microarchitecture::Zen4);
    assert_eq!(verdict(9.0, zen4), Verdict::Reached);
    assert_eq!(verdict(9.9, zen4), Verdict::Missed);
    assert_eq!(verdict(9.0, None), Verdict::Unknown("this is no Zen 4".to_owned()));
}

#[test]
fn other_sizes_and_keys_are_no_matter() {
    let mut rows = [
        row(Operation::EcbEncrypt, Family::Libgcrypt, "libgcrypt", CPU, 100.0),
        row(Operation::EcbEncrypt, Family::Ours, "aria_avx512_gfni_zmm_blk64", CPU, 50.0),
    ];
    rows[1].bytes = 1024;
    assert_eq!(outcome(&rows, Operation::EcbEncrypt, ZMM).figure, None);
    let with_192 = outcomes(&rows, 192, &machine(None), CPU);
    assert!(with_192.iter().all(|outcome| outcome.figure.is_none()));
    assert!(with_192.iter().all(|outcome| outcome.operation != Operation::XtsEncrypt));
}

#[test]
fn a_sweep_counts_what_falls_short_and_sorts_it() {
    let subject =
        row(Operation::EcbEncrypt, Family::Ours, "Aria128::encrypt_bulk", CPU, 1.0).subject;
    let step = |blocks: usize, peer: Option<f64>, excess: f64| Step {
        subject: subject.clone(),
        blocks,
        nanoseconds: 100.0,
        peers: peer.map(|ns| (Family::Libgcrypt, ns)).into_iter().collect(),
        cheapest_blocks: blocks,
        excess,
    };
    let steps = [
        step(1, Some(80.0), 1.0),
        step(2, Some(50.0), 1.32),
        step(3, Some(100.0), 1.09),
        step(4, Some(400.0), 1.0),
    ];
    let [slower, excess] = &sweep_outcomes(&steps)[..] else { panic!("two goals") };
    assert_eq!((slower.wanted, slower.checked), (SweepWanted::NeverSlower, 4));
    assert_eq!(slower.short, [(2, 2.0), (1, 1.25)]);
    assert_eq!((excess.checked, excess.short.len(), excess.short[0].0), (4, 1, 2));
    let alone = sweep_outcomes(&[step(1, None, 1.0)]);
    assert_eq!((alone[0].checked, alone[1].checked), (0, 1));
}

#[test]
fn rows_are_sensible() {
    for goal in GOALS {
        let Wanted::Ratio { at_least, aim, under, .. } = goal.wanted else { continue };
        assert!(at_least >= 1.0 && aim.is_none_or(|aim| aim > at_least), "{goal:?}");
        let Under::Only(features) = under else { continue };
        assert_ne!(Limits::leaving(features, CPU), Limits::none(), "{goal:?} limits nothing");
    }
}

#[test]
fn medians_count() {
    let mut rows = [
        row(Operation::EcbEncrypt, Family::Libgcrypt, "libgcrypt", CPU, 100.0),
        row(Operation::EcbEncrypt, Family::Ours, "aria_avx512_gfni_zmm_blk64", CPU, 50.0),
    ];
    rows[1].median_nanoseconds = 100.0;
    let outcome = outcome(&rows, Operation::EcbEncrypt, ZMM);
    assert_eq!(outcome.figure, Some(Figure { median: 1.25, least: 2.0 }));
    assert_eq!(outcome.verdict, Verdict::Missed);
}
