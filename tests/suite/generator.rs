//! Random copies from one small seeded generator: the CPU executor, every GPU and the JavaScript engines run the same ones.

use restride::plan::{Limits, Operand, Options, Plan, Problem, Rung, RungSet};
use restride::{Error, Layout, Width, reference};

/// `SplitMix64`: small, seedable, the same everywhere.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `[0, n)`, `n ≥ 1`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// True once in `n` times.
    pub(crate) fn once_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::try_from(self.below(from.len() as u64)).unwrap()]
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count + 8);
        while bytes.len() < count {
            bytes.extend_from_slice(&self.next().to_le_bytes());
        }
        bytes.truncate(count);
        bytes
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, usize::try_from(self.below(i as u64 + 1)).unwrap());
        }
    }
}

/// The seed of this run: `RESTRIDE_SEED`, or one of its own; printed, so that a failure can be run again.
#[cfg(not(target_os = "unknown"))] // a page has neither clock nor environment for the standard library
pub(crate) fn seed(test: &str) -> u64 {
    let fresh = || {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(1, |now| u64::from(now.subsec_nanos()) ^ now.as_secs())
    };
    let seed = std::env::var("RESTRIDE_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(fresh);
    println!("{test}: RESTRIDE_SEED={seed}");
    seed
}

/// The widths that every run covers: all below a byte, and the usual ones.
const WIDTHS: [u32; 17] = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, 96, 128, 20];

/// The widths of one run: [`WIDTHS`] and 20 others.
pub(crate) fn widths(rng: &mut Rng) -> Vec<u32> {
    let mut widths = WIDTHS.to_vec();
    while widths.len() < WIDTHS.len() + 20 {
        let width = u32::try_from(rng.below(128)).unwrap() + 1;
        widths.push(width);
    }
    widths
}

/// One copy with its buffers, whole words long, and what the destination's must hold afterwards.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) width: Width,
    pub(crate) src_layout: Layout,
    pub(crate) dst_layout: Layout,
    /// Whether both views are in one buffer: `src` and `dst` then hold the same bytes.
    pub(crate) one_buffer: bool,
    pub(crate) src: Vec<u8>,
    pub(crate) dst: Vec<u8>,
    pub(crate) expected: Vec<u8>,
}

impl Case {
    /// A copy of elements `bits` wide, or of a usual width, and of about `most` bits at most.
    pub(crate) fn random(rng: &mut Rng, bits: u32, most: u64) -> Self {
        if rng.once_in(3) {
            // Blocks know few widths: they would hardly be met among 128.
            let bits = rng.pick(&[
                1, 2, 4, 4, 4, 6, 8, 8, 8, 12, 16, 16, 24, 32, 32, 48, 64, bits,
            ]);
            return Self::turned(rng, Width::new(bits).unwrap(), most);
        }
        let width = Width::new(bits).unwrap();
        let shape = shape(rng, (most / u64::from(bits)).max(4));
        let dst_layout = distinct(rng, &shape);
        let src_layout = match rng.below(6) {
            0 => distinct(rng, &shape),
            1 | 2 => permuted(rng, &dst_layout),
            _ => repeating(rng, &dst_layout),
        };
        let src = buffer(rng, width, &src_layout);
        let dst = buffer(rng, width, &dst_layout);
        Self::new(width, src_layout, dst_layout, src, dst)
    }

    /// A copy for blocks, of a width of which fewest copies are for them.
    pub(crate) fn random_turned(rng: &mut Rng, most: u64) -> Self {
        let bits = rng.pick(&[1, 1, 1, 2, 2, 4, 6, 6, 8, 12, 12, 16, 24]);
        Self::turned(rng, Width::new(bits).unwrap(), most)
    }

    /// A transposition of rows that start at whole words, often at whole 16 bytes: what blocks are for. Runs of three often
    /// follow each other, and so do some shorter than a block.
    fn turned(rng: &mut Rng, width: Width, most: u64) -> Self {
        let bits = u64::from(width.bits());
        let short = rng.once_in(3);
        let rank = if short {
            5 + rng.below(8)
        } else {
            2 + rng.below(3)
        };
        let mut left = (most / bits).max(4);
        if short {
            left = left.next_power_of_two();
        }
        let mut shape: Vec<u64> = (0..rank)
            .map(|_| {
                let extent = rng
                    .pick::<u64>(if short {
                        &[2, 2, 2, 4, 4, 8]
                    } else {
                        &[2, 3, 4, 5, 8, 15, 16, 17, 31, 32, 33, 40, 64, 96, 130]
                    })
                    .min(left);
                left /= extent;
                extent
            })
            .collect();
        rng.shuffle(&mut shape);
        // Some are of elements of three units, which one side has together and the other apart.
        let threes = !short && rng.once_in(2);
        if threes || short && rng.once_in(3) {
            shape[0] = 3;
        }
        let reversed = short && !rng.once_in(4);
        let together = rng.below(2);
        let grain = rng.pick(&[32, 128, if threes { bits } else { 32 }]);
        let mut side = |number: u64| {
            let mut order: Vec<usize> = (0..shape.len()).collect();
            match reversed {
                true if number == 1 => order.reverse(),
                true => {}
                false => rng.shuffle(&mut order),
            }
            if threes {
                let inner = if number == together { [0, 1] } else { [1, 0] };
                order.sort_by_key(|axis| inner.iter().position(|i| i == axis).unwrap_or(2));
            }
            let mut strides = vec![0_i64; shape.len()];
            let mut stride: u64 = 1;
            for axis in order {
                let backwards = rng.once_in(6);
                strides[axis] = i64::try_from(stride).unwrap() * if backwards { -1 } else { 1 };
                stride *= shape[axis];
                if stride == 3 && (threes || rng.once_in(2)) || short && stride.is_power_of_two() {
                    continue;
                }
                // Past the first axis every step is a whole number of grains.
                while !(stride * bits).is_multiple_of(grain) {
                    stride += 1;
                }
            }
            let below: u64 = shape
                .iter()
                .zip(&strides)
                .map(|(&d, &s)| (d - 1) * s.min(0).unsigned_abs())
                .sum();
            let mut offset = below + rng.below(3) * 128;
            while !(offset * bits).is_multiple_of(grain) {
                offset += 1;
            }
            Layout::strided(offset, &strides, &shape).unwrap()
        };
        let (src_layout, dst_layout) = (side(0), side(1));
        let (src, dst) = (
            buffer(rng, width, &src_layout),
            buffer(rng, width, &dst_layout),
        );
        Self::new(width, src_layout, dst_layout, src, dst)
    }

    /// A copy between given buffers, with the reference's result.
    pub(crate) fn new(
        width: Width,
        src_layout: Layout,
        dst_layout: Layout,
        src: Vec<u8>,
        dst: Vec<u8>,
    ) -> Self {
        let mut expected = dst.clone();
        reference::copy(width, &src, &src_layout, &mut expected, &dst_layout).unwrap();
        Self {
            width,
            src_layout,
            dst_layout,
            one_buffer: false,
            src,
            dst,
            expected,
        }
    }

    /// A copy between two views of one buffer, one after the other and often close.
    pub(crate) fn random_in_one_buffer(rng: &mut Rng, bits: u32, most: u64) -> Self {
        let apart = Self::random(rng, bits, most);
        let (mut src_layout, mut dst_layout) = (apart.src_layout, apart.dst_layout);
        let (first, second) = if rng.once_in(2) {
            (&src_layout, &mut dst_layout)
        } else {
            (&dst_layout.clone(), &mut src_layout)
        };
        let gap = rng.pick(&[0, 0, 1, 7, 32, 100, 3_000]);
        let behind = (first.span().end + gap).saturating_sub(second.span().start);
        *second =
            Layout::strided(second.offset() + behind, second.strides(), second.shape()).unwrap();
        let end = src_layout.span().end.max(dst_layout.span().end);
        let bytes = apart.width.bytes_for(end).next_multiple_of(4).max(4);
        let buffer = rng.bytes(usize::try_from(bytes).unwrap());
        Self {
            one_buffer: true,
            ..Self::new(apart.width, src_layout, dst_layout, buffer.clone(), buffer)
        }
    }

    /// A copy between two views of one buffer whose spans meet: shifted, reversed, turned, interleaved, or anyhow.
    pub(crate) fn random_overlapping(rng: &mut Rng, bits: u32, most: u64) -> Self {
        let width = Width::new(bits).unwrap();
        let mut shape = shape(rng, (most / u64::from(bits)).max(4));
        let kind = rng.below(6);
        if kind == 2 && shape.len() > 1 {
            let (a, b) = (0, shape.len() - 1);
            let side = shape[a].min(shape[b]);
            (shape[a], shape[b]) = (side, side);
        }
        let whole = distinct(rng, &shape);
        let axis = (0..shape.len()).max_by_key(|&axis| shape[axis]);
        let (src_layout, dst_layout) = match (kind, axis) {
            (0, Some(axis)) if shape[axis] > 1 => {
                let (extent, axis) = (shape[axis], axis.cast_signed());
                let by = rng.below(extent - 1) + 1;
                let part = |start| whole.narrow(axis, start, extent - by).unwrap();
                (part(0), part(by))
            }
            (1, Some(axis)) => (whole.flip(axis.cast_signed()).unwrap(), whole),
            (2, Some(_)) => (whole.swap_axes(0, -1).unwrap(), whole),
            (3, Some(axis)) if shape[axis] > 1 => {
                let (extent, axis) = (shape[axis] & !1, axis.cast_signed());
                let part = |start| {
                    let rest = whole.narrow(axis, start, extent - 1).unwrap();
                    rest.step(axis, 2).unwrap()
                };
                (part(0), part(1))
            }
            (4, Some(axis)) if shape[axis] > 1 => {
                let (half, axis) = (shape[axis] / 2, axis.cast_signed());
                let part = |start| whole.narrow(axis, start, half).unwrap();
                (part(half), part(0))
            }
            _ => (repeating(rng, &whole), whole),
        };
        let (src_layout, dst_layout) = if rng.once_in(2) && src_layout.is_distinct() {
            (dst_layout, src_layout)
        } else {
            (src_layout, dst_layout)
        };
        let end = src_layout.span().end.max(dst_layout.span().end);
        let bytes = width.bytes_for(end).next_multiple_of(4).max(4);
        let buffer = rng.bytes(usize::try_from(bytes).unwrap());
        Self {
            one_buffer: true,
            ..Self::new(width, src_layout, dst_layout, buffer.clone(), buffer)
        }
    }

    pub(crate) fn problem(&self, in_pass: bool) -> Problem<'_> {
        Problem {
            width: self.width,
            src: Operand::any(&self.src_layout, self.src.len() as u64),
            dst: Operand::any(&self.dst_layout, self.dst.len() as u64),
            one_buffer: self.one_buffer,
            in_pass,
        }
    }

    /// A plan for each rung that covers the copy, forced, and the one that is chosen with its betters switched off.
    pub(crate) fn plans(&self, limits: Limits) -> Vec<Plan> {
        let options = Options {
            limits,
            max_steps: u64::MAX,
            ..Options::default()
        };
        let problem = self.problem(false);
        let mut plans = Vec::new();
        for rung in Rung::ALL {
            match Plan::new(
                &problem,
                &Options {
                    force: Some(rung),
                    ..options
                },
            ) {
                Ok(plan) => plans.push(plan),
                Err(Error::Rung { .. }) => {}
                Err(error) => panic!("{error}: {self:?}"),
            }
        }
        let mut without = RungSet::EMPTY;
        while let Ok(plan) = Plan::new(&problem, &Options { without, ..options }) {
            if plan.rung() == Rung::Nothing {
                break;
            }
            without = without.with(plan.rung());
            plans.push(plan);
        }
        plans
    }
}

/// Extents whose product is at most `most`, of rank 0 to 8.
fn shape(rng: &mut Rng, most: u64) -> Vec<u64> {
    let rank = rng.below(9);
    let mut left = most;
    let mut shape: Vec<u64> = (0..rank)
        .map(|_| {
            let extent = match rng.below(12) {
                0 => 1,
                1 if rng.once_in(6) => 0,
                2 => rng.pick(&[31, 32, 33, 63, 64, 65, 100, 129, 257]),
                3 => rng.below(600) + 1,
                4..=7 => rng.pick(&[2, 3, 4, 8, 16]),
                _ => rng.below(9) + 1,
            };
            let extent = extent.min(left);
            left /= extent.max(1);
            extent
        })
        .collect();
    rng.shuffle(&mut shape);
    shape
}

/// A layout that is distinct by the rule: axes in any order, most of them dense, some with gaps, some reversed.
fn distinct(rng: &mut Rng, shape: &[u64]) -> Layout {
    let mut order: Vec<usize> = (0..shape.len()).rev().collect();
    if rng.once_in(2) {
        rng.shuffle(&mut order);
    }
    let gaps = rng.below(4);
    let mut strides = vec![0_i64; shape.len()];
    let mut reach: u64 = 0;
    for axis in order {
        let mut stride = reach + 1;
        if shape[axis] > 1 {
            if gaps > 0 && rng.below(4) < gaps {
                stride += rng.pick(&[1, 1, 2, 3, 5, 7, 8, 31, 64]);
            }
            reach += (shape[axis] - 1) * stride;
        }
        let stride = i64::try_from(stride).unwrap();
        strides[axis] = if rng.once_in(5) { -stride } else { stride };
    }
    place(rng, shape, &strides)
}

/// The layout that `dense` would be with its axes in another order: a transpose.
fn permuted(rng: &mut Rng, like: &Layout) -> Layout {
    let mut order: Vec<usize> = (0..like.rank()).collect();
    rng.shuffle(&mut order);
    let mut strides = vec![0_i64; like.rank()];
    let mut stride = 1_i64;
    for axis in order {
        strides[axis] = if rng.once_in(6) { -stride } else { stride };
        stride *= i64::try_from(like.dim(axis).max(1)).unwrap();
    }
    place(rng, like.shape(), &strides)
}

/// A source that may repeat positions: strides of 0, of overlapping windows, of any sign, or those of `like`.
fn repeating(rng: &mut Rng, like: &Layout) -> Layout {
    let mut stride = 1_i64;
    let mut strides: Vec<i64> = like.strides().to_vec();
    for axis in (0..like.rank()).rev() {
        let dense = stride;
        stride *= i64::try_from(like.dim(axis).max(1)).unwrap();
        strides[axis] = match rng.below(8) {
            0 => 0,
            1 => rng.pick(&[1, -1, 2, -2, 3, 5]),
            2 => -dense,
            3 => strides[axis],
            _ => dense,
        };
    }
    place(rng, like.shape(), &strides)
}

/// The layout at the least offset that keeps positions from going negative, or a little after it.
fn place(rng: &mut Rng, shape: &[u64], strides: &[i64]) -> Layout {
    let below: u64 = shape
        .iter()
        .zip(strides)
        .map(|(&extent, &stride)| extent.saturating_sub(1) * stride.min(0).unsigned_abs())
        .sum();
    let ahead = match rng.below(4) {
        0 => 0,
        1 => rng.below(8) * 32,
        _ => rng.below(70),
    };
    Layout::strided(below + ahead, strides, shape).unwrap()
}

/// Random bytes for a view: whole words, often a few more than it needs.
fn buffer(rng: &mut Rng, width: Width, layout: &Layout) -> Vec<u8> {
    let needed = width.bytes_for(layout.span().end).next_multiple_of(4) + 4 * rng.below(3);
    rng.bytes(usize::try_from(needed.max(4)).unwrap())
}
