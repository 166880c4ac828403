//! Copies on an adapter, of tensors on it and on the host.

use std::sync::Arc;

use super::adapter::Adapter;
use super::device::Device;
use super::memory::Handle;
use super::on_device::OnDevice;
use super::status::{Code, Failure};
use crate::gpu::Tensor;
use crate::host;
use crate::{Error, Layout};

/// Copies between tensors wherever they are: what is on the host goes up, and comes back if it was written.
///
/// # Safety
///
/// Nobody else writes to the bytes of `src`, nor uses those of `dst`.
pub(super) unsafe fn copy(
    device: &Arc<Device>,
    adapter: &Adapter,
    src: &Handle,
    from: &Layout,
    dst: &Handle,
    to: &Layout,
) -> Result<(), Failure> {
    let copier = adapter.copier();
    let source = match src {
        Handle::Host(tensor) => {
            Tensor::upload_view(copier.device(), &tensor.view_through(from.clone())?)?
        }
        Handle::Device(tensor) => here(device, tensor)?.tensor(from.clone())?,
    };
    match dst {
        Handle::Device(tensor) => {
            let target = here(device, tensor)?.tensor(to.clone())?;
            adapter.run(|encoder| target.copy_from(copier, encoder, &source))
        }
        Handle::Host(tensor) => {
            let target = up(adapter, tensor, to)?;
            let width = target.dtype().width();
            // All that the view reaches over comes back, with what lies between its elements.
            let span = to.span();
            let bytes = span.end - span.start;
            let flat = Tensor::new(
                target.buffer().clone(),
                target.dtype(),
                Layout::contiguous(&[bytes])?,
            )?;
            let read = adapter.run(|encoder| {
                target.copy_from(copier, encoder, &source)?;
                flat.record_read(copier, encoder)
            })?;
            let wait = wgpu::PollType::wait_indefinitely();
            copier.device().poll(wait).map_err(|_| Error::DeviceLost)?;
            let read = pollster::block_on(read)?;
            adapter.check()?;
            let first = usize::try_from(width.bytes_for(span.start)).unwrap_or(usize::MAX);
            // SAFETY: the bytes are valid for writes and nobody else uses them, by the caller's promise.
            let all = unsafe { tensor.memory().word_bytes_mut() };
            all[first..][..read.len()].copy_from_slice(&read);
            Ok(())
        }
    }
}

/// What a view of a host tensor reaches over, on the adapter.
fn up(adapter: &Adapter, tensor: &host::Tensor, layout: &Layout) -> Result<Tensor, Failure> {
    let view = tensor.view_through(layout.clone())?;
    Ok(Tensor::upload_view(adapter.copier().device(), &view)?)
}

/// The tensor, which is on `device` and no other.
fn here<'a>(device: &Arc<Device>, tensor: &'a OnDevice) -> Result<&'a OnDevice, Failure> {
    if Arc::ptr_eq(device, tensor.device()) {
        return Ok(tensor);
    }
    let message = "a tensor is on another device than the copy";
    Err(Failure::new(Code::FailedPrecondition, message))
}

/// A host tensor of the same elements.
pub(super) fn read(tensor: &OnDevice) -> Result<host::Tensor, Failure> {
    let adapter = tensor
        .device()
        .adapter()
        .ok_or_else(super::device::no_adapter)?;
    let (data_type, count) = (tensor.data_type(), tensor.element_count());
    let flat = tensor.tensor(Layout::contiguous(&[count])?)?;
    let mut read = flat.read_host_blocking(adapter.copier(), adapter.queue(), data_type)?;
    adapter.check()?;
    read.set_shape(tensor.dims())?;
    Ok(read)
}
