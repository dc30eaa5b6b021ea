//! `techrag-graph` over real binaries: extraction to expansion on the fixture papers, scopes, kills, removal.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::harness::{Place, Run};

/// The fixture papers' records.
pub(crate) fn fixture_records() -> &'static str {
    static MADE: OnceLock<String> = OnceLock::new();
    let papers = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/papers");
    MADE.get_or_init(|| Place::new().run("techrag-chunk", &[papers], "").ok().stdout)
}

/// A library of the fixture papers without vectors, and its graph with resolved citations.
fn library() -> &'static Path {
    static MADE: OnceLock<Place> = OnceLock::new();
    let place = MADE.get_or_init(|| {
        let place = Place::new();
        let _ = place.run("techrag-index", &["add", "--library", "lib"], fixture_records()).ok();
        load(&place, "lib", fixture_records());
        place
    });
    place.path()
}

fn load(place: &Place, library: &str, records: &str) {
    let entities = place.run("techrag-graph", &["extract"], records).ok().stdout;
    let _ = place.run("techrag-graph", &["load", "--library", library], &entities).ok();
    let _ = place.run("techrag-graph", &["resolve", "--library", library], "").ok();
}

fn lib() -> &'static str {
    static PATH: OnceLock<String> = OnceLock::new();
    PATH.get_or_init(|| library().join("lib").to_str().expect("UTF-8").to_owned())
}

fn stats(place: &Place, library: &str) -> Value {
    place.run("techrag-graph", &["stats", "--library", library, "--json"], "").ok().records().remove(0)
}

fn truth() -> BTreeMap<String, Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/papers/truth");
    let read = |path: &Path| -> (String, Value) {
        let truth: Value = serde_json::from_str(&fs::read_to_string(path).expect("a truth")).expect("JSON");
        (truth["key"].as_str().expect("a key").to_owned(), truth)
    };
    fs::read_dir(folder).expect("truths").map(|entry| read(&entry.expect("an entry").path())).collect()
}

#[test]
fn citations_of_the_fixture_papers_are_resolved_as_they_are() {
    let truth = truth();
    let mut expected = BTreeSet::new();
    for (key, paper) in &truth {
        for cited in paper["cites"].as_array().expect("a list") {
            expected.insert((key.clone(), cited.as_str().expect("a key").to_owned()));
        }
    }
    assert!(expected.len() > 30, "{expected:?}");
    let keys: BTreeMap<String, String> = fixture_records()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .filter(|record| record["type"] == "document")
        .map(|record| {
            let key = record["key"].as_str().expect("a key").trim_end_matches(".pdf").to_owned();
            (record["doc_id"].as_str().expect("an id").to_owned(), key)
        })
        .collect();
    let listed = Place::new().run("techrag-graph", &["resolve", "--library", lib(), "--list"], "").ok().records();
    let end = |link: &Value, end: &str| keys[link[end].as_str().expect("an id")].clone();
    let found: BTreeSet<(String, String)> = listed.iter().map(|link| (end(link, "from"), end(link, "to"))).collect();
    let wrong: Vec<_> = found.difference(&expected).collect();
    assert!(wrong.is_empty(), "precision 1.0 is asked for: {wrong:?}");
    let recall = found.intersection(&expected).count() as f64 / expected.len() as f64;
    assert!(recall >= 0.95, "recall {recall}: missing {:?}", expected.difference(&found));
}

#[test]
fn the_eight_labels_and_nine_types_are_there_and_loading_again_changes_nothing() {
    let place = Place::new();
    load(&place, "lib", fixture_records());
    let first = stats(&place, "lib");
    for label in ["Paper", "Author", "Topic", "Method", "Metric", "Application", "CitationPaper", "Chunk"] {
        assert!(first["nodes"][label].as_u64().is_some_and(|count| count > 0), "{label}: {first}");
    }
    for kind in
        ["AUTHORED", "BELONGS_TO", "USES_METHOD", "REPORTS_METRIC", "APPLIES_TO", "CITES", "CITES_PAPER", "HAS_CHUNK"]
    {
        assert!(first["edges"][kind].as_u64().is_some_and(|count| count > 0), "{kind}: {first}");
    }
    assert_eq!(first["nodes"]["Paper"], 13);
    let export = |place: &Place| place.run("techrag-graph", &["export", "--library", "lib"], "").ok().stdout;
    let before = export(&place);
    load(&place, "lib", fixture_records());
    assert_eq!(before, export(&place));
}

#[test]
fn a_removed_paper_takes_with_it_what_only_it_supported() {
    let place = Place::new();
    let _ = place.run("techrag-index", &["add", "--library", "lib"], fixture_records()).ok();
    load(&place, "lib", fixture_records());
    let whole = stats(&place, "lib");
    // By the index: in the transaction that takes the document out.
    let _ = place.run("techrag-index", &["remove", "--library", "lib", "yaw-mpc.pdf"], "").ok();
    let without = stats(&place, "lib");
    assert_eq!(without["nodes"]["Paper"], 12);
    let export = place.run("techrag-graph", &["export", "--library", "lib"], "").ok().stdout;
    assert!(!export.contains("Samir Belkacemi\",\"Priya Raman\",\"Jonas"), "the paper's own node is gone");
    // What is left is what the others alone make.
    let others: String = place
        .run("techrag-graph", &["extract"], fixture_records())
        .ok()
        .stdout
        .lines()
        .filter(|line| !line.contains("\"yaw-mpc.pdf\""))
        .map(|line| format!("{line}\n"))
        .collect();
    let _ = place.run("techrag-graph", &["load", "--library", "others"], &others).ok();
    let _ = place.run("techrag-graph", &["resolve", "--library", "others"], "").ok();
    assert_eq!(without, stats(&place, "others"));
    // And back: the whole again.
    load(&place, "lib", fixture_records());
    assert_eq!(whole, stats(&place, "lib"));
    // By the stream: every paper's last key, so nothing is left.
    let removed: String = fixture_records()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .filter(|record| record["type"] == "document")
        .map(|document| {
            format!(
                "{}\n",
                json!({ "type": "removed", "v": 1, "doc_id": document["doc_id"], "key": document["key"], "by": "t" })
            )
        })
        .collect();
    let _ = place.run("techrag-graph", &["load", "--library", "lib"], &removed).ok();
    assert_eq!(stats(&place, "lib"), json!({ "nodes": {}, "edges": {} }));
}

fn hits(questions: &str) -> String {
    Place::new().run("techrag-retrieve", &["--library", lib(), "--mode", "bm25", "-k", "8"], questions).ok().stdout
}

const QUESTION: &str = "How does the relaxation length delay the lateral force of a tyre?\n";

#[test]
fn a_scope_binds_expansion_and_context() {
    let said = hits(QUESTION);
    let scope = ["--where", "key=brush-model-extensions.pdf|relaxation-length.pdf"];
    // A threshold of zero lets everything join that is in scope, so that whatever is outside would show.
    let expand = [
        &["expand", "--library", lib(), "--bring", "--least-relevance", "0", "--papers", "100", "--chunks", "50"],
        &scope[..],
    ];
    let expanded = Place::new().run("techrag-graph", &expand.concat(), &said).ok();
    let context = [&["context", "--library", lib()], &scope[..]].concat();
    let query = Place::new().run("techrag-graph", &context, &expanded.stdout).ok().records().remove(0);
    let allowed: BTreeSet<String> = fixture_records()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .filter(|record| record["key"] == "brush-model-extensions.pdf" || record["key"] == "relaxation-length.pdf")
        .map(|record| record["doc_id"].as_str().expect("an id").to_owned())
        .collect();
    assert_eq!(allowed.len(), 2);
    let graph = &query["graph"];
    for hit in query["hits"].as_array().expect("hits").iter().filter(|hit| hit["origin"] == "GRAPH") {
        assert!(allowed.contains(hit["doc_id"].as_str().expect("an id")), "{hit}");
    }
    let ids = |list: &Value| -> Vec<String> {
        let list = list.as_array().cloned().unwrap_or_default();
        list.iter().filter_map(|paper| paper["doc_id"].as_str().map(str::to_owned)).collect()
    };
    let papers = &graph["context"]["papers"];
    let cited = papers.as_array().into_iter().flatten().flat_map(|paper| {
        ["cites", "cited_by"].into_iter().flat_map(|key| paper[key].as_array().cloned().unwrap_or_default())
    });
    let named = ids(&graph["expansions"]).into_iter().chain(ids(papers)).chain(ids(&graph["context"]["co_citing"]));
    let named: Vec<String> = named.chain(cited.filter_map(|id| id.as_str().map(str::to_owned))).collect();
    assert!(!named.is_empty(), "{graph}");
    let strangers: Vec<&String> = named.iter().filter(|id| !allowed.contains(*id)).collect();
    assert!(strangers.is_empty(), "{strangers:?}");
    let titles: Vec<&String> = graph["context"]["titles"].as_object().expect("titles").keys().collect();
    assert!(titles.iter().all(|id| allowed.contains(*id)), "{titles:?}");
}

#[test]
fn expansion_tags_what_it_brings_and_loses_no_hit() {
    let said = hits(QUESTION);
    let expand = ["expand", "--library", lib(), "--bring", "--least-relevance", "0", "--seeds", "1"];
    let query = Place::new().run("techrag-graph", &expand, &said).ok().records().remove(0);
    let before: Value = serde_json::from_str(said.lines().next().expect("a query")).expect("JSON");
    let of = |query: &Value, origin: &str| -> Vec<String> {
        let hits = query["hits"].as_array().expect("hits");
        hits.iter().filter(|hit| hit["origin"] == origin).map(|hit| hit["uid"].to_string()).collect()
    };
    assert_eq!(of(&before, "VECTOR"), of(&query, "VECTOR"), "no hit is lost or moved before another");
    let brought = of(&query, "GRAPH");
    assert!(!brought.is_empty(), "{}", query["trace"]);
    let merged: usize = query["graph"]["expansions"]
        .as_array()
        .expect("expansions")
        .iter()
        .map(|expansion| expansion["merged"].as_array().map_or(0, Vec::len))
        .sum();
    assert_eq!(brought.len(), merged);
    let scores: Vec<f64> = query["hits"]
        .as_array()
        .expect("hits")
        .iter()
        .map(|hit| hit["scores"]["score"].as_f64().expect("a score"))
        .collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
}

#[test]
fn unless_it_is_asked_to_bring_expansion_names_papers_and_leaves_the_hits() {
    let said = hits(QUESTION);
    let query = Place::new().run("techrag-graph", &["expand", "--library", lib(), "--seeds", "1"], &said).ok();
    let query = query.records().remove(0);
    let before: Value = serde_json::from_str(said.lines().next().expect("a query")).expect("JSON");
    assert_eq!(query["hits"], before["hits"]);
    let near = query["graph"]["expansions"].as_array().expect("expansions");
    assert!(!near.is_empty() && near.iter().all(|paper| paper.get("merged").is_none() && paper["title"].is_string()));
}

#[test]
fn an_empty_graph_a_low_effort_and_another_route_pass_with_a_note() {
    let place = Place::new();
    let _ = place.run("techrag-index", &["add", "--library", "lib"], fixture_records()).ok();
    let said = hits(QUESTION);
    let expanded = place.run("techrag-graph", &["expand", "--library", "lib"], &said).ok().records().remove(0);
    assert!(expanded["graph"]["note"].as_str().expect("a note").contains("no graph"), "{}", expanded["graph"]);
    let mut low: Value = serde_json::from_str(said.lines().next().expect("a query")).expect("JSON");
    low["route"] =
        json!({ "routes": ["content"], "strategies": [], "text_query": "x", "effort": "low", "reason": "", "by": "t" });
    for (key, value) in [("effort", json!("low")), ("routes", json!(["trend"]))] {
        let mut query = low.clone();
        query["route"]["effort"] = json!("high");
        query["route"][key] = value;
        let passed = place.run("techrag-graph", &["expand", "--library", lib()], &format!("{query}\n")).ok();
        let passed = passed.records().remove(0);
        assert!(passed.get("graph").is_none() && passed["hits"] == query["hits"], "{passed}");
    }
}

#[test]
fn an_author_is_looked_up_for_a_bibliographic_question() {
    let mut query: Value =
        serde_json::from_str(hits("Which papers did Oldendorf write?\n").lines().next().expect("a query"))
            .expect("JSON");
    query["route"] = json!({ "routes": ["bibliometric"], "strategies": [], "text_query": "x", "effort": "high", "reason": "", "by": "t" });
    let said = Place::new().run("techrag-graph", &["context", "--library", lib()], &format!("{query}\n")).ok();
    let authors = said.records().remove(0)["graph"]["context"]["authors"].clone();
    let papers: Vec<&str> =
        authors[0]["papers"].as_array().expect("papers").iter().filter_map(|p| p["title"].as_str()).collect();
    let truth = truth();
    let by_her = truth.values().filter(|paper| paper["authors"].to_string().contains("Henrike Oldendorf"));
    let expected: BTreeSet<&str> = by_her.map(|paper| paper["title"].as_str().expect("a title")).collect();
    assert_eq!(papers.into_iter().collect::<BTreeSet<_>>(), expected, "{authors}");
}

/// Entities of `count` papers that share terms, authors and works.
fn entities(count: usize) -> String {
    let paper = |n: usize| {
        let doc_id = format!("{n:016x}");
        let term = |kind: &str, of: usize| json!([{ "name": format!("{kind} {of}"), "weight": 0.5 }]);
        json!({
            "type": "entities", "v": 1, "doc_id": doc_id, "key": format!("p{n}.pdf"), "by": "test",
            "paper": { "title": format!("Paper {n} on things"), "year": 2000 + n % 20 },
            "authors": [{ "name": format!("Ada Number{}", n % 50) }], "authors_checked": "unchecked",
            "topics": term("topic", n % 7), "methods": term("method", n % 31),
            "metrics": term("metric", n % 11), "applications": term("application", n % 5),
            "cited": [{ "title": format!("Cited work number {}", n % 40) }],
            "chunks": (0..6).map(|c| json!({ "uid": format!("{doc_id}:{c}"), "role": "method" })).collect::<Vec<_>>()
        })
    };
    (0..count).map(|n| format!("{}\n", paper(n))).collect()
}

#[test]
fn a_load_that_is_killed_leaves_whole_papers_and_the_next_one_all_of_them() {
    const PAPERS: usize = 300;
    let place = Place::new();
    place.file("entities.jsonl", &entities(PAPERS));
    let _ = place.run("techrag-graph", &["load", "--library", "whole"], &entities(PAPERS)).ok();
    let whole = stats(&place, "whole");
    let mut cut_short = 0;
    for pause in ["0.02", "0.05", "0.1", "0.2", "0.4"] {
        let line = format!(
            "rm -rf killed; (cat entities.jsonl; sleep 5) | techrag-graph load --library killed & \
             sleep {pause}; kill -9 $(jobs -p) $(pgrep -P $$ -f 'load --library killed') 2>/dev/null; wait; true"
        );
        let _: Run = place.shell(&line);
        if place.path().join("killed/catalog.sqlite").exists() {
            let said = place.run("techrag-graph", &["stats", "--library", "killed", "--json"], "");
            if said.code == 0 {
                let killed = said.records().remove(0);
                let papers = killed["nodes"]["Paper"].as_u64().unwrap_or(0);
                cut_short += usize::from(papers < PAPERS as u64);
                assert_eq!(killed["nodes"]["Chunk"].as_u64().unwrap_or(0), 6 * papers, "half a paper: {killed}");
                assert_eq!(killed["edges"]["USES_METHOD"].as_u64().unwrap_or(0), papers, "half a paper: {killed}");
            }
        }
        let _ = place.run("techrag-graph", &["load", "--library", "killed"], &entities(PAPERS)).ok();
        assert_eq!(stats(&place, "killed"), whole, "after a kill at {pause} s");
    }
    assert!(cut_short > 0, "no kill came in mid-load");
}
