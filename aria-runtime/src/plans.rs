//! The plans under a token, one for each frame, worked out once and kept for the process.
//!
//! What runs depends on the features that a token permits and on the model of the CPU. Programs meet
//! few sets of features, that of the CPU and those of its caps, so each gets a place in a static
//! table, filled by whoever comes first. A cipher holds [`Plans`], which is a token and a reference.

use core::num::NonZeroU8;
use core::slice;
use core::sync::atomic::{AtomicU16, AtomicU64, Ordering};

use aria_kernels::{Frame, KERNELS, Kernel};

use crate::cap::Cap;
#[cfg(feature = "modes")]
use crate::chain::CbcEncKernel;
#[cfg(feature = "modes")]
use crate::chained::Mode;
use crate::costs::Costs;
use crate::ctr;
use crate::detect::{self, Model};
use crate::features::FeatureSet;
use crate::forms::{Form, Kept};
use crate::keys::KeysKernel;
use crate::planner::{self, Candidate, Move, Plan};
use crate::table;
use crate::token::Token;

/// The frames that run by a plan. The first serves where another has no kernel.
const PLANNED: [Frame; 2] = [Frame::Ecb, Frame::Ctr];

/// The frames whose kernels serve beside that of ECB for many blocks, and go by no plan of their own.
const CHAINED: [Frame; 2] = [Frame::CbcDec, Frame::CfbDec];

/// What runs under a token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plans {
    token: Token,
    shared: &'static Shared,
}

impl Plans {
    /// Those for a token.
    pub(crate) fn of(token: Token) -> Self {
        if let Some(shared) = Shared::of(token.features()) {
            return Self { token, shared };
        }
        let token = token.capped(Cap::Portable);
        let shared = &PLACES[0];
        shared.is_for(token.features());
        Self { token, shared }
    }

    /// The token that says which kernels may run.
    pub(crate) fn token(&self) -> Token {
        self.token
    }

    /// How round keys are kept for these plans.
    pub(crate) fn kept(&self) -> Kept {
        let forced = self.forced(Frame::Ecb);
        let row = forced.or_else(|| self.shared.plan(Frame::Ecb)?.bulk());
        row.and_then(|row| Form::of(KERNELS[usize::from(row)].entry)).map_or(Kept::Raw, Form::kept)
    }

    /// The kernel of the key schedule, if there is one.
    pub(crate) fn key_schedule(&self) -> Option<KeysKernel> {
        let row = self.forced(Frame::Keys).or_else(|| self.shared.key_schedule());
        row.and_then(|row| KeysKernel::permitted(self.token, row))
    }

    /// The kernel for many blocks of a chained mode, if there is one.
    #[cfg(feature = "modes")]
    pub(crate) fn chained(&self, mode: Mode) -> Option<u16> {
        let frame = mode.frame();
        match self.token.only() {
            Some(_) => self.forced(frame),
            None => self.shared.chained(frame),
        }
    }

    /// The kernel of CBC encryption, if there is one for round keys as these plans keep them. Under a
    /// token narrowed to another kernel there is none.
    #[cfg(feature = "modes")]
    pub(crate) fn cbc_encryption(&self) -> Option<CbcEncKernel> {
        let row = match self.token.only() {
            Some(_) => self.forced(Frame::CbcEnc)?,
            None => self.shared.cbc_encryption()?,
        };
        CbcEncKernel::permitted(self.token, row).filter(|_| self.kept() == Kept::Raw)
    }

    /// What runs over so many blocks in this frame; `None` if no kernel has the frame, never for ECB.
    #[inline]
    pub(crate) fn moves(&self, frame: Frame, blocks: usize) -> Option<Moves<'_>> {
        if let Some(row) = self.forced(frame) {
            return Some(Moves::Forced { row, left: blocks });
        }
        if self.token.only().is_some() && frame != Frame::Ecb {
            return None;
        }
        let plan = self.shared.plan(frame)?;
        plan.bulk().map(|_| Moves::Planned(plan.moves(blocks)))
    }

    /// The kernel to which the token is narrowed, if it serves this frame. For the others there is
    /// ECB then, by this kernel or as planned.
    fn forced(&self, frame: Frame) -> Option<u16> {
        self.token.only().filter(|&row| serves(&KERNELS[usize::from(row)], frame))
    }
}

/// Whether a kernel can serve a frame.
fn serves(kernel: &Kernel, frame: Frame) -> bool {
    kernel.frame == frame || frame == Frame::Ctr && ctr::writes_counters(kernel)
}

/// What runs, move by move; see [`Plans::moves`].
#[derive(Debug)]
pub(crate) enum Moves<'a> {
    /// One kernel, whatever it costs.
    Forced { row: u16, left: usize },
    /// As planned.
    Planned(planner::Moves<'a>),
}

impl Iterator for Moves<'_> {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        match self {
            Self::Planned(moves) => moves.next(),
            Self::Forced { left: 0, .. } => None,
            Self::Forced { row, left } => {
                let rest = *left % KERNELS[usize::from(*row)].blocks;
                let blocks = if rest == *left { rest } else { *left - rest };
                *left -= blocks;
                Some(Move { row: *row, blocks })
            }
        }
    }
}

/// The plans for a set of features.
#[derive(Debug)]
struct Shared {
    /// 0, or the set with [`TAKEN`], and [`READY`] once all else is written.
    state: AtomicU64,
    plans: [Plan; PLANNED.len()],
    /// The row of the key schedule, plus one; 0 for none.
    key_schedule: AtomicU16,
    /// The same for the frames in [`CHAINED`].
    chained: [AtomicU16; CHAINED.len()],
    /// The same of CBC encryption.
    cbc_encryption: AtomicU16,
}

// Above the bits of a set of features.
const TAKEN: u64 = 1 << 62;
const READY: u64 = 1 << 63;
const _: () = assert!(aria_kernels::Feature::ALL.len() < 62);

/// The first for no features, the others for the sets that a process meets: that of the CPU, and those
/// of its caps. Should they ever run out, the first serves.
static PLACES: [Shared; 2 + Cap::ALL.len()] = [const { Shared::empty() }; _];

impl Shared {
    const fn empty() -> Self {
        Self {
            state: AtomicU64::new(0),
            plans: [const { Plan::empty() }; PLANNED.len()],
            key_schedule: AtomicU16::new(0),
            chained: [const { AtomicU16::new(0) }; CHAINED.len()],
            cbc_encryption: AtomicU16::new(0),
        }
    }

    /// Those for a set of features; `None` if there is no place left.
    #[inline]
    fn of(features: FeatureSet) -> Option<&'static Self> {
        let (first, others) = PLACES.split_first()?;
        let mut places = if features.is_empty() { slice::from_ref(first) } else { others }.iter();
        places.find(|place| place.is_for(features))
    }

    /// Whether this is the place for a set of features; filled then, if it was free.
    #[inline]
    fn is_for(&self, features: FeatureSet) -> bool {
        let taken = features.to_bits() | TAKEN;
        self.state.load(Ordering::Acquire) == taken | READY || self.take(features, taken)
    }

    #[cold]
    fn take(&self, features: FeatureSet, taken: u64) -> bool {
        let (free, order) = (0, Ordering::Acquire);
        match self.state.compare_exchange(free, taken, order, order) {
            Err(found) if found == taken | READY => true,
            Err(found) if found != taken => false,
            // Whoever else is at it writes the same, so that nobody waits.
            _ => {
                self.fill(features, detect::model());
                self.state.store(taken | READY, Ordering::Release);
                true
            }
        }
    }

    fn fill(&self, features: FeatureSet, model: Option<Model>) {
        let mut kept = Kept::Raw;
        for (plan, frame) in self.plans.iter().zip(PLANNED) {
            let all = || candidates(features, frame, model);
            // A call makes one form of round keys at most besides that in which they are kept: that
            // of the kernel which is cheapest by the block. So portable kernels run where nothing else does.
            let Some((_, form)) = all().min_by_key(|(kernel, _)| kernel.bulk_cycles()) else {
                continue;
            };
            if frame == Frame::Ecb {
                kept = form.kept();
            }
            let suits = |own: Form| own == kept.form() || own == form && form.kept() == kept;
            plan.fill(all().filter(|(_, own)| suits(*own)).map(|(kernel, _)| kernel));
        }
        // What is not in whole batches goes by ECB, with the same form of round keys; and where ECB has a
        // faster kernel than this frame, the frame is not worth that.
        let bulk = self.plan(Frame::Ecb).and_then(Plan::bulk).map(|row| &KERNELS[usize::from(row)]);
        for (place, frame) in self.chained.iter().zip(CHAINED) {
            let same = |&row: &u16| {
                let kernel = &KERNELS[usize::from(row)];
                bulk.is_some_and(|ecb| kernel.blocks == ecb.blocks && kernel.id.starts_with(ecb.id))
            };
            let row = rows(features, frame).find(same);
            place.store(row.map_or(0, |row| row + 1), Ordering::Relaxed);
        }
        let alone = [(Frame::Keys, &self.key_schedule), (Frame::CbcEnc, &self.cbc_encryption)];
        for (frame, place) in alone {
            let cheapest = cheapest(rows(features, frame));
            place.store(cheapest.map_or(0, |row| row + 1), Ordering::Relaxed);
        }
    }

    fn plan(&self, frame: Frame) -> Option<&Plan> {
        PLANNED.iter().position(|&planned| planned == frame).map(|place| &self.plans[place])
    }

    #[cfg(feature = "modes")]
    fn chained(&self, frame: Frame) -> Option<u16> {
        let place = CHAINED.iter().position(|&chained| chained == frame)?;
        self.chained[place].load(Ordering::Relaxed).checked_sub(1)
    }

    fn key_schedule(&self) -> Option<u16> {
        self.key_schedule.load(Ordering::Relaxed).checked_sub(1)
    }

    #[cfg(feature = "modes")]
    fn cbc_encryption(&self) -> Option<u16> {
        self.cbc_encryption.load(Ordering::Relaxed).checked_sub(1)
    }
}

/// Of these rows the one with the cheapest batch. Of equally cheap ones that which asks most of a CPU: VEX
/// encoding saves copies.
fn cheapest(rows: impl DoubleEndedIterator<Item = u16>) -> Option<u16> {
    rows.rev().min_by_key(|&row| KERNELS[usize::from(row)].batch_cycles)
}

/// The rows of kernels that serve a frame on a CPU with these features.
fn rows(features: FeatureSet, frame: Frame) -> impl DoubleEndedIterator<Item = u16> {
    table::rows().filter(move |&row| {
        serves(&KERNELS[usize::from(row)], frame) && table::required(row).is_subset(features)
    })
}

/// The same as a plan takes them, with the form of round keys that each wants.
fn candidates(
    features: FeatureSet,
    frame: Frame,
    model: Option<Model>,
) -> impl Iterator<Item = (Candidate, Form)> {
    rows(features, frame).filter_map(move |row| {
        let kernel = &KERNELS[usize::from(row)];
        let form = Form::of(kernel.entry)?;
        let batch = NonZeroU8::new(u8::try_from(kernel.blocks).ok()?)?;
        let wants_made_keys = form.is_made();
        let costs = Costs::of(kernel, model);
        Some((Candidate { row, batch, wants_made_keys, costs }, form))
    })
}

/// Blocks in the largest batch; computing it checks, at compile time, what a plan asks of a batch.
pub(crate) const MAX_BATCH: usize = {
    let (mut most, mut row) = (1, 0);
    while row < KERNELS.len() {
        let blocks = KERNELS[row].blocks;
        assert!(0 < blocks && blocks <= planner::EXACT);
        if blocks > most {
            most = blocks;
        }
        row += 1;
    }
    most
};

#[cfg(test)]
pub(crate) mod tests;
