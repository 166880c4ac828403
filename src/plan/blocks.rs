//! How the blocks kernel walks a nest: squares of units, turned in registers, eight by eight to a workgroup.
//!
//! Axis 0 is the destination's unit axis: along it lie the rows of a block, one chunk of the source each. Axis 1 is the
//! source's: along it lie the columns, one chunk of the destination each.

use super::form::{Placed, fold};
use super::kernel::{
    AXIS_CLASSES, Access, BLOCK_LANES, Kernel, Part, Program, Store, block_side, chunk_words, short,
};
use super::normalise::{Axis, MAX_AXES, Nest};
use super::params::{Params, divisor, lane_divisor, wrap};
use super::split::{Bounds, Split};
use super::step::{Dispatch, Window};

/// Blocks along the destination's unit axis in a workgroup, at most: with 16 bytes each, whole sectors and cache lines.
const BLOCKS_ABREAST: u64 = 8;

/// What all pieces of a plan share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Blocks {
    wide_src: bool,
    wide_dst: bool,
    lanes: u32,
}

/// How many blocks there are, and how a workgroup takes them.
struct Squares {
    /// Blocks along axis 0 and axis 1.
    counts: [u64; 2],
    /// Blocks of a workgroup along each axis: any on the first two, a divisor of the extent on the others.
    lanes: [u64; MAX_AXES],
    /// Axes after the first two that take a part in a workgroup.
    inner: usize,
    groups: u64,
}

impl Blocks {
    /// The form for a nest that [`Nest::for_blocks`] made; the buffers end at `src_bytes` and `dst_bytes`.
    pub(crate) fn new(
        nest: &Nest,
        bounds: Bounds,
        src_bytes: u64,
        dst_bytes: u64,
        lanes: u32,
    ) -> Self {
        let unit_bits = unit_bits(nest);
        let chunk_bytes = u64::from(chunk_words(unit_bits)) * 4;
        let side = u64::from(block_side(unit_bits));
        let chunked = chunk_bytes > 4 && bounds.alignment_bytes >= chunk_bytes;
        // A chunk is read and written whole only where the buffer has it whole.
        let whole =
            |(_, hi): (u64, u64), bytes: u64| hi.div_ceil(8).next_multiple_of(chunk_bytes) <= bytes;
        // Every row starts at a whole chunk: all steps but the one along the row.
        let aligned = |base: u64, row: usize, step: fn(&Axis) -> i64| {
            let mut steps = nest.axes().iter().enumerate().filter(|(i, _)| *i != row);
            base.is_multiple_of(side)
                && steps.all(|(_, axis)| step(axis).unsigned_abs().is_multiple_of(side))
        };
        Self {
            wide_src: chunked
                && whole(nest.src_bits(), src_bytes)
                && aligned(nest.src, 1, |axis| axis.src),
            wide_dst: chunked
                && whole(nest.dst_bits(), dst_bytes)
                && aligned(nest.dst, 0, |axis| axis.dst),
            lanes: lanes.min(BLOCK_LANES),
        }
    }

    /// Whether every piece of `split` starts at a whole block.
    pub(crate) fn divides(nest: &Nest, split: &Split) -> bool {
        let side = u64::from(block_side(unit_bits(nest)));
        (0..2).all(|i| !split.is_cut(i) || split.chunk()[i].is_multiple_of(side))
    }

    fn squares(&self, nest: &Nest, extent: &[u64]) -> Squares {
        let side = u64::from(block_side(unit_bits(nest)));
        let counts = [extent[0].div_ceil(side), extent[1].div_ceil(side)];
        let most = u64::from(self.lanes);
        let abreast = counts[0].min(BLOCKS_ABREAST).min(most);
        let deep = counts[1].min(most / abreast);
        let mut squares = Squares {
            counts,
            lanes: [1; MAX_AXES],
            inner: 0,
            groups: 1,
        };
        squares.lanes[0] = counts[0].min(most / deep);
        squares.lanes[1] = deep;
        squares.groups = counts[0].div_ceil(squares.lanes[0]) * counts[1].div_ceil(deep);
        // Where the first two axes leave lanes idle, others fill them, by divisors: their lanes need no guard.
        let mut left = most / (squares.lanes[0] * deep);
        let short_rank = AXIS_CLASSES[1].0 - 1;
        let lane_room = if extent.len() > AXIS_CLASSES[1].1 {
            AXIS_CLASSES[2].0 - 1
        } else {
            short_rank
        };
        for (i, &extent) in extent.iter().enumerate().skip(2) {
            if i < 2 + lane_room {
                let lanes = (1..=left.min(extent))
                    .rev()
                    .find(|lanes| extent.is_multiple_of(*lanes))
                    .unwrap_or(1);
                squares.lanes[i] = lanes;
                squares.inner = i - 1;
                left /= lanes;
            }
            squares.groups = squares.groups.saturating_mul(extent / squares.lanes[i]);
        }
        squares
    }

    /// Lanes of the first piece's workgroups, the idle ones included, over those that have a block.
    pub(crate) fn idleness(&self, nest: &Nest, split: &Split) -> u64 {
        let squares = self.squares(nest, split.chunk());
        u64::from(self.lanes) / squares.lanes.iter().product::<u64>().max(1)
    }

    /// As many workgroups as any dispatch of this form needs.
    pub(crate) fn group_count(&self, nest: &Nest, split: &Split) -> u64 {
        let squares = self.squares(nest, split.chunk());
        if (2..split.chunk().len()).any(|i| split.is_cut(i)) {
            // The last piece along a cut axis is shorter, but may have fewer divisors, and so more groups than the first.
            let shared = squares.lanes[2..].iter().product();
            return squares.groups.saturating_mul(shared);
        }
        squares.groups
    }

    /// The dispatch of the piece of extents `extent` that lies at `at`.
    pub(crate) fn dispatch(&self, nest: &Nest, extent: &[u64], at: &Placed) -> Dispatch {
        let unit_bits = unit_bits(nest);
        let side = i64::from(block_side(unit_bits));
        let chunk = i64::from(chunk_words(unit_bits));
        let words = |units: i64| (units << nest.unit_log2) >> 5;
        let address = |unit: u64, window: &Window| {
            wrap(words(unit.cast_signed()) - (window.offset_bytes / 4).cast_signed())
        };
        let axes = nest.axes();
        // (source, destination) steps from block to block, in words.
        let across = (words(axes[0].src * side), chunk);
        let along = (chunk, words(axes[1].dst * side));
        let squares = self.squares(nest, extent);
        let (abreast, deep) = (squares.lanes[0], squares.lanes[1]);
        let lengths = squares.counts.map(|count| wrap(count.cast_signed()));
        let mut params = Params {
            src_base: address(at.src, &at.src_window),
            dst_base: address(at.dst, &at.dst_window),
            group_count: wrap(squares.groups.cast_signed()),
            split_extent: lengths[1],
            split_src: wrap(along.0),
            split_dst: wrap(along.1),
            split_lanes: wrap(deep.cast_signed()),
            group_at: wrap(deep.cast_signed()),
            cell_axis: 2,
            group_cell: wrap(abreast.cast_signed()),
            cell_extent: lengths[0],
            block_rows: wrap(extent[0].cast_signed()),
            block_columns: wrap(extent[1].cast_signed()),
            row_src: wrap(words(axes[0].src)),
            column_dst: wrap(words(axes[1].dst)),
            ..bytemuck::Zeroable::zeroed()
        };
        let (lane_axes, grid_axes) = AXIS_CLASSES[usize::from(axes.len() > AXIS_CLASSES[1].1) + 1];
        let entry = |(divisor, magic): (u32, u32), (src, dst): (i64, i64), times: u64| {
            let times = times.cast_signed();
            [
                divisor,
                wrap(src.wrapping_mul(times)),
                wrap(dst.wrapping_mul(times)),
                magic,
            ]
        };
        let others = || axes.iter().zip(extent).enumerate().skip(2);
        for slot in &mut params.axes[..lane_axes] {
            *slot = entry(lane_divisor(1), (0, 0), 0);
        }
        params.axes[0] = entry(lane_divisor(wrap(abreast.cast_signed())), across, 1);
        for (i, (axis, _)) in others().take(squares.inner) {
            let lanes = wrap(squares.lanes[i].cast_signed());
            params.axes[i - 1] = entry(lane_divisor(lanes), (words(axis.src), words(axis.dst)), 1);
        }
        let grid = &mut params.axes[lane_axes..];
        grid[0] = entry(divisor(squares.counts[1].div_ceil(deep)), along, deep);
        grid[1] = entry(
            divisor(squares.counts[0].div_ceil(abreast)),
            across,
            abreast,
        );
        for (i, (axis, &extent)) in others() {
            let lanes = squares.lanes[i];
            grid[i] = entry(
                divisor(extent / lanes),
                (words(axis.src), words(axis.dst)),
                lanes,
            );
        }
        let one = at.access == Access::One;
        Dispatch {
            program: Program {
                kernel: Kernel::Blocks,
                access: at.access,
                store: Store::Plain,
                unit_bits,
                part: Part::Whole,
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
            groups: fold(squares.groups, at.max_groups),
        }
    }
}

fn unit_bits(nest: &Nest) -> u32 {
    1 << nest.unit_log2
}
