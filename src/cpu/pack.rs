//! The twin of `shaders/pack.wgsl` and of `shaders/weave.wgsl`.

use crate::plan::{Params, Program};

use super::gather::source_of;
use super::head::Place;
use super::memory::Words;

/// One 16-byte unit of a destination row, built unit by unit.
pub(super) fn item(program: &Program, p: &Params, memory: &mut impl Words, place: Place) {
    let quad = (place.dst >> 7) + place.cell;
    let first = quad << 7;
    if first < place.dst || first + 128 > place.dst + p.run_bits {
        return;
    }
    let first_axis = (program.lane_axes + program.grid_axes) as usize;
    let run = &p.axes[first_axis..first_axis + program.run_axes as usize];
    let log2 = program.unit_bits.trailing_zeros();
    let mask = u32::MAX >> (32 - program.unit_bits);
    for word in 0..4 {
        let mut value = 0;
        for k in 0..32 >> log2 {
            let unit = ((first - place.dst + word * 32) >> log2) + k;
            let address = source_of(run, place.src, unit);
            value |= ((memory.load(address >> 5) >> (address & 31)) & mask) << (k << log2);
        }
        memory.store(quad * 4 + word, value);
    }
}
