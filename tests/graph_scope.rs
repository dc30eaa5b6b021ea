//! A small scope in a large collection: nothing outside it is returned by expansion or context, whatever the graph holds.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::Place;

const PAPERS: usize = 240;

fn doc_id(n: usize) -> String {
    format!("{n:016x}")
}

/// The n-th paper: every paper shares terms, works and words with many others, and is cited by its neighbours.
fn entities(n: usize) -> Value {
    let term = |kind: &str, of: usize| json!([{ "name": format!("{kind} {of}"), "weight": 0.5 }]);
    let cited = |other: usize| json!({ "title": title(other), "year": year(other), "authors": [author(other)] });
    let mut works = vec![json!({ "title": format!("A work that many cite, number {}", n % 5) })];
    works.extend((1..4).filter(|step| n >= *step).map(|step| cited(n - step)));
    let chunks: Vec<Value> = (0..3).map(|c| json!({ "uid": format!("{}:{c}", doc_id(n)), "role": "method" })).collect();
    json!({ "type": "entities", "v": 1, "doc_id": doc_id(n), "key": format!("{n}.pdf"), "by": "test",
        "paper": { "title": title(n), "year": year(n) }, "authors": [{ "name": author(n) }],
        "authors_checked": "unchecked", "topics": term("topic", n % 7), "methods": term("method", n % 31),
        "metrics": term("metric", n % 11), "applications": term("application", n % 5), "cited": works, "chunks": chunks })
}

fn title(n: usize) -> String {
    format!("A study of matter number {n} and its friction")
}

fn author(n: usize) -> String {
    format!("Ada Q. Person{}x", n % 60)
}

fn year(n: usize) -> usize {
    2000 + n % 24
}

fn records(n: usize) -> String {
    let document = json!({ "type": "document", "v": 1, "doc_id": doc_id(n), "key": format!("{n}.pdf"), "by": "test",
        "media_type": "text/plain", "bytes": 1, "title": title(n), "authors": [author(n)], "year": year(n), "chunks": 3 });
    let chunk = |c: usize| {
        let text =
            format!("The friction of matter number {n} was measured in part {c} by method {} on a road.", n % 31);
        json!({ "type": "chunk", "v": 1, "uid": format!("{}:{c}", doc_id(n)), "doc_id": doc_id(n), "by": "test",
            "section": "Method", "role": "method", "text": text, "sha1": format!("{n:036}{c:04}") })
    };
    (0..3).fold(format!("{document}\n"), |lines, c| format!("{lines}{}\n", chunk(c)))
}

/// Every text in a value, names of fields included.
fn texts(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => drop(found.insert(text.clone())),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(fields) => fields.iter().for_each(|(name, item)| {
            found.insert(name.clone());
            texts(item, found);
        }),
        _ => {}
    }
}

#[test]
fn whatever_the_scope_nothing_outside_is_in_the_graph_of_a_query() {
    let place = Place::new();
    let all: String = (0..PAPERS).map(records).collect();
    let _ = place.run("techrag-index", &["add", "--library", "lib"], &all).ok();
    let all: String = (0..PAPERS).map(|n| format!("{}\n", entities(n))).collect();
    for (command, input) in [("load", all.as_str()), ("resolve", ""), ("communities", "")] {
        let keep: &[&str] = if command == "communities" { &["--keep"] } else { &[] };
        let _ = place.run("techrag-graph", &[&[command, "--library", "lib"], keep].concat(), input).ok();
    }
    let questions = "How was friction measured?\nWhat are the main themes of this library?\n\
        Which papers did Person7x write?\nWhat was measured by method 12?\nWas matter 200, 201, 222 or 223 measured?\n";
    // Retrieval is not bound, so that expansion starts from papers outside the scope too.
    let hits = place.run("techrag-retrieve", &["--library", "lib", "--mode", "bm25"], questions).ok().stdout;
    let route = json!({ "routes": ["content", "bibliometric"], "strategies": [], "text_query": "friction",
        "effort": "high", "reason": "", "by": "t" });
    let hits: String = hits
        .lines()
        .map(|line| {
            let mut query: Value = serde_json::from_str(line).expect("JSON");
            query["route"] = route.clone();
            format!("{query}\n")
        })
        .collect();
    let (mut seen, mut quoted) = (0, 0);
    for (scope, inside) in [
        ("key=7.pdf", vec![7]),
        ("key=7.pdf|8.pdf|130.pdf", vec![7, 8, 130]),
        ("year>=2023", (0..PAPERS).filter(|n| year(*n) >= 2023).collect()),
        ("year>=2050", vec![]),
    ] {
        let expand =
            ["expand", "--bring", "--least-relevance", "0", "--papers", "999", "--chunks", "9", "--most", "999"];
        let scoped = ["--library", "lib", "--where", scope];
        let expanded = place.run("techrag-graph", &[&expand[..], &scoped].concat(), &hits).ok().stdout;
        let context = [&["context", "--hits", "99", "--co-citing", "999", "--communities", "99"], &scoped[..]].concat();
        let queries = place.run("techrag-graph", &context, &expanded).ok().records();
        let mut outside: BTreeSet<String> = BTreeSet::new();
        for n in (0..PAPERS).filter(|n| !inside.contains(n)) {
            // Its sentences too, which communities quote.
            outside.extend([doc_id(n), title(n), format!("matter number {n} was measured")]);
            outside.extend((0..3).map(|c| format!("{}:{c}", doc_id(n))));
        }
        for mut query in queries {
            // What a paper of the scope cites is its own words, in the scope or not.
            for other in query["graph"]["context"]["co_citing"].as_array_mut().into_iter().flatten() {
                other["shared"] = Value::Null;
            }
            let mut named = BTreeSet::new();
            texts(&query["graph"], &mut named);
            let strangers: Vec<&String> =
                named.iter().filter(|text| outside.iter().any(|out| text.contains(out))).collect();
            assert!(strangers.is_empty(), "{scope}: {strangers:?}");
            for hit in query["hits"].as_array().expect("hits").iter().filter(|hit| hit["origin"] == "GRAPH") {
                assert!(!outside.contains(hit["doc_id"].as_str().expect("an id")), "{scope}: {hit}");
            }
            let communities = query["graph"]["context"]["communities"].as_array().cloned().unwrap_or_default();
            quoted += communities.iter().filter_map(|told| told["summary"].as_array()).map(Vec::len).sum::<usize>();
            seen += query["graph"]["expansions"].as_array().map_or(0, Vec::len);
        }
    }
    assert!(seen > 20, "the scopes hold papers that expansion finds: {seen}");
    assert!(quoted > 0, "communities quote papers of the scopes");
}
