//! The words that people use for moves.
//!
//! Axes are `isize` and count from the last one where they are negative, as in `NumPy`. Each word is
//! one or two moves over the layout's positions.

use super::{Layout, MAX_RANK};
use crate::Error;
use crate::moves::{Range, Window};

impl Layout {
    /// The layout whose axis `i` is this one's axis `axes[i]`.
    ///
    /// # Errors
    ///
    /// [`Error::PermuteLength`], [`Error::Axis`] or [`Error::RepeatedAxis`] unless `axes` is a
    /// permutation of the axes.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::Layout;
    /// let x = Layout::contiguous(&[2, 3, 4])?;
    /// assert_eq!(x.permute(&[-1, 0, 1])?, Layout::strided(0, &[1, 12, 4], &[4, 2, 3])?);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn permute(&self, axes: &[isize]) -> Result<Self, Error> {
        let rank = self.rank();
        if axes.len() != rank {
            return Err(Error::PermuteLength {
                rank,
                entries: axes.len(),
            });
        }
        let mut permutation = [0; MAX_RANK];
        for (slot, &axis) in permutation.iter_mut().zip(axes) {
            *slot = self.axis(axis)?;
        }
        self.permuted(&permutation[..rank])
    }

    /// The layout with its axes in reverse order.
    pub fn transpose(&self) -> Self {
        let mut transposed = self.clone();
        transposed.extents.reverse();
        transposed.strides[..self.rank()].reverse();
        transposed
    }

    /// The layout with two axes in each other's place.
    ///
    /// # Errors
    ///
    /// [`Error::Axis`] if one is not an axis.
    pub fn swap_axes(&self, a: isize, b: isize) -> Result<Self, Error> {
        let (a, b) = (self.axis(a)?, self.axis(b)?);
        let mut axes = IDENTITY;
        axes.swap(a, b);
        self.permuted(&axes[..self.rank()])
    }

    /// The layout with axis `from` in place `to`, the others in their order.
    ///
    /// # Errors
    ///
    /// [`Error::Axis`] if one is not an axis.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::Layout;
    /// let x = Layout::contiguous(&[2, 3, 4])?;
    /// assert_eq!(x.move_axis(0, -1)?.shape(), [3, 4, 2]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn move_axis(&self, from: isize, to: isize) -> Result<Self, Error> {
        let (from, to) = (self.axis(from)?, self.axis(to)?);
        let mut axes = IDENTITY;
        if from < to {
            axes[from..=to].rotate_left(1);
        } else {
            axes[to..=from].rotate_right(1);
        }
        self.permuted(&axes[..self.rank()])
    }

    /// The layout with an axis backwards.
    ///
    /// # Errors
    ///
    /// [`Error::Axis`] if it is not an axis.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::Layout;
    /// assert_eq!(Layout::contiguous(&[4])?.flip(0)?, Layout::strided(3, &[-1], &[4])?);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn flip(&self, axis: isize) -> Result<Self, Error> {
        let axis = self.axis(axis)?;
        let range = self.range(axis, None, None, -1)?;
        self.sliced_at(axis, range)
    }

    /// The layout of every `step`-th element of an axis; backwards from its end for a negative step.
    ///
    /// # Errors
    ///
    /// [`Error::Axis`] if it is not an axis, [`Error::ZeroStep`] for a step of 0.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::Layout;
    /// assert_eq!(Layout::contiguous(&[5])?.step(0, 2)?, Layout::strided(0, &[2], &[3])?);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn step(&self, axis: isize, step: i64) -> Result<Self, Error> {
        let axis = self.axis(axis)?;
        let range = self.range(axis, None, None, step)?;
        self.sliced_at(axis, range)
    }

    /// The layout of elements `start` to `start + len` of an axis.
    ///
    /// # Errors
    ///
    /// [`Error::Axis`] if it is not an axis, [`Error::RangeOutside`] if they are not all on it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::Layout;
    /// let x = Layout::contiguous(&[2, 5])?;
    /// assert_eq!(x.narrow(1, 3, 2)?, Layout::strided(3, &[5, 1], &[2, 2])?);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn narrow(&self, axis: isize, start: u64, len: u64) -> Result<Self, Error> {
        let axis = self.axis(axis)?;
        self.sliced_at(
            axis,
            Range {
                start,
                count: len,
                step: 1,
            },
        )
    }

    /// The layout of one element of an axis, which is dropped. A negative index counts from the end.
    ///
    /// # Errors
    ///
    /// [`Error::Axis`] if it is not an axis, [`Error::IndexOutside`] if the index is not on it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::Layout;
    /// let x = Layout::contiguous(&[2, 5])?;
    /// assert_eq!(x.select(0, -1)?, Layout::strided(5, &[1], &[5])?);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn select(&self, axis: isize, index: i64) -> Result<Self, Error> {
        let axis = self.axis(axis)?;
        let range = self.one(axis, index)?;
        Ok(self.sliced_at(axis, range)?.without(|other| other == axis))
    }

    /// The layout without its axes of extent 1.
    pub fn squeeze(&self) -> Self {
        self.without(|axis| self.dim(axis) == 1)
    }

    /// The layout without an axis, whose extent is 1.
    ///
    /// # Errors
    ///
    /// [`Error::Axis`] if it is not an axis, [`Error::SqueezeExtent`] if its extent is not 1.
    pub fn squeeze_axis(&self, axis: isize) -> Result<Self, Error> {
        let axis = self.axis(axis)?;
        match self.dim(axis) {
            1 => Ok(self.without(|other| other == axis)),
            extent => Err(Error::SqueezeExtent { axis, extent }),
        }
    }

    /// The layout with a new axis of extent 1, which is axis `axis` of the result.
    ///
    /// # Errors
    ///
    /// [`Error::Axis`] if the result has no such axis, [`Error::Rank`] beyond [`MAX_RANK`] axes.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::Layout;
    /// let x = Layout::contiguous(&[2, 3])?;
    /// assert_eq!(x.unsqueeze(-1)?.shape(), [2, 3, 1]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn unsqueeze(&self, axis: isize) -> Result<Self, Error> {
        let rank = self.rank() + 1;
        let new = resolve(axis, rank)?;
        let mut axes = [None; MAX_RANK + 1];
        for (place, slot) in axes[..rank].iter_mut().enumerate() {
            *slot = if place < new {
                Some(place)
            } else {
                place.checked_sub(1)
            };
        }
        axes[new] = None;
        self.with_axes(&axes[..rank])
    }

    /// The layout of the windows of `size` neighbours of an axis, one every `step` elements: the
    /// axis counts the windows, a new last axis their elements.
    ///
    /// # Errors
    ///
    /// Those of [`window`](Self::window).
    pub fn unfold(&self, axis: isize, size: u64, step: u64) -> Result<Self, Error> {
        self.window(axis, size, step, 1)
    }

    /// The layout of one [`Window`] along an axis.
    ///
    /// # Errors
    ///
    /// [`Error::Axis`] if it is not an axis, [`Error::ZeroWindow`] if the size, the step or the
    /// dilation is 0, [`Error::WindowFit`] if no window fits, [`Error::Rank`] or [`Error::Numel`] if
    /// the result is beyond the limits.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::Layout;
    /// let x = Layout::contiguous(&[11])?;
    /// assert_eq!(x.window(0, 3, 2, 2)?, Layout::strided(0, &[2, 2], &[4, 3])?);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn window(&self, axis: isize, size: u64, step: u64, dilation: u64) -> Result<Self, Error> {
        let axis = self.axis(axis)?;
        self.windowed(&[Window {
            axis,
            size,
            step,
            dilation,
        }])
    }

    /// The layout of the elements whose coordinates on two axes are equal; a new last axis, of the
    /// smaller extent, takes the place of both.
    ///
    /// # Errors
    ///
    /// [`Error::Axis`] if one is not an axis, [`Error::RepeatedAxis`] if both are one.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::Layout;
    /// let x = Layout::contiguous(&[3, 4])?;
    /// assert_eq!(x.diagonal(0, 1)?, Layout::strided(0, &[5], &[3])?);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn diagonal(&self, a: isize, b: isize) -> Result<Self, Error> {
        let (a, b) = (self.axis(a)?, self.axis(b)?);
        if a == b {
            return Err(Error::RepeatedAxis { entry: 1, axis: a });
        }
        // Both extents must be the smaller one, so that a step on both axes stays inside them.
        let count = self.dim(a).min(self.dim(b));
        let range = Range::all(count);
        let mut square = self.sliced_at(a, range)?.sliced_at(b, range)?;
        square.strides[b] += square.strides[a];
        let mut axes = [Some(b); MAX_RANK];
        let others = (0..self.rank()).filter(|&axis| axis != a && axis != b);
        for (slot, axis) in axes.iter_mut().zip(others) {
            *slot = Some(axis);
        }
        square.with_axes(&axes[..self.rank() - 1])
    }

    /// The axis that `axis` is, counted from either end.
    pub(super) fn axis(&self, axis: isize) -> Result<usize, Error> {
        resolve(axis, self.rank())
    }

    /// The slice that takes a range of one axis and the whole of the others.
    fn sliced_at(&self, axis: usize, range: Range) -> Result<Self, Error> {
        let mut ranges = [range; MAX_RANK];
        for (other, slot) in ranges[..self.rank()].iter_mut().enumerate() {
            if other != axis {
                *slot = Range::all(self.dim(other));
            }
        }
        self.sliced(&ranges[..self.rank()])
    }

    /// The layout without the axes that `dropped` is true of: their coordinate is 0.
    fn without(&self, dropped: impl Fn(usize) -> bool) -> Self {
        let mut strides = [0; MAX_RANK];
        let kept = (0..self.rank()).filter(|&axis| !dropped(axis));
        for (stride, axis) in strides.iter_mut().zip(kept) {
            *stride = self.stride(axis);
        }
        Self::canonical(self.offset, strides, self.extents.without(dropped))
    }
}

/// Every axis in its place.
const IDENTITY: [usize; MAX_RANK] = {
    let mut axes = [0; MAX_RANK];
    let mut axis = 0;
    while axis < MAX_RANK {
        axes[axis] = axis;
        axis += 1;
    }
    axes
};

/// The axis that `axis` is of `rank` axes, counted from either end.
fn resolve(axis: isize, rank: usize) -> Result<usize, Error> {
    let resolved = if axis < 0 {
        rank.checked_sub(axis.unsigned_abs())
    } else {
        Some(axis.unsigned_abs()).filter(|&axis| axis < rank)
    };
    resolved.ok_or(Error::Axis { axis, rank })
}
