//! The one place that makes a copy: plan, execute, verify.

use crate::arguments::{Adapter, Execution, Planning};
use crate::buffer::Buffer;
use crate::device::{self, Gpu};
use crate::failure::Failure;
use crate::progress::Progress;
use restride::gpu::Copier;
use restride::plan::{Limits, Operand, Options, Plan, Problem};
use restride::{Error, Layout, Width, cpu, reference};
use std::cell::Cell;

/// An executor, and how it is to be used.
pub(crate) struct Runner {
    /// The CPU executor if `None`.
    gpu: Option<(Gpu, Copier)>,
    options: Options,
    verify: bool,
    /// Whether stderr is still to be told where the copies run: the choice was not the user's alone.
    announce: Cell<bool>,
}

impl Runner {
    /// The executor that the command line asks for.
    pub(crate) fn new(execution: &Execution) -> Result<Self, Failure> {
        let gpu = device::open(&execution.adapter)?;
        let limits = gpu.as_ref().map_or(Limits::BASELINE, Gpu::limits);
        let options = options(&execution.planning, limits);
        let gpu = match gpu {
            Some(gpu) => {
                let copier = gpu.copier(options)?;
                Some((gpu, copier))
            }
            None => None,
        };
        Ok(Self {
            gpu,
            options,
            verify: execution.verify,
            announce: Cell::new(matches!(
                execution.adapter,
                Adapter::Auto | Adapter::Name(_)
            )),
        })
    }

    /// Copies the view `src` into the view `dst`.
    pub(crate) fn copy(
        &self,
        width: Width,
        (src, src_layout): (&Buffer, &Layout),
        (dst, dst_layout): (&mut Buffer, &Layout),
        progress: &Progress,
    ) -> Result<(), Failure> {
        let (src_bytes, dst_bytes) = (src.bytes().len() as u64, dst.bytes().len() as u64);
        let plan = plan(
            width,
            (src_bytes, src_layout),
            (dst_bytes, dst_layout),
            &self.options,
        )?;
        let expected = if self.verify {
            progress.phase("making the reference");
            let mut expected = dst.clone();
            reference::copy(
                width,
                src.bytes(),
                src_layout,
                expected.bytes_mut(),
                dst_layout,
            )
            .map_err(|e| refuse(&e))?;
            Some(expected)
        } else {
            None
        };
        progress.phase("copying");
        if self.announce.take() {
            let name = self
                .gpu
                .as_ref()
                .map_or("the CPU executor", |(gpu, _)| gpu.name());
            progress.say(&format!("restride: running on {name}"));
        }
        match &self.gpu {
            Some((gpu, copier)) => gpu.copy(copier, &plan, src, dst)?,
            None => cpu::execute(&plan, src.padded(), dst.padded_mut()).map_err(|e| refuse(&e))?,
        }
        match expected {
            Some(expected) => compare(expected.padded(), dst.padded()),
            None => Ok(()),
        }
    }
}

/// The plan of a copy between buffers of so many bytes, padded as [`Buffer`] pads them.
pub(crate) fn plan(
    width: Width,
    (src_bytes, src_layout): (u64, &Layout),
    (dst_bytes, dst_layout): (u64, &Layout),
    options: &Options,
) -> Result<Plan, Failure> {
    let problem = Problem {
        width,
        src: Operand::any(src_layout, Buffer::padded_bytes(src_bytes)),
        dst: Operand::any(dst_layout, Buffer::padded_bytes(dst_bytes)),
        one_buffer: false,
        in_pass: false,
    };
    Plan::new(&problem, options).map_err(|e| refuse(&e))
}

/// How to plan for a device of these limits.
pub(crate) fn options(planning: &Planning, device: Limits) -> Options {
    let limits = match planning.limits {
        // Smaller limits than the device's, never larger ones.
        Some(name) => smaller(name.limits(), device),
        None => device,
    };
    Options {
        limits,
        force: planning.rung,
        ..Options::default()
    }
}

/// The limits that are kept by all that keeps both.
fn smaller(a: Limits, b: Limits) -> Limits {
    Limits {
        binding_bytes: a.binding_bytes.min(b.binding_bytes),
        alignment_bytes: a.alignment_bytes.max(b.alignment_bytes),
        uniform_alignment_bytes: a.uniform_alignment_bytes.max(b.uniform_alignment_bytes),
        uniform_bytes: a.uniform_bytes.min(b.uniform_bytes),
        buffer_bytes: a.buffer_bytes.min(b.buffer_bytes),
        groups: a.groups.min(b.groups),
        invocations: a.invocations.min(b.invocations),
        group_size_x: a.group_size_x.min(b.group_size_x),
    }
}

/// What the library refuses: bad input, unless it is a bound of the device or a fault.
fn refuse(error: &Error) -> Failure {
    match error {
        Error::TooManySteps { .. }
        | Error::Limit { .. }
        | Error::BeyondDevice { .. }
        | Error::BufferLimit { .. }
        | Error::Memory { .. }
        | Error::DeviceLost
        | Error::UnusableBuffer { .. }
        | Error::Refused { .. }
        | Error::Unsound { .. } => Failure::Trouble(error.to_string()),
        _ => Failure::Input(error.to_string()),
    }
}

/// Fails on the first byte that differs.
fn compare(expected: &[u8], found: &[u8]) -> Result<(), Failure> {
    if expected == found {
        return Ok(());
    }
    let differ = |(expected, found): &(&u8, &u8)| expected != found;
    let count = expected.iter().zip(found).filter(differ).count();
    let first = expected
        .iter()
        .zip(found)
        .position(|(e, f)| e != f)
        .unwrap_or(0);
    let byte = |bytes: &[u8]| bytes.get(first).copied().unwrap_or_default();
    Err(Failure::Verify(format!(
        "--verify: {count} of {} bytes differ from the reference; byte {first} is {:#04x}, and should be {:#04x}",
        expected.len(),
        byte(found),
        byte(expected)
    )))
}

#[cfg(test)]
mod tests {
    use super::compare;

    #[test]
    fn a_planted_wrong_bit_fails_the_verification() {
        let right = [1, 2, 3, 4];
        assert!(compare(&right, &right).is_ok());
        for bit in 0..32 {
            let mut wrong = right;
            wrong[bit / 8] ^= 1 << (bit % 8);
            let failure = compare(&right, &wrong).unwrap_err();
            assert_eq!(failure.code(), 1);
            assert!(failure.to_string().contains(&format!("byte {} ", bit / 8)));
        }
    }
}
