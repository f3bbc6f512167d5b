//! Is bad input refused with a typed error that helps, and nothing written?

use std::env;
use std::process::Command;

use aria_runtime::cipher::{InvalidLength, KeyInit};
use aria_runtime::{
    Aria128, Aria128Dec, Aria128Enc, Aria192, Aria192Dec, Aria192Enc, Aria256, Aria256Dec,
    Aria256Enc, Cap, CapError, FeatureSet, ForceError, LengthError, Token, cap_from_env, kernels,
};
use aria_tests::ours::cipher;

#[test]
fn key_lengths() {
    fn check<C: KeyInit>(
        with_token: impl Fn(&[u8], Token) -> Result<C, InvalidLength>,
        lengths_seen: &mut usize,
    ) {
        let key = [7; 64];
        for length in 0..=key.len() {
            let right = length == C::key_size();
            // A key in memory of its own, so that a read past its end is one past an allocation.
            let key = key[..length].to_vec().into_boxed_slice();
            assert_eq!(C::new_from_slice(&key).is_ok(), right, "{length} bytes");
            assert_eq!(with_token(&key, Token::detect()).is_ok(), right, "{length} bytes");
            *lengths_seen += 1;
        }
    }
    let mut seen = 0;
    check(Aria128::new_from_slice_with_token, &mut seen);
    check(Aria128Enc::new_from_slice_with_token, &mut seen);
    check(Aria128Dec::new_from_slice_with_token, &mut seen);
    check(Aria192::new_from_slice_with_token, &mut seen);
    check(Aria192Enc::new_from_slice_with_token, &mut seen);
    check(Aria192Dec::new_from_slice_with_token, &mut seen);
    check(Aria256::new_from_slice_with_token, &mut seen);
    check(Aria256Enc::new_from_slice_with_token, &mut seen);
    check(Aria256Dec::new_from_slice_with_token, &mut seen);
    assert_eq!(seen, 9 * 65);
}

#[test]
fn output_shorter_than_input() {
    let cipher = cipher(&[7; 16], Token::detect());
    for input in 1..130 {
        for output in [0, input / 2, input - 1] {
            let from = vec![[1; 16]; input];
            let mut to = vec![[2; 16]; output];
            let error = LengthError { input, output };
            assert_eq!(cipher.encrypt_b2b(&from, &mut to), Err(error));
            assert_eq!(cipher.decrypt_b2b(&from, &mut to), Err(error));
            assert!(
                to.iter().all(|block| *block == [2; 16]),
                "{input} to {output} blocks: written"
            );
        }
    }
    let message = LengthError { input: 3, output: 2 }.to_string();
    assert!(message.contains("at least 3 blocks"), "{message}");
}

#[test]
fn output_longer_than_input() {
    let cipher = cipher(&[7; 32], Token::detect());
    for input in 0..130 {
        let from = vec![[1; 16]; input];
        let mut to = vec![[2; 16]; input + 3];
        cipher.encrypt_b2b(&from, &mut to).unwrap();
        let (image, beyond) = to.split_at(input);
        assert!(image.iter().all(|block| block == &to[0]), "equal blocks have equal images");
        assert!(beyond.iter().all(|block| *block == [2; 16]), "{input} blocks: written beyond");
    }
}

#[test]
fn nothing_from_nothing() {
    let cipher = cipher(&[7; 24], Token::detect());
    cipher.encrypt(&mut []);
    cipher.decrypt(&mut []);
    cipher.encrypt_b2b(&[], &mut []).unwrap();
    let mut output = [[2; 16]];
    cipher.decrypt_b2b(&[], &mut output).unwrap();
    assert_eq!(output, [[2; 16]]);
}

#[test]
fn unknown_kernel() {
    let here = Token::detect();
    for id in ["", "no such", "aria", "aria_avx512_gfni_zmm_blk6", "ARIA_SSE_GFNI_XMM_BLK16"] {
        let error = here.forced(id).unwrap_err();
        assert!(matches!(error, ForceError::Unknown { .. }), "{id:?}: {error:?}");
        assert!(error.to_string().contains("kernels()"), "{error}");
    }
    for kernel in kernels() {
        let misspelt = kernel.id.replacen("blk", "block", 1);
        let error = here.forced(&misspelt).unwrap_err();
        let ForceError::Unknown { nearest: Some(nearest) } = error else {
            panic!("{misspelt}: {error:?}");
        };
        assert!(error.to_string().contains(nearest), "{error}");
        // Another batch of the same kernel is as near; all else must agree.
        let stem = |id: &str| id.split("_bl").next().unwrap_or_default().to_owned();
        assert_eq!(stem(nearest), stem(kernel.id));
    }
}

#[test]
fn kernel_that_cannot_run() {
    let portable = Token::detect().capped(Cap::Portable);
    assert_eq!(portable.features(), FeatureSet::EMPTY);
    for kernel in kernels().filter(|kernel| !kernel.features.is_empty()) {
        let needed: FeatureSet = kernel.features.iter().copied().collect();
        let error = portable.forced(kernel.id).unwrap_err();
        assert_eq!(error, ForceError::CannotRun { id: kernel.id, missing: needed });
        for feature in kernel.features {
            assert!(error.to_string().contains(feature.name()), "{error}");
        }
        assert_eq!(Token::detect().forced(kernel.id).is_ok(), kernel.runs_here(), "{}", kernel.id);
    }
}

/// A cap that forbids the forced kernel leaves the portable kernel, which still gives right results.
#[test]
fn cap_after_force() {
    let plain = [[9; 16]; 40];
    let encrypt = |token| {
        let mut blocks = plain;
        cipher(&[7; 16], token).encrypt(&mut blocks);
        blocks
    };
    let expected = encrypt(Token::detect());
    for kernel in kernels().filter(|kernel| kernel.runs_here()) {
        let forced = Token::detect().forced(kernel.id).unwrap();
        assert_eq!(encrypt(forced), expected, "{}", kernel.id);
        assert_eq!(encrypt(forced.capped(Cap::Portable)), expected, "{}", kernel.id);
    }
}

#[test]
fn unknown_cap() {
    for name in ["", "avx-512", "AVX2", "gfni", " sse"] {
        let error: CapError = name.parse::<Cap>().unwrap_err();
        for cap in Cap::ALL {
            assert!(error.to_string().contains(cap.name()), "{error}");
        }
    }
}

/// `ARIA_CAP` is read once in a process, so each value gets a process: this test runs itself.
#[test]
fn cap_in_the_environment() {
    if env::var_os("ARIA_TESTS_CHILD").is_some() {
        println!("cap {:?}, features {}", cap_from_env(), Token::detect().features());
        return;
    }
    let child = |value: Option<&str>| {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "cap_in_the_environment", "--nocapture"]);
        command.env("ARIA_TESTS_CHILD", "1").env_remove("ARIA_CAP");
        if let Some(value) = value {
            command.env("ARIA_CAP", value);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let line = |cap: Result<Option<Cap>, CapError>, limit: Cap| {
        let uncapped = child(None);
        let all = uncapped.split("features ").nth(1).unwrap().lines().next().unwrap();
        let allowed: FeatureSet = aria_runtime::Feature::ALL
            .iter()
            .copied()
            .filter(|feature| all.split(", ").any(|name| name == feature.name()))
            .filter(|&feature| limit.allows(feature))
            .collect();
        format!("cap {cap:?}, features {allowed}")
    };
    for &cap in Cap::ALL {
        let expected = line(Ok(Some(cap)), cap);
        assert!(child(Some(cap.name())).contains(&expected), "{cap}");
    }
    assert!(child(None).contains(&line(Ok(None), Cap::Avx512)));
    assert!(child(Some("")).contains(&line(Ok(None), Cap::Avx512)));
    // Passed over by detection, told to who asks.
    assert!(child(Some("avx5")).contains(&line(Err(CapError), Cap::Avx512)));
}
