//! `DLPack` capsules of C programs.

use std::ptr::{self, NonNull};

use super::args;
use super::memory::Handle;
use super::status::{Failure, Status, boxed, report};
use crate::host::Strided;
use crate::host::dlpack::{DLManagedTensor, DLManagedTensorVersioned};
use crate::{Error, HostError, Layout};

/// The view of a tensor on the host that a capsule is to be made of.
///
/// # Safety
///
/// Both are null, or a tensor and a layout.
unsafe fn strided(tensor: *const Handle, layout: *const Layout) -> Result<Strided, Failure> {
    // SAFETY: the caller's promise, for both.
    let (tensor, layout) = unsafe { (args::value(tensor, "tensor")?.on_host()?, layout.as_ref()) };
    let layout = layout.map_or_else(|| tensor.layout(), |layout| Ok(layout.clone()))?;
    Ok(Strided::new(tensor.clone(), layout)?)
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_to_dlpack(
    tensor: *const Handle,
    layout: *const Layout,
    status: *mut Status,
) -> *mut DLManagedTensor {
    let export = || -> Result<_, Failure> {
        // SAFETY: the header's contract.
        let strided = unsafe { strided(tensor, layout) }?;
        if strided.tensor().memory().is_read_only() {
            return Err(Error::Host(HostError::Shared).into());
        }
        Ok(strided.export()?.as_ptr())
    };
    // SAFETY: the header's contract.
    unsafe { report(status, ptr::null_mut(), export) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_to_dlpack_versioned(
    tensor: *const Handle,
    layout: *const Layout,
    status: *mut Status,
) -> *mut DLManagedTensorVersioned {
    let export = || -> Result<_, Failure> {
        // SAFETY: the header's contract.
        let strided = unsafe { strided(tensor, layout) }?;
        let writable = !strided.tensor().memory().is_read_only();
        Ok(strided.export_versioned(writable)?.as_ptr())
    };
    // SAFETY: the header's contract.
    unsafe { report(status, ptr::null_mut(), export) }
}

/// The handles of what a capsule held: a tensor, and a layout where the caller wants it.
///
/// # Safety
///
/// `layout` is valid for a write.
unsafe fn taken(strided: Strided, layout: *mut *mut Layout) -> *mut Handle {
    let (mut tensor, elements) = strided.into_parts();
    let dims: Vec<i64> = elements
        .shape()
        .iter()
        .map(|extent| extent.cast_signed())
        .collect();
    let plain = elements.is_contiguous() && elements.offset() == 0;
    if plain {
        // As many elements under another shape: it fits.
        let _ = tensor.set_shape(&dims);
    }
    // SAFETY: the caller's promise.
    unsafe { layout.write(boxed(elements)) };
    boxed(Handle::Host(tensor))
}

/// A capsule and a place for its layout, neither null.
fn both<C>(capsule: *mut C, layout: *mut *mut Layout) -> Result<NonNull<C>, Failure> {
    if layout.is_null() {
        return Err(Failure::argument(
            "layout is NULL: the elements may have strides",
        ));
    }
    NonNull::new(capsule).ok_or_else(|| Failure::argument("capsule is NULL"))
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_from_dlpack(
    capsule: *mut DLManagedTensor,
    layout: *mut *mut Layout,
    status: *mut Status,
) -> *mut Handle {
    let import = || -> Result<_, Failure> {
        let capsule = both(capsule, layout)?;
        // SAFETY: the header's contract, for both.
        unsafe { Ok(taken(Strided::from_dlpack(capsule)?, layout)) }
    };
    // SAFETY: the header's contract.
    unsafe { report(status, ptr::null_mut(), import) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_from_dlpack_versioned(
    capsule: *mut DLManagedTensorVersioned,
    layout: *mut *mut Layout,
    status: *mut Status,
) -> *mut Handle {
    let import = || -> Result<_, Failure> {
        let capsule = both(capsule, layout)?;
        // SAFETY: the header's contract, for both.
        unsafe { Ok(taken(Strided::from_dlpack_versioned(capsule)?, layout)) }
    };
    // SAFETY: the header's contract.
    unsafe { report(status, ptr::null_mut(), import) }
}
