//! Which kernels serve under a token: on this CPU, and on CPUs of other kinds.

use super::*;
use aria_kernels::Feature;

/// The ids of the kernels that serve 1 to `most` blocks in a frame.
fn ids(plans: Plans, frame: Frame, most: usize) -> Vec<&'static str> {
    let moves = |blocks| plans.moves(frame, blocks).expect("kernels of this frame").collect();
    let moves = (1..=most).flat_map(|blocks| -> Vec<Move> { moves(blocks) });
    let mut ids: Vec<_> = moves.map(|piece| KERNELS[usize::from(piece.row)].id).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Plans for a CPU that need not be this one; nothing runs.
fn assumed(features: FeatureSet, model: Option<Model>) -> Plans {
    let shared = Box::leak(Box::new(Shared::empty()));
    shared.fill(features, model);
    Plans { token: Token::assumed(features), shared }
}

/// The kernel for many blocks on a CPU of which nothing but its features is known.
pub(crate) fn best_for(features: FeatureSet) -> &'static str {
    let bulk = assumed(features, None).shared.plan(Frame::Ecb).and_then(Plan::bulk);
    KERNELS[usize::from(bulk.expect("portable kernels run anywhere"))].id
}

const PORTABLE: [&str; 2] = ["aria_portable_bits_u64_blk1", "aria_portable_bits_u64_blk4"];

/// A forced kernel that quietly gave way to another would make every test of it worthless.
#[test]
fn forced_kernels_serve_everything_themselves() {
    let mut forced = 0;
    for row in table::rows() {
        let kernel = &KERNELS[usize::from(row)];
        let Ok(token) = Token::detect().forced(kernel.id) else {
            continue; // not on this CPU
        };
        forced += 1;
        let plans = Plans::of(token);
        if kernel.frame == Frame::Keys {
            assert!(plans.key_schedule().is_some());
            continue;
        }
        if kernel.frame == Frame::CbcEnc {
            #[cfg(feature = "modes")]
            assert!(plans.cbc_encryption().is_some());
            continue;
        }
        assert_eq!(ids(plans, kernel.frame, 2 * MAX_BATCH + 1), [kernel.id]);
        let under_a_cap = Plans::of(token.capped(Cap::Portable));
        if !PORTABLE.contains(&kernel.id) {
            assert_eq!(ids(under_a_cap, Frame::Ecb, 10), PORTABLE);
            assert!(under_a_cap.moves(Frame::Ctr, 1).is_none());
        }
    }
    let here = table::rows().filter(|&row| Token::detect().permits(row));
    assert_eq!(forced, here.count());
}

#[test]
fn portable_kernels_run_where_nothing_else_does() {
    let portable = Plans::of(Token::detect().capped(Cap::Portable));
    assert_eq!(ids(portable, Frame::Ecb, 100), PORTABLE);
    assert_eq!(ids(assumed(FeatureSet::EMPTY, None), Frame::Ecb, 100), PORTABLE);
    assert_eq!(portable.kept(), Kept::Planes);
    if cfg!(target_arch = "x86_64") {
        let sse = assumed(FeatureSet::of(&[Feature::Ssse3, Feature::Aes]), None);
        assert!(ids(sse, Frame::Ecb, 100).iter().all(|id| id.starts_with("aria_sse")));
        assert_eq!(sse.kept(), Kept::Raw);
    }
}

/// Under every cap: only what it permits, and the same plan whoever asks.
#[test]
fn a_set_of_features_has_one_place() {
    for &cap in Cap::ALL {
        let token = Token::detect().capped(cap);
        let plans = Plans::of(token);
        assert_eq!(plans.token(), token);
        assert!(core::ptr::eq(plans.shared, Plans::of(token).shared));
        for frame in PLANNED {
            for piece in plans.moves(frame, 2 * MAX_BATCH + 1).into_iter().flatten() {
                assert!(token.permits(piece.row), "{frame:?} under {cap}");
            }
        }
        for other in Cap::ALL.iter().map(|&cap| Token::detect().capped(cap)) {
            let same = core::ptr::eq(plans.shared, Plans::of(other).shared);
            assert_eq!(same, token.features() == other.features());
        }
    }
}

#[test]
fn many_threads_see_one_plan() {
    let shared: &Shared = Box::leak(Box::new(Shared::empty()));
    let features = Token::detect().features();
    let moves = |plans: &Plan| -> Vec<Move> { plans.moves(77).collect() };
    let expected = moves(assumed(features, detect::model()).shared.plan(Frame::Ecb).unwrap());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                assert!(shared.is_for(features));
                assert_eq!(moves(shared.plan(Frame::Ecb).unwrap()), expected);
            });
        }
    });
    let other = FeatureSet::of(&[Feature::Avx]);
    assert!(features == other || !shared.is_for(other));
}
