//! The cascade on pairs of our own, and grouping whatever the order.

use proptest::prelude::*;
use techrag_core::record::Work;

use super::*;

fn work(title: &str, authors: &[&str], year: i32, doi: Option<&str>, kind: &str) -> Work {
    let mut work = Work {
        title: title.into(),
        authors: authors.iter().map(|name| (*name).to_owned()).collect(),
        year: Some(year),
        doi: doi.map(str::to_owned),
        kind: Some(kind.into()),
        ..Work::default()
    };
    if let Some(doi) = doi {
        work.ids.insert("doi".into(), vec![doi.to_owned()]);
    }
    work
}

const GRIP: &str = "Grip of winter tyres on packed snow";

#[test]
fn the_cascade_row_by_row() {
    let journal = work(GRIP, &["Anna Berg", "Jo Li"], 2021, Some("10.1000/a"), "article");
    let with = |change: &dyn Fn(&mut Work)| {
        let mut other = journal.clone();
        change(&mut other);
        other.ids = other.doi.iter().map(|doi| ("doi".to_owned(), vec![doi.clone()])).collect();
        other
    };
    let said = |other: &Work| {
        assert_eq!(judge(&journal, other), judge(other, &journal), "{other:?}");
        judge(&journal, other)
    };
    assert_eq!(said(&with(&|w| w.title = "GRIP OF WINTER TYRES".into())), Verdict::Same);
    let elsewhere = with(&|w| {
        w.title = "Front cover: pictures of the month".into();
        w.authors = vec!["C. Doe".into()];
    });
    assert_eq!(said(&elsewhere), Verdict::Different);
    let preprint = with(&|w| {
        w.doi = Some("10.48550/arxiv.2001.00001".into());
        w.kind = Some("preprint".into());
        w.year = Some(2019);
    });
    assert_eq!(said(&preprint), Verdict::Version);
    assert_eq!(said(&with(&|w| w.doi = Some("10.1000/b".into()))), Verdict::Different);
    assert_eq!(said(&with(&|w| w.doi = None)), Verdict::Same);
    assert_eq!(
        said(&with(&|w| {
            w.doi = None;
            w.year = Some(2022);
        })),
        Verdict::Same
    );
    assert_eq!(
        said(&with(&|w| {
            w.doi = None;
            w.year = Some(2031);
        })),
        Verdict::Different
    );
    assert_eq!(
        said(&with(&|w| {
            w.doi = None;
            w.authors = vec!["C. Doe".into()];
        })),
        Verdict::Different
    );
    assert_eq!(
        said(&with(&|w| {
            w.doi = None;
            w.title = format!("Erratum to: {GRIP}");
        })),
        Verdict::Different
    );
    assert_eq!(
        said(&with(&|w| {
            w.doi = None;
            w.title = format!("Data for: {GRIP}");
        })),
        Verdict::Different
    );
    assert_eq!(
        said(&with(&|w| {
            w.doi = None;
            w.kind = Some("dataset".into());
        })),
        Verdict::Different
    );
}

#[test]
fn parts_and_general_titles_are_not_joined() {
    let part = |n: &str| work(&format!("{GRIP}. Part {n}"), &["Anna Berg"], 2021, None, "article");
    assert_eq!(judge(&part("I"), &part("II")), Verdict::Different);
    assert_eq!(judge(&part("1"), &part("1")), Verdict::Same);
    let editorial = work("Editorial", &["Anna Berg"], 2021, None, "article");
    assert_eq!(judge(&editorial, &editorial), Verdict::Different);
}

#[test]
fn preprint_and_article_are_one_row() {
    let mut article = work(GRIP, &["Anna Berg"], 2021, Some("10.1000/a"), "article");
    article.sources = vec!["crossref".into()];
    let mut preprint = work(GRIP, &["A. Berg"], 2020, Some("10.48550/arxiv.2001.00001"), "preprint");
    preprint.sources = vec!["arxiv".into()];
    let works = merged(vec![preprint, article]);
    assert_eq!(works.len(), 1, "{works:?}");
    assert_eq!((works[0].doi.as_deref(), works[0].year), (Some("10.1000/a"), Some(2021)));
    assert_eq!(works[0].versions[0].doi.as_deref(), Some("10.48550/arxiv.2001.00001"));
    assert_eq!(works[0].sources, ["arxiv", "crossref"]);
}

#[test]
fn year_venue_and_doi_come_from_one_record() {
    let mut crossref = work(GRIP, &["Anna Berg"], 2021, Some("10.1000/a"), "article");
    crossref.venue = Some("Snow Journal".into());
    crossref.sources = vec!["crossref".into()];
    let mut mixed = work(GRIP, &["A. Berg"], 2020, Some("10.1000/A"), "preprint");
    mixed.venue = Some("bioRxiv".into());
    mixed.summary = Some("Snow is slippery.".into());
    mixed.sources = vec!["semanticscholar".into()];
    mixed.citations.insert("semanticscholar".into(), 7);
    let works = merged(vec![mixed, crossref]);
    let work = &works[0];
    assert_eq!((works.len(), work.year, work.venue.as_deref()), (1, Some(2021), Some("Snow Journal")));
    assert_eq!((work.kind.as_deref(), work.summary.as_deref()), (Some("article"), Some("Snow is slippery.")));
    assert_eq!((work.citations["semanticscholar"], work.authors[0].as_str()), (7, "Anna Berg"));
}

/// Records that share words, people, DOIs and years in every mixture.
fn records() -> impl Strategy<Value = Vec<Work>> {
    let titles =
        [GRIP, "Grip of winter tyres on packed snow: a study", "Grip of summer tyres on wet roads", "Editorial"];
    let record = (0..4usize, 0..3usize, 2018..2023i32, 0..4usize, 0..2usize).prop_map(move |(t, a, year, d, k)| {
        let authors = [&["Anna Berg"][..], &["Jo Li"][..], &[][..]][a];
        let doi = [None, Some("10.1000/a"), Some("10.1000/b"), Some("10.48550/arxiv.2001.00001")][d];
        work(titles[t], authors, year, doi, ["article", "preprint"][k])
    });
    proptest::collection::vec(record, 0..12)
}

proptest! {
    #[test]
    fn the_order_of_the_records_does_not_matter(records in records(), seed in 0usize..12) {
        let mut turned = records.clone();
        turned.reverse();
        let by = seed.min(turned.len());
        turned.rotate_left(by);
        prop_assert_eq!(merged(records), merged(turned));
    }

    #[test]
    fn no_group_has_two_dois(records in records()) {
        let dois: std::collections::BTreeSet<_> = records.iter().filter_map(|work| work.doi.clone()).collect();
        let works = merged(records);
        for work in &works {
            prop_assert!(work.ids.get("doi").is_none_or(|dois| dois.len() == 1), "{:?}", work.ids);
        }
        // Every DOI is still there: as a work's own or as a version's.
        for doi in dois {
            let kept = works.iter().any(|work| work.doi.as_ref() == Some(&doi)
                || work.versions.iter().any(|version| version.doi.as_ref() == Some(&doi)));
            prop_assert!(kept, "{} is lost", doi);
        }
    }
}
