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
        json!({ "doc_id": "0000000000000002", "key": "p2.pdf", "title": "Braking of tyres 2" })
    );
    assert!(query["hits"].as_array().is_some_and(|hits| !hits.is_empty()), "passages are searched too");
    assert!(note(&query).contains("the catalog asked: count documents (1 rows)"), "{}", note(&query));
    place.file("query", &format!("{query}\n"));
    let prompt = place.shell("techrag-answer assemble <query").ok().records().remove(0)["prompt"]["user"].to_string();
    assert!(prompt.contains("CATALOG") && prompt.contains("documents 2"), "{prompt}");
    let shown = place.shell("techrag-answer render <query");
    assert!(shown.stdout.contains("Catalog\n") && shown.stdout.contains("documents 2"), "{shown}");
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
