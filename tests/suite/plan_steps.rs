//! A plan as data: any step on demand, windows and grids under the limits, nothing allocated, the choice explained.

use std::hint::black_box;

use restride::plan::{
    Access, Kernel, Limits, Operand, Options, Plan, Problem, Program, Rung, RungSet, Step, Window,
};
use restride::{Error, Layout, Width};

use crate::allocator::allocations;
use crate::generator::{Case, Rng, seed, widths};

/// Limits that differ in every way a cut may go wrong: odd sizes, alignments above the size of a unit, few groups.
const ODD_LIMITS: [Limits; 6] = [
    Limits::TINY,
    Limits {
        binding_bytes: 4,
        alignment_bytes: 4,
        groups: u32::MAX,
        ..Limits::BASELINE
    },
    Limits {
        binding_bytes: 20,
        alignment_bytes: 4,
        groups: 3,
        ..Limits::BASELINE
    },
    Limits {
        binding_bytes: 303,
        alignment_bytes: 256,
        groups: 65_535,
        invocations: 1,
        ..Limits::BASELINE
    },
    Limits {
        binding_bytes: 100,
        alignment_bytes: 64,
        groups: 1,
        group_size_x: 5,
        ..Limits::BASELINE
    },
    Limits {
        groups: 1,
        invocations: 1,
        ..Limits::TINY
    },
];

fn contiguous(shape: &[u64]) -> Layout {
    Layout::contiguous(shape).unwrap()
}

fn plan_of(bits: u32, src: &Layout, dst: &Layout, options: Options) -> Plan {
    let width = Width::new(bits).unwrap();
    let bytes = |layout: &Layout| width.bytes_for(layout.span().end).next_multiple_of(4);
    let problem = Problem {
        width,
        src: Operand::storage(src, bytes(src)),
        dst: Operand::storage(dst, bytes(dst)),
        one_buffer: false,
        in_pass: false,
    };
    Plan::new(&problem, &options).unwrap()
}

fn under(limits: Limits) -> Options {
    Options {
        limits,
        max_steps: u64::MAX,
        ..Options::default()
    }
}

/// Whether a window is whole words of a buffer, starts where a binding may and is no larger.
fn window_is_sound(window: &Window, buffer: u64, limits: &Limits) -> Result<(), String> {
    let sound = window.size_bytes > 0
        && window.size_bytes.is_multiple_of(4)
        && window.size_bytes <= limits.binding_bytes
        && window.offset_bytes.is_multiple_of(limits.alignment_bytes)
        && window.end_bytes() <= buffer;
    sound
        .then_some(())
        .ok_or(format!("{window:?} of {buffer} bytes"))
}

/// Whether a grid is within the limits, has the groups that are needed, and few others.
fn grid_is_sound(groups: [u32; 3], needed: u32, most: u32) -> Result<(), String> {
    let [x, y, z] = groups.map(u64::from);
    let needed = u64::from(needed);
    let sound = groups.iter().all(|&n| (1..=most).contains(&n))
        && x * y * z >= needed
        // Rounding up each dimension in turn leaves less than one of the last: no more can be asked of a box.
        && x * y * z - needed < y * z;
    sound
        .then_some(())
        .ok_or(format!("{groups:?} for {needed}, at most {most}"))
}

/// The bytes of one element of a program's source and destination bindings, which each window holds at least once.
fn element_bytes(program: &Program) -> [u64; 2] {
    let unit_bytes = u64::from(program.unit_bits.div_ceil(32)) * 4;
    let chunk_bytes = match program.unit_bits {
        ..=2 => 4,
        _ => 16,
    };
    match program.kernel {
        Kernel::Blocks | Kernel::Deinterleave | Kernel::Interleave => {
            [program.wide_src, program.wide_dst].map(|wide| if wide { chunk_bytes } else { 4 })
        }
        Kernel::Quads => [16; 2],
        Kernel::Pack | Kernel::Weave => [4, 16],
        _ => [unit_bytes; 2],
    }
}

/// What every step must keep.
pub(crate) fn step_is_sound(
    step: &Step,
    src: u64,
    dst: u64,
    limits: &Limits,
) -> Result<(), String> {
    let dispatch = match step {
        Step::Native(copy) => {
            let words = [copy.src_bytes, copy.dst_bytes, copy.size_bytes];
            let sound = words.iter().all(|bytes| bytes.is_multiple_of(4))
                && copy.size_bytes > 0
                && copy.src_bytes + copy.size_bytes <= src
                && copy.dst_bytes + copy.size_bytes <= dst;
            return sound.then_some(()).ok_or(format!("{copy:?}"));
        }
        Step::Dispatch(dispatch) => dispatch,
        other => return Err(format!("a step of a new kind: {other:?}")),
    };
    window_is_sound(&dispatch.src, src, limits)?;
    window_is_sound(&dispatch.dst, dst, limits)?;
    grid_is_sound(dispatch.groups, dispatch.params.group_count, limits.groups)?;
    let program = &dispatch.program;
    if program.lanes > limits.invocations.min(limits.group_size_x) || program.lanes == 0 {
        return Err(format!("{} lanes", program.lanes));
    }
    for (window, element) in [dispatch.src, dispatch.dst]
        .iter()
        .zip(element_bytes(program))
    {
        if window.size_bytes < element {
            return Err(format!("{window:?} holds no element of {program}"));
        }
    }
    let meet = dispatch.src.offset_bytes < dispatch.dst.end_bytes()
        && dispatch.dst.offset_bytes < dispatch.src.end_bytes();
    match program.access {
        Access::One if dispatch.src != dispatch.dst => Err("one binding of two windows".into()),
        Access::TwoWritable if meet => Err("two writable windows that meet".into()),
        _ => Ok(()),
    }
}

/// `Ok` iff every step of a plan is sound, and the same in any order of asking.
fn plan_is_sound(plan: &Plan, src: u64, dst: u64, limits: &Limits) -> Result<(), String> {
    let steps: Vec<Step> = plan.steps().collect();
    if steps.len() as u64 != plan.step_count() {
        return Err(format!("{} steps, not {}", steps.len(), plan.step_count()));
    }
    for (k, step) in steps.iter().enumerate().rev() {
        if plan.step(k as u64).as_ref() != Some(step) {
            return Err(format!("step {k} differs when asked for alone"));
        }
        step_is_sound(step, src, dst, limits).map_err(|why| format!("step {k}: {why}"))?;
    }
    match plan.step(plan.step_count()).or(plan.step(u64::MAX)) {
        None => Ok(()),
        Some(step) => Err(format!("a step past the last: {step:?}")),
    }
}

#[test]
fn every_step_of_random_plans_is_sound() {
    let mut rng = Rng::new(seed("plan_steps"));
    let widths = widths(&mut rng);
    let (mut plans, mut steps) = (0_u32, 0);
    while plans < 6_000 {
        let bits = rng.pick(&widths);
        let case = if rng.once_in(3) {
            Case::random_in_one_buffer(&mut rng, bits, 2_000)
        } else {
            Case::random(&mut rng, bits, 4_000)
        };
        let limits = rng.pick(&ODD_LIMITS);
        let (src, dst) = (case.src.len() as u64, case.dst.len() as u64);
        for plan in case.plans(limits) {
            if let Err(why) = plan_is_sound(&plan, src, dst, &limits) {
                panic!("{why}\n{limits:?}\n{plan}\n{case:?}");
            }
            plans += 1;
            steps += plan.step_count();
        }
    }
    println!("plan_steps: {plans} plans, {steps} steps");
    assert!(steps > 20 * u64::from(plans), "too few cuts: {steps} steps");
}

#[test]
fn an_unsound_step_is_found() {
    let (src, dst) = (contiguous(&[40, 30]).transpose(), contiguous(&[30, 40]));
    let plan = plan_of(32, &src, &dst, under(Limits::TINY));
    let tight = |limits: Limits, bytes| plan_is_sound(&plan, 4800, bytes, &limits);
    assert_eq!(tight(Limits::TINY, 4800), Ok(()));
    // Each of these is one bit, or one word, less than the plan uses.
    let refused = |limits| tight(limits, 4800).unwrap_err();
    let largest = plan.steps().map(|step| match step {
        Step::Dispatch(dispatch) => (
            dispatch.dst.size_bytes.max(dispatch.src.size_bytes),
            dispatch.groups[0],
        ),
        _ => (0, 0),
    });
    let (bytes, groups) = largest.fold((0, 0), |a, b| (a.0.max(b.0), a.1.max(b.1)));
    refused(Limits {
        binding_bytes: bytes - 1,
        ..Limits::TINY
    });
    refused(Limits {
        groups: groups - 1,
        ..Limits::TINY
    });
    refused(Limits {
        alignment_bytes: 64,
        ..Limits::TINY
    });
    refused(Limits {
        group_size_x: 1,
        ..Limits::TINY
    });
    tight(Limits::TINY, 4796).unwrap_err();
    grid_is_sound([7, 7, 2], 50, 7).unwrap_err();
    grid_is_sound([7, 4, 2], 57, 7).unwrap_err();
}

#[test]
fn planning_allocates_nothing() {
    let mut rng = Rng::new(11);
    for bits in [1, 4, 6, 8, 24, 32, 128] {
        let case = Case::random(&mut rng, bits, 4_000);
        let problem = case.problem(false);
        for limits in [Limits::BASELINE, Limits::TINY] {
            let count = allocations(|| {
                let plan = Plan::new(&problem, &under(limits)).unwrap();
                for step in plan.steps() {
                    black_box(step);
                }
                black_box((plan.step_count(), plan.rung(), plan.check_steps().is_ok()));
            });
            assert_eq!(count, 0, "{case:?}");
        }
    }
    // Nor does a refusal.
    let (wide, narrow) = (contiguous(&[2, 3]), contiguous(&[2, 2]));
    let problem = Problem {
        width: Width::new(8).unwrap(),
        src: Operand::any(&wide, 8),
        dst: Operand::any(&narrow, 8),
        one_buffer: false,
        in_pass: false,
    };
    assert_eq!(
        allocations(|| drop(black_box(Plan::new(&problem, &under(Limits::TINY))))),
        0
    );
}

#[test]
fn a_plan_of_2_to_the_45_steps_answers_at_once() {
    // One word to a window: as many windows as words.
    let limits = ODD_LIMITS[1];
    let (src, dst) = (
        contiguous(&[1 << 20, 1 << 25]).transpose(),
        contiguous(&[1 << 25, 1 << 20]),
    );
    let plan = plan_of(32, &src, &dst, under(limits));
    let (count, bytes) = (1_u64 << 45, 1_u64 << 47);
    assert_eq!(plan.step_count(), count);
    let asked = allocations(|| {
        black_box(plan.step(count / 3));
    });
    assert_eq!(asked, 0);
    let windows = |k| match plan.step(k).unwrap() {
        step @ Step::Dispatch(dispatch) => {
            step_is_sound(&step, bytes, bytes, &limits).unwrap();
            (dispatch.src.offset_bytes, dispatch.dst.offset_bytes)
        }
        step => panic!("{step:?}"),
    };
    assert_eq!(windows(0), (0, 0));
    assert_eq!(windows(count - 1), (bytes - 4, bytes - 4));
    assert_eq!(plan.step(count), None);
    for k in [1, 7, (1 << 20) - 1, 1 << 20, (1 << 30) + 5, count / 2 + 3] {
        // Word k of the destination is at row k / 2^20, column k % 2^20: there the source has row and column exchanged.
        let (row, column) = (k >> 20, k & ((1 << 20) - 1));
        assert_eq!(windows(k), (((column << 25) + row) * 4, k * 4));
    }
    assert_eq!(
        Plan::check_steps(&plan_of(
            32,
            &src,
            &dst,
            Options {
                limits,
                ..Options::default()
            }
        )),
        Err(Error::TooManySteps {
            steps: count,
            max_steps: 65_536
        })
    );
}

#[test]
fn the_last_piece_of_a_cut_row_holds_an_element() {
    // Two of the baseline's pieces, and a tail that starts a window of its own at the buffer's end.
    let pieces = 2 * ((128 << 20) - 256);
    for tail in [4, 8, 12, 16] {
        let bytes = pieces + tail;
        let src = Layout::strided(1, &[1], &[bytes]).unwrap();
        let plan = plan_of(8, &src, &contiguous(&[bytes]), under(Limits::BASELINE));
        assert!(plan.step_count() > 2, "{plan}");
        for step in plan.steps() {
            step_is_sound(&step, bytes + 4, bytes, &Limits::BASELINE).unwrap();
        }
    }
}

#[test]
fn a_last_piece_of_blocks_fits_its_grid() {
    // The last piece has fewer rows, but maybe not in threes as the first: each is a group then.
    let limits = Limits {
        binding_bytes: 2048,
        alignment_bytes: 1024,
        groups: 3,
        invocations: 3,
        ..Limits::BASELINE
    };
    for rows in 100..300 {
        let src = Layout::strided(4, &[0, 1, 0], &[rows, 2, 2]).unwrap();
        let dst = Layout::strided(4, &[4, 2, 1], &[rows, 2, 2]).unwrap();
        let options = Options {
            force: Some(Rung::Blocks),
            ..under(limits)
        };
        let plan = plan_of(64, &src, &dst, options);
        plan_is_sound(&plan, 48, (rows + 1) * 32, &limits).unwrap();
    }
}

#[test]
fn pieces_that_start_at_other_bits_fit_the_grid() {
    // Rows of 32 16-byte units touch 33 of them where they start within one, and are then laid out in another way.
    let limits = Limits {
        binding_bytes: 262_043_551,
        buffer_bytes: u64::MAX,
        alignment_bytes: 64,
        groups: 7,
        ..Limits::BASELINE
    };
    let shape = [10_285, 120, 2, 128];
    let src = Layout::strided(0, &[982_985, 8_192, 4_065, 32], &shape).unwrap();
    let dst = Layout::strided(242_438, &[242_532, -2_037, 2_494_441_632, 1], &shape).unwrap();
    let bytes = 40_440_002_872;
    let problem = Problem {
        width: Width::new(32).unwrap(),
        src: Operand::any(&src, bytes),
        dst: Operand::any(&dst, bytes),
        one_buffer: true,
        in_pass: false,
    };
    let options = Options {
        max_scratch_bytes: u64::MAX,
        ..under(limits)
    };
    let plan = Plan::new(&problem, &options).unwrap();
    // Scratch is smaller than either side.
    plan_is_sound(&plan, bytes, bytes, &limits).unwrap();
}

#[test]
fn a_transpose_is_cut_into_squares() {
    // Along the largest step it would be about 16,000 strips; along the largest reach, squares.
    let limits = Limits {
        binding_bytes: 256 << 10,
        ..Limits::BASELINE
    };
    let (src, dst) = (
        contiguous(&[1000, 1000]).transpose(),
        contiguous(&[1000, 1000]),
    );
    let steps = plan_of(32, &src, &dst, under(limits)).step_count();
    assert!((200..=300).contains(&steps), "{steps} steps");
}

#[test]
fn grids_fold_within_the_limits() {
    for groups in [1, 2, 3, 7, 100, 65_535] {
        let limits = Limits {
            groups,
            ..Limits::BASELINE
        };
        // Under, at and over what one dimension, two and three hold of groups of 64 words and of 1024.
        let edge = u64::from(groups);
        let counts = [edge, edge * edge, edge * edge * edge]
            .into_iter()
            .flat_map(|n| [n * 64, n * 1024])
            .filter(|n| *n <= 1 << 25)
            .flat_map(|n| [n - 1, n, n + 1, n + 65]);
        for count in counts.filter(|n| *n > 0) {
            // Steps of 2 on both sides: nothing merges or widens, and an item is a unit.
            let strided = Layout::strided(0, &[2], &[count]).unwrap();
            let plan = plan_of(32, &strided, &strided, under(limits));
            let mut units = 0;
            for step in plan.steps() {
                step_is_sound(&step, count * 8, count * 8, &limits).unwrap();
                let Step::Dispatch(dispatch) = step else {
                    panic!("{step:?}");
                };
                units += u64::from(dispatch.params.split_extent);
                let per_group = u64::from(dispatch.program.lanes * dispatch.program.items);
                let launched: u64 = dispatch.groups.iter().map(|n| u64::from(*n)).product();
                assert!(launched * per_group >= u64::from(dispatch.params.split_extent));
            }
            assert_eq!(units, count, "under {groups} groups a dimension");
        }
    }
}

#[test]
fn a_plan_tells_what_it_chose_and_why() {
    let matrix = contiguous(&[30, 20]);
    let turned = plan_of(
        32,
        &matrix.transpose(),
        &contiguous(&[20, 30]),
        Options::default(),
    );
    let mut texts = vec![turned.to_string()];
    let row = contiguous(&[64]);
    texts.push(plan_of(8, &row, &row, Options::default()).to_string());
    let without = RungSet::EMPTY.with(Rung::Rows);
    let options = Options {
        without,
        ..Options::default()
    };
    texts.push(plan_of(8, &row, &row, options).to_string());
    for text in &texts {
        for rung in Rung::ALL.into_iter().skip(1) {
            let line = text
                .lines()
                .find(|line| line.trim_start().starts_with(&format!("{rung}: ")));
            // The first line names the rung that was chosen, each other line one rung and its reason.
            let reason = text
                .lines()
                .skip(1)
                .find_map(|line| line.trim_start().strip_prefix(&format!("{rung}: ")));
            assert!(
                line.is_some() && reason.is_some_and(|reason| reason.len() > 5),
                "{rung} in\n{text}"
            );
        }
        assert_eq!(text.matches("(chosen)").count(), 1, "{text}");
    }
    assert!(
        texts[0].starts_with(&format!("{}: 1 step over 32-bit units, 20 ", turned.rung())),
        "{}",
        texts[0]
    );
    assert!(
        texts[0].contains("rows: the source's inner step is not 1 or -1"),
        "{}",
        texts[0]
    );
    assert!(
        texts[1].contains("native: a buffer lacks COPY_SRC or COPY_DST"),
        "{}",
        texts[1]
    );
    assert!(texts[2].contains("rows: switched off"), "{}", texts[2]);
    let empty = plan_of(
        8,
        &contiguous(&[3, 0]),
        &contiguous(&[3, 0]),
        Options::default(),
    );
    assert_eq!(empty.to_string(), "nothing: 0 steps; no element moves");
}
