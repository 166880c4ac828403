//! From two views to a short list of steps: pure arithmetic, with no device and no allocation.
//!
//! A [`Plan`] is data: it can be kept, compared, printed, and asked for any of its steps. Executors are dull: the CPU's in
//! [`cpu`](crate::cpu), the GPU's in `gpu`, and any other that reads [`Step`]s.
//!
//! Two layouts become one nest of few axes over power-of-two units; the cheapest rung that covers the nest is chosen;
//! where a window is larger than a binding may be, the nest is cut into pieces.
//!
//! ```
//! use restride::plan::{Operand, Options, Plan, Problem, Rung};
//! use restride::{Layout, Width};
//!
//! let matrix = Layout::contiguous(&[300, 200])?;
//! let source = matrix.transpose();
//! let target = Layout::contiguous(&[200, 300])?;
//! let problem = Problem {
//!     width: Width::new(32)?,
//!     src: Operand::storage(&source, 300 * 200 * 4),
//!     dst: Operand::storage(&target, 300 * 200 * 4),
//!     one_buffer: false,
//!     in_pass: false,
//! };
//! let plan = Plan::new(&problem, &Options::default())?;
//! assert_eq!(plan.rung(), Rung::Gather);
//! assert_eq!(plan.step_count(), 1);
//! # Ok::<(), restride::Error>(())
//! ```

mod check;
mod cost;
mod display;
mod form;
mod kernel;
mod limits;
mod normalise;
mod params;
mod rung;
mod split;
mod step;

use crate::dtype::Width;
use crate::error::{Error, Side};
use crate::layout::Layout;

pub use kernel::{Access, Constants, Kernel, Part, Program, Store};
pub use limits::Limits;
pub use params::Params;
pub use rung::{Rung, RungSet};
pub use step::{Dispatch, NativeCopy, Step, Window};

use check::Checked;
use cost::{Cost, cost};
use form::{Form, Placed};
use normalise::{Nest, reach_bits};
use params::MAX_DIVISOR;
use split::{BIT_WINDOW_BYTES, Bounds, Split, WORD_WINDOW_BYTES};

/// One side of a copy: a view, and what is known of its buffer.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a> {
    /// The view's layout.
    pub layout: &'a Layout,
    /// The buffer's size, in bytes.
    pub buffer_bytes: u64,
    /// Whether the buffer may be bound as storage.
    pub storage: bool,
    /// Whether the buffer may be the source, or the destination, of native copies.
    pub copy: bool,
}

impl<'a> Operand<'a> {
    /// A view of a buffer that may be bound, and takes no part in native copies.
    #[must_use]
    pub const fn storage(layout: &'a Layout, buffer_bytes: u64) -> Self {
        Self {
            layout,
            buffer_bytes,
            storage: true,
            copy: false,
        }
    }

    /// A view of a buffer that may be bound, and take part in native copies.
    #[must_use]
    pub const fn any(layout: &'a Layout, buffer_bytes: u64) -> Self {
        Self {
            layout,
            buffer_bytes,
            storage: true,
            copy: true,
        }
    }
}

/// A copy to be planned: the element at each index of `dst` becomes that of `src`.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The width of both views' elements.
    pub width: Width,
    /// The view that is read.
    pub src: Operand<'a>,
    /// The view that is written: distinct, and of the same shape.
    pub dst: Operand<'a>,
    /// Whether both views are in one buffer.
    pub one_buffer: bool,
    /// Whether the plan is for an open compute pass, which has no native copies.
    pub in_pass: bool,
}

/// What a plan may use: limits, rungs and a number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// The device's limits.
    pub limits: Limits,
    /// The one rung to use, where elements move at all; the cheapest if `None`.
    pub force: Option<Rung>,
    /// Rungs that are not used.
    pub without: RungSet,
    /// The most steps that an executor takes; planning itself takes any number.
    pub max_steps: u64,
}

impl Default for Options {
    /// The baseline's limits, every rung, and 65,536 steps.
    fn default() -> Self {
        Self {
            limits: Limits::BASELINE,
            force: None,
            without: RungSet::EMPTY,
            max_steps: 65_536,
        }
    }
}

/// What became of one rung when a plan was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Verdict {
    Off,
    Lacks(&'static str),
    Costs(Cost),
}

/// A copy as a list of steps, of fixed size however many they are.
///
/// [`Display`](std::fmt::Display) says on its first line what was chosen (rung, steps, and each axis as extent, destination
/// step and source step), on the others what every rung would cost or lacks.
///
/// # Examples
///
/// ```
/// use restride::plan::{Limits, Operand, Options, Plan, Problem, Step};
/// use restride::{DType, Layout};
///
/// let whole = Layout::contiguous(&[64, 64])?;
/// let turned = whole.transpose();
/// let problem = Problem {
///     width: DType::Float32.width(),
///     src: Operand::storage(&turned, 64 * 64 * 4),
///     dst: Operand::storage(&whole, 64 * 64 * 4),
///     one_buffer: false,
///     in_pass: false,
/// };
/// // Bindings of 1 KiB: the copy is cut into pieces, each a step that is computed when it is asked for.
/// let options = Options { limits: Limits::TINY, ..Options::default() };
/// let plan = Plan::new(&problem, &options)?;
/// assert!(plan.step_count() > 1);
/// for step in plan.steps() {
///     let Step::Dispatch(dispatch) = step else { unreachable!("neither buffer takes native copies") };
///     assert!(dispatch.src.size_bytes <= 1024 && dispatch.dst.size_bytes <= 1024);
/// }
/// # Ok::<(), restride::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    width: Width,
    rung: Rung,
    nest: Option<Nest>,
    split: Option<Split>,
    form: Option<Form>,
    bounds: Bounds,
    max_groups: u32,
    max_steps: u64,
    one_buffer: bool,
    src_end_bytes: u64,
    dst_end_bytes: u64,
    verdicts: [Verdict; Rung::ALL.len()],
}

impl Plan {
    /// The plan of `problem` under `options`: the cheapest rung that covers it. It allocates nothing.
    ///
    /// # Errors
    ///
    /// - [`Error::Limit`]: a limit is unusable.
    /// - [`Error::UnlikeRanks`], [`Error::UnlikeExtents`]: the shapes differ.
    /// - [`Error::NotDistinct`]: two indices of the destination may share a position.
    /// - [`Error::BufferTooSmall`], [`Error::Tail`]: a view reaches past its buffer, or past its last whole word.
    /// - [`Error::Overlap`]: the views overlap in one buffer, and are not the same view.
    /// - [`Error::MissingUsage`]: no rung can be used with the buffers' usages.
    /// - [`Error::Rung`]: the forced rung does not cover the copy, or none does that is left.
    pub fn new(problem: &Problem<'_>, options: &Options) -> Result<Self, Error> {
        options.limits.check()?;
        let checked = check::check(problem)?;
        let mut plan = Self {
            width: problem.width,
            rung: Rung::Nothing,
            nest: None,
            split: None,
            form: None,
            bounds: Bounds {
                window_bytes: 0,
                alignment_bytes: 4,
            },
            max_groups: options.limits.groups,
            max_steps: options.max_steps,
            one_buffer: problem.one_buffer,
            src_end_bytes: checked.src_end_bytes,
            dst_end_bytes: checked.dst_end_bytes,
            verdicts: [Verdict::Lacks("no element moves"); Rung::ALL.len()],
        };
        if checked.nothing {
            plan.verdicts[0] = Verdict::Costs(Cost { bytes: 0 });
            return Ok(plan);
        }
        let nest = Nest::new(
            problem.width,
            problem.src.layout,
            problem.dst.layout,
            options.limits.widest_unit_bits(),
        );
        plan.choose(problem, options, &nest, &checked)?;
        Ok(plan)
    }

    /// Takes the cheapest rung.
    fn choose(
        &mut self,
        problem: &Problem<'_>,
        options: &Options,
        nest: &Nest,
        checked: &Checked,
    ) -> Result<(), Error> {
        let bindable = problem.src.storage && problem.dst.storage;
        self.nest = Some(*nest);
        self.bounds = bounds(&options.limits, nest, problem.one_buffer);
        let mut best: Option<(u64, Rung, Split, Option<Form>)> = None;
        for (rung, verdict) in Rung::ALL.into_iter().zip(&mut self.verdicts) {
            let off =
                options.without.contains(rung) || options.force.is_some_and(|only| only != rung);
            *verdict = match rung.covers(nest, problem) {
                Err(reason) => Verdict::Lacks(reason),
                Ok(()) if off => Verdict::Off,
                Ok(()) if rung != Rung::Native && !bindable => {
                    Verdict::Lacks("a buffer lacks STORAGE")
                }
                Ok(()) => {
                    let (split, form) = if rung == Rung::Native {
                        (Split::whole(nest), None)
                    } else {
                        let (split, form) = shape(
                            rung,
                            nest,
                            self.bounds,
                            &options.limits,
                            checked.share_a_word,
                        );
                        (split, Some(form))
                    };
                    let steps = split
                        .pieces()
                        .saturating_mul(form.map_or(1, |form| form.dispatches()));
                    let cost = cost(rung, nest, steps);
                    if best.as_ref().is_none_or(|(least, ..)| cost.bytes < *least) {
                        best = Some((cost.bytes, rung, split, form));
                    }
                    Verdict::Costs(cost)
                }
            };
        }
        let Some((_, rung, split, form)) = best else {
            return Err(self.refusal(problem, options));
        };
        self.rung = rung;
        self.split = Some(split);
        self.form = form;
        Ok(())
    }

    /// Why no rung is left.
    fn refusal(&self, problem: &Problem<'_>, options: &Options) -> Error {
        if let Some(rung) = options.force {
            let verdict = Rung::ALL
                .iter()
                .zip(self.verdicts)
                .find(|(known, _)| **known == rung);
            let reason = match verdict {
                Some((_, Verdict::Lacks(reason))) => reason,
                _ => "it is switched off",
            };
            return Error::Rung {
                rung: rung.name(),
                reason,
            };
        }
        for (side, operand) in [
            (Side::Source, problem.src),
            (Side::Destination, problem.dst),
        ] {
            if !operand.storage {
                return Error::MissingUsage {
                    side,
                    usage: "STORAGE",
                };
            }
        }
        Error::Rung {
            rung: "scatter",
            reason: "every rung that covers the copy is switched off",
        }
    }

    /// The rung that was chosen.
    #[must_use]
    pub fn rung(&self) -> Rung {
        self.rung
    }

    /// The number of steps. More than [`Options::max_steps`] are an executor's to refuse.
    #[must_use]
    pub fn step_count(&self) -> u64 {
        match (&self.nest, &self.split, &self.form) {
            (Some(_), Some(split), Some(form)) => split.pieces().saturating_mul(form.dispatches()),
            (Some(nest), Some(_), None) => nest.units() / rung::native_run(nest).1,
            _ => 0,
        }
    }

    /// Step `k`, computed anew at each call; `None` unless `k < step_count()`.
    #[must_use]
    pub fn step(&self, k: u64) -> Option<Step> {
        let (nest, split) = (self.nest.as_ref()?, self.split.as_ref()?);
        if k >= self.step_count() {
            return None;
        }
        let Some(form) = &self.form else {
            return Some(Step::Native(native(nest, k)));
        };
        let dispatches = form.dispatches();
        let part = usize::from(k % dispatches == 1);
        let (first, extent) = split.piece(k / dispatches);
        let rank = nest.axes().len();
        Some(Step::Dispatch(form.dispatch(
            nest,
            part,
            &extent[..rank],
            self.place(nest, &first[..rank], &extent[..rank]),
        )))
    }

    /// The steps in order.
    pub fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        (0..self.step_count()).map_while(|k| self.step(k))
    }

    /// `Ok` iff an executor may take this plan's steps.
    ///
    /// # Errors
    ///
    /// [`Error::TooManySteps`]: there are more than [`Options::max_steps`].
    pub fn check_steps(&self) -> Result<(), Error> {
        let (steps, max_steps) = (self.step_count(), self.max_steps);
        if steps > max_steps {
            return Err(Error::TooManySteps { steps, max_steps });
        }
        Ok(())
    }

    /// `Ok` iff the plan may run on buffers of these sizes, which are one buffer iff `one_buffer`.
    ///
    /// # Errors
    ///
    /// [`Error::OtherBuffer`]: a buffer ends before the plan's last word in it. [`Error::BufferCount`]: the plan was
    /// made for one buffer and is given two, or the other way round.
    pub fn check_buffers(
        &self,
        src_bytes: u64,
        dst_bytes: u64,
        one_buffer: bool,
    ) -> Result<(), Error> {
        if one_buffer != self.one_buffer {
            let count = |one| if one { 1 } else { 2 };
            return Err(Error::BufferCount {
                planned: count(self.one_buffer),
                found: count(one_buffer),
            });
        }
        for (side, planned, buffer) in [
            (Side::Source, self.src_end_bytes, src_bytes),
            (Side::Destination, self.dst_end_bytes, dst_bytes),
        ] {
            if planned > buffer {
                return Err(Error::OtherBuffer {
                    side,
                    planned,
                    buffer,
                });
            }
        }
        Ok(())
    }

    /// Where a piece lies: its first unit on both sides, and the windows that hold it.
    fn place(&self, nest: &Nest, first: &[u64], extent: &[u64]) -> Placed {
        let (mut src, mut dst) = (nest.src, nest.dst);
        for (axis, &first) in nest.axes().iter().zip(first) {
            src = src.wrapping_add_signed(first.cast_signed() * axis.src);
            dst = dst.wrapping_add_signed(first.cast_signed() * axis.dst);
        }
        let axes = || nest.axes().iter().zip(extent);
        let window = |base, steps: fn(&normalise::Axis) -> i64| {
            let bits = reach_bits(
                nest.unit_log2,
                base,
                axes().map(|(axis, &extent)| (extent, steps(axis))),
            );
            self.bounds.window(bits)
        };
        let (mut from, mut to) = (window(src, |axis| axis.src), window(dst, |axis| axis.dst));
        let mut access = Access::Two;
        if self.one_buffer {
            access = Access::TwoWritable;
            if windows_meet(from, to) {
                access = Access::One;
                from = (from.0.min(to.0), from.1.max(to.1));
                to = from;
            }
        }
        let bytes = |(start, end): (u64, u64)| Window {
            offset_bytes: start,
            size_bytes: end - start,
        };
        Placed {
            src,
            dst,
            src_window: bytes(from),
            dst_window: bytes(to),
            access,
            max_groups: self.max_groups,
        }
    }
}

/// What bounds the windows of a nest's pieces.
fn bounds(limits: &Limits, nest: &Nest, one_buffer: bool) -> Bounds {
    let unit_bytes = nest.unit_bits() / 8;
    let alignment_bytes = limits.alignment_bytes.max(unit_bytes);
    let addressable = if nest.unit_log2 < 5 {
        BIT_WINDOW_BYTES
    } else {
        WORD_WINDOW_BYTES
    };
    let mut bounds = Bounds {
        window_bytes: limits.binding_bytes.min(addressable) & !3,
        alignment_bytes,
    };
    if one_buffer
        && windows_meet(
            bounds.window(nest.src_bits()),
            bounds.window(nest.dst_bits()),
        )
    {
        // Two windows of half the size that meet lie in one whole; two of one alignment that meet are the same.
        bounds.window_bytes = ((bounds.window_bytes / 2) & !3).max(alignment_bytes);
    }
    bounds
}

/// Whether two windows `[start, end)` have a byte in common.
fn windows_meet(one: (u64, u64), other: (u64, u64)) -> bool {
    one.0 < other.1 && other.0 < one.1
}

/// The pieces and the form of a rung that dispatches, within the grid's bounds.
fn shape(
    rung: Rung,
    nest: &Nest,
    bounds: Bounds,
    limits: &Limits,
    share_a_word: bool,
) -> (Split, Form) {
    let groups = u64::from(limits.groups);
    let most = groups
        .saturating_mul(groups)
        .saturating_mul(groups)
        .min(MAX_DIVISOR);
    let mut split = Split::new(nest, bounds);
    loop {
        let form = Form::new(rung, nest, &split, share_a_word, limits.lanes());
        let over = form.group_count(nest, &split).div_ceil(most);
        if over <= 1 || !split.shrink(over) {
            return (split, form);
        }
    }
}

/// Run `k` of a nest of runs of whole words, the outermost axis slowest.
fn native(nest: &Nest, mut k: u64) -> NativeCopy {
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
        src_bytes: bytes(src),
        dst_bytes: bytes(dst),
        size_bytes: bytes(run),
    }
}
