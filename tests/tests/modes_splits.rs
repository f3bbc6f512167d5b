//! Does it matter into which pieces a message is cut? It must not: every mode's buffered form, or
//! its stream cipher, gives what it gives at once.

use aria_runtime::{Cap, Frame, Token};
use aria_tests::modes::{Direction, Form, Mode, counting, iv};
use aria_tests::report::for_each_kernel;

/// Cut points go up to here.
const CUTS: usize = 130;

/// A key, an IV whose low half overflows after 3 blocks, and a token.
struct Setting {
    name: &'static str,
    token: Token,
}

impl Setting {
    fn run(&self, mode: Mode, direction: Direction, form: Form<'_>, data: &[u8]) -> Vec<u8> {
        let key = counting(16);
        let iv = iv("000102030405060708fffffffffffffc");
        mode.run((&key, iv), self.token, direction, form, data).expect("it takes this length")
    }

    /// Every pair of `cuts`, then the rest; and one byte after the other.
    fn check(&self, mode: Mode, length: usize, cuts: &[usize]) -> usize {
        let plain = counting(length);
        let encrypted = self.run(mode, Direction::Encrypt, Form::InPlace, &plain);
        let mut cases = 0;
        let mut same = |pieces: &[usize]| {
            let there = self.run(mode, Direction::Encrypt, Form::Pieces(pieces), &plain);
            assert!(there == encrypted, "{mode:?}, {}, encryption: {pieces:?}", self.name);
            let back = self.run(mode, Direction::Decrypt, Form::Pieces(pieces), &encrypted);
            assert!(back == plain, "{mode:?}, {}, decryption: {pieces:?}", self.name);
            cases += 1;
        };
        for a in cuts {
            for b in cuts {
                same(&[*a, *b]);
            }
        }
        same(&vec![1; encrypted.len()]);
        same(&vec![15; encrypted.len()]);
        same(&vec![33; encrypted.len()]);
        cases
    }
}

/// A length that the mode takes and that ends in the midst of a block if that may be.
fn length(mode: Mode, about: usize) -> usize {
    (about + 1..).find(|length| mode.takes(*length)).unwrap_or(about)
}

#[test]
fn every_pair_of_cuts() {
    let all: Vec<usize> = (0..CUTS).collect();
    let here = Token::detect();
    let settings = [
        Setting { name: "the kernels of choice", token: here },
        Setting { name: "portable", token: here.capped(Cap::Portable) },
    ];
    for setting in settings {
        // A cipher call a byte, so a shorter message and fewer cuts.
        setting.check(Mode::Cfb8, 64, &all[..40]);
        for mode in Mode::ALL.into_iter().filter(|mode| *mode != Mode::Cfb8) {
            setting.check(mode, length(mode, 288), &all);
        }
    }
}

/// From call to call the chaining value goes on, whether a kernel of the mode ran or not.
#[test]
fn cuts_around_batches_by_kernels_of_chained_modes() {
    let cuts = [0, 16, 17, 255, 256, 272, 273, 512, 528, 1024, 1040, 1041, 2064];
    for (frame, mode) in [(Frame::CbcDec, Mode::Cbc), (Frame::CfbDec, Mode::Cfb)] {
        for_each_kernel("modes_splits, chained", frame, |subject| {
            let setting = Setting { name: subject.name, token: subject.token };
            setting.check(mode, length(mode, 4200), &cuts)
        });
    }
}

#[test]
fn some_cuts_on_every_kernel() {
    let cuts = [0, 1, 15, 16, 17, 33, 64, 128, 129, 255, 512, 513, 1024];
    for_each_kernel("modes_splits", Frame::Ecb, |subject| {
        let setting = Setting { name: subject.name, token: subject.token };
        let modes = Mode::ALL.into_iter().filter(|mode| *mode != Mode::Cfb8);
        modes.map(|mode| setting.check(mode, length(mode, 1040), &cuts)).sum()
    });
}
