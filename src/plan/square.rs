//! Workgroups that are squares: where the two sides run along different axes, lanes lie along both.
//!
//! Consecutive lanes then fill whole memory sectors on both sides, and neighbouring workgroups share cache lines, whichever
//! side they are neighbours on.

use super::kernel::{AXIS_CLASSES, axis_class};
use super::normalise::MAX_AXES;
use super::params::{Params, divisor, lane_divisor, wrap};

/// `(extent, source step, destination step)` in addresses.
pub(crate) type Cell = (u64, i64, i64);

/// Items on axes, and the part of each that a workgroup takes.
pub(crate) struct Square {
    rank: usize,
    cells: [Cell; MAX_AXES + 1],
    /// Any number on the first two axes, whose last workgroups are guarded; a divisor of the extent on the others.
    lanes: [u64; MAX_AXES + 1],
    /// Axes after the first two that take a part in a workgroup.
    inner: usize,
    pub(crate) groups: u64,
}

impl Square {
    /// Items along the destination's unit axis first, of which at most `abreast` are taken together, the source's second, and
    /// any others.
    pub(crate) fn new(cells: impl IntoIterator<Item = Cell>, lanes: u32, abreast: u64) -> Self {
        let mut square = Self {
            rank: 0,
            cells: [(1, 0, 0); MAX_AXES + 1],
            lanes: [1; MAX_AXES + 1],
            inner: 0,
            groups: 1,
        };
        for (slot, cell) in square.cells.iter_mut().zip(cells) {
            *slot = cell;
            square.rank += 1;
        }
        let most = u64::from(lanes);
        let (across, along) = (square.cells[0].0, square.cells[1].0);
        let deep = along.min(most / across.min(abreast).min(most));
        let abreast = across.min(most / deep);
        square.lanes[0] = abreast;
        square.lanes[1] = deep;
        square.groups = across
            .div_ceil(abreast)
            .saturating_mul(along.div_ceil(deep));
        // Where the first two axes leave lanes idle, others fill them, by divisors: their lanes need no guard. One such axis
        // is cheap to decode, more are not, so that they must fill lanes that would mostly be idle.
        let mut left = most / (abreast * deep);
        for i in 2..square.rank {
            let extent = square.cells[i].0;
            let room = i == 2 || (i <= AXIS_CLASSES[2].0 && left > 2);
            if room {
                let divides = |lanes: &u64| extent.is_multiple_of(*lanes);
                let lanes = (1..=left.min(extent)).rev().find(divides).unwrap_or(1);
                square.lanes[i] = lanes;
                square.inner = i - 1;
                left /= lanes;
            }
            square.groups = square.groups.saturating_mul(extent / square.lanes[i]);
        }
        square
    }

    /// As many workgroups as any piece needs of which this is the first and largest; `cut`: others have shorter other axes.
    ///
    /// A shorter axis may have fewer divisors, and so more groups than a longer one.
    pub(crate) fn most_groups(&self, cut: bool) -> u64 {
        let shared: u64 = self.lanes[2..].iter().product();
        if cut {
            self.groups.saturating_mul(shared)
        } else {
            self.groups
        }
    }

    /// The lanes of a workgroup that have an item.
    pub(crate) fn busy(&self) -> u64 {
        self.lanes.iter().product()
    }

    /// Lane and grid axes, as a class of programs has them.
    pub(crate) fn classes(&self) -> (usize, usize) {
        axis_class(1 + self.inner, self.rank)
    }

    /// Writes the lane, split and grid axes, and the guards of the first two.
    pub(crate) fn lay(&self, params: &mut Params) {
        let (lane_axes, _) = self.classes();
        let entry = |(divisor, magic): (u32, u32), (_, src, dst): Cell, times: u64| {
            let step = |step: i64| wrap(step.wrapping_mul(times.cast_signed()));
            [divisor, step(src), step(dst), magic]
        };
        let word = |count: u64| wrap(count.cast_signed());
        let ([across, along, ..], [abreast, deep, ..]) = (self.cells, self.lanes);
        params.group_count = word(self.groups);
        params.cell_axis = 2;
        params.cell_extent = word(across.0);
        params.group_cell = word(abreast);
        params.split_extent = word(along.0);
        params.split_src = wrap(along.1);
        params.split_dst = wrap(along.2);
        params.split_lanes = word(deep);
        params.group_at = word(deep);
        for slot in &mut params.axes[..lane_axes] {
            *slot = entry(lane_divisor(1), across, 0);
        }
        params.axes[0] = entry(lane_divisor(word(abreast)), across, 1);
        for i in 2..2 + self.inner {
            params.axes[i - 1] = entry(lane_divisor(word(self.lanes[i])), self.cells[i], 1);
        }
        let grid = &mut params.axes[lane_axes..];
        grid[0] = entry(divisor(along.0.div_ceil(deep)), along, deep);
        grid[1] = entry(divisor(across.0.div_ceil(abreast)), across, abreast);
        for (i, slot) in grid.iter_mut().enumerate().take(self.rank).skip(2) {
            let (cell, lanes) = (self.cells[i], self.lanes[i]);
            *slot = entry(divisor(cell.0 / lanes), cell, lanes);
        }
    }
}
