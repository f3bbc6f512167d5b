//! Is the checked-in code what the generator writes, and does it write the same each time?

use aria_gen::emit::{PackageKind, generate};
use aria_gen::kernel::matrix::ROWS;

#[test]
fn checked_in_code_is_current() {
    xtask::generate::check().expect("run `cargo xtask gen` and commit the result with its cause");
}

#[test]
fn two_runs_are_equal_byte_for_byte() {
    for kind in [PackageKind::Workspace, PackageKind::Standalone] {
        let first = generate(ROWS, kind).expect("every row is legal");
        let mut reversed = ROWS.to_vec();
        reversed.reverse();
        let second = generate(&reversed, kind).expect("every row is legal");
        assert_eq!(first, second);
        assert!(first.len() > ROWS.len());
    }
}

#[test]
fn every_row_has_a_file_and_every_kernel_a_row() {
    let files = xtask::generate::expected_files().expect("every row is legal");
    let kernels = files.keys().filter(|name| name.starts_with("src/aria_")).count();
    assert_eq!(kernels, ROWS.len());
    let ids: Vec<String> = ROWS.iter().map(ToString::to_string).collect();
    let listed: Vec<&str> = aria_kernels::KERNELS.iter().map(|kernel| kernel.id).collect();
    if cfg!(target_arch = "x86_64") {
        assert_eq!(listed, ids);
    } else {
        let portable: Vec<_> = ids.into_iter().filter(|id| id.contains("_portable_")).collect();
        assert_eq!(listed, portable);
    }
}
