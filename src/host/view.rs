//! Strided views of host bytes, and their materialisation.

mod moves;

use std::marker::PhantomData;

use super::memory::Memory;
use super::strings::{self, Strings};
use super::{DataType, Tensor};
use crate::{DType, Element, Error, HostError, Layout, reference};

/// Elements of a type at a layout's positions of borrowed bytes: any strides, any offset.
///
/// Positions count elements from the first byte. Moves give other views of the same bytes and touch none;
/// [`materialize`](Self::materialize) copies. Strings are viewed too: their positions count strings.
#[derive(Debug, Clone)]
pub struct View<'a> {
    data_type: DataType,
    reach: Reach<'a>,
    /// The strings that the bytes hold; without meaning for other types.
    strings: u64,
    layout: Layout,
}

/// What a view may read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reach<'a> {
    /// All these bytes.
    Bytes(&'a [u8]),
    /// The elements alone, which are inside the `len` bytes at `first`: what lies between them may be another's to write.
    #[cfg_attr(
        not(feature = "ndarray"),
        expect(dead_code, reason = "only arrays have such gaps")
    )]
    Elements {
        first: *const u8,
        len: usize,
        borrowed: PhantomData<&'a [u8]>,
    },
}

// SAFETY: the elements are borrowed, shared, from a value that threads may share; they are only read.
unsafe impl Send for Reach<'_> {}
// SAFETY: as above.
unsafe impl Sync for Reach<'_> {}

impl Reach<'_> {
    /// Where positions count from, and how many bytes may be reached from there.
    pub(super) fn bounds(self) -> (*const u8, usize) {
        match self {
            Self::Bytes(bytes) => (bytes.as_ptr(), bytes.len()),
            Self::Elements { first, len, .. } => (first, len),
        }
    }
}

impl<'a> View<'a> {
    /// The view of what `reach` says, `count` strings if they are strings, once it is known to stay inside.
    pub(super) fn checked(
        data_type: DataType,
        reach: Reach<'a>,
        count: u64,
        layout: Layout,
    ) -> Result<Self, Error> {
        let end = layout.span().end;
        match data_type.dtype() {
            Some(dtype) => {
                let (needed, buffer) = (dtype.width().bytes_for(end), reach.bounds().1 as u64);
                if needed > buffer {
                    return Err(Error::ViewPastBuffer { needed, buffer });
                }
            }
            None if end > count => {
                return Err(Error::Host(HostError::ViewPastStrings {
                    needed: end,
                    strings: count,
                }));
            }
            None => {}
        }
        Ok(Self {
            data_type,
            reach,
            strings: count,
            layout,
        })
    }

    /// The elements of `tensor` at the positions of `layout`, which is known to stay inside.
    pub(super) fn of(tensor: &'a Tensor, layout: Layout) -> Self {
        Self {
            data_type: tensor.data_type(),
            reach: Reach::Bytes(tensor.bytes()),
            strings: tensor.element_count(),
            layout,
        }
    }

    /// The elements of `values` at the positions of `layout`.
    ///
    /// # Errors
    ///
    /// [`Error::ViewPastBuffer`]: the layout reaches past the slice. [`HostError::NoDataType`]: host tensors know no such type.
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::{Layout, host::View};
    ///
    /// let values = [half::f16::ONE, half::f16::NEG_ONE];
    /// let repeated = View::from_slice(&values, Layout::strided(0, &[0, 1], &[3, 2])?)?;
    /// assert_eq!(repeated.materialize()?.dims(), [3, 2]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn from_slice<T: Element>(values: &'a [T], layout: Layout) -> Result<Self, Error> {
        let data_type = DataType::of(T::DTYPE)?;
        let bytes = Reach::Bytes(bytemuck::cast_slice(values));
        Self::checked(data_type, bytes, 0, layout)
    }

    /// The type of the elements.
    #[must_use]
    pub fn data_type(&self) -> DataType {
        self.data_type
    }

    /// The bytes, from the first one that a position counts from; `None` if only the elements among them may be read.
    ///
    /// That is so of an `ndarray` view with gaps, which other views may be writing to.
    #[must_use]
    pub fn bytes(&self) -> Option<&'a [u8]> {
        match self.reach {
            Reach::Bytes(bytes) => Some(bytes),
            Reach::Elements { .. } => None,
        }
    }

    /// What the view may read.
    #[cfg(feature = "ndarray")]
    pub(super) fn reach(&self) -> Reach<'a> {
        self.reach
    }

    /// Where the elements lie.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The element type of a copy of these elements.
    ///
    /// # Errors
    ///
    /// [`HostError::ZeroSized`]: they have no fixed size.
    pub fn dtype(&self) -> Result<DType, Error> {
        let data_type = self.data_type.name();
        let dtype = self.data_type.dtype();
        dtype.ok_or(Error::Host(HostError::ZeroSized { data_type }))
    }

    /// A tensor of the same elements in C order, in memory of its own.
    ///
    /// Strings are gathered and their offsets rebuilt, without gaps and in order.
    ///
    /// # Errors
    ///
    /// [`HostError::Memory`]: no room. [`HostError::StringElement`]: a string of the view is malformed, as its cause says.
    pub fn materialize(&self) -> Result<Tensor, Error> {
        let dims: Vec<i64> = self
            .layout
            .shape()
            .iter()
            .map(|d| d.cast_signed())
            .collect();
        let Some(dtype) = self.data_type.dtype() else {
            let strings = Strings::new(self.bytes().unwrap_or_default(), self.strings)?;
            let picked = positions(&self.layout).map(|position| strings.get(position));
            return strings::tensor(&dims, picked);
        };
        let packed = dtype.width().bytes_for(self.layout.numel());
        let len = usize::try_from(packed)
            .map_err(|_| Error::Host(HostError::Memory { bytes: usize::MAX }))?;
        let memory = match self.reach {
            Reach::Bytes(bytes) if self.layout.is_contiguous() => {
                // Inside, as the view is: it fits a `usize`.
                let first = dtype.width().bytes_for(self.layout.offset());
                Memory::copied(&bytes[usize::try_from(first).unwrap_or(usize::MAX)..][..len])?
            }
            Reach::Bytes(bytes) => {
                let mut memory = Memory::zeroed(len)?;
                let to = memory.bytes_mut().unwrap_or_default();
                let fresh = Layout::contiguous(self.layout.shape())?;
                reference::copy(dtype.width(), bytes, &self.layout, to, &fresh)?;
                memory
            }
            Reach::Elements { first, .. } => {
                let (mut memory, size) = (Memory::zeroed(len)?, self.data_type.size());
                let to = memory
                    .bytes_mut()
                    .unwrap_or_default()
                    .chunks_exact_mut(size);
                for (to, position) in to.zip(positions(&self.layout)) {
                    let at = usize::try_from(position).unwrap_or(usize::MAX) * size;
                    // SAFETY: `checked` saw the element end inside the reach, and elements may be read.
                    unsafe { first.add(at).copy_to_nonoverlapping(to.as_mut_ptr(), size) };
                }
                memory
            }
        };
        Tensor::over(self.data_type, &dims, memory)
    }

    /// Gives the elements of `to` at the positions of `layout` these elements; the rest of its bytes stay as they were.
    ///
    /// # Errors
    ///
    /// - [`HostError::ZeroSized`], [`Error::UnlikeWidths`]: the elements have no fixed size, or not the same.
    /// - [`HostError::Shared`]: `to` is not the only owner of its bytes, or they may not be written.
    /// - those of [`reference::copy`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::{Layout, host::{DataType, Tensor}};
    /// let mut board = Tensor::zeros(DataType::UInt8, &[2, 3])?;
    /// let column = Tensor::from_slice(&[2], &[7u8, 8])?;
    /// column.view()?.copy_to(&mut board, &Layout::strided(1, &[3], &[2])?)?;
    /// assert_eq!(board.as_slice::<u8>()?, [0, 7, 0, 0, 8, 0]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn copy_to(&self, to: &mut Tensor, layout: &Layout) -> Result<(), Error> {
        let dtype = self.dtype()?;
        let other = to.data_type();
        if other.size() != self.data_type.size() {
            let right = other.dtype().map_or(0, |dtype| dtype.bits());
            let left = dtype.bits();
            return Err(Error::UnlikeWidths { left, right });
        }
        let Some(from) = self.bytes() else {
            return self.materialize()?.view()?.copy_to(to, layout);
        };
        let bytes = to.bytes_mut().ok_or(Error::Host(HostError::Shared))?;
        reference::copy(dtype.width(), from, &self.layout, bytes, layout)
    }

    /// The same bytes through another layout of this one's reach.
    fn through(&self, layout: Layout) -> Self {
        Self {
            layout,
            ..self.clone()
        }
    }
}

/// The positions of a layout, in C order of its indices.
fn positions(layout: &Layout) -> impl Iterator<Item = u64> + Clone + '_ {
    (0..layout.numel()).map(|at| {
        let mut rest = at;
        let mut position = layout.offset();
        for (&extent, &stride) in layout.shape().iter().zip(layout.strides()).rev() {
            let step = (rest % extent).cast_signed() * stride;
            position = position.wrapping_add_signed(step);
            rest /= extent;
        }
        position
    })
}
