//! The bench's own kernels at work: what copies are measured against, and what checks them.

use super::contender::{Contender, Job};
use super::gpu::Gpu;
use super::kernel::Kernel;
use super::naive::Nest;
use crate::failure::Failure;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

/// The axes that the uniform block holds.
pub(crate) const MAX_AXES: usize = 33;

/// Invocations of a workgroup.
const LANES: u64 = 256;

/// Bytes `[start, end)` of a buffer.
pub(crate) type Bytes<'a> = (&'a wgpu::Buffer, Range<u64>);

/// The uniform block, but for the axes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Numbers {
    pub(crate) count: u32,
    pub(crate) total: u32,
    pub(crate) src: u32,
    pub(crate) dst: u32,
}

/// The kernels of a device, made when first used.
pub(crate) struct Kernels<'a> {
    gpu: &'a Gpu,
    made: RefCell<HashMap<Kernel, wgpu::ComputePipeline>>,
}

impl<'a> Kernels<'a> {
    pub(crate) fn new(gpu: &'a Gpu) -> Self {
        Self {
            gpu,
            made: RefCell::default(),
        }
    }

    /// The bytes of a window at most: what may be bound, and what 32-bit indices of words reach.
    pub(crate) fn window_bytes(&self) -> u64 {
        let limits = self.gpu.device.limits();
        limits.max_storage_buffer_binding_size.min(1 << 32) & !255
    }

    /// What offsets of windows are multiples of.
    pub(crate) fn alignment(&self) -> u64 {
        let limits = self.gpu.device.limits();
        u64::from(limits.min_storage_buffer_offset_alignment).max(16)
    }

    fn pipeline(&self, kernel: Kernel) -> wgpu::ComputePipeline {
        if let Some(made) = self.made.borrow().get(&kernel) {
            return made.clone();
        }
        let device = &self.gpu.device;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("restride bench"),
            source: wgpu::ShaderSource::Wgsl(kernel.source().into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("restride bench"),
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &kernel.constants(),
                ..wgpu::PipelineCompilationOptions::default()
            },
            cache: None,
        });
        self.made.borrow_mut().insert(kernel, pipeline.clone());
        pipeline
    }

    /// A dispatch of `kernel` on windows bound by number.
    pub(crate) fn job(
        &self,
        kernel: Kernel,
        windows: &[(u32, Bytes<'_>)],
        numbers: Numbers,
        axes: &[[u32; 3]],
    ) -> Result<Job, Failure> {
        let device = &self.gpu.device;
        let pipeline = self.pipeline(kernel);
        let mut words = vec![numbers.count, numbers.total, numbers.src, numbers.dst];
        for [extent, src, dst] in axes {
            words.extend([*extent, *src, *dst, 0]);
        }
        words.resize(4 + 4 * MAX_AXES, 0);
        let uniform = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("restride bench params"),
            size: words.len() as u64 * 4,
            usage: wgpu::BufferUsages::UNIFORM,
            mapped_at_creation: true,
        });
        uniform
            .get_mapped_range_mut(..)
            .map_err(|e| self.gpu.trouble(e))?
            .copy_from_slice(bytemuck::cast_slice(&words));
        uniform.unmap();
        let mut entries = vec![wgpu::BindGroupEntry {
            binding: 2,
            resource: uniform.as_entire_binding(),
        }];
        for (binding, (buffer, bytes)) in windows {
            entries.push(wgpu::BindGroupEntry {
                binding: *binding,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer,
                    offset: bytes.start,
                    size: wgpu::BufferSize::new(bytes.end - bytes.start),
                }),
            });
        }
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("restride bench"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let most = u64::from(device.limits().max_compute_workgroups_per_dimension);
        let groups = u64::from(numbers.count).div_ceil(LANES).max(1);
        let x = groups.min(most);
        let dispatched = [x, groups.div_ceil(x)];
        Ok(Job {
            pipeline,
            group,
            groups: dispatched.map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
        })
    }

    /// The windows that cover the first `bytes` of a buffer.
    fn windows(&self, bytes: u64) -> impl Iterator<Item = Range<u64>> {
        let window = self.window_bytes();
        (0..bytes.div_ceil(window)).map(move |k| k * window..bytes.min((k + 1) * window))
    }

    /// The plain copy of `bytes`, rounded up to 16.
    pub(crate) fn vec4(
        &self,
        src: &wgpu::Buffer,
        dst: &wgpu::Buffer,
        bytes: u64,
    ) -> Result<Vec<Job>, Failure> {
        self.windows(bytes.next_multiple_of(16))
            .map(|window| {
                let numbers = Numbers {
                    count: word(&window, 16),
                    ..Numbers::default()
                };
                let windows = [(0, (src, window.clone())), (1, (dst, window))];
                self.job(Kernel::Vec4, &windows, numbers, &[])
            })
            .collect()
    }

    /// Fills the first `bytes` of `buffer`, a multiple of 4, with words that hang on `seed`.
    pub(crate) fn fill(&self, buffer: &wgpu::Buffer, bytes: u64, seed: u32) -> Result<(), Failure> {
        let mut jobs = Vec::new();
        for window in self.windows(bytes) {
            let numbers = Numbers {
                count: word(&window, 4),
                src: word(&(0..window.start), 4),
                dst: seed,
                ..Numbers::default()
            };
            jobs.push(self.job(Kernel::Fill, &[(1, (buffer, window))], numbers, &[])?);
        }
        self.run(&jobs)
    }

    /// The words among the first `bytes`, a multiple of 4, in which two buffers differ.
    pub(crate) fn differing(
        &self,
        one: &wgpu::Buffer,
        other: &wgpu::Buffer,
        bytes: u64,
    ) -> Result<u32, Failure> {
        let count = self.gpu.buffer(4)?;
        let mut jobs = Vec::new();
        for window in self.windows(bytes) {
            let total = word(&window, 4);
            let numbers = Numbers {
                count: total.div_ceil(16),
                total,
                ..Numbers::default()
            };
            let windows = [
                (0, (one, window.clone())),
                (1, (&count, 0..4)),
                (3, (other, window)),
            ];
            jobs.push(self.job(Kernel::Compare, &windows, numbers, &[])?);
        }
        self.run(&jobs)?;
        let bytes = self.gpu.read(&count, 4)?;
        Ok(bytes.try_into().map_or(u32::MAX, u32::from_le_bytes))
    }

    /// The naive copy of `nest`.
    pub(crate) fn naive(
        &self,
        nest: &Nest,
        src: &wgpu::Buffer,
        dst: &wgpu::Buffer,
    ) -> Result<Vec<Job>, Failure> {
        nest.dispatches(self.window_bytes(), self.alignment())
            .into_iter()
            .map(|d| {
                let windows = [(0, (src, d.src)), (1, (dst, d.dst))];
                self.job(d.kernel, &windows, d.numbers, &d.axes)
            })
            .collect()
    }

    fn run(&self, jobs: &[Job]) -> Result<(), Failure> {
        let mut encoder = self.gpu.encoder();
        Contender::Jobs(jobs).record(&mut encoder)?;
        self.gpu.run(encoder)
    }
}

/// The units of so many bytes in a window: windows are far below what would not fit.
fn word(window: &Range<u64>, bytes: u64) -> u32 {
    u32::try_from((window.end - window.start) / bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Adapter;

    /// Where there is no adapter there is nothing to test.
    fn gpu() -> Option<Gpu> {
        Gpu::open(&Adapter::Auto).ok()
    }

    #[test]
    fn planted_differences_are_counted() -> Result<(), Failure> {
        let Some(gpu) = gpu() else { return Ok(()) };
        let kernels = Kernels::new(&gpu);
        let (one, other) = (gpu.buffer(4096)?, gpu.buffer(4096)?);
        kernels.fill(&one, 4096, 7)?;
        kernels.fill(&other, 4096, 7)?;
        assert_eq!(kernels.differing(&one, &other, 4096)?, 0);
        for (k, offset) in [0, 60, 64, 1024, 4092].into_iter().enumerate() {
            gpu.queue.write_buffer(&other, offset, &[0x5a, 0, 0, 0]);
            assert_eq!(kernels.differing(&one, &other, 4096)? as usize, k + 1);
            assert_eq!(kernels.differing(&one, &other, offset)? as usize, k);
        }
        Ok(())
    }

    #[test]
    fn fills_hang_on_the_seed_and_not_on_the_size() -> Result<(), Failure> {
        let Some(gpu) = gpu() else { return Ok(()) };
        let kernels = Kernels::new(&gpu);
        let (one, other) = (gpu.buffer(1 << 20)?, gpu.buffer(1 << 20)?);
        kernels.fill(&one, 1 << 20, 1)?;
        kernels.fill(&other, 1 << 10, 1)?;
        assert_eq!(gpu.read(&one, 1 << 10)?, gpu.read(&other, 1 << 10)?);
        kernels.fill(&other, 1 << 20, 2)?;
        assert!(kernels.differing(&one, &other, 1 << 20)? > (1 << 18) - 10);
        Ok(())
    }
}
