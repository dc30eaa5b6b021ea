//! The graph on a real Neo4j server, beside the embedded one: the same answers, and what happens when it fails.
//!
//! `make test-neo4j` starts the server and says where it is; without it these tests are skipped and say so.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use crate::graph::fixture_records;
use crate::harness::{Place, Run, inherited};

/// Seconds: a server that has just started on a busy machine takes its time over the first connection.
const PATIENCE: &str = "60";

struct Server {
    /// `bolt://HOST:PORT`
    address: String,
    password: String,
}

/// The server under test, if there is one.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn server(test: &str) -> Option<Server> {
    let variable = |name: &str| inherited(name).map(|value| value.to_string_lossy().into_owned());
    let found = variable("TECHRAG_NEO4J").zip(variable("NEO4J_PASSWORD"));
    if found.is_none() {
        eprintln!("skipped: {test} needs a Neo4j server (make test-neo4j)");
    }
    found.map(|(address, password)| Server { address, password })
}

impl Server {
    fn run(&self, place: &Place, arguments: &[&str], input: &str) -> Run {
        let arguments = [arguments, &["--store", &self.address, "--store-timeout", PATIENCE]].concat();
        place.run_with("techrag-graph", &arguments, &[("NEO4J_PASSWORD", &self.password)], input)
    }

    /// Takes every paper out: then nothing is left, since a node goes with its last support.
    fn empty(&self, place: &Place, entities: &str) {
        let mut removed = String::new();
        for record in entities.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")) {
            let (doc_id, key) = (&record["doc_id"], &record["key"]);
            writeln!(removed, r#"{{"type":"removed","v":1,"doc_id":{doc_id},"key":{key},"by":"test"}}"#)
                .expect("a string");
        }
        let _ = self.run(place, &["load"], &removed).ok();
        let left = self.run(place, &["stats", "--json"], "").ok().records().remove(0);
        assert_eq!(left.to_string(), r#"{"nodes":{},"edges":{}}"#);
    }
}

/// The records of the fixture papers and, where they are there, of the real ones.
fn records() -> String {
    let mut records = fixture_records().to_owned();
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/papers");
    if real.is_dir() {
        records += &Place::new().run("techrag-chunk", &[real.to_str().expect("UTF-8")], "").stdout;
    }
    records
}

/// A paper as no source should give it: a title longer than an index takes, quotes, marks that combine, a year long ago.
fn odd() -> String {
    let long = "A \\\"title\\\" that \u{1d438}nds `nowhere` e\u{301} ".repeat(400);
    let term = |name: &str| format!(r#"[{{"name":"{name}","weight":0.1}}]"#);
    format!(
        r#"{{"type":"entities","v":1,"doc_id":"00000000000000ff","key":"odd.pdf","by":"test","paper":{{"title":"{long}","year":-44}},"authors":[{{"name":"{long}"}},{{"name":"--"}}],"topics":{},"methods":{},"cited":[{{"title":"{long}"}},{{"title":"?"}}],"chunks":[{{"uid":"00000000000000ff:0"}},{{"uid":"elsewhere:0"}}]}}"#,
        term(&long),
        term("Kalman filter")
    ) + "\n"
}

const QUESTIONS: &str = "Which observers estimate the sideslip angle?\n\
    How does a Kalman filter learn from data?\n\
    Which papers did Oldendorf write?\n\
    How is regret bounded in Markov decision processes?\n\
    What energy does a piezoelectric harvester give?\n\
    How does tread temperature change the cornering stiffness?\n\
    What are the main themes of this library?\n";

fn without_store(records: &str, address: &str) -> String {
    records.replace(address, "embedded")
}

#[test]
fn parity_of_counts_neighbours_expansions_and_contexts() {
    let Some(server) = server("parity") else { return };
    let place = Place::new();
    let records = records();
    let entities = place.run("techrag-graph", &["extract", "--relations"], &records).ok().stdout + &odd();
    let _ = place.run("techrag-index", &["add", "--library", "lib"], &records).ok();
    server.empty(&place, &entities);
    let embedded = |arguments: &[&str], input: &str| {
        place.run("techrag-graph", &[arguments, &["--library", "lib"]].concat(), input).ok().stdout
    };
    let on_server = |arguments: &[&str], input: &str| {
        let said = server.run(&place, &[arguments, &["--library", "lib"]].concat(), input).ok().stdout;
        without_store(&said, &server.address)
    };
    let both = |arguments: &[&str], input: &str| {
        let (here, there) = (embedded(arguments, input), on_server(arguments, input));
        assert!(here == there, "{arguments:?}\n--- embedded\n{here}\n--- server\n{there}");
        here
    };
    both(&["load"], &entities);
    let listed = both(&["resolve", "--list"], "");
    assert!(listed.lines().count() > 30, "{listed}");
    both(&["stats", "--json"], "");
    // Every node and edge with its properties, in one order.
    let whole = both(&["export"], "");
    assert!(whole.lines().count() > 500);
    for name in ["Kalman filter", "Oldendorf", "brush model"] {
        both(&["show", name], "");
    }
    let hits = place.run("techrag-retrieve", &["--library", "lib", "--mode", "bm25"], QUESTIONS).ok().stdout;
    let expanded = both(&["expand", "--bring", "--least-relevance", "0.1"], &hits);
    assert!(expanded.contains("\"GRAPH\"") && expanded.contains("\"shared\""));
    both(&["communities"], "");
    both(&["communities", "--keep"], "");
    let told = both(&["context"], &expanded);
    assert!(told.contains("\"communities\":[{\"name\""));
    both(&["context", "--where", "year>=2021"], &expanded);
    both(&["expand", "--bring", "--where", "year>=2021", "--least-relevance", "0"], &hits);
    // Loading again changes nothing; the digest tells.
    both(&["load"], &entities);
    assert_eq!(whole, both(&["export"], ""));
    server.empty(&place, &entities);
}

#[test]
fn a_wrong_password_is_a_note_for_queries_and_ends_a_load() {
    let Some(server) = server("a wrong password") else { return };
    let wrong = Server { password: "not this one".into(), ..server };
    fails_with_a_note(&wrong, "refuses");
}

#[test]
fn no_password_is_a_note_for_queries_and_ends_a_load() {
    let Some(server) = server("no password") else { return };
    let none = Server { password: String::new(), ..server };
    fails_with_a_note(&none, "refuses");
}

#[test]
fn a_port_nobody_serves_is_a_note_for_queries_and_ends_a_load() {
    let nobody = Server { address: "bolt://127.0.0.1:9".into(), password: "x".into() };
    fails_with_a_note(&nobody, "cannot be reached");
}

/// Every query is answered with a note; the exit code says that a service asked for by name did not serve.
fn fails_with_a_note(server: &Server, why: &str) {
    let place = Place::new();
    let _ = place.run("techrag-index", &["add", "--library", "lib"], fixture_records()).ok();
    let hits = place.run("techrag-retrieve", &["--library", "lib", "--mode", "bm25"], QUESTIONS).ok().stdout;
    for stage in ["expand", "context"] {
        let said = server.run(&place, &[stage, "--library", "lib"], &hits);
        let answered = said.records();
        assert_eq!((said.code, answered.len()), (4, QUESTIONS.lines().count()), "{said}");
        for query in &answered {
            assert!(query["graph"]["note"].as_str().expect("a note").contains(why), "{}", query["graph"]);
            assert!(query["hits"].as_array().is_some_and(|hits| !hits.is_empty()));
        }
    }
    let said = server.run(&place, &["load"], "");
    assert_eq!(said.code, 4, "{said}");
}

/// Run alone and last: it kills the server.
#[test]
fn zz_killed_in_the_middle_of_a_batch_every_query_is_answered() {
    let Some(server) = server("the kill") else { return };
    let Some(pid) = inherited("TECHRAG_NEO4J_PID") else { return };
    if inherited("TECHRAG_NEO4J_KILL").is_none() {
        return;
    }
    let place = Place::new();
    let _ = place.run("techrag-index", &["add", "--library", "lib"], fixture_records()).ok();
    let entities = place.run("techrag-graph", &["extract"], fixture_records()).ok().stdout;
    let _ = server.run(&place, &["load"], &entities).ok();
    let hits = place.run("techrag-retrieve", &["--library", "lib", "--mode", "bm25"], QUESTIONS).ok().stdout;
    let mut talk = place.talk_with(
        "techrag-graph",
        &["expand", "--library", "lib", "--store", &server.address, "--store-timeout", PATIENCE, "-j", "1"],
        &[("NEO4J_PASSWORD", &server.password)],
    );
    let mut notes = Vec::new();
    for (number, line) in hits.lines().enumerate() {
        if number == 2 {
            let _ = place.shell(&format!("kill -9 {}", pid.to_string_lossy())).ok();
        }
        let answer: Value = serde_json::from_str(&talk.ask(line)).expect("a query");
        assert_eq!(answer["question"], serde_json::from_str::<Value>(line).expect("JSON")["question"]);
        notes.push(answer["graph"]["note"].is_string());
    }
    assert_eq!(notes[..2], [false, false], "served before the kill");
    assert!(notes[2..].iter().all(|note| *note), "noted after it: {notes:?}");
    assert_eq!(talk.end(), 4);
}
