//! Buffers' ends: sizes of 1 to 3 bytes over whole words, views that end in the last word, and vec4 bindings there.

use restride::gpu::Copier;
use restride::plan::{Options, Rung};
use restride::{Layout, Width, reference};

use crate::adapters::{Engine, each};
use crate::gpu_parts::{EVERY_USE, bytes, copier, encoder, view};

/// A buffer of so many bytes, of which whole words are given.
fn ragged(engine: &Engine, words: &[u8], over: u64) -> wgpu::Buffer {
    let buffer = engine.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: words.len() as u64 + over,
        usage: EVERY_USE,
        mapped_at_creation: false,
    });
    engine.queue.write_buffer(&buffer, 0, words);
    buffer
}

/// A view of a matrix whose last element ends in the last word of so many bytes.
fn at_the_end(layout: &Layout, width: Width, bytes: u64) -> Layout {
    let room = width.numel_in(bytes) - layout.span().end;
    Layout::strided(layout.offset() + room, layout.strides(), layout.shape()).unwrap()
}

/// A copy that ends where both buffers do.
struct Case {
    width: Width,
    src: Layout,
    dst: Layout,
    /// Bytes of each buffer that are whole words.
    bytes: [u64; 2],
}

/// Views of 6 x 8 elements for every way to copy, at the ends of buffers that are a whole number of 16 bytes and one, two
/// and three words more.
fn cases() -> Vec<Case> {
    let matrix = Layout::contiguous(&[6, 8]).unwrap();
    let padded = Layout::strided(0, &[9, 1], &[6, 8]).unwrap();
    let apart = Layout::strided(0, &[16, 2], &[6, 8]).unwrap();
    let turned = Layout::contiguous(&[8, 6]).unwrap().transpose();
    let pairs = [
        (&matrix, &matrix),
        (&padded, &matrix),
        (&matrix, &padded),
        (&turned, &matrix),
        (&matrix, &turned),
        (&matrix.flip(1).unwrap(), &matrix),
        (&apart, &matrix),
        (&matrix, &apart),
        (&apart, &apart),
    ];
    let mut cases = Vec::new();
    for bits in [1, 6, 8, 32, 128] {
        let width = Width::new(bits).unwrap();
        for (number, (src, dst)) in (0..).zip(&pairs) {
            let bytes = [*src, *dst].map(|layout| {
                let needed = width.bytes_for(layout.span().end).next_multiple_of(16);
                needed + 4 * ((number + u64::from(bits)) % 4)
            });
            cases.push(Case {
                width,
                src: at_the_end(src, width, bytes[0]),
                dst: at_the_end(dst, width, bytes[1]),
                bytes,
            });
        }
    }
    cases
}

impl Case {
    /// Runs the copy by `copier` on buffers of `over` bytes more; `None` if it does not cover the copy.
    fn run(&self, engine: &Engine, copier: &Copier, over: [u64; 2]) -> Option<Result<(), String>> {
        let filled = |bytes: u64, by: u8| -> Vec<u8> {
            (0..bytes)
                .map(|at| (at.to_le_bytes()[0]).wrapping_mul(by) ^ by)
                .collect()
        };
        let (src, mut dst) = (filled(self.bytes[0], 37), filled(self.bytes[1], 91));
        let [from, to] = [ragged(engine, &src, over[0]), ragged(engine, &dst, over[1])];
        let bits = self.width.bits();
        let (from, to_view) = (view(&from, bits, &self.src), view(&to, bits, &self.dst));
        let mut encoder = encoder(&engine.device);
        match copier.copy(&mut encoder, from, to_view) {
            Err(restride::Error::Rung { .. }) => return None,
            outcome => outcome.unwrap(),
        }
        engine.queue.submit([encoder.finish()]);
        reference::copy(self.width, &src, &self.src, &mut dst, &self.dst).unwrap();
        let found = bytes(&engine.device, &engine.queue, &to);
        let wrong = found
            .iter()
            .zip(&dst)
            .position(|(found, expected)| found != expected);
        Some(match wrong {
            None => Ok(()),
            Some(at) => Err(format!(
                "{}: byte {at} of {bits} bits, {} to {}, {over:?} over",
                engine.name, self.src, self.dst
            )),
        })
    }
}

#[test]
fn views_end_with_buffers_of_any_size() {
    each(|engine| {
        let chosen = copier(engine);
        let mut forced = Vec::new();
        for rung in Rung::ALL {
            let options = Options {
                force: Some(rung),
                ..*chosen.options()
            };
            forced.push((rung, Copier::with_options(&engine.device, options).unwrap()));
        }
        let mut ran = vec![0; forced.len()];
        for (number, case) in cases().into_iter().enumerate() {
            for over in [[0, 0], [1, 3], [2, 1], [3, 2]] {
                case.run(engine, &chosen, over).unwrap().unwrap();
            }
            // Each rung that covers it, on buffers of some size.
            let over = [number as u64 % 4, number as u64 / 4 % 4];
            for ((_, copier), ran) in forced.iter().zip(&mut ran) {
                if let Some(outcome) = case.run(engine, copier, over) {
                    outcome.unwrap();
                    *ran += 1;
                }
            }
        }
        for ((rung, _), ran) in forced.iter().zip(&ran) {
            assert_eq!(*ran > 0, *rung != Rung::Nothing, "{rung}: {ran}");
        }
    });
}
