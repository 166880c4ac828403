//! Bytes between the host and the GPU: uploads, and reads that wait for nobody.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::error::Error;

/// Writes `bytes` at the start of a buffer that is mapped since its creation, and unmaps it.
pub(super) fn fill(buffer: &wgpu::Buffer, bytes: &[u8]) -> Result<(), Error> {
    let memory = |_| Error::Memory {
        bytes: buffer.size(),
    };
    let mut view = buffer.get_mapped_range_mut(..).map_err(memory)?;
    view.slice(..bytes.len()).copy_from_slice(bytes);
    drop(view);
    buffer.unmap();
    Ok(())
}

/// A buffer of `bytes` and up to 15 more, made with `usage`; the rest is 0.
///
/// # Errors
///
/// [`Error::BufferLimit`]: the device makes none so large. [`Error::Memory`]: it has no room.
pub(super) fn upload(
    device: &wgpu::Device,
    label: &str,
    bytes: &[u8],
    usage: wgpu::BufferUsages,
) -> Result<wgpu::Buffer, Error> {
    let buffer = create(device, label, bytes.len() as u64, usage, true)?;
    fill(&buffer, bytes)?;
    Ok(buffer)
}

/// A buffer of at least `bytes`, rounded up to whole 16-byte units: so wide accesses reach its last word too.
pub(super) fn create(
    device: &wgpu::Device,
    label: &str,
    bytes: u64,
    usage: wgpu::BufferUsages,
    mapped_at_creation: bool,
) -> Result<wgpu::Buffer, Error> {
    let size = bytes.max(1).next_multiple_of(16);
    let limit = device.limits().max_buffer_size;
    if size > limit {
        return Err(Error::BufferLimit {
            needed: size,
            limit,
        });
    }
    Ok(device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage,
        mapped_at_creation,
    }))
}

/// The bytes of a tensor on their way to the host: a future that resolves once the encoder it was recorded into has been
/// submitted and the device polled.
///
/// It resolves to the elements, packed in C order: `ceil(numel·bits / 8)` bytes, spare bits 0. Dropping it before is fine.
/// Where the encoder is dropped instead, it resolves to [`Error::NotSubmitted`]; where the device is lost, to
/// [`Error::DeviceLost`].
#[derive(Debug)]
#[must_use = "the bytes are in the future"]
pub struct ReadBack {
    buffer: wgpu::Buffer,
    bytes: usize,
    /// Bits of the last byte that are elements' own; the others read as 0.
    last_mask: u8,
    mapping: Arc<Mutex<Mapping>>,
}

/// The outcome of a mapping, and who waits for it.
#[derive(Debug, Default)]
struct Mapping {
    outcome: Option<Result<(), Error>>,
    waker: Option<Waker>,
}

impl Mapping {
    fn settle(shared: &Mutex<Self>, outcome: Result<(), Error>) {
        let mut mapping = lock(shared);
        if mapping.outcome.is_none() {
            mapping.outcome = Some(outcome);
        }
        let waker = mapping.waker.take();
        drop(mapping);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Settles the mapping even if wgpu drops the callback without calling it.
struct Settle(Arc<Mutex<Mapping>>);

impl Drop for Settle {
    fn drop(&mut self) {
        Mapping::settle(&self.0, Err(Error::NotSubmitted));
    }
}

fn lock(shared: &Mutex<Mapping>) -> MutexGuard<'_, Mapping> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ReadBack {
    /// Records the copy of words `[offset, offset + bytes)` of `from`, rounded up, into a buffer of its own that is mapped
    /// when `encoder` has been submitted and has run.
    pub(super) fn record(
        device: &wgpu::Device,
        encoder: &mut wgpu::CommandEncoder,
        from: &wgpu::Buffer,
        offset_bytes: u64,
        bits: u64,
    ) -> Result<Self, Error> {
        let bytes = bits.div_ceil(8);
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let buffer = create(device, "restride::read", bytes, usage, false)?;
        let mapping = Arc::new(Mutex::new(Mapping::default()));
        if bytes > 0 {
            encoder.copy_buffer_to_buffer(
                from,
                offset_bytes,
                &buffer,
                0,
                bytes.next_multiple_of(4),
            );
        }
        let settle = Settle(Arc::clone(&mapping));
        encoder.map_buffer_on_submit(&buffer, wgpu::MapMode::Read, .., move |outcome| {
            Mapping::settle(&settle.0, outcome.map_err(|_| Error::DeviceLost));
        });
        let last_mask = if bits.is_multiple_of(8) {
            u8::MAX
        } else {
            (1 << (bits % 8)) - 1
        };
        let bytes = usize::try_from(bytes).map_err(|_| Error::Memory { bytes })?;
        Ok(Self {
            buffer,
            bytes,
            last_mask,
            mapping,
        })
    }

    /// The bytes of the buffer, which is mapped.
    fn take(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        self.take_with(|mapped| bytes.extend_from_slice(mapped))?;
        if let Some(last) = bytes.last_mut() {
            *last &= self.last_mask;
        }
        Ok(bytes)
    }

    /// Shows `see` the bytes of the buffer, which is mapped; bits of the last one that are no element's may be set.
    pub(super) fn take_with(&self, see: impl FnOnce(&[u8])) -> Result<(), Error> {
        let view = self
            .buffer
            .get_mapped_range(..)
            .map_err(|_| Error::DeviceLost)?;
        see(&view[..self.bytes]);
        drop(view);
        self.buffer.unmap();
        Ok(())
    }

    /// Ready once the buffer is mapped, or will never be.
    pub(super) fn poll_mapped(&self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let mut mapping = lock(&self.mapping);
        match mapping.outcome.clone() {
            Some(outcome) => Poll::Ready(outcome),
            None => {
                mapping.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Future for ReadBack {
    type Output = Result<Vec<u8>, Error>;

    /// The elements, packed in C order; the last byte's spare bits are 0.
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mapped = self.poll_mapped(context);
        mapped.map(|outcome| outcome.and_then(|()| self.take()))
    }
}
