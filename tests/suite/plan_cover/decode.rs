//! A dispatch as loops over bits, from its uniform block alone and as `shaders/head.wgsl` walks it.
//!
//! Each division is shown exact by its error, each guard to leave out nothing and each index to be met once: what is left is a
//! nest, whose every address is compared with its window.

use restride::plan::{Dispatch, Kernel, Params, Part, Program};

use super::nest::{Axis, Nest};

/// A loop in addresses.
#[derive(Clone, Copy, Debug)]
struct Loop {
    extent: i64,
    src: i64,
    dst: i64,
}

impl Loop {
    const ONE: Self = Self {
        extent: 1,
        src: 0,
        dst: 0,
    };
}

/// What invocations, items and groups walk together.
struct Walked {
    loops: Vec<Loop>,
    /// How many words, quads or pairs of quads of each row are walked.
    cells: i64,
    /// The loops of blocks: across the rows of blocks, and along them.
    across: Loop,
    along: Loop,
}

/// An address step, which wraps.
fn signed(step: u32) -> i64 {
    step.cast_signed().into()
}

/// The bits that a dispatch copies, both of its windows' buffers from their first bit on.
pub(super) fn nest(dispatch: &Dispatch) -> Result<Nest, String> {
    let (p, program) = (&dispatch.params, &dispatch.program);
    let mut walked = walk(p, program)?;
    let unit = i64::from(program.unit_bits);
    let scale = match program.kernel {
        Kernel::Words => unit,
        Kernel::Blocks if program.part == Part::Whole => 32,
        Kernel::Deinterleave | Kernel::Interleave if program.part == Part::Whole => 32,
        _ => 1,
    };
    let mut inner = vec![Axis::bits(unit)];
    match program.kernel {
        Kernel::Words | Kernel::Scatter => {}
        Kernel::Blocks | Kernel::Deinterleave | Kernel::Interleave => {
            blocks(p, program, &mut walked, &mut inner)?;
        }
        Kernel::Rows | Kernel::Quads | Kernel::Gather | Kernel::Pack | Kernel::Weave => {
            row(p, program, &walked, &mut inner)?;
        }
        other => return Err(format!("a kernel of a new kind: {other:?}")),
    }
    let outer = walked.loops.iter().map(|l| Axis {
        extent: l.extent,
        src: l.src * scale,
        dst: l.dst * scale,
    });
    let first = |window: u64, base: u32| window.cast_signed() * 8 + i64::from(base) * scale;
    let nest = Nest::new(
        first(dispatch.src.offset_bytes, p.src_base),
        first(dispatch.dst.offset_bytes, p.dst_base),
        inner.into_iter().chain(outer),
    );
    in_windows(dispatch, &nest)?;
    Ok(nest)
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

/// Whether `n · magic >> shift` is `n / divisor` for every `n < count`.
fn divides(divisor: u64, magic: u64, shift: u32, count: u64) -> bool {
    let (product, power) = (u128::from(divisor) * u128::from(magic), 1_u128 << shift);
    product >= power && (product - power) * u128::from(count.max(1) - 1) < power
}

/// The extent of a grid or run axis, which `divide` divides numbers below `count` by.
fn extent(axis: [u32; 4], count: u64) -> Result<i64, String> {
    let (divisor, shift) = (axis[0] & 0x03ff_ffff, axis[0] >> 26);
    let exact = if axis[3] == 0 {
        divisor == 1
    } else {
        divides(divisor.into(), axis[3].into(), 32 + shift, count)
    };
    ensure(exact && count <= 1 << 31, || {
        format!("{axis:?} does not divide numbers below {count}")
    })?;
    Ok(divisor.into())
}

/// The loops of `locate` and `next`, each index of them met by exactly one item.
fn walk(p: &Params, program: &Program) -> Result<Walked, String> {
    let (lane_axes, grid_axes) = (program.lane_axes as usize, program.grid_axes as usize);
    let as_loop = |extent: i64, axis: [u32; 4]| Loop {
        extent,
        src: signed(axis[1]),
        dst: signed(axis[2]),
    };
    // Lanes: digits, and what is left.
    let mut lanes: Vec<Loop> = Vec::new();
    let mut whole = u64::from(p.split_lanes);
    for axis in &p.axes[..lane_axes] {
        let exact = divides(axis[0].into(), axis[3].into(), 16, program.lanes.into());
        ensure(exact, || format!("{axis:?} does not divide lanes"))?;
        whole *= u64::from(axis[0]);
        lanes.push(as_loop(axis[0].into(), *axis));
    }
    ensure(whole > 0 && whole <= program.lanes.into(), || {
        format!("{whole} lanes of {}", program.lanes)
    })?;
    lanes.push(Loop {
        extent: p.split_lanes.into(),
        src: signed(p.split_src),
        dst: signed(p.split_dst),
    });
    // Groups: digits of a number that ends where they do.
    let mut grid: Vec<Loop> = Vec::new();
    let mut groups = 1_u64;
    for axis in &p.axes[lane_axes..lane_axes + grid_axes] {
        if *axis == [0; 4] {
            // Met with nothing left to divide, if the axes before have used all up.
            break;
        }
        let extent = extent(*axis, p.group_count.into())?;
        groups = groups.saturating_mul(extent.cast_unsigned());
        grid.push(as_loop(extent, *axis));
    }
    ensure(groups == u64::from(p.group_count), || {
        format!("{} groups for {groups}", p.group_count)
    })?;
    let mut grid = grid.into_iter();
    let mut others: Vec<Loop> = Vec::new();
    // The split axis: lanes, items and groups.
    let mut at: Vec<(u32, Loop)> = Vec::new();
    let mut free = vec![true; lanes.len()];
    let weights = [
        (0, p.lane_at[0]),
        (1, p.lane_at[1]),
        (lane_axes, p.lane_at[2]),
    ];
    for (lane, weight) in weights.into_iter().filter(|(_, weight)| *weight > 0) {
        let counts = *lanes.get(lane).ok_or("no lanes for the split axis")?;
        ensure(lane == lane_axes || lane < lane_axes.min(2), || {
            format!("lane axis {lane} of {lane_axes}")
        })?;
        free[lane] = false;
        at.push((weight, counts));
    }
    if program.items > 1 {
        let items = Loop {
            extent: program.items.into(),
            src: signed(p.item_src),
            dst: signed(p.item_dst),
        };
        at.push((p.item_at, items));
    }
    let first = grid.next();
    if p.group_at > 0 {
        at.push((p.group_at, first.ok_or("no grid axis for the split axis")?));
    } else {
        others.extend(first);
    }
    let along = one_axis(at, p.split_extent)?;
    // The axis across: lanes and groups.
    let mut across: Vec<(u32, Loop)> = Vec::new();
    if let Some(lane) = counter(p.across_axis, lane_axes)? {
        ensure(free[lane], || "lanes counted twice".into())?;
        free[lane] = false;
        across.push((1, lanes[lane]));
    }
    if p.group_across > 0 {
        let groups = grid.next().ok_or("no grid axis for the axis across")?;
        across.push((p.group_across, groups));
    }
    let across = one_axis(across, p.across_extent)?;
    // What counts the words of rows steps over nothing.
    let in_rows = matches!(
        program.kernel,
        Kernel::Rows | Kernel::Quads | Kernel::Gather | Kernel::Pack | Kernel::Weave
    );
    let mut cells = 1;
    let mut walked = [along, across];
    if in_rows {
        let words = match p.cell_axis {
            4 => std::mem::replace(&mut walked[1], Loop::ONE),
            5 => std::mem::replace(&mut walked[0], Loop::ONE),
            code => match counter(code, lane_axes)? {
                Some(lane) => {
                    ensure(free[lane], || "lanes counted twice".into())?;
                    free[lane] = false;
                    lanes[lane]
                }
                None => Loop::ONE,
            },
        };
        ensure(
            words.extent == 1 || (words.src == 0 && words.dst == 0),
            || "words of a row that step".into(),
        )?;
        cells = words.extent;
    } else if matches!(
        program.kernel,
        Kernel::Blocks | Kernel::Deinterleave | Kernel::Interleave
    ) {
        ensure(p.cell_axis == 4, || "blocks that nothing counts".into())?;
    }
    let free = (0..lanes.len()).filter(|lane| free[*lane]);
    let free: Vec<Loop> = free.map(|lane| lanes[lane]).collect();
    let mut loops: Vec<Loop> = free.into_iter().chain(others).chain(grid).collect();
    loops.extend(walked);
    Ok(Walked {
        loops,
        cells,
        across,
        along,
    })
}

/// The lane digit that a code of the uniform block names.
fn counter(code: u32, lane_axes: usize) -> Result<Option<usize>, String> {
    match code {
        0 => Ok(None),
        1 | 2 if code as usize <= lane_axes => Ok(Some(code as usize - 1)),
        3 => Ok(Some(lane_axes)),
        other => Err(format!("a counter of a new kind: {other}")),
    }
}

/// The axis of `extent` whose places loops make, each once, that each advance so much on it.
fn one_axis(mut loops: Vec<(u32, Loop)>, extent: u32) -> Result<Loop, String> {
    loops.sort_by_key(|(weight, _)| *weight);
    let unit = loops.first().map_or(Loop::ONE, |(_, unit)| *unit);
    let mut covered: i64 = 1;
    for (weight, digit) in loops {
        let same = |step: i64, of: i64| (step - of * covered).rem_euclid(1 << 32) == 0;
        let continues =
            digit.extent == 1 || (same(digit.src, unit.src) && same(digit.dst, unit.dst));
        ensure(i64::from(weight) == covered && continues, || {
            format!("{digit:?} after {covered} of {unit:?}")
        })?;
        covered = covered.saturating_mul(digit.extent);
    }
    ensure(covered >= extent.into() && covered < 1 << 32, || {
        format!("{covered} places of {extent} along {unit:?}")
    })?;
    Ok(Loop {
        extent: extent.into(),
        ..unit
    })
}

/// Blocks: their rows and columns are the units of the loops across and along them.
fn blocks(
    p: &Params,
    program: &Program,
    walked: &mut Walked,
    inner: &mut Vec<Axis>,
) -> Result<(), String> {
    let unit = i64::from(program.unit_bits);
    let chunk: i64 = match unit {
        ..=2 => 1,
        6 | 12 | 24 | 48 => 3,
        _ => 4,
    };
    let side = chunk * 32 / unit;
    if program.kernel != Kernel::Blocks {
        return threes(p, program, side, walked, inner);
    }
    // Addresses of blocks whose rows start within words count bits, of others words.
    let scale = match program.part {
        Part::Whole => 32,
        Part::Interior if unit < 32 => 1,
        part => return Err(format!("blocks of {part:?}")),
    };
    let chunk = chunk * 32 / scale;
    let (rows, columns) = (i64::from(p.block_rows), i64::from(p.block_columns));
    let [row_steps, column_steps] = steps(p, program);
    let [row_parts, column_parts] = [parts(rows, row_steps)?, parts(columns, column_steps)?];
    let across = walked.across;
    let along = walked.along;
    let next = side.ilog2() as usize;
    let fits = across.extent == (rows + side - 1) / side
        && along.extent == (columns + side - 1) / side
        && (across.extent == 1 || same(across.src, row_steps[next]) && across.dst == chunk)
        && (along.extent == 1 || along.src == chunk && same(along.dst, column_steps[next]));
    ensure(fits, || {
        format!("blocks of {rows} by {columns} units in {across:?} and {along:?}")
    })?;
    // The columns of a block that has not all rows are written in a loop, from one to the next.
    let whole = program.part == Part::Whole;
    let turns =
        (row_parts.len() == 1 || whole) && (column_parts.len() == 1 || whole && rows % side == 0);
    ensure(turns, || {
        format!("{rows} rows {row_parts:?} of columns {column_parts:?}")
    })?;
    let others = walked.loops.len() - 2;
    walked.loops.truncate(others);
    inner.extend(row_parts.iter().map(|&(extent, number, step)| Axis {
        extent,
        src: step * scale,
        dst: unit * number,
    }));
    inner.extend(column_parts.iter().map(|&(extent, number, step)| Axis {
        extent,
        src: unit * number,
        dst: step * scale,
    }));
    Ok(())
}

/// Whether steps are the same as addresses wrap.
fn same(step: i64, of: i64) -> bool {
    (step - of).rem_euclid(1 << 32) == 0
}

/// The steps between rows of a block, and between columns, whose numbers differ in a bit.
fn steps(p: &Params, program: &Program) -> [[i64; 6]; 2] {
    let first = (program.lane_axes + program.grid_axes) as usize;
    [1, 2].map(|which| std::array::from_fn(|bit| signed(p.axes[first + bit][which])))
}

/// The axes that `count` rows or columns are: extent, and from one place to the next the number and the step.
fn parts(count: i64, steps: [i64; 6]) -> Result<Vec<(i64, i64, i64)>, String> {
    let mut parts = vec![(count, 1, steps[0])];
    for (bit, &found) in steps.iter().enumerate().skip(1) {
        let number = 1 << bit;
        let Some((extent, first, step)) = parts.last_mut().filter(|_| number < count) else {
            break;
        };
        if same(found, *step * (number / *first)) {
            continue;
        }
        *extent = number / *first;
        ensure(count % number == 0, || {
            format!("{count} places by steps {steps:?}")
        })?;
        parts.push((count / number, number, found));
    }
    Ok(parts)
}

/// Elements of three units: `side` of them are three chunks of the one side, and a chunk of each of three rows of the other.
fn threes(
    p: &Params,
    program: &Program,
    side: i64,
    walked: &mut Walked,
    inner: &mut Vec<Axis>,
) -> Result<(), String> {
    let unit = i64::from(program.unit_bits);
    let (across, along) = (walked.across, walked.along);
    let apart = program.kernel == Kernel::Deinterleave;
    let (elements, three, walks, other) = if apart {
        (p.block_rows, p.block_columns, across, along)
    } else {
        (p.block_columns, p.block_rows, along, across)
    };
    // Addresses count bits where rows start within words, else words.
    let scale = match program.part {
        Part::Whole => 32,
        Part::Interior if unit <= 8 => 1,
        part => return Err(format!("elements of three units, of {part:?}")),
    };
    let chunk = 128 / scale;
    let chunks = if apart {
        (3 * chunk, chunk)
    } else {
        (chunk, 3 * chunk)
    };
    let elements = i64::from(elements);
    // Between the three, which are rows or columns.
    let far = steps(p, program)[usize::from(apart)];
    let fits = three == 3
        && matches!(unit, 4 | 8 | 16 | 32)
        && same(far[1], 2 * far[0])
        && other.extent == 1
        && walks.extent == (elements + side - 1) / side
        && (walks.extent == 1 || (walks.src, walks.dst) == chunks);
    ensure(fits, || {
        format!("{elements} times {three} units in {across:?} and {along:?}")
    })?;
    let others = walked.loops.len() - 2;
    walked.loops.truncate(others);
    let together = 3 * unit;
    let (element, part) = if apart {
        ((together, unit), (unit, far[0] * scale))
    } else {
        ((unit, together), (far[0] * scale, unit))
    };
    for (extent, (src, dst)) in [(elements, element), (3, part)] {
        inner.push(Axis { extent, src, dst });
    }
    Ok(())
}

/// A row of the destination: the loops of its units, if each of its words is made, and made once, by the dispatch and that
/// of the other part.
fn row(
    p: &Params,
    program: &Program,
    walked: &Walked,
    inner: &mut Vec<Axis>,
) -> Result<(), String> {
    let (unit, run) = (i64::from(program.unit_bits), i64::from(p.run_bits));
    ensure(run > 0 && run % unit == 0, || format!("rows of {run} bits"))?;
    let units = run / unit;
    if matches!(
        program.kernel,
        Kernel::Gather | Kernel::Pack | Kernel::Weave
    ) {
        let from = (program.lane_axes + program.grid_axes) as usize;
        let run_axes = &p.axes[from..from + program.run_axes as usize];
        let (last, divided) = run_axes.split_last().ok_or("a row without an axis")?;
        let mut before = 1;
        for axis in divided {
            let extent = extent(*axis, units.cast_unsigned())?;
            inner.push(Axis {
                extent,
                src: signed(axis[1]),
                dst: before * unit,
            });
            before *= extent;
        }
        ensure(units % before == 0, || {
            format!("rows of {units} units by {before}")
        })?;
        inner.push(Axis {
            extent: units / before,
            src: signed(last[1]),
            dst: before * unit,
        });
    } else {
        let step = if program.reversed { -unit } else { unit };
        inner.push(Axis {
            extent: units,
            src: step,
            dst: unit,
        });
    }
    // The latest that a row starts in a word, or in a quad, by what its starts have in common.
    let words_needed = |grain: i64| {
        let starts = walked.loops.iter().filter(|l| l.extent > 1);
        let common = starts.fold(grain, |common, l| {
            common.min(1 << l.dst.trailing_zeros().min(7))
        });
        let latest = i64::from(p.dst_base) % common + grain - common;
        (latest + run + grain - 1) / grain
    };
    let enough = match program.part {
        Part::Whole | Part::Interior => walked.cells >= words_needed(32),
        Part::Quads if matches!(program.kernel, Kernel::Pack | Kernel::Weave) => {
            walked.cells >= words_needed(128)
        }
        Part::Quads => 2 * walked.cells >= words_needed(128),
        Part::Edges => walked.cells == 2,
        Part::QuadEdges => walked.cells == 8,
        _ => false,
    };
    ensure(enough, || {
        format!("{} cells for rows of {run} bits", walked.cells)
    })
}

/// Whether every address is one of its window's, and small enough for what kernels reckon with it.
fn in_windows(dispatch: &Dispatch, nest: &Nest) -> Result<(), String> {
    let program = &dispatch.program;
    let chunk_bytes = match program.unit_bits {
        ..=2 => 4,
        _ => 16,
    };
    // What one access takes of each side.
    let [from, to] = match program.kernel {
        Kernel::Words => [i64::from(program.unit_bits) / 8; 2],
        Kernel::Quads => [16, 4],
        Kernel::Blocks | Kernel::Deinterleave | Kernel::Interleave => {
            [program.wide_src, program.wide_dst].map(|wide| if wide { chunk_bytes } else { 4 })
        }
        _ => [4; 2],
    };
    let bits = match program.kernel {
        Kernel::Words => false,
        Kernel::Blocks | Kernel::Deinterleave | Kernel::Interleave => {
            program.part == Part::Interior
        }
        _ => true,
    };
    let (dst, src) = ((nest.dst, nest.last()), nest.src_reach());
    for (window, (first, last), access) in [(&dispatch.src, src, from), (&dispatch.dst, dst, to)] {
        let size = window.size_bytes.cast_signed();
        let start = window.offset_bytes.cast_signed() * 8;
        let whole = size / access * access * 8;
        ensure(first >= start && last < start + whole, || {
            format!("bits {first} to {last} outside {window:?} of {access}-byte accesses")
        })?;
        // Bits are counted in 31, so that a quad's number has a sign; words in 32.
        let most: i64 = if bits { 1 << 28 } else { 1 << 32 };
        ensure(size <= most, || {
            format!("{window:?} is past the addresses of {program}")
        })?;
    }
    Ok(())
}
