//! The table of encodings: for each machine operation, tier and width the encoder's code, and how its
//! operands stand. Follows the Intel SDM, volume 2, whose names iced-x86 spells in its codes.

use iced_x86::Code;

use crate::ir::{Form, MachineOp, Span};
use crate::isa::{Encoding, Isa, Width};

/// How the operands of a form stand, in the manual's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Register from memory.
    Load,
    /// Memory from register.
    Store,
    /// Register from two, the second of which may be memory; the legacy encoding overwrites the
    /// first.
    Two {
        /// Whether they may be exchanged.
        commutes: bool,
    },
    /// Register from itself and two, the last of which may be memory; all may be exchanged.
    Three,
    /// Register from one; the legacy encoding overwrites it.
    One,
    /// The upper lane of a register, by an immediate of 1.
    High,
    /// A register with another as its upper lane, by an immediate of 1.
    Join,
}

/// A form's codes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Codes {
    form: Form,
    /// How the operands stand.
    pub(super) shape: Shape,
    legacy: Code,
    vex: [Code; 2],
    evex: [Code; 3],
    /// Whether the EVEX code can repeat 32 bits of memory over its operand.
    pub(super) broadcasts: bool,
}

const NONE: Code = Code::INVALID;

macro_rules! codes {
    ($form:ident, $shape:expr, $legacy:ident, [$($vex:ident),+], [$($evex:ident),+], $broadcasts:literal) => {
        Codes { form: Form::$form, shape: $shape, legacy: code!($legacy), vex: [$(code!($vex)),+], evex: [$(code!($evex)),+], broadcasts: $broadcasts }
    };
}
macro_rules! code {
    (NONE) => {
        NONE
    };
    ($code:ident) => {
        Code::$code
    };
}

/// Every form that an instruction stands for; `broadcasts` is the last column.
#[rustfmt::skip]
static CODES: &[Codes] = &{
    use Shape::{High, Join, Load, One, Store, Three};
    const TWO: Shape = Shape::Two { commutes: false };
    const SUM: Shape = Shape::Two { commutes: true };
    [
        codes!(Load, Load, Movdqu_xmm_xmmm128, [VEX_Vmovdqu_xmm_xmmm128, VEX_Vmovdqu_ymm_ymmm256], [EVEX_Vmovdqu64_xmm_k1z_xmmm128, EVEX_Vmovdqu64_ymm_k1z_ymmm256, EVEX_Vmovdqu64_zmm_k1z_zmmm512], false),
        codes!(Store, Store, Movdqu_xmmm128_xmm, [VEX_Vmovdqu_xmmm128_xmm, VEX_Vmovdqu_ymmm256_ymm], [EVEX_Vmovdqu64_xmmm128_k1z_xmm, EVEX_Vmovdqu64_ymmm256_k1z_ymm, EVEX_Vmovdqu64_zmmm512_k1z_zmm], false),
        // Legacy: movd, to be followed by `SPREAD`.
        codes!(KeySplat32, Load, Movd_xmm_rm32, [VEX_Vbroadcastss_xmm_m32, VEX_Vpbroadcastd_ymm_xmmm32], [EVEX_Vpbroadcastd_xmm_k1z_xmmm32, EVEX_Vpbroadcastd_ymm_k1z_xmmm32, EVEX_Vpbroadcastd_zmm_k1z_xmmm32], false),
        codes!(KeyLanes, Load, Movdqu_xmm_xmmm128, [VEX_Vmovdqu_xmm_xmmm128, VEX_Vbroadcasti128_ymm_m128], [EVEX_Vmovdqu64_xmm_k1z_xmmm128, EVEX_Vbroadcasti32x4_ymm_k1z_m128, EVEX_Vbroadcasti32x4_zmm_k1z_m128], false),
        // Constants lie whole in the pool.
        codes!(Bytes, Load, Movdqa_xmm_xmmm128, [VEX_Vmovdqa_xmm_xmmm128, VEX_Vmovdqa_ymm_ymmm256], [EVEX_Vmovdqa64_xmm_k1z_xmmm128, EVEX_Vmovdqa64_ymm_k1z_ymmm256, EVEX_Vmovdqa64_zmm_k1z_zmmm512], false),
        codes!(Xor, SUM, Pxor_xmm_xmmm128, [VEX_Vpxor_xmm_xmm_xmmm128, VEX_Vpxor_ymm_ymm_ymmm256], [EVEX_Vpxord_xmm_k1z_xmm_xmmm128b32, EVEX_Vpxord_ymm_k1z_ymm_ymmm256b32, EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32], true),
        codes!(Xor3, Three, NONE, [NONE, NONE], [EVEX_Vpternlogd_xmm_k1z_xmm_xmmm128b32_imm8, EVEX_Vpternlogd_ymm_k1z_ymm_ymmm256b32_imm8, EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8], true),
        codes!(And, SUM, Pand_xmm_xmmm128, [VEX_Vpand_xmm_xmm_xmmm128, VEX_Vpand_ymm_ymm_ymmm256], [EVEX_Vpandd_xmm_k1z_xmm_xmmm128b32, EVEX_Vpandd_ymm_k1z_ymm_ymmm256b32, EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32], true),
        codes!(Add8, SUM, Paddb_xmm_xmmm128, [VEX_Vpaddb_xmm_xmm_xmmm128, VEX_Vpaddb_ymm_ymm_ymmm256], [EVEX_Vpaddb_xmm_k1z_xmm_xmmm128, EVEX_Vpaddb_ymm_k1z_ymm_ymmm256, EVEX_Vpaddb_zmm_k1z_zmm_zmmm512], false),
        codes!(AddSaturating8, SUM, Paddusb_xmm_xmmm128, [VEX_Vpaddusb_xmm_xmm_xmmm128, VEX_Vpaddusb_ymm_ymm_ymmm256], [EVEX_Vpaddusb_xmm_k1z_xmm_xmmm128, EVEX_Vpaddusb_ymm_k1z_ymm_ymmm256, EVEX_Vpaddusb_zmm_k1z_zmm_zmmm512], false),
        codes!(SubtractSaturating8, TWO, Psubusb_xmm_xmmm128, [VEX_Vpsubusb_xmm_xmm_xmmm128, VEX_Vpsubusb_ymm_ymm_ymmm256], [EVEX_Vpsubusb_xmm_k1z_xmm_xmmm128, EVEX_Vpsubusb_ymm_k1z_ymm_ymmm256, EVEX_Vpsubusb_zmm_k1z_zmm_zmmm512], false),
        codes!(ShiftLeft16, One, Psllw_xmm_imm8, [VEX_Vpsllw_xmm_xmm_imm8, VEX_Vpsllw_ymm_ymm_imm8], [EVEX_Vpsllw_xmm_k1z_xmmm128_imm8, EVEX_Vpsllw_ymm_k1z_ymmm256_imm8, EVEX_Vpsllw_zmm_k1z_zmmm512_imm8], false),
        codes!(ShiftRight16, One, Psrlw_xmm_imm8, [VEX_Vpsrlw_xmm_xmm_imm8, VEX_Vpsrlw_ymm_ymm_imm8], [EVEX_Vpsrlw_xmm_k1z_xmmm128_imm8, EVEX_Vpsrlw_ymm_k1z_ymmm256_imm8, EVEX_Vpsrlw_zmm_k1z_zmmm512_imm8], false),
        codes!(ShuffleBytes, TWO, Pshufb_xmm_xmmm128, [VEX_Vpshufb_xmm_xmm_xmmm128, VEX_Vpshufb_ymm_ymm_ymmm256], [EVEX_Vpshufb_xmm_k1z_xmm_xmmm128, EVEX_Vpshufb_ymm_k1z_ymm_ymmm256, EVEX_Vpshufb_zmm_k1z_zmm_zmmm512], false),
        codes!(AesEncryptLast, TWO, Aesenclast_xmm_xmmm128, [VEX_Vaesenclast_xmm_xmm_xmmm128, VEX_Vaesenclast_ymm_ymm_ymmm256], [EVEX_Vaesenclast_xmm_xmm_xmmm128, EVEX_Vaesenclast_ymm_ymm_ymmm256, EVEX_Vaesenclast_zmm_zmm_zmmm512], false),
        codes!(AesDecryptLast, TWO, Aesdeclast_xmm_xmmm128, [VEX_Vaesdeclast_xmm_xmm_xmmm128, VEX_Vaesdeclast_ymm_ymm_ymmm256], [EVEX_Vaesdeclast_xmm_xmm_xmmm128, EVEX_Vaesdeclast_ymm_ymm_ymmm256, EVEX_Vaesdeclast_zmm_zmm_zmmm512], false),
        codes!(LaneHigh, High, NONE, [NONE, VEX_Vextracti128_xmmm128_ymm_imm8], [NONE, EVEX_Vextracti32x4_xmmm128_k1z_ymm_imm8, NONE], false),
        codes!(JoinLanes, Join, NONE, [NONE, VEX_Vinserti128_ymm_ymm_xmmm128_imm8], [NONE, EVEX_Vinserti32x4_ymm_k1z_ymm_xmmm128_imm8, NONE], false),
        codes!(UnpackLow8, TWO, Punpcklbw_xmm_xmmm128, [VEX_Vpunpcklbw_xmm_xmm_xmmm128, VEX_Vpunpcklbw_ymm_ymm_ymmm256], [EVEX_Vpunpcklbw_xmm_k1z_xmm_xmmm128, EVEX_Vpunpcklbw_ymm_k1z_ymm_ymmm256, EVEX_Vpunpcklbw_zmm_k1z_zmm_zmmm512], false),
        codes!(UnpackHigh8, TWO, Punpckhbw_xmm_xmmm128, [VEX_Vpunpckhbw_xmm_xmm_xmmm128, VEX_Vpunpckhbw_ymm_ymm_ymmm256], [EVEX_Vpunpckhbw_xmm_k1z_xmm_xmmm128, EVEX_Vpunpckhbw_ymm_k1z_ymm_ymmm256, EVEX_Vpunpckhbw_zmm_k1z_zmm_zmmm512], false),
        codes!(Affine, TWO, Gf2p8affineqb_xmm_xmmm128_imm8, [VEX_Vgf2p8affineqb_xmm_xmm_xmmm128_imm8, VEX_Vgf2p8affineqb_ymm_ymm_ymmm256_imm8], [EVEX_Vgf2p8affineqb_xmm_k1z_xmm_xmmm128b64_imm8, EVEX_Vgf2p8affineqb_ymm_k1z_ymm_ymmm256b64_imm8, EVEX_Vgf2p8affineqb_zmm_k1z_zmm_zmmm512b64_imm8], false),
        codes!(AffineInverse, TWO, Gf2p8affineinvqb_xmm_xmmm128_imm8, [VEX_Vgf2p8affineinvqb_xmm_xmm_xmmm128_imm8, VEX_Vgf2p8affineinvqb_ymm_ymm_ymmm256_imm8], [EVEX_Vgf2p8affineinvqb_xmm_k1z_xmm_xmmm128b64_imm8, EVEX_Vgf2p8affineinvqb_ymm_k1z_ymm_ymmm256b64_imm8, EVEX_Vgf2p8affineinvqb_zmm_k1z_zmm_zmmm512b64_imm8], false),
    ]
};

/// Spreads the lowest 32 bits of a register over it, with an immediate of 0.
pub(super) const SPREAD: Code = Code::Pshufd_xmm_xmmm128_imm8;

/// An aligned store of a whole register, by encoding and width.
pub(super) fn spill(isa: Isa) -> Code {
    match (isa.tier.encoding(), isa.width) {
        (Encoding::Evex, Width::Zmm) => Code::EVEX_Vmovdqa64_zmmm512_k1z_zmm,
        (Encoding::Evex, Width::Ymm) => Code::EVEX_Vmovdqa64_ymmm256_k1z_ymm,
        (Encoding::Evex, _) => Code::EVEX_Vmovdqa64_xmmm128_k1z_xmm,
        (Encoding::Vex, Width::Ymm) => Code::VEX_Vmovdqa_ymmm256_ymm,
        (Encoding::Vex, _) => Code::VEX_Vmovdqa_xmmm128_xmm,
        _ => Code::Movdqa_xmmm128_xmm,
    }
}

/// A form with its code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Encoded {
    /// The encoder's code.
    pub(super) code: Code,
    /// How it is encoded.
    pub(super) encoding: Encoding,
    /// The width of its registers.
    pub(super) width: Width,
    /// The form's row.
    pub(super) codes: &'static Codes,
}

impl Encoded {
    /// Whether 32 bits of memory can be repeated over the last operand.
    pub(super) fn broadcasts(&self) -> bool {
        self.codes.broadcasts && self.encoding == Encoding::Evex
    }

    /// Whether the instruction overwrites its first source.
    pub(super) fn destroys(&self) -> bool {
        self.encoding == Encoding::Legacy || self.codes.shape == Shape::Three
    }
}

/// The code of `form` at this encoding and width.
fn encoded(form: Form, encoding: Encoding, width: Width) -> Option<Encoded> {
    let form = match form {
        Form::Matrix | Form::MatrixPair => Form::Bytes,
        other => other,
    };
    let codes = CODES.iter().find(|codes| codes.form == form)?;
    let code = match (encoding, width) {
        (Encoding::Legacy, Width::Xmm) => codes.legacy,
        (Encoding::Vex, Width::Xmm) => codes.vex[0],
        (Encoding::Vex, Width::Ymm) => codes.vex[1],
        (Encoding::Evex, Width::Xmm) => codes.evex[0],
        (Encoding::Evex, Width::Ymm) => codes.evex[1],
        (Encoding::Evex, Width::Zmm) => codes.evex[2],
        _ => NONE,
    };
    (code != NONE).then_some(Encoded { code, encoding, width, codes })
}

/// The code of `form` on whole registers.
pub(super) fn whole(isa: Isa, form: Form) -> Option<Encoded> {
    encoded(form, isa.tier.encoding(), isa.width)
}

/// The code of `op`: on one lane, AES-NI, which has no EVEX encoding.
pub(super) fn of(isa: Isa, op: &MachineOp) -> Option<Encoded> {
    match op.span() {
        Span::Vector => whole(isa, op.form()),
        Span::Lane => encoded(op.form(), isa.tier.encoding().min(Encoding::Vex), Width::Xmm),
    }
}
