//! What the GPU tests share: buffers of given usages, their bytes, and one copier for each adapter.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use restride::gpu::Copier;
use wgpu::BufferUsages;

use crate::adapters::Engine;
pub(crate) use crate::gpu_copies::{EVERY_USE, buffer, view};

/// The copier that tests of one adapter share, so that no pipeline is compiled twice.
pub(crate) fn copier(engine: &Engine) -> Arc<Copier> {
    static COPIERS: Mutex<Option<HashMap<String, Arc<Copier>>>> = Mutex::new(None);
    let mut copiers = COPIERS.lock().unwrap_or_else(PoisonError::into_inner);
    let made = copiers.get_or_insert_default();
    let fresh = || Arc::new(Copier::new(&engine.device).unwrap());
    Arc::clone(made.entry(engine.name.clone()).or_insert_with(fresh))
}

/// The whole words of a buffer that has `COPY_SRC`, after everything submitted before.
pub(crate) fn bytes(device: &wgpu::Device, queue: &wgpu::Queue, buffer: &wgpu::Buffer) -> Vec<u8> {
    let size = buffer.size() & !3;
    let staging = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size,
        usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = encoder(device);
    encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, size);
    encoder.map_buffer_on_submit(&staging, wgpu::MapMode::Read, .., |mapped| mapped.unwrap());
    queue.submit([encoder.finish()]);
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    staging.get_mapped_range(..).unwrap().to_vec()
}

pub(crate) fn encoder(device: &wgpu::Device) -> wgpu::CommandEncoder {
    device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
}

/// Records by `record` into one encoder, and submits it.
pub(crate) fn submit(engine: &Engine, record: impl FnOnce(&mut wgpu::CommandEncoder)) {
    let mut encoder = encoder(&engine.device);
    record(&mut encoder);
    engine.queue.submit([encoder.finish()]);
}
