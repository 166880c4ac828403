//! Cutting a nest into pieces whose windows a binding holds: a grid of chunks, so that piece `k` is arithmetic.

use super::normalise::{MAX_AXES, Nest, reach_bits};

/// The most bytes of a window whose bits a kernel addresses: under 2^31 of them, which [`divisor`] divides exactly.
///
/// [`divisor`]: super::params::divisor
pub(crate) const BIT_WINDOW_BYTES: u64 = (1 << 28) - 16;

/// The most bytes of a window whose words a kernel addresses in a `u32`, with room to count past its end.
pub(crate) const WORD_WINDOW_BYTES: u64 = (1 << 32) - 16;

/// The bits of a memory sector.
const SECTOR_BITS: u64 = 256;

/// What bounds one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bounds {
    /// Most bytes of a window: at least an alignment, unless a kernel addresses less.
    pub(crate) window_bytes: u64,
    /// Alignment of a window's first byte.
    pub(crate) alignment_bytes: u64,
    /// What a window's size is a multiple of, but for the end of its buffer.
    pub(crate) grain_bytes: u64,
}

/// A nest cut into chunks along its axes: piece `k` has the mixed-radix digits of `k` as its chunk numbers, the
/// outermost axis first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Split {
    rank: usize,
    chunk: [u64; MAX_AXES],
    extent: [u64; MAX_AXES],
    pieces: u64,
}

/// One side of a nest, as cutting sees it: `step` per axis.
type Steps = [i64; MAX_AXES];

impl Split {
    /// The nest in one piece.
    pub(crate) fn whole(nest: &Nest) -> Self {
        let mut split = Self {
            rank: nest.axes().len(),
            chunk: [1; MAX_AXES],
            extent: [1; MAX_AXES],
            pieces: 1,
        };
        for (axis, (chunk, extent)) in nest
            .axes()
            .iter()
            .zip(split.chunk.iter_mut().zip(&mut split.extent))
        {
            *chunk = axis.extent;
            *extent = axis.extent;
        }
        split
    }

    /// The nest in pieces whose windows respect `bounds` on both sides.
    ///
    /// A side that does not fit is cut along the axis with the largest reach on it, to the largest chunk that fits. It
    /// ends: a piece of one unit fits, as no unit straddles a word and a window holds at least one aligned word.
    ///
    /// Cut along the three innermost axes, pieces are whole multiples of `grains` units long where they can be.
    pub(crate) fn new(nest: &Nest, bounds: Bounds, grains: [u64; 3]) -> Self {
        let mut split = Self::whole(nest);
        if bounds.holds(nest.src_bits()) && bounds.holds(nest.dst_bits()) {
            return split;
        }
        let (mut src, mut dst): (Steps, Steps) = ([0; MAX_AXES], [0; MAX_AXES]);
        for (i, axis) in nest.axes().iter().enumerate() {
            src[i] = axis.src;
            dst[i] = axis.dst;
        }
        while split.cut(nest.unit_log2, &dst, bounds, grains)
            || split.cut(nest.unit_log2, &src, bounds, grains)
        {}
        split.count();
        split
    }

    /// Cuts once if the side with `steps` does not fit; whether it did.
    fn cut(&mut self, unit_log2: u32, steps: &Steps, bounds: Bounds, grains: [u64; 3]) -> bool {
        let axes = || (0..self.rank).map(|i| (self.chunk[i], steps[i]));
        let (lo, hi) = reach_bits(unit_log2, 1 << 61 >> unit_log2, axes());
        let room_bits = bounds.room_bits(unit_log2);
        if hi - lo <= room_bits {
            return false;
        }
        let reach = |i: usize| (self.chunk[i] - 1) * steps[i].unsigned_abs();
        let Some(at) = (0..self.rank)
            .max_by_key(|&i| reach(i))
            .filter(|&i| reach(i) > 0)
        else {
            return false;
        };
        let others = (hi - lo) - (reach(at) << unit_log2);
        let step_bits = steps[at].unsigned_abs() << unit_log2;
        let mut chunk = 1 + room_bits.saturating_sub(others) / step_bits;
        if let Some(&grain) = grains.get(at)
            && chunk > grain
        {
            chunk -= chunk % grain;
        }
        // Whole memory sectors, so that all pieces share their phase, where that takes no more pieces.
        let sectors = chunk - chunk % (SECTOR_BITS >> unit_log2);
        if sectors > 0 && self.extent[at].div_ceil(sectors) == self.extent[at].div_ceil(chunk) {
            chunk = sectors;
        }
        self.chunk[at] = chunk.min(self.chunk[at] - 1);
        true
    }

    /// Cuts the outermost axis that can be cut into chunks at most `1/times` as long, `times ≥ 2`; whether it could.
    pub(crate) fn shrink(&mut self, times: u64) -> bool {
        let Some(at) = (0..self.rank).rev().find(|&i| self.chunk[i] > 1) else {
            return false;
        };
        self.chunk[at] = (self.chunk[at] / times).max(1);
        self.count();
        true
    }

    fn count(&mut self) {
        self.pieces = (0..self.rank)
            .map(|i| self.extent[i].div_ceil(self.chunk[i]))
            .product();
    }

    /// The number of pieces.
    pub(crate) fn pieces(&self) -> u64 {
        self.pieces
    }

    /// The extents of the largest piece, the first one.
    pub(crate) fn chunk(&self) -> &[u64] {
        &self.chunk[..self.rank]
    }

    /// Whether axis `i` is cut.
    pub(crate) fn is_cut(&self, i: usize) -> bool {
        self.chunk[i] < self.extent[i]
    }

    /// Piece `k`: the index of its first unit, and its extents, axis by axis.
    pub(crate) fn piece(&self, mut k: u64) -> ([u64; MAX_AXES], [u64; MAX_AXES]) {
        let (mut first, mut extent) = ([0; MAX_AXES], [1; MAX_AXES]);
        for i in 0..self.rank {
            let chunks = self.extent[i].div_ceil(self.chunk[i]);
            first[i] = k % chunks * self.chunk[i];
            extent[i] = self.chunk[i].min(self.extent[i] - first[i]);
            k /= chunks;
        }
        (first, extent)
    }
}

impl Bounds {
    /// The aligned window of bytes `[start, end)` that holds bits `[lo, hi)`.
    pub(crate) fn window(self, (lo, hi): (u64, u64)) -> (u64, u64) {
        (
            (lo / 8) & !(self.alignment_bytes - 1),
            hi.div_ceil(8).next_multiple_of(self.grain_bytes),
        )
    }

    /// Whether the window of bits `[lo, hi)` is small enough.
    pub(crate) fn holds(self, bits: (u64, u64)) -> bool {
        let (start, end) = self.window(bits);
        end - start <= self.window_bytes
    }

    /// The most bits that a window holds wherever they start: at any unit of any aligned window.
    fn room_bits(self, unit_log2: u32) -> u64 {
        let unit_bytes = (1_u64 << unit_log2) / 8;
        let ahead_bytes = self.alignment_bytes - unit_bytes.max(4);
        let ahead_bits = 32_u64.saturating_sub(1 << unit_log2);
        (self.window_bytes - ahead_bytes) * 8 - ahead_bits
    }
}
