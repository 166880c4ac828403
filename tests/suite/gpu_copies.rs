//! Random copies on a device, as every adapter of the machine and the browser's runs them: many in one submission, whose
//! destinations are read back together and whole.

use restride::gpu::{Copier, ReadBack, Tensor, View};
use restride::plan::{Limits, Plan, Step};
use restride::{DType, Layout, Width};
use wgpu::BufferUsages;

use crate::generator::{Case, Rng};

/// Bindable, and copied both ways.
pub(crate) const EVERY_USE: BufferUsages = BufferUsages::STORAGE
    .union(BufferUsages::COPY_SRC)
    .union(BufferUsages::COPY_DST);

/// The most steps of a plan that is run.
const MOST_STEPS: u64 = 2_000;

/// Small limits that the device's alignments allow.
pub(crate) fn tiny(copier: &Copier) -> Limits {
    let device = copier.options().limits;
    Limits {
        alignment_bytes: Limits::TINY.alignment_bytes.max(device.alignment_bytes),
        uniform_alignment_bytes: device.uniform_alignment_bytes,
        ..Limits::TINY
    }
}

/// A buffer of exactly these bytes, which are whole words.
pub(crate) fn buffer(device: &wgpu::Device, bytes: &[u8], usage: BufferUsages) -> wgpu::Buffer {
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: bytes.len() as u64,
        usage,
        mapped_at_creation: true,
    });
    let mut range = buffer.get_mapped_range_mut(..).unwrap();
    range.copy_from_slice(bytes);
    drop(range);
    buffer.unmap();
    buffer
}

/// A view of elements that are `bits` wide.
pub(crate) fn view<'a>(buffer: &'a wgpu::Buffer, bits: u32, layout: &'a Layout) -> View<'a> {
    View {
        buffer,
        dtype: DType::Bits(Width::new(bits).unwrap()),
        layout,
    }
}

/// Case `k` of a run, of elements `bits` wide or of a usual width: every fifth in one buffer, every third with plans under
/// tiny limits. It comes with each rung that covers it, and those that are chosen with their betters switched off.
pub(crate) fn planned(rng: &mut Rng, copier: &Copier, bits: u32, k: usize) -> (Case, Vec<Plan>) {
    let most = rng.pick(&[2_000, 20_000, 100_000]);
    let case = if k.is_multiple_of(5) {
        Case::random_in_one_buffer(rng, bits, most)
    } else {
        Case::random(rng, bits, most)
    };
    let mut plans = case.plans(if k.is_multiple_of(3) {
        tiny(copier)
    } else {
        copier.options().limits
    });
    plans.retain(|plan| plan.step_count() <= MOST_STEPS);
    (case, plans)
}

/// Whether a plan has native copies: all of its steps into scratch are of one kind, and all others.
fn has_native(plan: &Plan) -> bool {
    let last = plan.step_count().saturating_sub(1);
    [0, last]
        .into_iter()
        .any(|k| matches!(plan.step(k), Some(Step::Native(_))))
}

/// Records each copy between buffers of its own, every other one in an open pass, and the reading of all destinations, one
/// after the other.
pub(crate) fn record(
    copier: &Copier,
    encoder: &mut wgpu::CommandEncoder,
    copies: &[(&Case, &Plan)],
) -> ReadBack {
    let device = copier.device();
    let total: usize = copies.iter().map(|(case, _)| case.dst.len()).sum();
    let all = Tensor::zeros(device, DType::UInt32, &[total as u64 / 4]).unwrap();
    let mut at = 0;
    for (i, (case, plan)) in copies.iter().enumerate() {
        let dst = buffer(device, &case.dst, EVERY_USE);
        let src = if case.one_buffer {
            dst.clone()
        } else {
            buffer(device, &case.src, EVERY_USE)
        };
        let prepared = copier.prepare(plan, &src, &dst).unwrap();
        if i % 2 == 0 && !has_native(plan) {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            prepared.record_in_pass(&mut pass).unwrap();
        } else {
            prepared.record(encoder);
        }
        let size = case.dst.len() as u64;
        encoder.copy_buffer_to_buffer(&dst, 0, all.buffer(), at, size);
        at += size;
    }
    all.record_read(copier, encoder).unwrap()
}

/// The destination's bytes after each copy, out of what [`record`] read.
pub(crate) fn each_destination<'a>(copies: &[(&Case, &Plan)], mut read: &'a [u8]) -> Vec<&'a [u8]> {
    copies
        .iter()
        .map(|(case, _)| read.split_off(..case.dst.len()).unwrap())
        .collect()
}

/// Where a result differs from what was expected.
pub(crate) fn difference(case: &Case, found: &[u8]) -> Option<String> {
    let at = found
        .iter()
        .zip(&case.expected)
        .position(|(found, expected)| found != expected)?;
    Some(format!(
        "byte {at} is {:#x}, not {:#x} (was {:#x})",
        found[at], case.expected[at], case.dst[at]
    ))
}

/// The case with another value expected of one bit that is copied.
pub(crate) fn with_a_wrong_bit(mut case: Case) -> Case {
    let bit = case.dst_layout.offset() * u64::from(case.width.bits());
    case.expected[usize::try_from(bit / 8).unwrap()] ^= 1 << (bit % 8);
    case
}
