//! Views that own their bytes, or their share of them.

use super::{Tensor, View};
use crate::{Error, Layout};

/// A tensor with a layout over it: a [`View`] that owns its bytes, or its share of them.
///
/// It is what comes in from libraries whose arrays have strides.
#[derive(Debug, Clone)]
pub struct Strided {
    tensor: Tensor,
    layout: Layout,
}

impl Strided {
    /// The elements of `tensor` at the positions of `layout`.
    ///
    /// # Errors
    ///
    /// As [`Tensor::view_through`].
    pub fn new(tensor: Tensor, layout: Layout) -> Result<Self, Error> {
        tensor.view_through(layout.clone())?;
        Ok(Self { tensor, layout })
    }

    /// The tensor whose bytes are looked at.
    #[must_use]
    pub fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    /// The tensor, to be written.
    #[cfg(feature = "dlpack")]
    pub(super) fn tensor_mut(&mut self) -> &mut Tensor {
        &mut self.tensor
    }

    /// Where the elements lie in it.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The view, which borrows the bytes.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View::of(&self.tensor, self.layout.clone())
    }

    /// The tensor and the layout.
    #[must_use]
    pub fn into_parts(self) -> (Tensor, Layout) {
        (self.tensor, self.layout)
    }
}
