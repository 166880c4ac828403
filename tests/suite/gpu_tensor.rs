//! Tensors: made, moved, materialised, written into and read, for elements of a bit to 128.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use restride::gpu::{Copier, Tensor};
use restride::{DType, Index, Layout, Move, Width};
use wgpu::BufferUsages;

use crate::adapters::{Engine, each};
use crate::gpu_parts::{EVERY_USE, buffer, copier, encoder, submit};

/// Element `k` of the tensors here: bits that no other has, as far as the width lets them.
fn element(bits: u32, k: u64) -> u128 {
    let mixed = (u128::from(k) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    (mixed ^ mixed >> 61) & (u128::MAX >> (128 - bits))
}

/// Elements one after the other, each from its least bit; spare bits are 0.
fn pack(bits: u32, elements: impl IntoIterator<Item = u128>) -> Vec<u8> {
    let (mut bytes, mut at) = (Vec::new(), 0);
    for element in elements {
        for bit in 0..bits {
            if at % 8 == 0 {
                bytes.push(0);
            }
            *bytes.last_mut().unwrap() |= u8::from(element >> bit & 1 == 1) << (at % 8);
            at += 1;
        }
    }
    bytes
}

fn packed(dtype: DType, places: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let bits = dtype.bits();
    pack(bits, places.into_iter().map(|k| element(bits, k)))
}

/// A tensor whose element `k`, in C order, is [`element`] `k`.
fn numbered(engine: &Engine, dtype: DType, shape: &[u64]) -> Tensor {
    let count = shape.iter().product();
    Tensor::upload(&engine.device, dtype, shape, &packed(dtype, 0..count)).unwrap()
}

/// A view of a numbered tensor, its shape, and the place in that tensor of each of its elements.
type Moved = (Tensor, Vec<u64>, fn(u64) -> u64);

/// Every move of a numbered tensor of shape `[2, 3, 4]`.
fn moves(x: &Tensor) -> Vec<Moved> {
    let one: Tensor = x.unsqueeze(1).unwrap();
    let step = |step| Index::Slice {
        start: None,
        stop: None,
        step,
    };
    let mut moved: Vec<Moved> = Vec::new();
    let mut add = |tensor: Tensor, shape: &[u64], place: fn(u64) -> u64| {
        moved.push((tensor, shape.to_vec(), place));
    };
    add(x.permute(&[2, 0, 1]).unwrap(), &[4, 2, 3], |k| {
        k % 6 / 3 * 12 + k % 3 * 4 + k / 6
    });
    add(x.swap_axes(0, -1).unwrap(), &[4, 3, 2], |k| {
        k % 2 * 12 + k / 2 % 3 * 4 + k / 6
    });
    add(x.move_axis(0, 2).unwrap(), &[3, 4, 2], |k| {
        k % 2 * 12 + k / 2
    });
    add(x.transpose(), &[4, 3, 2], |k| {
        k % 2 * 12 + k / 2 % 3 * 4 + k / 6
    });
    add(x.flip(1).unwrap(), &[2, 3, 4], |k| {
        k / 12 * 12 + (2 - k / 4 % 3) * 4 + k % 4
    });
    add(x.flip(-1).unwrap(), &[2, 3, 4], |k| k / 4 * 4 + 3 - k % 4);
    add(x.narrow(2, 1, 2).unwrap(), &[2, 3, 2], |k| {
        k / 2 * 4 + 1 + k % 2
    });
    add(x.select(1, -1).unwrap(), &[2, 4], |k| {
        k / 4 * 12 + 8 + k % 4
    });
    add(
        x.slice(&[(1..).into(), Index::NewAxis, Index::Ellipsis, step(-2)])
            .unwrap(),
        &[1, 1, 3, 2],
        |k| 12 + k / 2 * 4 + 3 - k % 2 * 2,
    );
    add(x.expand(&[2, 2, 3, 4]).unwrap(), &[2, 2, 3, 4], |k| k % 24);
    add(one.squeeze_axis(1).unwrap(), &[2, 3, 4], |k| k);
    add(one.squeeze(), &[2, 3, 4], |k| k);
    add(one.expand(&[2, 5, 3, 4]).unwrap(), &[2, 5, 3, 4], |k| {
        k / 60 * 12 + k % 12
    });
    add(one, &[2, 1, 3, 4], |k| k);
    add(x.unfold(2, 3, 1).unwrap(), &[2, 3, 2, 3], |k| {
        k / 6 * 4 + k / 3 % 2 + k % 3
    });
    add(x.window(2, 2, 1, 2).unwrap(), &[2, 3, 2, 2], |k| {
        k / 4 * 4 + k / 2 % 2 + k % 2 * 2
    });
    add(x.diagonal(1, 2).unwrap(), &[2, 3], |k| {
        k / 3 * 12 + k % 3 * 5
    });
    add(x.reshape(&[4, -1]).unwrap().unwrap(), &[4, 6], |k| k);
    let by_move = x.apply(&Move::Permute(vec![1, 0, 2])).unwrap().unwrap();
    add(by_move, &[3, 2, 4], |k| k / 4 % 2 * 12 + k / 8 * 4 + k % 4);
    moved
}

#[test]
fn every_move_is_read_by_every_way() {
    each(|engine| {
        let copier = copier(engine);
        for dtype in [
            DType::Int4,
            DType::Float6E2M3Fn,
            DType::Float32,
            DType::Complex128,
        ] {
            let x = numbered(engine, dtype, &[2, 3, 4]);
            let moved = moves(&x);
            // All in one submission: reads of views, and reads of what was materialised before in the same encoder.
            let mut encoder = encoder(&engine.device);
            let reads: Vec<_> = moved
                .iter()
                .map(|(tensor, ..)| {
                    let fresh = tensor.materialize(&copier, &mut encoder).unwrap();
                    assert_eq!(
                        fresh.layout(),
                        &Layout::contiguous(tensor.layout().shape()).unwrap()
                    );
                    assert_ne!(fresh.buffer(), x.buffer());
                    let mut read =
                        |tensor: &Tensor| tensor.record_read(&copier, &mut encoder).unwrap();
                    [read(tensor), read(&fresh)]
                })
                .collect();
            engine.queue.submit([encoder.finish()]);
            engine
                .device
                .poll(wgpu::PollType::wait_indefinitely())
                .unwrap();
            for ((tensor, shape, place), reads) in moved.iter().zip(reads) {
                assert_eq!(
                    (tensor.layout().shape(), tensor.dtype(), tensor.buffer()),
                    (&shape[..], dtype, x.buffer())
                );
                let expected = packed(dtype, (0..shape.iter().product()).map(place));
                for read in reads {
                    assert_eq!(
                        pollster::block_on(read).unwrap(),
                        expected,
                        "{dtype} {}",
                        tensor.layout()
                    );
                }
            }
        }
    });
}

#[test]
fn every_dtype_comes_back() {
    each(|engine| {
        let copier = copier(engine);
        let opaque = [3, 7, 12, 20, 24, 96, 127].map(|bits| DType::Bits(Width::new(bits).unwrap()));
        for dtype in DType::ALL.iter().copied().chain(opaque) {
            let x = numbered(engine, dtype, &[3, 7]);
            let read = x.read_blocking(&copier, &engine.queue).unwrap();
            assert_eq!(read, packed(dtype, 0..21), "{dtype}");
            let mut wrong = read.clone();
            wrong[1] ^= 1;
            assert_ne!(wrong, packed(dtype, 0..21));
        }
        for dtype in [
            DType::Bit,
            DType::UInt2,
            DType::Float6E3M2Fn,
            DType::BFloat16,
            DType::Float64,
        ]
        .into_iter()
        .chain(opaque)
        {
            let turned = numbered(engine, dtype, &[3, 7]).transpose();
            let read = turned.read_blocking(&copier, &engine.queue).unwrap();
            assert_eq!(
                read,
                packed(dtype, (0..21).map(|k| k % 3 * 7 + k / 3)),
                "{dtype}"
            );
            let zeros = Tensor::zeros(&engine.device, dtype, &[3, 7]).unwrap();
            let read = zeros.read_blocking(&copier, &engine.queue).unwrap();
            assert_eq!(read, vec![0; packed(dtype, 0..21).len()]);
        }
    });
}

#[test]
fn spare_bits_of_a_read_are_0() {
    each(|engine| {
        let copier = copier(engine);
        // Spare bits that are set are taken, and stay behind.
        for (bits, count, bytes, expected) in [
            (1, 3, &[0xff][..], &[0x07][..]),
            (4, 3, &[0x21, 0xf3], &[0x21, 0x03]),
            (6, 3, &[0xff, 0xff, 0xff], &[0xff, 0xff, 0x03]),
            (2, 4, &[0xe4], &[0xe4]),
        ] {
            let dtype = DType::Bits(Width::new(bits).unwrap());
            let x = Tensor::upload(&engine.device, dtype, &[count], bytes).unwrap();
            assert_eq!(x.read_blocking(&copier, &engine.queue).unwrap(), expected);
        }
        // Elements beside a view are spare bits of its read, too: the first three of five nibbles, and the last three.
        let x = Tensor::upload(&engine.device, DType::UInt4, &[5], &[0x21, 0x43, 0x05]).unwrap();
        for (start, expected) in [(0, [0x21, 0x03]), (2, [0x43, 0x05])] {
            let part = x.narrow(0, start, 3).unwrap();
            assert_eq!(
                part.read_blocking(&copier, &engine.queue).unwrap(),
                expected
            );
        }
    });
}

#[test]
fn a_view_is_written_and_nothing_beside_it() {
    each(|engine| {
        let copier = copier(engine);
        for dtype in [
            DType::Int4,
            DType::Bit,
            DType::Float6E2M3Fn,
            DType::UInt8,
            DType::Complex128,
        ] {
            let target = numbered(engine, dtype, &[5, 9]);
            let source = numbered(engine, dtype, &[4, 3]);
            // Rows 1 to 3, every second column from the last: the source's columns.
            let columns = Index::Slice {
                start: None,
                stop: Some(0),
                step: -2,
            };
            let part = target.slice(&[(1..4).into(), columns]).unwrap();
            assert_eq!(part.layout().shape(), [3, 4]);
            submit(engine, |encoder| {
                part.copy_from(&copier, encoder, &source.transpose())
                    .unwrap();
            });
            let expected = (0..45).map(|k| {
                let (row, column) = (k / 9, k % 9);
                if (1..4).contains(&row) && column > 0 && column % 2 == 0 {
                    (8 - column) / 2 * 3 + row - 1
                } else {
                    k
                }
            });
            let read = target.read_blocking(&copier, &engine.queue).unwrap();
            assert_eq!(read, packed(dtype, expected), "{dtype}");
        }
    });
}

#[test]
fn views_at_an_offset_are_read() {
    each(|engine| {
        let copier = copier(engine);
        for (bits, offset) in [
            (8, 4),
            (8, 5),
            (32, 3),
            (4, 8),
            (4, 3),
            (1, 32),
            (1, 31),
            (6, 16),
            (6, 1),
            (128, 2),
            (12, 8),
        ] {
            let dtype = DType::Bits(Width::new(bits).unwrap());
            let x = numbered(engine, dtype, &[60]);
            let layout = Layout::strided(offset, &[5, 1], &[3, 5]).unwrap();
            let part = Tensor::new(x.buffer().clone(), dtype, layout.clone()).unwrap();
            assert_eq!(part.view().layout, &layout);
            let read = part.read_blocking(&copier, &engine.queue).unwrap();
            assert_eq!(
                read,
                packed(dtype, offset..offset + 15),
                "{bits} bits from {offset}"
            );
        }
    });
}

#[test]
fn what_cannot_be_copied_from_is_read_by_a_kernel() {
    each(|engine| {
        let copier = copier(engine);
        let (device, bytes) = (&engine.device, packed(DType::UInt16, 0..24));
        let bound_only = buffer(device, &bytes, BufferUsages::STORAGE);
        let copied_only = buffer(device, &bytes, BufferUsages::COPY_SRC);
        let layout = Layout::contiguous(&[24]).unwrap();
        for buffer in [bound_only, copied_only] {
            let x = Tensor::new(buffer, DType::UInt16, layout.clone()).unwrap();
            assert_eq!(x.read_blocking(&copier, &engine.queue).unwrap(), bytes);
        }
    });
}

const NO_BYTES: [u8; 0] = [];

#[test]
fn without_elements_there_are_no_bytes() {
    each(|engine| {
        let copier = copier(engine);
        for shape in [&[0][..], &[0, 3], &[4, 0, 7]] {
            for dtype in [DType::Int4, DType::Float64] {
                let x = Tensor::upload(&engine.device, dtype, shape, &[]).unwrap();
                let y = Tensor::zeros(&engine.device, dtype, shape).unwrap();
                assert_eq!(
                    x.transpose().read_blocking(&copier, &engine.queue).unwrap(),
                    NO_BYTES
                );
                submit(engine, |encoder| {
                    y.copy_from(&copier, encoder, &x).unwrap();
                    let fresh = y.transpose().materialize(&copier, encoder).unwrap();
                    assert_eq!(fresh.layout().numel(), 0);
                });
                assert_eq!(y.read_blocking(&copier, &engine.queue).unwrap(), NO_BYTES);
            }
        }
        // A part of a tensor, too.
        let part = numbered(engine, DType::Float32, &[4])
            .narrow(0, 2, 0)
            .unwrap();
        assert_eq!(
            part.read_blocking(&copier, &engine.queue).unwrap(),
            NO_BYTES
        );
    });
}

#[test]
fn scalars_are_one_element() {
    each(|engine| {
        let copier = copier(engine);
        for dtype in [
            DType::Bit,
            DType::Int4,
            DType::Float6E3M2Fn,
            DType::Float64,
            DType::Complex128,
        ] {
            let x = numbered(engine, dtype, &[]);
            assert_eq!(
                x.read_blocking(&copier, &engine.queue).unwrap(),
                packed(dtype, [0])
            );
            let row = x.expand(&[3]).unwrap();
            assert_eq!(
                row.read_blocking(&copier, &engine.queue).unwrap(),
                packed(dtype, [0; 3])
            );
            let last = numbered(engine, dtype, &[2, 3])
                .select(0, 1)
                .unwrap()
                .select(0, -1)
                .unwrap();
            assert_eq!(last.layout().rank(), 0);
            submit(engine, |encoder| {
                x.copy_from(&copier, encoder, &last).unwrap();
            });
            assert_eq!(
                x.read_blocking(&copier, &engine.queue).unwrap(),
                packed(dtype, [5])
            );
        }
    });
}

#[test]
fn the_same_bits_as_another_dtype() {
    each(|engine| {
        let copier = copier(engine);
        let x = numbered(engine, DType::Float32, &[2, 3]);
        let bytes = packed(DType::Float32, 0..6);
        let nibbles = x.bitcast(DType::Int4).unwrap().unwrap();
        assert_eq!(
            (nibbles.dtype(), nibbles.layout().shape()),
            (DType::Int4, &[2, 3, 8][..])
        );
        assert_eq!(
            nibbles.read_blocking(&copier, &engine.queue).unwrap(),
            bytes
        );
        let back = nibbles
            .flip(0)
            .unwrap()
            .bitcast(DType::UInt32)
            .unwrap()
            .unwrap();
        let expected = packed(DType::Float32, [3, 4, 5, 0, 1, 2]);
        assert_eq!(
            back.read_blocking(&copier, &engine.queue).unwrap(),
            expected
        );
        assert_eq!(nibbles.transpose().bitcast(DType::UInt32), Ok(None));
        assert_eq!(x.transpose().reshape(&[-1]), Ok(None));
        assert_eq!(x.reshape(&[2, 3]).unwrap().as_ref(), Some(&x));
    });
}

/// Counts how often it is woken.
struct Counter(AtomicUsize);

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_read_is_pending_until_the_device_is_polled() {
    each(|engine| {
        let copier: &Copier = &copier(engine);
        let x = numbered(engine, DType::UInt16, &[3, 5]).transpose();
        let expected = packed(DType::UInt16, (0..15).map(|k| k % 3 * 5 + k / 3));
        let counter = Arc::new(Counter(AtomicUsize::new(0)));
        let waker = Waker::from(Arc::clone(&counter));
        let context = &mut Context::from_waker(&waker);
        // Recorded, and not yet submitted.
        let mut encoder = encoder(&engine.device);
        let mut recorded = pin!(x.record_read(copier, &mut encoder).unwrap());
        assert_eq!(recorded.as_mut().poll(context), Poll::Pending);
        engine
            .device
            .poll(wgpu::PollType::wait_indefinitely())
            .unwrap();
        assert_eq!(recorded.as_mut().poll(context), Poll::Pending);
        assert_eq!(counter.0.load(Ordering::SeqCst), 0);
        engine.queue.submit([encoder.finish()]);
        engine
            .device
            .poll(wgpu::PollType::wait_indefinitely())
            .unwrap();
        assert_eq!(counter.0.load(Ordering::SeqCst), 1);
        assert_eq!(
            recorded.as_mut().poll(context),
            Poll::Ready(Ok(expected.clone()))
        );
        // `read` submits by itself when it is first polled.
        let mut read = pin!(x.read(copier, &engine.queue));
        while read.as_mut().poll(context).is_pending() {
            engine
                .device
                .poll(wgpu::PollType::wait_indefinitely())
                .unwrap();
            if counter.0.load(Ordering::SeqCst) > 1 {
                assert_eq!(
                    read.as_mut().poll(context),
                    Poll::Ready(Ok(expected.clone()))
                );
                return;
            }
        }
        panic!("a read was ready before the device was polled");
    });
}

#[test]
fn tensors_of_the_library_can_be_used_in_every_way() {
    each(|engine| {
        for count in [0, 1, 15, 16, 17, 1000] {
            let x = Tensor::zeros(&engine.device, DType::UInt8, &[count]).unwrap();
            let y = Tensor::upload(
                &engine.device,
                DType::UInt8,
                &[count],
                &vec![1; usize::try_from(count).unwrap()],
            )
            .unwrap();
            for tensor in [x, y] {
                let buffer = tensor.buffer();
                assert!(buffer.usage().contains(EVERY_USE));
                // Whole units of 16 bytes, so that wide accesses reach the last word.
                assert_eq!(buffer.size(), count.max(1).next_multiple_of(16));
            }
        }
    });
}
