//! `techrag-chunk`: what is read and what is left out, keys, records that pass, and papers of the world.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{Place, Run};

const PAPERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/papers");

/// A folder with one file of each sort.
fn mixed() -> Place {
    let place = Place::new();
    place.file("docs/a.md", "# Slip\n\nThe tyre slips.\n");
    place.file("docs/sub/b.txt", "The road is wet.\n");
    place.file("docs/sub/plot.toml", "x = 1\n");
    place.file("docs/sub/empty.txt", "\n");
    place.file("docs/.hidden/c.txt", "Nobody sees this.\n");
    std::fs::write(place.path().join("docs/image"), b"GIF89a\0\0").expect("a file can be written");
    place
}

fn of<'a>(records: &'a [Value], kind: &str) -> Vec<&'a Value> {
    records.iter().filter(|record| record["type"] == kind).collect()
}

fn keys(run: &Run) -> Vec<String> {
    let records = run.records();
    of(&records, "document").iter().map(|document| document["key"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_walk_takes_what_it_can_read_and_names_the_rest_once() {
    let run = mixed().run("techrag-chunk", &["docs"], "").ok();
    assert_eq!(keys(&run), ["a.md", "sub/b.txt"], "{run}");
    for left_out in ["image", "sub/plot.toml", "sub/empty.txt"] {
        assert_eq!(run.stderr.matches(&format!("left out {left_out}:")).count(), 1, "{run}");
    }
    assert!(!run.stderr.contains("hidden"), "{run}");
    assert_eq!(of(&run.records(), "document")[1]["metadata"], json!({ "folder": "sub" }));
}

#[test]
fn what_was_named_and_cannot_be_read_is_an_error() {
    let run = mixed().run("techrag-chunk", &["docs/image", "docs/a.md", "docs/sub/empty.txt", "gone.pdf"], "");
    assert_eq!(run.code, 3, "{run}");
    assert_eq!(keys(&run), ["docs/a.md"], "{run}");
    let records = run.records();
    let errors: Vec<_> =
        of(&records, "error").iter().map(|error| (error["of"].clone(), error["kind"].clone())).collect();
    assert_eq!(
        errors,
        [
            (json!("docs/image"), json!("unsupported")),
            (json!("docs/sub/empty.txt"), json!("empty")),
            (json!("gone.pdf"), json!("unreadable"))
        ]
    );
}

#[test]
fn paths_come_on_stdin_keys_are_relative_to_the_root_and_records_pass() {
    let removed = r#"{"type":"removed","v":1,"doc_id":"0","key":"old.txt","by":"x", "odd": 1}"#;
    let input = format!("docs/a.md\n{removed}\ndocs/image\ndocs/sub/b.txt\n");
    let run = mixed().run("techrag-chunk", &["--root", "docs"], &input).ok();
    assert_eq!(keys(&run), ["a.md", "sub/b.txt"], "{run}");
    assert!(run.stdout.lines().any(|line| line == removed), "{run}");
    assert!(run.stderr.contains("left out image:"), "{run}");
}

#[test]
fn chunks_follow_their_document_and_are_as_many_as_it_says() {
    let run = Place::new().run("techrag-chunk", &[&format!("{PAPERS}/sideslip-kalman.pdf")], "").ok();
    let records = run.records();
    assert_eq!(records[0]["type"], "document");
    assert_eq!(records[0]["chunks"], json!(records.len() - 1));
    assert_eq!(records[0]["title"], "Extended and Unscented Kalman Filters for Vehicle Sideslip Angle");
    for (ordinal, chunk) in records[1..].iter().enumerate() {
        assert_eq!(chunk["uid"], format!("{}:{ordinal}", records[0]["doc_id"].as_str().unwrap_or_default()));
        let text = chunk["text"].as_str().unwrap_or_default();
        assert!(text.chars().count() <= 6000);
        for span in chunk["spans"].as_array().expect("spans") {
            let at = |name: &str| usize::try_from(span[name].as_u64().expect("an offset")).expect("an offset");
            assert!(text.get(at("start")..at("end")).is_some_and(|stretch| !stretch.trim().is_empty()), "{span}");
            assert!(span["page"].as_u64().is_some_and(|page| (1..=4).contains(&page)), "{span}");
        }
    }
}

#[test]
fn the_sizes_must_make_sense() {
    let run = Place::new().run("techrag-chunk", &["--target", "100", "--max", "50", "x"], "");
    assert_eq!(run.code, 2, "{run}");
    assert!(run.stderr.contains("min ≤ target ≤ max"), "{run}");
}

/// Shared test data beside the project; a test that needs it says where it is missing.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn shared(path: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(path);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there", path.display());
    None
}

#[test]
fn title_authors_and_year_of_real_papers_are_as_read_by_eye() {
    let Some(folder) = shared("papers") else { return };
    let labels: Value = serde_json::from_str(include_str!("../fixtures/chunk/real-papers.json")).expect("labels");
    let labels = labels["papers"].as_object().expect("an object").clone();
    assert!(labels.len() >= 25);
    let paths: Vec<String> = labels.keys().map(|name| folder.join(name).display().to_string()).collect();
    let arguments: Vec<&str> = paths.iter().map(String::as_str).collect();
    let records = Place::new().run("techrag-chunk", &arguments, "").ok().records();
    let documents = of(&records, "document");
    assert_eq!(documents.len(), labels.len());
    for (document, (name, label)) in documents.iter().zip(&labels) {
        for field in ["title", "authors", "year"] {
            assert_eq!(document[field], label[field], "{field} of {name}");
        }
    }
}

#[test]
fn every_token_of_the_long_file_is_on_its_own_page() {
    let Some(path) = shared("nasty/derived__1200_pages_markers.pdf") else { return };
    let run = Place::new().run("techrag-chunk", &[&path.display().to_string()], "").ok();
    let mut pages = std::collections::BTreeSet::new();
    for chunk in of(&run.records(), "chunk") {
        let text = chunk["text"].as_str().unwrap_or_default();
        for span in chunk["spans"].as_array().expect("spans") {
            let at = |name: &str| usize::try_from(span[name].as_u64().expect("an offset")).expect("an offset");
            let token = text[at("start")..at("end")].split("tok").nth(1).map(|rest| rest[..5].to_owned());
            let page = span["page"].as_u64().map(|page| format!("{page:05}"));
            assert_eq!(token, page, "a token on another page");
            pages.insert(page);
        }
    }
    assert_eq!(pages.len(), 1200);
}
