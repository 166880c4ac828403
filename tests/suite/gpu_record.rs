//! Recording: many copies in a pass, beside the caller's own commands, prepared once and recorded often.

use std::thread;

use restride::gpu::{Copier, Pair, Tensor};
use restride::plan::{Limits, Options};
use restride::{DType, Error, Layout, Width, reference};

use crate::adapters::{Engine, each};
use crate::generator::{Case, Rng, seed};
use crate::gpu_copies::tiny;
use crate::gpu_parts::{EVERY_USE, buffer, bytes, copier, encoder, submit, view};

fn contiguous(shape: &[u64]) -> Layout {
    Layout::contiguous(shape).unwrap()
}

/// `Ok` iff a buffer holds these words.
fn holds(engine: &Engine, buffer: &wgpu::Buffer, expected: &[u32]) -> Result<(), String> {
    let bytes = bytes(&engine.device, &engine.queue, buffer);
    let (quads, _) = bytes.as_chunks();
    let found: Vec<u32> = quads.iter().map(|quad| u32::from_le_bytes(*quad)).collect();
    assert_eq!(found.len(), expected.len());
    match (0..found.len()).find(|&k| found[k] != expected[k]) {
        None => Ok(()),
        Some(k) => Err(format!(
            "{}: word {k} is {:#x}, not {:#x}",
            engine.name, found[k], expected[k]
        )),
    }
}

fn words(engine: &Engine, words: &[u32]) -> wgpu::Buffer {
    buffer(&engine.device, bytemuck::cast_slice(words), EVERY_USE)
}

/// A few small buffers on the host and on a device, and random copies between them.
struct Bench {
    host: Vec<Vec<u8>>,
    device: Vec<wgpu::Buffer>,
    copies: Vec<(usize, usize, Width, Layout, Layout)>,
}

const BENCH_BYTES: usize = 8 << 10;

/// Random layouts that fit a bench's buffers. Few, as each may need a pipeline or two.
fn layouts(rng: &mut Rng, count: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    while cases.len() < count {
        let bits = rng.pick(&[1, 4, 6, 8, 12, 16, 24, 32, 64, 128]);
        let case = Case::random(rng, bits, 16_000);
        if case.src.len().max(case.dst.len()) <= BENCH_BYTES {
            cases.push(case);
        }
    }
    cases
}

impl Bench {
    fn new(device: &wgpu::Device, rng: &mut Rng, cases: &[Case], copies: usize) -> Self {
        let host: Vec<Vec<u8>> = (0..3).map(|_| rng.bytes(BENCH_BYTES)).collect();
        let mut bench = Self {
            device: host
                .iter()
                .map(|bytes| buffer(device, bytes, EVERY_USE))
                .collect(),
            host,
            copies: Vec::new(),
        };
        for _ in 0..copies {
            // Pairs repeat: a third of the copies have the buffers of the one before.
            let (src, dst) = match bench.copies.last() {
                Some(&(src, dst, ..)) if rng.once_in(3) => (src, dst),
                _ => rng.pick(&[(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]),
            };
            let case = &cases[usize::try_from(rng.below(cases.len() as u64)).unwrap()];
            let layouts = (case.src_layout.clone(), case.dst_layout.clone());
            bench
                .copies
                .push((src, dst, case.width, layouts.0, layouts.1));
        }
        bench
    }

    fn copies(&self) -> Vec<Pair<'_>> {
        self.copies
            .iter()
            .map(|(src, dst, width, from, to)| Pair {
                src: view(&self.device[*src], width.bits(), from),
                dst: view(&self.device[*dst], width.bits(), to),
            })
            .collect()
    }

    /// The copies one after the other on the host.
    fn run_on_the_host(&mut self) {
        for (src, dst, width, from, to) in &self.copies {
            let source = self.host[*src].clone();
            reference::copy(*width, &source, from, &mut self.host[*dst], to).unwrap();
        }
    }

    /// Whether the device's buffers hold what the host's do.
    fn agrees(&self, device: &wgpu::Device, queue: &wgpu::Queue) -> Result<(), String> {
        for (i, (host, buffer)) in self.host.iter().zip(&self.device).enumerate() {
            let found = bytes(device, queue, buffer);
            if let Some(at) = (0..found.len()).find(|&at| found[at] != host[at]) {
                return Err(format!("buffer {i}, byte {at}"));
            }
        }
        Ok(())
    }
}

#[test]
fn many_mixed_copies_run_in_order() {
    let seed = seed("gpu_record");
    each(|engine| {
        let copier = copier(engine);
        let mut rng = Rng::new(seed);
        let cases = layouts(&mut rng, 20);
        for count in [1, 7, 300] {
            let mut bench = Bench::new(&engine.device, &mut rng, &cases, count);
            let copies = bench.copies();
            // Every buffer may be bound, so that all of it is one pass: what has native copies is refused in one.
            let prepared = copier.prepare_all(&copies).unwrap();
            submit(engine, |encoder| {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                prepared.record_in_pass(&mut pass).unwrap();
            });
            bench.run_on_the_host();
            bench.agrees(&engine.device, &engine.queue).unwrap();
            // Once more, recorded directly.
            submit(engine, |encoder| {
                copier.copy_all(encoder, &bench.copies()).unwrap();
            });
            bench.run_on_the_host();
            bench.agrees(&engine.device, &engine.queue).unwrap();
            bench.host[1][77] ^= 4;
            bench.agrees(&engine.device, &engine.queue).unwrap_err();
        }
        submit(engine, |encoder| copier.copy_all(encoder, &[]).unwrap());
    });
}

#[test]
fn a_later_copy_reads_what_an_earlier_one_wrote() {
    const N: u32 = 61;
    each(|engine| {
        let start: Vec<u32> = (0..N).collect();
        let (a, b) = (
            words(engine, &start),
            words(engine, &vec![u32::MAX; N as usize]),
        );
        let n = u64::from(N);
        let (all_but_first, first) = (
            contiguous(&[n]).narrow(0, 1, n - 1).unwrap(),
            contiguous(&[1]),
        );
        let (all_but_last, last) = (
            contiguous(&[n - 1]),
            contiguous(&[n]).narrow(0, n - 1, 1).unwrap(),
        );
        // One place to the left, from each buffer to the other in turn: two copies a turn.
        let mut copies = Vec::new();
        for turn in 0..150 {
            let (from, to) = if turn % 2 == 0 { (&a, &b) } else { (&b, &a) };
            copies.push(Pair {
                src: view(from, 32, &all_but_first),
                dst: view(to, 32, &all_but_last),
            });
            copies.push(Pair {
                src: view(from, 32, &first),
                dst: view(to, 32, &last),
            });
        }
        submit(engine, |encoder| {
            copier(engine).copy_all(encoder, &copies).unwrap();
        });
        let turned = |turns: u32| -> Vec<u32> { (0..N).map(|k| (k + turns) % N).collect() };
        holds(engine, &a, &turned(150)).unwrap();
        holds(engine, &b, &turned(149)).unwrap();
        holds(engine, &b, &turned(148)).unwrap_err();
    });
}

/// Adds 1 to each word of a buffer: a stand-in for the caller's own work.
const INCREMENT: &str = "
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&numbers) { numbers[id.x] += 1u; }
}";

/// The caller's own pipeline, with a bind group for each of its buffers.
struct Increment {
    pipeline: wgpu::ComputePipeline,
}

impl Increment {
    fn new(device: &wgpu::Device) -> Self {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(INCREMENT.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        Self { pipeline }
    }

    fn record(
        &self,
        device: &wgpu::Device,
        pass: &mut wgpu::ComputePass<'_>,
        buffer: &wgpu::Buffer,
    ) {
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: buffer.as_entire_binding(),
            }],
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(u32::try_from(buffer.size().div_ceil(256)).unwrap(), 1, 1);
    }
}

#[test]
fn copies_stand_between_the_callers_own_dispatches() {
    each(|engine| {
        let (device, copier) = (&engine.device, copier(engine));
        let increment = Increment::new(device);
        let start: Vec<u32> = (0..600).map(|k| k * 1_000_003).collect();
        let (a, b, c) = (
            words(engine, &start),
            words(engine, &[7; 600]),
            words(engine, &[9; 602]),
        );
        let (rows, columns) = (contiguous(&[20, 30]), contiguous(&[30, 20]));
        let turned = rows.transpose();
        let reversed = contiguous(&[600]).flip(0).unwrap();
        let inside = Layout::strided(1, &[1], &[600]).unwrap();
        submit(engine, |encoder| {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            increment.record(device, &mut pass, &a);
            copier
                .copy_in_pass(&mut pass, view(&a, 32, &turned), view(&b, 32, &columns))
                .unwrap();
            increment.record(device, &mut pass, &b);
            increment.record(device, &mut pass, &a);
            copier
                .copy_in_pass(&mut pass, view(&b, 32, &reversed), view(&c, 32, &inside))
                .unwrap();
            increment.record(device, &mut pass, &c);
        });
        let at = |k: usize| start[k % 20 * 30 + k / 20];
        holds(engine, &a, &start.iter().map(|x| x + 2).collect::<Vec<_>>()).unwrap();
        holds(engine, &b, &(0..600).map(|k| at(k) + 2).collect::<Vec<_>>()).unwrap();
        let mut last: Vec<u32> = (0..600).map(|k| at(599 - k) + 3).collect();
        last.insert(0, 10);
        last.push(10);
        holds(engine, &c, &last).unwrap();
    });
}

#[test]
fn copies_stand_between_the_callers_own_copies_and_passes() {
    each(|engine| {
        let (device, copier) = (&engine.device, copier(engine));
        let increment = Increment::new(device);
        let start: Vec<u32> = (0..240).collect();
        let (x, a) = (words(engine, &start), words(engine, &[0; 240]));
        let (b, y) = (words(engine, &[5; 240]), words(engine, &[6; 240]));
        let (rows, columns) = (contiguous(&[12, 20]), contiguous(&[20, 12]));
        submit(engine, |encoder| {
            encoder.copy_buffer_to_buffer(&x, 0, &a, 0, 960);
            copier
                .copy(
                    encoder,
                    view(&a, 32, &rows.transpose()),
                    view(&b, 32, &columns),
                )
                .unwrap();
            encoder.copy_buffer_to_buffer(&b, 0, &y, 0, 480);
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                increment.record(device, &mut pass, &b);
            }
            // A plain copy, which is native.
            copier
                .copy(encoder, view(&b, 32, &rows), view(&a, 32, &rows))
                .unwrap();
            encoder.clear_buffer(&b, 0, None);
        });
        let turned = |k: u32| k % 12 * 20 + k / 12;
        holds(
            engine,
            &a,
            &(0..240).map(|k| turned(k) + 1).collect::<Vec<_>>(),
        )
        .unwrap();
        holds(engine, &b, &[0; 240]).unwrap();
        holds(
            engine,
            &y,
            &(0..240)
                .map(|k| if k < 120 { turned(k) } else { 6 })
                .collect::<Vec<_>>(),
        )
        .unwrap();
    });
}

#[test]
fn what_is_prepared_is_recorded_often() {
    each(|engine| {
        let copier = copier(engine);
        let contents = |seed: u32| -> Vec<u32> { (0..300).map(|k| k * 16 + seed).collect() };
        let turned = |seed: u32| -> Vec<u32> {
            (0..300)
                .map(|k| (k % 15 * 20 + k / 15) * 16 + seed)
                .collect()
        };
        let (a, b) = (words(engine, &contents(0)), words(engine, &[1; 300]));
        let (src, dst) = (contiguous(&[15, 20]).transpose(), contiguous(&[20, 15]));
        let plan = copier
            .plan_in_pass(view(&a, 32, &src), view(&b, 32, &dst))
            .unwrap();
        let prepared = copier.prepare(&plan, &a, &b).unwrap();
        assert_eq!(
            (prepared.len() as u64, prepared.is_empty()),
            (plan.step_count(), false)
        );
        // In one submission, between changes of the contents.
        let inputs: Vec<_> = (1..5).map(|seed| words(engine, &contents(seed))).collect();
        let outputs: Vec<_> = inputs.iter().map(|_| words(engine, &[2; 300])).collect();
        submit(engine, |encoder| {
            for (input, output) in inputs.iter().zip(&outputs) {
                encoder.copy_buffer_to_buffer(input, 0, &a, 0, 1200);
                prepared.record(encoder);
                encoder.copy_buffer_to_buffer(&b, 0, output, 0, 1200);
            }
        });
        for (seed, output) in (1..).zip(&outputs) {
            holds(engine, output, &turned(seed)).unwrap();
        }
        // In several submissions.
        for seed in 5..8 {
            engine
                .queue
                .write_buffer(&a, 0, bytemuck::cast_slice(&contents(seed)));
            submit(engine, |encoder| {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                prepared.record_in_pass(&mut pass).unwrap();
                prepared.record_in_pass(&mut pass).unwrap();
            });
            holds(engine, &b, &turned(seed)).unwrap();
            holds(engine, &b, &turned(seed + 1)).unwrap_err();
        }
        assert!(copier.prepare_all(&[]).unwrap().is_empty());
    });
}

#[test]
fn recordings_before_one_submission_keep_their_uniforms() {
    each(|engine| {
        let copier = copier(engine);
        let x = words(engine, &(0..256).collect::<Vec<_>>());
        let targets: Vec<_> = (0..6).map(|_| words(engine, &[3; 64])).collect();
        let dst = contiguous(&[64]);
        // The same pipeline and the same source, six offsets: only the uniforms differ.
        let commands: Vec<_> = (0..)
            .zip(&targets)
            .map(|(k, target)| {
                let src = Layout::strided(k, &[3], &[64]).unwrap();
                let mut encoder = encoder(&engine.device);
                copier
                    .copy(&mut encoder, view(&x, 32, &src), view(target, 32, &dst))
                    .unwrap();
                encoder.finish()
            })
            .collect();
        engine.queue.submit(commands.into_iter().rev());
        for (first, target) in (0..).zip(&targets) {
            holds(
                engine,
                target,
                &(0..64).map(|k| first + 3 * k).collect::<Vec<_>>(),
            )
            .unwrap();
        }
    });
}

#[test]
fn what_was_warmed_is_recorded_without_a_new_pipeline() {
    each(|engine| {
        let device = &engine.device;
        let tiny = tiny(&copier(engine));
        let limits: [Limits; 2] = [(&device.limits()).into(), tiny];
        let mut rng = Rng::new(5);
        let mut made = 0;
        for (limits, bits) in limits
            .into_iter()
            .flat_map(|limits| [4, 8, 24, 32].map(|bits| (limits, bits)))
        {
            let options = Options {
                limits,
                max_steps: 1_000,
                ..Options::default()
            };
            let copier = Copier::with_options(device, options).unwrap();
            let case = Case::random(&mut rng, bits, 8_000);
            let (src, dst) = (
                buffer(device, &case.src, EVERY_USE),
                buffer(device, &case.dst, EVERY_USE),
            );
            let (from, to) = (
                view(&src, case.width.bits(), &case.src_layout),
                view(&dst, case.width.bits(), &case.dst_layout),
            );
            let plan = copier.plan_in_pass(from, to).unwrap();
            assert_eq!(copier.pipeline_count(), 0);
            copier.warm(&plan).unwrap();
            let warm = copier.pipeline_count();
            assert_eq!(warm > 0, plan.step_count() > 0);
            submit(engine, |encoder| {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                copier.copy_in_pass(&mut pass, from, to).unwrap();
            });
            assert_eq!(copier.pipeline_count(), warm, "{plan}");
            let found = bytes(device, &engine.queue, &dst);
            assert!(found == case.expected, "another result: {plan}");
            made += warm;
        }
        assert!(made >= 4, "{made} pipelines");
    });
}

#[test]
fn threads_share_a_copier() {
    let seed = seed("gpu_record::threads");
    each(|engine| {
        let (device, queue) = (&engine.device, &engine.queue);
        // A copier of their own, so that they also make its pipelines at the same time.
        let copier = &Copier::new(device).unwrap();
        let cases = &layouts(&mut Rng::new(seed), 6);
        thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    let mut rng = Rng::new(seed + thread);
                    for _ in 0..5 {
                        let mut bench = Bench::new(device, &mut rng, cases, 12);
                        let mut encoder = encoder(device);
                        copier.copy_all(&mut encoder, &bench.copies()).unwrap();
                        queue.submit([encoder.finish()]);
                        bench.run_on_the_host();
                        bench.agrees(device, queue).unwrap();
                    }
                });
            }
        });
    });
}

/// Where element `k` of a view is.
type Place = fn(u32) -> u32;

#[test]
fn plans_of_thousands_of_steps() {
    each(|engine| {
        let tiny = tiny(&copier(engine));
        let options = Options {
            limits: tiny,
            ..Options::default()
        };
        let copier = Copier::with_options(&engine.device, options).unwrap();
        // A transpose of hundreds of steps; a reversal of more than one uniform buffer's.
        let (rows, columns) = (100, 120);
        let reversed = contiguous(&[1 << 20]).flip(0).unwrap();
        let (turned, target) = (
            contiguous(&[rows, columns]).transpose(),
            contiguous(&[columns, rows]),
        );
        let table: [(&Layout, &Layout, u64, Place); 2] = [
            (&turned, &target, 200, |k| k % 100 * 120 + k / 100),
            (&reversed, &contiguous(&[1 << 20]), 4200, |k| {
                (1 << 20) - 1 - k
            }),
        ];
        for (src, dst, least, formula) in table {
            let count = u32::try_from(src.numel()).unwrap();
            let a = words(engine, &(0..count).collect::<Vec<_>>());
            let b = words(engine, &vec![0x1234_5678; count as usize + 1]);
            let plan = copier
                .plan_in_pass(view(&a, 32, src), view(&b, 32, dst))
                .unwrap();
            assert!(plan.step_count() >= least, "{} steps", plan.step_count());
            submit(engine, |encoder| {
                copier.prepare(&plan, &a, &b).unwrap().record(encoder);
            });
            let mut expected: Vec<u32> = (0..count).map(formula).collect();
            expected.push(0x1234_5678);
            holds(engine, &b, &expected).unwrap();
        }
    });
}

#[test]
fn a_read_that_is_never_submitted_is_an_error() {
    each(|engine| {
        let copier = copier(engine);
        let tensor = Tensor::upload(&engine.device, DType::UInt8, &[5], &[1, 2, 3, 4, 5]).unwrap();
        let mut dropped = encoder(&engine.device);
        let read = tensor.record_read(&copier, &mut dropped).unwrap();
        drop(dropped);
        assert_eq!(pollster::block_on(read), Err(Error::NotSubmitted));
        // So is one whose encoder was finished, and then thrown away.
        let mut finished = encoder(&engine.device);
        let read = tensor.record_read(&copier, &mut finished).unwrap();
        drop(finished.finish());
        assert_eq!(pollster::block_on(read), Err(Error::NotSubmitted));
        // One that nobody waits for is nobody's trouble.
        submit(engine, |encoder| {
            drop(tensor.record_read(&copier, encoder).unwrap());
        });
        assert_eq!(
            tensor.read_blocking(&copier, &engine.queue).unwrap(),
            [1, 2, 3, 4, 5]
        );
    });
}
