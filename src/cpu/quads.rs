//! The twin of `shaders/quads.wgsl`.

use crate::plan::{Params, Program};

use super::head::Place;
use super::memory::Words;
use super::rows::reverse_units;

type Quad = [u32; 4];

/// 128 bits of two neighbouring quads, from bit `at` of the first on.
fn shift_out(a: Quad, b: Quad, at: u32) -> Quad {
    let word = |quad: Quad, i: u32| u128::from(quad[i as usize]) << (32 * i);
    let whole = |quad: Quad| (0..4).map(|i| word(quad, i)).sum::<u128>();
    let bits = if at == 0 {
        whole(a)
    } else {
        whole(a) >> at | whole(b) << (128 - at)
    };
    let bytes = bits.to_le_bytes();
    std::array::from_fn(|i| {
        u32::from_le_bytes([
            bytes[4 * i],
            bytes[4 * i + 1],
            bytes[4 * i + 2],
            bytes[4 * i + 3],
        ])
    })
}

/// Two quads of a destination row, shifted out of three of a source run.
pub(super) fn item(program: &Program, p: &Params, memory: &mut impl Words, place: Place) {
    let row_end = place.dst + p.run_bits;
    let quad = (place.dst >> 7) + 2 * place.cell;
    let whole = |quad: u32| quad << 7 >= place.dst && (quad << 7) + 128 <= row_end;
    let ahead = (quad << 7).wrapping_sub(place.dst);
    let log2 = program.unit_bits.trailing_zeros();
    let past = place.src.wrapping_add(program.unit_bits);
    let (first, last, from) = if program.reversed {
        (
            past.wrapping_sub(p.run_bits),
            past - 1,
            past.wrapping_sub(ahead).wrapping_sub(256),
        )
    } else {
        (
            place.src,
            place.src + p.run_bits - 1,
            place.src.wrapping_add(ahead),
        )
    };
    let (first, last) = ((first >> 7).cast_signed(), (last >> 7).cast_signed());
    let low = from.cast_signed() >> 7;
    let [a, b, c] = [0, 1, 2].map(|i| {
        let at = (low + i).clamp(first, last).cast_unsigned();
        std::array::from_fn(|word| memory.load(at * 4 + (0..4).nth(word).unwrap_or(0)))
    });
    let mut store = |quad: u32, words: Quad| {
        for (i, word) in (0..).zip(words) {
            memory.store(quad * 4 + i, word);
        }
    };
    let at = from & 127;
    let reverse = |[a, b, c, d]: Quad| [d, c, b, a].map(|word| reverse_units(word, log2));
    let (one, two) = if program.reversed {
        (reverse(shift_out(b, c, at)), reverse(shift_out(a, b, at)))
    } else {
        (shift_out(a, b, at), shift_out(b, c, at))
    };
    if whole(quad) {
        store(quad, one);
    }
    if whole(quad + 1) {
        store(quad + 1, two);
    }
}
