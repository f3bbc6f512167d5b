//! Reads CPUID and XCR0 of the CPU this runs on. All judgement is in the parent module.

use core::arch::x86_64::{__cpuid_count, _xgetbv};

use super::{CpuidLeaves, Leaf};

/// The leaves that the feature table needs, and XCR0 where it can be read.
pub(super) fn read() -> (CpuidLeaves, Option<u64>) {
    let (highest, _) = cpuid(0, 0);
    let leaf = |number| {
        if number <= highest {
            cpuid(number, 0).1
        } else {
            Leaf::default() // the CPU would answer with another leaf's bits
        }
    };
    let leaves = CpuidLeaves { leaf1: leaf(1), leaf7: leaf(7) };
    // SAFETY: XGETBV needs OSXSAVE, which was just seen, and XCR0 exists wherever XGETBV does.
    let xcr0 = leaves.has_xcr0().then(|| unsafe { _xgetbv(0) });
    (leaves, xcr0)
}

/// EAX, and the registers with feature bits, of one leaf.
fn cpuid(leaf: u32, subleaf: u32) -> (u32, Leaf) {
    #[expect(unused_unsafe, reason = "CPUID is an unsafe function before Rust 1.94")]
    // SAFETY: every x86-64 CPU has CPUID.
    let answer = unsafe { __cpuid_count(leaf, subleaf) };
    (answer.eax, Leaf { ebx: answer.ebx, ecx: answer.ecx })
}
