//! Reshapes, which strides may or may not express.

use super::{Layout, MAX_RANK, c_order};
use crate::Error;
use crate::extents::{self, Extents};
use crate::moves;

impl Layout {
    /// The layout of the same elements in C order under another shape, in which one extent may be
    /// -1: the one that keeps their number. `None` iff no strides express it.
    ///
    /// # Errors
    ///
    /// - [`Error::NegativeExtent`], [`Error::InferredTwice`]: another negative extent, a second -1.
    /// - [`Error::Inferred`]: no extent, or more than one, in place of the -1 keeps the number.
    /// - [`Error::Rank`], [`Error::Numel`], [`Error::ReshapeNumel`]: as for a reshape.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::Layout;
    /// let x = Layout::contiguous(&[2, 6])?;
    /// assert_eq!(x.reshape(&[-1, 4])?, Some(Layout::contiguous(&[3, 4])?));
    /// assert_eq!(x.transpose().reshape(&[-1])?, None);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn reshape(&self, shape: &[i64]) -> Result<Option<Self>, Error> {
        let mut extents = [0; MAX_RANK];
        let rank = shape.len();
        let extents = extents.get_mut(..rank).ok_or(Error::Rank { rank })?;
        infer(self.numel(), shape, extents)?;
        self.reshaped(extents)
    }

    /// The layout of one axis over all elements in C order; `None` if no stride expresses it.
    pub fn flatten(&self) -> Option<Self> {
        self.reshaped(&[self.numel()]).ok().flatten()
    }

    /// The layout in which an axis is several, of the extents given, in C order. One extent may be
    /// -1.
    ///
    /// # Errors
    ///
    /// [`Error::Axis`] if it is not an axis, otherwise those of [`reshape`](Self::reshape).
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::Layout;
    /// let x = Layout::contiguous(&[2, 6])?.transpose();
    /// assert_eq!(x.unflatten(0, &[-1, 3])?, Layout::strided(0, &[3, 1, 6], &[2, 3, 2])?);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn unflatten(&self, axis: isize, shape: &[i64]) -> Result<Self, Error> {
        let axis = self.axis(axis)?;
        let rank = self.rank() - 1 + shape.len();
        let mut extents = [0; MAX_RANK];
        let extents = extents.get_mut(..rank).ok_or(Error::Rank { rank })?;
        let end = axis + shape.len();
        extents[..axis].copy_from_slice(&self.shape()[..axis]);
        extents[end..].copy_from_slice(&self.shape()[axis + 1..]);
        infer(self.dim(axis), shape, &mut extents[axis..end])?;
        let parts = moves::reshape(&[self.dim(axis)], &extents[axis..end])?;

        let mut strides = [0; MAX_RANK];
        strides[..axis].copy_from_slice(&self.strides()[..axis]);
        strides[end..rank].copy_from_slice(&self.strides()[axis + 1..]);
        for (stride, &inner) in strides[axis..end]
            .iter_mut()
            .zip(&c_order(parts.as_slice()))
        {
            *stride = self.stride(axis) * inner;
        }
        Ok(Self::canonical(
            self.offset,
            strides,
            Extents::new(extents)?,
        ))
    }

    /// The result of a move to this shape.
    pub(super) fn reshaped(&self, shape: &[u64]) -> Result<Option<Self>, Error> {
        let result = moves::reshape(self.shape(), shape)?;
        if result.numel() == 0 {
            return Ok(Some(Self::in_c_order(result)));
        }
        let strides = strides(self.shape(), self.strides(), shape);
        Ok(strides.map(|strides| Self::canonical(self.offset(), strides, result)))
    }
}

/// The strides under which the shape `to` reaches, in C order, the positions that the shape `from`
/// reaches with `strides`; `None` iff no strides do.
///
/// Both shapes have one number of elements, not 0, and the stride of an axis of extent 1 is 0.
///
/// Outer to inner, both shapes are cut into the smallest groups of equal product. The old axes of a
/// group must be one run, each stride the next one's times its extent: a new axis that begins inside
/// one old axis and ends inside another takes equal steps in both. The new axes then lie in C order
/// on the run's innermost stride.
fn strides(from: &[u64], strides: &[i64], to: &[u64]) -> Option<[i64; MAX_RANK]> {
    let mut result = [0; MAX_RANK];
    let (mut old, mut new) = (0, 0);
    // What either shape has left when the other is used up are axes of extent 1.
    while old < from.len() && new < to.len() {
        let (old_start, new_start) = (old, new);
        let (mut old_product, mut new_product) = (from[old], to[new]);
        (old, new) = (old + 1, new + 1);
        while old_product != new_product {
            if old_product < new_product {
                old_product *= from[old];
                old += 1;
            } else {
                new_product *= to[new];
                new += 1;
            }
        }
        let group = old_start..old;
        let mut stride = run_stride(&from[group.clone()], &strides[group])?;
        for axis in (new_start..new).rev() {
            if to[axis] > 1 {
                result[axis] = stride;
                stride *= to[axis].cast_signed();
            }
        }
    }
    Some(result)
}

/// The stride on which axes lie in C order, those of extent 1 aside; `None` if they lie on none.
fn run_stride(shape: &[u64], strides: &[i64]) -> Option<i64> {
    let mut innermost = 0;
    let mut expected = None;
    for (&extent, &stride) in shape.iter().zip(strides).rev() {
        if extent > 1 {
            match expected {
                None => innermost = stride,
                Some(expected) if expected != stride => return None,
                Some(_) => {}
            }
            expected = Some(stride * extent.cast_signed());
        }
    }
    Some(innermost)
}

/// Writes the extents of a shape in which one may be -1, so that they multiply to `numel`.
fn infer(numel: u64, shape: &[i64], extents: &mut [u64]) -> Result<(), Error> {
    let mut inferred = None;
    for (axis, (&extent, slot)) in shape.iter().zip(extents.iter_mut()).enumerate() {
        *slot = match u64::try_from(extent) {
            Ok(extent) => extent,
            Err(_) if extent != -1 => return Err(Error::NegativeExtent { axis, extent }),
            Err(_) if inferred.is_some() => return Err(Error::InferredTwice { axis }),
            Err(_) => {
                inferred = Some(axis);
                1
            }
        };
    }
    if let Some(axis) = inferred {
        extents::check(extents)?;
        let known = extents.iter().product();
        if known == 0 || !numel.is_multiple_of(known) {
            return Err(Error::Inferred { numel, known });
        }
        extents[axis] = numel / known;
    }
    Ok(())
}
