//! Slices in `NumPy`'s words.

use super::{Layout, MAX_RANK};
use crate::Error;
use crate::moves::Range;

/// One item of a `NumPy` basic index, `x[…]`.
///
/// Integers count from the axis' end where they are negative. Rust's integers and half-open ranges
/// convert: `(-3..).into()` is `-3:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Index {
    /// `i`: one element of an axis, which is dropped.
    At(i64),
    /// `start:stop:step`: part of an axis. A bound outside the axis is moved to its end, a bound
    /// left out is the end at which a step of that sign starts or stops.
    Slice {
        /// The first element.
        start: Option<i64>,
        /// The first element not taken.
        stop: Option<i64>,
        /// The distance between elements, not 0.
        step: i64,
    },
    /// `newaxis`: a new axis of extent 1.
    NewAxis,
    /// `...`: the whole of as many axes as the other items leave.
    Ellipsis,
}

impl Index {
    /// `:`, the whole of an axis.
    pub const ALL: Self = Self::Slice {
        start: None,
        stop: None,
        step: 1,
    };

    /// `::-1`, the whole of an axis backwards.
    pub const REVERSED: Self = Self::Slice {
        start: None,
        stop: None,
        step: -1,
    };
}

impl From<i64> for Index {
    fn from(index: i64) -> Self {
        Self::At(index)
    }
}

impl From<std::ops::Range<i64>> for Index {
    fn from(range: std::ops::Range<i64>) -> Self {
        Self::Slice {
            start: Some(range.start),
            stop: Some(range.end),
            step: 1,
        }
    }
}

impl From<std::ops::RangeFrom<i64>> for Index {
    fn from(range: std::ops::RangeFrom<i64>) -> Self {
        Self::Slice {
            start: Some(range.start),
            stop: None,
            step: 1,
        }
    }
}

impl From<std::ops::RangeTo<i64>> for Index {
    fn from(range: std::ops::RangeTo<i64>) -> Self {
        Self::Slice {
            start: None,
            stop: Some(range.end),
            step: 1,
        }
    }
}

impl From<std::ops::RangeFull> for Index {
    fn from(_: std::ops::RangeFull) -> Self {
        Self::ALL
    }
}

impl Layout {
    /// `x[indices]`: the part that a `NumPy` basic index takes of this layout.
    ///
    /// Axes that no item mentions are taken whole: those in the ellipsis' place, or the last ones.
    ///
    /// # Errors
    ///
    /// - [`Error::IndexCount`]: more items than axes.
    /// - [`Error::SecondEllipsis`]: a second ellipsis.
    /// - [`Error::IndexOutside`], [`Error::ZeroStep`]: an integer outside its axis, a step of 0.
    /// - [`Error::Rank`]: new axes beyond [`MAX_RANK`].
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::{Index, Layout};
    ///
    /// let x = Layout::contiguous(&[10])?;
    /// let down = Index::Slice { start: Some(9), stop: Some(0), step: -3 };
    /// assert_eq!(x.slice(&[down])?, Layout::strided(9, &[-3], &[3])?);
    ///
    /// let y = Layout::contiguous(&[2, 3, 4])?;
    /// let last = y.slice(&[Index::Ellipsis, Index::At(-1)])?;
    /// assert_eq!(last, Layout::strided(3, &[12, 4], &[2, 3])?);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn slice(&self, indices: &[Index]) -> Result<Self, Error> {
        let rank = self.rank();
        let mut ranges = [Range::all(0); MAX_RANK];
        for (range, &extent) in ranges.iter_mut().zip(self.shape()) {
            *range = Range::all(extent);
        }
        let mentions = |index: &&Index| matches!(index, Index::At(_) | Index::Slice { .. });
        let mentioned = indices.iter().filter(mentions).count();
        let unmentioned = rank.checked_sub(mentioned).ok_or(Error::IndexCount {
            rank,
            indices: mentioned,
        })?;

        let mut axes = Axes::default();
        let mut axis = 0;
        let mut ellipsis = false;
        for (entry, index) in indices.iter().enumerate() {
            match *index {
                Index::At(index) => {
                    ranges[axis] = self.one(axis, index)?;
                    axis += 1;
                }
                Index::Slice { start, stop, step } => {
                    ranges[axis] = self.range(axis, start, stop, step)?;
                    axes.keep(axis..axis + 1);
                    axis += 1;
                }
                Index::NewAxis => axes.add(),
                Index::Ellipsis if ellipsis => return Err(Error::SecondEllipsis { entry }),
                Index::Ellipsis => {
                    ellipsis = true;
                    axes.keep(axis..axis + unmentioned);
                    axis += unmentioned;
                }
            }
        }
        axes.keep(axis..rank);
        self.sliced(&ranges[..rank])?.with_axes(axes.as_slice()?)
    }

    /// The range of the one element at `index` of an axis, counted from the end where negative.
    pub(super) fn one(&self, axis: usize, index: i64) -> Result<Range, Error> {
        let extent = self.dim(axis);
        let start = if index < 0 {
            extent.checked_sub(index.unsigned_abs())
        } else {
            Some(index.unsigned_abs())
        };
        match start {
            Some(start) if start < extent => Ok(Range {
                start,
                count: 1,
                step: 1,
            }),
            _ => Err(Error::IndexOutside {
                axis,
                extent,
                index,
            }),
        }
    }

    /// The range that `start:stop:step` takes of an axis.
    pub(super) fn range(
        &self,
        axis: usize,
        start: Option<i64>,
        stop: Option<i64>,
        step: i64,
    ) -> Result<Range, Error> {
        if step == 0 {
            return Err(Error::ZeroStep { axis });
        }
        // An extent is at most 2^53. Going down, -1 stands before the first element.
        let extent = self.dim(axis).cast_signed();
        let (lowest, highest) = if step > 0 {
            (0, extent)
        } else {
            (-1, extent - 1)
        };
        let place = |bound: i64| {
            let from_start = if bound < 0 { bound + extent } else { bound };
            from_start.min(highest).max(lowest)
        };
        let (first, last) = if step > 0 {
            (lowest, highest)
        } else {
            (highest, lowest)
        };
        let (start, stop) = (start.map_or(first, place), stop.map_or(last, place));
        let distance = if step > 0 { stop - start } else { start - stop };
        let distance = u64::try_from(distance).unwrap_or(0);
        let count = distance.div_ceil(step.unsigned_abs());
        // A range of no element starts anywhere, also where -1 stands.
        Ok(Range {
            start: start.max(0).cast_unsigned(),
            count,
            step,
        })
    }
}

/// The axes of a result, listed one by one; more than [`MAX_RANK`] are counted only.
#[derive(Default)]
struct Axes {
    list: [Option<usize>; MAX_RANK],
    count: usize,
}

impl Axes {
    /// Appends axes of the argument.
    fn keep(&mut self, axes: std::ops::Range<usize>) {
        for axis in axes {
            self.push(Some(axis));
        }
    }

    /// Appends a new axis.
    fn add(&mut self) {
        self.push(None);
    }

    fn push(&mut self, axis: Option<usize>) {
        if let Some(slot) = self.list.get_mut(self.count) {
            *slot = axis;
        }
        self.count += 1;
    }

    fn as_slice(&self) -> Result<&[Option<usize>], Error> {
        self.list
            .get(..self.count)
            .ok_or(Error::Rank { rank: self.count })
    }
}
