//! What copies cost the host, as far as it can be counted: allocations, pipelines, and what alike copies of a batch share.

use restride::gpu::{Copier, Pair, Prepared};
use restride::plan::{Operand, Options, Plan, Problem};
use restride::{Layout, Width, reference};
use std::hint::black_box;

use crate::adapters::{Engine, each};
use crate::allocator::allocations;
use crate::gpu_parts::{EVERY_USE, buffer, bytes, copier, encoder, submit, view};

/// Views of a 12x20 matrix: one for each way to make a copy, with the width of their elements.
fn views() -> Vec<(u32, Layout)> {
    let matrix = Layout::contiguous(&[12, 20]).unwrap();
    let rows = matrix.narrow(1, 3, 9).unwrap();
    let mut views = Vec::new();
    for bits in [1, 4, 6, 8, 16, 24, 32, 64, 128] {
        views.push((bits, matrix.clone()));
        views.push((bits, matrix.transpose()));
        views.push((bits, rows.flip(1).unwrap()));
        views.push((bits, matrix.step(1, 2).unwrap()));
    }
    views
}

#[test]
fn planning_allocates_nothing() {
    for (bits, src) in views() {
        let dst = Layout::contiguous(src.shape()).unwrap();
        let operand = |layout| Operand::any(layout, 240 * 16);
        let problem = Problem {
            width: Width::new(bits).unwrap(),
            src: operand(&src),
            dst: operand(&dst),
            one_buffer: false,
            in_pass: bits % 2 == 0,
        };
        let options = Options::default();
        let count = allocations(|| {
            let plan = Plan::new(&problem, &options).unwrap();
            for step in plan.steps() {
                black_box(step);
            }
        });
        assert_eq!(count, 0, "{bits} bits of {src}");
    }
}

/// As many allocations as `record` makes on a pass of its own, once another has grown whatever grows.
fn in_a_pass(device: &wgpu::Device, record: impl Fn(&mut wgpu::ComputePass<'_>)) -> usize {
    let pass = |count: &mut usize| {
        let mut encoder = encoder(device);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        *count = allocations(|| record(&mut pass));
    };
    let mut count = 0;
    pass(&mut count);
    pass(&mut count);
    count
}

#[test]
fn a_prepared_record_allocates_nothing_of_its_own() {
    let (device, _queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    let copier = Copier::new(&device).unwrap();
    let (from, to) = (
        buffer(&device, &[0; 4096], EVERY_USE),
        buffer(&device, &[0; 4096], EVERY_USE),
    );
    let matrix = Layout::contiguous(&[12, 20]).unwrap();
    let turned = matrix.transpose();
    let packed = Layout::contiguous(turned.shape()).unwrap();
    let plan = copier
        .plan_in_pass(view(&from, 32, &turned), view(&to, 32, &packed))
        .unwrap();
    let prepared = copier.prepare(&plan, &from, &to).unwrap();
    assert_eq!(prepared.len(), 1);
    // wgpu's own lists grow alike when the same commands are recorded by hand.
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(
            "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
            @group(1) @binding(0) var<storage, read_write> b: array<u32>;
            @compute @workgroup_size(1) fn main() { a[0] = b[0]; }"
                .into(),
        ),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let groups = [(0, &from), (1, &to)].map(|(group, buffer)| {
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(group),
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: buffer.as_entire_binding(),
            }],
        })
    });
    let bare = in_a_pass(&device, |pass| {
        for _ in 0..100 {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &groups[0], &[]);
            pass.set_bind_group(1, &groups[1], &[]);
            pass.dispatch_workgroups(1, 1, 1);
        }
    });
    let ours = in_a_pass(&device, |pass| {
        for _ in 0..100 {
            prepared.record_in_pass(pass).unwrap();
        }
    });
    assert!(ours <= bare, "{ours} allocations, {bare} by hand");
}

/// Copies of 6x10 elements between buffers of their own: runs of alike ones, of several lengths, and what differs between
/// two of them is now a view, now the width, now a buffer's size.
#[test]
fn alike_copies_of_a_batch_share_and_unlike_ones_do_not() {
    let matrix = Layout::contiguous(&[6, 10]).unwrap();
    let kinds = [
        (8, matrix.transpose(), 1024),
        (8, matrix.flip(0).unwrap(), 1024),
        (8, matrix.flip(0).unwrap(), 2048),
        (4, matrix.transpose(), 1024),
        (32, matrix.transpose(), 1024),
    ];
    let order = [0, 0, 0, 1, 2, 2, 1, 0, 3, 4, 4, 3, 3, 0];
    each(|engine| {
        let filled = |k: usize, size: usize| -> Vec<u8> {
            (0..size)
                .map(|i| i.wrapping_mul(7 + k).to_le_bytes()[0])
                .collect()
        };
        let hosts: Vec<_> = (0..order.len())
            .map(|k| {
                (
                    filled(k, kinds[order[k]].2),
                    filled(k + 99, kinds[order[k]].2),
                )
            })
            .collect();
        let devices: Vec<_> = hosts
            .iter()
            .map(|(src, dst)| {
                (
                    buffer(&engine.device, src, EVERY_USE),
                    buffer(&engine.device, dst, EVERY_USE),
                )
            })
            .collect();
        let packed: Vec<Layout> = kinds
            .iter()
            .map(|(_, layout, _)| Layout::contiguous(layout.shape()).unwrap())
            .collect();
        let copies: Vec<Pair<'_>> = order
            .iter()
            .zip(&devices)
            .map(|(&kind, (src, dst))| Pair {
                src: view(src, kinds[kind].0, &kinds[kind].1),
                dst: view(dst, kinds[kind].0, &packed[kind]),
            })
            .collect();
        let prepared: Prepared = copier(engine).prepare_all(&copies).unwrap();
        submit(engine, |encoder| prepared.record(encoder));
        check(engine, &kinds, &order, &packed, &hosts, &devices);
    });
}

fn check(
    engine: &Engine,
    kinds: &[(u32, Layout, usize)],
    order: &[usize],
    packed: &[Layout],
    hosts: &[(Vec<u8>, Vec<u8>)],
    devices: &[(wgpu::Buffer, wgpu::Buffer)],
) {
    for ((&kind, (src, dst)), (_, found)) in order.iter().zip(hosts).zip(devices) {
        let (bits, layout, _) = &kinds[kind];
        let mut expected = dst.clone();
        let width = Width::new(*bits).unwrap();
        reference::copy(width, src, layout, &mut expected, &packed[kind]).unwrap();
        let found = bytes(&engine.device, &engine.queue, found);
        assert!(found == expected, "{}: kind {kind}", engine.name);
    }
}
