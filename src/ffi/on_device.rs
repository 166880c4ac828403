//! Tensors on an adapter.

use std::sync::Arc;

use super::device::{self, Device};
use super::status::Failure;
use crate::gpu::Tensor;
use crate::host::DataType;
use crate::host::shape::{bytes_needed, check_room, element_count};
use crate::{DType, Error, HostError, Layout};

/// A tensor on an adapter: what a host tensor is, but for its bytes.
#[derive(Debug, Clone)]
pub(crate) struct OnDevice {
    device: Arc<Device>,
    /// Counts its owners, which wgpu's own handle does not tell.
    buffer: Arc<wgpu::Buffer>,
    data_type: DataType,
    dims: Vec<i64>,
    count: u64,
    len: usize,
}

impl OnDevice {
    /// A tensor of zero bits on `device`.
    pub(super) fn zeros(
        device: &Arc<Device>,
        data_type: DataType,
        dims: &[i64],
    ) -> Result<Self, Failure> {
        let adapter = device.adapter().ok_or_else(device::no_adapter)?;
        let count = element_count(dims)?;
        let len = bytes_needed(data_type, count)?;
        let dtype = sized(data_type)?;
        let tensor = Tensor::zeros(adapter.copier().device(), dtype, &[count])?;
        adapter.check()?;
        Ok(Self::over(
            device,
            tensor.buffer().clone(),
            data_type,
            dims,
            count,
            len,
        ))
    }

    fn over(
        device: &Arc<Device>,
        buffer: wgpu::Buffer,
        data_type: DataType,
        dims: &[i64],
        count: u64,
        len: usize,
    ) -> Self {
        Self {
            device: Arc::clone(device),
            buffer: Arc::new(buffer),
            data_type,
            dims: dims.to_vec(),
            count,
            len,
        }
    }

    pub(super) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// The elements at the positions of `layout`.
    pub(super) fn tensor(&self, layout: Layout) -> Result<Tensor, Failure> {
        let (needed, buffer) = (
            sized(self.data_type)?.width().bytes_for(layout.span().end),
            self.len as u64,
        );
        if needed > buffer {
            // The buffer is rounded up; what lies behind the tensor's bytes is nobody's.
            return Err(Error::ViewPastBuffer { needed, buffer }.into());
        }
        Ok(Tensor::new(
            (*self.buffer).clone(),
            sized(self.data_type)?,
            layout,
        )?)
    }

    pub(super) fn data_type(&self) -> DataType {
        self.data_type
    }

    pub(super) fn dims(&self) -> &[i64] {
        &self.dims
    }

    pub(super) fn byte_size(&self) -> usize {
        self.len
    }

    pub(super) fn element_count(&self) -> u64 {
        self.count
    }

    /// A null address is aligned.
    #[expect(clippy::unused_self, reason = "as a host tensor's")]
    pub(super) fn is_aligned(&self) -> bool {
        true
    }

    pub(super) fn can_move(&mut self) -> bool {
        Arc::get_mut(&mut self.buffer).is_some()
    }

    pub(super) fn set_shape(&mut self, dims: &[i64]) -> Result<(), Error> {
        let count = element_count(dims)?;
        check_room(self.data_type, count, self.len)?;
        (self.dims, self.count) = (dims.to_vec(), count);
        Ok(())
    }

    pub(super) fn bitcast(&self, data_type: DataType, dims: &[i64]) -> Result<Self, Error> {
        let count = element_count(dims)?;
        if data_type.size() == 0 {
            return Err(Error::Host(HostError::ZeroSized {
                data_type: data_type.name(),
            }));
        }
        let (from, to) = (
            bytes_needed(self.data_type, self.count)?,
            bytes_needed(data_type, count)?,
        );
        if from != to {
            return Err(Error::Host(HostError::BitcastBytes { from, to }));
        }
        Ok(Self {
            data_type,
            dims: dims.to_vec(),
            count,
            ..self.clone()
        })
    }
}

/// The element type of a copy, for elements that a device can hold.
fn sized(data_type: DataType) -> Result<DType, Error> {
    data_type.dtype().ok_or(Error::Host(HostError::ZeroSized {
        data_type: data_type.name(),
    }))
}
