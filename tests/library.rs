//! `techrag-index` and `techrag-retrieve` over real pipes: a library grows, is searched, is damaged, is killed at.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Place, Run};

/// A corpus of `count` lines; every text names its own number.
fn corpus(count: usize) -> String {
    let line = |n: usize| {
        let text =
            format!("Document {n} says that the slip angle of tyre T{n} grows with the load. ").repeat(1 + n % 5);
        format!("{}\n", json!({ "_id": format!("d{n}"), "title": format!("Report {n}"), "text": text }))
    };
    (0..count).map(line).collect()
}

/// A place with a library of `count` documents, without vectors.
fn library(count: usize) -> Place {
    let place = Place::new();
    place.file("corpus.jsonl", &corpus(count));
    let added = place
        .shell("techrag-chunk --from jsonl corpus.jsonl >records && techrag-index add --library lib <records")
        .ok();
    assert!(added.stdout.is_empty(), "{added}");
    place
}

fn status(place: &Place) -> Value {
    place.run("techrag-index", &["status", "--json", "--library", "lib"], "").ok().records().remove(0)
}

fn verify(place: &Place) -> Run {
    place.run("techrag-index", &["verify", "--library", "lib"], "")
}

#[test]
fn the_same_stream_again_changes_nothing_and_a_removed_key_is_gone() {
    let place = library(7);
    let before = status(&place);
    assert_eq!((&before["documents"], &before["chunks"], &before["format"]), (&json!(7), &json!(7), &json!(2)));
    let again = place.shell("techrag-index add --library lib <records").ok();
    assert!(again.stderr.contains("7 unchanged"), "{again}");
    assert_eq!(status(&place), before);
    let removed = place.run("techrag-index", &["remove", "--library", "lib", "d3", "nobody"], "");
    assert_eq!((removed.code, removed.records().len()), (3, 1), "{removed}");
    assert_eq!(status(&place)["documents"], 6);
    let found = place.run("techrag-retrieve", &["--library", "lib", "--mode", "bm25"], "T3\n").ok();
    assert_eq!(found.records()[0]["hits"], json!([]));
    let _ = place.run("techrag-index", &["compact", "--library", "lib"], "").ok();
    assert!(verify(&place).ok().stdout.starts_with("clean: 6 documents, 6 chunks, 1 segments"));
}

#[test]
fn errors_and_foreign_records_pass_and_half_a_document_is_named() {
    let place = library(2);
    let records = place.shell("cat records").ok().stdout;
    let half: Vec<&str> = records.lines().filter(|line| line.contains(r#""type":"document""#)).collect();
    let earlier = r#"{"type":"error","v":1,"of":"a.pdf","stage":"chunk","kind":"damaged","message":"no pages"}"#;
    let foreign = r#"{"type":"sighting", "v":1}"#;
    let input = format!("{earlier}\n{foreign}\n{}\nnot a record\n", half[0]);
    let said = place.run("techrag-index", &["add", "--library", "other"], &input);
    assert_eq!(said.code, 3, "{said}");
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert_eq!(lines[..2], [earlier, foreign]);
    let kinds: Vec<Value> = said.records()[2..].iter().map(|record| record["kind"].clone()).collect();
    assert_eq!(kinds, ["malformed", "incomplete"], "{said}");
    assert!(!said.stderr.contains("a.pdf") && said.stderr.contains("0 documents added"), "{said}");
}

#[test]
fn a_reader_that_leaves_or_a_line_of_the_future_costs_no_document_before() {
    let place = library(3);
    let foreign = format!("{{\"type\":\"sighting\",\"v\":1,\"pad\":\"{}\"}}\n", "x".repeat(900));
    place.file("foreign", &foreign.repeat(400));
    let said =
        place.shell("cat foreign records | techrag-index add --library unread | true; echo ${PIPESTATUS[1]}").ok();
    assert!(said.stdout == "0\n" && said.stderr.contains("3 documents added"), "{said}");
    place.file("future", "{\"type\":\"document\",\"v\":2}\n");
    let said = place.shell("cat records future | techrag-index add --library ended");
    assert!(said.code == 2 && said.stderr.contains("3 documents added"), "{said}");
}

#[test]
fn an_endless_select_is_written_row_by_row() {
    let place = library(1);
    let endless = "WITH RECURSIVE x (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT n FROM x";
    let said =
        place.shell(&format!("techrag-index sql --library lib '{endless}' | head -1; echo ${{PIPESTATUS[0]}}")).ok();
    assert_eq!(said.stdout, "{\"n\":1}\n0\n", "{said}");
}

#[test]
fn hits_are_the_same_bytes_for_any_number_of_workers() {
    let place = library(40);
    let queries: String = (0..40).map(|n| format!("how does tyre T{n} behave under load?\n")).collect();
    let with = |jobs| {
        place
            .run("techrag-retrieve", &["--library", "lib", "--mode", "bm25", "-k", "3", "-j", jobs], &queries)
            .ok()
            .stdout
    };
    let one = with("1");
    assert_eq!(one, with("2"));
    for (n, line) in one.lines().enumerate() {
        let query: Value = serde_json::from_str(line).expect("a record");
        assert_eq!(
            (&query["hits"][0]["key"], &query["hits"][0]["origin"]),
            (&json!(format!("d{n}")), &json!("VECTOR"))
        );
    }
}

#[test]
fn a_search_needs_a_library_and_words_need_no_model() {
    let place = library(1);
    let nowhere = place.run("techrag-retrieve", &["--library", "nowhere"], "slip\n");
    assert!(nowhere.code == 2 && nowhere.stderr.contains("no library at nowhere"), "{nowhere}");
    let none = place.run("techrag-retrieve", &[], "slip\n");
    assert!(none.code == 2 && none.stderr.contains("--library"), "{none}");
    let found = place.run("techrag-retrieve", &["--library", "lib"], "slip\n").ok();
    let note = found.records()[0]["trace"][0]["note"].to_string();
    assert!(note.contains("the library holds no vectors"), "{note}");
}

#[test]
fn a_writer_tells_a_second_one_who_it_is() {
    let place = library(1);
    let holder = || fs::read_to_string(place.path().join("lib/lock")).expect("a lock file stays");
    let before = holder();
    let _adding = place.talk("techrag-index", &["add", "--library", "lib"]);
    while holder() == before || !holder().ends_with('\n') {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let said = place.run("techrag-index", &["compact", "--library", "lib"], "");
    assert_eq!(said.code, 2, "{said}");
    assert!(
        said.stderr.contains("is being written by techrag-index") && said.stderr.contains("add (process"),
        "{said}"
    );
    assert_eq!(status(&place)["documents"], 1, "a reader is not kept out");
}

#[test]
fn a_damaged_byte_is_named_and_rebuild_remakes_the_segments() {
    let place = library(3);
    let segment = place.path().join("lib/segments/text-000001.seg");
    let mut bytes = fs::read(&segment).expect("there is a segment");
    let middle = bytes.len() / 2;
    bytes[middle..].iter_mut().for_each(|byte| *byte ^= 0xff);
    fs::write(&segment, bytes).expect("written");
    let said = verify(&place);
    assert!(said.code == 3 && said.stdout.contains("text-000001.seg"), "{said}");
    // Whatever stands in the damaged half, a search ends and does not panic.
    let found = place.run("techrag-retrieve", &["--library", "lib", "--mode", "bm25"], "slip angle\nT1\n");
    assert!([0, 2].contains(&found.code) && !found.stderr.contains("panicked"), "{found}");
    let _ = place.run("techrag-index", &["rebuild", "--library", "lib"], "").ok();
    assert!(verify(&place).ok().stdout.starts_with("clean: 3 documents"));
}

#[test]
fn killed_at_any_moment_it_opens_verifies_and_the_same_command_completes_it() {
    let place = Place::new();
    place.file("corpus.jsonl", &corpus(300));
    let _ = place.shell("techrag-chunk --from jsonl corpus.jsonl >records").ok();
    for delay in ["0.005", "0.02", "0.05", "0.1", "0.2", "0.4"] {
        let add = "techrag-index add --batch 20 --library lib <records 2>/dev/null";
        let _ = place.shell(&format!("rm -rf lib; timeout -s KILL {delay} {add}; true")).ok();
        if place.path().join("lib").exists() {
            assert!(verify(&place).ok().stdout.starts_with("clean: "), "killed after {delay} s");
        }
        let _ = place.shell(add).ok();
        assert!(verify(&place).ok().stdout.starts_with("clean: 300 documents, 300 chunks"), "after {delay} s");
    }
}

#[test]
fn a_folder_is_planned_by_what_changed() {
    let place = Place::new();
    place.file("papers/a.md", "# Slip\n\nThe slip angle grows.\n");
    place.file("papers/b.md", "# Brush\n\nThe brush bends.\n");
    let ingest =
        "techrag-index plan papers --library lib | techrag-chunk --root papers | techrag-index add --library lib";
    let _ = place.shell(ingest).ok();
    assert_eq!((status(&place)["documents"].clone(), plan(&place)), (json!(2), String::new()));
    place.file("papers/b.md", "# Brush\n\nThe brush is stiff.\n");
    fs::remove_file(place.path().join("papers/a.md")).expect("removed");
    let planned = plan(&place);
    let lines: Vec<&str> = planned.lines().collect();
    assert!(lines.len() == 2 && lines[0] == "papers/b.md" && lines[1].contains(r#""key":"a.md""#), "{planned}");
    let _ = place.shell(ingest).ok();
    let found = place.run("techrag-retrieve", &["--library", "lib", "--mode", "bm25"], "brush slip stiff\n").ok();
    let hits = found.records()[0]["hits"].as_array().cloned().unwrap_or_default();
    assert!(hits.len() == 1 && hits[0]["key"] == "b.md" && hits[0]["text"].to_string().contains("stiff"), "{found}");
    assert!(verify(&place).ok().stdout.starts_with("clean: 1 documents"));
}

#[test]
fn a_library_among_the_papers_is_no_paper() {
    let place = Place::new();
    fs::create_dir(place.path().join("papers")).expect("a folder");
    place.file("papers/a.txt", "The tyre slips.");
    let ingest = "techrag-index plan papers --library papers/lib | techrag-chunk --root papers | \
                  techrag-index add --library papers/lib";
    let _ = place.shell(ingest).ok();
    let planned = place.run("techrag-index", &["plan", "papers", "--library", "papers/lib"], "").ok();
    assert_eq!(planned.stdout, "", "{planned}");
}

fn plan(place: &Place) -> String {
    place.run("techrag-index", &["plan", "papers", "--library", "lib"], "").ok().stdout
}

#[test]
fn a_search_keeps_to_its_scope_and_the_catalog_answers_a_select_but_no_more() {
    let place = library(5);
    let scoped = ["--library", "lib", "--mode", "bm25", "--where", "key=d1|d3"];
    let found = place.run("techrag-retrieve", &scoped, "slip\n").ok();
    let hits = found.records()[0]["hits"].as_array().cloned().unwrap_or_default();
    let mut keys: Vec<String> = hits.iter().map(|hit| hit["key"].to_string()).collect();
    keys.sort();
    assert_eq!(keys, [r#""d1""#, r#""d3""#]);
    let wrong =
        |scope| place.run("techrag-retrieve", &["--library", "lib", "--mode", "bm25", "--where", scope], "slip\n");
    for (scope, why) in [
        ("year>=new", "is not a number"),
        ("year>=NaN", "is not a number"),
        ("year==2017", "two operators"),
        ("year=>2017", "two operators"),
        ("title<=3", "is a text"),
    ] {
        let said = wrong(scope);
        assert!(said.code == 2 && said.stderr.contains(why), "{scope}: {said}");
    }
    let unknown = wrong("yaer=2017").ok().stdout;
    assert!(unknown.contains("no document has a field") && unknown.contains("media_type"), "{unknown}");
    let sql = |statement| place.run("techrag-index", &["sql", "--library", "lib", statement], "");
    assert_eq!(sql("SELECT count(*) AS n FROM documents").ok().stdout, "{\"n\":5}\n");
    assert_eq!(sql("DELETE FROM documents").code, 2);
}

#[test]
fn a_weight_that_is_no_number_is_refused_and_not_passed_on_as_a_score() {
    let place = library(3);
    let with = |flags: &[&str]| place.run("techrag-retrieve", &[&["--library", "lib"], flags].concat(), "slip\n");
    for flag in [
        "--dense-weight",
        "--k1",
        "--rrf-constant",
        "--b",
        "--title-weight",
        "--section-weight",
        "--keyword-boost",
        "--phrase-boost",
        "--late-weight",
        "--sparse-weight",
        "--mmr",
    ] {
        for value in ["nan", "inf", "-1", "1e308"] {
            let said = with(&[&format!("{flag}={value}")]);
            assert!(said.code == 2 && said.stderr.contains("is expected"), "{flag}={value}: {said}");
        }
    }
    let said = with(&["--fusion", "convex", "--dense-weight", "1.5"]);
    assert!(said.code == 2 && said.stderr.contains("0 to 1"), "{said}");
}
