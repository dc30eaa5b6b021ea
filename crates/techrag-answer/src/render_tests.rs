//! What is shown of good answers, refusals, unverifiable answers and hostile documents.

use techrag_core::record::{
    Answer, AnswerSentence, Check, CheckResult, Checks, Citation, Medal, Source, TraceEntry, Verification,
};

use super::*;

fn answered() -> Query {
    let citation = Citation {
        source: 1,
        key: "a.pdf".into(),
        uid: "d:0".into(),
        page: Some(2),
        span: "Friction falls to 0.27.".into(),
        ..Citation::default()
    };
    let answer = Answer {
        text: "Friction falls to 0.27. [SOURCE 1: On friction, p. 2]".into(),
        sentences: vec![AnswerSentence { text: "Friction falls to 0.27.".into(), citations: vec![citation] }],
        medal: Some(Medal::Bronze),
        confidence: Some(0.5),
        ..Answer::default()
    };
    let check = Check { source: 1, result: CheckResult::Verified, page: Some(2), ..Check::default() };
    let source = |n: u32, title: &str| Source {
        n,
        key: format!("{n}.pdf"),
        title: title.into(),
        authors: vec!["A. Author".into()],
        year: Some(2021),
        ..Source::default()
    };
    Query {
        answer: Some(answer),
        checks: Some(Checks { claims: vec![check], verified: 1, total: 1, ..Checks::default() }),
        sources: Some(vec![source(1, "On friction"), source(2, "Not cited")]),
        trace: vec![TraceEntry {
            stage: "route".into(),
            note: "content".into(),
            ms: Some(1.25),
            ..TraceEntry::default()
        }],
        ..Query::new("How large is friction?")
    }
}

fn text(query: &Query, colour: Colour, detail: Detail) -> String {
    render(query, Format::Text { width: 60, colour }, detail)
}

#[test]
fn an_answer_comes_with_its_sources_and_pages() {
    let shown = text(&answered(), Colour::Plain, Detail::Answer);
    assert_eq!(
        shown,
        "How large is friction?\n\nFriction falls to 0.27. [SOURCE 1: On friction, p. 2]\n\n\
         confidence 0.50 · bronze · 1 of 1 citations verified\n\nSources\n  [1] On friction (2021)\n      A. Author\n\
         \u{20}     1.pdf, page 2"
    );
}

#[test]
fn explain_adds_the_steps_and_checks() {
    let mut query = answered();
    query.verification = Some(Verification { gaps: vec!["kevlar".into()], ..Verification::default() });
    for format in [Format::Text { width: 200, colour: Colour::Plain }, Format::Markdown] {
        let shown = render(&query, format, Detail::Explain);
        for part in ["Steps", "route (1.2 ms): content", "no source mentions: kevlar", "verified"] {
            assert!(shown.contains(part), "{part} in {shown}");
        }
    }
}

#[test]
fn lines_keep_to_the_width_and_colours_come_only_when_asked() {
    let mut query = answered();
    query.answer.as_mut().unwrap().text = "word ".repeat(60) + "[SOURCE 1: A long title that has to be wrapped, p. 2]";
    let plain = text(&query, Colour::Plain, Detail::Explain);
    assert!(plain.lines().all(|line| line.chars().count() <= 60) && !plain.contains('\u{1b}'));
    let painted = text(&query, Colour::Ansi, Detail::Explain);
    assert!(painted.contains("\u{1b}[2m["));
    let stripped = regex::Regex::new("\u{1b}\\[[0-9]+m").unwrap().replace_all(&painted, "").into_owned();
    assert_eq!(stripped, plain);
}

#[test]
fn a_marker_keeps_its_number_on_its_line() {
    for width in 20..60 {
        let shown = render(&answered(), Format::Text { width, colour: Colour::Plain }, Detail::Answer);
        assert!(shown.contains("[SOURCE 1:"), "{width}: {shown}");
    }
}

#[test]
fn a_refusal_is_exact_and_says_why() {
    let query = Query { answer: Some(Answer::not_found("x", "nobody speaks of it")), ..Query::new("Why?") };
    let shown = text(&query, Colour::Plain, Detail::Answer);
    assert_eq!(shown, "Why?\n\nNot found in the provided sources.\nnobody speaks of it");
    assert!(text(&Query::new("Why?"), Colour::Plain, Detail::Answer).ends_with("no answer was written"));
}

#[test]
fn an_answer_without_a_verified_claim_is_not_shown() {
    let mut query = answered();
    query.answer.as_mut().unwrap().medal = Some(Medal::None);
    query.checks.as_mut().unwrap().verified = 0;
    for format in [Format::Text { width: 80, colour: Colour::Plain }, Format::Markdown, Format::Json] {
        let shown = render(&query, format, Detail::Answer);
        assert!(!shown.contains("0.27") && shown.contains("Not found in the provided sources."), "{shown}");
    }
}

#[test]
fn doubtful_claims_are_marked() {
    let mut query = answered();
    let checks = query.checks.as_mut().unwrap();
    checks.claims.push(Check {
        sentence: 1,
        result: CheckResult::WrongPage,
        detail: "page 3".into(),
        ..Check::default()
    });
    checks.total = 2;
    assert!(text(&query, Colour::Plain, Detail::Answer).contains("! sentence 2: page 3"));
}

#[test]
fn nothing_of_a_document_acts_on_the_reader() {
    let evil = "\u{1b}]0;own\u{7}\u{9b}2J\u{202e}<script>alert(1)</script> [x](javascript:y) ![i](http://z)\r\nnew";
    let mut query = answered();
    query.question = evil.into();
    query.answer.as_mut().unwrap().text = evil.into();
    query.answer.as_mut().unwrap().missing = Some(evil.into());
    query.answer.as_mut().unwrap().sentences[0].citations[0].span = evil.into();
    for source in query.sources.iter_mut().flatten() {
        (source.title, source.key) = (evil.into(), evil.into());
        source.authors = vec![evil.into()];
        source.doi = Some(evil.into());
    }
    query.trace[0].note = evil.into();
    query.trace[0].details.insert("x\u{1b}".into(), evil.into());
    for format in [Format::Text { width: 40, colour: Colour::Plain }, Format::Markdown, Format::Json] {
        let shown = render(&query, format, Detail::Explain);
        let acts = |c: char| c != '\n' && crate::clean::is_hidden(c);
        assert!(!shown.contains(acts), "{format:?}: {:?}", shown.chars().find(|c| acts(*c)));
        if format == Format::Markdown {
            let live = shown.replace("\\!", "");
            assert!(!live.contains("<script") && !live.contains("](") && !live.contains("!["), "{shown}");
        }
    }
}

#[test]
fn json_is_one_line_with_citations() {
    let shown = render(&answered(), Format::Json, Detail::Explain);
    let value: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(value["citations"][0]["page"], 2);
    assert_eq!((&value["medal"], &value["sources"][0]["n"]), (&"bronze".into(), &1.into()));
    assert!(!shown.contains('\n') && value["trace"].is_array());
}

/// A record with rows of the catalog, which are its answer or not.
fn listed(is_answer: bool) -> Query {
    let catalog = techrag_core::record::CatalogAnswer {
        template: "list keywords".into(),
        meaning: "keywords".into(),
        select: "SELECT 1 WHERE ?".into(),
        params: vec!["<i>x".into()],
        columns: vec!["keyword".into(), "documents".into()],
        rows: serde_json::from_value(serde_json::json!([["*grip*", 12], ["<b>x\u{1b}[2J\nSources", 1]])).unwrap(),
        documents: vec![techrag_core::record::CatalogDocument { key: "a.pdf".into(), ..Default::default() }],
        truncated: true,
        ..Default::default()
    };
    let answer = if is_answer { crate::catalog::answer(&catalog) } else { None };
    Query { answer, sql: Some(Box::new(catalog)), ..Query::new("Which?") }
}

const TOLD: &str = "More than 2 keywords, the first of them listed from the library's catalog.";

#[test]
fn what_the_catalog_answers_is_the_answer_in_every_form() {
    let mut query = listed(true);
    crate::check::run(&mut query);
    assert!(!crate::check::abstained(&query));
    let shown = render(&query, Format::Text { width: 90, colour: Colour::Plain }, Detail::Answer);
    assert_eq!(
        shown,
        format!(
            "Which?\n\n{TOLD}\nRead as: keywords.\n  - *grip*: 12\n  - <b>x[2J Sources: 1\n  - and more\n\n\
             rows of the library's catalog, no quotations: nothing to verify"
        )
    );
    let markdown = render(&query, Format::Markdown, Detail::Explain);
    assert!(
        markdown.contains(&format!("{TOLD}\n\n*Read as: keywords.*\n\n- \\*grip\\*: 12\n- &lt;b&gt;x")),
        "{markdown}"
    );
    assert!(
        markdown.contains("### Asked of the catalog\n\n- SELECT 1 WHERE ?\n- its question marks: &lt;i&gt;x"),
        "{markdown}"
    );
    let json = render(&query, Format::Json, Detail::Explain);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&value["from"], &value["abstained"]), (&"catalog".into(), &false.into()));
    assert_eq!(value["catalog"]["rows"][0], serde_json::json!(["*grip*", 12]));
    assert!(value.get("medal").is_none() && value.get("confidence").is_none(), "{value}");
    for shown in [shown, markdown, json] {
        assert!(!shown.contains("Not found") && !shown.contains('\u{1b}'), "{shown}");
    }
}

#[test]
fn an_answer_that_only_says_it_is_the_catalogs_is_not_shown() {
    let mut query = listed(true);
    query.answer.as_mut().unwrap().text = "Trust me.".into();
    for checked in [false, true] {
        if checked {
            crate::check::run(&mut query);
        }
        assert!(crate::check::abstained(&query), "the gate is closed");
        let shown = render(&query, Format::Text { width: 200, colour: Colour::Plain }, Detail::Explain);
        assert!(!shown.contains("Trust me") && shown.contains("not what its rows say"), "{shown}");
    }
    assert_eq!(query.answer.unwrap().medal, Some(Medal::None));
}

#[test]
fn what_the_catalog_says_stands_below_another_answer() {
    let shown = text(&listed(false), Colour::Plain, Detail::Answer);
    assert!(shown.contains("Not found") && shown.contains("\n\nCatalog\n  More than 2 keywords"), "{shown}");
    let markdown = render(&listed(false), Format::Markdown, Detail::Answer);
    assert!(markdown.contains("### Catalog\n\n- More than 2"), "{markdown}");
}

#[test]
fn an_answer_in_place_of_a_models_says_so() {
    let mut query = answered();
    query.answer.as_mut().unwrap().fallback = Some("none of the 2 claims that m wrote can be verified".into());
    for format in [Format::Text { width: 80, colour: Colour::Plain }, Format::Markdown, Format::Json] {
        let shown = render(&query, format, Detail::Answer);
        assert!(shown.contains("none of the 2 claims that m wrote"), "{shown}");
    }
}
