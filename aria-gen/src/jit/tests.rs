//! What can be said of machine code without running it: it is complete, the same each time, touches
//! the registers of its tier only, and decodes to what was asked for.

use iced_x86::{Decoder, DecoderOptions, Mnemonic, OpKind, Register};

use super::{ALIGNMENT, AssembleError, Assembly, Convention, assemble, list};
use crate::isa::Encoding;
use crate::kernel::matrix::{cells, recipe, select};
use crate::kernel::{Frame, KernelId, Layout};
use crate::pipeline::build_kernel;

/// The legal cells on vectors whose frame has machine code.
fn every_cell() -> impl Iterator<Item = KernelId> {
    let has_code = |id: &KernelId| {
        matches!(id.frame, Frame::Ecb | Frame::Keys)
            && recipe(*id).is_ok_and(|r| r.layout != Layout::Bits)
    };
    cells().filter(has_code)
}

fn code(id: KernelId, convention: Convention) -> Assembly {
    let built = build_kernel(id).expect("a legal cell");
    assemble(&built, convention).unwrap_or_else(|error| panic!("{error}"))
}

fn decode(assembly: &Assembly) -> Vec<iced_x86::Instruction> {
    let code = &assembly.bytes[assembly.entry..];
    Decoder::with_ip(64, code, assembly.entry as u64, DecoderOptions::NONE).iter().collect()
}

#[test]
fn every_cell_decodes() {
    let mut count = 0;
    for id in every_cell() {
        for &convention in Convention::ALL {
            let assembly = code(id, convention);
            assert_eq!(assembly, code(id, convention), "{id}: twice the same");
            assert!(assembly.entry.is_multiple_of(ALIGNMENT));
            let instructions = decode(&assembly);
            assert!(instructions.iter().all(|i| !i.is_invalid()), "{id}");
            let last = instructions.last().map(|i| i.mnemonic());
            assert_eq!(last, Some(Mnemonic::Ret), "{id}");
            check_operands(&assembly, &instructions);
            count += 1;
        }
    }
    assert!(count > 100, "{count} assemblies were looked at");
}

/// Branches stay in the code, what is read relative to it lies in the pool, and no register that a
/// caller keeps is written to but by way of the frame.
fn check_operands(assembly: &Assembly, instructions: &[iced_x86::Instruction]) {
    let id = assembly.id;
    for instruction in instructions {
        if instruction.is_ip_rel_memory_operand() {
            let pool = 0..assembly.entry as u64;
            assert!(pool.contains(&instruction.ip_rel_memory_address()), "{id}");
        }
        if instruction.op0_kind() == OpKind::NearBranch64 {
            let target = instruction.near_branch_target();
            assert!(instructions.iter().any(|i| i.ip() == target), "{id}");
        }
        for register in (0..instruction.op_count()).map(|n| instruction.op_register(n)) {
            let kept = [
                Register::RBX,
                Register::RBP,
                Register::R12,
                Register::R13,
                Register::R14,
                Register::R15,
            ];
            assert!(!kept.contains(&register), "{id}");
            let upper = register.is_vector_register() && register.number() >= 16;
            assert!(!upper || id.tier.encoding() == Encoding::Evex, "{id}");
        }
    }
}

#[test]
fn keys_are_operands_where_the_encoding_has_broadcasts() {
    let id = select("aria_avx512_gfni_zmm_blk64").expect("a row");
    let assembly = code(id, Convention::SystemV);
    let instructions = decode(&assembly);
    let broadcasts = instructions.iter().filter(|i| i.is_broadcast()).count();
    // The first key, one in each round function, the last.
    assert_eq!(broadcasts, 4 * 16);
    let loaded = instructions.iter().filter(|i| i.mnemonic() == Mnemonic::Vpbroadcastd);
    assert_eq!((loaded.count(), assembly.spill_bytes), (0, 0));
}

#[test]
fn other_frames_are_refused_with_a_remedy() {
    for id in [
        "aria_avx512_gfni_zmm_blk64_ctr",
        "aria_avx512_gfni_zmm_blk64_cbc_dec",
        "aria_avx512_gfni_zmm_blk64_cfb_dec",
        "aria_avx512_gfni_xmm_blk1_cbc_enc",
    ] {
        let id = select(id).expect("a row");
        let built = build_kernel(id).expect("a row is legal");
        let refused = assemble(&built, Convention::SystemV);
        let Err(error @ AssembleError::Control(..)) = refused else { panic!("{refused:?}") };
        assert!(error.to_string().contains("take the same cell in frame ecb"), "{error}");
    }
}

#[test]
fn a_listing_names_values() {
    let text = list(&code(select("aria_avx_aesni_xmm_blk1").expect("a row"), Convention::SystemV));
    assert!(
        text.lines().any(|line| line.contains("vaesenclast") && line.contains(" ; ")),
        "{text}"
    );
}
