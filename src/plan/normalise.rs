//! From two layouts to few axes: the canonical form that every rung is planned from.

use crate::dtype::Width;
use crate::layout::{Layout, MAX_RANK};

/// The most axes of a nest: a layout's, and one for the units of an element.
pub(crate) const MAX_AXES: usize = MAX_RANK + 1;

/// One axis of both views, its steps in units. The destination's step is positive where the extent is over 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Axis {
    pub(crate) extent: u64,
    pub(crate) src: i64,
    pub(crate) dst: i64,
}

impl Axis {
    /// `(extent - 1) · step`: the distance from the axis's first unit to its last, on one side.
    pub(crate) fn reach(extent: u64, step: i64) -> i64 {
        (extent - 1).cast_signed() * step
    }
}

/// Two views as one nest of loops over power-of-two units, the innermost axis first.
///
/// Axes are ordered by destination step; no axis has extent 1, none has a negative destination step, and no two
/// neighbours make one run on both sides. Every position is under 2^60 units, so sums of a few fit an `i64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Nest {
    /// Log2 of the unit's width in bits, 0 to 7.
    pub(crate) unit_log2: u32,
    /// Source position of index 0, in units.
    pub(crate) src: u64,
    /// Destination position of index 0, in units.
    pub(crate) dst: u64,
    rank: usize,
    axes: [Axis; MAX_AXES],
}

impl Nest {
    /// The nest of a copy from `src` to `dst`, which have one shape with at least one element; `dst` is distinct.
    ///
    /// No unit is wider than `widest_bits`.
    pub(crate) fn new(width: Width, src: &Layout, dst: &Layout, widest_bits: u64) -> Self {
        let bits = u64::from(width.bits());
        let widest_log2 = widest_bits.ilog2();
        let unit_log2 = bits.trailing_zeros().min(widest_log2);
        let units = bits >> unit_log2;
        let mut nest = Self {
            unit_log2,
            src: src.offset() * units,
            dst: dst.offset() * units,
            rank: 0,
            axes: [Axis::default(); MAX_AXES],
        };
        nest.push(Axis {
            extent: units,
            src: 1,
            dst: 1,
        });
        let scale = units.cast_signed();
        for axis in 0..src.rank() {
            nest.push(Axis {
                extent: src.dim(axis),
                src: src.stride(axis) * scale,
                dst: dst.stride(axis) * scale,
            });
        }
        super::sort_few(&mut nest.axes[..nest.rank], |axis| axis.dst);
        nest.merge();
        nest.widen(widest_log2);
        nest
    }

    /// Adds an axis, dropped at extent 1, flipped where the destination runs backwards.
    fn push(&mut self, mut axis: Axis) {
        if axis.extent <= 1 {
            return;
        }
        if axis.dst < 0 {
            self.flip(&mut axis);
        }
        self.axes[self.rank] = axis;
        self.rank += 1;
    }

    /// Walks an axis from its other end, on both sides.
    fn flip(&mut self, axis: &mut Axis) {
        let reach = |step| Axis::reach(axis.extent, step);
        self.src = self.src.wrapping_add_signed(reach(axis.src));
        self.dst = self.dst.wrapping_add_signed(reach(axis.dst));
        axis.src = -axis.src;
        axis.dst = -axis.dst;
    }

    /// Joins neighbours that both sides lay out as one run.
    fn merge(&mut self) {
        let mut kept = 0;
        for next in 1..self.rank {
            let outer = self.axes[next];
            let inner = &mut self.axes[kept];
            let extent = inner.extent.cast_signed();
            if outer.src == inner.src * extent && outer.dst == inner.dst * extent {
                inner.extent *= outer.extent;
            } else {
                kept += 1;
                self.axes[kept] = outer;
            }
        }
        self.rank = self.rank.min(kept + 1);
    }

    /// Takes the widest unit that an inner run, every other step and both offsets are whole multiples of.
    fn widen(&mut self, widest_log2: u32) {
        let [inner, outer @ ..] = &mut self.axes[..self.rank] else {
            return;
        };
        if inner.src != 1 || inner.dst != 1 {
            return;
        }
        let mut common = inner.extent | self.src | self.dst;
        for axis in outer.iter() {
            common |= axis.src.unsigned_abs() | axis.dst.unsigned_abs();
        }
        let by = common.trailing_zeros().min(widest_log2 - self.unit_log2);
        self.unit_log2 += by;
        self.src >>= by;
        self.dst >>= by;
        inner.extent >>= by;
        for axis in outer.iter_mut() {
            axis.src >>= by;
            axis.dst >>= by;
        }
        if inner.extent == 1 {
            self.rank -= 1;
            for i in 0..self.rank {
                self.axes[i] = self.axes[i + 1];
            }
        }
    }

    /// The nest with the source's unit axis second, forwards in the source; what it lacks if no block covers it.
    ///
    /// Axis 0 is the destination's unit axis. The second axis may run backwards in the destination. Where elements are three
    /// units, axis 0 has those, and the next two are what the first two are of units.
    pub(crate) fn for_blocks(&self) -> Result<Self, &'static str> {
        let unless = |lacking: bool, reason| if lacking { Err(reason) } else { Ok(()) };
        unless(self.unit_log2 > 6, "a unit is as wide as an access")?;
        let mut nest = *self;
        let first = usize::from(self.has_thirds());
        let step = if self.has_thirds() { 3 } else { 1 };
        let inner = nest.axes().get(first).copied().unwrap_or_default();
        let near = |axis: &Axis| axis.src.unsigned_abs() == step;
        unless(
            inner.dst.unsigned_abs() != step,
            "the destination's inner step is not 1",
        )?;
        unless(near(&inner), "both sides have one unit axis")?;
        let at = nest.axes().iter().position(near);
        let at = at.ok_or("no step of the source is 1")?;
        super::last_first(&mut nest.axes[first + 1..=at]);
        let mut axis = nest.axes[first + 1];
        if axis.src < 0 {
            nest.flip(&mut axis);
            nest.axes[first + 1] = axis;
        }
        // Two by two of such elements are too few to pay for further rows.
        let few = self.unit_log2 > 3 && nest.rows_at() > 0;
        unless(
            few && nest.within_words(nest.row_starts()),
            "rows of elements of 48 bits start within words",
        )?;
        Ok(nest)
    }

    /// Whether elements are three units that blocks take as one: of 6, 12, 24 or 48 bits.
    fn has_thirds(&self) -> bool {
        let Axis { extent, src, dst } = self.inner();
        (extent, src, dst) == (3, 1, 1) && (1..=4).contains(&self.unit_log2)
    }

    /// Where the rows of blocks lie among the axes, before their columns: behind the units of an element, if those are three.
    pub(crate) fn rows_at(&self) -> usize {
        usize::from(self.axes[0].src == 1)
    }

    /// Bits of what blocks turn: of a unit, or of three that are an element.
    pub(crate) fn block_bits(&self) -> u32 {
        let units = if self.rows_at() > 0 { 3 } else { 1 };
        units << self.unit_log2
    }

    /// What the places have in common where runs start that have whole the axes of a bit in `inside`, one set for each side: in
    /// units, as bits that are 0 in all of them.
    pub(crate) fn starts(&self, mut inside: [u32; 2]) -> [u64; 2] {
        let mut starts = [self.src, self.dst];
        for axis in self.axes() {
            for (side, step) in [axis.src, axis.dst].into_iter().enumerate() {
                if inside[side] & 1 == 0 {
                    starts[side] |= step.unsigned_abs();
                }
                inside[side] >>= 1;
            }
        }
        starts
    }

    /// The same of rows of blocks: of the source along their columns, of the destination along their rows.
    pub(crate) fn row_starts(&self) -> [u64; 2] {
        self.starts(if self.rows_at() > 0 { [5, 3] } else { [2, 1] })
    }

    /// Whether some of so many units are within a word.
    pub(crate) fn within_words(&self, [src, dst]: [u64; 2]) -> bool {
        !((src | dst) << self.unit_log2).is_multiple_of(32)
    }

    /// Whether units of at most a byte lie in runs on both sides that a word can hold, as those of 24-bit elements do.
    pub(crate) fn has_runs(&self) -> bool {
        let Axis { extent, src, dst } = self.inner();
        (src, dst) == (1, 1) && self.unit_log2 <= 3 && (2..=32 >> self.unit_log2).contains(&extent)
    }

    /// The axes, innermost first.
    pub(crate) fn axes(&self) -> &[Axis] {
        &self.axes[..self.rank]
    }

    /// The innermost axis; for a single unit one of extent 1 and steps 1.
    pub(crate) fn inner(&self) -> Axis {
        self.axes().first().copied().unwrap_or(Axis {
            extent: 1,
            src: 1,
            dst: 1,
        })
    }

    /// Bits of one unit.
    pub(crate) fn unit_bits(&self) -> u64 {
        1 << self.unit_log2
    }

    /// The number of units that a copy moves.
    pub(crate) fn units(&self) -> u64 {
        self.axes().iter().map(|axis| axis.extent).product()
    }

    /// `[lo, hi)` in bits: what the whole copy reads.
    pub(crate) fn src_bits(&self) -> (u64, u64) {
        reach_bits(
            self.unit_log2,
            self.src,
            self.axes().iter().map(|a| (a.extent, a.src)),
        )
    }

    /// `[lo, hi)` in bits: what the whole copy writes.
    pub(crate) fn dst_bits(&self) -> (u64, u64) {
        reach_bits(
            self.unit_log2,
            self.dst,
            self.axes().iter().map(|a| (a.extent, a.dst)),
        )
    }
}

/// `[lo, hi)` in bits of units of `2^unit_log2` bits at `base + Σ i·step`, over `(extent, step)`.
pub(crate) fn reach_bits(
    unit_log2: u32,
    base: u64,
    axes: impl Iterator<Item = (u64, i64)>,
) -> (u64, u64) {
    let (mut lo, mut hi) = (base.cast_signed(), base.cast_signed());
    for (extent, step) in axes {
        let reach = Axis::reach(extent, step);
        lo += reach.min(0);
        hi += reach.max(0);
    }
    (
        lo.cast_unsigned() << unit_log2,
        (hi + 1).cast_unsigned() << unit_log2,
    )
}
