//! A copy from one buffer to another, planned whole. A plan has one, or two with scratch between them.

use crate::error::Error;

use super::bed::Bed;
use super::check::Checked;
use super::choose::{self, Verdict, Walk, Way};
use super::normalise::Nest;
use super::rung::{self, Rung};
use super::step::{Dispatch, NativeCopy, Route, Step};
use super::{Options, Problem};

/// A copy from one buffer to another, as a part of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Stage {
    pub(crate) route: Route,
    pub(crate) way: Way,
    bed: Bed,
    /// What became of every rung.
    pub(crate) verdicts: [Verdict; Rung::ALL.len()],
    /// The ends of the last words that windows may reach, in bytes.
    pub(crate) src_end_bytes: u64,
    pub(crate) dst_end_bytes: u64,
}

impl Stage {
    pub(crate) fn new(
        problem: &Problem<'_>,
        options: &Options,
        checked: &Checked,
        route: Route,
    ) -> Result<Self, Error> {
        let (src, dst) = (problem.src.layout, problem.dst.layout);
        let widest = options.limits.widest_unit_bits();
        let nest = Nest::new(problem.width, src, dst, widest);
        let bed = Bed::new(problem, &options.limits, &nest);
        let (way, verdicts) = choose::choose(problem, options, &nest, &bed, checked.bearing)?;
        let window_end = |end: u64, bytes: u64| end.next_multiple_of(16).min(bytes);
        Ok(Self {
            route,
            way,
            bed,
            verdicts,
            src_end_bytes: window_end(checked.src_end_bytes, bed.src_bytes),
            dst_end_bytes: window_end(checked.dst_end_bytes, bed.dst_bytes),
        })
    }

    /// The number of steps.
    pub(crate) fn step_count(&self) -> u64 {
        self.way.step_count()
    }

    /// Step `k`, one of [`step_count`](Self::step_count).
    pub(crate) fn step(&self, k: u64) -> Option<Step> {
        Some(match self.way.walk {
            Walk::Native => Step::Native(native(&self.way.nest, k, self.route)),
            Walk::Items(_) | Walk::Blocks(_) => {
                let dispatch = self.way.dispatch(k, &self.bed)?;
                let route = self.route;
                Step::Dispatch(Dispatch { route, ..dispatch })
            }
        })
    }
}

/// Run `k` of a nest of runs of whole words, the outermost axis slowest.
fn native(nest: &Nest, mut k: u64, route: Route) -> NativeCopy {
    let (unit_bits, run) = rung::native_run(nest);
    let (mut src, mut dst) = (nest.src, nest.dst);
    for axis in &nest.axes()[usize::from(run > 1)..] {
        let i = (k % axis.extent).cast_signed();
        src = src.wrapping_add_signed(i * axis.src);
        dst = dst.wrapping_add_signed(i * axis.dst);
        k /= axis.extent;
    }
    let bytes = |units: u64| units * unit_bits / 8;
    NativeCopy {
        route,
        src_bytes: bytes(src),
        dst_bytes: bytes(dst),
        size_bytes: bytes(run),
    }
}
