//! The ladder: the ways to make a copy, and which copies each covers.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

use super::Problem;
use super::normalise::Nest;

/// The least bits of a run that `rows` covers: under them, gather reads no more words.
const ROW_BITS: u64 = 64;

/// The most commands that the native rung is worth; beyond, one dispatch is cheaper to record.
const NATIVE_RUNS: u64 = 64;

/// One way to make a copy. The first in this order wins where two cost the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rung {
    /// No step: an empty copy, or a view onto itself.
    Nothing,
    /// Buffer copies that the device itself knows: few long runs of whole words, between two buffers.
    Native,
    /// Runs on both sides, forwards or backwards in the source, moved by whole destination words.
    Rows,
    /// Squares of units turned in registers, where the two sides have different unit axes: whole chunks in and out.
    Blocks,
    /// Destination runs, each word built from source elements that lie anywhere.
    Gather,
    /// Elements anywhere on both sides.
    Scatter,
}

impl Rung {
    /// Every rung, in order.
    pub const ALL: [Self; 6] = [
        Self::Nothing,
        Self::Native,
        Self::Rows,
        Self::Blocks,
        Self::Gather,
        Self::Scatter,
    ];

    /// The rung's name: `nothing`, `native`, `rows`, `blocks`, `gather` or `scatter`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Native => "native",
            Self::Rows => "rows",
            Self::Blocks => "blocks",
            Self::Gather => "gather",
            Self::Scatter => "scatter",
        }
    }

    /// `Ok` iff the rung covers the copy, which moves at least one unit; else what it lacks.
    pub(crate) fn covers(self, nest: &Nest, problem: &Problem<'_>) -> Result<(), &'static str> {
        let unless = |lacking: bool, reason| if lacking { Err(reason) } else { Ok(()) };
        let inner = nest.inner();
        match self {
            Self::Nothing => Err("elements move"),
            Self::Native => {
                unless(problem.in_pass, "a compute pass is open")?;
                unless(problem.one_buffer, "both views are in one buffer")?;
                unless(
                    !problem.src.copy || !problem.dst.copy,
                    "a buffer lacks COPY_SRC or COPY_DST",
                )?;
                let (unit_bits, run) = native_run(nest);
                let whole_words = |steps: u64| (steps * unit_bits).is_multiple_of(32);
                let outer = &nest.axes()[usize::from(run > 1)..];
                let words = whole_words(nest.src)
                    && whole_words(nest.dst)
                    && whole_words(run)
                    && outer.iter().all(|a| {
                        whole_words(a.src.unsigned_abs()) && whole_words(a.dst.unsigned_abs())
                    });
                unless(!words, "a run does not start and end at whole words")?;
                unless(nest.units() / run > NATIVE_RUNS, "there are too many runs")
            }
            Self::Rows => {
                unless(inner.dst != 1, "the destination's inner step is not 1")?;
                unless(
                    inner.src.unsigned_abs() != 1,
                    "the source's inner step is not 1 or -1",
                )?;
                unless(
                    inner.extent * nest.unit_bits() < ROW_BITS,
                    "its runs are under 64 bits",
                )
            }
            Self::Blocks => nest.for_blocks(false).map(|_| ()),
            Self::Gather => unless(inner.dst != 1, "the destination's inner step is not 1"),
            Self::Scatter => Ok(()),
        }
    }
}

/// The unit's bits, and the units of an inner run on both sides (1 where there is none).
pub(crate) fn native_run(nest: &Nest) -> (u64, u64) {
    let inner = nest.inner();
    let run = if inner.src == 1 && inner.dst == 1 {
        inner.extent
    } else {
        1
    };
    (nest.unit_bits(), run)
}

impl fmt::Display for Rung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Rung {
    type Err = Error;

    /// The rung of that name.
    ///
    /// # Errors
    ///
    /// [`Error::RungName`] for any other text.
    fn from_str(name: &str) -> Result<Self, Error> {
        let rung = Self::ALL.into_iter().find(|rung| rung.name() == name);
        rung.ok_or_else(|| Error::RungName { name: name.into() })
    }
}

/// A set of rungs.
///
/// ```
/// use restride::plan::{Rung, RungSet};
///
/// let set = RungSet::EMPTY.with(Rung::Native);
/// assert!(set.contains(Rung::Native) && !set.contains(Rung::Rows));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RungSet(u8);

impl RungSet {
    /// The empty set.
    pub const EMPTY: Self = Self(0);

    /// The set with `rung` added.
    #[must_use]
    pub const fn with(self, rung: Rung) -> Self {
        Self(self.0 | 1 << rung as u8)
    }

    /// Whether `rung` is in the set.
    #[must_use]
    pub const fn contains(self, rung: Rung) -> bool {
        self.0 & 1 << rung as u8 != 0
    }
}
