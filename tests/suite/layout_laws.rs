//! The laws of layouts and moves, on random ones: each contract as an equation.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use proptest::prelude::*;
use restride::{DType, Error, Layout, MAX_NUMEL, Move, Width, coalesce, coalesce_in_place};

use crate::random_layouts::{
    Picks, config, decoded, indices, layout, layout_and_move, layouts, positions, unravel,
};

/// Where a move takes an index of its result, by the definition of the moves.
fn argument_index(m: &Move, shape: &[u64], index: &[u64]) -> Vec<u64> {
    match m {
        Move::Reshape(to) => {
            let k = index.iter().zip(to).fold(0, |k, (i, d)| k * d + i);
            unravel(k, shape)
        }
        Move::Broadcast(to) => {
            let kept = &index[to.len() - shape.len()..];
            kept.iter()
                .zip(shape)
                .map(|(&i, &d)| if d == 1 { 0 } else { i })
                .collect()
        }
        Move::Permute(axes) => {
            let mut argument = vec![0; shape.len()];
            for (&i, &axis) in index.iter().zip(axes) {
                argument[axis] = i;
            }
            argument
        }
        Move::Slice(ranges) => {
            let element = |(&i, r): (&u64, &restride::Range)| {
                (r.start.cast_signed() + i.cast_signed() * r.step)
                    .try_into()
                    .unwrap()
            };
            index.iter().zip(ranges).map(element).collect()
        }
        Move::Window(windows) => {
            let (places, elements) = index.split_at(shape.len());
            let mut argument = places.to_vec();
            for (w, &j) in windows.iter().zip(elements) {
                argument[w.axis] = places[w.axis] * w.step + j * w.dilation;
            }
            argument
        }
    }
}

/// The positions that a move's result must reach, in C order.
fn moved(layout: &Layout, m: &Move) -> Vec<i64> {
    let shape = m.shape(layout.shape()).unwrap();
    let from = positions(layout);
    let at = |index: Vec<u64>| {
        let argument = argument_index(m, layout.shape(), &index);
        let k = argument
            .iter()
            .zip(layout.shape())
            .fold(0, |k, (i, d)| k * d + i);
        from[usize::try_from(k).unwrap()]
    };
    indices(&shape).into_iter().map(at).collect()
}

/// True iff some strides take the indices of a shape to these positions. The stride of an axis can
/// only be the difference that one step on it makes, so that no others need be tried.
fn expressible(shape: &[u64], positions: &[i64]) -> bool {
    let Some(&first) = positions.first() else {
        return true;
    };
    let mut strides = vec![0; shape.len()];
    let mut inner = 1;
    for (stride, &extent) in strides.iter_mut().zip(shape).rev() {
        if extent > 1 {
            *stride = positions[inner] - first;
        }
        inner *= usize::try_from(extent).unwrap();
    }
    let by_strides = |index: Vec<u64>| {
        let steps = index.iter().zip(&strides);
        first + steps.map(|(&i, &s)| i.cast_signed() * s).sum::<i64>()
    };
    indices(shape)
        .into_iter()
        .map(by_strides)
        .eq(positions.iter().copied())
}

fn canonical(layout: &Layout) -> bool {
    let mut axes = layout.shape().iter().zip(layout.strides());
    if layout.numel() == 0 {
        return layout.offset() == 0 && axes.all(|(_, &stride)| stride == 0);
    }
    axes.all(|(&extent, &stride)| extent != 1 || stride == 0)
}

fn hash(layout: &Layout) -> u64 {
    let mut hasher = DefaultHasher::new();
    layout.hash(&mut hasher);
    hasher.finish()
}

/// The rule of distinct layouts, read from its definition.
fn distinct_by_the_rule(layout: &Layout) -> bool {
    let mut axes: Vec<(u64, usize, u64)> = (0..layout.rank())
        .filter(|&axis| layout.dim(axis) > 1)
        .map(|axis| (layout.stride(axis).unsigned_abs(), axis, layout.dim(axis)))
        .collect();
    axes.sort_unstable();
    let reach = |axes: &[(u64, usize, u64)]| axes.iter().map(|&(s, _, d)| s * (d - 1)).sum::<u64>();
    layout.numel() == 0 || (0..axes.len()).all(|n| axes[n].0 > reach(&axes[..n]))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn contiguous_puts_element_k_at_k(shape in decoded(Picks::shape)) {
        let layout = Layout::contiguous(&shape).unwrap();
        let numel = layout.numel().cast_signed();
        prop_assert!(positions(&layout).into_iter().eq(0..numel));
        prop_assert!(canonical(&layout) && layout.is_contiguous() && layout.is_distinct());
    }

    #[test]
    fn position_is_the_defining_sum(layout in layout()) {
        let at = indices(layout.shape()).into_iter().map(|index| layout.position(&index));
        prop_assert!(at.map(u64::cast_signed).eq(positions(&layout)));
    }

    #[test]
    fn a_move_takes_every_index_to_its_position((layout, m) in layout_and_move()) {
        let shape = m.shape(layout.shape()).unwrap();
        let expected = moved(&layout, &m);
        match layout.apply(&m).unwrap() {
            Some(result) => {
                prop_assert_eq!(result.shape(), shape);
                prop_assert_eq!(positions(&result), expected);
                prop_assert!(canonical(&result), "{}", result);
            }
            None => {
                prop_assert!(matches!(m, Move::Reshape(_)));
                prop_assert!(!expressible(&shape, &expected), "{} by {:?}", layout, m);
            }
        }
    }

    #[test]
    fn layouts_are_canonical(layout in layout()) {
        prop_assert!(canonical(&layout), "{}", layout);
    }

    #[test]
    fn equal_iff_one_shape_and_one_map(pair in decoded(|picks| {
        // Few values, so that many pairs are equal.
        let shape = picks.shape();
        let mut small = || {
            let strides: Vec<i64> = shape.iter().map(|_| picks.around_zero(1)).collect();
            Layout::strided(16 + picks.below(2), &strides, &shape).unwrap()
        };
        (small(), small())
    })) {
        let (a, b) = pair;
        prop_assert_eq!(a == b, positions(&a) == positions(&b));
        prop_assert!(a != b || hash(&a) == hash(&b));
    }

    #[test]
    fn a_stride_of_an_axis_of_extent_1_is_of_no_account(
        layout in layout(), other in any::<i64>(), offset in any::<u64>()
    ) {
        let mut strides = layout.strides().to_vec();
        for (stride, &extent) in strides.iter_mut().zip(layout.shape()) {
            if extent == 1 {
                *stride = other;
            }
        }
        let offset = if layout.numel() == 0 { offset } else { layout.offset() };
        let again = Layout::strided(offset, &strides, layout.shape()).unwrap();
        prop_assert_eq!(hash(&again), hash(&layout));
        prop_assert_eq!(again, layout);
    }

    #[test]
    fn span_is_tight(layout in layout()) {
        let positions = positions(&layout);
        let lowest = positions.iter().min().map_or(0, |&p| p.cast_unsigned());
        let end = positions.iter().max().map_or(0, |&p| p.cast_unsigned() + 1);
        prop_assert_eq!(layout.span(), lowest..end);
    }

    #[test]
    fn contiguous_iff_element_k_is_at_offset_plus_k(layout in layout()) {
        let offset = layout.offset().cast_signed();
        let in_order = (offset..).zip(positions(&layout)).all(|(k, p)| k == p);
        prop_assert_eq!(layout.is_contiguous(), in_order);
    }

    #[test]
    fn distinct_is_its_rule_and_sound(layout in layout()) {
        prop_assert_eq!(layout.is_distinct(), distinct_by_the_rule(&layout));
        let positions = positions(&layout);
        let different: HashSet<_> = positions.iter().collect();
        prop_assert!(!layout.is_distinct() || different.len() == positions.len());
    }

    #[test]
    fn what_keeps_apart_is_distinct(layout in decoded(Picks::kept_apart)) {
        prop_assert!(layout.is_distinct(), "{}", layout);
    }

    #[test]
    fn coalesce_keeps_every_position(layouts in layouts()) {
        let joined = coalesce(&layouts).unwrap();
        prop_assert_eq!(joined.len(), layouts.len());
        for (after, before) in joined.iter().zip(&layouts) {
            prop_assert_eq!(positions(after), positions(before));
            prop_assert_eq!(after.shape(), joined[0].shape());
            prop_assert!(canonical(after));
        }
    }

    #[test]
    fn coalesce_joins_all_that_joins(layouts in layouts()) {
        let joined = coalesce(&layouts).unwrap();
        let shape = joined[0].shape();
        if shape.contains(&0) {
            prop_assert_eq!(shape, [0]);
        } else {
            prop_assert!(shape == [1] || (!shape.is_empty() && !shape.contains(&1)));
        }
        for axis in 1..shape.len() {
            let runs_on = |l: &Layout| {
                l.stride(axis - 1) == l.stride(axis) * l.dim(axis).cast_signed()
            };
            prop_assert!(!joined.iter().all(runs_on), "axis {} of {:?}", axis, joined);
        }
    }

    #[test]
    fn coalesce_is_idempotent(layouts in layouts()) {
        let joined = coalesce(&layouts).unwrap();
        prop_assert_eq!(&coalesce(&joined).unwrap(), &joined);
        let mut in_place = layouts;
        coalesce_in_place(&mut in_place).unwrap();
        prop_assert_eq!(in_place, joined);
    }

    #[test]
    fn coalescing_one_layout_keeps_what_is_said_of_it(layout in layout()) {
        let joined = coalesce(std::slice::from_ref(&layout)).unwrap().remove(0);
        prop_assert_eq!(joined.is_contiguous(), layout.is_contiguous());
        prop_assert_eq!(joined.is_distinct(), layout.is_distinct());
        prop_assert_eq!(joined.span(), layout.span());
    }

    #[test]
    fn a_bitcast_reaches_the_same_bits(layout in layout(), ratio in 1_u32..5) {
        let (wide, narrow) = widths(ratio);
        let narrowed = layout.bitcast(wide, narrow).unwrap().unwrap();
        let ratio = i64::from(ratio);
        let parts = positions(&layout).into_iter().flat_map(|p| ratio * p..ratio * (p + 1));
        prop_assert!(parts.eq(positions(&narrowed)));
        prop_assert_eq!(narrowed.bitcast(narrow, wide).unwrap(), Some(layout));
    }

    #[test]
    fn a_bitcast_to_wider_elements_is_none_iff_they_are_not_whole(
        layout in layout(), ratio in 2_u32..4
    ) {
        let (wide, narrow) = widths(ratio);
        let widened = layout.bitcast(narrow, wide).unwrap();
        let last = layout.shape().last() == Some(&u64::from(ratio));
        let whole = positions(&layout).chunks(ratio as usize).all(|parts| {
            let next_to = parts.windows(2).all(|pair| pair[1] == pair[0] + 1);
            next_to && parts[0] % i64::from(ratio) == 0
        });
        prop_assert_eq!(widened.is_some(), last && whole, "{}", layout);
        if let Some(widened) = widened {
            prop_assert_eq!(widened.bitcast(wide, narrow).unwrap(), Some(layout));
        }
    }
}

/// A width of some bits times `ratio`, and that of the bits.
fn widths(ratio: u32) -> (DType, DType) {
    let bits = |n| DType::Bits(Width::new(n).unwrap());
    (bits(3 * ratio), bits(3))
}

/// Extents, strides and offsets near every bound.
fn near_the_bounds() -> impl Strategy<Value = (u64, Vec<i64>, Vec<u64>)> {
    let extent = prop::sample::select(vec![0, 1, 2, 3, 1 << 26, (1 << 27) + 1, 1 << 53, u64::MAX]);
    let powers = [
        0,
        1,
        1 << 26,
        1 << 52,
        (1 << 53) - 1,
        1 << 53,
        1 << 62,
        i64::MAX,
    ];
    let strides: Vec<i64> = powers
        .into_iter()
        .flat_map(|s| [s, -s])
        .chain([i64::MIN])
        .collect();
    let offsets = vec![0, 1, (1 << 53) - 1, 1 << 53, 1 << 62, u64::MAX];
    let axes = prop::collection::vec((extent, prop::sample::select(strides)), 0..5);
    (prop::sample::select(offsets), axes).prop_map(|(offset, axes)| {
        let (shape, strides) = axes.into_iter().unzip();
        (offset, strides, shape)
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn strided_accepts_what_the_rules_accept((offset, strides, shape) in near_the_bounds()) {
        let result = Layout::strided(offset, &strides, &shape);
        let mut products = shape.iter().scan(1_u128, |product, &d| {
            *product = product.saturating_mul(u128::from(d.max(1)));
            Some(*product)
        });
        let too_large = products.position(|product| product > u128::from(MAX_NUMEL));
        let reach = |(&d, &s): (&u64, &i64)| i128::from(d.saturating_sub(1)) * i128::from(s);
        let reaches = || shape.iter().zip(&strides).map(reach);
        if let Some(axis) = too_large {
            prop_assert_eq!(result, Err(Error::Numel { axis, extent: shape[axis] }));
        } else if let Some(axis) = reaches().position(|r| r.abs() > i128::from(i64::MAX)) {
            let (extent, stride) = (shape[axis], strides[axis]);
            prop_assert_eq!(result, Err(Error::AxisReach { axis, extent, stride }));
        } else if shape.contains(&0) {
            prop_assert_eq!(result, Layout::contiguous(&shape));
        } else {
            let offset = i128::from(offset);
            let lowest = offset + reaches().map(|r| r.min(0)).sum::<i128>();
            let highest = offset + reaches().map(|r| r.max(0)).sum::<i128>();
            match result {
                Err(Error::NegativePosition { .. }) => prop_assert!(lowest < 0),
                Err(Error::SpanEnd { end, .. }) => {
                    prop_assert!(lowest >= 0 && highest >= i128::from(MAX_NUMEL));
                    let saturated = u64::try_from(highest + 1).unwrap_or(u64::MAX);
                    prop_assert_eq!(end, saturated);
                }
                Err(error) => prop_assert!(false, "{}", error),
                Ok(layout) => {
                    prop_assert!(lowest >= 0 && highest < i128::from(MAX_NUMEL));
                    let span = layout.span();
                    prop_assert_eq!(i128::from(span.start), lowest);
                    prop_assert_eq!(i128::from(span.end), highest + 1);
                    prop_assert_eq!(layout.is_distinct(), distinct_by_the_rule(&layout));
                }
            }
        }
    }
}
