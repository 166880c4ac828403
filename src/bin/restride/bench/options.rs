//! The command's arguments.

use super::suites::Suite;
use super::timing::MAX_RUNS;
use crate::arguments::Adapter;
use clap::{Args, ValueEnum};
use restride::DType;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// The hardware suite's time, under 6 minutes with what is not timed, and its runs of the naive kernel.
const HARDWARE_TIME: Duration = Duration::from_secs(300);
const HARDWARE_NAIVE_RUNS: usize = 5;

/// Time copies against the device's own copy, a plain copy kernel and a naive kernel.
///
/// All of them run in turns, in one process, under one clock: timestamps where the adapter has them, else wall time. Each
/// case is verified in the same run. Shares are the other's time over ours: native (of the device's own copy of the same
/// bytes), kernel (of a plain copy kernel), /naive (of one invocation per element).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  restride bench --suite views --bytes 64MiB
  restride bench --suite ttc57 --dtype u8,u32 --case '(1,0)' --naive-runs 0
  restride bench --suite hardware --bytes 1GiB --json gpu.json --report gpu.html")]
pub(crate) struct Options {
    /// The cases.
    #[arg(long, value_name = "S", default_value = "views")]
    pub(crate) suite: Suite,
    /// The size of a tensor of 4-byte elements; other widths have as many elements, so u8 moves a quarter, u64 twice.
    #[arg(long, value_name = "N", default_value = "16MiB")]
    pub(crate) bytes: Bytes,
    /// The adapter: auto (the best GPU), its index, or a part of its name.
    #[arg(long, value_name = "A", default_value = "auto")]
    pub(crate) adapter: Adapter,
    /// Only cases with this in their suite and name.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) case: String,
    /// Element types in place of the suite's: u8,u16,uint4,bits(24), ...
    #[arg(long, value_name = "D", value_delimiter = ',')]
    pub(crate) dtype: Vec<Element>,
    /// What times every copy alike.
    #[arg(long, value_name = "C", default_value = "auto")]
    pub(crate) clock: Timer,
    /// Write the rows to this file as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Write a page with plots to this file.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Runs of each copy, after two that are not counted; the best is shown.
    #[arg(long, value_name = "N", default_value_t = 15)]
    pub(crate) runs: usize,
    /// Runs of the naive kernel, which is slow: as many as --runs if left out, but 5 in the hardware suite; it may be 0.
    #[arg(long, value_name = "N")]
    pub(crate) naive_runs: Option<usize>,
}

impl Options {
    pub(crate) fn dtypes(&self) -> Vec<DType> {
        self.dtype.iter().map(|element| element.0).collect()
    }

    pub(crate) fn runs(&self) -> usize {
        self.runs.clamp(1, MAX_RUNS)
    }

    pub(crate) fn naive_runs(&self) -> usize {
        let own = match self.suite {
            Suite::Hardware => HARDWARE_NAIVE_RUNS.min(self.runs()),
            _ => self.runs(),
        };
        self.naive_runs.unwrap_or(own).min(MAX_RUNS)
    }

    /// How long the timing may take.
    pub(crate) fn time(&self) -> Option<Duration> {
        (self.suite == Suite::Hardware).then_some(HARDWARE_TIME)
    }
}

/// An element type, whose unsigned integers may be written u8.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Element(DType);

impl FromStr for Element {
    type Err = restride::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bits = text
            .strip_prefix('u')
            .filter(|rest| !rest.is_empty() && rest.bytes().all(|c| c.is_ascii_digit()));
        let dtype = match bits {
            Some("1") => DType::Bit,
            Some("128") => DType::Complex128,
            Some(bits) => format!("uint{bits}")
                .parse()
                .or_else(|_| format!("bits({bits})").parse())?,
            None => text.parse()?,
        };
        Ok(Self(dtype))
    }
}

/// A number of bytes: 4096, 64KiB, 16MiB, 1GiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bytes(pub(crate) u64);

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let units = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("", 0)];
        let found = units.iter().find_map(|(unit, shift)| {
            let number: u64 = text.strip_suffix(unit)?.trim().parse().ok()?;
            number.checked_mul(1 << shift)
        });
        // Beyond a TiB no device follows, and products would not fit.
        match found {
            Some(bytes) if (4..=1 << 40).contains(&bytes) => Ok(Self(bytes)),
            _ => {
                Err("a size is written 4096, 64KiB, 16MiB or 1GiB, from 4 bytes to 1024GiB".into())
            }
        }
    }
}

/// A clock, as asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Timer {
    /// The device's timestamps around each copy where the adapter has them, else wall time.
    Auto,
    /// Wall time of submitting and waiting.
    Wall,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units() {
        for (text, bytes) in [
            ("4096", 4096),
            ("64KiB", 1 << 16),
            ("16MiB", 1 << 24),
            ("1GiB", 1 << 30),
            ("1024 GiB", 1 << 40),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)));
        }
        for text in [
            "",
            "3",
            "1MB",
            "MiB",
            "-1",
            "1.5MiB",
            "1025GiB",
            "99999999999999999999",
        ] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }

    #[test]
    fn element_types_have_short_names() {
        for (text, name) in [
            ("u1", "bit"),
            ("u4", "uint4"),
            ("u6", "bits(6)"),
            ("u32", "uint32"),
            ("u128", "complex128"),
            ("float16", "float16"),
        ] {
            let Element(dtype) = text.parse().unwrap();
            assert_eq!(dtype.to_string(), name);
        }
        for text in ["u", "u0", "u129", "u-1", "i3"] {
            assert!(text.parse::<Element>().is_err(), "{text}");
        }
    }
}
