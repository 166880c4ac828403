//! The twin of `shaders/head.wgsl`: the place of each invocation's items.

use crate::plan::{Dispatch, Params, Program};

use super::memory::Memory;

/// An item's addresses on both sides, the word of its row that it makes, and its coordinate on the split axis.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) src: u32,
    pub(super) dst: u32,
    pub(super) cell: u32,
    at: u32,
}

impl Place {
    fn step(&mut self, i: u32, [_, src, dst, cell]: [u32; 4]) {
        self.src = self.src.wrapping_add(i.wrapping_mul(src));
        self.dst = self.dst.wrapping_add(i.wrapping_mul(dst));
        self.cell = self.cell.wrapping_add(i.wrapping_mul(cell));
    }
}

/// The place of an invocation's first item, `None` beyond the work.
fn locate(p: &Params, program: &Program, number: u32, lane: u32) -> Option<Place> {
    let mut place = Place { src: p.src_base, dst: p.dst_base, cell: 0, at: 0 };
    let lane_axes = program.lane_axes as usize;
    let mut rest = lane;
    for axis in &p.axes[..lane_axes] {
        let quotient = (rest * (axis[0] >> 9)) >> 16;
        place.step(rest - quotient * (axis[0] & 511), *axis);
        rest = quotient;
    }
    if rest >= p.item_lanes || number >= p.group_count {
        return None;
    }
    place.step(rest, [0, p.split_src, p.split_dst, p.split_cell]);
    place.at = rest;
    rest = number;
    for (a, axis) in p.axes[lane_axes..].iter().take(program.grid_axes as usize).enumerate() {
        let quotient = rest / axis[0];
        let i = rest - quotient * axis[0];
        rest = quotient;
        place.step(i, *axis);
        if a == 0 {
            place.at += i * program.items * p.item_lanes;
        }
    }
    Some(place)
}

/// Calls `item` at the place of each item of a dispatch, workgroup by workgroup.
pub(super) fn for_each_item<const AUDIT: bool>(
    dispatch: &Dispatch,
    memory: &mut Memory<'_, AUDIT>,
    mut item: impl FnMut(&mut Memory<'_, AUDIT>, Place),
) {
    let (p, program) = (&dispatch.params, &dispatch.program);
    let launched: u32 = dispatch.groups.iter().product();
    for number in 0..launched.min(p.group_count) {
        for lane in 0..program.lanes {
            let Some(mut place) = locate(p, program, number, lane) else {
                continue;
            };
            memory.invocation(number, lane);
            for _ in 0..program.items {
                if place.at >= p.split_extent {
                    break;
                }
                item(memory, place);
                place.step(1, [0, p.item_src, p.item_dst, p.item_cell]);
                place.at += p.item_lanes;
            }
        }
    }
}
