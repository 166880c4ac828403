//! The twin of `shaders/deinterleave.wgsl` and `shaders/interleave.wgsl`.

use crate::plan::{Kernel, Params, Program};

use super::blocks::build;
use super::head::Place;
use super::memory::Words;

/// Words of a chunk.
const CHUNK: u32 = 4;

/// Runs, the units of one, and the words between them.
type Runs = (u32, u32, u32);

/// Elements of three units: from one run into three, or from three runs into one.
pub(super) fn item(program: &Program, p: &Params, memory: &mut impl Words, place: Place) {
    let (bits, side) = (program.unit_bits, program.block_side());
    let apart = program.kernel == Kernel::Deinterleave;
    let elements = if apart {
        side.min(p.block_rows - place.cell * side)
    } else {
        side.min(p.block_columns - place.at * side)
    };
    // Those that are read, and those that are written.
    let threes = |step: u32| (3, elements, step);
    let (from, to): (Runs, Runs) = if apart {
        ((1, 3 * elements, 0), threes(p.column_dst))
    } else {
        (threes(p.row_src), (1, 3 * elements, 0))
    };
    let mut held = [0; 3 * CHUNK as usize];
    for run in 0..from.0 {
        let words = (from.1 * bits).div_ceil(32);
        let words = if program.wide_src {
            words.next_multiple_of(CHUNK)
        } else {
            words
        };
        let first = place.src.wrapping_add(run.wrapping_mul(from.2));
        for word in 0..words {
            held[(run * CHUNK + word) as usize] = memory.load(first.wrapping_add(word));
        }
    }
    for run in 0..to.0 {
        let first = place.dst.wrapping_add(run.wrapping_mul(to.2));
        let left = to.1 * bits;
        for word in 0..left.div_ceil(32) {
            let covered = (left - word * 32).min(32);
            let value = build(&held, bits, word * 32, covered, |unit| {
                if apart {
                    (3 * unit + run) * bits
                } else {
                    unit % 3 * CHUNK * 32 + unit / 3 * bits
                }
            });
            memory.merge(first.wrapping_add(word), value, u32::MAX >> (32 - covered));
        }
    }
}
