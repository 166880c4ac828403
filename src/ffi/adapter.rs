//! Adapters, and tensors on them.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::status::{Code, Failure};
use crate::Error;
use crate::gpu::Copier;
use crate::plan::{Limits, Options};

/// An adapter's device, opened with all that it allows.
pub(crate) struct Adapter {
    copier: Copier,
    queue: wgpu::Queue,
    name: String,
    /// What the device said went wrong, outside of any call that returns it.
    complaint: Arc<Mutex<Option<String>>>,
}

/// Every adapter that runs compute shaders, the best first, with its name.
fn adapters() -> Vec<(String, wgpu::Adapter)> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let all = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let mut found: Vec<_> = all
        .into_iter()
        .map(|adapter| (adapter.get_info(), adapter))
        .collect();
    found.retain(|(_, adapter)| {
        let flags = adapter.get_downlevel_capabilities().flags;
        flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS)
    });
    found.sort_by_key(|(info, _)| {
        let kind = match info.device_type {
            wgpu::DeviceType::DiscreteGpu => 0,
            wgpu::DeviceType::IntegratedGpu => 1,
            wgpu::DeviceType::VirtualGpu => 2,
            wgpu::DeviceType::Other => 3,
            wgpu::DeviceType::Cpu => 4,
        };
        (kind, info.backend == wgpu::Backend::Gl)
    });
    let named = |(info, adapter): (wgpu::AdapterInfo, _)| {
        let name = format!("{} ({:?}, {:?})", info.name, info.backend, info.device_type);
        (name, adapter)
    };
    found.into_iter().map(named).collect()
}

/// The names of the adapters, the best first.
pub(super) fn names() -> Vec<String> {
    adapters().into_iter().map(|(name, _)| name).collect()
}

impl Adapter {
    /// The first adapter with `name` in its own, in any case; the best one if there is no name.
    pub(super) fn open(name: Option<&str>) -> Result<Self, Failure> {
        let wanted = name.unwrap_or_default().to_lowercase();
        let found = adapters()
            .into_iter()
            .find(|(known, _)| known.to_lowercase().contains(&wanted));
        let Some((known, adapter)) = found else {
            let message = match name {
                Some(name) => format!("no adapter is named like {name:?}"),
                None => "there is no adapter".to_owned(),
            };
            return Err(Failure::new(Code::NotFound, message));
        };
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("restride"),
            required_limits: adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) =
            pollster::block_on(adapter.request_device(&descriptor)).map_err(|error| {
                Failure::new(Code::Unavailable, format!("adapter {known}: {error}"))
            })?;
        let complaint = Arc::new(Mutex::new(None));
        let heard = Arc::clone(&complaint);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let mut first = heard.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(error.to_string());
        }));
        let options = Options {
            limits: Limits::from(&device.limits()),
            ..Options::default()
        };
        Ok(Self {
            copier: Copier::with_options(&device, options)?,
            queue,
            name: known,
            complaint,
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn copier(&self) -> &Copier {
        &self.copier
    }

    pub(super) fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// Runs what records copies, submits it, and fails with whatever the device complained of meanwhile.
    pub(super) fn run<R>(
        &self,
        record: impl FnOnce(&mut wgpu::CommandEncoder) -> Result<R, Error>,
    ) -> Result<R, Failure> {
        let descriptor = wgpu::CommandEncoderDescriptor::default();
        let mut encoder = self.copier.device().create_command_encoder(&descriptor);
        let made = record(&mut encoder)?;
        self.queue.submit([encoder.finish()]);
        self.check()?;
        Ok(made)
    }

    /// Fails, once, if the device has complained.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let mut complaint = self
            .complaint
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match complaint.take() {
            Some(error) => Err(Failure::new(
                Code::Internal,
                format!("adapter {}: {error}", self.name),
            )),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Adapter")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
