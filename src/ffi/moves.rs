//! Moves: from one `restride_layout` to another.

use std::ffi::c_int;

use super::args;
use super::layout::{extents, new};
use super::status::{Code, Failure, Status};
use crate::{Layout, Move, Range};

/// An axis as Rust counts it.
fn axis(axis: i64) -> Result<isize, Failure> {
    isize::try_from(axis).map_err(|_| Failure::argument(format!("axis {axis} is not one")))
}

/// What strides express, or why there is no such layout.
fn expressed(layout: Option<Layout>) -> Result<Layout, Failure> {
    layout.ok_or_else(|| {
        let message = "no strides express it: materialise a copy first";
        Failure::new(Code::FailedPrecondition, message)
    })
}

/// C functions `(layout, arguments…, status)`, each the layout that its expression makes of its arguments.
macro_rules! moves {
    ($($name:ident($layout:ident $(, $argument:ident: $type:ty)*) => $body:expr;)*) => {
        $(
            #[unsafe(no_mangle)]
            pub(crate) unsafe extern "C" fn $name(
                $layout: *const Layout,
                $($argument: $type,)*
                status: *mut Status,
            ) -> *mut Layout {
                // SAFETY: the header's contract: the layout is one, lists are as long as their counts say, and the status is
                // no other thread's.
                unsafe {
                    new(status, || {
                        let $layout = args::value($layout, "layout")?;
                        Ok($body)
                    })
                }
            }
        )*
    };
}

moves! {
    restride_layout_transpose(layout) => layout.transpose();
    restride_layout_permute(layout, axes: *const i64, count: c_int) => {
        let axes = args::counted(axes, count, "axes")?;
        let axes = axes.iter().map(|&a| axis(a)).collect::<Result<Vec<_>, _>>()?;
        layout.permute(&axes)?
    };
    restride_layout_swap_axes(layout, a: i64, b: i64) => layout.swap_axes(axis(a)?, axis(b)?)?;
    restride_layout_move_axis(layout, from: i64, to: i64) => layout.move_axis(axis(from)?, axis(to)?)?;
    restride_layout_flip(layout, a: i64) => layout.flip(axis(a)?)?;
    restride_layout_narrow(layout, a: i64, start: u64, len: u64) => layout.narrow(axis(a)?, start, len)?;
    restride_layout_select(layout, a: i64, index: i64) => layout.select(axis(a)?, index)?;
    restride_layout_step(layout, a: i64, step: i64) => layout.step(axis(a)?, step)?;
    restride_layout_slice(
        layout,
        starts: *const u64,
        counts: *const u64,
        steps: *const i64,
        count: c_int
    ) => {
        let starts = args::counted(starts, count, "starts")?;
        let counts = args::counted(counts, count, "counts")?;
        let steps = args::counted(steps, count, "steps")?;
        let parts = starts.iter().zip(counts).zip(steps);
        let ranges = parts.map(|((&start, &count), &step)| Range { start, count, step }).collect();
        expressed(layout.apply(&Move::Slice(ranges))?)?
    };
    restride_layout_squeeze(layout) => layout.squeeze();
    restride_layout_squeeze_axis(layout, a: i64) => layout.squeeze_axis(axis(a)?)?;
    restride_layout_unsqueeze(layout, a: i64) => layout.unsqueeze(axis(a)?)?;
    restride_layout_broadcast(layout, shape: *const i64, rank: c_int) => {
        layout.expand(&extents(args::counted(shape, rank, "shape")?)?)?
    };
    restride_layout_reshape(layout, shape: *const i64, rank: c_int) => {
        expressed(layout.reshape(args::counted(shape, rank, "shape")?)?)?
    };
    restride_layout_window(layout, a: i64, size: u64, step: u64, dilation: u64) => {
        layout.window(axis(a)?, size, step, dilation)?
    };
    restride_layout_diagonal(layout, a: i64, b: i64) => layout.diagonal(axis(a)?, axis(b)?)?;
    restride_layout_bitcast(layout, from: c_int, to: c_int) => {
        let dtype = |code| {
            let data_type = args::data_type(code)?;
            let sized = format!("elements of {data_type} have no fixed size");
            data_type.dtype().ok_or_else(|| Failure::argument(sized))
        };
        expressed(layout.bitcast(dtype(from)?, dtype(to)?)?)?
    };
}
