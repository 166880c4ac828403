//! Layouts of the same bits as elements of another width.

use std::cmp::Ordering;

use super::{Layout, MAX_RANK};
use crate::extents::Extents;
use crate::{DType, Error};

impl Layout {
    /// The layout of this one's bits, elements of `from`, as elements of `to`, of a width `r` times
    /// narrower or wider.
    ///
    /// A narrower `to` appends an axis of extent `r` and stride 1 and multiplies the offset and the
    /// other strides by `r`. A wider one drops such an axis and divides them; it is `None` if the
    /// last axis has another extent or stride, or if the offset or a stride is not a multiple of
    /// `r`. With no element, only the last extent must be `r`. Equal widths change nothing.
    ///
    /// # Errors
    ///
    /// [`Error::BitcastRatio`] unless `r` is whole; [`Error::Rank`], [`Error::Numel`] or
    /// [`Error::SpanEnd`] if the narrower layout is beyond the limits.
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::{DType, Layout};
    ///
    /// let floats = Layout::strided(1, &[2], &[3])?;
    /// let bytes = floats.bitcast(DType::Float32, DType::UInt8)?;
    /// assert_eq!(bytes, Some(Layout::strided(4, &[8, 1], &[3, 4])?));
    /// assert_eq!(bytes.unwrap().bitcast(DType::UInt8, DType::Float32)?, Some(floats));
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn bitcast(&self, from: DType, to: DType) -> Result<Option<Self>, Error> {
        let (from, to) = (from.bits(), to.bits());
        if !from.is_multiple_of(to) && !to.is_multiple_of(from) {
            return Err(Error::BitcastRatio { from, to });
        }
        match from.cmp(&to) {
            Ordering::Equal => Ok(Some(self.clone())),
            Ordering::Greater => self.narrowed(from / to).map(Some),
            Ordering::Less => Ok(self.widened(to / from)),
        }
    }

    /// The layout in elements `ratio` times narrower.
    fn narrowed(&self, ratio: u32) -> Result<Self, Error> {
        let rank = self.rank();
        if rank == MAX_RANK {
            return Err(Error::Rank { rank: rank + 1 });
        }
        let mut shape = [0; MAX_RANK];
        let mut strides = [0; MAX_RANK];
        for axis in 0..rank {
            shape[axis] = self.dim(axis);
            // A position is at most 2^53 and a ratio at most 2^7.
            strides[axis] = self.stride(axis) * i64::from(ratio);
        }
        (shape[rank], strides[rank]) = (u64::from(ratio), 1);
        let offset = self.offset() * u64::from(ratio);
        Self::strided(offset, &strides[..=rank], &shape[..=rank])
    }

    /// The layout in elements `ratio` times wider, if there is one.
    fn widened(&self, ratio: u32) -> Option<Self> {
        let (&last, shape) = self.shape().split_last()?;
        if last != u64::from(ratio) {
            return None;
        }
        let extents = Extents::new(shape).ok()?;
        if self.numel() == 0 {
            return Some(Self::in_c_order(extents));
        }
        let mut strides = [0; MAX_RANK];
        let whole = i64::from(ratio);
        for (wide, &stride) in strides.iter_mut().zip(&self.strides()[..shape.len()]) {
            if stride % whole != 0 {
                return None;
            }
            *wide = stride / whole;
        }
        let aligned = self.offset().is_multiple_of(u64::from(ratio));
        let expressed = self.stride(shape.len()) == 1 && aligned;
        expressed.then(|| Self::canonical(self.offset() / u64::from(ratio), strides, extents))
    }
}
