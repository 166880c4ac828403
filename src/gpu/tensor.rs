//! A GPU tensor: a buffer, a dtype and a layout, with the moves as methods.

use crate::dtype::DType;
use crate::error::{Error, Side};
use crate::layout::{Index, Layout};
use crate::moves::Move;

use super::scope::usable;
use super::transfer::{ReadBack, create, submit, upload};
use super::{Copier, View};

/// A strided tensor in a GPU buffer: a buffer, a dtype and a layout. Moves share the buffer and touch no element;
/// [`materialize`](Self::materialize) copies. Two are equal iff they are the same view of one buffer, whatever its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    buffer: wgpu::Buffer,
    dtype: DType,
    layout: Layout,
}

/// What the library's own tensors can be used for.
const USAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST);

impl Tensor {
    /// The tensor of elements `dtype` at `layout`'s positions of `buffer`.
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooSmall`]: the layout's span reaches past the buffer.
    pub fn new(buffer: wgpu::Buffer, dtype: DType, layout: Layout) -> Result<Self, Error> {
        let (needed, has) = (dtype.width().bytes_for(layout.span().end), buffer.size());
        if needed > has {
            return Err(Error::BufferTooSmall {
                side: Side::Source,
                needed,
                buffer: has,
            });
        }
        Ok(Self {
            buffer,
            dtype,
            layout,
        })
    }

    /// A contiguous tensor of zero bits, in a new buffer that may be bound and copied both ways. The buffer's size is that of
    /// the packed elements, rounded up to 16 bytes.
    ///
    /// # Errors
    ///
    /// As [`Layout::contiguous`]; [`Error::BufferLimit`]: the device makes no buffer so large. [`Error::Memory`]: it has no
    /// room. [`Error::DeviceLost`]: it is gone.
    pub fn zeros(device: &wgpu::Device, dtype: DType, shape: &[u64]) -> Result<Self, Error> {
        let layout = Layout::contiguous(shape)?;
        let bytes = dtype.width().bytes_for(layout.numel());
        let buffer = create(device, "restride::tensor", bytes, USAGE, false)?;
        Ok(Self {
            buffer,
            dtype,
            layout,
        })
    }

    /// The contiguous tensor whose elements are `bytes`, packed in C order, in a new buffer. It needs no queue.
    ///
    /// # Errors
    ///
    /// As [`zeros`](Self::zeros); [`Error::ByteCount`] unless there are as many bytes as the elements take.
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::DType;
    /// use restride::gpu::Tensor;
    ///
    /// # let (device, _) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    /// // Five int4, two to a byte, the first in the low half.
    /// let packed = Tensor::upload(&device, DType::Int4, &[5], &[0x21, 0x43, 0x05])?;
    /// assert_eq!(packed.layout().numel(), 5);
    /// assert!(Tensor::upload(&device, DType::Int4, &[5], &[0x21, 0x43]).is_err());
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn upload(
        device: &wgpu::Device,
        dtype: DType,
        shape: &[u64],
        bytes: &[u8],
    ) -> Result<Self, Error> {
        let layout = Layout::contiguous(shape)?;
        let (needed, found) = (dtype.width().bytes_for(layout.numel()), bytes.len() as u64);
        if needed != found {
            return Err(Error::ByteCount { needed, found });
        }
        let buffer = upload(device, "restride::tensor", bytes, USAGE)?;
        Ok(Self {
            buffer,
            dtype,
            layout,
        })
    }

    /// The buffer, shared by every view of it.
    #[must_use]
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// The type of the elements.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Where the elements lie in the buffer.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The tensor as one side of a copy.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View {
            buffer: &self.buffer,
            dtype: self.dtype,
            layout: &self.layout,
        }
    }

    /// The same buffer and dtype through another layout of its own.
    fn through(&self, layout: Layout) -> Self {
        Self {
            buffer: self.buffer.clone(),
            dtype: self.dtype,
            layout,
        }
    }

    /// A contiguous tensor of the same elements, in a new buffer: `encoder` is given the copy.
    ///
    /// # Errors
    ///
    /// As [`zeros`](Self::zeros) and [`Copier::copy`].
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::DType;
    /// use restride::gpu::{Copier, Tensor};
    ///
    /// # let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    /// let copier = Copier::new(&device)?;
    /// let table = Tensor::upload(&device, DType::UInt8, &[2, 4], &[1, 2, 3, 4, 5, 6, 7, 8])?;
    /// let mut encoder = device.create_command_encoder(&Default::default());
    /// let last_row = table.narrow(0, 1, 1)?.materialize(&copier, &mut encoder)?;
    /// queue.submit([encoder.finish()]);
    /// assert_eq!(last_row.read_blocking(&copier, &queue)?, [5, 6, 7, 8]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn materialize(
        &self,
        copier: &Copier,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<Self, Error> {
        let fresh = Self::zeros(copier.device(), self.dtype, self.layout.shape())?;
        copier.copy(encoder, self.view(), fresh.view())?;
        Ok(fresh)
    }

    /// Gives this view the elements of `src`, which has its shape and width: `encoder` is given the copy.
    ///
    /// # Errors
    ///
    /// As [`Copier::copy`].
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::DType;
    /// use restride::gpu::{Copier, Tensor};
    ///
    /// # let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    /// let copier = Copier::new(&device)?;
    /// let cache = Tensor::zeros(&device, DType::UInt8, &[3, 4])?;
    /// let row = Tensor::upload(&device, DType::UInt8, &[4], &[1, 2, 3, 4])?;
    /// let mut encoder = device.create_command_encoder(&Default::default());
    /// cache.select(0, 1)?.copy_from(&copier, &mut encoder, &row)?;
    /// queue.submit([encoder.finish()]);
    /// assert_eq!(cache.read_blocking(&copier, &queue)?, [0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn copy_from(
        &self,
        copier: &Copier,
        encoder: &mut wgpu::CommandEncoder,
        src: &Self,
    ) -> Result<(), Error> {
        copier.copy(encoder, src.view(), self.view())
    }

    /// The elements on their way to the host, packed in C order: `encoder` is given what copies they need.
    ///
    /// The future resolves once the caller has submitted the encoder and polls the device, or, in a browser, its event loop.
    ///
    /// # Errors
    ///
    /// As [`materialize`](Self::materialize).
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::DType;
    /// use restride::gpu::{Copier, Tensor};
    ///
    /// # let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    /// let copier = Copier::new(&device)?;
    /// let row = Tensor::upload(&device, DType::UInt8, &[4], &[1, 2, 3, 4])?;
    /// let mut encoder = device.create_command_encoder(&Default::default());
    /// let read = row.record_read(&copier, &mut encoder)?;
    /// queue.submit([encoder.finish()]);
    /// // The caller polls: here until all work is done, elsewhere once a frame.
    /// device.poll(wgpu::PollType::wait_indefinitely()).expect("the device answers");
    /// assert_eq!(pollster::block_on(read)?, [1, 2, 3, 4]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn record_read(
        &self,
        copier: &Copier,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<ReadBack, Error> {
        let width = u64::from(self.dtype.bits());
        let (first, bits) = (self.layout.offset() * width, self.layout.numel() * width);
        let words_end = (first + bits).div_ceil(32) * 4;
        let plain = self.layout.is_contiguous()
            && first % 32 == 0
            && words_end <= self.buffer.size()
            && self.buffer.usage().contains(wgpu::BufferUsages::COPY_SRC);
        // Made first, so that a device without room is known before anything is recorded.
        let read = ReadBack::new(&copier.device, bits)?;
        if plain {
            let (device, pipelines) = (&copier.device, &copier.pipelines);
            usable(device, pipelines, Side::Source, &self.buffer)?;
            return Ok(read.record(encoder, &self.buffer, first / 8));
        }
        let packed = self.materialize(copier, encoder)?;
        Ok(read.record(encoder, &packed.buffer, 0))
    }

    /// The elements, packed in C order, through one submission to `queue`: `ceil(numel·bits / 8)` bytes, spare bits 0. The
    /// caller polls the device.
    ///
    /// # Errors
    ///
    /// As [`record_read`](Self::record_read); [`Error::DeviceLost`]: the device was lost before they arrived;
    /// [`Error::Refused`]: wgpu refused the submission, as it does where the queue is another device's.
    pub async fn read(&self, copier: &Copier, queue: &wgpu::Queue) -> Result<Vec<u8>, Error> {
        self.submit_read(copier, queue)?.await
    }

    /// The elements, packed in C order, as [`read`](Self::read) gives them: submitted, and waited for.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    #[cfg(not(target_family = "wasm"))]
    pub fn read_blocking(&self, copier: &Copier, queue: &wgpu::Queue) -> Result<Vec<u8>, Error> {
        let read = self.submit_read(copier, queue)?;
        copier
            .device()
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|_| Error::DeviceLost)?;
        pollster::block_on(read)
    }

    fn submit_read(&self, copier: &Copier, queue: &wgpu::Queue) -> Result<ReadBack, Error> {
        let label = Some("restride::read");
        let mut encoder = copier
            .device()
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label });
        let read = self.record_read(copier, &mut encoder)?;
        submit(copier.device(), queue, encoder)?;
        Ok(read)
    }
}

/// Moves: each is that of [`Layout`], with its errors.
impl Tensor {
    /// [`Layout::apply`]; `None` for a reshape that no strides express.
    ///
    /// # Errors
    ///
    /// As [`Layout::apply`].
    pub fn apply(&self, m: &Move) -> Result<Option<Self>, Error> {
        Ok(self.layout.apply(m)?.map(|layout| self.through(layout)))
    }

    /// [`Layout::reshape`]: one extent may be -1; `None` if no strides express it, so that a copy is needed first.
    ///
    /// # Errors
    ///
    /// As [`Layout::reshape`].
    pub fn reshape(&self, shape: &[i64]) -> Result<Option<Self>, Error> {
        Ok(self
            .layout
            .reshape(shape)?
            .map(|layout| self.through(layout)))
    }

    /// [`Layout::bitcast`]: the same bits as elements of another dtype; `None` if no strides express it.
    ///
    /// # Errors
    ///
    /// As [`Layout::bitcast`].
    pub fn bitcast(&self, dtype: DType) -> Result<Option<Self>, Error> {
        let layout = self.layout.bitcast(self.dtype, dtype)?;
        Ok(layout.map(|layout| Self {
            buffer: self.buffer.clone(),
            dtype,
            layout,
        }))
    }

    /// [`Layout::transpose`]: the axes in reverse order.
    #[must_use]
    pub fn transpose(&self) -> Self {
        self.through(self.layout.transpose())
    }

    /// [`Layout::squeeze`]: without the axes of extent 1.
    #[must_use]
    pub fn squeeze(&self) -> Self {
        self.through(self.layout.squeeze())
    }
}

/// Methods that hand on to the layout's, whose errors and rules they share.
macro_rules! moves {
    ($($name:ident($($argument:ident: $type:ty),*): $what:literal;)*) => {
        impl Tensor {
            $(
                #[doc = concat!("[`Layout::", stringify!($name), "`]: ", $what)]
                ///
                /// # Errors
                ///
                #[doc = concat!("As [`Layout::", stringify!($name), "`].")]
                pub fn $name(&self, $($argument: $type),*) -> Result<Self, Error> {
                    Ok(self.through(self.layout.$name($($argument),*)?))
                }
            )*
        }
    };
}

moves! {
    permute(axes: &[isize]): "the axes in the order `axes`.";
    swap_axes(a: isize, b: isize): "with two axes exchanged.";
    move_axis(from: isize, to: isize): "with one axis moved.";
    flip(axis: isize): "one axis reversed.";
    narrow(axis: isize, start: u64, len: u64): "a part of one axis.";
    select(axis: isize, index: i64): "one index of an axis, which is dropped.";
    slice(indices: &[Index]): "NumPy's basic indexing.";
    expand(shape: &[u64]): "broadcast to `shape`.";
    squeeze_axis(axis: isize): "without one axis of extent 1.";
    unsqueeze(axis: isize): "with a new axis of extent 1.";
    unfold(axis: isize, size: u64, step: u64): "sliding windows, as a new last axis.";
    window(axis: isize, size: u64, step: u64, dilation: u64): "sliding windows with holes, as a new last axis.";
    diagonal(a: isize, b: isize): "the diagonal of two axes, as a new last axis.";
}
