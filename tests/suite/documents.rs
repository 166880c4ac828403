//! What README and CHANGELOG say of the manifest and the code, held to both.

use std::path::Path;

use restride::plan::Rung;

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The manifest as people wrote it: a package holds it beside the one that cargo made of it.
fn manifest() -> String {
    let original = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml.orig");
    std::fs::read_to_string(original).unwrap_or_else(|_| read("Cargo.toml"))
}

/// What stands in quotes on the manifest's first line that starts with `key`.
fn quoted(key: &str) -> String {
    let manifest = manifest();
    let line = manifest.lines().find(|line| line.starts_with(key));
    let quoted = line.and_then(|line| line.split('"').nth(1));
    quoted
        .unwrap_or_else(|| panic!("Cargo.toml has no {key}"))
        .to_owned()
}

/// The part of `text` from the heading `heading` to the next heading.
fn section<'t>(text: &'t str, heading: &str) -> &'t str {
    let from = text
        .find(heading)
        .unwrap_or_else(|| panic!("no heading {heading:?}"));
    let body = &text[from + heading.len()..];
    &body[..body.find("\n## ").unwrap_or(body.len())]
}

/// The first column of the table of a section, without its head.
fn first_column(section: &str) -> Vec<&str> {
    section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect()
}

/// Every number that follows `word` and a space, with the digits and dots that belong to it.
fn numbers_after<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    text.match_indices(word)
        .map(|(at, _)| {
            let rest = &text[at + word.len()..];
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
            rest[..end.unwrap_or(rest.len())].trim_end_matches('.')
        })
        .filter(|number| !number.is_empty())
        .collect()
}

/// Refuses a text that names another Rust or another wgpu than the manifest, or none.
fn check_versions(text: &str, rust: &str, wgpu: &str) -> Result<(), String> {
    for (word, wanted) in [("Rust ", rust), ("wgpu ", wgpu), ("wgpu = \"", wgpu)] {
        let found = numbers_after(text, word);
        if found.iter().any(|number| *number != wanted) {
            return Err(format!(
                "{word}{found:?} where Cargo.toml has {word}{wanted}"
            ));
        }
    }
    let needs = format!("Needs Rust {rust} and wgpu {wgpu}");
    if !text.contains(&needs) {
        return Err(format!("{needs:?} is not said"));
    }
    Ok(())
}

#[test]
fn versions_are_the_manifests() {
    let (rust, wgpu) = (quoted("rust-version"), quoted("wgpu = { version"));
    let readme = read("README.md");
    check_versions(&readme, &rust, &wgpu).unwrap_or_else(|e| panic!("README.md: {e}"));

    let version = quoted("version");
    let changelog = read("CHANGELOG.md");
    let entry = section(&changelog, &format!("\n## [{version}]"));
    check_versions(entry, &rust, &wgpu).unwrap_or_else(|e| panic!("CHANGELOG.md: {e}"));

    let line = format!("restride = \"{}\"", version.rsplit_once('.').unwrap().0);
    assert!(readme.contains(&line), "README.md: {line:?} is not said");
}

#[test]
fn another_version_is_noticed() {
    let said = "Needs Rust 1.95 and wgpu 30. With wgpu, Rust does.\nwgpu = \"30\"";
    assert_eq!(check_versions(said, "1.95", "30"), Ok(()));
    for (rust, wgpu) in [("1.96", "30"), ("1.95", "31"), ("1.9", "30"), ("1.95", "3")] {
        assert!(check_versions(said, rust, wgpu).is_err(), "{rust} {wgpu}");
    }
    assert!(check_versions(&said.replace("\"30\"", "\"29\""), "1.95", "30").is_err());
    assert!(check_versions("Needs Rust 1.95", "1.95", "30").is_err());
}

#[test]
fn the_ladder_is_the_planners() {
    let readme = read("README.md");
    let names = Rung::ALL.map(Rung::name);
    assert_eq!(first_column(section(&readme, "\n## How it works")), names);
}

#[test]
fn the_features_are_the_manifests() {
    let (readme, manifest) = (read("README.md"), manifest());
    let features: Vec<&str> = section_of_manifest(&manifest, "[features]")
        .filter_map(|line| Some(line.split_once(" = ")?.0))
        .filter(|name| *name != "default" && !name.starts_with('#'))
        .collect();
    assert_eq!(first_column(section(&readme, "\n## Features")), features);
}

fn section_of_manifest<'t>(manifest: &'t str, head: &str) -> impl Iterator<Item = &'t str> {
    let lines = manifest.lines().skip_while(move |line| *line != head);
    lines.skip(1).take_while(|line| !line.starts_with('['))
}

#[test]
fn every_example_is_named() {
    let (readme, root) = (read("README.md"), Path::new(env!("CARGO_MANIFEST_DIR")));
    let entries = std::fs::read_dir(root.join("examples")).expect("readable folder");
    let mut count = 0;
    for path in entries.map(|entry| entry.expect("readable folder").path()) {
        if path.extension().is_some_and(|e| e == "rs") {
            let name = path.file_name().unwrap().to_string_lossy();
            let link = format!("(examples/{name})");
            assert!(readme.contains(&link), "README.md: no link to {link}");
            count += 1;
        }
    }
    assert!(count > 0, "no example");
}

#[test]
fn links_lead_somewhere() {
    for document in ["README.md", "CHANGELOG.md", "examples/PHOTO.md"] {
        let text = read(document);
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(document);
        let targets = text
            .match_indices("](")
            .filter_map(|(at, _)| text[at + 2..].split(')').next())
            // The benchmarks are no part of the package.
            .filter(|target| !target.contains("://") && !target.starts_with("benches/"));
        for target in targets {
            let path = folder.with_file_name(target);
            assert!(path.exists(), "{document}: {target} is not there");
        }
    }
}
