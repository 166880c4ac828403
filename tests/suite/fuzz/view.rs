//! The view language against a model that knows no strides: a tensor is the list of its elements' places, and of the bits of
//! the buffer that they are places in.

use restride::view::{Op, Stage, View};
use restride::{DType, Error, Index, Layout, Width};

use super::bytes::Picks;

/// Tensors of more elements are read and refused, not followed.
const MOST: u128 = 2_000;
/// The limits of a layout, written down again.
const MAX_RANK: usize = 32;
const MAX_NUMEL: u128 = 1 << 53;

/// Reads text of `data`; panics where the library and the model disagree.
pub(crate) fn check(data: &[u8]) {
    let mut picks = Picks::new(data);
    let bits = picks.of(&[1_u32, 4, 6, 8, 12, 16, 32, 128]);
    let shape: Vec<u64> = (0..picks.below(4)).map(|_| picks.number() % 6).collect();
    let text = String::from_utf8_lossy(picks.rest());
    let view = match text.parse::<View>() {
        Ok(view) => view,
        Err(Error::ViewText { position, .. }) => {
            assert!(text.is_char_boundary(position), "{text:?}: byte {position}");
            return;
        }
        Err(other) => panic!("{text:?}: {other:?}"),
    };
    reads_back(&view, &text);
    carries_out(&view, &view, bits, &shape);
}

/// Each step is read from its own bytes, nothing lies between them, and what is printed is read as the same steps.
pub(super) fn reads_back(view: &View, text: &str) {
    let ops = |view: &View| -> Vec<Op> { view.steps().iter().map(|s| s.op.clone()).collect() };
    let printed = view.to_string();
    let again: View = printed
        .parse()
        .unwrap_or_else(|e| panic!("{text:?} printed as {printed:?}: {e}"));
    assert_eq!(ops(&again), ops(view), "{text:?} printed as {printed:?}");
    let mut end = 0;
    let between = |from: usize, to: usize| {
        let blank = |b: u8| b.is_ascii_whitespace();
        assert!(text[from..to].bytes().all(blank), "{text:?}: {from}..{to}");
    };
    for step in view.steps() {
        between(end, step.span.start);
        end = step.span.end;
        let alone: View = text[step.span.clone()].parse().expect("a step by itself");
        assert_eq!(ops(&alone), std::slice::from_ref(&step.op), "{text:?}");
    }
    between(end, text.len());
}

/// A view's steps on a tensor in C order by the library, and by the model: `modelled` is `view`, but for a planted fault.
pub(super) fn carries_out(view: &View, modelled: &View, bits: u32, shape: &[u64]) {
    let text = view.to_string();
    let dtype = DType::Bits(Width::new(bits).expect("up to 128"));
    let layout = Layout::contiguous(shape).expect("a small shape");
    let bytes = dtype.width().bytes_for(layout.numel());
    let found = view.stages(dtype, &layout, bytes);
    let one = view.apply(dtype, &layout, bytes);
    let mut model = Model::new(bits, shape);
    let mut copies = 0;
    for (step, modelled) in view.steps().iter().zip(modelled.steps()) {
        match model.after(&modelled.op) {
            Outcome::Made(next) => model = next,
            Outcome::NeedsCopy => {
                copies += 1;
                model = model.copied();
                let Outcome::Made(next) = model.after(&modelled.op) else {
                    panic!("{text:?}: a reshape of a copy");
                };
                model = next;
            }
            Outcome::Illegal => {
                let at = |error: &Error| match error {
                    Error::ViewStep { position, .. } | Error::ViewBitcast { position, .. } => {
                        Some(*position)
                    }
                    _ => None,
                };
                let refused = found.as_ref().err().and_then(at);
                assert_eq!(refused, Some(step.span.start), "{text:?}: {found:?}");
                assert!(one.is_err(), "{text:?}");
                return;
            }
            Outcome::TooLarge => return,
        }
    }
    let stages = found.unwrap_or_else(|e| panic!("{text:?}: {e}"));
    assert_eq!(stages.len(), copies + 1, "{text:?}: {stages:?}");
    match (copies, &one) {
        (0, Ok((dtype, layout))) => {
            assert_eq!((*dtype, layout), (stages[0].dtype, &stages[0].layout));
        }
        (0, Err(error)) => panic!("{text:?}: {error}"),
        (_, refused) => assert!(
            matches!(refused, Err(Error::ViewReshape { .. })),
            "{text:?}: {refused:?}"
        ),
    }
    let last = stages.last().expect("one at least");
    assert_eq!(last.layout.shape(), model.shape, "{text:?}");
    assert_eq!(u64::from(last.dtype.bits()), model.width, "{text:?}");
    let whole: Vec<u64> = (0..bytes * 8).collect();
    let result = stages
        .iter()
        .fold(whole, |buffer, stage| read(stage, &buffer));
    assert_eq!(result, model.bits(), "{text:?}");
}

/// The bits of a stage's elements in C order.
fn read(stage: &Stage, buffer: &[u64]) -> Vec<u64> {
    let width = u64::from(stage.dtype.bits());
    let count = stage.layout.numel();
    let mut bits = Vec::new();
    for k in 0..count {
        let at = stage.layout.position(&unravel(k, stage.layout.shape())) * width;
        bits.extend((at..at + width).map(|bit| buffer[usize::try_from(bit).unwrap()]));
    }
    // A buffer is whole bytes, whose last bits are no element's.
    bits.resize(bits.len().next_multiple_of(8), u64::MAX);
    bits
}

/// The index of element `k` in C order.
fn unravel(mut k: u64, shape: &[u64]) -> Vec<u64> {
    let mut index: Vec<u64> = shape
        .iter()
        .rev()
        .map(|d| {
            let i = k % d;
            k /= d;
            i
        })
        .collect();
    index.reverse();
    index
}

/// A tensor as its elements' first bits in a buffer, and the buffer as bits of the first one.
struct Model {
    width: u64,
    shape: Vec<u64>,
    places: Vec<u64>,
    buffer: Vec<u64>,
}

/// What becomes of a model by one step.
enum Outcome {
    Made(Model),
    /// No strides express it: the elements are to be copied first.
    NeedsCopy,
    Illegal,
    TooLarge,
}

impl Model {
    fn new(bits: u32, shape: &[u64]) -> Self {
        let width = u64::from(bits);
        let count: u64 = shape.iter().product();
        Self {
            width,
            shape: shape.to_vec(),
            places: (0..count).map(|k| k * width).collect(),
            buffer: (0..(count * width).next_multiple_of(8)).collect(),
        }
    }

    /// The buffer's bits of all elements, in whole bytes.
    fn bits(&self) -> Vec<u64> {
        let element = |&place: &u64| place..place + self.width;
        let bits = self.places.iter().flat_map(element);
        let mut bits: Vec<u64> = bits
            .map(|bit| self.buffer[usize::try_from(bit).unwrap()])
            .collect();
        bits.resize(bits.len().next_multiple_of(8), u64::MAX);
        bits
    }

    /// The same elements in C order in a buffer of their own.
    fn copied(&self) -> Self {
        let count = self.places.len() as u64;
        Self {
            width: self.width,
            shape: self.shape.clone(),
            places: (0..count).map(|k| k * self.width).collect(),
            buffer: self.bits(),
        }
    }

    /// The tensor of `shape` whose element at each index is this one's at `source(index)`.
    fn gather(&self, shape: Vec<u64>, source: impl Fn(&[u64]) -> Vec<u64>) -> Outcome {
        let extents = shape.iter().map(|&d| u128::from(d));
        if shape.len() > MAX_RANK || extents.clone().map(|d| d.max(1)).product::<u128>() > MAX_NUMEL
        {
            return Outcome::Illegal;
        }
        let count: u128 = extents.product();
        if count > MOST {
            return Outcome::TooLarge;
        }
        let place = |k| {
            let index = source(&unravel(k, &shape));
            let k = index.iter().zip(&self.shape).fold(0, |k, (i, d)| k * d + i);
            self.places[usize::try_from(k).unwrap()]
        };
        let places = (0..u64::try_from(count).unwrap()).map(place).collect();
        Outcome::Made(Self {
            width: self.width,
            shape,
            places,
            buffer: self.buffer.clone(),
        })
    }

    /// An axis counted from the end where it is negative, of `rank`.
    fn axis(axis: isize, rank: usize) -> Option<usize> {
        let from_end = if axis < 0 {
            rank.cast_signed() + axis
        } else {
            axis
        };
        usize::try_from(from_end).ok().filter(|&axis| axis < rank)
    }

    fn after(&self, op: &Op) -> Outcome {
        self.step(op).unwrap_or(Outcome::Illegal)
    }

    /// The tensor after one more step; `None` if the step is illegal.
    fn step(&self, op: &Op) -> Option<Outcome> {
        let rank = self.shape.len();
        let identity: Vec<isize> = (0..rank.cast_signed()).collect();
        Some(match op {
            Op::Index(items) => return self.index(items),
            Op::Transpose => {
                let axes: Vec<isize> = identity.into_iter().rev().collect();
                return self.step(&Op::Permute(axes));
            }
            Op::Swap(a, b) => {
                let mut axes = identity;
                axes.swap(Self::axis(*a, rank)?, Self::axis(*b, rank)?);
                return self.step(&Op::Permute(axes));
            }
            Op::Permute(axes) => {
                let axes: Vec<usize> = axes
                    .iter()
                    .map(|&axis| Self::axis(axis, rank))
                    .collect::<Option<_>>()?;
                let mut sorted = axes.clone();
                sorted.sort_unstable();
                if !sorted.into_iter().eq(0..rank) {
                    return None;
                }
                let shape = axes.iter().map(|&axis| self.shape[axis]).collect();
                self.gather(shape, |index| {
                    let mut source = vec![0; rank];
                    for (&axis, &i) in axes.iter().zip(index) {
                        source[axis] = i;
                    }
                    source
                })
            }
            Op::Reshape(shape) => self.reshape(shape)?,
            Op::Broadcast(shape) => {
                let added = shape.len().checked_sub(rank)?;
                let grows = |(&from, &to): (&u64, &u64)| from == to || from == 1;
                if !self.shape.iter().zip(&shape[added..]).all(grows) {
                    return None;
                }
                self.gather(shape.clone(), |index| {
                    let kept = index[added..].iter().zip(&self.shape);
                    kept.map(|(&i, &d)| if d == 1 { 0 } else { i }).collect()
                })
            }
            Op::Flip(axis) => {
                let axis = Self::axis(*axis, rank)?;
                self.gather(self.shape.clone(), |index| {
                    let mut source = index.to_vec();
                    source[axis] = self.shape[axis] - 1 - index[axis];
                    source
                })
            }
            Op::Squeeze => self.without(|d, _| d == 1),
            Op::SqueezeAxis(axis) => {
                let axis = Self::axis(*axis, rank).filter(|&axis| self.shape[axis] == 1)?;
                self.without(|_, at| at == axis)
            }
            Op::Unsqueeze(axis) => {
                let axis = Self::axis(*axis, rank + 1)?;
                let mut shape = self.shape.clone();
                shape.insert(axis, 1);
                self.relabelled(shape)
            }
            Op::Window {
                axis,
                size,
                step,
                dilation,
            } => {
                let axis = Self::axis(*axis, rank)?;
                if *size.min(step).min(dilation) == 0 {
                    return None;
                }
                let covered = u128::from(*dilation) * u128::from(size - 1) + 1;
                let room = u128::from(self.shape[axis]).checked_sub(covered)?;
                let mut shape = self.shape.clone();
                shape[axis] = u64::try_from(room / u128::from(*step) + 1).ok()?;
                shape.push(*size);
                self.gather(shape, |index| {
                    let (inner, outer) = index.split_last().expect("an axis of windows");
                    let mut source = outer.to_vec();
                    source[axis] = outer[axis] * step + inner * dilation;
                    source
                })
            }
            Op::AsStrided {
                shape,
                strides,
                offset,
            } => self.strided(shape, strides, *offset)?,
            Op::Bitcast(to) => self.bitcast(u64::from(to.bits()))?,
            other => panic!("a step of a new kind: {other:?}"),
        })
    }

    /// The same elements under another shape of as many.
    fn relabelled(&self, shape: Vec<u64>) -> Outcome {
        if shape.len() > MAX_RANK {
            return Outcome::Illegal;
        }
        Outcome::Made(Self {
            width: self.width,
            shape,
            places: self.places.clone(),
            buffer: self.buffer.clone(),
        })
    }

    fn without(&self, dropped: impl Fn(u64, usize) -> bool) -> Outcome {
        let kept = self.shape.iter().enumerate();
        let kept = kept.filter(|(axis, d)| !dropped(**d, *axis));
        self.relabelled(kept.map(|(_, d)| *d).collect())
    }

    fn reshape(&self, to: &[i64]) -> Option<Outcome> {
        let count = self.places.len() as u128;
        if to.len() > MAX_RANK || to.iter().filter(|d| **d == -1).count() > 1 {
            return None;
        }
        let known = to.iter().filter(|d| **d != -1);
        let known: Vec<u128> = known
            .map(|&d| u128::try_from(d).ok())
            .collect::<Option<_>>()?;
        let product = known.iter().try_fold(1_u128, |product, &d| {
            let product = product * d.max(1);
            (product <= MAX_NUMEL).then_some(product)
        })?;
        let product = if known.contains(&0) { 0 } else { product };
        let inferred = match to.contains(&-1) {
            true if product == 0 || !count.is_multiple_of(product) => return None,
            true => count / product,
            false if product != count => return None,
            false => 0,
        };
        let shape: Vec<u64> = to
            .iter()
            .map(|&d| u64::try_from(d).unwrap_or(u64::try_from(inferred).unwrap()))
            .collect();
        let expressed = self.expressed(&shape);
        Some(if expressed {
            self.relabelled(shape)
        } else {
            Outcome::NeedsCopy
        })
    }

    /// Whether the places, in C order, lie on strides under another shape: each can only be what one step on its axis makes.
    fn expressed(&self, shape: &[u64]) -> bool {
        let Some(first) = self.places.first().map(|&place| place.cast_signed()) else {
            return true;
        };
        let mut inner = 1;
        let mut strides = vec![0; shape.len()];
        for (stride, &d) in strides.iter_mut().zip(shape).rev() {
            if d > 1 {
                *stride = self.places[inner].cast_signed() - first;
            }
            inner *= usize::try_from(d).unwrap();
        }
        (0..).zip(&self.places).all(|(k, place)| {
            let index = unravel(k, shape);
            let steps = index.iter().zip(&strides);
            let sum: i64 = steps.map(|(i, stride)| i.cast_signed() * stride).sum();
            first + sum == place.cast_signed()
        })
    }

    fn strided(&self, shape: &[u64], strides: &[i64], offset: u64) -> Option<Outcome> {
        if strides.len() != shape.len() || shape.len() > MAX_RANK {
            return None;
        }
        let product = |least: u64| shape.iter().map(move |&d| u128::from(d.max(least)));
        let fits = product(1).try_fold(1_u128, |product, d| {
            let product = product * d;
            (product <= MAX_NUMEL).then_some(product)
        });
        fits?;
        let reach = |(&d, &s): (&u64, &i64)| i128::from(d.saturating_sub(1)) * i128::from(s);
        let reaches: Vec<i128> = shape.iter().zip(strides).map(reach).collect();
        if reaches.iter().any(|r| r.abs() > i128::from(i64::MAX)) {
            return None;
        }
        let count: u128 = product(0).product();
        let lowest = i128::from(offset) + reaches.iter().map(|r| (*r).min(0)).sum::<i128>();
        let end = i128::from(offset) + reaches.iter().map(|r| (*r).max(0)).sum::<i128>() + 1;
        let held = self.buffer.len() as u128 / u128::from(self.width);
        if count > 0 && (lowest < 0 || end.cast_unsigned() > held) {
            return None;
        }
        if count > MOST {
            return Some(Outcome::TooLarge);
        }
        let place = |k| {
            let index = unravel(k, shape);
            let steps = index.iter().zip(strides);
            let at = steps.fold(offset.cast_signed(), |at, (i, s)| {
                at.wrapping_add(i.cast_signed().wrapping_mul(*s))
            });
            at.cast_unsigned() * self.width
        };
        Some(Outcome::Made(Self {
            width: self.width,
            shape: shape.to_vec(),
            places: (0..u64::try_from(count).unwrap()).map(place).collect(),
            buffer: self.buffer.clone(),
        }))
    }

    fn bitcast(&self, width: u64) -> Option<Outcome> {
        let mut shape = self.shape.clone();
        let mut places = self.places.clone();
        if self.width > width {
            if !self.width.is_multiple_of(width) || shape.len() == MAX_RANK {
                return None;
            }
            let ratio = self.width / width;
            shape.push(ratio);
            let parts = |place| (0..ratio).map(move |k| place + k * width);
            places = places.into_iter().flat_map(parts).collect();
        } else if self.width < width {
            if !width.is_multiple_of(self.width) {
                return None;
            }
            let ratio = width / self.width;
            if shape.pop() != Some(ratio) {
                return None;
            }
            let parts = places.chunks(usize::try_from(ratio).unwrap());
            let whole = parts.clone().all(|parts| {
                let near = parts.windows(2).all(|two| two[1] == two[0] + self.width);
                near && parts[0].is_multiple_of(width)
            });
            if !whole {
                return None;
            }
            places = parts.map(|parts| parts[0]).collect();
        }
        Some(Outcome::Made(Self {
            width,
            shape,
            places,
            buffer: self.buffer.clone(),
        }))
    }

    /// `NumPy`'s basic indexing, each axis by walking.
    fn index(&self, items: &[Index]) -> Option<Outcome> {
        // A tensor of no element may have an axis as long as any, whose places are too many to list.
        if self.shape.iter().any(|&d| u128::from(d) > MOST) {
            return Some(Outcome::TooLarge);
        }
        let taken = |item: &&Index| matches!(item, Index::At(_) | Index::Slice { .. });
        let rest = self
            .shape
            .len()
            .checked_sub(items.iter().filter(taken).count())?;
        let ellipses = items.iter().filter(|item| **item == Index::Ellipsis);
        let ellipses = ellipses.count();
        if ellipses > 1 {
            return None;
        }
        let mut items = items.to_vec();
        if ellipses == 0 {
            items.push(Index::Ellipsis);
        }
        // The elements that are kept of each axis, and the result's axes: new ones have none of their own.
        let mut kept: Vec<Vec<u64>> = Vec::new();
        let mut axes: Vec<Option<usize>> = Vec::new();
        for item in items {
            match item {
                Index::NewAxis => axes.push(None),
                Index::Ellipsis => {
                    for _ in 0..rest {
                        axes.push(Some(kept.len()));
                        kept.push((0..self.shape[kept.len()]).collect());
                    }
                }
                Index::At(i) => {
                    let d = self.shape[kept.len()];
                    let i = if i < 0 {
                        i128::from(i) + i128::from(d)
                    } else {
                        i.into()
                    };
                    kept.push(vec![u64::try_from(i).ok().filter(|i| *i < d)?]);
                }
                Index::Slice { start, stop, step } => {
                    axes.push(Some(kept.len()));
                    kept.push(walk(self.shape[kept.len()], start, stop, step)?);
                }
            }
        }
        let extent = |axis: &Option<usize>| axis.map_or(1, |axis| kept[axis].len() as u64);
        let shape = axes.iter().map(extent).collect();
        Some(self.gather(shape, |index| {
            let mut source: Vec<u64> = kept
                .iter()
                .map(|kept| kept.first().copied().unwrap_or(0))
                .collect();
            for (axis, &i) in axes.iter().zip(index) {
                if let Some(axis) = *axis {
                    source[axis] = kept[axis][usize::try_from(i).unwrap()];
                }
            }
            source
        }))
    }
}

/// The elements that Python's `range(d)[start:stop:step]` takes, by walking; `None` for a step of 0.
fn walk(d: u64, start: Option<i64>, stop: Option<i64>, step: i64) -> Option<Vec<u64>> {
    let (d, step) = (i128::from(d), i128::from(step));
    let from_start = |bound: i64| i128::from(bound) + if bound < 0 { d } else { 0 };
    let mut i = match start.map(from_start) {
        None if step > 0 => 0,
        None => d - 1,
        Some(i) if step > 0 => i.max(0),
        Some(i) => i.min(d - 1),
    };
    let stop = stop.map(from_start);
    let mut taken = Vec::new();
    while step != 0
        && (0..d).contains(&i)
        && stop.is_none_or(|stop| if step > 0 { i < stop } else { i > stop })
    {
        taken.push(u64::try_from(i).ok()?);
        i += step;
    }
    (step != 0).then_some(taken)
}
