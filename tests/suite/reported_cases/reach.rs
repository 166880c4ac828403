//! Tensors beyond what 32 bits, one binding or one grid dimension reach: planned whole, and run in small under small limits.

use restride::plan::{Limits, Operand, Options, Plan, Problem, Rung, Step};
use restride::{Layout, Width};

use super::{arange, check_elements, check_gathered, contiguous, poison, strided};
use crate::plan_steps::step_is_sound;

/// Plans of each rung that covers the copy, between buffers as large as the views need.
fn plans(bits: u32, src: &Layout, dst: &Layout, limits: Limits) -> Vec<Plan> {
    let width = Width::new(bits).unwrap();
    let bytes = |layout: &Layout| width.bytes_for(layout.span().end).next_multiple_of(4);
    let problem = Problem {
        width,
        src: Operand::any(src, bytes(src)),
        dst: Operand::any(dst, bytes(dst)),
        one_buffer: false,
        in_pass: false,
    };
    let force = |rung| Options {
        limits,
        force: rung,
        ..Options::default()
    };
    let chosen = Plan::new(&problem, &force(None)).unwrap();
    let forced = Rung::ALL.map(|rung| Plan::new(&problem, &force(Some(rung))));
    std::iter::once(chosen)
        .chain(forced.into_iter().flatten())
        .collect()
}

/// Plans a copy to a contiguous destination, and sees that the windows of its steps are sound and cover both sides.
#[track_caller]
fn check_reach(bits: u32, src: &Layout, limits: Limits) {
    let dst = contiguous(src.shape());
    let bytes = |layout: &Layout| {
        let bytes = Width::new(bits).unwrap().bytes_for(layout.span().end);
        bytes.next_multiple_of(4)
    };
    let (src_bytes, dst_bytes) = (bytes(src), bytes(&dst));
    for plan in plans(bits, src, &dst, limits) {
        let (mut read, mut written) = (0, Vec::new());
        for step in plan.steps() {
            step_is_sound(&step, src_bytes, dst_bytes, &limits).unwrap();
            let (from, to) = match step {
                Step::Native(copy) => (
                    copy.src_bytes + copy.size_bytes,
                    copy.dst_bytes..copy.dst_bytes + copy.size_bytes,
                ),
                Step::Dispatch(dispatch) => (
                    dispatch.src.end_bytes(),
                    dispatch.dst.offset_bytes..dispatch.dst.end_bytes(),
                ),
                _ => panic!("{step:?}"),
            };
            read = read.max(from);
            written.push((to.start, to.end));
        }
        assert_eq!(
            read, src_bytes,
            "the last source word is in a window: {plan}"
        );
        assert_eq!(
            covered(written),
            dst_bytes,
            "no destination word is left out: {plan}"
        );
    }
}

/// The end of the bytes from 0 on that windows cover without a gap.
fn covered(mut windows: Vec<(u64, u64)>) -> u64 {
    windows.sort_unstable();
    windows.iter().fold(
        0,
        |end, &(first, last)| {
            if first <= end { end.max(last) } else { end }
        },
    )
}

// mlx#3836: few elements, but far apart: the last 1,775 rows were wrong.
#[test]
fn mlx_3836_a_narrow_column_of_long_rows() {
    let column = |rows, stride, columns| strided(0, &[stride, 1], &[rows, columns]);
    let view = column(198_000, 10_944, 2);
    assert!(view.span().end > 1 << 31 && view.numel() < 1 << 20);
    for bits in [8, 16, 32, 64] {
        check_reach(bits, &view, Limits::BASELINE);
    }
    // In small: every fourth row of windows of 1 KiB.
    let expected: Vec<u32> = (0..3960).map(|k| k / 2 * 109 + k % 2).collect();
    check_gathered(&arange(1980 * 109), &column(1980, 109, 2), &expected);
}

// mlx#4539: 2,147,549,183 bytes, all rows.
#[test]
fn mlx_4539_bytes_past_2_to_the_31() {
    let view = contiguous(&[32_769, 65_536]).narrow(1, 7, 65_529).unwrap();
    assert_eq!(view.span().end - 1, 2_147_549_183);
    check_reach(8, &view, Limits::BASELINE);
    let small = contiguous(&[33, 64]).narrow(1, 7, 57).unwrap();
    let bytes: Vec<u8> = (0..33 * 64_u32)
        .map(|k| (k * 7 + k / 64).to_le_bytes()[0])
        .collect();
    let expected: Vec<u8> = (0..33 * 57)
        .map(|k| bytes[k / 57 * 64 + 7 + k % 57])
        .collect();
    check_gathered(&bytes, &small, &expected);
}

// mlx#3666, mlx#3659: one dimension of the grid over 65,535 groups.
#[test]
fn mlx_3666_axes_that_do_not_merge() {
    let turned = |a, b, c, d| contiguous(&[a, b, c, d]).swap_axes(1, 2).unwrap();
    check_reach(16, &turned(32, 8192, 32, 128), Limits::BASELINE);
    check_reach(32, &turned(32, 8192, 32, 128), Limits::BASELINE);
    let (b, c, d) = (100, 8, 4);
    let at =
        |k: u32| k / (b * c * d) * (b * c * d) + k / d % b * (c * d) + k / (b * d) % c * d + k % d;
    let expected: Vec<u32> = (0..3 * b * c * d).map(at).collect();
    check_gathered(
        &arange(3 * b * c * d),
        &turned(3, b.into(), c.into(), d.into()),
        &expected,
    );
}

// candle#3604, candle#3663: 2^32 elements counted as none.
#[test]
fn candle_3604_2_to_the_32_elements() {
    let x = contiguous(&[128, 8192, 32, 128]);
    assert_eq!(x.numel(), 1 << 32);
    for bits in [1, 8, 16, 32] {
        check_reach(bits, &x, Limits::BASELINE);
    }
    check_reach(16, &x.flip(3).unwrap(), Limits::BASELINE);
    check_reach(32, &x.swap_axes(1, 2).unwrap(), Limits::BASELINE);
}

// tensorflow#124949: a broadcast to 2,147,549,184 elements.
#[test]
fn tensorflow_124949_a_broadcast_past_2_to_the_31() {
    let row = contiguous(&[32_769]).expand(&[65_536, 32_769]).unwrap();
    check_reach(32, &row, Limits::BASELINE);
    let column = contiguous(&[65_536, 1]).expand(&[65_536, 32_769]).unwrap();
    check_reach(8, &column, Limits::BASELINE);
    let small = contiguous(&[33]).expand(&[64, 33]).unwrap();
    let expected: Vec<u32> = (0..64 * 33).map(|k| k % 33).collect();
    check_gathered(&arange(33), &small, &expected);
}

// onnxruntime#25962, onnxruntime#26429, onnxruntime#27853, llama.cpp#16354: a tensor over the binding limit.
#[test]
fn onnxruntime_25962_elements_across_the_edge_of_a_window() {
    let limits = Limits {
        binding_bytes: 256 << 20,
        buffer_bytes: 1 << 30,
        ..Limits::BASELINE
    };
    for (bits, bytes) in [(8, 257_000_000), (24, 269_484_033), (96, 268_435_464)] {
        let x = contiguous(&[bytes * 8 / bits]);
        check_reach(u32::try_from(bits).unwrap(), &x, limits);
        check_reach(u32::try_from(bits).unwrap(), &x.flip(0).unwrap(), limits);
    }
    // Elements of 24 bits under windows of 1 KiB: every third edge falls within one, and none is lost or copied twice.
    let bytes: Vec<u8> = (0..3 * 1111_u32)
        .map(|k| (k * 31 + k / 256).to_le_bytes()[0])
        .collect();
    let backwards: Vec<u8> = (0..3 * 1111)
        .map(|k| bytes[(1110 - k / 3) * 3 + k % 3])
        .collect();
    let x = contiguous(&[1111]);
    let after = |expected: &[u8]| {
        super::check(
            24,
            (&bytes, &x.flip(0).unwrap()),
            (&vec![7; 3333], &x),
            expected,
        );
    };
    after(&backwards);
}

// sonos/tract#2820: more than 64 x 65,535 elements in one copy.
#[test]
fn tract_2820_over_the_grid_by_one_and_by_a_group() {
    for count in [4_194_240_u32, 4_194_241, 4_194_304] {
        let view = contiguous(&[count.into()]).flip(0).unwrap();
        check_reach(32, &view, Limits::BASELINE);
        let expected: Vec<u32> = (0..count).rev().collect();
        check_gathered(&arange(count), &view, &expected);
    }
    // The same edges with 7 groups a dimension, of one and of two dimensions.
    for count in [7 * 64, 7 * 64 + 1, 8 * 64, 49 * 64, 49 * 64 + 1] {
        let src = strided(0, &[2], &[u64::from(count)]);
        let expected: Vec<u32> = (0..count).map(|k| 2 * k).collect();
        check_elements(
            (&arange(2 * count), &src),
            (&poison(expected.len()), &contiguous(src.shape())),
            &expected,
        );
    }
}

#[test]
fn a_window_left_out_is_found() {
    assert_eq!(covered(vec![(8, 16), (0, 8)]), 16);
    assert_eq!(covered(vec![(0, 8), (4, 16), (12, 20)]), 20);
    assert_eq!(covered(vec![(12, 16), (0, 8)]), 8);
    assert_eq!(covered(vec![(4, 16)]), 0);
}
