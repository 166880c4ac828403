//! Walks of random public calls, on anything: none panics, and wgpu complains of nothing outside what is returned.
//!
//! What the library tells at submission only is left out: no buffer is mapped, and none is destroyed once a copy of it was
//! prepared.

#[cfg(feature = "gpu")]
mod device;
mod host;
mod numbers;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use restride::plan::{Operand, Options, Plan, Problem};
use restride::view::View;
use restride::{Layout, Width, coalesce, cpu, reference};

use crate::generator::{Rng, seed};
use numbers::{dtype, index, int, limits, options, shape, small, text, uint};

/// Walks of a run, unless `RESTRIDE_WALKS` says how many.
const WALKS: u64 = 10_000;

fn walks() -> u64 {
    let asked = std::env::var("RESTRIDE_WALKS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(WALKS)
}

/// Runs `walk` with a generator for each walk; where one panics, its seed is printed, which as `RESTRIDE_SEED` makes it the
/// first walk of a run.
fn run(name: &str, mut walk: impl FnMut(&mut Rng)) {
    let seed = seed(name);
    for number in 0..walks() {
        let own = seed.wrapping_add(number);
        let outcome = catch_unwind(AssertUnwindSafe(|| walk(&mut Rng::new(own))));
        if let Err(panic) = outcome {
            println!("{name}: walk {number}: RESTRIDE_SEED={own} RESTRIDE_WALKS=1");
            resume_unwind(panic);
        }
    }
}

/// The layouts and plans that a walk has made so far.
struct Things {
    layouts: Vec<Layout>,
    plans: Vec<Plan>,
}

impl Things {
    fn new() -> Self {
        let layouts = vec![
            Layout::contiguous(&[16]).unwrap(),
            Layout::contiguous(&[4, 4]).unwrap(),
        ];
        Self {
            layouts,
            plans: Vec::new(),
        }
    }

    fn layout(&self, rng: &mut Rng) -> &Layout {
        &self.layouts[pick(rng, self.layouts.len())]
    }

    /// A layout, and one of its shape more often than not.
    fn pair(&self, rng: &mut Rng) -> (Layout, Layout) {
        let first = self.layout(rng).clone();
        let second = match rng.below(4) {
            0 => self.layout(rng).clone(),
            1 => Layout::contiguous(first.shape()).unwrap_or_else(|_| first.clone()),
            2 => placed(rng, first.shape()).unwrap_or_else(|| first.clone()),
            _ => first.clone(),
        };
        if rng.once_in(2) {
            (first, second)
        } else {
            (second, first)
        }
    }

    /// Keeps what a call gave, if it gave anything.
    fn keep<E>(&mut self, layout: Result<Layout, E>) {
        self.keep_if(layout.ok());
    }

    fn keep_if(&mut self, layout: Option<Layout>) {
        if let Some(layout) = layout {
            self.layouts.push(layout);
        }
    }

    /// One call that needs no device.
    fn step(&mut self, rng: &mut Rng) {
        match rng.below(12) {
            0 => self.keep(Layout::contiguous(&shape(rng))),
            1 => {
                let shape = shape(rng);
                let strides: Vec<i64> = shape.iter().map(|_| int(rng)).collect();
                let strides =
                    &strides[..strides.len().saturating_sub(usize::from(rng.once_in(20)))];
                self.keep(Layout::strided(uint(rng), strides, &shape));
            }
            2 => {
                let shape = small(rng);
                self.keep_if(placed(rng, &shape));
            }
            3..=5 => self.word(rng),
            6 => self.view(rng),
            7 => {
                let (a, b) = self.pair(rng);
                let layouts = [a, b];
                if let Ok(coalesced) = coalesce(&layouts[..pick(rng, 3)]) {
                    self.layouts.extend(coalesced);
                }
            }
            8 => {
                let layout = self.layout(rng);
                let _ = (layout.span(), layout.is_contiguous(), layout.is_distinct());
                let _ = (
                    layout.to_string(),
                    format!("{layout:?}"),
                    layout == self.layout(rng),
                );
            }
            9 | 10 => self.plan(rng),
            _ => self.run(rng),
        }
    }

    /// A word of a layout.
    fn word(&mut self, rng: &mut Rng) {
        let layout = self.layout(rng).clone();
        let (a, b) = (axis(rng, &layout), axis(rng, &layout));
        let list = |rng: &mut Rng| -> Vec<i64> { (0..rng.below(5)).map(|_| int(rng)).collect() };
        let made = match rng.below(20) {
            0 => {
                let mut axes: Vec<isize> = (0..layout.rank().cast_signed()).collect();
                for axis in &mut axes {
                    if rng.once_in(8) {
                        *axis = a;
                    }
                }
                axes.reverse();
                layout.permute(&axes).ok()
            }
            1 => Some(layout.transpose()),
            2 => layout.swap_axes(a, b).ok(),
            3 => layout.move_axis(a, b).ok(),
            4 => layout.flip(a).ok(),
            5 => layout.step(a, int(rng)).ok(),
            6 => layout.narrow(a, uint(rng), uint(rng)).ok(),
            7 => layout.select(a, int(rng)).ok(),
            8 => Some(layout.squeeze()),
            9 => layout.squeeze_axis(a).ok(),
            10 => layout.unsqueeze(a).ok(),
            11 => layout.unfold(a, uint(rng), uint(rng)).ok(),
            12 => layout.window(a, uint(rng), uint(rng), uint(rng)).ok(),
            13 => layout.diagonal(a, b).ok(),
            14 => {
                let indices: Vec<_> = (0..rng.below(6)).map(|_| index(rng)).collect();
                layout.slice(&indices).ok()
            }
            15 => layout.expand(&shape(rng)).ok(),
            16 => layout.reshape(&list(rng)).ok().flatten(),
            17 => layout.unflatten(a, &list(rng)).ok(),
            18 => layout.bitcast(dtype(rng), dtype(rng)).ok().flatten(),
            _ => {
                let m = numbers::a_move(rng, &layout);
                let shape = m.shape(layout.shape());
                let applied = layout.apply(&m);
                assert_eq!(shape.is_ok(), applied.is_ok(), "{m:?} on {layout}");
                applied.ok().flatten()
            }
        };
        self.keep_if(made);
    }

    fn view(&mut self, rng: &mut Rng) {
        let Ok(view) = text(rng).parse::<View>() else {
            return;
        };
        let layout = self.layout(rng).clone();
        let (dtype, bytes) = (dtype(rng), uint(rng));
        let stages = view.stages(dtype, &layout, bytes);
        if let Ok((_, layout)) = view.apply(dtype, &layout, bytes) {
            assert!(stages.is_ok_and(|stages| stages.len() == 1));
            self.layouts.push(layout);
        }
    }

    /// A plan of anything, and what can be asked of it.
    fn plan(&mut self, rng: &mut Rng) {
        let (src, dst) = self.pair(rng);
        let Ok(width) = Width::new(rng.pick(&[0, 1, 3, 4, 8, 24, 32, 32, 64, 128, 129])) else {
            return;
        };
        let mut operand = |layout| Operand {
            layout,
            buffer_bytes: uint(rng),
            storage: !rng.once_in(8),
            copy: rng.once_in(2),
        };
        let problem = Problem {
            width,
            src: operand(&src),
            dst: operand(&dst),
            one_buffer: rng.once_in(4),
            in_pass: rng.once_in(3),
        };
        let options = Options {
            limits: limits(rng),
            ..options(rng)
        };
        let Ok(plan) = Plan::new(&problem, &options) else {
            return;
        };
        let count = plan.step_count();
        for k in [
            0,
            count / 2,
            count.saturating_sub(1),
            count,
            u64::MAX,
            uint(rng),
        ] {
            assert_eq!(plan.step(k).is_some(), k < count, "step {k} of\n{plan}");
        }
        let _ = (plan.to_string(), plan.rung(), plan.check_steps());
        let _ = plan.check_buffers(uint(rng), uint(rng), rng.once_in(2));
        self.plans.push(plan);
    }

    /// A plan on buffers of any size, and a copy by the reference.
    fn run(&self, rng: &mut Rng) {
        let mut memory = || {
            let (words, over) = (rng.pick(&[0, 1, 4, 16, 300]), rng.pick(&[0, 0, 0, 1, 2, 3]));
            rng.bytes(words * 4 + over)
        };
        let (src, mut dst) = (memory(), memory());
        if let Some(plan) = self.plans.last()
            && plan.step_count() < 300
        {
            let _ = match rng.below(4) {
                0 => cpu::execute_in_place(plan, &mut dst),
                1 => cpu::audit(plan, None, &mut dst),
                2 => cpu::audit(plan, Some(&src), &mut dst),
                _ => cpu::execute(plan, &src, &mut dst),
            };
        }
        let (from, to) = self.pair(rng);
        if from.numel().max(to.numel()) < 1 << 16 {
            let width = Width::new(rng.pick(&[1, 7, 8, 32, 128])).unwrap();
            let _ = reference::copy(width, &src, &from, &mut dst, &to);
            let _ = reference::copy_within(width, &mut dst, &from, &to);
        }
    }
}

/// A number in `[0, n)`, `n ≥ 1`.
fn pick(rng: &mut Rng, n: usize) -> usize {
    usize::try_from(rng.below(n as u64)).unwrap()
}

/// An axis of a layout, mostly.
fn axis(rng: &mut Rng, layout: &Layout) -> isize {
    if rng.once_in(6) {
        isize::try_from(int(rng)).unwrap_or(isize::MIN)
    } else {
        let rank = layout.rank().max(1);
        pick(rng, 2 * rank).cast_signed() - rank.cast_signed()
    }
}

/// A layout of this shape that may be a destination: its axes dense, in any order, some backwards.
fn placed(rng: &mut Rng, shape: &[u64]) -> Option<Layout> {
    let mut strides = vec![0_i64; shape.len()];
    let (mut stride, mut below) = (1_i64, 0_u64);
    let forwards = rng.once_in(2);
    for k in 0..shape.len() {
        let axis = if forwards { k } else { shape.len() - 1 - k };
        let extent = i64::try_from(shape[axis]).ok()?;
        strides[axis] = stride;
        if rng.once_in(4) {
            strides[axis] = -stride;
            let reach = extent.saturating_sub(1).max(0).checked_mul(stride)?;
            below = below.checked_add(reach.unsigned_abs())?;
        }
        stride = stride
            .checked_mul(extent.max(1))?
            .checked_add(rng.pick(&[0, 0, 0, 1, 5]))?;
    }
    Layout::strided(below + rng.below(40), &strides, shape).ok()
}

#[test]
fn walks_of_the_host_end_in_no_panic() {
    run("walks", |rng| {
        let mut things = Things::new();
        for _ in 0..12 {
            things.step(rng);
        }
    });
}
