//! Bytes that are bytes: for counterexamples, and to hold the meanings of instructions against
//! silicon.

use super::{Domain, Refusal};
use crate::math::{Affine, gf256};

/// The domain of plain bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Concrete;

impl Domain for Concrete {
    type Byte = u8;

    fn constant(&self, value: u8) -> u8 {
        value
    }

    fn known(&self, byte: &u8) -> Option<u8> {
        Some(*byte)
    }

    fn xor(&self, a: &u8, b: &u8) -> u8 {
        a ^ b
    }

    fn and(&self, a: &u8, b: &u8) -> Result<u8, Refusal> {
        Ok(a & b)
    }

    fn affine(&self, map: Affine, byte: &u8) -> u8 {
        map.apply(*byte)
    }

    fn inverse(&mut self, byte: &u8) -> u8 {
        gf256::inverse(*byte)
    }

    fn gather(&self, bits: [Option<(&u8, u32)>; 8]) -> u8 {
        let placed = bits.iter().enumerate().map(|(i, bit)| match bit {
            Some((byte, from)) => ((*byte >> from) & 1) << i,
            None => 0,
        });
        placed.fold(0, |sum, bit| sum | bit)
    }

    fn look_up(&self, table: &[u8; 16], index: &u8) -> Result<u8, Refusal> {
        table.get(usize::from(*index)).copied().ok_or(Refusal::Index)
    }
}
