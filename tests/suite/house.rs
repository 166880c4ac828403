//! The arrows of the house: which module may name which, where `wgpu` and `unsafe` may stand, how long a file may be.
//!
//! The sources are read as tokens: comments and literals drop out, and so do `#[cfg(test)]` modules, whose tests may well
//! compare things that must not know each other.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Each module of the library with those it may name. `error ← dtype ← moves ← layout ← coalesce ← plan ← {cpu, gpu}`;
/// `extents` is the shape that moves and layouts share.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("extents", &["error"]),
    ("dtype", &["error"]),
    ("moves", &["error", "extents", "dtype"]),
    ("layout", &["error", "extents", "dtype", "moves"]),
    (
        "coalesce",
        &["error", "extents", "dtype", "moves", "layout"],
    ),
    ("reference", &["error", "dtype", "layout"]),
    // A host tensor's strided views are materialised by the reference.
    ("host", &["error", "dtype", "moves", "layout", "reference"]),
    ("view", &["error", "extents", "dtype", "moves", "layout"]),
    (
        "plan",
        &["error", "extents", "dtype", "moves", "layout", "coalesce"],
    ),
    (
        "cpu",
        &[
            "error", "extents", "dtype", "moves", "layout", "coalesce", "plan",
        ],
    ),
    (
        "gpu",
        &[
            "error", "extents", "dtype", "moves", "layout", "coalesce", "plan",
        ],
    ),
    (
        "gpu/transfer",
        &[
            "error", "extents", "dtype", "moves", "layout", "coalesce", "plan", "host",
        ],
    ),
    ("gpu/host", &["error", "dtype", "layout", "host"]),
];
/// These stand on top and see everything.
const ROOF: &[&str] = &["lib", "ffi", "bin"];
const NAMES_WGPU: &[&str] = &["gpu", "ffi", "bin"];
const MAY_BE_UNSAFE: &[&str] = &["ffi", "host"];
const LONGEST_FILE: usize = 600;

// ---- tokens ----

/// Identifiers, `::` and single punctuation marks of Rust source.
fn tokens(source: &str) -> Vec<String> {
    let text: Vec<char> = source.chars().collect();
    let mut out = Vec::new();
    let mut i = 0;
    while i < text.len() {
        let next = text.get(i + 1).copied();
        match text[i] {
            '/' if next == Some('/') => i = until(&text, i, |t, k| t[k] == '\n'),
            '/' if next == Some('*') => i = end_of_block_comment(&text, i),
            '"' => i = end_of_string(&text, i),
            '\'' => i = end_of_quote(&text, i),
            c if c.is_alphanumeric() || c == '_' => {
                let end = until(&text, i, |t, k| !(t[k].is_alphanumeric() || t[k] == '_'));
                let word: String = text[i..end].iter().collect();
                i = match raw_string_from(&text, end) {
                    Some(hashes) if matches!(word.as_str(), "r" | "br" | "cr") => {
                        end_of_raw_string(&text, end, hashes)
                    }
                    _ => end,
                };
                if i == end {
                    out.push(word);
                }
            }
            ':' if next == Some(':') => {
                out.push("::".into());
                i += 2;
            }
            c => {
                if !c.is_whitespace() {
                    out.push(c.into());
                }
                i += 1;
            }
        }
    }
    out
}

fn until(text: &[char], from: usize, stop: impl Fn(&[char], usize) -> bool) -> usize {
    (from..text.len())
        .find(|&k| stop(text, k))
        .unwrap_or(text.len())
}

fn end_of_block_comment(text: &[char], start: usize) -> usize {
    let (mut depth, mut i) = (0, start);
    while i < text.len() {
        match (text[i], text.get(i + 1)) {
            ('/', Some('*')) => (depth, i) = (depth + 1, i + 2),
            ('*', Some('/')) if depth == 1 => return i + 2,
            ('*', Some('/')) => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
    }
    i
}

fn end_of_string(text: &[char], start: usize) -> usize {
    let mut i = start + 1;
    while i < text.len() && text[i] != '"' {
        i += if text[i] == '\\' { 2 } else { 1 };
    }
    i + 1
}

/// A character literal, or the mark alone where it begins a lifetime.
fn end_of_quote(text: &[char], start: usize) -> usize {
    match (text.get(start + 1), text.get(start + 2)) {
        (Some('\\'), _) => until(text, start + 3, |t, k| t[k] == '\'') + 1,
        (Some(_), Some('\'')) => start + 3,
        _ => start + 1,
    }
}

/// How many `#` stand before the quote of a raw string whose `r` ended at `at`.
fn raw_string_from(text: &[char], at: usize) -> Option<usize> {
    let quote = until(text, at, |t, k| t[k] != '#');
    (text.get(quote) == Some(&'"')).then_some(quote - at)
}

fn end_of_raw_string(text: &[char], at: usize, hashes: usize) -> usize {
    let closes =
        |t: &[char], k: usize| t[k] == '"' && (1..=hashes).all(|h| t.get(k + h) == Some(&'#'));
    until(text, at + hashes + 1, closes) + hashes + 1
}

/// Where the bracket that opens at `open` is closed.
fn closing(tokens: &[String], open: usize) -> usize {
    let mut depth = 0usize;
    for (k, token) in tokens.iter().enumerate().skip(open) {
        match token.as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return k;
        }
    }
    tokens.len() - 1
}

fn without_test_modules(tokens: Vec<String>) -> Vec<String> {
    const ATTRIBUTE: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut out = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let attributed = tokens[i..]
            .iter()
            .take(ATTRIBUTE.len())
            .eq(ATTRIBUTE.iter());
        let module = attributed
            .then(|| i + ATTRIBUTE.len())
            .filter(|&m| tokens.get(m).is_some_and(|t| t == "mod"));
        match module {
            Some(m) if tokens.get(m + 2).is_some_and(|t| t == "{") => {
                i = closing(&tokens, m + 2) + 1;
            }
            _ => {
                out.push(tokens[i].clone());
                i += 1;
            }
        }
    }
    out
}

// ---- paths ----

/// The paths of a use tree that starts at `at`, each as its segments; the last is the name it is bound to.
fn tree(tokens: &[String], at: usize) -> Vec<Vec<String>> {
    let mut path = Vec::new();
    let mut i = at;
    loop {
        match tokens.get(i).map(String::as_str) {
            Some("{") => {
                let end = closing(tokens, i);
                let mut paths = Vec::new();
                let mut start = i + 1;
                let mut k = start;
                while k <= end {
                    if tokens[k] == "{" {
                        k = closing(tokens, k);
                    } else if tokens[k] == "," || k == end {
                        if k > start {
                            paths.extend(
                                tree(&tokens[..k], start)
                                    .into_iter()
                                    .map(|rest| [path.clone(), rest].concat()),
                            );
                        }
                        start = k + 1;
                    }
                    k += 1;
                }
                return paths;
            }
            Some(segment) => path.push(segment.to_owned()),
            None => return vec![path],
        }
        match tokens.get(i + 1).map(String::as_str) {
            Some("::") => i += 2,
            Some("as") => {
                path.extend(tokens.get(i + 2).cloned());
                return vec![path];
            }
            _ => return vec![path],
        }
    }
}

/// Names that the crate root takes from a module: `crate::Layout` is an arrow to `layout`.
fn re_exports(lib: &str) -> BTreeMap<String, String> {
    let tokens = without_test_modules(tokens(lib));
    let uses = tokens
        .iter()
        .enumerate()
        .filter(|(_, t)| *t == "use")
        .flat_map(|(k, _)| tree(&tokens, k + 1));
    uses.map(|mut path| {
        path.retain(|segment| segment != "crate" && segment != "self");
        path
    })
    .filter(|path| path.len() > 1)
    .map(|path| (path[path.len() - 1].clone(), path[0].clone()))
    .collect()
}

/// The names that a file takes from the crate root, by `crate::` or by enough `super::`.
fn taken_from_root(module: &[&str], tokens: &[String]) -> Vec<String> {
    let mut names = Vec::new();
    // Closing places of the inline modules around the token: each is one `super` more.
    let mut inline: Vec<usize> = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        inline.retain(|&end| end > i);
        match tokens[i].as_str() {
            "mod" if tokens.get(i + 2).is_some_and(|t| t == "{") => {
                inline.push(closing(tokens, i + 2));
            }
            "crate" if tokens.get(i + 1).is_some_and(|t| t == "::") => {
                names.extend(tree(tokens, i + 2).into_iter().map(|path| path[0].clone()));
            }
            "super" => {
                let mut steps = 1;
                while tokens.get(i + 1).is_some_and(|t| t == "::")
                    && tokens.get(i + 2).is_some_and(|t| t == "super")
                {
                    (steps, i) = (steps + 1, i + 2);
                }
                if steps >= module.len() + inline.len()
                    && tokens.get(i + 1).is_some_and(|t| t == "::")
                {
                    names.extend(tree(tokens, i + 2).into_iter().map(|path| path[0].clone()));
                }
            }
            _ => {}
        }
        i += 1;
    }
    names
}

/// `plan/kernel/rows.rs` is `[plan, kernel, rows]`, `plan/mod.rs` is `[plan]`.
fn module_of(file: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = file.trim_end_matches(".rs").split('/').collect();
    if parts.last() == Some(&"mod") {
        parts.pop();
    }
    parts
}

/// What is wrong with one file of `src`, given the names that the crate root re-exports.
fn faults(file: &str, source: &str, re_exports: &BTreeMap<String, String>) -> Vec<String> {
    let module = module_of(file);
    let (top, mut faults) = (module[0], Vec::new());
    let tokens = without_test_modules(tokens(source));
    let length = source.lines().count();
    if length > LONGEST_FILE {
        faults.push(format!("{file}: {length} lines, more than {LONGEST_FILE}"));
    }
    if !MAY_BE_UNSAFE.contains(&top) && tokens.iter().any(|t| t == "unsafe") {
        faults.push(format!("{file}: unsafe outside {MAY_BE_UNSAFE:?}"));
    }
    if !NAMES_WGPU.contains(&top) && tokens.iter().any(|t| t == "wgpu") {
        faults.push(format!("{file}: names wgpu outside {NAMES_WGPU:?}"));
    }
    if ROOF.contains(&top) {
        return faults;
    }
    let rule = |name: &str| {
        MAY_NAME
            .iter()
            .find(|(from, _)| *from == name)
            .map(|(_, to)| *to)
    };
    let two = module.get(..2).map(|parts| parts.join("/"));
    let Some(allowed) = two.and_then(|two| rule(&two)).or_else(|| rule(top)) else {
        faults.push(format!("{file}: {top} has no place in the house"));
        return faults;
    };
    for name in taken_from_root(&module, &tokens) {
        let to = re_exports.get(&name).unwrap_or(&name).as_str();
        if to == top || allowed.contains(&to) {
            continue;
        }
        let known = rule(to).is_some() || ROOF.contains(&to);
        let reason = if known {
            "is a forbidden arrow"
        } else {
            "comes from no module of the house"
        };
        faults.push(format!("{file}: {top} → {to} (crate::{name}) {reason}"));
    }
    faults
}

// ---- the checks ----

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("readable folder").path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn arrows_run_one_way() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let read = |path: &Path| std::fs::read_to_string(path).expect("readable source");
    let re_exports = re_exports(&read(&src.join("lib.rs")));
    let sources = files(&src, "rs");
    assert!(sources.len() > 1, "nothing to check in {}", src.display());
    let found: Vec<String> = sources
        .iter()
        .filter(|path| !path.ends_with("tests.rs"))
        .flat_map(|path| {
            let file = path
                .strip_prefix(&src)
                .expect("below src")
                .to_string_lossy()
                .replace('\\', "/");
            faults(&file, &read(path), &re_exports)
        })
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn files_stay_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = files(&root.join("shaders"), "wgsl");
    for folder in ["tests/suite", "examples", "benches"] {
        all.extend(files(&root.join(folder), "rs"));
    }
    for path in all {
        let length = std::fs::read_to_string(&path)
            .expect("readable source")
            .lines()
            .count();
        assert!(
            length <= LONGEST_FILE,
            "{}: {length} lines, more than {LONGEST_FILE}",
            path.display()
        );
    }
}

mod planted {
    use super::*;

    const LIB: &str = "pub mod plan; mod layout; pub use error::Error; #[doc(inline)]
        pub use crate::layout::{Layout, words::{Index, Other as Renamed}}; pub use self::moves::Move;";

    fn check(file: &str, source: &str) -> Vec<String> {
        faults(file, source, &re_exports(LIB))
    }

    fn refuses(file: &str, source: &str, word: &str) {
        let found = check(file, source);
        assert!(
            found.iter().any(|fault| fault.contains(word)),
            "{file}: {source}: {found:?}"
        );
    }

    fn accepts(file: &str, source: &str) {
        assert_eq!(
            check(file, source),
            Vec::<String>::new(),
            "{file}: {source}"
        );
    }

    #[test]
    fn re_exports_are_followed() {
        let map = re_exports(LIB);
        for (name, module) in [
            ("Error", "error"),
            ("Layout", "layout"),
            ("Index", "layout"),
            ("Renamed", "layout"),
            ("Move", "moves"),
        ] {
            assert_eq!(map.get(name).map(String::as_str), Some(module), "{name}");
        }
    }

    #[test]
    fn lawful_arrows_pass() {
        accepts(
            "plan/mod.rs",
            "use crate::{coalesce::coalesce, Layout, layout::{MAX_RANK}, plan::cost}; use super::Error;",
        );
        accepts(
            "plan/kernel/rows.rs",
            "use super::super::cost; use super::Kernel; fn f() -> crate::Error { crate::plan::x() }",
        );
        accepts(
            "gpu/transfer.rs",
            "use crate::host::Tensor; use wgpu::Buffer;",
        );
        accepts("reference.rs", "use crate::Layout; use std::fmt;");
        accepts(
            "bin/restride/main.rs",
            "use restride::{gpu, view}; use wgpu::Device;",
        );
        accepts("host/tensor.rs", "unsafe fn f() {}");
    }

    #[test]
    fn forbidden_arrows_are_found() {
        refuses("dtype.rs", "use crate::layout::Layout;", "dtype → layout");
        refuses(
            "dtype.rs",
            "use crate::{error::Error, layout::{Layout, Index}};",
            "dtype → layout",
        );
        refuses("moves.rs", "fn f(l: &crate::Layout) {}", "moves → layout");
        refuses("moves.rs", "use crate::Renamed;", "moves → layout");
        refuses("layout.rs", "use super::plan::Plan;", "layout → plan");
        refuses(
            "layout/words.rs",
            "use super::super::{plan, Move};",
            "layout → plan",
        );
        refuses(
            "layout.rs",
            "mod inner { use super::super::coalesce; }",
            "layout → coalesce",
        );
        refuses(
            "reference.rs",
            "use crate::coalesce;",
            "reference → coalesce",
        );
        refuses("reference.rs", "use crate::Move;", "reference → moves");
        refuses("cpu/mod.rs", "use crate::gpu::Copier;", "cpu → gpu");
        refuses("gpu/record.rs", "use crate::host::Tensor;", "gpu → host");
        refuses(
            "plan/mod.rs",
            "use crate::reference::copy;",
            "plan → reference",
        );
        refuses("plan/mod.rs", "use crate::*;", "comes from no module");
        refuses("attic.rs", "", "no place in the house");
    }

    #[test]
    fn wgpu_unsafe_and_length_are_found() {
        refuses("plan/limits.rs", "fn f(l: &wgpu::Limits) {}", "names wgpu");
        refuses("lib.rs", "pub use wgpu;", "names wgpu");
        refuses("gpu/record.rs", "unsafe { f() }", "unsafe");
        refuses("dtype.rs", &"\n".repeat(LONGEST_FILE + 1), "lines");
    }

    #[test]
    fn comments_literals_and_tests_do_not_count() {
        accepts(
            "dtype.rs",
            "// crate::plan unsafe\n/* wgpu /* nested */ unsafe */ /// [`crate::layout`]\n",
        );
        accepts(
            "dtype.rs",
            r###"const A: &str = "unsafe \" wgpu"; const B: &str = r#"crate::plan " wgpu"#; const C: char = '"';"###,
        );
        accepts(
            "dtype.rs",
            "fn f<'a>(x: &'a str) -> char { '\\'' } #[cfg(test)] mod tests { use crate::plan::Plan; }",
        );
        refuses(
            "dtype.rs",
            "fn f<'a>(x: &'a str) { let q = '\"'; crate::plan::g() }",
            "dtype → plan",
        );
        refuses(
            "dtype.rs",
            "#[cfg(test)] mod tests { fn f() {} } use crate::plan::Plan;",
            "dtype → plan",
        );
    }
}
