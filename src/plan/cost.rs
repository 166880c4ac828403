//! What a rung is expected to cost, in bytes of memory traffic.
//!
//! A coarse model with one aim: the right order of the rungs that cover a copy. Its sectors are the 32 bytes that a GPU's
//! memory moves at least.

use super::blocks::Blocks;
use super::kernel::block_side;
use super::normalise::{Axis, Nest};
use super::rung::{Rung, native_run};

/// Bytes that a device moves in the time it takes to start one more native copy.
const NATIVE_START: u64 = 8 << 10;

/// Bytes that a device moves in the time it takes to start one more dispatch.
const DISPATCH_START: u64 = 16 << 10;

/// The bytes of one memory sector.
const SECTOR: u64 = 32;

/// Bytes that a device moves in the time it takes to make the two words that end a row.
const ROW_ENDS: u64 = 128;

/// A rung's expected cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cost {
    /// Bytes moved between memory and the device's cores, starting costs included.
    pub(crate) bytes: u64,
}

/// The cost of `rung` in `steps` steps.
///
/// `blocks`: how it walks the nest, if by blocks.
pub(crate) fn cost(rung: Rung, nest: &Nest, steps: u64, blocks: Option<&Blocks>) -> Cost {
    let payload = nest.units().saturating_mul(nest.unit_bits()).div_ceil(8);
    let (src, dst) = (
        side(nest, payload, |axis| axis.src, false),
        side(nest, payload, |axis| axis.dst, true),
    );
    let start = |each: u64| each.saturating_mul(steps);
    // Below a word a kernel spends instructions on each unit, or on each word for rows.
    let below_a_word = nest.unit_log2 < 5;
    let work = match rung {
        // By words below a byte, by 16-byte units from there on.
        Rung::Gather if nest.unit_log2 < 3 => nest.units().saturating_mul(6),
        Rung::Gather if below_a_word => nest.units().saturating_mul(4),
        Rung::Scatter if below_a_word => nest.units().saturating_mul(2 * SECTOR),
        Rung::Gather => payload / 8 * 5,
        Rung::Scatter => payload / 4 * 3,
        _ => payload / 4,
    };
    let bytes = match rung {
        Rung::Nothing => 0,
        Rung::Native => {
            let runs = nest.units() / native_run(nest).1;
            runs.saturating_mul(NATIVE_START)
                .saturating_add(payload.saturating_mul(2))
        }
        Rung::Blocks => {
            let axes = &nest.axes()[nest.rows_at()..];
            let side = u64::from(block_side(nest.block_bits()));
            let Some(blocks) = blocks else {
                return Cost { bytes: u64::MAX };
            };
            let bits = u64::from(nest.block_bits());
            // Of an axis, in parts of its extent: the units of its blocks, with those beyond it.
            let turned =
                |extent: u64| extent.next_multiple_of(side).saturating_mul(payload) / extent;
            let (rows, columns) = (axes[0].extent, axes[1].extent);
            let (src, dst, most) = if blocks.threes.is_some() {
                (payload, payload, payload)
            } else {
                // Words are read where units are. A part of a chunk is written word by word, which costs as much as all of it.
                let rest = (columns % side * bits).next_multiple_of(32) / bits;
                let read = (columns / side * side + rest).saturating_mul(payload) / columns;
                (read, turned(rows), turned(columns).max(turned(rows)))
            };
            // Where rows start within words, blocks read further rows, shift all of them, and leave their ends to another dispatch.
            // A chunk is shifted and turned whole, however few of its units are used.
            let work = if blocks.shifts {
                most.saturating_mul(3).saturating_sub(payload / 2 * 3)
            } else {
                most / 4
            };
            let row: u64 = nest.axes()[..blocks.edges]
                .iter()
                .map(|axis| axis.extent)
                .product();
            let ends = if blocks.edges > 0 {
                nest.units() / row
            } else {
                0
            };
            start(DISPATCH_START)
                .saturating_add(src)
                .saturating_add(dst)
                .saturating_add(work.saturating_mul(blocks.idleness))
                .saturating_add(ends.saturating_mul(ROW_ENDS))
        }
        Rung::Rows | Rung::Gather | Rung::Scatter => start(DISPATCH_START)
            .saturating_add(src)
            .saturating_add(dst)
            .saturating_add(work),
    };
    Cost { bytes }
}

/// Bytes of the sectors that one side touches, walked along the axis where it is nearest: of short runs each has its own, up to
/// four for one, as workgroups lie along other axes too. `joined`: if no axis continues them.
fn side(nest: &Nest, payload: u64, step: fn(&Axis) -> i64, joined: bool) -> u64 {
    let steps = |axis: &Axis| step(axis).unsigned_abs();
    let near = nest.axes().iter().filter(|axis| steps(axis) > 0);
    let Some(near) = near.min_by_key(|axis| steps(axis)) else {
        return payload;
    };
    let bytes = |units: u64| (units * nest.unit_bits()).div_ceil(8);
    if steps(near) > 1 {
        return nest.units().saturating_mul(SECTOR.min(bytes(steps(near))));
    }
    let continued = |axis: &Axis| joined && steps(axis) == near.extent;
    if nest.axes().iter().any(continued) {
        return payload;
    }
    payload.saturating_mul(SECTOR.div_ceil(bytes(near.extent)).min(4))
}
