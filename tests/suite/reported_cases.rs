//! Copies that users of other systems saw go wrong, each test named after a report.
//!
//! What is right is written out by hand or by a formula over coordinates. The reference, every plan on the CPU executor,
//! and every plan on every adapter are held to it, each also under tiny limits.

mod layouts;
mod packed;
mod reach;

use restride::plan::Limits;
use restride::{Element, Layout, Width, cpu};

use crate::generator::Case;

/// The most steps of a plan that is run: larger copies are cut by tiny limits into more than is worth the time.
const MOST_STEPS: u64 = 1_000;

fn contiguous(shape: &[u64]) -> Layout {
    Layout::contiguous(shape).unwrap()
}

fn strided(offset: u64, strides: &[i64], shape: &[u64]) -> Layout {
    Layout::strided(offset, strides, shape).unwrap()
}

/// Holds a copy to `expected`: what all of the destination's bytes are afterwards.
#[track_caller]
fn check(
    width: u32,
    (src, src_layout): (&[u8], &Layout),
    (before, dst_layout): (&[u8], &Layout),
    expected: &[u8],
) {
    assert_eq!(before.len(), expected.len());
    // Whole words, and one more that nothing may touch.
    let padded = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        bytes.resize(bytes.len().next_multiple_of(4) + 4, 0xc3);
        bytes
    };
    let case = Case::new(
        Width::new(width).unwrap(),
        src_layout.clone(),
        dst_layout.clone(),
        padded(src),
        padded(before),
    );
    if let Err(why) = compare(&padded(expected), &case.expected) {
        panic!("the reference: {why}");
    }
    check_case(&case);
}

/// Holds every executor to a case's expected bytes.
#[track_caller]
fn check_case(case: &Case) {
    on_the_cpu(case).unwrap_or_else(|why| panic!("{why}"));
    #[cfg(feature = "gpu")]
    for engine in crate::adapters::all() {
        on_an_adapter(engine, case).unwrap_or_else(|why| panic!("{why}"));
    }
}

/// Whether every plan gives the expected bytes on the CPU executor, and races nowhere.
fn on_the_cpu(case: &Case) -> Result<(), String> {
    for plan in [Limits::BASELINE, Limits::TINY]
        .iter()
        .flat_map(|limits| case.plans(*limits))
    {
        if plan.step_count() > MOST_STEPS {
            continue;
        }
        let mut found = case.dst.clone();
        let src = (!case.one_buffer).then_some(case.src.as_slice());
        cpu::audit(&plan, src, &mut found).map_err(|error| format!("{error}: {plan}"))?;
        compare(&case.expected, &found).map_err(|why| format!("CPU: {why}: {plan}"))?;
    }
    Ok(())
}

/// Whether every plan gives the expected bytes on one adapter.
#[cfg(feature = "gpu")]
fn on_an_adapter(engine: &crate::adapters::Engine, case: &Case) -> Result<(), String> {
    let mut outcome = Ok(());
    engine.alone(|engine| {
        let copier = crate::gpu_parts::copier(engine);
        let mut plans = case.plans(copier.options().limits);
        plans.extend(case.plans(crate::gpu_copies::tiny(&copier)));
        plans.retain(|plan| plan.step_count() <= MOST_STEPS);
        let copies: Vec<_> = plans.iter().map(|plan| (case, plan)).collect();
        let found = crate::gpu_exact::run(engine, &copier, &copies);
        outcome = plans.iter().zip(found).try_for_each(|(plan, found)| {
            let differs = |why| format!("{}: {why}: {plan}", engine.name);
            compare(&case.expected, &found).map_err(differs)
        });
    });
    outcome
}

fn compare(expected: &[u8], found: &[u8]) -> Result<(), String> {
    assert_eq!(expected.len(), found.len());
    let differs = (0..found.len()).find(|&at| found[at] != expected[at]);
    differs.map_or(Ok(()), |at| {
        Err(format!(
            "byte {at} is {:#x}, not {:#x}",
            found[at], expected[at]
        ))
    })
}

/// Elements that are known to be neither a result nor next to one.
fn poison<T: Element>(count: usize) -> Vec<T> {
    let mut elements = vec![T::zeroed(); count];
    bytemuck::cast_slice_mut::<T, u8>(&mut elements).fill(0xa5);
    elements
}

/// Holds the copy of `src` into `before` to `expected`.
#[track_caller]
fn check_elements<T: Element>(
    (src, src_layout): (&[T], &Layout),
    (before, dst_layout): (&[T], &Layout),
    expected: &[T],
) {
    check(
        T::DTYPE.bits(),
        (bytemuck::cast_slice(src), src_layout),
        (bytemuck::cast_slice(before), dst_layout),
        bytemuck::cast_slice(expected),
    );
}

/// Holds a view of `src`, made contiguous, to `expected`.
#[track_caller]
fn check_gathered<T: Element>(src: &[T], view: &Layout, expected: &[T]) {
    let before = poison(expected.len());
    check_elements((src, view), (&before, &contiguous(view.shape())), expected);
}

/// `0, 1, 2, …`, as an array in C order has them.
fn arange(count: u32) -> Vec<u32> {
    (0..count).collect()
}

/// Elements below a byte, one a byte, packed.
fn packed(bits: u32, elements: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; (elements.len() * bits as usize).div_ceil(8)];
    for (p, element) in elements.iter().enumerate() {
        let at = p * bits as usize;
        // A width that divides 8 never straddles a byte.
        bytes[at / 8] |= element << (at % 8);
    }
    bytes
}

#[test]
fn a_planted_wrong_bit_is_found_by_everyone() {
    let words = |elements: &[u32]| bytemuck::cast_slice(elements).to_vec();
    let mut case = Case::new(
        Width::new(32).unwrap(),
        strided(2, &[-1], &[3]),
        contiguous(&[3]),
        words(&arange(3)),
        words(&[9; 3]),
    );
    compare(&words(&[2, 1, 0]), &case.expected).unwrap();
    compare(&words(&[2, 1 ^ 1 << 17, 0]), &case.expected).unwrap_err();
    check_case(&case);
    case.expected = words(&[2, 1 ^ 1 << 17, 0]);
    on_the_cpu(&case).unwrap_err();
    #[cfg(feature = "gpu")]
    for engine in crate::adapters::all() {
        on_an_adapter(engine, &case).unwrap_err();
    }
}
