//! The twin of `shaders/scatter.wgsl`.

use crate::plan::Program;

use super::head::Place;
use super::memory::Words;

/// One unit below a word.
pub(super) fn item(program: &Program, memory: &mut impl Words, place: Place) {
    let value = memory.load(place.src >> 5) >> (place.src & 31);
    let shift = place.dst & 31;
    let mask = u32::MAX >> (32 - program.unit_bits);
    memory.merge(place.dst >> 5, value << shift, mask << shift);
}
