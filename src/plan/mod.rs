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

mod blocks;
mod check;
mod choose;
mod cost;
mod display;
mod form;
mod kernel;
mod limits;
mod normalise;
mod params;
mod rung;
mod split;
mod square;
mod step;

use crate::dtype::Width;
use crate::error::{Error, Side};
use crate::layout::Layout;

pub use kernel::{Access, Constants, Kernel, Part, Program, Store};
pub use limits::Limits;
pub use params::Params;
pub use rung::{Rung, RungSet};
pub use step::{Dispatch, NativeCopy, Route, Step, Window};

use choose::{Bed, Verdict, Walk, Way};
use cost::Cost;
use normalise::Nest;

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
    /// `None` where no element moves.
    made: Option<(Way, Bed)>,
    max_steps: u64,
    one_buffer: bool,
    /// The ends of the last words that windows may reach, in bytes.
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
            made: None,
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
        let bed = Bed::new(problem, &options.limits, &nest);
        let (way, verdicts) = choose::choose(problem, options, &nest, &bed, &checked)?;
        plan.verdicts = verdicts;
        plan.made = Some((way, bed));
        let window_end = |end: u64, bytes: u64| end.next_multiple_of(16).min(bytes);
        plan.src_end_bytes = window_end(plan.src_end_bytes, bed.src_bytes);
        plan.dst_end_bytes = window_end(plan.dst_end_bytes, bed.dst_bytes);
        Ok(plan)
    }

    /// The rung that was chosen.
    #[must_use]
    pub fn rung(&self) -> Rung {
        self.made
            .as_ref()
            .map_or(Rung::Nothing, |(way, _)| way.rung)
    }

    /// The number of steps. More than [`Options::max_steps`] are an executor's to refuse.
    #[must_use]
    pub fn step_count(&self) -> u64 {
        self.made.as_ref().map_or(0, |(way, _)| way.step_count())
    }

    /// The bytes of scratch that the plan's steps go through: whole 16-byte units, 0 where they need none.
    #[must_use]
    pub fn scratch_bytes(&self) -> u64 {
        0
    }

    /// Step `k`, computed anew at each call; `None` unless `k < step_count()`.
    #[must_use]
    pub fn step(&self, k: u64) -> Option<Step> {
        let (way, bed) = self.made.as_ref()?;
        if k >= way.step_count() {
            return None;
        }
        Some(match way.walk {
            Walk::Native => Step::Native(native(&way.nest, k)),
            Walk::Items(_) | Walk::Blocks(_) => Step::Dispatch(way.dispatch(k, bed)?),
        })
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
        route: Route::Direct,
        src_bytes: bytes(src),
        dst_bytes: bytes(dst),
        size_bytes: bytes(run),
    }
}
