//! What copies cost the host: planning, recording, recording again, beside bare wgpu. `restride bench --suite small` prints
//! the same works as ratios.

#[path = "../src/bin/restride/bench/host.rs"]
#[allow(
    dead_code,
    reason = "the command line prints ratios, which Criterion does not"
)]
mod host;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use host::{BATCH, Batch, Host};
use std::hint::black_box;

/// The device of the first adapter that runs compute shaders, and its queue, without which it makes no encoders; having
/// none is no failure.
fn device() -> Option<(wgpu::Device, wgpu::Queue)> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let computes = |adapter: &wgpu::Adapter| {
        let flags = adapter.get_downlevel_capabilities().flags;
        flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS)
    };
    let adapter = adapters.into_iter().find(computes)?;
    let descriptor = wgpu::DeviceDescriptor {
        required_limits: adapter.limits(),
        ..wgpu::DeviceDescriptor::default()
    };
    let opened = pollster::block_on(adapter.request_device(&descriptor)).ok()?;
    println!("on {}", adapter.get_info().name);
    Some(opened)
}

fn costs(criterion: &mut Criterion) {
    let Some((device, _queue)) = device() else {
        println!("no adapter: nothing is measured");
        return;
    };
    let host = match Host::new(&device) {
        Ok(host) => host,
        Err(error) => {
            println!("nothing is measured: {error}");
            return;
        }
    };
    let mut one = criterion.benchmark_group("one");
    one.bench_function("plan, rank 6", |b| b.iter(|| black_box(host.plan())));
    one.bench_function("record and finish, prepared", |b| {
        b.iter_with_large_drop(|| host.prepared(1));
    });
    one.bench_function("record and finish, bare", |b| {
        b.iter_with_large_drop(|| host.bare(1));
    });
    one.finish();
    let mut batch = criterion.benchmark_group("1,000 in a pass");
    batch.throughput(Throughput::Elements(BATCH as u64));
    batch.bench_function("prepared", |b| {
        b.iter_with_large_drop(|| host.prepared(BATCH));
    });
    batch.bench_function("bare, ready", |b| {
        b.iter_with_large_drop(|| host.bare(BATCH));
    });
    batch.bench_function("copies, buffers of their own", |b| {
        b.iter_with_large_drop(|| host.batch(Batch::OwnPairs));
    });
    batch.bench_function("bare, new bind groups", |b| {
        b.iter_with_large_drop(|| host.bare_binding());
    });
    batch.bench_function("copies, one buffer pair", |b| {
        b.iter_with_large_drop(|| host.batch(Batch::OnePair));
    });
    batch.bench_function("copies, each unlike the one before", |b| {
        b.iter_with_large_drop(|| host.batch(Batch::Unlike));
    });
    batch.finish();
}

criterion_group!(benches, costs);
criterion_main!(benches);
