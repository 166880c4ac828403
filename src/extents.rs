//! Shapes held inline: what moves and layouts share.

use crate::Error;

/// The most axes that a layout has: 32.
pub const MAX_RANK: usize = 32;

/// The largest product of a layout's extents other than 0, and the largest end of a span: 2^53.
///
/// A position below it times a width of at most 128 bits fits an `i64`, and so does a sum of a few
/// such products: code that is given a layout multiplies without checks.
pub const MAX_NUMEL: u64 = 1 << 53;

/// A shape within the limits. Slots past the rank are 0, so that the derives compare the live part.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Extents {
    rank: usize,
    dims: [u64; MAX_RANK],
}

impl Extents {
    /// The shape of no axis: one element.
    pub(crate) const SCALAR: Self = Self {
        rank: 0,
        dims: [0; MAX_RANK],
    };

    /// `shape` itself, once it is known to be within the limits.
    pub(crate) fn new(shape: &[u64]) -> Result<Self, Error> {
        check(shape)?;
        let mut extents = Self::SCALAR;
        extents.rank = shape.len();
        extents.dims[..shape.len()].copy_from_slice(shape);
        Ok(extents)
    }

    /// The shape of `rank` axes that has extent `dim(axis)` at each, once within the limits.
    pub(crate) fn from_fn(rank: usize, dim: impl Fn(usize) -> u64) -> Result<Self, Error> {
        if rank > MAX_RANK {
            return Err(Error::Rank { rank });
        }
        let mut dims = [0; MAX_RANK];
        for (axis, slot) in dims[..rank].iter_mut().enumerate() {
            *slot = dim(axis);
        }
        Self::new(&dims[..rank])
    }

    /// The shape without the axes that `dropped` is true of.
    pub(crate) fn without(&self, dropped: impl Fn(usize) -> bool) -> Self {
        let mut kept = Self::SCALAR;
        for (axis, &extent) in self.as_slice().iter().enumerate() {
            if !dropped(axis) {
                kept.dims[kept.rank] = extent;
                kept.rank += 1;
            }
        }
        kept
    }

    /// Reverses the order of the axes.
    pub(crate) fn reverse(&mut self) {
        self.dims[..self.rank].reverse();
    }

    /// The extents.
    pub(crate) fn as_slice(&self) -> &[u64] {
        &self.dims[..self.rank]
    }

    /// The product of the extents.
    pub(crate) fn numel(&self) -> u64 {
        self.as_slice().iter().product()
    }
}

/// Refuses a shape beyond the limits: the rank first, then the product of the extents other than 0.
pub(crate) fn check(shape: &[u64]) -> Result<(), Error> {
    if shape.len() > MAX_RANK {
        return Err(Error::Rank { rank: shape.len() });
    }
    let mut product: u64 = 1;
    for (axis, &extent) in shape.iter().enumerate() {
        product = match product.checked_mul(extent.max(1)) {
            Some(product) if product <= MAX_NUMEL => product,
            _ => return Err(Error::Numel { axis, extent }),
        };
    }
    Ok(())
}
