//! The words for moves: `NumPy`'s slices, axes counted from either end, inferred extents.

use proptest::prelude::*;
use restride::{Error, Index, Layout, MAX_RANK, Move, Range};

use crate::random_layouts::{Picks, config, decoded, indices, positions};

fn contiguous(shape: &[u64]) -> Layout {
    Layout::contiguous(shape).unwrap()
}

fn strided(offset: u64, strides: &[i64], shape: &[u64]) -> Layout {
    Layout::strided(offset, strides, shape).unwrap()
}

/// `start:stop:step`.
fn part(start: impl Into<Option<i64>>, stop: impl Into<Option<i64>>, step: i64) -> Index {
    Index::Slice {
        start: start.into(),
        stop: stop.into(),
        step,
    }
}

mod slices {
    use super::*;

    /// What `start:stop:step` takes of `0..extent`.
    #[track_caller]
    fn takes(
        extent: u64,
        start: impl Into<Option<i64>>,
        stop: impl Into<Option<i64>>,
        step: i64,
        elements: &[i64],
    ) {
        let layout = contiguous(&[extent])
            .slice(&[part(start, stop, step)])
            .unwrap();
        assert_eq!(positions(&layout), elements);
    }

    #[test]
    fn down_from_a_start() {
        takes(10, 9, 0, -1, &[9, 8, 7, 6, 5, 4, 3, 2, 1]);
        takes(10, 7, 0, -1, &[7, 6, 5, 4, 3, 2, 1]);
        takes(10, 5, 0, -1, &[5, 4, 3, 2, 1]);
        takes(10, 9, 2, -1, &[9, 8, 7, 6, 5, 4, 3]);
        takes(10, 9, 0, -3, &[9, 6, 3]);
        takes(4, None, None, -1, &[3, 2, 1, 0]);
        takes(8, None, None, -1, &[7, 6, 5, 4, 3, 2, 1, 0]);
    }

    #[test]
    fn down_on_either_axis() {
        let x = contiguous(&[3, 4]);
        let rows = x.slice(&[part(2, 0, -1)]).unwrap();
        assert_eq!(positions(&rows), [8, 9, 10, 11, 4, 5, 6, 7]);
        let columns = x.slice(&[Index::ALL, part(2, 0, -1)]).unwrap();
        assert_eq!(positions(&columns), [2, 1, 6, 5, 10, 9]);
    }

    #[test]
    fn a_reversed_vector_starts_at_its_end() {
        let reversed = contiguous(&[32768]).slice(&[Index::REVERSED]).unwrap();
        assert_eq!(reversed, strided(32767, &[-1], &[32768]));
    }

    #[test]
    fn bounds_beyond_the_axis() {
        takes(4, -100, 100, 1, &[0, 1, 2, 3]);
        takes(4, 100, -100, -1, &[3, 2, 1, 0]);
        takes(4, -3, -1, 1, &[1, 2]);
        takes(4, -1, -4, -2, &[3, 1]);
        takes(4, 3, 1, 1, &[]);
        takes(4, 1, 3, -1, &[]);
        takes(4, 4, None, 1, &[]);
        takes(4, None, -5, -1, &[3, 2, 1, 0]);
        takes(4, -5, None, -1, &[]);
        takes(0, None, None, -1, &[]);
        takes(4, i64::MIN, i64::MAX, i64::MAX, &[0]);
        takes(4, i64::MAX, i64::MIN, i64::MIN, &[3]);
    }

    #[test]
    fn refusals() {
        let x = contiguous(&[2, 3]);
        let zero = x.slice(&[Index::ALL, part(None, None, 0)]);
        assert_eq!(zero, Err(Error::ZeroStep { axis: 1 }));
        for index in [3, -4, i64::MIN, i64::MAX] {
            let outside = x.slice(&[Index::ALL, Index::At(index)]);
            assert_eq!(
                outside,
                Err(Error::IndexOutside {
                    axis: 1,
                    extent: 3,
                    index
                })
            );
        }
        let count = x.slice(&[Index::ALL, Index::NewAxis, Index::ALL, Index::At(0)]);
        assert_eq!(
            count,
            Err(Error::IndexCount {
                rank: 2,
                indices: 3
            })
        );
        let ellipses = x.slice(&[Index::Ellipsis, Index::NewAxis, Index::Ellipsis]);
        assert_eq!(ellipses, Err(Error::SecondEllipsis { entry: 2 }));
        let rank = x.slice(&[Index::NewAxis; 31]);
        assert_eq!(rank, Err(Error::Rank { rank: 33 }));
        assert_eq!(x.slice(&[Index::NewAxis; 30]).unwrap().rank(), MAX_RANK);
    }

    #[test]
    fn axes_dropped_added_and_passed_over() {
        let x = contiguous(&[2, 3, 4]);
        assert_eq!(x.slice(&[]).unwrap(), x);
        assert_eq!(
            x.slice(&[Index::At(1)]).unwrap(),
            strided(12, &[4, 1], &[3, 4])
        );
        let last = x.slice(&[Index::Ellipsis, Index::At(-1)]).unwrap();
        assert_eq!(last, strided(3, &[12, 4], &[2, 3]));
        let scalar = x.slice(&[1.into(), 2.into(), 3.into()]).unwrap();
        assert_eq!(scalar, strided(23, &[], &[]));
        let all = [
            Index::ALL,
            Index::NewAxis,
            Index::Ellipsis,
            (1..3).into(),
            Index::NewAxis,
        ];
        assert_eq!(
            x.slice(&all).unwrap(),
            strided(1, &[12, 0, 4, 1, 0], &[2, 1, 3, 2, 1])
        );
        // An ellipsis that stands for no axis.
        let none = x
            .slice(&[Index::ALL, Index::Ellipsis, (..).into(), (2..).into()])
            .unwrap();
        assert_eq!(none, strided(2, &[12, 4, 1], &[2, 3, 2]));
        let empty = x.slice(&[(..0).into(), Index::At(1)]).unwrap();
        assert_eq!(empty, contiguous(&[0, 4]));
        let scalar = contiguous(&[]);
        assert_eq!(
            scalar
                .slice(&[Index::Ellipsis, Index::NewAxis])
                .unwrap()
                .shape(),
            [1]
        );
    }

    /// The elements of a slice by Python's definition: the bounds are moved onto the axis, then a
    /// walk from the first to the second.
    fn by_walking(extent: i64, start: Option<i64>, stop: Option<i64>, step: i64) -> Vec<i64> {
        let (lowest, highest) = if step > 0 {
            (0, extent)
        } else {
            (-1, extent - 1)
        };
        let place = |bound: i64| {
            let bound = if bound < 0 {
                bound.saturating_add(extent)
            } else {
                bound
            };
            bound.max(lowest).min(highest)
        };
        let (first, last) = if step > 0 {
            (0, extent)
        } else {
            (extent - 1, -1)
        };
        let stop = stop.map_or(last, place);
        let mut elements = Vec::new();
        let mut i = start.map_or(first, place);
        while if step > 0 { i < stop } else { i > stop } {
            elements.push(i);
            i = i.saturating_add(step);
        }
        elements
    }

    fn bound() -> impl Strategy<Value = Option<i64>> {
        let edges = prop::sample::select(vec![i64::MIN, i64::MIN + 1, i64::MAX]);
        prop_oneof![
            1 => Just(None),
            8 => (-12_i64..12).prop_map(Some),
            1 => edges.prop_map(Some),
        ]
    }

    proptest! {
        #![proptest_config(config())]

        #[test]
        fn are_those_of_python(
            extent in 0_u64..10, start in bound(), stop in bound(), step in bound()
        ) {
            let step = step.filter(|&step| step != 0).unwrap_or(-1);
            let expected = by_walking(extent.cast_signed(), start, stop, step);
            let layout = contiguous(&[extent]).slice(&[part(start, stop, step)]).unwrap();
            prop_assert_eq!(positions(&layout), expected);
        }
    }
}

mod axes {
    use super::*;

    #[test]
    fn count_from_either_end() {
        let x = contiguous(&[2, 3, 4]);
        assert_eq!(x.flip(-1), x.flip(2));
        assert_eq!(x.select(-3, 1), x.select(0, 1));
        for axis in [3, -4, isize::MIN, isize::MAX] {
            assert_eq!(x.flip(axis), Err(Error::Axis { axis, rank: 3 }));
            assert_eq!(x.permute(&[0, 1, axis]), Err(Error::Axis { axis, rank: 3 }));
            assert_eq!(x.swap_axes(0, axis), Err(Error::Axis { axis, rank: 3 }));
            assert_eq!(x.move_axis(axis, 0), Err(Error::Axis { axis, rank: 3 }));
            assert_eq!(x.narrow(axis, 0, 1), Err(Error::Axis { axis, rank: 3 }));
            assert_eq!(x.select(axis, 0), Err(Error::Axis { axis, rank: 3 }));
            assert_eq!(x.step(axis, 2), Err(Error::Axis { axis, rank: 3 }));
            assert_eq!(x.squeeze_axis(axis), Err(Error::Axis { axis, rank: 3 }));
            assert_eq!(x.unfold(axis, 1, 1), Err(Error::Axis { axis, rank: 3 }));
            assert_eq!(x.diagonal(axis, 0), Err(Error::Axis { axis, rank: 3 }));
            assert_eq!(x.unflatten(axis, &[1]), Err(Error::Axis { axis, rank: 3 }));
        }
        // The result of an unsqueeze has one axis more to name.
        assert!(x.unsqueeze(3).is_ok() && x.unsqueeze(-4).is_ok());
        assert_eq!(x.unsqueeze(4), Err(Error::Axis { axis: 4, rank: 4 }));
        assert_eq!(x.unsqueeze(-5), Err(Error::Axis { axis: -5, rank: 4 }));
    }

    #[test]
    fn permuted() {
        let x = contiguous(&[2, 3, 4]);
        assert_eq!(
            x.permute(&[-1, 0, 1]).unwrap(),
            strided(0, &[1, 12, 4], &[4, 2, 3])
        );
        assert_eq!(
            x.permute(&[0, 1, -3]),
            Err(Error::RepeatedAxis { entry: 2, axis: 0 })
        );
        assert_eq!(
            x.permute(&[0]),
            Err(Error::PermuteLength {
                rank: 3,
                entries: 1
            })
        );
        assert_eq!(x.transpose(), strided(0, &[1, 4, 12], &[4, 3, 2]));
        assert_eq!(x.swap_axes(0, -1).unwrap(), x.transpose());
        assert_eq!(x.move_axis(0, -1).unwrap().shape(), [3, 4, 2]);
        assert_eq!(x.move_axis(-1, 0).unwrap().shape(), [4, 2, 3]);
        assert_eq!(x.move_axis(1, 1).unwrap(), x);
    }

    #[test]
    fn swapped_without_a_merge() {
        let x = contiguous(&[32, 8192, 32, 128]).swap_axes(1, 2).unwrap();
        assert_eq!(x.strides(), [33_554_432, 128, 4096, 1]);
        assert_eq!(x.shape(), [32, 32, 8192, 128]);
    }

    #[test]
    fn sliced() {
        let x = strided(1, &[10, 2], &[2, 5]);
        assert_eq!(x.flip(1).unwrap(), strided(9, &[10, -2], &[2, 5]));
        assert_eq!(x.step(1, 2).unwrap(), strided(1, &[10, 4], &[2, 3]));
        assert_eq!(x.step(1, -2).unwrap(), strided(9, &[10, -4], &[2, 3]));
        assert_eq!(x.step(1, 0), Err(Error::ZeroStep { axis: 1 }));
        assert_eq!(x.narrow(1, 3, 2).unwrap(), strided(7, &[10, 2], &[2, 2]));
        assert_eq!(x.narrow(1, 9, 0).unwrap(), contiguous(&[2, 0]));
        let outside = Error::RangeOutside {
            axis: 1,
            extent: 5,
            start: 3,
            count: 3,
            step: 1,
        };
        assert_eq!(x.narrow(1, 3, 3), Err(outside));
        assert_eq!(x.select(1, -1).unwrap(), strided(9, &[10], &[2]));
        assert_eq!(contiguous(&[0]).flip(0).unwrap(), contiguous(&[0]));
    }

    #[test]
    fn of_extent_1() {
        let x = strided(3, &[9, 7, 9, 1], &[1, 2, 1, 4]);
        assert_eq!(x.squeeze(), strided(3, &[7, 1], &[2, 4]));
        assert_eq!(
            x.squeeze_axis(2).unwrap(),
            strided(3, &[0, 7, 1], &[1, 2, 4])
        );
        assert_eq!(
            x.squeeze_axis(1),
            Err(Error::SqueezeExtent { axis: 1, extent: 2 })
        );
        assert_eq!(contiguous(&[1, 0, 1]).squeeze(), contiguous(&[0]));
        assert_eq!(
            contiguous(&[2, 3]).unsqueeze(1).unwrap(),
            strided(0, &[3, 0, 1], &[2, 1, 3])
        );
        assert_eq!(contiguous(&[]).unsqueeze(-1).unwrap(), contiguous(&[1]));
        assert_eq!(
            contiguous(&[1; 32]).unsqueeze(0),
            Err(Error::Rank { rank: 33 })
        );
    }

    #[test]
    fn windows() {
        let x = contiguous(&[2, 5]);
        assert_eq!(
            x.unfold(1, 3, 2).unwrap(),
            strided(0, &[5, 2, 1], &[2, 2, 3])
        );
        assert_eq!(
            x.window(-1, 2, 1, 3).unwrap(),
            strided(0, &[5, 1, 3], &[2, 2, 2])
        );
    }

    #[test]
    fn diagonals() {
        let x = contiguous(&[2, 3, 4]);
        assert_eq!(x.diagonal(0, 1).unwrap(), strided(0, &[1, 16], &[4, 2]));
        assert_eq!(x.diagonal(2, -3).unwrap(), strided(0, &[4, 13], &[3, 2]));
        assert_eq!(
            x.diagonal(1, -2),
            Err(Error::RepeatedAxis { entry: 1, axis: 1 })
        );
        let anti = contiguous(&[3, 3]).flip(1).unwrap().diagonal(0, 1).unwrap();
        assert_eq!(positions(&anti), [2, 4, 6]);
        assert_eq!(
            contiguous(&[3, 0, 2]).diagonal(0, 1).unwrap(),
            contiguous(&[2, 0])
        );
        assert_eq!(
            strided(2, &[5, 5], &[1, 4]).diagonal(0, 1).unwrap(),
            strided(2, &[0], &[1])
        );
    }

    /// A layout of at least so many axes and two of them, perhaps the same.
    fn with_two_axes(picks: &mut Picks, least_rank: usize) -> (Layout, usize, usize) {
        let mut shape = picks.shape();
        shape.resize(shape.len().max(least_rank), 3);
        let layout = picks.layout_of(&shape);
        (layout, picks.index(shape.len()), picks.index(shape.len()))
    }

    proptest! {
        #![proptest_config(config())]

        #[test]
        fn a_word_is_its_move((layout, a, b) in decoded(|picks| with_two_axes(picks, 1))) {
            let rank = layout.rank();
            let (from, to) = (a.cast_signed(), b.cast_signed() - rank.cast_signed());
            let apply = |m: &Move| layout.apply(m).unwrap().unwrap();
            let mut axes: Vec<usize> = (0..rank).collect();

            axes.reverse();
            prop_assert_eq!(layout.transpose(), apply(&Move::Permute(axes.clone())));
            axes.reverse();
            let moved = axes.remove(a);
            axes.insert(b, moved);
            prop_assert_eq!(layout.move_axis(from, to).unwrap(), apply(&Move::Permute(axes)));

            let all = |extent: &u64| Range { start: 0, count: *extent, step: 1 };
            let mut ranges: Vec<Range> = layout.shape().iter().map(all).collect();
            let extent = layout.dim(a);
            ranges[a] = Range { start: extent.saturating_sub(1), count: extent, step: -1 };
            prop_assert_eq!(layout.flip(from).unwrap(), apply(&Move::Slice(ranges)));

            let ones: Vec<u64> = layout.shape().iter().copied().filter(|&d| d != 1).collect();
            prop_assert_eq!(layout.squeeze(), apply(&Move::Reshape(ones)));
            let mut one_more = layout.shape().to_vec();
            one_more.insert(a, 1);
            prop_assert_eq!(layout.unsqueeze(from).unwrap(), apply(&Move::Reshape(one_more)));
        }

        #[test]
        fn a_diagonal_has_equal_coordinates(
            (layout, a, b) in decoded(|picks| with_two_axes(picks, 2))
        ) {
            let b = if a == b { (a + 1) % layout.rank() } else { b };
            let diagonal = layout.diagonal(a.cast_signed(), b.cast_signed()).unwrap();
            let (low, high) = (a.min(b), a.max(b));
            for index in indices(diagonal.shape()) {
                let (&last, others) = index.split_last().unwrap();
                let mut full = others.to_vec();
                full.insert(low, last);
                full.insert(high, last);
                prop_assert_eq!(diagonal.position(&index), layout.position(&full));
            }
        }
    }
}

mod reshapes {
    use super::*;

    #[test]
    fn one_extent_inferred() {
        let x = contiguous(&[2, 6]);
        assert_eq!(x.reshape(&[-1, 4]).unwrap(), Some(contiguous(&[3, 4])));
        assert_eq!(x.reshape(&[-1]).unwrap(), x.flatten());
        assert_eq!(x.reshape(&[3, 4]).unwrap(), Some(contiguous(&[3, 4])));
        assert_eq!(x.transpose().reshape(&[-1]).unwrap(), None);
        assert_eq!(
            contiguous(&[]).reshape(&[-1, 1]).unwrap(),
            Some(contiguous(&[1, 1]))
        );
        let empty = contiguous(&[0, 3]);
        assert_eq!(empty.reshape(&[-1, 5]).unwrap(), Some(contiguous(&[0, 5])));
        assert_eq!(empty.reshape(&[7, 0]).unwrap(), Some(contiguous(&[7, 0])));
        assert_eq!(
            empty.reshape(&[-1, 0]),
            Err(Error::Inferred { numel: 0, known: 0 })
        );
        assert_eq!(
            x.reshape(&[-1, 5]),
            Err(Error::Inferred {
                numel: 12,
                known: 5
            })
        );
        assert_eq!(
            x.reshape(&[-1, 0]),
            Err(Error::Inferred {
                numel: 12,
                known: 0
            })
        );
        assert_eq!(
            x.reshape(&[-1, 3, -1]),
            Err(Error::InferredTwice { axis: 2 })
        );
        assert_eq!(
            x.reshape(&[6, -2]),
            Err(Error::NegativeExtent {
                axis: 1,
                extent: -2
            })
        );
        assert_eq!(
            x.reshape(&[5, 2]),
            Err(Error::ReshapeNumel { from: 12, to: 10 })
        );
        assert_eq!(x.reshape(&[1; 33]), Err(Error::Rank { rank: 33 }));
        let extent = i64::MAX.cast_unsigned();
        let numel = Err(Error::Numel { axis: 1, extent });
        assert_eq!(x.reshape(&[-1, i64::MAX, i64::MAX]), numel);
    }

    #[test]
    fn flattened() {
        assert_eq!(contiguous(&[2, 3]).flatten(), Some(contiguous(&[6])));
        assert_eq!(
            strided(5, &[-3, -1], &[2, 3]).flatten(),
            Some(strided(5, &[-1], &[6]))
        );
        assert_eq!(strided(4, &[], &[]).flatten(), Some(strided(4, &[0], &[1])));
        assert_eq!(contiguous(&[2, 3]).transpose().flatten(), None);
        assert_eq!(contiguous(&[2, 0]).flatten(), Some(contiguous(&[0])));
    }

    #[test]
    fn unflattened() {
        let x = contiguous(&[2, 6]).transpose();
        assert_eq!(
            x.unflatten(0, &[-1, 3]).unwrap(),
            strided(0, &[3, 1, 6], &[2, 3, 2])
        );
        assert_eq!(
            x.unflatten(-1, &[2, 1]).unwrap(),
            strided(0, &[1, 6, 0], &[6, 2, 1])
        );
        assert_eq!(
            x.unflatten(0, &[4, -1]),
            Err(Error::Inferred { numel: 6, known: 4 })
        );
        assert_eq!(
            x.unflatten(0, &[4, 2]),
            Err(Error::ReshapeNumel { from: 6, to: 8 })
        );
        // Beside an axis of extent 0 too.
        let empty = contiguous(&[0, 6]);
        assert_eq!(
            empty.unflatten(1, &[4, 2]),
            Err(Error::ReshapeNumel { from: 6, to: 8 })
        );
        assert_eq!(empty.unflatten(1, &[3, 2]).unwrap(), contiguous(&[0, 3, 2]));
        assert_eq!(empty.unflatten(0, &[2, 0]).unwrap(), contiguous(&[2, 0, 6]));
        assert_eq!(
            contiguous(&[1, 6]).unflatten(0, &[]).unwrap(),
            contiguous(&[6])
        );
        assert_eq!(
            contiguous(&[1; 32]).unflatten(0, &[1, 1]),
            Err(Error::Rank { rank: 33 })
        );
        assert_eq!(
            strided(5, &[-1], &[6]).unflatten(0, &[2, 3]).unwrap(),
            strided(5, &[-3, -1], &[2, 3])
        );
    }

    #[test]
    fn expanded() {
        let column = contiguous(&[2]).unsqueeze(1).unwrap();
        assert_eq!(
            column.expand(&[2, 2]).unwrap(),
            strided(0, &[1, 0], &[2, 2])
        );
        let big = contiguous(&[1, 32769]).expand(&[65536, 32769]).unwrap();
        assert_eq!((big.numel(), big.span()), (2_147_549_184, 0..32769));
    }

    #[test]
    fn a_negative_extent_of_a_shape_is_refused() {
        let x = contiguous(&[6]);
        assert_eq!(
            x.reshape(&[-2, -3]),
            Err(Error::NegativeExtent {
                axis: 0,
                extent: -2
            })
        );
    }
}
