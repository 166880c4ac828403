//! Plans made ready for a device: pipelines, bind groups and uniforms, recorded as often as wanted.

use crate::error::Error;
use crate::plan::{Access, Dispatch, Limits, NativeCopy, Params, Plan, Route, Step, Window};

use super::needs::Needs;
use super::pipelines::{Pipelines, Uniforms, params_size};
use super::scope::{blame, catching, probe};

/// The most uniform bytes in one buffer.
const UNIFORM_BUFFER_BYTES: u64 = 4 << 20;

/// The most dispatches of a lone plan for each of which a bind group is made, so that its recordings set no offset.
const FIXED_DISPATCHES: u64 = 8;

/// The buffers among which a batch's next one is sought: the pair of the copy before, and the one before that.
const RECENT_BUFFERS: usize = 4;

/// What scratch of the library's own is made for: any step into it or out of it.
const SCRATCH_USAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST);

/// How dispatches find their uniform blocks when this plan is recorded on its own.
pub(super) fn uniforms_alone(plan: &Plan) -> Uniforms {
    if plan.step_count() <= FIXED_DISPATCHES {
        Uniforms::Fixed
    } else {
        Uniforms::Moving
    }
}

/// One or more plans on their buffers, ready to be recorded any number of times.
///
/// It holds its buffers, bind groups and uniforms: a recording makes none, and allocates nothing.
#[derive(Debug)]
pub struct Prepared {
    commands: Vec<Command>,
    /// Buffers and bind groups that commands refer to by number.
    buffers: Vec<wgpu::Buffer>,
    windows: Vec<wgpu::BindGroup>,
    uniforms: Vec<wgpu::BindGroup>,
    pipelines: Vec<wgpu::ComputePipeline>,
    native: bool,
}

/// One step, by the numbers of what it uses.
#[derive(Clone, Copy, Debug)]
enum Command {
    Native {
        src: usize,
        dst: usize,
        copy: NativeCopy,
    },
    Dispatch {
        pipeline: usize,
        windows: usize,
        uniform: usize,
        /// Within the uniform buffer; `None` where the bind group says it.
        offset: Option<u32>,
        groups: [u32; 3],
    },
}

impl Prepared {
    /// `plans` in order, each from its first buffer to its second, through `scratch` where it needs any: one that is large
    /// enough for each is made if the caller has none.
    ///
    /// # Errors
    ///
    /// Whatever natively can be known of the plans and their buffers.
    pub(super) fn new(
        device: &wgpu::Device,
        pipelines: &Pipelines,
        limits: Limits,
        plans: &[(&Plan, &wgpu::Buffer, &wgpu::Buffer)],
        scratch: Option<&wgpu::Buffer>,
    ) -> Result<Self, Error> {
        let make = || -> Result<Self, Error> {
            let made = Self::build(device, pipelines, limits, plans, scratch)?;
            // What a dispatch's bind groups and uniforms tell.
            if made.native {
                super::transfer::alive(device)?;
                for pair in made.buffers.chunks(2) {
                    probe(device, pipelines, [&pair[0], &pair[pair.len() - 1]]);
                }
            }
            Ok(made)
        };
        // One scope for all bind groups.
        match catching(device, wgpu::ErrorFilter::Validation, make) {
            (Ok(_), Some(fault)) => Err(blame(device, pipelines, plans, scratch, &fault)),
            (made, _) => made,
        }
    }

    fn build(
        device: &wgpu::Device,
        pipelines: &Pipelines,
        limits: Limits,
        plans: &[(&Plan, &wgpu::Buffer, &wgpu::Buffer)],
        scratch: Option<&wgpu::Buffer>,
    ) -> Result<Self, Error> {
        let mut scratch_bytes = 0;
        for (plan, run) in runs(plans) {
            plan.check_steps()?;
            let needs = Needs::of(plan);
            for &(_, src, dst) in run {
                needs.check(plan, src, dst)?;
                if let Some(scratch) = scratch {
                    needs.check_scratch(plan, scratch, src, dst)?;
                }
            }
            scratch_bytes = plan.scratch_bytes().max(scratch_bytes);
        }
        let mut builder = Builder::new(device, pipelines, limits, plans)?;
        // Dispatches and copies are ordered, so one scratch serves one copy after the other.
        let scratch = match scratch {
            _ if scratch_bytes == 0 => 0,
            Some(given) => builder.buffer_to_keep(given.clone()),
            None => {
                let made = super::transfer::create(
                    device,
                    "restride::scratch",
                    scratch_bytes,
                    SCRATCH_USAGE,
                    false,
                )?;
                builder.buffer_to_keep(made)
            }
        };
        for (plan, run) in runs(plans) {
            let first = plan.step(0);
            for &(_, src, dst) in run {
                let (src, dst) = (builder.buffer(src), builder.buffer(dst));
                if let Some(first) = &first {
                    builder.step(first, [src, scratch, dst])?;
                }
                for k in 1..plan.step_count() {
                    if let Some(step) = plan.step(k) {
                        builder.step(&step, [src, scratch, dst])?;
                    }
                }
            }
        }
        builder.finish()
    }

    /// The number of commands that a recording takes: native copies and dispatches.
    #[must_use]
    pub fn len(&self) -> usize {
        self.commands.len()
    }

    /// Whether there is nothing to record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Records into `encoder`, which has no open pass: dispatches between native copies share one compute pass.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder) {
        let mut rest = self.commands.as_slice();
        while let Some(command) = rest.first() {
            if let Command::Native { src, dst, copy } = command {
                let (src, dst) = (&self.buffers[*src], &self.buffers[*dst]);
                encoder.copy_buffer_to_buffer(
                    src,
                    copy.src_bytes,
                    dst,
                    copy.dst_bytes,
                    copy.size_bytes,
                );
                rest = &rest[1..];
                continue;
            }
            let native = rest
                .iter()
                .position(|command| matches!(command, Command::Native { .. }));
            let (dispatches, after) = rest.split_at(native.unwrap_or(rest.len()));
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("restride"),
                timestamp_writes: None,
            });
            self.dispatch(&mut pass, dispatches);
            rest = after;
        }
    }

    /// Records into the open `pass`, whose pipeline and bind groups 0 and 1 it changes.
    ///
    /// # Errors
    ///
    /// [`Error::NativeInPass`]: a step is a native copy, as the plan was not made for a pass; nothing was recorded.
    pub fn record_in_pass(&self, pass: &mut wgpu::ComputePass<'_>) -> Result<(), Error> {
        if self.native {
            return Err(Error::NativeInPass);
        }
        self.dispatch(pass, &self.commands);
        Ok(())
    }

    fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, commands: &[Command]) {
        let (mut last_pipeline, mut last_windows, mut last_uniform) = (None, None, None);
        for command in commands {
            let Command::Dispatch {
                pipeline,
                windows,
                uniform,
                offset,
                groups: [x, y, z],
            } = *command
            else {
                continue;
            };
            if last_pipeline != Some(pipeline) {
                pass.set_pipeline(&self.pipelines[pipeline]);
                last_pipeline = Some(pipeline);
            }
            if last_windows != Some(windows) {
                pass.set_bind_group(0, &self.windows[windows], &[]);
                last_windows = Some(windows);
            }
            if last_uniform != Some((uniform, offset)) {
                pass.set_bind_group(1, &self.uniforms[uniform], offset.as_slice());
                last_uniform = Some((uniform, offset));
            }
            pass.dispatch_workgroups(x, y, z);
        }
    }
}

/// The copies of a batch by runs of one and the same plan, which is looked at once.
fn runs<'a, 'p>(
    plans: &'a [(&'p Plan, &'p wgpu::Buffer, &'p wgpu::Buffer)],
) -> impl Iterator<
    Item = (
        &'p Plan,
        &'a [(&'p Plan, &'p wgpu::Buffer, &'p wgpu::Buffer)],
    ),
> {
    plans
        .chunk_by(|(a, ..), (b, ..)| std::ptr::eq(*a, *b))
        .filter_map(|run| run.first().map(|(plan, ..)| (*plan, run)))
}

/// A [`Prepared`] in the making.
struct Builder<'a> {
    device: &'a wgpu::Device,
    shared: &'a Pipelines,
    /// Distance between uniform blocks.
    stride: u64,
    uniforms: Uniforms,
    /// Uniform blocks of one buffer, at most.
    per_buffer: u64,
    /// Dispatches that are still to come, at most.
    left: u64,
    /// The uniform buffer being filled: its blocks so far.
    blocks: Vec<u8>,
    prepared: Prepared,
    programs: Vec<crate::plan::Program>,
    /// What the last bind group of windows was made of: a buffer pair mostly repeats.
    last: Option<(usize, usize, Access, Window, Window)>,
}

impl<'a> Builder<'a> {
    fn new(
        device: &'a wgpu::Device,
        shared: &'a Pipelines,
        limits: Limits,
        plans: &[(&Plan, &wgpu::Buffer, &wgpu::Buffer)],
    ) -> Result<Self, Error> {
        let stride = Params::BYTES.next_multiple_of(limits.uniform_alignment_bytes);
        let counts = plans.iter().map(|(plan, ..)| plan.step_count());
        let steps = counts.fold(0, u64::saturating_add);
        // Options may allow more steps than there is memory for.
        let mut commands = Vec::new();
        let memory = |_| Error::Memory {
            bytes: steps.saturating_mul(size_of::<Command>() as u64),
        };
        commands
            .try_reserve_exact(usize_of(steps))
            .map_err(memory)?;
        let uniforms = match plans {
            [(plan, ..)] => uniforms_alone(plan),
            _ => Uniforms::Moving,
        };
        Ok(Self {
            device,
            shared,
            stride,
            uniforms,
            per_buffer: (UNIFORM_BUFFER_BYTES.min(limits.buffer_bytes) / stride).max(1),
            left: steps,
            blocks: Vec::new(),
            prepared: Prepared {
                commands,
                buffers: Vec::new(),
                windows: Vec::new(),
                uniforms: Vec::new(),
                pipelines: Vec::new(),
                native: false,
            },
            programs: Vec::new(),
            last: None,
        })
    }

    /// The number of a buffer of the whole batch, which is held.
    fn buffer_to_keep(&mut self, buffer: wgpu::Buffer) -> usize {
        self.prepared.buffers.push(buffer);
        self.prepared.buffers.len() - 1
    }

    /// The number of `buffer`, which is held.
    fn buffer(&mut self, buffer: &wgpu::Buffer) -> usize {
        let buffers = &mut self.prepared.buffers;
        let recent = buffers.len().saturating_sub(RECENT_BUFFERS);
        let known = buffers[recent..].iter().rposition(|held| held == buffer);
        if let Some(known) = known {
            return recent + known;
        }
        buffers.push(buffer.clone());
        buffers.len() - 1
    }

    /// Adds a step between the source's buffer, the scratch and the destination's.
    fn step(&mut self, step: &Step, [src, scratch, dst]: [usize; 3]) -> Result<(), Error> {
        let ends = |route| match route {
            Route::Direct => (src, dst),
            Route::IntoScratch => (src, scratch),
            Route::FromScratch => (scratch, dst),
        };
        match step {
            Step::Native(copy) => {
                let ((src, dst), copy) = (ends(copy.route), *copy);
                self.prepared.native = true;
                self.prepared
                    .commands
                    .push(Command::Native { src, dst, copy });
                Ok(())
            }
            Step::Dispatch(dispatch) => {
                let (src, dst) = ends(dispatch.route);
                self.dispatch(dispatch, src, dst)
            }
        }
    }

    fn dispatch(&mut self, dispatch: &Dispatch, src: usize, dst: usize) -> Result<(), Error> {
        let pipeline = self.pipeline(&dispatch.program);
        let windows = self.windows(dispatch, src, dst);
        let block = self.block(dispatch.params.bytes())?;
        let (uniform, offset) = match self.uniforms {
            Uniforms::Fixed => (block / usize_of(self.stride), None),
            Uniforms::Moving => (
                self.prepared.uniforms.len(),
                Some(u32::try_from(block).unwrap_or(u32::MAX)),
            ),
        };
        self.left = self.left.saturating_sub(1);
        self.prepared.commands.push(Command::Dispatch {
            pipeline,
            windows,
            uniform,
            offset,
            groups: dispatch.groups,
        });
        Ok(())
    }

    /// Where the uniform block of these bytes begins in the buffer being filled: that of the dispatch before, if it is like
    /// this one's.
    fn block(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        let stride = usize_of(self.stride);
        if let Some(last) = self.blocks.len().checked_sub(stride)
            && self.blocks[last..].starts_with(bytes)
        {
            return Ok(last);
        }
        let capacity = self.per_buffer * self.stride;
        if self.blocks.len() as u64 + self.stride > capacity {
            self.flush()?;
        }
        if self.blocks.capacity() == 0 {
            let most = self.left.saturating_mul(self.stride).min(capacity);
            self.blocks.reserve_exact(usize_of(most));
        }
        let offset = self.blocks.len();
        self.blocks.extend_from_slice(bytes);
        self.blocks.resize(offset + stride, 0);
        Ok(offset)
    }

    fn pipeline(&mut self, program: &crate::plan::Program) -> usize {
        if let Some(known) = self.programs.iter().rposition(|held| held == program) {
            return known;
        }
        self.programs.push(*program);
        self.prepared
            .pipelines
            .push(self.shared.get(self.device, program, self.uniforms));
        self.programs.len() - 1
    }

    fn windows(&mut self, dispatch: &Dispatch, src: usize, dst: usize) -> usize {
        let access = dispatch.program.access;
        let key = (src, dst, access, dispatch.src, dispatch.dst);
        if self.last != Some(key) {
            let binding = |binding, buffer: usize, window: &Window| wgpu::BindGroupEntry {
                binding,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: &self.prepared.buffers[buffer],
                    offset: window.offset_bytes,
                    size: wgpu::BufferSize::new(window.size_bytes),
                }),
            };
            let both = [
                binding(0, src, &dispatch.src),
                binding(1, dst, &dispatch.dst),
            ];
            let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("restride::windows"),
                layout: self.shared.windows(access),
                entries: if access == Access::One {
                    &both[1..]
                } else {
                    &both
                },
            });
            self.prepared.windows.push(group);
            self.last = Some(key);
        }
        self.prepared.windows.len() - 1
    }

    /// Puts the blocks gathered so far into a uniform buffer. It is mapped at creation and never written again: a write
    /// through the queue would take effect before every command of its submission.
    fn flush(&mut self) -> Result<(), Error> {
        if self.blocks.is_empty() {
            return Ok(());
        }
        let size = self.blocks.len() as u64;
        let usage = wgpu::BufferUsages::UNIFORM;
        let label = "restride::params";
        let buffer = super::transfer::create_exact(self.device, label, size, usage, true)?;
        super::transfer::fill(&buffer, &self.blocks)?;
        self.blocks.clear();
        let blocks = match self.uniforms {
            Uniforms::Fixed => size / self.stride,
            Uniforms::Moving => 1,
        };
        for block in 0..blocks {
            let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("restride::params"),
                layout: self.shared.params(self.uniforms),
                entries: &[wgpu::BindGroupEntry {
                    binding: 0,
                    resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                        buffer: &buffer,
                        offset: block * self.stride,
                        size: params_size(),
                    }),
                }],
            });
            self.prepared.uniforms.push(group);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Prepared, Error> {
        self.flush()?;
        Ok(self.prepared)
    }
}

/// A number of things that are in memory, or that are too many for it.
fn usize_of(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
