//! What every filter does with a stream: order, foreign records, bad lines, other versions, conversations.

use serde_json::{Value, json};

use crate::harness::{Place, Run, models_or_skip};

/// A filter and a line of input it works on.
const FILTERS: &[(&str, &[&str], &str)] = &[
    ("techrag-agents", &["route"], r#"{"type":"query","v":1,"question":"Why does a tyre slip?"}"#),
    ("techrag-answer", &["assemble"], r#"{"type":"query","v":1,"question":"Why?","hits":[]}"#),
    ("techrag-agents", &["generate"], r#"{"type":"query","v":1,"question":"Why?","hits":[],"sources":[]}"#),
    ("techrag-score", &[], r#"{"type":"query","v":1,"question":"Why?","hits":[]}"#),
    ("techrag-retrieve", &["--library", "."], r#"{"type":"query","v":1,"question":"Why does a tyre slip?"}"#),
    ("techrag-embed", &[], r#"{"type":"chunk","v":1,"uid":"d:0","doc_id":"d","text":"tyre","sha1":"x","by":"t"}"#),
];

/// Filters that can run here: embed needs a model.
fn filters(test: &str) -> impl Iterator<Item = &'static (&'static str, &'static [&'static str], &'static str)> {
    let models = models_or_skip(test);
    FILTERS.iter().filter(move |(tool, ..)| models || *tool != "techrag-embed")
}

#[test]
fn foreign_records_and_fields_pass() {
    let foreign = r#"{ "type":"sighting", "v":1,  "x":[1.50,{"y":null}] }"#;
    let error = r#"{"type":"error","v":1,"of":"a.pdf","stage":"chunk","kind":"damaged","message":"no pages"}"#;
    for (tool, arguments, line) in filters("foreign fields") {
        let mine = line.replacen('{', r#"{"my_own":{"a":[1,2.5,null]},"#, 1);
        let said = Place::new().run(tool, arguments, &format!("{foreign}\n{mine}\n\n{error}\n")).ok();
        let lines: Vec<&str> = said.stdout.lines().collect();
        assert_eq!((lines.len(), lines[0], lines[2]), (3, foreign, error), "{tool}: {said}");
        assert_eq!(said.records()[1]["my_own"], json!({ "a": [1, 2.5, null] }), "{tool}: {said}");
        assert!(said.stderr.is_empty(), "an error is said once, by the tool that made it: {tool}: {said}");
    }
}

#[test]
fn what_failed_before_is_rendered_and_is_no_failure_here() {
    let error = r#"{"type":"error","v":1,"of":"a.pdf","stage":"chunk","kind":"damaged","message":"no pages"}"#;
    let render = |format| Place::new().run("techrag-answer", &["render", "--format", format], error).ok();
    for format in ["text", "markdown"] {
        let said = render(format);
        assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("Error: chunk: a.pdf: no pages\n", ""), "{format}");
    }
    let said = render("json");
    assert_eq!((said.stdout.trim_end(), said.stderr.as_str()), (error, ""));
}

#[test]
fn an_input_that_cannot_be_read_ends_the_run() {
    let consumers: &[(&str, &[&str])] =
        &[("techrag-answer", &["render"]), ("techrag-index", &["add", "--library", "l"])];
    let tools =
        filters("unreadable inputs").map(|(tool, arguments, _)| (*tool, *arguments)).chain(consumers.iter().copied());
    for (tool, arguments) in tools {
        let said = Place::new().shell(&format!("{tool} {} </", arguments.join(" ")));
        assert!(said.code == 2 && said.stdout.is_empty(), "{tool}: {said}");
        assert!(said.stderr.contains("stdin:1 cannot be read"), "{tool}: {said}");
    }
}

#[test]
fn a_bad_line_becomes_an_error_record_said_once() {
    for (tool, arguments, line) in filters("bad lines") {
        let said = Place::new().run(tool, arguments, &format!("{line}\n{{\"type\":\n{line}\n"));
        let records = said.records();
        let types: Vec<&Value> = records.iter().map(|record| &record["type"]).collect();
        assert_eq!((said.code, types.len(), types[1]), (3, 3, &json!("error")), "{tool}: {said}");
        assert_eq!((&records[1]["of"], &records[1]["v"]), (&json!("stdin:2"), &json!(1)), "{tool}: {said}");
        assert_eq!(said.stderr.matches("stdin:2").count(), 1, "{tool}: {said}");
        // The next tool passes it on, says nothing and finds nothing wrong.
        let next = Place::new().run("techrag-agents", &["route"], &said.stdout);
        assert!(next.stderr.is_empty() && next.stdout.contains("stdin:2"), "{tool}: {next}");
    }
}

#[test]
fn a_failure_on_the_way_is_shown_to_the_reader_and_not_said_again() {
    let error = r#"{"type":"error","v":1,"of":"stdin:2","stage":"route","kind":"malformed","message":"no question"}"#;
    let query = r#"{"type":"query","v":1,"question":"Why?"}"#;
    for (format, shown) in
        [("text", "Error: route: stdin:2: no question"), ("markdown", "Error: route"), ("json", error)]
    {
        let said = Place::new().run("techrag-answer", &["render", "--format", format], &format!("{error}\n{query}\n"));
        assert!(said.stdout.lines().any(|line| line.starts_with(shown)), "{format}: {said}");
        assert_eq!((said.code, said.stderr.as_str()), (1, ""), "{format}: {said}");
    }
}

#[test]
fn another_major_version_ends_the_run_and_names_its_writer() {
    for (tool, arguments, line) in filters("versions") {
        let tag = if *tool == "techrag-embed" { "chunk" } else { "query" };
        let future = format!(r#"{{"type":"{tag}","v":2,"by":"techrag-dream 9.0"}}"#);
        let said = Place::new().run(tool, arguments, &format!("{line}\n{future}\n"));
        assert_eq!(said.code, 2, "{tool}: {said}");
        assert!(said.stderr.contains("techrag-dream 9.0") && said.stderr.contains("version 2"), "{tool}: {said}");
    }
}

#[test]
fn one_worker_and_two_give_the_same_bytes() {
    for (tool, arguments, line) in filters("workers") {
        let record: Value = serde_json::from_str(line).expect("a record");
        let field = if record["type"] == "chunk" { "text" } else { "question" };
        let numbered = |i: usize| {
            let mut record = record.clone();
            record[field] = json!("why is a tyre of this kind so slow ".repeat(1 + i % 7) + &i.to_string());
            format!("{record}\n")
        };
        let input: String = (0..40).map(numbered).collect();
        let with = |jobs: &str| Place::new().run(tool, &[*arguments, &["-j", jobs]].concat(), &input).ok().stdout;
        let one = with("1");
        assert_eq!(one.lines().count(), 40, "{tool}");
        assert!(one == with("2"), "{tool}: -j 1 and -j 2 differ");
    }
}

#[test]
fn chunking_papers_with_one_worker_and_two_gives_the_same_bytes() {
    let papers = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/papers");
    let paths = ["brush-model-extensions.pdf", "relaxation-length.pdf"].map(|name| format!("{papers}/{name}"));
    let with = |jobs: &str| Place::new().run("techrag-chunk", &["-j", jobs, &paths[0], &paths[1]], "").ok().stdout;
    let one = with("1");
    assert!(one.lines().count() > 10, "{one}");
    assert!(one == with("2"), "-j 1 and -j 2 differ");
}

#[test]
fn a_tool_answers_line_by_line_while_stdin_is_open() {
    for (tool, arguments, line) in filters("conversations") {
        let place = Place::new();
        let mut conversation = place.talk(tool, arguments);
        for _ in 0..3 {
            let answer: Value = serde_json::from_str(&conversation.ask(line)).expect("a record");
            assert_eq!(answer["v"], 1, "{tool}: {answer}");
        }
    }
}

#[test]
fn questions_may_be_bare_text_or_beir_lines() {
    let input = "Why does it slip?\n{\"_id\":\"7\",\"text\":\"Why?\",\"series\":\"a\"}\n{\"question\":\"How?\"}\n";
    let said: Run = Place::new().run("techrag-agents", &["route"], input).ok();
    let records = said.records();
    let questions: Vec<&str> = records.iter().filter_map(|record| record["question"].as_str()).collect();
    assert_eq!(questions, ["Why does it slip?", "Why?", "How?"]);
    assert_eq!((&records[1]["_id"], &records[1]["series"]), (&json!("7"), &json!("a")));
}

#[test]
fn who_has_seen_enough_hears_nothing_though_a_model_is_at_work() {
    if !models_or_skip("leaving") {
        return;
    }
    let chunk = |i: usize| {
        let text = "the tyre slips on the wet road and the wheel locks ".repeat(12);
        json!({ "type": "chunk", "v": 1, "uid": format!("d:{i}"), "doc_id": "d", "text": text, "sha1": "x", "by": "t" })
    };
    let place = Place::new();
    place.file("chunks.jsonl", &(0..60).map(|i| format!("{}\n", chunk(i))).collect::<String>());
    let said = place.shell("techrag-embed -j 2 --batch 1 <chunks.jsonl | head -1; echo ${PIPESTATUS[0]}").ok();
    assert!(said.stderr.is_empty() && said.stdout.lines().last() == Some("0"), "{said}");
}
