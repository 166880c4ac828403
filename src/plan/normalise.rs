//! From two layouts to few axes: the canonical form that every rung is planned from.

use crate::dtype::Width;
use crate::layout::{Layout, MAX_RANK};

use super::kernel::block_side;
use super::params::BLOCK_BITS;

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
    /// Where [`Nest::for_blocks`] made the nest, as the three below: the axis behind the rows of blocks, and that behind their columns.
    pub(crate) ends: [usize; 2],
    /// The axes that lie within the rows that blocks read, and within those that they write, a bit each.
    insides: [u32; 2],
    /// Units of the axes that further the first one of the rows, and the first of the columns.
    folded: [u64; 2],
    /// From one row to another in the source, and from one column to another in the destination, whose numbers differ in one bit.
    pub(crate) steps: [[i64; 2]; BLOCK_BITS],
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
            ends: [0; 2],
            insides: [0; 2],
            folded: [1; 2],
            steps: [[0; 2]; BLOCK_BITS],
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
    ///
    /// `folds`: where an axis is shorter than a block, the rows may be more axes that the destination lays out as one run, and the
    /// columns more of the source.
    pub(crate) fn for_blocks(&self, folds: bool) -> Result<Self, &'static str> {
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
        nest.take_sides(first, folds);
        // Two by two elements of 48 bits are too few to pay for further rows. Rows of several axes have none to read: those of one axis
        // are tried next.
        let few = nest.rows_at() > 0 && self.unit_log2 > 3 || nest.ends[1] > first + 2;
        unless(
            few && nest.within_words(nest.row_starts()),
            "rows of elements of 48 bits start within words",
        )?;
        Ok(nest)
    }

    /// Takes the rows of blocks from axis `first` on, then their columns.
    fn take_sides(&mut self, first: usize, mut folds: bool) {
        let side = u64::from(block_side(self.block_bits()));
        let mut place = first;
        // Elements of three units have kernels of their own.
        folds &= first == 0 && self.axes[1].extent != 3;
        self.insides = [super::kernel::short(first); 2];
        for which in 0..2 {
            let mut run = 1_u64;
            let first_extent = self.axes[place].extent;
            loop {
                let mut axis = self.axes[place];
                if which > 0 && axis.src < 0 {
                    self.flip(&mut axis);
                    self.axes[place] = axis;
                }
                // A bit of a row's number is one of the number on an axis, as all but the last are powers of two.
                let mut step = if which == 0 { axis.src } else { axis.dst };
                for bit in run.trailing_zeros() as usize..BLOCK_BITS {
                    self.steps[bit][which] = step;
                    step <<= 1;
                }
                run *= axis.extent;
                self.insides[1 - which] |= 1 << place;
                place += 1;
                let others = place + 1 - which;
                let continues = |axis: &Axis| {
                    (if which == 0 { axis.dst } else { axis.src }).unsigned_abs() == run
                };
                let short = folds && run < side && run.is_power_of_two();
                let Some(next) = (others..self.rank).find(|i| short && continues(&self.axes[*i]))
                else {
                    break;
                };
                super::last_first(&mut self.axes[place..=next]);
            }
            self.ends[which] = place;
            self.folded[which] = run / first_extent;
            // Columns of several axes are written by whole blocks alone.
            folds &= run.is_multiple_of(side);
        }
    }

    /// The first axis of the rows of blocks, and that of their columns, each with all units that a piece of extents `extent` has there.
    pub(crate) fn sides(&self, extent: &[u64]) -> [Axis; 2] {
        let side = |axis: usize, folded: u64| Axis {
            extent: extent[axis] * folded,
            ..self.axes[axis]
        };
        [
            side(self.rows_at(), self.folded[0]),
            side(self.ends[0], self.folded[1]),
        ]
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
        self.starts(self.insides)
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
        self.reach(self.src, |axis| axis.src)
    }

    /// `[lo, hi)` in bits: what the whole copy writes.
    pub(crate) fn dst_bits(&self) -> (u64, u64) {
        self.reach(self.dst, |axis| axis.dst)
    }

    /// The bits of one side, from `base` on.
    fn reach(&self, base: u64, step: fn(&Axis) -> i64) -> (u64, u64) {
        let axes = self.axes().iter().map(|axis| (axis.extent, step(axis)));
        reach_bits(self.unit_log2, base, axes)
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
