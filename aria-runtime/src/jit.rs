//! Kernels assembled at run time: of any legal cell of the kernel matrix, checked in or not.
//!
//! [`Jit`] assembles a kernel when it is first asked for, and keeps it. The bytes come from
//! `aria_gen::jit`, from the same program as the text of the checked-in kernels, in an order of
//! instructions that no compiler changes. Where that cannot be (the CPU lacks a feature, the token
//! or a cap denies it, executable memory is refused), the checked-in kernels do the work, and
//! [`Kernel::fallback`] says why.
//!
//! ```
//! use aria_runtime::cipher::KeyInit;
//! use aria_runtime::jit::Jit;
//! use aria_runtime::{Aria128, Token};
//!
//! let jit = Jit::new(Token::detect());
//! let kernel = jit.kernel("aria_avx_gfni_xmm_blk32")?; // a cell that is not checked in
//! if let Some(reason) = kernel.fallback() {
//!     println!("{reason}");
//! }
//! let cipher = Aria128::new(&[7; 16].into());
//! let (mut blocks, mut same) = ([[0; 16]; 100], [[0; 16]; 100]);
//! cipher.encrypt_bulk_by(&kernel, &mut blocks);
//! cipher.encrypt_bulk(&mut same);
//! assert_eq!(blocks, same);
//! # Ok::<(), aria_runtime::jit::SelectError>(())
//! ```

mod memory;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::{fmt, io};

use aria_gen::jit::{AssembleError, Assembly, Convention, assemble};
use aria_gen::kernel::{Frame, KernelId, KeyForm, matrix};
use aria_gen::pipeline;
use aria_kernels::Feature;
use cipher::InOutBuf;

pub use aria_gen::GenError;
pub use aria_gen::kernel::matrix::SelectError;

use crate::Block;
use crate::engine::Engine;
use crate::features::FeatureSet;
use crate::forms::{Keys, Shape};
use crate::padded::through_buffer;
use crate::plans::{MAX_BATCH, Plans};
use crate::schedule::RoundKeys;
use crate::token::Token;
use memory::Code;

/// An assembler of kernels under a token, and the kernels that it has assembled.
///
/// Kernels that were handed out live on when this is dropped; the memory of each is returned with
/// the last that uses it.
#[derive(Debug)]
pub struct Jit {
    token: Token,
    kernels: Mutex<BTreeMap<KernelId, Kernel>>,
}

impl Jit {
    /// One that assembles what `token` permits.
    #[must_use]
    pub const fn new(token: Token) -> Self {
        Self { token, kernels: Mutex::new(BTreeMap::new()) }
    }

    /// The kernel with this id; assembled now, unless it was before.
    ///
    /// That it cannot be assembled or run here is no error: see [`Kernel::fallback`].
    ///
    /// # Errors
    ///
    /// If the id names no kernel, or one that makes no sense: why, and what to ask for instead.
    pub fn kernel(&self, id: &str) -> Result<Kernel, SelectError> {
        let id = matrix::select(id)?;
        let known = || self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = known().get(&id) {
            return Ok(kernel.clone());
        }
        // Assembled without the lock. Where two threads do the same, one result is kept.
        let kernel = Kernel(Arc::new(Inner { id, way: make(id, self.token) }));
        Ok(known().entry(id).or_insert(kernel).clone())
    }
}

/// A kernel of the block function, and how its work is done here. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Kernel(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    id: KernelId,
    way: Result<Assembled, Fallback>,
}

impl Kernel {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> KernelId {
        self.0.id
    }

    /// Why the checked-in kernels do its work; `None` if it was assembled.
    #[must_use]
    pub fn fallback(&self) -> Option<&Fallback> {
        self.0.way.as_ref().err()
    }

    /// The memory in which it was assembled: constants, then code. Not to be written to.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        self.0.way.as_ref().ok().map(|assembled| assembled.code.bytes())
    }

    /// Replaces every block by its image under the round keys that a cipher keeps.
    pub(crate) fn crypt<const RK: usize>(
        &self,
        keys: &RoundKeys<RK>,
        plans: Plans,
        blocks: InOutBuf<'_, '_, Block>,
    ) {
        let Ok(assembled) = &self.0.way else {
            return Engine::with(keys, plans, |engine| engine.crypt(blocks));
        };
        // A cipher under a token of portable kernels keeps its round keys in another form.
        let mut raw = keys.clone();
        plans.kept().undo(&mut raw);
        let keys = Keys::new(&raw);
        let full = blocks.len() - blocks.len() % assembled.blocks;
        let (full, rest) = blocks.split_at(full);
        assembled.run(&keys, full);
        if !rest.is_empty() {
            through_buffer(assembled.blocks, rest, |batch| assembled.run(&keys, batch));
        }
    }
}

/// Why a kernel was not assembled.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fallback {
    /// The CPU, its operating system, the token or a cap denies features that it needs.
    Features {
        /// What the token lacks.
        missing: FeatureSet,
    },
    /// Its instructions need a feature that detection does not know.
    UnknownFeature(&'static str),
    /// Its frame is not the bare block function.
    Frame(Frame),
    /// Its batch has so many blocks, more than the library's buffers hold.
    Batch(usize),
    /// The generator cannot build it.
    Generate(GenError),
    /// The assembler cannot assemble it.
    Assemble(AssembleError),
    /// The operating system refused executable memory.
    Memory(io::Error),
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Features { missing } => {
                write!(f, "this CPU, its operating system or a cap denies {missing}")
            }
            Self::UnknownFeature(name) => write!(f, "detection does not know feature {name}"),
            Self::Frame(frame) => write!(f, "kernels in frame {} are not called", frame.name()),
            Self::Batch(blocks) => write!(f, "no buffer holds a batch of {blocks} blocks"),
            Self::Generate(error) => error.fmt(f),
            Self::Assemble(error) => error.fmt(f),
            Self::Memory(error) => write!(f, "no executable memory: {error}"),
        }
    }
}

impl core::error::Error for Fallback {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Generate(error) => Some(error),
            Self::Assemble(error) => Some(error),
            Self::Memory(error) => Some(error),
            Self::Features { .. } | Self::UnknownFeature(_) | Self::Frame(_) | Self::Batch(_) => {
                None
            }
        }
    }
}

/// Code for ECB that a token permits to run.
#[derive(Debug)]
struct Assembled {
    code: Code,
    blocks: usize,
    form: Form,
}

/// The key forms of kernels that are assembled.
#[derive(Clone, Copy, Debug)]
enum Form {
    Raw,
    Words(Shape),
}

/// Assembles a kernel, if `token` permits it.
fn make(id: KernelId, token: Token) -> Result<Assembled, Fallback> {
    if id.frame != Frame::Ecb {
        return Err(Fallback::Frame(id.frame));
    }
    if id.blocks > MAX_BATCH {
        return Err(Fallback::Batch(id.blocks));
    }
    if pipeline::is_words(id) {
        // Portable kernels are programs of words.
        let words = aria_gen::StageError::Words;
        let stage = pipeline::Stage::Build;
        return Err(Fallback::Generate(GenError::Stage { kernel: id, stage, cause: words }));
    }
    let built = pipeline::build_kernel(id).map_err(Fallback::Generate)?;
    let mut required = FeatureSet::EMPTY;
    for needed in built.facts().map_err(Fallback::Generate)?.features {
        let known = Feature::ALL.iter().find(|feature| feature.name() == needed.name());
        required = required.with(*known.ok_or(Fallback::UnknownFeature(needed.name()))?);
    }
    let missing = required.without(token.features());
    if !missing.is_empty() {
        return Err(Fallback::Features { missing });
    }
    let form = match built.recipe.key_form {
        KeyForm::Raw => Form::Raw,
        KeyForm::Broadcast32 => Form::Words(Shape::Broadcast32),
        KeyForm::Mapped32 => Form::Words(Shape::Mapped32),
        KeyForm::Planes | KeyForm::SpreadPlanes => return Err(Fallback::Frame(id.frame)),
    };
    let Assembly { bytes, entry, .. } =
        assemble(&built, Convention::NATIVE).map_err(Fallback::Assemble)?;
    let code = Code::new(&bytes, entry).map_err(Fallback::Memory)?;
    Ok(Assembled { code, blocks: id.blocks, form })
}

impl Assembled {
    /// Runs the kernel over blocks that are whole batches.
    fn run<const RK: usize>(&self, keys: &Keys<'_, RK>, blocks: InOutBuf<'_, '_, Block>) {
        const { assert!(matches!(RK, 13 | 15 | 17)) };
        let batches = blocks.len() / self.blocks;
        let (input, output) = blocks.into_raw();
        let call = |rk: *const u8| {
            // SAFETY:
            // - Features: an `Assembled` is only made in `make`, after every feature that the
            //   instructions of the program need was found in a token.
            // - Code: it was assembled for `extern "C"` of this target, for ECB over batches of
            //   `self.blocks` blocks, and for round keys in the form `self.form`.
            // - Round keys: there are `RK` of them, which is odd and at least three, in that form.
            // - Buffers: an `InOutBuf` is readable and writable for its length, which is at least
            //   `batches * self.blocks` blocks of 16 bytes, and its two sides are equal or do not
            //   overlap.
            unsafe { self.code.call_ecb(rk, RK, input.cast(), output.cast(), batches) }
        };
        match self.form {
            Form::Raw => call(keys.kept().as_ptr().cast()),
            Form::Words(shape) => keys.with_words(shape, |rk| call(rk.as_ptr().cast())),
        }
    }
}
