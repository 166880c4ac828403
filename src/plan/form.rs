//! How one rung's kernel walks a nest: its dispatches, and the places of their items.

use super::kernel::{
    Access, Kernel, Part, Program, RUN_CLASSES, Store, WEAVE_CLASSES, WORD_ITEMS, WORKGROUPS, short,
};
use super::normalise::Nest;
use super::params::{MAX_DIVISOR, Params, divisor, wrap};
use super::rung::Rung;
use super::split::Split;
use super::square::{Aim, Cell, Cells, NO_AXIS, Square};
use super::step::{Dispatch, Route, Window};

/// The most axes of a destination run: as many as fill a word and more, even if every extent is 2.
const MAX_RUN_AXES: usize = RUN_CLASSES[2];

/// Bits of a row that is long enough: more axes would cost more to decode than its ends cost to guard.
const LONG_ROW_BITS: u64 = 1024;

/// Bits of the widest unit.
const WIDEST_BITS: u32 = 128;

/// Bits of a memory sector: what a GPU reads at least.
const SECTOR_BITS: u64 = 256;

/// Lanes of a square workgroup along the destination's unit axis: of 64, so that as many lie along the source's.
const ABREAST: u64 = 8;

/// Neighbouring lanes between the items of one, if an item is 16 bytes or more: they make a cache line or two.
const NEAR_QUADS: u64 = 8;

/// The same for items that are words.
const NEAR_WORDS: u64 = 16;

/// Workgroups that are enough to occupy a device.
const LEAST_GROUPS: u64 = 256;

/// The axis that a square workgroup lies along, beside the destination's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Along {
    /// The source's unit axis, where it is not the destination's (words, gather and pack).
    Units(usize),
    /// The axis along which the source's rows, or 16-byte units, follow each other, where it is not the destination's (words).
    Rows(usize),
}

/// What all pieces of a plan share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Form {
    pub(crate) kernel: Kernel,
    /// The parts of a row, one dispatch each; scatter and words have one.
    parts: [Option<Part>; 2],
    /// Whether a word that is covered in part may have bits of several invocations.
    pub(crate) shared_words: bool,
    reversed: bool,
    /// Whether 16-byte units are built from runs, not units.
    weaves: bool,
    /// Axes that make one destination row (rows and gather).
    run_rank: usize,
    /// Where workgroups are squares.
    along: Option<Along>,
    lanes: u32,
    items: u32,
    /// The most workgroups that a dispatch needs: those of the first piece, which is the largest.
    pub(crate) groups: u64,
}

impl Form {
    /// The form of `rung`, which claims the nest; `share_a_word`: one buffer has a word with bits of both
    /// views; `quads`: rows may move by 16-byte units on both sides; `packs`: destination rows may be made by such units.
    pub(crate) fn new(
        rung: Rung,
        nest: &Nest,
        split: &Split,
        share_a_word: bool,
        quads: bool,
        packs: bool,
        lanes: u32,
    ) -> Self {
        let below_a_word = nest.unit_log2 < 5;
        let packs = packs
            && match rung {
                Rung::Rows => !quads && !below_a_word,
                Rung::Gather => true,
                _ => false,
            };
        let pack_rank = run_rank(nest, split, 128);
        // Below a byte only runs are worth it, and a run is no row.
        let runs = pack_rank > 1 && nest.has_runs();
        let packs = packs && (nest.unit_log2 >= 3 || runs) && fills_quads(nest, split, pack_rank);
        let kernel = match rung {
            _ if packs => Kernel::Gather,
            Rung::Rows if quads => Kernel::Rows,
            _ if !below_a_word => Kernel::Words,
            Rung::Rows => Kernel::Rows,
            Rung::Gather => Kernel::Gather,
            _ => Kernel::Scatter,
        };
        let run_rank = match kernel {
            Kernel::Rows => 1,
            Kernel::Gather if packs => pack_rank,
            Kernel::Gather => run_rank(nest, split, 1),
            _ => 0,
        };
        let shared_words = below_a_word && (share_a_word || !words_apart(nest, split, run_rank));
        let run_bits = run_extent(nest, run_rank) << nest.unit_log2;
        let by_quads = packs || (quads && kernel == Kernel::Rows);
        let parts = match (kernel, shared_words) {
            _ if by_quads && whole_quads(nest, split, run_rank) => [Some(Part::Quads), None],
            _ if by_quads => [Some(Part::Quads), Some(Part::QuadEdges)],
            (Kernel::Rows | Kernel::Gather, true) if run_bits < 32 => [Some(Part::Edges), None],
            (Kernel::Rows | Kernel::Gather, true) => [Some(Part::Interior), Some(Part::Edges)],
            _ => [Some(Part::Whole), None],
        };
        let [small, large] = WORKGROUPS;
        let mut form = Self {
            kernel,
            parts,
            shared_words,
            reversed: kernel == Kernel::Rows && nest.inner().src < 0,
            weaves: packs && runs,
            run_rank,
            along: along(kernel, nest, split, run_rank),
            lanes: lanes.min(small.0),
            items: small.1,
            groups: 0,
        };
        let large = Self {
            lanes: lanes.min(large.0),
            items: large.1,
            ..form
        };
        let (mut slots, _) = form.weigh(nest, split);
        let mut consider = |mut other: Self| {
            let (others, groups) = other.weigh(nest, split);
            if others <= slots && groups >= LEAST_GROUPS {
                (form, slots) = (other, others);
            }
        };
        consider(large);
        if kernel == Kernel::Words {
            consider(Self {
                items: WORD_ITEMS,
                ..large
            });
        }
        let known = usize::from(split.pieces() == 1);
        for part in form.parts.into_iter().flatten().skip(known) {
            form.groups = form.groups.max(form.groups_of(nest, split, part));
        }
        form
    }

    /// The form for words that rows along the first `run_rank` axes cover in part, as the second dispatch after another walk.
    pub(crate) fn edges(run_rank: usize, lanes: u32) -> Self {
        let [(most, items), _] = WORKGROUPS;
        Self {
            kernel: Kernel::Gather,
            parts: [None, Some(Part::Edges)],
            shared_words: true,
            reversed: false,
            weaves: false,
            run_rank,
            along: None,
            lanes: lanes.min(most),
            items,
            groups: 0,
        }
    }

    /// Dispatches per piece.
    pub(crate) fn dispatches(&self) -> u64 {
        self.parts.iter().flatten().count() as u64
    }

    /// The most workgroups that a dispatch of a part needs.
    pub(crate) fn groups_of(&self, nest: &Nest, split: &Split, part: Part) -> u64 {
        let cut = split.pieces() > 1;
        let mut most = 0;
        // A piece whose rows have a word or unit less, as they start at one, is laid out in another way.
        for bit in [127, 0].into_iter().take(1 + usize::from(cut)) {
            let square = self.first_square(nest, split, bit, part);
            most = most.max(square.most_groups(cut));
        }
        most
    }

    /// Finds the groups of the first part; what its first piece costs in items, idle ones included, and its workgroups.
    fn weigh(&mut self, nest: &Nest, split: &Split) -> (u64, u64) {
        let part = self.parts[0].unwrap_or(Part::Whole);
        let square = self.first_square(nest, split, 127, part);
        self.groups = square.most_groups(split.pieces() > 1);
        (square.slots(self.kernel, self.lanes), square.groups)
    }

    /// The workgroups of a part of the first piece, which is the largest.
    fn first_square(&self, nest: &Nest, split: &Split, cut: u64, part: Part) -> Square {
        // Each piece may start at a bit of a 16-byte unit of its own: the last makes most of a row.
        let bit = match split.pieces() {
            1 => nest.dst << nest.unit_log2,
            _ => cut,
        };
        self.square(nest, split.chunk(), bit, part)
    }

    /// The first or second dispatch of the piece of extents `extent` whose index 0 is at `src` and `dst`, in units.
    pub(crate) fn dispatch(
        &self,
        nest: &Nest,
        second: bool,
        extent: &[u64],
        at: &Placed,
    ) -> Dispatch {
        let part = self.parts[usize::from(second)].unwrap_or(Part::Whole);
        let unit_bits = 1_u64 << nest.unit_log2;
        let scale = self.scale(nest);
        let address = |unit: u64, window: &Window| {
            let first = window.offset_bytes * 8 / unit_bits;
            wrap((unit - first).cast_signed() << scale)
        };
        let run = run_extent_of(extent, self.run_rank);
        let first_bit = at.dst << nest.unit_log2;
        let mut params = Params {
            src_base: address(at.src, &at.src_window),
            dst_base: address(at.dst, &at.dst_window),
            run_bits: wrap((run << nest.unit_log2).cast_signed()),
            ..bytemuck::Zeroable::zeroed()
        };
        let (lanes, items) = self.workgroup(part);
        let square = self.square(nest, extent, first_bit, part);
        square.lay(&mut params);
        let (lane_rank, grid_rank) = square.classes();
        let classes = if self.weaves && part == Part::Quads {
            WEAVE_CLASSES
        } else {
            RUN_CLASSES
        };
        let run_axes = classes
            .into_iter()
            .find(|class| *class >= self.run_rank)
            .unwrap_or(MAX_RUN_AXES);
        let run_slots = params.axes[lane_rank + grid_rank..].iter_mut();
        for (slot, entry) in (1..).zip(run_slots.take(run_axes)) {
            // The row's last axis goes last, as it may be too long to divide by. Between it and the others extents of 1 leave
            // a unit's number as it is.
            let axis = if slot == run_axes {
                self.run_rank.saturating_sub(1)
            } else {
                slot - 1
            };
            *entry = match nest.axes().get(axis) {
                Some(steps) if slot == run_axes || slot < self.run_rank => {
                    run_entry(extent[axis], steps.src << scale)
                }
                _ => [1, 0, 0, 0],
            };
        }
        let edges = matches!(part, Part::Edges | Part::QuadEdges);
        let atomic = self.shared_words && (self.kernel == Kernel::Scatter || edges);
        Dispatch {
            route: Route::Direct,
            program: Program {
                kernel: match (part, self.kernel) {
                    (Part::Quads, Kernel::Gather) if self.weaves => Kernel::Weave,
                    (Part::Quads, Kernel::Gather) => Kernel::Pack,
                    (Part::Quads, _) => Kernel::Quads,
                    (_, kernel) => kernel,
                },
                access: at.access,
                store: if atomic { Store::Atomic } else { Store::Plain },
                unit_bits: 1 << nest.unit_log2,
                part,
                reversed: self.reversed,
                wide_src: false,
                wide_dst: false,
                lanes,
                items,
                lane_axes: short(lane_rank),
                grid_axes: short(grid_rank),
                run_axes: if self.kernel == Kernel::Gather {
                    short(run_axes)
                } else {
                    1
                },
            },
            params,
            src: at.src_window,
            dst: at.dst_window,
            groups: fold(square.groups, at.max_groups),
        }
    }

    /// The words, or quads, of a row: what an item makes; 1 where rows are single units.
    fn words_of_row(&self, nest: &Nest, extent: &[u64], first_bit: u64, part: Part) -> u64 {
        let bits = run_extent_of(extent, self.run_rank) << nest.unit_log2;
        // All rows start at one bit of a word or quad, or else at any unit of one.
        let in_steps = |grain: u64| {
            let ahead = if rows_in_phase(nest, self.run_rank, grain) {
                first_bit % grain
            } else {
                grain - (1 << nest.unit_log2)
            };
            (ahead + bits).div_ceil(grain)
        };
        match part {
            Part::Edges => 2,
            Part::QuadEdges => 8,
            Part::Quads if self.kernel == Kernel::Gather => in_steps(128),
            Part::Quads => in_steps(128).div_ceil(2),
            Part::Whole | Part::Interior => in_steps(32),
        }
    }

    /// An axis of a piece, its steps in addresses.
    fn cell(&self, nest: &Nest, i: usize, extent: &[u64]) -> Cell {
        let scale = self.scale(nest);
        let axis = nest.axes()[i];
        (extent[i], axis.src << scale, axis.dst << scale)
    }

    /// The shift from units to addresses: kernels below a word count bits, the others units.
    fn scale(&self, nest: &Nest) -> u32 {
        if self.kernel == Kernel::Words {
            0
        } else {
            nest.unit_log2
        }
    }

    /// The workgroups of a part.
    fn square(&self, nest: &Nest, extent: &[u64], first_bit: u64, part: Part) -> Square {
        let lanes = self.workgroup(part);
        let along = self
            .along
            .filter(|_| !matches!(part, Part::Edges | Part::QuadEdges));
        let cell = |i: usize| self.cell(nest, i, extent);
        let row = (self.run_rank > 0).then(|| self.words_of_row(nest, extent, first_bit, part));
        let mut cells = Cells::NONE;
        let outer = self.run_rank.max(1);
        match along {
            Some(Along::Rows(next)) => {
                let in_runs = nest.inner().src == 1;
                let outer = usize::from(in_runs);
                cells.push(cell(next));
                cells.push(cell(outer));
                cells.push(if in_runs { cell(0) } else { NO_AXIS });
                for axis in (outer + 1..extent.len()).filter(|axis| *axis != next) {
                    cells.push(cell(axis));
                }
                if let Some(square) = Square::rows(cells, lanes) {
                    return square;
                }
                cells = Cells::NONE;
            }
            Some(Along::Units(turned)) => {
                cells.push(row.map_or_else(|| cell(0), |words| (words, 0, 0)));
                cells.push(cell(turned));
                for axis in (outer..extent.len()).filter(|axis| *axis != turned) {
                    cells.push(cell(axis));
                }
                let aim = Aim {
                    abreast: ABREAST,
                    sector: SECTOR_BITS >> (nest.unit_log2 - self.scale(nest)),
                    may_idle: false,
                    near: 1,
                };
                return Square::turned(cells, lanes, aim);
            }
            None => {}
        }
        if let Some(words) = row.filter(|words| *words > 1) {
            cells.push((words, 0, 0));
        }
        let words = cells.rank > 0;
        for axis in (self.run_rank..extent.len()).filter(|axis| extent[*axis] > 1) {
            cells.push(cell(axis));
        }
        cells.rank = cells.rank.max(1);
        let near = if part == Part::Quads {
            NEAR_QUADS
        } else {
            NEAR_WORDS
        };
        Square::brick(cells, words, lanes, near)
    }

    /// Lanes and items of a workgroup. Edges are few: they need no full groups, and so no second set of pipelines.
    fn workgroup(&self, part: Part) -> (u32, u32) {
        let [(lanes, items), _] = WORKGROUPS;
        match part {
            Part::Edges | Part::QuadEdges => (self.lanes.min(lanes), items),
            Part::Whole | Part::Interior | Part::Quads => (self.lanes, self.items),
        }
    }
}

/// Where a piece lies, and how its windows are bound.
pub(crate) struct Placed {
    pub(crate) src: u64,
    pub(crate) dst: u64,
    pub(crate) src_window: Window,
    pub(crate) dst_window: Window,
    pub(crate) access: Access,
    pub(crate) max_groups: u32,
}

/// A run axis, of which only the last may be too long to divide by: nothing divides by that.
fn run_entry(extent: u64, src: i64) -> [u32; 4] {
    let (divisor, magic) = divisor(extent.min(MAX_DIVISOR));
    [divisor, wrap(src), 0, magic]
}

/// The grid of at least `groups` workgroups, none of its dimensions over `max`, with few to spare.
pub(super) fn fold(groups: u64, max: u32) -> [u32; 3] {
    let max = u64::from(max);
    let z = groups.div_ceil(max * max);
    let y = groups.div_ceil(z).div_ceil(max);
    let x = groups.div_ceil(z * y);
    [x, y, z].map(|n| wrap(n.cast_signed()))
}

/// The axis outside a row along which the source is nearest: within a sector and nearer than along the row, or where its rows
/// follow each other if that is not where the destination's do.
fn along(kernel: Kernel, nest: &Nest, split: &Split, run_rank: usize) -> Option<Along> {
    if !matches!(kernel, Kernel::Words | Kernel::Gather) {
        return None;
    }
    let outer = run_rank.max(1);
    let step = |i: usize| nest.axes().get(i).map_or(0, |axis| axis.src.unsigned_abs());
    let near = (outer..nest.axes().len())
        .filter(|i| step(*i) > 0)
        .min_by_key(|i| step(*i))?;
    let turned = step(near) < step(outer - 1);
    // A unit as wide as an access is a row of its own.
    let lone = turned && kernel == Kernel::Words && 1 << nest.unit_log2 == WIDEST_BITS;
    if turned && !lone && step(near) << nest.unit_log2 <= SECTOR_BITS {
        return Some(Along::Units(near));
    }
    // Pieces with rows of their own extents would have other divisors of them.
    let rows = kernel == Kernel::Words && step(0) == 1 && near > 1 && !split.is_cut(0);
    (rows || lone).then_some(Along::Rows(near))
}

/// Inner axes that the destination lays out as one run: each whole but the last, which may be cut.
///
/// A row that is long enough ends the run, at once if it is whole units of `grain_bits`.
fn run_rank(nest: &Nest, split: &Split, grain_bits: u64) -> usize {
    let mut run: u64 = 1;
    let mut rank = 0;
    for axis in nest.axes().iter().take(MAX_RUN_AXES) {
        if axis.dst.unsigned_abs() != run {
            break;
        }
        run *= axis.extent;
        rank += 1;
        // A unit's number in its row stays divisible, and every axis but the last whole.
        let bits = run << nest.unit_log2;
        let long = bits >= 16 * LONG_ROW_BITS
            || (bits >= LONG_ROW_BITS && bits.is_multiple_of(grain_bits));
        if split.is_cut(rank - 1) || run > MAX_DIVISOR || long {
            break;
        }
    }
    // A single unit is a run of one, on no axis: gather and rows count it as one of extent 1.
    rank.max(1)
}

/// Whether every row of every piece starts and ends with a 16-byte unit.
pub(super) fn whole_quads(nest: &Nest, split: &Split, run_rank: usize) -> bool {
    whole_rows(nest, split, run_rank, 128)
}

/// Whether every row of every piece starts and ends where whole `grain` bits do.
pub(super) fn whole_rows(nest: &Nest, split: &Split, run_rank: usize, grain: u64) -> bool {
    let run_bits = run_extent(nest, run_rank) << nest.unit_log2;
    run_bits.is_multiple_of(grain)
        && (nest.dst << nest.unit_log2).is_multiple_of(grain)
        && rows_in_phase(nest, run_rank, grain)
        && !(0..run_rank).any(|i| split.is_cut(i))
}

/// Whether most of each row is whole 16-byte units.
fn fills_quads(nest: &Nest, split: &Split, run_rank: usize) -> bool {
    run_extent(nest, run_rank) << nest.unit_log2 >= LONG_ROW_BITS
        || whole_quads(nest, split, run_rank)
}

/// Units of one row, over the whole nest.
fn run_extent(nest: &Nest, run_rank: usize) -> u64 {
    nest.axes()
        .iter()
        .take(run_rank)
        .map(|axis| axis.extent)
        .product()
}

/// Units of one row of a piece.
fn run_extent_of(extent: &[u64], run_rank: usize) -> u64 {
    extent.iter().take(run_rank).product()
}

/// Whether every row starts at one bit of a word, or of whatever `grain` bits are.
fn rows_in_phase(nest: &Nest, run_rank: usize, grain: u64) -> bool {
    nest.axes()
        .iter()
        .skip(run_rank)
        .all(|axis| (axis.dst.unsigned_abs() << nest.unit_log2).is_multiple_of(grain))
}

/// Whether no word has bits of two rows of a piece: a row's words are then its own.
fn words_apart(nest: &Nest, split: &Split, run_rank: usize) -> bool {
    let unit_bits = 1_u64 << nest.unit_log2;
    let run_bits = run_extent(nest, run_rank) * unit_bits;
    let outer = || {
        let cut = |i: usize| split.chunk()[i];
        let axes = nest.axes().iter().enumerate().skip(run_rank);
        axes.map(move |(i, axis)| (cut(i), axis.dst.unsigned_abs() * unit_bits))
    };
    // Each axis steps past the bits before it, and past the word they end in.
    let past = |mut reach: u64, gap: u64| {
        outer().all(|(extent, step)| {
            let clear = extent == 1 || step >= reach + gap;
            reach += (extent - 1) * step;
            clear
        })
    };
    let phase = if (0..nest.axes().len()).any(|i| split.is_cut(i)) {
        32 - unit_bits
    } else {
        nest.dst * unit_bits % 32
    };
    past(run_bits, 31)
        || (rows_in_phase(nest, run_rank, 32) && past((phase + run_bits).next_multiple_of(32), 0))
}
