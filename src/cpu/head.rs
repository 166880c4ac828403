//! The twin of `shaders/head.wgsl`: the place of each invocation's items.

use crate::plan::{BY_ACROSS, BY_ITEMS, Dispatch, Params, Program};

use super::memory::Words;

/// An item's addresses on both sides, the word of its row that it makes, and its coordinate on the split axis.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) src: u32,
    pub(super) dst: u32,
    pub(super) cell: u32,
    pub(super) at: u32,
}

impl Place {
    fn step(&mut self, i: u32, src: u32, dst: u32) {
        self.src = self.src.wrapping_add(i.wrapping_mul(src));
        self.dst = self.dst.wrapping_add(i.wrapping_mul(dst));
    }
}

/// `n / d` for n < 2^31, by the divisor and the magic number of an axis.
pub(super) fn divide(n: u32, [divisor, _, _, magic]: [u32; 4]) -> u32 {
    if magic == 0 {
        return n;
    }
    let product = u64::from(n) * u64::from(magic);
    u32::try_from(product >> 32).unwrap_or(u32::MAX) >> (divisor >> 26)
}

/// The extent of an axis that [`divide`] divides by.
pub(super) fn extent_of(axis: [u32; 4]) -> u32 {
    axis[0] & 0x03ff_ffff
}

/// The place of an invocation's first item, `None` beyond the work.
fn locate(p: &Params, program: &Program, number: u32, lane: u32) -> Option<Place> {
    let mut place = Place {
        src: p.src_base,
        dst: p.dst_base,
        cell: 0,
        at: 0,
    };
    let lane_axes = program.lane_axes as usize;
    let mut rest = lane;
    let mut lanes = [0; 4];
    for (a, axis) in p.axes[..lane_axes].iter().enumerate() {
        let quotient = (rest * axis[3]) >> 16;
        let i = rest - quotient * axis[0];
        rest = quotient;
        place.step(i, axis[1], axis[2]);
        if a < 2 {
            lanes[a + 1] = i;
        }
    }
    lanes[3] = rest;
    if rest >= p.split_lanes || number >= p.group_count {
        return None;
    }
    place.step(rest, p.split_src, p.split_dst);
    place.at = (0..3).map(|i| lanes[i + 1] * p.lane_at[i]).sum();
    let mut across = lanes[p.across_axis as usize & 3];
    rest = number;
    for (a, axis) in p.axes[lane_axes..]
        .iter()
        .take(program.grid_axes as usize)
        .enumerate()
    {
        if rest == 0 {
            break;
        }
        let quotient = divide(rest, *axis);
        let i = rest - quotient * extent_of(*axis);
        rest = quotient;
        place.step(i, axis[1], axis[2]);
        if a == 0 {
            place.at += i * p.group_at;
        }
        if a == 1 {
            across += i * p.group_across;
        }
    }
    place.cell = match p.cell_axis {
        BY_ACROSS => across,
        BY_ITEMS => place.at,
        lane => lanes[lane as usize & 3],
    };
    (across < p.across_extent).then_some(place)
}

/// The workgroups of a dispatch that have work: those numbered from 0 to this.
pub(super) fn group_count(dispatch: &Dispatch) -> u32 {
    let launched: u32 = dispatch.groups.iter().product();
    launched.min(dispatch.params.group_count)
}

/// Calls `item` at the place of each item of the workgroups `numbers` of a dispatch, one after another.
pub(super) fn for_each_item<M: Words>(
    dispatch: &Dispatch,
    numbers: impl Iterator<Item = u32>,
    memory: &mut M,
    mut item: impl FnMut(&mut M, Place),
) {
    let (p, program) = (&dispatch.params, &dispatch.program);
    for number in numbers {
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
                place.step(1, p.item_src, p.item_dst);
                place.at += p.item_at;
                if p.cell_axis == BY_ITEMS {
                    place.cell = place.at;
                }
            }
        }
    }
}
