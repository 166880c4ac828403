//! cubecl's side.

use super::case::Case;
use cubecl::ir::{ElemType, UIntKind};
use cubecl::std::tensor::{TensorHandle, copy_into};
use cubecl::wgpu::{WgpuDevice, WgpuSetup};
use cubecl::{Device, client::Client};
use restride::Layout;
use std::error::Error;

/// A client on the device.
pub(crate) struct Peer {
    client: Client,
}

/// The tensors of a case.
pub(crate) struct Copy {
    src: TensorHandle,
    dst: TensorHandle,
    /// The whole of the destination's buffer.
    whole: cubecl::server::Handle,
}

impl Peer {
    pub(crate) fn new(device: &WgpuDevice) -> Self {
        Self {
            client: Device::from(device.clone()).client(),
        }
    }

    /// Whether cubecl can say the case: steps from 0, and offsets at which a buffer may be bound.
    pub(crate) fn admits(case: &Case, setup: &WgpuSetup) -> Result<(), &'static str> {
        let alignment = u64::from(setup.device.limits().min_storage_buffer_offset_alignment);
        for layout in [&case.src, &case.dst] {
            if layout.strides().iter().any(|step| *step < 0) {
                return Err("no negative steps in cubecl");
            }
            let bits = layout.offset() * u64::from(case.dtype.bits());
            if !bits.is_multiple_of(8 * alignment) {
                return Err("no such offset in cubecl");
            }
        }
        if case.dtype.bits() != 32 {
            return Err("no such width in cubecl on this device");
        }
        Ok(())
    }

    /// The case on buffers of these bytes.
    pub(crate) fn copy(&self, case: &Case, src: &[u8], dst: &[u8]) -> Copy {
        let whole = self.client.create_from_slice(dst);
        Copy {
            src: handle(self.client.create_from_slice(src), &case.src, case),
            dst: handle(whole.clone(), &case.dst, case),
            whole,
        }
    }

    /// Copies, and waits.
    pub(crate) fn run(&self, copy: &Copy) -> Result<(), Box<dyn Error>> {
        copy_into(
            &self.client,
            copy.src.clone().binding(),
            copy.dst.clone().binding(),
            copy.dst.dtype,
        );
        pollster::block_on(self.client.sync()).map_err(|e| format!("{e:?}").into())
    }

    /// The destination's buffer.
    pub(crate) fn read(&self, copy: &Copy) -> Result<Vec<u8>, Box<dyn Error>> {
        let bytes = self.client.read_one(copy.whole.clone());
        Ok(bytes.map_err(|e| format!("{e:?}"))?.to_vec())
    }
}

/// The view of a buffer.
fn handle(buffer: cubecl::server::Handle, layout: &Layout, case: &Case) -> TensorHandle {
    let usize_of = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    let shape: Vec<usize> = layout.shape().iter().map(|d| usize_of(*d)).collect();
    let steps = layout.strides().iter().map(|step| step.unsigned_abs());
    let strides: Vec<usize> = steps.map(usize_of).collect();
    let offset = layout.offset() * u64::from(case.dtype.bits()) / 8;
    TensorHandle::new(
        buffer.offset_start(offset),
        shape,
        strides,
        ElemType::UInt(UIntKind::U32),
    )
}
