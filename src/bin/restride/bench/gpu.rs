//! The device that is timed, its kernels, and the buffers of all cases.

use crate::arguments::Adapter;
use crate::device::{self, Candidate};
use crate::failure::Failure;
use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};

/// The features that timestamps around any command need.
const TIMESTAMPS: wgpu::Features =
    wgpu::Features::TIMESTAMP_QUERY.union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);

/// A device with its queue.
pub(crate) struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) name: String,
    pub(crate) driver: String,
    /// What the device said went wrong, outside of any call that returns it.
    complaint: Arc<Mutex<Option<String>>>,
}

impl Gpu {
    /// A device on the adapter that is asked for, with all that it allows.
    pub(crate) fn open(adapter: &Adapter) -> Result<Self, Failure> {
        let Some(candidate) = device::choose(adapter)? else {
            return Err(Failure::Input(
                "bench times a GPU, and there is none: `restride adapters` lists what there is"
                    .to_owned(),
            ));
        };
        Self::on(&candidate)
    }

    fn on(candidate: &Candidate) -> Result<Self, Failure> {
        let name = candidate.to_string();
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("restride bench"),
            required_features: candidate.adapter.features() & TIMESTAMPS,
            required_limits: candidate.adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(candidate.adapter.request_device(&descriptor))
            .map_err(|e| Failure::Trouble(format!("adapter {name}: {e}")))?;
        let complaint = Arc::new(Mutex::new(None));
        let heard = Arc::clone(&complaint);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let mut first = heard.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(error.to_string());
        }));
        let driver = format!("{} {}", candidate.info.driver, candidate.info.driver_info);
        Ok(Self {
            device,
            queue,
            name,
            driver: driver.trim().to_owned(),
            complaint,
        })
    }

    /// Whether timestamps may stand around any command.
    pub(crate) fn has_timestamps(&self) -> bool {
        self.device.features().contains(TIMESTAMPS)
    }

    /// An encoder.
    pub(crate) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Submits `encoder` and waits until it has run.
    pub(crate) fn run(&self, encoder: wgpu::CommandEncoder) -> Result<(), Failure> {
        self.queue.submit([encoder.finish()]);
        self.wait()?;
        self.check()
    }

    fn wait(&self) -> Result<(), Failure> {
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|e| self.trouble(e))?;
        Ok(())
    }

    /// A buffer that may be bound, copied from and copied to.
    pub(crate) fn buffer(&self, bytes: u64) -> Result<wgpu::Buffer, Failure> {
        let limit = self.device.limits().max_buffer_size;
        if bytes > limit {
            return Err(Failure::Input(format!(
                "a case needs a buffer of {bytes} bytes, and adapter {} makes none beyond {limit}: give less --bytes",
                self.name
            )));
        }
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("restride bench"),
            size: bytes,
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::COPY_SRC
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.check()?;
        Ok(buffer)
    }

    /// The first `bytes` of `buffer`.
    pub(crate) fn read(&self, buffer: &wgpu::Buffer, bytes: u64) -> Result<Vec<u8>, Failure> {
        let size = bytes.next_multiple_of(4);
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("restride bench read"),
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, size);
        // A mapping that failed shows when the range is asked for.
        encoder.map_buffer_on_submit(&staging, wgpu::MapMode::Read, .., |_| {});
        self.run(encoder)?;
        let view = staging.get_mapped_range(..).map_err(|e| self.trouble(e))?;
        let mut found = view.to_vec();
        found.truncate(usize::try_from(bytes).unwrap_or(usize::MAX));
        Ok(found)
    }

    /// Fails if the device has complained.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let complaint = self
            .complaint
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match &*complaint {
            Some(error) => Err(self.trouble(error)),
            None => Ok(()),
        }
    }

    /// Trouble with this device.
    pub(crate) fn trouble(&self, error: impl Display) -> Failure {
        Failure::Trouble(format!("adapter {}: {error}", self.name))
    }
}

/// The buffers of all cases, large enough for each: a fresh one costs its first touch.
pub(crate) struct Buffers {
    /// Random words; nothing but [`Kernels::fill`](super::kernels::Kernels::fill) writes it.
    pub(crate) src: wgpu::Buffer,
    /// What the copies under test write.
    pub(crate) dst: wgpu::Buffer,
    /// What the plain and naive copies write.
    pub(crate) other: wgpu::Buffer,
}

impl Buffers {
    /// Buffers of so many bytes on either side.
    pub(crate) fn new(gpu: &Gpu, src_bytes: u64, dst_bytes: u64) -> Result<Self, Failure> {
        Ok(Self {
            src: gpu.buffer(src_bytes)?,
            dst: gpu.buffer(dst_bytes)?,
            other: gpu.buffer(dst_bytes)?,
        })
    }
}
