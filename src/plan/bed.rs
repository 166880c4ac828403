//! What a plan is made within: the bounds of the device and of both buffers.

use super::normalise::Nest;
use super::split::{BIT_WINDOW_BYTES, Bounds, WORD_WINDOW_BYTES};
use super::{Limits, Problem};

/// What both buffers and the device bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bed {
    pub(crate) bounds: Bounds,
    pub(crate) max_groups: u32,
    pub(crate) one_buffer: bool,
    /// The whole words of the buffers, in bytes.
    pub(crate) src_bytes: u64,
    pub(crate) dst_bytes: u64,
    pub(crate) lanes: u32,
}

impl Bed {
    /// What bounds the pieces of `nest`.
    pub(crate) fn new(problem: &Problem<'_>, limits: &Limits, nest: &Nest) -> Self {
        let unit_bytes = nest.unit_bits() / 8;
        let alignment_bytes = limits.alignment_bytes.max(unit_bytes);
        // Windows end with whole 16-byte units, as wide accesses need, but for absurdly small alignments.
        let grain_bytes = alignment_bytes.min(16);
        let addressable = if nest.unit_log2 <= 5 {
            BIT_WINDOW_BYTES
        } else {
            WORD_WINDOW_BYTES
        };
        let fit = |bytes: u64| bytes / grain_bytes * grain_bytes;
        let window_bytes = fit(limits.binding_bytes.min(addressable));
        let mut bounds = Bounds {
            window_bytes,
            alignment_bytes,
            grain_bytes,
        };
        if problem.one_buffer
            && windows_meet(
                bounds.window(nest.src_bits()),
                bounds.window(nest.dst_bits()),
            )
        {
            // Two windows of half the size that meet lie in one whole; two of one alignment that meet are the same.
            let half = fit(window_bytes / 2).max(alignment_bytes);
            bounds.window_bytes = half.min(window_bytes);
        }
        Self {
            bounds,
            max_groups: limits.groups,
            one_buffer: problem.one_buffer,
            src_bytes: problem.src.buffer_bytes & !3,
            dst_bytes: problem.dst.buffer_bytes & !3,
            lanes: limits.lanes(),
        }
    }
}

/// Whether two windows `[start, end)` have a byte in common.
pub(crate) fn windows_meet(one: (u64, u64), other: (u64, u64)) -> bool {
    one.0 < other.1 && other.0 < one.1
}
