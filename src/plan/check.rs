//! What every copy must meet, before anything is planned.

use crate::error::{Error, Side};
use crate::layout::Layout;

use super::overlap::no_word_in_common;
use super::{Operand, Problem};

/// What the checks found out on the way.
pub(crate) struct Checked {
    pub(crate) bearing: Bearing,
    /// The end of the last source word, in bytes.
    pub(crate) src_end_bytes: u64,
    /// The end of the last destination word, in bytes.
    pub(crate) dst_end_bytes: u64,
}

/// How the two views lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Bearing {
    /// No element moves.
    Nothing,
    /// In two buffers, or with no word between one's first and last in the other's.
    Apart,
    /// One after the other in one buffer, with a word that holds bits of both.
    ShareAWord,
    /// In one buffer, among each other, with no word in common.
    Interleaved,
    /// In one buffer, and a word may hold bits of both, or an element be in both.
    Overlap,
}

/// Refuses what no plan can do.
pub(crate) fn check(problem: &Problem<'_>) -> Result<Checked, Error> {
    let (src, dst) = (problem.src.layout, problem.dst.layout);
    if src.rank() != dst.rank() {
        return Err(Error::UnlikeRanks {
            left: src.rank(),
            right: dst.rank(),
        });
    }
    for (axis, (&left, &right)) in src.shape().iter().zip(dst.shape()).enumerate() {
        if left != right {
            return Err(Error::UnlikeExtents { axis, left, right });
        }
    }
    if !dst.is_distinct() {
        return Err(Error::NotDistinct);
    }
    let src_end_bytes = end(problem, &problem.src, Side::Source)?;
    let dst_end_bytes = end(problem, &problem.dst, Side::Destination)?;
    Ok(Checked {
        bearing: bearing(problem),
        src_end_bytes,
        dst_end_bytes,
    })
}

fn bearing(problem: &Problem<'_>) -> Bearing {
    let (src, dst) = (problem.src.layout, problem.dst.layout);
    if src.numel() == 0 || (problem.one_buffer && same(src, dst)) {
        return Bearing::Nothing;
    }
    let (from, to) = (src.span(), dst.span());
    let width = problem.width;
    let words = |span: &std::ops::Range<u64>| {
        let bits = u64::from(width.bits());
        (span.start * bits / 32, (span.end * bits).div_ceil(32))
    };
    let ((from_first, from_end), (to_first, to_end)) = (words(&from), words(&to));
    if !problem.one_buffer || from_end <= to_first || to_end <= from_first {
        return Bearing::Apart;
    }
    if from.end <= to.start || to.end <= from.start {
        return Bearing::ShareAWord;
    }
    if no_word_in_common(width.bits(), src, dst) {
        return Bearing::Interleaved;
    }
    Bearing::Overlap
}

/// Whether each index has one position in both views, which have one shape.
fn same(src: &Layout, dst: &Layout) -> bool {
    let mut axes = src.strides().iter().zip(dst.strides()).zip(src.shape());
    src.offset() == dst.offset() && axes.all(|((a, b), &extent)| extent == 1 || a == b)
}

/// The end of a view's last word in bytes, which its buffer has.
fn end(problem: &Problem<'_>, operand: &Operand<'_>, side: Side) -> Result<u64, Error> {
    let buffer = operand.buffer_bytes;
    let end = operand.layout.span().end;
    let needed = problem.width.bytes_for(end);
    if needed > buffer {
        return Err(Error::BufferTooSmall {
            side,
            needed,
            buffer,
        });
    }
    let needed = needed.next_multiple_of(4);
    if needed > buffer {
        return Err(Error::Tail {
            side,
            needed,
            buffer,
        });
    }
    Ok(needed)
}
