//! The GPU: which adapters there are, which one is meant, and a device on it.

use crate::arguments::Adapter;
use crate::buffer::Buffer;
use crate::failure::Failure;
use restride::DType;
use restride::gpu::{Copier, Tensor};
use restride::plan::{Limits, Options, Plan};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// An adapter with its place in the list of all.
pub(crate) struct Candidate {
    pub(crate) index: usize,
    pub(crate) adapter: wgpu::Adapter,
    pub(crate) info: wgpu::AdapterInfo,
}

/// Every adapter of the machine, in wgpu's order.
pub(crate) fn all() -> Vec<Candidate> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let candidates = adapters.into_iter().enumerate();
    candidates
        .map(|(index, adapter)| Candidate {
            index,
            info: adapter.get_info(),
            adapter,
        })
        .collect()
}

impl Candidate {
    /// Whether it runs compute shaders at all.
    pub(crate) fn computes(&self) -> bool {
        let flags = self.adapter.get_downlevel_capabilities().flags;
        flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS)
    }

    /// The limits that a plan respects.
    pub(crate) fn limits(&self) -> Limits {
        Limits::from(&self.adapter.limits())
    }

    /// Whether `part` is in the name, in any case.
    fn is_named(&self, part: &str) -> bool {
        self.to_string()
            .to_lowercase()
            .contains(&part.to_lowercase())
    }

    /// How good the adapter is at copying, the least the best.
    fn rank(&self) -> (u8, bool) {
        let kind = match self.info.device_type {
            wgpu::DeviceType::DiscreteGpu => 0,
            wgpu::DeviceType::IntegratedGpu => 1,
            wgpu::DeviceType::VirtualGpu => 2,
            wgpu::DeviceType::Other => 3,
            wgpu::DeviceType::Cpu => 4,
        };
        (kind, self.info.backend == wgpu::Backend::Gl)
    }
}

/// Name, backend and kind.
impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wgpu::AdapterInfo {
            name,
            backend,
            device_type,
            ..
        } = &self.info;
        write!(f, "{name} ({backend:?}, {device_type:?})")
    }
}

/// The adapters that are meant, the best first; none stands for the CPU executor.
fn meant(adapter: &Adapter) -> Result<Vec<Candidate>, Failure> {
    if *adapter == Adapter::Cpu {
        return Ok(Vec::new());
    }
    let mut found = all();
    let count = found.len();
    let nothing = match adapter {
        Adapter::Auto | Adapter::Cpu => {
            found.retain(Candidate::computes);
            found.sort_by_key(Candidate::rank);
            return Ok(found);
        }
        Adapter::Index(index) => {
            found.retain(|candidate| candidate.index == *index);
            format!("no adapter {index}: there are {count}")
        }
        Adapter::Name(name) => {
            found.retain(|candidate| candidate.is_named(name));
            found.truncate(1);
            format!("no adapter named like {name:?}")
        }
    };
    match found.first() {
        None => Err(Failure::Trouble(nothing)),
        Some(candidate) if !candidate.computes() => Err(Failure::Trouble(format!(
            "adapter {candidate} runs no compute shaders"
        ))),
        Some(_) => Ok(found),
    }
}

/// The adapter that is meant, without opening it; the CPU executor if `None`.
pub(crate) fn choose(adapter: &Adapter) -> Result<Option<Candidate>, Failure> {
    Ok(meant(adapter)?.into_iter().next())
}

/// A device on the adapter that is meant; the CPU executor if `None`.
pub(crate) fn open(adapter: &Adapter) -> Result<Option<Gpu>, Failure> {
    let mut refusal = None;
    for candidate in &meant(adapter)? {
        match Gpu::open(candidate) {
            Ok(gpu) => return Ok(Some(gpu)),
            Err(failure) => refusal = Some(failure),
        }
    }
    match refusal {
        Some(failure) if *adapter != Adapter::Auto => Err(failure),
        _ => Ok(None),
    }
}

/// A device, opened with all that its adapter allows.
pub(crate) struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    name: String,
    /// What the device said went wrong, outside of any call that returns it.
    complaint: Arc<Mutex<Option<String>>>,
}

impl Gpu {
    fn open(candidate: &Candidate) -> Result<Self, Failure> {
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("restride"),
            required_limits: candidate.adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        };
        let name = candidate.to_string();
        let (device, queue) = pollster::block_on(candidate.adapter.request_device(&descriptor))
            .map_err(|e| Failure::Trouble(format!("adapter {name}: {e}")))?;
        let complaint = Arc::new(Mutex::new(None));
        let heard = Arc::clone(&complaint);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let mut first = heard.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(error.to_string());
        }));
        Ok(Self {
            device,
            queue,
            name,
            complaint,
        })
    }

    /// The adapter's name, backend and kind.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The limits that a plan respects.
    pub(crate) fn limits(&self) -> Limits {
        Limits::from(&self.device.limits())
    }

    /// What records copies on this device.
    pub(crate) fn copier(&self, options: Options) -> Result<Copier, Failure> {
        Copier::with_options(&self.device, options).map_err(|e| self.trouble(e))
    }

    /// Carries a plan out: both buffers go up, the destination comes back.
    pub(crate) fn copy(
        &self,
        copier: &Copier,
        plan: &Plan,
        src: &Buffer,
        dst: &mut Buffer,
    ) -> Result<(), Failure> {
        let trouble = |error: restride::Error| {
            // What the device said itself tells more than what came of it.
            self.check().err().unwrap_or_else(|| self.trouble(error))
        };
        let upload = |buffer: &Buffer| {
            let bytes = buffer.padded();
            Tensor::upload(&self.device, DType::UInt8, &[bytes.len() as u64], bytes)
        };
        let from = upload(src).map_err(trouble)?;
        let to = upload(dst).map_err(trouble)?;
        let prepared = copier
            .prepare(plan, from.buffer(), to.buffer())
            .map_err(trouble)?;
        let mut encoder = self
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        prepared.record(&mut encoder);
        self.queue.submit([encoder.finish()]);
        let bytes = to.read_blocking(copier, &self.queue).map_err(trouble)?;
        self.check()?;
        dst.padded_mut().copy_from_slice(&bytes);
        Ok(())
    }

    /// Fails if the device has complained.
    fn check(&self) -> Result<(), Failure> {
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
    fn trouble(&self, error: impl fmt::Display) -> Failure {
        Failure::Trouble(format!("adapter {}: {error}", self.name))
    }
}
