//! The memory traffic of a plan: the sectors that its invocations touch, counted by running its twins over no memory at all.
//!
//! It stands here and not in the planner because the twins are the index maps: a second one, for counting alone, could
//! drift from what is run. A GPU's memory system joins the accesses of a subgroup, so what counts is the union of the
//! sectors that its invocations touch, on each side; caches, which may join more, are left out.

use std::fmt;

use crate::plan::{Dispatch, NativeCopy, Plan, Step, Window};

use super::head::group_count;
use super::items;
use super::memory::Words;

/// Invocations whose accesses are joined: consecutive ones of a workgroup.
const SUBGROUP: u32 = 32;

/// The words of a sector.
const SECTOR_WORDS: u64 = Traffic::SECTOR_BYTES / 4;

/// About the most pairs of steps of a plan that are run. Pairs, as the two dispatches of a piece follow one another.
const STEP_PAIRS: u64 = 32;

/// About the most workgroups of a plan that are run.
const GROUPS: u64 = 256;

/// The memory traffic that a GPU is expected to see from a plan.
///
/// Both shares are of the bytes moved, so a source that repeats, as in a broadcast, may have a share over 1: its sectors
/// serve more elements than they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Traffic {
    /// Bytes that the elements take when packed: as many are read as are written.
    pub bytes: u64,
    /// Sectors read through the source's window, once for each subgroup that touches them.
    pub read_sectors: u64,
    /// Sectors written, once for each subgroup that touches them; a word that is merged is read in the same sector.
    pub written_sectors: u64,
    /// Invocations launched, idle ones included; a native copy launches none.
    pub invocations: u64,
}

impl Traffic {
    /// The bytes of a sector: the least that a GPU's memory moves.
    pub const SECTOR_BYTES: u64 = 32;

    /// The bytes moved over those of the sectors read; 1 where none is.
    #[must_use]
    pub fn read_share(&self) -> f64 {
        self.share(self.read_sectors)
    }

    /// The bytes moved over those of the sectors written; 1 where none is.
    #[must_use]
    pub fn written_share(&self) -> f64 {
        self.share(self.written_sectors)
    }

    fn share(&self, sectors: u64) -> f64 {
        if sectors == 0 {
            return 1.0;
        }
        self.bytes as f64 / (sectors as f64 * Self::SECTOR_BYTES as f64)
    }
}

/// One line for people: bytes, sectors with the share of them that is used, invocations.
impl fmt::Display for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} bytes each way; sectors of {} bytes: {} read ({:.0} % used), {} written ({:.0} % used); {} invocations",
            self.bytes,
            Self::SECTOR_BYTES,
            self.read_sectors,
            100.0 * self.read_share(),
            self.written_sectors,
            100.0 * self.written_share(),
            self.invocations,
        )
    }
}

/// The traffic of `plan`, if both buffers start at whole sectors.
///
/// Small plans are counted exactly. Of others a fixed sample is counted, spread over all steps and workgroups, and scaled to
/// the bytes that the plan moves: however large the plan, it takes milliseconds.
///
/// # Examples
///
/// ```
/// use restride::plan::{Operand, Options, Plan, Problem};
/// use restride::{DType, Layout, cpu};
///
/// let whole = Layout::contiguous(&[64, 64])?;
/// let problem = Problem {
///     width: DType::Float32.width(),
///     src: Operand::storage(&whole, 64 * 64 * 4),
///     dst: Operand::storage(&whole, 64 * 64 * 4),
///     one_buffer: false,
///     in_pass: true,
/// };
/// let traffic = cpu::traffic(&Plan::new(&problem, &Options::default())?);
/// assert_eq!(traffic.bytes, 64 * 64 * 4);
/// assert_eq!((traffic.read_sectors, traffic.written_sectors), (512, 512));
/// assert_eq!(traffic.written_share(), 1.0);
/// # Ok::<(), restride::Error>(())
/// ```
#[must_use]
pub fn traffic(plan: &Plan) -> Traffic {
    count(plan, STEP_PAIRS, GROUPS).0
}

/// The traffic, and the bits that the counted part of the plan writes, scaled.
fn count(plan: &Plan, most_pairs: u64, most_groups: u64) -> (Traffic, u128) {
    let pairs = plan.step_count().div_ceil(2);
    let most_groups = most_groups / (2 * pairs.min(most_pairs)).max(1);
    let found = Found::of(pairs, most_pairs, |pair| {
        let mut found = Found::default();
        for step in (2 * pair..=2 * pair + 1).filter_map(|k| plan.step(k)) {
            found.add(
                &match step {
                    Step::Native(copy) => native(&copy),
                    Step::Dispatch(dispatch) => dispatched(&dispatch, most_groups),
                },
                [1, 1],
            );
        }
        found
    });
    let bits = plan.payload_bits();
    // What is counted stands for all bits that are moved: for each of them, as many sectors.
    let to_all = |sectors: u128| match found.bits {
        0 => sectors,
        counted => (sectors * u128::from(bits)).div_ceil(counted),
    };
    let whole = |value: u128| u64::try_from(value).unwrap_or(u64::MAX);
    let traffic = Traffic {
        bytes: bits.div_ceil(8),
        read_sectors: whole(to_all(found.sectors[0])),
        written_sectors: whole(to_all(found.sectors[1])),
        invocations: whole(found.invocations),
    };
    (traffic, found.bits)
}

/// What was counted: sectors read and written, bits written, and invocations.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    sectors: [u128; 2],
    bits: u128,
    invocations: u128,
}

impl Found {
    /// What `count` parts do, of which the first, the last and about `most` between them are looked at.
    ///
    /// The first and the last stand for themselves alone: ragged edges are theirs more than others'.
    fn of(count: u64, most: u64, mut part: impl FnMut(u64) -> Self) -> Self {
        let mut found = Self::default();
        let inner = count.saturating_sub(2);
        if count > 0 {
            found.add(&part(0), [1, 1]);
        }
        if count > 1 {
            found.add(&part(count - 1), [1, 1]);
        }
        let mut between = Self::default();
        for number in sample(inner, most) {
            between.add(&part(number + 1), [1, 1]);
        }
        found.add(&between, [inner, inner.min(most)]);
        found
    }

    /// Adds what `counted` parts do that stand for `all`.
    fn add(&mut self, part: &Self, [all, counted]: [u64; 2]) {
        let scaled = |value: u128| value * u128::from(all) / u128::from(counted.max(1));
        self.bits += scaled(part.bits);
        self.invocations += scaled(part.invocations);
        for (sum, sectors) in self.sectors.iter_mut().zip(part.sectors) {
            *sum += scaled(sectors);
        }
    }
}

fn native(copy: &NativeCopy) -> Found {
    let sectors = |first: u64| {
        let end = (first + copy.size_bytes).div_ceil(Traffic::SECTOR_BYTES);
        u128::from(end - first / Traffic::SECTOR_BYTES)
    };
    Found {
        sectors: [sectors(copy.src_bytes), sectors(copy.dst_bytes)],
        bits: u128::from(copy.size_bytes) * 8,
        invocations: 0,
    }
}

/// What a dispatch does, of which the first workgroup, the last and about `most` between them are run.
fn dispatched(dispatch: &Dispatch, most: u64) -> Found {
    let mut trace = Trace::new(dispatch);
    let mut found = Found::of(group_count(dispatch).into(), most.max(2), |number| {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        items(dispatch, std::iter::once(number), &mut trace);
        trace.flush();
        std::mem::take(&mut trace.found)
    });
    let groups = dispatch.groups.map(u128::from);
    found.invocations = groups.into_iter().product::<u128>() * u128::from(dispatch.program.lanes);
    found
}

/// At most `most` of the numbers under `count`, in order: all, or one of each of even parts, not at one place of each, so that
/// no axis of a grid is met at one place alone.
fn sample(count: u64, most: u64) -> impl Iterator<Item = u64> {
    let parts = count.min(most);
    (0..parts).map(move |part| {
        // Multiples of the golden ratio lie evenly in any interval.
        let within = match parts == count {
            true => 0,
            false => part.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32,
        };
        let place = (u128::from(part) << 32 | u128::from(within)) * u128::from(count);
        u64::try_from((place / u128::from(parts)) >> 32).unwrap_or(u64::MAX)
    })
}

/// A memory that holds nothing and counts who touches which sector.
struct Trace {
    /// The first words of both windows in their buffers.
    first_words: [u64; 2],
    /// The subgroup that acts: its workgroup, and its number there.
    subgroup: (u32, u32),
    /// The sectors that it has touched, some of them repeatedly: a few thousand at most.
    touched: [Vec<u64>; 2],
    found: Found,
}

impl Trace {
    fn new(dispatch: &Dispatch) -> Self {
        let first_word = |window: &Window| window.offset_bytes / 4;
        Self {
            first_words: [first_word(&dispatch.src), first_word(&dispatch.dst)],
            subgroup: (0, 0),
            touched: [Vec::new(), Vec::new()],
            found: Found::default(),
        }
    }

    fn touch(&mut self, side: usize, i: u32) {
        let sector = (self.first_words[side] + u64::from(i)) / SECTOR_WORDS;
        let touched = &mut self.touched[side];
        if touched.last() != Some(&sector) {
            touched.push(sector);
        }
    }

    /// Counts each sector of the subgroup once.
    fn flush(&mut self) {
        for (touched, sectors) in self.touched.iter_mut().zip(&mut self.found.sectors) {
            touched.sort_unstable();
            touched.dedup();
            *sectors += touched.len() as u128;
            touched.clear();
        }
    }
}

impl Words for Trace {
    fn invocation(&mut self, number: u32, lane: u32) {
        let subgroup = (number, lane / SUBGROUP);
        if subgroup != self.subgroup {
            self.flush();
            self.subgroup = subgroup;
        }
    }

    fn load(&mut self, i: u32) -> u32 {
        self.touch(0, i);
        0
    }

    fn merge(&mut self, i: u32, _: u32, mask: u32) {
        self.touch(1, i);
        self.found.bits += u128::from(mask.count_ones());
    }
}

#[cfg(test)]
mod tests {
    use super::{Traffic, count, sample};
    use crate::dtype::Width;
    use crate::error::Error;
    use crate::layout::Layout;
    use crate::plan::{Limits, Operand, Options, Plan, Problem};

    fn plans(shape: &[u64], axes: &[isize], limits: Limits) -> Result<Vec<Plan>, Error> {
        let from = Layout::contiguous(shape)?.permute(axes)?;
        let to = Layout::contiguous(from.shape())?;
        let options = Options {
            limits,
            ..Options::default()
        };
        let plan = |bits| {
            let width = Width::new(bits)?;
            let bytes = width.bytes_for(to.numel()).next_multiple_of(16);
            let problem = Problem {
                width,
                src: Operand::any(&from, bytes),
                dst: Operand::any(&to, bytes),
                one_buffer: false,
                in_pass: true,
            };
            Plan::new(&problem, &options)
        };
        [1, 4, 6, 8, 16, 24, 32, 64, 128]
            .map(plan)
            .into_iter()
            .collect()
    }

    #[test]
    fn a_whole_count_writes_every_bit_once() -> Result<(), Error> {
        for limits in [Limits::BASELINE, Limits::TINY] {
            for plan in plans(&[33, 5, 64], &[2, 1, 0], limits)? {
                let (_, bits) = count(&plan, u64::MAX, u64::MAX);
                assert_eq!(bits, u128::from(plan.payload_bits()), "{plan}");
            }
        }
        Ok(())
    }

    #[test]
    fn a_sample_is_near_the_whole() -> Result<(), Error> {
        let near = |sampled: u64, whole: u64| sampled.abs_diff(whole) * 20 <= whole;
        let sectors = |traffic: &Traffic| [traffic.read_sectors, traffic.written_sectors];
        for (shape, axes) in [
            (&[1000, 1003][..], &[1, 0][..]),
            (&[40, 130, 200], &[2, 0, 1]),
        ] {
            for plan in plans(shape, axes, Limits::BASELINE)? {
                let (whole, _) = count(&plan, u64::MAX, u64::MAX);
                let sampled = super::traffic(&plan);
                for (one, other) in sectors(&sampled).into_iter().zip(sectors(&whole)) {
                    assert!(near(one, other), "{sampled}; {whole}; {plan}");
                }
                assert_eq!(sampled.invocations, whole.invocations);
            }
        }
        Ok(())
    }

    #[test]
    fn a_sample_is_in_bounds_in_order_and_spread() {
        for (of, most) in [(0, 4), (3, 4), (4, 4), (1000, 7), (u64::MAX, 256)] {
            let chosen: Vec<u64> = sample(of, most).collect();
            assert_eq!(chosen.len() as u64, of.min(most));
            assert!(chosen.is_sorted_by(|one, next| one < next));
            assert!(chosen.iter().all(|number| *number < of));
        }
        let odd = sample(1 << 20, 256)
            .filter(|number| number % 2 == 1)
            .count();
        assert!((64..192).contains(&odd), "{odd}");
    }
}
