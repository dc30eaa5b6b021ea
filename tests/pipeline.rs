//! From a folder of PDFs to a cited answer: the pipelines over the binaries under test.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::harness::{Place, Run, models_or_skip};

const PAPERS: [&str; 3] = ["relaxation-length.pdf", "brush-model-extensions.pdf", "sideslip-kalman.pdf"];
const ANSWERABLE: &str = "How does the relaxation length change with the wheel load?";
const UNANSWERABLE: &str = "Which viscosity grade of engine oil do rally cars need in the arctic winter?";
const NOT_FOUND: &str = "Not found in the provided sources.";

fn copy_papers(folder: &Path, names: &[&str]) {
    fs::create_dir_all(folder).expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/papers");
    for name in names {
        fs::copy(source.join(name), folder.join(name)).expect("a fixture paper");
    }
}

/// A library of a few fixture papers, made once and only read.
pub(crate) fn library() -> &'static str {
    static MADE: OnceLock<(Place, PathBuf)> = OnceLock::new();
    let (_, library) = MADE.get_or_init(|| {
        let place = Place::new();
        copy_papers(&place.path().join("papers"), &PAPERS);
        let _ = place.pipeline("ingest.sh", &["papers", "lib"], "").ok();
        let library = place.path().join("lib");
        (place, library)
    });
    library.to_str().expect("UTF-8")
}

fn ask(arguments: &[&str], input: &str) -> Run {
    Place::new().pipeline("ask.sh", &[&[library()], arguments].concat(), input)
}

#[test]
fn a_question_is_answered_with_pages_and_another_refused() {
    if !models_or_skip("asking") {
        return;
    }
    let answered = ask(&[ANSWERABLE], "");
    assert_eq!(answered.code, 0, "{answered}");
    assert!(answered.stdout.contains("[SOURCE 1: ") && answered.stdout.contains("relaxation-length.pdf"), "{answered}");
    let refused = ask(&[UNANSWERABLE], "");
    assert_eq!(refused.code, 1, "{refused}");
    assert!(refused.stdout.contains(NOT_FOUND) && !refused.stdout.contains("[SOURCE"), "{refused}");
}

#[test]
fn a_question_on_the_command_line_is_text_whatever_it_looks_like() {
    if !models_or_skip("odd questions") {
        return;
    }
    for question in ["{why does it slip", r#"{"type":"query"}"#, r#"a "b" \c\\ 'd' $(e) & `f`"#, "-- -x μ"] {
        let said = ask(&["--records", "--", question], "").records().remove(0);
        assert_eq!(said["question"], question, "{said}");
    }
    for empty in ["", " \n\t"] {
        let said = ask(&[empty], ANSWERABLE);
        assert!(said.code == 2 && said.stderr.contains("empty") && said.stdout.is_empty(), "{empty:?}: {said}");
    }
}

#[test]
fn an_unknown_field_survives_the_whole_pipeline() {
    if !models_or_skip("the whole pipeline") {
        return;
    }
    let mine = json!({ "a": [1, 2.5, null], "b": "μ" });
    let record = json!({ "type": "query", "v": 1, "_id": "x1", "question": ANSWERABLE, "my_own": mine });
    let foreign = r#"{"type":"sighting","v":1, "x":1.50}"#;
    let said = ask(&["--records"], &format!("{record}\n{foreign}\n"));
    let records = said.records();
    assert_eq!(
        (said.code, records.len(), &records[0]["my_own"], &records[0]["_id"]),
        (0, 2, &mine, &json!("x1")),
        "{said}"
    );
    assert!(said.stdout.ends_with(&format!("{foreign}\n")), "{said}");
    let stages: Vec<&str> =
        records[0]["trace"].as_array().expect("a trace").iter().filter_map(|e| e["stage"].as_str()).collect();
    for stage in ["route", "retrieve", "assemble", "generate", "check"] {
        assert!(stages.contains(&stage), "{stage} left no trace: {stages:?}");
    }
}

#[test]
fn every_citation_of_an_answer_stands_on_its_page() {
    if !models_or_skip("citations") {
        return;
    }
    let said = ask(&["--records", ANSWERABLE], "");
    let record = said.records().remove(0);
    let cited: Vec<&Value> = record["answer"]["sentences"]
        .as_array()
        .expect("sentences")
        .iter()
        .flat_map(|sentence| sentence["citations"].as_array().expect("citations"))
        .collect();
    assert!(!cited.is_empty(), "{said}");
    for citation in cited {
        let hits = record["hits"].as_array().expect("hits");
        let hit = hits.iter().find(|hit| hit["uid"] == citation["uid"]).expect("the chunk cited was retrieved");
        let page = citation["page"].as_u64().expect("a page");
        let pages: Vec<u64> = hit["pages"].as_array().expect("pages").iter().filter_map(Value::as_u64).collect();
        assert!((pages[0]..=pages[1]).contains(&page), "page {page} of {pages:?}");
        let words = techrag_core::text::fold_tight(citation["span"].as_str().expect("a span"));
        assert!(techrag_core::text::fold_tight(hit["text"].as_str().expect("text")).contains(&words), "{citation}");
    }
}

#[test]
fn the_same_questions_give_the_same_bytes_whatever_the_workers() {
    if !models_or_skip("workers") {
        return;
    }
    let questions = format!("{ANSWERABLE}\n{UNANSWERABLE}\nWhat is an unscented Kalman filter better at?\n").repeat(4);
    let with = |jobs: &str| {
        let arguments = ["--library", library(), "-j", jobs];
        Place::new().run("techrag-retrieve", &arguments, &questions).ok().stdout
    };
    let one = with("1");
    assert_eq!(one.lines().count(), 12);
    assert!(one == with("2"), "retrieve: -j 1 and -j 2 differ");
    let (first, second) = (ask(&["--records"], &questions), ask(&["--records"], &questions));
    assert_eq!((first.code, second.code), (1, 1), "{first}");
    assert!(first.stdout == second.stdout, "two runs differ");
}

#[test]
fn retrieve_serves_as_a_co_process_and_lets_its_reader_leave() {
    if !models_or_skip("a co-process") {
        return;
    }
    let place = Place::new();
    let mut conversation = place.talk("techrag-retrieve", &["--library", library(), "-k", "3"]);
    for _ in 0..2 {
        let record: Value = serde_json::from_str(&conversation.ask(ANSWERABLE)).expect("a record");
        assert_eq!(record["hits"][0]["key"], "relaxation-length.pdf", "{record}");
    }
    place.file("questions", &format!("{ANSWERABLE}\n").repeat(300));
    let said = place.shell(&format!(
        "techrag-retrieve --library {} --mode bm25 <questions | head -1 | wc -l; echo ${{PIPESTATUS[*]}}",
        library()
    ));
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("1\n0 0 0\n", ""));
}

#[test]
fn a_folder_is_followed_file_by_file() {
    if !models_or_skip("ingesting") {
        return;
    }
    let place = Place::new();
    let papers = place.path().join("papers");
    copy_papers(&papers, &PAPERS[..1]);
    place.file("papers/notes.md", "# Notes\n\nThe relaxation length of the soft tyre is 0.55 m at 4 kN.\n");
    let ingest = || place.pipeline("ingest.sh", &["papers", "lib"], "").ok();
    let status = || -> Value {
        let said = place.run("techrag-index", &["status", "--library", "lib", "--json"], "").ok();
        serde_json::from_str(&said.stdout).expect("one object")
    };
    let kept = |run: &Run| run.stderr.contains("communities of");
    assert!(kept(&ingest()), "communities are made");
    let first = status();
    assert_eq!(first["documents"], 2, "{first}");
    assert!(!kept(&ingest()), "communities stay where nothing changed");
    assert_eq!(status()["chunks"], first["chunks"], "nothing changed");
    fs::remove_file(papers.join(PAPERS[0])).expect("a file can go");
    place.file("papers/notes.md", "# Notes\n\nThe relaxation length of the hard tyre is 0.41 m at 4 kN.\n");
    assert!(kept(&ingest()), "communities of other papers are others");
    assert_eq!((&status()["documents"], &status()["chunks"]), (&json!(1), &json!(1)));
    let _ = place.run("techrag-index", &["verify", "--library", "lib"], "").ok();
    let found = place.run("techrag-retrieve", &["--library", "lib"], "relaxation length\n").ok().records().remove(0);
    assert!(
        found["hits"].as_array().is_some_and(|hits| hits.len() == 1)
            && found["hits"][0]["text"].as_str().is_some_and(|text| text.contains("hard tyre")),
        "{found}"
    );
}

#[test]
fn two_files_of_one_key_are_named_and_neither_takes_the_others_place() {
    if !models_or_skip("ingesting") {
        return;
    }
    let place = Place::new();
    for (name, text) in [("a/x.md", "first"), ("b/x.md", "second"), ("b/y.md", "third"), ("b/in/z.md", "fourth")] {
        place.file(name, &format!("# Notes\n\nThe {text} tyre slips.\n"));
    }
    let held = |sql: &str| place.run("techrag-index", &["sql", "--library", "lib", sql], "").ok().stdout;
    let mut before = None;
    for _ in 0..2 {
        let said = place.pipeline("ingest.sh", &["a", "b", "b/in", "lib"], "");
        assert!(said.code == 3 && said.stderr.contains("b/x.md: a/x.md has the same key"), "{said}");
        let now = held("SELECT key, doc_id FROM keys ORDER BY key");
        for key in [r#""x.md""#, r#""y.md""#, r#""in/z.md""#] {
            assert!(now.contains(key), "{now}");
        }
        assert!(now.lines().count() == 3 && held("SELECT text FROM chunks").contains("first"), "{now}");
        // The second run finds nothing new.
        assert!(before.is_none_or(|before| before == now && said.stderr.contains("0 documents added")), "{said}");
        before = Some(now);
    }
}

#[test]
fn a_question_behind_two_dashes_is_asked() {
    if !models_or_skip("asking") {
        return;
    }
    let said = ask(&["--records", "--", "-5 degrees, and which engine oil?"], "");
    assert_eq!(said.records()[0]["question"], "-5 degrees, and which engine oil?", "{said}");
    let more = ask(&["--", "one", "two"], "");
    assert!(more.code == 2 && more.stderr.contains("usage"), "{more}");
}
