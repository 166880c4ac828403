//! The moves as methods of a view.

use super::View;
use crate::{Error, Index, Move};

#[cfg(doc)]
use crate::Layout;

/// Moves: each is that of [`Layout`], with its errors.
impl View<'_> {
    /// [`Layout::apply`]; `None` for a reshape that no strides express.
    ///
    /// # Errors
    ///
    /// As [`Layout::apply`].
    pub fn apply(&self, m: &Move) -> Result<Option<Self>, Error> {
        Ok(self.layout.apply(m)?.map(|layout| self.through(layout)))
    }

    /// [`Layout::reshape`]: one extent may be -1; `None` if no strides express it, so that a copy is needed first.
    ///
    /// # Errors
    ///
    /// As [`Layout::reshape`].
    pub fn reshape(&self, shape: &[i64]) -> Result<Option<Self>, Error> {
        Ok(self
            .layout
            .reshape(shape)?
            .map(|layout| self.through(layout)))
    }

    /// [`Layout::transpose`]: the axes in reverse order.
    #[must_use]
    pub fn transpose(&self) -> Self {
        self.through(self.layout.transpose())
    }

    /// [`Layout::squeeze`]: without the axes of extent 1.
    #[must_use]
    pub fn squeeze(&self) -> Self {
        self.through(self.layout.squeeze())
    }
}

/// Methods that hand on to the layout's, whose errors and rules they share.
macro_rules! moves {
    ($($name:ident($($argument:ident: $type:ty),*): $what:literal;)*) => {
        impl View<'_> {
            $(
                #[doc = concat!("[`Layout::", stringify!($name), "`]: ", $what)]
                ///
                /// # Errors
                ///
                #[doc = concat!("As [`Layout::", stringify!($name), "`].")]
                pub fn $name(&self, $($argument: $type),*) -> Result<Self, Error> {
                    Ok(self.through(self.layout.$name($($argument),*)?))
                }
            )*
        }
    };
}

moves! {
    permute(axes: &[isize]): "the axes in the order `axes`.";
    swap_axes(a: isize, b: isize): "with two axes exchanged.";
    move_axis(from: isize, to: isize): "with one axis moved.";
    flip(axis: isize): "one axis reversed.";
    narrow(axis: isize, start: u64, len: u64): "a part of one axis.";
    select(axis: isize, index: i64): "one index of an axis, which is dropped.";
    slice(indices: &[Index]): "NumPy's basic indexing.";
    expand(shape: &[u64]): "broadcast to `shape`.";
    squeeze_axis(axis: isize): "without one axis of extent 1.";
    unsqueeze(axis: isize): "with a new axis of extent 1.";
    unfold(axis: isize, size: u64, step: u64): "sliding windows, as a new last axis.";
    window(axis: isize, size: u64, step: u64, dilation: u64): "sliding windows with holes, as a new last axis.";
    diagonal(a: isize, b: isize): "the diagonal of two axes, as a new last axis.";
}
