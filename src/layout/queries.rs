//! What a layout's positions are like.

use super::{Layout, MAX_RANK, c_order};

impl Layout {
    /// `[lo, hi)`: `lo` is the lowest position reached and `hi - 1` the highest; `0..0` with no
    /// element.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::Layout;
    /// assert_eq!(Layout::strided(5, &[-3, 2], &[2, 3])?.span(), 2..10);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn span(&self) -> std::ops::Range<u64> {
        if self.numel() == 0 {
            return 0..0;
        }
        let (mut lo, mut hi) = (self.offset, self.offset + 1);
        for (&extent, &stride) in self.shape().iter().zip(self.strides()) {
            let reach = (extent - 1) * stride.unsigned_abs();
            if stride < 0 {
                lo -= reach;
            } else {
                hi += reach;
            }
        }
        lo..hi
    }

    /// True iff element `k` in C order is at position `offset + k`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::Layout;
    /// assert!(Layout::strided(7, &[3, 1], &[2, 3])?.is_contiguous());
    /// assert!(!Layout::strided(5, &[-3, -1], &[2, 3])?.is_contiguous());
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn is_contiguous(&self) -> bool {
        self.strides == c_order(self.shape())
    }

    /// True iff each axis with `d > 1`, taken by the stride's magnitude and then by axis, has a
    /// stride whose magnitude exceeds the sum of `(d - 1)·|s|` over the axes before it.
    ///
    /// Then no two indices are at one position. The rule is sufficient, not necessary: it is false
    /// of some layouts that repeat no position, and of all that do. It is true with no element.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::Layout;
    /// assert!(Layout::strided(0, &[1, 3], &[3, 2])?.is_distinct());
    /// // Six positions, all different, yet 3 does not exceed the 4 that two steps of 2 reach.
    /// assert!(!Layout::strided(0, &[3, 2], &[2, 3])?.is_distinct());
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn is_distinct(&self) -> bool {
        if self.numel() == 0 {
            return true;
        }
        // Insertion keeps axes of one magnitude in their order.
        let mut axes = [(0, 0); MAX_RANK];
        let mut count = 0;
        for (&extent, &stride) in self.shape().iter().zip(self.strides()) {
            if extent > 1 {
                let magnitude = stride.unsigned_abs();
                let place = axes[..count].partition_point(|&(before, _)| before <= magnitude);
                for i in (place..count).rev() {
                    axes[i + 1] = axes[i];
                }
                axes[place] = (magnitude, extent - 1);
                count += 1;
            }
        }
        let mut reach = 0;
        axes[..count].iter().all(|&(magnitude, steps)| {
            let apart = magnitude > reach;
            reach += magnitude * steps;
            apart
        })
    }

    /// `offset + Σ iₐ·sₐ`: the position of an index.
    ///
    /// # Panics
    ///
    /// Unless `index` has one coordinate for each axis and each is below its extent.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::Layout;
    /// assert_eq!(Layout::contiguous(&[2, 3])?.position(&[1, 2]), 5);
    /// # Ok::<(), restride::Error>(())
    /// ```
    #[track_caller]
    pub fn position(&self, index: &[u64]) -> u64 {
        let rank = self.rank();
        assert!(
            index.len() == rank,
            "{} coordinates for {rank} axes",
            index.len()
        );
        let mut position = self.offset;
        for (axis, (&i, &extent)) in index.iter().zip(self.shape()).enumerate() {
            assert!(
                i < extent,
                "coordinate {i} is outside axis {axis} of extent {extent}"
            );
            // The sum up to an axis may be negative, but for the final one it is a position.
            position = position.wrapping_add_signed(i.cast_signed() * self.strides[axis]);
        }
        position
    }
}
