//! Whether two views of one buffer have a word in common: exact where the search is short.
//!
//! Views interleave more often than they overlap: the halves of each row, even and odd elements, two channels of a picture.
//! Their spans meet, and yet no word is in both. That is a question about integers: is there an index of each view at which the
//! positions differ by less than a word? Its answer is found axis by axis, the largest stride first, because what the
//! smaller ones reach leaves few indices of the larger.

use crate::layout::{Layout, MAX_RANK};

/// The most partial indices that are tried. Strides that nest, as those of views of one tensor do, take a few.
const MOST_TRIED: u32 = 4096;

/// The most terms: one an axis of either view.
const MAX_TERMS: usize = 2 * MAX_RANK;

/// A set of numbers: `base + Σ index·stride`, each index from 0 to its own greatest.
struct Terms {
    rank: usize,
    base: i64,
    /// Positive, the largest first.
    stride: [i64; MAX_TERMS],
    /// The greatest index.
    most: [i64; MAX_TERMS],
}

/// What is known of the sums that terms have from each one on to the last.
struct Sums {
    terms: Terms,
    /// The greatest sum.
    reach: [i64; MAX_TERMS + 1],
    /// What all are multiples of; 0 past the last.
    common: [i64; MAX_TERMS + 1],
    /// Whether they are all such multiples, up to the greatest.
    dense: [bool; MAX_TERMS + 1],
}

/// Whether no word holds bits of both views, of elements `bits` wide: `true` only where that is certain.
///
/// Both views have elements, and are in one buffer.
pub(crate) fn no_word_in_common(bits: u32, src: &Layout, dst: &Layout) -> bool {
    // So many elements end with a whole word; where both views have nothing but whole groups of them, groups are compared.
    let group = 32 >> bits.trailing_zeros().min(5);
    let (src_groups, dst_groups) = (Terms::groups(src, group), Terms::groups(dst, group));
    let last = group - 1;
    // How far after a destination's element, or group, one of the source begins that may share a word with it.
    let (before, after) = match (&src_groups, &dst_groups) {
        (Some(_), Some(_)) => (0, 0),
        (None, Some(_)) => (0, last),
        (Some(_), None) => (last, 0),
        // Elements begin at whole multiples of their width.
        (None, None) => {
            let near = last.min(i64::from((bits + 30) / bits));
            (near, near)
        }
    };
    let src = src_groups.unwrap_or_else(|| Terms::elements(src));
    let dst = dst_groups.unwrap_or_else(|| Terms::elements(dst));
    let (terms, base) = src.minus(&dst);
    let mut tries = MOST_TRIED;
    terms.meet(0, -base - before, -base + after, &mut tries) == Some(false)
}

impl Terms {
    const NONE: Self = Self {
        rank: 0,
        base: 0,
        stride: [0; MAX_TERMS],
        most: [0; MAX_TERMS],
    };

    /// The positions of a view's elements.
    fn elements(layout: &Layout) -> Self {
        let mut terms = Self {
            base: layout.offset().cast_signed(),
            ..Self::NONE
        };
        for (&extent, &stride) in layout.shape().iter().zip(layout.strides()) {
            let most = extent.cast_signed() - 1;
            // The stride of an axis of one element may be any number.
            if stride != 0 && most != 0 {
                // A term that runs backwards is one that runs forwards from its other end.
                terms.base += stride.min(0) * most;
                terms.add(stride.abs(), most);
            }
        }
        terms
    }

    /// The positions of whole groups of `group` elements; `None` unless the view consists of such.
    fn groups(layout: &Layout, group: i64) -> Option<Self> {
        let elements = Self::elements(layout);
        let mut run = 1;
        let mut outer = elements.rank;
        while run % group != 0 && outer > 0 && elements.stride[outer - 1] == run {
            outer -= 1;
            run *= elements.most[outer] + 1;
        }
        let mut terms = Self {
            base: elements.base,
            ..Self::NONE
        };
        let mut whole = run | elements.base;
        for (&stride, &most) in elements.stride.iter().zip(&elements.most).take(outer) {
            whole |= stride;
            terms.add(stride, most);
        }
        if run > group {
            terms.add(group, run / group - 1);
        }
        (whole % group == 0).then_some(terms)
    }

    /// The differences of a position here and one of `other`.
    fn minus(&self, other: &Self) -> (Sums, i64) {
        let mut terms = Self::NONE;
        for (one, backwards) in [(self, false), (other, true)] {
            for (&stride, &most) in one.stride.iter().zip(&one.most).take(one.rank) {
                if backwards {
                    terms.base -= stride * most;
                }
                terms.add(stride, most);
            }
        }
        let base = self.base - other.base + terms.base;
        (Sums::new(terms), base)
    }

    /// Adds a term to those with the same stride, or in its place among the others.
    fn add(&mut self, stride: i64, most: i64) {
        let at = self.stride[..self.rank].partition_point(|&other| other > stride);
        if at < self.rank && self.stride[at] == stride {
            self.most[at] += most;
            return;
        }
        for i in (at..self.rank).rev() {
            (self.stride[i + 1], self.most[i + 1]) = (self.stride[i], self.most[i]);
        }
        (self.stride[at], self.most[at]) = (stride, most);
        self.rank += 1;
    }
}

impl Sums {
    fn new(terms: Terms) -> Self {
        let (mut reach, mut common) = ([0; MAX_TERMS + 1], [0; MAX_TERMS + 1]);
        let mut dense = [true; MAX_TERMS + 1];
        for i in (0..terms.rank).rev() {
            let (stride, below, apart) = (terms.stride[i], reach[i + 1], common[i + 1]);
            reach[i] = below + stride * terms.most[i];
            common[i] = gcd(stride, apart);
            let joins = apart == 0 || (stride % apart == 0 && stride <= below + apart);
            dense[i] = dense[i + 1] && joins;
        }
        Self {
            terms,
            reach,
            common,
            dense,
        }
    }

    /// Whether terms `from..` have a sum in `[lo, hi]`; `None` where the tries ran out.
    fn meet(&self, from: usize, lo: i64, hi: i64, tries: &mut u32) -> Option<bool> {
        let (lo, hi) = (lo.max(0), hi.min(self.reach[from]));
        if lo > hi {
            return Some(false);
        }
        if lo == 0 || hi == self.reach[from] {
            return Some(true);
        }
        let common = self.common[from];
        if hi / common * common < lo {
            return Some(false);
        }
        if self.dense[from] {
            return Some(true);
        }
        let (stride, below) = (self.terms.stride[from], self.reach[from + 1]);
        let first = ((lo - below).max(0) + stride - 1) / stride;
        let last = (hi / stride).min(self.terms.most[from]);
        for index in first..=last {
            *tries = tries.checked_sub(1)?;
            let taken = index * stride;
            if self.meet(from + 1, lo - taken, hi - taken, tries)? {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// The greatest common divisor of two numbers that are not negative, one of them positive.
fn gcd(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
