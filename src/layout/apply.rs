//! Moves over a layout's positions.

use super::{Layout, MAX_RANK};
use crate::Error;
use crate::extents::Extents;
use crate::moves::{self, Move, Range, Window};

impl Layout {
    /// The layout of the move's result over this layout's positions: its index `i` is at the
    /// position that this layout has at the move's map of `i`.
    ///
    /// It is `None` iff the move is a [`Move::Reshape`] that no strides express: the result is then
    /// a copy's to make. A result without an element is always expressed.
    ///
    /// # Errors
    ///
    /// Those of [`Move::shape`] on this layout's shape.
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::{Layout, Move};
    ///
    /// let columns = Layout::strided(0, &[1, 3], &[3, 2])?;
    /// assert_eq!(columns.apply(&Move::Reshape(vec![6]))?, None);
    /// let split = columns.apply(&Move::Reshape(vec![3, 2, 1]))?;
    /// assert_eq!(split, Some(Layout::strided(0, &[1, 3, 0], &[3, 2, 1])?));
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn apply(&self, m: &Move) -> Result<Option<Self>, Error> {
        match m {
            Move::Reshape(shape) => self.reshaped(shape),
            Move::Broadcast(shape) => self.expand(shape).map(Some),
            Move::Permute(axes) => self.permuted(axes).map(Some),
            Move::Slice(ranges) => self.sliced(ranges).map(Some),
            Move::Window(windows) => self.windowed(windows).map(Some),
        }
    }

    /// The layout of shape `shape` that repeats this one along new axes and along axes of extent 1:
    /// [`Move::Broadcast`].
    ///
    /// # Errors
    ///
    /// Those of [`Move::shape`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::Layout;
    /// let row = Layout::contiguous(&[3])?;
    /// assert_eq!(row.expand(&[2, 3])?, Layout::strided(0, &[0, 1], &[2, 3])?);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn expand(&self, shape: &[u64]) -> Result<Self, Error> {
        let result = moves::broadcast(self.shape(), shape)?;
        // An axis that grows has extent 1, and so stride 0 by the canonical form.
        let mut strides = [0; MAX_RANK];
        strides[shape.len() - self.rank()..shape.len()].copy_from_slice(self.strides());
        Ok(Self::canonical(self.offset(), strides, result))
    }

    /// The result of [`Move::Permute`].
    pub(super) fn permuted(&self, axes: &[usize]) -> Result<Self, Error> {
        let result = moves::permute(self.shape(), axes)?;
        let mut strides = [0; MAX_RANK];
        for (stride, &axis) in strides.iter_mut().zip(axes) {
            *stride = self.stride(axis);
        }
        Ok(Self::canonical(self.offset(), strides, result))
    }

    /// The result of [`Move::Slice`].
    pub(super) fn sliced(&self, ranges: &[Range]) -> Result<Self, Error> {
        let result = moves::slice(self.shape(), ranges)?;
        if result.numel() == 0 {
            return Ok(Self::in_c_order(result));
        }
        let mut offset = self.offset();
        let mut strides = [0; MAX_RANK];
        for (axis, &Range { start, step, .. }) in ranges.iter().enumerate() {
            let stride = self.stride(axis);
            offset = offset.wrapping_add_signed(start.cast_signed() * stride);
            // A step of a second element is inside the axis. Without one it may be anything, and the
            // canonical form drops the product.
            strides[axis] = stride.wrapping_mul(step);
        }
        Ok(Self::canonical(offset, strides, result))
    }

    /// The result of [`Move::Window`].
    pub(super) fn windowed(&self, windows: &[Window]) -> Result<Self, Error> {
        let result = moves::window(self.shape(), windows)?;
        if result.numel() == 0 {
            return Ok(Self::in_c_order(result));
        }
        let mut strides = self.strides;
        for (nth, window) in windows.iter().enumerate() {
            let stride = self.stride(window.axis);
            // As for a slice, products that are no strides belong to axes of extent 1.
            strides[window.axis] = stride.wrapping_mul(window.step.cast_signed());
            strides[self.rank() + nth] = stride.wrapping_mul(window.dilation.cast_signed());
        }
        Ok(Self::canonical(self.offset(), strides, result))
    }

    /// This layout under another list of axes: each is one of its own, or a new one of extent 1. Its
    /// axes that the list leaves out have extent 1.
    pub(super) fn with_axes(&self, axes: &[Option<usize>]) -> Result<Self, Error> {
        let extents = Extents::from_fn(axes.len(), |i| axes[i].map_or(1, |axis| self.dim(axis)))?;
        let mut strides = [0; MAX_RANK];
        for (stride, axis) in strides.iter_mut().zip(axes) {
            *stride = axis.map_or(0, |axis| self.stride(axis));
        }
        Ok(Self::canonical(self.offset(), strides, extents))
    }
}
