//! Devices that are lost, have no room, or grant too little.

use restride::gpu::{Copier, Prepared, Tensor};
use restride::host;
use restride::plan::Plan;
use restride::{DType, Error};

use super::{POISON, SOURCE, each_pair, fresh, layouts, works};
use crate::adapters::{Engine, open, open_with, own};
use crate::gpu_parts::{encoder, view};

/// What was made before its device is lost.
struct Made {
    copier: Copier,
    /// The device's own copy, and one that takes a kernel.
    plans: [Plan; 2],
    prepared: [Prepared; 2],
    buffers: [wgpu::Buffer; 2],
    tensor: Tensor,
}

impl Made {
    fn new(engine: &Engine) -> Self {
        let copier = Copier::new(&engine.device).unwrap();
        let buffers = [fresh(engine, &SOURCE), fresh(engine, &POISON)];
        let [row, reversed] = layouts();
        let plans = [&row, &reversed].map(|layout| {
            copier
                .plan(view(&buffers[0], 32, layout), view(&buffers[1], 32, &row))
                .unwrap()
        });
        let prepared = plans
            .each_ref()
            .map(|plan| copier.prepare(plan, &buffers[0], &buffers[1]).unwrap());
        let tensor = Tensor::upload(&engine.device, DType::UInt8, &[4], &[1, 2, 3, 4]).unwrap();
        Self {
            copier,
            plans,
            prepared,
            buffers,
            tensor,
        }
    }
}

#[test]
fn what_is_made_on_a_lost_device_is_an_error() {
    each_pair(|engine, other| {
        let made = Made::new(engine);
        let (device, queue) = (&engine.device, &engine.queue);
        let mut before = encoder(device);
        device.destroy();
        let host = host::Tensor::from_slice(&[2], &[1_u32, 2]).unwrap();
        let tensor = &made.tensor;
        let copier = &made.copier;
        let outcomes = [
            Copier::new(device).map(drop),
            Tensor::zeros(device, DType::UInt8, &[4]).map(drop),
            Tensor::upload(device, DType::UInt8, &[4], &[1, 2, 3, 4]).map(drop),
            Tensor::upload_view(device, &host.view().unwrap()).map(drop),
            copier.warm(&made.plans[1]),
            copier
                .prepare(&made.plans[0], &made.buffers[0], &made.buffers[1])
                .map(drop),
            copier
                .prepare(&made.plans[1], &made.buffers[0], &made.buffers[1])
                .map(drop),
            tensor.materialize(copier, &mut before).map(drop),
            tensor
                .flip(0)
                .unwrap()
                .materialize(copier, &mut before)
                .map(drop),
            tensor.record_read(copier, &mut before).map(drop),
            tensor.read_blocking(copier, queue).map(drop),
            tensor
                .flip(0)
                .unwrap()
                .read_blocking(copier, queue)
                .map(drop),
            tensor
                .read_host_blocking(copier, queue, host::DataType::UInt8)
                .map(drop),
        ];
        for (number, outcome) in outcomes.into_iter().enumerate() {
            assert_eq!(outcome, Err(Error::DeviceLost), "{}: {number}", engine.name);
        }
        // What was prepared can be recorded, and comes to nothing.
        made.prepared[0].record(&mut before);
        let mut after = encoder(device);
        made.prepared[1].record(&mut after);
        queue.submit([before.finish(), after.finish()]);
        let _ = device.poll(wgpu::PollType::wait_indefinitely());
        let complaints = engine.complaints();
        assert!(
            complaints
                .iter()
                .all(|told| told.starts_with("device lost")),
            "{complaints:?}"
        );
        works(other, &Copier::new(&other.device).unwrap());
    });
}

#[test]
fn a_device_that_is_lost_on_the_way() {
    each_pair(|engine, other| {
        // Between the recording and the submission.
        let made = Made::new(engine);
        let mut recorded = encoder(&engine.device);
        for prepared in &made.prepared {
            prepared.record(&mut recorded);
        }
        let read = made
            .tensor
            .record_read(&made.copier, &mut recorded)
            .unwrap();
        let finished = recorded.finish();
        engine.device.destroy();
        engine.queue.submit([finished]);
        let _ = engine.device.poll(wgpu::PollType::wait_indefinitely());
        assert_eq!(pollster::block_on(read), Err(Error::DeviceLost));
        // Between the submission and its end.
        let made = Made::new(other);
        let mut recorded = encoder(&other.device);
        let read = made
            .tensor
            .record_read(&made.copier, &mut recorded)
            .unwrap();
        let host = made
            .tensor
            .record_read_host(&made.copier, &mut recorded, host::DataType::UInt8)
            .unwrap();
        other.queue.submit([recorded.finish()]);
        other.device.destroy();
        let _ = other.device.poll(wgpu::PollType::wait_indefinitely());
        // A driver may have been quick enough.
        let read = pollster::block_on(read);
        assert!(
            matches!(&read, Err(Error::DeviceLost)) || read == Ok(vec![1, 2, 3, 4]),
            "{read:?}"
        );
        let host = pollster::block_on(host).map(|host| host.bytes().to_vec());
        assert!(
            matches!(&host, Err(Error::DeviceLost)) || host == Ok(vec![1, 2, 3, 4]),
            "{host:?}"
        );
        for engine in [engine, other] {
            let complaints = engine.complaints();
            assert!(
                complaints
                    .iter()
                    .all(|told| told.starts_with("device lost")),
                "{complaints:?}"
            );
        }
    });
}

#[test]
fn a_device_without_room() {
    for adapter in &own() {
        // The no-op device would take its buffers from the host.
        if adapter.get_info().backend == wgpu::Backend::Noop {
            continue;
        }
        let Some(engine) = open(adapter) else {
            continue;
        };
        // Untouched, so that a driver that does have the room takes none.
        let most = engine.device.limits().max_buffer_size & !15;
        let zeros = Tensor::zeros(&engine.device, DType::UInt8, &[most]).map(drop);
        let room = Error::Memory { bytes: most };
        // SwiftShader never has as much as it promises.
        assert!(
            zeros == Err(room.clone()) || (zeros == Ok(()) && !engine.name.starts_with("Swift")),
            "{}: {zeros:?}",
            engine.name
        );
        let copier = Copier::new(&engine.device).unwrap();
        if zeros.is_err() {
            println!("gpu_trouble: {} has no room for {most} bytes", engine.name);
            let one = Tensor::upload(&engine.device, DType::UInt8, &[1], &[7]).unwrap();
            let many = one.expand(&[most]).unwrap();
            let mut encoder = encoder(&engine.device);
            assert_eq!(many.materialize(&copier, &mut encoder), Err(room.clone()));
            let read = many.record_read(&copier, &mut encoder).map(drop);
            assert_eq!(read, Err(room.clone()));
            assert_eq!(many.read_blocking(&copier, &engine.queue), Err(room));
            engine.queue.submit([encoder.finish()]);
        }
        works(&engine, &copier);
        assert_eq!(engine.complaints(), Vec::<String>::new());
    }
}

/// A change to a device's limits.
type Edit = fn(&mut wgpu::Limits) -> &mut u32;

#[test]
fn devices_with_too_few_bindings_are_refused_by_name() {
    let table: [(Edit, &str, u64); 10] = [
        (|l| &mut l.max_bind_groups, "bind groups", 2),
        (
            |l| &mut l.max_bindings_per_bind_group,
            "bindings per bind group",
            2,
        ),
        (
            |l| &mut l.max_storage_buffers_per_shader_stage,
            "storage buffers per shader stage",
            2,
        ),
        (
            |l| &mut l.max_uniform_buffers_per_shader_stage,
            "uniform buffers per shader stage",
            1,
        ),
        (
            |l| &mut l.max_dynamic_uniform_buffers_per_pipeline_layout,
            "dynamic uniform buffers per pipeline layout",
            1,
        ),
        (
            |l| &mut l.max_compute_workgroup_size_x,
            "workgroup size along x",
            1,
        ),
        (
            |l| &mut l.max_compute_workgroup_size_y,
            "workgroup size along y",
            1,
        ),
        (
            |l| &mut l.max_compute_workgroup_size_z,
            "workgroup size along z",
            1,
        ),
        (
            |l| &mut l.max_compute_invocations_per_workgroup,
            "invocations per workgroup",
            1,
        ),
        (
            |l| &mut l.max_compute_workgroups_per_dimension,
            "workgroups per dimension",
            1,
        ),
    ];
    for adapter in &own() {
        if adapter.limits().max_compute_workgroups_per_dimension == 0 {
            continue;
        }
        let granted = adapter.limits();
        let mut least = wgpu::Limits::downlevel_defaults().using_resolution(granted);
        for (edit, limit, bound) in table {
            let bound_of_device = u32::try_from(bound).unwrap();
            let mut limits = least.clone();
            *edit(&mut limits) = bound_of_device - 1;
            let engine = open_with(adapter, limits);
            let refused = Copier::new(&engine.device).map(drop);
            let expected = Error::Limit {
                limit,
                value: bound - 1,
                bound,
            };
            assert_eq!(refused, Err(expected), "{}", engine.name);
            *edit(&mut least) = bound_of_device;
            assert_eq!(engine.complaints(), Vec::<String>::new());
        }
        // With as little as is enough, of everything.
        let engine = open_with(adapter, least);
        works(&engine, &Copier::new(&engine.device).unwrap());
        assert_eq!(engine.complaints(), Vec::<String>::new());
    }
}
