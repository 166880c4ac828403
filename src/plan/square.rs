//! Workgroups: which items their lanes make, and how the grid counts them.
//!
//! Where the two sides run along different axes, workgroups are squares, with lanes along both. Consecutive lanes then fill whole
//! memory sectors on both sides, and neighbouring workgroups share cache lines, whichever side they are neighbours on. A subgroup
//! is the first lanes of a workgroup, or the next: so the axis with fewer lanes comes first, and no subgroup has a part of it.
//!
//! Where both sides have the same rows, but in another order, lanes lie along rows that follow each other in the source, and
//! items along those that do in the destination: both are then read and written some rows at a time. Where they have the same
//! order too, lanes lie along the inner axes, and the items of a lane a cache line or two apart: a GPU fills sectors either way, and a
//! processor, which runs a few lanes at a time, walks on through its pages.

use super::kernel::{AXIS_CLASSES, Kernel, axis_class, short};
use super::normalise::MAX_AXES;
use super::params::{BY_ACROSS, BY_ITEMS, Params, divisor, lane_divisor, wrap};

/// The most axes that lanes lie on: the lane axes of a program, and one more that is what is left of a lane.
const MOST_AXES: usize = AXIS_CLASSES[2].0 + 1;

/// Axes of which a lane is a number that is cheap to decode: the least lane axes of a program, and what is left.
const CHEAP_AXES: usize = AXIS_CLASSES[0].0 + 1;

/// More than an axis has for its number.
const AXIS_NUMBERS: u64 = (MAX_AXES + 1).next_power_of_two() as u64;

/// Within [`Params`]: what counts along an axis, for the last axis of the lanes.
const BEYOND: usize = 3;

/// Within [`Params`]: what counts the words of a row, if the first axis or the second does.
const BY_AXIS: [u32; 2] = [BY_ACROSS, BY_ITEMS];

/// Axes and one more, the words of a row, and last [`FAR`].
const PLACES: usize = MAX_AXES + 2;

/// Lanes along the second axis behind the items of its others.
const FAR: usize = PLACES - 1;

/// `(extent, source step, destination step)` in addresses.
pub(crate) type Cell = (u64, i64, i64);

/// An axis of one place: what stands for one that there is not.
pub(crate) const NO_AXIS: Cell = (1, 0, 0);

/// Axes that items are laid along.
#[derive(Clone, Copy)]
pub(crate) struct Cells {
    pub(crate) rank: usize,
    pub(crate) axes: [Cell; PLACES],
}

impl Cells {
    pub(crate) const NONE: Self = Self {
        rank: 0,
        axes: [NO_AXIS; PLACES],
    };

    pub(crate) fn push(&mut self, cell: Cell) {
        self.axes[self.rank] = cell;
        self.rank += 1;
    }
}

/// Lanes along a row, at most: further ones share less of its page than rows that follow it.
const MOST_OF_A_ROW: u64 = 128;

/// Lanes along a row that is longer, at least: what fills a cache line and its neighbour.
const LEAST_OF_A_ROW: u64 = 8;

/// How the lanes of a turned square lie.
#[derive(Clone, Copy)]
pub(crate) struct Aim {
    /// Lanes along the destination's unit axis.
    pub(crate) abreast: u64,
    /// Addresses of a memory sector.
    pub(crate) sector: u64,
    /// Whether half of the lanes may idle, rather than more lie abreast.
    pub(crate) may_idle: bool,
    /// Lanes along the source's unit axis before those along the destination's: a divisor of them, all if they are fewer, or as
    /// many and fewer than this, else one.
    pub(crate) near: u64,
}

/// Items on axes, and the part of each that a workgroup takes.
#[derive(Clone, Copy)]
pub(crate) struct Square {
    rank: usize,
    cells: [Cell; PLACES],
    /// Any number on the first two axes, whose last workgroups are guarded; a divisor of the extent on the others.
    lanes: [u64; PLACES],
    /// The axes with more than one lane, those of consecutive lanes first.
    order: [usize; MOST_AXES],
    taken: usize,
    /// Items of a lane, along the second axis.
    items: u64,
    /// The axis of a row's words.
    row: Option<usize>,
    /// Lanes along axes on which a shorter piece has as many, or fewer and no more workgroups.
    steady: u64,
    pub(crate) groups: u64,
}

impl Square {
    /// Items along the destination's unit axis first, the source's second, and any others.
    pub(crate) fn turned(cells: Cells, (lanes, items): (u32, u32), aim: Aim) -> Self {
        let mut square = Self::new(cells, items, 2);
        square.row = Some(0);
        let most = u64::from(lanes);
        let abreast = aim.abreast;
        let (across, along) = (square.cells[0].0, square.cells[1].0);
        let joined = square.join_short_runs(most, abreast, aim.sector);
        let left = most / joined;
        let deep = along.min(left / across.min(abreast).min(left));
        // More lanes abreast would take joined ones from a subgroup: some idle lanes cost less than that.
        let enough = if (joined > 1 || aim.may_idle) && 2 * abreast * deep * joined >= most {
            abreast
        } else {
            most
        };
        let abreast = across.min(enough).min(left / deep);
        square.lanes[0] = abreast;
        square.lanes[1] = deep;
        square.steady = abreast * deep;
        square.fill(2, 2, most);
        // The lanes of an axis in two parts are three digits with those of the other: the only ones that are told apart.
        let near = match aim.near {
            near if deep < abreast || (deep == abreast && deep < near) => deep,
            near if square.taken == 0 && deep.is_multiple_of(near) => near,
            _ => 1,
        };
        square.spread(near, deep);
        for axis in [FAR, 0, 1] {
            if square.lanes[axis] > 1 {
                square.push(axis);
                super::last_first(&mut square.order[..square.taken]);
            }
        }
        square.count_groups();
        square
    }

    /// Items along the axis whose rows follow each other in the source first, the one of which they do in the destination
    /// second, those of a row third ([`NO_AXIS`] if units are alone), and any others. None if a long row has no divisor that fits a workgroup.
    pub(crate) fn rows(cells: Cells, (lanes, items): (u32, u32)) -> Option<Self> {
        let mut square = Self::new(cells, items, 3);
        let most = u64::from(lanes);
        let row = square.cells[2].0;
        square.steady = square.take(2, MOST_OF_A_ROW.min(most), 1);
        if square.steady < row.min(LEAST_OF_A_ROW) {
            return None;
        }
        if row == 1 {
            // Two 16-byte units fill a sector of the destination, the other lanes those of the source.
            square.give(1, square.cells[1].0.min(2).min(most));
        }
        let next = square.cells[0].0;
        let mut best: Option<Self> = None;
        // As many rows at once as fit, or as share the axis evenly: whatever leaves fewer lanes idle.
        let parts = next.div_ceil(most / square.busy());
        for parts in parts..parts + 4 {
            let mut square = square;
            let rows = next.div_ceil(parts);
            if best.is_some() && rows * square.steady < LEAST_OF_A_ROW {
                break;
            }
            square.give(0, rows);
            square.fill(3, 0, most);
            let left = most / square.busy();
            if square.lanes[1] == 1 && square.has_room(0, left) {
                square.give(1, square.cells[1].0.min(left));
            }
            square.count_groups();
            if best.is_none_or(|best| square.groups < best.groups - best.groups / 16) {
                best = Some(square);
            }
        }
        best
    }

    /// Items along axes, innermost first: the first lanes on whole ones, the others, the items and the grid on the next one, the
    /// rest of the grid on those after it. `words`: the first axis counts the words of a row.
    ///
    /// `near`: lanes whose items are memory enough to be accessed at once. The items of a lane lie that many apart, so that a
    /// vector of lanes walks on through memory.
    pub(crate) fn brick(cells: Cells, words: bool, (lanes, items): (u32, u32), near: u64) -> Self {
        let most = u64::from(lanes);
        let (mut whole, mut at) = (1, 0);
        while at + 1 < cells.rank {
            let next = whole * cells.axes[at].0;
            // Two whole axes are cheap to decode; more are not, so that they must fill lanes that would mostly be idle.
            if next > most || (at >= AXIS_CLASSES[0].0 && 2 * next >= most) {
                break;
            }
            (whole, at) = (next, at + 1);
        }
        // As few lanes as its items allow make all of the first axis, the other lanes lie on the second.
        let along = cells.axes[0].0;
        let part = near * u64::from(items);
        let far = along.div_ceil(part);
        let shared = items > 1
            && cells.rank > 1
            && 2 * near * far <= most
            && part * far <= along + along / 8;
        if shared {
            (whole, at) = (1, 0);
        }
        // Across: the second axis, or the words of a row if items do not count them. Then the axis of items, then the others.
        let words_first = words && at > 0;
        let across = match (shared, words_first) {
            (true, _) => 1,
            (_, true) => 0,
            _ => PLACES,
        };
        let mut placed = Cells::NONE;
        placed.push(*cells.axes.get(across).unwrap_or(&NO_AXIS));
        placed.push(cells.axes[at]);
        for axis in (0..cells.rank).filter(|axis| *axis != at && *axis != across) {
            placed.push(cells.axes[axis]);
        }
        let mut square = Self::new(placed, items, placed.rank);
        square.row = words.then_some(usize::from(!words_first));
        if words_first {
            square.give(0, along);
        }
        for axis in 2..2 + at - usize::from(words_first) {
            square.give(axis, placed.axes[axis].0);
        }
        let lanes = (most / whole).min(placed.axes[1].0);
        // More lanes than that on whole axes are memory enough without.
        let spreads = items > 1 && whole <= near;
        let near = near.div_ceil(whole);
        let costs = near > 1 && (lanes % near > lanes / 16 || square.taken + 2 > CHEAP_AXES);
        if shared {
            square.spread(near, near * far);
        } else if spreads && !costs {
            square.spread(near, lanes);
        } else {
            square.spread(lanes, lanes);
        }
        square.push(1);
        square.push(FAR);
        square.steady = square.busy();
        if shared {
            square.give(0, (most / square.steady).min(placed.axes[0].0));
        }
        square.count_groups();
        square
    }

    /// No lanes yet; the cells from `others` on are put in the order in which workgroups follow each other: by what is nearer
    /// on either side.
    fn new(mut cells: Cells, items: u32, others: usize) -> Self {
        let nearer = |cell: &Cell| cell.1.unsigned_abs().min(cell.2.unsigned_abs());
        super::sort_few(&mut cells.axes[others..cells.rank], nearer);
        Self {
            rank: cells.rank,
            cells: cells.axes,
            lanes: [1; PLACES],
            order: [0; MOST_AXES],
            taken: 0,
            items: items.into(),
            row: None,
            steady: 1,
            groups: 1,
        }
    }

    fn count_groups(&mut self) {
        for i in 0..self.rank {
            self.groups = self.groups.saturating_mul(self.groups_along(i));
        }
    }

    /// What a workgroup takes of an axis.
    fn part(&self, axis: usize) -> u64 {
        match axis {
            1 => self.lanes[1] * self.lanes[FAR] * self.items,
            _ => self.lanes[axis],
        }
    }

    fn groups_along(&self, axis: usize) -> u64 {
        self.cells[axis].0.div_ceil(self.part(axis))
    }

    /// The axes that the grid counts, and how many there are: the guarded ones first, the second before the first.
    fn grid(&self) -> ([usize; PLACES], usize) {
        let (mut axes, mut rank) = ([1; PLACES], 0);
        let guarded = self.groups_along(0) > 1;
        for axis in [1, 0].into_iter().chain(2..self.rank) {
            if self.groups_along(axis) > 1 || (axis == 1 && guarded) {
                axes[rank] = axis;
                rank += 1;
            }
        }
        (axes, rank)
    }

    /// Gives lanes to axes that continue a run which ends within a sector, on either side; how many.
    fn join_short_runs(&mut self, most: u64, abreast: u64, sector: u64) -> u64 {
        let corner = |i: usize| self.cells[i].0.min(abreast);
        let (mut left, mut joined) = (most / (corner(0) * corner(1)).min(most), 1);
        // The nearest first: where both sides have short runs, their axes take turns.
        let mut last = 0;
        while self.taken + 2 < MOST_AXES
            && let Some(found) = self.nearest_after(last, sector)
        {
            let share = match self.nearest_after(found, sector) {
                Some(other) if (other ^ found) & 1 != 0 => {
                    left.isqrt().next_power_of_two().min(left)
                }
                _ => left,
            };
            let axis = (found / 2 % AXIS_NUMBERS) as usize;
            let lanes = self.take(axis, share, (share + share / 2).min(most / joined));
            (left, joined, last) = ((left / lanes).max(1), joined * lanes, found);
        }
        joined
    }

    /// The first after `last` of the axes that step into a sector in which a run ended, by how far they do on the side where
    /// they are near: that step, the axis and whether it is the source's side, as one number.
    fn nearest_after(&self, last: u64, sector: u64) -> Option<u64> {
        let mut nearest = None;
        for axis in 2..self.rank {
            let mut near = u64::MAX;
            for (step, source) in [(self.cells[axis].2, 0), (self.cells[axis].1, 1)] {
                let step = step.unsigned_abs();
                if step > 0 && step < 2 * sector && !step.is_multiple_of(sector) {
                    near = near.min((step * AXIS_NUMBERS + axis as u64) * 2 + source);
                }
            }
            if near > last && nearest.is_none_or(|nearest| near < nearest) && near < u64::MAX {
                nearest = Some(near);
            }
        }
        nearest
    }

    /// Gives idle ones of `most` lanes to the axes from `others` on, as they follow each other in the source, by divisors:
    /// their lanes need no guard. `coming` axes will be given lanes after them.
    fn fill(&mut self, others: usize, coming: usize, most: u64) {
        let mut axes: [usize; PLACES] = std::array::from_fn(|i| i);
        let axes = &mut axes[others..self.rank.max(others)];
        super::sort_few(axes, |i| self.cells[*i].1.unsigned_abs());
        for &i in &*axes {
            let left = most / self.busy();
            if self.lanes[i] == 1 && self.has_room(coming, left) {
                self.take(i, left, left);
            }
        }
    }

    /// Whether one axis more may be given lanes, of which `left` are idle for each that is not: three axes are cheap to decode,
    /// more are not, so that they must fill lanes that would mostly be idle.
    fn has_room(&self, coming: usize, left: u64) -> bool {
        let taken = self.taken + coming;
        taken < CHEAP_AXES || (taken < MOST_AXES && left > 2)
    }

    /// Gives an axis as many of `most` lanes as divide it, or if none do, no more than `excess`; how many.
    fn take(&mut self, axis: usize, most: u64, excess: u64) -> u64 {
        let extent = self.cells[axis].0;
        let divides = |lanes: &u64| extent.is_multiple_of(*lanes);
        let few = (2..=most.min(extent)).rev().find(divides);
        // Rather a few lanes too many than none.
        let lanes = few
            .or_else(|| (2..=excess.min(extent)).find(divides))
            .unwrap_or(1);
        self.give(axis, lanes);
        lanes
    }

    fn give(&mut self, axis: usize, lanes: u64) {
        self.lanes[axis] = lanes;
        self.push(axis);
    }

    /// Gives the second axis `lanes`, of which `near` lie next to each other and the others behind the items of those.
    fn spread(&mut self, near: u64, lanes: u64) {
        let (_, src, dst) = self.cells[1];
        let (far, step) = (lanes / near, (near * self.items).cast_signed());
        self.cells[FAR] = (far, src.wrapping_mul(step), dst.wrapping_mul(step));
        (self.lanes[1], self.lanes[FAR]) = (near, far);
    }

    fn push(&mut self, axis: usize) {
        if self.lanes[axis] > 1 {
            self.order[self.taken] = axis;
            self.taken += 1;
        }
    }

    /// As many workgroups as any piece needs of which this is the first and largest; `cut`: others have shorter other axes.
    ///
    /// A shorter axis may have fewer divisors, and so more groups than a longer one.
    pub(crate) fn most_groups(&self, cut: bool) -> u64 {
        if cut {
            self.groups.saturating_mul(self.busy() / self.steady)
        } else {
            self.groups
        }
    }

    /// The lanes of a workgroup that have an item.
    pub(crate) fn busy(&self) -> u64 {
        self.lanes.iter().product()
    }

    /// What the workgroups of `lanes` cost in quarters of an item. An item without work costs one, as items are written out
    /// one after the other; a lane's place as much as an item that is one word, a quarter of others.
    pub(crate) fn slots(&self, kernel: Kernel, lanes: u32) -> u64 {
        let deep = self.lanes[1] * self.lanes[FAR];
        let trips = self.cells[1].0.div_ceil(deep).min(self.items);
        let place = if kernel == Kernel::Words { 4 } else { 1 };
        self.groups
            .saturating_mul(u64::from(lanes) * (place + 3 * trips + self.items))
    }

    /// Lane and grid axes, as a class of programs has them.
    pub(crate) fn classes(&self) -> (usize, usize) {
        axis_class(self.taken.saturating_sub(1), self.grid().1)
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
        params.across_extent = word(across.0);
        params.split_extent = word(along.0);
        [_, params.item_src, params.item_dst, _] = entry((0, 0), along, deep);
        params.item_at = word(deep);
        if let Some(row) = self.row {
            params.cell_axis = BY_AXIS[row];
        }
        for slot in &mut params.axes[..lane_axes] {
            *slot = entry(lane_divisor(1), across, 0);
        }
        params.split_lanes = 1;
        for (i, &axis) in self.order[..self.taken].iter().enumerate() {
            let step = entry(lane_divisor(word(self.lanes[axis])), self.cells[axis], 1);
            let counter = if i + 1 == self.taken {
                [params.split_lanes, params.split_src, params.split_dst, _] = step;
                BEYOND
            } else {
                params.axes[i] = step;
                i + 1
            };
            match axis {
                0 => params.across_axis = short(counter),
                1 => params.lane_at[counter - 1] = 1,
                FAR => params.lane_at[counter - 1] = word(deep * self.items),
                _ => {}
            }
        }
        let (grid, rank) = self.grid();
        for (slot, &axis) in params.axes[lane_axes..].iter_mut().zip(&grid[..rank]) {
            let divisor = divisor(self.groups_along(axis));
            *slot = entry(divisor, self.cells[axis], self.part(axis));
            match axis {
                0 => params.group_across = word(abreast),
                1 => params.group_at = word(self.part(1)),
                _ => {}
            }
        }
    }
}
