//! Does the smallest kernel's IR look as it did? `UPDATE_SNAPSHOTS=1` accepts a change.

use std::fs;
use std::path::Path;

use aria_gen::kernel::matrix::select;

#[test]
fn ir_of_the_smallest_kernel_after_each_stage() {
    let id = "aria_sse_gfni_xmm_blk16";
    let kernel = select(id).expect("a row");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    for stage in ["build", "schedule"] {
        let text = xtask::inspect::stage_text(kernel, stage).expect("a stage");
        let path = folder.join(format!("{id}.{stage}.txt"));
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            fs::create_dir_all(&folder).expect("the folder can be made");
            fs::write(&path, &text).expect("the snapshot can be written");
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        let differs = expected.lines().zip(text.lines()).position(|(a, b)| a != b);
        assert!(
            expected == text,
            "{} differs at line {:?}; if that is meant, run with UPDATE_SNAPSHOTS=1",
            path.display(),
            differs.map(|line| line + 1)
        );
    }
}
