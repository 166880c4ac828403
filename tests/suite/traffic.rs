//! The traffic model: what it counts, and that transposes use the memory sectors that they touch.

use restride::plan::{Limits, Operand, Options, Plan, Problem, Rung};
use restride::{DType, Layout, cpu};

#[path = "../../src/bin/restride/bench/case.rs"]
#[allow(dead_code, reason = "the bench asks more of a case")]
mod case;
#[path = "../../src/bin/restride/bench/ttc57.rs"]
mod ttc57;
#[path = "../../src/bin/restride/bench/views.rs"]
mod views;

use case::Case;

fn plan(case: &Case, options: &Options) -> Plan {
    let problem = Problem {
        width: case.dtype.width(),
        src: Operand::any(&case.src, case.buffer_bytes(&case.src)),
        dst: Operand::any(&case.dst, case.buffer_bytes(&case.dst)),
        one_buffer: false,
        in_pass: case.in_pass,
    };
    Plan::new(&problem, options).unwrap()
}

fn forced(rung: Rung, dtype: DType, src: Layout) -> cpu::Traffic {
    let options = Options {
        force: Some(rung),
        ..Options::default()
    };
    let case = Case::packed("traffic", "forced", dtype, src).unwrap();
    cpu::traffic(&plan(&case, &options))
}

fn matrix(rows: u64, columns: u64) -> Layout {
    Layout::contiguous(&[rows, columns]).unwrap()
}

#[test]
fn a_contiguous_copy_uses_every_sector_whole() {
    for rung in [Rung::Native, Rung::Rows] {
        for n in [1 << 12, 1 << 24] {
            let traffic = forced(rung, DType::UInt32, Layout::contiguous(&[n]).unwrap());
            assert_eq!(traffic.bytes, 4 * n);
            let sectors = (traffic.read_sectors, traffic.written_sectors);
            assert_eq!(sectors, (n / 8, n / 8), "{rung}");
            assert_eq!(traffic.invocations > 0, rung == Rung::Rows);
        }
    }
}

/// 64 by 64 words, turned word by word: workgroups of 8 by 8, so that a subgroup is 8 words of 4 rows of the destination, and
/// 4 words of 8 rows of the source.
#[test]
fn a_small_transpose_by_words_is_what_a_hand_counts() {
    let traffic = forced(Rung::Scatter, DType::UInt32, matrix(64, 64).transpose());
    assert_eq!(traffic.bytes, 64 * 64 * 4);
    assert_eq!(traffic.invocations, 64 * 64);
    let subgroups = 64 * 64 / 32;
    assert_eq!(traffic.written_sectors, subgroups * 4);
    assert_eq!(traffic.read_sectors, subgroups * 8);
    assert_eq!((traffic.read_share(), traffic.written_share()), (0.5, 1.0));
}

/// Column 3 of rows of 16 words: one word of each sector is used.
#[test]
fn a_lone_column_shows_its_waste() {
    let column = matrix(4096, 16).narrow(1, 3, 1).unwrap();
    let traffic = forced(Rung::Gather, DType::UInt32, column);
    assert_eq!(traffic.read_share(), 0.125);
    assert_eq!(traffic.written_share(), 1.0);
}

#[test]
fn a_transpose_scattered_reads_worse_than_in_squares() {
    let turned = || matrix(4096, 4096).transpose();
    for rung in [Rung::Gather, Rung::Blocks] {
        let squares = forced(rung, DType::UInt32, turned());
        assert_eq!((squares.read_share(), squares.written_share()), (1.0, 1.0));
    }
    let scattered = forced(Rung::Scatter, DType::UInt8, turned());
    assert!(scattered.read_share() < 0.05, "{scattered}");
}

#[test]
fn huge_and_absurd_plans_are_sampled() {
    let side = 1 << 21;
    let huge = Layout::contiguous(&[side, side]).unwrap().transpose();
    let case = Case::packed("traffic", "huge", DType::UInt8, huge).unwrap();
    let tiny = Limits {
        binding_bytes: 4,
        alignment_bytes: 4,
        groups: 1,
        invocations: 1,
        group_size_x: 1,
        ..Limits::TINY
    };
    for limits in [Limits::BASELINE, Limits::TINY, tiny] {
        let options = Options {
            limits,
            ..Options::default()
        };
        let plan = plan(&case, &options);
        let traffic = cpu::traffic(&plan);
        assert_eq!(traffic.bytes, side * side);
        assert!(traffic.read_sectors >= side * side / 32, "{traffic}");
        assert!(traffic.invocations >= plan.step_count(), "{traffic}");
    }
    let none = Layout::contiguous(&[0, 7]).unwrap();
    let nothing = cpu::traffic(&plan(
        &Case::packed("traffic", "none", DType::UInt8, none).unwrap(),
        &Options::default(),
    ));
    assert_eq!((nothing.bytes, nothing.read_sectors), (0, 0));
    assert_eq!((nothing.read_share(), nothing.written_share()), (1.0, 1.0));
}

/// The extent of the axis along which `layout` runs; `None` without one.
fn run(layout: &Layout) -> Option<u64> {
    let mut axes = (0..layout.rank()).filter(|&axis| layout.dim(axis) > 1);
    let unit = axes.find(|&axis| layout.stride(axis) == 1)?;
    Some(layout.dim(unit))
}

/// Whether a step other than that of its runs is no multiple of a sector.
fn is_ragged(layout: &Layout, bits: u64) -> bool {
    let mut axes = (0..layout.rank()).filter(|&axis| layout.dim(axis) > 1);
    axes.any(|axis| {
        let step = layout.stride(axis).unsigned_abs();
        step != 1 && !(step * bits).is_multiple_of(8 * cpu::Traffic::SECTOR_BYTES)
    })
}

/// The least share of touched sectors that a case is to use, on each side.
fn floor(case: &Case) -> f64 {
    let bits = u64::from(case.dtype.bits());
    let sides = [&case.src, &case.dst];
    if sides
        .iter()
        .any(|layout| run(layout).is_none_or(|run| run < 8))
    {
        0.8
    } else if sides.iter().any(|layout| is_ragged(layout, bits)) {
        0.65
    } else if bits == 4 {
        0.8
    } else {
        0.9
    }
}

/// The cases of `views` that are no transposes.
const OTHERS: [&str; 17] = [
    "contiguous",
    "contiguous in a pass",
    "contiguous from 1 element",
    "contiguous from 1 byte",
    "rows of 16 bytes",
    "rows of 64 bytes",
    "rows of 256 bytes",
    "rows of 4096 bytes",
    "row-padded destination",
    "3x3 windows",
    "flip",
    "flip of rows",
    "step 2",
    "step 2 into step 2",
    "into step 2",
    "broadcast of a row",
    "broadcast of a column",
];

/// Transposes that miss their floors, by bits and name, with what they are held to instead: the shares of sectors that they
/// reach, read and written. `benches/README.md` says why.
const MISSES: &[(u32, &str, [f64; 2])] = &[
    (4, "transpose ragged", [0.63, 0.80]),
    (4, "picture transposed", [0.57, 0.76]),
    (4, "picture reversed axes", [0.04, 0.58]),
    (8, "picture transposed", [0.59, 0.76]),
    (8, "picture reversed axes", [0.08, 0.90]),
    (16, "picture transposed", [0.68, 0.88]),
    (16, "picture reversed axes", [0.15, 0.90]),
    (32, "picture transposed", [0.77, 0.88]),
    (32, "picture reversed axes", [0.51, 0.84]),
    (64, "picture reversed axes", [0.41, 0.86]),
];

#[test]
fn transposes_use_the_sectors_that_they_touch() {
    let (mut wrong, mut met, mut missed) = (Vec::new(), 0, 0);
    for dtype in [
        DType::UInt4,
        DType::UInt8,
        DType::UInt16,
        DType::UInt32,
        DType::UInt64,
    ] {
        let mut cases = ttc57::cases(64 << 20, &[dtype]).unwrap();
        let views = views::cases(64 << 20, &[dtype]).unwrap();
        let transposes = views
            .into_iter()
            .filter(|case| !OTHERS.contains(&case.name.as_str()));
        cases.extend(transposes);
        assert_eq!(cases.len(), 57 + 14);
        for case in cases {
            let plan = plan(&case, &Options::default());
            let traffic = cpu::traffic(&plan);
            let shares = [traffic.read_share(), traffic.written_share()];
            let [read, written] = shares.map(|share| 100.0 * share);
            println!("{} {}: {read:.1} % / {written:.1} %", case.dtype, case.name);
            let named =
                |miss: &&(u32, &str, [f64; 2])| miss.0 == case.dtype.bits() && miss.1 == case.name;
            let (floor, miss) = (floor(&case), MISSES.iter().find(named));
            let (floors, count) = match miss {
                Some(miss) => (miss.2, &mut missed),
                None => ([floor; 2], &mut met),
            };
            *count += 1;
            let below = shares
                .iter()
                .zip(floors)
                .any(|(share, floor)| *share < floor);
            // A named case that meets its floor is no miss: the list must not outlive its reasons.
            let cured = miss.is_some() && shares.iter().all(|share| *share >= floor);
            if below || cured {
                let (bits, name, rung) = (case.dtype.bits(), &case.name, plan.rung());
                let [read, written] = shares;
                wrong.push(format!(
                    "({bits}, \"{name}\", [{read:.3}, {written:.3}]), // floor {floor}, {rung}"
                ));
            }
        }
    }
    println!("traffic: {met} transposes meet their floors, {missed} miss them");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert_eq!(missed, MISSES.len());
}
