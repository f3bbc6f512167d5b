//! Which constants of a kernel are hidden from the Rust compiler: data.
//!
//! Where 16 registers hold 16 slices, LLVM still keeps constants in registers from round to round, and
//! slices wait on the stack for it. A constant that it cannot see through is made anew in each routine,
//! and its register is free in between. Values do not change: hiding is the identity.

use super::Target;
use crate::ir::{MachineOp, Program, Value};
use crate::isa::{Encoding, Unit};
use crate::kernel::Layout;

/// The constants of `program`, made for `target`, that are hidden in each routine, by number.
///
/// Measured on an Emerald Rapids server core, December 2026, 16 KiB of ARIA-128 (ECB, counter mode),
/// old and new in turns:
///
/// * GFNI, the matrices: AVX2 +10 %, +3 %; AVX +2 %, +1 %. Not with SSE, whose two-operand instructions
///   copy more then: −2 %. Not with 32 registers, which hold them all.
/// * AES, the control of lazy ShiftRows alone: AVX2 VAES +6 %, +1 %; AVX2 AES-NI ±0, ±0; AVX +2 %, +3 %;
///   SSE +1 %, +2 %; AES-NI with AVX-512, which reaches 16 registers only, +2 %, +2 %. The nibble tables and
///   masks with it: AVX2 VAES −4 %, AVX2 AES-NI −1 %, AES-NI with AVX-512 +3 %, the
///   others as with the control alone.
#[must_use]
pub fn hidden_constants(program: &Program<MachineOp>, target: Target) -> Vec<usize> {
    if target.layout != Layout::Slice {
        return Vec::new();
    }
    let encoding = target.isa.tier.encoding();
    let numbers = 0..program.constants.len();
    match (target.unit, encoding) {
        (Unit::Gfni, Encoding::Vex) => {
            numbers.filter(|&id| program.constants[id].data.is_matrix()).collect()
        }
        (Unit::Vaes, Encoding::Vex) | (Unit::Aesni, _) => {
            numbers.filter(|&id| controls_a_shuffle(program, id)).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether constant `id` says where the bytes of a shuffled register go. In a table it is the operand
/// that is shuffled.
fn controls_a_shuffle(program: &Program<MachineOp>, id: usize) -> bool {
    program.routines.iter().any(|routine| {
        let is_it = |value: Value| {
            let mut definitions = routine.body().iter().filter(|s| s.result == Some(value));
            definitions.any(|s| s.op == MachineOp::Bytes { id })
        };
        let mut shuffles = routine.body().iter().filter(|s| s.op == MachineOp::ShuffleBytes);
        shuffles.any(|shuffle| is_it(shuffle.args[1]))
    })
}

#[cfg(test)]
mod tests {
    use crate::kernel::matrix::{ROWS, select};
    use crate::pipeline::build_kernel;

    /// The names of what kernel `id` hides.
    fn hidden(id: &str) -> Vec<String> {
        let built = build_kernel(select(id).expect("a row")).expect("a row is legal");
        let names = &built.finished().constants;
        built.hidden().into_iter().map(|number| names[number].name.clone()).collect()
    }

    #[test]
    fn matrices_are_hidden_and_of_tables_and_numbers_none() {
        let matrices = ["X1_BEFORE", "IDENTITY", "X2_BEFORE", "S1_AFTER", "S2_AFTER"];
        assert_eq!(hidden("aria_avx2_gfni_ymm_blk32"), matrices);
        let vaes = hidden("aria_avx2_vaes_ymm_blk32_ctr");
        assert!(vaes.iter().all(|name| name.starts_with("SHIFT_ROWS")), "{vaes:?}");
        assert_eq!(vaes.len(), 1);
    }

    #[test]
    fn rows_and_kernels_whose_constants_fit_hide_nothing() {
        for id in ["aria_avx512_gfni_zmm_blk64", "aria_avx512_vaes_zmm_blk64"] {
            assert!(hidden(id).is_empty(), "{id}");
        }
        let rows = ROWS.iter().map(ToString::to_string).filter(|id| id.contains("_blk1"));
        for id in rows.filter(|id| !id.contains("_blk16") && !id.contains("portable")) {
            assert!(hidden(&id).is_empty(), "{id}");
        }
    }
}
