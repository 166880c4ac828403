//! The CPU executor: the steps of a plan on host memory, each kernel by its twin.
//!
//! A twin does what its shader does, invocation by invocation, over the same uniform block and windows. So the plans that
//! a GPU runs can be tested by the hundred thousand without one, and a machine without an adapter still has an executor.
//! [`audit`] also holds each dispatch to what hardware may not forgive.

mod blocks;
mod gather;
mod head;
mod memory;
mod pack;
mod quads;
mod rows;
mod scatter;
mod threes;
mod traffic;
mod words;

use crate::error::Error;
use crate::plan::{Access, Dispatch, Kernel, NativeCopy, Plan, Route, Step};

use head::{for_each_item, group_count};
use memory::{Memory, Words};

pub use traffic::{Traffic, traffic};

/// Runs `plan` from the buffer `src` to the buffer `dst`; both hold whole words.
///
/// Bytes of `dst` that the plan's destination view does not own stay as they were.
///
/// # Errors
///
/// [`Error::TooManySteps`], [`Error::OtherBuffer`], [`Error::BufferCount`]: the plan may not run on these buffers;
/// [`Error::Memory`]: there is no room for its [scratch](Plan::scratch_bytes). Nothing was written. [`Error::Unsound`] only by
/// a fault of this crate.
///
/// # Examples
///
/// ```
/// use restride::plan::{Operand, Options, Plan, Problem};
/// use restride::{Layout, Width, cpu};
///
/// let from = Layout::contiguous(&[2, 3])?;
/// let to = Layout::contiguous(&[3, 2])?;
/// let source = from.transpose();
/// let problem = Problem {
///     width: Width::new(8)?,
///     src: Operand::any(&source, 8),
///     dst: Operand::any(&to, 8),
///     one_buffer: false,
///     in_pass: false,
/// };
/// let plan = Plan::new(&problem, &Options::default())?;
/// let mut turned = [9; 8];
/// cpu::execute(&plan, &[0, 1, 2, 3, 4, 5, 6, 7], &mut turned)?;
/// assert_eq!(turned, [0, 3, 1, 4, 2, 5, 9, 9]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn execute(plan: &Plan, src: &[u8], dst: &mut [u8]) -> Result<(), Error> {
    run::<false>(plan, Some(src), dst)
}

/// Runs `plan`, made for two views of one buffer, on `buffer`, which holds whole words.
///
/// # Errors
///
/// As [`execute`].
pub fn execute_in_place(plan: &Plan, buffer: &mut [u8]) -> Result<(), Error> {
    run::<false>(plan, None, buffer)
}

/// Runs `plan` as [`execute`] does, or [`execute_in_place`] without a `src`, and checks what a software adapter forgives.
///
/// No two invocations of a dispatch write one bit; no word is written by two but atomically, nor written plainly by one
/// and read by another; two writable windows have no byte in common; a window is whole words inside its buffer.
///
/// # Errors
///
/// As [`execute`]; [`Error::Unsound`] at the first of these that does not hold.
pub fn audit(plan: &Plan, src: Option<&[u8]>, dst: &mut [u8]) -> Result<(), Error> {
    run::<true>(plan, src, dst)
}

fn run<const AUDIT: bool>(plan: &Plan, src: Option<&[u8]>, dst: &mut [u8]) -> Result<(), Error> {
    plan.check_steps()?;
    let bytes = |buffer: &[u8]| buffer.len() as u64;
    let src_bytes = src.map_or(bytes(dst), bytes);
    plan.check_buffers(src_bytes, bytes(dst), src.is_none())?;
    let mut scratch = scratch(plan.scratch_bytes())?;
    for step in plan.steps() {
        let route = match &step {
            Step::Native(copy) => copy.route,
            Step::Dispatch(dispatch) => dispatch.route,
        };
        match route {
            Route::Direct => run_step::<AUDIT>(&step, src, dst)?,
            Route::IntoScratch => {
                run_step::<AUDIT>(&step, Some(src.unwrap_or(&*dst)), &mut scratch)?;
            }
            Route::FromScratch => run_step::<AUDIT>(&step, Some(&scratch), dst)?,
        }
    }
    Ok(())
}

/// Scratch of so many bytes; they are poisoned, as a plan fills what it reads of them.
fn scratch(bytes: u64) -> Result<Vec<u8>, Error> {
    let memory = Error::Memory { bytes };
    let len = usize::try_from(bytes).map_err(|_| memory.clone())?;
    let mut scratch = Vec::new();
    scratch.try_reserve_exact(len).map_err(|_| memory)?;
    scratch.resize(len, 0xa5);
    Ok(scratch)
}

fn run_step<const AUDIT: bool>(
    step: &Step,
    src: Option<&[u8]>,
    dst: &mut [u8],
) -> Result<(), Error> {
    match step {
        Step::Native(copy) => native(copy, src, dst),
        Step::Dispatch(dispatch) => run_dispatch::<AUDIT>(dispatch, src, dst),
    }
}

fn native(copy: &NativeCopy, src: Option<&[u8]>, dst: &mut [u8]) -> Result<(), Error> {
    let unsound = |bytes: u64| Error::Unsound {
        invariant: "a native copy lies in two buffers",
        word: bytes / 4,
    };
    let src = src.ok_or(unsound(0))?;
    let from = memory::part(src, copy.src_bytes, copy.size_bytes).ok_or(unsound(copy.src_bytes))?;
    let to =
        memory::part_mut(dst, copy.dst_bytes, copy.size_bytes).ok_or(unsound(copy.dst_bytes))?;
    to.copy_from_slice(from);
    Ok(())
}

fn run_dispatch<const AUDIT: bool>(
    dispatch: &Dispatch,
    src: Option<&[u8]>,
    dst: &mut [u8],
) -> Result<(), Error> {
    match dispatch.program.access {
        Access::Two => {
            let mut memory = Memory::<AUDIT>::two(dispatch, src, dst)?;
            items(dispatch, 0..group_count(dispatch), &mut memory);
            memory.verdict()
        }
        // One buffer: the source's window is copied, as no invocation may see what another writes in its dispatch.
        Access::TwoWritable => {
            let window = memory::part(dst, dispatch.src.offset_bytes, dispatch.src.size_bytes);
            let copy = window.map(<[u8]>::to_vec).unwrap_or_default();
            let mut memory = Memory::<AUDIT>::two_writable(dispatch, &copy, dst)?;
            items(dispatch, 0..group_count(dispatch), &mut memory);
            memory.verdict()
        }
        Access::One => {
            let mut memory = Memory::<AUDIT>::one(dispatch, dst)?;
            items(dispatch, 0..group_count(dispatch), &mut memory);
            memory.verdict()
        }
    }
}

/// Runs the workgroups `numbers` of a dispatch, each kernel by its twin.
fn items<M: Words>(dispatch: &Dispatch, numbers: impl Iterator<Item = u32>, memory: &mut M) {
    let (program, params) = (&dispatch.program, &dispatch.params);
    match program.kernel {
        Kernel::Words => for_each_item(dispatch, numbers, memory, |memory, place| {
            words::item(program, memory, place);
        }),
        Kernel::Rows => for_each_item(dispatch, numbers, memory, |memory, place| {
            rows::item(program, params, memory, place);
        }),
        Kernel::Quads => for_each_item(dispatch, numbers, memory, |memory, place| {
            quads::item(program, params, memory, place);
        }),
        Kernel::Gather => for_each_item(dispatch, numbers, memory, |memory, place| {
            gather::item(program, params, memory, place);
        }),
        // What weave fetches at once its twin fetches unit by unit.
        Kernel::Pack | Kernel::Weave => for_each_item(dispatch, numbers, memory, |memory, at| {
            pack::item(program, params, memory, at);
        }),
        Kernel::Blocks => for_each_item(dispatch, numbers, memory, |memory, place| {
            blocks::item(program, params, memory, place);
        }),
        Kernel::Deinterleave | Kernel::Interleave => {
            for_each_item(dispatch, numbers, memory, |memory, place| {
                threes::item(program, params, memory, place);
            });
        }
        Kernel::Scatter => for_each_item(dispatch, numbers, memory, |memory, place| {
            scatter::item(program, memory, place);
        }),
    }
}
