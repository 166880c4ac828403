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
//! assert_eq!(plan.rung(), Rung::Blocks);
//! assert_eq!(plan.step_count(), 1);
//! # Ok::<(), restride::Error>(())
//! ```

mod bed;
mod blocks;
mod check;
mod choose;
mod cost;
mod display;
mod form;
mod kernel;
mod limits;
mod normalise;
mod overlap;
mod params;
mod programs;
mod rung;
mod scratch;
mod serial;
mod split;
mod square;
mod stage;
mod step;
mod wgsl;

use crate::dtype::Width;
use crate::error::{Error, Side};
use crate::layout::Layout;

pub use kernel::{Access, Constants, Kernel, Part, Program, Store};
pub use limits::Limits;
pub use params::Params;
pub(crate) use params::{BLOCK_BITS, BY_ACROSS, BY_ITEMS};
pub use rung::{Rung, RungSet};
pub use step::{Dispatch, NativeCopy, Route, Step, Window};

use check::Bearing;
use scratch::Scratch;
use stage::Stage;

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

/// What a plan may use: limits, rungs, a number of steps, and scratch.
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
    /// The most bytes of scratch that views which overlap in one buffer may go through; 0 refuses them. A buffer of the
    /// device's is the bound in any case.
    pub max_scratch_bytes: u64,
}

impl Default for Options {
    /// The baseline's limits, every rung, 65,536 steps, and any scratch.
    fn default() -> Self {
        Self {
            limits: Limits::BASELINE,
            force: None,
            without: RungSet::EMPTY,
            max_steps: 65_536,
            max_scratch_bytes: u64::MAX,
        }
    }
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
    /// The way into scratch, for views that overlap.
    before: Option<Stage>,
    /// The way to the destination; `None` where no element moves.
    made: Option<Stage>,
    scratch_bytes: u64,
    max_steps: u64,
    one_buffer: bool,
    /// The ends of the last words that windows may reach, in bytes.
    src_end_bytes: u64,
    dst_end_bytes: u64,
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
    /// - [`Error::ScratchLimit`]: the views overlap in one buffer, and need more scratch than is allowed.
    /// - [`Error::MissingUsage`]: no rung can be used with the buffers' usages.
    /// - [`Error::Rung`]: the forced rung does not cover the copy, or none does that is left.
    pub fn new(problem: &Problem<'_>, options: &Options) -> Result<Self, Error> {
        options.limits.check()?;
        let checked = check::check(problem)?;
        let mut plan = Self {
            before: None,
            made: None,
            scratch_bytes: 0,
            max_steps: options.max_steps,
            one_buffer: problem.one_buffer,
            src_end_bytes: checked.src_end_bytes,
            dst_end_bytes: checked.dst_end_bytes,
        };
        match checked.bearing {
            Bearing::Nothing => return Ok(plan),
            Bearing::Overlap => plan.go_through_scratch(problem, options)?,
            _ => plan.made = Some(Stage::new(problem, options, &checked, Route::Direct)?),
        }
        if let Some(first) = plan.before.as_ref().or(plan.made.as_ref()) {
            plan.src_end_bytes = first.src_end_bytes;
        }
        if let Some(last) = &plan.made {
            plan.dst_end_bytes = last.dst_end_bytes;
        }
        Ok(plan)
    }

    /// Plans the way into scratch and the way out of it. A forced rung is that of the way out.
    fn go_through_scratch(
        &mut self,
        problem: &Problem<'_>,
        options: &Options,
    ) -> Result<(), Error> {
        let scratch = Scratch::new(problem.src.layout)?;
        let bytes = problem.width.bytes_for(scratch.numel).next_multiple_of(16);
        let limit = options.max_scratch_bytes.min(options.limits.buffer_bytes);
        if bytes > limit {
            return Err(Error::ScratchLimit {
                needed: bytes,
                limit,
            });
        }
        self.scratch_bytes = bytes;
        let stage = |route, src, dst, options: &Options| {
            let problem = Problem {
                src,
                dst,
                one_buffer: false,
                ..*problem
            };
            let checked = check::check(&problem)?;
            Stage::new(&problem, options, &checked, route).map(Some)
        };
        let src = Operand {
            layout: &scratch.src,
            ..problem.src
        };
        let free = Options {
            force: None,
            ..*options
        };
        let into = Operand::any(&scratch.into, bytes);
        self.before = stage(Route::IntoScratch, src, into, &free)?;
        let from = Operand::any(&scratch.from, bytes);
        self.made = stage(Route::FromScratch, from, problem.dst, options)?;
        Ok(())
    }

    /// The rung that was chosen; for a plan through scratch, that of its way out of it.
    #[must_use]
    pub fn rung(&self) -> Rung {
        self.made
            .as_ref()
            .map_or(Rung::Nothing, |stage| stage.way.rung)
    }

    /// The number of steps. More than [`Options::max_steps`] are an executor's to refuse.
    #[must_use]
    pub fn step_count(&self) -> u64 {
        let count = Stage::step_count;
        let before = self.before.as_ref().map_or(0, count);
        before.saturating_add(self.made.as_ref().map_or(0, count))
    }

    /// The routes of the steps, in their order, and whether their steps are native copies: those of one route all are, or none.
    #[cfg(feature = "gpu")]
    pub(crate) fn routes(&self) -> impl Iterator<Item = (Route, bool)> {
        let stages = [&self.before, &self.made].into_iter().flatten();
        stages.map(|stage| (stage.route, stage.way.rung == Rung::Native))
    }

    /// The bits that the steps move when packed: as many are read as are written. On the way through scratch they move twice.
    pub(crate) fn payload_bits(&self) -> u64 {
        let bits = |stage: &Stage| {
            let nest = &stage.way.nest;
            nest.units().saturating_mul(nest.unit_bits())
        };
        let before = self.before.as_ref().map_or(0, bits);
        before.saturating_add(self.made.as_ref().map_or(0, bits))
    }

    /// The bytes of scratch that the plan's steps go through: whole 16-byte units, and 0 where they need none.
    ///
    /// They do where the views overlap in one buffer, or share its words: the source is read whole, each element that it
    /// repeats along an axis once, before anything is written.
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::plan::{Operand, Options, Plan, Problem};
    /// use restride::{Layout, Width};
    ///
    /// // Nine rows of ten are moved down by one.
    /// let rows = Layout::contiguous(&[10, 140])?;
    /// let (upper, lower) = (rows.narrow(0, 0, 9)?, rows.narrow(0, 1, 9)?);
    /// let problem = Problem {
    ///     width: Width::new(32)?,
    ///     src: Operand::storage(&upper, 5600),
    ///     dst: Operand::storage(&lower, 5600),
    ///     one_buffer: true,
    ///     in_pass: false,
    /// };
    /// let plan = Plan::new(&problem, &Options::default())?;
    /// assert_eq!(plan.scratch_bytes(), 9 * 140 * 4);
    /// # Ok::<(), restride::Error>(())
    /// ```
    #[must_use]
    pub fn scratch_bytes(&self) -> u64 {
        self.scratch_bytes
    }

    /// Step `k`, computed anew at each call; `None` unless `k < step_count()`.
    #[must_use]
    pub fn step(&self, k: u64) -> Option<Step> {
        let mut k = k;
        for stage in [&self.before, &self.made].into_iter().flatten() {
            let steps = stage.step_count();
            if k < steps {
                return stage.step(k);
            }
            k -= steps;
        }
        None
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
}

/// Moves the last of a few `items` before the others.
fn last_first<T>(items: &mut [T]) {
    for at in (1..items.len()).rev() {
        items.swap(at - 1, at);
    }
}

/// Sorts a few `items` by `key`, equal ones in their order: by insertion, as they are one to an axis at most.
fn sort_few<T: Copy, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    for next in 1..items.len() {
        let item = items[next];
        let mut at = next;
        while at > 0 && key(&items[at - 1]) > key(&item) {
            items[at] = items[at - 1];
            at -= 1;
        }
        items[at] = item;
    }
}
