//! Whether a plan may run on given buffers: all that the public API tells of them.

use crate::error::{Error, Side};
use crate::plan::{Plan, Route};

/// The usages that a plan's steps need of its buffers.
pub(super) struct Needs {
    src: wgpu::BufferUsages,
    dst: wgpu::BufferUsages,
    scratch: wgpu::BufferUsages,
}

impl Needs {
    pub(super) fn of(plan: &Plan) -> Self {
        let none = wgpu::BufferUsages::empty();
        let mut needs = Self {
            src: none,
            dst: none,
            scratch: none,
        };
        for (route, native) in plan.routes() {
            let (from, to) = if native {
                (wgpu::BufferUsages::COPY_SRC, wgpu::BufferUsages::COPY_DST)
            } else {
                (wgpu::BufferUsages::STORAGE, wgpu::BufferUsages::STORAGE)
            };
            match route {
                Route::Direct => (needs.src, needs.dst) = (from, to),
                Route::IntoScratch => {
                    needs.src = from;
                    needs.scratch |= to;
                }
                Route::FromScratch => {
                    needs.scratch |= from;
                    needs.dst = to;
                }
            }
        }
        needs
    }

    /// `Ok` iff `plan` may run from `src` to `dst`.
    pub(super) fn check(
        &self,
        plan: &Plan,
        src: &wgpu::Buffer,
        dst: &wgpu::Buffer,
    ) -> Result<(), Error> {
        plan.check_buffers(src.size(), dst.size(), src == dst)?;
        check_usage(Side::Source, src, self.src)?;
        check_usage(Side::Destination, dst, self.dst)
    }

    /// `Ok` iff `plan` may go through `scratch`, if it needs any.
    pub(super) fn check_scratch(
        &self,
        plan: &Plan,
        scratch: &wgpu::Buffer,
        src: &wgpu::Buffer,
        dst: &wgpu::Buffer,
    ) -> Result<(), Error> {
        let needed = plan.scratch_bytes();
        if needed == 0 {
            return Ok(());
        }
        if scratch == src || scratch == dst {
            return Err(Error::ScratchIsOperand);
        }
        if needed > scratch.size() {
            return Err(Error::OtherBuffer {
                side: Side::Scratch,
                planned: needed,
                buffer: scratch.size(),
            });
        }
        check_usage(Side::Scratch, scratch, self.scratch)
    }
}

/// `Ok` iff `buffer` was made with `usages`.
fn check_usage(side: Side, buffer: &wgpu::Buffer, usages: wgpu::BufferUsages) -> Result<(), Error> {
    let lacking = usages - buffer.usage();
    let names = [
        (wgpu::BufferUsages::STORAGE, "STORAGE"),
        (wgpu::BufferUsages::COPY_SRC, "COPY_SRC"),
        (wgpu::BufferUsages::COPY_DST, "COPY_DST"),
    ];
    match names
        .into_iter()
        .find(|(usage, _)| lacking.contains(*usage))
    {
        Some((_, usage)) => Err(Error::MissingUsage { side, usage }),
        None => Ok(()),
    }
}
