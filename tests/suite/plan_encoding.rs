//! Encoded plans, read back by a reader of the tests' own.

use std::collections::HashSet;

use restride::plan::{Access, Limits, Options, Params, Plan, Program, Route, Step, Window};
use restride::{Error, Layout, Width};

use crate::generator::{Case, Rng, seed, widths};

/// Random copies whose plans are read back, each under every rung that covers it.
const CASES: usize = 3_000;

/// Reads the words of an encoded plan, in the order that `src/plan/serial.rs` gives.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn word(&mut self) -> u32 {
        let (word, rest) = self.0.split_at(4);
        self.0 = rest;
        u32::from_le_bytes(word.try_into().unwrap())
    }

    fn double(&mut self) -> u64 {
        u64::from(self.word()) | u64::from(self.word()) << 32
    }

    fn window(&mut self) -> Window {
        Window {
            offset_bytes: self.double(),
            size_bytes: self.double(),
        }
    }

    fn text(&mut self) -> String {
        let bytes = self.word() as usize;
        let (text, rest) = self.0.split_at(bytes.next_multiple_of(4));
        self.0 = rest;
        assert!(text[bytes..].iter().all(|b| *b == 0), "filled with zeros");
        String::from_utf8(text[..bytes].to_vec()).unwrap()
    }
}

/// A program as its record names it: module, access, text.
fn record(program: &Program) -> (u32, u32, String) {
    let access = match program.access {
        Access::Two => 0,
        Access::TwoWritable => 1,
        Access::One => 2,
        _ => panic!("an unknown access"),
    };
    let mut lines = vec![program.to_string()];
    let constants = program.constants();
    lines.extend(
        constants
            .iter()
            .map(|(name, value)| format!("{name}={value}")),
    );
    (program.module_id(), access, lines.join("\n"))
}

fn route(route: Route) -> u32 {
    match route {
        Route::Direct => 0,
        Route::IntoScratch => 1,
        Route::FromScratch => 2,
    }
}

/// Reads `bytes` and holds every word to the plan.
fn check(plan: &Plan, case: &Case, bytes: &[u8]) {
    let mut reader = Reader(bytes);
    assert_eq!(reader.word().to_le_bytes(), *b"RSTR");
    assert_eq!(reader.word(), Plan::VERSION);
    assert_eq!(reader.word(), u32::from(case.one_buffer));
    assert_eq!(reader.double(), plan.scratch_bytes());
    let (src_bytes, dst_bytes) = (reader.double(), reader.double());
    // Exactly these sizes are enough.
    assert_eq!(
        plan.check_buffers(src_bytes, dst_bytes, case.one_buffer),
        Ok(())
    );
    for (src, dst) in [
        (src_bytes.wrapping_sub(1), dst_bytes),
        (src_bytes, dst_bytes.wrapping_sub(1)),
    ] {
        if src != u64::MAX && dst != u64::MAX {
            assert!(plan.check_buffers(src, dst, case.one_buffer).is_err());
        }
    }
    assert_eq!(u64::from(reader.word()), Params::BYTES);
    let (programs, steps) = (reader.word(), reader.double());
    assert_eq!(steps, plan.step_count());
    let programs: Vec<_> = (0..programs)
        .map(|_| (reader.word(), reader.word(), reader.text()))
        .collect();
    let different: HashSet<_> = programs.iter().collect();
    assert_eq!(different.len(), programs.len(), "a program is listed twice");
    for step in plan.steps() {
        match step {
            Step::Native(copy) => {
                assert_eq!((reader.word(), reader.word()), (0, route(copy.route)));
                let range = [reader.double(), reader.double(), reader.double()];
                assert_eq!(range, [copy.src_bytes, copy.dst_bytes, copy.size_bytes]);
            }
            Step::Dispatch(dispatch) => {
                assert_eq!((reader.word(), reader.word()), (1, route(dispatch.route)));
                assert_eq!(programs[reader.word() as usize], record(&dispatch.program));
                assert_eq!(reader.window(), dispatch.src);
                assert_eq!(reader.window(), dispatch.dst);
                assert_eq!(
                    [reader.word(), reader.word(), reader.word()],
                    dispatch.groups
                );
                let words = reader.word() as usize;
                let (used, rest) = reader.0.split_at(words * 4);
                reader.0 = rest;
                let mut block = [0; size_of::<Params>()];
                block[..used.len()].copy_from_slice(used);
                assert_eq!(block, dispatch.params.bytes());
            }
            _ => panic!("a step of an unknown kind"),
        }
    }
    assert!(reader.0.is_empty(), "{} bytes are left", reader.0.len());
}

#[test]
fn an_encoded_plan_says_all() {
    let mut rng = Rng::new(seed("plan_encoding"));
    let widths = widths(&mut rng);
    for _ in 0..CASES {
        let bits = rng.pick(&widths);
        let case = if rng.once_in(4) {
            Case::random_in_one_buffer(&mut rng, bits, 2_000)
        } else {
            Case::random(&mut rng, bits, 2_000)
        };
        let limits = rng.pick(&[Limits::BASELINE, Limits::TINY]);
        for plan in case.plans(limits) {
            check(&plan, &case, &plan.encode().unwrap());
        }
    }
}

#[test]
fn more_steps_than_allowed_are_refused() {
    let (src, dst) = (
        Layout::contiguous(&[100, 100]).unwrap().transpose(),
        Layout::contiguous(&[100, 100]).unwrap(),
    );
    let bytes = vec![0; 40_000];
    let case = Case::new(Width::new(32).unwrap(), src, dst, bytes.clone(), bytes);
    let plan = |max_steps| {
        let options = Options {
            limits: Limits::TINY,
            max_steps,
            ..Options::default()
        };
        Plan::new(&case.problem(false), &options).unwrap()
    };
    let steps = plan(0).step_count();
    assert!(steps > 1);
    let refused = Error::TooManySteps {
        steps,
        max_steps: steps - 1,
    };
    assert_eq!(plan(steps - 1).encode(), Err(refused));
    assert!(plan(steps).encode().is_ok());
}

#[test]
fn a_module_is_found_by_its_number() {
    let mut sources = HashSet::new();
    for program in Program::all() {
        let module = Program::from_module_id(program.module_id());
        assert_eq!(module, Some(program.module()), "{program}");
        sources.insert(program.module_id());
    }
    println!("{} modules", sources.len());
    for id in (0..1 << 19).chain([u32::MAX]) {
        let found = Program::from_module_id(id);
        assert_eq!(found.is_some(), sources.contains(&id), "{id:#x}: {found:?}");
    }
}
