//! Cases for the JavaScript package, as lines of JSON for `web/test`: copies with the bytes that they must give, which JavaScript
//! plans itself, and problems with the plan that Rust makes of each, which its planner must make byte for byte.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use restride::plan::{Limits, Operand, Options, Plan, Problem, Program, Rung, RungSet};
use restride::{DType, Layout, Width};
use serde_json::{Value, json};

use crate::generator::{Case, Rng, seed, widths};

/// Copies handed over.
const COPIES: usize = 2_400;

/// Problems handed over with their plans.
const PLANS: usize = 10_000;

/// The most steps of a plan that is handed over: one of more is refused, here and there.
const MAX_STEPS: u64 = 200;

fn base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

/// A file of `target` that is filled line by line.
fn file(name: &str) -> BufWriter<File> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/target");
    fs::create_dir_all(folder).unwrap();
    BufWriter::new(File::create(format!("{folder}/{name}")).unwrap())
}

/// The name of a dtype of that width.
fn dtype(rng: &mut Rng, width: Width) -> String {
    let named: Vec<_> = DType::ALL.iter().filter(|d| d.width() == width).collect();
    if named.is_empty() || rng.once_in(2) {
        DType::Bits(width).to_string()
    } else {
        rng.pick(&named).to_string()
    }
}

fn layout(layout: &Layout) -> Value {
    json!({ "shape": layout.shape(), "strides": layout.strides(), "offset": layout.offset() })
}

/// Small limits with the alignment that every browser grants.
const TINY: Limits = Limits {
    alignment_bytes: 256,
    ..Limits::TINY
};

/// The options that make `plan`, of one made under `limits`, in JavaScript's words.
fn options(plan: &Plan, limits: Limits) -> Value {
    let mut options = json!({});
    if plan.rung() != Rung::Nothing {
        options["force"] = json!(plan.rung().name());
    }
    if limits == TINY {
        options["limits"] = json!({
            "maxStorageBufferBindingSize": TINY.binding_bytes,
            "maxComputeWorkgroupsPerDimension": TINY.groups,
        });
    }
    options
}

#[test]
fn copies_are_written() {
    let seed = seed("web_cases::copies");
    let mut file = file("web-cases.jsonl");
    writeln!(file, "{}", json!({ "type": "seed", "seed": seed })).unwrap();
    let mut rng = Rng::new(seed);
    let widths = widths(&mut rng);
    let mut copies = 0;
    while copies < COPIES {
        let bits = rng.pick(&widths);
        let most = rng.pick(&[2_000, 20_000]);
        let case = if rng.once_in(8) {
            Case::random_overlapping(&mut rng, bits, most)
        } else if rng.once_in(6) {
            Case::random_in_one_buffer(&mut rng, bits, most)
        } else {
            Case::random(&mut rng, bits, most)
        };
        let limits = if rng.once_in(3) {
            TINY
        } else {
            Limits::BASELINE
        };
        // Every rung that covers the copy.
        for plan in case.plans(limits) {
            if plan.step_count() > MAX_STEPS {
                continue;
            }
            let options = options(&plan, limits);
            let record = json!({
                "type": "copy",
                "name": format!("copy {copies}: {} bits, {} <- {}, {options}", case.width, case.dst_layout, case.src_layout),
                "dtypes": [dtype(&mut rng, case.width), dtype(&mut rng, case.width)],
                "layouts": [layout(&case.src_layout), layout(&case.dst_layout)],
                "oneBuffer": case.one_buffer,
                "src": base64(&case.src),
                "dst": base64(&case.dst),
                "expected": base64(&case.expected),
                "options": options,
            });
            writeln!(file, "{record}").unwrap();
            copies += 1;
        }
    }
    println!("web_cases: {copies} copies");
}

/// A problem as the planner of `web/planner` takes it: numbers and lines of text.
fn request(problem: &Problem<'_>, options: &Options) -> (Vec<i64>, String) {
    let limits = options.limits;
    let small = |value: u64| i64::try_from(value).unwrap();
    let mut numbers = vec![
        problem.one_buffer.into(),
        problem.in_pass.into(),
        small(limits.binding_bytes),
        small(limits.alignment_bytes),
        small(limits.uniform_alignment_bytes),
        small(limits.uniform_bytes),
        small(limits.buffer_bytes),
        limits.groups.into(),
        limits.invocations.into(),
        limits.group_size_x.into(),
        small(options.max_steps),
        small(options.max_scratch_bytes),
    ];
    for side in [&problem.src, &problem.dst] {
        let layout = side.layout;
        numbers.extend([
            small(side.buffer_bytes),
            side.storage.into(),
            side.copy.into(),
        ]);
        numbers.extend([small(layout.rank() as u64), 1, small(layout.offset())]);
        numbers.extend(layout.shape().iter().map(|extent| small(*extent)));
        numbers.extend(layout.strides());
    }
    let force = options.force.map_or("", Rung::name);
    let without = Rung::ALL
        .into_iter()
        .filter(|rung| options.without.contains(*rung));
    let without: Vec<_> = without.map(Rung::name).collect();
    let dtype = format!("bits({})", problem.width);
    (
        numbers,
        format!("{dtype}\n{dtype}\n{force}\n{}", without.join(",")),
    )
}

/// A limit between the smallest that serve and the baseline's.
fn limits(rng: &mut Rng) -> Limits {
    match rng.below(3) {
        0 => Limits::BASELINE,
        1 => Limits::TINY,
        _ => Limits {
            binding_bytes: 256 << rng.below(20),
            alignment_bytes: 4 << rng.below(7),
            groups: u32::try_from(rng.pick(&[1, 5, 1_000, 65_535])).unwrap(),
            invocations: u32::try_from(rng.pick(&[16, 64, 128, 256, 1_024])).unwrap(),
            ..Limits::BASELINE
        },
    }
}

/// The layout with every step, and the first place, `times` as far.
fn spread(layout: &Layout, times: i64) -> Layout {
    let strides: Vec<_> = layout
        .strides()
        .iter()
        .map(|stride| stride * times)
        .collect();
    Layout::strided(
        layout.offset() * times.unsigned_abs(),
        &strides,
        layout.shape(),
    )
    .unwrap()
}

#[test]
fn plans_are_written() {
    let seed = seed("web_cases::plans");
    let mut file = file("web-plans.jsonl");
    writeln!(file, "{}", json!({ "type": "seed", "seed": seed })).unwrap();
    let modules: BTreeMap<_, _> = Program::all()
        .into_iter()
        .map(|program| (program.module_id(), program))
        .collect();
    for (id, program) in &modules {
        let record = json!({ "type": "shader", "id": id, "code": program.source() });
        writeln!(file, "{record}").unwrap();
    }
    let mut rng = Rng::new(seed);
    let (mut encoded, mut refused) = (0, 0);
    for _ in 0..PLANS {
        let bits = u32::try_from(rng.below(128)).unwrap() + 1;
        let bits = rng.pick(&[1, 2, 4, 8, 16, 24, 32, 64, 128, bits]);
        let one_buffer = rng.once_in(5);
        let case = if one_buffer && rng.once_in(2) {
            Case::random_overlapping(&mut rng, bits, 4_000)
        } else if one_buffer {
            Case::random_in_one_buffer(&mut rng, bits, 4_000)
        } else {
            Case::random(&mut rng, bits, 4_000)
        };
        // Now and then far apart: positions that no 32-bit number holds.
        let far = !one_buffer && rng.once_in(4);
        let times = if far { 1 << rng.below(34) } else { 1 };
        let (src, dst) = (
            spread(&case.src_layout, times),
            spread(&case.dst_layout, times),
        );
        let bytes = |layout: &Layout, given: &[u8]| {
            let needed = case.width.bytes_for(layout.span().end).next_multiple_of(4);
            needed.max(given.len() as u64)
        };
        let usages = if rng.once_in(6) { rng.below(16) } else { 0 };
        let side = |layout, buffer_bytes, usages: u64| Operand {
            layout,
            buffer_bytes,
            storage: usages & 1 == 0 || usages & 2 == 0,
            copy: usages & 2 == 0,
        };
        let problem = Problem {
            width: case.width,
            src: side(&src, bytes(&src, &case.src), usages & 3),
            dst: side(&dst, bytes(&dst, &case.dst), usages >> 2),
            one_buffer,
            in_pass: rng.once_in(3),
        };
        let options = Options {
            limits: limits(&mut rng),
            force: rng.once_in(6).then(|| rng.pick(&Rung::ALL)),
            without: if rng.once_in(4) {
                RungSet::EMPTY.with(rng.pick(&Rung::ALL))
            } else {
                RungSet::EMPTY
            },
            max_steps: MAX_STEPS,
            max_scratch_bytes: rng.pick(&[0, 100, 1 << 53]),
        };
        let (numbers, text) = request(&problem, &options);
        let result = Plan::new(&problem, &options).and_then(|plan| plan.encode());
        let answer = match result {
            Ok(bytes) => {
                encoded += 1;
                json!({ "plan": base64(&bytes) })
            }
            Err(error) => {
                refused += 1;
                json!({ "error": error.to_string() })
            }
        };
        let record = json!({ "type": "plan", "numbers": numbers, "text": text, "answer": answer });
        writeln!(file, "{record}").unwrap();
    }
    println!("web_cases: {encoded} plans, {refused} refusals");
    assert!(encoded > PLANS * 2 / 3, "too few plans among them");
}
