//! Bits as truth tables: a function run on all inputs at once.
//!
//! The eight unknown bits of a *column* have 256 values. A bit is the table of its values over those,
//! if it depends on one column and no other; sums and products of such bits are exact. A bit that would
//! depend on two columns is *mixed*: nothing is known of it, and whoever wants it in the end has to
//! give up. So a function whose results come out as tables is proved to treat its columns one by one,
//! and is known entirely.

use super::{Domain, Refusal};
use crate::math::Affine;

/// The domain.
#[derive(Clone, Copy, Debug, Default)]
pub struct Columns;

/// One bit for each value of eight: bit x % 64 of word x / 64 belongs to value x.
type Table = [u64; 4];

/// A bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bit {
    /// The same for every input.
    Known(bool),
    /// A function of the eight bits of a column.
    Of(usize, Table),
    /// Anything.
    Mixed,
}

impl Bit {
    /// Bit `index` of a column.
    ///
    /// # Panics
    ///
    /// When there is no such bit.
    #[must_use]
    pub fn variable(column: usize, index: usize) -> Self {
        assert!(index < 8, "a column has eight bits");
        let mut table = [0; 4];
        for value in (0..256).filter(|value| value >> index & 1 == 1) {
            table[value / 64] |= 1 << (value % 64);
        }
        Self::Of(column, table)
    }

    /// The bit where the column has this value; `None` if it depends on another one.
    #[must_use]
    pub fn at(self, column: usize, value: u8) -> Option<bool> {
        let value = usize::from(value);
        match self {
            Self::Known(bit) => Some(bit),
            Self::Of(own, table) if own == column => {
                Some(table[value / 64] >> (value % 64) & 1 == 1)
            }
            Self::Of(..) | Self::Mixed => None,
        }
    }

    fn combine(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        let whole = |bit| [if bit { u64::MAX } else { 0 }; 4];
        let (column, a, b) = match (self, other) {
            (Self::Known(a), Self::Known(b)) => {
                return Self::Known(f(u64::from(a), u64::from(b)) & 1 == 1);
            }
            (Self::Of(column, a), Self::Known(b)) => (column, a, whole(b)),
            (Self::Known(a), Self::Of(column, b)) => (column, whole(a), b),
            (Self::Of(column, a), Self::Of(other, b)) if column == other => (column, a, b),
            _ => return Self::Mixed,
        };
        Self::Of(column, core::array::from_fn(|i| f(a[i], b[i])))
    }

    fn xor(self, other: Self) -> Self {
        self.combine(other, |a, b| a ^ b)
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Known(false), _) | (_, Self::Known(false)) => Self::Known(false),
            _ => self.combine(other, |a, b| a & b),
        }
    }
}

impl Domain for Columns {
    /// The least significant bit first.
    type Byte = [Bit; 8];

    fn constant(&self, value: u8) -> [Bit; 8] {
        core::array::from_fn(|i| Bit::Known(value >> i & 1 == 1))
    }

    fn known(&self, byte: &[Bit; 8]) -> Option<u8> {
        byte.iter().enumerate().try_fold(0, |sum, (i, bit)| match bit {
            Bit::Known(bit) => Some(sum | u8::from(*bit) << i),
            _ => None,
        })
    }

    fn xor(&self, a: &[Bit; 8], b: &[Bit; 8]) -> [Bit; 8] {
        core::array::from_fn(|i| a[i].xor(b[i]))
    }

    fn and(&self, a: &[Bit; 8], b: &[Bit; 8]) -> Result<[Bit; 8], Refusal> {
        Ok(core::array::from_fn(|i| a[i].and(b[i])))
    }

    fn affine(&self, map: Affine, byte: &[Bit; 8]) -> [Bit; 8] {
        let rows = map.matrix.rows();
        core::array::from_fn(|i| {
            let constant = Bit::Known(map.constant >> i & 1 == 1);
            let chosen = (0..8).filter(|j| rows[i] >> j & 1 == 1);
            chosen.fold(constant, |sum, j: usize| sum.xor(byte[j]))
        })
    }

    /// Of a known byte only: no function that is run on all inputs inverts by an instruction.
    fn inverse(&mut self, byte: &[Bit; 8]) -> [Bit; 8] {
        match self.known(byte) {
            Some(value) => self.constant(crate::math::gf256::inverse(value)),
            None => [Bit::Mixed; 8],
        }
    }

    fn gather(&self, bits: [Option<(&[Bit; 8], u32)>; 8]) -> [Bit; 8] {
        bits.map(|bit| bit.map_or(Bit::Known(false), |(byte, from)| byte[from as usize]))
    }

    fn look_up(&self, table: &[u8; 16], index: &[Bit; 8]) -> Result<[Bit; 8], Refusal> {
        let index = self.known(index).ok_or(Refusal::Table)?;
        let entry = table.get(usize::from(index)).ok_or(Refusal::Index)?;
        Ok(self.constant(*entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(number: usize) -> [Bit; 8] {
        core::array::from_fn(|i| Bit::variable(number, i))
    }

    fn value(byte: &[Bit; 8], number: usize, x: u8) -> Option<u8> {
        (0..8).try_fold(0, |sum, i| Some(sum | u8::from(byte[i].at(number, x)?) << i))
    }

    #[test]
    fn tables_are_the_function() {
        let (x, c) = (column(3), Columns.constant(0x5a));
        let map = Affine::from_fn(|x| x.rotate_left(3) ^ x ^ 0x63).expect("affine");
        let mapped = Columns.affine(map, &x);
        let product = Columns.and(&mapped, &x).expect("never refused");
        let sum = Columns.xor(&product, &c);
        let turned =
            Columns.gather(core::array::from_fn(|i| (i > 0).then(|| (&sum, i as u32 - 1))));
        for x in 0..=255u8 {
            let expected = ((x.rotate_left(3) ^ x ^ 0x63) & x ^ 0x5a) << 1;
            assert_eq!(value(&turned, 3, x), Some(expected));
            assert_eq!(value(&column(3), 3, x), Some(x));
        }
    }

    #[test]
    fn what_depends_on_two_columns_is_not_known() {
        let (x, y) = (column(0), column(1));
        let sum = Columns.xor(&x, &y);
        let product = Columns.and(&x, &y).expect("never refused");
        for byte in [sum, product, Columns.xor(&sum, &y), Columns.affine(Affine::IDENTITY, &sum)] {
            assert_eq!(value(&byte, 0, 1), None);
            assert_eq!(value(&byte, 1, 1), None);
        }
        assert_eq!(value(&x, 1, 1), None);
        assert_eq!(value(&Columns.inverse(&x), 0, 1), None);
        // A product with zero is zero, whatever the other factor.
        let zero = Columns.and(&sum, &Columns.constant(0)).expect("never refused");
        assert_eq!(Columns.known(&zero), Some(0));
    }
}
