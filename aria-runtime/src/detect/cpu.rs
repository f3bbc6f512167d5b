//! Reads CPUID and XCR0 of the CPU this runs on. All judgement is in the modules beside.

use core::arch::x86_64::{__cpuid_count, _xgetbv, CpuidResult};

use super::{CpuidLeaves, Leaf};

/// The leaves that the feature table needs, and XCR0 where it can be read.
pub(super) fn read() -> (CpuidLeaves, Option<u64>) {
    let highest = cpuid(0).eax;
    let leaf = |number| {
        if number <= highest {
            let CpuidResult { ebx, ecx, .. } = cpuid(number);
            Leaf { ebx, ecx }
        } else {
            Leaf::default() // the CPU would answer with another leaf's bits
        }
    };
    let leaves = CpuidLeaves { leaf1: leaf(1), leaf7: leaf(7) };
    // SAFETY: XGETBV needs OSXSAVE, which was just seen, and XCR0 exists wherever XGETBV does.
    let xcr0 = leaves.has_xcr0().then(|| unsafe { _xgetbv(0) });
    (leaves, xcr0)
}

/// The vendor's name, and EAX of leaf 1.
pub(super) fn signature() -> ([u8; 12], u32) {
    let CpuidResult { ebx, ecx, edx, .. } = cpuid(0);
    let mut name = [0; 12];
    for (letters, register) in name.chunks_exact_mut(4).zip([ebx, edx, ecx]) {
        letters.copy_from_slice(&register.to_le_bytes());
    }
    (name, cpuid(1).eax)
}

/// Sub-leaf 0 of a leaf.
fn cpuid(leaf: u32) -> CpuidResult {
    #[expect(unused_unsafe, reason = "CPUID is an unsafe function before Rust 1.94")]
    // SAFETY: every x86-64 CPU has CPUID.
    unsafe {
        __cpuid_count(leaf, 0)
    }
}
