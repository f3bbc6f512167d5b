//! Which instructions a kernel may have: those whose CPU features its row in `KERNELS` asks for, with
//! vectors no wider than its own, and none that mix the two encodings of vector instructions.

use iced_x86::{CpuidFeature, EncodingKind, Instruction};

use super::fault::{Cause, Fault};
use super::image::Code;

/// What every x86-64 CPU has (psABI for AMD64, section 3.1.1: x86-64 baseline).
const BASELINE: &[CpuidFeature] = &[
    CpuidFeature::INTEL8086,
    CpuidFeature::INTEL186,
    CpuidFeature::INTEL286,
    CpuidFeature::INTEL386,
    CpuidFeature::INTEL486,
    CpuidFeature::X64,
    CpuidFeature::CMOV,
    CpuidFeature::MULTIBYTENOP,
    CpuidFeature::SSE,
    CpuidFeature::SSE2,
];

/// What every CPU with AVX has besides: SDM volume 1, section 14.3, lets software ask for AVX alone.
const WITH_AVX: &[CpuidFeature] = &[
    CpuidFeature::AVX,
    CpuidFeature::SSE3,
    CpuidFeature::SSSE3,
    CpuidFeature::SSE4_1,
    CpuidFeature::SSE4_2,
];

/// The features that a kernel's row names, each with the instructions that no CPU with it lacks, which
/// rustc takes for granted when a function enables the feature.
const NAMED: &[(&str, &[&[CpuidFeature]])] = &[
    ("ssse3", &[&[CpuidFeature::SSSE3, CpuidFeature::SSE3]]),
    ("avx", &[WITH_AVX]),
    ("avx2", &[WITH_AVX, &[CpuidFeature::AVX2]]),
    ("avx512f", &[WITH_AVX, &[CpuidFeature::AVX2, CpuidFeature::AVX512F]]),
    ("avx512bw", &[&[CpuidFeature::AVX512BW]]),
    ("avx512vl", &[&[CpuidFeature::AVX512VL]]),
    ("aes", &[&[CpuidFeature::AES]]),
    ("vaes", &[&[CpuidFeature::VAES, CpuidFeature::AES]]),
    ("gfni", &[&[CpuidFeature::GFNI]]),
];

/// Looks at every instruction that control can reach.
pub(super) fn check(code: &Code<'_>, features: &[String], widest: usize) -> Result<(), Fault> {
    let known = NAMED.iter().filter(|(name, _)| features.iter().any(|own| own == name));
    let mut allowed = BASELINE.to_vec();
    known.for_each(|(_, features)| allowed.extend(features.concat()));
    let vex = allowed.contains(&CpuidFeature::AVX);
    for instruction in code.instructions() {
        let breach = breach(instruction, &allowed, widest, vex);
        if let Some(breach) = breach {
            return Err(code.fault(instruction.ip(), Cause::Feature(breach)));
        }
    }
    Ok(())
}

fn breach(
    instruction: &Instruction,
    allowed: &[CpuidFeature],
    widest: usize,
    vex: bool,
) -> Option<String> {
    // More than one row of features can stand for a form: all that are named are asked for.
    let missing = instruction.cpuid_features().iter().find(|feature| !allowed.contains(feature));
    if let Some(missing) = missing {
        return Some(format!("{missing:?}"));
    }
    let registers = (0..instruction.op_count()).map(|i| instruction.op_register(i));
    let widths = registers.filter(|register| register.is_vector_register());
    let width = widths.map(iced_x86::Register::size).max()?;
    if width > widest {
        return Some(format!("vectors of {width} bytes"));
    }
    let legacy = instruction.code().encoding() == EncodingKind::Legacy;
    (vex && legacy).then(|| "the legacy encoding".to_owned())
}
