//! Executable memory, and calls into it. It is written while it is not executable, and made
//! executable when it is no longer writable; dynasmrt owns it and returns it. What the bytes do, is
//! not known here.

use std::io;

use dynasmrt::mmap::{ExecutableBuffer, MutableBuffer};

/// The arguments of code for ECB: round keys and how many there are, input, output, batches.
type Ecb = unsafe extern "C" fn(*const u8, usize, *const u8, *mut u8, usize);

/// Code in memory of its own, from the beginning of a page on.
#[derive(Debug)]
pub(super) struct Code {
    memory: ExecutableBuffer,
    entry: usize,
}

impl Code {
    /// Copies `bytes`, of which the code begins at `entry`, into executable memory.
    ///
    /// # Errors
    ///
    /// What the operating system says, if it refuses such memory.
    pub(super) fn new(bytes: &[u8], entry: usize) -> io::Result<Self> {
        let mut memory = MutableBuffer::new(bytes.len())?;
        memory.set_len(bytes.len());
        memory.copy_from_slice(bytes);
        Ok(Self { memory: memory.make_exec()?, entry })
    }

    /// The bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.memory
    }

    /// Calls code for ECB.
    ///
    /// # Safety
    ///
    /// * At the entry there must be a function of type [`Ecb`], assembled for this target, and the
    ///   CPU must have what its instructions need.
    /// * The arguments must be what that function asks for.
    pub(super) unsafe fn call_ecb(
        &self,
        rk: *const u8,
        keys: usize,
        input: *const u8,
        output: *mut u8,
        batches: usize,
    ) {
        let entry: *const u8 = &raw const self.memory[self.entry];
        // SAFETY: the caller answers for a function of this type at the entry, whose memory lives as
        // long as `self`.
        let function = unsafe { std::mem::transmute::<*const u8, Ecb>(entry) };
        // SAFETY: the caller answers for CPU and arguments.
        unsafe { function(rk, keys, input, output, batches) }
    }
}
