//! Arguments: sensible ones, so that calls succeed and lead on, among the least and greatest of their types.

use restride::plan::{Limits, Options, Rung, RungSet};
use restride::{DType, Index, Layout, Move, Range, Width, Window};

use crate::generator::Rng;

pub(super) fn uint(rng: &mut Rng) -> u64 {
    match rng.below(8) {
        0 => rng.pick(&[0, 1, 2, 3, 4]),
        1 => rng.pick(&[31, 32, 33, 255, 256, 257, 4096]),
        2 => 1 << rng.below(64),
        3 => (1 << rng.below(64)) - 1,
        4 => rng.pick(&[
            u64::MAX,
            1 << 63,
            1 << 53,
            (1 << 53) + 1,
            u64::MAX - 3,
            1 << 32,
        ]),
        _ => rng.below(17),
    }
}

pub(super) fn int(rng: &mut Rng) -> i64 {
    match rng.below(8) {
        0 => rng.pick(&[
            i64::MIN,
            i64::MAX,
            i64::MIN + 1,
            -(1 << 53),
            1 << 53,
            1 << 32,
        ]),
        1 => uint(rng).cast_signed(),
        2 => uint(rng).wrapping_neg().cast_signed(),
        _ => i64::try_from(rng.below(12)).unwrap() - 4,
    }
}

/// A shape of small extents.
pub(super) fn small(rng: &mut Rng) -> Vec<u64> {
    (0..rng.below(5))
        .map(|_| rng.pick(&[1, 2, 3, 4, 5, 8, 16]))
        .collect()
}

/// A shape of any rank and extents.
pub(super) fn shape(rng: &mut Rng) -> Vec<u64> {
    match rng.below(6) {
        0 => (0..rng.below(4)).map(|_| uint(rng)).collect(),
        1 => vec![rng.pick(&[0, 1, 2]); usize::try_from(rng.below(36)).unwrap()],
        _ => small(rng),
    }
}

pub(super) fn dtype(rng: &mut Rng) -> DType {
    match rng.below(3) {
        0 => DType::Bits(Width::new(u32::try_from(rng.below(128)).unwrap() + 1).unwrap()),
        1 => rng.pick(&[
            DType::Bit,
            DType::UInt4,
            DType::Float6E2M3Fn,
            DType::Complex128,
        ]),
        _ => rng.pick(&[DType::UInt8, DType::UInt16, DType::UInt32, DType::Float64]),
    }
}

pub(super) fn index(rng: &mut Rng) -> Index {
    match rng.below(6) {
        0 => Index::At(int(rng)),
        1 => Index::NewAxis,
        2 => Index::Ellipsis,
        _ => {
            let mut bound = || (!rng.once_in(3)).then(|| int(rng));
            let (start, stop) = (bound(), bound());
            Index::Slice {
                start,
                stop,
                step: int(rng),
            }
        }
    }
}

pub(super) fn a_move(rng: &mut Rng, layout: &Layout) -> Move {
    let rank = layout.rank();
    match rng.below(5) {
        0 => Move::Reshape(shape(rng)),
        1 => Move::Broadcast(shape(rng)),
        2 => Move::Permute(
            (0..rank)
                .rev()
                .map(|axis| if rng.once_in(9) { 7 } else { axis })
                .collect(),
        ),
        3 => Move::Slice(
            layout
                .shape()
                .iter()
                .map(|&extent| {
                    if rng.once_in(2) {
                        return Range::all(extent);
                    }
                    Range {
                        start: uint(rng),
                        count: uint(rng),
                        step: int(rng),
                    }
                })
                .collect(),
        ),
        _ => Move::Window(
            (0..rank.min(3))
                .map(|axis| Window {
                    axis: if rng.once_in(9) { 40 } else { axis },
                    size: uint(rng),
                    step: uint(rng),
                    dilation: uint(rng),
                })
                .collect(),
        ),
    }
}

/// Text of the view language, or nearly.
pub(super) fn text(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..rng.below(4) {
        let words = [
            ".T",
            ".permute(",
            ".reshape(",
            ".broadcast(",
            ".flip(",
            ".squeeze(",
            ".unsqueeze(",
            ".swap(",
            ".window(",
            ".as_strided((",
            ".bitcast(",
            "[",
            "[::",
            ".",
            "é",
            "[...,",
            "[None,",
        ];
        text += rng.pick(&words);
        for _ in 0..rng.below(4) {
            let number = int(rng).to_string();
            let digits = "9".repeat(usize::try_from(rng.below(30)).unwrap());
            text += match rng.below(9) {
                0 => &digits,
                1 => ":",
                2 => "uint4",
                3 => "),(",
                _ => &number,
            };
            text += rng.pick(&[",", ",", ":", " ", ""]);
        }
        text += rng.pick(&[")", "]", "))", ""]);
    }
    text
}

pub(super) fn limits(rng: &mut Rng) -> Limits {
    let mut limits = rng.pick(&[Limits::BASELINE, Limits::TINY, Limits::TINY]);
    for _ in 0..rng.below(3) {
        let (value, few) = (uint(rng), u32::try_from(uint(rng) & 0xffff_ffff).unwrap());
        match rng.below(8) {
            0 => limits.binding_bytes = value,
            1 => limits.alignment_bytes = value,
            2 => limits.uniform_alignment_bytes = value,
            3 => limits.uniform_bytes = value,
            4 => limits.buffer_bytes = value,
            5 => limits.groups = few,
            6 => limits.invocations = few,
            _ => limits.group_size_x = few,
        }
    }
    limits
}

/// Options with limits of the baseline.
pub(super) fn options(rng: &mut Rng) -> Options {
    let mut without = RungSet::EMPTY;
    for rung in Rung::ALL {
        if rng.once_in(5) {
            without = without.with(rung);
        }
    }
    Options {
        force: rng.once_in(3).then(|| rng.pick(&Rung::ALL)),
        without,
        max_steps: rng.pick(&[0, 1, 30, 100, 65_536, u64::MAX]),
        max_scratch_bytes: rng.pick(&[0, 16, 1 << 20, u64::MAX]),
        ..Options::default()
    }
}
