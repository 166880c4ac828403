//! Plans of copies as large as positions reach, under any limits, without a device: every destination bit is written exactly
//! once and from where it should be, every window lies inside its buffer, aligned and small enough, every address in 32 bits.
//!
//! A dispatch is read from its uniform block (`decode`), a plan is the list of such parts, and they must tile the copy. Copies
//! of few elements are also walked invocation by invocation (`walk`). Nothing here knows how the planner splits.

mod decode;
mod nest;
mod problems;
mod walk;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use restride::plan::{Access, Dispatch, Kernel, Limits, Part as RowPart, Plan, Route, Step};
use restride::{Error, Layout, Width};

use crate::generator::{Rng, seed};
use crate::plan_steps::step_is_sound;
use nest::{Axis, Nest, Part};
use problems::Case;

/// Problems a run; `RESTRIDE_PROBLEMS` asks for more.
fn problems_wanted() -> u64 {
    let usual = match () {
        () if cfg!(miri) => 3,
        () if cfg!(target_family = "wasm") => 2_000,
        () => 100_000,
    };
    let asked = std::env::var("RESTRIDE_PROBLEMS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Plans of more steps are judged by their count, the first, the last and some between.
const ALL_STEPS: u64 = 1_000_000;
const BETWEEN: u64 = 1_000;
/// So are nearly all of more steps than this, to be done in time, by fewer between.
const MANY_STEPS: u64 = 1_500;
const FEWER_BETWEEN: u64 = 200;
/// Copies of at most so many bits, in at most so many steps, are walked too.
const FEW_BITS: u64 = 6_000;
const FEW_STEPS: u64 = 100;

/// A plan's steps by number: the plan's own, or some with a planted fault.
struct Steps<'a> {
    count: u64,
    step: &'a dyn Fn(u64) -> Option<Step>,
}

/// Steps that are one copy: all of a plan, or those into scratch, or those out of it.
struct Phase {
    route: Route,
    one_buffer: bool,
    sizes: [u64; 2],
    whole: Nest,
    /// Which steps they are.
    first: u64,
    count: u64,
}

fn route(step: &Step) -> Option<Route> {
    match step {
        Step::Native(copy) => Some(copy.route),
        Step::Dispatch(dispatch) => Some(dispatch.route),
        _ => None,
    }
}

fn phases(case: &Case, scratch: u64, steps: &Steps<'_>) -> Vec<Phase> {
    let phase = |route, sizes, whole, first, end| Phase {
        route,
        one_buffer: case.one_buffer && route == Route::Direct,
        sizes,
        whole,
        first,
        count: end - first,
    };
    let [src, dst] = case.sizes;
    if scratch == 0 {
        return vec![phase(
            Route::Direct,
            [src, dst],
            case.nest(),
            0,
            steps.count,
        )];
    }
    // Where the way out begins, if the way in comes first.
    let (mut first, mut end) = (0, steps.count);
    while first < end {
        let middle = first + (end - first) / 2;
        if (steps.step)(middle).as_ref().and_then(route) == Some(Route::IntoScratch) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    let [into, from] = case.scratch_nests();
    vec![
        phase(Route::IntoScratch, [src, scratch], into, 0, first),
        phase(Route::FromScratch, [scratch, dst], from, first, steps.count),
    ]
}

/// The part of a copy that step `k` of a phase, or it and the next, is; and how many steps that took.
fn part(case: &Case, phase: &Phase, steps: &Steps<'_>, k: u64) -> Result<(Part, u64), String> {
    let one = |k: u64| {
        let step = (k < phase.count).then(|| (steps.step)(phase.first + k));
        let step = step
            .flatten()
            .ok_or(format!("no step {k} of {}", phase.count))?;
        let at = |why| format!("step {k}: {why}\n{step:?}");
        if route(&step) != Some(phase.route) {
            return Err(at(format!("not {:?}", phase.route)));
        }
        step_is_sound(&step, phase.sizes[0], phase.sizes[1], &case.options.limits).map_err(at)?;
        let nest = match &step {
            Step::Native(_) if phase.one_buffer => Err(at("within one buffer".into())),
            Step::Native(copy) => Ok(Nest::new(
                copy.src_bytes.cast_signed() * 8,
                copy.dst_bytes.cast_signed() * 8,
                [Axis::bits(copy.size_bytes.cast_signed() * 8)],
            )),
            Step::Dispatch(dispatch) => {
                let access = match (phase.one_buffer, dispatch.program.access) {
                    (false, Access::Two) | (true, Access::TwoWritable | Access::One) => Ok(()),
                    other => Err(at(format!("{other:?}"))),
                };
                access.and_then(|()| decode::nest(dispatch).map_err(at))
            }
            other => Err(at(format!("a step of a new kind: {other:?}"))),
        }?;
        Ok::<_, String>((step, nest))
    };
    let (step, nest) = one(k)?;
    let rest = match &step {
        Step::Dispatch(dispatch) => match dispatch.program.part {
            RowPart::Interior | RowPart::Quads => {
                let edges = match dispatch.program.part {
                    RowPart::Interior => RowPart::Edges,
                    _ => RowPart::QuadEdges,
                };
                let has_edges = has_edges(phase, steps, edges);
                if !has_edges && !in_whole_grains(dispatch, &nest) {
                    return Err(format!("step {k} lacks its {edges:?}"));
                }
                has_edges.then_some(edges)
            }
            // Rows under a word are edges alone.
            RowPart::Edges if dispatch.params.run_bits >= 32 => {
                return Err(format!("step {k} is edges without their interior"));
            }
            RowPart::QuadEdges => return Err(format!("step {k} is edges without quads")),
            _ => None,
        },
        _ => None,
    };
    let mut taken = 1;
    if let Some(wanted) = rest {
        let (other, same) = one(k + 1)?;
        let completes = matches!(&other, Step::Dispatch(d) if d.program.part == wanted);
        if !completes || same != nest {
            return Err(format!("step {k} is completed by {other:?}"));
        }
        taken = 2;
    }
    let part = phase
        .whole
        .find(&nest)
        .map_err(|why| format!("step {k}: {why}\n{step:?}"))?;
    Ok((part, taken))
}

/// Whether the rows of a phase have edges, as those of its first part then have.
fn has_edges(phase: &Phase, steps: &Steps<'_>, edges: RowPart) -> bool {
    let second = (phase.count > 1).then(|| (steps.step)(phase.first + 1));
    matches!(second.flatten(), Some(Step::Dispatch(d)) if d.program.part == edges)
}

/// Whether rows start and end with what the dispatch writes of them, words of blocks or 16-byte units, so that they have no edges.
fn in_whole_grains(dispatch: &Dispatch, nest: &Nest) -> bool {
    let (p, program) = (&dispatch.params, &dispatch.program);
    let (grain, run) = match program.kernel {
        Kernel::Blocks | Kernel::Deinterleave => (32, i64::from(p.block_rows * program.unit_bits)),
        Kernel::Interleave => (32, i64::from(3 * p.block_columns * program.unit_bits)),
        _ if program.part == RowPart::Quads => (128, p.run_bits.into()),
        _ => return false,
    };
    let mut between_rows = nest.axes.iter().filter(|axis| axis.dst >= run);
    run % grain == 0 && nest.dst % grain == 0 && between_rows.all(|axis| axis.dst % grain == 0)
}

/// `Ok` iff the steps of each phase tile it: all of them, or, of too many, their count and some of them.
fn tiles(
    case: &Case,
    scratch: u64,
    steps: &Steps<'_>,
    all: bool,
    rng: &mut Rng,
) -> Result<(), String> {
    phases(case, scratch, steps).iter().try_for_each(|phase| {
        let tiled = if all {
            every_step(case, phase, steps)
        } else {
            some_steps(case, phase, steps, rng)
        };
        tiled.map_err(|why| format!("{:?}: {why}", phase.route))
    })
}

fn every_step(case: &Case, phase: &Phase, steps: &Steps<'_>) -> Result<(), String> {
    let whole = &phase.whole;
    // What the parts take along each axis must be a grid, and each of its boxes be there once.
    let mut intervals: Vec<BTreeMap<i64, i64>> = vec![BTreeMap::new(); whole.axes.len()];
    let mut firsts = HashSet::new();
    let mut k = 0;
    while k < phase.count {
        let (part, taken) = part(case, phase, steps, k)?;
        for ((known, first), extent) in intervals.iter_mut().zip(&part.first).zip(&part.extents) {
            if *known.entry(*first).or_insert(*extent) != *extent {
                return Err(format!("step {k}: {part:?} overlaps another"));
            }
        }
        if !firsts.insert(part.first) {
            return Err(format!("step {k} is made twice"));
        }
        k += taken;
    }
    if k != phase.count {
        return Err("a last step without its other part".into());
    }
    let mut boxes = 1_u128;
    for (axis, known) in whole.axes.iter().zip(&intervals) {
        let mut end = 0;
        for (first, extent) in known {
            if *first != end {
                return Err(format!("nothing, or two parts, from {end} on of {axis:?}"));
            }
            end += extent;
        }
        if end != axis.extent {
            return Err(format!("{end} of {axis:?}"));
        }
        boxes *= known.len() as u128;
    }
    if boxes == firsts.len() as u128 {
        Ok(())
    } else {
        Err(format!("{} parts of a grid of {boxes}", firsts.len()))
    }
}

fn some_steps(case: &Case, phase: &Phase, steps: &Steps<'_>, rng: &mut Rng) -> Result<(), String> {
    let whole = &phase.whole;
    let (first, taken) = part(case, phase, steps, 0)?;
    let chunks = |axis: &Axis, chunk: i64| (axis.extent + chunk - 1) / chunk;
    let grid = whole.axes.iter().zip(&first.extents);
    let boxes: u128 = grid
        .map(|(axis, chunk)| u128::from(chunks(axis, *chunk).cast_unsigned()))
        .product();
    if boxes * u128::from(taken) != phase.count.into() {
        return Err(format!("{} steps for {boxes} parts", phase.count));
    }
    let parts = phase.count / taken;
    let mut numbers = BTreeSet::from([0, parts - 1]);
    while (numbers.len() as u64) < between(phase.count).min(parts) {
        numbers.insert(rng.below(parts));
    }
    let mut firsts = HashSet::new();
    for number in numbers {
        let (part, _) = part(case, phase, steps, number * taken)?;
        for (i, axis) in whole.axes.iter().enumerate() {
            // An axis may be walked from its other end.
            let from_end = first.first[i] > 0;
            let place = part.first[i];
            let at = if from_end {
                axis.extent - place - part.extents[i]
            } else {
                place
            };
            let chunk = first.extents[i];
            let in_grid = at % chunk == 0 && part.extents[i] == chunk.min(axis.extent - at);
            let ends = match number {
                0 => at == 0,
                n if n == parts - 1 => at + part.extents[i] == axis.extent,
                _ => true,
            };
            if !in_grid || !ends {
                return Err(format!("part {number}: {part:?} of {axis:?} by {chunk}"));
            }
        }
        if !firsts.insert(part.first) {
            return Err(format!("part {number} is made twice"));
        }
    }
    Ok(())
}

/// `Ok` iff an invocation for each bit, and no other, copies it, as the definition has it.
fn walks(case: &Case, scratch: u64, steps: &Steps<'_>) -> Result<(), String> {
    let mut found = None;
    for phase in phases(case, scratch, steps) {
        let steps = (0..phase.count).map_while(|k| (steps.step)(phase.first + k));
        found = Some(walk::walked(steps, found.as_ref())?);
    }
    let found = found.unwrap_or_default();
    let defined = walk::defined(case.width, &case.src, &case.dst);
    if found == defined {
        return Ok(());
    }
    let (left, wrong): (Vec<_>, Vec<_>) = (
        defined
            .iter()
            .filter(|(to, _)| !found.contains_key(to))
            .collect(),
        found
            .iter()
            .filter(|(to, from)| defined.get(to) != Some(from))
            .collect(),
    );
    Err(format!("not copied: {left:.100?}; wrongly: {wrong:.100?}"))
}

/// How many steps are judged of one of so many that are not all judged.
fn between(count: u64) -> u64 {
    if count > ALL_STEPS {
        BETWEEN
    } else {
        FEWER_BETWEEN
    }
}

fn is_few(case: &Case, plan: &Plan) -> bool {
    let bits = case.dst.numel().saturating_mul(case.width.bits().into());
    bits <= FEW_BITS && plan.step_count() <= FEW_STEPS
}

/// What a run met.
#[derive(Default, Debug)]
struct Met {
    plans: u64,
    refused: u64,
    whole: u64,
    walked: u64,
    sampled: u64,
    over_a_million: u64,
    through_scratch: u64,
    steps: u64,
    rungs: BTreeMap<String, u64>,
}

fn judge(case: &Case, rng: &mut Rng, met: &mut Met) -> Result<(), String> {
    let plan = match Plan::new(&case.problem(), &case.options) {
        Ok(plan) => plan,
        Err(Error::Rung { .. }) if case.may_be_refused() => {
            met.refused += 1;
            return Ok(());
        }
        Err(error) => return Err(error.to_string()),
    };
    let count = plan.step_count();
    let steps = Steps {
        count,
        step: &|k| plan.step(k),
    };
    met.plans += 1;
    *met.rungs.entry(plan.rung().to_string()).or_default() += 1;
    if case.dst.numel() == 0 || count == 0 {
        let nothing = case.dst.numel() == 0 || case.one_buffer && case.src == case.dst;
        return if nothing && count == 0 {
            Ok(())
        } else {
            Err(format!("{count} steps"))
        };
    }
    let all = count <= MANY_STEPS || count <= ALL_STEPS && rng.once_in(count / 100);
    let scratch = plan.scratch_bytes();
    met.through_scratch += u64::from(scratch > 0);
    tiles(case, scratch, &steps, all, rng).map_err(|why| format!("{why}\n{plan}"))?;
    if let Some(step) = plan.step(count).or(plan.step(u64::MAX)) {
        return Err(format!("a step past the last: {step:?}\n{plan}"));
    }
    met.steps += if all { count } else { between(count) };
    *(if all {
        &mut met.whole
    } else {
        &mut met.sampled
    }) += 1;
    met.over_a_million += u64::from(count > ALL_STEPS);
    if is_few(case, &plan) {
        met.walked += 1;
        walks(case, scratch, &steps).map_err(|why| format!("{why}\n{plan}"))?;
    }
    Ok(())
}

#[test]
fn plans_of_any_size_cover_their_copies_exactly() {
    let (seed, wanted) = (seed("plan_cover"), problems_wanted());
    let mut rng = Rng::new(seed);
    let mut met = Met::default();
    for number in 0..wanted {
        let case = Case::random(&mut rng);
        if let Err(why) = judge(&case, &mut rng, &mut met) {
            panic!("problem {number}: {why}\n{case:?}");
        }
    }
    println!("plan_cover: {met:?}");
    let often = |count: u64, of: u64| count * of >= wanted;
    if wanted >= 10_000 {
        // No part of this is to be met by chance alone.
        assert!(often(met.plans, 2) && often(met.whole, 3), "{met:?}");
        assert!(often(met.walked, 20) && often(met.sampled, 50), "{met:?}");
        assert!(often(met.over_a_million, 100), "{met:?}");
        assert!(often(met.through_scratch, 200), "{met:?}");
        for rung in restride::plan::Rung::ALL {
            let times = met.rungs.get(rung.name()).copied().unwrap_or_default();
            assert!(often(times, 1_000), "{rung}: {met:?}");
        }
    }
}

/// Rows of gather have one axis that nothing divides by, however long. Of three and more it is still the last.
#[test]
fn a_long_axis_of_a_row_is_not_divided_by() {
    for axes in 3..=7 {
        // Of 2-bit elements: a long axis backwards around short ones, of which the source repeats some.
        let mut shape = vec![2; axes];
        shape[0] = (1 << 29) >> (axes - 1);
        let dst = Layout::contiguous(&shape).unwrap();
        let mut strides = vec![0; axes];
        (strides[0], strides[axes - 1]) = (-4, 2);
        let src = Layout::strided(4 * shape[0] + 4, &strides, &shape).unwrap();
        let case = Case::between(Width::new(2).unwrap(), src, dst, Limits::BASELINE);
        let plan = Plan::new(&case.problem(), &case.options).unwrap();
        let gathers =
            |step| matches!(step, Step::Dispatch(d) if d.program.kernel == Kernel::Gather);
        assert!(plan.steps().all(gathers), "{plan}");
        let mut rng = Rng::new(1);
        judge(&case, &mut rng, &mut Met::default()).unwrap_or_else(|e| panic!("{axes}: {e}"));
    }
}

/// A fault in a dispatch, and whether it is one there: a step that is never taken may be anything.
type Plant = fn(&mut Dispatch) -> bool;

fn has_rows(dispatch: &Dispatch) -> bool {
    matches!(
        dispatch.program.kernel,
        Kernel::Rows | Kernel::Quads | Kernel::Gather | Kernel::Pack | Kernel::Weave
    )
}

/// Faults that some dispatch of any plan of any kernel would have if the planner made them.
const PLANTS: [(&str, Plant); 18] = [
    ("source base", |d| {
        d.params.src_base ^= 1;
        true
    }),
    ("destination base", |d| {
        d.params.dst_base ^= 1;
        true
    }),
    ("groups with work", |d| {
        d.params.group_count -= 1;
        true
    }),
    ("split extent", |d| {
        d.params.split_extent -= 1;
        // Of a row's words, one more may be counted than it has.
        d.params.cell_axis != 5
    }),
    ("split step of the source", |d| {
        d.params.split_src ^= 64;
        d.params.split_lanes > 1 || d.params.lane_at[2] > 0 && d.params.split_extent > 1
    }),
    ("item step of the destination", |d| {
        d.params.item_dst += 1;
        // Beyond a lane's first item there may be none.
        d.program.items > 1 && d.params.split_extent > d.params.item_at
    }),
    ("place of an item", |d| {
        d.params.item_at += 1;
        d.program.items > 1
    }),
    ("place of a lane", |d| {
        d.params.lane_at[2] ^= 1;
        d.params.split_lanes > 1
    }),
    ("extent across", |d| {
        d.params.across_extent -= 1;
        // As above.
        d.params.cell_axis != 4 || d.program.kernel == Kernel::Blocks
    }),
    ("place of a group", |d| {
        d.params.group_at += 1;
        true
    }),
    ("rows", |d| {
        d.params.run_bits -= d.program.unit_bits.min(d.params.run_bits);
        has_rows(d)
    }),
    ("rows of blocks", |d| {
        d.params.block_rows = d.params.block_rows.saturating_sub(1);
        d.program.kernel == Kernel::Blocks
    }),
    ("a step between rows of blocks", |d| {
        let at = (d.program.lane_axes + d.program.grid_axes) as usize;
        d.params.axes[at + 1][1] ^= 32;
        d.program.kernel == Kernel::Blocks && d.params.block_rows > 2
    }),
    ("a step between columns of blocks", |d| {
        let at = (d.program.lane_axes + d.program.grid_axes) as usize;
        d.params.axes[at][2] ^= 32;
        d.program.kernel == Kernel::Blocks && d.params.block_columns > 1
    }),
    ("window", |d| {
        d.dst.size_bytes -= d.dst.size_bytes.min(20);
        true
    }),
    ("window's place", |d| {
        d.src.offset_bytes += 256;
        true
    }),
    ("launched groups", |d| {
        d.groups[0] -= 1;
        true
    }),
    ("magic number", |d| {
        for axis in d.params.axes.iter_mut().filter(|axis| axis[3] != 0) {
            axis[3] -= 1;
        }
        true
    }),
];

/// What is planted is noticed in every plan where it is a fault, and where this says that nothing is wrong, so does the walk.
#[test]
fn planted_faults_are_noticed() {
    let mut rng = Rng::new(11);
    let mut noticed = BTreeMap::<&str, u32>::new();
    let mut plans = 0;
    while plans < if cfg!(miri) { 2 } else { 2_000 } {
        let case = Case::random(&mut rng);
        let Ok(plan) = Plan::new(&case.problem(), &case.options) else {
            continue;
        };
        let count = plan.step_count();
        if !(1..=60).contains(&count) {
            continue;
        }
        plans += 1;
        let own = |k| plan.step(k);
        let scratch = plan.scratch_bytes();
        let attempt = |what: &str, count, step: &dyn Fn(u64) -> Option<Step>| {
            let steps = Steps { count, step };
            let tiles = tiles(&case, scratch, &steps, true, &mut Rng::new(1)).is_ok();
            // Where both can judge, what one lets pass the other does too.
            if tiles && is_few(&case, &plan) {
                walks(&case, scratch, &steps)
                    .unwrap_or_else(|e| panic!("{what}: {e}\n{plan}\n{case:?}"));
            }
            tiles
        };
        assert!(attempt("none", count, &own), "{plan}\n{case:?}");
        assert!(!attempt("a step left out", count - 1, &own));
        assert!(!attempt("a step twice", count + 1, &|k| {
            plan.step(k.min(count - 1))
        }));
        let at = rng.below(count);
        let Some(Step::Dispatch(dispatch)) = own(at) else {
            continue;
        };
        for (what, plant) in PLANTS {
            let mut planted = dispatch;
            let fault = plant(&mut planted);
            let step = Step::Dispatch(planted);
            let tiles = attempt(what, count, &|k| if k == at { Some(step) } else { own(k) });
            assert!(!fault || !tiles, "{what} in step {at}\n{plan}\n{case:?}");
            *noticed.entry(what).or_default() += u32::from(!tiles);
        }
    }
    println!("plan_cover: planted faults noticed in {plans} plans: {noticed:?}");
    if !cfg!(miri) {
        assert!(noticed.values().all(|times| *times >= 10), "{noticed:?}");
    }
}
