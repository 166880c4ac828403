//! What a copy costs the host, beside bare wgpu: a ready pipeline and a ready bind group. The `host` benchmark of Criterion
//! times the same.

use restride::gpu::{Copier, Pair, Prepared, Tensor, View};
use restride::plan::{Limits, Operand, Options, Plan, Problem};
use restride::{DType, Error, Layout};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The copies of a batch.
pub(crate) const BATCH: usize = 1000;

/// The axes of the copy that is planned.
const SHAPE: [u64; 6] = [3, 5, 7, 9, 11, 13];

/// A kernel that does next to nothing, over what a copy binds.
const BARE: &str = "
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;
@group(0) @binding(2) var<uniform> params: vec4<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    dst[id.x] = src[id.x + params.x];
}";

/// A batch of copies of small matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Batch {
    /// Alike, each between buffers of its own.
    OwnPairs,
    /// Alike, all between the same two buffers.
    OnePair,
    /// Each unlike the one before, between buffers of its own: a plan for each.
    Unlike,
}

/// Two times of the same work, ours and bare, and what their ratio may be.
pub(crate) struct Ratio {
    pub(crate) name: &'static str,
    pub(crate) ours: Duration,
    pub(crate) bare: Duration,
    pub(crate) most: Option<f64>,
}

impl Ratio {
    /// The best of `rounds` turns of the two, after one that is not counted.
    fn of(
        name: &'static str,
        most: Option<f64>,
        rounds: usize,
        ours: impl Fn() -> Result<Duration, Error>,
        bare: impl Fn() -> Result<Duration, Error>,
    ) -> Result<Self, Error> {
        ours()?;
        bare()?;
        let (mut best_ours, mut best_bare) = (Duration::MAX, Duration::MAX);
        for _ in 0..rounds {
            best_ours = best_ours.min(ours()?);
            best_bare = best_bare.min(bare()?);
        }
        Ok(Self {
            name,
            ours: best_ours,
            bare: best_bare,
            most,
        })
    }

    /// Our time over the bare one's.
    pub(crate) fn value(&self) -> f64 {
        self.ours.as_secs_f64() / self.bare.as_secs_f64().max(1e-9)
    }
}

/// All that the works need, made ahead.
pub(crate) struct Host {
    device: wgpu::Device,
    copier: Copier,
    prepared: Prepared,
    src: Vec<Tensor>,
    dst: Vec<Tensor>,
    view: Layout,
    flipped: Layout,
    pipeline: wgpu::ComputePipeline,
    bindings: wgpu::BindGroupLayout,
    uniform: wgpu::Buffer,
    ready: wgpu::BindGroup,
    rank_6: (Layout, Layout),
    options: Options,
}

impl Host {
    /// Small tensors on `device`, a prepared copy between the first two, and a bare dispatch of the same kind.
    pub(crate) fn new(device: &wgpu::Device) -> Result<Self, Error> {
        let copier = Copier::new(device)?;
        let tensors = || {
            (0..BATCH)
                .map(|_| Tensor::zeros(device, DType::UInt32, &[8, 8]))
                .collect::<Result<Vec<_>, _>>()
        };
        let (src, dst) = (tensors()?, tensors()?);
        let view = src[0].layout().transpose();
        let from = View {
            layout: &view,
            ..src[0].view()
        };
        let plan = copier.plan_in_pass(from, dst[0].view())?;
        let prepared = copier.prepare(&plan, src[0].buffer(), dst[0].buffer())?;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("bare"),
            source: wgpu::ShaderSource::Wgsl(BARE.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("bare"),
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let uniform = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("bare"),
            size: 16,
            usage: wgpu::BufferUsages::UNIFORM,
            mapped_at_creation: false,
        });
        let bindings = pipeline.get_bind_group_layout(0);
        let source = Layout::contiguous(&SHAPE)?.permute(&[3, 5, 1, 0, 4, 2])?;
        let target = Layout::contiguous(source.shape())?;
        Ok(Self {
            ready: group(device, &bindings, &src[0], &dst[0], &uniform),
            options: Options {
                limits: Limits::from(&device.limits()),
                ..Options::default()
            },
            device: device.clone(),
            copier,
            prepared,
            src,
            dst,
            flipped: view.flip(0)?,
            view,
            pipeline,
            bindings,
            uniform,
            rank_6: (source, target),
        })
    }

    /// Plans a copy of rank 6 that merges nowhere.
    pub(crate) fn plan(&self) -> Result<Plan, Error> {
        let (source, target) = &self.rank_6;
        let bytes = target.numel() * 4;
        let problem = Problem {
            width: DType::UInt32.width(),
            src: Operand::any(black_box(source), bytes),
            dst: Operand::any(black_box(target), bytes),
            one_buffer: false,
            in_pass: false,
        };
        Plan::new(&problem, &self.options)
    }

    /// `count` bare dispatches of the ready bind group in one pass, recorded and finished.
    pub(crate) fn bare(&self, count: usize) -> wgpu::CommandBuffer {
        self.pass(|pass| {
            for _ in 0..count {
                self.dispatch(pass, &self.ready);
            }
        })
    }

    /// As many, each with a bind group of its own that is made for it.
    pub(crate) fn bare_binding(&self) -> wgpu::CommandBuffer {
        self.pass(|pass| {
            for (src, dst) in self.src.iter().zip(&self.dst) {
                let group = group(&self.device, &self.bindings, src, dst, &self.uniform);
                self.dispatch(pass, &group);
            }
        })
    }

    /// A prepared copy recorded `count` times in one pass, and finished.
    pub(crate) fn prepared(&self, count: usize) -> Result<wgpu::CommandBuffer, Error> {
        let mut result = Ok(());
        let commands = self.pass(|pass| {
            for _ in 0..count {
                result = result.clone().and(self.prepared.record_in_pass(pass));
            }
        });
        result.map(|()| commands)
    }

    /// A batch of small copies, planned, recorded and finished.
    pub(crate) fn batch(&self, batch: Batch) -> Result<wgpu::CommandBuffer, Error> {
        let copies: Vec<Pair<'_>> = (0..BATCH)
            .map(|k| {
                let pair = if batch == Batch::OnePair { 0 } else { k };
                let flip = batch == Batch::Unlike && k % 2 == 1;
                Pair {
                    src: View {
                        layout: if flip { &self.flipped } else { &self.view },
                        ..self.src[pair].view()
                    },
                    dst: self.dst[pair].view(),
                }
            })
            .collect();
        let mut encoder = self.encoder();
        self.copier.copy_all(&mut encoder, &copies)?;
        Ok(encoder.finish())
    }

    /// The best of `rounds` turns of each pair of works. Pair by pair: what a work leaves to the allocator is paid by the next.
    pub(crate) fn ratios(&self, rounds: usize) -> Result<Vec<Ratio>, Error> {
        Ok(vec![
            Ratio::of(
                "prepared record / bare dispatch, in one pass",
                Some(1.3),
                rounds,
                || time(|| self.prepared(BATCH)),
                || time(|| Ok(self.bare(BATCH))),
            )?,
            Ratio::of(
                "plan of rank 6 / record and finish of one dispatch",
                Some(4.0),
                rounds,
                || {
                    (0..BATCH)
                        .map(|_| time(|| self.plan().map(black_box)))
                        .sum()
                },
                || (0..BATCH).map(|_| time(|| Ok(self.bare(1)))).sum(),
            )?,
            Ratio::of(
                "1,000 copies / 1,000 dispatches with new bind groups",
                Some(1.5),
                rounds,
                || time(|| self.batch(Batch::OwnPairs)),
                || time(|| Ok(self.bare_binding())),
            )?,
            Ratio::of(
                "1,000 copies, one buffer pair / 1,000 ready dispatches",
                Some(1.5),
                rounds,
                || time(|| self.batch(Batch::OnePair)),
                || time(|| Ok(self.bare(BATCH))),
            )?,
            Ratio::of(
                "1,000 unlike copies / 1,000 dispatches with new bind groups",
                None,
                rounds,
                || time(|| self.batch(Batch::Unlike)),
                || time(|| Ok(self.bare_binding())),
            )?,
        ])
    }

    fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, group: &wgpu::BindGroup) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        let descriptor = wgpu::CommandEncoderDescriptor::default();
        self.device.create_command_encoder(&descriptor)
    }

    fn pass(&self, record: impl FnOnce(&mut wgpu::ComputePass<'_>)) -> wgpu::CommandBuffer {
        let mut encoder = self.encoder();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        record(&mut pass);
        drop(pass);
        encoder.finish()
    }
}

fn group(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    src: &Tensor,
    dst: &Tensor,
    uniform: &wgpu::Buffer,
) -> wgpu::BindGroup {
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("bare"),
        layout,
        entries: &[
            entry(0, src.buffer()),
            entry(1, dst.buffer()),
            entry(2, uniform),
        ],
    })
}

fn entry(binding: u32, buffer: &wgpu::Buffer) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry {
        binding,
        resource: buffer.as_entire_binding(),
    }
}

/// How long the work takes; what it made is dropped after the clock has stopped.
fn time<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<Duration, Error> {
    let start = Instant::now();
    let made = work()?;
    let taken = start.elapsed();
    drop(made);
    Ok(taken)
}
