//! Do the modes refuse what they must, before they write anything, and take what they must take?

use aria_runtime::cipher::common::InnerInit;
use aria_runtime::cipher::inout::InOutBuf;
use aria_runtime::cipher::{
    BlockModeDecrypt, BlockModeEncrypt, InnerIvInit, KeyInit, KeyIvInit, StreamCipher,
};
use aria_runtime::modes::buffered::{Buffered, Padded, Unpadded};
use aria_runtime::modes::cmac::{Cmac, Mac};
use aria_runtime::modes::kw::{Kw, Kwp};
use aria_runtime::modes::{
    Aria128CbcDec, Aria128CbcEnc, Aria128CfbBufDec, Aria128CfbBufEnc, Aria128CfbEnc, Aria128Cmac,
    Aria128Cs1Dec, Aria128Cs1Enc, Aria128Cs2Enc, Aria128Cs3Enc, Aria128Ctr, Aria128Kwp, Aria128Ofb,
    Aria128XtsDec, Aria128XtsEnc, Aria192Cmac, Aria256Cmac, Aria256XtsEnc, Error,
};
use aria_runtime::{Aria128, Cap, Frame, Token};
use aria_tests::modes::{Direction, Form, Mode, counting};
use aria_tests::report::for_each_kernel;

const IV: [u8; 16] = [9; 16];

fn key() -> [u8; 16] {
    core::array::from_fn(|i| i as u8)
}

fn xts_keys() -> Vec<u8> {
    counting(32)
}

#[test]
fn xts_refuses_equal_keys_when_it_encrypts() {
    let equal = [7; 32];
    assert_eq!(Aria128XtsEnc::new_from_slice(&equal).err(), Some(Error::EqualKeys));
    assert_eq!(Aria128XtsEnc::new(&[7; 16].into(), &[7; 16].into()).err(), Some(Error::EqualKeys));
    assert_eq!(Aria256XtsEnc::new_from_slice(&[0; 64]).err(), Some(Error::EqualKeys));
    // One bit is enough of a difference, wherever it is.
    for bit in 0..128 {
        let mut keys = equal;
        keys[bit / 8] ^= 1 << (bit % 8);
        assert!(Aria128XtsEnc::new_from_slice(&keys).is_ok(), "bit {bit}");
    }
    // What others wrote under equal keys can be read.
    assert!(Aria128XtsDec::new_from_slice(&equal).is_ok());
}

#[test]
fn xts_units_have_16_bytes_to_2_to_the_20_blocks() {
    let encryptor = Aria128XtsEnc::new_from_slice(&xts_keys()).unwrap();
    let decryptor = Aria128XtsDec::new_from_slice(&xts_keys()).unwrap();
    for bytes in 0..16 {
        let error = Err(Error::Short { bytes: bytes as u64, least: 16 });
        let mut data = counting(bytes);
        assert_eq!(encryptor.encrypt_unit(0, &mut data), error);
        assert_eq!(decryptor.decrypt_unit(0, &mut data), error);
        assert_eq!(encryptor.encrypt_unit_b2b(0, &data, &mut [0; 16]), error);
        assert_eq!(data, counting(bytes));
        let mut buffered = Buffered::new(encryptor.piecewise(0));
        assert_eq!(buffered.update(&data, &mut []), Ok(0));
        assert_eq!(buffered.finish(&mut [0; 48]).map(|_| ()), error);
    }
    let most = 16 << 20;
    let mut data = vec![0x5a; most + 1];
    let error = Err(Error::Long { bytes: most as u64 + 1, most: most as u64 });
    assert_eq!(encryptor.encrypt_unit(0, &mut data), error);
    assert_eq!(encryptor.encrypt_area(0, most + 1, &mut data), error);
    assert_eq!(decryptor.decrypt_unit(0, &mut data), error);
    let mut buffered = Buffered::new(encryptor.piecewise(0));
    let mut output = vec![0; most + 48];
    buffered.update(&data[..most], &mut output).unwrap();
    assert_eq!(buffered.update(&[0], &mut output).map(|_| ()), error);
    buffered.finish(&mut output).unwrap();
    assert!(data.iter().all(|byte| *byte == 0x5a), "nothing may be written");
    encryptor.encrypt_unit(7, &mut data[..most]).unwrap();
    assert_ne!(data[..most], vec![0x5a; most]);
    decryptor.decrypt_unit(7, &mut data[..most]).unwrap();
    assert!(data.iter().all(|byte| *byte == 0x5a));
}

#[test]
fn xts_areas_are_units_one_by_one() {
    for_each_kernel("modes_limits, areas", Frame::Ecb, |subject| {
        let cipher = |key: &[u8]| Aria128::new_from_slice_with_token(key, subject.token).unwrap();
        let (first, second) = (cipher(&[1; 16]), cipher(&[2; 16]));
        let encryptor = aria_runtime::modes::xts::Encryptor::from_ciphers(&first, &second).unwrap();
        let decryptor = aria_runtime::modes::xts::Decryptor::from_ciphers(&first, &second);
        let mut cases = 0;
        for unit_bytes in [16, 17, 48, 512, 520, 1024, 4096] {
            for (units, rest) in [(1, 0), (3, 16), (2, 31), (70, 0), (65, 16)] {
                // A unit's rest is no rest if it is as long as a unit.
                let rest = if rest < unit_bytes { rest } else { 0 };
                let number = u128::MAX - 1;
                // Tweaks are made 64 at a time; short units do to see that.
                let units = if unit_bytes > 520 { units.min(3) } else { units };
                let plain = counting(units * unit_bytes + rest);
                let mut area = plain.clone();
                encryptor.encrypt_area(number, unit_bytes, &mut area).unwrap();
                let mut expected = plain.clone();
                for (i, unit) in expected.chunks_mut(unit_bytes).enumerate() {
                    encryptor.encrypt_unit(number.wrapping_add(i as u128), unit).unwrap();
                }
                assert!(area == expected, "{units} units of {unit_bytes}, {}", subject.name);
                decryptor.decrypt_area(number, unit_bytes, &mut area).unwrap();
                assert!(area == plain, "{units} units of {unit_bytes}, {}", subject.name);
                cases += 1;
            }
        }
        // A last unit that is too short: nothing is written, not even the units before it.
        let mut area = counting(3 * 512 + 15);
        let error = Err(Error::Short { bytes: 15, least: 16 });
        assert_eq!(encryptor.encrypt_area(0, 512, &mut area), error);
        encryptor.encrypt_area(0, 15, &mut area).unwrap_err();
        encryptor.encrypt_area(0, 0, &mut area).unwrap_err();
        assert_eq!(area, counting(3 * 512 + 15));
        encryptor.encrypt_area(0, 512, &mut []).unwrap();
        cases
    });
}

#[test]
fn stealing_needs_a_block() {
    for bytes in 0..16 {
        let error = Err(Error::Short { bytes: bytes as u64, least: 16 });
        let mut data = counting(bytes);
        let (key, iv) = (key().into(), IV.into());
        assert_eq!(Aria128Cs1Enc::new(&key, &iv).encrypt(&mut data), error);
        assert_eq!(Aria128Cs1Dec::new(&key, &iv).decrypt(&mut data), error);
        assert_eq!(data, counting(bytes));
        let mut buffered = Buffered::new(Aria128Cs3Enc::new(&key, &iv));
        buffered.update(&data, &mut []).unwrap();
        assert_eq!(buffered.finish(&mut [0; 48]).map(|_| ()), error);
    }
}

/// The variants are the same but for the order of the last two blocks.
#[test]
fn variants_of_stealing() {
    for length in 16..200 {
        let [mut cs1, mut cs2, mut cs3] = [(); 3].map(|()| counting(length));
        let (key, iv) = (key().into(), IV.into());
        Aria128Cs1Enc::new(&key, &iv).encrypt(&mut cs1).unwrap();
        Aria128Cs2Enc::new(&key, &iv).encrypt(&mut cs2).unwrap();
        Aria128Cs3Enc::new(&key, &iv).encrypt(&mut cs3).unwrap();
        let whole = length % 16 == 0;
        assert_eq!(cs1 == cs2, whole, "{length} bytes");
        assert_eq!(cs2 == cs3, !whole || length == 16, "{length} bytes");
        if length > 16 {
            let last = (length - 1) % 16 + 1;
            let (before, end) = cs1.split_at(length - 16 - last);
            let (stolen_from, last) = end.split_at(last);
            assert_eq!(cs3, [before, last, stolen_from].concat(), "{length} bytes");
        }
    }
}

/// One byte short: an error, and the output is as it was.
#[test]
fn outputs_that_are_too_short() {
    let (key, iv) = (key().into(), IV.into());
    let mut output = [0xa5; 64];
    let error = |needed| Some(Error::Output { needed, given: needed - 1 });
    let xts = Aria128XtsEnc::new_from_slice(&xts_keys()).unwrap();
    assert_eq!(xts.encrypt_unit_b2b(0, &[0; 40], &mut output[..39]).err(), error(40));
    let cts = Aria128Cs3Enc::new(&key, &iv);
    assert_eq!(cts.encrypt_b2b(&[0; 40], &mut output[..39]).err(), error(40));
    let cbc = || Aria128CbcEnc::new(&key, &iv);
    assert_eq!(cbc().encrypt_pkcs7_b2b(&[0; 32], &mut output[..47]).err(), error(48));
    assert_eq!(cbc().encrypt_pkcs7(&mut output[..47], 32).err(), error(48));
    let cbc = || Aria128CbcDec::new(&key, &iv);
    assert_eq!(cbc().decrypt_pkcs7_b2b(&[0; 32], &mut output[..31]).err(), error(32));
    let kw = Kw::inner_init(Aria128::new(&key));
    assert_eq!(kw.wrap(&[0; 16], &mut output[..23]).err(), error(24));
    assert_eq!(kw.unwrap(&[0; 24], &mut output[..15]).err(), error(16));
    let kwp = Kwp::inner_init(Aria128::new(&key));
    assert_eq!(kwp.wrap(&[0; 9], &mut output[..23]).err(), error(24));
    assert_eq!(kwp.unwrap(&[0; 24], &mut output[..15]).err(), error(16));
    let mut buffered = Buffered::new(Padded(Aria128CbcEnc::new(&key, &iv)));
    assert_eq!(buffered.update(&[0; 40], &mut output[..31]).err(), error(32));
    assert_eq!(buffered.update(&[0; 40], &mut output[..32]), Ok(32));
    output[..32].fill(0xa5);
    assert_eq!(buffered.finish(&mut output[..15]).err(), error(16));
    assert!(Aria128Ctr::new(&key, &iv).try_apply_keystream_b2b(&[0; 9], &mut output[..8]).is_err());
    assert!(Aria128Ofb::new(&key, &iv).try_apply_keystream_b2b(&[0; 9], &mut output[..8]).is_err());
    assert!(Aria128CfbBufEnc::new(&key, &iv).encrypt_b2b(&[0; 9], &mut output[..8]).is_err());
    assert!(Aria128CfbBufDec::new(&key, &iv).decrypt_b2b(&[0; 9], &mut output[..8]).is_err());
    assert_eq!(output, [0xa5; 64]);
}

#[test]
fn blocks_that_are_not_whole() {
    let (key, iv) = (key().into(), IV.into());
    let cbc = || Aria128CbcDec::new(&key, &iv);
    for bytes in 0..48 {
        let mut data = counting(bytes);
        let refused = match bytes {
            0 => Some(Error::Short { bytes: 0, least: 16 }),
            _ if bytes % 16 != 0 => Some(Error::Ragged { bytes: bytes as u64, unit: 16 }),
            _ => None,
        };
        if let Some(error) = refused {
            assert_eq!(cbc().decrypt_pkcs7(&mut data).err(), Some(error));
            assert_eq!(data, counting(bytes));
            assert_eq!(cbc().decrypt_pkcs7_b2b(&data, &mut [0; 48]).err(), Some(error));
        }
        let mut buffered = Buffered::new(Unpadded(cbc()));
        let mut output = [0; 64];
        let end = buffered.update(&data, &mut output).unwrap();
        let finished = buffered.finish(&mut output[end..]).map(|_| ());
        let ragged = Error::Ragged { bytes: bytes as u64, unit: 16 };
        assert_eq!(finished, if bytes % 16 == 0 { Ok(()) } else { Err(ragged) });
    }
}

/// Without padding, as many bytes come out as go in; with it, a whole block more at the least.
#[test]
fn padding_only_where_asked_for() {
    let (key, iv) = ([0; 16].into(), [0; 16].into());
    let mut block = [0; 16];
    block[0] = 0x80;
    let mut blocks = [block.into()];
    Aria128CbcEnc::new(&key, &iv).encrypt_blocks(&mut blocks);
    assert_eq!(hex::encode(blocks[0]), "92e51e737dabb6bfd0eabc8d32224f77");
    let mut output = [0; 64];
    let padded = Aria128CbcEnc::new(&key, &iv).encrypt_pkcs7_b2b(&block, &mut output).unwrap();
    assert_eq!(padded.len(), 32);
    assert_eq!(padded[..16], *blocks[0]);
}

/// Every wrong padding is refused alike, whether found at the first byte or at the last.
#[test]
fn wrong_padding() {
    let (key, iv) = (key().into(), IV.into());
    for last in 0..=255_u8 {
        for fault in [None, Some(0), Some(7), Some(14)] {
            let mut block = [last; 16];
            if let Some(at) = fault {
                block[at] ^= 0x40;
            }
            let right = (1..=16).contains(&last)
                && block[16 - usize::from(last)..].iter().all(|byte| *byte == last);
            let mut blocks = [[3; 16].into(), block.into()];
            Aria128CbcEnc::new(&key, &iv).encrypt_blocks(&mut blocks);
            let mut data = blocks.concat();
            let decrypted = Aria128CbcDec::new(&key, &iv).decrypt_pkcs7(&mut data);
            if right {
                let plain = [[3; 16], block].concat();
                assert_eq!(decrypted.unwrap(), &plain[..32 - usize::from(last)]);
            } else {
                assert_eq!(decrypted.err(), Some(Error::Padding));
                assert_eq!(data, [0; 32], "no plaintext may be left");
            }
        }
    }
}

#[test]
fn key_wrap_sizes() {
    let kw = Kw::inner_init(Aria128::new(&key().into()));
    let kwp = Kwp::inner_init(Aria128::new(&key().into()));
    let key = counting(80);
    for bytes in 0..=80 {
        let (mut wrapped, mut unwrapped) = ([0xa5; 96], [0xa5; 96]);
        let expected = match bytes {
            0..16 => Err(Error::Short { bytes: bytes as u64, least: 16 }),
            _ if bytes % 8 != 0 => Err(Error::Ragged { bytes: bytes as u64, unit: 8 }),
            _ => Ok(bytes + 8),
        };
        assert_eq!(kw.wrap(&key[..bytes], &mut wrapped).map(|w| w.len()), expected);
        if let Ok(length) = expected {
            assert_eq!(kw.unwrap(&wrapped[..length], &mut unwrapped).unwrap(), &key[..bytes]);
        } else {
            assert_eq!(wrapped, [0xa5; 96]);
        }
        let expected = match bytes {
            0 => Err(Error::Short { bytes: 0, least: 1 }),
            _ => Ok(bytes.next_multiple_of(8) + 8),
        };
        assert_eq!(kwp.wrap(&key[..bytes], &mut wrapped).map(|w| w.len()), expected);
        if let Ok(length) = expected {
            assert_eq!(kwp.unwrap(&wrapped[..length], &mut unwrapped).unwrap(), &key[..bytes]);
            // And KW takes none of these.
            let kw = kw.unwrap(&wrapped[..length], &mut unwrapped);
            assert!(matches!(kw, Err(Error::Integrity | Error::Short { .. })));
        }
        // Unwrapping noise of this length.
        let noise = kw.unwrap(&key[..bytes], &mut unwrapped).err().unwrap();
        match bytes {
            0..24 => assert_eq!(noise, Error::Short { bytes: bytes as u64, least: 24 }),
            _ if bytes % 8 != 0 => {
                assert_eq!(noise, Error::Ragged { bytes: bytes as u64, unit: 8 });
            }
            _ => {
                assert_eq!(noise, Error::Integrity);
                assert_eq!(unwrapped[..bytes - 8], vec![0; bytes - 8]);
            }
        }
    }
    // Computed by OpenSSL and one more implementation.
    let mut wrapped = [0; 16];
    let wrapped = Aria128Kwp::new(&self::key().into()).wrap(&counting(7), &mut wrapped).unwrap();
    assert_eq!(hex::encode(wrapped), "8b477f0537ab82b1f493751519aa14ca");
}

/// Every bit of a wrapped key matters, and nothing of the key is left when one is wrong.
#[test]
fn changed_wrapped_keys() {
    let kw = Kw::inner_init(Aria128::new(&key().into()));
    let kwp = Kwp::inner_init(Aria128::new(&key().into()));
    let (mut by_kw, mut by_kwp) = ([0; 40], [0; 40]);
    kw.wrap(&counting(32), &mut by_kw).unwrap();
    kwp.wrap(&counting(30), &mut by_kwp).unwrap();
    for bit in 0..320 {
        let flip = |mut wrapped: [u8; 40]| {
            wrapped[bit / 8] ^= 1 << (bit % 8);
            wrapped
        };
        let mut key = [0xa5; 32];
        assert_eq!(kw.unwrap(&flip(by_kw), &mut key).err(), Some(Error::Integrity));
        assert_eq!(key, [0; 32]);
        let mut key = [0xa5; 32];
        assert_eq!(kwp.unwrap(&flip(by_kwp), &mut key).err(), Some(Error::Integrity));
        assert_eq!(key, [0; 32]);
    }
}

#[test]
fn key_and_iv_lengths() {
    let bytes = [7; 65];
    for length in 0..=64 {
        let key = &bytes[..length];
        assert_eq!(Aria128Cmac::new_from_slice(key).is_ok(), length == 16);
        assert_eq!(Aria192Cmac::new_from_slice(key).is_ok(), length == 24);
        assert_eq!(Aria256Cmac::new_from_slice(key).is_ok(), length == 32);
        assert_eq!(Aria128Ctr::new_from_slices(key, &[0; 16]).is_ok(), length == 16);
        assert_eq!(Aria128Ctr::new_from_slices(&[0; 16], key).is_ok(), length == 16);
        assert_eq!(Aria128CfbEnc::new_from_slices(&[0; 16], key).is_ok(), length == 16);
        let keys = &counting(length);
        let xts = Aria256XtsEnc::new_from_slice(keys).err();
        assert_eq!(xts, (length != 64).then_some(Error::KeyLength { bytes: length }));
        let xts = Aria128XtsDec::new_from_slice(keys).err();
        assert_eq!(xts, (length != 32).then_some(Error::KeyLength { bytes: length }));
    }
}

/// Nothing in, nothing out, and no state changes.
#[test]
fn empty_messages() {
    for token in [Token::detect(), Token::detect().capped(Cap::Portable)] {
        for mode in Mode::ALL.into_iter().filter(|mode| mode.takes(0)) {
            for form in [Form::InPlace, Form::Apart, Form::Pieces(&[0, 0])] {
                let key = (&counting(16)[..], IV);
                let out = mode.run(key, token, Direction::Encrypt, form, &[]).unwrap();
                assert_eq!(out.len(), if mode == Mode::CbcPkcs7 { 16 } else { 0 }, "{mode:?}");
            }
        }
    }
    let mut cbc = Aria128CbcEnc::new(&key().into(), &IV.into());
    cbc.encrypt_blocks(&mut []);
    cbc.encrypt_blocks_inout(InOutBuf::from(&mut [][..]));
    let mut blocks = [[1; 16].into()];
    cbc.encrypt_blocks(&mut blocks);
    let mut expected = [[1; 16].into()];
    Aria128CbcEnc::new(&key().into(), &IV.into()).encrypt_blocks(&mut expected);
    assert_eq!(blocks, expected);

    let cmac = Aria128Cmac::new(&key().into());
    let tag = "67a59b2eb6f1fcbe11d03b919ce21d74";
    assert_eq!(hex::encode(cmac.mac(&[])), tag);
    assert_eq!(hex::encode(cmac.finalize().into_bytes()), tag);
}

/// CBC in two calls, cut at every block: the second goes on where the first ended.
#[test]
fn chaining_from_call_to_call() {
    use aria_runtime::modes::{cbc, cfb};
    for_each_kernel("modes_limits, chaining", Frame::Ecb, |subject| {
        let cipher = || Aria128::new_from_slice_with_token(&key(), subject.token).unwrap();
        let iv = IV.into();
        let encrypted: Vec<_> =
            (0..130_u128).map(|i| (i * 0x0123_4567_89ab_cdef).to_be_bytes().into()).collect();
        let mut by_cbc = encrypted.clone();
        cbc::Decryptor::inner_iv_init(cipher(), &iv).decrypt_blocks(&mut by_cbc);
        let mut by_cfb = encrypted.clone();
        cfb::Decryptor::inner_iv_init(cipher(), &iv).decrypt_blocks(&mut by_cfb);
        for cut in 0..=130 {
            let mut cbc = cbc::Decryptor::inner_iv_init(cipher(), &iv);
            let mut cfb = cfb::Decryptor::inner_iv_init(cipher(), &iv);
            let (mut first, mut second) = (encrypted.clone(), encrypted.clone());
            let (a, b) = first.split_at_mut(cut);
            cbc.decrypt_blocks(a);
            cbc.decrypt_blocks(b);
            assert!(first == by_cbc, "CBC cut at {cut}, {}", subject.name);
            let (a, b) = second.split_at_mut(cut);
            cfb.decrypt_blocks(a);
            cfb.decrypt_blocks(b);
            assert!(second == by_cfb, "CFB cut at {cut}, {}", subject.name);
        }
        131
    });
    // Computed by OpenSSL and one more implementation.
    let mut cbc = Aria128CbcEnc::new(&key().into(), &[0; 16].into());
    let plain = counting(64);
    let mut blocks: Vec<_> = plain.as_chunks().0.iter().map(|block| (*block).into()).collect();
    cbc.encrypt_blocks(&mut blocks);
    let mut next = [key().into()];
    cbc.encrypt_blocks(&mut next);
    assert_eq!(hex::encode(next[0]), "d301db59cffba6304eb58e508b7e90db");
}

/// A MAC in pieces, restarted, and truncated.
#[test]
fn cmac_states() {
    let message = counting(100);
    let mut cmac = Cmac::inner_init(Aria128::new(&key().into()));
    for length in 0..=100 {
        let whole = cmac.mac(&message[..length]);
        for cut in 0..=length {
            Mac::update(&mut cmac, &message[..cut]);
            Mac::update(&mut cmac, &message[cut..length]);
            assert_eq!(cmac.finalize_reset().into_bytes(), whole, "{length} bytes cut at {cut}");
        }
        for kept in 1..=16 {
            let mac = cmac.clone().chain_update(&message[..length]);
            mac.verify_truncated_left(&whole[..kept]).unwrap();
        }
        for bit in 0..128 {
            let mut tag = whole;
            tag[bit / 8] ^= 1 << (bit % 8);
            cmac.clone().chain_update(&message[..length]).verify(&tag).unwrap_err();
        }
    }
    // Given up in the midst of a message.
    Mac::update(&mut cmac, &message);
    Mac::reset(&mut cmac);
    assert_eq!(cmac.clone().finalize().into_bytes(), cmac.mac(&[]));
}

/// Names and nothing else.
#[test]
fn debug_shows_no_secret() {
    let (key, iv) = (key().into(), IV.into());
    let shown = [
        format!("{:?}", Aria128Ctr::new(&key, &iv)),
        format!("{:?}", Aria128CbcDec::new(&key, &iv)),
        format!("{:?}", Aria128Cs2Enc::new(&key, &iv)),
        format!("{:?}", Aria128Cmac::new(&key)),
        format!("{:?}", Aria128Kwp::new(&key)),
        format!("{:?}", Aria128XtsEnc::new_from_slice(&xts_keys()).unwrap()),
        format!("{:?}", Buffered::new(Padded(Aria128CbcEnc::new(&key, &iv)))),
    ];
    assert_eq!(
        shown,
        [
            "Ctr128BE<Aria128Enc> { ... }",
            "cbc::Decryptor<Aria128Dec> { ... }",
            "cts::Cs2<Aria128Enc> { ... }",
            "Cmac<Aria128Enc> { ... }",
            "Kwp<Aria128> { ... }",
            "xts::Encryptor<Aria128Enc> { ... }",
            "Buffered(Padded(cbc::Encryptor<Aria128Enc> { ... }))",
        ]
    );
}
