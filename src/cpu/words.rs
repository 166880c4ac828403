//! The twin of `shaders/words.wgsl`.

use crate::plan::Program;

use super::head::Place;
use super::memory::Words;

/// One unit of whole words.
pub(super) fn item(program: &Program, memory: &mut impl Words, place: Place) {
    let words = program.unit_bits / 32;
    for word in 0..words {
        let value = memory.load(place.src.wrapping_mul(words).wrapping_add(word));
        memory.store(place.dst.wrapping_mul(words).wrapping_add(word), value);
    }
}
