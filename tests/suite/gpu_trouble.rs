//! Trouble with devices and buffers: typed errors where wgpu lets them be seen, and where it tells of the others. Each test
//! has devices of its own, which it may lose.

mod devices;

use std::pin::pin;
use std::task::{Context, Waker};

use restride::gpu::{Copier, Pair, Tensor};
use restride::plan::Rung;
use restride::{DType, Error, Layout, Side};

use crate::adapters::{Engine, open, own};
use crate::gpu_parts::{EVERY_USE, buffer, bytes, encoder, submit, view};

const SOURCE: [u8; 64] = [0x11; 64];
const POISON: [u8; 64] = [0xee; 64];

/// Runs a test with two devices of each adapter.
fn each_pair(test: impl Fn(&Engine, &Engine)) {
    let adapters = own();
    let noop = |adapter: &wgpu::Adapter| adapter.get_info().backend == wgpu::Backend::Noop;
    assert!(adapters.len() > 1 && adapters.iter().any(noop));
    for adapter in &adapters {
        if let (Some(one), Some(other)) = (open(adapter), open(adapter)) {
            eprintln!("gpu_trouble: {}", one.name);
            test(&one, &other);
        }
    }
}

fn fresh(engine: &Engine, bytes: &[u8]) -> wgpu::Buffer {
    buffer(&engine.device, bytes, EVERY_USE)
}

/// The error that a scope caught.
fn told(scope: wgpu::ErrorScopeGuard) -> Option<String> {
    let answer = pin!(scope.pop());
    match answer.poll(&mut Context::from_waker(Waker::noop())) {
        std::task::Poll::Ready(error) => error.map(|error| error.to_string()),
        std::task::Poll::Pending => panic!("a native scope answers at once"),
    }
}

/// Sixteen words, and the same words reversed: what the device's own copy does, and what takes a kernel.
fn layouts() -> [Layout; 2] {
    let row = Layout::contiguous(&[16]).unwrap();
    let reversed = row.flip(0).unwrap();
    [row, reversed]
}

/// Sees that a device still copies.
fn works(engine: &Engine, copier: &Copier) {
    let [row, reversed] = layouts();
    let mut start = SOURCE;
    start[0] = 0x77;
    let (src, dst) = (fresh(engine, &start), fresh(engine, &POISON));
    let (from, to) = (view(&src, 32, &reversed), view(&dst, 32, &row));
    let by_kernel = copier.plan(from, to).unwrap().rung() != Rung::Native;
    submit(engine, |encoder| {
        copier.copy(encoder, from, to).unwrap();
        copier
            .copy(encoder, view(&dst, 32, &row), view(&src, 32, &row))
            .unwrap();
    });
    let found = bytes(&engine.device, &engine.queue, &src);
    // The no-op device runs no kernel.
    let expected = if by_kernel && engine.info.backend == wgpu::Backend::Noop {
        0xee
    } else {
        0x77
    };
    assert_eq!(found[60], expected, "{}", engine.name);
}

/// Something that is tried with a copier, an encoder, a source and a destination.
type Attempt<'a> = &'a dyn Fn(
    &Copier,
    &mut wgpu::CommandEncoder,
    &wgpu::Buffer,
    &wgpu::Buffer,
) -> Result<(), Error>;

#[test]
fn destroyed_and_foreign_buffers_are_refused_before_anything_is_recorded() {
    let [row, reversed] = &layouts();
    let tensor = |buffer: &wgpu::Buffer, layout: &Layout| {
        Tensor::new(buffer.clone(), DType::UInt32, layout.clone()).unwrap()
    };
    let attempts: [Attempt<'_>; 5] = [
        &|copier, encoder, src, dst| copier.copy(encoder, view(src, 32, row), view(dst, 32, row)),
        &|copier, encoder, src, dst| {
            copier.copy(encoder, view(src, 32, reversed), view(dst, 32, row))
        },
        &|copier, encoder, src, dst| {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            copier.copy_in_pass(&mut pass, view(src, 32, row), view(dst, 32, row))
        },
        &|copier, encoder, src, dst| {
            let pair = Pair {
                src: view(src, 32, reversed),
                dst: view(dst, 32, row),
            };
            let (a, b) = (
                buffer(copier.device(), &SOURCE, EVERY_USE),
                buffer(copier.device(), &POISON, EVERY_USE),
            );
            let fine = Pair {
                src: view(&a, 32, reversed),
                dst: view(&b, 32, row),
            };
            copier.copy_all(encoder, &[fine, pair])
        },
        &|copier, encoder, src, dst| {
            tensor(dst, row).copy_from(copier, encoder, &tensor(src, reversed))
        },
    ];
    each_pair(|engine, other| {
        let copier = Copier::new(&engine.device).unwrap();
        let gone = fresh(engine, &SOURCE);
        gone.destroy();
        let foreign = fresh(other, &SOURCE);
        let fine = fresh(engine, &POISON);
        for (unusable, says) in [(&gone, "destroyed"), (&foreign, "match")] {
            for (number, attempt) in attempts.iter().enumerate() {
                for side in [Side::Source, Side::Destination] {
                    let (src, dst) = match side {
                        Side::Source => (unusable, &fine),
                        _ => (&fine, unusable),
                    };
                    let mut encoder = encoder(&engine.device);
                    let refused = attempt(&copier, &mut encoder, src, dst);
                    match &refused {
                        Err(Error::UnusableBuffer {
                            side: blamed,
                            cause,
                        }) if *blamed == side && cause.contains(says) => {}
                        _ => panic!("{}, {number}, {side}: {refused:?}", engine.name),
                    }
                    engine.queue.submit([encoder.finish()]);
                }
            }
            // Reads, plain and rearranged.
            for layout in [row, reversed] {
                let read = tensor(unusable, layout).read_blocking(&copier, &engine.queue);
                assert!(
                    matches!(&read, Err(Error::UnusableBuffer { side: Side::Source, cause }) if cause.contains(says)),
                    "{read:?}"
                );
            }
        }
        // Scratch of the caller's.
        let plan = copier
            .plan(view(&fine, 32, reversed), view(&fine, 32, row))
            .unwrap();
        for (unusable, says) in [(&gone, "destroyed"), (&foreign, "match")] {
            let refused = copier.prepare_with_scratch(&plan, &fine, &fine, unusable);
            assert!(
                matches!(&refused, Err(Error::UnusableBuffer { side: Side::Scratch, cause }) if cause.contains(says)),
                "{refused:?}"
            );
        }
        assert_eq!(bytes(&engine.device, &engine.queue, &fine), POISON);
        works(engine, &copier);
        assert_eq!(engine.complaints(), Vec::<String>::new());
        assert_eq!(other.complaints(), Vec::<String>::new());
    });
}

#[test]
fn the_callers_scopes_see_nothing_of_what_is_returned() {
    each_pair(|engine, _| {
        let copier = Copier::new(&engine.device).unwrap();
        let [row, reversed] = layouts();
        let (gone, dst) = (fresh(engine, &SOURCE), fresh(engine, &POISON));
        gone.destroy();
        let scope = engine
            .device
            .push_error_scope(wgpu::ErrorFilter::Validation);
        let refused = copier.copy(
            &mut encoder(&engine.device),
            view(&gone, 32, &reversed),
            view(&dst, 32, &row),
        );
        assert!(matches!(refused, Err(Error::UnusableBuffer { .. })));
        assert_eq!(told(scope), None);
        // Theirs still work, with one of ours within.
        let scope = engine
            .device
            .push_error_scope(wgpu::ErrorFilter::Validation);
        works(engine, &copier);
        drop(engine.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4,
            usage: wgpu::BufferUsages::empty(),
            mapped_at_creation: false,
        }));
        assert!(told(scope).is_some());
        assert_eq!(engine.complaints(), Vec::<String>::new());
    });
}

#[test]
fn what_wgpu_tells_at_submission() {
    each_pair(|engine, other| {
        let (device, queue) = (&engine.device, &engine.queue);
        let copier = Copier::new(device).unwrap();
        let [row, reversed] = layouts();
        let dst = fresh(engine, &POISON);
        // Everything is recorded, and then the submission is refused as a whole.
        let submitted = |encoder: wgpu::CommandEncoder, says: &str| {
            let finish = device.push_error_scope(wgpu::ErrorFilter::Validation);
            let commands = encoder.finish();
            let finished = told(finish);
            let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
            queue.submit([commands]);
            let told = told(scope).unwrap_or_default();
            assert!(told.contains(says), "{}: {told}", engine.name);
            assert_eq!(bytes(device, queue, &dst), POISON);
            finished
        };
        for layout in [&row, &reversed] {
            // A mapped buffer.
            let mapped = device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 64,
                usage: EVERY_USE,
                mapped_at_creation: true,
            });
            let mut recorded = encoder(device);
            copier
                .copy(
                    &mut recorded,
                    view(&mapped, 32, layout),
                    view(&dst, 32, &row),
                )
                .unwrap();
            assert_eq!(submitted(recorded, "mapped"), None);
            // One that is destroyed between the recording and the submission, or between two recordings.
            let src = fresh(engine, &SOURCE);
            let plan = copier
                .plan(view(&src, 32, layout), view(&dst, 32, &row))
                .unwrap();
            let prepared = copier.prepare(&plan, &src, &dst).unwrap();
            let mut before = encoder(device);
            prepared.record(&mut before);
            src.destroy();
            assert_eq!(submitted(before, "destroyed"), None);
            let mut after = encoder(device);
            prepared.record(&mut after);
            assert_eq!(submitted(after, "destroyed"), None);
            // An encoder of another device: its own device is told when it is finished.
            let src = fresh(engine, &SOURCE);
            let mut foreign = encoder(&other.device);
            copier
                .copy(&mut foreign, view(&src, 32, layout), view(&dst, 32, &row))
                .unwrap();
            let scope = other.device.push_error_scope(wgpu::ErrorFilter::Validation);
            drop(foreign.finish());
            assert!(told(scope).is_some_and(|told| told.contains("match")));
            // An encoder whose pass was let go of, and is open.
            let mut locked = encoder(device);
            let pass = locked
                .begin_compute_pass(&wgpu::ComputePassDescriptor::default())
                .forget_lifetime();
            let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
            copier
                .copy(&mut locked, view(&src, 32, layout), view(&dst, 32, &row))
                .unwrap();
            // A pass in it is told of when it ends, the device's own copies when the encoder is finished.
            let told_at_once = told(scope).is_some_and(|told| told.contains("locked"));
            assert_eq!(told_at_once, layout == &reversed);
            drop(pass);
            assert!(submitted(locked, "").is_some());
        }
        works(engine, &copier);
        assert_eq!(engine.complaints(), Vec::<String>::new());
    });
}

#[test]
fn a_read_of_a_refused_submission_is_an_error() {
    each_pair(|engine, other| {
        let copier = Copier::new(&engine.device).unwrap();
        let tensor = Tensor::upload(&engine.device, DType::UInt8, &[5], &[1, 2, 3, 4, 5]).unwrap();
        let gone = fresh(engine, &POISON);
        // Recorded with the caller's own commands, of which one spoils the submission.
        let mut spoilt = encoder(&engine.device);
        spoilt.copy_buffer_to_buffer(&gone, 0, tensor.buffer(), 8, 8);
        let read = tensor.record_read(&copier, &mut spoilt).unwrap();
        gone.destroy();
        let scope = engine
            .device
            .push_error_scope(wgpu::ErrorFilter::Validation);
        engine.queue.submit([spoilt.finish()]);
        assert!(told(scope).is_some());
        engine
            .device
            .poll(wgpu::PollType::wait_indefinitely())
            .unwrap();
        let read = pollster::block_on(read);
        assert!(matches!(read, Err(Error::Refused { .. })), "{read:?}");
        // A queue of another device: that one's handler is told, as nobody here knows the device.
        let read = tensor.read_blocking(&copier, &other.queue);
        assert!(matches!(read, Err(Error::Refused { .. })), "{read:?}");
        assert_eq!(other.complaints().len(), 1);
        let read = pollster::block_on(async {
            let read = tensor.read(&copier, &engine.queue);
            let mut read = pin!(read);
            std::future::poll_fn(|context| {
                let polled = read.as_mut().poll(context);
                engine
                    .device
                    .poll(wgpu::PollType::wait_indefinitely())
                    .unwrap();
                polled
            })
            .await
        });
        assert_eq!(read.unwrap(), [1, 2, 3, 4, 5]);
        assert_eq!(engine.complaints(), Vec::<String>::new());
    });
}
