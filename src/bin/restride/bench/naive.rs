//! The naive copy as dispatches: the axes as the caller gave them, cut in halves where a side is larger than a window.

use super::case::Case;
use super::kernel::Kernel;
use super::kernels::{MAX_AXES, Numbers};
use restride::Layout;
use std::ops::Range;

/// The units of a dispatch: a folded grid's last invocations are numbered beyond, within 32 bits.
const MOST_UNITS: u64 = 3 << 30;

/// The bytes whose bits 32-bit numbers count.
const BITS_WINDOW: u64 = 1 << 29;

/// One axis: extent, and the step of either side in units.
#[derive(Clone, Copy, Debug)]
struct Axis {
    extent: u64,
    src: i64,
    dst: i64,
}

/// A copy in units of a power of two of bits, the outermost axis first.
#[derive(Clone, Debug)]
pub(crate) struct Nest {
    bits: u32,
    src: u64,
    dst: u64,
    axes: Vec<Axis>,
}

/// One dispatch of a naive kernel.
pub(crate) struct Piece {
    pub(crate) kernel: Kernel,
    pub(crate) src: Range<u64>,
    pub(crate) dst: Range<u64>,
    pub(crate) numbers: Numbers,
    pub(crate) axes: Vec<[u32; 3]>,
}

impl Nest {
    /// The nest of `case`; a width that is no power of two becomes an inner axis of units. `None` beyond the axes that the
    /// uniform block holds.
    pub(crate) fn new(case: &Case) -> Option<Self> {
        let width = case.dtype.bits();
        let bits = 1 << width.trailing_zeros();
        let per = u64::from(width / bits);
        let steps = |layout: &Layout| -> Vec<i64> {
            let scale = per.cast_signed();
            layout.strides().iter().map(|step| step * scale).collect()
        };
        let mut axes: Vec<Axis> = case
            .shape()
            .iter()
            .zip(steps(&case.src))
            .zip(steps(&case.dst))
            .map(|((&extent, src), dst)| Axis { extent, src, dst })
            .collect();
        if per > 1 {
            axes.push(Axis {
                extent: per,
                src: 1,
                dst: 1,
            });
        }
        (axes.len() <= MAX_AXES).then(|| Self {
            bits,
            src: case.src.offset() * per,
            dst: case.dst.offset() * per,
            axes,
        })
    }

    fn units(&self) -> u64 {
        self.axes.iter().map(|axis| axis.extent).product()
    }

    /// The aligned bytes that hold every unit of a side.
    fn window(&self, base: u64, step: fn(&Axis) -> i64, alignment: u64) -> Range<u64> {
        let (mut low, mut high) = (base, base);
        for axis in &self.axes {
            let reach = step(axis) * (axis.extent.cast_signed() - 1);
            if reach < 0 {
                low = low.wrapping_add_signed(reach);
            } else {
                high = high.wrapping_add_signed(reach);
            }
        }
        let bits = u64::from(self.bits);
        let start = low * bits / 8 / alignment * alignment;
        let end = ((high + 1) * bits).div_ceil(8);
        start..end.next_multiple_of(4)
    }

    /// Whether the destination is one run from the start of a word, in order.
    fn fills_words(&self) -> bool {
        let mut run = 1;
        for axis in self.axes.iter().rev() {
            if axis.extent > 1 && axis.dst != run {
                return false;
            }
            run *= axis.extent.cast_signed();
        }
        (self.dst * u64::from(self.bits)).is_multiple_of(32)
    }

    /// The dispatches whose windows have at most `most` bytes each.
    pub(crate) fn dispatches(&self, most: u64, alignment: u64) -> Vec<Piece> {
        let most = if self.bits < 32 {
            most.min(BITS_WINDOW)
        } else {
            most
        };
        let mut pieces = Vec::new();
        if self.units() > 0 {
            let whole = self.fits(most, alignment);
            self.cut(most, alignment, whole && self.fills_words(), &mut pieces);
        }
        pieces
    }

    fn fits(&self, most: u64, alignment: u64) -> bool {
        let small = |window: Range<u64>| window.end - window.start <= most;
        small(self.window(self.src, |axis| axis.src, alignment))
            && small(self.window(self.dst, |axis| axis.dst, alignment))
            && self.units() <= MOST_UNITS
    }

    fn cut(&self, most: u64, alignment: u64, words: bool, pieces: &mut Vec<Piece>) {
        if self.fits(most, alignment) {
            pieces.push(self.piece(alignment, words));
            return;
        }
        let reach =
            |axis: &Axis| (axis.extent - 1) * axis.src.unsigned_abs().max(axis.dst.unsigned_abs());
        let longest = (0..self.axes.len()).max_by_key(|&k| reach(&self.axes[k]));
        let Some(k) = longest.filter(|&k| self.axes[k].extent > 1) else {
            // One unit fits any window, so this is not reached.
            return;
        };
        let half = self.axes[k].extent / 2;
        let (mut left, mut right) = (self.clone(), self.clone());
        left.axes[k].extent = half;
        right.axes[k].extent -= half;
        let start = half.cast_signed();
        right.src = right.src.wrapping_add_signed(start * self.axes[k].src);
        right.dst = right.dst.wrapping_add_signed(start * self.axes[k].dst);
        left.cut(most, alignment, words, pieces);
        right.cut(most, alignment, words, pieces);
    }

    fn piece(&self, alignment: u64, words: bool) -> Piece {
        let src = self.window(self.src, |axis| axis.src, alignment);
        let dst = self.window(self.dst, |axis| axis.dst, alignment);
        let bits = u64::from(self.bits);
        let rank = self.axes.len();
        let kernel = match (self.bits < 32, words) {
            (false, _) => Kernel::Naive(self.bits, rank),
            (true, true) => Kernel::NaiveWords(self.bits, rank),
            (true, false) => Kernel::NaiveBits(self.bits, rank),
        };
        let count = match kernel {
            Kernel::NaiveWords(..) => self.units().div_ceil(32 / bits),
            _ => self.units(),
        };
        let low = |x: u64| u32::try_from(x & u64::from(u32::MAX)).unwrap_or(0);
        Piece {
            kernel,
            numbers: Numbers {
                count: low(count),
                total: low(self.units()),
                src: low(self.src - src.start * 8 / bits),
                dst: low(self.dst - dst.start * 8 / bits),
            },
            // Steps are taken modulo 2^32, and so are the sums, which end inside the window.
            axes: self
                .axes
                .iter()
                .rev()
                .map(|axis| {
                    [
                        low(axis.extent),
                        low(axis.src.cast_unsigned()),
                        low(axis.dst.cast_unsigned()),
                    ]
                })
                .collect(),
            src,
            dst,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use restride::{DType, Error, Width};

    /// What a naive kernel does with a piece, one invocation after another.
    fn run(piece: &Piece, bits: u32, units: &mut [Option<u32>]) {
        let first = |bytes: u64| u32::try_from(bytes * 8 / u64::from(bits)).unwrap_or(u32::MAX);
        for i in 0..piece.numbers.total {
            let (mut rest, mut read, mut write) = (i, piece.numbers.src, piece.numbers.dst);
            for [extent, src, dst] in &piece.axes {
                read = read.wrapping_add((rest % extent).wrapping_mul(*src));
                write = write.wrapping_add((rest % extent).wrapping_mul(*dst));
                rest /= extent;
            }
            let place = usize::try_from(write + first(piece.dst.start)).unwrap_or(usize::MAX);
            assert_eq!(units[place], None, "written twice");
            units[place] = Some(read + first(piece.src.start));
        }
    }

    #[test]
    fn pieces_copy_each_unit_once_within_their_windows() -> Result<(), Error> {
        let wide = Layout::contiguous(&[6, 40])?;
        for (bits, src) in [
            (4, wide.transpose()),
            (32, wide.transpose()),
            (24, wide.narrow(1, 3, 30)?.flip(0)?),
            (128, wide.flip(1)?.transpose()),
        ] {
            let dtype = DType::Bits(Width::new(bits)?);
            let case = Case::packed("test", "case", dtype, src)?;
            let nest = Nest::new(&case).unwrap();
            for most in [64, 256, 1 << 20] {
                let pieces = nest.dispatches(most, 16);
                assert!(most > 64 || pieces.len() > 1);
                let per = u64::from(bits / nest.bits);
                let mut units = vec![None; usize::try_from(nest.units()).unwrap()];
                for piece in &pieces {
                    assert!(piece.src.end - piece.src.start <= most);
                    assert!(piece.dst.end - piece.dst.start <= most);
                    run(piece, nest.bits, &mut units);
                }
                let shape = case.shape();
                for (place, unit) in (0..).zip(units) {
                    let (element, part) = (place / per, place % per);
                    let index = [element / shape[1], element % shape[1]];
                    let from = case.src.position(&index) * per + part;
                    assert_eq!(unit.map(u64::from), Some(from), "{bits} bits, {most}");
                }
            }
        }
        Ok(())
    }
}
