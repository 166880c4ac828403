//! The twin of `shaders/gather.wgsl`.

use crate::plan::{Params, Program};

use super::head::{Place, divide, extent_of};
use super::memory::Words;
use super::rows::Covered;

/// The source address of a row's unit `unit`: decoded anew for each, where a shader counts on.
pub(super) fn source_of(run: &[[u32; 4]], row: u32, unit: u32) -> u32 {
    let (Some(last), inner) = (run.last(), &run[..run.len().saturating_sub(1)]) else {
        return row;
    };
    let (mut address, mut rest) = (row, unit);
    for axis in inner {
        let quotient = divide(rest, *axis);
        address = address.wrapping_add((rest - quotient * extent_of(*axis)).wrapping_mul(axis[1]));
        rest = quotient;
    }
    address.wrapping_add(rest.wrapping_mul(last[1]))
}

/// One word of a destination row, built unit by unit.
pub(super) fn item(program: &Program, p: &Params, memory: &mut impl Words, place: Place) {
    let Some(covered) = Covered::new(program, p, place) else {
        return;
    };
    let first_axis = (program.lane_axes + program.grid_axes) as usize;
    let run = &p.axes[first_axis..first_axis + program.run_axes as usize];
    let log2 = program.unit_bits.trailing_zeros();
    let mask = u32::MAX >> (32 - program.unit_bits);
    let mut unit = (covered.first - place.dst) >> log2;
    let mut value = 0;
    let mut bit = covered.first;
    while bit < covered.last {
        let address = source_of(run, place.src, unit);
        value |= ((memory.load(address >> 5) >> (address & 31)) & mask) << (bit & 31);
        unit += 1;
        bit += program.unit_bits;
    }
    covered.write(memory, value);
}
