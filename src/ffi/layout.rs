//! `restride_layout`: where elements lie.

use std::ffi::{c_char, c_int};
use std::ptr;

use super::args;
use super::memory::Handle;
use super::status::{Failure, Status, boxed, guard, report, unbox};
use crate::Layout;

/// The handle of the layout that `make` makes; null, and `status` saying why, if it makes none.
///
/// # Safety
///
/// `status` is null, or a status that no other thread uses.
pub(super) unsafe fn new(
    status: *mut Status,
    make: impl FnOnce() -> Result<Layout, Failure>,
) -> *mut Layout {
    // SAFETY: the caller's promise.
    unsafe { report(status, ptr::null_mut(), || Ok(boxed(make()?))) }
}

/// Extents as C gives them.
pub(super) fn extents(shape: &[i64]) -> Result<Vec<u64>, Failure> {
    let extent = |&extent: &i64| {
        u64::try_from(extent).map_err(|_| Failure::argument(format!("extent {extent} is negative")))
    };
    shape.iter().map(extent).collect()
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_layout_contiguous(
    shape: *const i64,
    rank: c_int,
    status: *mut Status,
) -> *mut Layout {
    // SAFETY: the header's contract, here and below.
    unsafe {
        new(status, || {
            let shape = args::counted(shape, rank, "shape")?;
            Ok(Layout::contiguous(&extents(shape)?)?)
        })
    }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_layout_strided(
    offset: u64,
    strides: *const i64,
    shape: *const i64,
    rank: c_int,
    status: *mut Status,
) -> *mut Layout {
    // SAFETY: the header's contract.
    unsafe {
        new(status, || {
            let strides = args::counted(strides, rank, "strides")?;
            let shape = args::counted(shape, rank, "shape")?;
            Ok(Layout::strided(offset, strides, &extents(shape)?)?)
        })
    }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_layout_of(
    tensor: *const Handle,
    status: *mut Status,
) -> *mut Layout {
    // SAFETY: the header's contract.
    unsafe { new(status, || Ok(args::value(tensor, "tensor")?.layout()?)) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_layout_copy(
    layout: *const Layout,
    status: *mut Status,
) -> *mut Layout {
    // SAFETY: the header's contract.
    unsafe { new(status, || Ok(args::value(layout, "layout")?.clone())) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_layout_delete(layout: *mut Layout) {
    // SAFETY: the header's contract.
    unsafe { unbox(layout) };
}

/// What `ask` says of a layout; `otherwise` of none.
///
/// # Safety
///
/// `layout` is null or a layout.
unsafe fn ask<R: Copy>(layout: *const Layout, otherwise: R, ask: impl FnOnce(&Layout) -> R) -> R {
    // SAFETY: the caller's promise.
    guard(otherwise, || {
        unsafe { layout.as_ref() }.map_or(otherwise, ask)
    })
}

/// Entry `axis` of a list with one for each axis.
fn entry<T: Copy>(list: &[T], axis: c_int, otherwise: T) -> T {
    let entry = usize::try_from(axis).ok().and_then(|axis| list.get(axis));
    entry.copied().unwrap_or(otherwise)
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_layout_rank(layout: *const Layout) -> c_int {
    // SAFETY: the header's contract. A rank is at most 32.
    unsafe {
        ask(layout, -1, |layout| {
            c_int::try_from(layout.rank()).unwrap_or(-1)
        })
    }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_layout_dim(layout: *const Layout, axis: c_int) -> i64 {
    // SAFETY: the header's contract. An extent is at most 2^53 where another is not 0, and an i64 is enough for any.
    unsafe {
        ask(layout, -1, |layout| {
            entry(layout.shape(), axis, u64::MAX).cast_signed()
        })
    }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_layout_stride(layout: *const Layout, axis: c_int) -> i64 {
    // SAFETY: the header's contract.
    unsafe { ask(layout, 0, |layout| entry(layout.strides(), axis, 0)) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_layout_offset(layout: *const Layout) -> u64 {
    // SAFETY: the header's contract.
    unsafe { ask(layout, 0, Layout::offset) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_layout_numel(layout: *const Layout) -> u64 {
    // SAFETY: the header's contract.
    unsafe { ask(layout, 0, Layout::numel) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_layout_span(
    layout: *const Layout,
    first: *mut u64,
    end: *mut u64,
) {
    // SAFETY: the header's contract.
    let (lo, hi) = unsafe {
        ask(layout, (0, 0), |layout| {
            (layout.span().start, layout.span().end)
        })
    };
    // SAFETY: the header's contract.
    unsafe {
        args::give(first, lo);
        args::give(end, hi);
    }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_layout_is_contiguous(layout: *const Layout) -> bool {
    // SAFETY: the header's contract.
    unsafe { ask(layout, false, Layout::is_contiguous) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_layout_is_distinct(layout: *const Layout) -> bool {
    // SAFETY: the header's contract.
    unsafe { ask(layout, false, Layout::is_distinct) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_layout_equal(
    one: *const Layout,
    other: *const Layout,
) -> bool {
    // SAFETY: the header's contract.
    let (one, other) = unsafe { (one.as_ref(), other.as_ref()) };
    guard(false, || one.is_some() && one == other)
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_layout_position(
    layout: *const Layout,
    index: *const u64,
    rank: c_int,
    status: *mut Status,
) -> u64 {
    let position = || -> Result<u64, Failure> {
        // SAFETY: the header's contract, for both.
        let (layout, index) = unsafe {
            (
                args::value(layout, "layout")?,
                args::counted(index, rank, "index")?,
            )
        };
        if index.len() != layout.rank() {
            return Err(Failure::argument(format!(
                "{} coordinates for {} axes",
                index.len(),
                layout.rank()
            )));
        }
        if let Some(axis) = index
            .iter()
            .zip(layout.shape())
            .position(|(i, extent)| i >= extent)
        {
            return Err(Failure::argument(format!(
                "coordinate {} is outside axis {axis} of extent {}",
                index[axis],
                layout.dim(axis)
            )));
        }
        Ok(layout.position(index))
    };
    // SAFETY: the header's contract.
    unsafe { report(status, 0, position) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_layout_print(
    layout: *const Layout,
    text: *mut c_char,
    len: usize,
) -> usize {
    guard(0, || {
        // SAFETY: the header's contract.
        let written = unsafe { layout.as_ref() }.map_or(String::new(), ToString::to_string);
        // SAFETY: the header's contract.
        unsafe { args::print(&written, text, len) }
    })
}
