//! Padding to whole blocks (PKCS#7; RFC 5652, section 6.3), removed in constant time.
//!
//! How long the padding is becomes known from the length of the result; which byte of a wrong one
//! is wrong must not, so all sixteen bytes are always looked at, by sums and masks alone.

use core::hint::black_box;

use super::error::Error;

/// Bytes of a message of `length` bytes when padded: 1 to 16 more, to whole blocks.
pub(super) fn padded_len(length: usize) -> Result<usize, Error> {
    let whole = length - length % 16;
    whole.checked_add(16).ok_or(Error::Output { needed: usize::MAX, given: length })
}

/// Whether a padded message can have so many bytes.
pub(super) fn check_padded_len(bytes: usize) -> Result<(), Error> {
    match bytes as u64 {
        0 => Err(Error::Short { bytes: 0, least: 16 }),
        bytes if bytes % 16 != 0 => Err(Error::Ragged { bytes, unit: 16 }),
        _ => Ok(()),
    }
}

/// Pads a block whose first `used` bytes, 0 to 15, are in use.
pub(super) fn pad(block: &mut [u8; 16], used: usize) {
    let missing = 16 - used as u8;
    block[used..].fill(missing);
}

/// How many bytes of a padded block are in use; `None` if it is not a padded block.
pub(super) fn unpad(block: &[u8; 16]) -> Option<usize> {
    let missing = u32::from(block[15]);
    // Each is 1 or 0, and none of the comparisons is a branch: a difference of small numbers is
    // negative, and its top bit set, if the first is the smaller.
    let less = |a: u32, b: u32| a.wrapping_sub(b) >> 31;
    let mut wrong = less(missing, 1) | less(16, missing);
    for (from_end, &byte) in block.iter().rev().enumerate() {
        let is_padding = less(from_end as u32, missing);
        let differs = less(0, u32::from(byte) ^ missing);
        wrong |= is_padding & differs;
    }
    // Hidden, so that the compiler cannot make the loop stop at the first fault.
    (black_box(wrong) == 0).then(|| 16 - missing as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, as plainly as can be.
    fn unpadded(block: &[u8; 16]) -> Option<usize> {
        let missing = usize::from(block[15]);
        let right = (1..=16).contains(&missing)
            && block[16 - missing..].iter().all(|byte| usize::from(*byte) == missing);
        right.then(|| 16 - missing)
    }

    #[test]
    fn what_was_padded_is_unpadded() {
        for used in 0..16 {
            let mut block = [0xaa; 16];
            pad(&mut block, used);
            assert_eq!(unpad(&block), Some(used));
        }
    }

    #[test]
    fn every_last_byte_and_every_single_fault() {
        for last in 0..=255 {
            let block = [last; 16];
            assert_eq!(unpad(&block), unpadded(&block), "{block:?}");
            for at in 0..16 {
                for bit in 0..8 {
                    let mut block = block;
                    block[at] ^= 1 << bit;
                    assert_eq!(unpad(&block), unpadded(&block), "{block:?}");
                }
            }
        }
    }

    #[test]
    fn lengths() {
        assert_eq!(padded_len(0), Ok(16));
        assert_eq!(padded_len(15), Ok(16));
        assert_eq!(padded_len(16), Ok(32));
        assert!(padded_len(usize::MAX).is_err());
    }
}
