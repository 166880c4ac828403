//! Bytes between the host and the GPU: uploads, and reads that wait for nobody.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::error::Error;

use super::scope::{catching, cause};

/// Writes `bytes` at the start of a buffer that is mapped since its creation, and unmaps it.
///
/// # Errors
///
/// [`Error::DeviceLost`]: it is not mapped after all.
pub(super) fn fill(buffer: &wgpu::Buffer, bytes: &[u8]) -> Result<(), Error> {
    let mut view = buffer
        .get_mapped_range_mut(..)
        .map_err(|_| Error::DeviceLost)?;
    view.slice(..bytes.len()).copy_from_slice(bytes);
    drop(view);
    buffer.unmap();
    Ok(())
}

/// A buffer of `bytes` and up to 15 more, made with `usage`; the rest is 0.
///
/// # Errors
///
/// As [`create`], and [`fill`].
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
///
/// # Errors
///
/// As [`rounded`] and [`create_exact`]; [`Error::DeviceLost`]: the device is gone; a buffer that is mapped says so when it is
/// filled.
pub(super) fn create(
    device: &wgpu::Device,
    label: &str,
    bytes: u64,
    usage: wgpu::BufferUsages,
    mapped_at_creation: bool,
) -> Result<wgpu::Buffer, Error> {
    let size = rounded(device, bytes)?;
    if !mapped_at_creation {
        alive(device)?;
    }
    create_exact(device, label, size, usage, mapped_at_creation)
}

/// The size of a buffer of at least `bytes`.
///
/// # Errors
///
/// [`Error::BufferLimit`]: the device makes none so large.
fn rounded(device: &wgpu::Device, bytes: u64) -> Result<u64, Error> {
    let size = bytes.max(1).next_multiple_of(16);
    let limit = device.limits().max_buffer_size;
    if size > limit {
        return Err(Error::BufferLimit {
            needed: size,
            limit,
        });
    }
    Ok(size)
}

/// A buffer of `size` bytes, which the device's limits allow.
///
/// # Errors
///
/// [`Error::Memory`]: the device has no room.
pub(super) fn create_exact(
    device: &wgpu::Device,
    label: &str,
    size: u64,
    usage: wgpu::BufferUsages,
    mapped_at_creation: bool,
) -> Result<wgpu::Buffer, Error> {
    let make = || {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage,
            mapped_at_creation,
        })
    };
    match catching(device, wgpu::ErrorFilter::OutOfMemory, make) {
        (buffer, None) => Ok(buffer),
        (_, Some(_)) => Err(Error::Memory { bytes: size }),
    }
}

/// `Ok` iff the device is not known to be gone: wgpu makes buffers of a lost one without a word, and only the memory of
/// one that is mapped is missed.
///
/// # Errors
///
/// [`Error::DeviceLost`], [`Error::Memory`].
pub(super) fn alive(device: &wgpu::Device) -> Result<(), Error> {
    let usage = wgpu::BufferUsages::MAP_WRITE;
    let probe = create_exact(device, "restride::alive", 16, usage, true)?;
    let mapped = probe.get_mapped_range_mut(..).is_ok();
    if mapped {
        Ok(())
    } else {
        Err(Error::DeviceLost)
    }
}

/// The bytes of a tensor on their way to the host: a future that resolves once the encoder it was recorded into has been
/// submitted and the device polled.
///
/// It resolves to the elements, packed in C order: `ceil(numel·bits / 8)` bytes, spare bits 0. Dropping it before is fine.
/// Where the encoder is dropped instead, it resolves to [`Error::NotSubmitted`]; where wgpu refused the submission, to
/// [`Error::Refused`]; where the device is lost, to [`Error::DeviceLost`].
#[derive(Debug)]
#[must_use = "the bytes are in the future"]
pub struct ReadBack {
    buffer: wgpu::Buffer,
    /// Holds [`RAN`] iff the submission ran: wgpu maps the zeros of one that it refused all the same.
    proof: wgpu::Buffer,
    /// Where [`RAN`] comes from.
    ran: wgpu::Buffer,
    bytes: usize,
    /// Bits of the last byte that are elements' own; the others read as 0.
    last_mask: u8,
    mapping: Arc<Mutex<Mapping>>,
}

/// What a submission that runs copies into the proof of a read.
const RAN: [u8; 4] = [0x5a; 4];

/// The outcome of mappings, and who waits for it.
#[derive(Debug)]
struct Mapping {
    /// Buffers that are still to be mapped.
    pending: u32,
    outcome: Option<Result<(), Error>>,
    waker: Option<Waker>,
}

impl Mapping {
    /// Takes the outcome of one buffer: the first that failed is that of all.
    fn settle(shared: &Mutex<Self>, outcome: Result<(), Error>) {
        let mut mapping = lock(shared);
        mapping.pending = mapping.pending.saturating_sub(1);
        if mapping.outcome.is_none() && (mapping.pending == 0 || outcome.is_err()) {
            mapping.outcome = Some(outcome);
        }
        let waker = mapping.waker.take();
        drop(mapping);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Settles the mapping of a buffer even if wgpu drops the callback without calling it.
struct Settle {
    mapping: Arc<Mutex<Mapping>>,
    called: bool,
}

impl Settle {
    fn map(mapping: &Arc<Mutex<Mapping>>, encoder: &wgpu::CommandEncoder, buffer: &wgpu::Buffer) {
        let mut settle = Self {
            mapping: Arc::clone(mapping),
            called: false,
        };
        encoder.map_buffer_on_submit(buffer, wgpu::MapMode::Read, .., move |outcome| {
            settle.called = true;
            Mapping::settle(&settle.mapping, outcome.map_err(|_| Error::DeviceLost));
        });
    }
}

impl Drop for Settle {
    fn drop(&mut self) {
        if !self.called {
            Mapping::settle(&self.mapping, Err(Error::NotSubmitted));
        }
    }
}

fn lock(shared: &Mutex<Mapping>) -> MutexGuard<'_, Mapping> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ReadBack {
    /// The buffers of a read of so many bits, which nothing is recorded for yet.
    pub(super) fn new(device: &wgpu::Device, bits: u64) -> Result<Self, Error> {
        let bytes = bits.div_ceil(8);
        let length = usize::try_from(bytes).map_err(|_| Error::Memory { bytes })?;
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let size = rounded(device, bytes)?;
        // This one says whether the device is there.
        let ran = upload(device, "restride::ran", &RAN, wgpu::BufferUsages::COPY_SRC)?;
        let last_mask = if bits.is_multiple_of(8) {
            u8::MAX
        } else {
            (1 << (bits % 8)) - 1
        };
        Ok(Self {
            buffer: create_exact(device, "restride::read", size, usage, false)?,
            proof: create_exact(device, "restride::proof", 16, usage, false)?,
            ran,
            bytes: length,
            last_mask,
            mapping: Arc::new(Mutex::new(Mapping {
                pending: 2,
                outcome: None,
                waker: None,
            })),
        })
    }

    /// Records the copy of as many words as the bits take, from `offset_bytes` of `from`, into the buffer, which is mapped
    /// when `encoder` has been submitted and has run.
    pub(super) fn record(
        self,
        encoder: &mut wgpu::CommandEncoder,
        from: &wgpu::Buffer,
        offset_bytes: u64,
    ) -> Self {
        encoder.copy_buffer_to_buffer(&self.ran, 0, &self.proof, 0, RAN.len() as u64);
        let words_bytes = self.bytes.next_multiple_of(4) as u64;
        if words_bytes > 0 {
            encoder.copy_buffer_to_buffer(from, offset_bytes, &self.buffer, 0, words_bytes);
        }
        Settle::map(&self.mapping, encoder, &self.buffer);
        Settle::map(&self.mapping, encoder, &self.proof);
        self
    }

    /// The bytes of the buffer, which is mapped.
    fn take(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let memory = |_| Error::Memory {
            bytes: self.bytes as u64,
        };
        bytes.try_reserve_exact(self.bytes).map_err(memory)?;
        self.take_with(|mapped| bytes.extend_from_slice(mapped))?;
        if let Some(last) = bytes.last_mut() {
            *last &= self.last_mask;
        }
        Ok(bytes)
    }

    /// Shows `see` the bytes of the buffer, which is mapped; bits of the last one that are no element's may be set.
    pub(super) fn take_with(&self, see: impl FnOnce(&[u8])) -> Result<(), Error> {
        let mapped = |buffer: &wgpu::Buffer| buffer.get_mapped_range(..);
        let ran = mapped(&self.proof).map_err(|_| Error::DeviceLost)?;
        if !ran.starts_with(&RAN) {
            let cause = "the device's handler was told why".into();
            return Err(Error::Refused { cause });
        }
        let view = mapped(&self.buffer).map_err(|_| Error::DeviceLost)?;
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

/// Finishes `encoder` and submits it.
///
/// # Errors
///
/// [`Error::Refused`]: wgpu refused it, as far as it is known at once.
pub(super) fn submit(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    encoder: wgpu::CommandEncoder,
) -> Result<(), Error> {
    let submit = || queue.submit([encoder.finish()]);
    match catching(device, wgpu::ErrorFilter::Validation, submit) {
        (_, None) => Ok(()),
        (_, Some(error)) => Err(Error::Refused {
            cause: cause(&error),
        }),
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
