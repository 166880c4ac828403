//! Random plans on every adapter: every bit of the destination's buffer as the reference has it.

use restride::gpu::Copier;
use restride::plan::{Limits, Plan, Program, Step};

use crate::adapters::{Engine, each};
use crate::generator::{Case, Rng, seed, widths};

/// Copies per submission.
const BATCH: usize = 64;

/// Copies a run: many on lavapipe, which is the fastest, fewer elsewhere.
fn copies_wanted(engine: &Engine) -> usize {
    let asked = std::env::var("RESTRIDE_COPIES")
        .ok()
        .and_then(|text| text.parse().ok());
    let default = if engine.name == "llvmpipe/Vulkan" {
        20_000
    } else {
        2_000
    };
    asked.unwrap_or(default)
}

/// Small limits that the device's alignments allow.
pub(crate) fn tiny(copier: &Copier) -> Limits {
    let device = copier.options().limits;
    Limits {
        alignment_bytes: Limits::TINY.alignment_bytes.max(device.alignment_bytes),
        uniform_alignment_bytes: device.uniform_alignment_bytes,
        ..Limits::TINY
    }
}

/// Whether a plan has native copies: all of its steps into scratch are of one kind, and all others.
fn has_native(plan: &Plan) -> bool {
    let last = plan.step_count().saturating_sub(1);
    [0, last]
        .into_iter()
        .any(|k| matches!(plan.step(k), Some(Step::Native(_))))
}

/// The destination's bytes after each copy, all in one submission.
pub(crate) fn run(engine: &Engine, copier: &Copier, copies: &[(&Case, &Plan)]) -> Vec<Vec<u8>> {
    let usage =
        wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let buffer = |bytes: &[u8], usage| {
        let buffer = engine.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes.len() as u64,
            usage,
            mapped_at_creation: true,
        });
        buffer
            .get_mapped_range_mut(..)
            .unwrap()
            .copy_from_slice(bytes);
        buffer.unmap();
        buffer
    };
    let mut encoder = engine
        .device
        .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let total: usize = copies.iter().map(|(case, _)| case.dst.len()).sum();
    let read = engine.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: total as u64,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut at = 0;
    for (i, (case, plan)) in copies.iter().enumerate() {
        let dst = buffer(&case.dst, usage);
        let src = if case.one_buffer {
            dst.clone()
        } else {
            buffer(&case.src, usage)
        };
        let prepared = copier.prepare(plan, &src, &dst).unwrap();
        if i % 2 == 0 && !has_native(plan) {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            prepared.record_in_pass(&mut pass).unwrap();
        } else {
            prepared.record(&mut encoder);
        }
        encoder.copy_buffer_to_buffer(&dst, 0, &read, at, case.dst.len() as u64);
        at += case.dst.len() as u64;
    }
    encoder.map_buffer_on_submit(&read, wgpu::MapMode::Read, .., |outcome| outcome.unwrap());
    engine.queue.submit([encoder.finish()]);
    engine
        .device
        .poll(wgpu::PollType::wait_indefinitely())
        .unwrap();
    let view = read.get_mapped_range(..).unwrap();
    let mut rest = &view[..];
    copies
        .iter()
        .map(|(case, _)| rest.split_off(..case.dst.len()).unwrap().to_vec())
        .collect()
}

/// Where a result differs from what was expected.
fn difference(case: &Case, found: &[u8]) -> Option<String> {
    let at = found
        .iter()
        .zip(&case.expected)
        .position(|(found, expected)| found != expected)?;
    Some(format!(
        "byte {at} is {:#x}, not {:#x} (was {:#x})",
        found[at], case.expected[at], case.dst[at]
    ))
}

/// Random cases with every plan of each, until `wanted` plans are there.
fn batches(
    rng: &mut Rng,
    copier: &Copier,
    wanted: usize,
    mut take: impl FnMut(&[(&Case, &Plan)]),
) -> usize {
    let widths = widths(rng);
    let (device, tiny) = (copier.options().limits, tiny(copier));
    let mut done = 0;
    while done < wanted {
        let cases: Vec<(Case, Vec<Plan>)> = (0..BATCH / 4)
            .map(|i| {
                let bits = rng.pick(&widths);
                let most = rng.pick(&[2_000, 20_000, 100_000]);
                let case = if i % 5 == 0 {
                    Case::random_in_one_buffer(rng, bits, most)
                } else {
                    Case::random(rng, bits, most)
                };
                let mut plans = case.plans(if i % 3 == 0 { tiny } else { device });
                plans.retain(|plan| plan.step_count() <= 2_000);
                (case, plans)
            })
            .collect();
        let copies: Vec<(&Case, &Plan)> = cases
            .iter()
            .flat_map(|(case, plans)| plans.iter().map(move |plan| (case, plan)))
            .collect();
        for chunk in copies.chunks(BATCH) {
            take(chunk);
            done += chunk.len();
        }
    }
    done
}

#[test]
fn random_plans_are_exact_on_every_adapter() {
    let seed = seed("gpu_exact");
    each(|engine| {
        let copier = Copier::new(&engine.device).unwrap();
        let mut rng = Rng::new(seed);
        let done = batches(&mut rng, &copier, copies_wanted(engine), |copies| {
            for ((case, plan), found) in copies.iter().zip(run(engine, &copier, copies)) {
                if let Some(why) = difference(case, &found) {
                    panic!(
                        "{}: {why}\n{plan}\nwidth {}\nsource {}\ndestination {}",
                        engine.name, case.width, case.src_layout, case.dst_layout
                    );
                }
            }
        });
        let pipelines = copier.pipeline_count();
        println!(
            "gpu_exact: {done} copies on {}, {pipelines} pipelines",
            engine.name
        );
        // Three ways to bind, and at most three classes of axes and two of workgroups for each kernel and width.
        assert!(
            pipelines <= Program::all().len() && Program::all().len() < 2_000,
            "{pipelines} pipelines"
        );
    });
}

#[test]
fn a_planted_wrong_bit_is_found_on_every_adapter() {
    each(|engine| {
        let copier = Copier::new(&engine.device).unwrap();
        let mut rng = Rng::new(3);
        let mut case = Case::random(&mut rng, 6, 6_000);
        while case.dst_layout.numel() == 0 {
            case = Case::random(&mut rng, 6, 6_000);
        }
        let plan = case.plans(Limits::from(&engine.device.limits())).remove(0);
        let found = run(engine, &copier, &[(&case, &plan)]).remove(0);
        assert_eq!(difference(&case, &found), None);
        let bit = usize::try_from(case.dst_layout.offset() * u64::from(case.width.bits())).unwrap();
        case.expected[bit / 8] ^= 1 << (bit % 8);
        assert!(difference(&case, &found).is_some());
    });
}
