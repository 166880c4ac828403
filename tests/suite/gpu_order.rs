//! Order and threads: copies of one pass that depend on each other, and one copier for threads that record at once.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use restride::gpu::{Copier, Pair, Prepared};
use restride::{Error, Layout, Width, reference};

use crate::adapters::{Engine, each};
use crate::gpu_parts::{EVERY_USE, buffer, bytes, copier, encoder, submit, view};

const BYTES: usize = 1024;

/// Widths whose pipelines threads make.
const WIDTHS: [u32; 5] = [2, 12, 16, 32, 128];

/// A copy among a few buffers, by their numbers.
struct Copy {
    bits: u32,
    src: (usize, Layout),
    dst: (usize, Layout),
}

/// Buffers on the host and on a device.
struct Both {
    host: Vec<Vec<u8>>,
    device: Vec<wgpu::Buffer>,
}

impl Both {
    fn new(device: &wgpu::Device, count: usize) -> Self {
        let host: Vec<Vec<u8>> = (0..count)
            .map(|k| {
                let word = |at: usize| (at * 7 + k * 83 + at / 256).to_le_bytes()[0];
                (0..BYTES).map(word).collect()
            })
            .collect();
        let device = host
            .iter()
            .map(|bytes| buffer(device, bytes, EVERY_USE))
            .collect();
        Self { host, device }
    }

    fn pairs<'a>(&'a self, copies: &'a [Copy]) -> Vec<Pair<'a>> {
        copies
            .iter()
            .map(|Copy { bits, src, dst }| Pair {
                src: view(&self.device[src.0], *bits, &src.1),
                dst: view(&self.device[dst.0], *bits, &dst.1),
            })
            .collect()
    }

    /// The copies one after the other, each reading its source first.
    fn run_on_the_host(&mut self, copies: &[Copy]) {
        for Copy { bits, src, dst } in copies {
            let source = self.host[src.0].clone();
            let width = Width::new(*bits).unwrap();
            reference::copy(width, &source, &src.1, &mut self.host[dst.0], &dst.1).unwrap();
        }
    }

    fn agree(&self, engine: &Engine) -> Result<(), String> {
        for (number, (host, device)) in self.host.iter().zip(&self.device).enumerate() {
            let found = bytes(&engine.device, &engine.queue, device);
            if let Some(at) = (0..BYTES).find(|&at| found[at] != host[at]) {
                return Err(format!("{}: buffer {number}, byte {at}", engine.name));
            }
        }
        Ok(())
    }
}

fn strided(offset: u64, strides: &[i64], shape: &[u64]) -> Layout {
    Layout::strided(offset, strides, shape).unwrap()
}

/// Copies whose outcome depends on their order: destinations that share words and bits, sources that were written before,
/// and a view moved within its buffer.
fn dependent(bits: u32) -> Vec<Copy> {
    let copy = |src: usize, from: Layout, dst: usize, to: Layout| Copy {
        bits,
        src: (src, from),
        dst: (dst, to),
    };
    vec![
        // The same destination three times: whole, each other element, and a part that starts inside a word.
        copy(0, strided(0, &[1], &[60]), 2, strided(0, &[1], &[60])),
        copy(1, strided(59, &[-1], &[30]), 2, strided(1, &[2], &[30])),
        copy(
            0,
            strided(3, &[8, 1], &[5, 7]),
            2,
            strided(13, &[7, 1], &[5, 7]),
        ),
        // What was written is read: turned, then turned back elsewhere.
        copy(
            2,
            strided(0, &[1, 10], &[10, 6]),
            3,
            strided(1, &[6, 1], &[10, 6]),
        ),
        copy(
            3,
            strided(1, &[1, 6], &[6, 10]),
            0,
            strided(2, &[10, 1], &[6, 10]),
        ),
        // Moved by one within its buffer, forwards and back, which overlaps.
        copy(0, strided(2, &[1], &[50]), 0, strided(3, &[1], &[50])),
        copy(0, strided(3, &[1], &[49]), 0, strided(2, &[1], &[49])),
        copy(0, strided(2, &[1], &[16]), 3, strided(31, &[1], &[16])),
    ]
}

/// A way to record copies.
type Way<'a> = dyn Fn(&mut wgpu::CommandEncoder, &[Pair<'_>]) + 'a;

#[test]
fn copies_of_a_pass_come_one_after_the_other() {
    each(|engine| {
        let copier = copier(engine);
        for bits in [1, 6, 8, 32, 128] {
            let copies = dependent(bits);
            // In one batch; each by itself in one pass; each in its own, with the device's own copies where they serve.
            let ways: [&Way<'_>; 3] = [
                &|encoder, pairs| copier.copy_all(encoder, pairs).unwrap(),
                &|encoder, pairs| {
                    let mut pass =
                        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                    for Pair { src, dst } in pairs {
                        copier.copy_in_pass(&mut pass, *src, *dst).unwrap();
                    }
                },
                &|encoder, pairs| {
                    for Pair { src, dst } in pairs {
                        copier.copy(encoder, *src, *dst).unwrap();
                    }
                },
            ];
            for (number, way) in ways.iter().enumerate() {
                let mut both = Both::new(&engine.device, 4);
                submit(engine, |encoder| way(encoder, &both.pairs(&copies)));
                both.run_on_the_host(&copies);
                both.agree(engine)
                    .unwrap_or_else(|wrong| panic!("{bits} bits, way {number}: {wrong}"));
                // Another order has another outcome.
                let mut other = dependent(bits);
                other.swap(0, 1);
                let mut both = Both::new(&engine.device, 4);
                submit(engine, |encoder| way(encoder, &both.pairs(&copies)));
                both.run_on_the_host(&other);
                both.agree(engine).unwrap_err();
            }
        }
    });
}

#[test]
fn threads_record_what_others_prepared_while_pipelines_are_made() {
    fn shared<T: Send + Sync>() {}
    shared::<Copier>();
    shared::<Prepared>();
    each(|engine| {
        let device = &engine.device;
        let copier = &Copier::new(device).unwrap();
        let copies = &dependent(8);
        let both = &Both::new(device, 4);
        let (gone, row) = (
            &buffer(device, &[0; 64], EVERY_USE),
            &strided(0, &[1], &[64]),
        );
        gone.destroy();
        // Written by all threads at once, and the same by each.
        let prepared = &copier.prepare_all(&both.pairs(&copies[..3])).unwrap();
        let (start, refusals) = (&Barrier::new(6), &AtomicU64::new(0));
        thread::scope(|scope| {
            for thread in 0..6 {
                scope.spawn(move || {
                    start.wait();
                    for bits in WIDTHS {
                        match thread {
                            // New pipelines, one after the other.
                            0 | 1 => {
                                let own = Both::new(device, 4);
                                let pairs = dependent(bits);
                                drop(copier.prepare_all(&own.pairs(&pairs)).unwrap());
                            }
                            // Refusals, which are nobody else's.
                            2 => {
                                let refused = copier.copy(
                                    &mut encoder(device),
                                    view(gone, 8, row),
                                    view(&both.device[3], 8, row),
                                );
                                assert!(matches!(refused, Err(Error::UnusableBuffer { .. })));
                                refusals.fetch_add(1, Ordering::Relaxed);
                            }
                            _ => submit(engine, |encoder| prepared.record(encoder)),
                        }
                    }
                });
            }
        });
        assert_eq!(refusals.load(Ordering::Relaxed), WIDTHS.len() as u64);
        let mut expected = Both {
            host: Both::new(device, 4).host,
            device: both.device.clone(),
        };
        expected.run_on_the_host(&copies[..3]);
        expected.agree(engine).unwrap();
        // A pipeline that two threads made is kept once.
        let count = copier.pipeline_count();
        for bits in WIDTHS {
            let own = Both::new(device, 4);
            drop(copier.prepare_all(&own.pairs(&dependent(bits))).unwrap());
        }
        assert_eq!(copier.pipeline_count(), count);
    });
}
