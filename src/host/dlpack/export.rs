//! Capsules made of views.

use std::ffi::c_void;
use std::ptr::{self, NonNull};

use super::{
    CPU, DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLTensor, FLAG_READ_ONLY,
    FLAG_SUBBYTE_PADDED, VERSION,
};
use crate::host::{Strided, Tensor};
use crate::{Error, HostError};

/// What a capsule keeps alive: `capsule` is its first part, so that the deleter finds the rest by its address.
#[repr(C)]
struct Kept<Capsule> {
    capsule: Capsule,
    /// The extents, then the strides.
    numbers: Vec<i64>,
    tensor: Tensor,
}

impl Strided {
    /// A versioned capsule of the elements, which shares the bytes until its deleter is called, on any thread.
    ///
    /// The consumer may write iff nobody else owns the bytes; [`FLAG_READ_ONLY`] says so.
    ///
    /// # Errors
    ///
    /// [`HostError::NoDlPackType`]: `DLPack` has no such elements, as of quantised numbers and strings.
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::host::{Strided, Tensor};
    ///
    /// let tensor = Tensor::from_slice(&[2, 3], &[0i32, 1, 2, 3, 4, 5])?;
    /// let layout = tensor.layout()?.transpose();
    /// let capsule = Strided::new(tensor, layout)?.into_dlpack_versioned()?;
    /// // SAFETY: the capsule was made above, and is handed on once.
    /// let back = unsafe { Strided::from_dlpack_versioned(capsule) }?;
    /// assert_eq!(back.layout().shape(), [3, 2]);
    /// assert_eq!(back.layout().strides(), [1, 3]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn into_dlpack_versioned(mut self) -> Result<NonNull<DLManagedTensorVersioned>, Error> {
        let writable = self.is_writable();
        self.export_versioned(writable)
    }

    /// A plain capsule of the elements, which shares the bytes until its deleter is called, on any thread.
    ///
    /// # Errors
    ///
    /// As [`into_dlpack_versioned`](Self::into_dlpack_versioned), and what such a capsule cannot say:
    /// [`HostError::DlPackPadded`], elements of fewer than 8 bits are one to a byte; [`HostError::Shared`], the bytes may not be
    /// written, as they are read-only or have other owners.
    pub fn into_dlpack(mut self) -> Result<NonNull<DLManagedTensor>, Error> {
        if !self.is_writable() {
            return Err(Error::Host(HostError::Shared));
        }
        self.export()
    }

    /// [`into_dlpack_versioned`](Self::into_dlpack_versioned) for a caller who says whether the consumer may write.
    pub(crate) fn export_versioned(
        self,
        writable: bool,
    ) -> Result<NonNull<DLManagedTensorVersioned>, Error> {
        let (dtype, padded) = self.dl_type()?;
        let flags = if writable { 0 } else { FLAG_READ_ONLY }
            | if padded { FLAG_SUBBYTE_PADDED } else { 0 };
        Ok(self.keep(dtype, |dl_tensor| DLManagedTensorVersioned {
            version: VERSION,
            manager_ctx: ptr::null_mut(),
            deleter: Some(delete::<DLManagedTensorVersioned>),
            flags,
            dl_tensor,
        }))
    }

    /// [`into_dlpack`](Self::into_dlpack) for a caller who answers for what the consumer writes.
    pub(crate) fn export(self) -> Result<NonNull<DLManagedTensor>, Error> {
        let (dtype, padded) = self.dl_type()?;
        if padded {
            return Err(Error::Host(HostError::DlPackPadded {
                data_type: self.tensor().data_type().name(),
            }));
        }
        Ok(self.keep(dtype, |dl_tensor| DLManagedTensor {
            dl_tensor,
            manager_ctx: ptr::null_mut(),
            deleter: Some(delete::<DLManagedTensor>),
        }))
    }

    /// `DLPack`'s type of the elements, and whether they have bytes to themselves that they do not fill.
    fn dl_type(&self) -> Result<(DLDataType, bool), Error> {
        let data_type = self.tensor().data_type();
        let dtype = DLDataType::of(data_type).ok_or(Error::Host(HostError::NoDlPackType {
            data_type: data_type.name(),
        }))?;
        Ok((dtype, dtype.bits < 8))
    }

    /// The capsule that `wrap` makes of the array, with all that it points to.
    fn keep<Capsule>(
        self,
        dtype: DLDataType,
        wrap: impl FnOnce(DLTensor) -> Capsule,
    ) -> NonNull<Capsule> {
        let (tensor, layout) = self.into_parts();
        let extents = layout.shape().iter().map(|extent| extent.cast_signed());
        let mut numbers: Vec<i64> = extents.chain(layout.strides().iter().copied()).collect();
        let empty = layout.numel() == 0;
        let array = DLTensor {
            data: if empty {
                ptr::null_mut()
            } else {
                tensor.memory().data().cast::<c_void>()
            },
            device: DLDevice {
                device_type: CPU,
                device_id: 0,
            },
            // At most 32.
            ndim: i32::try_from(layout.rank()).unwrap_or(i32::MAX),
            dtype,
            shape: numbers.as_mut_ptr(),
            strides: numbers[layout.rank()..].as_mut_ptr(),
            byte_offset: if empty {
                0
            } else {
                layout.offset() * tensor.data_type().size() as u64
            },
        };
        let kept = Box::new(Kept {
            capsule: wrap(array),
            numbers,
            tensor,
        });
        NonNull::from(Box::leak(kept)).cast()
    }
}

/// Frees what [`Strided::keep`] made.
unsafe extern "C" fn delete<Capsule>(capsule: *mut Capsule) {
    // SAFETY: the one deleter of a capsule that `keep` leaked, at whose start the capsule is; it is called once.
    let kept = unsafe { Box::from_raw(capsule.cast::<Kept<Capsule>>()) };
    let Kept {
        numbers, tensor, ..
    } = *kept;
    drop(numbers);
    // A deallocator that panics must not unwind into the consumer.
    let freed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(tensor)));
    drop(freed);
}
