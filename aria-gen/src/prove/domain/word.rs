//! Operations on words, the least significant byte first, that move bits and add them: shifts, the
//! sum x + x, the carry-less product by a constant. All are linear, so they are exact in any domain.

use super::Domain;

/// What fills the places that a shift to the right empties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Zeros: a logical shift.
    Zero,
    /// The most significant bit: an arithmetic shift, which by all but one place makes a mask of a
    /// sign.
    Sign,
}

/// `word` shifted to the left.
pub fn shift_left<D: Domain>(domain: &D, word: &[D::Byte], places: usize) -> Vec<D::Byte> {
    moved(domain, word, |bit| bit.checked_sub(places))
}

/// `word` shifted to the right.
pub fn shift_right<D: Domain>(
    domain: &D,
    word: &[D::Byte],
    places: usize,
    fill: Fill,
) -> Vec<D::Byte> {
    let top = (8 * word.len()).checked_sub(1);
    moved(domain, word, |bit| match fill {
        Fill::Zero => Some(bit + places),
        Fill::Sign => top.map(|top| top.min(bit + places)),
    })
}

/// `word` turned to the right.
pub fn rotate_right<D: Domain>(domain: &D, word: &[D::Byte], places: usize) -> Vec<D::Byte> {
    let bits = 8 * word.len();
    moved(domain, word, |bit| Some((bit + places) % bits))
}

/// `word` + `word`, without the carry out.
pub fn double<D: Domain>(domain: &D, word: &[D::Byte]) -> Vec<D::Byte> {
    shift_left(domain, word, 1)
}

/// The product of `word` and `factor` as polynomials over GF(2): eight bytes longer than `word`.
pub fn carryless_product<D: Domain>(domain: &D, word: &[D::Byte], factor: u64) -> Vec<D::Byte> {
    let mut wide = word.to_vec();
    wide.resize(word.len() + 8, domain.constant(0));
    let mut product = vec![domain.constant(0); wide.len()];
    for place in (0..64).filter(|place| (factor >> place) & 1 == 1) {
        let shifted = shift_left(domain, &wide, place);
        product = product.iter().zip(&shifted).map(|(a, b)| domain.xor(a, b)).collect();
    }
    product
}

/// The word whose bit i is bit `from(i)` of `word`, or zero where there is none.
fn moved<D: Domain>(
    domain: &D,
    word: &[D::Byte],
    from: impl Fn(usize) -> Option<usize>,
) -> Vec<D::Byte> {
    let bytes = 0..word.len();
    let byte = |i: usize| {
        domain.gather(core::array::from_fn(|j| {
            let bit = from(8 * i + j)?;
            word.get(bit / 8).map(|byte| (byte, (bit % 8) as u32))
        }))
    };
    bytes.map(byte).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Concrete, Form, Symbolic};
    use super::*;

    /// The product bit by bit, in one long word.
    fn product(a: u64, b: u64) -> u128 {
        let shifted = (0..64).filter(|i| (b >> i) & 1 == 1).map(|i| u128::from(a) << i);
        shifted.fold(0, |sum, term| sum ^ term)
    }

    /// What `f` makes of the unknown word, evaluated at `value`.
    fn over_forms(value: u64, f: impl Fn(&Symbolic, &[Form]) -> Vec<Form>) -> Vec<u8> {
        let mut domain = Symbolic::default();
        let word: Vec<_> = (0..8).map(|_| domain.fresh()).collect();
        domain.evaluate(&f(&domain, &word), &value.to_le_bytes())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn words_move_as_numbers_do(x: u64, factor: u64, places in 0usize..80) {
            let word = x.to_le_bytes();
            let number = |bytes: Vec<u8>| u64::from_le_bytes(bytes.try_into().unwrap());
            let shift = u32::try_from(places).unwrap();
            let left = x.checked_shl(shift).unwrap_or(0);
            let right = x.checked_shr(shift).unwrap_or(0);
            let sign = x.cast_signed() >> shift.min(63);

            prop_assert_eq!(number(shift_left(&Concrete, &word, places)), left);
            prop_assert_eq!(number(shift_right(&Concrete, &word, places, Fill::Zero)), right);
            let arithmetic = number(shift_right(&Concrete, &word, places, Fill::Sign));
            prop_assert_eq!(arithmetic.cast_signed(), sign);
            let turned = x.rotate_right(shift);
            prop_assert_eq!(number(rotate_right(&Concrete, &word, places)), turned);
            prop_assert_eq!(number(over_forms(x, |d, w| rotate_right(d, w, places))), turned);
            prop_assert_eq!(number(double(&Concrete, &word)), x.wrapping_add(x));
            let expected = product(x, factor).to_le_bytes().to_vec();
            prop_assert_eq!(&carryless_product(&Concrete, &word, factor), &expected);

            prop_assert_eq!(number(over_forms(x, |d, w| shift_left(d, w, places))), left);
            let arithmetic = over_forms(x, |d, w| shift_right(d, w, places, Fill::Sign));
            prop_assert_eq!(number(arithmetic).cast_signed(), sign);
            prop_assert_eq!(over_forms(x, |d, w| carryless_product(d, w, factor)), expected);
        }
    }
}
