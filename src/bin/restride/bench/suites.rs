//! The suites by name.

use super::case::Case;
use super::{packed, ttc57, views};
use crate::failure::Failure;
use clap::ValueEnum;
use restride::{DType, Error, Layout};

/// The published size of the 57 transpositions.
const PUBLISHED: u64 = 200 << 20;

/// A list of cases that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Suite {
    /// The 57 transpositions of the TTC and HPTT benchmarks, in u8, u16, u32 and u64.
    Ttc57,
    /// Rows, transposes, attention, images, flips, slices, windows, in u32.
    Views,
    /// 1, 2, 4, 6 and 24 bits, each with a quarter of --bytes as payload.
    Packed,
    /// 1 to 4,096 elements, and what a copy costs the host.
    Small,
    /// What is worth knowing of a hardware GPU, in a few minutes.
    Hardware,
    /// All but the hardware suite.
    All,
}

/// The cases of `suite`, of `dtypes` or the suite's own, whose names hold `filter`.
pub(crate) fn cases(
    suite: Suite,
    bytes: u64,
    dtypes: &[DType],
    filter: &str,
) -> Result<Vec<Case>, Failure> {
    let mut cases = list(suite, bytes, dtypes)
        .map_err(|e| Failure::Input(format!("--bytes {bytes}: no case of this size: {e}")))?;
    cases.retain(|case| format!("{} {}", case.suite, case.name).contains(filter));
    Ok(cases)
}

fn list(suite: Suite, bytes: u64, dtypes: &[DType]) -> Result<Vec<Case>, Error> {
    use DType::{UInt8, UInt16, UInt32, UInt64};
    let or = |own: &[DType]| {
        if dtypes.is_empty() {
            own.to_vec()
        } else {
            dtypes.to_vec()
        }
    };
    match suite {
        Suite::Ttc57 => ttc57::cases(bytes, &or(&[UInt8, UInt16, UInt32, UInt64])),
        Suite::Views => views::cases(bytes, &or(&[UInt32])),
        Suite::Packed => packed::cases(bytes, &or(&packed::dtypes()?)),
        Suite::Small => small(&or(&[UInt32])),
        Suite::Hardware => hardware(bytes, dtypes),
        Suite::All => {
            let parts = [Suite::Ttc57, Suite::Views, Suite::Packed, Suite::Small];
            let lists = parts.map(|part| list(part, bytes, dtypes));
            Ok(lists.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
        }
    }
}

/// Copies that cost more to record than to run.
fn small(dtypes: &[DType]) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for &dtype in dtypes {
        for side in [1, 4, 16, 64] {
            let matrix = Layout::contiguous(&[side, side])?;
            let mut add = |what, src| {
                let name = format!("{what} of {}", side * side);
                cases.push(Case::packed("small", name, dtype, src)?);
                Ok::<(), Error>(())
            };
            add("transpose", matrix.transpose())?;
            let wide = Layout::contiguous(&[side, side + 1])?;
            add("rows", wide.narrow(1, 1, side)?)?;
        }
    }
    Ok(cases)
}

/// Transposes at every width, the views in u32, and the 57 transpositions in u32 at no more than their published size.
fn hardware(bytes: u64, dtypes: &[DType]) -> Result<Vec<Case>, Error> {
    use DType::{Bit, Complex128, UInt4, UInt8, UInt16, UInt32, UInt64};
    let of = |own: &[DType]| -> Vec<DType> {
        let wanted = |dtype: &&DType| dtypes.is_empty() || dtypes.contains(dtype);
        own.iter().filter(wanted).copied().collect()
    };
    let mut cases = Vec::new();
    for dtype in of(&[Bit, UInt4, UInt8, UInt16, UInt32, UInt64, Complex128]) {
        // Below a byte as much as bytes move, and at 128 bits no more than at 64.
        let n = match dtype.bits() {
            bits @ ..8 => bytes / 4 * u64::from(8 / bits),
            65.. => bytes / 8,
            _ => bytes / 4,
        };
        let side = packed::square(n)?;
        cases.push(Case::packed(
            "widths",
            "transpose",
            dtype,
            side.transpose(),
        )?);
        let ragged = Layout::contiguous(&[side.dim(0) - 1, side.dim(0) + 1])?;
        let name = "transpose ragged";
        cases.push(Case::packed("widths", name, dtype, ragged.transpose())?);
    }
    cases.extend(views::cases(bytes, &of(&[UInt32]))?);
    cases.extend(ttc57::cases(bytes.min(PUBLISHED), &of(&[UInt32]))?);
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_size_has_the_same_cases_under_names_of_their_own() {
        let names = |suite, bytes| -> Vec<String> {
            let cases = cases(suite, bytes, &[], "").unwrap();
            let name = |case: &Case| format!("{} {} {}", case.suite, case.name, case.group);
            cases.iter().map(name).collect()
        };
        for suite in [Suite::All, Suite::Hardware] {
            let least = names(suite, 4);
            assert_eq!(least.iter().collect::<HashSet<_>>().len(), least.len());
            for bytes in [4097, 1 << 20, 64 << 20, 1 << 30, 1 << 40] {
                assert_eq!(names(suite, bytes), least, "{suite:?} of {bytes} bytes");
            }
        }
    }

    #[test]
    fn a_payload_is_about_what_was_asked_for() {
        for case in cases(Suite::All, 64 << 20, &[], "").unwrap() {
            let whole = match case.suite {
                "small" => continue,
                "packed" => 16 << 20,
                _ => (16 << 20) * u64::from(case.group.bits()) / 8,
            };
            let share = case.bytes() as f64 / whole as f64;
            assert!((0.85..1.3).contains(&share), "{case:?}: {share}");
        }
    }

    #[test]
    fn a_filter_leaves_what_holds_it() {
        let views = cases(Suite::Views, 1 << 20, &[], "transpose of").unwrap();
        assert_eq!(views.len(), 3);
        assert!(
            cases(Suite::Views, 1 << 20, &[], "no such")
                .unwrap()
                .is_empty()
        );
    }
}
