//! Capsules taken over as views.

use std::ptr::NonNull;
use std::slice;

use super::{
    CPU, DLManagedTensor, DLManagedTensorVersioned, DLTensor, FLAG_READ_ONLY, FLAG_SUBBYTE_PADDED,
    VERSION,
};
use crate::host::memory::{Deallocator, Memory};
use crate::host::{DataType, Strided, Tensor};
use crate::{Error, HostError, Layout, MAX_RANK};

impl Strided {
    /// The array of a versioned capsule, whose deleter is called when the last owner of its bytes is dropped.
    ///
    /// Bytes with [`FLAG_READ_ONLY`] are never handed out to be written.
    ///
    /// # Errors
    ///
    /// The capsule is then untouched, and still the caller's to delete:
    /// - [`HostError::DlPackVersion`]: another major version;
    /// - [`HostError::DlPackDevice`]: memory that is not the host's;
    /// - [`HostError::DlPackType`]: elements that no host tensor has, packed ones of fewer than 8 bits among them;
    /// - [`HostError::DlPackNull`]: a null pointer to the extents or the elements;
    /// - [`Error::Rank`], [`HostError::NegativeDim`] and [`Layout::strided`]'s: the shape is beyond a layout's limits.
    ///
    /// # Safety
    ///
    /// `capsule` is a valid capsule that the caller owns, and that nobody else uses afterwards. The bytes from its
    /// lowest element to its highest are initialised and in one allocation. Until the deleter is called nobody writes to them
    /// while a slice of them is alive, nor reads them while a mutable one is; the deleter may be called on any thread.
    pub unsafe fn from_dlpack_versioned(
        capsule: NonNull<DLManagedTensorVersioned>,
    ) -> Result<Self, Error> {
        let at = capsule.as_ptr();
        // SAFETY: the version is at the start in every version.
        let version = unsafe { (*at).version };
        if version.major != VERSION.major {
            return Err(Error::Host(HostError::DlPackVersion {
                major: version.major,
                minor: version.minor,
            }));
        }
        // SAFETY: a capsule of this major version, which is valid.
        let (array, flags, deleter) = unsafe { (&(*at).dl_tensor, (*at).flags, (*at).deleter) };
        let padded = flags & FLAG_SUBBYTE_PADDED != 0;
        let delete = Owned(capsule);
        let deallocate: Deallocator = Box::new(move |_, _| {
            let Owned(capsule) = { delete };
            if let Some(deleter) = deleter {
                // SAFETY: the capsule's own deleter, called once.
                unsafe { deleter(capsule.as_ptr()) };
            }
        });
        // SAFETY: the caller's promise.
        unsafe { take(array, padded, flags & FLAG_READ_ONLY != 0, deallocate) }
    }

    /// The array of a plain capsule, whose deleter is called when the last owner of its bytes is dropped.
    ///
    /// # Errors
    ///
    /// As [`from_dlpack_versioned`](Self::from_dlpack_versioned), but for the version.
    ///
    /// # Safety
    ///
    /// As [`from_dlpack_versioned`](Self::from_dlpack_versioned); and the elements may be written.
    pub unsafe fn from_dlpack(capsule: NonNull<DLManagedTensor>) -> Result<Self, Error> {
        let at = capsule.as_ptr();
        // SAFETY: the caller's promise.
        let (array, deleter) = unsafe { (&(*at).dl_tensor, (*at).deleter) };
        let delete = Owned(capsule);
        let deallocate: Deallocator = Box::new(move |_, _| {
            let Owned(capsule) = { delete };
            if let Some(deleter) = deleter {
                // SAFETY: the capsule's own deleter, called once.
                unsafe { deleter(capsule.as_ptr()) };
            }
        });
        // SAFETY: the caller's promise.
        unsafe { take(array, false, false, deallocate) }
    }

    /// Whether the bytes may be written and have this one owner.
    pub(super) fn is_writable(&mut self) -> bool {
        self.tensor_mut().bytes_mut().is_some()
    }
}

/// A capsule on its way to the thread that deletes it.
struct Owned<Capsule>(NonNull<Capsule>);

// SAFETY: the capsule's owner promised that its deleter may be called on any thread, which is all that is done with it.
unsafe impl<Capsule> Send for Owned<Capsule> {}

/// The view of an array, over memory that `deallocate` gives back.
///
/// Everything is checked before the memory is taken over, so that a refusal leaves the capsule as it was.
///
/// # Safety
///
/// As [`Strided::from_dlpack_versioned`].
unsafe fn take(
    array: &DLTensor,
    padded: bool,
    read_only: bool,
    deallocate: Deallocator,
) -> Result<Strided, Error> {
    // SAFETY: the caller's promise.
    let plan = unsafe { Plan::new(array, padded) }?;
    // SAFETY: the elements lie in these bytes, from the lowest to the highest; see `Plan`.
    let memory = unsafe { Memory::foreign(plan.data, plan.len, read_only, Some(deallocate)) }?;
    let tensor = Tensor::over(plan.data_type, &[plan.count], memory)?;
    Strided::new(tensor, plan.layout)
}

/// What is to be taken over: `count` elements from the lowest that the array reaches to the highest, and where in them its
/// own are. What lies between them is read only with them.
struct Plan {
    data_type: DataType,
    data: *mut u8,
    len: usize,
    count: i64,
    layout: Layout,
}

impl Plan {
    /// # Safety
    ///
    /// As [`Strided::from_dlpack_versioned`].
    unsafe fn new(array: &DLTensor, padded: bool) -> Result<Self, Error> {
        if array.device.device_type != CPU {
            return Err(Error::Host(HostError::DlPackDevice {
                device_type: array.device.device_type,
            }));
        }
        let data_type = array.dtype.data_type(padded)?;
        let size = data_type.size();
        let rank = usize::try_from(array.ndim).unwrap_or(usize::MAX);
        if rank > MAX_RANK {
            return Err(Error::Rank { rank });
        }
        if array.shape.is_null() && rank > 0 {
            return Err(Error::Host(HostError::DlPackNull { what: "shape" }));
        }
        let mut shape = [0; MAX_RANK];
        for (axis, slot) in shape[..rank].iter_mut().enumerate() {
            // SAFETY: the capsule has an extent for each axis.
            let dim = unsafe { *array.shape.add(axis) };
            *slot = u64::try_from(dim)
                .map_err(|_| Error::Host(HostError::NegativeDim { axis, dim }))?;
        }
        let shape = &shape[..rank];
        let contiguous = Layout::contiguous(shape)?;
        if contiguous.numel() == 0 {
            let data = std::ptr::null_mut();
            return Ok(Self {
                data_type,
                data,
                len: 0,
                count: 0,
                layout: contiguous,
            });
        }
        if array.data.is_null() {
            return Err(Error::Host(HostError::DlPackNull { what: "data" }));
        }
        let strides: &[i64] = match array.strides.is_null() || rank == 0 {
            true => contiguous.strides(),
            // SAFETY: the capsule has a stride for each axis.
            false => unsafe { slice::from_raw_parts(array.strides, rank) },
        };
        let before = before(shape, strides)?;
        // The index 0 lies `before` elements above the lowest one, wherever that is in the producer's allocation.
        let layout = Layout::strided(before, strides, shape)?;
        let end = layout.span().end;
        let bytes = |elements: u64| usize::try_from(elements).ok()?.checked_mul(size);
        let beyond = || Error::Host(HostError::Memory { bytes: usize::MAX });
        let (below, len) = bytes(before).zip(bytes(end)).ok_or_else(beyond)?;
        // Refused here, while the capsule is untouched.
        isize::try_from(len).map_err(|_| beyond())?;
        let count = i64::try_from(end).map_err(|_| beyond())?;
        let first = usize::try_from(array.byte_offset).map_err(|_| beyond())?;
        let data = array
            .data
            .cast::<u8>()
            .wrapping_add(first)
            .wrapping_sub(below);
        Ok(Self {
            data_type,
            data,
            len,
            count,
            layout,
        })
    }
}

/// How many elements negative strides reach below index 0.
fn before(shape: &[u64], strides: &[i64]) -> Result<u64, Error> {
    let mut sum: u64 = 0;
    for (axis, (&extent, &stride)) in shape.iter().zip(strides).enumerate() {
        if stride < 0 && extent > 1 {
            let reach = (extent - 1).checked_mul(stride.unsigned_abs());
            sum = reach
                .and_then(|reach| sum.checked_add(reach))
                .ok_or(Error::AxisReach {
                    axis,
                    extent,
                    stride,
                })?;
        }
    }
    Ok(sum)
}
