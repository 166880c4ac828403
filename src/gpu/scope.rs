//! What wgpu tells at once, as errors: unless the application handles what a device complains of, wgpu panics.

use crate::error::{Error, Side};
use crate::plan::{Access, Plan};

use super::pipelines::Pipelines;

/// What `run` returns, and the error of `filter`'s kind that `device` reported meanwhile.
///
/// A scope belongs to the calling thread, and lies within those that the caller has open. Natively it answers at once, and
/// costs 0.1 us. In a browser the answer would have to be awaited: there none is opened, and the device's handler is told.
#[cfg(not(target_family = "wasm"))]
pub(super) fn catching<T>(
    device: &wgpu::Device,
    filter: wgpu::ErrorFilter,
    run: impl FnOnce() -> T,
) -> (T, Option<wgpu::Error>) {
    use std::task::{Context, Poll, Waker};

    let scope = device.push_error_scope(filter);
    let value = run();
    let answer = std::pin::pin!(scope.pop());
    match Future::poll(answer, &mut Context::from_waker(Waker::noop())) {
        Poll::Ready(error) => (value, error),
        Poll::Pending => (value, None),
    }
}

/// What `run` returns: a browser tells the device's handler of its errors.
#[cfg(target_family = "wasm")]
pub(super) fn catching<T>(
    _device: &wgpu::Device,
    _filter: wgpu::ErrorFilter,
    run: impl FnOnce() -> T,
) -> (T, Option<wgpu::Error>) {
    (run(), None)
}

/// The reason at the bottom of an error, such as `Buffer with 'x' label has been destroyed`.
pub(super) fn cause(error: &wgpu::Error) -> Box<str> {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string().into()
}

/// Binds the first word of a buffer that may be bound, and of another with it, so that wgpu says what is wrong with them.
///
/// A native copy would be refused for it only when its encoder is finished or submitted.
pub(super) fn probe(device: &wgpu::Device, pipelines: &Pipelines, buffers: [&wgpu::Buffer; 2]) {
    let bindable = |buffer: &&wgpu::Buffer| {
        buffer.usage().contains(wgpu::BufferUsages::STORAGE) && buffer.size() >= 4
    };
    let entry = |binding, buffer| wgpu::BindGroupEntry {
        binding,
        resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer,
            offset: 0,
            size: wgpu::BufferSize::new(4),
        }),
    };
    let both = [entry(0, buffers[0]), entry(1, buffers[1])];
    let (access, entries) = match buffers.each_ref().map(bindable) {
        [true, true] => (Access::TwoWritable, &both[..]),
        [false, true] => (Access::One, &both[1..]),
        [true, false] => return probe(device, pipelines, [buffers[1], buffers[0]]),
        [false, false] => return,
    };
    drop(device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("restride::probe"),
        layout: pipelines.windows(access),
        entries,
    }));
}

/// `Ok` iff nothing is natively known to be wrong with a buffer.
///
/// # Errors
///
/// [`Error::UnusableBuffer`]: it may be bound, but not on this device.
pub(super) fn usable(
    device: &wgpu::Device,
    pipelines: &Pipelines,
    side: Side,
    buffer: &wgpu::Buffer,
) -> Result<(), Error> {
    let alone = || probe(device, pipelines, [buffer, buffer]);
    match catching(device, wgpu::ErrorFilter::Validation, alone) {
        ((), None) => Ok(()),
        ((), Some(fault)) => Err(Error::UnusableBuffer {
            side,
            cause: cause(&fault),
        }),
    }
}

/// What is wrong where `fault` was reported while plans were prepared: the first of their buffers that cannot be bound, or
/// else what wgpu says.
pub(super) fn blame(
    device: &wgpu::Device,
    pipelines: &Pipelines,
    plans: &[(&Plan, &wgpu::Buffer, &wgpu::Buffer)],
    scratch: Option<&wgpu::Buffer>,
    fault: &wgpu::Error,
) -> Error {
    let sides = plans
        .iter()
        .flat_map(|&(_, src, dst)| [(Side::Source, src), (Side::Destination, dst)]);
    let refused = || Error::Refused {
        cause: cause(fault),
    };
    sides
        .chain(scratch.map(|buffer| (Side::Scratch, buffer)))
        .map(|(side, buffer)| usable(device, pipelines, side, buffer))
        .find_map(Result::err)
        .unwrap_or_else(refused)
}
