//! The meaning of a copy, in the plainest words: every fast path is tested against it.

use crate::error::Side;
use crate::{Error, Layout, MAX_RANK, Width};

/// Gives the element at every index of `dst_layout` in `dst` the bits that the element at that index
/// of `src_layout` has in `src`.
///
/// Every bit of `dst` that no element of `dst_layout` covers stays as it was. The source may repeat
/// positions. It allocates nothing.
///
/// # Errors
///
/// - [`Error::UnlikeRanks`], [`Error::UnlikeExtents`]: the layouts have unlike shapes.
/// - [`Error::NotDistinct`]: `dst_layout` is not [distinct](Layout::is_distinct).
/// - [`Error::BufferTooSmall`]: a span's end lies past its buffer, the source's checked first.
///
/// `dst` is then as it was.
///
/// # Examples
///
/// ```
/// use restride::{DType, Layout, reference};
///
/// // int4 [1, 2, 3] in reverse order over the last three of four elements.
/// let mut dst = [0x0f, 0x00];
/// let reversed = Layout::strided(2, &[-1], &[3])?;
/// let last = Layout::strided(1, &[1], &[3])?;
/// reference::copy(DType::Int4.width(), &[0x21, 0x03], &reversed, &mut dst, &last)?;
/// assert_eq!(dst, [0x3f, 0x12]);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn copy(
    width: Width,
    src: &[u8],
    src_layout: &Layout,
    dst: &mut [u8],
    dst_layout: &Layout,
) -> Result<(), Error> {
    src_layout.check_same_shape(dst_layout)?;
    if !dst_layout.is_distinct() {
        return Err(Error::NotDistinct);
    }
    inside(Side::Source, width, src_layout, src.len())?;
    inside(Side::Destination, width, dst_layout, dst.len())?;
    let shape = dst_layout.shape();
    let mut index = [0; MAX_RANK];
    let index = &mut index[..shape.len()];
    for _ in 0..dst_layout.numel() {
        let from = src_layout.position(index) * u64::from(width.bits());
        let to = dst_layout.position(index) * u64::from(width.bits());
        move_bits(width.bits(), src, from, dst, to);
        // The next index in C order.
        for (i, &extent) in index.iter_mut().zip(shape).rev() {
            *i += 1;
            if *i < extent {
                break;
            }
            *i = 0;
        }
    }
    Ok(())
}

/// As [`copy`], with both views in one buffer: the result is that of reading all of the source
/// before anything is written.
///
/// # Errors
///
/// Those of [`copy`].
pub fn copy_within(
    width: Width,
    buffer: &mut [u8],
    src_layout: &Layout,
    dst_layout: &Layout,
) -> Result<(), Error> {
    let before = buffer.to_vec();
    copy(width, &before, src_layout, buffer, dst_layout)
}

/// Refuses a view whose span ends past its buffer.
fn inside(side: Side, width: Width, layout: &Layout, len: usize) -> Result<(), Error> {
    let (needed, buffer) = (width.bytes_for(layout.span().end), len as u64);
    if needed > buffer {
        return Err(Error::BufferTooSmall {
            side,
            needed,
            buffer,
        });
    }
    Ok(())
}

/// Moves `count` bits, from bit `from` of `src` to bit `to` of `dst`: by bytes where all three are
/// whole bytes, otherwise one by one.
fn move_bits(count: u32, src: &[u8], from: u64, dst: &mut [u8], to: u64) {
    if [u64::from(count), from, to]
        .iter()
        .all(|bits| bits.is_multiple_of(8))
    {
        let bytes = byte(u64::from(count));
        dst[byte(to)..][..bytes].copy_from_slice(&src[byte(from)..][..bytes]);
        return;
    }
    for bit in 0..u64::from(count) {
        let (from, to) = (from + bit, to + bit);
        let mask = 1 << (to % 8);
        if src[byte(from)] >> (from % 8) & 1 == 1 {
            dst[byte(to)] |= mask;
        } else {
            dst[byte(to)] &= !mask;
        }
    }
}

/// The byte that holds a bit of a buffer in memory, whose length is a `usize`.
fn byte(bit: u64) -> usize {
    (bit / 8) as usize
}
