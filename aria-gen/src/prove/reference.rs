//! What a kernel must compute: RFC 5794's block function over any domain, and the key forms.
//!
//! The data are those of [`spec::aria`](crate::spec::aria), the diffusion rows and each S-box as
//! affine map, field inversion, affine map; the round structure is written here once more, over
//! domain bytes, and tested against the oracle on plain ones. Round keys are arbitrary: nothing here
//! uses that they come from a key schedule, so one proof covers encryption and decryption.

use super::domain::Domain;
use super::reader::{Value, Word};
use crate::math::Affine;
use crate::spec::aria::{BLOCK_BYTES, DIFFUSION, KEY_ROTATIONS, Layer, MAX_ROUND_KEYS, s1};

/// A block or round key in a domain.
pub type Block<B> = [B; BLOCK_BYTES];

/// The block function under n + 1 round keys (RFC 5794 section 2.3): n - 1 rounds FO and FE in
/// turn, then SL2 between two key additions.
///
/// # Panics
///
/// When there are fewer than three round keys.
pub fn encrypt<D: Domain>(
    domain: &mut D,
    round_keys: &[Block<D::Byte>],
    block: &Block<D::Byte>,
) -> Block<D::Byte> {
    let [rounds @ .., last, whitening] = round_keys else { panic!("too few round keys") };
    let mut p = block.clone();
    for (i, rk) in rounds.iter().enumerate() {
        let layer = if i % 2 == 0 { Layer::Sl1 } else { Layer::Sl2 };
        let added = add(domain, &p, rk);
        let substituted = substitute(domain, layer, &added);
        p = diffuse(domain, &substituted);
    }
    let added = add(domain, &p, last);
    let substituted = substitute(domain, Layer::Sl2, &added);
    add(domain, &substituted, whitening)
}

/// The sum of two blocks.
pub fn add<D: Domain>(domain: &D, a: &Block<D::Byte>, b: &Block<D::Byte>) -> Block<D::Byte> {
    core::array::from_fn(|i| domain.xor(&a[i], &b[i]))
}

fn substitute<D: Domain>(domain: &mut D, layer: Layer, x: &Block<D::Byte>) -> Block<D::Byte> {
    core::array::from_fn(|i| {
        let sbox = layer.sbox(i);
        let argument = domain.affine(sbox.before, &x[i]);
        let inverse = domain.inverse(&argument);
        domain.affine(sbox.after, &inverse)
    })
}

fn diffuse<D: Domain>(domain: &D, x: &Block<D::Byte>) -> Block<D::Byte> {
    DIFFUSION.map(|row| {
        let zero = domain.constant(0);
        row.iter().fold(zero, |sum, &i| domain.xor(&sum, &x[i]))
    })
}

/// What a kernel makes of its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// The image of each block.
    Ecb,
    /// Each block plus the image of its counter (NIST SP 800-38A, section 6.5). Counters follow each
    /// other as numbers of 128 bits, the most significant byte first.
    Ctr,
    /// Round keys, of master keys.
    Keys,
    /// Of all blocks but the first, the image plus the block before (NIST SP 800-38A, section 6.2, the
    /// first block being the IV).
    CbcDec,
    /// All blocks but the first, plus the image of the block before (the same, section 6.3).
    CfbDec,
    /// The image of each block plus the image before, or the initial value (NIST SP 800-38A, section 6.2).
    CbcEnc,
}

impl Frame {
    /// Whether blocks depend on their neighbours.
    #[must_use]
    pub const fn chains(self) -> bool {
        matches!(self, Self::CbcEnc | Self::CbcDec | Self::CfbDec)
    }

    /// Blocks that the input has before those of its batches.
    #[must_use]
    pub const fn leading_blocks(self) -> usize {
        match self {
            Self::Ecb | Self::Ctr | Self::Keys | Self::CbcEnc => 0,
            Self::CbcDec | Self::CfbDec => 1,
        }
    }
}

/// What a key schedule (RFC 5794 section 2.2) makes of KL ‖ KR under CK1 to CK3: all encryption round
/// keys that the largest key has, then the image of each under A.
pub fn key_schedule<D: Domain>(
    domain: &mut D,
    constants: &[Block<D::Byte>; 3],
    [kl, kr]: [&Block<D::Byte>; 2],
) -> Vec<Block<D::Byte>> {
    let mut round = |layer, x: &Block<D::Byte>, ck: &Block<D::Byte>, addend: &Block<D::Byte>| {
        let added = add(domain, x, ck);
        let substituted = substitute(domain, layer, &added);
        add(domain, &diffuse(domain, &substituted), addend)
    };
    let [ck1, ck2, ck3] = constants;
    let w0 = kl.clone();
    let w1 = round(Layer::Sl1, &w0, ck1, kr);
    let w2 = round(Layer::Sl2, &w1, ck2, &w0);
    let w3 = round(Layer::Sl1, &w2, ck3, &w1);
    let w = [w0, w1, w2, w3];
    let key = |i: usize| {
        add(domain, &w[i % 4], &rotate_right(domain, &w[(i + 1) % 4], KEY_ROTATIONS[i / 4]))
    };
    let keys: Vec<Block<D::Byte>> = (0..MAX_ROUND_KEYS).map(key).collect();
    let images: Vec<Block<D::Byte>> = keys.iter().map(|key| diffuse(domain, key)).collect();
    [keys, images].concat()
}

/// A block as a number, byte 0 the most significant, rotated to the right.
fn rotate_right<D: Domain>(domain: &D, x: &Block<D::Byte>, by: u32) -> Block<D::Byte> {
    // Bit n of a block counts from the least significant bit of its last byte.
    let bit = |n: u32| (&x[15 - (n / 8) as usize], n % 8);
    core::array::from_fn(|byte| {
        let lowest = 8 * (15 - byte as u32);
        domain.gather(core::array::from_fn(|i| Some(bit((lowest + i as u32 + by) % 128))))
    })
}

/// How round keys lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyForm {
    /// The RFC's round key, an array of sixteen `u8`.
    Raw,
    /// Each byte of the RFC's round key as a `u32` of four equal bytes.
    Broadcast32,
    /// The same of mapped round keys. The first is as it is. Each later one belongs to the round
    /// that it ends and is taken back through the rest of it: through the diffusion layer, if the
    /// round has one, then, for S-boxes without a map before their inversion, through what such an
    /// S-box is after the AES S-box, constant apart.
    Mapped32,
    /// The bits of the RFC's round key in another order, 16 bytes again. Byte
    /// `COLUMNS[c] ^ ROWS[r]` of a key that is added before an odd round has its bit k at bit
    /// 4·r + c of lane ⌊k/2⌋ of word k mod 2, a word being eight bytes and a lane two; for keys that are
    /// added before or after an even round that is byte `3 ^ ROWS[c] ^ COLUMNS[r]`.
    Planes,
    /// Eight words: word k has that bit four times, at bits 16·r + 4·b + c for b from 0 to 3.
    SpreadPlanes,
}

/// See [`KeyForm::Planes`].
const COLUMNS: [usize; 4] = [0, 14, 11, 5];

/// See [`KeyForm::Planes`].
const ROWS: [usize; 4] = [0, 13, 10, 7];

impl KeyForm {
    /// The argument `rk` of a kernel, from the RFC's round keys.
    #[must_use]
    pub fn expand<D: Domain>(self, domain: &D, round_keys: &[Block<D::Byte>]) -> Value<D::Byte> {
        let last = round_keys.len().saturating_sub(1);
        Value::array(round_keys.iter().enumerate().map(|(turn, key)| match self {
            Self::Raw => raw(key),
            Self::Broadcast32 => broadcast32(key),
            Self::Mapped32 if turn == 0 => broadcast32(key),
            Self::Mapped32 => {
                let layer = if turn % 2 == 1 { Layer::Sl1 } else { Layer::Sl2 };
                let key = if turn == last { key.clone() } else { diffuse(domain, key) };
                broadcast32(&behind_aes(domain, layer, &key))
            }
            Self::Planes | Self::SpreadPlanes => {
                let even = turn == last || turn % 2 == 1;
                let byte = |place: usize| {
                    let (row, column) = (place / 4, place % 4);
                    let (odd, even_byte) =
                        (COLUMNS[column] ^ ROWS[row], 3 ^ ROWS[column] ^ COLUMNS[row]);
                    &key[if even { even_byte } else { odd }]
                };
                match self {
                    Self::Planes => planes(domain, byte),
                    _ => spread_planes(domain, byte),
                }
            }
        }))
    }
}

/// The bytes of [`KeyForm::Planes`] from the bytes at the places of the grid.
fn planes<'b, D: Domain>(domain: &D, byte: impl Fn(usize) -> &'b D::Byte) -> Value<D::Byte>
where
    D::Byte: 'b,
{
    Value::array((0..BLOCK_BYTES).map(|i| {
        let (word, lane, half) = (i / 8, i % 8 / 2, i % 2);
        let plane = u32::try_from(2 * lane + word).expect("one of eight");
        let bits = core::array::from_fn(|bit| Some((byte(8 * half + bit), plane)));
        Value::Word(Word { bytes: [domain.gather(bits)].into(), signed: false })
    }))
}

/// The words of [`KeyForm::SpreadPlanes`].
fn spread_planes<'b, D: Domain>(domain: &D, byte: impl Fn(usize) -> &'b D::Byte) -> Value<D::Byte>
where
    D::Byte: 'b,
{
    Value::array((0..8).map(|plane| {
        // Bits 0 to 3 of a byte are of one block, bits 4 to 7 of the next.
        let bytes = (0..8).map(|i| {
            let place = |bit| 4 * (i / 2) + bit % 4;
            domain.gather(core::array::from_fn(|bit| Some((byte(place(bit)), plane))))
        });
        Value::Word(Word { bytes: bytes.collect(), signed: false })
    }))
}

/// For each S-box S = M·(AES S-box) + constant of the layer, M⁻¹ times its byte; others as they are.
fn behind_aes<D: Domain>(domain: &D, layer: Layer, key: &Block<D::Byte>) -> Block<D::Byte> {
    core::array::from_fn(|i| {
        let sbox = layer.sbox(i);
        if !sbox.before.is_identity() {
            return key[i].clone();
        }
        // S1 is the S-box of AES (RFC 5794 section 2.4.2 lists the same table).
        let after_aes = sbox.after.matrix * s1().after.inverse().expect("a permutation").matrix;
        let matrix = after_aes.inverse().expect("a permutation");
        domain.affine(Affine { matrix, constant: 0 }, &key[i])
    })
}

/// One round key as the array of words that [`KeyForm::Broadcast32`] makes of it.
pub fn broadcast32<B: Clone>(round_key: &Block<B>) -> Value<B> {
    words(round_key, 4)
}

/// One round key as the array of bytes that it is.
pub fn raw<B: Clone>(round_key: &Block<B>) -> Value<B> {
    words(round_key, 1)
}

/// Each byte of a round key `count` times over, as an unsigned word.
fn words<B: Clone>(round_key: &Block<B>, count: usize) -> Value<B> {
    Value::array(round_key.iter().map(|byte| {
        let bytes = vec![byte.clone(); count];
        Value::Word(Word { bytes: bytes.into(), signed: false })
    }))
}

#[cfg(test)]
mod tests {
    use super::super::domain::{Concrete, Symbolic};
    use super::*;
    use crate::spec::aria::{self, KeySize};

    #[test]
    fn over_plain_bytes_it_is_the_oracle() {
        for size in KeySize::ALL {
            let key: Vec<u8> =
                (0..=255).map(|x: u8| x.wrapping_mul(0x9d)).take(size.bytes()).collect();
            let keys = aria::encryption_keys(&key).unwrap();
            for keys in [aria::decryption_keys(&keys), keys] {
                let mut block: aria::Block = core::array::from_fn(|i| 0x11 * i as u8);
                for _ in 0..100 {
                    let expected = aria::encrypt_with(&keys, &block);
                    assert_eq!(encrypt(&mut Concrete, &keys, &block), expected);
                    block = expected;
                }
            }
        }
    }

    #[test]
    fn over_plain_bytes_the_key_schedule_is_the_oracle_s() {
        for size in KeySize::ALL {
            let key: Vec<u8> =
                (0..=255).map(|x: u8| x.wrapping_mul(0x9d) ^ 0x35).take(size.bytes()).collect();
            let mut padded = [[0; 16]; 2];
            padded.as_flattened_mut()[..key.len()].copy_from_slice(&key);
            let constants = size.schedule_constants().map(u128::to_be_bytes);
            let got = key_schedule(&mut Concrete, &constants, [&padded[0], &padded[1]]);
            let expected = aria::encryption_keys(&key).unwrap();
            assert_eq!(got[..expected.len()], expected);
            assert_eq!(got.len(), 2 * MAX_ROUND_KEYS);
            for (key, image) in got.iter().zip(&got[MAX_ROUND_KEYS..]) {
                assert_eq!(aria::diffuse(key), *image);
            }
        }
    }

    /// Every S-box of every round inverts an argument of its own.
    #[test]
    fn over_forms_every_round_has_sixteen_inversions() {
        for size in KeySize::ALL {
            let mut domain = Symbolic::default();
            let block = core::array::from_fn(|_| domain.fresh());
            let keys: Vec<_> =
                (0..=size.rounds()).map(|_| core::array::from_fn(|_| domain.fresh())).collect();
            let output = encrypt(&mut domain, &keys, &block);
            assert_eq!(domain.inversions(), 16 * size.rounds());
            assert!(output.iter().all(|byte| byte.known().is_none()));
        }
    }
}
