//! Slices and vectors of Rust types as tensors, and back: no byte is copied but where a name says so.

use std::mem::ManuallyDrop;

use super::memory::Memory;
use super::{DataType, Tensor};
use crate::{DType, Element, Error, HostError};

impl DataType {
    /// The data type of a Rust type's elements.
    pub(super) fn of(dtype: DType) -> Result<Self, Error> {
        let none = || {
            Error::Host(HostError::NoDataType {
                dtype: dtype.to_string().into(),
            })
        };
        Self::from_dtype(dtype).ok_or_else(none)
    }
}

impl Tensor {
    /// The tensor of `values` in C order, copied to aligned memory of this library.
    ///
    /// # Errors
    ///
    /// The shape's errors of [`from_raw`](Self::from_raw); [`Error::ByteCount`] unless there are as many values as elements;
    /// [`HostError::Memory`]: no room.
    pub fn from_slice<T: Element>(dims: &[i64], values: &[T]) -> Result<Self, Error> {
        let bytes = bytemuck::cast_slice(values);
        Self::counted::<T>(dims, bytes.len(), || Memory::copied(bytes))
    }

    /// The tensor of `values` in C order, over the vector's own memory wherever it is.
    ///
    /// # Errors
    ///
    /// As [`from_slice`](Self::from_slice).
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::host::Tensor;
    /// let values = vec![1.0f64, 2.0, 3.0];
    /// let address = values.as_ptr();
    /// let tensor = Tensor::from_vec(&[3], values)?;
    /// assert_eq!(tensor.as_slice::<f64>()?.as_ptr(), address);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn from_vec<T: Element + Send>(dims: &[i64], values: Vec<T>) -> Result<Self, Error> {
        let len = size_of_val(values.as_slice());
        Self::counted::<T>(dims, len, || adopt(values))
    }

    /// The tensor over memory that is only made once its length is known to be the elements'.
    fn counted<T: Element>(
        dims: &[i64],
        len: usize,
        memory: impl FnOnce() -> Result<Memory, Error>,
    ) -> Result<Self, Error> {
        let data_type = DataType::of(T::DTYPE)?;
        let needed = super::shape::bytes_needed(data_type, super::shape::element_count(dims)?)?;
        if needed != len {
            return Err(Error::ByteCount {
                needed: needed as u64,
                found: len as u64,
            });
        }
        Self::over(data_type, dims, memory()?)
    }

    /// The elements in C order.
    ///
    /// # Errors
    ///
    /// [`HostError::ElementType`] unless `T` is the elements' type; [`HostError::Misaligned`]: they are not where a `T` may be.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::host::{DataType, Tensor};
    /// let tensor = Tensor::zeros(DataType::BFloat16, &[2])?;
    /// assert_eq!(tensor.as_slice::<half::bf16>()?.len(), 2);
    /// assert!(tensor.as_slice::<half::f16>().is_err());
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn as_slice<T: Element>(&self) -> Result<&[T], Error> {
        self.check_type::<T>()?;
        match self.element_bytes() {
            // Without an element any address will do.
            [] => Ok(&[]),
            bytes => bytemuck::try_cast_slice(bytes).map_err(|_| misaligned::<T>()),
        }
    }

    /// The elements in C order, to the only owner of their bytes.
    ///
    /// # Errors
    ///
    /// As [`as_slice`](Self::as_slice); [`HostError::Shared`]: the bytes have other owners, or may not be written.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T], Error> {
        self.check_type::<T>()?;
        let len = self.element_bytes().len();
        let bytes = self.bytes_mut().ok_or(Error::Host(HostError::Shared))?;
        match &mut bytes[..len] {
            [] => Ok(&mut []),
            bytes => bytemuck::try_cast_slice_mut(bytes).map_err(|_| misaligned::<T>()),
        }
    }

    fn check_type<T: Element>(&self) -> Result<(), Error> {
        if self.data_type().dtype() == Some(T::DTYPE) {
            return Ok(());
        }
        Err(Error::Host(HostError::ElementType {
            data_type: self.data_type().name(),
            dtype: T::DTYPE.to_string().into(),
        }))
    }
}

fn misaligned<T>() -> Error {
    let alignment = align_of::<T>();
    Error::Host(HostError::Misaligned { alignment })
}

/// The memory of a vector, which frees it.
pub(super) fn adopt<T: Element + Send>(values: Vec<T>) -> Result<Memory, Error> {
    let mut values = ManuallyDrop::new(values);
    let (data, count, capacity) = (values.as_mut_ptr(), values.len(), values.capacity());
    let free = move |data: *mut u8, _: usize| {
        // SAFETY: the address, length and capacity are those of the vector taken apart above, and this runs once.
        drop(unsafe { Vec::from_raw_parts(data.cast::<T>(), count, capacity) });
    };
    // SAFETY: a vector's elements are initialised, valid until it is freed, and nobody else's; any thread may free plain data.
    unsafe {
        Memory::foreign(
            data.cast(),
            count * size_of::<T>(),
            false,
            Some(Box::new(free)),
        )
    }
}
