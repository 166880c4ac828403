//! Plans that cannot be made, or not be recorded here: limits, rungs, other buffers, too many steps.

use restride::gpu::Copier;
use restride::plan::{Limits, Options, Rung, RungSet};
use restride::{Error, Layout, Side};

use super::{contiguous, each_stage};
use crate::gpu_parts::{EVERY_USE, buffer, bytes, view};

#[test]
fn limits_that_are_absurd_or_beyond_the_device() {
    each_stage(|stage| {
        let device: Limits = (&stage.device.limits()).into();
        let refused = |edit: fn(&mut Limits)| {
            let mut limits = device;
            edit(&mut limits);
            let options = Options {
                limits,
                ..Options::default()
            };
            Copier::with_options(stage.device, options).unwrap_err()
        };
        let absurd = |limit, value, bound| Error::Limit {
            limit,
            value,
            bound,
        };
        assert_eq!(
            refused(|l| l.groups = 0),
            absurd("workgroups per dimension", 0, 1)
        );
        assert_eq!(
            refused(|l| l.alignment_bytes = 48),
            absurd("storage alignment", 48, 64)
        );
        assert_eq!(
            refused(|l| l.binding_bytes = 1),
            absurd("storage binding size", 1, device.alignment_bytes)
        );
        let beyond = |limit, value, device| Error::BeyondDevice {
            limit,
            value,
            device,
        };
        let more = device.invocations + 1;
        assert_eq!(
            refused(|l| l.invocations += 1),
            beyond(
                "invocations per workgroup",
                more.into(),
                device.invocations.into()
            )
        );
        if device.alignment_bytes > 4 {
            let half = device.alignment_bytes / 2;
            assert_eq!(
                refused(|l| l.alignment_bytes /= 2),
                beyond("storage alignment", half, device.alignment_bytes)
            );
        }
    });
}

#[test]
fn an_absurd_alignment_of_uniforms_asks_for_no_absurd_buffer() {
    each_stage(|stage| {
        let mut limits: Limits = (&stage.device.limits()).into();
        let own = limits.uniform_alignment_bytes;
        limits.uniform_alignment_bytes = 1 << 63;
        let options = Options {
            limits,
            ..Options::default()
        };
        let copier = Copier::with_options(stage.device, options).unwrap();
        assert_eq!(copier.options().limits.uniform_alignment_bytes, own);
    });
}

#[test]
fn rungs_that_do_not_cover() {
    each_stage(|stage| {
        let (src, dst) = (&stage.src, &stage.dst);
        let (matrix, columns) = (contiguous(&[3, 4]), contiguous(&[4, 3]));
        let turned = matrix.transpose();
        let forced = |rung, to: &Layout, one_buffer: bool| {
            let copier = stage.with(|options| options.force = Some(rung));
            let from = if one_buffer {
                view(dst, 8, &columns)
            } else {
                view(src, 8, &turned)
            };
            match stage.outcome(|encoder| copier.copy(encoder, from, view(dst, 8, to))) {
                Ok(Error::Rung { rung, reason }) => (rung, reason),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(
            forced(Rung::Nothing, &columns, false),
            ("nothing", "elements move")
        );
        assert_eq!(forced(Rung::Rows, &columns, false).0, "rows");
        assert_eq!(forced(Rung::Native, &columns, false).0, "native");
        let apart = Layout::strided(2, &[6, 2], &[4, 3]).unwrap();
        assert_eq!(forced(Rung::Gather, &apart, false).0, "gather");
        let after = Layout::strided(12, &[3, 1], &[4, 3]).unwrap();
        assert_eq!(
            forced(Rung::Native, &after, true),
            ("native", "both views are in one buffer")
        );
        let copier = stage.with(|options| options.force = Some(Rung::Native));
        let in_pass = stage.outcome(|encoder| {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            copier.copy_in_pass(&mut pass, view(src, 32, &columns), view(dst, 32, &columns))
        });
        assert_eq!(
            in_pass,
            Ok(Error::Rung {
                rung: "native",
                reason: "a compute pass is open"
            })
        );
        // None that covers the copy is left.
        let none = Rung::ALL.into_iter().fold(RungSet::EMPTY, RungSet::with);
        let copier = stage.with(|options| options.without = none);
        let refused = stage
            .outcome(|encoder| copier.copy(encoder, view(src, 8, &turned), view(dst, 8, &columns)));
        assert!(matches!(refused, Ok(Error::Rung { .. })), "{refused:?}");
        let copier =
            stage.with(|options| (options.force, options.without) = (Some(Rung::Scatter), none));
        let refused = stage
            .outcome(|encoder| copier.copy(encoder, view(src, 8, &turned), view(dst, 8, &columns)));
        assert_eq!(
            refused,
            Ok(Error::Rung {
                rung: "scatter",
                reason: "it is switched off"
            })
        );
    });
    assert_eq!(
        "fast".parse::<Rung>(),
        Err(Error::RungName {
            name: "fast".into()
        })
    );
}

#[test]
fn plans_for_other_buffers_or_no_pass() {
    each_stage(|stage| {
        let (src, dst) = (&stage.src, &stage.dst);
        let row = contiguous(&[16]);
        let reversed = row.flip(0).unwrap();
        let native = stage
            .copier
            .plan(view(src, 32, &row), view(dst, 32, &row))
            .unwrap();
        let refused = stage.outcome(|encoder| {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            stage
                .copier
                .prepare(&native, src, dst)?
                .record_in_pass(&mut pass)
        });
        assert_eq!(refused, Ok(Error::NativeInPass));

        let two = stage
            .copier
            .plan_in_pass(view(src, 32, &reversed), view(dst, 32, &row))
            .unwrap();
        let (low, high) = (contiguous(&[8]), Layout::strided(8, &[1], &[8]).unwrap());
        let one = stage
            .copier
            .plan(view(dst, 32, &low), view(dst, 32, &high))
            .unwrap();
        let short = buffer(stage.device, &[0xee; 60], EVERY_USE);
        let other = |side| Error::OtherBuffer {
            side,
            planned: 64,
            buffer: 60,
        };
        for (plan, src, dst, error) in [
            (&two, &short, dst, other(Side::Source)),
            (&two, src, &short, other(Side::Destination)),
            (
                &two,
                dst,
                dst,
                Error::BufferCount {
                    planned: 2,
                    found: 1,
                },
            ),
            (
                &one,
                src,
                dst,
                Error::BufferCount {
                    planned: 1,
                    found: 2,
                },
            ),
            (&one, &short, &short, other(Side::Destination)),
        ] {
            let refused = stage.outcome(|encoder| {
                stage.copier.prepare(plan, src, dst)?.record(encoder);
                Ok(())
            });
            assert_eq!(refused, Ok(error));
        }
        assert_eq!(bytes(stage.device, stage.queue, &short), [0xee; 60]);
    });
}

/// Something that is tried with an encoder.
type Attempt<'a> = dyn Fn(&mut wgpu::CommandEncoder) -> Result<(), Error> + 'a;

#[test]
fn more_steps_than_are_allowed() {
    each_stage(|stage| {
        let alignment = stage.copier.options().limits.alignment_bytes;
        let copier = stage.with(|options| {
            options.limits.binding_bytes = alignment;
            options.max_steps = 2;
        });
        // Three windows and more on either side.
        let count = alignment;
        let zeros = vec![0; usize::try_from(count * 4).unwrap()];
        let (src, dst) = (
            buffer(stage.device, &zeros, EVERY_USE),
            buffer(stage.device, &vec![9; zeros.len()], EVERY_USE),
        );
        let (row, reversed) = (contiguous(&[count]), contiguous(&[count]).flip(0).unwrap());
        let plan = copier
            .plan_in_pass(view(&src, 32, &reversed), view(&dst, 32, &row))
            .unwrap();
        let steps = plan.step_count();
        let error = Error::TooManySteps {
            steps,
            max_steps: 2,
        };
        assert!(steps >= 4, "{steps} steps");
        let attempts: [&Attempt<'_>; 4] = [
            &|encoder| copier.copy(encoder, view(&src, 32, &reversed), view(&dst, 32, &row)),
            &|encoder| {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                copier.copy_in_pass(&mut pass, view(&src, 32, &reversed), view(&dst, 32, &row))
            },
            &|encoder| {
                copier.prepare(&plan, &src, &dst)?.record(encoder);
                Ok(())
            },
            &|_| copier.warm(&plan),
        ];
        for attempt in attempts {
            assert_eq!(stage.outcome(attempt), Ok(error.clone()));
        }
        assert_eq!(copier.pipeline_count(), 0);
        assert_eq!(bytes(stage.device, stage.queue, &dst), vec![9; zeros.len()]);
        let message = error.to_string();
        assert!(
            message.contains(&steps.to_string()) && message.contains('2'),
            "{message}"
        );
    });
}
