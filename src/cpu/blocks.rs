//! The twin of `shaders/blocks/*.wgsl`: what a block does, whatever shuffles its registers are turned by.

use crate::plan::{Params, Program};

use super::head::Place;
use super::memory::Words;

/// The most words of a block: 32 rows of one, or 16 of four.
const MOST_WORDS: usize = 64;

/// One square of units: rows in, columns out.
pub(super) fn item(program: &Program, p: &Params, memory: &mut impl Words, place: Place) {
    let bits = program.unit_bits;
    let (chunk, side) = (program.chunk_words(), program.block_side());
    let rows = side.min(p.block_rows - place.cell * side);
    let columns = side.min(p.block_columns - place.at * side);
    let mut block = [0_u32; MOST_WORDS];
    for row in 0..rows {
        let from = place.src.wrapping_add(row.wrapping_mul(p.row_src));
        // A wide load takes the whole chunk, whose last words no column needs.
        let words = if program.wide_src {
            chunk
        } else {
            (columns * bits).div_ceil(32)
        };
        for word in 0..words {
            block[(row * chunk + word) as usize] = memory.load(from.wrapping_add(word));
        }
    }
    for column in 0..columns {
        let to = place.dst.wrapping_add(column.wrapping_mul(p.column_dst));
        let mut done = 0;
        for word in 0..(rows * bits).div_ceil(32) {
            let covered = (rows * bits - word * 32).min(32);
            let mut value = 0;
            if bits < 32 {
                for unit in 0..covered / bits {
                    let at = column * bits;
                    let from = block[((done + unit) * chunk + at / 32) as usize];
                    value |= (from >> (at % 32) & (u32::MAX >> (32 - bits))) << (unit * bits);
                }
                done += covered / bits;
            } else {
                let words = bits / 32;
                value = block[(word / words * chunk + column * words + word % words) as usize];
            }
            memory.merge(to.wrapping_add(word), value, u32::MAX >> (32 - covered));
        }
    }
}
