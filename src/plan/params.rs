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
    /// Source step of the split axis.
    pub split_src: u32,
    /// Destination step of the split axis.
    pub split_dst: u32,
    /// Cell step of the split axis: 1 iff it counts the words of a row.
    pub split_cell: u32,
    /// Lanes along the split axis, and so the advance from one item to the next.
    pub item_lanes: u32,
    /// Source advance from one item to the next.
    pub item_src: u32,
    /// Destination advance from one item to the next.
    pub item_dst: u32,
    /// Cell advance from one item to the next.
    pub item_cell: u32,
    /// `(extent, source step, destination step, cell step)`: lane axes, then grid axes, then run axes, inner first.
    ///
    /// A lane axis packs `ceil(65536 / extent) << 9 | extent` into its first word, so that a lane is divided by a
    /// multiplication.
    pub axes: [[u32; 4]; MAX_PARAM_AXES],
}

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

/// The first word of a lane axis's entry: its extent, and the factor that divides a lane by it.
pub(crate) const fn lane_divisor(extent: u32) -> u32 {
    65_536_u32.div_ceil(extent) << 9 | extent
}

#[cfg(test)]
mod tests {
    use super::lane_divisor;

    #[test]
    fn a_lane_is_divided_exactly() {
        for extent in 1..=256_u32 {
            let packed = lane_divisor(extent);
            assert_eq!(packed & 511, extent);
            for lane in 0..256_u32 {
                assert_eq!((lane * (packed >> 9)) >> 16, lane / extent, "{lane} / {extent}");
            }
        }
    }
}
