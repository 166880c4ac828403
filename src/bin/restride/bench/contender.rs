//! What is timed: copies that are ready to be recorded.

use crate::failure::Failure;
use restride::gpu::Prepared;

/// A dispatch that is ready to be recorded.
#[derive(Debug)]
pub(crate) struct Job {
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) group: wgpu::BindGroup,
    pub(super) groups: [u32; 2],
}

/// Anything that is timed.
pub(crate) enum Contender<'a> {
    Prepared(&'a Prepared),
    InPass(&'a Prepared),
    Native(&'a wgpu::Buffer, &'a wgpu::Buffer, u64),
    Jobs(&'a [Job]),
}

impl Contender<'_> {
    /// Records itself.
    pub(crate) fn record(&self, encoder: &mut wgpu::CommandEncoder) -> Result<(), Failure> {
        match self {
            Self::Prepared(prepared) => prepared.record(encoder),
            Self::InPass(prepared) => {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                prepared
                    .record_in_pass(&mut pass)
                    .map_err(|e| Failure::Trouble(e.to_string()))?;
            }
            Self::Native(src, dst, bytes) => {
                encoder.copy_buffer_to_buffer(src, 0, dst, 0, *bytes);
            }
            Self::Jobs(jobs) => {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                for job in *jobs {
                    pass.set_pipeline(&job.pipeline);
                    pass.set_bind_group(0, &job.group, &[]);
                    pass.dispatch_workgroups(job.groups[0], job.groups[1], 1);
                }
            }
        }
        Ok(())
    }
}
