//! Where `unsafe` may stand: at loads and stores of kernels, at the dispatch boundary, where CPUID
//! is read, where assembled code is called, in tests that call kernels, and where `bench` reads the clock and calls its peers.

use syn::visit::Visit;

use super::{Finding, Source};

/// The hand-written files that may hold unsafe code, and why.
const PLACES: &[(&str, &str)] = &[
    ("aria-runtime/src/detect/cpu.rs", "executes CPUID and XGETBV"),
    ("aria-runtime/src/chain.rs", "calls kernels of CBC encryption with a permitted token"),
    ("aria-runtime/src/chained.rs", "calls kernels of chained modes with a permitted token"),
    ("aria-runtime/src/ctr.rs", "calls kernels of counter mode with a permitted token"),
    ("aria-runtime/src/ecb.rs", "calls kernels with a permitted token"),
    ("aria-runtime/src/jit.rs", "calls assembled kernels that a token permits"),
    ("aria-runtime/src/jit/memory.rs", "calls into executable memory"),
    ("aria-runtime/src/keys.rs", "calls key schedules with a permitted token"),
    ("tests/src/openssl.rs", "calls OpenSSL to compare with"),
    (
        "tests/tests/jit_calls.rs",
        "calls assembled kernels through both conventions, refuses memory",
    ),
    ("tests/tests/hardware_model.rs", "calls the probes of the instruction table"),
    ("tests/tests/machine_model.rs", "calls instructions to hold the prover's reader against"),
    ("tests/tests/reader_model.rs", "calls the probes of the instruction table"),
    ("xtask/src/bench/clock.rs", "times a chain of multiplications"),
    ("xtask/src/bench/peer/libgcrypt.rs", "calls a library that is found at run time"),
    ("xtask/src/bench/peer/openssl.rs", "calls a library that is found at run time"),
    ("tests/tests/standalone.rs", "its text is a program that calls a kernel"),
];

/// Unsafe blocks, functions and impls outside the places above and `generated/`.
pub(super) fn places(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|s| !s.is_generated()) {
        let mut finder = Finder(0);
        finder.visit_file(&source.tree);
        let known = PLACES.iter().any(|(path, _)| *path == source.path);
        if finder.0 > 0 && !known {
            let count = finder.0;
            findings.push(format!("{}: {count} unsafe places; see tidy's table", source.path));
        }
    }
    findings
}

struct Finder(usize);

impl<'ast> Visit<'ast> for Finder {
    fn visit_expr_unsafe(&mut self, block: &'ast syn::ExprUnsafe) {
        self.0 += 1;
        syn::visit::visit_expr_unsafe(self, block);
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        self.0 += usize::from(matches!(signature.safety, syn::Safety::Unsafe(_)));
        syn::visit::visit_signature(self, signature);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.0 += usize::from(item.unsafety.is_some());
        syn::visit::visit_item_impl(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::source;

    #[test]
    fn unsafe_code_is_found_outside_its_places_only() {
        let text = "//! d\nfn f() { unsafe { g() } }\nunsafe fn g() {}";
        assert_eq!(places(&[source("aria-gen/src/x.rs", text)]).len(), 1);
        assert_eq!(places(&[source("generated/src/x.rs", text)]).len(), 0);
        assert_eq!(places(&[source(PLACES[0].0, text)]).len(), 0);
    }
}
