//! The twin of `shaders/scatter.wgsl`.

use crate::plan::Program;

use super::head::Place;
use super::memory::Memory;

/// One unit below a word.
pub(super) fn item<const AUDIT: bool>(
    program: &Program,
    memory: &mut Memory<'_, AUDIT>,
    place: Place,
) {
    let value = memory.load(place.src >> 5) >> (place.src & 31);
    let shift = place.dst & 31;
    let mask = u32::MAX >> (32 - program.unit_bits);
    memory.merge(place.dst >> 5, value << shift, mask << shift);
}
