//! Strided copies between tensors, on the CPU executor or an adapter.

use std::borrow::Cow;
use std::ffi::c_int;
use std::ptr;
use std::sync::Arc;

use super::args;
use super::device::{self, Device};
use super::memory::Handle;
use super::status::{Failure, Status, boxed, report};
use crate::error::Side;
use crate::host::{AllocatorAttributes, Tensor};
use crate::plan::{Operand, Options, Plan, Problem};
use crate::{Error, HostError, Layout, Width, cpu};

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_allocate(
    attributes: *const AllocatorAttributes,
    device: *const Arc<Device>,
    data_type: c_int,
    dims: *const i64,
    num_dims: c_int,
    status: *mut Status,
) -> *mut Handle {
    let allocate = || -> Result<_, Failure> {
        // SAFETY: the header's contract, for all three.
        let (attributes, device, dims) = unsafe {
            (
                attributes.as_ref(),
                device::executor(device),
                args::counted(dims, num_dims, "dims")?,
            )
        };
        let on_host = attributes.map_or(Ok(true), |attributes| attributes.is_on_host())?;
        let data_type = args::data_type(data_type)?;
        let handle = if on_host {
            Handle::Host(Tensor::zeros(data_type, dims)?)
        } else {
            on_device(&device, data_type, dims)?
        };
        Ok(boxed(handle))
    };
    // SAFETY: the header's contract.
    unsafe { report(status, ptr::null_mut(), allocate) }
}

#[cfg(feature = "gpu")]
fn on_device(
    device: &Arc<Device>,
    data_type: crate::host::DataType,
    dims: &[i64],
) -> Result<Handle, Failure> {
    Ok(Handle::Device(super::on_device::OnDevice::zeros(
        device, data_type, dims,
    )?))
}

#[cfg(not(feature = "gpu"))]
fn on_device(_: &Arc<Device>, _: crate::host::DataType, _: &[i64]) -> Result<Handle, Failure> {
    Err(device::no_adapter())
}

/// The layout that a caller gave, or that of all elements in C order.
///
/// # Safety
///
/// `layout` is null or a layout.
unsafe fn layout_or_all(layout: *const Layout, tensor: &Handle) -> Result<Layout, Failure> {
    // SAFETY: the caller's promise.
    match unsafe { layout.as_ref() } {
        Some(layout) => Ok(layout.clone()),
        None => Ok(tensor.layout()?),
    }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_copy(
    device: *const Arc<Device>,
    src: *const Handle,
    src_layout: *const Layout,
    dst: *mut Handle,
    dst_layout: *const Layout,
    status: *mut Status,
) -> bool {
    let copy = || -> Result<bool, Failure> {
        // SAFETY: the header's contract, for all of them. `dst` is only looked at: its bytes change, not the handle.
        let (device, src, dst) = unsafe {
            (
                device::executor(device),
                args::value(src, "src")?,
                args::value(dst.cast_const(), "dst")?,
            )
        };
        // SAFETY: the header's contract.
        let (from, to) = unsafe {
            (
                layout_or_all(src_layout, src)?,
                layout_or_all(dst_layout, dst)?,
            )
        };
        // SAFETY: the header's contract: nobody else uses the bytes of `dst` now.
        unsafe { copy(&device, src, &from, dst, &to) }?;
        Ok(true)
    };
    // SAFETY: the header's contract.
    unsafe { report(status, false, copy) }
}

/// Copies between tensors wherever they are.
///
/// # Safety
///
/// Nobody else writes to the bytes of `src`, nor uses those of `dst`.
unsafe fn copy(
    device: &Arc<Device>,
    src: &Handle,
    from: &Layout,
    dst: &Handle,
    to: &Layout,
) -> Result<(), Failure> {
    let width = |handle: &Handle| {
        let data_type = handle.data_type();
        let dtype = data_type.dtype().ok_or(Error::Host(HostError::ZeroSized {
            data_type: data_type.name(),
        }));
        dtype.map(|dtype| dtype.width())
    };
    let (left, right) = (width(src)?, width(dst)?);
    if left != right {
        let (left, right) = (left.bits(), right.bits());
        return Err(Error::UnlikeWidths { left, right }.into());
    }
    if let Handle::Host(tensor) = dst
        && tensor.memory().is_read_only()
    {
        return Err(Error::Host(HostError::Shared).into());
    }
    #[cfg(feature = "gpu")]
    if let Some(adapter) = device.adapter() {
        // SAFETY: the caller's promise.
        return unsafe { super::transfer::copy(device, adapter, src, from, dst, to) };
    }
    debug_assert!(
        matches!(**device, Device::Cpu),
        "an adapter has had its turn above"
    );
    let (src, dst) = (src.on_host()?, dst.on_host()?);
    // SAFETY: the caller's promise.
    unsafe { on_cpu(left, src, from, dst, to) }
}

/// Copies between tensors on the host by the CPU executor.
///
/// # Safety
///
/// As [`copy`].
unsafe fn on_cpu(
    width: Width,
    src: &Tensor,
    from: &Layout,
    dst: &Tensor,
    to: &Layout,
) -> Result<(), Failure> {
    for (side, layout, tensor) in [(Side::Source, from, src), (Side::Destination, to, dst)] {
        let (needed, buffer) = (
            width.bytes_for(layout.span().end),
            tensor.byte_size() as u64,
        );
        if needed > buffer {
            return Err(Error::BufferTooSmall {
                side,
                needed,
                buffer,
            }
            .into());
        }
    }
    let (source, target) = (src.memory(), dst.memory());
    let meets = {
        let (s, d) = (source.data().addr(), target.data().addr());
        s < d.saturating_add(target.len()) && d < s.saturating_add(source.len())
    };
    // The executor moves whole words. Memory of this library has them to its end; of other memory that is cut off in a word, a
    // copy is used. So is a copy of a source that shares bytes with the destination: all of it is read before any is written.
    let words = source.word_bytes();
    let source = if meets || !words.len().is_multiple_of(4) {
        Cow::Owned(padded(words))
    } else {
        Cow::Borrowed(words)
    };
    // SAFETY: the bytes are valid for writes, as they are not read-only. Nobody else uses them by the caller's promise, and
    // `source` borrows none of them: it is a copy where they meet.
    let target = unsafe { target.word_bytes_mut() };
    let problem = Problem {
        width,
        src: Operand::any(from, source.len() as u64),
        dst: Operand::any(to, target.len().next_multiple_of(4) as u64),
        one_buffer: false,
        in_pass: false,
    };
    let options = Options {
        max_steps: u64::MAX,
        ..Options::default()
    };
    let plan = Plan::new(&problem, &options)?;
    if target.len().is_multiple_of(4) {
        cpu::execute(&plan, &source, target)?;
    } else {
        let mut words = padded(target);
        cpu::execute(&plan, &source, &mut words)?;
        let len = target.len();
        target.copy_from_slice(&words[..len]);
    }
    Ok(())
}

/// A copy of `bytes`, with zeros up to a whole word.
fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut words = Vec::with_capacity(bytes.len().next_multiple_of(4));
    words.extend_from_slice(bytes);
    words.resize(bytes.len().next_multiple_of(4), 0);
    words
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_materialize(
    device: *const Arc<Device>,
    tensor: *const Handle,
    layout: *const Layout,
    status: *mut Status,
) -> *mut Handle {
    let materialize = || -> Result<_, Failure> {
        // SAFETY: the header's contract, for both.
        let (device, tensor) =
            unsafe { (device::executor(device), args::value(tensor, "tensor")?) };
        // SAFETY: the header's contract.
        let layout = unsafe { layout_or_all(layout, tensor) }?;
        let data_type = tensor.data_type();
        if let Handle::Host(tensor) = tensor
            && data_type.dtype().is_none()
        {
            return Ok(boxed(Handle::Host(
                tensor.view_through(layout)?.materialize()?,
            )));
        }
        let dims: Vec<i64> = layout
            .shape()
            .iter()
            .map(|extent| extent.cast_signed())
            .collect();
        let fresh = match tensor {
            Handle::Host(_) => Handle::Host(Tensor::zeros(data_type, &dims)?),
            #[cfg(feature = "gpu")]
            Handle::Device(_) => on_device(&device, data_type, &dims)?,
        };
        let all = fresh.layout()?;
        // SAFETY: the header's contract; nobody else knows of `fresh`.
        unsafe { copy(&device, tensor, &layout, &fresh, &all) }?;
        Ok(boxed(fresh))
    };
    // SAFETY: the header's contract.
    unsafe { report(status, ptr::null_mut(), materialize) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_upload(
    device: *const Arc<Device>,
    tensor: *const Handle,
    layout: *const Layout,
    status: *mut Status,
) -> *mut Handle {
    let upload = || -> Result<_, Failure> {
        // SAFETY: the header's contract, for both.
        let (device, tensor) =
            unsafe { (device::executor(device), args::value(tensor, "tensor")?) };
        // SAFETY: the header's contract.
        let layout = unsafe { layout_or_all(layout, tensor) }?;
        let dims: Vec<i64> = layout
            .shape()
            .iter()
            .map(|extent| extent.cast_signed())
            .collect();
        let fresh = on_device(&device, tensor.data_type(), &dims)?;
        let all = fresh.layout()?;
        // SAFETY: the header's contract; nobody else knows of `fresh`.
        unsafe { copy(&device, tensor, &layout, &fresh, &all) }?;
        Ok(boxed(fresh))
    };
    // SAFETY: the header's contract.
    unsafe { report(status, ptr::null_mut(), upload) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_read(
    tensor: *const Handle,
    status: *mut Status,
) -> *mut Handle {
    let read = || -> Result<_, Failure> {
        // SAFETY: the header's contract.
        let tensor = match unsafe { args::value(tensor, "tensor") }? {
            Handle::Host(tensor) => tensor.clone(),
            #[cfg(feature = "gpu")]
            Handle::Device(tensor) => super::transfer::read(tensor)?,
        };
        Ok(boxed(Handle::Host(tensor)))
    };
    // SAFETY: the header's contract.
    unsafe { report(status, ptr::null_mut(), read) }
}
