//! Do counters count right across every boundary, and do positions hold: to the last byte that an
//! IV has keystream for, and not one further?

use aria_runtime::cipher::{InnerIvInit, StreamCipher, StreamCipherSeek};
use aria_runtime::modes::ctr::{Ctr32BE, Ctr128BE};
use aria_runtime::{Aria128, Frame, Token};
use aria_tests::modes::{Direction, Form, Mode, array, counting, iv};
use aria_tests::oracle;
use aria_tests::report::{Subject, for_each_kernel};
use aria_tests::seed::Random;

fn cipher(token: Token) -> Aria128 {
    Aria128::new_from_slice_with_token(&counting(16), token).expect("the key has 16 bytes")
}

/// The images of counters, by the oracle.
fn keystream(counters: impl Iterator<Item = u128>) -> Vec<u8> {
    let counters: Vec<_> = counters.map(u128::to_be_bytes).collect();
    oracle::encrypt(&counting(16), &counters).concat()
}

/// 160 blocks from each start that is 1 to 128 blocks before an overflow of 32, 64 and 128 bits.
#[test]
fn every_start_near_every_overflow() {
    const BLOCKS: u128 = 160;
    let zeros = vec![0; 16 * BLOCKS as usize];
    let high = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff_u128;
    // From 128 blocks before the boundary to as many after it.
    let boundaries = [high | 0xffff_ffff, high | u128::from(u64::MAX), u128::MAX].map(|last| {
        let first = last.wrapping_sub(127);
        let wide = keystream((0..2 * BLOCKS).map(|i| first.wrapping_add(i)));
        let narrow = keystream((0..2 * BLOCKS).map(|i| {
            let low = first.wrapping_add(i) & 0xffff_ffff;
            first >> 32 << 32 | low
        }));
        (first, wide, narrow)
    });
    let check = |subject: &Subject| {
        let mut cases = 0;
        for (first, wide, narrow) in &boundaries {
            for before in 0..128 {
                let iv = first.wrapping_add(before).to_be_bytes();
                let skip = 16 * before as usize;
                for (mode, expected) in [(Mode::Ctr, wide), (Mode::Ctr32, narrow)] {
                    let key = (&counting(16)[..], iv);
                    let (direction, form) = (Direction::Encrypt, Form::InPlace);
                    let ours = mode.run(key, subject.token, direction, form, &zeros).unwrap();
                    let expected = &expected[skip..skip + zeros.len()];
                    assert!(ours == expected, "{mode:?} from {iv:02x?}, {}", subject.name);
                    cases += 1;
                }
            }
        }
        cases
    };
    for_each_kernel("modes_counter", Frame::Ecb, check);
    for_each_kernel("modes_counter, kernels of CTR", Frame::Ctr, check);
}

/// Computed by OpenSSL 3.0 and one more implementation; a counter of another width, or lanes that
/// do not carry, give other values.
#[test]
fn values_where_others_went_wrong() {
    for_each_kernel("modes_counter, values", Frame::Ecb, |subject| {
        let run = |start: &str, bytes| {
            let key = (&counting(16)[..], iv(start));
            let (direction, form) = (Direction::Encrypt, Form::InPlace);
            hex::encode(
                Mode::Ctr.run(key, subject.token, direction, form, &vec![0; bytes]).unwrap(),
            )
        };
        assert_eq!(
            run("fffffffffffffffffffffffffffffffd", 64),
            concat!(
                "c2a0e5ae2453dc29d361b82bf2dd591b172a33df4c7e302958225cd20836a271",
                "685c678e545d7b37de0c32575205a63cfa2827d1436c8a819973436e60ac4790",
            )
        );
        assert_eq!(
            run("000000000000000000000000fffffffd", 64),
            concat!(
                "d32839279da2a15e9a37d05621fc5e7ea1fc059c85bfa7958d1f2b5168f147ae",
                "ca3ea267f4dac65e4cc2e006b231f959cc11ad652ad9f98343adace5781220b9",
            )
        );
        let low_half = run("0000000000000000fffffffffffffffd", 64);
        assert_eq!(low_half[96..], *"13f3b71241f0af78f932408f8b78d29d");
        3
    });
}

#[test]
fn any_position_by_seeking() {
    let mut random = Random::new();
    let start = random.blocks(1)[0];
    let whole = oracle::ctr(&counting(16), start, &[0; 4096]);
    for_each_kernel("modes_counter, seeking", Frame::Ecb, |subject| {
        let mut ctr = Ctr128BE::inner_iv_init(cipher(subject.token), &array(start));
        for case in 0..500 {
            let from = random.below(4096);
            let to = from + random.below(4097 - from);
            ctr.seek(from);
            assert_eq!(ctr.current_pos::<usize>(), from);
            let mut data = vec![0; to - from];
            ctr.apply_keystream(&mut data);
            assert!(data == whole[from..to], "case {case}: {from}..{to}, {}", subject.name);
            assert_eq!(ctr.current_pos::<usize>(), to);
            // The same as keystream, over noise, from the clone.
            let mut clone = ctr.clone();
            clone.seek(from);
            clone.write_keystream(&mut data);
            assert!(data == whole[from..to], "case {case}: {from}..{to}, {}", subject.name);
        }
        500
    });
}

#[test]
fn positions_beyond_32_and_64_bits() {
    let start = iv("fedcba98765432100123456789abcdef");
    let mut ctr = Ctr128BE::inner_iv_init(cipher(Token::detect()), &array(start));
    for position in [1 << 32, (1 << 36) + 7, (1 << 68) - 1, 1 << 100, u128::MAX - 40] {
        ctr.try_seek(position).unwrap();
        assert_eq!(ctr.try_current_pos::<u128>().unwrap(), position);
        assert_eq!(ctr.try_current_pos::<u64>().is_ok(), position < 1 << 64);
        assert_eq!(ctr.try_current_pos::<u32>().is_ok(), position < 1 << 32);
        let mut data = [0; 40];
        ctr.try_apply_keystream(&mut data).unwrap();
        let first = u128::from_be_bytes(start).wrapping_add(position / 16);
        let expected = keystream((0..4).map(|i| first.wrapping_add(i)));
        let skip = (position % 16) as usize;
        assert_eq!(data, expected[skip..skip + 40]);
    }
    ctr.try_seek(-1).unwrap_err();
}

/// 32-bit counters: 2^36 bytes for an IV, all of which can be had.
#[test]
fn the_last_byte_and_no_further() {
    const END: u64 = 1 << 36;
    for_each_kernel("modes_counter, end", Frame::Ecb, |subject| {
        let start = iv("000102030405060708090a0b80000000");
        let mut ctr = Ctr32BE::inner_iv_init(cipher(subject.token), &array(start));
        ctr.try_seek(END - 63).unwrap();
        assert_eq!(ctr.try_current_pos::<u64>().unwrap(), END - 63);

        // One byte too many: refused, nothing touched, position kept.
        let mut data = [0x11; 64];
        ctr.try_apply_keystream(&mut data).unwrap_err();
        ctr.try_apply_keystream_b2b(&[0; 64], &mut data).unwrap_err();
        ctr.try_write_keystream(&mut data).unwrap_err();
        assert_eq!(data, [0x11; 64]);
        assert_eq!(ctr.try_current_pos::<u64>().unwrap(), END - 63);

        let mut data = [0; 63];
        ctr.try_apply_keystream(&mut data).unwrap();
        let high = u128::from_be_bytes(start) >> 32 << 32;
        let expected = keystream((0..4).map(|i| high | (0x8000_0000 - 4 + i)));
        assert_eq!(data, expected[1..]);

        assert_eq!(ctr.try_current_pos::<u64>().unwrap(), END);
        ctr.try_apply_keystream(&mut []).unwrap();
        ctr.try_apply_keystream(&mut [0]).unwrap_err();
        ctr.try_seek(END + 1).unwrap_err();
        ctr.try_seek(END).unwrap();
        ctr.try_apply_keystream(&mut [0]).unwrap_err();
        ctr.try_seek(END - 1).unwrap();
        ctr.try_apply_keystream(&mut [0]).unwrap();
        1
    });
}
