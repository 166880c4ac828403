//! Views that no copy joins: shapes, widths, spans, overlaps, usages.

use restride::gpu::Tensor;
use restride::plan::Rung;
use restride::{DType, Error, Layout, Side};
use wgpu::BufferUsages;

use super::{SOURCE, contiguous, each_stage};
use crate::gpu_parts::{EVERY_USE, bytes, view};

#[test]
fn views_that_do_not_go_together() {
    each_stage(|stage| {
        let (src, dst) = (&stage.src, &stage.dst);
        let (matrix, row) = (contiguous(&[2, 3]), contiguous(&[6]));
        stage.refuses(
            view(src, 8, &matrix),
            view(dst, 8, &row),
            &Error::UnlikeRanks { left: 2, right: 1 },
        );
        let wide = contiguous(&[2, 4]);
        let unlike = Error::UnlikeExtents {
            axis: 1,
            left: 3,
            right: 4,
        };
        stage.refuses(view(src, 8, &matrix), view(dst, 8, &wide), &unlike);
        // Of no element, too.
        let (some, none) = (contiguous(&[2, 0]), contiguous(&[0, 2]));
        let unlike = Error::UnlikeExtents {
            axis: 0,
            left: 2,
            right: 0,
        };
        stage.refuses(view(src, 8, &some), view(dst, 8, &none), &unlike);
        stage.refuses(
            view(src, 8, &row),
            view(dst, 16, &row),
            &Error::UnlikeWidths { left: 8, right: 16 },
        );
        stage.refuses(
            view(src, 6, &row),
            view(dst, 4, &row),
            &Error::UnlikeWidths { left: 6, right: 4 },
        );
        let repeating = contiguous(&[3]).expand(&[2, 3]).unwrap();
        stage.refuses(
            view(src, 8, &matrix),
            view(dst, 8, &repeating),
            &Error::NotDistinct,
        );
        let racing = Layout::strided(0, &[1, 2], &[7, 2]).unwrap();
        stage.refuses(
            view(src, 32, &contiguous(&[7, 2])),
            view(dst, 32, &racing),
            &Error::NotDistinct,
        );
    });
}

#[test]
fn spans_past_a_buffer() {
    each_stage(|stage| {
        let (src, dst) = (&stage.src, &stage.dst);
        let too_small = |side, needed| Error::BufferTooSmall {
            side,
            needed,
            buffer: 64,
        };
        let (whole, more) = (contiguous(&[16]), Layout::strided(1, &[1], &[16]).unwrap());
        stage.refuses(
            view(src, 32, &more),
            view(dst, 32, &whole),
            &too_small(Side::Source, 68),
        );
        stage.refuses(
            view(src, 32, &whole),
            view(dst, 32, &more),
            &too_small(Side::Destination, 68),
        );
        // By one bit, and backwards.
        let bits = Layout::strided(512, &[-1], &[513]).unwrap();
        stage.refuses(
            view(src, 1, &bits),
            view(dst, 1, &bits),
            &too_small(Side::Source, 65),
        );
        let far = Layout::strided(1 << 52, &[0], &[16]).unwrap();
        stage.refuses(
            view(src, 128, &far),
            view(dst, 128, &whole),
            &too_small(Side::Source, (1 << 56) + 16),
        );
        let tensor = Tensor::new(dst.clone(), DType::Int4, contiguous(&[129]));
        assert_eq!(tensor, Err(too_small(Side::Source, 65)));
    });
}

#[test]
fn bytes_past_the_last_whole_word() {
    each_stage(|stage| {
        let odd = stage.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 25,
            usage: EVERY_USE,
            mapped_at_creation: false,
        });
        stage.queue.write_buffer(&odd, 0, &[0x77; 24]);
        let (all, words) = (contiguous(&[25]), contiguous(&[24]));
        let tail = |side| Error::Tail {
            side,
            needed: 28,
            buffer: 25,
        };
        stage.refuses(
            view(&odd, 8, &all),
            view(&stage.dst, 8, &all),
            &tail(Side::Source),
        );
        stage.refuses(
            view(&stage.src, 8, &all),
            view(&odd, 8, &all),
            &tail(Side::Destination),
        );
        assert_eq!(bytes(stage.device, stage.queue, &odd), [0x77; 24]);
        // A read copies, too.
        let tensor = Tensor::new(odd.clone(), DType::UInt8, all).unwrap();
        assert_eq!(
            tensor.read_blocking(&stage.copier, stage.queue),
            Err(tail(Side::Source))
        );
        // Its whole words are like any other's.
        let tensor = Tensor::new(odd, DType::UInt8, words).unwrap();
        assert_eq!(
            tensor.read_blocking(&stage.copier, stage.queue),
            Ok(vec![0x77; 24])
        );
    });
}

#[test]
fn overlapping_views_with_less_scratch_than_they_need() {
    each_stage(|stage| {
        let dst = &stage.dst;
        let bounded = |most| stage.with(|options| options.max_scratch_bytes = most);
        let (low, high) = (contiguous(&[9]), Layout::strided(8, &[1], &[9]).unwrap());
        let square = contiguous(&[4, 4])
            .narrow(1, 0, 3)
            .unwrap()
            .narrow(0, 0, 3)
            .unwrap();
        let turned = square.transpose();
        for (bits, src, dst_layout, needed) in [
            (8, &low, &high, 16),
            (4, &high, &low, 16),
            (32, &turned, &square, 48),
        ] {
            let (src, dst) = (view(dst, bits, src), view(dst, bits, dst_layout));
            let limit = needed - 1;
            let refused = bounded(limit).plan(src, dst);
            assert_eq!(refused, Err(Error::ScratchLimit { needed, limit }));
            let plan = bounded(needed).plan(src, dst).unwrap();
            assert_eq!(plan.scratch_bytes(), needed);
        }
        // One and the same view: nothing to do.
        let copied = stage.outcome(|encoder| {
            stage
                .copier
                .copy(encoder, view(dst, 32, &square), view(dst, 32, &square))
        });
        assert_eq!(copied, Err("no refusal".into()));
        // Neighbours that share a word are not refused.
        let next = Layout::strided(9, &[1], &[9]).unwrap();
        stage
            .copier
            .plan(view(dst, 4, &low), view(dst, 4, &next))
            .unwrap();
    });
}

#[test]
fn usages_that_are_missing() {
    each_stage(|stage| {
        let (src, dst) = (&stage.src, &stage.dst);
        let missing = |side, usage| Error::MissingUsage { side, usage };
        let (row, reversed) = (contiguous(&[16]), contiguous(&[130]).flip(0).unwrap());
        let from = stage.limited(BufferUsages::COPY_SRC);
        let to = stage.limited(BufferUsages::COPY_DST | BufferUsages::COPY_SRC);
        // What no native copy makes needs both buffers bound.
        let many = contiguous(&[130]);
        stage.refuses(
            view(&from, 2, &reversed),
            view(dst, 2, &many),
            &missing(Side::Source, "STORAGE"),
        );
        stage.refuses(
            view(src, 2, &reversed),
            view(&to, 2, &many),
            &missing(Side::Destination, "STORAGE"),
        );
        // A plain copy may be native, if both sides may; not in a pass.
        let bound = stage.limited(BufferUsages::STORAGE | BufferUsages::COPY_DST);
        stage.refuses(
            view(&bound, 32, &row),
            view(&to, 32, &row),
            &missing(Side::Destination, "STORAGE"),
        );
        let bound = stage.limited(BufferUsages::STORAGE | BufferUsages::COPY_SRC);
        stage.refuses(
            view(&from, 32, &row),
            view(&bound, 32, &row),
            &missing(Side::Source, "STORAGE"),
        );
        let in_pass = stage.outcome(|encoder| {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            stage
                .copier
                .copy_in_pass(&mut pass, view(&from, 32, &row), view(dst, 32, &row))
        });
        assert_eq!(in_pass, Ok(missing(Side::Source, "STORAGE")));
        // A plan made for buffers that have the usages, on one that has not.
        let native = stage
            .copier
            .plan(view(src, 32, &row), view(dst, 32, &row))
            .unwrap();
        let kernel = stage
            .copier
            .plan_in_pass(view(src, 32, &row), view(dst, 32, &row))
            .unwrap();
        assert_eq!(native.rung(), Rung::Native);
        let bound = stage.limited(BufferUsages::STORAGE);
        for (plan, src, dst, error) in [
            (&native, &bound, dst, missing(Side::Source, "COPY_SRC")),
            (&native, src, &bound, missing(Side::Destination, "COPY_DST")),
            (&kernel, &from, dst, missing(Side::Source, "STORAGE")),
            (&kernel, src, &to, missing(Side::Destination, "STORAGE")),
        ] {
            let refused = stage.outcome(|encoder| {
                stage.copier.prepare(plan, src, dst)?.record(encoder);
                Ok(())
            });
            assert_eq!(refused, Ok(error));
        }
        assert_eq!(bytes(stage.device, stage.queue, &to), SOURCE);
    });
}
