//! The way round for views that overlap in one buffer: all of the source into scratch, then out of it.

use crate::error::Error;
use crate::layout::{Layout, MAX_RANK};

/// The layouts of a copy through scratch: `src` to `into`, then `from` to the destination.
pub(crate) struct Scratch {
    /// The source with one element in place of each that it repeats along an axis.
    pub(crate) src: Layout,
    /// The scratch, of the same shape.
    pub(crate) into: Layout,
    /// The scratch with those axes broadcast again.
    pub(crate) from: Layout,
    /// Elements of the scratch.
    pub(crate) numel: u64,
}

impl Scratch {
    /// Scratch for `src`, packed in the order in which it lies in memory: a source that is dense in any order of axes, forwards
    /// or backwards, goes there as one run.
    pub(crate) fn new(src: &Layout) -> Result<Self, Error> {
        let rank = src.rank();
        let (mut order, mut shape) = ([0; MAX_RANK], [1; MAX_RANK]);
        let (mut once, mut strides) = ([0; MAX_RANK], [0; MAX_RANK]);
        for axis in 0..rank {
            let repeats = src.strides()[axis] == 0 || src.shape()[axis] == 1;
            order[axis] = axis;
            shape[axis] = if repeats { 1 } else { src.shape()[axis] };
            once[axis] = if repeats { 0 } else { src.strides()[axis] };
        }
        super::sort_few(&mut order[..rank], |&axis| once[axis].unsigned_abs());
        let (mut numel, mut offset) = (1, 0);
        for &axis in &order[..rank] {
            if once[axis] == 0 {
                continue;
            }
            let step = i64::try_from(numel).unwrap_or(i64::MAX);
            strides[axis] = step * once[axis].signum();
            if once[axis] < 0 {
                offset += numel * (shape[axis] - 1);
            }
            numel *= shape[axis];
        }
        let (shape, strides) = (&shape[..rank], &strides[..rank]);
        Ok(Self {
            src: Layout::strided(src.offset(), &once[..rank], shape)?,
            into: Layout::strided(offset, strides, shape)?,
            from: Layout::strided(offset, strides, src.shape())?,
            numel,
        })
    }
}
