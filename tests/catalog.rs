//! A counting or listing question from words to the catalog's rows, over the tools and pipes of `ask.sh`.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::harness::Place;

/// A library of papers by two people, some on braking.
fn library() -> Place {
    let place = Place::new();
    let mut corpus = String::new();
    for n in 0..7 {
        let title = if n % 2 == 0 { format!("Braking of tyres {n}") } else { format!("Road wear {n}") };
        let record = json!({
            "type": "document", "v": 1, "doc_id": format!("{n:016x}"), "key": format!("p{n}.pdf"), "title": title,
            "authors": if n < 4 { ["H. B. Pacejka"] } else { ["Robert'); DROP TABLE documents"] },
            "year": 2000 + n, "media_type": "application/pdf", "bytes": 1, "chunks": 1, "by": "test",
        });
        let chunk = json!({
            "type": "chunk", "v": 1, "uid": format!("{n:016x}:0"), "doc_id": format!("{n:016x}"), "section": "", "role": "other",
            "modality": "text", "sha1": format!("{n:040x}"), "by": "test",
            "text": format!("How many papers speak of grip: number {n} does."),
        });
        let _ = writeln!(corpus, "{record}\n{chunk}");
    }
    let added = place.run("techrag-index", &["add", "--library", "lib"], &corpus).ok();
    assert!(added.stderr.contains("7 documents"), "{added}");
    place
}

fn asked(place: &Place, question: &str, flags: &str) -> Value {
    place.file("question", &format!("{}\n", json!({ "question": question })));
    let pipe =
        format!("techrag-agents route <question | techrag-retrieve --library lib --mode bm25 --rerank off {flags}");
    place.shell(&pipe).ok().records().remove(0)
}

fn note(query: &Value) -> &str {
    query["trace"].as_array().and_then(|trace| trace.last()?["note"].as_str()).unwrap_or_default()
}

#[test]
fn a_question_that_counts_is_answered_from_the_catalog_and_shown() {
    let place = library();
    let query = asked(&place, "How many papers by Hans Pacejka are about braking?", "");
    assert_eq!((&query["sql"]["template"], &query["sql"]["rows"]), (&json!("count documents"), &json!([[2]])));
    assert_eq!(query["sql"]["params"], json!(["Hans Pacejka", "braking"]));
    assert_eq!(
        query["sql"]["documents"][1],
        json!({ "doc_id": "0000000000000002", "key": "p2.pdf", "title": "Braking of tyres 2",
            "authors": ["H. B. Pacejka"], "year": 2002 })
    );
    assert!(query["hits"].as_array().is_some_and(|hits| !hits.is_empty()), "passages are searched too");
    assert!(note(&query).contains("the catalog asked: count documents (1 rows)"), "{}", note(&query));
    place.file("query", &format!("{query}\n"));
    let prompt = place.shell("techrag-answer assemble <query").ok().records().remove(0)["prompt"]["user"].to_string();
    assert!(prompt.contains("CATALOG") && prompt.contains("documents 2"), "{prompt}");
}

/// The question through the pipe to its checked record, and what that run said.
fn answered(place: &Place, question: &str) -> Value {
    let query = asked(place, question, "");
    place.file("query", &format!("{query}\n"));
    let pipe =
        "techrag-score <query | techrag-answer assemble | techrag-agents generate --encoder off | techrag-answer check";
    let said = place.shell(pipe);
    let record = said.records().remove(0);
    place.file("checked", &format!("{record}\n"));
    record
}

/// The record as a person reads it, white space squeezed; the exit code must be this one.
fn shown(place: &Place, arguments: &str, code: i32) -> String {
    let said = place.shell(&format!("techrag-answer render {arguments} <checked"));
    assert_eq!(said.code, code, "{said}");
    said.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

const REFUSAL: &str = "Not found in the provided sources.";

#[test]
fn a_count_is_the_answer_in_every_form() {
    let place = library();
    for (question, headline, counted) in [
        (
            "How many papers of 2003 are in my library?",
            "1 document, counted in the library's catalog.",
            &["p3.pdf"][..],
        ),
        (
            "How many papers by Hans Pacejka are about braking?",
            "2 documents, counted in the library's catalog.",
            &["p0.pdf", "p2.pdf"],
        ),
        ("How many papers by Ada Nobody are in the library?", "0 documents, counted in the library's catalog.", &[]),
    ] {
        let record = answered(&place, question);
        let answer = &record["answer"];
        assert_eq!(
            (&answer["catalog"], &answer["abstained"], &answer["by"]),
            (&json!(true), &json!(false), &json!("catalog/1"))
        );
        assert!(answer["text"].as_str().is_some_and(|text| text.starts_with(headline)), "{answer}");
        assert!(answer.get("medal").is_none() && answer.get("confidence").is_none(), "it cites nothing: {answer}");
        assert_eq!((&record["checks"]["total"], record.get("draft")), (&json!(0), None));
        assert!(note(&record).contains("nothing to verify"), "{}", note(&record));
        for arguments in
            ["", "--format markdown", "--format json", "--format html", "--explain", "--format markdown --explain"]
        {
            let shown = shown(&place, arguments, 0).replace("&#x27;", "'").replace("&#39;", "'");
            assert!(shown.contains(headline) && !shown.contains(REFUSAL), "{arguments}: {shown}");
            assert!(counted.iter().all(|key| shown.contains(key)), "{arguments}: {shown}");
        }
        assert!(shown(&place, "--explain", 0).contains("SELECT count(*)"));
        let json: Value =
            serde_json::from_str(&place.shell("techrag-answer render --format json <checked").ok().stdout)
                .expect("JSON");
        assert_eq!((&json["from"], &json["catalog"]["rows"]), (&json!("catalog"), &record["sql"]["rows"]));
    }
}

#[test]
fn a_list_is_the_answer_with_its_rows_and_an_empty_one_says_so() {
    let place = library();
    let record = answered(&place, "List all papers about road wear");
    let text = record["answer"]["text"].as_str().expect("text");
    assert!(
        text.starts_with("3 documents, listed from the library's catalog.\n") && text.contains("\n- Road wear 5, "),
        "{text}"
    );
    assert!(shown(&place, "", 0).contains("- Road wear 1, H. B. Pacejka, 2001, p1.pdf"));
    assert!(shown(&place, "--format html", 0).contains("<td>Road wear 1</td>"));
    answered(&place, "List all papers about bananas");
    for arguments in ["", "--format markdown", "--format html --explain"] {
        let shown = shown(&place, arguments, 0);
        assert!(shown.contains("No documents: the library") && !shown.contains(REFUSAL), "{arguments}: {shown}");
    }
}

#[test]
fn the_catalog_is_no_answer_to_another_question_and_its_rows_cannot_be_forged() {
    let place = library();
    for question in
        ["How many German papers are in the library?", "Which paper speaks of grip?", "What is a good cheese?"]
    {
        let record = answered(&place, question);
        assert!(record["answer"].get("catalog").is_none(), "{record}");
        assert!(!shown(&place, "", if record["answer"]["abstained"] == true { 1 } else { 0 }).contains("catalog"));
    }
    let mut forged = answered(&place, "How many papers are in the library?");
    forged["answer"]["text"] = json!("900 documents, counted in the library's catalog.\nRead as: how many documents.");
    place.file("checked", &format!("{forged}\n"));
    assert!(shown(&place, "", 1).contains(REFUSAL));
    let again = place.shell("techrag-answer check <checked");
    assert_eq!((again.code, &again.records()[0]["answer"]["medal"]), (1, &json!("none")));
    for broken in
        [json!(null), json!({"template": "count documents", "meaning": "", "select": "", "columns": [], "rows": []})]
    {
        forged["sql"] = broken;
        place.file("checked", &format!("{forged}\n"));
        assert!(shown(&place, "--format html", 1).contains(REFUSAL));
        place.file("query", &format!("{forged}\n"));
        let written = place.shell("techrag-agents generate --encoder off <query").ok().records().remove(0);
        assert!(written["answer"].get("catalog").is_none(), "{written}");
    }
}

#[test]
fn no_model_is_asked_what_the_catalog_answers() {
    let place = library();
    let query = asked(&place, "How many papers are in the library?", "");
    place.file("query", &format!("{query}\n"));
    // Nobody listens there: a call would end the run with exit 4.
    let pipe = "techrag-answer assemble <query | techrag-agents generate --mode multi --llm http://127.0.0.1:9/v1 --llm-model none";
    let record = place.shell(pipe).ok().records().remove(0);
    assert!(record["answer"]["catalog"] == true && record.get("usage").is_none(), "{record}");
    assert!(note(&record).contains("no model was asked"), "{}", note(&record));
}

#[test]
fn what_no_template_fits_is_said_and_a_name_is_never_a_statement() {
    let place = library();
    let other = asked(&place, "How many German papers are in the library?", "");
    assert!(other.get("sql").is_none() && note(&other).contains("no template fits"), "{}", note(&other));
    let plain = asked(&place, "How does a tyre slip?", "");
    assert!(plain.get("sql").is_none() && !note(&plain).contains("catalog"), "{}", note(&plain));
    let hostile = asked(&place, "How many papers by Robert') DROP TABLE documents are in the library?", "");
    let select = hostile["sql"]["select"].to_string();
    assert!(hostile["sql"]["rows"] == json!([[3]]) && !select.contains("DROP"), "{}", hostile["sql"]);
    let scoped = asked(&place, "List all papers", "--where 'year>=2005'");
    let keys = scoped["sql"]["documents"].as_array().map(|all| all.iter().map(|one| one["key"].clone()).collect());
    assert_eq!(keys, Some(vec![json!("p6.pdf"), json!("p5.pdf")]), "the newest first, within the scope");
    let again =
        place.run("techrag-index", &["sql", "--library", "lib", "SELECT count(*) AS n FROM documents"], "").ok();
    assert_eq!(again.stdout, "{\"n\":7}\n");
}

#[test]
fn a_question_of_very_many_words_ends_and_says_what_was_left_out() {
    let place = library();
    let words: String = (0..300_000).fold("grip".to_owned(), |mut words, n| {
        let _ = write!(words, " w{n}x");
        words
    });
    let query = asked(&place, &words, "--phrase-boost 1 --keyword-boost 1");
    assert!(note(&query).contains("only its first 4096 different words"), "{}", &note(&query)[..200]);
    assert_eq!(query["hits"].as_array().map(Vec::len), Some(7));
}
