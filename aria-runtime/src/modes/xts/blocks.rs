//! The blocks of XTS: tweaks, whitening, ciphertext stealing. Keys, limits and the numbers of units
//! are not known here.

use cipher::InOutBuf;
use cipher::consts::U16;

use crate::modes::cipher::{
    BulkDecrypt, BulkEncrypt, Permute, Work, add, decrypting, encrypting, in_pieces,
};
use crate::wiped::Wiped;

/// Encrypts the rest of a unit from a block's start; if it does not end with a whole block, there is
/// at least one before the end. `tweak` is that of the first block.
pub(super) fn encrypt<C: BulkEncrypt>(
    cipher: &C,
    tweak: &mut [u8; 16],
    mut data: InOutBuf<'_, '_, u8>,
) {
    let bytes = without_stealing(data.len());
    let (body, _) = data.reborrow().split_at(bytes);
    let done = cipher.fused_xts_encrypt(tweak.into(), body.into_chunks().0);
    let (_, data) = data.split_at(16 * done);
    if !data.is_empty() {
        let tweaks = Tweaks::of_one_unit(tweak);
        encrypting(cipher, Blocks { tweaks, data, order: Order::Encryption });
    }
}

/// As [`encrypt`].
pub(super) fn decrypt<C: BulkDecrypt>(
    cipher: &C,
    tweak: &mut [u8; 16],
    mut data: InOutBuf<'_, '_, u8>,
) {
    let bytes = without_stealing(data.len());
    let (body, _) = data.reborrow().split_at(bytes);
    let done = cipher.fused_xts_decrypt(tweak.into(), body.into_chunks().0);
    let (_, data) = data.split_at(16 * done);
    if !data.is_empty() {
        let tweaks = Tweaks::of_one_unit(tweak);
        decrypting(cipher, Blocks { tweaks, data, order: Order::Decryption });
    }
}

/// Bytes of a unit's blocks that have nothing to do with ciphertext stealing.
fn without_stealing(bytes: usize) -> usize {
    match bytes % 16 {
        0 => bytes,
        tail => bytes - tail - 16,
    }
}

/// Encrypts units of `unit_blocks` whole blocks each, as if they were one row of blocks.
pub(super) fn encrypt_units<C: BulkEncrypt>(
    cipher: &C,
    tweaks: &mut [[u8; 16]],
    unit_blocks: usize,
    data: &mut [u8],
) {
    let tweaks = Tweaks { units: tweaks.iter_mut(), unit_blocks };
    encrypting(cipher, Blocks { tweaks, data: data.into(), order: Order::Encryption });
}

/// As [`encrypt_units`].
pub(super) fn decrypt_units<C: BulkDecrypt>(
    cipher: &C,
    tweaks: &mut [[u8; 16]],
    unit_blocks: usize,
    data: &mut [u8],
) {
    let tweaks = Tweaks { units: tweaks.iter_mut(), unit_blocks };
    decrypting(cipher, Blocks { tweaks, data: data.into(), order: Order::Decryption });
}

/// In which order the last two tweaks are used when ciphertext is stolen: decryption takes back
/// first what encryption did last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Encryption,
    Decryption,
}

/// Where tweaks come from.
struct Tweaks<'a> {
    /// The tweak of the first block of each unit; when a unit is through, that of the next.
    units: core::slice::IterMut<'a, [u8; 16]>,
    unit_blocks: usize,
}

impl<'a> Tweaks<'a> {
    /// Those of one unit of any length; `tweak` becomes that of the next block.
    fn of_one_unit(tweak: &'a mut [u8; 16]) -> Self {
        Self { units: core::slice::from_mut(tweak).iter_mut(), unit_blocks: usize::MAX }
    }
}

/// Blocks, and perhaps less than a block at the end.
struct Blocks<'a, 'i, 'o> {
    tweaks: Tweaks<'a>,
    data: InOutBuf<'i, 'o, u8>,
    order: Order,
}

impl Work for Blocks<'_, '_, '_> {
    #[inline(always)]
    fn run(self, cipher: &impl Permute) {
        let blocks = self.data.len() / 16;
        in_pieces!(self, cipher, blocks);
    }
}

impl Blocks<'_, '_, '_> {
    #[inline(always)]
    fn in_pieces<const N: usize>(self, cipher: &impl Permute) {
        let Self { tweaks: Tweaks { mut units, unit_blocks }, data, order } = self;
        let (mut blocks, mut tail) = data.into_chunks::<U16>();
        let Some(mut unit) = units.next() else { return };
        let (mut next, mut left) = (u128::from_le_bytes(*unit), unit_blocks);
        let steals = !tail.is_empty();
        let mut last = *unit;
        let mut buffer = Wiped::<u8, N>::zero();
        let mut at = 0;
        while at < blocks.len() {
            let count = (blocks.len() - at).min(N);
            let tweaks = &mut buffer[..count];
            let mut empty = &mut *tweaks;
            while !empty.is_empty() {
                if left == 0 {
                    let Some(another) = units.next() else { return };
                    unit = another;
                    (next, left) = (u128::from_le_bytes(*unit), unit_blocks);
                }
                let (now, later) = empty.split_at_mut(empty.len().min(left));
                fill(&mut next, now);
                left -= now.len();
                empty = later;
            }
            if steals && at + count == blocks.len() {
                last = match order {
                    Order::Encryption => next.to_le_bytes(),
                    Order::Decryption => {
                        core::mem::replace(&mut tweaks[count - 1], next.to_le_bytes())
                    }
                };
            }
            let (_, now) = blocks.reborrow().split_at(at);
            let (mut now, _) = now.split_at(count);
            for (mut block, tweak) in now.reborrow().into_iter().zip(&*tweaks) {
                block.xor_in2out(tweak.into());
            }
            let output = now.get_out();
            cipher.many((&mut *output).into());
            for (block, tweak) in output.iter_mut().zip(&*tweaks) {
                add(&mut block.0, tweak);
            }
            at += count;
        }
        if steals {
            // The image of the last whole block: its head becomes the tail of the output, and its
            // place is taken by the tail of the input, filled up with the rest of it.
            let image = blocks.get_out().last_mut().expect("a block stands before the tail");
            for (mut byte, image) in tail.reborrow().into_iter().zip(&mut image.0) {
                let from = *byte.get_in();
                *byte.get_out() = core::mem::replace(image, from);
            }
            add(&mut image.0, &last);
            cipher.in_place(image);
            add(&mut image.0, &last);
        }
        *unit = next.to_le_bytes();
    }
}

/// The next tweaks, from `tweak` on, which becomes the one after them.
#[inline(always)]
fn fill(tweak: &mut u128, tweaks: &mut [[u8; 16]]) {
    // Multiplying by x again and again is one long chain; by x^8, it is eight short ones, which
    // pays when there are more.
    let (first, others) = tweaks.split_at_mut(tweaks.len().min(8));
    let mut ahead = [0; 8];
    for (to, ahead) in first.iter_mut().zip(&mut ahead) {
        *to = tweak.to_le_bytes();
        *ahead = *tweak;
        *tweak = times_x(*tweak);
    }
    for others in others.chunks_mut(8) {
        for (to, ahead) in others.iter_mut().zip(&mut ahead) {
            *ahead = times_x8(*ahead);
            *to = ahead.to_le_bytes();
        }
        *tweak = times_x(ahead[others.len() - 1]);
    }
}

/// A tweak times x, modulo x^128 + x^7 + x^2 + x + 1 (IEEE 1619, section 5.2).
#[inline(always)]
fn times_x(tweak: u128) -> u128 {
    let carry = (tweak >> 127) as u64;
    tweak << 1 ^ u128::from(carry.wrapping_neg() & 0x87)
}

/// A tweak times x^8.
#[inline(always)]
fn times_x8(tweak: u128) -> u128 {
    let carry = (tweak >> 120) as u64;
    tweak << 8 ^ u128::from(carry ^ carry << 1 ^ carry << 2 ^ carry << 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_times_x_is_times_x8() {
        let mut tweak = 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210;
        for _ in 0..1000 {
            assert_eq!((0..8).fold(tweak, |tweak, _| times_x(tweak)), times_x8(tweak));
            tweak = times_x(tweak);
        }
    }

    #[test]
    fn tweaks_are_powers_of_x() {
        for count in 0..100 {
            let mut tweaks = [[0; 16]; 100];
            let mut next = u128::MAX / 3;
            let mut expected = next;
            fill(&mut next, &mut tweaks[..count]);
            for tweak in &tweaks[..count] {
                assert_eq!(*tweak, expected.to_le_bytes());
                expected = times_x(expected);
            }
            assert_eq!(next, expected);
        }
    }
}
