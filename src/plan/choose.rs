//! The choice of a rung: what each would do, what it would cost, and the cheapest.

use crate::error::{Error, Side};

use super::bed::{Bed, windows_meet};
use super::blocks::Blocks;
use super::check::Bearing;
use super::cost::{Cost, cost};
use super::form::{self, Form, Placed};
use super::kernel::block_side;
use super::normalise::{Axis, Nest, reach_bits};
use super::params::MAX_DIVISOR;
use super::split::Split;
use super::step::{Dispatch, Window};
use super::{Access, Options, Problem, Rung};

/// The least bits of a row that is moved by 16-byte units: under them, its ends are most of it.
const QUAD_ROW_BITS: u64 = 1024;

/// The same for rows that start and end with such units: as many as an item moves.
const WHOLE_ROW_BITS: u64 = 256;

/// What became of one rung when a plan was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Verdict {
    Off,
    Lacks(&'static str),
    Costs(Cost),
}

/// How a rung's dispatches walk the nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Walk {
    /// By buffer copies, one a run.
    Native,
    /// Item by item.
    Items(Form),
    /// Block by block.
    Blocks(Blocks),
}

impl Walk {
    /// How items are walked: those of the copy, or those that blocks leave.
    fn items(&self) -> Option<Form> {
        match self {
            Self::Native => None,
            Self::Items(form) => Some(*form),
            Self::Blocks(blocks) => blocks.edges(),
        }
    }

    /// Dispatches per piece.
    fn dispatches(&self) -> u64 {
        let items = self.items().map_or(0, |form| form.dispatches());
        items + u64::from(matches!(self, Self::Blocks(_)))
    }

    /// As many workgroups as any dispatch needs.
    fn group_count(&self) -> u64 {
        match self {
            Self::Native => 0,
            Self::Items(form) => form.groups,
            Self::Blocks(blocks) => blocks.groups,
        }
    }
}

/// A rung's way to make the copy: the nest as it walks it, and the pieces that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Way {
    pub(crate) rung: Rung,
    pub(crate) nest: Nest,
    pub(crate) split: Split,
    pub(crate) walk: Walk,
}

/// The cheapest way that is left, and what became of every rung.
pub(crate) fn choose(
    problem: &Problem<'_>,
    options: &Options,
    nest: &Nest,
    bed: &Bed,
    bearing: Bearing,
) -> Result<(Way, [Verdict; Rung::ALL.len()]), Error> {
    let bindable = problem.src.storage && problem.dst.storage;
    let mut verdicts = [Verdict::Off; Rung::ALL.len()];
    let mut best: Option<(u64, Way)> = None;
    for (rung, verdict) in Rung::ALL.into_iter().zip(&mut verdicts) {
        let off = options.without.contains(rung) || options.force.is_some_and(|only| only != rung);
        let way = rung.covers(nest, problem).and_then(|()| {
            if rung != Rung::Native && !bindable {
                return Err("a buffer lacks STORAGE");
            }
            let way = |folds| way(rung, nest, bed, bearing, folds);
            match way(true) {
                // Rather blocks of two axes in pieces than none.
                Err(_) if rung == Rung::Blocks => way(false),
                found => found,
            }
        });
        *verdict = match way {
            Err(reason) => Verdict::Lacks(reason),
            Ok(_) if off => Verdict::Off,
            Ok(way) => {
                let cost = cost(rung, &way.nest, way.step_count(), way.blocks());
                if best.as_ref().is_none_or(|(least, _)| cost.bytes < *least) {
                    best = Some((cost.bytes, way));
                }
                Verdict::Costs(cost)
            }
        };
    }
    match best {
        Some((_, way)) => Ok((way, verdicts)),
        None => Err(refusal(problem, options, &verdicts)),
    }
}

/// The way of a rung that covers the nest; what it lacks if no piece is large enough for it. `folds`: blocks may be of several axes.
fn way(
    rung: Rung,
    whole: &Nest,
    bed: &Bed,
    bearing: Bearing,
    folds: bool,
) -> Result<Way, &'static str> {
    if rung == Rung::Native {
        return Ok(Way {
            rung,
            nest: *whole,
            split: Split::whole(whole),
            walk: Walk::Native,
        });
    }
    let most = u64::from(bed.max_groups);
    let most = most
        .saturating_mul(most)
        .saturating_mul(most)
        .min(MAX_DIVISOR);
    let (nest, grains) = if rung == Rung::Blocks {
        match bearing {
            Bearing::ShareAWord => return Err("a word holds bits of both views"),
            // Whole chunks of the source would have words of the destination.
            Bearing::Interleaved => return Err("the views lie among each other"),
            _ => {}
        }
        let nest = whole.for_blocks(folds)?;
        let side = u64::from(block_side(nest.block_bits()));
        let grains = if nest.rows_at() > 0 {
            [1, side, side]
        } else {
            [side, side, 1]
        };
        (nest, grains)
    } else {
        (*whole, [(32 >> whole.unit_log2).max(1), 1, 1])
    };
    let whole_quads =
        |(_, hi): (u64, u64), bytes: u64| hi.div_ceil(8).next_multiple_of(16) <= bytes;
    let quads = nest.unit_log2 <= 5
        && bearing != Bearing::Interleaved
        && bed.bounds.grain_bytes == 16
        && whole_quads(nest.src_bits(), bed.src_bytes);
    let quad_tail = whole_quads(nest.dst_bits(), bed.dst_bytes);
    // One buffer may have one binding, whose elements are words or 16-byte units, not both.
    let packs = nest.unit_log2 <= 5 && bed.bounds.grain_bytes == 16 && !bed.one_buffer;
    if bed.bounds.alignment_bytes > bed.bounds.window_bytes
        && !(bed.bounds.holds(nest.src_bits()) && bed.bounds.holds(nest.dst_bits()))
    {
        return Err("an aligned window is larger than a kernel can address");
    }
    let mut split = Split::new(&nest, bed.bounds, grains);
    loop {
        // The last piece of a row that is cut may be under 16 bytes: a binding of quads has one whole at least.
        let row_bits = nest.inner().extent << nest.unit_log2;
        let least = if form::whole_quads(&nest, &split, 1) {
            WHOLE_ROW_BITS
        } else {
            QUAD_ROW_BITS
        };
        let quads = quads && row_bits >= least && (quad_tail || !split.is_cut(0));
        let packs = packs && (quad_tail || split.pieces() == 1);
        let walk = if rung == Rung::Blocks {
            if !Blocks::divides(&nest, &split) {
                return Err("a piece is smaller than a block");
            }
            Walk::Blocks(Blocks::new(&nest, &split, bed))
        } else {
            Walk::Items(Form::new(
                rung,
                &nest,
                &split,
                bearing == Bearing::ShareAWord,
                quads,
                packs,
                bed.lanes,
            ))
        };
        let groups = walk.group_count();
        let over = groups.div_ceil(most);
        if over <= 1 {
            return Ok(Way {
                rung,
                nest,
                split,
                walk,
            });
        }
        // The ends of one row alone may be more items than a very small grid has.
        if !split.shrink(over) {
            return Err("its least piece needs more workgroups than a grid has");
        }
    }
}

/// Why no rung is left.
fn refusal(problem: &Problem<'_>, options: &Options, verdicts: &[Verdict]) -> Error {
    if let Some(rung) = options.force {
        let verdict = Rung::ALL
            .iter()
            .zip(verdicts)
            .find(|(known, _)| **known == rung);
        let reason = match verdict {
            Some((_, Verdict::Lacks(reason))) => reason,
            _ => "it is switched off",
        };
        return Error::Rung {
            rung: rung.name(),
            reason,
        };
    }
    for (side, operand) in [
        (Side::Source, problem.src),
        (Side::Destination, problem.dst),
    ] {
        if !operand.storage {
            return Error::MissingUsage {
                side,
                usage: "STORAGE",
            };
        }
    }
    Error::Rung {
        rung: "scatter",
        reason: match verdicts.last() {
            Some(Verdict::Lacks(reason)) => reason,
            _ => "every rung that covers the copy is switched off",
        },
    }
}

impl Way {
    fn blocks(&self) -> Option<&Blocks> {
        match &self.walk {
            Walk::Blocks(blocks) => Some(blocks),
            Walk::Native | Walk::Items(_) => None,
        }
    }

    pub(crate) fn step_count(&self) -> u64 {
        match &self.walk {
            Walk::Native => self.nest.units() / super::rung::native_run(&self.nest).1,
            walk => self.split.pieces().saturating_mul(walk.dispatches()),
        }
    }

    /// Dispatch `k` of a way that dispatches.
    pub(crate) fn dispatch(&self, k: u64, bed: &Bed) -> Option<Dispatch> {
        // A piece takes one dispatch or two.
        let two = u64::from(self.walk.dispatches() > 1);
        let (first, extent) = self.split.piece(k >> two);
        let rank = self.nest.axes().len();
        let (first, extent) = (&first[..rank], &extent[..rank]);
        let placed = self.place(bed, first, extent);
        let second = k & two == 1;
        match &self.walk {
            Walk::Native => None,
            Walk::Blocks(blocks) if !second => Some(blocks.dispatch(&self.nest, extent, &placed)),
            walk => {
                let form = walk.items()?;
                Some(form.dispatch(&self.nest, second, extent, &placed))
            }
        }
    }

    /// Where a piece lies: its first unit on both sides, and the windows that hold it.
    fn place(&self, bed: &Bed, first: &[u64], extent: &[u64]) -> Placed {
        let nest = &self.nest;
        let (mut src, mut dst) = (nest.src, nest.dst);
        for (axis, &first) in nest.axes().iter().zip(first) {
            src = src.wrapping_add_signed(first.cast_signed() * axis.src);
            dst = dst.wrapping_add_signed(first.cast_signed() * axis.dst);
        }
        let window = |base, step: fn(&Axis) -> i64, bytes: u64| {
            let axes = nest.axes().iter().zip(extent);
            let bits = reach_bits(
                nest.unit_log2,
                base,
                axes.map(|(axis, &extent)| (extent, step(axis))),
            );
            let (start, end) = bed.bounds.window(bits);
            (start, end.min(bytes))
        };
        let mut from = window(src, |axis| axis.src, bed.src_bytes);
        let mut to = window(dst, |axis| axis.dst, bed.dst_bytes);
        let mut access = Access::Two;
        if bed.one_buffer {
            access = Access::TwoWritable;
            if windows_meet(from, to) {
                access = Access::One;
                from = (from.0.min(to.0), from.1.max(to.1));
                to = from;
            }
        }
        let bytes = |(start, end): (u64, u64)| Window {
            offset_bytes: start,
            size_bytes: end - start,
        };
        Placed {
            src,
            dst,
            src_window: bytes(from),
            dst_window: bytes(to),
            access,
            max_groups: bed.max_groups,
        }
    }
}
