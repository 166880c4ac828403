//! The twin of `shaders/deinterleave.wgsl` and `shaders/interleave.wgsl`.

use crate::plan::{Kernel, Params, Program};

use super::blocks::{far, fetch, put};
use super::head::Place;
use super::memory::Words;

/// Words of a chunk.
const CHUNK: u32 = 4;

/// The most words of a run and of what is read beyond it: those of three chunks, and three more.
const MOST_WORDS: u32 = 15;

/// Elements of three units: from one run into three, or from three runs into one.
pub(super) fn item(program: &Program, p: &Params, memory: &mut impl Words, place: Place) {
    let (bits, side) = (program.unit_bits, program.block_side());
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
        let first = place.src.wrapping_add(far(program, p, run)[0]);
        let words = (read * bits).div_ceil(32);
        let words = if program.wide_src {
            words.next_multiple_of(CHUNK)
        } else {
            words
        };
        for (held, word) in held.iter_mut().zip(0..words) {
            *held = fetch(program, memory, first, word, read * bits);
        }
    }
    // The most words of a run: what is left of it the next item writes.
    let most = if apart { CHUNK } else { 3 * CHUNK };
    for run in 0..writes {
        let to = place.dst.wrapping_add(far(program, p, run)[1]);
        let size = (written * bits, most);
        put(program, memory, to, size, held.as_flattened(), |unit| {
            if apart {
                (3 * unit + run) * bits
            } else {
                unit % 3 * (MOST_WORDS * 32) + unit / 3 * bits
            }
        });
    }
}
