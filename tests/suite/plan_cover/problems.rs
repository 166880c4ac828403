//! Random problems whose positions reach 2^53, with limits from tiny to large.

use restride::plan::{Limits, Operand, Options, Problem, Rung, RungSet};
use restride::{Layout, MAX_NUMEL, Width};

use super::nest::{Axis, Nest};
use crate::generator::Rng;

/// A copy to be planned.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) width: Width,
    pub(super) src: Layout,
    pub(super) dst: Layout,
    /// The buffers' sizes in bytes: of both the one, if they are one.
    pub(super) sizes: [u64; 2],
    pub(super) one_buffer: bool,
    pub(super) options: Options,
    /// Whether the buffers take native copies.
    copy: bool,
}

impl Case {
    pub(super) fn random(rng: &mut Rng) -> Self {
        loop {
            if let Some(case) = Self::attempt(rng) {
                return case;
            }
        }
    }

    /// A case, unless its numbers are beyond those of layouts.
    fn attempt(rng: &mut Rng) -> Option<Self> {
        let width = match rng.below(3) {
            0 => rng.pick(&[1, 2, 4, 8, 16, 32, 64, 128]),
            1 => rng.pick(&[8, 16, 32]),
            _ => u32::try_from(rng.below(128)).unwrap() + 1,
        };
        let (src, dst) = if rng.once_in(8) && width.is_power_of_two() {
            turned(rng, u64::from(128 / width))?
        } else {
            let shape = shape(rng);
            let dst = distinct(rng, &shape)?;
            (source(rng, &dst)?, dst)
        };
        let width = Width::new(width).unwrap();
        let one_buffer = rng.once_in(6);
        // As they are they may overlap, and then go through scratch.
        let (src, dst) = if one_buffer && !rng.once_in(3) {
            apart(rng, src, dst)?
        } else {
            (src, dst)
        };
        let slack = rng.pick(&[0, 0, 0, 4, 12, 16, 400]);
        let bytes = |layout: &Layout| width.bytes_for(layout.span().end).next_multiple_of(4);
        let mut sizes = [bytes(&src) + slack, bytes(&dst) + slack];
        if one_buffer {
            sizes = [sizes[0].max(sizes[1]); 2];
        }
        let force = rng.once_in(3).then(|| rng.pick(&Rung::ALL));
        let without = if rng.once_in(4) {
            RungSet::EMPTY.with(rng.pick(&Rung::ALL[..5]))
        } else {
            RungSet::EMPTY
        };
        Some(Self {
            width,
            src,
            dst,
            sizes,
            one_buffer,
            options: Options {
                limits: limits(rng),
                force: force.filter(|rung| !without.contains(*rung)),
                without,
                max_steps: u64::MAX,
                max_scratch_bytes: u64::MAX,
            },
            copy: rng.once_in(2),
        })
    }

    /// A copy between two buffers, as large as it needs.
    pub(super) fn between(width: Width, src: Layout, dst: Layout, limits: Limits) -> Self {
        let sizes =
            [&src, &dst].map(|layout| width.bytes_for(layout.span().end).next_multiple_of(4));
        Self {
            width,
            src,
            dst,
            sizes,
            one_buffer: false,
            options: Options {
                limits,
                max_steps: u64::MAX,
                ..Options::default()
            },
            copy: false,
        }
    }

    pub(super) fn problem(&self) -> Problem<'_> {
        let operand = if self.copy {
            Operand::any
        } else {
            Operand::storage
        };
        Problem {
            width: self.width,
            src: operand(&self.src, self.sizes[0]),
            dst: operand(&self.dst, self.sizes[1]),
            one_buffer: self.one_buffer,
            in_pass: false,
        }
    }

    /// Whether a rung that is forced, or a grid of few groups of few lanes, may be a reason to refuse.
    pub(super) fn may_be_refused(&self) -> bool {
        self.options.force.is_some() || self.options.limits.groups < 4096
    }

    /// The copy as its definition has it: loops over the elements and their bits.
    pub(super) fn nest(&self) -> Nest {
        let bits = i64::from(self.width.bits());
        let axes = (0..self.dst.rank()).map(|axis| Axis {
            extent: self.dst.dim(axis).cast_signed(),
            src: self.src.stride(axis) * bits,
            dst: self.dst.stride(axis) * bits,
        });
        let first = |layout: &Layout| layout.offset().cast_signed() * bits;
        let nest = Nest::new(
            first(&self.src),
            first(&self.dst),
            [Axis::bits(bits)].into_iter().chain(axes),
        );
        assert_eq!(nest.bits(), self.dst.numel() * u64::from(self.width.bits()));
        nest
    }

    /// The copies into scratch and out of it. The source lies there packed, in the order in which it lies in its buffer, and
    /// forwards or backwards as it does; of what it repeats along an axis, one.
    pub(super) fn scratch_nests(&self) -> [Nest; 2] {
        let bits = i64::from(self.width.bits());
        let (src, dst) = (&self.src, &self.dst);
        let kept = |axis: &usize| src.dim(*axis) > 1 && src.stride(*axis) != 0;
        let mut order: Vec<usize> = (0..src.rank()).filter(kept).collect();
        order.sort_by_key(|axis| src.stride(*axis).unsigned_abs());
        let mut strides = vec![0; src.rank()];
        let (mut numel, mut offset) = (1, 0);
        for axis in order {
            let extent = src.dim(axis).cast_signed();
            strides[axis] = numel * src.stride(axis).signum();
            if src.stride(axis) < 0 {
                offset += numel * (extent - 1);
            }
            numel *= extent;
        }
        let axes = 0..src.rank();
        let into = axes.clone().filter(kept).map(|axis| Axis {
            extent: src.dim(axis).cast_signed(),
            src: src.stride(axis) * bits,
            dst: strides[axis] * bits,
        });
        let from = axes.map(|axis| Axis {
            extent: src.dim(axis).cast_signed(),
            src: strides[axis] * bits,
            dst: dst.stride(axis) * bits,
        });
        let element = || [Axis::bits(bits)].into_iter();
        let first = |layout: &Layout| layout.offset().cast_signed() * bits;
        [
            Nest::new(first(src), offset * bits, element().chain(into)),
            Nest::new(offset * bits, first(dst), element().chain(from)),
        ]
    }
}

/// A number of about as many digits as any other up to `2^log2`.
fn any_size(rng: &mut Rng, log2: u64) -> u64 {
    let power = rng.below(log2 + 1);
    (1 << power) + rng.below(1 << power)
}

/// Extents of any rank and size.
fn shape(rng: &mut Rng) -> Vec<u64> {
    let rank = match rng.below(8) {
        0 => rng.below(2),
        7 => rng.below(12),
        _ => 1 + rng.below(4),
    };
    // Copies of few elements, of some, and of as many as there can be.
    let most = rng.pick(&[6, 9, 12, 20, 30, 40, 53]);
    let mut left = most;
    let mut shape = Vec::new();
    for _ in 0..rank {
        let log2 = rng.below(left + 1);
        let extent = match rng.below(6) {
            0 => 1 << log2,
            1 => rng.pick(&[1, 2, 3, 4, 5, 31, 32, 33, 64, 65]),
            2 if rng.once_in(40) => 0,
            _ => any_size(rng, log2),
        };
        let extent = extent.min(1 << left);
        left -= u64::from(extent.max(1).next_power_of_two().ilog2()).min(left);
        shape.push(extent);
    }
    shape
}

/// Strides that keep apart: axes in any order, dense, with gaps, or far apart.
fn distinct(rng: &mut Rng, shape: &[u64]) -> Option<Layout> {
    let mut order: Vec<usize> = (0..shape.len()).rev().collect();
    if rng.once_in(2) {
        for i in (1..order.len()).rev() {
            order.swap(i, usize::try_from(rng.below(i as u64 + 1)).unwrap());
        }
    }
    let gaps = rng.below(4);
    let mut strides = vec![0_i64; shape.len()];
    let mut reach: u64 = 0;
    for axis in order {
        if reach >= MAX_NUMEL {
            return None;
        }
        let mut stride = reach + 1;
        if gaps > 0 && shape[axis] > 1 && rng.below(4) < gaps {
            let room = (MAX_NUMEL - reach) / shape[axis];
            stride += match rng.below(4) {
                0 => rng.pick(&[1, 2, 3, 7, 8, 31, 64]),
                1 => stride.next_multiple_of(32) - stride,
                2 => stride.next_power_of_two() - stride,
                _ => any_size(rng, room.max(1).ilog2().into()) / 2,
            };
        }
        reach = reach.checked_add(shape[axis].saturating_sub(1).checked_mul(stride)?)?;
        let stride = i64::try_from(stride).ok()?;
        strides[axis] = if rng.once_in(6) { -stride } else { stride };
    }
    place(rng, &strides, shape)
}

/// The source of a copy to `dst`: like it, turned, repeating, or anywhere.
fn source(rng: &mut Rng, dst: &Layout) -> Option<Layout> {
    let shape = dst.shape();
    match rng.below(5) {
        0 => place(rng, dst.strides(), shape),
        1 | 2 => distinct(rng, shape),
        3 => {
            let mut strides = dst.strides().to_vec();
            for stride in &mut strides {
                match rng.below(4) {
                    0 => *stride = 0,
                    1 => *stride = rng.pick(&[1, -1, 2, 3, 32, -64]),
                    2 => *stride = -*stride,
                    _ => {}
                }
            }
            place(rng, &strides, shape)
        }
        _ => {
            let rank = shape.len().max(1) as u64;
            let stride = |rng: &mut Rng, d: u64| {
                let room = (MAX_NUMEL / rank / d.max(1)).max(1).ilog2();
                let stride = i64::try_from(any_size(rng, room.into()) / 2).unwrap();
                if rng.once_in(3) { -stride } else { stride }
            };
            let strides: Vec<i64> = shape.iter().map(|&d| stride(rng, d)).collect();
            place(rng, &strides, shape)
        }
    }
}

/// A transposition of rows that start at multiples of `grain` elements: what blocks are for. In some, axes are short, and follow each
/// other without gaps.
fn turned(rng: &mut Rng, grain: u64) -> Option<(Layout, Layout)> {
    let short = rng.once_in(2);
    let rank = 2 + usize::try_from(rng.below(if short { 12 } else { 3 })).unwrap();
    let most = rng.pick(&[3, 6, 12, 20]);
    let extent = |rng: &mut Rng| {
        if short && !rng.once_in(8) {
            rng.pick(&[2, 2, 4, 8, 3])
        } else {
            any_size(rng, most)
        }
    };
    let shape: Vec<u64> = (0..rank).map(|_| extent(rng)).collect();
    let mut side = |backwards: bool| {
        let mut strides = vec![0_i64; rank];
        let mut stride: u64 = 1;
        for axis in 0..rank {
            let axis = if backwards { rank - 1 - axis } else { axis };
            strides[axis] = i64::try_from(stride).ok()?;
            stride = stride.checked_mul(shape[axis])?;
            if !(short && stride.is_power_of_two()) {
                stride = stride.checked_next_multiple_of(grain)?;
            }
        }
        let ahead = if rng.once_in(4) {
            0
        } else {
            any_size(rng, 40) * grain
        };
        Layout::strided(ahead, &strides, &shape).ok()
    };
    Some((side(false)?, side(true)?))
}

/// The layout with its lowest position at 0, a little later, or anywhere.
fn place(rng: &mut Rng, strides: &[i64], shape: &[u64]) -> Option<Layout> {
    let axes = shape.iter().zip(strides);
    let reach = |(&d, &s): (&u64, &i64)| d.saturating_sub(1).checked_mul(s.unsigned_abs());
    let below = axes.clone().filter(|(_, s)| **s < 0).map(reach);
    let below = below.sum::<Option<u64>>()?;
    let all = axes.map(reach).sum::<Option<u64>>()?;
    let room = MAX_NUMEL.checked_sub(all + 1)?;
    let ahead = match rng.below(4) {
        0 => 0,
        1 => rng.below(70),
        2 => room,
        _ => any_size(rng, 52),
    };
    Layout::strided(below + ahead.min(room), strides, shape).ok()
}

/// The two as views of one buffer, one after the other and often close.
fn apart(rng: &mut Rng, src: Layout, dst: Layout) -> Option<(Layout, Layout)> {
    let gap = rng.pick(&[0, 0, 1, 9, 40, 5_000]);
    let behind = |first: &Layout, second: &Layout| {
        let span = second.span();
        let offset = second.offset() - span.start + first.span().end + gap;
        Layout::strided(offset, second.strides(), second.shape()).ok()
    };
    if rng.once_in(2) {
        behind(&src, &dst).map(|dst| (src, dst))
    } else {
        behind(&dst, &src).map(|src| (src, dst))
    }
}

fn limits(rng: &mut Rng) -> Limits {
    // Scratch is a buffer, too.
    let roomy = Limits {
        buffer_bytes: u64::MAX,
        ..Limits::BASELINE
    };
    if rng.once_in(4) {
        return roomy;
    }
    let binding = 8 + rng.below(25);
    let less = rng.below(1 << binding) / 2;
    let lanes = |rng: &mut Rng| rng.pick(&[1, 2, 5, 32, 63, 64, 100, 256, 256, 256, 1024]);
    Limits {
        binding_bytes: (1 << binding) - if rng.once_in(2) { 0 } else { less },
        alignment_bytes: rng.pick(&[4, 8, 16, 32, 64, 128, 128, 128]),
        groups: rng.pick(&[1, 2, 7, 100, 5_000, 65_535, 65_535, 65_535, u32::MAX]),
        invocations: lanes(rng),
        group_size_x: lanes(rng),
        ..roomy
    }
}
