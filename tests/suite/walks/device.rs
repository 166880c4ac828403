//! Walks over copiers, plans on any buffers, and GPU tensors: on the no-op device, and on lavapipe.

use std::cell::Cell;

use restride::gpu::{Copier, HostRead, Pair, Prepared, ReadBack, Tensor, View};
use restride::plan::{Limits, Options};
use restride::{DType, Layout, host};
use wgpu::BufferUsages;

use super::numbers::{dtype, int, limits, options, shape, small, uint};
use super::{Things, axis, pick, placed, run, walks};
use crate::adapters::{Engine, open, own};
use crate::generator::Rng;
use crate::gpu_parts::{EVERY_USE, encoder};

/// Most bits that a walk makes, of a tensor that can be made at all.
const MOST_BITS: u128 = 1 << 18;

/// What walks on one device share: no pipeline is made twice.
struct Stage<'a> {
    engine: &'a Engine,
    copiers: [Copier; 3],
    /// Of many sizes and usages; one destroyed, and one of another device.
    buffers: Vec<wgpu::Buffer>,
    /// Calls that gave something: copies, preparations, tensors, reads. A walk of refusals alone would show little.
    given: [Cell<u64>; 4],
}

/// What [`Stage::given`] counts.
const GIVEN: [&str; 4] = ["copies", "preparations", "tensors", "reads"];

impl<'a> Stage<'a> {
    fn new(engine: &'a Engine, other: &Engine) -> Self {
        let buffer = |device: &wgpu::Device, size, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let device = &engine.device;
        let mut buffers: Vec<_> = [4, 16, 60, 61, 63, 64, 256, 4096, 4097]
            .into_iter()
            .map(|size| buffer(device, size, EVERY_USE))
            .collect();
        for usage in [
            BufferUsages::STORAGE,
            BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
            BufferUsages::COPY_SRC | BufferUsages::STORAGE,
            BufferUsages::UNIFORM,
        ] {
            buffers.push(buffer(device, 256, usage));
        }
        let gone = buffer(device, 256, EVERY_USE);
        gone.destroy();
        buffers.push(gone);
        buffers.push(buffer(&other.device, 256, EVERY_USE));
        let own = Copier::new(device).unwrap();
        let granted = own.options().limits;
        let with = |binding_bytes, groups, max_steps| {
            let limits = Limits {
                binding_bytes,
                groups,
                ..granted
            };
            let options = Options {
                limits,
                max_steps,
                ..Options::default()
            };
            Copier::with_options(device, options).unwrap()
        };
        let small = with(granted.alignment_bytes.max(256), 3, 64);
        let smaller = with(granted.alignment_bytes, 1, 20);
        Self {
            engine,
            copiers: [own, small, smaller],
            buffers,
            given: Default::default(),
        }
    }

    fn walk(&self, rng: &mut Rng) {
        let device = &self.engine.device;
        let mut walk = Walk {
            stage: self,
            things: Things::new(),
            planned: None,
            tensors: vec![Tensor::zeros(device, DType::UInt32, &[4, 4]).unwrap()],
            prepared: Vec::new(),
            reads: Vec::new(),
            host_reads: Vec::new(),
        };
        let mut encoder = encoder(device);
        for _ in 0..12 {
            if rng.once_in(4) {
                walk.things.step(rng);
            } else {
                walk.step(&mut encoder, rng);
            }
        }
        if rng.once_in(20) {
            drop(encoder);
        } else {
            self.engine.queue.submit([encoder.finish()]);
        }
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        for read in walk.reads {
            let _ = pollster::block_on(read);
        }
        for read in walk.host_reads {
            let _ = pollster::block_on(read);
        }
        let complaints = self.engine.complaints();
        assert!(complaints.is_empty(), "{complaints:?}");
    }
}

/// One walk on a device.
struct Walk<'a> {
    stage: &'a Stage<'a>,
    things: Things,
    /// The buffers of the last copy.
    planned: Option<[wgpu::Buffer; 2]>,
    tensors: Vec<Tensor>,
    prepared: Vec<Prepared>,
    reads: Vec<ReadBack>,
    host_reads: Vec<HostRead>,
}

impl Walk<'_> {
    /// Counts a call that gave something.
    fn given<T, E>(&self, what: usize, outcome: Result<T, E>) -> Option<T> {
        let given = &self.stage.given[what];
        given.set(given.get() + u64::from(outcome.is_ok()));
        outcome.ok()
    }

    fn copier(&self, rng: &mut Rng) -> &Copier {
        &self.stage.copiers[pick(rng, 3)]
    }

    /// Any buffer, and mostly one that a view fits and that can be used in every way.
    fn buffer(&self, rng: &mut Rng) -> &wgpu::Buffer {
        let buffers = &self.stage.buffers;
        if rng.once_in(3) {
            &buffers[pick(rng, buffers.len())]
        } else {
            &buffers[5 + pick(rng, 4)]
        }
    }

    fn tensor(&self, rng: &mut Rng) -> &Tensor {
        &self.tensors[pick(rng, self.tensors.len())]
    }

    fn step(&mut self, encoder: &mut wgpu::CommandEncoder, rng: &mut Rng) {
        match rng.below(12) {
            0..=3 => self.copy(encoder, rng),
            4..=6 => self.prepare(encoder, rng),
            7 => self.make(rng),
            8 | 9 => self.move_tensor(rng),
            _ => self.use_tensor(encoder, rng),
        }
    }

    /// Plans or records copies between views of any buffers.
    fn copy(&mut self, encoder: &mut wgpu::CommandEncoder, rng: &mut Rng) {
        let layouts: Vec<(Layout, Layout)> = (0..1 + rng.below(3))
            .map(|_| self.things.pair(rng))
            .collect();
        let (one, other) = (dtype(rng), dtype(rng));
        let buffers = [self.buffer(rng).clone(), self.buffer(rng).clone()];
        let copies: Vec<Pair<'_>> = layouts
            .iter()
            .map(|(src, dst)| {
                let mut view = |layout| View {
                    buffer: &buffers[pick(rng, 2)],
                    dtype: if rng.once_in(30) { other } else { one },
                    layout,
                };
                Pair {
                    src: view(src),
                    dst: view(dst),
                }
            })
            .collect();
        let Pair { src, dst } = copies[0];
        self.planned = Some([src.buffer.clone(), dst.buffer.clone()]);
        let copier = self.copier(rng);
        match rng.below(6) {
            0 => {
                self.given(0, copier.copy(encoder, src, dst));
            }
            1 => {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                self.given(0, copier.copy_in_pass(&mut pass, src, dst));
            }
            2 => {
                self.given(0, copier.copy_all(encoder, &copies));
            }
            3 => {
                let prepared = self.given(1, copier.prepare_all(&copies));
                self.prepared.extend(prepared);
            }
            4 => self.things.plans.extend(copier.plan(src, dst)),
            _ => self.things.plans.extend(copier.plan_in_pass(src, dst)),
        }
    }

    /// Prepares a plan for any buffers, or records what is prepared.
    fn prepare(&mut self, encoder: &mut wgpu::CommandEncoder, rng: &mut Rng) {
        // Those of the last plan, or any.
        let (src, dst) = match &self.planned {
            Some([src, dst]) if !rng.once_in(3) => (src, dst),
            _ => (self.buffer(rng), self.buffer(rng)),
        };
        let dst = if rng.once_in(9) { src } else { dst };
        let copier = self.copier(rng);
        if rng.once_in(2)
            && let Some(plan) = self.things.plans.last()
            && plan.step_count() <= 64
        {
            let prepared = match rng.below(6) {
                0 => copier.prepare_with_scratch(plan, src, dst, self.buffer(rng)),
                1 => {
                    let _ = copier.warm(plan);
                    return;
                }
                _ => copier.prepare(plan, src, dst),
            };
            let prepared = self.given(1, prepared);
            self.prepared.extend(prepared);
        } else if let Some(prepared) = self.prepared.last() {
            if rng.once_in(2) {
                prepared.record(encoder);
            } else {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                let _ = prepared.record_in_pass(&mut pass);
            }
        }
    }

    /// Makes a tensor, or a copier.
    fn make(&mut self, rng: &mut Rng) {
        let device = &self.stage.engine.device;
        let (dtype, shape) = (dtype(rng), shape(rng));
        match rng.below(5) {
            0 => {
                let options = Options {
                    limits: limits(rng),
                    ..options(rng)
                };
                let _ = Copier::with_options(device, options);
            }
            1 => {
                let layout = self.things.layout(rng).clone();
                let buffer = self.buffer(rng).clone();
                self.tensors.extend(Tensor::new(buffer, dtype, layout));
            }
            2 => {
                let numel = shape
                    .iter()
                    .map(|&extent| u128::from(extent))
                    .try_fold(1_u128, u128::checked_mul);
                let bits = numel.and_then(|numel| numel.checked_mul(dtype.bits().into()));
                if bits.is_none_or(|bits| self.may_make(bits)) {
                    self.tensors.extend(Tensor::zeros(device, dtype, &shape));
                }
            }
            3 => {
                let values = vec![7_u16; pick(rng, 9)];
                let shape = small(rng);
                let layout = placed(rng, &shape);
                let view = layout.map(|layout| host::View::from_slice(&values, layout));
                if let Some(Ok(view)) = view {
                    self.tensors.extend(Tensor::upload_view(device, &view));
                }
            }
            _ => {
                let shape = small(rng);
                let numel: u64 = shape.iter().product();
                let needed = usize::try_from(dtype.width().bytes_for(numel)).unwrap();
                let over = usize::from(rng.once_in(9));
                let bytes = rng.bytes(needed + over);
                self.tensors
                    .extend(Tensor::upload(device, dtype, &shape, &bytes));
            }
        }
    }

    /// Whether so many bits are few, or more than the device makes.
    fn may_make(&self, bits: u128) -> bool {
        let limit = self.stage.engine.device.limits().max_buffer_size;
        bits <= MOST_BITS || bits / 8 > u128::from(limit)
    }

    fn move_tensor(&mut self, rng: &mut Rng) {
        let tensor = self.tensor(rng).clone();
        let (a, b) = (axis(rng, tensor.layout()), axis(rng, tensor.layout()));
        let moved = match rng.below(8) {
            0 => Ok(tensor.transpose()),
            1 => tensor.flip(a),
            2 => tensor.narrow(a, uint(rng), uint(rng)),
            3 => tensor.select(a, int(rng)),
            4 => tensor.unfold(a, uint(rng), uint(rng)),
            5 => tensor.diagonal(a, b),
            6 => tensor.expand(&shape(rng)),
            _ => match tensor.bitcast(dtype(rng)) {
                Ok(Some(cast)) => Ok(cast),
                _ => return,
            },
        };
        self.tensors.extend(moved);
    }

    fn use_tensor(&mut self, encoder: &mut wgpu::CommandEncoder, rng: &mut Rng) {
        let tensor = self.tensor(rng).clone();
        let numel = u128::from(tensor.layout().numel());
        if !self.may_make(numel * u128::from(tensor.dtype().bits())) {
            return;
        }
        let copier = self.copier(rng);
        let queue = &self.stage.engine.queue;
        match rng.below(5) {
            0 => {
                let made = self.given(2, tensor.materialize(copier, encoder));
                self.tensors.extend(made);
            }
            1 => {
                self.given(0, tensor.copy_from(copier, encoder, self.tensor(rng)));
            }
            2 => {
                let read = self.given(3, tensor.record_read(copier, encoder));
                self.reads.extend(read);
            }
            3 => {
                let data_type = host::DataType::from_dtype(tensor.dtype());
                let data_type = data_type.unwrap_or(host::DataType::Float);
                let read = tensor.record_read_host(copier, encoder, data_type);
                self.host_reads.extend(read);
            }
            _ => {
                if let Some(bytes) = self.given(3, tensor.read_blocking(copier, queue)) {
                    let numel = tensor.layout().numel();
                    assert_eq!(bytes.len() as u64, tensor.dtype().width().bytes_for(numel));
                }
            }
        }
    }
}

#[test]
fn walks_on_devices_end_in_no_panic_and_no_complaint() {
    let mut done = Vec::new();
    for adapter in &own() {
        let (Some(engine), Some(other)) = (open(adapter), open(adapter)) else {
            continue;
        };
        if !["llvmpipe/Vulkan", "noop wgpu backend/Noop"].contains(&engine.name.as_str()) {
            continue;
        }
        let stage = Stage::new(&engine, &other);
        run(&format!("walks on {}", engine.name), |rng| stage.walk(rng));
        assert!(other.complaints().is_empty());
        let pipelines: Vec<_> = stage.copiers.iter().map(Copier::pipeline_count).collect();
        println!(
            "walks: {} on {}, {pipelines:?} pipelines",
            walks(),
            engine.name
        );
        for (what, given) in GIVEN.iter().zip(&stage.given) {
            println!("walks: {} {what}", given.get());
            assert!(given.get() >= walks() / 5, "{what} hardly ever succeed");
        }
        done.push(engine.name.clone());
    }
    assert!(done.iter().any(|name| name.ends_with("/Noop")), "{done:?}");
}
