//! What `techrag-graph` does with input that nobody should give it: a reason in words and the right exit code, never a
//! panic, and no query lost.

use std::fs;

use serde_json::{Value, json};

use crate::graph::fixture_records;
use crate::harness::{Place, Run};

fn sound(run: &Run) {
    assert!(!run.stderr.contains("panicked") && [0, 2, 3, 4].contains(&run.code), "{run}");
    assert!(run.code == 0 || !run.stderr.trim().is_empty(), "a failure says why: {run}");
}

#[test]
fn a_store_that_is_no_address_is_refused_before_anything_is_read() {
    let place = Place::new();
    for store in [
        "postgres",
        "http://127.0.0.1:7687",
        "bolt://",
        "bolt://ada:secret@127.0.0.1:1",
        "bolt://ada:a@secret@127.0.0.1:1",
        "ada:secret@127.0.0.1:7687",
        "secret@host",
        "secret://ada@host",
        "bolt://host:99999",
        "",
    ] {
        for command in ["stats", "load", "expand", "context"] {
            let run = place.run("techrag-graph", &[command, "--store", store, "--library", "lib"], "");
            assert!(run.code == 2 && run.stderr.contains("is no store"), "{store}: {run}");
            assert!(!run.stderr.contains("secret"), "{run}");
        }
    }
}

#[test]
fn a_library_without_a_graph_says_how_to_make_one() {
    let place = Place::new();
    let _ = place.run("techrag-index", &["add", "--library", "lib"], fixture_records()).ok();
    for command in [&["stats"][..], &["export"], &["show", "Kalman filter"], &["alias", "propose"], &["communities"]] {
        let run = place.run("techrag-graph", &[command, &["--library", "lib"]].concat(), "");
        assert!(run.code == 2 && run.stderr.contains("no graph") && run.stderr.contains("extract"), "{run}");
        let nowhere = place.run("techrag-graph", &[command, &["--library", "nowhere"]].concat(), "");
        assert!(nowhere.code == 2 && nowhere.stderr.contains("nowhere"), "{nowhere}");
    }
}

#[test]
fn a_library_of_a_later_format_is_refused_by_number() {
    let place = Place::new();
    let _ = place.run("techrag-graph", &["load", "--library", "lib"], &entities(&json!({}))).ok();
    let catalog = place.path().join("lib/catalog.sqlite");
    let bytes = fs::read(&catalog).expect("a catalog");
    // The row of `meta` that holds the format: its name, then one digit.
    let at = bytes
        .windows(7)
        .position(|window| window.starts_with(b"format") && window[6].is_ascii_digit())
        .expect("a format");
    let mut later = bytes;
    later[at + 6] = b'9';
    fs::write(&catalog, later).expect("written");
    for command in ["stats", "load", "expand"] {
        let run = place.run("techrag-graph", &[command, "--library", "lib"], "");
        assert!(run.code == 2 && run.stderr.contains("format 9"), "{run}");
    }
}

#[test]
fn a_damaged_graph_never_panics_and_loses_no_query() {
    let place = Place::new();
    let _ = place.run("techrag-index", &["add", "--library", "lib"], fixture_records()).ok();
    let found = place.run("techrag-graph", &["extract"], fixture_records()).ok().stdout;
    let _ = place.run("techrag-graph", &["load", "--library", "lib"], &found).ok();
    let hits =
        place.run("techrag-retrieve", &["--library", "lib", "--mode", "bm25"], "relaxation length\nKalman filter\n");
    let hits = hits.ok().stdout;
    let catalog = place.path().join("lib/catalog.sqlite");
    let whole = fs::read(&catalog).expect("a catalog");
    let mut answered = 0;
    for part in 1..12 {
        let mut damaged = whole.clone();
        let start = whole.len() * part / 12;
        damaged[start..start + 3 * 4096].fill(0xa5);
        fs::write(&catalog, damaged).expect("written");
        for command in
            [&["stats"][..], &["export"], &["show", "Kalman filter"], &["alias", "propose"], &["communities"]]
        {
            sound(&place.run("techrag-graph", &[command, &["--library", "lib"]].concat(), ""));
        }
        for stage in ["expand", "context"] {
            let run = place.run("techrag-graph", &[stage, "--library", "lib"], &hits);
            sound(&run);
            let all = run.records().len() == 2 && run.records().iter().all(|query| query["graph"].is_object());
            assert!(run.code == 2 || all, "{run}");
            answered += usize::from(run.code == 0);
        }
    }
    assert!(answered > 0, "damage elsewhere in the file is no reason to end");
}

fn entities(more: &Value) -> String {
    let mut record = json!({ "type": "entities", "v": 1, "doc_id": "00000000000000aa", "key": "a.pdf", "by": "t",
        "paper": { "title": "A paper" } });
    for (name, value) in more.as_object().into_iter().flatten() {
        record[name] = value.clone();
    }
    format!("{record}\n")
}

#[test]
fn odd_records_are_kept_as_far_as_they_make_sense_or_named() {
    let huge = "A title of more than any index takes ".repeat(2000);
    let name = |name: &str| json!([{ "name": name, "weight": 1.0 }]);
    for (more, code) in [
        (json!({ "paper": { "title": huge, "year": i32::MIN } }), 0),
        (json!({ "paper": {} }), 0),
        (
            json!({ "topics": name(""), "methods": name("  \u{0} "), "metrics": name("…"), "applications": name(&huge) }),
            0,
        ),
        (json!({ "authors": [{ "name": "" }, { "name": "." }, { "name": "١٢٣" }, { "name": "\u{202e}Ada" }] }), 0),
        (json!({ "cited": [{ "title": "" }, { "title": huge }, { "title": "A paper" }] }), 0),
        (json!({ "chunks": [{ "uid": "" }, { "uid": "b:0" }, { "uid": "00000000000000aa:99999999999" }] }), 0),
        (json!({ "relations": [{ "from": "x", "relation": "EATS", "to": "Topic:" }] }), 0),
        (json!({ "doc_id": "" }), 3),
        (json!({ "key": "" }), 3),
        (json!({ "doc_id": 7 }), 3),
        (json!({ "topics": "slip" }), 3),
        (json!({ "paper": null }), 3),
    ] {
        let place = Place::new();
        let run = place.run("techrag-graph", &["load", "--library", "lib"], &(entities(&more) + &entities(&json!({}))));
        assert_eq!(run.code, code, "{more}: {run}");
        let errors = run.records().iter().filter(|record| record["type"] == "error").count();
        assert_eq!(errors, usize::from(code == 3), "{run}");
        // The good record behind it is in either way, and everything can be read back.
        for command in
            [&["stats", "--json"][..], &["export", "--format", "graphml"], &["show", "A paper"], &["resolve"]]
        {
            let _ = place.run("techrag-graph", &[command, &["--library", "lib"]].concat(), "").ok();
        }
    }
}

#[test]
fn odd_queries_pass_with_their_hits() {
    let place = Place::new();
    let _ = place.run("techrag-index", &["add", "--library", "lib"], fixture_records()).ok();
    let _ = place.run("techrag-graph", &["load", "--library", "lib"], &entities(&json!({}))).ok();
    let hit = |uid: &str, doc_id: &str| json!({ "uid": uid, "doc_id": doc_id, "key": "k", "text": "x", "origin": "VECTOR", "scores": { "score": 1.0 } });
    for hits in [
        json!([]),
        json!([hit("", "")]),
        json!([hit("nowhere:0", "nowhere"), hit("nowhere:0", "nowhere")]),
        json!([hit("00000000000000aa:0", "00000000000000aa")]),
    ] {
        let query = json!({ "type": "query", "v": 1, "question": "'; DROP TABLE graph_nodes; --", "hits": hits });
        for stage in [&["expand", "--bring"][..], &["context"]] {
            let run = place.run("techrag-graph", &[stage, &["--library", "lib"]].concat(), &format!("{query}\n")).ok();
            let answered = run.records().remove(0);
            let uids = |query: &Value| -> Vec<Value> {
                query["hits"].as_array().expect("hits").iter().map(|hit| hit["uid"].clone()).collect()
            };
            assert_eq!((uids(&answered), answered["graph"].is_object()), (uids(&query), true), "{run}");
        }
    }
}
