//! The HTML page over good answers, refusals and hostile documents.

use techrag_core::record::{
    Answer, AnswerSentence, Check, CheckResult, Checks, Citation, Critique, Crop, Evidence, EvidenceMap, EvidencePart,
    Expansion, Graph, Hit, MappedClaim, Medal, PageHit, Passage, Prompt, SharedEntity, Source, Strength, Verdict,
};

use super::*;

const HOSTILE: &str =
    "</div></details><script>alert(1)</script><img src=x onerror=alert(2)> \"quoted\" 'single' \u{1b}[31m";

fn answered(words: &str) -> Query {
    let citation = Citation {
        source: 1,
        key: "a.pdf".into(),
        uid: "d:0".into(),
        page: Some(2),
        span: words.into(),
        ..Citation::default()
    };
    let answer = Answer {
        text: format!("{words} [SOURCE 1: {words}, p. 2]"),
        sentences: vec![AnswerSentence { text: words.into(), citations: vec![citation] }],
        medal: Some(Medal::Silver),
        confidence: Some(0.8),
        ..Answer::default()
    };
    let check = Check { source: 1, result: CheckResult::Verified, page: Some(2), ..Check::default() };
    let passage = Passage {
        uid: "d:0".into(),
        section: words.into(),
        pages: Some([2, 3]),
        text: format!("Before. {words} After."),
        ..Passage::default()
    };
    let source = Source {
        n: 1,
        key: words.into(),
        title: words.into(),
        authors: vec![words.into()],
        doi: Some(words.into()),
        passages: vec![passage],
        ..Source::default()
    };
    let part = EvidencePart {
        name: "retrieval".into(),
        max: 40.0,
        points: 30.0,
        why: words.into(),
        ..EvidencePart::default()
    };
    Query {
        hits: Some(vec![Hit { uid: "d:0".into(), ..Hit::default() }]),
        answer: Some(answer),
        checks: Some(Checks { claims: vec![check], verified: 1, total: 1, ..Checks::default() }),
        evidence: Some(Evidence {
            score: 71.3,
            verdict: Verdict::Moderate,
            parts: vec![part],
            damping: 1.0,
            reviewer: "none".into(),
            ..Evidence::default()
        }),
        sources: Some(vec![source]),
        prompt: Some(Prompt { system: words.into(), user: words.into(), ..Prompt::default() }),
        ..Query::new(words)
    }
}

fn page(query: &Query) -> String {
    let images = |_: &str| Err("none".to_owned());
    [head("T").expect("a head"), article(query, 1, &images).expect("an article"), foot().expect("a foot")].concat()
}

#[test]
fn a_citation_leads_to_its_quotation_and_that_to_its_passage() {
    let page = page(&answered("Friction falls to 0.27."));
    for part in [
        r##"<a class="cite verified" href="#q1-c1" id="q1-a1">1, p. 2</a>"##,
        r#"<li id="q1-c1"><blockquote>Friction falls to 0.27.</blockquote>"#,
        r##"<a href="#q1-s1-0" aria-label="in its passage: quotation 1">in its passage</a>"##,
        r##"<a href="#q1-a1" aria-label="in the answer: quotation 1">in the answer</a>"##,
        r#"<details id="q1-s1-0"><summary><span class="tag">VECTOR</span>"#,
        "Before. <mark>Friction falls to 0.27.</mark> After.",
        "71.3 of 100, moderate",
        r#"<meter min="0" max="40.0" value="30.0">"#,
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
}

#[test]
fn what_documents_say_is_text_and_nothing_else() {
    let page = page(&answered(HOSTILE));
    assert_eq!(page.matches("<script>").count(), 1, "our own script alone: {page}");
    assert!(!page.contains("<img src=x") && !page.contains('\u{1b}') && !page.contains("onerror=alert(2)>"), "{page}");
    assert!(page.contains("&lt;script&gt;alert(1)"), "{page}");
    // No attribute value may be ended by a quotation mark of a document.
    for attribute in page.split("href=\"").skip(1) {
        let value = &attribute[..attribute.find('"').expect("an end")];
        assert!(
            !value.contains('<')
                && (value.starts_with('#') || value.starts_with("https://doi.org/") || value == "data:,"),
            "{value}"
        );
    }
}

#[test]
fn the_policy_names_our_style_and_script_by_their_hashes() {
    let page = page(&answered("x"));
    let between = |open: &str, close: &str| {
        let from = page.find(open).expect(open) + open.len();
        &page[from..from + page[from..].find(close).expect(close)]
    };
    for (element, directive) in [("style", "style-src"), ("script", "script-src")] {
        let text = between(&format!("<{element}>"), &format!("</{element}>"));
        let hash = STANDARD.encode(Sha256::digest(text.as_bytes()));
        assert!(page.contains(&format!("{directive} 'sha256-{hash}'")), "{directive}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn a_refusal_shows_no_quotations() {
    let query = Query { answer: Some(Answer::not_found("x", "nothing fits")), ..answered("y") };
    let page = page(&query);
    assert!(page.contains("Not found in the provided sources.") && page.contains("nothing fits"));
    assert!(!page.contains("Quoted passages") && !page.contains("href=\"#q1-c1\""));
}

#[test]
fn pages_come_with_their_crop_before_them_or_with_why_not() {
    let crop = Crop { image: Some("pages/crop.png".into()), caption: Some("Figure 2: slip".into()), ..Crop::default() };
    let hit = |page: u32, image: Option<&str>, crop: Option<Crop>| PageHit {
        key: "a.pdf".into(),
        page,
        image: image.map(str::to_owned),
        crop,
        ..PageHit::default()
    };
    let query =
        Query { visual: Some(vec![hit(2, Some("pages/2.jpg"), Some(crop)), hit(3, None, None)]), ..answered("x") };
    let images = |path: &str| match path {
        "pages/crop.png" => Ok(gallery::Image { media_type: "image/png", bytes: vec![1, 2, 3] }),
        _ => Err("no such file".to_owned()),
    };
    let page = article(&query, 1, &images).expect("an article");
    let crop = page.find("data:image/png;base64,AQID").expect("the crop");
    assert!(page.find("no such file").is_some_and(|at| at > crop), "{page}");
    assert!(page.contains("the page was not rendered") && page.contains("Figure 2: slip"), "{page}");
}

#[test]
fn the_graph_and_the_agents_say_what_they_did() {
    let shared = SharedEntity { name: "brush model".into(), ..SharedEntity::default() };
    let near = Expansion {
        title: Some("On <b>grip</b>".into()),
        shared: vec![shared],
        merged: vec!["d:1".into()],
        ..Expansion::default()
    };
    let claim = MappedClaim { claim: "It slips.".into(), source: 1, strength: Strength::Strong };
    let query = Query {
        graph: Some(Box::new(Graph { expansions: vec![near], ..Graph::default() })),
        evidence_map: Some(EvidenceMap { claims: vec![claim], ..EvidenceMap::default() }),
        critique: Some(Critique { feedback: vec!["Say where.".into()], ..Critique::default() }),
        ..answered("x")
    };
    let page = page(&query);
    for part in [
        "near: On &lt;b&gt;grip&lt;",
        "shares brush model (one chunk added)",
        "It slips. (source 1, strong)",
        "Say where.",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
}

#[test]
fn the_catalogs_answer_is_a_table_and_its_words_do_nothing() {
    let catalog = techrag_core::record::CatalogAnswer {
        template: "list documents".into(),
        meaning: HOSTILE.into(),
        select: HOSTILE.into(),
        params: vec![HOSTILE.into()],
        columns: ["doc_id", "key", "title", "year", "authors"].map(str::to_owned).to_vec(),
        rows: vec![vec!["id".into(), HOSTILE.into(), HOSTILE.into(), 2021.into(), serde_json::Value::Null]],
        documents: vec![techrag_core::record::CatalogDocument { key: HOSTILE.into(), ..Default::default() }],
        ..Default::default()
    };
    let query = Query { answer: crate::catalog::answer(&catalog), sql: Some(Box::new(catalog)), ..answered("Quoted.") };
    let page = article(&query, 1, &|_| Err("none".into())).unwrap();
    assert!(page.contains("1 document, listed from the library") && page.contains("<td>2021</td>"), "{page}");
    for absent in
        ["<script", "<img", "onerror=alert(2)>", "\u{1b}", "<td>id</td>", "Quoted passages", "Documents behind it"]
    {
        assert!(!page.contains(absent), "{absent} in {page}");
    }
}
