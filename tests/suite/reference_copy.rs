//! The reference copy: bits, never values, and no bit beside them.

use std::fmt::Debug;

use proptest::prelude::*;
use restride::{DType, Element, Error, Layout, Side, Width, reference};

use crate::random_layouts::{config, decoded, positions};

fn contiguous(shape: &[u64]) -> Layout {
    Layout::contiguous(shape).unwrap()
}

fn strided(offset: u64, strides: &[i64], shape: &[u64]) -> Layout {
    Layout::strided(offset, strides, shape).unwrap()
}

fn width(bits: u32) -> Width {
    Width::new(bits).unwrap()
}

/// What `dst` is after a copy into it.
#[track_caller]
fn copied<T: Element + PartialEq + Debug>(
    src: &[T],
    src_layout: &Layout,
    dst: &[T],
    dst_layout: &Layout,
) -> Vec<T> {
    let mut dst = dst.to_vec();
    let (from, to) = (
        bytemuck::cast_slice(src),
        bytemuck::cast_slice_mut(&mut dst),
    );
    reference::copy(T::DTYPE.width(), from, src_layout, to, dst_layout).unwrap();
    dst
}

/// The elements of a view of `0, 1, 2, …`, as a copy lays them out in C order.
#[track_caller]
fn gathered(layout: &Layout) -> Vec<i64> {
    let src: Vec<i64> = (0..)
        .take(usize::try_from(layout.span().end).unwrap())
        .collect();
    let dst = vec![-1; usize::try_from(layout.numel()).unwrap()];
    copied(&src, layout, &dst, &contiguous(layout.shape()))
}

/// Sub-byte elements, packed.
fn packed(bits: u32, elements: &[u8]) -> Vec<u8> {
    let shape = [elements.len() as u64];
    let mut dst = vec![0; usize::try_from(width(bits).bytes_for(shape[0])).unwrap()];
    let apart = strided(0, &[i64::from(8 / bits)], &shape);
    reference::copy(width(bits), elements, &apart, &mut dst, &contiguous(&shape)).unwrap();
    dst
}

mod bits {
    use super::*;

    #[test]
    fn are_never_values() {
        let patterns = [
            0x7fc0_0001_u32,
            0xffa0_0002,
            0x8000_0000,
            0x7f80_0001,
            16_777_217,
        ];
        let floats = patterns.map(f32::from_bits);
        let reversed = contiguous(&[5]).flip(0).unwrap();
        let once = copied(&floats, &reversed, &[0.0; 5], &contiguous(&[5]));
        let mut bits: Vec<u32> = once.iter().map(|x| x.to_bits()).collect();
        bits.reverse();
        assert_eq!(bits, patterns);
    }

    #[test]
    fn of_a_bool_are_its_byte() {
        let layout = contiguous(&[3]);
        let mut dst = [9; 3];
        let src = [0, 2, 0xff];
        reference::copy(DType::Bool.width(), &src, &layout, &mut dst, &layout).unwrap();
        assert_eq!(dst, src);
    }

    #[test]
    fn beside_an_element_stay() {
        // int4 1 to 6, elements 1 to 3 of which become -1, -2 and -3.
        let mut dst = packed(4, &[1, 2, 3, 4, 5, 6]);
        let src = packed(4, &[0xf, 0xe, 0xd]);
        let part = strided(1, &[1], &[3]);
        reference::copy(width(4), &src, &contiguous(&[3]), &mut dst, &part).unwrap();
        assert_eq!(dst, packed(4, &[1, 0xf, 0xe, 0xd, 5, 6]));
    }

    #[test]
    fn of_the_last_byte_stay() {
        let mut dst = [0xff; 4];
        let layout = contiguous(&[25]);
        reference::copy(width(1), &[0; 4], &layout, &mut dst, &layout).unwrap();
        assert_eq!(dst, [0, 0, 0, 0xfe]);
    }

    #[test]
    fn of_a_reversed_sub_byte_slice() {
        // int4 [1, -2, 3, -4, 5, -6, 7], three elements from 5 by -2.
        let src = packed(4, &[1, 0xe, 3, 0xc, 5, 0xa, 7]);
        let slice = strided(5, &[-2], &[3]);
        let mut dst = [0; 2];
        reference::copy(width(4), &src, &slice, &mut dst, &contiguous(&[3])).unwrap();
        assert_eq!(dst, [0xca, 0x0e]);
    }

    proptest! {
        #![proptest_config(config())]

        #[test]
        fn arrive_and_no_others_change(
            (bits, src_layout, dst_layout, seed) in decoded(|picks| {
                let dst = picks.kept_apart();
                let src = picks.layout_of(dst.shape());
                let bits = u32::try_from(1 + picks.below(128)).unwrap();
                (bits, src, dst, picks.below(251))
            })
        ) {
            let width = width(bits);
            let buffer = |layout: &Layout, seed: u64| -> Vec<u8> {
                let bytes = width.bytes_for(layout.span().end) + 2;
                let byte = |k: u64| (k * 167 + seed * 59 + k * k).to_le_bytes()[0];
                (0..bytes).map(byte).collect()
            };
            let (src, before) = (buffer(&src_layout, seed), buffer(&dst_layout, seed + 1));
            let mut after = before.clone();
            reference::copy(width, &src, &src_layout, &mut after, &dst_layout).unwrap();

            // The model: buffers as lists of bits.
            let list = |bytes: &[u8]| -> Vec<bool> {
                bytes.iter().flat_map(|byte| (0..8).map(move |r| byte >> r & 1 == 1)).collect()
            };
            let (from, mut expected) = (list(&src), list(&before));
            let at = |position: i64| usize::try_from(position).unwrap() * bits as usize;
            for (p, q) in positions(&src_layout).into_iter().zip(positions(&dst_layout)) {
                for bit in 0..bits as usize {
                    expected[at(q) + bit] = from[at(p) + bit];
                }
            }
            prop_assert_eq!(list(&after), expected);
        }
    }
}

mod refusals {
    use super::*;

    #[track_caller]
    fn refused(src: &[u8], src_layout: &Layout, dst_len: usize, dst_layout: &Layout) -> Error {
        let mut dst = vec![0xa5; dst_len];
        let result = reference::copy(width(12), src, src_layout, &mut dst, dst_layout);
        assert_eq!(dst, vec![0xa5; dst_len], "a refused copy wrote");
        result.unwrap_err()
    }

    #[test]
    fn unlike_shapes() {
        let error = refused(&[0; 9], &contiguous(&[2, 3]), 9, &contiguous(&[6]));
        assert_eq!(error, Error::UnlikeRanks { left: 2, right: 1 });
        let error = refused(&[0; 9], &contiguous(&[2, 3]), 9, &contiguous(&[2, 2]));
        assert_eq!(
            error,
            Error::UnlikeExtents {
                axis: 1,
                left: 3,
                right: 2
            }
        );
        let error = refused(&[], &contiguous(&[2, 0]), 0, &contiguous(&[0, 2]));
        assert_eq!(
            error,
            Error::UnlikeExtents {
                axis: 0,
                left: 2,
                right: 0
            }
        );
    }

    #[test]
    fn destinations_that_are_not_distinct() {
        // Fourteen writes into nine places.
        let layout = strided(0, &[1, 2], &[7, 2]);
        let error = refused(&[0; 21], &contiguous(&[7, 2]), 14, &layout);
        assert_eq!(error, Error::NotDistinct);
        // Distinct positions, but not by the rule.
        let layout = strided(0, &[3, 2], &[2, 3]);
        assert_eq!(refused(&[0; 9], &layout, 12, &layout), Error::NotDistinct);
    }

    #[test]
    fn spans_past_a_buffer() {
        // Three 12-bit elements take 36 bits: five bytes.
        let layout = contiguous(&[3]);
        let error = refused(&[0; 4], &layout, 5, &layout);
        let too_small = |side| Error::BufferTooSmall {
            side,
            needed: 5,
            buffer: 4,
        };
        assert_eq!(error, too_small(Side::Source));
        assert_eq!(
            refused(&[0; 5], &layout, 4, &layout),
            too_small(Side::Destination)
        );
        assert_eq!(
            refused(&[0; 4], &layout, 4, &layout),
            too_small(Side::Source)
        );
        assert!(reference::copy(width(12), &[0; 5], &layout, &mut [0; 5], &layout).is_ok());
        let message = too_small(Side::Destination).to_string();
        assert_eq!(
            message,
            "the destination view needs 5 bytes of a buffer of 4"
        );
        let reversed = strided(3, &[-1], &[3]);
        let needed = refused(&[0; 5], &reversed, 5, &layout);
        assert_eq!(
            needed,
            Error::BufferTooSmall {
                side: Side::Source,
                needed: 6,
                buffer: 5
            }
        );
    }

    #[test]
    fn none_of_an_empty_view() {
        for shape in [&[5, 0, 3][..], &[0, 10], &[0]] {
            let layout = contiguous(shape);
            reference::copy(width(128), &[], &layout, &mut [], &layout).unwrap();
            let repeated = layout.unsqueeze(0).unwrap();
            let mut to = shape.to_vec();
            to.insert(0, 4);
            let repeated = repeated.expand(&to).unwrap();
            reference::copy(width(7), &[], &repeated, &mut [], &repeated).unwrap();
        }
    }
}

// Copies that other systems got wrong are in `reported_cases`, which holds the reference to them as well.
mod cases {
    use super::*;

    #[test]
    fn in_one_buffer() {
        let within = |elements: &[u8], src: &Layout, dst: &Layout| {
            let mut buffer = elements.to_vec();
            reference::copy_within(width(8), &mut buffer, src, dst).unwrap();
            buffer
        };
        let (low, high) = (strided(0, &[1], &[3]), strided(2, &[1], &[3]));
        assert_eq!(within(&[1, 2, 3, 4, 5], &low, &high), [1, 2, 1, 2, 3]);
        assert_eq!(within(&[1, 2, 3, 4, 5], &high, &low), [3, 4, 5, 4, 5]);
        assert_eq!(within(&[1, 2, 3], &low, &low), [1, 2, 3]);

        let x: Vec<u8> = (0..16).collect();
        let square = contiguous(&[4, 4])
            .slice(&[(..3).into(), (..3).into()])
            .unwrap();
        let turned = within(&x, &square.transpose(), &square);
        assert_eq!(
            turned,
            [0, 4, 8, 3, 1, 5, 9, 7, 2, 6, 10, 11, 12, 13, 14, 15]
        );

        let rows: Vec<u8> = (0..2 * 10 * 7).collect();
        let x = contiguous(&[2, 10, 7]);
        let (from, to) = (x.narrow(1, 0, 9).unwrap(), x.narrow(1, 1, 9).unwrap());
        let shifted = within(&rows, &from, &to);
        for (k, &element) in shifted.iter().enumerate() {
            let row = k / 7 % 10;
            assert_eq!(usize::from(element), if row == 0 { k } else { k - 7 });
        }
    }

    #[test]
    fn repeated_and_overlapping_sources() {
        let row = contiguous(&[3]).expand(&[2, 3]).unwrap();
        assert_eq!(gathered(&row), [0, 1, 2, 0, 1, 2]);
        let windows = contiguous(&[5]).unfold(0, 3, 1).unwrap();
        assert_eq!(gathered(&windows), [0, 1, 2, 1, 2, 3, 2, 3, 4]);
        assert_eq!(
            gathered(&contiguous(&[3, 3]).diagonal(0, 1).unwrap()),
            [0, 4, 8]
        );
    }
}
