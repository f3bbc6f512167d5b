//! Can the proof of machine code fail? The code of some kernels, as it stands in this very test, with
//! one bit changed: what changes the output is not proved, and what does not is.
//!
//! Whether a mutant changes the output is decided by runs on random bytes, held against the oracle of
//! the specification: by the reader of machine code, but without its symbolic domain, its induction
//! and its reference.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

use aria_gen::kernel::matrix::select;
use aria_gen::prove::counterexample::expected;
use aria_gen::prove::machine::{Constants, Convention, Image, Verdict, execute, prove_image};
use aria_gen::prove::memory::Placement;
use aria_gen::prove::package::{Kernel, read_kernels};
use aria_gen::prove::reference::Frame;
use aria_gen::spec::aria::{self, KeySize};
use aria_kernels::KERNELS;
use aria_tests::report;
use iced_x86::{Decoder, DecoderOptions, Instruction};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Fixed, so that the counts below are, as long as the compiler's output is.
const SEED: u64 = 0x5794;

/// One kernel of each tier, unit, layout and frame.
const SAMPLE: [&str; 8] = [
    "aria_avx2_gfni_ymm_blk32",
    "aria_avx2_vaes_ymm_blk2",
    "aria_avx512_gfni_xmm_blk1",
    "aria_avx512_gfni_xmm_blk1_keys",
    "aria_avx512_gfni_xmm_blk16_ctr",
    "aria_avx512_vaes_xmm_blk16",
    "aria_avx_aesni_xmm_blk16_ctr",
    "aria_sse_aesni_xmm_blk16",
];

/// Mutants of a kind and kernel.
const EACH: usize = 5;

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A bit of an immediate.
    Immediate,
    /// A bit of a displacement: of an address, or of a branch.
    Displacement,
    /// A bit that leaves the mnemonic as it is: a register, an index, a width.
    Operand,
    /// A bit that makes another instruction of it, as long.
    Mnemonic,
    /// A bit of a constant.
    Constant,
}

const KINDS: [Kind; 5] =
    [Kind::Immediate, Kind::Displacement, Kind::Operand, Kind::Mnemonic, Kind::Constant];

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// A run shows that it is wrong.
    Refuted,
    /// The reader does not follow it, or it breaks what is asked of every kernel.
    Refused,
    /// Its output is the same, and it is proved.
    Equivalent,
}

/// The kernels of the sample, as the package's table has them, with their code.
fn kernels() -> Vec<(Kernel, Image)> {
    // Calls through the table keep every kernel in this executable.
    assert!(!std::hint::black_box(KERNELS).is_empty());
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated");
    let table = fs::read_to_string(package.join("src/lib.rs")).expect("the generator wrote it");
    let mut kernels = read_kernels("src/lib.rs", &table).expect("as the generator writes it");
    kernels.retain(|kernel| SAMPLE.contains(&kernel.id.as_str()));
    let path = std::env::current_exe().expect("a test has an executable");
    let bytes = fs::read(path).expect("the running executable can be read");
    let file = object::File::parse(&*bytes).expect("cargo makes executables");
    let image = |kernel: Kernel| {
        let image = image(&file, &kernel);
        (kernel, image)
    };
    kernels.into_iter().map(image).collect()
}

/// A kernel's code and all constants of the executable.
fn image(file: &object::File<'_>, kernel: &Kernel) -> Image {
    let name = format!("aria_kernels::{}::{}", kernel.module, kernel.function);
    let is = |symbol: &object::Symbol<'_, '_>| {
        let mangled = symbol.name().unwrap_or_default();
        symbol.size() > 0 && format!("{:#}", rustc_demangle::demangle(mangled)) == name
    };
    let symbol = file.symbols().find(is).expect("the executable has every kernel");
    let section = symbol.section_index().expect("functions are in a section");
    let section = file.section_by_index(section).expect("the index is of this file");
    let code = section.data_range(symbol.address(), symbol.size());
    let code = code.expect("the section can be read").expect("the symbol lies in its section");
    let entry = symbol.address() as usize;
    let mut image = Image {
        name: kernel.id.clone(),
        bytes: vec![0; entry + code.len()],
        entry,
        code: entry..entry + code.len(),
        constants: Vec::new(),
    };
    image.bytes[entry..].copy_from_slice(code);
    for section in file.sections() {
        let (start, data) = (section.address() as usize, section.data().unwrap_or_default());
        let range = start..start + data.len();
        let constant = [SectionKind::ReadOnlyData, SectionKind::ReadOnlyString];
        if constant.contains(&section.kind()) && range.end <= entry {
            image.bytes[range.clone()].copy_from_slice(data);
            image.constants.push(Constants { range, alignment: section.align() });
        }
    }
    image
}

#[test]
fn every_mutant_that_changes_output_is_not_proved() {
    println!("seed {SEED:#x}");
    let kernels = kernels();
    assert_eq!(kernels.len(), SAMPLE.len());
    let next = AtomicUsize::new(0);
    let counts: Mutex<BTreeMap<(Kind, Outcome), usize>> = Mutex::default();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some((kernel, image)) = kernels.get(number) else { break };
                    let outcomes = judge_all(kernel, image.clone(), number as u64);
                    let mut counts = counts.lock().expect("no judge panicked");
                    outcomes.into_iter().for_each(|key| *counts.entry(key).or_default() += 1);
                }
            });
        }
    });
    let counts = counts.into_inner().expect("no judge panicked");
    for ((kind, outcome), count) in &counts {
        report::tell("object", &format!("{kind:?}: {count} {outcome:?}"));
    }
    let total = |outcome| {
        let of = counts.iter().filter(|((_, own), _)| *own == outcome);
        of.map(|(_, count)| count).sum::<usize>()
    };
    let all = KINDS.len() * SAMPLE.len() * EACH;
    let [refuted, refused, equivalent] =
        [Outcome::Refuted, Outcome::Refused, Outcome::Equivalent].map(total);
    println!("{refuted} refuted, {refused} refused, {equivalent} equivalent of {all}");
    assert_eq!(refuted + refused + equivalent, all);
    // How many of each depends on the compiler's output; most must be runs that go wrong.
    assert!(refuted > all / 2, "{refuted} of {all} refuted");
    assert!(equivalent < all / 8, "{equivalent} of {all} proved");
}

/// What becomes of the mutants of a kernel.
fn judge_all(kernel: &Kernel, mut image: Image, seed: u64) -> Vec<(Kind, Outcome)> {
    let mut random = ChaCha8Rng::seed_from_u64(SEED ^ seed << 32);
    let verdict = prove(kernel, &image);
    assert!(verdict.is_proved(), "{}: {verdict}", kernel.id);
    let mut outcomes = Vec::new();
    for kind in KINDS {
        for (byte, mask) in mutants(&image, kind, &mut random) {
            image.bytes[byte] ^= mask;
            outcomes.push((kind, judge(kernel, &image, byte, &mut random)));
            image.bytes[byte] ^= mask;
        }
    }
    outcomes
}

fn prove(kernel: &Kernel, image: &Image) -> Verdict {
    let widest = select(&kernel.id).expect("a row").width.bytes();
    prove_image(image, kernel, Convention::SystemV, widest, KeySize::K128)
}

fn judge(kernel: &Kernel, image: &Image, byte: usize, random: &mut ChaCha8Rng) -> Outcome {
    let verdict = prove(kernel, image);
    let place = byte.wrapping_sub(image.entry);
    match verdict {
        Verdict::Refuted(_) => Outcome::Refuted,
        Verdict::Unknown(_) => Outcome::Refused,
        Verdict::Proved(_) => {
            assert!(!goes_wrong(kernel, image, random), "{} at {place:#x}: {verdict}", kernel.id);
            Outcome::Equivalent
        }
    }
}

/// Whether a run on random bytes does.
fn goes_wrong(kernel: &Kernel, image: &Image, random: &mut ChaCha8Rng) -> bool {
    let calls = [(1, Placement::Apart), (2, Placement::Apart), (3, Placement::Same)];
    let lasts: &[u128] = if kernel.frame == Frame::Ctr { &[0, 128, 240, 255] } else { &[0] };
    let mut block = || {
        let mut block = [0; 16];
        random.fill_bytes(&mut block);
        block
    };
    calls.into_iter().any(|(batches, placement)| {
        lasts.iter().any(|last| {
            let counter = u128::from_be_bytes(block()) & !0xff | last;
            if kernel.frame == Frame::Keys {
                let constants = KeySize::K256.schedule_constants().map(u128::to_be_bytes);
                let masters: Vec<aria::Block> = (0..2 * batches).map(|_| block()).collect();
                let (input, apart) = (masters.as_flattened(), Placement::Apart);
                let output =
                    execute(image, kernel, Convention::SystemV, &constants, 0, input, apart);
                let expected = masters.as_chunks::<2>().0.iter().flat_map(|master| {
                    let keys = aria::encryption_keys(master.as_flattened()).expect("32 bytes");
                    let images: Vec<_> = keys.iter().map(aria::diffuse).collect();
                    [keys, images].concat()
                });
                let expected: Vec<aria::Block> = expected.collect();
                return !output.is_ok_and(|output| output == expected.as_flattened());
            }
            let keys: Vec<aria::Block> = (0..=KeySize::K128.rounds()).map(|_| block()).collect();
            let input: Vec<aria::Block> = (0..kernel.blocks * batches).map(|_| block()).collect();
            let flat = input.as_flattened();
            let output =
                execute(image, kernel, Convention::SystemV, &keys, counter, flat, placement);
            let expected: Vec<aria::Block> = (0..input.len())
                .map(|number| expected(kernel.frame, &keys, counter, number, &input))
                .collect();
            !output.is_ok_and(|output| output == expected.as_flattened())
        })
    })
}

/// Instructions put before a kernel that is proved, as bytes and as text, and what is said of it then.
#[rustfmt::skip]
const PREFIXES: &[(&[u8], &str, &str)] = &[
    (&[0x90], "nop", "proved: "),
    (&[0x50, 0x58], "push rax; pop rax", "proved: "),
    (&[0x0f, 0xb6, 0x07, 0x84, 0xc0, 0x74, 0x00],
        "movzx eax,byte ptr [rdi]; test al,al; je short 7",
        "this condition may depend on key or data"),
    (&[0x0f, 0xb6, 0x07, 0x83, 0xe0, 0x0f, 0x8a, 0x04, 0x07],
        "movzx eax,byte ptr [rdi]; and eax,0Fh; mov al,[rdi+rax]",
        "the address may depend on key or data"),
    (&[0x0f, 0xb6, 0x02], "movzx eax,byte ptr [rdx]", "the kernel touches 1 bytes at 0 of the input"),
    (&[0xc6, 0x01, 0x00], "mov byte ptr [rcx],0", "1 batch, in place: block 0 differs"),
    (&[0xc6, 0x07, 0x00], "mov byte ptr [rdi],0", "touches the round keys, to write them"),
    (&[0x4c, 0x8b, 0x8f, 0xd0, 0, 0, 0], "mov r9,[rdi+0D0h]", "touches memory beside the round keys"),
    (&[0x48, 0x89, 0x44, 0x24, 0x08], "mov [rsp+8],rax", "touches the caller's frame, to write it"),
    (&[0x48, 0x89, 0x04, 0x24], "mov [rsp],rax", "touches the caller's frame, to write it"),
    (&[0x48, 0x89, 0x84, 0x24, 0x78, 0xff, 0xff, 0xff],
        "mov [rsp-88h],rax",
        "touches the stack below its frame"),
    (&[0x48, 0x8b, 0x44, 0x24, 0x10], "mov rax,[rsp+10h]", "touches the caller's frame"),
    (&[0x50], "push rax", "returns with the stack pointer moved"),
    (&[0x48, 0x83, 0xe4, 0xe0], "and rsp,0FFFFFFFFFFFFFFE0h", "returns with the stack pointer moved"),
    (&[0x48, 0x83, 0xe4, 0x80], "and rsp,0FFFFFFFFFFFFFF80h", "does not know bits of an address"),
    (&[0x49, 0x89, 0xe1, 0x48, 0x83, 0xe4, 0xe0, 0xc5, 0xfc, 0x29, 0x44, 0x24, 0xe0, 0x4c, 0x89, 0xcc],
        "mov r9,rsp; and rsp,0FFFFFFFFFFFFFFE0h; vmovaps [rsp-20h],ymm0; mov rsp,r9",
        "proved: "),
    (&[0x49, 0x89, 0xe1, 0x48, 0x83, 0xe4, 0xe0, 0x4c, 0x89, 0xcc, 0xc5, 0xfc, 0x29, 0x44, 0x24, 0xd8],
        "mov r9,rsp; and rsp,0FFFFFFFFFFFFFFE0h; mov rsp,r9; vmovaps [rsp-28h],ymm0",
        "memory that is not aligned"),
    (&[0x31, 0xdb], "xor ebx,ebx", "returns with RBX changed"),
    (&[0x66, 0x0f, 0x6f, 0x07], "movdqa xmm0,[rdi]", "it needs the legacy encoding"),
    (&[0xc5, 0xf9, 0x6f, 0x07], "vmovdqa xmm0,[rdi]", "memory that is not aligned"),
    (&[0x8b, 0x05, 0, 0, 0, 0], "mov eax,[6]", "touches memory that holds no constants"),
    (&[0xc7, 0x05, 0, 0, 0, 0, 0, 0, 0, 0], "mov dword ptr [0Ah],0", "touches constants or code, to write them"),
    (&[0xe8, 0, 0, 0, 0], "call 5", "the reader does not know this instruction"),
    (&[0xff, 0xe0], "jmp rax", "the reader does not know this instruction"),
    (&[0xfd], "std", "the reader does not know this instruction"),
    (&[0x49, 0xff, 0xc8], "dec r8", "the kernel never reads input byte 0"),
    (&[0x45, 0x31, 0xc0], "xor r8d,r8d", "the kernel never reads input byte 0"),
    (&[0x41, 0xb8, 1, 0, 0, 0], "mov r8d,1", "the kernel never reads input byte"),
    (&[0x62, 0xa1, 0x7d, 0x00, 0xef, 0xc0], "vpxord xmm16,xmm16,xmm16", "it needs AVX512"),
    (&[0xc5, 0xf4, 0x46, 0xc9], "kxnorw k1,k1,k1", "it needs AVX512F"),
];

#[test]
fn what_no_kernel_may_do_is_refused() {
    let is = |(kernel, _): &(Kernel, Image)| kernel.id == "aria_avx2_vaes_ymm_blk2";
    let (kernel, image) = kernels().into_iter().find(is).expect("it is in the sample");
    let mut wrong = Vec::new();
    for (bytes, text, expected) in PREFIXES {
        let decoder = Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE);
        let decoded: Vec<String> = decoder.into_iter().map(|i| i.to_string()).collect();
        assert_eq!(decoded.join("; "), *text);
        // The prefix stands behind the kernel and jumps to it.
        let mut image = image.clone();
        let entry = image.bytes.len();
        image.bytes.extend_from_slice(bytes);
        let next = image.bytes.len() + 5;
        let jump = i32::try_from(image.entry as i64 - next as i64).expect("it is near");
        image.bytes.push(0xe9);
        image.bytes.extend_from_slice(&jump.to_le_bytes());
        image.entry = entry;
        image.code.end = next;
        let verdict = prove(&kernel, &image).to_string();
        if !verdict.contains(expected) {
            wrong.push(format!("{text}: {verdict}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What is a kernel for one convention is none for the other: its arguments are elsewhere.
#[test]
fn a_convention_is_not_the_other() {
    let (kernel, image) = kernels().into_iter().next().expect("the sample has kernels");
    let widest = select(&kernel.id).expect("a row").width.bytes();
    let verdict = prove_image(&image, &kernel, Convention::Win64, widest, KeySize::K128);
    assert!(!verdict.is_proved(), "{verdict}");
}

/// Bytes to change, each with the bit.
fn mutants(image: &Image, kind: Kind, random: &mut ChaCha8Rng) -> Vec<(usize, u8)> {
    let code = &image.bytes[image.code.clone()];
    let decoder = Decoder::with_ip(64, code, image.entry as u64, DecoderOptions::NONE);
    let instructions: Vec<Instruction> = decoder.into_iter().collect();
    let mut found = Vec::new();
    while found.len() < EACH {
        let instruction = &instructions[random.next_u32() as usize % instructions.len()];
        let start = instruction.ip() as usize;
        let bytes = &image.bytes[start..start + instruction.len()];
        if instruction.mnemonic() == iced_x86::Mnemonic::Nop {
            continue;
        }
        if kind == Kind::Constant {
            if instruction.is_ip_rel_memory_operand() {
                let size = instruction.memory_size().size();
                let byte = instruction.ip_rel_memory_address() as usize;
                let byte = byte + random.next_u32() as usize % size;
                found.push((byte, 1 << (random.next_u32() % 8)));
            }
            continue;
        }
        let (byte, bit) = (random.next_u32() as usize % bytes.len(), random.next_u32() % 8);
        let mut changed = bytes.to_vec();
        changed[byte] ^= 1 << bit;
        let mut decoder = Decoder::with_ip(64, &changed, start as u64, DecoderOptions::NONE);
        let mutant = decoder.decode();
        if mutant.is_invalid() || mutant.len() != bytes.len() {
            continue;
        }
        let offsets = decoder.get_constant_offsets(&mutant);
        let within = |offset: usize, size: usize| (offset..offset + size).contains(&byte);
        let own = if within(offsets.immediate_offset(), offsets.immediate_size())
            && !instruction.is_jcc_short_or_near()
        {
            Kind::Immediate
        } else if within(offsets.displacement_offset(), offsets.displacement_size())
            || within(offsets.immediate_offset(), offsets.immediate_size())
        {
            Kind::Displacement
        } else if mutant.mnemonic() == instruction.mnemonic() {
            Kind::Operand
        } else {
            Kind::Mnemonic
        };
        if own == kind {
            found.push((start + byte, 1 << bit));
        }
    }
    found
}
