//! The instructions on vectors that the prover knows in machine code, by mnemonic.
//!
//! What an instruction does to bytes stands in [`VectorOp`], whose rows for the intrinsics are in
//! [`meaning::table`](super::super::meaning::table); a mnemonic that has no intrinsic in emitted text
//! has its meaning here and in `vector`. From the Intel SDM, volume 2. What is not here is refused.
//! With three operands (VEX, EVEX) or two (legacy, where the first is read, too) the meaning is one.

use iced_x86::Mnemonic;

use super::super::meaning::VectorOp;

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Moves a whole vector between registers and memory.
    Move,
    /// The same, to or from memory at a multiple of its width.
    MoveAligned,
    /// Moves so many bytes between a vector, zeros above, and a general register or memory.
    MoveLow(usize),
    /// Fills a vector with its source's lowest so many bytes.
    Broadcast(usize),
    /// Fills a lane with its source's lower half. Wider vectors have another meaning.
    Duplicate,
    /// An operation on vectors.
    Op(VectorOp),
    /// Bitwise sum of products: `(not a) and b`.
    AndNot,
    /// Bitwise or.
    BitOr,
    /// Numbers of so many bytes added.
    AddNumbers(usize),
    /// The lower halves of numbers of eight bytes, multiplied.
    MultiplyLow32,
    /// Interleaves items of so many bytes of the low halves of lanes.
    UnpackLow(usize),
    /// The same of the high halves.
    UnpackHigh(usize),
    /// In each group of four items of so many bytes, item i is the one that bits 2i and 2i + 1 of the
    /// immediate name.
    Permute(usize),
    /// Of each lane of the first operand, above that of the second, the 16 bytes that begin so many
    /// bytes up.
    AlignRight,
    /// Bytes of the second operand where the top bit of the mask is set, else of the first.
    Blend,
    /// So many bytes out of the first operand, the immediate says which.
    Extract(usize),
    /// So many bytes of the first operand, the immediate says which, replaced by the second.
    Insert(usize),
    /// Lanes chosen: the lower half of the result from the first operand, the upper from the second.
    ShuffleLanes,
    /// All registers cleared above their lower 16 bytes.
    ZeroUpper,
}

/// The meaning of a mnemonic.
pub(super) fn find(mnemonic: Mnemonic) -> Option<Meaning> {
    ROWS.iter().find(|(mnemonics, _)| mnemonics.contains(&mnemonic)).map(|(_, meaning)| *meaning)
}

/// Every mnemonic of an instruction on vectors that the reader knows.
pub fn vector_mnemonics() -> impl Iterator<Item = Mnemonic> {
    ROWS.iter().flat_map(|(mnemonics, _)| mnemonics.iter().copied())
}

/// Every mnemonic, those of one meaning in a row.
#[rustfmt::skip]
const ROWS: &[(&[Mnemonic], Meaning)] = &{
    use Meaning::*;
    use Mnemonic::*;
    [
        (&[Movdqu, Movups, Vmovdqu, Vmovups, Vmovdqu8, Vmovdqu32, Vmovdqu64], Move),
        (&[Movdqa, Movaps, Vmovdqa, Vmovaps, Vmovdqa32, Vmovdqa64],   MoveAligned),
        (&[Movd, Vmovd],                                              MoveLow(4)),
        (&[Movq, Vmovq],                                              MoveLow(8)),
        (&[Vpbroadcastb],                                             Broadcast(1)),
        (&[Vpbroadcastw],                                             Broadcast(2)),
        (&[Vpbroadcastd, Vbroadcastss],                               Broadcast(4)),
        (&[Vpbroadcastq, Vbroadcastsd],                               Broadcast(8)),
        (&[Movddup, Vmovddup],                                        Duplicate),
        (&[Vbroadcasti128, Vbroadcastf128, Vbroadcasti32x4, Vbroadcastf32x4], Broadcast(16)),
        (&[Pxor, Xorps, Vpxor, Vxorps, Vpxord, Vpxorq],               Op(VectorOp::Xor)),
        (&[Pand, Andps, Vpand, Vandps, Vpandd, Vpandq],               Op(VectorOp::And)),
        (&[Pandn, Vpandn, Vpandnd, Vpandnq],                          AndNot),
        (&[Por, Vpor, Vpord, Vporq],                                  BitOr),
        (&[Paddb, Vpaddb],                                            AddNumbers(1)),
        (&[Paddw, Vpaddw],                                            AddNumbers(2)),
        (&[Paddusb, Vpaddusb],                                        Op(VectorOp::AddSaturating8)),
        (&[Psubusb, Vpsubusb],                                        Op(VectorOp::SubtractSaturating8)),
        (&[Psllw, Vpsllw],                                            Op(VectorOp::ShiftLeft16)),
        (&[Psrlw, Vpsrlw],                                            Op(VectorOp::ShiftRight16)),
        (&[Pshufb, Vpshufb],                                          Op(VectorOp::ShuffleBytes)),
        (&[Aesenclast, Vaesenclast],                                  Op(VectorOp::AesEncryptLast)),
        (&[Aesdeclast, Vaesdeclast],                                  Op(VectorOp::AesDecryptLast)),
        (&[Vpternlogd, Vpternlogq],                                   Op(VectorOp::Ternary)),
        (&[Gf2p8affineqb, Vgf2p8affineqb],                            Op(VectorOp::Affine)),
        (&[Gf2p8affineinvqb, Vgf2p8affineinvqb],                      Op(VectorOp::AffineInverse)),
        (&[Punpcklbw, Vpunpcklbw],                                    Op(VectorOp::UnpackLow8)),
        (&[Punpckhbw, Vpunpckhbw],                                    Op(VectorOp::UnpackHigh8)),
        (&[Punpcklwd, Vpunpcklwd],                                    UnpackLow(2)),
        (&[Punpckhwd, Vpunpckhwd],                                    UnpackHigh(2)),
        (&[Punpckldq, Vpunpckldq],                                    UnpackLow(4)),
        (&[Punpckhdq, Vpunpckhdq],                                    UnpackHigh(4)),
        (&[Punpcklqdq, Vpunpcklqdq],                                  UnpackLow(8)),
        (&[Punpckhqdq, Vpunpckhqdq],                                  UnpackHigh(8)),
        (&[Pmuludq, Vpmuludq],                                        MultiplyLow32),
        (&[Pshufd, Vpshufd, Vpermilps],                               Permute(4)),
        (&[Vpermq],                                                   Permute(8)),
        (&[Palignr, Vpalignr],                                        AlignRight),
        (&[Vpblendvb],                                                Blend),
        (&[Vextracti128, Vextractf128, Vextracti32x4, Vextracti64x2], Extract(16)),
        (&[Vinserti128, Vinsertf128, Vinserti32x4, Vinserti64x2],     Insert(16)),
        (&[Vextracti64x4, Vextracti32x8],                             Extract(32)),
        (&[Vinserti64x4, Vinserti32x8],                               Insert(32)),
        (&[Vshufi64x2, Vshufi32x4],                                   ShuffleLanes),
        (&[Vzeroupper],                                               ZeroUpper),
    ]
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::super::meaning::{self, table};
    use super::*;

    #[test]
    fn a_mnemonic_has_one_row_and_a_meaning_too() {
        let mnemonics: Vec<_> = ROWS.iter().flat_map(|(mnemonics, _)| *mnemonics).collect();
        let unique: BTreeSet<_> = mnemonics.iter().map(|mnemonic| **mnemonic as u32).collect();
        assert_eq!(unique.len(), mnemonics.len());
        for (i, (_, meaning)) in ROWS.iter().enumerate() {
            assert!(ROWS[..i].iter().all(|(_, other)| other != meaning), "{meaning:?}");
        }
    }

    /// What emitted text can say, machine code can say too.
    #[test]
    fn every_operation_of_an_intrinsic_has_a_mnemonic() {
        for row in table::ROWS {
            if let meaning::Meaning::Vector(op) = row.meaning {
                let is = |(_, meaning): &&(_, Meaning)| {
                    *meaning == Meaning::Op(op)
                        || op == VectorOp::Add8 && *meaning == Meaning::AddNumbers(1)
                };
                assert!(ROWS.iter().any(|row| is(&row)), "{}", row.name);
            }
        }
    }
}
