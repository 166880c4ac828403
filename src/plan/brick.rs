//! Workgroups that lie along the items' inner axes: the first lanes on whole axes, the others, the items and the grid on the
//! next one, the rest of the grid on those after it.

use super::kernel::{AXIS_CLASSES, axis_class};
use super::params::{Params, divisor, lane_divisor, wrap};
use super::square::{Cell, Cells};

/// How lanes, items and the grid share the cells.
pub(crate) struct Brick {
    cells: Cells,
    /// Whether the first axis counts the words of a row.
    words: bool,
    /// The axis that all three share: lane axes lie before it, grid axes after it.
    at: usize,
    lanes: u64,
    items: u64,
    bricks: u64,
    pub(crate) groups: u64,
}

impl Brick {
    /// On `cells`, innermost first; `words`: the first counts the words of a row.
    pub(crate) fn new(cells: Cells, words: bool, (lanes, items): (u32, u32)) -> Self {
        let most = u64::from(lanes);
        // Two whole axes are cheap to decode; more are not, so that they must fill lanes that would mostly be idle.
        let take = |axes: usize| {
            let (mut whole, mut at) = (1_u64, 0);
            while at + 1 < cells.rank && at < axes && whole * cells.axes[at].0 <= most {
                whole *= cells.axes[at].0;
                at += 1;
            }
            (whole, at)
        };
        let (mut whole, mut at) = take(AXIS_CLASSES[0].0);
        if whole * cells.axes[at].0 * 2 < most {
            (whole, at) = take(AXIS_CLASSES[2].0);
        }
        let extent = cells.axes[at].0;
        let lanes = (most / whole).min(extent);
        let items = u64::from(items);
        let bricks = extent.div_ceil(lanes * items);
        let outer = cells.axes[at + 1..cells.rank].iter().map(|cell| cell.0);
        Self {
            groups: outer.fold(bricks, u64::saturating_mul),
            cells,
            words,
            at,
            lanes,
            items,
            bricks,
        }
    }

    /// Items that a lane has work for.
    pub(crate) fn trips(&self) -> u64 {
        self.cells.axes[self.at]
            .0
            .div_ceil(self.lanes)
            .min(self.items)
    }

    /// Lane and grid axes, as a class of programs has them.
    pub(crate) fn classes(&self) -> (usize, usize) {
        axis_class(self.at, self.cells.rank - self.at)
    }

    /// Writes the lane, split and grid axes.
    pub(crate) fn lay(&self, params: &mut Params) {
        let entry = |(divisor, magic): (u32, u32), (_, src, dst): Cell, times: u64| {
            let step = |step: i64| wrap(step.wrapping_mul(times.cast_signed()));
            [divisor, step(src), step(dst), magic]
        };
        let word = |count: u64| wrap(count.cast_signed());
        let (lane_rank, grid_rank) = self.classes();
        let axes = &self.cells.axes[..self.cells.rank];
        let split = axes[self.at];
        for slot in &mut params.axes[..lane_rank] {
            *slot = entry(lane_divisor(1), split, 0);
        }
        for (slot, axis) in params.axes.iter_mut().zip(&axes[..self.at]) {
            *slot = entry(lane_divisor(word(axis.0)), *axis, 1);
        }
        let per_group = self.lanes * self.items;
        params.group_count = word(self.groups);
        params.split_extent = word(split.0);
        [_, params.split_src, params.split_dst, _] = entry((0, 0), split, 1);
        params.split_lanes = word(self.lanes);
        [_, params.item_src, params.item_dst, _] = entry((0, 0), split, self.lanes);
        params.item_at = word(self.lanes);
        params.cell_axis = match (self.words, self.at) {
            (false, _) => 0,
            (true, 0) => 4,
            (true, _) => 1,
        };
        params.at_axis = 3;
        let mut grid = params.axes[lane_rank..lane_rank + grid_rank].iter_mut();
        if self.bricks > 1
            && let Some(slot) = grid.next()
        {
            *slot = entry(divisor(self.bricks), split, per_group);
            params.group_at = word(per_group);
        }
        for (slot, axis) in grid.zip(&axes[self.at + 1..]) {
            *slot = entry(divisor(axis.0), *axis, 1);
        }
    }
}
