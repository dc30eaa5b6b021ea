//! The layout enforced: permitted edges between crates, lengths of files, what a module must begin with.
//!
//! The permitted edges are the table of rooms in ARCHITECTURE.md, so that what is written there is what holds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::harness;

/// Packages that only one room may use: it is the door to what they do. The root package may use them too where it
/// owns the command line.
const DOORS: &[(&str, &[&str])] = &[
    ("clap", &["techrag", "techrag-cli"]),
    ("anyhow", &["techrag", "techrag-cli"]),
    ("indicatif", &["techrag-cli"]),
    ("ort", &["techrag-models"]),
    ("tokenizers", &["techrag-models"]),
    ("hayro", &["techrag-pdf"]),
    ("lopdf", &["techrag-pdf"]),
    ("mupdf", &["techrag-pdf"]),
    ("rusqlite", &["techrag-graph", "techrag-index"]),
    ("memmap2", &["techrag-index"]),
    ("neo4rs", &["techrag-graph"]),
];

const LONGEST_FILE: usize = 600;
const LONGEST_BINARY: usize = 120;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Name → names of what it depends on, of every package of the workspace.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    dependencies_of(|_| true)
}

/// What takes part in the product: tests, benches and examples may measure with what they like.
fn shipped() -> BTreeMap<String, BTreeSet<String>> {
    dependencies_of(|dependency| dependency["kind"] != "dev")
}

fn dependencies_of(wanted: impl Fn(&Value) -> bool) -> BTreeMap<String, BTreeSet<String>> {
    let metadata = harness::cargo(&["metadata", "--format-version", "1", "--no-deps", "--offline"]);
    let metadata: Value = serde_json::from_str(&metadata).expect("cargo metadata is JSON");
    let name = |value: &Value| value["name"].as_str().expect("a package has a name").to_owned();
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let used = |package: &Value| list(&package["dependencies"]).iter().filter(|one| wanted(one)).map(name).collect();
    let package = |package: &Value| (name(package), used(package));
    list(&metadata["packages"]).iter().map(package).collect()
}

/// Room → rooms it may use, from the table in ARCHITECTURE.md.
fn permitted() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there");
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let room = cells.get(1)?.strip_prefix('`')?.strip_suffix('`')?.strip_prefix("techrag-")?;
        let uses = cells.get(3)?.split(',').map(str::trim).filter(|name| *name != "–");
        Some((format!("techrag-{room}"), uses.map(|name| format!("techrag-{name}")).collect()))
    };
    text.lines().filter_map(row).collect()
}

#[test]
fn crates_depend_only_as_the_architecture_permits() {
    let permitted = permitted();
    assert!(permitted.len() >= 10, "the table of rooms was not found: {permitted:?}");
    for (package, used) in dependencies().iter().filter(|(package, _)| *package != "techrag") {
        let allowed = permitted.get(package).unwrap_or_else(|| panic!("{package} has no row in ARCHITECTURE.md"));
        // A crate may turn on a feature of its own for its tests.
        let is_other = |name: &&String| name.starts_with("techrag") && *name != package;
        let ours: BTreeSet<String> = used.iter().filter(is_other).cloned().collect();
        let strangers: Vec<_> = ours.difference(allowed).collect();
        assert!(strangers.is_empty(), "{package} must not use {strangers:?}; it may use {allowed:?}");
    }
}

#[test]
fn doors_are_used_by_their_owners_only() {
    for (package, used) in shipped() {
        for (door, owners) in DOORS.iter().filter(|(door, _)| used.contains(*door)) {
            assert!(owners.contains(&package.as_str()), "{package} uses {door}, which is for {owners:?}");
        }
    }
}

#[test]
fn every_binary_is_under_contract() {
    let metadata = harness::cargo(&["metadata", "--format-version", "1", "--no-deps", "--offline"]);
    let metadata: Value = serde_json::from_str(&metadata).expect("cargo metadata is JSON");
    let targets =
        metadata["packages"].as_array().expect("packages").iter().flat_map(|package| package["targets"].as_array());
    let binaries: BTreeSet<&str> = targets
        .flatten()
        .filter(|target| target["kind"][0] == "bin")
        .filter_map(|target| target["name"].as_str())
        .collect();
    assert_eq!(binaries, harness::TOOLS.iter().map(|(name, _)| *name).collect());
}

/// Every Rust file of the project with its text.
fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for folder in ["bin", "crates", "tests"] {
        walk(&root().join(folder), &mut found);
    }
    found.sort();
    assert!(found.len() > 20, "only {} sources found", found.len());
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a source is text");
        (path.strip_prefix(root()).expect("below the root").to_owned(), text)
    };
    found.into_iter().map(read).collect()
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder").flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("target") {
            walk(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Names the sources that break a rule.
#[track_caller]
fn no_source(rule: &str, breaks: impl Fn(&Path, &str) -> bool) {
    let broken: Vec<String> = sources()
        .into_iter()
        .filter(|(path, text)| breaks(path, text))
        .map(|(path, _)| path.display().to_string())
        .collect();
    assert!(broken.is_empty(), "{rule}: {}", broken.join(", "));
}

#[test]
fn every_module_says_why_it_exists() {
    no_source("must begin with //!", |_, text| !text.trim_start().starts_with("//!"));
}

#[test]
fn files_stay_short() {
    no_source("over 600 lines", |_, text| text.lines().count() > LONGEST_FILE);
    no_source("a binary over 120 lines", |path, text| path.starts_with("bin") && text.lines().count() > LONGEST_BINARY);
}

#[test]
fn there_are_no_grab_bags() {
    let names = ["util", "utils", "helper", "helpers", "misc", "common_utils"];
    no_source("name it after what it does", |path, _| {
        path.components()
            .filter_map(|part| Path::new(part.as_os_str()).file_stem())
            .any(|stem| names.iter().any(|name| stem == *name))
    });
}

#[test]
fn every_test_file_is_a_module() {
    let main = fs::read_to_string(root().join("tests/main.rs")).expect("tests/main.rs is there");
    no_source("not a module of tests/main.rs", |path, _| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let direct = path.parent() == Some(Path::new("tests"));
        direct && name != "main" && !main.lines().any(|line| line == format!("mod {name};"))
    });
}

#[test]
fn nothing_is_left_to_do_or_ignored_without_a_reason() {
    // Spelt in two parts, so that this file does not break its own rule.
    let stubs = [concat!("todo", "!("), concat!("unimplemented", "!(")];
    no_source("a stub", |_, text| stubs.iter().any(|stub| text.contains(stub)));
    no_source("ignored without a reason", |_, text| text.contains(concat!("#[igno", "re]")));
}
