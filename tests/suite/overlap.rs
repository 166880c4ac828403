//! Views of one buffer that lie over or among each other: the result is that of reading all of the source first.

use restride::plan::{Limits, Operand, Options, Plan, Problem, Rung};
use restride::{Layout, Width};

use crate::generator::{Case, Rng, seed, widths};

/// Random pairs of views on the CPU executor.
const PAIRS: usize = 20_000;

/// The words that a view's elements overlap, by walking it.
fn words(width: Width, layout: &Layout) -> Vec<u64> {
    let bits = u64::from(width.bits());
    let mut positions = vec![layout.offset().cast_signed()];
    for (&extent, &stride) in layout.shape().iter().zip(layout.strides()) {
        positions = positions
            .iter()
            .flat_map(|at| (0..extent).map(move |i| at + i.cast_signed() * stride))
            .collect();
    }
    let mut words: Vec<u64> = positions
        .iter()
        .map(|at| at.cast_unsigned() * bits)
        .flat_map(|first| first / 32..=(first + bits - 1) / 32)
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Whether two sorted lists have no number in common.
fn apart(a: &[u64], b: &[u64]) -> bool {
    a.iter().all(|word| b.binary_search(word).is_err())
}

#[test]
fn random_pairs_are_exact_and_race_free() {
    let mut rng = Rng::new(seed("overlap"));
    let widths = widths(&mut rng);
    let (mut plans, mut through, mut direct) = (0, 0, 0);
    let (mut among, mut found) = (0, 0);
    for _ in 0..PAIRS {
        let bits = rng.pick(&widths);
        let case = Case::random_overlapping(&mut rng, bits, 2_000);
        let limits = if rng.once_in(2) {
            Limits::TINY
        } else {
            Limits::BASELINE
        };
        let (src, dst) = (
            words(case.width, &case.src_layout),
            words(case.width, &case.dst_layout),
        );
        let spans_meet = case.src_layout.span().start < case.dst_layout.span().end
            && case.dst_layout.span().start < case.src_layout.span().end;
        for plan in case.plans(limits) {
            if let Err(why) = crate::cpu_exact::run(&case, &plan) {
                panic!("{why}\n{plan}\n{case:?}");
            }
            plans += 1;
            if plan.rung() == Rung::Nothing || !spans_meet {
                continue;
            }
            if plan.scratch_bytes() > 0 {
                through += 1;
            } else {
                direct += 1;
                assert!(apart(&src, &dst), "a shared word\n{plan}\n{case:?}");
            }
            if apart(&src, &dst) {
                among += 1;
                found += usize::from(plan.scratch_bytes() == 0);
                let exact = bits.is_multiple_of(32);
                assert!(
                    !exact || plan.scratch_bytes() == 0,
                    "scratch for nothing\n{plan}\n{case:?}"
                );
            }
        }
    }
    println!("overlap: {plans} plans, {through} through scratch, {direct} without");
    println!("overlap: {found} of {among} plans over interleaved views need no scratch");
    assert!(through * 10 > plans, "hardly a pair overlaps");
    // Elements that are no whole words are held to a distance that rules a shared word out; most that share none keep it.
    assert!(found * 10 >= among * 9 && among * 50 > plans);
}

#[test]
fn interleaved_views_go_without_scratch() {
    let plan = |bits, src: &Layout, dst: &Layout| {
        let problem = Problem {
            width: Width::new(bits).unwrap(),
            src: Operand::any(src, 1 << 30),
            dst: Operand::any(dst, 1 << 30),
            one_buffer: true,
            in_pass: false,
        };
        Plan::new(&problem, &Options::default()).unwrap()
    };
    let picture = Layout::contiguous(&[480, 640, 4]).unwrap();
    let channel = |i: u64| picture.narrow(2, i, 1).unwrap();
    assert_eq!(plan(32, &channel(0), &channel(3)).scratch_bytes(), 0);
    let halves = |i: u64| picture.narrow(1, 320 * i, 320).unwrap();
    assert_eq!(plan(32, &halves(0), &halves(1)).scratch_bytes(), 0);
    assert_eq!(plan(8, &halves(1), &halves(0)).scratch_bytes(), 0);
    // Channels of a byte share their words.
    assert_eq!(plan(8, &channel(0), &channel(3)).scratch_bytes(), 480 * 640);
    // A square's upper triangle, row by row, and its transpose: strides that do not nest, and yet apart.
    let square = Layout::contiguous(&[64, 64]).unwrap();
    let above = square.narrow(0, 0, 32).unwrap().narrow(1, 32, 32).unwrap();
    let below = square.narrow(0, 32, 32).unwrap().narrow(1, 0, 32).unwrap();
    assert_eq!(plan(32, &above, &below.transpose()).scratch_bytes(), 0);
    let whole = plan(32, &square.transpose(), &square);
    assert_eq!(whole.scratch_bytes(), 64 * 64 * 4);
}

#[test]
fn a_source_that_repeats_is_kept_once() {
    let row = Layout::contiguous(&[1, 100]).unwrap();
    let (src, dst) = (
        row.expand(&[50, 100]).unwrap(),
        Layout::contiguous(&[50, 100]).unwrap(),
    );
    let problem = Problem {
        width: Width::new(16).unwrap(),
        src: Operand::any(&src, 10_000),
        dst: Operand::any(&dst, 10_000),
        one_buffer: true,
        in_pass: false,
    };
    let plan = Plan::new(&problem, &Options::default()).unwrap();
    assert_eq!(plan.scratch_bytes(), 208);
}

#[cfg(feature = "gpu")]
#[test]
fn random_pairs_are_exact_on_every_adapter() {
    let seed = seed("overlap on adapters");
    crate::adapters::each(|engine| {
        let copier = restride::gpu::Copier::new(&engine.device).unwrap();
        let (device, tiny) = (copier.options().limits, crate::gpu_copies::tiny(&copier));
        let wanted = if engine.name.ends_with("/Gl") {
            2_000
        } else {
            PAIRS
        };
        let mut rng = Rng::new(seed);
        let widths = widths(&mut rng);
        let (mut done, mut through) = (0, 0);
        while done < wanted {
            let cases: Vec<(Case, Plan)> = (0..100)
                .map(|_| {
                    let bits = rng.pick(&widths);
                    let most = rng.pick(&[1_000, 4_000]);
                    let case = Case::random_overlapping(&mut rng, bits, most);
                    let mut plans = case.plans(if rng.once_in(4) { tiny } else { device });
                    plans.retain(|plan| plan.step_count() <= 500);
                    // What is chosen stands last but for those that have it switched off; any of them will do.
                    let at = rng.below(plans.len() as u64);
                    let plan = plans.swap_remove(usize::try_from(at).unwrap());
                    (case, plan)
                })
                .collect();
            let copies: Vec<(&Case, &Plan)> =
                cases.iter().map(|(case, plan)| (case, plan)).collect();
            let results = crate::gpu_exact::run(engine, &copier, &copies);
            for ((case, plan), found) in copies.iter().zip(results) {
                assert!(found == case.expected, "{}\n{plan}\n{case:?}", engine.name);
                through += usize::from(plan.scratch_bytes() > 0);
            }
            done += cases.len();
        }
        println!(
            "overlap: {done} copies on {}, {through} through scratch",
            engine.name
        );
        assert!(through * 4 > done);
    });
}
