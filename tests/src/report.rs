//! Runs something for every kernel, tells which ones, and refuses to have run nothing.
//!
//! The report goes to standard error past the test harness, so that it is seen when all is well,
//! too. Kernels that this CPU cannot run are named with what they miss. The environment variable
//! `ARIA_REQUIRE`, a list such as `gfni,avx512bw`, makes it a failure when this CPU lacks one of
//! these features, so that a CI machine cannot quietly stop testing what it was rented for.

use std::env;
use std::io::{self, Write};

use aria_runtime::{Cap, Feature, Frame, Token, kernels};

/// Calls `test` for each kernel of this frame that can run here, with a token that forces it; `test` returns how
/// many cases it tried. Then the same for the scalar path, as `scalar`.
///
/// # Panics
///
/// If a feature in `ARIA_REQUIRE` is missing, a kernel was tested with no case at all, or the
/// kernels that ran and those that cannot do not add up to those there are.
pub fn for_each_kernel(title: &str, frame: Frame, mut test: impl FnMut(&Subject) -> usize) {
    require_features();
    let here = Token::detect();
    let (mut ran, mut cannot) = (0, 0);
    let of_frame = || kernels().filter(|kernel| kernel.frame == frame);
    for kernel in of_frame() {
        if !kernel.runs_here() {
            tell(title, &format!("{} cannot run here: missing {}", kernel.id, kernel.missing));
            cannot += 1;
            continue;
        }
        let token = here.forced(kernel.id).expect("a kernel whose features are here can be forced");
        run(title, &Subject { name: kernel.id, batch: kernel.blocks, token }, &mut test);
        ran += 1;
    }
    assert_eq!(ran + cannot, of_frame().count(), "every kernel is either run or named as missing");
    let scalar = Subject { name: "scalar", batch: 1, token: here.capped(Cap::Portable) };
    run(title, &scalar, &mut test);
    tell(title, &format!("{ran} kernels and the scalar path ran, {cannot} cannot run here"));
}

/// What is tested: a kernel, or the scalar path.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    /// The kernel's id, or `scalar`.
    pub name: &'static str,
    /// Blocks in a batch.
    pub batch: usize,
    /// Makes a cipher use only this.
    pub token: Token,
}

fn run(title: &str, subject: &Subject, test: &mut impl FnMut(&Subject) -> usize) {
    println!("running {}", subject.name);
    let cases = test(subject);
    assert!(cases > 0, "{} was tested with nothing", subject.name);
    tell(title, &format!("{} ran: {cases} cases", subject.name));
}

/// Fails if this CPU lacks a feature that `ARIA_REQUIRE` names.
///
/// # Panics
///
/// If one is missing, or a name is none.
pub fn require_features() {
    let required = env::var("ARIA_REQUIRE").unwrap_or_default();
    let here = Token::detect().features();
    for name in required.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let feature = Feature::ALL.iter().find(|feature| feature.name() == name);
        let feature = feature.unwrap_or_else(|| {
            panic!("ARIA_REQUIRE names {name}, which no kernel of this build knows of")
        });
        assert!(here.contains(*feature), "ARIA_REQUIRE names {name}, which is not here ({here})");
    }
}

/// Says something past the test harness, which holds back what a test that succeeds prints.
pub fn tell(title: &str, line: &str) {
    // In one piece, as other tests write, too. A report that cannot be written is no failure.
    let _ = io::stderr().write_all(format!("{title}: {line}\n").as_bytes());
}
