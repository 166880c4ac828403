//! Random plans on the CPU executor: every bit as the reference has it, every dispatch race-free.

use std::collections::BTreeMap;

use restride::cpu;
use restride::plan::{Limits, Plan, Step};

use crate::generator::{Case, Rng, seed, widths};

/// Plans a run: enough that each kernel is met twice as often, at every width, as is asked below.
const PLANS: usize = 150_000;

/// The same, or what `RESTRIDE_PLANS` asks for.
fn plans_wanted() -> usize {
    std::env::var("RESTRIDE_PLANS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(PLANS)
}

/// `Ok` iff `plan` makes of the case's destination what is expected, and passes the audit.
pub(crate) fn run(case: &Case, plan: &Plan) -> Result<(), String> {
    let mut dst = case.dst.clone();
    let src = (!case.one_buffer).then_some(case.src.as_slice());
    cpu::audit(plan, src, &mut dst).map_err(|error| error.to_string())?;
    let differs = dst
        .iter()
        .zip(&case.expected)
        .position(|(found, expected)| found != expected);
    differs.map_or(Ok(()), |at| {
        Err(format!(
            "byte {at} is {:#x}, not {:#x}",
            dst[at], case.expected[at]
        ))
    })
}

#[test]
fn random_plans_are_exact_and_race_free() {
    let mut rng = Rng::new(seed("cpu_exact"));
    let widths = widths(&mut rng);
    let (wanted, mut done, mut tiny) = (plans_wanted(), 0, 0);
    let mut met = BTreeMap::<String, usize>::new();
    while done < wanted {
        let bits = rng.pick(&widths);
        let most = rng.pick(&[2_000, 20_000, 60_000]);
        let case = if rng.once_in(5) {
            Case::random_in_one_buffer(&mut rng, bits, most)
        } else if rng.once_in(6) {
            Case::random_turned(&mut rng, most)
        } else {
            Case::random(&mut rng, bits, most)
        };
        let small = rng.below(2) == 0;
        let limits = if small {
            Limits::TINY
        } else {
            Limits::BASELINE
        };
        for plan in case.plans(limits) {
            if let Err(why) = run(&case, &plan) {
                panic!(
                    "{why}\n{plan}\nwidth {}\nsource {}\ndestination {}",
                    case.width, case.src_layout, case.dst_layout
                );
            }
            let program = match plan.step(0) {
                Some(Step::Dispatch(first)) => first.program.to_string(),
                _ => plan.rung().to_string(),
            };
            let folds = match plan.step(0) {
                Some(Step::Dispatch(first)) => {
                    let at = (first.program.lane_axes + first.program.grid_axes) as usize;
                    let steps =
                        [1, 2].map(|side| [0, 1, 2].map(|bit| first.params.axes[at + bit][side]));
                    steps.into_iter().any(|[one, two, four]| {
                        [one, two].map(|step| step.wrapping_mul(2)) != [two, four]
                    })
                }
                _ => false,
            };
            let mut words = program.split(&[' ', ']'][..]);
            let mut name = words.next().unwrap_or_default().to_owned();
            // Blocks that shift their rows are another kernel.
            if name.contains("blocks") | name.contains("leave[") && words.next() == Some("interior")
            {
                name.push_str(" interior");
            }
            if folds && name.contains("blocks") {
                name.push_str(" folded");
            }
            *met.entry(name).or_default() += 1;
            done += 1;
            tiny += usize::from(small);
        }
    }
    println!("cpu_exact: {done} plans, {tiny} of them under tiny limits");
    println!("cpu_exact: {met:?}");
    if wanted >= PLANS {
        // Every kernel at every width that it has, and the two rungs without one.
        let below = &[1, 2, 4, 8, 16][..];
        let kernels = [
            ("words", &[32, 64, 128][..]),
            ("rows", below),
            ("quads", &[1, 2, 4, 8, 16, 32]),
            ("gather", below),
            ("pack", &[8, 16, 32]),
            ("weave", &[1, 2, 4, 8]),
            ("scatter", below),
            ("blocks", &[1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64]),
            ("blocks  folded", &[1, 2, 4, 8, 16, 32]),
            ("blocks  interior", &[1, 2, 4, 6, 8, 12, 16, 24]),
            ("deinterleave", &[4, 8, 16, 32]),
            ("interleave", &[8, 16, 32]),
            ("deinterleave  interior", &[4, 8]),
            ("interleave  interior", &[8]),
        ];
        for (kernel, widths) in kernels {
            for bits in widths {
                let (kernel, form) = kernel.split_once(' ').unwrap_or((kernel, ""));
                let name = format!("restride::{kernel}[{bits}{form}");
                let times = met.get(&name).copied().unwrap_or_default();
                // Blocks of several axes are no kernel of their own.
                let least = if form == " folded" { 20 } else { 50 };
                assert!(times >= least, "{name} is met {times} times");
            }
        }
        assert!(met.contains_key("native") && met.contains_key("nothing"));
    }
    assert!(
        tiny * 3 >= done,
        "a third of the plans is to be made under tiny limits"
    );
}

#[test]
fn a_planted_wrong_bit_is_found() {
    let mut rng = Rng::new(7);
    let mut case = Case::random(&mut rng, 4, 4_000);
    while case.dst_layout.numel() == 0 {
        case = Case::random(&mut rng, 4, 4_000);
    }
    let plan = case.plans(Limits::BASELINE).remove(0);
    run(&case, &plan).unwrap();
    let bit = usize::try_from(case.dst_layout.offset() * u64::from(case.width.bits())).unwrap();
    case.expected[bit / 8] ^= 1 << (bit % 8);
    run(&case, &plan).unwrap_err();
}
