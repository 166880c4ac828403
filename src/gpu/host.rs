//! Host tensors up to a device and back: each byte is copied once, between the tensor's memory and the mapped buffer.
//!
//! Elements keep the width that they have on the host: an `INT4`, one to a byte, becomes an 8-bit record, not the packed
//! [`DType::Int4`](crate::DType::Int4), and neither is read as the other.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::Layout;
use crate::host;
use crate::{Error, HostError};

use super::transfer::submit;
use super::{Copier, ReadBack, Tensor};

impl Tensor {
    /// The GPU tensor of a host view's elements, with the view's own strides, in a new buffer.
    ///
    /// The bytes that the view reaches over go up as they are, from its lowest element to its highest: nothing is rearranged
    /// on the host. It needs no queue. Materialise the result to have the elements in C order.
    ///
    /// # Errors
    ///
    /// [`HostError::ZeroSized`]: strings. [`Error::BufferLimit`], [`Error::Memory`], [`Error::DeviceLost`]: the device has no
    /// such buffer, no room, or is gone.
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::gpu::Tensor;
    /// use restride::{Layout, host};
    ///
    /// # let (device, _queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    /// let matrix = host::Tensor::from_slice(&[2, 3], &[0u32, 1, 2, 3, 4, 5])?;
    /// let column = matrix.view()?.select(1, 2)?;
    /// let on_device = Tensor::upload_view(&device, &column)?;
    /// // Four elements, from the 2 to the 5.
    /// assert_eq!(on_device.layout(), &Layout::strided(0, &[3], &[2])?);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn upload_view(device: &wgpu::Device, view: &host::View<'_>) -> Result<Self, Error> {
        let dtype = view.dtype()?;
        let Some(bytes) = view.bytes() else {
            // Only the elements may be read, so they are gathered first.
            return Self::upload_view(device, &view.materialize()?.view()?);
        };
        let (layout, span) = (view.layout(), view.layout().span());
        // Host elements are whole bytes, and the view lies inside the slice.
        let at =
            |position| usize::try_from(dtype.width().bytes_for(position)).unwrap_or(usize::MAX);
        let reach = &bytes[at(span.start)..at(span.end)];
        let offset = layout.offset() - span.start;
        let rebased = Layout::strided(offset, layout.strides(), layout.shape())?;
        let flat = Self::upload(device, dtype, &[span.end - span.start], reach)?;
        Self::new(flat.buffer().clone(), dtype, rebased)
    }

    /// The elements on their way to a host tensor: `encoder` is given what copies they need.
    ///
    /// The future resolves once the caller has submitted the encoder and polls the device, or, in a browser, its event loop.
    ///
    /// # Errors
    ///
    /// As [`record_read`](Self::record_read); [`HostError::ElementType`] unless `data_type` is that of this tensor's elements:
    /// packed ones of fewer than 8 bits are no host tensor's.
    pub fn record_read_host(
        &self,
        copier: &Copier,
        encoder: &mut wgpu::CommandEncoder,
        data_type: host::DataType,
    ) -> Result<HostRead, Error> {
        if data_type.dtype() != Some(self.dtype()) {
            return Err(Error::Host(HostError::ElementType {
                data_type: data_type.name(),
                dtype: self.dtype().to_string().into(),
            }));
        }
        let shape = self.layout().shape().iter();
        let dims: Vec<i64> = shape.map(|extent| extent.cast_signed()).collect();
        // Taken now, so that a host without room is known before anything is recorded.
        let tensor = Some(host::Tensor::zeros(data_type, &dims)?);
        let read = self.record_read(copier, encoder)?;
        Ok(HostRead { read, tensor })
    }

    /// The elements as a host tensor, through one submission to `queue`. The caller polls the device.
    ///
    /// # Errors
    ///
    /// As [`record_read_host`](Self::record_read_host), and [`read`](Self::read).
    pub async fn read_host(
        &self,
        copier: &Copier,
        queue: &wgpu::Queue,
        data_type: host::DataType,
    ) -> Result<host::Tensor, Error> {
        self.submit_read_host(copier, queue, data_type)?.await
    }

    /// The elements as a host tensor, waited for.
    ///
    /// # Errors
    ///
    /// As [`read_host`](Self::read_host).
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::gpu::{Copier, Tensor};
    /// use restride::host;
    ///
    /// # let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    /// let copier = Copier::new(&device)?;
    /// let there = host::Tensor::from_slice(&[3], &[1.5f32, 2.5, 3.5])?;
    /// let tensor = Tensor::upload_view(&device, &there.view()?)?;
    /// let back = tensor.read_host_blocking(&copier, &queue, there.data_type())?;
    /// assert_eq!(back.as_slice::<f32>()?, [1.5, 2.5, 3.5]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    #[cfg(not(target_family = "wasm"))]
    pub fn read_host_blocking(
        &self,
        copier: &Copier,
        queue: &wgpu::Queue,
        data_type: host::DataType,
    ) -> Result<host::Tensor, Error> {
        let read = self.submit_read_host(copier, queue, data_type)?;
        let wait = wgpu::PollType::wait_indefinitely();
        copier.device().poll(wait).map_err(|_| Error::DeviceLost)?;
        pollster::block_on(read)
    }

    fn submit_read_host(
        &self,
        copier: &Copier,
        queue: &wgpu::Queue,
        data_type: host::DataType,
    ) -> Result<HostRead, Error> {
        let label = Some("restride::read");
        let descriptor = wgpu::CommandEncoderDescriptor { label };
        let mut encoder = copier.device().create_command_encoder(&descriptor);
        let read = self.record_read_host(copier, &mut encoder, data_type)?;
        submit(copier.device(), queue, encoder)?;
        Ok(read)
    }
}

/// A host tensor whose bytes are on their way: a future, as [`ReadBack`] is.
#[derive(Debug)]
#[must_use = "the tensor is in the future"]
pub struct HostRead {
    read: ReadBack,
    /// Where the bytes go; handed out when they are there.
    tensor: Option<host::Tensor>,
}

impl Future for HostRead {
    type Output = Result<host::Tensor, Error>;

    /// The tensor; its memory is this library's, aligned.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mapped = match self.read.poll_mapped(context) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(mapped) => mapped,
        };
        let taken = self.tensor.take();
        Poll::Ready(mapped.and_then(|()| {
            let mut tensor = taken.ok_or(Error::NotSubmitted)?;
            let to = tensor.bytes_mut().ok_or(Error::Host(HostError::Shared))?;
            self.read.take_with(|mapped| to.copy_from_slice(mapped))?;
            Ok(tensor)
        }))
    }
}
