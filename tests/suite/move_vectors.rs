//! The vectors and bounds of the rules of moves, one by one.

use restride::{Error, Layout, Move, Range, Window};

fn contiguous(shape: &[u64]) -> Layout {
    Layout::contiguous(shape).unwrap()
}

fn strided(offset: u64, strides: &[i64], shape: &[u64]) -> Layout {
    Layout::strided(offset, strides, shape).unwrap()
}

fn window(axis: usize, size: u64, step: u64, dilation: u64) -> Move {
    Move::Window(vec![Window {
        axis,
        size,
        step,
        dilation,
    }])
}

fn slice(start: u64, count: u64, step: i64) -> Move {
    Move::Slice(vec![Range { start, count, step }])
}

#[track_caller]
fn gives(m: &Move, shape: &[u64], result: &[u64]) {
    assert_eq!(m.shape(shape).unwrap(), result);
    let applied = contiguous(shape).apply(m).unwrap().unwrap();
    assert_eq!(applied.shape(), result);
}

#[track_caller]
fn refused(m: &Move, shape: &[u64], error: Error) {
    assert_eq!(m.shape(shape), Err(error.clone()));
    if let Ok(layout) = Layout::contiguous(shape) {
        assert_eq!(layout.apply(m), Err(error));
    }
}

#[test]
fn windows() {
    gives(&window(1, 3, 2, 2), &[2, 11, 4], &[2, 4, 4, 3]);
    gives(&window(1, 3, 2, 2), &[2, 5, 4], &[2, 1, 4, 3]);
    gives(&window(0, 3, 1, 2), &[5], &[1, 3]);
    gives(&window(0, 1, u64::MAX, 1), &[3], &[1, 1]);
    gives(&window(0, 1, 1, u64::MAX), &[3], &[3, 1]);
    gives(&Move::Window(vec![]), &[2, 0], &[2, 0]);
    gives(&window(1, 2, 1, 1), &[0, 3], &[0, 2, 2]);
    gives(&window(0, 1, 1, 1), &[1; 31], &[1; 32]);
}

#[test]
fn windows_refused() {
    let fit = |extent, size, dilation| Error::WindowFit {
        axis: 0,
        extent,
        size,
        dilation,
    };
    refused(&window(0, 3, 1, 2), &[4], fit(4, 3, 2));
    refused(&window(0, 1, 1, 1), &[0], fit(0, 1, 1));
    refused(&window(0, 2, 1, u64::MAX), &[3], fit(3, 2, u64::MAX));
    refused(
        &window(0, u64::MAX, 1, u64::MAX),
        &[3],
        fit(3, u64::MAX, u64::MAX),
    );
    refused(&window(0, 1, 1, 1), &[1; 32], Error::Rank { rank: 33 });
    refused(&window(0, 1, 1, 1), &[1; 33], Error::Rank { rank: 33 });
    refused(
        &window(1, 1, 1, 1),
        &[3],
        Error::WindowAxis {
            window: 0,
            axis: 1,
            rank: 1,
        },
    );
    for (size, step, dilation) in [(0, 1, 1), (1, 0, 1), (1, 1, 0)] {
        let zero = Error::ZeroWindow {
            axis: 0,
            size,
            step,
            dilation,
        };
        refused(&window(0, size, step, dilation), &[3], zero);
    }
    let one = Window {
        axis: 0,
        size: 1,
        step: 1,
        dilation: 1,
    };
    let order = Error::WindowOrder {
        window: 1,
        axis: 0,
        previous: 0,
    };
    refused(&Move::Window(vec![one, one]), &[3], order);
    // 2^27 windows of 2^27 elements: the result is beyond the limit on its product.
    let numel = Error::Numel {
        axis: 1,
        extent: 1 << 27,
    };
    refused(&window(0, 1 << 27, 1, 1), &[1 << 28], numel);
}

#[test]
fn slices() {
    gives(&slice(100, 0, -7), &[3], &[0]);
    gives(&slice(2, 1, i64::MIN), &[4], &[1]);
    gives(&slice(0, 2, 3), &[4], &[2]);
    gives(&slice(0, 0, 1), &[0], &[0]);
    let last = contiguous(&[4])
        .apply(&slice(2, 1, i64::MIN))
        .unwrap()
        .unwrap();
    assert_eq!(last, strided(2, &[0], &[1]));
    let down = contiguous(&[4]).apply(&slice(3, 2, -3)).unwrap().unwrap();
    assert_eq!(down, strided(3, &[-3], &[2]));
}

#[test]
fn steps_that_are_never_taken_are_of_no_account() {
    let layout = strided(5, &[3], &[4]);
    for step in [i64::MIN, i64::MAX] {
        let one = layout.apply(&slice(2, 1, step)).unwrap().unwrap();
        assert_eq!(one, strided(11, &[0], &[1]));
    }
    for step in [u64::MAX, 1 << 62] {
        let one = layout.apply(&window(0, 4, step, 1)).unwrap().unwrap();
        assert_eq!(one, strided(5, &[0, 3], &[1, 4]));
        let one = layout.apply(&window(0, 1, 1, step)).unwrap().unwrap();
        assert_eq!(one, strided(5, &[3, 0], &[4, 1]));
    }
}

#[test]
fn slices_refused() {
    for (start, count, step, extent) in [
        (1, 2, i64::MAX, 4),
        (3, 2, i64::MIN, 4),
        (0, 3, 2, 4),
        (1, 3, -1, 4),
        (3, 1, 1, 3),
        (u64::MAX, 1, 1, 3),
        (0, u64::MAX, 1, 3),
        (0, 1, 1, 0),
    ] {
        let outside = Error::RangeOutside {
            axis: 0,
            extent,
            start,
            count,
            step,
        };
        refused(&slice(start, count, step), &[extent], outside);
    }
    refused(&slice(0, 1, 0), &[3], Error::ZeroStep { axis: 0 });
    refused(&slice(0, 0, 0), &[3], Error::ZeroStep { axis: 0 });
    refused(
        &slice(0, 1, 1),
        &[3, 3],
        Error::RangeCount { rank: 2, ranges: 1 },
    );
}

#[test]
fn reshapes() {
    let to = |shape: &[u64]| Move::Reshape(shape.to_vec());
    refused(&to(&[3]), &[0], Error::ReshapeNumel { from: 0, to: 3 });
    gives(&to(&[1 << 52, 2, 0]), &[0], &[1 << 52, 2, 0]);
    gives(&to(&[1; 32]), &[], &[1; 32]);
    refused(&to(&[1; 33]), &[], Error::Rank { rank: 33 });
    let extent = (1 << 52) + 1;
    refused(&to(&[2, extent, 0]), &[0], Error::Numel { axis: 1, extent });

    let repeated = contiguous(&[1]).expand(&[4]).unwrap();
    assert_eq!(
        repeated.apply(&to(&[2, 2])).unwrap(),
        Some(strided(0, &[0, 0], &[2, 2]))
    );
    let reversed = strided(5, &[-3, -1], &[2, 3]);
    assert_eq!(
        reversed.apply(&to(&[3, 2])).unwrap(),
        Some(strided(5, &[-2, -1], &[3, 2]))
    );
    let columns = strided(0, &[1, 3], &[3, 2]);
    assert_eq!(columns.apply(&to(&[6])).unwrap(), None);
    assert_eq!(
        columns.apply(&to(&[1, 3, 1, 2, 1])).unwrap(),
        Some(strided(0, &[0, 1, 0, 3, 0], &[1, 3, 1, 2, 1]))
    );
    // An axis of extent 1 in a group, its stride of no account.
    let one = strided(0, &[8, 1, 2, 2], &[1, 2, 4, 1]);
    assert_eq!(
        one.apply(&to(&[1, 2, 4])).unwrap(),
        Some(strided(0, &[0, 1, 2], &[1, 2, 4]))
    );
}

#[test]
fn broadcasts() {
    let to = |shape: &[u64]| Move::Broadcast(shape.to_vec());
    gives(&to(&[0, 3]), &[1, 3], &[0, 3]);
    gives(&to(&[2, 3]), &[], &[2, 3]);
    refused(
        &to(&[3]),
        &[0],
        Error::BroadcastExtent {
            axis: 0,
            from: 0,
            to: 3,
        },
    );
    refused(&to(&[3]), &[1, 3], Error::BroadcastRank { from: 2, to: 1 });
    refused(
        &to(&[5, 4]),
        &[3],
        Error::BroadcastExtent {
            axis: 1,
            from: 3,
            to: 4,
        },
    );
    refused(
        &to(&[1 << 27, 1 << 27]),
        &[1],
        Error::Numel {
            axis: 1,
            extent: 1 << 27,
        },
    );
}

#[test]
fn permutations() {
    let by = |axes: &[usize]| Move::Permute(axes.to_vec());
    gives(&by(&[]), &[], &[]);
    gives(&by(&[2, 0, 1]), &[2, 3, 4], &[4, 2, 3]);
    refused(
        &by(&[0, 0]),
        &[2, 3],
        Error::RepeatedAxis { entry: 1, axis: 0 },
    );
    refused(
        &by(&[0, 2]),
        &[2, 3],
        Error::PermuteAxis {
            entry: 1,
            axis: 2,
            rank: 2,
        },
    );
    refused(
        &by(&[0]),
        &[2, 3],
        Error::PermuteLength {
            rank: 2,
            entries: 1,
        },
    );
    let many: Vec<usize> = (0..64).collect();
    refused(&by(&many), &[1; 64], Error::Rank { rank: 64 });
    refused(
        &by(&many),
        &[1; 32],
        Error::PermuteLength {
            rank: 32,
            entries: 64,
        },
    );
}
