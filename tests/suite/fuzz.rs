//! The fuzz harness in the suite: the kept corpus, and seeded changes of it, go through the functions that `cargo fuzz` calls
//! (`tests/fuzz/README.md`). Each is given bytes, and panics where the library is wrong.

mod bytes;
#[cfg(feature = "cli")] // the command line's readers
mod files;
mod layouts;
mod plans;
mod view;

use std::path::Path;

use crate::generator::{Rng, seed};
use crate::string_harness::read_strings;

/// Inputs a run of each harness; `RESTRIDE_FUZZ` asks for more.
fn inputs_wanted() -> usize {
    let asked = std::env::var("RESTRIDE_FUZZ").ok();
    let usual = if cfg!(miri) { 2 } else { 4_000 };
    asked.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// The inputs that are kept of a target. A package holds none of `tests/` but the suite; a checkout must hold some.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    if cfg!(target_family = "wasm") {
        return Vec::new(); // It reads no files there.
    }
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let folder = tests.join("fuzz/corpus").join(target);
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let checkout = tests.join("run").exists();
    assert!(!checkout || files.len() >= 10, "{target}: no corpus");
    files
        .iter()
        .map(|file| std::fs::read(file).unwrap())
        .collect()
}

/// An input with a few bytes other than they were.
fn changed(rng: &mut Rng, corpus: &[Vec<u8>]) -> Vec<u8> {
    let at = |rng: &mut Rng, len: usize| usize::try_from(rng.below(len as u64 + 1)).unwrap();
    let mut input = match corpus.len() {
        0 => Vec::new(),
        n => corpus[at(rng, n - 1)].clone(),
    };
    if corpus.is_empty() || rng.once_in(8) {
        let more = at(rng, 64);
        let start = at(rng, input.len());
        input.truncate(start);
        input.extend(rng.bytes(more));
    }
    for _ in 0..rng.below(6) {
        let place = at(rng, input.len());
        let byte = rng.bytes(1)[0];
        match rng.below(6) {
            0 => input.insert(place, byte),
            1 => input.truncate(place),
            2 if place < input.len() => {
                input.remove(place);
            }
            3 if place < input.len() => input[place] ^= 1 << (byte % 8),
            4 if place < input.len() => input[place] = rng.pick(&[0, 1, 0x7f, 0x80, 0xff]),
            5 if !corpus.is_empty() => {
                let other = rng.below(corpus.len() as u64);
                let other = &corpus[usize::try_from(other).unwrap()];
                let from = at(rng, other.len());
                input.truncate(place);
                input.extend(&other[from..]);
            }
            _ => input.push(byte),
        }
    }
    input
}

/// Prints the input that a panic is about.
struct Named<'i>(&'static str, &'i [u8]);

impl Drop for Named<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let hex: String = self.1.iter().map(|byte| format!("{byte:02x}")).collect();
            println!("{}: the input in hexadecimal is {hex}", self.0);
        }
    }
}

fn run(target: &'static str, check: impl Fn(&[u8])) {
    let mut rng = Rng::new(seed(target));
    let corpus = corpus(target);
    let random = (0..inputs_wanted()).map(|_| changed(&mut rng, &corpus));
    for input in corpus.iter().cloned().chain(random) {
        let _named = Named(target, &input);
        check(&input);
    }
}

#[test]
fn layouts_and_moves() {
    run("layouts", layouts::check);
}

#[test]
fn the_view_language() {
    run("view", view::check);
}

#[test]
#[cfg(feature = "cli")]
fn file_headers() {
    run("files", files::check);
}

#[test]
fn plans_and_the_cpu_executor() {
    run("plans", plans::check);
}

#[test]
fn strings_of_host_tensors() {
    run("strings", read_strings);
}

/// Each harness panics where the library says something else than it did.
#[cfg(not(target_family = "wasm"))] // where a panic ends the process
mod planted {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use restride::plan::{Operand, Options, Plan, Problem};
    use restride::{Layout, Move, Range, Width};

    use super::bytes::Picks;

    fn noticed(what: impl FnOnce()) {
        assert!(catch_unwind(AssertUnwindSafe(what)).is_err());
    }

    #[test]
    fn a_wrong_layout_of_a_move_is_noticed() {
        let layout = Layout::contiguous(&[3, 4]).unwrap();
        let m = Move::Slice(vec![Range::all(3), Range::all(4)]);
        let agrees = |result| {
            let picks = &mut Picks::new(&[]);
            super::layouts::agrees(&layout, &m, result, picks).is_some()
        };
        assert!(agrees(layout.apply(&m)));
        noticed(|| _ = agrees(Ok(Some(layout.flip(1).unwrap()))));
        noticed(|| _ = agrees(Ok(None)));
        noticed(|| _ = agrees(layout.apply(&Move::Reshape(vec![5]))));
    }

    #[test]
    fn a_wrong_step_of_a_view_is_noticed() {
        let [flipped, turned] = [".flip(0)", ".T"].map(|text| text.parse().unwrap());
        super::view::reads_back(&flipped, ".flip(0)");
        super::view::carries_out(&flipped, &flipped, 6, &[3, 3]);
        noticed(|| super::view::reads_back(&flipped, ".T"));
        noticed(|| super::view::carries_out(&flipped, &turned, 6, &[3, 3]));
    }

    #[test]
    fn a_plan_of_another_copy_is_noticed() {
        let whole = Layout::contiguous(&[5, 5]).unwrap();
        let turned = whole.transpose();
        let problem = |src| Problem {
            width: Width::new(8).unwrap(),
            src: Operand::storage(src, 28),
            dst: Operand::storage(&whole, 28),
            one_buffer: false,
            in_pass: false,
        };
        let plan = Plan::new(&problem(&turned), &Options::default()).unwrap();
        super::plans::runs(&plan, &problem(&turned), 1);
        noticed(|| super::plans::runs(&plan, &problem(&whole), 1));
    }

    #[test]
    #[cfg(feature = "cli")]
    fn a_header_that_lies_is_noticed() {
        use crate::formats::{Format, Header, Kind};
        let header = |bytes| Header {
            kind: Kind::Named(restride::DType::UInt16),
            layout: Layout::contiguous(&[3]).unwrap(),
            name: None,
            place: Some(0..bytes),
        };
        super::files::agrees(Format::Bin, &[0; 6], &header(6));
        noticed(|| super::files::agrees(Format::Bin, &[0; 6], &header(5)));
        noticed(|| super::files::agrees(Format::Bin, &[0; 5], &header(6)));
    }
}
