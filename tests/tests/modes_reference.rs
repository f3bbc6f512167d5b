//! Does every mode, on every kernel, equal its definition: at every length, in place and apart,
//! there and back?

use aria_runtime::{Frame, Token};
use aria_tests::modes::{Direction, Form, Mode, counting};
use aria_tests::oracle::KEY_SIZES;
use aria_tests::report::for_each_kernel;
use aria_tests::seed::Random;

/// A batch of the widest kernel and a bit more.
const LONGEST: usize = 1040;

/// Plaintexts of all lengths, and what each mode should make of them, for one key and IV.
struct Case {
    key: Vec<u8>,
    iv: [u8; 16],
    plain: Vec<u8>,
    expected: Vec<(Mode, Vec<Expected>)>,
}

/// A length, and the ciphertext.
type Expected = (usize, Vec<u8>);

impl Case {
    fn new(key: Vec<u8>, iv: [u8; 16], plain: Vec<u8>, lengths: Vec<usize>) -> Self {
        let expected = |mode: Mode| {
            // Where the ciphertext of a shorter message starts that of a longer one, once will do.
            let prefixes =
                !matches!(mode, Mode::Cs1 | Mode::Cs2 | Mode::Cs3 | Mode::Xts | Mode::CbcPkcs7);
            let longest = prefixes.then(|| mode.expected(&key, iv, &plain));
            let at = |&length: &usize| match &longest {
                Some(longest) => (length, longest[..length].to_vec()),
                None => (length, mode.expected(&key, iv, &plain[..length])),
            };
            let lengths = lengths.iter().filter(|length| mode.takes(**length));
            (mode, lengths.map(at).collect())
        };
        let expected = Mode::ALL.into_iter().map(expected).collect();
        Self { key, iv, plain, expected }
    }

    fn check(&self, name: &str, token: Token, modes: impl Fn(Mode) -> bool) -> usize {
        let mut cases = 0;
        for (mode, expected) in self.expected.iter().filter(|(mode, _)| modes(*mode)) {
            for (length, encrypted) in expected {
                let plain = &self.plain[..*length];
                let key = (&self.key[..], self.iv);
                for form in [Form::InPlace, Form::Apart] {
                    let what = || format!("{mode:?} of {length} bytes, {form:?}, {name}");
                    let there = mode.run(key, token, Direction::Encrypt, form, plain);
                    assert!(there.as_ref() == Ok(encrypted), "{}: encryption is wrong", what());
                    let back = mode.run(key, token, Direction::Decrypt, form, encrypted);
                    assert!(back.as_deref() == Ok(plain), "{}: decryption is wrong", what());
                    cases += 2;
                }
            }
        }
        cases
    }
}

/// Modes that are serial in both directions, or differ from another by the order of two blocks, or
/// by the type through which they are reached: a selection of lengths does on each kernel.
fn much_like_another(mode: Mode) -> bool {
    matches!(mode, Mode::Cbc | Mode::Cfb | Mode::Cfb8 | Mode::Ofb | Mode::Cs1 | Mode::Cs2)
}

#[test]
fn every_length() {
    let mut random = Random::new();
    let iv = random.blocks(1)[0];
    let all = Case::new(random.bytes(16), iv, random.bytes(LONGEST), (0..=LONGEST).collect());
    all.check("the kernels of choice", Token::detect(), |_| true);
    for_each_kernel("modes_reference", Frame::Ecb, |subject| {
        all.check(subject.name, subject.token, |mode| !much_like_another(mode))
    });
}

/// Other key sizes differ in nothing but the cipher.
#[test]
fn some_lengths_by_every_mode_and_key_size() {
    let mut random = Random::new();
    let lengths: Vec<usize> = (0..=LONGEST).filter(|n| n % 97 < 2 || n % 256 < 2).collect();
    let cases = KEY_SIZES.map(|size| {
        let iv = random.blocks(1)[0];
        Case::new(random.bytes(size), iv, random.bytes(LONGEST), lengths.clone())
    });
    for_each_kernel("modes_reference, key sizes", Frame::Ecb, |subject| {
        cases.iter().map(|case| case.check(subject.name, subject.token, |_| true)).sum()
    });
}

/// Whole blocks of CTR go to kernels of their own where there are some; the tail does not.
#[test]
fn every_length_by_kernels_of_counter_mode() {
    let mut random = Random::new();
    let lengths = (0..=LONGEST).chain([4096, 5000, 8192 + 17]).collect();
    let case = Case::new(random.bytes(24), random.blocks(1)[0], random.bytes(9000), lengths);
    for_each_kernel("modes_reference, CTR", Frame::Ctr, |subject| {
        let counts = |mode| matches!(mode, Mode::Ctr | Mode::Ctr32);
        case.check(subject.name, subject.token, counts)
    });
}

/// Decryption of chained modes goes to kernels of its own where there are some, but for the first blocks.
#[test]
fn whole_blocks_by_kernels_of_chained_modes() {
    let mut random = Random::new();
    let far = [2048, 2064, 3072, 3088, 4095, 5000, 8192, 8208];
    let lengths = (0..=LONGEST + 48).filter(|n| n % 16 < 2).chain(far).collect();
    let case = Case::new(random.bytes(32), random.blocks(1)[0], random.bytes(9000), lengths);
    for_each_kernel("modes_reference, CBC decryption", Frame::CbcDec, |subject| {
        let chains = |mode| matches!(mode, Mode::Cbc | Mode::CbcPkcs7 | Mode::Cs2 | Mode::Cs3);
        case.check(subject.name, subject.token, chains)
    });
    for_each_kernel("modes_reference, CFB decryption", Frame::CfbDec, |subject| {
        case.check(subject.name, subject.token, |mode| matches!(mode, Mode::Cfb | Mode::CfbBuf))
    });
}

/// Some batches, and what is left over behind them.
#[test]
fn long_messages_on_every_kernel() {
    let mut random = Random::new();
    let (key, iv) = (random.bytes(32), random.blocks(1)[0]);
    let lengths = vec![4096, 4096 + 15, 8192 - 1, 5 * 1024 + 16, 9 * 1024 + 33];
    let case = Case::new(key, iv, counting(10 * 1024), lengths);
    for_each_kernel("modes_reference, long", Frame::Ecb, |subject| {
        case.check(subject.name, subject.token, |mode| mode != Mode::Cfb8)
    });
}
