//! Every variant of the error types, provoked by a public call: the list is read from the sources, so that a new variant
//! without a call here fails. A message says all the numbers that its variant has.

mod copies;
mod host;
mod layouts;

use std::collections::BTreeSet;
use std::fmt::Debug;

use restride::Error;

/// A variant's name, and a call that is refused with it.
type Provoked = (&'static str, fn() -> Error);

/// What no public call can provoke, as it would be a fault of the crate.
const UNPROVOKED: [&str; 1] = ["Unsound"];

/// The error of an outcome.
#[track_caller]
fn err<T: Debug>(outcome: Result<T, Error>) -> Error {
    outcome.expect_err("the call is refused")
}

/// The names of an enum's variants, in a source that is formatted as rustfmt does.
fn variants(source: &str, name: &str) -> BTreeSet<String> {
    let start = source.find(&format!("pub enum {name} {{\n")).unwrap();
    let body = source[start..].split("\n}\n").next().unwrap();
    body.lines()
        .filter_map(|line| line.strip_prefix("    "))
        .filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()))
        .map(|line| line.split([' ', ',', '(']).next().unwrap().to_owned())
        .collect()
}

/// The variant that an error is, without what it holds.
fn variant(error: &Error) -> String {
    let text = match error {
        Error::Host(host) => format!("{host:?}"),
        error => format!("{error:?}"),
    };
    text.split([' ', '(']).next().unwrap().to_owned()
}

/// The numbers in a text, without those inside words.
fn numbers(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'))
        .filter(|word| {
            word.trim_start_matches('-')
                .starts_with(|c: char| c.is_ascii_digit())
        })
        .map(str::to_owned)
        .collect()
}

/// Sees that each call gives its variant, with a message that says its numbers; returns the names.
fn provoke(table: &[Provoked]) -> BTreeSet<String> {
    for (name, call) in table {
        let error = call();
        assert_eq!(variant(&error), *name, "{error}");
        let message = error.to_string();
        let unsaid: Vec<_> = numbers(&format!("{error:?}"))
            .difference(&numbers(&message))
            .cloned()
            .collect();
        assert!(unsaid.is_empty(), "{name}: {unsaid:?} not in {message:?}");
    }
    table.iter().map(|(name, _)| (*name).to_owned()).collect()
}

#[test]
fn every_variant_is_provoked() {
    let source = include_str!("../../src/error.rs");
    let mut expected = variants(source, "Error");
    let copies = copies::TABLE.to_vec();
    #[cfg(feature = "gpu")]
    let copies = if copies::memory_is_ample() {
        println!(
            "every_error: Memory skipped: no adapter here runs out of it, as SwiftShader does"
        );
        expected.remove("Memory");
        copies
            .into_iter()
            .filter(|(name, _)| *name != "Memory")
            .collect()
    } else {
        copies
    };
    let mut provoked = provoke(layouts::TABLE);
    provoked.append(&mut provoke(&copies));
    for name in UNPROVOKED {
        assert!(expected.remove(name), "no {name}");
    }
    // Those of host tensors, below.
    assert!(expected.remove("Host"));
    if cfg!(not(feature = "gpu")) {
        expected.retain(|name| !copies::OF_DEVICES.contains(&name.as_str()));
    }
    assert_eq!(provoked, expected);

    let mut expected = variants(include_str!("../../src/error/host.rs"), "HostError");
    if cfg!(not(feature = "dlpack")) {
        expected.retain(|name| !name.contains("DlPack") && name != "Misaligned");
    }
    assert_eq!(provoke(host::TABLE), expected);
}

#[test]
fn a_variant_without_a_call_and_a_number_unsaid_are_found() {
    let source = "pub enum Error {\n    /// A.\n    #[error(\"{x}\")]\n    A {\n        /// X.\n        x: u32,\n    },\n    B,\n    C(D),\n}\n";
    let names = ["A", "B", "C"].map(str::to_owned);
    assert_eq!(variants(source, "Error"), BTreeSet::from(names));
    assert_eq!(
        numbers("Width { bits: -129, a32: 7 }"),
        BTreeSet::from(["-129", "7"].map(str::to_owned))
    );
    assert_eq!(variant(&Error::Width { bits: 0 }), "Width");
}
