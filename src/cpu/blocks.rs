//! The twin of `shaders/blocks/*.wgsl`: what a block does, whatever shuffles its registers are turned by.

use crate::plan::{BLOCK_BITS, Params, Program};

use super::head::Place;
use super::memory::Words;

/// The most words of a block and of the rows that it has beyond its own: 32 and 7 rows of four words.
const MOST_WORDS: usize = 156;

/// Bits `[first, first + count)`, at most a word, of units of `bits` bits, of which unit `i` is at bit `at(i)` of `held`.
fn build(held: &[u32], bits: u32, first: u32, count: u32, at: impl Fn(u32) -> u32) -> u32 {
    let (mut value, mut bit) = (0, first);
    while bit < first + count {
        let within = bit % bits;
        let taken = (bits - within).min(first + count - bit);
        let from = at(bit / bits) + within;
        let word = |i: u32| held.get(i as usize).copied().unwrap_or(0);
        let low = word(from / 32) >> (from % 32);
        let high = word(from / 32 + 1).checked_shl(32 - from % 32).unwrap_or(0);
        value |= ((low | high) & (u32::MAX >> (32 - taken))) << (bit - first);
        bit += taken;
    }
    value
}

/// Word `word` of the `bits` bits that start at address `from`.
pub(super) fn fetch(
    program: &Program,
    memory: &mut impl Words,
    from: u32,
    word: u32,
    bits: u32,
) -> u32 {
    if !program.shifts() {
        return memory.load(from.wrapping_add(word));
    }
    let (at, last) = (from + word * 32, from + bits - 1);
    let low = memory.load(at >> 5);
    let high = memory.load(((at >> 5) + 1).min(last >> 5));
    low >> (at & 31) | high.checked_shl(32 - (at & 31)).unwrap_or(0)
}

/// Writes a row of `bits` bits from address `to` on, of whose units `i` is at bit `at(i)` of `held`: where rows start within words,
/// the words that it covers whole, `most` of them at most.
pub(super) fn put(
    program: &Program,
    memory: &mut impl Words,
    to: u32,
    (bits, most): (u32, u32),
    held: &[u32],
    at: impl Fn(u32) -> u32,
) {
    let shifts = program.shifts();
    // The row's first word, and the bits before it.
    let (first, ahead) = if shifts {
        let first = to.div_ceil(32);
        (first, first * 32 - to)
    } else {
        (to, 0)
    };
    let left = bits.saturating_sub(ahead);
    let words = if shifts { left / 32 } else { left.div_ceil(32) };
    for word in 0..words.min(most) {
        let covered = (left - word * 32).min(32);
        let bit = ahead + word * 32;
        let value = build(held, program.unit_bits, bit, covered, &at);
        memory.merge(first.wrapping_add(word), value, u32::MAX >> (32 - covered));
    }
}

/// How far a row lies from a block's first one in the source, and a column in the destination.
pub(super) fn far(program: &Program, p: &Params, number: u32) -> [u32; 2] {
    let first = (program.lane_axes + program.grid_axes) as usize;
    let mut far = [0_u32; 2];
    for (bit, [_, row, column, _]) in p.axes[first..][..BLOCK_BITS].iter().enumerate() {
        for (far, step) in far.iter_mut().zip([row, column]) {
            *far = far.wrapping_add((number >> bit & 1) * step);
        }
    }
    far
}

/// One square of units: rows in, columns out.
pub(super) fn item(program: &Program, p: &Params, memory: &mut impl Words, place: Place) {
    let bits = program.unit_bits;
    let (chunk, side) = (program.chunk_words(), program.block_side());
    let rows = (side + program.more()[0]).min(p.block_rows - place.cell * side);
    let columns = side.min(p.block_columns - place.at * side);
    let mut block = [0_u32; MOST_WORDS];
    for row in 0..rows {
        let from = place.src.wrapping_add(far(program, p, row)[0]);
        // A wide load takes the whole chunk, whose last words no column needs.
        let words = if program.wide_src {
            chunk
        } else {
            (columns * bits).div_ceil(32)
        };
        for word in 0..words {
            block[(row * chunk + word) as usize] =
                fetch(program, memory, from, word, columns * bits);
        }
    }
    for column in 0..columns {
        let to = place.dst.wrapping_add(far(program, p, column)[1]);
        put(program, memory, to, (rows * bits, chunk), &block, |row| {
            row * chunk * 32 + column * bits
        });
    }
}
