//! ARIA's diffusion layer as a sum over rows and columns of a 4×4 grid, found from the matrix.
//!
//! Put the bytes on a grid; then each output is an input plus the sums over that input's row and
//! column: seven inputs, as in RFC 5794 section 2.4.3. Numbers of bytes are vectors of four bits, and
//! the inputs of an output turn out to be one input plus the elements of two planes (subspaces of
//! four elements) that meet in zero. So a row is a coset of one plane, a column one of the other.

use crate::spec::aria::{BLOCK_BYTES, diffusion_mask};

/// Bytes in a row.
pub(super) const GRID_COLUMNS: usize = 4;

/// Which byte is at which place of the grid; places are counted row by row.
pub(super) type Layout = [u8; BLOCK_BYTES];

/// The layouts before odd and before even rounds, if the matrix is such a sum.
///
/// The sum for a place is some output; the layout after a diffusion names those outputs. So one
/// layout leads to the other, and the other back.
pub(super) fn layouts() -> Option<[Layout; 2]> {
    let inputs = diffusion_mask(0);
    let members = |mask: u16| (0..16u8).filter(move |i| mask >> i & 1 == 1);
    for centre in members(inputs) {
        let differences: Vec<u8> = members(inputs).map(|i| i ^ centre).collect();
        let planes: Vec<[u8; 4]> = planes_within(&differences);
        for across in &planes {
            for down in &planes {
                let layout: Layout = core::array::from_fn(|place| {
                    down[place / GRID_COLUMNS] ^ across[place % GRID_COLUMNS]
                });
                if let Some(next) = after_diffusion(&layout)
                    && after_diffusion(&next) == Some(layout)
                {
                    return Some([layout, next]);
                }
            }
        }
    }
    None
}

/// The subspaces of four elements within a set that contains zero.
fn planes_within(set: &[u8]) -> Vec<[u8; 4]> {
    let mut planes = Vec::new();
    for (i, &a) in set.iter().enumerate().filter(|(_, a)| **a != 0) {
        for &b in set[..i].iter().filter(|b| **b != 0) {
            if set.contains(&(a ^ b)) && a ^ b < b.min(a) {
                planes.push([0, a, b, a ^ b]);
            }
        }
    }
    planes
}

/// The outputs that the sums at the places are, if each is one.
fn after_diffusion(layout: &Layout) -> Option<Layout> {
    let mut next = [0; BLOCK_BYTES];
    for (place, output) in next.iter_mut().enumerate() {
        let summed = (0..BLOCK_BYTES).filter(|other| {
            other / GRID_COLUMNS == place / GRID_COLUMNS
                || other % GRID_COLUMNS == place % GRID_COLUMNS
        });
        let mask = summed.fold(0, |mask, other| mask | 1 << layout[other]);
        let row = (0..BLOCK_BYTES).find(|&row| diffusion_mask(row) == mask)?;
        *output = u8::try_from(row).ok()?;
    }
    Some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_one_place() {
        for layout in layouts().expect("ARIA's matrix is such a sum") {
            let mut bytes = layout;
            bytes.sort_unstable();
            assert!(bytes.iter().enumerate().all(|(i, &byte)| usize::from(byte) == i));
        }
    }
}
