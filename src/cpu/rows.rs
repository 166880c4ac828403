//! The twin of `shaders/rows.wgsl`.

use crate::plan::{Params, Part, Program};

use super::head::Place;
use super::memory::Words;

/// A destination word, and the bits `[first, last)` of the window that its row covers in it.
pub(super) struct Covered {
    word: u32,
    pub(super) first: u32,
    pub(super) last: u32,
}

impl Covered {
    /// The word of `place`'s row that its cell names; `None` if this part of the row leaves it out.
    pub(super) fn new(program: &Program, p: &Params, place: Place) -> Option<Self> {
        let row_end = place.dst + p.run_bits;
        let mut word = (place.dst >> 5) + place.cell;
        if program.part == Part::Edges && place.cell == 1 {
            word = (row_end - 1) >> 5;
            if word == place.dst >> 5 {
                return None;
            }
        }
        if program.part == Part::QuadEdges {
            let (head, tail) = (place.dst >> 7, (row_end - 1) >> 7);
            let quad = if place.cell > 3 { tail } else { head };
            let whole = quad << 7 >= place.dst && (quad << 7) + 128 <= row_end;
            if whole || (place.cell > 3 && head == tail) {
                return None;
            }
            word = (quad << 2) + (place.cell & 3);
        }
        let first = place.dst.max(word << 5);
        let last = row_end.min((word << 5) + 32);
        let left_out = match program.part {
            _ if first >= last => true,
            Part::Whole | Part::QuadEdges | Part::Quads => false,
            Part::Interior => last - first < 32,
            Part::Edges => last - first == 32,
        };
        (!left_out).then_some(Self { word, first, last })
    }

    /// Writes the covered bits.
    pub(super) fn write(&self, memory: &mut impl Words, value: u32) {
        let bits = self.last - self.first;
        if bits == 32 {
            memory.store(self.word, value);
        } else {
            memory.merge(
                self.word,
                value,
                (u32::MAX >> (32 - bits)) << (self.first & 31),
            );
        }
    }
}

/// The word's units in reverse order.
pub(super) fn reverse_units(word: u32, log2: u32) -> u32 {
    let mut w = if log2 < 5 { word.rotate_left(16) } else { word };
    for (step, (shift, mask)) in [
        (4, (8, 0x00ff_00ff)),
        (3, (4, 0x0f0f_0f0f)),
        (2, (2, 0x3333_3333)),
        (1, (1, 0x5555_5555_u32)),
    ] {
        if log2 < step {
            w = ((w >> shift) & mask) | ((w & mask) << shift);
        }
    }
    w
}

/// 32 bits of the source from bit `past - 32` on, of words `first` to `last` alone.
fn fetch(memory: &mut impl Words, past: u32, first: u32, last: u32) -> u32 {
    let (upper, shift) = (past >> 5, past & 31);
    let low = memory.load(upper.max(first + 1) - 1);
    let high = memory.load(upper.min(last));
    if shift == 0 {
        low
    } else {
        (low >> shift) | (high << (32 - shift))
    }
}

/// One word of a destination row, fetched from a source run.
pub(super) fn item(program: &Program, p: &Params, memory: &mut impl Words, place: Place) {
    let Some(covered) = Covered::new(program, p, place) else {
        return;
    };
    let ahead = (covered.word << 5).wrapping_sub(place.dst);
    let past_unit = place.src.wrapping_add(program.unit_bits);
    let value = if program.reversed {
        let (first, last) = (past_unit.wrapping_sub(p.run_bits), past_unit - 1);
        let past = past_unit.wrapping_sub(ahead);
        reverse_units(
            fetch(memory, past, first >> 5, last >> 5),
            program.unit_bits.trailing_zeros(),
        )
    } else {
        let last = place.src + p.run_bits - 1;
        fetch(
            memory,
            place.src.wrapping_add(ahead).wrapping_add(32),
            place.src >> 5,
            last >> 5,
        )
    };
    covered.write(memory, value);
}
