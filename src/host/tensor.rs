//! The host tensor: a data type, dims, and shared bytes.

use std::sync::Arc;

use super::memory::Memory;
use super::shape::{bytes_needed, check_room, element_count};
use super::view::Reach;
use super::{DataType, View};
use crate::{Error, HostError, Layout};

/// A data type, dims, and bytes that other tensors may share: the `TF_Tensor` of the C header.
///
/// Elements lie in C order from the first byte. There may be more bytes than the elements need; there are never fewer.
/// Cloning shares the bytes; whoever drops them last frees them, on the thread that does.
///
/// # Examples
///
/// ```
/// use restride::host::{DataType, Tensor};
///
/// let mut tensor = Tensor::allocate(DataType::Int16, &[2, 3], 12)?;
/// tensor.as_mut_slice::<i16>()?.copy_from_slice(&[0, 1, 2, 3, 4, 5]);
/// let shared = tensor.clone();
/// assert!(tensor.bytes_mut().is_none(), "the bytes have two owners");
/// assert_eq!(shared.as_slice::<i16>()?, [0, 1, 2, 3, 4, 5]);
/// # Ok::<(), restride::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Tensor {
    data_type: DataType,
    dims: Vec<i64>,
    count: u64,
    memory: Arc<Memory>,
}

impl Tensor {
    /// The tensor over the `len` bytes at `data`, which `deallocator(data, len)` frees: called exactly once, on the thread
    /// that drops the last owner, or before this returns where the bytes are refused or copied.
    ///
    /// Bytes whose address is not a multiple of [`ALIGNMENT`](super::ALIGNMENT) are copied to memory of this library, and the
    /// deallocator is called at once; those of strings never are. More bytes than the elements need are fine.
    ///
    /// # Errors
    ///
    /// - [`HostError::OpaqueDataType`]: `RESOURCE` and `VARIANT` elements.
    /// - [`HostError::DimCount`], [`HostError::NegativeDim`], [`HostError::DimProduct`], [`HostError::TooManyBytes`]: no such shape.
    /// - [`HostError::ShortData`]: `len` is less than the elements need, for `n > 0` strings `8n + 1`.
    /// - [`HostError::NullData`]: `data` is null and `len` is not 0. [`HostError::Memory`]: no room for the copy, or no such `len`.
    ///
    /// # Safety
    ///
    /// Until the deallocator is called:
    /// - the `len` bytes at `data` are initialised, and valid for reads and writes;
    /// - nobody writes to them while a slice of them that this tensor or one that shares them gave out is alive, and nobody
    ///   reads them while a mutable one is. Writers outside of Rust count: a C program that kept the pointer is one.
    pub unsafe fn from_raw<F>(
        data_type: DataType,
        dims: &[i64],
        data: *mut u8,
        len: usize,
        deallocator: F,
    ) -> Result<Self, Error>
    where
        F: FnOnce(*mut u8, usize) + Send + 'static,
    {
        // SAFETY: the caller's promise.
        let memory = unsafe { Memory::foreign(data, len, false, Some(Box::new(deallocator))) }?;
        Self::aligned(data_type, dims, memory)
    }

    /// The tensor over memory of someone else, which is copied if it is not aligned.
    pub(crate) fn aligned(
        data_type: DataType,
        dims: &[i64],
        memory: Memory,
    ) -> Result<Self, Error> {
        let count = element_count(dims)?;
        check_room(data_type, count, memory.len())?;
        let in_place = data_type == DataType::String || memory.is_aligned();
        let memory = if in_place {
            memory
        } else {
            Memory::copied(memory.bytes())?
        };
        Self::over(data_type, dims, memory)
    }

    /// The tensor over `memory`, at whatever address it is.
    pub(super) fn over(data_type: DataType, dims: &[i64], memory: Memory) -> Result<Self, Error> {
        let count = element_count(dims)?;
        check_room(data_type, count, memory.len())?;
        Ok(Self {
            data_type,
            dims: dims.to_vec(),
            count,
            memory: Arc::new(memory),
        })
    }

    /// A tensor of `len` zero bytes at a multiple of [`ALIGNMENT`](super::ALIGNMENT): numbers 0, strings empty.
    ///
    /// # Errors
    ///
    /// Those of [`from_raw`](Self::from_raw), in this order: the shape's, [`HostError::ShortData`], [`HostError::Memory`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::host::{DataType, Tensor};
    /// let tensor = Tensor::allocate(DataType::Float, &[2, 3], 24)?;
    /// assert!(tensor.is_aligned());
    /// assert!(Tensor::allocate(DataType::Float, &[2, 3], 23).is_err());
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn allocate(data_type: DataType, dims: &[i64], len: usize) -> Result<Self, Error> {
        check_room(data_type, element_count(dims)?, len)?;
        Self::over(data_type, dims, Memory::zeroed(len)?)
    }

    /// A tensor of as many zero bytes as its elements need: numbers 0, strings empty.
    ///
    /// # Errors
    ///
    /// As [`allocate`](Self::allocate).
    pub fn zeros(data_type: DataType, dims: &[i64]) -> Result<Self, Error> {
        Self::allocate(
            data_type,
            dims,
            bytes_needed(data_type, element_count(dims)?)?,
        )
    }

    /// The tensor itself, iff it is the only owner of bytes that this library allocated; else `None`, and it is untouched.
    ///
    /// It is then left without elements: what it was is in the result.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::host::{DataType, Tensor};
    /// let mut tensor = Tensor::zeros(DataType::Float, &[2, 3])?;
    /// let shared = tensor.clone();
    /// assert!(tensor.maybe_move().is_none());
    /// drop(shared);
    /// assert_eq!(tensor.maybe_move().unwrap().dims(), [2, 3]);
    /// assert_eq!(tensor.dims(), [0]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn maybe_move(&mut self) -> Option<Self> {
        if !self.can_move() {
            return None;
        }
        let empty = Self {
            data_type: self.data_type,
            dims: vec![0],
            count: 0,
            memory: Arc::new(Memory::none()),
        };
        Some(std::mem::replace(self, empty))
    }

    /// Whether [`maybe_move`](Self::maybe_move) would move.
    pub(crate) fn can_move(&mut self) -> bool {
        Arc::get_mut(&mut self.memory).is_some_and(|memory| memory.is_ours())
    }

    /// The type of the elements.
    #[must_use]
    pub fn data_type(&self) -> DataType {
        self.data_type
    }

    /// The dims; none for a scalar.
    #[must_use]
    pub fn dims(&self) -> &[i64] {
        &self.dims
    }

    /// The dim of an axis.
    ///
    /// # Errors
    ///
    /// [`Error::Axis`]: there is no such axis.
    pub fn dim(&self, axis: usize) -> Result<i64, Error> {
        let rank = self.dims.len();
        let dim = self.dims.get(axis).copied();
        dim.ok_or(Error::Axis {
            axis: isize::try_from(axis).unwrap_or(isize::MAX),
            rank,
        })
    }

    /// The product of the dims: 1 for a scalar.
    #[must_use]
    pub fn element_count(&self) -> u64 {
        self.count
    }

    /// The number of bytes, which a change of shape leaves as it is.
    #[must_use]
    pub fn byte_size(&self) -> usize {
        self.memory.len()
    }

    /// The bytes, all [`byte_size`](Self::byte_size) of them.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.memory.bytes()
    }

    /// The bytes, to their only owner; `None` if they are shared or may not be written.
    pub fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        Arc::get_mut(&mut self.memory)?.bytes_mut()
    }

    /// The address of the bytes; null if there are none and their owner gave none.
    #[must_use]
    pub fn as_ptr(&self) -> *const u8 {
        self.memory.data()
    }

    /// The memory itself.
    #[cfg_attr(
        not(any(feature = "capi", feature = "dlpack")),
        expect(dead_code, reason = "for the C ABI and DLPack")
    )]
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The bytes that the elements take, the first of [`bytes`](Self::bytes); all of them for strings.
    pub(crate) fn element_bytes(&self) -> &[u8] {
        let bytes = self.bytes();
        match self.data_type {
            DataType::String => bytes,
            // No more than there are: every constructor and `set_shape` see to it.
            fixed => {
                usize::try_from(self.count).map_or(bytes, |count| &bytes[..count * fixed.size()])
            }
        }
    }

    /// Gives the tensor other dims, over the same bytes.
    ///
    /// # Errors
    ///
    /// The shape's errors of [`from_raw`](Self::from_raw); [`HostError::ShortData`]: there are fewer bytes than it needs. The
    /// tensor is then as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::host::{DataType, Tensor};
    /// let mut tensor = Tensor::zeros(DataType::Float, &[2, 3])?;
    /// tensor.set_shape(&[4])?;
    /// assert_eq!((tensor.element_count(), tensor.byte_size()), (4, 24));
    /// assert!(tensor.set_shape(&[7]).is_err());
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn set_shape(&mut self, dims: &[i64]) -> Result<(), Error> {
        let count = element_count(dims)?;
        check_room(self.data_type, count, self.byte_size())?;
        (self.dims, self.count) = (dims.to_vec(), count);
        Ok(())
    }

    /// The same bytes as elements of another type, under dims that take as many of them.
    ///
    /// # Errors
    ///
    /// - the shape's errors of [`from_raw`](Self::from_raw);
    /// - [`HostError::ZeroSized`]: elements of one of the types have no fixed size;
    /// - [`HostError::BitcastBytes`] unless `count(dims)·size(data_type) = element_count·size`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::host::{DataType, Tensor};
    /// let floats = Tensor::zeros(DataType::Float, &[3, 4])?;
    /// let bytes = floats.bitcast(DataType::UInt8, &[3, 4, 4])?;
    /// assert_eq!(bytes.as_ptr(), floats.as_ptr());
    /// assert!(floats.bitcast(DataType::UInt8, &[3, 4]).is_err());
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn bitcast(&self, data_type: DataType, dims: &[i64]) -> Result<Self, Error> {
        let count = element_count(dims)?;
        for side in [self.data_type, data_type] {
            if side.size() == 0 {
                return Err(Error::Host(HostError::ZeroSized {
                    data_type: side.name(),
                }));
            }
        }
        let to = bytes_needed(data_type, count)?;
        let from = check_room(self.data_type, self.count, self.byte_size())?;
        if from != to {
            return Err(Error::Host(HostError::BitcastBytes { from, to }));
        }
        Ok(Self {
            data_type,
            dims: dims.to_vec(),
            count,
            memory: Arc::clone(&self.memory),
        })
    }

    /// Makes this tensor `from.`[`bitcast`](Self::bitcast)`(data_type, dims)`, and lets go of its own bytes.
    ///
    /// # Errors
    ///
    /// Those of [`bitcast`](Self::bitcast). The tensor is then as it was.
    pub fn bitcast_from(
        &mut self,
        from: &Self,
        data_type: DataType,
        dims: &[i64],
    ) -> Result<(), Error> {
        *self = from.bitcast(data_type, dims)?;
        Ok(())
    }

    /// True iff the address is a multiple of [`ALIGNMENT`](super::ALIGNMENT), or there is no element, or they are strings.
    #[must_use]
    pub fn is_aligned(&self) -> bool {
        self.data_type == DataType::String || self.count == 0 || self.memory.is_aligned()
    }

    /// Whether both tensors are over the same bytes.
    #[must_use]
    pub fn shares_bytes_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.memory, &other.memory)
    }

    /// All elements, in C order.
    ///
    /// # Errors
    ///
    /// [`Error::Rank`], [`Error::Numel`]: the dims are beyond a layout's.
    pub fn view(&self) -> Result<View<'_>, Error> {
        self.view_through(self.layout()?)
    }

    /// The elements at the positions of `layout`, which counts in elements of this tensor from its first byte.
    ///
    /// # Errors
    ///
    /// [`Error::ViewPastBuffer`]: the layout reaches past the bytes. [`HostError::ViewPastStrings`]: past the strings.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::{Layout, host::Tensor};
    /// let tensor = Tensor::from_slice(&[2, 3], &[0u16, 1, 2, 3, 4, 5])?;
    /// let backwards = tensor.view_through(Layout::strided(5, &[-1], &[6])?)?;
    /// assert_eq!(backwards.materialize()?.as_slice::<u16>()?, [5, 4, 3, 2, 1, 0]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn view_through(&self, layout: Layout) -> Result<View<'_>, Error> {
        View::checked(
            self.data_type,
            Reach::Bytes(self.bytes()),
            self.count,
            layout,
        )
    }

    /// The layout of all elements in C order.
    ///
    /// # Errors
    ///
    /// As [`view`](Self::view).
    pub fn layout(&self) -> Result<Layout, Error> {
        let shape: Vec<u64> = self.dims.iter().map(|dim| dim.cast_unsigned()).collect();
        Layout::contiguous(&shape)
    }
}
