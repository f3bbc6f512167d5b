//! Key forms: the shapes in which kernels want round keys in memory.

use crate::math::{BitMatrix, Sbox};
use crate::spec::aria::{self, Layer};

/// How a round key lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyForm {
    /// The RFC's round key as it is, sixteen bytes.
    Raw,
    /// Each byte of the RFC's round key as four equal bytes, so that a 32-bit broadcast, which
    /// EVEX instructions do in their memory operand, fills a register with it.
    Broadcast32,
    /// As [`KeyForm::Broadcast32`], but of mapped round keys, for S-boxes that add an operand in
    /// their midst: AES instructions do. The first round key stays as it is. Each later one is
    /// taken back through the rest of its round: through the diffusion layer, which is its own
    /// inverse (the last round has none), and through what follows the AES instruction within
    /// the S-box.
    Mapped32,
}

impl KeyForm {
    /// The name as generated code and listings spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Broadcast32 => "broadcast32",
            Self::Mapped32 => "mapped32",
        }
    }

    /// The Rust type of the sixteen items of a round key.
    #[must_use]
    pub const fn item(self) -> &'static str {
        match self {
            Self::Raw => "u8",
            Self::Broadcast32 | Self::Mapped32 => "u32",
        }
    }

    /// The memory form of the round keys: what a machine program reads, round key by round key.
    #[must_use]
    pub fn expand(self, raw: &[[u8; 16]]) -> Vec<Vec<u8>> {
        let words = |key: [u8; 16]| key.iter().flat_map(|&byte| [byte; 4]).collect();
        match self {
            Self::Raw => raw.iter().map(|key| key.to_vec()).collect(),
            Self::Broadcast32 => raw.iter().copied().map(words).collect(),
            Self::Mapped32 => (0..raw.len()).map(|turn| words(mapped(raw, turn))).collect(),
        }
    }
}

/// Round key number `turn` as [`KeyForm::Mapped32`] has it.
fn mapped(raw: &[[u8; 16]], turn: usize) -> [u8; 16] {
    let key = raw[turn];
    if turn == 0 {
        return key;
    }
    let last = turn + 1 == raw.len();
    let layer = if turn % 2 == 1 { Layer::Sl1 } else { Layer::Sl2 };
    let key = if last { key } else { aria::diffuse(&key) };
    core::array::from_fn(|place| behind_aes(layer.sbox(place)).apply(key[place]))
}

/// Undoes the matrix that `sbox` applies after the AES S-box, when it is computed so.
fn behind_aes(sbox: Sbox) -> BitMatrix {
    if !sbox.before.is_identity() {
        return BitMatrix::IDENTITY;
    }
    // ARIA's S1 is the S-box of AES.
    let aes = aria::s1().after.matrix;
    let undone = sbox.after.matrix.inverse().expect("S-boxes are permutations");
    aes * undone
}

/// Places of a round key whose bytes [`KeyForm::Mapped32`] multiplies by one matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undone {
    /// The four places.
    pub places: [usize; 4],
    /// The matrix.
    pub matrix: BitMatrix,
}

/// The places of a round key that [`KeyForm::Mapped32`] multiplies by a matrix, for a round with
/// `layer`.
#[must_use]
pub fn undone_by_mapped32(layer: Layer) -> Vec<Undone> {
    let columns = (0..4).map(|column| Undone {
        places: [column, column + 4, column + 8, column + 12],
        matrix: behind_aes(layer.sbox(column)),
    });
    columns.filter(|undone| undone.matrix != BitMatrix::IDENTITY).collect()
}
