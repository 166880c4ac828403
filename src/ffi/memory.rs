//! What a `TF_Tensor` points to: a tensor on the host, or one on a device.

use std::ffi::c_void;

#[cfg(feature = "gpu")]
use super::on_device::OnDevice;
use super::status::Failure;
use crate::host::{DataType, Tensor};
use crate::{Error, Layout};

/// A tensor wherever it is.
#[derive(Debug, Clone)]
pub(crate) enum Handle {
    Host(Tensor),
    #[cfg(feature = "gpu")]
    Device(OnDevice),
}

/// Runs one expression on the tensor, whichever it is.
macro_rules! either {
    ($handle:expr, $tensor:ident => $body:expr) => {
        match $handle {
            Handle::Host($tensor) => $body,
            #[cfg(feature = "gpu")]
            Handle::Device($tensor) => $body,
        }
    };
}

impl Handle {
    pub(super) fn data_type(&self) -> DataType {
        either!(self, tensor => tensor.data_type())
    }

    pub(super) fn dims(&self) -> &[i64] {
        either!(self, tensor => tensor.dims())
    }

    pub(super) fn byte_size(&self) -> usize {
        either!(self, tensor => tensor.byte_size())
    }

    pub(super) fn element_count(&self) -> u64 {
        either!(self, tensor => tensor.element_count())
    }

    pub(super) fn is_aligned(&self) -> bool {
        either!(self, tensor => tensor.is_aligned())
    }

    pub(super) fn set_shape(&mut self, dims: &[i64]) -> Result<(), Error> {
        either!(self, tensor => tensor.set_shape(dims))
    }

    pub(super) fn can_move(&mut self) -> bool {
        either!(self, tensor => tensor.can_move())
    }

    /// The address of the bytes; null on a device.
    pub(super) fn data(&self) -> *mut c_void {
        match self {
            Self::Host(tensor) => tensor.memory().data().cast(),
            #[cfg(feature = "gpu")]
            Self::Device(_) => std::ptr::null_mut(),
        }
    }

    pub(super) fn bitcast(&self, data_type: DataType, dims: &[i64]) -> Result<Self, Error> {
        Ok(match self {
            Self::Host(tensor) => Self::Host(tensor.bitcast(data_type, dims)?),
            #[cfg(feature = "gpu")]
            Self::Device(tensor) => Self::Device(tensor.bitcast(data_type, dims)?),
        })
    }

    /// The layout of all elements in C order.
    pub(super) fn layout(&self) -> Result<Layout, Error> {
        let shape: Vec<u64> = self.dims().iter().map(|dim| dim.cast_unsigned()).collect();
        Layout::contiguous(&shape)
    }

    /// The tensor, if it is on the host.
    pub(super) fn on_host(&self) -> Result<&Tensor, Failure> {
        match self {
            Self::Host(tensor) => Ok(tensor),
            #[cfg(feature = "gpu")]
            Self::Device(_) => Err(Failure::new(
                super::status::Code::FailedPrecondition,
                "the tensor is on a device: restride_read brings it to the host",
            )),
        }
    }
}
