//! A buffer of a C program → a strided view → the GPU → materialised there → a tensor of the host, checked against the reference.
//!
//!     cargo run --example host

#![expect(unsafe_code, reason = "the buffer is a C program's")]

use std::ffi::c_void;

use restride::gpu::{Copier, Tensor};
use restride::host::{self, DataType};
use restride::reference;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A picture as a C program has it: rows from the bottom up, blue before green before red, memory of its own.
    const DIMS: [i64; 3] = [48, 64, 3];
    let len = 48 * 64 * 3;
    let pixels = host_buffer(len);
    // SAFETY: the bytes stay valid and nobody else's until `free_buffer`, which frees them on whatever thread.
    let picture = unsafe {
        host::Tensor::from_raw(DataType::UInt8, &DIMS, pixels.cast(), len, |data, len| {
            free_buffer(data.cast(), len);
        })
    }?;

    // Moves touch no byte: planes of red, green and blue, from the top down, every other column.
    let view = picture.view()?;
    let view = view.flip(0)?.flip(2)?.permute(&[2, 0, 1])?;
    let every_other = restride::Index::Slice {
        start: None,
        stop: None,
        step: 2,
    };
    let view = view.slice(&[restride::Index::Ellipsis, every_other])?;
    println!("{} bytes, seen as {}", picture.byte_size(), view.layout());

    let Some((device, queue, adapter)) = open() else {
        println!("no adapter: nothing is copied on a GPU");
        return Ok(());
    };
    let copier = Copier::new(&device)?;
    let up = Tensor::upload_view(&device, &view)?;
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let packed = up.materialize(&copier, &mut encoder)?;
    let read = packed.record_read_host(&copier, &mut encoder, DataType::UInt8)?;
    queue.submit([encoder.finish()]);
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let planes = pollster::block_on(read)?;

    let mut expected = vec![0; planes.byte_size()];
    let fresh = planes.layout()?;
    let width = view.dtype()?.width();
    reference::copy(width, picture.bytes(), view.layout(), &mut expected, &fresh)?;
    assert_eq!(planes.bytes(), expected, "the reference has other bytes");
    println!(
        "{adapter}: {:?}, {} bytes, as the reference has them",
        planes.dims(),
        planes.byte_size()
    );
    Ok(())
}

/// The first adapter, opened.
fn open() -> Option<(wgpu::Device, wgpu::Queue, String)> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter =
        pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))
            .ok()?;
    let (device, queue) =
        pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default())).ok()?;
    Some((device, queue, adapter.get_info().name))
}

/// What stands for a C program's `malloc`, with something to see in the bytes.
fn host_buffer(len: usize) -> *mut c_void {
    let bytes: Box<[u8]> = (0..len)
        .map(|i| u8::try_from(i * 7 % 251).unwrap_or(0))
        .collect();
    Box::into_raw(bytes).cast()
}

/// What stands for its `free`.
fn free_buffer(data: *mut c_void, len: usize) {
    // SAFETY: the bytes of `host_buffer`, given back once.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(data.cast::<u8>(), len)) });
}
