//! Layouts: where a tensor's elements lie in a buffer.

mod apply;
mod bitcast;
mod queries;
mod reshape;
mod slice;
mod words;

use std::fmt;

use crate::Error;
use crate::extents::{self, Extents};

pub use crate::extents::{MAX_NUMEL, MAX_RANK};
pub use slice::Index;

/// A map from the indices of a shape to positions in a buffer.
///
/// With extents `d` (the *shape*), strides `s` and an offset, the index `(i₀, …)`, `0 <= iₐ < dₐ`, is
/// at *position* `offset + Σ iₐ·sₐ`. Offset, strides and positions count elements from the buffer's
/// first byte, whatever their width: an element of `b` bits at position `p` is bits `p·b` to
/// `p·b + b` of the buffer, where bit `8q + r` is bit `r` of byte `q`, least significant first.
///
/// A layout is immutable and in one canonical form: an axis of extent 1 has stride 0, and a layout
/// with no element has offset 0 and every stride 0. Two layouts of one shape are therefore equal iff
/// they take every index to the same position.
///
/// No position is negative, the rank is at most [`MAX_RANK`], and the product of the extents other
/// than 0 and the end of the span are at most [`MAX_NUMEL`]: code that multiplies them checks
/// nothing. Everything is held inline; no method of a layout allocates.
///
/// # Examples
///
/// ```
/// use restride::{Layout, Move};
///
/// let rows = Layout::contiguous(&[2, 3])?;
/// let columns = rows.apply(&Move::Permute(vec![1, 0]))?.expect("no strides are sought");
/// assert_eq!(columns, Layout::strided(0, &[1, 3], &[3, 2])?);
/// assert_eq!(columns.position(&[2, 1]), 5);
/// # Ok::<(), restride::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Layout {
    extents: Extents,
    /// Slots past the rank are 0.
    strides: [i64; MAX_RANK],
    offset: u64,
}

impl Layout {
    /// True iff `shape` is a layout's shape: at most [`MAX_RANK`] extents, and those other than 0
    /// multiply to at most [`MAX_NUMEL`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::Layout;
    /// assert!(Layout::fits(&[1 << 52, 2, 0]));
    /// assert!(!Layout::fits(&[1 << 52, 3, 0]));
    /// ```
    pub fn fits(shape: &[u64]) -> bool {
        extents::check(shape).is_ok()
    }

    /// The layout of shape `shape` in C order at offset 0: element `k` in C order is at position `k`.
    ///
    /// # Errors
    ///
    /// [`Error::Rank`] or [`Error::Numel`] unless [`fits`](Self::fits)`(shape)`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::Layout;
    /// assert_eq!(Layout::contiguous(&[2, 3, 4])?.strides(), [12, 4, 1]);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn contiguous(shape: &[u64]) -> Result<Self, Error> {
        Ok(Self::in_c_order(Extents::new(shape)?))
    }

    /// The layout of shape `shape` with these strides and this offset, in canonical form.
    ///
    /// # Errors
    ///
    /// In this order:
    /// - [`Error::Rank`]: more than [`MAX_RANK`] extents.
    /// - [`Error::StrideCount`]: not one stride for each extent.
    /// - [`Error::Numel`]: the extents other than 0 multiply to more than [`MAX_NUMEL`].
    /// - [`Error::AxisReach`]: `(d - 1)·|s|` exceeds an `i64` for an axis with `d > 1`.
    /// - [`Error::NegativePosition`], [`Error::SpanEnd`]: with an element, a negative position, or a
    ///   span's end above [`MAX_NUMEL`].
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::Layout;
    ///
    /// let reversed = Layout::strided(5, &[-3, -1], &[2, 3])?;
    /// assert_eq!(reversed.position(&[1, 2]), 0);
    /// assert!(Layout::strided(4, &[-3, -1], &[2, 3]).is_err());
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn strided(offset: u64, strides: &[i64], shape: &[u64]) -> Result<Self, Error> {
        let (rank, stride_count) = (shape.len(), strides.len());
        if rank > MAX_RANK {
            return Err(Error::Rank { rank });
        }
        if stride_count != rank {
            return Err(Error::StrideCount {
                rank,
                strides: stride_count,
            });
        }
        let extents = Extents::new(shape)?;
        for (axis, (&extent, &stride)) in shape.iter().zip(strides).enumerate() {
            let reach = u128::from(extent.saturating_sub(1)) * u128::from(stride.unsigned_abs());
            if i64::try_from(reach).is_err() {
                return Err(Error::AxisReach {
                    axis,
                    extent,
                    stride,
                });
            }
        }
        if extents.numel() > 0 {
            check_positions(offset, strides, shape)?;
        }
        let mut slots = [0; MAX_RANK];
        slots[..rank].copy_from_slice(strides);
        Ok(Self::canonical(offset, slots, extents))
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.shape().len()
    }

    /// The extent of an axis.
    ///
    /// # Panics
    ///
    /// Unless `axis < rank`.
    #[track_caller]
    pub fn dim(&self, axis: usize) -> u64 {
        self.shape()[axis]
    }

    /// The stride of an axis, in elements.
    ///
    /// # Panics
    ///
    /// Unless `axis < rank`.
    #[track_caller]
    pub fn stride(&self, axis: usize) -> i64 {
        self.strides()[axis]
    }

    /// The position of the index `(0, …, 0)`; 0 with no element.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The number of indices: the product of the extents.
    pub fn numel(&self) -> u64 {
        self.extents.numel()
    }

    /// The extents.
    pub fn shape(&self) -> &[u64] {
        self.extents.as_slice()
    }

    /// The strides, in elements.
    pub fn strides(&self) -> &[i64] {
        &self.strides[..self.rank()]
    }

    /// Refuses a layout of another shape, and names the first axis at which they differ.
    pub(crate) fn check_same_shape(&self, other: &Self) -> Result<(), Error> {
        let (left, right) = (self.rank(), other.rank());
        if left != right {
            return Err(Error::UnlikeRanks { left, right });
        }
        for (axis, (&left, &right)) in self.shape().iter().zip(other.shape()).enumerate() {
            if left != right {
                return Err(Error::UnlikeExtents { axis, left, right });
            }
        }
        Ok(())
    }

    /// The layout of a shape in C order at offset 0.
    fn in_c_order(extents: Extents) -> Self {
        let strides = c_order(extents.as_slice());
        Self {
            extents,
            strides,
            offset: 0,
        }
    }

    /// The canonical form of strides and an offset that reach positions within the limits. Slots
    /// past the rank are 0.
    pub(crate) fn canonical(offset: u64, mut strides: [i64; MAX_RANK], extents: Extents) -> Self {
        if extents.numel() == 0 {
            return Self::in_c_order(extents);
        }
        for (stride, &extent) in strides.iter_mut().zip(extents.as_slice()) {
            if extent == 1 {
                *stride = 0;
            }
        }
        Self {
            extents,
            strides,
            offset,
        }
    }
}

/// The canonical strides of a shape in C order: all 0 with no element.
fn c_order(shape: &[u64]) -> [i64; MAX_RANK] {
    let mut strides = [0; MAX_RANK];
    if shape.contains(&0) {
        return strides;
    }
    let mut inner: u64 = 1;
    for (stride, &extent) in strides[..shape.len()].iter_mut().zip(shape).rev() {
        if extent > 1 {
            *stride = inner.cast_signed();
            inner *= extent;
        }
    }
    strides
}

/// Refuses a negative position, then a span's end above [`MAX_NUMEL`]. No extent is 0, and each
/// axis' reach fits an `i64`.
fn check_positions(offset: u64, strides: &[i64], shape: &[u64]) -> Result<(), Error> {
    let (mut lowest, mut end) = (offset, offset.saturating_add(1));
    for (axis, (&extent, &stride)) in shape.iter().zip(strides).enumerate() {
        let reach = (extent - 1).cast_signed().wrapping_mul(stride);
        let reached = lowest.wrapping_add_signed(reach.min(0));
        // Below 0 it is at least the reach, and so an `i64`.
        if reached > lowest {
            return Err(Error::NegativePosition {
                axis,
                offset,
                lowest: reached.cast_signed(),
            });
        }
        lowest = reached;
        end = end.saturating_add_signed(reach.max(0));
    }
    if end > MAX_NUMEL {
        return Err(Error::SpanEnd { offset, end });
    }
    Ok(())
}

/// Formats the shape, the strides and the offset.
impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shape, strides) = (self.shape(), self.strides());
        write!(f, "{shape:?} strides {strides:?} offset {}", self.offset)
    }
}

/// Formats the live axes alone.
impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Layout")
            .field("shape", &self.shape())
            .field("strides", &self.strides())
            .field("offset", &self.offset)
            .finish()
    }
}
