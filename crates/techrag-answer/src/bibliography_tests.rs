//! References are read back by the crate that reads BibTeX, and compared line by line elsewhere.

use techrag_core::record::{Answer, AnswerSentence, Citation, Medal, Source};

use super::*;

fn cited(sources: Vec<Source>) -> Query {
    let citation = |source: &Source| Citation { source: source.n, key: source.key.clone(), ..Citation::default() };
    let sentences = vec![AnswerSentence { text: "x".into(), citations: sources.iter().map(citation).collect() }];
    let answer = Answer { text: "x".into(), sentences, medal: Some(Medal::Gold), ..Answer::default() };
    Query { answer: Some(answer), sources: Some(sources), ..Query::new("?") }
}

fn source(n: u32, key: &str, title: &str, authors: &[&str]) -> Source {
    Source {
        n,
        key: key.into(),
        title: title.into(),
        authors: authors.iter().map(|&author| author.into()).collect(),
        year: Some(2021),
        doi: Some("10.5555/a_b%c".into()),
        ..Source::default()
    }
}

fn works(queries: &[Query]) -> Works {
    let mut works = Works::default();
    queries.iter().for_each(|query| works.add(query));
    works
}

#[test]
fn bibtex_is_read_back_as_it_was_meant() {
    let title = "Tyres & roads: 50% grip {of} the \\end{document} $x_1$ ABS";
    let all = works(&[cited(vec![source(1, "a.pdf", title, &["Anna B. Klein", "Ludwig van der Waals"])])]);
    let written = all.write(Style::Bibtex);
    let read = Bibliography::parse(&written).expect("BibTeX");
    let entry = read.get("klein2021tyres").unwrap_or_else(|| panic!("no key in {written}"));
    let authors = entry.author().expect("authors");
    assert_eq!((authors[0].name.as_str(), authors[0].given_name.as_str()), ("Klein", "Anna B."));
    assert_eq!((authors[1].name.as_str(), authors[1].prefix.as_str()), ("Waals", "van der"));
    assert_eq!(entry.doi().expect("a DOI"), "10.5555/a_b%c", "{written}");
    assert_eq!(read.len(), 1, "a hostile title opens no second entry: {written}");
}

#[test]
fn a_work_is_listed_once_and_keys_differ() {
    let one = || source(1, "a.pdf", "Friction on ice", &["A. Klein"]);
    let other = Source { doi: None, ..source(1, "b.pdf", "Friction on snow", &["B. Klein"]) };
    let all = works(&[cited(vec![one()]), cited(vec![one()]), cited(vec![other])]);
    let csl: Value = serde_json::from_str(&all.write(Style::Csl)).expect("JSON");
    let ids: Vec<&str> = csl.as_array().expect("an array").iter().filter_map(|item| item["id"].as_str()).collect();
    assert_eq!(ids, ["klein2021friction", "klein2021frictiona"]);
    assert_eq!(csl[0]["author"][0], json!({ "family": "Klein", "given": "A." }));
    assert_eq!(csl[0]["issued"]["date-parts"][0][0], 2021);
}

#[test]
fn what_the_catalog_lists_or_counts_is_a_work_too() {
    let document = |key: &str, title: Option<&str>| CatalogDocument {
        key: key.into(),
        title: title.map(str::to_owned),
        authors: vec!["Anna Klein".into()],
        year: Some(2021),
        doi: Some("10.5555/a".into()),
        ..CatalogDocument::default()
    };
    let catalog = techrag_core::record::CatalogAnswer {
        template: "count documents".into(),
        columns: vec!["documents".into()],
        rows: vec![vec![json!(2)]],
        documents: vec![document("a.pdf", Some("Friction on ice")), document("b.pdf", None)],
        ..Default::default()
    };
    let answer = crate::catalog::answer(&catalog);
    let mut query = Query { answer, sql: Some(Box::new(catalog)), ..Query::new("How many?") };
    let all = works(std::slice::from_ref(&query));
    let bibtex = all.write(Style::Bibtex);
    assert!(bibtex.contains("klein2021friction") && bibtex.contains("10.5555/a"), "{bibtex}");
    let csl: Value = serde_json::from_str(&all.write(Style::Csl)).expect("JSON");
    assert_eq!((csl[0]["DOI"].as_str(), csl[1]["title"].as_str()), (Some("10.5555/a"), Some("b.pdf")));
    assert_eq!(all.write(Style::Ris).matches("TY  - GEN").count(), 2);
    query.answer = None;
    assert_eq!(works(&[query]).write(Style::Csl), "[]", "rows that are no answer cite nothing");
}

#[test]
fn ris_keeps_one_value_a_line() {
    let all = works(&[cited(vec![source(1, "a.pdf", "Grip\nER  - \nTY  - JOUR", &["Klein, Anna"])])]);
    assert_eq!(
        all.write(Style::Ris),
        "TY  - GEN\nID  - klein2021grip\nTI  - Grip ER - TY - JOUR\nAU  - Klein, Anna\nPY  - 2021\nDO  - 10.5555/a_b%c\n\
         L1  - a.pdf\nER  - "
    );
}

#[test]
fn a_refusal_cites_nothing() {
    let refused = Query { answer: Some(Answer::not_found("x", "y")), ..cited(vec![source(1, "a.pdf", "T", &[])]) };
    let all = works(&[refused]);
    assert_eq!(
        (all.write(Style::Csl).as_str(), all.write(Style::Ris).as_str(), all.write(Style::Bibtex).as_str()),
        ("[]", "", "")
    );
}
