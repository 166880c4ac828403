//! Moves: rearrangements of a shape's indices, as plain data.

use crate::Error;
use crate::extents::{self, Extents, MAX_RANK};

/// A rearrangement of a tensor's elements: it maps each index of its result to an index of its
/// argument.
///
/// A move knows nothing of strides and refers to no buffer. [`shape`](Self::shape) gives its
/// result's shape, [`Layout::apply`](crate::Layout::apply) its result over a layout's positions.
///
/// The argument's shape is `s` below, its extents `d`; the result keeps the limits of a layout.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Move {
    /// The same elements in the same C order under another shape of as many elements.
    Reshape(Vec<u64>),
    /// The shape given, of at least as many axes: aligned at the last axis, each `d` is the extent
    /// given or 1, and an axis of extent 1 repeats its element.
    Broadcast(Vec<u64>),
    /// Axis `i` of the result is axis `p[i]` of the argument, for a permutation `p` of the axes.
    Permute(Vec<usize>),
    /// One [`Range`] of each axis.
    Slice(Vec<Range>),
    /// [`Window`]s that slide along axes, these strictly increasing. A window's axis counts the
    /// places of the window, and an axis of the window's size is appended for each, in order.
    Window(Vec<Window>),
}

/// Elements `start + j·step` of an axis, `0 <= j < count`.
///
/// The step is not 0. The elements lie on the axis; for a count of 0 that is so from any start, and
/// for a count of 1 by any step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Range {
    /// The first element.
    pub start: u64,
    /// The number of elements.
    pub count: u64,
    /// The distance from one element to the next.
    pub step: i64,
}

impl Range {
    /// The whole of an axis of `extent` elements, in order.
    pub const fn all(extent: u64) -> Self {
        Self {
            start: 0,
            count: extent,
            step: 1,
        }
    }
}

/// Windows of an axis: element `j` of window `w` is the axis' element `w·step + j·dilation`,
/// `0 <= j < size`.
///
/// Size, step and dilation are at least 1, and one window fits: `dilation·(size - 1) <= d - 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Window {
    /// The axis along which the window slides.
    pub axis: usize,
    /// The number of elements in a window.
    pub size: u64,
    /// The distance from one window to the next.
    pub step: u64,
    /// The distance from one element of a window to the next.
    pub dilation: u64,
}

impl Move {
    /// The shape of the move's result on an argument of shape `shape`.
    ///
    /// # Errors
    ///
    /// - [`Error::Rank`], [`Error::Numel`]: `shape` or the result is not a layout's shape.
    /// - [`Error::ReshapeNumel`]: a reshape to another number of elements.
    /// - [`Error::BroadcastRank`], [`Error::BroadcastExtent`]: fewer axes, or an extent that is
    ///   neither 1 nor the one given.
    /// - [`Error::PermuteLength`], [`Error::PermuteAxis`], [`Error::RepeatedAxis`]: not a
    ///   permutation of the axes.
    /// - [`Error::RangeCount`], [`Error::ZeroStep`], [`Error::RangeOutside`]: not one range for each
    ///   axis, a step of 0, a range that leaves its axis.
    /// - [`Error::WindowAxis`], [`Error::WindowOrder`], [`Error::ZeroWindow`], [`Error::WindowFit`]: no
    ///   such axis, axes that do not increase, a size, step or dilation of 0, a window longer than
    ///   its axis.
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::{Move, Window};
    ///
    /// let windows = Move::Window(vec![Window { axis: 1, size: 3, step: 2, dilation: 2 }]);
    /// assert_eq!(windows.shape(&[2, 11, 4])?, [2, 4, 4, 3]);
    /// assert!(windows.shape(&[2, 4, 4]).is_err());
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn shape(&self, shape: &[u64]) -> Result<Vec<u64>, Error> {
        extents::check(shape)?;
        let result = match self {
            Self::Reshape(to) => reshape(shape, to),
            Self::Broadcast(to) => broadcast(shape, to),
            Self::Permute(axes) => permute(shape, axes),
            Self::Slice(ranges) => slice(shape, ranges),
            Self::Window(windows) => window(shape, windows),
        }?;
        Ok(result.as_slice().to_vec())
    }
}

/// The result's shape of [`Move::Reshape`] on `shape`, which is within the limits, as below.
pub(crate) fn reshape(shape: &[u64], to: &[u64]) -> Result<Extents, Error> {
    let result = Extents::new(to)?;
    let (from, to) = (shape.iter().product(), result.numel());
    if from != to {
        return Err(Error::ReshapeNumel { from, to });
    }
    Ok(result)
}

/// The result's shape of [`Move::Broadcast`] on `shape`.
pub(crate) fn broadcast(shape: &[u64], to: &[u64]) -> Result<Extents, Error> {
    let result = Extents::new(to)?;
    let (from, to) = (shape.len(), to.len());
    let added = to
        .checked_sub(from)
        .ok_or(Error::BroadcastRank { from, to })?;
    for (axis, (&from, &to)) in (added..).zip(shape.iter().zip(&result.as_slice()[added..])) {
        if from != to && from != 1 {
            return Err(Error::BroadcastExtent { axis, from, to });
        }
    }
    Ok(result)
}

/// The result's shape of [`Move::Permute`] on `shape`.
pub(crate) fn permute(shape: &[u64], axes: &[usize]) -> Result<Extents, Error> {
    let (rank, entries) = (shape.len(), axes.len());
    if entries != rank {
        return Err(Error::PermuteLength { rank, entries });
    }
    let mut seen = [false; MAX_RANK];
    for (entry, &axis) in axes.iter().enumerate() {
        if axis >= rank {
            return Err(Error::PermuteAxis { entry, axis, rank });
        }
        if std::mem::replace(&mut seen[axis], true) {
            return Err(Error::RepeatedAxis { entry, axis });
        }
    }
    Extents::from_fn(rank, |i| shape[axes[i]])
}

/// The result's shape of [`Move::Slice`] on `shape`.
pub(crate) fn slice(shape: &[u64], ranges: &[Range]) -> Result<Extents, Error> {
    let (rank, ranges_len) = (shape.len(), ranges.len());
    if ranges_len != rank {
        return Err(Error::RangeCount {
            rank,
            ranges: ranges_len,
        });
    }
    for (axis, (&extent, &Range { start, count, step })) in shape.iter().zip(ranges).enumerate() {
        if step == 0 {
            return Err(Error::ZeroStep { axis });
        }
        // Divisions instead of products: `(count - 1)·|step|` may exceed any integer.
        let inside = count == 0
            || start < extent && {
                let room = if step > 0 { extent - 1 - start } else { start };
                count - 1 <= room / step.unsigned_abs()
            };
        if !inside {
            return Err(Error::RangeOutside {
                axis,
                extent,
                start,
                count,
                step,
            });
        }
    }
    Extents::from_fn(rank, |i| ranges[i].count)
}

/// The result's shape of [`Move::Window`] on `shape`.
pub(crate) fn window(shape: &[u64], windows: &[Window]) -> Result<Extents, Error> {
    let rank = shape.len();
    let mut places = [0; MAX_RANK];
    places[..rank].copy_from_slice(shape);
    for (
        nth,
        &Window {
            axis,
            size,
            step,
            dilation,
        },
    ) in windows.iter().enumerate()
    {
        if axis >= rank {
            return Err(Error::WindowAxis {
                window: nth,
                axis,
                rank,
            });
        }
        if nth > 0 && axis <= windows[nth - 1].axis {
            return Err(Error::WindowOrder {
                window: nth,
                axis,
                previous: windows[nth - 1].axis,
            });
        }
        if size == 0 || step == 0 || dilation == 0 {
            return Err(Error::ZeroWindow {
                axis,
                size,
                step,
                dilation,
            });
        }
        let extent = shape[axis];
        if extent == 0 || size - 1 > (extent - 1) / dilation {
            return Err(Error::WindowFit {
                axis,
                extent,
                size,
                dilation,
            });
        }
        places[axis] = (extent - 1 - dilation * (size - 1)) / step + 1;
    }
    Extents::from_fn(rank + windows.len(), |i| match i.checked_sub(rank) {
        None => places[i],
        Some(nth) => windows[nth].size,
    })
}
