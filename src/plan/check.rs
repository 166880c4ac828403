//! What every copy must meet, before anything is planned.

use crate::error::{Error, Side};

use super::{Operand, Problem};

/// What the checks found out on the way.
pub(crate) struct Checked {
    /// No element moves.
    pub(crate) nothing: bool,
    /// One buffer, and a word that holds bits of both views.
    pub(crate) share_a_word: bool,
    /// The end of the last source word, in bytes.
    pub(crate) src_end_bytes: u64,
    /// The end of the last destination word, in bytes.
    pub(crate) dst_end_bytes: u64,
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
    let bits = u64::from(problem.width.bits());
    let (from, to) = (src.span(), dst.span());
    let (src_first, src_end) = (from.start * bits, from.end * bits);
    let (dst_first, dst_end) = (to.start * bits, to.end * bits);
    let nothing = src.numel() == 0 || (problem.one_buffer && src == dst);
    let meets = |first: u64, end: u64, other_first: u64, other_end: u64| {
        first < other_end && other_first < end
    };
    if problem.one_buffer && !nothing && meets(src_first, src_end, dst_first, dst_end) {
        return Err(Error::Overlap {
            src_first,
            src_end,
            dst_first,
            dst_end,
        });
    }
    let words = |first: u64, end: u64| (first / 32, end.div_ceil(32));
    let ((sf, se), (df, de)) = (words(src_first, src_end), words(dst_first, dst_end));
    Ok(Checked {
        nothing,
        share_a_word: problem.one_buffer && meets(sf, se, df, de),
        src_end_bytes,
        dst_end_bytes,
    })
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
