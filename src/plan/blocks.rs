//! How the blocks kernel walks a nest: squares of units, turned in registers, eight by eight to a workgroup.
//!
//! Axis 0 is the destination's unit axis: along it lie the rows of a block, one chunk of the source each. Axis 1 is the
//! source's: along it lie the columns, one chunk of the destination each. Where an axis is shorter than a block, the axes that
//! continue its run on that side follow it, so that rows, or columns, lie along all of them.
//!
//! Elements of 6, 12, 24 and 48 bits are three units, which are axis 0, and the other two come next. Three words of such
//! elements are taken as four of 24 bits, in which they lie as those of 8, 16, 32 and 64 bits do in whole words.
//!
//! Where one side alone has three units together, as pixels of three channels, and the other each in a row of its own, no square is
//! turned: three chunks are taken apart, or put together.
//!
//! Where rows start within words, a block shifts each row that it reads, and writes the words that its columns cover whole: as a
//! column's first such word starts at up to a word's units behind its first unit, the block reads as many further rows. Words that
//! columns cover in part, at the ends of the destination's rows, are left to `gather`.

use super::bed::Bed;
use super::form::{Form, Placed, fold, whole_rows};
use super::kernel::{
    Access, BLOCK_LANES, Kernel, Part, Program, Store, block_side, chunk_words, short,
};
use super::normalise::{Axis, Nest};
use super::params::{Params, wrap};
use super::split::Split;
use super::square::{Aim, Cells, Square};
use super::step::{Dispatch, Route, Window};

/// Bits of a memory sector.
const SECTOR_BITS: u64 = 256;

/// The side of a square of blocks that fills a workgroup.
const SQUARE_SIDE: u64 = 8;

/// What all pieces of a plan share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Blocks {
    wide_src: bool,
    wide_dst: bool,
    /// Whether rows start at any bit of a word. Then addresses count bits, not words.
    pub(crate) shifts: bool,
    /// Axes of the destination's rows that cover words in part, which blocks leave to another dispatch; 0 if none do.
    pub(crate) edges: usize,
    /// Whether a square workgroup is one run of the source, or of the destination.
    src_run: bool,
    dst_run: bool,
    /// The kernel for elements of three units, which lie next to each other on one side and in rows of their own on the other.
    pub(crate) threes: Option<Kernel>,
    lanes: u32,
    /// The units of the first piece's rows, and of its columns.
    pub(crate) extents: [u64; 2],
    /// Lanes of the first piece's workgroups, the idle ones included, over those that have a block.
    pub(crate) idleness: u64,
    /// The most workgroups that a dispatch needs.
    pub(crate) groups: u64,
}

impl Blocks {
    /// The form for a nest that [`Nest::for_blocks`] made.
    pub(crate) fn new(nest: &Nest, split: &Split, bed: &Bed) -> Self {
        let unit_bits = nest.block_bits();
        let chunk_bytes = u64::from(chunk_words(unit_bits)) * 4;
        let side = u64::from(block_side(unit_bits));
        let threes = threes(nest, split).filter(|_| !bed.one_buffer);
        let starts = threes.map_or_else(|| nest.row_starts(), |(_, starts)| starts);
        let [src_starts, dst_starts] = starts;
        let shifts = nest.within_words(starts);
        let chunked = !shifts
            && nest.rows_at() == 0
            && chunk_bytes > 4
            && bed.bounds.alignment_bytes >= chunk_bytes;
        // A chunk is read and written whole only where the buffer has it whole.
        let whole =
            |(_, hi): (u64, u64), bytes: u64| hi.div_ceil(8).next_multiple_of(chunk_bytes) <= bytes;
        let first = nest.rows_at();
        let [rows, columns] = nest.sides(split.chunk());
        let run = |along: Axis, next: i64| {
            let (step, extent) = (rows.dst.unsigned_abs(), along.extent);
            next.unsigned_abs() == extent * step && extent <= side * SQUARE_SIDE
        };
        let mut blocks = Self {
            shifts,
            edges: 0,
            src_run: run(columns, rows.src),
            dst_run: run(rows, columns.dst),
            threes: threes.map(|(kernel, _)| kernel),
            wide_src: chunked
                && whole(nest.src_bits(), bed.src_bytes)
                && src_starts.is_multiple_of(side),
            wide_dst: chunked
                && whole(nest.dst_bits(), bed.dst_bytes)
                && dst_starts.is_multiple_of(side),
            lanes: bed.lanes.min(BLOCK_LANES),
            extents: [rows.extent, columns.extent],
            idleness: 1,
            groups: 0,
        };
        // Elements that are put together are one row.
        let run_rank = first + 1 + usize::from(blocks.threes == Some(Kernel::Interleave));
        if shifts && !whole_rows(nest, split, run_rank, 32) {
            blocks.edges = run_rank;
        }
        let square = blocks.square(nest, split.chunk());
        let cut = (nest.ends[1]..split.chunk().len()).any(|i| split.is_cut(i));
        let edges = blocks.edges();
        let edges = edges.map_or(0, |form| form.groups_of(nest, split, Part::Edges));
        blocks.groups = square.most_groups(cut).max(edges);
        blocks.idleness = u64::from(blocks.lanes) / square.busy();
        blocks
    }

    /// Whether every piece of `split` starts at a whole block. Axes that are rows, or columns, only together are not cut.
    pub(crate) fn divides(nest: &Nest, split: &Split) -> bool {
        let side = u64::from(block_side(nest.block_bits()));
        let first = nest.rows_at();
        let end = nest.ends[1];
        let whole = |i: usize| split.chunk()[i].is_multiple_of(side) && end == first + 2;
        (0..end).all(|i| !split.is_cut(i) || (i >= first && whole(i)))
    }

    /// Units as addresses count them.
    fn address(&self, nest: &Nest, units: i64) -> i64 {
        let bits = units << nest.unit_log2;
        if self.shifts { bits } else { bits >> 5 }
    }

    /// The blocks of a piece, with their steps in addresses.
    fn square(&self, nest: &Nest, extent: &[u64]) -> Square {
        let unit_bits = nest.block_bits();
        let side = block_side(unit_bits);
        let [rows, columns] = nest.sides(extent);
        // From one block to the next: the step of the first bit that the number of a row within a block has not.
        let next = nest.steps[side.trailing_zeros() as usize];
        let run = i64::from(side);
        let mut cells = Cells::NONE;
        let mut push = |count, src, dst| {
            cells.push((count, self.address(nest, src), self.address(nest, dst)));
        };
        push(rows.extent.div_ceil(side.into()), next[0], rows.dst * run);
        push(
            columns.extent.div_ceil(side.into()),
            columns.src * run,
            next[1],
        );
        for (axis, &extent) in nest.axes().iter().zip(extent).skip(nest.ends[1]) {
            push(extent, axis.src, axis.dst);
        }
        // Two sectors of the destination, or eight chunks. Where its rows lie farther apart than those of the source, or share
        // their lines, rather long parts of few of them, and a whole line of the source first, if it has one. Elements of 16
        // bits, and below a byte, gain nothing but where rows are shifted.
        let lone = !self.src_run && !self.dst_run;
        let apart = columns.dst.unsigned_abs() >= rows.src.unsigned_abs();
        let gains = self.shifts || matches!(unit_bits, 8 | 32 | 64);
        let far = lone && (apart || !self.wide_dst) && gains && !(2..4).contains(&cells.axes[1].0);
        let aim = Aim {
            abreast: match chunk_words(unit_bits) {
                4 if far => 16,
                4 => 4,
                _ => 8,
            },
            sector: if self.shifts {
                SECTOR_BITS
            } else {
                SECTOR_BITS / 32
            },
            may_idle: lone,
            near: match (far, self.src_run) {
                (true, _) => 4,
                (_, true) => u64::MAX,
                _ => 1,
            },
        };
        Square::turned(cells, (self.lanes, 1), aim)
    }

    /// The form of what blocks leave: words that rows of the destination cover in part.
    pub(crate) fn edges(&self) -> Option<Form> {
        (self.edges > 0).then(|| Form::edges(self.edges, self.lanes))
    }

    /// The dispatch of the piece of extents `extent` that lies at `at`.
    pub(crate) fn dispatch(&self, nest: &Nest, extent: &[u64], at: &Placed) -> Dispatch {
        let address = |unit: u64, window: &Window| {
            let first = (window.offset_bytes * 8) >> nest.unit_log2;
            wrap(self.address(nest, (unit - first).cast_signed()))
        };
        let square = self.square(nest, extent);
        let [rows, columns] = nest.sides(extent);
        let mut params = Params {
            src_base: address(at.src, &at.src_window),
            dst_base: address(at.dst, &at.dst_window),
            block_rows: wrap(rows.extent.cast_signed()),
            block_columns: wrap(columns.extent.cast_signed()),
            ..bytemuck::Zeroable::zeroed()
        };
        square.lay(&mut params);
        let (lane_axes, grid_axes) = square.classes();
        let slots = params.axes[lane_axes + grid_axes..].iter_mut();
        for (slot, steps) in slots.zip(nest.steps) {
            for (slot, step) in slot[1..].iter_mut().zip(steps) {
                *slot = wrap(self.address(nest, step));
            }
        }
        let one = at.access == Access::One;
        Dispatch {
            route: Route::Direct,
            program: Program {
                kernel: self.threes.unwrap_or(Kernel::Blocks),
                access: at.access,
                store: Store::Plain,
                unit_bits: nest.block_bits(),
                part: if self.shifts {
                    Part::Interior
                } else {
                    Part::Whole
                },
                reversed: false,
                wide_src: self.wide_src && !one,
                wide_dst: self.wide_dst && !one,
                lanes: self.lanes,
                items: 1,
                lane_axes: short(lane_axes),
                grid_axes: short(grid_axes),
                run_axes: 1,
            },
            params,
            src: at.src_window,
            dst: at.dst_window,
            groups: fold(square.groups, at.max_groups),
        }
    }
}

/// The kernel for elements of three units of 4 to 32 bits that lie next to each other on one side, and in rows of their own on the
/// other; and where their runs start, as [`Nest::row_starts`] says of rows.
fn threes(nest: &Nest, split: &Split) -> Option<(Kernel, [u64; 2])> {
    let [rows, columns] = nest.sides(split.chunk());
    let apart = (rows.src, columns.extent) == (3, 3) && !split.is_cut(1);
    let (kernel, inside) = if apart {
        (Kernel::Deinterleave, [3, 1])
    } else if (columns.dst, rows.extent) == (3, 3) && !split.is_cut(0) {
        (Kernel::Interleave, [2, 3])
    } else {
        return None;
    };
    let starts = nest.starts(inside);
    // Of 16 bits, shifts and further elements cost what pack does; so does putting words together one by one.
    let gains = match nest.unit_log2 {
        2 => apart,
        3 => true,
        4 => !nest.within_words(starts),
        5 => apart || starts[1].is_multiple_of(4),
        _ => false,
    };
    let fits = nest.rows_at() == 0;
    (fits && gains).then_some((kernel, starts))
}
