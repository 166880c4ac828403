//! What an executor is handed: native copies and dispatches, as plain data.

use super::kernel::Program;
use super::params::Params;

/// Bytes `[offset, offset + size)` of a buffer, both whole words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// The first byte: a multiple of the storage alignment.
    pub offset_bytes: u64,
    /// The number of bytes.
    pub size_bytes: u64,
}

impl Window {
    /// One past the last byte.
    #[must_use]
    pub fn end_bytes(&self) -> u64 {
        self.offset_bytes + self.size_bytes
    }
}

/// The two buffers that a step runs between.
///
/// A plan has scratch where its views overlap in one buffer: the source is first read whole, then written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// From the source's buffer to the destination's.
    Direct,
    /// From the source's buffer to the scratch.
    IntoScratch,
    /// From the scratch to the destination's buffer.
    FromScratch,
}

/// A copy of whole words from one buffer to another, which the device itself knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NativeCopy {
    /// The buffers.
    pub route: Route,
    /// The source's first byte.
    pub src_bytes: u64,
    /// The destination's first byte.
    pub dst_bytes: u64,
    /// The number of bytes.
    pub size_bytes: u64,
}

/// One dispatch of a compute pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// The buffers that its two windows are in.
    pub route: Route,
    /// The pipeline.
    pub program: Program,
    /// The uniform block.
    pub params: Params,
    /// The source's binding; with [`Access::One`](super::Access::One) the same as the destination's.
    pub src: Window,
    /// The destination's binding.
    pub dst: Window,
    /// Workgroups along x, y and z.
    pub groups: [u32; 3],
}

/// One step of a plan. Steps run in order: a later one may write words that an earlier one wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "a step lives on the stack for a moment; boxing it would allocate"
)]
pub enum Step {
    /// A native buffer copy.
    Native(NativeCopy),
    /// A dispatch.
    Dispatch(Dispatch),
}
