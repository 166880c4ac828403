//! The GPU executor: plans recorded into the caller's command encoder or open compute pass.
//!
//! A [`Copier`] owns pipelines, and nothing else: the caller owns the device, the queue, the encoder and every buffer. It
//! never submits, waits or polls. [`Tensor`] is a buffer with a dtype and a layout, for those who want the moves as methods.
//!
//! ```
//! use restride::gpu::{Copier, Tensor};
//! use restride::DType;
//!
//! # let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
//! let copier = Copier::new(&device)?;
//! let matrix = Tensor::upload(&device, DType::UInt8, &[2, 3], &[0, 1, 2, 3, 4, 5])?;
//! let mut encoder = device.create_command_encoder(&Default::default());
//! let turned = matrix.transpose().materialize(&copier, &mut encoder)?;
//! queue.submit([encoder.finish()]);
//! assert_eq!(turned.layout().shape(), [3, 2]);
//! # Ok::<(), restride::Error>(())
//! ```
//!
//! # Trouble, and where it appears
//!
//! Whatever can be known when a copy is prepared is a typed [`Error`], and nothing was recorded then. What is known of a
//! buffer comes from its size and usages and, natively, from binding it: so a buffer that was destroyed, or that another
//! device made, is [`Error::UnusableBuffer`]. (One without `STORAGE` is not bound: of it, and in a browser of any, wgpu tells
//! the device's handler when the encoder is finished or submitted.) What is made on a lost device is [`Error::DeviceLost`],
//! what it has no room for [`Error::Memory`]: also natively alone. Errors are caught in scopes of the calling thread, inside
//! those that the caller has open, which see none of them.
//!
//! wgpu tells some things only later, and not this library. Its device's handler, which panics unless the application has set
//! one with `on_uncaptured_error`, or the caller's scope has them:
//!
//! | what | is told at |
//! |---|---|
//! | a buffer that is mapped when its copy is submitted | `Queue::submit` |
//! | a buffer that was destroyed after its copy was prepared | `Queue::submit` |
//! | an encoder or a pass of another device | `CommandEncoder::finish`, `Queue::submit` |
//! | an encoder with an open pass | the recording or `CommandEncoder::finish` |
//! | a device that was lost after a copy was prepared | nowhere but `set_device_lost_callback` |
//!
//! A submission that is refused does nothing, and a read that was part of it is [`Error::Refused`], never other bytes.
//!
//! Buffers and devices of two `wgpu::Instance`s must not meet. wgpu tells resources apart by numbers that count within an
//! instance: it panics, or takes one buffer for another, and nothing in its interface lets that be seen before.

mod host;
mod needs;
mod pipelines;
mod record;
mod scope;
mod tensor;
mod transfer;

use crate::dtype::DType;
use crate::error::Error;
use crate::layout::Layout;
use crate::plan::{Limits, Operand, Options, Plan, Problem, Step};

use pipelines::Pipelines;

pub use host::HostRead;
pub use record::Prepared;
pub use tensor::Tensor;
pub use transfer::ReadBack;

/// A strided view of a buffer: the element at each index of `layout` lies at its position, counted in elements from the
/// buffer's first byte.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The buffer; the caller's.
    pub buffer: &'a wgpu::Buffer,
    /// The type of its elements, of which a copy knows the width alone.
    pub dtype: DType,
    /// Where they lie.
    pub layout: &'a Layout,
}

/// One copy of a batch: a view, and the view that is given its elements. For [`Copier::copy_all`].
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// The view that is read.
    pub src: View<'a>,
    /// The view that is written.
    pub dst: View<'a>,
}

/// What records copies on one device: the pipelines made so far, and the options to plan by. Threads may share it.
///
/// Make one for each device and keep it. A copy that is made once is [`copy`](Self::copy), or
/// [`copy_in_pass`](Self::copy_in_pass) where a compute pass is open; many together are [`copy_all`](Self::copy_all); one that
/// is recorded again and again is [`prepare`](Self::prepare)d.
#[derive(Debug)]
pub struct Copier {
    device: wgpu::Device,
    options: Options,
    pipelines: Pipelines,
}

impl Copier {
    /// A copier on `device`, under the limits that the device was requested with. It makes pipelines when they are first
    /// needed, which takes far longer than a recording ([`warm`](Self::warm) makes them ahead), and keeps them.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`]: the device has a limit under what any plan needs. [`Error::DeviceLost`]: it is gone.
    pub fn new(device: &wgpu::Device) -> Result<Self, Error> {
        let limits = Limits::from(&device.limits());
        Self::with_options(
            device,
            Options {
                limits,
                ..Options::default()
            },
        )
    }

    /// A copier on `device` that plans by `options`, whose limits are at most the device's. Uniforms keep the device's
    /// alignment.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`]: a limit is under what any plan needs. [`Error::BeyondDevice`]: it is beyond the device's.
    /// [`Error::DeviceLost`]: the device is gone.
    pub fn with_options(device: &wgpu::Device, mut options: Options) -> Result<Self, Error> {
        transfer::alive(device)?;
        let limits = device.limits();
        pipelines::check(&limits)?;
        let own = Limits::from(&limits);
        options.limits.check()?;
        options.limits.check_within(&own)?;
        // A coarser alignment of uniforms serves nothing, and an absurd one would ask for absurd buffers.
        options.limits.uniform_alignment_bytes = own.uniform_alignment_bytes;
        Ok(Self {
            device: device.clone(),
            options,
            pipelines: Pipelines::new(device),
        })
    }

    /// The device that copies are recorded for.
    #[must_use]
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// The options that copies are planned by.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The number of pipelines made so far.
    #[must_use]
    pub fn pipeline_count(&self) -> usize {
        self.pipelines.count()
    }

    /// The plan that [`copy`](Self::copy) would record from `src` to `dst`.
    ///
    /// # Errors
    ///
    /// As [`Plan::new`]; [`Error::UnlikeWidths`]: the views' elements differ in width.
    pub fn plan(&self, src: View<'_>, dst: View<'_>) -> Result<Plan, Error> {
        self.plan_for(src, dst, false)
    }

    /// The plan that [`copy_in_pass`](Self::copy_in_pass) would record from `src` to `dst`: without native copies.
    ///
    /// # Errors
    ///
    /// As [`plan`](Self::plan).
    pub fn plan_in_pass(&self, src: View<'_>, dst: View<'_>) -> Result<Plan, Error> {
        self.plan_for(src, dst, true)
    }

    fn plan_for(&self, src: View<'_>, dst: View<'_>, in_pass: bool) -> Result<Plan, Error> {
        let (left, right) = (src.dtype.bits(), dst.dtype.bits());
        if left != right {
            return Err(Error::UnlikeWidths { left, right });
        }
        let operand = |view: &View<'_>, copy| {
            let usage = view.buffer.usage();
            let storage = usage.contains(wgpu::BufferUsages::STORAGE);
            (view.buffer.size(), storage, usage.contains(copy))
        };
        let (src_bytes, src_storage, src_copy) = operand(&src, wgpu::BufferUsages::COPY_SRC);
        let (dst_bytes, dst_storage, dst_copy) = operand(&dst, wgpu::BufferUsages::COPY_DST);
        let problem = Problem {
            width: src.dtype.width(),
            src: Operand {
                layout: src.layout,
                buffer_bytes: src_bytes,
                storage: src_storage,
                copy: src_copy,
            },
            dst: Operand {
                layout: dst.layout,
                buffer_bytes: dst_bytes,
                storage: dst_storage,
                copy: dst_copy,
            },
            one_buffer: src.buffer == dst.buffer,
            in_pass,
        };
        Plan::new(&problem, &self.options)
    }

    /// Makes the pipelines of `plan` ahead of its first recording, so that recording it makes none.
    ///
    /// A batch of several copies has pipelines of its own, which find their parameters at an offset:
    /// [`prepare_all`](Self::prepare_all) makes those ahead.
    ///
    /// # Errors
    ///
    /// [`Error::TooManySteps`]: the plan may not be recorded. [`Error::DeviceLost`]: the device is gone.
    pub fn warm(&self, plan: &Plan) -> Result<(), Error> {
        plan.check_steps()?;
        transfer::alive(&self.device)?;
        let uniforms = record::uniforms_alone(plan);
        let mut last = None;
        for step in plan.steps() {
            if let Step::Dispatch(dispatch) = step
                && last != Some(dispatch.program)
            {
                self.pipelines
                    .get(&self.device, &dispatch.program, uniforms);
                last = Some(dispatch.program);
            }
        }
        Ok(())
    }

    /// Records the copy of `src` to `dst` into `encoder`, which has no open pass.
    ///
    /// # Errors
    ///
    /// As [`plan`](Self::plan) and [`prepare`](Self::prepare); nothing was recorded.
    ///
    /// # Examples
    ///
    /// A tile of 16 x 16 pixels out of an image of 64 x 64:
    ///
    /// ```
    /// use restride::gpu::{Copier, View};
    /// use restride::{DType, Layout};
    ///
    /// # let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    /// # let [image, tile] = [64 * 64, 16 * 16].map(|size| device.create_buffer(&wgpu::BufferDescriptor {
    /// #     label: None,
    /// #     size,
    /// #     usage: wgpu::BufferUsages::STORAGE,
    /// #     mapped_at_creation: false,
    /// # }));
    /// let copier = Copier::new(&device)?;
    /// let part = Layout::contiguous(&[64, 64])?.narrow(0, 8, 16)?.narrow(1, 24, 16)?;
    /// let whole = Layout::contiguous(&[16, 16])?;
    /// let mut encoder = device.create_command_encoder(&Default::default());
    /// copier.copy(
    ///     &mut encoder,
    ///     View { buffer: &image, dtype: DType::UInt8, layout: &part },
    ///     View { buffer: &tile, dtype: DType::UInt8, layout: &whole },
    /// )?;
    /// queue.submit([encoder.finish()]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn copy(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        src: View<'_>,
        dst: View<'_>,
    ) -> Result<(), Error> {
        let plan = self.plan(src, dst)?;
        self.prepare(&plan, src.buffer, dst.buffer)?.record(encoder);
        Ok(())
    }

    /// Records the copy of `src` to `dst` into the open `pass`. It changes the pass's pipeline and its bind groups 0 and 1.
    ///
    /// # Errors
    ///
    /// As [`copy`](Self::copy); [`Error::MissingUsage`]: a buffer lacks `STORAGE`.
    pub fn copy_in_pass(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        src: View<'_>,
        dst: View<'_>,
    ) -> Result<(), Error> {
        let plan = self.plan_in_pass(src, dst)?;
        self.prepare(&plan, src.buffer, dst.buffer)?
            .record_in_pass(pass)
    }

    /// Records `copies` in order, in one compute pass where every buffer may be bound, with one uniform buffer for all.
    ///
    /// A later copy may read what an earlier one wrote.
    ///
    /// # Errors
    ///
    /// As [`copy`](Self::copy), at the first copy that fails; nothing was recorded.
    ///
    /// # Examples
    ///
    /// Two rows go to two slots of a cache:
    ///
    /// ```
    /// use restride::DType;
    /// use restride::gpu::{Copier, Pair, Tensor};
    ///
    /// # let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    /// let copier = Copier::new(&device)?;
    /// let rows = Tensor::zeros(&device, DType::Float16, &[2, 64])?;
    /// let cache = Tensor::zeros(&device, DType::Float16, &[100, 64])?;
    /// let (sources, slots) = (
    ///     [rows.select(0, 0)?, rows.select(0, 1)?],
    ///     [cache.select(0, 41)?, cache.select(0, 7)?],
    /// );
    /// let copies = [0, 1].map(|i| Pair { src: sources[i].view(), dst: slots[i].view() });
    /// let mut encoder = device.create_command_encoder(&Default::default());
    /// copier.copy_all(&mut encoder, &copies)?;
    /// queue.submit([encoder.finish()]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn copy_all(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        copies: &[Pair<'_>],
    ) -> Result<(), Error> {
        self.prepare_all(copies)?.record(encoder);
        Ok(())
    }

    /// Prepares `copies` to be recorded together, any number of times: the same as [`copy_all`](Self::copy_all) records.
    ///
    /// # Errors
    ///
    /// As [`copy`](Self::copy), at the first copy that fails.
    pub fn prepare_all(&self, copies: &[Pair<'_>]) -> Result<Prepared, Error> {
        let bindable = |view: &View<'_>| view.buffer.usage().contains(wgpu::BufferUsages::STORAGE);
        let in_pass = copies
            .iter()
            .all(|copy| bindable(&copy.src) && bindable(&copy.dst));
        // The plans, each for one copy and those after it that are like it but for their buffers.
        let mut made: Vec<Plan> = Vec::new();
        let mut before: Option<&Pair<'_>> = None;
        let mut numbers = Vec::with_capacity(copies.len());
        for copy in copies {
            if before.is_none_or(|before| !alike(before, copy)) {
                made.push(self.plan_for(copy.src, copy.dst, in_pass)?);
            }
            numbers.push(made.len() - 1);
            before = Some(copy);
        }
        let plans: Vec<_> = numbers
            .iter()
            .zip(copies)
            .map(|(&number, copy)| (&made[number], copy.src.buffer, copy.dst.buffer))
            .collect();
        Prepared::new(
            &self.device,
            &self.pipelines,
            self.options.limits,
            &plans,
            None,
        )
    }

    /// Prepares `plan` to be recorded from `src` to `dst` any number of times, each at the cost of its bare dispatches.
    ///
    /// What is prepared holds the two buffers, its bind groups and its uniforms; the buffers' contents may change between
    /// recordings.
    ///
    /// # Errors
    ///
    /// [`Error::TooManySteps`], [`Error::OtherBuffer`], [`Error::BufferCount`], [`Error::MissingUsage`]: the plan may not
    /// run on these buffers. [`Error::UnusableBuffer`]: the device cannot use one of them. [`Error::Memory`]: there is no room
    /// for the uniforms. [`Error::DeviceLost`]: the device is gone. [`Error::Refused`]: wgpu refused something else.
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::DType;
    /// use restride::gpu::{Copier, Tensor};
    ///
    /// # let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    /// let copier = Copier::new(&device)?;
    /// let matrix = Tensor::zeros(&device, DType::Float32, &[30, 20])?;
    /// let turned = Tensor::zeros(&device, DType::Float32, &[20, 30])?;
    /// let plan = copier.plan_in_pass(matrix.transpose().view(), turned.view())?;
    /// let turn = copier.prepare(&plan, matrix.buffer(), turned.buffer())?;
    /// for _frame in 0..3 {
    ///     let mut encoder = device.create_command_encoder(&Default::default());
    ///     let mut pass = encoder.begin_compute_pass(&Default::default());
    ///     // ... dispatches of the caller's own, before and after ...
    ///     turn.record_in_pass(&mut pass)?;
    ///     drop(pass);
    ///     queue.submit([encoder.finish()]);
    /// }
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn prepare(
        &self,
        plan: &Plan,
        src: &wgpu::Buffer,
        dst: &wgpu::Buffer,
    ) -> Result<Prepared, Error> {
        self.prepare_through(plan, src, dst, None)
    }

    /// Prepares `plan` as [`prepare`](Self::prepare) does, through `scratch`, the caller's, where it needs any: at least
    /// [`Plan::scratch_bytes`], and neither `src` nor `dst`. Its contents are lost.
    ///
    /// Without one, what is prepared makes and holds a buffer of its own.
    ///
    /// # Errors
    ///
    /// As [`prepare`](Self::prepare); [`Error::ScratchIsOperand`], and [`Error::OtherBuffer`] and [`Error::MissingUsage`] of
    /// [`Side::Scratch`](crate::Side::Scratch): the plan may not go through it.
    ///
    /// # Examples
    ///
    /// A ring of frames moves up by one, through a buffer that is kept:
    ///
    /// ```
    /// use restride::DType;
    /// use restride::gpu::{Copier, Tensor};
    ///
    /// # let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    /// let copier = Copier::new(&device)?;
    /// let frames = Tensor::zeros(&device, DType::UInt8, &[8, 64, 64])?;
    /// let (from, to) = (frames.narrow(0, 0, 7)?, frames.narrow(0, 1, 7)?);
    /// let plan = copier.plan(from.view(), to.view())?;
    /// let scratch = device.create_buffer(&wgpu::BufferDescriptor {
    ///     label: None,
    ///     size: plan.scratch_bytes(),
    ///     usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
    ///     mapped_at_creation: false,
    /// });
    /// let shift = copier.prepare_with_scratch(&plan, frames.buffer(), frames.buffer(), &scratch)?;
    /// # let mut encoder = device.create_command_encoder(&Default::default());
    /// shift.record(&mut encoder);
    /// # queue.submit([encoder.finish()]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn prepare_with_scratch(
        &self,
        plan: &Plan,
        src: &wgpu::Buffer,
        dst: &wgpu::Buffer,
        scratch: &wgpu::Buffer,
    ) -> Result<Prepared, Error> {
        self.prepare_through(plan, src, dst, Some(scratch))
    }

    fn prepare_through(
        &self,
        plan: &Plan,
        src: &wgpu::Buffer,
        dst: &wgpu::Buffer,
        scratch: Option<&wgpu::Buffer>,
    ) -> Result<Prepared, Error> {
        let plans = &[(plan, src, dst)];
        Prepared::new(
            &self.device,
            &self.pipelines,
            self.options.limits,
            plans,
            scratch,
        )
    }
}

/// Whether two copies have one plan: all that a plan hangs on is the same.
fn alike(a: &Pair<'_>, b: &Pair<'_>) -> bool {
    let views = |a: &View<'_>, b: &View<'_>| {
        a.dtype == b.dtype
            && (std::ptr::eq(a.layout, b.layout) || a.layout == b.layout)
            && a.buffer.size() == b.buffer.size()
            && a.buffer.usage() == b.buffer.usage()
    };
    views(&a.src, &b.src)
        && views(&a.dst, &b.dst)
        && (a.src.buffer == a.dst.buffer) == (b.src.buffer == b.dst.buffer)
}

impl From<&wgpu::Limits> for Limits {
    /// The limits of a device, as a plan respects them.
    fn from(limits: &wgpu::Limits) -> Self {
        Self {
            binding_bytes: limits.max_storage_buffer_binding_size,
            alignment_bytes: limits.min_storage_buffer_offset_alignment.into(),
            uniform_alignment_bytes: limits.min_uniform_buffer_offset_alignment.into(),
            uniform_bytes: limits.max_uniform_buffer_binding_size,
            buffer_bytes: limits.max_buffer_size,
            groups: limits.max_compute_workgroups_per_dimension,
            invocations: limits.max_compute_invocations_per_workgroup,
            group_size_x: limits.max_compute_workgroup_size_x,
        }
    }
}
