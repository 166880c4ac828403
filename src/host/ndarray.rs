//! Arrays of the `ndarray` crate as views and tensors, and back, with whatever strides they have.

use std::marker::PhantomData;

use ::ndarray::{Array, ArrayView, ArrayViewD, Axis, Dimension, IxDyn, ShapeBuilder};

use super::slices::adopt;
use super::view::Reach;
use super::{DataType, Strided, Tensor, View};
use crate::{Element, Error, HostError, Layout};

impl<'a> View<'a> {
    /// The view of an array's elements where they are: strides may be 0 or negative.
    ///
    /// # Errors
    ///
    /// [`HostError::NoDataType`]: host tensors know no such type. [`Layout::strided`]'s: the array is beyond a layout's limits.
    ///
    /// # Examples
    ///
    /// ```
    /// use ndarray::{array, s};
    /// use restride::host::View;
    ///
    /// let matrix = array![[1u8, 2, 3], [4, 5, 6]];
    /// let part = matrix.slice(s![.., ..;-2]);
    /// let tensor = View::from_ndarray(part.view())?.materialize()?;
    /// assert_eq!(tensor.as_slice::<u8>()?, [3, 1, 6, 4]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn from_ndarray<T: Element + Sync, D: Dimension>(
        array: ArrayView<'a, T, D>,
    ) -> Result<Self, Error> {
        let data_type = DataType::of(T::DTYPE)?;
        let (layout, before, len) = layout(array.shape(), array.strides())?;
        let reach = Reach::Elements {
            // SAFETY: the array's lowest element, which negative strides reach, lies `before` elements before its first index,
            // in the same allocation.
            first: unsafe { array.as_ptr().sub(before) }.cast(),
            len: len * size_of::<T>(),
            borrowed: PhantomData,
        };
        Self::checked(data_type, reach, 0, layout)
    }

    /// The elements as an array of the `ndarray` crate, which borrows the same bytes.
    ///
    /// # Errors
    ///
    /// [`HostError::ElementType`] unless `T` is the elements' type; [`HostError::Misaligned`]: they are not where a `T` may be.
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::host::Tensor;
    ///
    /// let tensor = Tensor::from_slice(&[2, 2], &[1.0f32, 2.0, 3.0, 4.0])?;
    /// let flipped = tensor.view()?.flip(1)?;
    /// assert_eq!(flipped.to_ndarray::<f32>()?, ndarray::array![[2.0, 1.0], [4.0, 3.0]].into_dyn());
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn to_ndarray<T: Element>(&self) -> Result<ArrayViewD<'a, T>, Error> {
        if self.data_type().dtype() != Some(T::DTYPE) {
            return Err(Error::Host(HostError::ElementType {
                data_type: self.data_type().name(),
                dtype: T::DTYPE.to_string().into(),
            }));
        }
        let fits = |extent: &u64| {
            usize::try_from(*extent)
                .map_err(|_| Error::Host(HostError::Memory { bytes: usize::MAX }))
        };
        let shape = self
            .layout()
            .shape()
            .iter()
            .map(fits)
            .collect::<Result<Vec<_>, _>>()?;
        let lowest = usize::try_from(self.layout().span().start).unwrap_or(usize::MAX);
        let (first, _) = self.reach().bounds();
        // Inside the reach, as the view is.
        let lowest = first.wrapping_add(lowest * size_of::<T>()).cast::<T>();
        // Without an element nothing is read, and any address will do.
        let nothing = std::ptr::NonNull::<T>::dangling().as_ptr().cast_const();
        let lowest = if self.layout().numel() == 0 {
            nothing
        } else {
            lowest
        };
        if !lowest.is_aligned() {
            return Err(Error::Host(HostError::Misaligned {
                alignment: align_of::<T>(),
            }));
        }
        let upward = self.layout().strides().iter();
        let upward: Vec<usize> = upward
            .map(|s| usize::try_from(s.unsigned_abs()).unwrap_or(usize::MAX))
            .collect();
        let shape = IxDyn(&shape).strides(IxDyn(&upward));
        // SAFETY: with every axis turned upwards the elements reach from `lowest` to the end of the view's span, which are
        // borrowed for 'a and initialised. They are only read, so that several indices may share one.
        let mut array = unsafe { ArrayView::from_shape_ptr(shape, lowest) };
        for (axis, &stride) in self.layout().strides().iter().enumerate() {
            if stride < 0 {
                array.invert_axis(Axis(axis));
            }
        }
        Ok(array)
    }
}

impl Strided {
    /// An array's own memory with its strides, however they are.
    ///
    /// # Errors
    ///
    /// As [`View::from_ndarray`].
    pub fn from_ndarray<T: Element + Send, D: Dimension>(
        array: Array<T, D>,
    ) -> Result<Self, Error> {
        let data_type = DataType::of(T::DTYPE)?;
        let (layout, before, _) = layout(array.shape(), array.strides())?;
        let (values, first) = array.into_raw_vec_and_offset();
        let count = i64::try_from(values.len())
            .map_err(|_| Error::Host(HostError::Memory { bytes: usize::MAX }))?;
        // What lies before the array's lowest element stays in the tensor.
        let skipped = first.unwrap_or(before) - before;
        let offset = layout.offset() + skipped as u64;
        let layout = Layout::strided(offset, layout.strides(), layout.shape())?;
        Self::new(Tensor::over(data_type, &[count], adopt(values)?)?, layout)
    }
}

/// The layout of an array counted from its lowest element, how many elements that one lies before the first index, and how
/// many there are from it to the highest.
fn layout(shape: &[usize], strides: &[isize]) -> Result<(Layout, usize, usize), Error> {
    let shape: Vec<u64> = shape.iter().map(|&extent| extent as u64).collect();
    let strides: Vec<i64> = strides.iter().map(|&stride| stride as i64).collect();
    if shape.contains(&0) {
        return Ok((Layout::contiguous(&shape)?, 0, 0));
    }
    let back = shape
        .iter()
        .zip(&strides)
        .filter(|(_, stride)| **stride < 0);
    let before: u64 = back
        .map(|(extent, stride)| (extent - 1) * stride.unsigned_abs())
        .sum();
    let layout = Layout::strided(before, &strides, &shape)?;
    let end = usize::try_from(layout.span().end)
        .map_err(|_| Error::Host(HostError::Memory { bytes: usize::MAX }))?;
    Ok((layout, usize::try_from(before).unwrap_or(usize::MAX), end))
}
