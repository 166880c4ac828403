//! A copy as nested loops over single bits, in the one form that all loops over the same bits have.

/// One loop: its length, and how far it goes in the source and in the destination, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) extent: i64,
    pub(super) src: i64,
    pub(super) dst: i64,
}

impl Axis {
    /// The bits of a unit of `bits`.
    pub(super) const fn bits(bits: i64) -> Self {
        Self {
            extent: bits,
            src: 1,
            dst: 1,
        }
    }
}

/// Loops from the innermost on: the destination's steps are positive and grow, none has one iteration, and no two
/// neighbours are one longer loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Nest {
    /// The source's bit for the destination's first one, and that one.
    pub(super) src: i64,
    pub(super) dst: i64,
    pub(super) axes: Vec<Axis>,
}

impl Nest {
    /// The form of any loops, from bits `src` and `dst` on.
    pub(super) fn new(src: i64, dst: i64, loops: impl IntoIterator<Item = Axis>) -> Self {
        let mut nest = Self {
            src,
            dst,
            axes: Vec::with_capacity(8),
        };
        for mut axis in loops {
            if axis.extent == 1 {
                continue;
            }
            if axis.dst < 0 {
                // From its other end.
                nest.src += (axis.extent - 1) * axis.src;
                nest.dst += (axis.extent - 1) * axis.dst;
                (axis.src, axis.dst) = (-axis.src, -axis.dst);
            }
            nest.axes.push(axis);
        }
        nest.axes.sort_unstable_by_key(|axis| axis.dst);
        nest.axes.dedup_by(|outer, inner| {
            let run = inner.extent;
            let joined = outer.src == inner.src * run && outer.dst == inner.dst * run;
            if joined {
                inner.extent *= outer.extent;
            }
            joined
        });
        nest
    }

    /// The number of bits that are written.
    pub(super) fn bits(&self) -> u64 {
        let extents = self.axes.iter().map(|axis| axis.extent.cast_unsigned());
        extents.product()
    }

    /// The last bit of the destination.
    pub(super) fn last(&self) -> i64 {
        let reach = |axis: &Axis| (axis.extent - 1) * axis.dst;
        self.dst + self.axes.iter().map(reach).sum::<i64>()
    }

    /// The first and the last bit of the source.
    pub(super) fn src_reach(&self) -> (i64, i64) {
        let reaches = self.axes.iter().map(|axis| (axis.extent - 1) * axis.src);
        reaches.fold((self.src, self.src), |(lo, hi), reach| {
            (lo + reach.min(0), hi + reach.max(0))
        })
    }

    /// The iteration that writes a bit of the destination, which is distinct; `None` if none does.
    fn iteration(&self, bit: i64) -> Option<Vec<i64>> {
        let mut left = bit - self.dst;
        let mut index = vec![0; self.axes.len()];
        for (i, axis) in index.iter_mut().zip(&self.axes).rev() {
            *i = left.div_euclid(axis.dst).min(axis.extent - 1);
            left -= *i * axis.dst;
        }
        let inside = index.iter().all(|i| *i >= 0);
        (left == 0 && inside).then_some(index)
    }

    /// The box of iterations that a part of these loops is: its first, and how many along each axis. An error if the part
    /// is no box, or copies one of its bits from elsewhere.
    pub(super) fn find(&self, part: &Self) -> Result<Part, String> {
        let (first, last) = (self.iteration(part.dst), self.iteration(part.last()));
        let (Some(first), Some(last)) = (first, last) else {
            return Err(format!("{part:?} begins or ends outside {self:?}"));
        };
        let (mut src, mut dst) = (self.src, self.dst);
        let mut extents = Vec::with_capacity(first.len());
        for ((axis, first), last) in self.axes.iter().zip(&first).zip(&last) {
            src += first * axis.src;
            dst += first * axis.dst;
            extents.push(last - first + 1);
        }
        let loops = self.axes.iter().zip(&extents);
        let loops = loops.map(|(axis, &extent)| Axis { extent, ..*axis });
        if extents.iter().any(|extent| *extent < 1) || Self::new(src, dst, loops) != *part {
            return Err(format!("{part:?} is no part of {self:?}"));
        }
        Ok(Part { first, extents })
    }
}

/// A box of a nest's iterations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) first: Vec<i64>,
    pub(super) extents: Vec<i64>,
}
