//! Does the prover's reader of machine code mean what silicon does? Every mnemonic on vectors that it
//! knows, and what it knows of general registers: assembled, run on random bytes, and read.
//!
//! A probe loads four registers, executes its instructions, and stores all four.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::collections::BTreeSet;

use aria_gen::prove::machine::{Convention, Image, execute, vector_mnemonics};
use aria_gen::prove::memory::Placement;
use aria_gen::prove::package::Kernel;
use aria_gen::prove::reference::{Frame, KeyForm};
use aria_tests::report;
use aria_tests::seed::Random;
use iced_x86::{CpuidFeature, Decoder, DecoderOptions, Instruction, Mnemonic};

/// Random inputs for each probe, and as many that have few bits.
const CASES: usize = 40;

/// Bytes of the key that a probe may read.
const KEY: usize = 16;

/// Where a probe stands: its first byte, and how many it has.
#[repr(C)]
struct Place {
    code: unsafe extern "sysv64" fn(*const u8, usize, *const u8, *mut u8, usize),
    length: usize,
}

/// The probes: registers that they are about, and text. Legacy and VEX probes have registers 0 to 3 of
/// their width; probes of general registers rax, r9, r10 and r11. The input is at rdx, in the order of
/// the registers, the output at rcx.
macro_rules! probes {
    ($($width:tt $text:literal,)*) => {
        const TEXTS: &[(usize, &str)] = &[$(($width, $text)),*];

        core::arch::global_asm!(
            ".pushsection .data.rel.ro.machine_probes, \"aw\"",
            ".balign 8",
            "machine_probes:",
            ".popsection",
            $(
                ".pushsection .text.machine_probes, \"ax\"",
                "22:",
                probes!(@load $width),
                $text,
                probes!(@store $width),
                "ret",
                "33:",
                ".popsection",
                ".pushsection .data.rel.ro.machine_probes, \"aw\"",
                ".quad 22b, 33b - 22b",
                ".popsection",
            )*
        );
    };
    (@load 8) => { "mov rax, [rdx]; mov r9, [rdx + 8]; mov r10, [rdx + 16]; mov r11, [rdx + 24]" };
    (@store 8) => { "mov [rcx], rax; mov [rcx + 8], r9; mov [rcx + 16], r10; mov [rcx + 24], r11" };
    (@load 16) => {
        "movdqu xmm0, [rdx]; movdqu xmm1, [rdx + 16]; movdqu xmm2, [rdx + 32]; movdqu xmm3, [rdx + 48]"
    };
    (@store 16) => {
        "movdqu [rcx], xmm0; movdqu [rcx + 16], xmm1; movdqu [rcx + 32], xmm2; movdqu [rcx + 48], xmm3"
    };
    (@load 32) => {
        "vmovdqu ymm0, [rdx]; vmovdqu ymm1, [rdx + 32]; vmovdqu ymm2, [rdx + 64]; vmovdqu ymm3, [rdx + 96]"
    };
    (@store 32) => {
        "vmovdqu [rcx], ymm0; vmovdqu [rcx + 32], ymm1; vmovdqu [rcx + 64], ymm2; vmovdqu [rcx + 96], ymm3"
    };
    (@load 64) => {
        "vmovdqu64 zmm0, [rdx]; vmovdqu64 zmm1, [rdx + 64]; vmovdqu64 zmm2, [rdx + 128]; vmovdqu64 zmm3, [rdx + 192]"
    };
    (@store 64) => {
        "vmovdqu64 [rcx], zmm0; vmovdqu64 [rcx + 64], zmm1; vmovdqu64 [rcx + 128], zmm2; vmovdqu64 [rcx + 192], zmm3"
    };
}

#[rustfmt::skip]
probes! {
    // General registers.
    8 "mov eax, r9d",
    8 "mov ax, r9w",
    8 "mov al, r9b; mov ah, al",
    8 "mov rax, 0x1122334455667788; mov r9d, 0x80000000",
    8 "movzx eax, r9b; movzx r10d, ax; movzx r11, word ptr [rdx + 3]",
    8 "movzx eax, ah",
    8 "mov eax, dword ptr [rdx + 5]; mov r9b, byte ptr [rdx + 9]",
    8 "add rax, r9; adc r10, r11",
    8 "add eax, r9d; adc r10d, 0x7fffffff",
    8 "add al, r9b; adc r10b, -1",
    8 "sub rax, r9; cmovb r10, r11",
    8 "sub eax, r9d; cmovae r10d, r11d",
    8 "inc rax; dec r9; inc r10d; dec r11b",
    8 "add rax, r9; inc r10; adc r10, 0",
    8 "neg rax; cmovs r9, r10",
    8 "not rax; not r9d; not r10b",
    8 "and rax, r9; or r10, r11; xor r9d, r11d; and r11b, 0xf0",
    8 "xor eax, eax; cmove r9, r10",
    8 "test rax, r9; cmovne r10, r11",
    8 "test al, 1; cmove r10, r11",
    8 "cmp rax, r9; cmova r10, r11",
    8 "cmp eax, r9d; cmovbe r10, r11",
    8 "cmp al, 0xc1; cmovae r10, r11",
    8 "cmp rax, r9; cmovl r10, r11",
    8 "cmp eax, r9d; cmovge r10d, r11d",
    8 "cmp al, r9b; cmovle r10, r11",
    8 "cmp ax, r9w; cmovg r10, r11",
    8 "cmp rax, r9; jb 44f; mov rax, r9; 44: nop",
    8 "cmp al, 16; ja 44f; mov rax, r9; jmp 55f; 44: mov r10, r11; 55: nop",
    8 "shl rax, 13; shr r9, 39; shl r10d, 7; shr r11d, 25",
    8 "sar rax, 9; sar r9d, 3; rol r10, 21; ror r11, 5",
    8 "rol eax, 8; ror r9d, 12; shl r10b, 3; shr r11w, 5",
    8 "imul rax, r9, 0x1010101; imul r10d, r11d, 77; imul r9d, r11d",
    8 "bswap rax; bswap r9d",
    8 "lea rax, [r9 + 4*r10 - 0x7f]; lea r11d, [r9 + 1]",
    8 "push rax; push r9; pop rax; pop r9",
    8 "mov [rsp - 16], rax; mov r9d, [rsp - 12]; mov byte ptr [rsp - 9], r10b; mov r11, [rsp - 16]",
    8 "xor eax, dword ptr [rdx + 7]; add r9, [rdx + 11]",

    // Moves.
    16 "movdqu xmm0, xmm1; movups xmm2, [rdx + 3]",
    16 "movdqa xmm0, xmm1; movaps xmm2, xmm3; movdqa [rsp - 24], xmm1; movaps xmm3, [rsp - 24]",
    16 "movd xmm0, dword ptr [rdx + 5]; movd eax, xmm1; movd xmm2, eax",
    16 "movq xmm0, qword ptr [rdx + 5]; movq rax, xmm1; movq xmm2, rax; movq xmm3, xmm1",
    16 "movddup xmm0, xmm1; movddup xmm2, qword ptr [rdx + 7]",
    32 "vmovdqa ymm0, ymm1; vmovups ymm2, [rdx + 3]; vmovaps xmm3, xmm1",
    32 "vmovd xmm0, dword ptr [rdx + 5]; vmovd eax, xmm1; vmovd xmm2, eax",
    32 "vmovq xmm0, qword ptr [rdx + 5]; vmovq rax, xmm1; vmovq xmm2, rax; vmovq xmm3, xmm1",
    32 "vmovddup xmm0, xmm1; vmovddup xmm2, qword ptr [rdx + 7]; vzeroupper",
    64 "vmovdqa32 zmm0, zmm1; vmovdqa64 ymm2, ymm1; vmovdqu8 zmm3, [rdx + 1]",
    64 "vmovdqu32 xmm0, xmm1; vmovdqu64 zmm2, [rdx + 9]",

    // Broadcasts.
    32 "vpbroadcastb ymm0, xmm1; vpbroadcastw ymm2, word ptr [rdx + 1]",
    32 "vpbroadcastd ymm0, xmm1; vbroadcastss ymm2, dword ptr [rdx + 3]",
    32 "vpbroadcastq ymm0, xmm1; vbroadcastsd ymm2, qword ptr [rdx + 3]",
    32 "vbroadcasti128 ymm0, [rdx + 3]; vbroadcastf128 ymm2, [rdx + 5]",
    64 "vpbroadcastd zmm0, xmm1; mov eax, [rdx + 9]; vpbroadcastd zmm2, eax; vpbroadcastb ymm3, eax",
    64 "vbroadcasti32x4 zmm0, [rdx + 3]; vbroadcastf32x4 ymm2, [rdx + 5]",
    64 "vpbroadcastq xmm0, qword ptr [rdx + 1]; vpbroadcastw zmm2, xmm1",

    // Bits.
    16 "pxor xmm0, xmm1; xorps xmm2, xmm3",
    16 "pand xmm0, xmm1; andps xmm2, xmm3",
    16 "pandn xmm0, xmm1; por xmm2, xmm3",
    16 "pxor xmm0, xmm0",
    32 "vpxor ymm0, ymm1, ymm2; vxorps xmm3, xmm1, [rdx + 5]",
    32 "vpand ymm0, ymm1, ymm2; vandps xmm3, xmm1, [rdx + 5]",
    32 "vpandn ymm0, ymm1, ymm2; vpor xmm3, xmm1, [rdx + 5]",
    64 "vpxord zmm0, zmm1, zmm2; vpxorq ymm3, ymm1, [rdx + 5]",
    64 "vpandd zmm0, zmm1, zmm2; vpandq ymm3, ymm1, qword ptr [rdx + 5]{{1to4}}",
    64 "vpandnd zmm0, zmm1, zmm2; vpandnq ymm3, ymm1, [rdx + 5]",
    64 "vpord zmm0, zmm1, zmm2; vporq ymm3, ymm1, [rdx + 5]",
    64 "vpternlogd zmm0, zmm1, dword ptr [rdx + 4]{{1to16}}, 0x96; vpternlogq xmm2, xmm1, xmm3, 0xca",
    64 "vpternlogd zmm3, zmm1, zmm2, 0x78; vpternlogq zmm0, zmm1, zmm2, 0x1b",

    // Numbers.
    16 "paddb xmm0, xmm1; paddw xmm2, xmm2",
    16 "paddusb xmm0, xmm1; psubusb xmm2, xmm3",
    16 "psllw xmm0, 3; psrlw xmm1, 4; psllw xmm2, 16",
    16 "pmuludq xmm0, xmm1",
    32 "vpaddb ymm0, ymm1, ymm2; vpaddw ymm3, ymm1, ymm1",
    32 "vpaddusb ymm0, ymm1, ymm2; vpsubusb ymm3, ymm1, ymm2",
    32 "vpsllw ymm0, ymm1, 5; vpsrlw ymm2, ymm3, 4",
    32 "vpmuludq ymm2, ymm0, ymm1",
    64 "vpaddusb zmm0, zmm1, zmm2; vpsubusb zmm3, zmm1, zmm2; vpaddb zmm1, zmm1, [rdx + 1]",

    // Bytes moved about.
    16 "pshufb xmm0, xmm1; pshufd xmm2, xmm3, 0x1b",
    16 "punpcklbw xmm0, xmm1; punpckhbw xmm2, xmm3",
    16 "punpcklwd xmm0, xmm1; punpckhwd xmm2, xmm3",
    16 "punpckldq xmm0, xmm1; punpckhdq xmm2, xmm3",
    16 "punpcklqdq xmm0, xmm1; punpckhqdq xmm2, xmm3",
    16 "palignr xmm0, xmm1, 3; palignr xmm2, xmm3, 19; palignr xmm1, xmm1, 40",
    32 "vpshufb ymm0, ymm1, ymm2; vpshufd ymm3, ymm1, 0x4e",
    32 "vpermilps ymm0, ymm1, 0x93; vpermq ymm2, ymm3, 0x44",
    32 "vpunpcklbw ymm0, ymm1, ymm2; vpunpckhbw ymm3, ymm1, ymm2",
    32 "vpunpcklwd ymm0, ymm1, ymm2; vpunpckhwd ymm3, ymm1, ymm2",
    32 "vpunpckldq ymm0, ymm1, ymm2; vpunpckhdq ymm3, ymm1, ymm2",
    32 "vpunpcklqdq ymm0, ymm1, ymm2; vpunpckhqdq ymm3, ymm1, ymm2",
    32 "vpalignr ymm0, ymm1, ymm2, 7; vpalignr ymm3, ymm1, ymm2, 25",
    32 "vpblendvb ymm0, ymm1, ymm2, ymm3",
    32 "vextracti128 xmm0, ymm1, 1; vinserti128 ymm2, ymm3, xmm1, 0",
    32 "vextractf128 [rsp - 24], ymm1, 1; vinsertf128 ymm2, ymm3, [rsp - 24], 1",
    64 "vpshufb zmm0, zmm1, zmm2; vpshufd zmm3, zmm1, 0x93; vpermq zmm1, zmm2, 0x2d",
    64 "vpunpcklbw zmm0, zmm1, zmm2; vpunpckhbw zmm3, zmm1, zmm2; vpalignr zmm1, zmm2, zmm3, 13",
    64 "vextracti32x4 xmm0, zmm1, 2; vinserti32x4 zmm2, zmm3, xmm1, 3",
    64 "vextracti64x2 xmm0, zmm1, 3; vinserti64x2 zmm2, zmm3, xmm1, 1",
    64 "vextracti64x4 ymm0, zmm1, 1; vinserti64x4 zmm2, zmm3, ymm1, 1",
    64 "vextracti32x8 ymm0, zmm1, 1; vinserti32x8 zmm2, zmm3, ymm1, 0",
    64 "vshufi64x2 zmm0, zmm1, zmm2, 0x9c; vshufi32x4 ymm3, ymm1, ymm2, 2",

    // Masks, known ones, and what they leave alone.
    64 "kmovd k1, dword ptr [rdx + 9]; vmovdqu64 zmm0{{k1}}{{z}}, [rdx + 5]; vmovdqu64 [rsp - 64]{{k1}}, zmm1",
    64 "mov eax, [rdx]; kmovw k2, eax; kmovw [rsp - 2], k2; kmovw k3, word ptr [rsp - 2]; vmovdqu32 zmm0{{k3}}{{z}}, [rdx + 5]",
    64 "mov eax, [rdx]; kmovd k2, eax; kmovd k4, k2; kmovw r9d, k4; vmovd xmm1, r9d; vmovdqu64 ymm0{{k4}}{{z}}, [rdx]",

    // S-boxes.
    16 "aesenclast xmm0, xmm1; aesdeclast xmm2, xmm3",
    16 "gf2p8affineqb xmm0, xmm1, 0x63; gf2p8affineinvqb xmm2, xmm3, 0xe2",
    32 "vaesenclast ymm0, ymm1, ymm2; vaesdeclast ymm3, ymm1, [rdx + 5]",
    32 "vgf2p8affineqb ymm0, ymm1, ymm2, 0x2c; vgf2p8affineinvqb xmm3, xmm1, xmm2, 5",
    64 "vaesenclast zmm0, zmm1, zmm2; vaesdeclast zmm3, zmm1, zmm2",
    64 "vgf2p8affineqb zmm0, zmm1, zmm2, 1; vgf2p8affineinvqb zmm3, zmm1, qword ptr [rdx + 8]{{1to8}}, 0",
}

/// A probe: its code as bytes, and to be called.
struct Probe {
    text: &'static str,
    kernel: Kernel,
    image: Image,
    place: &'static Place,
}

fn probes() -> Vec<Probe> {
    unsafe extern "C" {
        /// The first of as many places as there are texts.
        #[link_name = "machine_probes"]
        static PLACES: Place;
    }
    // SAFETY: the assembly above lays down one place a text, one after the other, and nothing writes
    // them after the loader.
    let places = unsafe { core::slice::from_raw_parts(&raw const PLACES, TEXTS.len()) };
    let probe = |((width, text), place): (&(usize, &'static str), &'static Place)| {
        let code = place.code as *const u8;
        // SAFETY: the place says how many bytes of code there are.
        let bytes = unsafe { core::slice::from_raw_parts(code, place.length) }.to_vec();
        let code = 0..bytes.len();
        let image =
            Image { name: (*text).to_owned(), bytes, entry: 0, code, constants: Vec::new() };
        let kernel = Kernel {
            id: (*text).to_owned(),
            features: Vec::new(),
            blocks: width / 4,
            frame: Frame::Ecb,
            key_form: KeyForm::Raw,
            module: String::new(),
            function: String::new(),
            part: None,
        };
        Probe { text, kernel, image, place }
    };
    TEXTS.iter().zip(places).map(probe).collect()
}

impl Probe {
    fn instructions(&self) -> Vec<Instruction> {
        let decoder = Decoder::with_ip(64, &self.image.bytes, 0, DecoderOptions::NONE);
        decoder.into_iter().collect()
    }

    /// A feature that this CPU lacks.
    fn missing(&self) -> Option<CpuidFeature> {
        let instructions = self.instructions();
        let mut features = instructions.iter().flat_map(Instruction::cpuid_features);
        features.find(|feature| !has(**feature)).copied()
    }

    fn execute(&self, key: &[u8; KEY], input: &[u8]) -> Vec<u8> {
        let mut output = vec![0; input.len()];
        // SAFETY: the CPU has the instructions, as the caller saw; a probe reads and writes four
        // registers, which is what input and output have, and changes no register that is to be kept.
        unsafe { (self.place.code)(key.as_ptr(), 1, input.as_ptr(), output.as_mut_ptr(), 1) };
        output
    }
}

fn has(feature: CpuidFeature) -> bool {
    match feature {
        CpuidFeature::SSE3 => is_x86_feature_detected!("sse3"),
        CpuidFeature::SSSE3 => is_x86_feature_detected!("ssse3"),
        CpuidFeature::AES => is_x86_feature_detected!("aes"),
        CpuidFeature::VAES => is_x86_feature_detected!("vaes"),
        CpuidFeature::GFNI => is_x86_feature_detected!("gfni"),
        CpuidFeature::AVX => is_x86_feature_detected!("avx"),
        CpuidFeature::AVX2 => is_x86_feature_detected!("avx2"),
        CpuidFeature::AVX512F => is_x86_feature_detected!("avx512f"),
        CpuidFeature::AVX512BW => is_x86_feature_detected!("avx512bw"),
        CpuidFeature::AVX512DQ => is_x86_feature_detected!("avx512dq"),
        CpuidFeature::AVX512VL => is_x86_feature_detected!("avx512vl"),
        // The baseline of x86-64; an instruction beyond it would be a fault here.
        _ => true,
    }
}

#[test]
fn every_instruction_does_what_the_reader_says() {
    let mut random = Random::new();
    let (mut ran, mut cannot) = (0, 0);
    let mut tested: BTreeSet<u32> = BTreeSet::new();
    for probe in probes() {
        tested.extend(probe.instructions().iter().map(|i| i.mnemonic() as u32));
        if let Some(missing) = probe.missing() {
            report::tell("machine_model", &format!("{} does not run: {missing:?}", probe.text));
            cannot += 1;
            continue;
        }
        let mut followed = 0;
        for case in 0..2 * CASES {
            let mut input = random.bytes(16 * probe.kernel.blocks);
            if case % 2 == 1 {
                few_bits(&mut input);
            }
            let key: [u8; KEY] = random.bytes(KEY).try_into().expect("as many as were asked for");
            let read = execute(
                &probe.image,
                &probe.kernel,
                Convention::SystemV,
                &[key],
                0,
                &input,
                Placement::Apart,
            );
            match read {
                Ok(read) => {
                    followed += 1;
                    assert_eq!(read, probe.execute(&key, &input), "{}: {input:02x?}", probe.text);
                }
                // Sums that would carry are refused, not guessed.
                Err(fault) => assert!(fault.to_string().contains("a sum with carries"), "{fault}"),
            }
        }
        assert!(followed >= CASES, "{} was followed {followed} times", probe.text);
        ran += 1;
    }
    report::tell("machine_model", &format!("{ran} probes ran, {cannot} did not"));
    assert_eq!(ran + cannot, TEXTS.len());
    let untested: Vec<Mnemonic> =
        vector_mnemonics().filter(|mnemonic| !tested.contains(&(*mnemonic as u32))).collect();
    assert!(untested.is_empty(), "no probe has {untested:?}");
}

/// Leaves a byte in each word of even number, and makes ones of odd number the number that repeats it:
/// products that do not carry.
fn few_bits(input: &mut [u8]) {
    let half = input.len() / 4;
    let (words, rest) = input.split_at_mut(half);
    words.chunks_exact_mut(8).for_each(|word| word[1..].fill(0));
    let factor = 0x0101_0101_u64.to_le_bytes();
    let (factors, rest) = rest.split_at_mut(half);
    factors.chunks_exact_mut(8).for_each(|word| word.copy_from_slice(&factor));
    rest.chunks_exact_mut(8).for_each(|word| word[1..].fill(0));
}
