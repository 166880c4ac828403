//! Random plans on every adapter: every bit of the destination's buffer as the reference has it.

use restride::gpu::Copier;
use restride::plan::{Limits, Plan, Program};

use crate::adapters::{Engine, each};
use crate::generator::{Case, Rng, seed, widths};
use crate::gpu_copies::{difference, each_destination, planned, record, with_a_wrong_bit};
use crate::gpu_parts::encoder;

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

/// The destination's bytes after each copy, all in one submission.
pub(crate) fn run(engine: &Engine, copier: &Copier, copies: &[(&Case, &Plan)]) -> Vec<Vec<u8>> {
    let mut encoder = encoder(&engine.device);
    let read = record(copier, &mut encoder, copies);
    engine.queue.submit([encoder.finish()]);
    let wait = wgpu::PollType::wait_indefinitely();
    engine.device.poll(wait).unwrap();
    let bytes = pollster::block_on(read).unwrap();
    let found = each_destination(copies, &bytes);
    found.into_iter().map(<[u8]>::to_vec).collect()
}

/// Random cases with every plan of each, until `wanted` plans are there.
fn batches(
    rng: &mut Rng,
    copier: &Copier,
    wanted: usize,
    mut take: impl FnMut(&[(&Case, &Plan)]),
) -> usize {
    let widths = widths(rng);
    let mut done = 0;
    while done < wanted {
        let cases: Vec<(Case, Vec<Plan>)> = (0..BATCH / 4)
            .map(|k| {
                let bits = rng.pick(&widths);
                planned(rng, copier, bits, k)
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
        // Three ways to bind, and at most three classes of axes and two of workgroups for each kernel and width; pack and
        // weave have one way to bind and classes of runs.
        assert!(
            pipelines <= Program::all().len() && Program::all().len() < 2_400,
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
        assert!(difference(&with_a_wrong_bit(case), &found).is_some());
    });
}
