//! The figures of the cost model, one table a micro-architecture.
//!
//! Golden Cove: measured on an Emerald Rapids server core in November 2026 (dependent chains,
//! independent chains, pairs of instructions for the port sets; clock from a chain of multiplies).
//! Zen 4: measured on a Zen 4 server core; pipe sets after the figures that AMD's optimisation
//! guide 57647 gives through LLVM's X86ScheduleZnver4.td. GFNI's pipes there are an assumption:
//! throughput says two of four, Zen 5's are FP1 and FP2. Zen 5 and Ice Lake: instlatx64 dumps and
//! the OSACA machine models (zen5.yml, icx.yml). Alder Lake P is Golden Cove without EVEX.
//! On Intel cores a zmm operation in flight takes port 1 from all vector operations, and a value
//! that passes between the GFNI and the integer domain comes two cycles later; latencies include
//! that, for in these kernels S-boxes and exclusive ors alternate.

use super::{Cost, MicroArchitecture, Piece, Ports};
use crate::ir::Form;
use crate::isa::Width;

/// The modelled micro-architectures.
pub const MICRO_ARCHITECTURES: &[MicroArchitecture] = &[
    MicroArchitecture { name: "zen4", issue: 6, has_evex: true, costs: zen4 },
    MicroArchitecture { name: "zen5", issue: 8, has_evex: true, costs: zen5 },
    MicroArchitecture { name: "ice_lake", issue: 5, has_evex: true, costs: ice_lake },
    MicroArchitecture { name: "golden_cove", issue: 6, has_evex: true, costs: golden_cove },
    MicroArchitecture { name: "alder_lake_p", issue: 6, has_evex: false, costs: golden_cove },
];

/// A cost: latency, then ports and cycles of each piece of work.
macro_rules! cost {
    ($latency:expr, $($ports:expr => $cycles:expr),*) => {
        Cost { latency: $latency, pieces: const { &[$(Piece { ports: $ports, cycles: $cycles }),*] } }
    };
}

fn zen4(form: Form, width: Width) -> Cost {
    const FP0123: Ports = 0b1111;
    const FP123: Ports = 0b1110;
    const FP12: Ports = 0b0110;
    const FP01: Ports = 0b0011;
    const LOAD: Ports = 0b11 << 4;
    const STORE: Ports = 0b1 << 6;
    let zmm = width == Width::Zmm;
    match form {
        // A zmm operation keeps its pipe for two cycles.
        Form::Xor | Form::Xor3 | Form::And if zmm => cost!(1, FP0123 => 2),
        Form::Xor | Form::Xor3 | Form::And => cost!(1, FP0123 => 1),
        Form::ShuffleBytes if zmm => cost!(2, FP12 => 2),
        Form::ShuffleBytes => cost!(2, FP12 => 1),
        Form::ShiftLeft16 | Form::ShiftRight16 if zmm => cost!(2, FP12 => 2),
        Form::ShiftLeft16 | Form::ShiftRight16 => cost!(2, FP12 => 1),
        Form::AesEncryptLast | Form::AesDecryptLast if zmm => cost!(4, FP01 => 2),
        Form::AesEncryptLast | Form::AesDecryptLast => cost!(4, FP01 => 1),
        Form::LaneLow => cost!(0,),
        Form::LaneHigh | Form::JoinLanes => cost!(3, FP12 => 1),
        Form::UnpackLow8 | Form::UnpackHigh8 if zmm => cost!(1, FP123 => 2),
        Form::UnpackLow8 | Form::UnpackHigh8 => cost!(1, FP123 => 1),
        Form::Affine | Form::AffineInverse if zmm => cost!(3, FP12 => 2),
        Form::Affine | Form::AffineInverse => cost!(3, FP12 => 1),
        Form::Load | Form::KeySplat32 | Form::KeyLanes if zmm => cost!(8, LOAD => 2),
        Form::Load | Form::KeySplat32 | Form::KeyLanes => cost!(7, LOAD => 1),
        Form::Matrix | Form::MatrixPair | Form::Bytes if zmm => cost!(8, LOAD => 2),
        Form::Matrix | Form::MatrixPair | Form::Bytes => cost!(7, LOAD => 1),
        Form::Store if zmm => cost!(1, STORE => 2),
        Form::Store => cost!(1, STORE => 1),
    }
}

fn zen5(form: Form, width: Width) -> Cost {
    const FP0123: Ports = 0b1111;
    const FP12: Ports = 0b0110;
    const FP01: Ports = 0b0011;
    const LOAD: Ports = 0b11 << 4;
    const STORE: Ports = 0b11 << 6;
    match form {
        // One cycle in a chain of its like, two beside operations of several cycles.
        Form::Xor | Form::Xor3 | Form::And => cost!(2, FP0123 => 1),
        Form::ShuffleBytes | Form::ShiftLeft16 | Form::ShiftRight16 => cost!(2, FP12 => 1),
        Form::AesEncryptLast | Form::AesDecryptLast => cost!(4, FP01 => 1),
        Form::LaneLow => cost!(0,),
        Form::LaneHigh | Form::JoinLanes => cost!(3, FP12 => 1),
        Form::UnpackLow8 | Form::UnpackHigh8 => cost!(1, FP0123 => 1),
        Form::Affine | Form::AffineInverse => cost!(3, FP12 => 1),
        Form::Load | Form::KeySplat32 | Form::KeyLanes => cost!(8, LOAD => 1),
        Form::Matrix | Form::MatrixPair | Form::Bytes => cost!(8, LOAD => 1),
        Form::Store if width == Width::Zmm => cost!(1, STORE => 2),
        Form::Store => cost!(1, STORE => 1),
    }
}

/// Ports 0, 1 and 5 of Intel's cores.
mod p {
    use super::Ports;

    pub(super) const P0: Ports = 0b001;
    pub(super) const P01: Ports = 0b011;
    pub(super) const P05: Ports = 0b101;
    pub(super) const P5: Ports = 0b100;
    pub(super) const P15: Ports = 0b110;
    pub(super) const P015: Ports = 0b111;
    pub(super) const P23: Ports = 0b011 << 3;
    pub(super) const P23A: Ports = 0b111 << 3;
    pub(super) const STORE_DATA: Ports = 0b11 << 6;
    pub(super) const STORE_ADDRESS: Ports = 0b11 << 8;
}

fn ice_lake(form: Form, width: Width) -> Cost {
    match form {
        Form::Load | Form::KeySplat32 | Form::KeyLanes => cost!(7, p::P23 => 1),
        Form::Matrix | Form::MatrixPair | Form::Bytes => cost!(7, p::P23 => 1),
        _ => golden_cove(form, width),
    }
}

fn golden_cove(form: Form, width: Width) -> Cost {
    let zmm = width == Width::Zmm;
    match form {
        Form::Xor | Form::Xor3 | Form::And if zmm => cost!(1, p::P05 => 1),
        Form::Xor | Form::Xor3 | Form::And => cost!(1, p::P015 => 1),
        Form::ShuffleBytes if zmm => cost!(1, p::P5 => 1),
        Form::ShuffleBytes => cost!(1, p::P15 => 1),
        Form::ShiftLeft16 | Form::ShiftRight16 if zmm => cost!(1, p::P0 => 1),
        Form::ShiftLeft16 | Form::ShiftRight16 => cost!(1, p::P01 => 1),
        Form::AesEncryptLast | Form::AesDecryptLast if zmm => cost!(5, p::P0 => 1),
        Form::AesEncryptLast | Form::AesDecryptLast => cost!(5, p::P01 => 1),
        Form::LaneLow => cost!(0,),
        Form::LaneHigh | Form::JoinLanes => cost!(3, p::P5 => 1),
        Form::UnpackLow8 | Form::UnpackHigh8 if zmm => cost!(1, p::P5 => 1),
        Form::UnpackLow8 | Form::UnpackHigh8 => cost!(1, p::P15 => 1),
        Form::Affine | Form::AffineInverse if zmm => cost!(5, p::P0 => 1),
        Form::Affine | Form::AffineInverse => cost!(5, p::P01 => 1),
        Form::Load if zmm => cost!(7, p::P23 => 1),
        Form::Load | Form::KeySplat32 | Form::KeyLanes => cost!(7, p::P23A => 1),
        Form::Matrix | Form::MatrixPair | Form::Bytes => cost!(7, p::P23A => 1),
        Form::Store if zmm => cost!(1, p::STORE_DATA => 2, p::STORE_ADDRESS => 1),
        Form::Store => cost!(1, p::STORE_DATA => 1, p::STORE_ADDRESS => 1),
    }
}
