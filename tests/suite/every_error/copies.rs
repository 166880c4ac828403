//! Plans, executors and devices.

use restride::plan::{Limits, Operand, Options, Plan, Problem, Rung};
use restride::{Error, Layout, Width, cpu, reference};

use super::{Provoked, err};

/// What needs a device.
pub(super) const OF_DEVICES: [&str; 11] = [
    "BeyondDevice",
    "BufferLimit",
    "ByteCount",
    "DeviceLost",
    "Memory",
    "NativeInPass",
    "NotSubmitted",
    "Refused",
    "ScratchIsOperand",
    "UnlikeWidths",
    "UnusableBuffer",
];

fn row(extent: u64) -> Layout {
    Layout::contiguous(&[extent]).unwrap()
}

/// The plan of a copy of 8 bytes between buffers of so many.
fn plan(bytes: [u64; 2], edit: fn(&mut Problem<'_>, &mut Options)) -> Result<Plan, Error> {
    let (src, dst) = (row(8).flip(0).unwrap(), row(8));
    let mut problem = Problem {
        width: Width::new(8).unwrap(),
        src: Operand::storage(&src, bytes[0]),
        dst: Operand::storage(&dst, bytes[1]),
        one_buffer: false,
        in_pass: false,
    };
    let mut options = Options::default();
    edit(&mut problem, &mut options);
    Plan::new(&problem, &options)
}

fn fine() -> Plan {
    plan([8, 8], |_, _| ()).unwrap()
}

pub(super) const TABLE: &[Provoked] = &[
    ("NotDistinct", || {
        let twice = Layout::strided(0, &[0], &[2]).unwrap();
        let width = Width::new(8).unwrap();
        err(reference::copy(
            width,
            &[1, 2],
            &row(2),
            &mut [0; 2],
            &twice,
        ))
    }),
    ("BufferTooSmall", || err(plan([7, 8], |_, _| ()))),
    ("Tail", || {
        err(plan([8, 9], |problem, _| {
            problem.width = Width::new(9).unwrap();
            problem.src.buffer_bytes = 12;
        }))
    }),
    ("Limit", || {
        err(plan([8, 8], |_, options| {
            options.limits.alignment_bytes = 48;
        }))
    }),
    ("MissingUsage", || {
        err(plan([8, 8], |problem, _| problem.src.storage = false))
    }),
    ("Rung", || {
        err(plan([8, 8], |_, options| {
            options.force = Some(Rung::Native);
        }))
    }),
    ("RungName", || err("fast".parse::<Rung>())),
    ("TooManySteps", || {
        let (src, dst) = (row(4096).flip(0).unwrap(), row(4096));
        let problem = Problem {
            width: Width::new(32).unwrap(),
            src: Operand::storage(&src, 4 * 4096),
            dst: Operand::storage(&dst, 4 * 4096),
            one_buffer: false,
            in_pass: false,
        };
        let options = Options {
            limits: Limits::TINY,
            max_steps: 3,
            ..Options::default()
        };
        let plan = Plan::new(&problem, &options).unwrap();
        err(cpu::execute(&plan, &[0; 4 * 4096], &mut [0; 4 * 4096]))
    }),
    ("OtherBuffer", || {
        err(cpu::execute(&fine(), &[0; 4], &mut [0; 8]))
    }),
    ("BufferCount", || {
        err(cpu::execute_in_place(&fine(), &mut [0; 8]))
    }),
    ("ScratchLimit", || {
        err(plan([8, 8], |problem, options| {
            problem.one_buffer = true;
            options.max_scratch_bytes = 15;
        }))
    }),
    #[cfg(feature = "gpu")]
    ("BeyondDevice", devices::beyond),
    #[cfg(feature = "gpu")]
    ("BufferLimit", devices::limit),
    #[cfg(feature = "gpu")]
    ("ByteCount", devices::count),
    #[cfg(feature = "gpu")]
    ("DeviceLost", devices::lost),
    #[cfg(feature = "gpu")]
    ("Memory", devices::memory),
    #[cfg(feature = "gpu")]
    ("NativeInPass", devices::native),
    #[cfg(feature = "gpu")]
    ("NotSubmitted", devices::dropped),
    #[cfg(feature = "gpu")]
    ("Refused", devices::refused),
    #[cfg(feature = "gpu")]
    ("ScratchIsOperand", devices::scratch),
    #[cfg(feature = "gpu")]
    ("UnlikeWidths", devices::widths),
    #[cfg(feature = "gpu")]
    ("UnusableBuffer", devices::destroyed),
];

/// Whether no adapter here runs out of memory.
#[cfg(feature = "gpu")]
pub(super) fn memory_is_ample() -> bool {
    !crate::adapters::all().iter().any(devices::is_short)
}

#[cfg(feature = "gpu")]
mod devices {
    use restride::DType;
    use restride::gpu::{Copier, Tensor};

    use super::*;
    use crate::adapters::{self, Engine};
    use crate::gpu_parts::{EVERY_USE, buffer, encoder, view};

    /// The no-op device, its queue and a copier on it.
    fn noop() -> (wgpu::Device, wgpu::Queue, Copier) {
        let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
        let copier = Copier::new(&device).unwrap();
        (device, queue, copier)
    }

    pub(super) fn beyond() -> Error {
        let (device, _queue, copier) = noop();
        let mut options = *copier.options();
        options.limits.groups += 1;
        err(Copier::with_options(&device, options))
    }

    pub(super) fn limit() -> Error {
        err(Tensor::zeros(&noop().0, DType::UInt8, &[1 << 50]))
    }

    pub(super) fn count() -> Error {
        err(Tensor::upload(&noop().0, DType::UInt8, &[5], &[0; 3]))
    }

    pub(super) fn lost() -> Error {
        let (device, _queue, _) = noop();
        device.destroy();
        err(Copier::new(&device))
    }

    /// `SwiftShader` promises a buffer that it has no room for. The no-op device is never out of memory.
    pub(super) fn memory() -> Error {
        let engine = adapters::all().iter().find(|engine| is_short(engine));
        let device = &engine.expect("an adapter that is short of memory").device;
        let most = device.limits().max_buffer_size & !15;
        err(Tensor::zeros(device, DType::UInt8, &[most]))
    }

    /// Whether an adapter promises more than it has.
    pub(super) fn is_short(engine: &Engine) -> bool {
        engine.name.starts_with("SwiftShader")
    }

    pub(super) fn native() -> Error {
        let (device, _queue, copier) = noop();
        let [src, dst] = [0, 1].map(|byte| buffer(&device, &[byte; 64], EVERY_USE));
        let plan = copier
            .plan(view(&src, 32, &row(16)), view(&dst, 32, &row(16)))
            .unwrap();
        let prepared = copier.prepare(&plan, &src, &dst).unwrap();
        let mut encoder = encoder(&device);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        err(prepared.record_in_pass(&mut pass))
    }

    pub(super) fn dropped() -> Error {
        let (device, _queue, copier) = noop();
        let tensor = Tensor::zeros(&device, DType::UInt8, &[4]).unwrap();
        let read = tensor.record_read(&copier, &mut encoder(&device)).unwrap();
        err(pollster::block_on(read))
    }

    pub(super) fn refused() -> Error {
        let (device, queue, copier) = noop();
        let gone = buffer(&device, &[0; 64], wgpu::BufferUsages::COPY_SRC);
        gone.destroy();
        // Without STORAGE it cannot be bound, so only the submission tells.
        let tensor = Tensor::new(gone, DType::UInt8, row(64)).unwrap();
        err(tensor.read_blocking(&copier, &queue))
    }

    pub(super) fn scratch() -> Error {
        let (device, _queue, copier) = noop();
        let both = buffer(&device, &[7; 64], EVERY_USE);
        let reversed = row(16).flip(0).unwrap();
        let plan = copier
            .plan(view(&both, 32, &row(16)), view(&both, 32, &reversed))
            .unwrap();
        err(copier.prepare_with_scratch(&plan, &both, &both, &both))
    }

    pub(super) fn widths() -> Error {
        let (device, _queue, copier) = noop();
        let [src, dst] = [0, 1].map(|byte| buffer(&device, &[byte; 64], EVERY_USE));
        err(copier.plan(view(&src, 32, &row(16)), view(&dst, 24, &row(16))))
    }

    pub(super) fn destroyed() -> Error {
        let (device, _queue, copier) = noop();
        let [src, dst] = [0, 1].map(|byte| buffer(&device, &[byte; 64], EVERY_USE));
        dst.destroy();
        let mut encoder = encoder(&device);
        err(copier.copy(
            &mut encoder,
            view(&src, 32, &row(16)),
            view(&dst, 32, &row(16)),
        ))
    }
}
