//! Cases for Dawn, which refuses what naga and wgpu let pass: every program, and random copies, as lines of JSON for
//! `tests/dawn/run.mjs`.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{BufWriter, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use restride::plan::{Access, Limits, Plan, Program, Route, Rung, Step, Window};
use serde_json::{Value, json};

use crate::generator::{Case, Rng, seed, widths};

/// Copies handed over, whatever they do.
const COPIES: usize = 1_200;

/// Copies handed over besides, between views of one buffer whose spans meet.
const OVERLAPPING: usize = 1_000;

/// Copies looked at afterwards, of which those are handed over that name a program which none did before.
const SOUGHT: usize = 15_000;

/// Small limits with the alignment that every browser grants.
const TINY: Limits = Limits {
    alignment_bytes: 256,
    ..Limits::TINY
};

fn base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

fn window(window: &Window) -> Value {
    json!({ "offset": window.offset_bytes, "size": window.size_bytes })
}

fn route(route: Route) -> &'static str {
    match route {
        Route::Direct => "direct",
        Route::IntoScratch => "into",
        Route::FromScratch => "out",
    }
}

fn step(step: &Step) -> Value {
    match step {
        Step::Native(copy) => json!({ "route": route(copy.route), "native": {
            "src_byte": copy.src_bytes, "dst_byte": copy.dst_bytes, "bytes": copy.size_bytes,
        } }),
        Step::Dispatch(dispatch) => json!({
            "route": route(dispatch.route),
            "pipeline": dispatch.program.to_string(),
            "params": base64(dispatch.params.bytes()),
            "src": window(&dispatch.src),
            "dst": window(&dispatch.dst),
            "groups": dispatch.groups,
        }),
        _ => panic!("a step of an unknown kind"),
    }
}

fn copy(name: &str, case: &Case, plan: &Plan) -> Value {
    json!({
        "type": "copy",
        "name": name,
        "one_buffer": case.one_buffer,
        "scratch": plan.scratch_bytes(),
        "src": base64(&case.src),
        "dst": base64(&case.dst),
        "expected": base64(&case.expected),
        "steps": plan.steps().map(|s| step(&s)).collect::<Vec<_>>(),
    })
}

#[test]
fn cases_are_written() {
    let seed = seed("dawn_cases");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/target");
    fs::create_dir_all(folder).unwrap();
    let mut file = BufWriter::new(File::create(format!("{folder}/dawn-cases.jsonl")).unwrap());
    let mut line = |record: Value| writeln!(file, "{record}").unwrap();
    line(json!({ "type": "seed", "seed": seed }));
    let mut modules = HashMap::new();
    for program in Program::all() {
        let module = modules.entry(program.module()).or_insert_with(|| {
            let name = program.module().to_string();
            line(json!({ "type": "module", "name": name, "code": program.source() }));
            name
        });
        line(json!({
            "type": "pipeline",
            "name": program.to_string(),
            "module": module,
            "entry": "main",
            "constants": program.constants().into_iter().collect::<HashMap<_, _>>(),
            "layout": match program.access {
                Access::Two => "two",
                Access::TwoWritable => "two_rw",
                Access::One => "one",
                _ => panic!("an unknown access"),
            },
        }));
    }
    let mut rng = Rng::new(seed);
    let widths = widths(&mut rng);
    let (mut copies, mut overlapping, mut sought) = (0, 0, 0);
    let mut named = HashSet::new();
    while sought < SOUGHT {
        let bits = rng.pick(&widths);
        let any = copies < COPIES + OVERLAPPING;
        let most = rng.pick(if any {
            &[2_000, 20_000]
        } else {
            &[5_000, 50_000]
        });
        let overlaps = copies >= COPIES && (any || rng.once_in(2));
        sought += usize::from(!any);
        let case = if overlaps {
            Case::random_overlapping(&mut rng, bits, most)
        } else if rng.once_in(4) {
            Case::random_in_one_buffer(&mut rng, bits, most)
        } else {
            Case::random(&mut rng, bits, most)
        };
        let limits = if rng.once_in(3) {
            TINY
        } else {
            Limits::BASELINE
        };
        for plan in case
            .plans(limits)
            .into_iter()
            .filter(|plan| plan.step_count() <= 200 && (!overlaps || plan.rung() != Rung::Nothing))
            .take(if overlaps { 2 } else { usize::MAX })
        {
            let mut new = false;
            for step in plan.steps() {
                if let Step::Dispatch(dispatch) = step {
                    new |= named.insert(dispatch.program);
                }
            }
            if !any && !new {
                continue;
            }
            let about = format!(
                "copy {copies}: {} bits, {} <- {}, {plan}",
                case.width, case.dst_layout, case.src_layout
            );
            line(copy(&about, &case, &plan));
            copies += 1;
            overlapping += usize::from(overlaps);
        }
    }
    println!(
        "dawn_cases: {copies} copies by {} programs, {overlapping} of them over views of one buffer whose spans meet",
        named.len()
    );
}
