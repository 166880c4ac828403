//! Plans and the CPU executor against the reference: any two layouts, buffers, limits and options.

use restride::plan::{Limits, Operand, Options, Plan, Problem, Rung, RungSet};
use restride::{Error, Layout, Width, cpu, reference};

use super::bytes::Picks;

/// The most bytes of a buffer, and the most elements and steps of a copy that is carried out.
const MOST_BYTES: u64 = 16 << 10;
const MOST_ELEMENTS: u64 = 6_000;
const MOST_STEPS: u64 = 3_000;

/// Plans a copy that `data` describes and carries it out; panics where a bit differs or a refusal has no reason.
pub(crate) fn check(data: &[u8]) {
    let mut picks = Picks::new(data);
    let width = Width::new(1 + u32::from(picks.byte() % 128)).expect("1 to 128");
    let Some([src, dst]) = layouts(&mut picks) else {
        return;
    };
    let one_buffer = picks.byte() % 4 == 3;
    let mut slack = || match picks.byte() {
        255 => 0,
        n if n % 16 == 15 => u64::from(n / 16),
        n => u64::from(n % 4) * 4,
    };
    let bytes = |layout: &Layout| width.bytes_for(layout.span().end);
    let mut sizes = [&src, &dst].map(|layout| bytes(layout).next_multiple_of(4) + slack());
    if one_buffer {
        sizes = [sizes[0].max(sizes[1]); 2];
    }
    if sizes.iter().any(|bytes| *bytes > MOST_BYTES) || src.numel() > MOST_ELEMENTS {
        return;
    }
    let usages = picks.byte();
    let operand = |layout, buffer_bytes, bits: u8| Operand {
        layout,
        buffer_bytes,
        storage: bits % 8 != 7,
        copy: bits & 8 == 0,
    };
    let problem = Problem {
        width,
        src: operand(&src, sizes[0], usages % 16),
        dst: operand(&dst, sizes[1], usages / 16),
        one_buffer,
        in_pass: picks.byte() % 2 == 1,
    };
    let options = options(&mut picks);
    let plan = match Plan::new(&problem, &options) {
        Ok(plan) => plan,
        Err(error) => return justified(&error, &problem, &options),
    };
    assert!(plan.to_string().lines().count() >= 1);
    if plan.step_count() > MOST_STEPS {
        return;
    }
    runs(&plan, &problem, u64::from(picks.byte()));
}

/// The plan's result and the reference's, on poisoned buffers.
pub(super) fn runs(plan: &Plan, problem: &Problem<'_>, seed: u64) {
    let mut state = seed;
    let mut noise = |bytes: u64| -> Vec<u8> {
        let byte = |_| {
            state = state
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            state.to_le_bytes()[7]
        };
        (0..bytes).map(byte).collect()
    };
    let (src, before) = (
        noise(problem.src.buffer_bytes),
        noise(problem.dst.buffer_bytes),
    );
    let (mut found, mut expected) = (before.clone(), before);
    let (from, to) = (problem.src.layout, problem.dst.layout);
    if problem.one_buffer {
        reference::copy_within(problem.width, &mut expected, from, to)
    } else {
        reference::copy(problem.width, &src, from, &mut expected, to)
    }
    .unwrap_or_else(|e| panic!("planned, but the reference refuses: {e}\n{problem:?}"));
    let src = (!problem.one_buffer).then_some(&src[..]);
    cpu::audit(plan, src, &mut found).unwrap_or_else(|e| panic!("{e}\n{plan}\n{problem:?}"));
    let differs = found.iter().zip(&expected).position(|(f, e)| f != e);
    assert_eq!(differs, None, "{plan}\n{problem:?}");
}

/// Panics unless a refusal is what the problem and the options deserve.
fn justified(error: &Error, problem: &Problem<'_>, options: &Options) {
    let (src, dst) = (problem.src.layout, problem.dst.layout);
    let (from, to) = (src.span(), dst.span());
    let reason = match error {
        Error::Limit { .. } => options.limits.check().is_err(),
        Error::UnlikeRanks { .. } => src.rank() != dst.rank(),
        Error::UnlikeExtents { .. } => src.shape() != dst.shape(),
        Error::NotDistinct => !dst.is_distinct(),
        Error::BufferTooSmall { needed, buffer, .. } | Error::Tail { needed, buffer, .. } => {
            needed > buffer
        }
        Error::ScratchLimit { needed, limit } => {
            let most = options.max_scratch_bytes.min(options.limits.buffer_bytes);
            needed > limit
                && *limit == most
                && problem.one_buffer
                && from.start < to.end
                && to.start < from.end
        }
        Error::MissingUsage { .. } => !problem.src.storage || !problem.dst.storage,
        // A forced or last rung may not cover the copy, or not under such limits.
        Error::Rung { .. } => true,
        _ => false,
    };
    assert!(reason, "{error:?}\n{problem:?}\n{options:?}");
    let usual = Options {
        limits: Limits {
            buffer_bytes: options.limits.buffer_bytes,
            ..Limits::BASELINE
        },
        ..Options::default()
    };
    let any = options.force.is_none() && options.without == RungSet::EMPTY;
    let bindable = problem.src.storage && problem.dst.storage;
    if matches!(error, Error::Rung { .. }) && any && bindable {
        // The limits alone are to blame: nothing covers so little under the baseline's.
        assert!(Plan::new(problem, &usual).is_ok(), "{error:?}\n{problem:?}");
        let roomy = options.limits.groups >= 4096 && options.limits.alignment_bytes <= 256;
        assert!(!roomy, "{error:?}\n{problem:?}\n{options:?}");
    }
}

/// Two layouts, mostly of one shape, the second mostly distinct.
fn layouts(picks: &mut Picks<'_>) -> Option<[Layout; 2]> {
    let rank = picks.below(7);
    let extents = [
        1_u64, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 64, 100, 129, 257, 0,
    ];
    let shape: Vec<u64> = (0..rank)
        .map(|_| {
            let byte = picks.byte();
            extents[usize::from(byte % 16)].saturating_sub(u64::from(byte / 64))
        })
        .collect();
    let mut other = shape.clone();
    if picks.byte() % 32 == 31 {
        other.push(1 + picks.number() % 4);
    }
    let src = layout(picks, &other)?;
    let dst = layout(picks, &shape)?;
    Some([src, dst])
}

/// A layout: axes dense in some order with gaps and flips, or any strides.
fn layout(picks: &mut Picks<'_>, shape: &[u64]) -> Option<Layout> {
    let mode = picks.byte();
    let mut strides = vec![0_i64; shape.len()];
    if mode % 4 == 3 {
        strides.fill_with(|| picks.signed() % 64);
    } else {
        let mut order: Vec<usize> = (0..shape.len()).rev().collect();
        for i in (1..order.len()).rev() {
            if !mode.is_multiple_of(4) {
                order.swap(i, picks.below(i + 1));
            }
        }
        let mut stride = 1_i64;
        for axis in order {
            let how = if mode % 4 == 2 { picks.byte() } else { 0 };
            stride += i64::from(how % 32 / 8) * i64::from(how % 8 + 1);
            strides[axis] = match how / 32 {
                7 => 0,
                5 | 6 => -stride,
                _ => stride,
            };
            stride *= i64::try_from(shape[axis].max(1)).ok()?;
        }
    }
    let below = |(&d, &s): (&u64, &i64)| d.saturating_sub(1) * s.min(0).unsigned_abs();
    let below: u64 = shape.iter().zip(&strides).map(below).sum();
    Layout::strided(below + u64::from(picks.byte() % 80), &strides, shape).ok()
}

fn options(picks: &mut Picks<'_>) -> Options {
    let mode = picks.byte();
    let mut limits = if mode.is_multiple_of(3) {
        Limits::BASELINE
    } else {
        Limits::TINY
    };
    if mode % 3 == 2 {
        limits.alignment_bytes = 1 << (2 + picks.byte() % 9);
        limits.binding_bytes = limits.alignment_bytes + u64::from(picks.byte()) * 5;
        limits.groups = 1 + u32::from(picks.byte());
        limits.invocations = 1 + u32::from(picks.byte());
        limits.group_size_x = 1 + u32::from(picks.byte());
        if picks.byte() == 255 {
            limits.binding_bytes = picks.number();
            limits.alignment_bytes = picks.number();
        }
    }
    let force = match mode / 3 % 16 {
        n @ 1..=6 => Some(Rung::ALL[usize::from(n) - 1]),
        _ => None,
    };
    let without = match mode / 3 % 16 {
        7.. => RungSet::EMPTY
            .with(Rung::ALL[picks.below(6)])
            .with(Rung::ALL[picks.below(6)]),
        _ => RungSet::EMPTY,
    };
    Options {
        limits,
        force,
        without,
        max_steps: u64::MAX,
        max_scratch_bytes: if mode == 255 { 64 } else { u64::MAX },
    }
}
