//! The memory that a kernel may touch, and what it did touch.
//!
//! Two regions, input and output, each of so many bytes a batch, its stride. In a symbolic run, where the number
//! of batches is unknown, one batch with the unknown index b is followed: an address is
//! `constant` + `per_batch`·b, and memory holds the window of bytes b·stride … b·stride + stride - 1.
//! An access is good only if `per_batch` is the stride and the constant stays within the window;
//! windows of different batches are disjoint, so batches cannot see each other. In a concrete run
//! there is no b, and memory is one window of all batches.
//!
//! **Leading bytes.** The input may have so many bytes before those of its batches, and the window of
//! a batch is then longer by as many: it begins with the last of the batch before. In place, output
//! byte i is the input byte that comes so many bytes later. Batch b writes input bytes from b·stride +
//! `leading` on; the batches before it read up to there, those behind it do not. So windows cannot see
//! each other if batches go from the last to the first, which [`Memory::descends`] asks of the loop.

/// A number that may depend on the index of the batch: `constant` + `per_batch`·b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linear {
    /// What does not depend on it.
    pub constant: u64,
    /// What each batch adds.
    pub per_batch: u64,
}

impl Linear {
    /// A number that is the same in every batch.
    #[must_use]
    pub const fn constant(constant: u64) -> Self {
        Self { constant, per_batch: 0 }
    }

    /// The number, if it is the same in every batch.
    #[must_use]
    pub const fn known(self) -> Option<u64> {
        if self.per_batch == 0 { Some(self.constant) } else { None }
    }

    pub(super) fn add(self, other: Self) -> Option<Self> {
        Some(Self {
            constant: self.constant.checked_add(other.constant)?,
            per_batch: self.per_batch.checked_add(other.per_batch)?,
        })
    }

    pub(super) fn times(self, factor: u64) -> Option<Self> {
        Some(Self {
            constant: self.constant.checked_mul(factor)?,
            per_batch: self.per_batch.checked_mul(factor)?,
        })
    }
}

/// One of the two regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// What may be read.
    Input,
    /// What may be written.
    Output,
}

/// How input and output lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// They do not overlap.
    Apart,
    /// They are the same bytes.
    Same,
    /// Either: what one of the two forbids is forbidden.
    Any,
}

/// A use of memory that the contract does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryFault {
    /// An address outside the region.
    #[error(
        "touches {width} bytes at {offset} of the {}, of which it may touch {allowed}",
        .region.name()
    )]
    OutOfRange {
        /// Which region.
        region: Region,
        /// Bytes touched.
        width: usize,
        /// From where on, relative to the batch.
        offset: u64,
        /// Bytes in the region.
        allowed: usize,
    },
    /// An address that does not move on as the batches do.
    #[error(
        "touches the {}, {per_batch} bytes further with each batch; batches have {stride}",
        .region.name()
    )]
    Stride {
        /// Which region.
        region: Region,
        /// How far the address moves on.
        per_batch: u64,
        /// How far it should.
        stride: u64,
    },
    /// A load from the output.
    #[error("reads its output")]
    ReadsOutput,
    /// A store to the input.
    #[error("writes its input")]
    WritesInput,
    /// A load from what a store in place has overwritten.
    #[error("reads input byte {0} after it wrote the output byte that is the same in place")]
    ReadAfterWrite(usize),
    /// A byte of the input that nothing read.
    #[error("never reads input byte {0}")]
    Unread(usize),
    /// A byte of the output that nothing wrote.
    #[error("never writes output byte {0}")]
    Unwritten(usize),
}

impl Region {
    const fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
        }
    }
}

/// The strides of the two regions.
#[derive(Clone, Copy, Debug, Default)]
struct Strides {
    input: u64,
    output: u64,
}

/// Input and output of a run.
#[derive(Clone, Debug)]
pub struct Memory<B> {
    placement: Placement,
    /// Bytes by which a region moves on with each batch; zero when there is no batch in question.
    strides: Strides,
    /// Bytes of the input before those of the batches.
    leading: usize,
    input: Vec<B>,
    read: Vec<bool>,
    output: Vec<Option<B>>,
}

impl<B: Clone> Memory<B> {
    /// The window of one batch whose index is unknown.
    #[must_use]
    pub fn one_batch(input: Vec<B>) -> Self {
        let bytes = input.len();
        Self::window(Placement::Any, input, bytes)
    }

    /// The window of one batch whose index is unknown, where input and output do not overlap.
    #[must_use]
    pub fn one_batch_apart(input: Vec<B>, output_bytes: usize) -> Self {
        Self::window(Placement::Apart, input, output_bytes)
    }

    fn window(placement: Placement, input: Vec<B>, output_bytes: usize) -> Self {
        let strides = Strides { input: input.len() as u64, output: output_bytes as u64 };
        Self { strides, ..Self::whole(placement, input, output_bytes) }
    }

    /// All of the memory.
    #[must_use]
    pub fn whole(placement: Placement, input: Vec<B>, output_bytes: usize) -> Self {
        let read = vec![false; input.len()];
        let strides = Strides::default();
        let leading = 0;
        Self { placement, strides, leading, input, read, output: vec![None; output_bytes] }
    }

    /// The same memory where the first `leading` bytes of the input come before its batches.
    #[must_use]
    pub fn with_leading(self, leading: usize) -> Self {
        let whole = self.strides.input == 0;
        let input = if whole { 0 } else { self.strides.input.saturating_sub(leading as u64) };
        let bytes = self.input.len().saturating_sub(leading);
        let output = if whole { 0 } else { bytes as u64 };
        let strides = Strides { input, output };
        Self { leading, strides, output: vec![None; bytes], ..self }
    }

    /// Whether batches must go from the last to the first.
    #[must_use]
    pub const fn descends(&self) -> bool {
        self.leading > 0
    }

    /// Reads `width` bytes.
    ///
    /// # Errors
    ///
    /// When they may not be read.
    pub fn load(
        &mut self,
        region: Region,
        address: Linear,
        width: usize,
    ) -> Result<Vec<B>, MemoryFault> {
        if region == Region::Output {
            return Err(MemoryFault::ReadsOutput);
        }
        let start = self.locate(region, address, width, self.input.len())?;
        (start..start + width).map(|i| self.load_byte(i)).collect()
    }

    fn load_byte(&mut self, i: usize) -> Result<B, MemoryFault> {
        self.read[i] = true;
        let same = i.checked_sub(self.leading).and_then(|i| self.output.get(i));
        let overwritten = same.and_then(Option::as_ref);
        match (self.placement, overwritten) {
            (Placement::Any, Some(_)) => Err(MemoryFault::ReadAfterWrite(i)),
            (Placement::Same, Some(byte)) => Ok(byte.clone()),
            _ => Ok(self.input[i].clone()),
        }
    }

    /// Writes `bytes`.
    ///
    /// # Errors
    ///
    /// When they may not be written.
    pub fn store(
        &mut self,
        region: Region,
        address: Linear,
        bytes: &[B],
    ) -> Result<(), MemoryFault> {
        if region == Region::Input {
            return Err(MemoryFault::WritesInput);
        }
        let start = self.locate(region, address, bytes.len(), self.output.len())?;
        for (place, byte) in self.output[start..].iter_mut().zip(bytes) {
            *place = Some(byte.clone());
        }
        Ok(())
    }

    fn locate(
        &self,
        region: Region,
        address: Linear,
        width: usize,
        allowed: usize,
    ) -> Result<usize, MemoryFault> {
        let stride = match region {
            Region::Input => self.strides.input,
            Region::Output => self.strides.output,
        };
        if address.per_batch != stride {
            let per_batch = address.per_batch;
            return Err(MemoryFault::Stride { region, per_batch, stride });
        }
        let offset = address.constant;
        let start = usize::try_from(offset).ok();
        let fits = |start: &usize| start.checked_add(width).is_some_and(|end| end <= allowed);
        start.filter(fits).ok_or(MemoryFault::OutOfRange { region, width, offset, allowed })
    }

    /// The bytes of the output that were written.
    #[must_use]
    pub fn output(&self) -> &[Option<B>] {
        &self.output
    }

    /// The output, when every byte of the input was read and every byte of the output written.
    ///
    /// # Errors
    ///
    /// The first byte that was left out.
    pub fn finish(self) -> Result<Vec<B>, MemoryFault> {
        if let Some(i) = self.read.iter().position(|read| !read) {
            return Err(MemoryFault::Unread(i));
        }
        let bytes = self.output.into_iter().enumerate();
        bytes.map(|(i, byte)| byte.ok_or(MemoryFault::Unwritten(i))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(constant: u64, per_batch: u64) -> Linear {
        Linear { constant, per_batch }
    }

    #[test]
    fn a_window_is_reached_only_with_the_stride_and_within_its_bytes() {
        let mut memory = Memory::one_batch(vec![0u8; 32]);
        assert_eq!(memory.load(Region::Input, at(16, 32), 16), Ok(vec![0; 16]));
        for (address, width) in [(at(17, 32), 16), (at(32, 32), 1), (at(u64::MAX, 32), 16)] {
            let fault = memory.load(Region::Input, address, width).unwrap_err();
            assert!(matches!(fault, MemoryFault::OutOfRange { .. }), "{fault}");
            let fault = memory.store(Region::Output, address, &vec![0; width]).unwrap_err();
            assert!(matches!(fault, MemoryFault::OutOfRange { .. }), "{fault}");
        }
        for per_batch in [0, 16, 64] {
            let fault = memory.load(Region::Input, at(0, per_batch), 16).unwrap_err();
            assert!(matches!(fault, MemoryFault::Stride { .. }), "{fault}");
        }
    }

    #[test]
    fn regions_have_one_direction() {
        let mut memory = Memory::one_batch(vec![0u8; 16]);
        let start = at(0, 16);
        assert_eq!(memory.load(Region::Output, start, 16), Err(MemoryFault::ReadsOutput));
        assert_eq!(memory.store(Region::Input, start, &[0; 16]), Err(MemoryFault::WritesInput));
    }

    #[test]
    fn reading_after_writing_is_refused_or_sees_what_was_written() {
        let mut window = Memory::one_batch(vec![1u8; 16]);
        window.store(Region::Output, at(4, 16), &[2]).unwrap();
        assert_eq!(window.load(Region::Input, at(0, 16), 4), Ok(vec![1; 4]));
        let fault = window.load(Region::Input, at(0, 16), 16);
        assert_eq!(fault, Err(MemoryFault::ReadAfterWrite(4)));
        for (placement, seen) in [(Placement::Apart, 1), (Placement::Same, 2)] {
            let mut memory = Memory::whole(placement, vec![1u8; 16], 16);
            memory.store(Region::Output, at(4, 0), &[2]).unwrap();
            assert_eq!(memory.load(Region::Input, at(4, 0), 1), Ok(vec![seen]));
        }
    }

    #[test]
    fn in_place_the_output_begins_behind_the_leading_bytes() {
        let mut window = Memory::one_batch(vec![1u8; 48]).with_leading(16);
        assert!(window.descends() && !Memory::one_batch(vec![1u8; 48]).descends());
        // The window moves on by what it writes.
        let fault = window.load(Region::Input, at(0, 48), 16).unwrap_err();
        assert!(matches!(fault, MemoryFault::Stride { .. }), "{fault}");
        window.store(Region::Output, at(0, 32), &[2; 16]).unwrap();
        assert_eq!(window.load(Region::Input, at(0, 32), 16), Ok(vec![1; 16]));
        assert_eq!(window.load(Region::Input, at(32, 32), 16), Ok(vec![1; 16]));
        let fault = window.load(Region::Input, at(1, 32), 16);
        assert_eq!(fault, Err(MemoryFault::ReadAfterWrite(16)));
        let fault = window.store(Region::Output, at(32, 32), &[2]).unwrap_err();
        assert!(matches!(fault, MemoryFault::OutOfRange { .. }), "{fault}");

        let mut memory = Memory::whole(Placement::Same, vec![1u8; 48], 48).with_leading(16);
        memory.store(Region::Output, at(16, 0), &[2; 16]).unwrap();
        assert_eq!(memory.load(Region::Input, at(24, 0), 16), Ok([[1; 8], [2; 8]].concat()));
    }

    #[test]
    fn nothing_may_be_left_out() {
        let mut memory = Memory::whole(Placement::Apart, vec![7u8; 4], 4);
        memory.load(Region::Input, at(0, 0), 3).unwrap();
        assert_eq!(memory.clone().finish(), Err(MemoryFault::Unread(3)));
        memory.load(Region::Input, at(3, 0), 1).unwrap();
        memory.store(Region::Output, at(1, 0), &[0; 3]).unwrap();
        assert_eq!(memory.clone().finish(), Err(MemoryFault::Unwritten(0)));
        memory.store(Region::Output, at(0, 0), &[9]).unwrap();
        assert_eq!(memory.finish(), Ok(vec![9, 0, 0, 0]));
    }
}
