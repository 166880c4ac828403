//! Elements below a byte, and of widths that are no power of two. Every case moves the same payload, a quarter of the
//! size that is asked for, as 8-bit elements do: so widths compare.

use super::case::Case;
use restride::{DType, Error, Layout, Width};

const SUITE: &str = "packed";

/// The widths of the suite; 8 bits to compare 24 with.
pub(crate) fn dtypes() -> Result<Vec<DType>, Error> {
    let bits = |bits| Width::new(bits).map(DType::Bits);
    Ok(vec![
        DType::Bit,
        DType::UInt2,
        DType::UInt4,
        bits(6)?,
        DType::UInt8,
        bits(24)?,
    ])
}

/// The suite with a payload of a quarter of `bytes`.
pub(crate) fn cases(bytes: u64, dtypes: &[DType]) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for &dtype in dtypes {
        let n = (2 * bytes / u64::from(dtype.bits())).max(4096);
        let mut packed = |name, src| {
            cases.push(Case::packed(SUITE, name, dtype, src)?);
            Ok::<(), Error>(())
        };
        packed(
            "contiguous from 3 elements",
            Layout::contiguous(&[n + 3])?.narrow(0, 3, n)?,
        )?;
        // Rows of about a KiB.
        let row = (8192 / u64::from(dtype.bits())).min(n / 2);
        let wide = Layout::contiguous(&[n / row, row + 7])?;
        packed("rows from an odd offset", wide.narrow(1, 3, row)?)?;
        packed("transpose", square(n)?.transpose())?;
        let side = n.isqrt();
        let ragged = Layout::contiguous(&[side - 1, side + 1])?;
        packed("transpose ragged", ragged.transpose())?;
        let wide = Layout::contiguous(&[side, side + 5])?;
        packed(
            "transpose from an odd offset",
            wide.narrow(1, 3, side)?.transpose(),
        )?;
        let padded = Layout::contiguous(&[n / row, row])?.narrow(1, 0, row - 5)?;
        let dense = Layout::contiguous(padded.shape())?;
        cases.push(Case::between(
            SUITE,
            "into padded rows",
            dtype,
            dense,
            padded,
        ));
    }
    Ok(cases)
}

/// A square of about `n` elements whose rows are whole words, on both sides, at any width.
pub(crate) fn square(n: u64) -> Result<Layout, Error> {
    let side = (n.isqrt() & !63).max(64);
    Layout::contiguous(&[side, side])
}
