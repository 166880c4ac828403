//! Layouts and moves against their definitions: shapes and legality in wide integers, positions index by index.

use restride::{DType, Error, Layout, Move, Range, Width, Window, coalesce};

use super::bytes::Picks;

/// The limits of a layout, written down again.
const MAX_RANK: usize = 32;
const MAX_NUMEL: u128 = 1 << 53;
/// Shapes of at most so many elements are compared at every index.
const FEW: u128 = 300;

/// Makes a layout and moves of `data`; panics where the library and the definitions disagree.
pub(crate) fn check(data: &[u8]) {
    let mut picks = Picks::new(data);
    let Some(mut layout) = first(&mut picks) else {
        return;
    };
    queries(&layout, &mut picks);
    for _ in 0..8 {
        if picks.is_empty() {
            return;
        }
        if picks.byte() % 8 == 7 {
            bitcast(&layout, &mut picks);
            continue;
        }
        let m = a_move(&mut picks, layout.shape());
        let result = layout.apply(&m);
        if let Some(moved) = agrees(&layout, &m, result, &mut picks) {
            queries(&moved, &mut picks);
            layout = moved;
        }
    }
}

// ---- the definitions ----

/// The elements of a shape within the limits, counting an extent of 0 as 1 for the bound; `None` beyond them.
fn numel(shape: &[u64]) -> Option<u128> {
    let product = |least: u64| {
        shape.iter().try_fold(1_u128, |product, &d| {
            let product = product * u128::from(d.max(least));
            (product <= MAX_NUMEL).then_some(product)
        })
    };
    (shape.len() <= MAX_RANK)
        .then(|| product(1).and(product(0)))
        .flatten()
}

/// The shape of a move's result; `None` if the move is illegal.
fn result_shape(m: &Move, shape: &[u64]) -> Option<Vec<u64>> {
    let result = match m {
        Move::Reshape(to) => (numel(to)? == numel(shape)?).then(|| to.clone())?,
        Move::Broadcast(to) => {
            let added = to.len().checked_sub(shape.len())?;
            let fits = |(from, to): (&u64, &u64)| from == to || *from == 1;
            shape
                .iter()
                .zip(&to[added..])
                .all(fits)
                .then(|| to.clone())?
        }
        Move::Permute(axes) => {
            let mut sorted = axes.clone();
            sorted.sort_unstable();
            let permutes = sorted.into_iter().eq(0..shape.len());
            permutes.then(|| axes.iter().map(|&axis| shape[axis]).collect())?
        }
        Move::Slice(ranges) => {
            let on_axis = |(range, &d): (&Range, &u64)| {
                let (start, step) = (i128::from(range.start), i128::from(range.step));
                let last = start + (i128::from(range.count) - 1) * step;
                let axis = 0..i128::from(d);
                step != 0 && (range.count == 0 || axis.contains(&start) && axis.contains(&last))
            };
            (ranges.len() == shape.len() && ranges.iter().zip(shape).all(on_axis))
                .then(|| ranges.iter().map(|range| range.count).collect())?
        }
        Move::Window(windows) => {
            let mut result = shape.to_vec();
            let mut least = 0;
            for window in windows {
                let extent = result.get_mut(window.axis)?;
                if window.axis < least || window.size.min(window.step).min(window.dilation) == 0 {
                    return None;
                }
                let covered = u128::from(window.dilation) * u128::from(window.size - 1) + 1;
                let room = u128::from(*extent).checked_sub(covered)?;
                *extent = u64::try_from(room / u128::from(window.step) + 1).ok()?;
                least = window.axis + 1;
            }
            result.extend(windows.iter().map(|window| window.size));
            result
        }
    };
    numel(&result).map(|_| result)
}

/// Where a legal move takes an index of its result.
fn argument_index(m: &Move, shape: &[u64], index: &[u64]) -> Vec<u64> {
    match m {
        Move::Reshape(to) => {
            let mut k = ravel(index, to);
            let digits = shape.iter().rev().map(|&d| {
                let i = k % u128::from(d);
                k /= u128::from(d);
                u64::try_from(i).unwrap()
            });
            let mut argument: Vec<u64> = digits.collect();
            argument.reverse();
            argument
        }
        Move::Broadcast(to) => {
            let kept = &index[to.len() - shape.len()..];
            let place = |(&i, &d): (&u64, &u64)| if d == 1 { 0 } else { i };
            kept.iter().zip(shape).map(place).collect()
        }
        Move::Permute(axes) => {
            let mut argument = vec![0; shape.len()];
            for (&axis, &i) in axes.iter().zip(index) {
                argument[axis] = i;
            }
            argument
        }
        Move::Slice(ranges) => {
            let place = |(range, &i): (&Range, &u64)| {
                let at = i128::from(range.start) + i128::from(i) * i128::from(range.step);
                u64::try_from(at).unwrap()
            };
            ranges.iter().zip(index).map(place).collect()
        }
        Move::Window(windows) => {
            let (places, elements) = index.split_at(shape.len());
            let mut argument = places.to_vec();
            for (window, &j) in windows.iter().zip(elements) {
                argument[window.axis] = places[window.axis] * window.step + j * window.dilation;
            }
            argument
        }
    }
}

/// The number of an index in C order.
fn ravel(index: &[u64], shape: &[u64]) -> u128 {
    let digits = index.iter().zip(shape);
    digits.fold(0, |k, (&i, &d)| k * u128::from(d) + u128::from(i))
}

/// `offset + Σ i·s`.
fn position(layout: &Layout, index: &[u64]) -> i128 {
    let steps = index.iter().zip(layout.strides());
    i128::from(layout.offset())
        + steps
            .map(|(&i, &s)| i128::from(i) * i128::from(s))
            .sum::<i128>()
}

/// Every index of a shape with few elements in C order; of another, those at corners and some between.
fn indices(shape: &[u64], picks: &mut Picks<'_>) -> Vec<Vec<u64>> {
    let count = numel(shape).expect("a layout's shape");
    if count == 0 {
        return Vec::new();
    }
    if count <= FEW {
        let mut all = vec![vec![0; shape.len()]];
        while let Some(next) = following(all.last().expect("one at least"), shape) {
            all.push(next);
        }
        return all;
    }
    let mut coordinate = |d: u64| match picks.byte() % 4 {
        0 => 0,
        1 => d - 1,
        2 => d / 2,
        _ => picks.number() % d,
    };
    (0..16)
        .map(|_| shape.iter().map(|&d| coordinate(d)).collect())
        .collect()
}

/// The next index in C order.
fn following(index: &[u64], shape: &[u64]) -> Option<Vec<u64>> {
    let mut next = index.to_vec();
    for axis in (0..shape.len()).rev() {
        next[axis] += 1;
        if next[axis] < shape[axis] {
            return Some(next);
        }
        next[axis] = 0;
    }
    None
}

// ---- the comparisons ----

/// A layout, if its numbers are those of one; the library must see that as the definition does.
fn first(picks: &mut Picks<'_>) -> Option<Layout> {
    let rank = picks.below(7);
    let shape: Vec<u64> = (0..rank).map(|_| picks.number()).collect();
    if picks.byte().is_multiple_of(2) {
        let made = Layout::contiguous(&shape);
        assert_eq!(made.is_ok(), numel(&shape).is_some(), "{shape:?}");
        assert_eq!(made.is_ok(), Layout::fits(&shape), "{shape:?}");
        return made.ok();
    }
    let strides: Vec<i64> = (0..rank).map(|_| picks.signed()).collect();
    let offset = picks.number();
    let made = Layout::strided(offset, &strides, &shape);
    let legal = numel(&shape).is_some_and(|count| {
        let reach = |(&d, &s): (&u64, &i64)| i128::from(d.saturating_sub(1)) * i128::from(s);
        let reaches: Vec<i128> = shape.iter().zip(&strides).map(reach).collect();
        let lowest = i128::from(offset) + reaches.iter().map(|r| (*r).min(0)).sum::<i128>();
        let highest = i128::from(offset) + reaches.iter().map(|r| (*r).max(0)).sum::<i128>();
        let each = reaches.iter().all(|r| r.abs() <= i128::from(i64::MAX));
        each && (count == 0 || lowest >= 0 && highest.cast_unsigned() < MAX_NUMEL)
    });
    assert_eq!(
        made.is_ok(),
        legal,
        "{offset} {strides:?} {shape:?}: {made:?}"
    );
    made.ok()
}

/// What a layout says of its positions, against the positions.
fn queries(layout: &Layout, picks: &mut Picks<'_>) {
    let count = numel(layout.shape()).expect("a layout's shape");
    assert_eq!(u128::from(layout.numel()), count, "{layout}");
    let known: Vec<i128> = indices(layout.shape(), picks)
        .iter()
        .map(|index| {
            let at = position(layout, index);
            assert_eq!(i128::from(layout.position(index)), at, "{layout} {index:?}");
            at
        })
        .collect();
    let span = i128::from(layout.span().start)..i128::from(layout.span().end);
    assert!(known.iter().all(|at| span.contains(at)), "{layout}");
    let [joined] = &coalesce(std::slice::from_ref(layout)).expect("one layout")[..] else {
        panic!("{layout} coalesces to another number of layouts");
    };
    assert_eq!(joined.numel(), layout.numel(), "{layout} as {joined}");
    assert_eq!(joined.span(), layout.span(), "{layout} as {joined}");
    if count > FEW {
        return;
    }
    let lowest = known.iter().min().copied().unwrap_or(0);
    let highest = known.iter().max().map_or(0, |at| at + 1);
    assert_eq!(span, lowest..highest, "{layout}");
    let mut apart = known.clone();
    apart.sort_unstable();
    apart.dedup();
    // The rule is sufficient, not necessary.
    assert!(
        !layout.is_distinct() || apart.len() == known.len(),
        "{layout}"
    );
    let runs = known.iter().zip(i128::from(layout.offset())..);
    let in_order = runs.into_iter().all(|(at, k)| *at == k);
    assert_eq!(layout.is_contiguous(), in_order, "{layout}");
    let after: Vec<i128> = indices(joined.shape(), picks)
        .iter()
        .map(|index| position(joined, index))
        .collect();
    assert_eq!(after, known, "{layout} as {joined}");
}

/// What the library made of a move; the move must be legal where the definition says so, and reach what it says.
pub(super) fn agrees(
    layout: &Layout,
    m: &Move,
    result: Result<Option<Layout>, Error>,
    picks: &mut Picks<'_>,
) -> Option<Layout> {
    let shape = result_shape(m, layout.shape());
    assert_eq!(m.shape(layout.shape()).ok(), shape, "{layout} by {m:?}");
    let Some(shape) = shape else {
        assert!(result.is_err(), "{layout} by {m:?}: {result:?}");
        return None;
    };
    let indices = indices(&shape, picks);
    let expected: Vec<i128> = indices
        .iter()
        .map(|index| position(layout, &argument_index(m, layout.shape(), index)))
        .collect();
    match result.unwrap_or_else(|e| panic!("{layout} by {m:?}: {e}")) {
        Some(result) => {
            assert_eq!(result.shape(), shape, "{layout} by {m:?}");
            let found: Vec<i128> = indices.iter().map(|i| position(&result, i)).collect();
            assert_eq!(found, expected, "{layout} by {m:?}: {result}");
            Some(result)
        }
        None => {
            assert!(matches!(m, Move::Reshape(_)), "{layout} by {m:?}");
            let all = numel(&shape) == Some(indices.len() as u128);
            assert!(
                !all || !strided(&shape, &indices, &expected),
                "{layout} by {m:?}"
            );
            None
        }
    }
}

/// Whether strides take all indices of a shape to these positions: each can only be what one step on its axis makes.
fn strided(shape: &[u64], indices: &[Vec<u64>], positions: &[i128]) -> bool {
    let Some(&first) = positions.first() else {
        return true;
    };
    let step = |axis: usize| {
        let one = indices.iter().position(|index| {
            index
                .iter()
                .enumerate()
                .all(|(a, &i)| i == u64::from(a == axis))
        });
        one.map_or(0, |k| positions[k] - first)
    };
    let steps: Vec<i128> = (0..shape.len()).map(step).collect();
    indices.iter().zip(positions).all(|(index, &at)| {
        let sum: i128 = index
            .iter()
            .zip(&steps)
            .map(|(&i, &s)| i128::from(i) * s)
            .sum();
        first + sum == at
    })
}

/// A bitcast of elements of 3 bits and more, where it is legal: each element's bits, first to last.
fn bitcast(layout: &Layout, picks: &mut Picks<'_>) {
    let bits = |n: u32| DType::Bits(Width::new(n).expect("up to 128"));
    let ratio = 1 + picks.byte() % 5;
    let (wide, narrow) = (bits(3 * u32::from(ratio)), bits(3));
    let ratio = u64::from(ratio);
    let all = indices(layout.shape(), picks);
    let whole = numel(layout.shape()) == Some(all.len() as u128);
    if let Ok(cast) = layout.bitcast(wide, narrow) {
        let cast = cast.expect("narrower elements are always expressed");
        for index in &all {
            for part in 0..ratio {
                let mut inner = index.clone();
                if ratio > 1 {
                    inner.push(part);
                }
                let expected = position(layout, index) * i128::from(ratio) + i128::from(part);
                assert_eq!(position(&cast, &inner), expected, "{layout} / {ratio}");
            }
        }
        assert_eq!(cast.bitcast(narrow, wide), Ok(Some(layout.clone())));
    }
    let widened = layout
        .bitcast(narrow, wide)
        .expect("a multiple of the width");
    if ratio > 1 && whole {
        let fits = layout.shape().last() == Some(&ratio);
        let parts = |index: &&Vec<u64>| index.last() == Some(&0);
        let aligned = all.iter().filter(parts).all(|index| {
            let at = position(layout, index);
            let next = |j: u64| {
                let mut index = index.clone();
                *index.last_mut().expect("an axis") = j;
                position(layout, &index) == at + i128::from(j)
            };
            at % i128::from(ratio) == 0 && (1..ratio).all(next)
        });
        assert_eq!(widened.is_some(), fits && aligned, "{layout} × {ratio}");
    }
}

/// A move on a shape, often legal.
fn a_move(picks: &mut Picks<'_>, shape: &[u64]) -> Move {
    let kind = picks.byte() % 8;
    match kind {
        0 => Move::Reshape((0..picks.below(6)).map(|_| picks.number()).collect()),
        1 => Move::Reshape(regrouped(picks, shape)),
        2 => {
            let mut to: Vec<u64> = (0..picks.below(3)).map(|_| picks.number()).collect();
            let grow = |&d: &u64| if d == 1 { picks.number() } else { d };
            to.extend(shape.iter().map(grow));
            Move::Broadcast(to)
        }
        3 => {
            let mut axes: Vec<usize> = (0..shape.len()).collect();
            for i in (1..axes.len()).rev() {
                axes.swap(i, picks.below(i + 1));
            }
            if picks.byte() % 8 == 7 {
                axes.push(picks.below(4));
            }
            Move::Permute(axes)
        }
        4 | 5 => {
            let range = |&d: &u64| match picks.byte() % 4 {
                0 => Range::all(d),
                1 => Range {
                    start: d.saturating_sub(1),
                    count: d,
                    step: -1,
                },
                _ => Range {
                    start: picks.number(),
                    count: picks.number(),
                    step: picks.signed(),
                },
            };
            Move::Slice(shape.iter().map(range).collect())
        }
        _ => {
            let mut axis = 0;
            let mut windows = Vec::new();
            for _ in 0..picks.below(4) {
                axis += picks.below(3);
                windows.push(Window {
                    axis,
                    size: picks.number(),
                    step: picks.number(),
                    dilation: picks.number(),
                });
                axis += 1;
            }
            Move::Window(windows)
        }
    }
}

/// A shape of as many elements: neighbours joined, or an extent split by a divisor.
fn regrouped(picks: &mut Picks<'_>, shape: &[u64]) -> Vec<u64> {
    let mut to = shape.to_vec();
    for _ in 0..picks.below(4) {
        if to.is_empty() {
            to.push(1);
            continue;
        }
        let axis = picks.below(to.len());
        let divisor = u64::from(picks.byte() % 5 + 1);
        if divisor > 1 && to[axis].is_multiple_of(divisor) {
            to[axis] /= divisor;
            to.insert(axis, divisor);
        } else if axis + 1 < to.len() {
            to[axis] = to[axis].saturating_mul(to[axis + 1]);
            to.remove(axis + 1);
        }
    }
    to
}
