//! The twin of `shaders/deinterleave.wgsl` and `shaders/interleave.wgsl`.

use crate::plan::{Kernel, Params, Program};

use super::blocks::build;
use super::head::Place;
use super::memory::Words;

/// Words of a chunk.
const CHUNK: u32 = 4;

/// The most words of a run and of what is read beyond it: those of three chunks, and three more.
const MOST_WORDS: u32 = 15;

/// Elements of three units: from one run into three, or from three runs into one.
pub(super) fn item(program: &Program, p: &Params, memory: &mut impl Words, place: Place) {
    let (bits, side, shifts) = (program.unit_bits, program.block_side(), program.shifts());
    let [more_rows, more_columns] = program.more();
    let apart = program.kernel == Kernel::Deinterleave;
    let elements = if apart {
        (side + more_rows).min(p.block_rows - place.cell * side)
    } else {
        (side + more_columns).min(p.block_columns - place.at * side)
    };
    // Runs, their units, and the addresses between them: those that are read, and those that are written.
    let (one, row): ((u32, u32), (u32, u32)) = ((1, 3 * elements), (3, elements));
    let ((reads, read), (writes, written)) = if apart { (one, row) } else { (row, one) };
    let mut held = [[0; MOST_WORDS as usize]; 3];
    for (held, run) in held.iter_mut().zip(0..reads) {
        let first = place.src.wrapping_add(run.wrapping_mul(p.row_src));
        let words = (read * bits).div_ceil(32);
        let words = if program.wide_src {
            words.next_multiple_of(CHUNK)
        } else {
            words
        };
        for (held, word) in held.iter_mut().zip(0..words) {
            *held = if shifts {
                let (at, last) = (first + word * 32, first + read * bits - 1);
                let low = memory.load(at >> 5);
                let high = memory.load(((at >> 5) + 1).min(last >> 5));
                low >> (at & 31) | high.checked_shl(32 - (at & 31)).unwrap_or(0)
            } else {
                memory.load(first.wrapping_add(word))
            };
        }
    }
    // The least words of a run, whose rest is read again for the next item.
    let most = if apart { CHUNK } else { 3 * CHUNK };
    for run in 0..writes {
        let to = place.dst.wrapping_add(run.wrapping_mul(p.column_dst));
        let (first, ahead) = if shifts {
            (to.div_ceil(32), to.div_ceil(32) * 32 - to)
        } else {
            (to, 0)
        };
        let left = (written * bits).saturating_sub(ahead);
        let words = if shifts { left / 32 } else { left.div_ceil(32) };
        for word in 0..words.min(most) {
            let covered = (left - word * 32).min(32);
            let bit = ahead + word * 32;
            let value = if apart {
                build(&held[0], bits, bit, covered, |unit| (3 * unit + run) * bits)
            } else {
                build(held.as_flattened(), bits, bit, covered, |unit| {
                    unit % 3 * (MOST_WORDS * 32) + unit / 3 * bits
                })
            };
            memory.merge(first.wrapping_add(word), value, u32::MAX >> (32 - covered));
        }
    }
}
