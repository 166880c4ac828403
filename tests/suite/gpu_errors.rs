//! Refusals of the GPU executor: typed, and with nothing recorded and nothing changed.

mod plans;
mod views;

use restride::gpu::{Copier, Pair, Tensor, View};
use restride::plan::Options;
use restride::{DType, Error, Layout};
use wgpu::BufferUsages;

use crate::adapters::all;
use crate::gpu_parts::{EVERY_USE, buffer, bytes, encoder, view};

/// A device, a source of 64 bytes and a poisoned destination. The no-op device is one of them: it runs no kernel, but
/// what is refused must not come to one.
struct Stage<'a> {
    device: &'a wgpu::Device,
    queue: &'a wgpu::Queue,
    copier: Copier,
    src: wgpu::Buffer,
    dst: wgpu::Buffer,
}

const SOURCE: [u8; 64] = [0x11; 64];
const POISON: [u8; 64] = [0xee; 64];

impl<'a> Stage<'a> {
    fn new(device: &'a wgpu::Device, queue: &'a wgpu::Queue) -> Self {
        Self {
            device,
            queue,
            copier: Copier::new(device).unwrap(),
            src: buffer(device, &SOURCE, EVERY_USE),
            dst: buffer(device, &POISON, EVERY_USE),
        }
    }

    /// A buffer of 64 bytes that can be used in these ways alone.
    fn limited(&self, usage: BufferUsages) -> wgpu::Buffer {
        buffer(self.device, &SOURCE, usage)
    }

    fn with(&self, edit: impl FnOnce(&mut Options)) -> Copier {
        let mut options = *self.copier.options();
        edit(&mut options);
        Copier::with_options(self.device, options).unwrap()
    }

    /// What `attempt` is refused with, once it is known that it left no trace.
    fn outcome(
        &self,
        attempt: impl FnOnce(&mut wgpu::CommandEncoder) -> Result<(), Error>,
    ) -> Result<Error, String> {
        let pipelines = self.copier.pipeline_count();
        let mut encoder = encoder(self.device);
        let outcome = attempt(&mut encoder);
        self.queue.submit([encoder.finish()]);
        for (buffer, before) in [(&self.src, SOURCE), (&self.dst, POISON)] {
            if bytes(self.device, self.queue, buffer) != before {
                return Err("a buffer changed".into());
            }
        }
        if self.copier.pipeline_count() != pipelines {
            return Err("a pipeline was made".into());
        }
        outcome.err().ok_or("no refusal".into())
    }

    /// Sees that a copy, alone and as the last of three, is refused with `error`.
    #[track_caller]
    fn refuses(&self, src: View<'_>, dst: View<'_>, error: &Error) {
        let alone = self.outcome(|encoder| self.copier.copy(encoder, src, dst));
        assert_eq!(alone.as_ref(), Ok(error));
        let word = Layout::contiguous(&[4]).unwrap();
        let fine = Pair {
            src: view(&self.src, 8, &word),
            dst: view(&self.dst, 8, &word),
        };
        let last = self.outcome(|encoder| {
            self.copier
                .copy_all(encoder, &[fine, fine, Pair { src, dst }])
        });
        assert_eq!(last.as_ref(), Ok(error));
        let in_pass = self.outcome(|encoder| {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            self.copier.copy_in_pass(&mut pass, src, dst)
        });
        assert_eq!(in_pass.as_ref(), Ok(error));
    }
}

/// Runs a test on the no-op device, and on every adapter.
fn each_stage(test: impl Fn(&Stage<'_>)) {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    test(&Stage::new(&device, &queue));
    for engine in all() {
        engine.alone(|engine| test(&Stage::new(&engine.device, &engine.queue)));
    }
}

fn contiguous(shape: &[u64]) -> Layout {
    Layout::contiguous(shape).unwrap()
}

#[test]
fn traces_are_found() {
    each_stage(|stage| {
        let row = contiguous(&[4]);
        // A native copy, which the no-op device runs too.
        let (src, dst) = (view(&stage.src, 8, &row), view(&stage.dst, 8, &row));
        let copied = stage.outcome(|encoder| {
            stage.copier.copy(encoder, src, dst)?;
            Err(Error::NoLayouts)
        });
        assert_eq!(copied, Err("a buffer changed".into()));
    });
    each_stage(|stage| {
        let row = contiguous(&[4]);
        let warmed = stage.outcome(|_| {
            let plan = stage
                .copier
                .plan_in_pass(view(&stage.src, 8, &row), view(&stage.dst, 8, &row))?;
            stage.copier.warm(&plan)
        });
        assert_eq!(warmed, Err("a pipeline was made".into()));
        assert_eq!(stage.outcome(|_| Ok(())), Err("no refusal".into()));
    });
}

#[test]
fn tensors_that_cannot_be_made() {
    each_stage(|stage| {
        let device = stage.device;
        let upload = |shape: &[u64], bytes: &[u8]| {
            Tensor::upload(device, DType::Int4, shape, bytes).unwrap_err()
        };
        assert_eq!(
            upload(&[3], &[1]),
            Error::ByteCount {
                needed: 2,
                found: 1
            }
        );
        assert_eq!(
            upload(&[3], &[1, 2, 3]),
            Error::ByteCount {
                needed: 2,
                found: 3
            }
        );
        assert_eq!(
            upload(&[0], &[1]),
            Error::ByteCount {
                needed: 0,
                found: 1
            }
        );
        assert_eq!(upload(&[1; 33], &[1]), Error::Rank { rank: 33 });
        let limit = device.limits().max_buffer_size;
        let elements = limit / 16 + 1;
        let zeros = |shape: &[u64]| Tensor::zeros(device, DType::Complex128, shape).unwrap_err();
        assert_eq!(
            zeros(&[elements]),
            Error::BufferLimit {
                needed: elements * 16,
                limit
            }
        );
        assert_eq!(zeros(&[1 << 53, 2]), Error::Numel { axis: 1, extent: 2 });
        // A view may be far larger than its buffer; what is made of it may not.
        let one = Tensor::upload(device, DType::Complex128, &[1], &[7; 16]).unwrap();
        let many = one.expand(&[elements]).unwrap();
        let refused = stage.outcome(|encoder| many.materialize(&stage.copier, encoder).map(drop));
        assert_eq!(
            refused,
            Ok(Error::BufferLimit {
                needed: elements * 16,
                limit
            })
        );
        let refused = many.read_blocking(&stage.copier, stage.queue);
        assert_eq!(
            refused,
            Err(Error::BufferLimit {
                needed: elements * 16,
                limit
            })
        );
    });
}
