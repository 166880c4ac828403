//! Random layouts and moves, the moves legal: each is decoded from a list of numbers, which proptest shrinks.

use proptest::prelude::*;
use restride::{Layout, Move, Range, Window};

/// Twice the usual number of cases, or as many as `PROPTEST_CASES` says; a failure prints its input
/// and keeps no file.
pub(crate) fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig {
        cases: 2 * usual.cases,
        failure_persistence: None,
        ..usual
    }
}

/// A layout of rank 0 to 4, extents 0 to 4: on strides of -5 to 5, or by moves from one in C order.
pub(crate) fn layout() -> impl Strategy<Value = Layout> {
    decoded(Picks::layout)
}

/// Layouts of one shape, one to three.
pub(crate) fn layouts() -> impl Strategy<Value = Vec<Layout>> {
    decoded(|picks| {
        let shape = picks.shape();
        (0..1 + picks.below(3))
            .map(|_| picks.layout_of(&shape))
            .collect()
    })
}

/// A layout and a move that is legal on its shape.
pub(crate) fn layout_and_move() -> impl Strategy<Value = (Layout, Move)> {
    decoded(|picks| {
        let layout = picks.layout();
        let m = picks.move_on(layout.shape());
        (layout, m)
    })
}

/// What `decode` makes of random numbers; zeros make the simplest value.
pub(crate) fn decoded<T: std::fmt::Debug>(
    decode: impl Fn(&mut Picks) -> T,
) -> impl Strategy<Value = T> {
    prop::collection::vec(any::<u16>(), 0..96).prop_map(move |numbers| {
        decode(&mut Picks {
            numbers: numbers.into_iter(),
        })
    })
}

/// Numbers to decode a value from, then zeros.
pub(crate) struct Picks {
    numbers: std::vec::IntoIter<u16>,
}

impl Picks {
    /// A number below `bound`, which is not 0 nor above 2^16.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        u64::from(self.numbers.next().unwrap_or(0)) % bound
    }

    /// A number below `bound`, to index with.
    pub(crate) fn index(&mut self, bound: usize) -> usize {
        usize::try_from(self.below(bound as u64)).unwrap()
    }

    /// A number from `-bound` to `bound`.
    pub(crate) fn around_zero(&mut self, bound: i64) -> i64 {
        let magnitude = self.below(bound.unsigned_abs() + 1).cast_signed();
        if self.below(2) == 0 {
            magnitude
        } else {
            -magnitude
        }
    }

    /// A rank of 0 to 4, extents of 1 to 4 and now and then 0.
    pub(crate) fn shape(&mut self) -> Vec<u64> {
        (0..self.below(5))
            .map(|_| match self.below(7) {
                6 => 0,
                extent => 1 + extent % 4,
            })
            .collect()
    }

    pub(crate) fn layout(&mut self) -> Layout {
        if self.below(2) == 0 {
            let shape = self.shape();
            self.layout_of(&shape)
        } else {
            self.reached()
        }
    }

    /// A layout of this shape, on strides of -5 to 5 and with its lowest position below 40, or in C
    /// order.
    pub(crate) fn layout_of(&mut self, shape: &[u64]) -> Layout {
        if self.below(4) == 3 {
            return Layout::contiguous(shape).unwrap();
        }
        let strides: Vec<i64> = shape.iter().map(|_| self.around_zero(5)).collect();
        let below = |(&extent, &stride): (&u64, &i64)| {
            stride.min(0).unsigned_abs() * extent.saturating_sub(1)
        };
        let offset = self.below(40) + shape.iter().zip(&strides).map(below).sum::<u64>();
        Layout::strided(offset, &strides, shape).unwrap()
    }

    /// A layout that up to three moves make of one in C order.
    pub(crate) fn reached(&mut self) -> Layout {
        let shape = self.shape();
        let mut layout = Layout::contiguous(&shape).unwrap();
        for _ in 0..self.below(4) {
            let m = self.move_on(layout.shape());
            layout = layout.apply(&m).unwrap().unwrap_or(layout);
        }
        layout
    }

    /// A layout that permutations, slices and windows that keep apart make of one in C order: it is
    /// distinct.
    pub(crate) fn kept_apart(&mut self) -> Layout {
        let shape = self.shape();
        let mut layout = Layout::contiguous(&shape).unwrap();
        for _ in 0..self.below(4) {
            let m = match self.move_on(layout.shape()) {
                Move::Window(mut windows) => {
                    for window in &mut windows {
                        window.step = window.dilation * (window.size - 1) + 1 + self.below(2);
                    }
                    Move::Window(windows)
                }
                m @ (Move::Permute(_) | Move::Slice(_)) => m,
                Move::Reshape(_) | Move::Broadcast(_) => continue,
            };
            layout = layout.apply(&m).unwrap().unwrap();
        }
        layout
    }

    /// A move that is legal on this shape.
    pub(crate) fn move_on(&mut self, shape: &[u64]) -> Move {
        match self.below(5) {
            0 => Move::Permute(self.permutation(shape.len())),
            1 => Move::Slice(shape.iter().map(|&extent| self.range(extent)).collect()),
            2 => Move::Reshape(self.reshape(shape)),
            3 => Move::Broadcast(self.broadcast(shape)),
            _ => Move::Window(self.windows(shape)),
        }
    }

    pub(crate) fn permutation(&mut self, rank: usize) -> Vec<usize> {
        let mut axes: Vec<usize> = (0..rank).collect();
        for axis in (1..rank).rev() {
            let other = axis - self.index(axis + 1);
            axes.swap(axis, other);
        }
        axes
    }

    /// A range of an axis by a step of 1 to 3 up or down.
    pub(crate) fn range(&mut self, extent: u64) -> Range {
        let step = 1 + self.below(3);
        let down = self.below(2) == 1;
        let (start, count) = match extent {
            0 => (self.below(3), 0),
            _ => {
                let start = self.below(extent);
                let room = if down { start } else { extent - 1 - start };
                // The longest range first: it is what a pick of 0 stands for.
                let most = room / step + 1;
                (start, most - self.below(most + 1))
            }
        };
        let step = step.cast_signed();
        Range {
            start,
            count,
            step: if down { -step } else { step },
        }
    }

    /// A shape of as many elements: the prime factors dealt to up to four axes.
    fn reshape(&mut self, shape: &[u64]) -> Vec<u64> {
        let mut numel: u64 = shape.iter().product();
        if numel == 0 {
            let mut other = self.shape();
            other.push(0);
            let place = self.index(other.len());
            let last = other.len() - 1;
            other.swap(place, last);
            return other;
        }
        let mut dealt = vec![1; 1 + self.index(4)];
        for prime in [2, 3, 5, 7] {
            while numel.is_multiple_of(prime) {
                numel /= prime;
                let axis = self.index(dealt.len());
                dealt[axis] *= prime;
            }
        }
        dealt[0] *= numel;
        dealt
    }

    /// Up to two more axes before, and each extent of 1 grown to 0 to 3.
    fn broadcast(&mut self, shape: &[u64]) -> Vec<u64> {
        let mut to: Vec<u64> = (0..self.below(3)).map(|_| 3 - self.below(4)).collect();
        for &extent in shape {
            to.push(match extent {
                1 => 3 - self.below(4),
                _ => extent,
            });
        }
        to
    }

    /// Windows along some of the axes that have an element.
    fn windows(&mut self, shape: &[u64]) -> Vec<Window> {
        let mut windows = Vec::new();
        for (axis, &extent) in shape.iter().enumerate() {
            if extent > 0 && self.below(2) == 0 {
                let dilation = 1 + self.below(2);
                let size = 1 + self.below((extent - 1) / dilation + 1);
                let step = 1 + self.below(3);
                windows.push(Window {
                    axis,
                    size,
                    step,
                    dilation,
                });
            }
        }
        windows
    }
}

/// Every index of a shape, in C order.
pub(crate) fn indices(shape: &[u64]) -> Vec<Vec<u64>> {
    let numel = shape.iter().product();
    (0..numel).map(|k| unravel(k, shape)).collect()
}

/// The index of element `k` in C order.
pub(crate) fn unravel(mut k: u64, shape: &[u64]) -> Vec<u64> {
    let mut index = vec![0; shape.len()];
    for (i, &extent) in index.iter_mut().zip(shape).rev() {
        *i = k % extent;
        k /= extent;
    }
    index
}

/// The positions of a layout, in C order of its indices, by the defining sum.
pub(crate) fn positions(layout: &Layout) -> Vec<i64> {
    let position = |index: Vec<u64>| {
        let steps = index.iter().zip(layout.strides());
        layout.offset().cast_signed() + steps.map(|(&i, &s)| i.cast_signed() * s).sum::<i64>()
    };
    indices(layout.shape()).into_iter().map(position).collect()
}
