//! Did the compiler make of each kernel what the emitter promised? Disassembles this very test.
//!
//! Routines are inlined, S-boxes have as many instructions as the program says, encodings and widths
//! are those of the tier, and a kernel whose values fit the registers touches no stack. The portable
//! kernel promises no instructions, so it is left out.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::collections::BTreeMap;

use aria_gen::ir::Form;
use aria_gen::isa::{Encoding, Tier, Unit, Width};
use aria_gen::kernel::matrix::{ROWS, recipe, select};
use aria_gen::kernel::{Frame, Layout};
use aria_gen::pipeline::build_kernel;
use aria_kernels::KERNELS;
use aria_tests::report;
use iced_x86::{
    Decoder, DecoderOptions, EncodingKind, FlowControl, Instruction, Mnemonic, OpKind, Register,
};
use object::{Object, ObjectSection, ObjectSymbol};

/// The instructions of each kernel, and the names of functions that belong to a kernel's module
/// but are not its entries.
struct Disassembly {
    /// By id, and whether it is the entry for parts of a batch.
    kernels: BTreeMap<(&'static str, bool), Vec<Instruction>>,
    outlined: Vec<String>,
}

fn disassemble() -> Disassembly {
    // Calls through the table keep every kernel in this executable.
    assert_eq!(std::hint::black_box(KERNELS).len(), ROWS.len());
    let kernels: Vec<_> = KERNELS.iter().filter(|kernel| !kernel.features.is_empty()).collect();
    let path = std::env::current_exe().expect("a test has an executable");
    let bytes = std::fs::read(path).expect("the running executable can be read");
    let file = object::File::parse(&*bytes).expect("cargo makes executables");
    let mut found = Disassembly { kernels: BTreeMap::new(), outlined: Vec::new() };
    for symbol in file.symbols().filter(|symbol| symbol.size() > 0) {
        let name = symbol.name().unwrap_or_default();
        let name = format!("{:#}", rustc_demangle::demangle(name));
        let mut parts = name.split("::");
        let (Some("aria_kernels"), Some(module), Some(function)) =
            (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let Some(kernel) = kernels.iter().find(|kernel| kernel.id == module) else { continue };
        let is_part = kernel.part.is_some() && function.strip_suffix("_part") == Some(kernel.id);
        if function != kernel.id && !is_part {
            found.outlined.push(name);
            continue;
        }
        let section = symbol.section_index().expect("functions are in a section");
        let section = file.section_by_index(section).expect("the index is of this file");
        let code = section.data_range(symbol.address(), symbol.size());
        let code = code.expect("the section can be read").expect("the symbol lies in its section");
        let decoder = Decoder::with_ip(64, code, symbol.address(), DecoderOptions::NONE);
        found.kernels.insert((kernel.id, is_part), decoder.into_iter().collect());
    }
    let parts = kernels.iter().filter(|kernel| kernel.part.is_some()).count();
    assert_eq!(found.kernels.len(), kernels.len() + parts, "every kernel is in this executable");
    found
}

#[test]
fn every_routine_is_inlined() {
    let found = disassemble();
    assert!(found.outlined.is_empty(), "not inlined: {:?}", found.outlined);
    for ((id, _), code) in found.kernels {
        let calls = code
            .iter()
            .filter(|i| matches!(i.flow_control(), FlowControl::Call | FlowControl::IndirectCall));
        assert_eq!(calls.count(), 0, "{id} calls something");
    }
}

#[test]
fn s_boxes_have_the_instructions_that_the_program_says() {
    for ((id, _), code) in disassemble().kernels {
        let built = build_kernel(select(id).expect("a row")).expect("a row is legal");
        for (form, mnemonics) in [
            (Form::Affine, [Mnemonic::Gf2p8affineqb, Mnemonic::Vgf2p8affineqb]),
            (Form::AffineInverse, [Mnemonic::Gf2p8affineinvqb, Mnemonic::Vgf2p8affineinvqb]),
            (Form::AesEncryptLast, [Mnemonic::Aesenclast, Mnemonic::Vaesenclast]),
            (Form::AesDecryptLast, [Mnemonic::Aesdeclast, Mnemonic::Vaesdeclast]),
        ] {
            let statements = built.finished().routines.iter().flat_map(|routine| routine.body());
            let promised = statements.filter(|stmt| stmt.op.form() == form).count();
            let emitted = code.iter().filter(|i| mnemonics.contains(&i.mnemonic())).count();
            assert_eq!(emitted, promised, "{id}: {form}");
        }
    }
}

#[test]
fn encodings_and_widths_are_those_of_the_tier() {
    for ((id, _), code) in disassemble().kernels {
        let kernel = select(id).expect("a row");
        for instruction in &code {
            let encoding = instruction.code().encoding();
            let allowed = match kernel.tier.encoding() {
                Encoding::Plain => unreachable!("the portable kernel is left out"),
                Encoding::Legacy => encoding == EncodingKind::Legacy,
                Encoding::Vex => matches!(encoding, EncodingKind::Legacy | EncodingKind::VEX),
                Encoding::Evex => true,
            };
            assert!(allowed, "{id}: {instruction} is {encoding:?}-encoded");
            for register in registers(instruction) {
                if let Some(width) = width(register) {
                    assert!(width <= kernel.width, "{id}: {instruction} is too wide");
                }
            }
            // SSE instructions among VEX ones cost state transitions.
            let vector = registers(instruction).any(|register| width(register).is_some());
            let legacy = encoding == EncodingKind::Legacy;
            assert!(
                kernel.tier == Tier::Sse || !(vector && legacy),
                "{id}: {instruction} is not VEX-encoded"
            );
        }
    }
}

#[test]
fn stack_references_stay_within_what_the_model_leaves_room_for() {
    for ((id, _), code) in disassemble().kernels {
        let kernel = select(id).expect("a row");
        let facts = build_kernel(kernel).expect("legal").facts().expect("known");
        let on_stack = |i: &&Instruction| {
            let base = matches!(i.memory_base(), Register::RSP | Register::RBP);
            let vector = registers(i).any(|register| width(register).is_some());
            base && vector && i.op_kinds().any(|kind| kind == OpKind::Memory)
        };
        let references = code.iter().filter(on_stack).count();
        let line =
            format!("{id}: {references} vector stack references in {} instructions", code.len());
        report::tell("shape", &line);
        if kernel.unit == Unit::Aesni && kernel.tier == Tier::Avx512 {
            // AES-NI reaches the lower half of the registers only, so a few values move; and what is
            // hidden from LLVM goes through memory once a routine.
            assert!(references <= 24, "{id}: {references} stack references");
        } else if kernel.frame == Frame::Keys {
            // Straight-line code in which LLVM keeps shuffle controls in registers, not in memory.
            assert!(references < code.len() / 8, "{id}: {references} of {}", code.len());
        } else if recipe(kernel).expect("legal").layout == Layout::Row && kernel.tier <= Tier::Avx2
        {
            // LLVM keeps shuffle controls in registers, of which these tiers have just not enough.
            assert!(references <= 4, "{id}: {references} stack references");
        } else if facts.pressure.excess() == 0 && kernel.frame == Frame::Ctr {
            // On the way across a carry LLVM keeps in memory some of what the carry changes, which is
            // public: read only to be masked, a ^ (b & c), and added to a slice.
            assert!(references <= 16, "{id}: {references} stack references");
            let masks = |i: &Instruction| {
                matches!(i.mnemonic(), Mnemonic::Vpternlogd | Mnemonic::Vpternlogq)
                    && i.immediate8() == 0x78
            };
            let reads = code.iter().filter(on_stack).filter(|i| i.op0_kind() == OpKind::Register);
            for read in reads {
                assert!(masks(read), "{id}: {read} reads from the stack");
            }
        } else if facts.pressure.excess() == 0 {
            assert_eq!(references, 0, "{id} spills although its values fit");
        } else {
            // What does not fit waits in memory, and so do constants hidden from LLVM before they are
            // read: up to a quarter of the instructions, about. A kernel that lived on the stack,
            // loading and storing around each operation, would exceed a half.
            assert!(references < code.len() / 3, "{id}: {references} of {}", code.len());
        }
    }
}

/// A slot wider than the ABI's alignment could straddle cache lines, were the frame not aligned to it.
#[test]
fn frames_with_slots_of_32_bytes_are_aligned_to_them() {
    let mut frames = 0;
    for ((id, part), code) in disassemble().kernels {
        let wide = |i: &Instruction| {
            let base = matches!(i.memory_base(), Register::RSP | Register::RBP);
            base && i.memory_size().size() >= 32
        };
        let layout = recipe(select(id).expect("a row")).expect("legal").layout;
        // With 32 registers only what a rare carry changes waits there; a part is one batch.
        let rare = select(id).expect("a row").tier == Tier::Avx512 || part;
        if rare || layout != Layout::Slice || !code.iter().any(wide) {
            continue;
        }
        frames += 1;
        let aligns = |i: &Instruction| {
            let stack = i.mnemonic() == Mnemonic::And && i.op0_register() == Register::RSP;
            stack && i.immediate(1).cast_signed() <= -32
        };
        assert!(code.iter().any(aligns), "{id} does not align its frame");
    }
    assert!(frames > 0, "some kernel keeps slices on the stack");
}

fn registers(instruction: &Instruction) -> impl Iterator<Item = Register> {
    let instruction = *instruction;
    (0..instruction.op_count())
        .filter(move |&i| instruction.op_kind(i) == OpKind::Register)
        .map(move |i| instruction.op_register(i))
}

fn width(register: Register) -> Option<Width> {
    match register {
        _ if register.is_xmm() => Some(Width::Xmm),
        _ if register.is_ymm() => Some(Width::Ymm),
        _ if register.is_zmm() => Some(Width::Zmm),
        _ => None,
    }
}
