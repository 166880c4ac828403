//! The vectors and bounds of the rules of layouts, one by one.

use restride::{DType, Error, Layout, MAX_NUMEL, MAX_RANK, coalesce};

fn contiguous(shape: &[u64]) -> Layout {
    Layout::contiguous(shape).unwrap()
}

fn strided(offset: u64, strides: &[i64], shape: &[u64]) -> Layout {
    Layout::strided(offset, strides, shape).unwrap()
}

#[test]
fn limits() {
    assert_eq!(MAX_RANK, 32);
    assert_eq!(MAX_NUMEL, 1 << 53);
}

mod construction {
    use super::*;

    #[test]
    fn bounds_accepted() {
        assert_eq!(contiguous(&[1 << 53]).numel(), 1 << 53);
        assert_eq!(strided(0, &[(1 << 53) - 1], &[2]).span(), 0..1 << 53);
        assert_eq!(
            strided((1 << 53) - 1, &[1 - (1 << 53)], &[2]).span(),
            0..1 << 53
        );
        assert_eq!(
            strided((1 << 53) - 1, &[9], &[1]).span(),
            (1 << 53) - 1..1 << 53
        );
        assert_eq!(strided(0, &[0, 0], &[1 << 52, 2]).numel(), 1 << 53);
        assert_eq!(contiguous(&[1 << 52, 2, 0]).numel(), 0);
        assert_eq!(contiguous(&[1; 32]).rank(), 32);
    }

    #[test]
    fn bounds_refused() {
        let shape = [1; 33];
        assert_eq!(Layout::contiguous(&shape), Err(Error::Rank { rank: 33 }));
        let extent = (1 << 53) + 1;
        assert_eq!(
            Layout::contiguous(&[extent]),
            Err(Error::Numel { axis: 0, extent })
        );
        let extent = (1 << 26) + 1;
        assert_eq!(
            Layout::contiguous(&[0, 1 << 27, extent]),
            Err(Error::Numel { axis: 2, extent })
        );
        assert_eq!(
            Layout::contiguous(&[u64::MAX, 2, 0]),
            Err(Error::Numel {
                axis: 0,
                extent: u64::MAX
            })
        );
        assert_eq!(
            Layout::strided(0, &[1 << 53], &[2]),
            Err(Error::SpanEnd {
                offset: 0,
                end: (1 << 53) + 1
            })
        );
        assert_eq!(
            Layout::strided(1 << 53, &[0], &[1]),
            Err(Error::SpanEnd {
                offset: 1 << 53,
                end: (1 << 53) + 1
            })
        );
        assert_eq!(
            Layout::strided(1 << 53, &[-(1 << 53)], &[2]),
            Err(Error::SpanEnd {
                offset: 1 << 53,
                end: (1 << 53) + 1
            })
        );
        assert_eq!(
            Layout::strided(0, &[1 << 62], &[3]),
            Err(Error::AxisReach {
                axis: 0,
                extent: 3,
                stride: 1 << 62
            })
        );
        assert_eq!(
            Layout::strided(4, &[-3, -1], &[2, 3]),
            Err(Error::NegativePosition {
                axis: 1,
                offset: 4,
                lowest: -1
            })
        );
    }

    #[test]
    fn refusals_come_in_order() {
        // Each argument breaks every rule from the one named on.
        let (huge, far) = (u64::MAX, i64::MIN);
        let rank = Layout::strided(huge, &[far], &[huge; 33]);
        assert_eq!(rank, Err(Error::Rank { rank: 33 }));
        let count = Layout::strided(huge, &[far], &[huge; 2]);
        assert_eq!(
            count,
            Err(Error::StrideCount {
                rank: 2,
                strides: 1
            })
        );
        let numel = Layout::strided(huge, &[far, far], &[2, huge]);
        assert_eq!(
            numel,
            Err(Error::Numel {
                axis: 1,
                extent: huge
            })
        );
        let reach = Layout::strided(huge, &[1, far], &[2, 2]);
        assert_eq!(
            reach,
            Err(Error::AxisReach {
                axis: 1,
                extent: 2,
                stride: far
            })
        );
        let negative = Layout::strided(1 << 53, &[-(1 << 54), 1], &[2, 2]);
        assert!(matches!(
            negative,
            Err(Error::NegativePosition { axis: 0, .. })
        ));
    }

    #[test]
    fn an_empty_layout_is_held_to_its_reach_and_not_to_its_positions() {
        assert_eq!(
            strided(u64::MAX, &[i64::MIN, -9], &[0, 3]),
            contiguous(&[0, 3])
        );
        let reach = Layout::strided(0, &[0, i64::MIN], &[0, 2]);
        assert_eq!(
            reach,
            Err(Error::AxisReach {
                axis: 1,
                extent: 2,
                stride: i64::MIN
            })
        );
        assert_eq!(strided(0, &[0, i64::MAX], &[0, 2]), contiguous(&[0, 2]));
    }

    #[test]
    fn canonical_form() {
        assert_eq!(strided(3, &[i64::MIN, 2], &[1, 2]).strides(), [0, 2]);
        let empty = strided(9, &[5, 7, 1], &[2, 0, 3]);
        assert_eq!((empty.offset(), empty.strides()), (0, &[0, 0, 0][..]));
        assert_eq!(empty.shape(), [2, 0, 3]);
        assert_ne!(contiguous(&[0, 2]), contiguous(&[2, 0]));
        assert_ne!(contiguous(&[1]), contiguous(&[]));
    }

    #[test]
    fn a_sum_of_reaches_beyond_any_integer_is_refused() {
        let shape = [2; 32];
        let up = Layout::strided(0, &[i64::MAX; 32], &shape);
        assert!(matches!(up, Err(Error::SpanEnd { .. })));
        let down = Layout::strided(u64::MAX, &[-i64::MAX; 32], &shape);
        assert!(matches!(down, Err(Error::NegativePosition { axis: 2, .. })));
    }

    #[test]
    fn refusals_name_the_axis_and_the_values() {
        let message = |layout: Result<Layout, Error>| layout.unwrap_err().to_string();
        let reach = message(Layout::strided(0, &[1, 1 << 62], &[2, 3]));
        assert_eq!(
            reach,
            "axis 1 of extent 3 and stride 4611686018427387904 reaches past an i64"
        );
        let numel = message(Layout::contiguous(&[2, 1 << 53]));
        assert!(
            numel.contains("axis 1") && numel.contains("9007199254740992"),
            "{numel}"
        );
        let negative = message(Layout::strided(4, &[-3, -1], &[2, 3]));
        assert!(
            negative.contains("axis 1") && negative.contains("-1"),
            "{negative}"
        );
    }
}

mod queries {
    use super::*;

    #[test]
    fn span() {
        assert_eq!(strided(5, &[-3, 2], &[2, 3]).span(), 2..10);
        assert_eq!(contiguous(&[]).span(), 0..1);
        assert_eq!(contiguous(&[3, 0]).span(), 0..0);
        // A reversed upload: the lowest position is not the base's.
        assert_eq!(strided(7, &[-1], &[8]).span(), 0..8);
        assert_eq!(strided(32767, &[-1], &[32768]).span(), 0..32768);
    }

    #[test]
    fn contiguous_at_any_offset() {
        assert!(strided(7, &[3, 1], &[2, 3]).is_contiguous());
        assert!(strided(7, &[], &[]).is_contiguous());
        assert!(contiguous(&[2, 0]).is_contiguous());
        assert!(strided(0, &[77, 1, 5], &[1, 3, 1]).is_contiguous());
        assert!(!strided(32767, &[-1], &[32768]).is_contiguous());
        assert!(!strided(0, &[0], &[2]).is_contiguous());
        // Dense, but not in C order.
        assert!(!strided(0, &[1, 2], &[2, 3]).is_contiguous());
    }

    #[test]
    fn distinct_by_the_rule() {
        assert!(strided(0, &[2, 3], &[2, 2]).is_distinct());
        assert!(strided(0, &[1, 3], &[3, 2]).is_distinct());
        assert!(!strided(0, &[3, 2], &[2, 3]).is_distinct());
        let repeated = contiguous(&[]).expand(&[2]).unwrap();
        assert!(!repeated.is_distinct() && !repeated.is_contiguous());
        assert!(contiguous(&[]).is_distinct());
        assert!(
            contiguous(&[0, 5])
                .expand(&[3, 0, 5])
                .unwrap()
                .is_distinct()
        );
        assert!(strided(4, &[0, 0], &[1, 1]).is_distinct());
        // A stride of 0 beside an axis of extent 1 is no overlap.
        assert!(strided(0, &[0, 16384, 128, 1], &[1, 3, 128, 128]).is_distinct());
        // Fourteen indices on nine positions.
        assert!(!strided(0, &[1, 2], &[7, 2]).is_distinct());
    }

    #[test]
    fn a_reach_beyond_32_bits() {
        let column = strided(0, &[10944, 1], &[198_000, 4]);
        assert_eq!(column.numel(), 792_000);
        assert_eq!(column.span().end, 197_999 * 10944 + 4);
        let narrow = contiguous(&[32769, 65536]).narrow(1, 7, 65529).unwrap();
        assert_eq!(narrow, strided(7, &[65536, 1], &[32769, 65529]));
        assert_eq!(narrow.span(), 7..32769 << 16);
        assert_eq!(contiguous(&[128, 8192, 32, 128]).numel(), 1 << 32);
    }

    #[test]
    fn positions_of_negative_strides() {
        let layout = strided(5, &[-3, -1], &[2, 3]);
        assert_eq!(layout.position(&[0, 0]), 5);
        assert_eq!(layout.position(&[1, 2]), 0);
        // The first axis alone would lead below 0.
        let mixed = strided(2, &[-5, 2], &[1, 3]);
        assert_eq!(mixed.position(&[0, 2]), 6);
    }

    #[test]
    fn formats() {
        let layout = strided(5, &[-3, 7], &[2, 1]);
        assert_eq!(layout.to_string(), "[2, 1] strides [-3, 0] offset 5");
        let debug = "Layout { shape: [2, 1], strides: [-3, 0], offset: 5 }";
        assert_eq!(format!("{layout:?}"), debug);
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn an_axis_beyond_the_rank_panics() {
        contiguous(&[2, 3]).dim(2);
    }

    #[test]
    #[should_panic(expected = "coordinate 3 is outside axis 1 of extent 3")]
    fn a_coordinate_beyond_its_extent_panics() {
        contiguous(&[2, 3]).position(&[0, 3]);
    }

    #[test]
    #[should_panic(expected = "1 coordinates for 2 axes")]
    fn an_index_of_another_rank_panics() {
        contiguous(&[2, 3]).position(&[0]);
    }
}

mod coalescing {
    use super::*;

    #[track_caller]
    fn alone(layout: &Layout, expected: &Layout) {
        assert_eq!(
            coalesce(std::slice::from_ref(layout)).unwrap(),
            std::slice::from_ref(expected)
        );
    }

    #[test]
    fn one_layout() {
        alone(&contiguous(&[2, 1, 3]), &strided(0, &[1], &[6]));
        alone(&strided(9, &[0, 0], &[1, 1]), &strided(9, &[0], &[1]));
        alone(&strided(9, &[], &[]), &strided(9, &[0], &[1]));
        alone(&contiguous(&[2, 0]), &contiguous(&[0]));
        alone(&strided(5, &[-3, -1], &[2, 3]), &strided(5, &[-1], &[6]));
        let mixed = strided(2, &[3, -1], &[2, 3]);
        alone(&mixed, &mixed);
        alone(
            &strided(0, &[0, 0, 1], &[2, 3, 4]),
            &strided(0, &[0, 1], &[6, 4]),
        );
    }

    #[test]
    fn several() {
        let pair = [contiguous(&[3, 2]), strided(0, &[1, 3], &[3, 2])];
        assert_eq!(coalesce(&pair).unwrap(), pair);
        let triple = [
            contiguous(&[2, 3, 4]),
            strided(7, &[12, 4, 1], &[2, 3, 4]),
            strided(0, &[0, 0, 1], &[2, 3, 4]),
        ];
        let expected = [
            strided(0, &[4, 1], &[6, 4]),
            strided(7, &[4, 1], &[6, 4]),
            strided(0, &[0, 1], &[6, 4]),
        ];
        assert_eq!(coalesce(&triple).unwrap(), expected);
    }

    #[test]
    fn refusals() {
        assert_eq!(coalesce(&[]), Err(Error::NoLayouts));
        let ranks = coalesce(&[contiguous(&[2]), contiguous(&[2, 1])]);
        assert_eq!(ranks, Err(Error::UnlikeRanks { left: 1, right: 2 }));
        let extents = coalesce(&[contiguous(&[2, 3]), contiguous(&[2, 0])]);
        assert_eq!(
            extents,
            Err(Error::UnlikeExtents {
                axis: 1,
                left: 3,
                right: 0
            })
        );
    }
}

mod bitcasts {
    use super::*;

    const BYTES: DType = DType::UInt8;
    const FLOATS: DType = DType::Float32;

    #[test]
    fn narrower() {
        let bytes = strided(2, &[-1], &[3]).bitcast(FLOATS, BYTES).unwrap();
        assert_eq!(bytes, Some(strided(8, &[-4, 1], &[3, 4])));
        assert_eq!(
            contiguous(&[0]).bitcast(FLOATS, BYTES).unwrap(),
            Some(contiguous(&[0, 4]))
        );
        let rank = contiguous(&[1; 32]).bitcast(FLOATS, BYTES);
        assert_eq!(rank, Err(Error::Rank { rank: 33 }));
        let numel = contiguous(&[1 << 52]).bitcast(FLOATS, BYTES);
        assert_eq!(numel, Err(Error::Numel { axis: 1, extent: 4 }));
        let end = strided(1 << 52, &[], &[]).bitcast(FLOATS, BYTES);
        assert_eq!(
            end,
            Err(Error::SpanEnd {
                offset: 1 << 54,
                end: (1 << 54) + 4
            })
        );
    }

    #[test]
    fn wider() {
        let floats = strided(8, &[-4, 1], &[3, 4])
            .bitcast(BYTES, FLOATS)
            .unwrap();
        assert_eq!(floats, Some(strided(2, &[-1], &[3])));
        let none = [
            strided(2, &[4, 1], &[3, 4]), // the offset
            strided(0, &[5, 1], &[3, 4]), // a stride
            strided(0, &[4, 2], &[3, 4]), // the last stride
            strided(0, &[2, 1], &[3, 2]), // the last extent
            strided(0, &[], &[]),
            contiguous(&[4, 0]),
        ];
        for layout in none {
            assert_eq!(layout.bitcast(BYTES, FLOATS).unwrap(), None, "{layout}");
        }
        let empty = contiguous(&[0, 4]).bitcast(BYTES, FLOATS).unwrap();
        assert_eq!(empty, Some(contiguous(&[0])));
        // After a transpose the inner axis no longer allows it.
        let transposed = contiguous(&[4, 4]).transpose();
        assert_eq!(transposed.bitcast(BYTES, FLOATS).unwrap(), None);
    }

    #[test]
    fn ratios() {
        let layout = strided(1, &[3], &[2]);
        assert_eq!(
            layout.bitcast(FLOATS, DType::Int32).unwrap(),
            Some(layout.clone())
        );
        let odd = layout.bitcast(BYTES, DType::Float6E2M3Fn);
        assert_eq!(odd, Err(Error::BitcastRatio { from: 8, to: 6 }));
    }
}
