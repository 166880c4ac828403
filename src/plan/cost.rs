//! What a rung is expected to cost, in bytes of memory traffic.
//!
//! A coarse model with one aim: the right order of the rungs that cover a copy. Its sectors are the 32 bytes that a GPU's
//! memory moves at least.

use super::blocks::Blocks;
use super::kernel::block_side;
use super::normalise::{Axis, Nest};
use super::rung::{Rung, native_run};

/// Bytes that a device moves in the time it takes to start one more native copy.
const NATIVE_START: f64 = 8192.0;

/// Bytes that a device moves in the time it takes to start one more dispatch.
const DISPATCH_START: f64 = 16384.0;

/// The bytes of one memory sector.
const SECTOR: u64 = 32;

/// Bytes that a device moves in the time it takes to make the two words that end a row.
const ROW_ENDS: f64 = 128.0;

/// A rung's expected cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cost {
    /// Bytes moved between memory and the device's cores, starting costs included.
    pub(crate) bytes: u64,
}

/// A count as a factor: no product overflows, and the last digits do not matter.
#[expect(clippy::cast_precision_loss, reason = "costs are coarse")]
fn real(count: u64) -> f64 {
    count as f64
}

/// The cost of `rung` in `steps` steps.
///
/// `blocks`: how it walks the nest, if by blocks.
pub(crate) fn cost(rung: Rung, nest: &Nest, steps: u64, blocks: Option<&Blocks>) -> Cost {
    let units = real(nest.units());
    let payload = units * real(nest.unit_bits()) / 8.0;
    let src = payload * side(nest, |axis| axis.src, false);
    let dst = payload * side(nest, |axis| axis.dst, true);
    let dispatched = real(steps) * DISPATCH_START;
    // Below a word a kernel spends instructions on each unit, or on each word for rows.
    let below_a_word = nest.unit_log2 < 5;
    let work = match rung {
        // By words below a byte, by 16-byte units from there on.
        Rung::Gather if nest.unit_log2 < 3 => units * 6.0,
        Rung::Gather if below_a_word => units * 4.0,
        Rung::Scatter if below_a_word => units * 64.0,
        Rung::Gather => payload * 0.625,
        Rung::Scatter => payload * 0.75,
        _ => payload * 0.25,
    };
    let bytes = match rung {
        Rung::Nothing => 0.0,
        Rung::Native => real(nest.units() / native_run(nest).1) * NATIVE_START + payload * 2.0,
        Rung::Blocks => blocks.map_or(f64::INFINITY, |blocks| {
            dispatched + payload * turned(nest, blocks) + ends(nest, blocks) * ROW_ENDS
        }),
        Rung::Rows | Rung::Gather | Rung::Scatter => dispatched + src + dst + work,
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it saturates, and is not negative"
    )]
    Cost {
        bytes: bytes as u64,
    }
}

/// What blocks read, write and work, in parts of what they copy.
fn turned(nest: &Nest, blocks: &Blocks) -> f64 {
    let side = u64::from(block_side(nest.block_bits()));
    let bits = u64::from(nest.block_bits());
    // Of an axis: the units of its blocks, with those beyond it.
    let whole = |extent: u64| real(extent.next_multiple_of(side)) / real(extent);
    let [rows, columns] = blocks.extents;
    let (src, dst, most) = if blocks.threes.is_some() {
        (1.0, 1.0, 1.0)
    } else {
        // Words are read where units are. A part of a chunk is written word by word, which costs as much as all of it.
        let rest = (columns % side * bits).next_multiple_of(32) / bits;
        let read = real(columns / side * side + rest) / real(columns);
        (read, whole(rows), whole(columns).max(whole(rows)))
    };
    // Where rows start within words, blocks read further rows, shift all of them, and leave their ends to another dispatch.
    // A chunk is shifted and turned whole, however few of its units are used.
    let work = if blocks.shifts {
        most * 3.0 - 1.5
    } else {
        most * 0.25
    };
    src + dst + work * real(blocks.idleness)
}

/// How many rows blocks leave the ends of.
fn ends(nest: &Nest, blocks: &Blocks) -> f64 {
    let inner = &nest.axes()[..blocks.edges];
    let row: u64 = inner.iter().map(|axis| axis.extent).product();
    if blocks.edges > 0 {
        real(nest.units() / row)
    } else {
        0.0
    }
}

/// The sectors that one side touches, in parts of what it uses, walked along the axis where it is nearest: of short runs each has
/// its own, up to four for one, as workgroups lie along other axes too. `joined`: if no axis continues them.
fn side(nest: &Nest, step: fn(&Axis) -> i64, joined: bool) -> f64 {
    let steps = |axis: &Axis| step(axis).unsigned_abs();
    let near = nest.axes().iter().filter(|axis| steps(axis) > 0);
    let Some(near) = near.min_by_key(|axis| steps(axis)) else {
        return 1.0;
    };
    let bytes = |units: u64| (units * nest.unit_bits()).div_ceil(8);
    if steps(near) > 1 {
        let touched = SECTOR.min(bytes(steps(near)));
        return real(touched * 8) / real(nest.unit_bits());
    }
    let continued = |axis: &Axis| joined && steps(axis) == near.extent;
    if nest.axes().iter().any(continued) {
        return 1.0;
    }
    real(SECTOR.div_ceil(bytes(near.extent)).min(4))
}
