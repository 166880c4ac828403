//! Layouts, moves, dtypes and the view language.

use restride::host;
use restride::view::View;
use restride::{DType, Error, Index, Layout, Move, Range, Width, Window, coalesce};

use super::{Provoked, err};

fn matrix() -> Layout {
    Layout::contiguous(&[3, 4]).unwrap()
}

fn shape_of(m: Move) -> Error {
    err(m.shape(&[3, 4]))
}

fn window(axis: usize, size: u64, step: u64, dilation: u64) -> Window {
    Window {
        axis,
        size,
        step,
        dilation,
    }
}

fn viewed(text: &str) -> Error {
    let view: Result<View, Error> = text.parse();
    match view {
        Ok(view) => err(view.apply(DType::UInt8, &matrix(), 12)),
        Err(error) => error,
    }
}

pub(super) const TABLE: &[Provoked] = &[
    ("Width", || err(Width::new(129))),
    ("DTypeName", || err("float33".parse::<DType>())),
    ("BitcastRatio", || {
        err(matrix().bitcast(DType::Float6E2M3Fn, DType::UInt4))
    }),
    ("Rank", || err(Layout::contiguous(&[1; 33]))),
    ("StrideCount", || {
        err(Layout::strided(0, &[1, 2, 3], &[4, 5]))
    }),
    ("Numel", || err(Layout::contiguous(&[1 << 53, 3]))),
    ("AxisReach", || {
        err(Layout::strided(0, &[1, i64::MAX], &[2, 3]))
    }),
    ("NegativePosition", || {
        err(Layout::strided(6, &[1, -7], &[2, 2]))
    }),
    ("SpanEnd", || err(Layout::strided(1 << 53, &[1], &[5]))),
    ("UnlikeRanks", || {
        err(coalesce(&[matrix(), Layout::contiguous(&[12]).unwrap()]))
    }),
    ("UnlikeExtents", || {
        err(coalesce(&[matrix(), Layout::contiguous(&[3, 5]).unwrap()]))
    }),
    ("NoLayouts", || err(coalesce(&[]))),
    ("ReshapeNumel", || shape_of(Move::Reshape(vec![5, 2]))),
    ("BroadcastRank", || shape_of(Move::Broadcast(vec![4]))),
    ("BroadcastExtent", || {
        shape_of(Move::Broadcast(vec![9, 7, 4]))
    }),
    ("PermuteLength", || shape_of(Move::Permute(vec![0, 1, 5]))),
    ("PermuteAxis", || shape_of(Move::Permute(vec![0, 7]))),
    ("RepeatedAxis", || shape_of(Move::Permute(vec![1, 1]))),
    ("RangeCount", || shape_of(Move::Slice(vec![Range::all(3)]))),
    ("ZeroStep", || {
        let still = Range {
            start: 0,
            count: 2,
            step: 0,
        };
        shape_of(Move::Slice(vec![Range::all(3), still]))
    }),
    ("RangeOutside", || {
        let outside = Range {
            start: 1,
            count: 9,
            step: -8,
        };
        shape_of(Move::Slice(vec![Range::all(3), outside]))
    }),
    ("WindowAxis", || {
        shape_of(Move::Window(vec![window(6, 1, 1, 1)]))
    }),
    ("WindowOrder", || {
        shape_of(Move::Window(vec![window(1, 1, 1, 1), window(0, 1, 1, 1)]))
    }),
    ("ZeroWindow", || {
        shape_of(Move::Window(vec![window(1, 2, 0, 3)]))
    }),
    ("WindowFit", || {
        shape_of(Move::Window(vec![window(1, 3, 1, 2)]))
    }),
    ("Axis", || err(matrix().flip(-3))),
    ("SqueezeExtent", || err(matrix().squeeze_axis(1))),
    ("NegativeExtent", || err(matrix().reshape(&[-2, 6]))),
    ("InferredTwice", || err(matrix().reshape(&[-1, 2, -1]))),
    ("Inferred", || err(matrix().reshape(&[-1, 5]))),
    ("IndexCount", || {
        err(matrix().slice(&[Index::ALL, Index::ALL, Index::ALL]))
    }),
    ("IndexOutside", || err(matrix().select(1, -9))),
    ("SecondEllipsis", || {
        err(matrix().slice(&[Index::Ellipsis, Index::Ellipsis]))
    }),
    ("ViewText", || viewed("[1:2")),
    ("ViewStep", || viewed(".flip(7)")),
    ("ViewReshape", || viewed(".T.reshape(12)")),
    ("ViewBitcast", || viewed(".bitcast(uint16)")),
    ("ViewPastBuffer", || {
        err(host::View::from_slice(&[7_u8; 11], matrix()))
    }),
];
