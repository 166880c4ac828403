//! The 57 transpositions of the TTC and HPTT benchmarks, made for any size by the rules of their generator.
//!
//! There are 19 permutations, none with two neighbours that stay neighbours, so that nothing merges. Each comes in three
//! shapes: balanced; with the input's fastest axis long; with the output's fastest axis long. The lists are column-major:
//! axis 0 is the fastest, and axis `i` of the output is axis `perm[i]` of the input. At 200 MiB of 4-byte elements they
//! are the published ones.

use super::case::Case;
use restride::{DType, Error, Layout};

const PERMUTATIONS: [&[usize]; 19] = [
    &[1, 0],
    &[0, 2, 1],
    &[1, 0, 2],
    &[2, 1, 0],
    &[0, 3, 2, 1],
    &[2, 1, 3, 0],
    &[2, 0, 3, 1],
    &[1, 0, 3, 2],
    &[3, 2, 1, 0],
    &[0, 4, 2, 1, 3],
    &[3, 2, 1, 4, 0],
    &[2, 0, 4, 1, 3],
    &[1, 3, 0, 4, 2],
    &[4, 3, 2, 1, 0],
    &[0, 3, 2, 5, 4, 1],
    &[3, 2, 0, 5, 1, 4],
    &[2, 0, 4, 1, 5, 3],
    &[3, 2, 5, 1, 0, 4],
    &[5, 4, 3, 2, 1, 0],
];

/// Which axis of a case is made long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    Balanced,
    InputLong,
    OutputLong,
}

/// The suite with `bytes` to a tensor of 4-byte elements, in each of `dtypes`: the same elements at every width.
pub(crate) fn cases(bytes: u64, dtypes: &[DType]) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for &dtype in dtypes {
        for number in 1..=57 {
            let (perm, sizes) = column_major(number, bytes / 4);
            let text: Vec<String> = perm.iter().map(usize::to_string).collect();
            let name = format!("{number:02} ({})", text.join(","));
            cases.push(Case::packed(
                "ttc57",
                name,
                dtype,
                row_major(perm, &sizes)?,
            )?);
        }
    }
    Ok(cases)
}

/// Case `number`, from 1, of about `elements` elements: its permutation and its extents, column-major.
fn column_major(number: usize, elements: u64) -> (&'static [usize], Vec<u64>) {
    let perm = PERMUTATIONS[(number - 1) / 3];
    let variant = match (number - 1) % 3 {
        0 => Variant::Balanced,
        1 => Variant::InputLong,
        _ => Variant::OutputLong,
    };
    (perm, sizes(perm, variant, elements))
}

/// The generator's extents.
fn sizes(perm: &[usize], variant: Variant, elements: u64) -> Vec<u64> {
    let rank = perm.len();
    // A transposition that keeps the fastest axis is between the next ones.
    let keeps = perm[0] == 0;
    let (input, output) = if keeps { (1, perm[1]) } else { (0, perm[0]) };
    let blocked = root(elements, rank).next_multiple_of(16);
    let mut sizes = vec![0; rank];
    sizes[input] = blocked;
    sizes[output] = blocked;
    let left = elements / blocked / blocked;
    if rank == 2 {
        sizes[1] = elements / blocked;
    } else {
        let even = root(left, rank - 2);
        for (axis, size) in sizes.iter_mut().enumerate() {
            if axis != input && axis != output {
                *size = even;
            }
        }
    }
    let factor = if rank == 6 { 3 } else { 6 };
    let (long, short) = match variant {
        Variant::Balanced => {
            round(&mut sizes, 0);
            round(&mut sizes, perm[0]);
            return sizes;
        }
        Variant::InputLong => (0, if perm[0] == 1 && rank > 2 { 2 } else { 1 }),
        Variant::OutputLong => {
            let short = match perm[0] {
                1 if rank > 2 => 2,
                1 => 0,
                _ => 1,
            };
            (output, short)
        }
    };
    // Of two axes the short one is the other of the pair, and both started as one extent.
    let before = if rank == 2 { blocked } else { sizes[short] };
    sizes[short] = (before / factor).max(1);
    let others: u64 = (0..rank)
        .filter(|&axis| axis != long)
        .map(|axis| sizes[axis])
        .product();
    sizes[long] = (elements / others).max(1);
    round(&mut sizes, 0);
    round(&mut sizes, perm[0]);
    sizes
}

fn round(sizes: &mut [u64], axis: usize) {
    sizes[axis] = sizes[axis].max(1).next_multiple_of(16);
}

/// The whole part of a root, at least 1, as the generator has it: in floating point, where the cube root of 4096 is
/// below 16.
fn root(of: u64, degree: usize) -> u64 {
    let power = |base: u64| (0..degree).try_fold(1_u64, |product, _| product.checked_mul(base));
    let fits = |base: u64| power(base).is_some_and(|power| power <= of);
    let (mut low, mut high) = (1, of.max(1) + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    let floating = (of as f64).powf(1.0 / degree as f64);
    if low > 1 && floating < low as f64 {
        return low - 1;
    }
    low
}

/// The same transposition in C order: the view that is read.
fn row_major(perm: &[usize], sizes: &[u64]) -> Result<Layout, Error> {
    let last = perm.len() - 1;
    let shape: Vec<u64> = sizes.iter().rev().copied().collect();
    let axes: Vec<isize> = (0..perm.len())
        .map(|k| (last - perm[last - k]).cast_signed())
        .collect();
    Layout::contiguous(&shape)?.permute(&axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published extents, column-major, at 200 MiB.
    const PUBLISHED: &str = "\
7248x7248 43408x1216 1216x43408 368x384x384 2144x64x384 368x64x2307 384x384x355 2320x384x59 384x2320x59 384x355x384
2320x59x384 384x59x2320 80x96x75x96 464x16x75x96 80x16x75x582 96x75x96x75 608x12x96x75 96x12x608x75 96x75x96x75
608x12x96x75 96x12x608x75 96x96x75x75 608x96x12x75 96x608x12x75 96x75x75x96 608x12x75x96 96x12x75x608 32x48x28x28x48
176x8x28x28x48 32x8x28x28x298 48x28x28x48x28 352x4x28x48x28 48x4x28x352x28 48x28x48x28x28 352x4x48x28x28 48x4x352x28x28
48x48x28x28x28 352x48x4x28x28 48x352x4x28x28 48x28x28x28x48 352x4x28x28x48 48x4x28x28x352 16x32x15x32x15x15
48x10x15x32x15x15 16x10x15x103x15x15 32x15x15x32x15x15 112x5x15x32x15x15 32x5x15x112x15x15 32x15x32x15x15x15
112x5x32x15x15x15 32x5x112x15x15x15 32x15x15x32x15x15 112x5x15x32x15x15 32x5x15x112x15x15 32x15x15x15x15x32
112x5x15x15x15x32 32x5x15x15x15x112";

    fn extents(number: usize, bytes: u64) -> String {
        let (_, sizes) = column_major(number, bytes / 4);
        let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
        sizes.join("x")
    }

    #[test]
    fn at_200_mib_they_are_the_published_ones() {
        let made: Vec<String> = (1..=57).map(|number| extents(number, 200 << 20)).collect();
        let published: Vec<&str> = PUBLISHED.split_whitespace().collect();
        assert_eq!(made, published);
    }

    #[test]
    fn smaller_ones_follow_the_same_rules() {
        for (bytes, number, sizes) in [
            (4 << 20, 2, "6176x176"),
            (4 << 20, 29, "160x2x15x15x16"),
            (4 << 20, 45, "16x5x8x51x8x8"),
            (16 << 20, 6, "144x29x1071"),
            (16 << 20, 30, "16x5x15x15x248"),
            (64 << 20, 15, "64x10x64x409"),
            (64 << 20, 39, "32x224x4x25x25"),
            (64 << 20, 57, "16x5x16x16x16x64"),
        ] {
            assert_eq!(extents(number, bytes), sizes, "case {number}");
        }
    }

    #[test]
    fn a_view_is_the_transposition_in_c_order() -> Result<(), Error> {
        // Column-major 2x3x5 by (2,0,1): output [i,j,k] is input [j,k,i].
        let view = row_major(&[2, 0, 1], &[2, 3, 5])?;
        assert_eq!(view.shape(), [3, 2, 5]);
        for (i, j, k) in [(0, 0, 0), (4, 1, 2), (3, 0, 1)] {
            assert_eq!(view.position(&[k, j, i]), j + 2 * k + 6 * i);
        }
        Ok(())
    }
}
