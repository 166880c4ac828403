//! Negative strides, slices, permutations, extents of 1 and 0, strided destinations, one buffer.

use restride::plan::{Access, Limits, Options, Plan, Rung, Step};
use restride::{DType, Error, Index, Layout, Side, Width, cpu};

use super::{
    arange, check, check_case, check_elements, check_gathered, contiguous, poison, strided,
};
use crate::generator::{Case, Rng};

/// `start:stop:step`, as `NumPy` writes it.
fn slice(start: i64, stop: i64, step: i64) -> Index {
    Index::Slice {
        start: Some(start),
        stop: Some(stop),
        step,
    }
}

// mlx#3716, mlx#3720, mlx#4528: taken for contiguous.
#[test]
fn mlx_3716_a_reversed_array() {
    let view = strided(32_767, &[-1], &[32_768]);
    assert_eq!(contiguous(&[2 * 1024 * 16]).flip(0).unwrap(), view);
    let expected: Vec<u32> = (0..32_768).rev().collect();
    check_gathered(&arange(32_768), &view, &expected);
}

// onnxruntime#24744, onnxruntime#25160, IREE#24584: the formula for the count ignored the start.
#[test]
fn onnxruntime_24744_slices_with_negative_steps() {
    let table: [(Index, &[i64]); 5] = [
        (slice(9, 0, -1), &[9, 8, 7, 6, 5, 4, 3, 2, 1]),
        (slice(7, 0, -1), &[7, 6, 5, 4, 3, 2, 1]),
        (slice(5, 0, -1), &[5, 4, 3, 2, 1]),
        (slice(9, 2, -1), &[9, 8, 7, 6, 5, 4, 3]),
        (slice(9, 0, -3), &[9, 6, 3]),
    ];
    let x: Vec<i64> = (0..10).collect();
    for (index, expected) in table {
        let view = contiguous(&[10]).slice(&[index]).unwrap();
        check_gathered(&x, &view, expected);
    }
    let x: Vec<i64> = (0..12).collect();
    let matrix = contiguous(&[3, 4]);
    let rows = matrix.slice(&[slice(2, 0, -1)]).unwrap();
    check_gathered(&x, &rows, &[8, 9, 10, 11, 4, 5, 6, 7]);
    let columns = matrix.slice(&[Index::ALL, slice(2, 0, -1)]).unwrap();
    check_gathered(&x, &columns, &[2, 1, 6, 5, 10, 9]);
}

// jax-mps#234, Halide#6671: the view's base was taken for its lowest address.
#[test]
fn jax_mps_234_the_base_at_the_last_element() {
    let reversed = strided(7, &[-1], &[8]);
    let x: Vec<u16> = (0..8).collect();
    check_gathered(&x, &reversed, &[7, 6, 5, 4, 3, 2, 1, 0]);
    check_elements(
        (&x, &contiguous(&[8])),
        (&poison(8), &reversed),
        &[7, 6, 5, 4, 3, 2, 1, 0],
    );
    // Bounds are checked at both ends.
    let before_the_buffer = Layout::strided(6, &[-1], &[8]);
    assert_eq!(
        before_the_buffer,
        Err(Error::NegativePosition {
            axis: 0,
            offset: 6,
            lowest: -1
        })
    );
    let case = case_of(16, &reversed, &contiguous(&[8]), 12, 16);
    assert_eq!(
        refusal(&case),
        Error::BufferTooSmall {
            side: Side::Source,
            needed: 16,
            buffer: 12
        }
    );
}

// tenferro#1509: negative strides were refused.
#[test]
fn tenferro_1509_negative_on_one_side_and_on_both() {
    let x: Vec<f64> = (0..24).map(f64::from).collect();
    let rows = contiguous(&[4, 6]);
    let turned = rows.flip(0).unwrap().flip(1).unwrap();
    let backwards: Vec<f64> = x.iter().rev().copied().collect();
    check_elements((&x, &turned), (&poison(24), &turned), &x);
    check_elements((&x, &turned), (&poison(24), &rows), &backwards);
    check_elements((&x, &rows), (&poison(24), &turned), &backwards);
    // Rows backwards on one side, columns on the other.
    let mixed: Vec<f64> = (0..24)
        .map(|k| f64::from((3 - k / 6) * 6 + 5 - k % 6))
        .collect();
    check_elements(
        (&x, &rows.flip(0).unwrap()),
        (&poison(24), &rows.flip(1).unwrap()),
        &mixed,
    );
}

// pytorch#33812: stride 0 on an axis of extent 1 was taken for an overlap.
#[test]
fn pytorch_33812_stride_0_on_an_axis_of_extent_1() {
    let shape = [1, 3, 128, 128];
    let dst = strided(0, &[0, 16_384, 128, 1], &shape);
    let src = strided(0, &[49_152, 1, 384, 3], &shape);
    // Pixels to planes.
    let expected: Vec<u32> = (0..49_152).map(|k| k % 16_384 * 3 + k / 16_384).collect();
    check_elements((&arange(49_152), &src), (&poison(49_152), &dst), &expected);
}

// mlx#3475: occupies as many elements as it has, so was taken for contiguous.
#[test]
fn mlx_3475_dense_but_permuted() {
    let view = contiguous(&[4, 6]).transpose();
    assert_eq!(view.span(), 0..view.numel());
    assert!(!view.is_contiguous());
    let expected: Vec<u32> = (0..24).map(|k| k % 4 * 6 + k / 4).collect();
    check_gathered(&arange(24), &view, &expected);
}

// cubecl#1313, burn#4093, tfjs#1588: a division by zero.
#[test]
fn cubecl_1313_no_element() {
    for shape in [&[5, 0, 3][..], &[0, 10], &[0], &[7, 0, 0, 2]] {
        let empty = contiguous(shape);
        for bits in [1, 8, 24, 64] {
            check(bits, (&[], &empty), (&[1, 2, 3], &empty), &[1, 2, 3]);
            let case = case_of(bits, &empty, &empty, 0, 0);
            for plan in case.plans(Limits::TINY) {
                assert_eq!((plan.rung(), plan.step_count()), (Rung::Nothing, 0));
                cpu::audit(&plan, Some(&[]), &mut []).unwrap();
            }
        }
    }
}

// burn#3629: jumbled.
#[test]
fn burn_3629_reshaped_permuted_and_wholly_sliced() {
    let x = contiguous(&[1, 3, 8, 8]);
    let blocks = x.reshape(&[1, 3, 4, 2, 4, 2]).unwrap().unwrap();
    let blocks = blocks.permute(&[0, 2, 4, 1, 3, 5]).unwrap();
    let view = blocks.slice(&[Index::ALL; 6]).unwrap();
    let mut expected = Vec::new();
    for (row, column) in (0..16).map(|k| (k / 4 * 2, k % 4 * 2)) {
        for k in 0..12 {
            expected.push(k / 4 * 64 + (row + k / 2 % 2) * 8 + column + k % 2);
        }
    }
    check_gathered(&arange(192), &view, &expected);
}

// burn#3894: the last of an odd number of elements was lost.
#[test]
fn burn_3894_every_extent_odd() {
    let view = contiguous(&[27, 31, 31]).permute(&[1, 2, 0]).unwrap();
    let x: Vec<f32> = (0..25_947_u16).map(f32::from).collect();
    let expected: Vec<f32> = (0..25_947_u16)
        .map(|k| f32::from(k % 27 * 961 + k / 27))
        .collect();
    check_gathered(&x, &view, &expected);
}

// burn#4461.
#[test]
fn burn_4461_a_long_last_axis() {
    let x = contiguous(&[2, 2, 256]);
    let last_first: Vec<u32> = (0..1024).map(|k| k % 4 * 256 + k / 4).collect();
    check_gathered(&arange(1024), &x.permute(&[2, 0, 1]).unwrap(), &last_first);
    let inner: Vec<u32> = (0..1024)
        .map(|k| k / 512 * 512 + k % 2 * 256 + k / 2 % 256)
        .collect();
    check_gathered(&arange(1024), &x.permute(&[0, 2, 1]).unwrap(), &inner);
}

// cubecl's own tests, and cubecl#564: 25 bytes were copied as 24 or as 28.
#[test]
fn cubecl_564_bytes_that_are_no_whole_words() {
    let ambiguous = strided(0, &[8, 1, 2, 2], &[1, 2, 4, 1]);
    check_gathered(
        &arange(8),
        &ambiguous.squeeze_axis(3).unwrap(),
        &[0, 2, 4, 6, 1, 3, 5, 7],
    );
    let bytes: Vec<u8> = (0..28).collect();
    let jumbled = contiguous(&[2, 2, 3]).permute(&[2, 1, 0]).unwrap();
    check_gathered(&bytes, &jumbled, &[0, 6, 3, 9, 1, 7, 4, 10, 2, 8, 5, 11]);

    let square = contiguous(&[5, 5]);
    let mut expected: Vec<u8> = (0..25).map(|k| k % 5 * 5 + k / 5).collect();
    expected.extend([0xff; 3]);
    check_elements(
        (&bytes, &square.transpose()),
        (&[0xff; 28], &square),
        &expected,
    );
    let plain: Vec<u8> = (0..25).chain([0xff; 3]).collect();
    check_elements((&bytes, &square), (&[0xff; 28], &square), &plain);
}

// pytorch#105277, pytorch#86975, pytorch#91784.
#[test]
fn pytorch_105277_a_column_into_a_square() {
    let column = contiguous(&[2])
        .unsqueeze(1)
        .unwrap()
        .expand(&[2, 2])
        .unwrap();
    check_gathered(&[0_i64, 1], &column, &[0, 0, 1, 1]);
    let part = contiguous(&[3, 2])
        .slice(&[(1..).into(), 1.into()])
        .unwrap();
    check_elements(
        (&[-1_i32, -1], &contiguous(&[2])),
        (&[0; 6], &part),
        &[0, 0, 0, -1, 0, -1],
    );
}

// onnxruntime#18027: an array of words in a uniform block has steps of 16 bytes.
#[test]
fn onnxruntime_18027_ranks_5_and_9() {
    for rank in [5_u32, 9] {
        let view = contiguous(&vec![2; rank as usize]).transpose();
        let expected: Vec<u32> = (0..1_u32 << rank)
            .map(|k| k.reverse_bits() >> (32 - rank))
            .collect();
        check_gathered(&arange(1 << rank), &view, &expected);
    }
    let view = contiguous(&[2, 3, 4, 5, 6])
        .permute(&[4, 2, 0, 3, 1])
        .unwrap();
    let at = |k: u32| {
        let (a, b, c, d, e) = (k / 120, k / 30 % 4, k / 15 % 2, k / 3 % 5, k % 3);
        c * 360 + e * 120 + b * 30 + d * 6 + a
    };
    check_gathered(&arange(720), &view, &(0..720).map(at).collect::<Vec<_>>());
}

// ggml#1497, ggml#1570, llama.cpp#23366, llama.cpp#27663: packed as 1 2 3 4 instead of one to a row.
#[test]
fn ggml_1497_the_destination_has_its_own_strides() {
    let row = strided(0, &[1, 1], &[1, 4]);
    let cache = strided(1, &[1, 3], &[1, 4]);
    let expected = [0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 3.0, 0.0, 0.0, 4.0, 0.0];
    check_elements(
        (&[1.0_f32, 2.0, 3.0, 4.0], &row),
        (&[0.0; 12], &cache),
        &expected,
    );
}

// CUTLASS#1202, CUTLASS#1272, CUTLASS#1499: vectors that were not aligned, or went past the row.
#[test]
fn cutlass_1202_a_block_into_a_wider_one() {
    for leading in [9_u8, 129] {
        let dst = strided(0, &[leading.into(), 1], &[8, 8]);
        let mut expected = poison::<u32>(9 * 129);
        for k in 0..64_u32 {
            expected[k as usize / 8 * usize::from(leading) + k as usize % 8] = k;
        }
        check_elements(
            (&arange(64), &contiguous(&[8, 8])),
            (&poison(9 * 129), &dst),
            &expected,
        );
        let halves: Vec<u16> = expected
            .iter()
            .map(|word| u16::from_le_bytes([word.to_le_bytes()[0], word.to_le_bytes()[1]]))
            .collect();
        let src: Vec<u16> = (0..64).collect();
        check_elements(
            (&src, &contiguous(&[8, 8])),
            (&poison(9 * 129), &dst),
            &halves,
        );
    }
    let bytes: Vec<u8> = (0..6).collect();
    let dst = strided(0, &[4, 1], &[2, 3]);
    check_elements(
        (&bytes, &contiguous(&[2, 3])),
        (&[9; 8], &dst),
        &[0, 1, 2, 9, 3, 4, 5, 9],
    );
}

/// A case whose buffers have so many bytes, for those that are refused: nothing is expected of it.
fn case_of(bits: u32, src: &Layout, dst: &Layout, src_bytes: usize, dst_bytes: usize) -> Case {
    let mut rng = Rng::new(1);
    let (src_buffer, dst_buffer) = (rng.bytes(src_bytes), rng.bytes(dst_bytes));
    Case {
        width: Width::new(bits).unwrap(),
        src_layout: src.clone(),
        dst_layout: dst.clone(),
        one_buffer: false,
        expected: dst_buffer.clone(),
        src: src_buffer,
        dst: dst_buffer,
    }
}

#[track_caller]
fn refusal(case: &Case) -> Error {
    Plan::new(&case.problem(false), &Options::default()).unwrap_err()
}

/// A copy inside one buffer of 32-bit elements whose views overlap: right as if all was read first.
#[track_caller]
fn check_overlapping(before: &[u32], src: &Layout, dst: &Layout, expected: &[u32]) {
    let buffer: Vec<u8> = bytemuck::cast_slice(before).to_vec();
    let mut case = case_of(32, src, dst, 0, 0);
    case.one_buffer = true;
    (case.src, case.dst) = (buffer.clone(), buffer);
    case.expected = bytemuck::cast_slice(expected).to_vec();
    check_case(&case);
}

// pytorch#91894: rows moved by one in place, each time with another result.
#[test]
fn pytorch_91894_rows_moved_by_one() {
    let x = contiguous(&[16, 10, 140]);
    let (from, to) = (x.narrow(1, 0, 9).unwrap(), x.narrow(1, 1, 9).unwrap());
    let expected: Vec<u32> = (0..22_400)
        .map(|k| if k / 140 % 10 == 0 { k } else { k - 140 })
        .collect();
    check_overlapping(&arange(22_400), &from, &to, &expected);
}

// pytorch#126097: a square turned in place.
#[test]
fn pytorch_126097_a_square_turned_in_place() {
    let square = contiguous(&[4, 4])
        .slice(&[(..3).into(), (..3).into()])
        .unwrap();
    let expected = [0, 4, 8, 3, 1, 5, 9, 7, 2, 6, 10, 11, 12, 13, 14, 15];
    check_overlapping(&arange(16), &square.transpose(), &square, &expected);
}

// pytorch#107110: fourteen writes into nine places.
#[test]
fn pytorch_107110_a_destination_that_overlaps_itself() {
    let dst = strided(0, &[1, 2], &[7, 2]);
    let case = case_of(32, &contiguous(&[7, 2]), &dst, 56, 56);
    assert_eq!(refusal(&case), Error::NotDistinct);
}

// tract#2811, gfx-rs/wgpu#8470, gpuweb#1842, gpuweb#2441: one buffer may be bound in one way alone in a dispatch.
#[test]
fn tract_2811_two_ranges_of_one_arena() {
    for (gap, columns) in [(0, 32), (64, 32), (1, 31)] {
        let rows = 24;
        let src = contiguous(&[rows, columns]);
        let first = src.numel() + gap;
        let dst = strided(first, &[1, rows.cast_signed()], &[rows, columns]);
        let arena: Vec<u8> = (0..first + src.numel() + 5)
            .flat_map(|k| (k * 77).to_le_bytes()[..4].to_vec())
            .collect();
        let mut case = Case::new(
            Width::new(32).unwrap(),
            src,
            dst,
            arena.clone(),
            arena.clone(),
        );
        case.one_buffer = true;
        for k in 0..rows * columns {
            let (row, column) = (k / columns, k % columns);
            let word =
                |at: u64| usize::try_from(at * 4).unwrap()..usize::try_from(at * 4 + 4).unwrap();
            assert_eq!(
                case.expected[word(first + column * rows + row)],
                arena[word(k)]
            );
        }
        for limits in [Limits::BASELINE, Limits::TINY] {
            for step in case.plans(limits).iter().flat_map(Plan::steps) {
                let Step::Dispatch(dispatch) = step else {
                    panic!("{step:?} within one buffer");
                };
                assert_ne!(
                    dispatch.program.access,
                    Access::Two,
                    "a read-only binding beside a writable one"
                );
            }
        }
        check_case(&case);
    }
}

// tfjs#8616, tfjs#8638: a rank-3 transpose of int32 did not compile, and floats lost their bits.
#[test]
fn tfjs_8616_bits_and_never_values() {
    let view = contiguous(&[3, 5, 2]).permute(&[1, 0, 2]).unwrap();
    let x: Vec<i32> = (0..30).map(|k| k - 15).collect();
    let expected: Vec<i32> = (0..30)
        .map(|k| k / 2 % 3 * 10 + k / 6 * 2 + k % 2 - 15)
        .collect();
    check_gathered(&x, &view, &expected);
    // 2^24 + 1, which no f32 holds; NaNs with a payload, signalling ones too; a negative zero; a subnormal.
    let patterns = [
        16_777_217,
        0x7fc0_0001,
        0xffa0_0002,
        0x7f80_0001,
        0x8000_0000,
        1,
    ];
    let floats = patterns.map(f32::from_bits);
    let turned = [0, 3, 1, 4, 2, 5].map(|k: usize| f32::from_bits(patterns[k]));
    check_gathered(&floats, &contiguous(&[2, 3]).transpose(), &turned);
}

// pytorch#185515: another dtype after a transpose.
#[test]
fn pytorch_185515_another_dtype_after_a_transpose() {
    let turned = contiguous(&[3, 8]).transpose();
    assert_eq!(turned.bitcast(DType::UInt8, DType::UInt32), Ok(None));
    let bytes: Vec<u8> = (0..24).collect();
    // Narrower is always exact, wider where the inner axis was left in place.
    let words = contiguous(&[2, 3]).transpose();
    let narrow = words.bitcast(DType::UInt32, DType::UInt8).unwrap().unwrap();
    let expected = [0, 12, 4, 16, 8, 20]
        .map(|first| [first, first + 1, first + 2, first + 3])
        .concat();
    check_gathered(&bytes, &narrow, &expected);
    let rows = contiguous(&[2, 3, 4]).swap_axes(0, 1).unwrap();
    let wide = rows.bitcast(DType::UInt8, DType::UInt32).unwrap().unwrap();
    let (quads, _) = bytes.as_chunks();
    let elements: Vec<u32> = quads.iter().map(|quad| u32::from_le_bytes(*quad)).collect();
    let [a, b, c, d, e, f] = elements[..] else {
        unreachable!()
    };
    check_gathered(&elements, &wide, &[a, d, b, e, c, f]);
    check_gathered(&bytes, &rows, &expected);
}
