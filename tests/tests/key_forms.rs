//! Are round keys mapped as kernels want them? The emitted map against the generator's, for each
//! number of rounds: every bit of every round key alone, and random ones.

use aria_gen::kernel::KeyForm;
use aria_gen::spec::aria::DIFFUSION;
use aria_kernels::{
    broadcast32, diffuse, even_planes, from_even_planes, from_odd_planes, mapped32, odd_planes,
    spread_planes,
};
use aria_tests::seed::Random;

/// Numbers of round keys.
const COUNTS: [usize; 3] = [13, 15, 17];

/// The emitted maps to forms of sixteen words, and the generator's names for them.
type Map = fn(&[[u8; 16]], &mut [[u32; 16]]);
const MAPS: [(Map, KeyForm); 2] =
    [(broadcast32, KeyForm::Broadcast32), (mapped32, KeyForm::Mapped32)];

fn compare(raw: &[[u8; 16]]) {
    for (map, name) in MAPS {
        let mut form = vec![[0_u32; 16]; raw.len()];
        map(raw, &mut form);
        let bytes = |word: &u32| word.to_le_bytes();
        let found: Vec<Vec<u8>> =
            form.iter().map(|key| key.iter().flat_map(bytes).collect()).collect();
        assert_eq!(found, name.expand(raw), "{name:?} of {raw:02x?}");
    }
}

/// RFC 5794, section 2.4.3: byte j of the result is the sum of these bytes.
#[test]
fn diffusion_equals_the_equations_on_a_basis() {
    for bit in 0..128 {
        let x = (1_u128 << bit).to_be_bytes();
        let y: [u8; 16] = DIFFUSION.map(|row| row.iter().fold(0, |sum, &i| sum ^ x[i]));
        assert_eq!(diffuse(x), y, "bit {bit}");
        assert_eq!(diffuse(y), x, "bit {bit}");
    }
}

#[test]
fn words_of_every_bit_alone() {
    for count in COUNTS {
        for bit in 0..128 * count {
            let mut raw = vec![[0_u8; 16]; count];
            raw.as_flattened_mut()[bit / 8] = 1 << (bit % 8);
            compare(&raw);
        }
    }
}

#[test]
fn words_of_random_round_keys() {
    let mut random = Random::new();
    for count in COUNTS {
        for _ in 0..100 {
            compare(&random.blocks(count));
        }
    }
}

/// It stops at the shorter of the two and writes nothing beyond.
#[test]
fn words_into_too_little_room() {
    for (map, name) in MAPS {
        let raw = [[0xff; 16]; 13];
        let mut form = [[7; 16]; 12];
        map(&raw, &mut form[..5]);
        assert!(form[..5].iter().all(|key| *key != [7; 16]), "{name:?}");
        assert!(form[5..].iter().all(|key| *key == [7; 16]), "{name:?}");
        map(&[], &mut form);
        assert!(form[5..].iter().all(|key| *key == [7; 16]), "{name:?}");
    }
}

/// The portable kernels' forms, of one key before an odd round and before an even one.
fn compare_planes(key: [u8; 16]) {
    let raw = [key; 3];
    let (planes, spread) = (KeyForm::Planes.expand(&raw), KeyForm::SpreadPlanes.expand(&raw));
    assert_eq!(odd_planes(key).to_vec(), planes[0], "{key:02x?}");
    assert_eq!(even_planes(key).to_vec(), planes[1], "{key:02x?}");
    assert_eq!(planes[1], planes[2], "the last one goes with even rounds");
    for (planes, spread) in [(odd_planes(key), &spread[0]), (even_planes(key), &spread[1])] {
        let words = spread_planes(planes);
        assert_eq!(words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>(), *spread);
    }
    assert_eq!(from_odd_planes(odd_planes(key)), key);
    assert_eq!(from_even_planes(even_planes(key)), key);
}

#[test]
fn planes_of_every_bit_alone_and_of_random_keys() {
    for bit in 0..128 {
        let mut key = [0; 16];
        key[bit / 8] = 1 << (bit % 8);
        compare_planes(key);
    }
    let mut random = Random::new();
    for key in random.blocks(100) {
        compare_planes(key);
    }
}
