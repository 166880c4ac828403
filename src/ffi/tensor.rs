//! `tf_tensor.h`: every function of it.

use std::ffi::{c_int, c_void};
use std::ptr;

use super::args;
use super::memory::Handle;
use super::status::{Failure, Status, boxed, guard, report, unbox};
use crate::host::{ALIGNMENT, Tensor};

/// The function that frees a caller's bytes.
type CDeallocator = Option<unsafe extern "C" fn(*mut c_void, usize, *mut c_void)>;

/// A deallocator with its argument, on its way to the thread that calls it.
struct Release {
    function: CDeallocator,
    argument: *mut c_void,
}

// SAFETY: the header asks for a deallocator that may be called on any thread, with its argument.
unsafe impl Send for Release {}

impl Release {
    fn call(self, data: *mut u8, len: usize) {
        if let Some(function) = self.function {
            // SAFETY: the header's contract; this is the one call.
            unsafe { function(data.cast(), len, self.argument) };
        }
    }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TF_NewTensor(
    data_type: c_int,
    dims: *const i64,
    num_dims: c_int,
    data: *mut c_void,
    len: usize,
    deallocator: CDeallocator,
    deallocator_arg: *mut c_void,
) -> *mut Handle {
    let release = Release {
        function: deallocator,
        argument: deallocator_arg,
    };
    guard(ptr::null_mut(), || {
        // SAFETY: the header's contract.
        let shape = unsafe { args::counted(dims, num_dims, "dims") };
        let Ok((shape, data_type)) =
            shape.and_then(|shape| Ok((shape, args::data_type(data_type)?)))
        else {
            release.call(data.cast(), len);
            return ptr::null_mut();
        };
        let free = move |data: *mut u8, len: usize| release.call(data, len);
        // SAFETY: the header's contract: the bytes are the library's from here on.
        let tensor = unsafe { Tensor::from_raw(data_type, shape, data.cast(), len, free) };
        tensor.map_or(ptr::null_mut(), |tensor| boxed(Handle::Host(tensor)))
    })
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TF_AllocateTensor(
    data_type: c_int,
    dims: *const i64,
    num_dims: c_int,
    len: usize,
) -> *mut Handle {
    let allocate = || -> Result<_, Failure> {
        // SAFETY: the header's contract.
        let dims = unsafe { args::counted(dims, num_dims, "dims") }?;
        let tensor = Tensor::allocate(args::data_type(data_type)?, dims, len)?;
        Ok(boxed(Handle::Host(tensor)))
    };
    guard(ptr::null_mut(), || allocate().unwrap_or(ptr::null_mut()))
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TF_TensorMaybeMove(tensor: *mut Handle) -> *mut Handle {
    guard(ptr::null_mut(), || {
        // SAFETY: the header's contract.
        let movable = unsafe { tensor.as_mut() }.is_some_and(Handle::can_move);
        if movable { tensor } else { ptr::null_mut() }
    })
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TF_DeleteTensor(tensor: *mut Handle) {
    // SAFETY: the header's contract.
    unsafe { unbox(tensor) };
}

/// What `ask` says of a tensor; `otherwise` of none.
///
/// # Safety
///
/// `tensor` is null, or a tensor that no other thread changes.
unsafe fn ask<R>(tensor: *const Handle, otherwise: R, ask: impl FnOnce(&Handle) -> R) -> R
where
    R: Copy,
{
    // SAFETY: the caller's promise.
    guard(otherwise, || {
        unsafe { tensor.as_ref() }.map_or(otherwise, ask)
    })
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TF_TensorType(tensor: *const Handle) -> c_int {
    // SAFETY: the header's contract.
    unsafe { ask(tensor, 0, |tensor| tensor.data_type().code()) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TF_SetShape(
    tensor: *mut Handle,
    dims: *const i64,
    num_dims: c_int,
) {
    guard((), || {
        // SAFETY: the header's contract, for both.
        let (tensor, dims) = unsafe { (tensor.as_mut(), args::counted(dims, num_dims, "dims")) };
        if let (Some(tensor), Ok(dims)) = (tensor, dims) {
            // A shape that is refused leaves the tensor as it was, which is all that a caller without a status can learn.
            let _ = tensor.set_shape(dims);
        }
    });
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TF_NumDims(tensor: *const Handle) -> c_int {
    let rank = |tensor: &Handle| c_int::try_from(tensor.dims().len()).unwrap_or(c_int::MAX);
    // SAFETY: the header's contract.
    unsafe { ask(tensor, -1, rank) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TF_Dim(tensor: *const Handle, dim_index: c_int) -> i64 {
    let dim = |tensor: &Handle| {
        let dim = usize::try_from(dim_index)
            .ok()
            .and_then(|at| tensor.dims().get(at));
        dim.copied().unwrap_or(-1)
    };
    // SAFETY: the header's contract.
    unsafe { ask(tensor, -1, dim) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TF_TensorByteSize(tensor: *const Handle) -> usize {
    // SAFETY: the header's contract.
    unsafe { ask(tensor, 0, Handle::byte_size) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TF_TensorData(tensor: *const Handle) -> *mut c_void {
    // SAFETY: the header's contract.
    unsafe { ask(tensor, ptr::null_mut(), Handle::data) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TF_TensorElementCount(tensor: *const Handle) -> i64 {
    // SAFETY: the header's contract.
    unsafe { ask(tensor, -1, |tensor| tensor.element_count().cast_signed()) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TF_TensorBitcastFrom(
    from: *const Handle,
    data_type: c_int,
    to: *mut Handle,
    new_dims: *const i64,
    num_new_dims: c_int,
    status: *mut Status,
) {
    let bitcast = || -> Result<(), Failure> {
        // SAFETY: the header's contract.
        let dims = unsafe { args::counted(new_dims, num_new_dims, "new_dims") }?;
        if to.is_null() {
            return Err(Failure::argument("to is NULL"));
        }
        // SAFETY: the header's contract. The reference ends before `to`, which may be the same, is written.
        let made =
            unsafe { args::value(from, "from") }?.bitcast(args::data_type(data_type)?, dims)?;
        // SAFETY: `to` is a tensor of the caller's, and no reference to it is alive. What it was is dropped after the write.
        let before = unsafe { to.replace(made) };
        drop(before);
        Ok(())
    };
    // SAFETY: the header's contract.
    unsafe { report(status, (), bitcast) };
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TF_TensorIsAligned(tensor: *const Handle) -> bool {
    // SAFETY: the header's contract.
    unsafe { ask(tensor, true, Handle::is_aligned) }
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn TF_TensorDefaultAlignment() -> usize {
    ALIGNMENT
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_tensor_share(
    tensor: *const Handle,
    status: *mut Status,
) -> *mut Handle {
    // SAFETY: the header's contract.
    let share = || Ok(boxed(unsafe { args::value(tensor, "tensor") }?.clone()));
    // SAFETY: the header's contract.
    unsafe { report(status, ptr::null_mut(), share) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_tensor_on_host(tensor: *const Handle) -> bool {
    // SAFETY: the header's contract.
    unsafe { ask(tensor, false, |tensor| matches!(tensor, Handle::Host(_))) }
}
