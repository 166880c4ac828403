//! The uniform block of one dispatch: `Params` of `shaders/head.wgsl`, field by field.

use bytemuck::{Pod, Zeroable};

/// The most entries of [`Params::axes`]: 8 lane axes, 34 grid axes and 8 run axes.
pub(crate) const MAX_PARAM_AXES: usize = 50;

/// The uniform block of one dispatch.
///
/// Addresses count bits below a word and units from a word on, from the first byte of the window bound on that side;
/// sums wrap modulo 2^32, because every address that is used lies in the window.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Params {
    /// Source address of index 0.
    pub src_base: u32,
    /// Destination address of index 0.
    pub dst_base: u32,
    /// Workgroups that have work; a folded grid launches a few more.
    pub group_count: u32,
    /// Bits of one destination row (gather and rows).
    pub run_bits: u32,
    /// Extent of the split axis, of which lanes, items and the grid each take a part.
    pub split_extent: u32,
    /// Source step of the lanes beyond the lane axes.
    pub split_src: u32,
    /// Destination step of the lanes beyond the lane axes.
    pub split_dst: u32,
    /// Lanes beyond the lane axes.
    pub split_lanes: u32,
    /// Source advance from one item to the next.
    pub item_src: u32,
    /// Destination advance from one item to the next.
    pub item_dst: u32,
    /// Advance on the split axis from one workgroup's first item to that of the next on the first grid axis; 0 if the
    /// split axis takes no part in the grid.
    pub group_at: u32,
    /// What counts the words of a row, or the rows of blocks. 0: nothing; 1 and 2: the first and the second lane axis; 3: the
    /// lanes beyond the lane axes; 4: the axis across; 5: the split axis, item by item.
    pub cell_axis: u32,
    /// Advance on the axis across on the second grid axis; 0 if the axis takes no part in the grid.
    pub group_across: u32,
    /// Extent of the axis across: what lies past it is beyond the work.
    pub across_extent: u32,
    /// Units of the destination's unit axis: the rows of all blocks (blocks).
    pub block_rows: u32,
    /// Units of the source's unit axis: the columns of all blocks (blocks).
    pub block_columns: u32,
    /// What counts along the axis across within a workgroup, as for the words: 0 to 3.
    pub across_axis: u32,
    /// Advance on the split axis from one item to the next.
    pub item_at: u32,
    /// Advance on the split axis from one lane to the next on the first and the second lane axis, and beyond the lane axes.
    pub lane_at: [u32; 3],
    /// Nothing: the axes start at a multiple of 16 bytes.
    pub unused: [u32; 3],
    /// `(divisor, source step, destination step, magic)`: lane axes, then grid axes, then run axes, inner first.
    ///
    /// A lane axis has its extent and `ceil(65536 / extent)`; a grid or run axis its extent under 2^26 with a shift in the
    /// 6 bits above, and a magic number: `n / extent` is the high word of `n · magic`, shifted, for any n under 2^31.
    ///
    /// Blocks have, in place of run axes, `(0, source step, destination step, 0)` for each bit of a number under
    /// 2^6: between rows, and between columns, whose numbers differ in it.
    pub axes: [[u32; 4]; MAX_PARAM_AXES],
}

/// Bits of the number of a row, or column, of a block.
pub(crate) const BLOCK_BITS: usize = 6;

/// Within [`Params::cell_axis`]: the axis across counts the words of a row.
pub(crate) const BY_ACROSS: u32 = 4;

/// The same: the split axis counts them, item by item.
pub(crate) const BY_ITEMS: u32 = 5;

impl Params {
    /// The block's size.
    pub const BYTES: u64 = size_of::<Self>() as u64;

    /// The block's bytes, as a uniform buffer holds them on a little-endian device.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        bytemuck::bytes_of(self)
    }
}

/// `value` modulo 2^32.
#[expect(
    clippy::cast_possible_truncation,
    reason = "addresses wrap modulo 2^32 by design"
)]
pub(crate) const fn wrap(value: i64) -> u32 {
    value.cast_unsigned() as u32
}

/// The most that a divisor may be, and the most groups of a dispatch: what 26 bits hold.
pub(crate) const MAX_DIVISOR: u64 = (1 << 26) - 1;

/// The first and last words of a lane axis: its extent, of at most 256, and the factor that divides a lane by it.
pub(crate) const fn lane_divisor(extent: u32) -> (u32, u32) {
    (extent, 65_536_u32.div_ceil(extent))
}

/// The first and last words of a grid or run axis of extent `d`, `1 ≤ d ≤ MAX_DIVISOR`; a magic number of 0 stands for `d = 1`.
///
/// With `l = ceil(log2 d)`, `magic = floor(2^(31 + l) / d) + 1` is under 2^32 and exceeds the true ratio by at most `1`, so
/// `n · magic / 2^(31 + l)` exceeds `n / d` by less than `1 / d` for `n < 2^31`: their floors are the same.
pub(crate) fn divisor(d: u64) -> (u32, u32) {
    if d < 2 {
        return (1, 0);
    }
    let log2 = u64::BITS - (d - 1).leading_zeros();
    let magic = (1_u64 << (31 + log2)) / d + 1;
    (
        wrap(d.cast_signed()) | (log2 - 1) << 26,
        wrap(magic.cast_signed()),
    )
}

#[cfg(test)]
mod tests {
    use super::{MAX_DIVISOR, divisor, lane_divisor};

    #[test]
    fn a_lane_is_divided_exactly() {
        for extent in 1..=256_u32 {
            let (extent, factor) = lane_divisor(extent);
            for lane in 0..256_u32 {
                assert_eq!((lane * factor) >> 16, lane / extent, "{lane} / {extent}");
            }
        }
    }

    #[test]
    fn a_group_is_divided_exactly() {
        let divisors = (2..3_000)
            .chain((1..26).flat_map(|log2| [(1 << log2) - 1, 1 << log2, (1 << log2) + 1]));
        for d in divisors
            .filter(|d| (2..=MAX_DIVISOR).contains(d))
            .chain([MAX_DIVISOR])
        {
            let (packed, magic) = divisor(d);
            assert_eq!(u64::from(packed & 0x03ff_ffff), d);
            let near = |n: u64| [n.wrapping_sub(1), n, n + 1];
            let tops = near(((1_u64 << 31) - 1) / d * d)
                .into_iter()
                .chain([(1 << 31) - 1]);
            for n in tops
                .chain(near(d))
                .chain(near(7 * d))
                .chain(0..3)
                .filter(|n| *n < 1 << 31)
            {
                assert_eq!(
                    (n * u64::from(magic)) >> 32 >> (packed >> 26),
                    n / d,
                    "{n} / {d}"
                );
            }
        }
    }
}
