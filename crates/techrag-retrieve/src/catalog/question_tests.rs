//! What is read out of questions in several phrasings, and what is left to the passages.

use super::*;

fn author(names: &[&str]) -> Limit {
    Limit::Author(names.iter().map(|name| (*name).to_owned()).collect())
}

fn about(words: &str) -> Limit {
    Limit::About(vec![words.to_owned()])
}

#[test]
fn every_pattern_compiles() {
    for pattern in [
        &DENIES,
        &PLACE,
        &NOUN,
        &OF_DOCUMENTS,
        &VERB,
        &A_YEAR,
        &THE_MOST,
        &EXTREME,
        &HAS_WRITTEN,
        &LEFT,
        &OR,
        &AND,
        &NO_NAME,
        &LIMIT,
    ] {
        assert!(!pattern.as_str().is_empty());
    }
}

#[test]
fn counting_is_read_in_many_phrasings() {
    use Thing::{Authors, Chunks, Documents, Keywords, Pages};
    for (question, thing, limits) in [
        ("How many papers are in the library?", Documents, vec![]),
        ("how many documents does the library hold", Documents, vec![]),
        ("What is the total number of papers in my collection?", Documents, vec![]),
        ("Please count the papers by Pacejka", Documents, vec![author(&["Pacejka"])]),
        (
            "How many papers did Hans Pacejka write since 1990?",
            Documents,
            vec![author(&["Hans Pacejka"]), Limit::From(1990)],
        ),
        (
            "How many papers on tyre wear has Pacejka published?",
            Documents,
            vec![about("tyre wear"), author(&["Pacejka"])],
        ),
        ("How many papers have been published after 2015?", Documents, vec![Limit::From(2016)]),
        ("How many papers in the library deal with braking?", Documents, vec![about("braking")]),
        (
            "How many papers by Pacejka and Bakker are there?",
            Documents,
            vec![author(&["Pacejka"]), author(&["Bakker"])],
        ),
        ("How many articles by Pacejka or Bakker", Documents, vec![author(&["Pacejka", "Bakker"])]),
        ("How many 2019 papers are there?", Documents, vec![Limit::From(2019), Limit::To(2019)]),
        ("How many papers from the 1990s?", Documents, vec![Limit::From(1990), Limit::To(1999)]),
        (
            "How many papers with the keyword \"rolling resistance\"?",
            Documents,
            vec![Limit::Keyword(vec!["rolling resistance".into()])],
        ),
        ("How many pages do the papers by Pacejka have?", Pages, vec![author(&["Pacejka"])]),
        ("How many chunks does the index contain?", Chunks, vec![]),
        ("how many different authors are there in the corpus", Authors, vec![]),
        ("How many keywords are there?", Keywords, vec![]),
    ] {
        assert_eq!(read(question), Some(Ask { wanted: Wanted::Count(thing), limits }), "{question}");
    }
}

#[test]
fn listing_ordering_and_counting_by_year_are_read() {
    for (question, wanted, limits) in [
        ("List all papers", Wanted::Documents, vec![]),
        ("List the titles of all papers about aquaplaning", Wanted::Documents, vec![about("aquaplaning")]),
        ("List papers between 2010 and 2015", Wanted::Documents, vec![Limit::From(2010), Limit::To(2015)]),
        ("list papers 2015-2010 in our database", Wanted::Documents, vec![Limit::From(2010), Limit::To(2015)]),
        (
            "Which papers in the library are about tyre wear or road wear?",
            Wanted::Documents,
            vec![Limit::About(vec!["tyre wear".into(), "road wear".into()])],
        ),
        (
            "Which documents in this library are by O'Brien from 2003 onwards?",
            Wanted::Documents,
            vec![author(&["O'Brien"]), Limit::From(2003)],
        ),
        ("Show me the papers titled slip", Wanted::Documents, vec![Limit::Titled(vec!["slip".into()])]),
        ("papers before 2000 in the library", Wanted::Documents, vec![Limit::To(1999)]),
        ("List authors", Wanted::Authors, vec![]),
        ("Which authors in the library have written the most papers?", Wanted::Authors, vec![]),
        ("Which authors in the library work on braking?", Wanted::Authors, vec![about("braking")]),
        ("List the keywords of papers by Pacejka", Wanted::Keywords, vec![author(&["Pacejka"])]),
        ("How many papers per year are about slip?", Wanted::Years, vec![about("slip")]),
        ("What is the newest paper in the library?", Wanted::Newest(1), vec![]),
        ("List the three most recent papers by Pacejka", Wanted::Newest(3), vec![author(&["Pacejka"])]),
        ("Which paper in the library is the oldest?", Wanted::Oldest(1), vec![]),
        ("list the oldest papers", Wanted::Oldest(10), vec![]),
    ] {
        assert_eq!(read(question), Some(Ask { wanted, limits }), "{question}");
    }
}

#[test]
fn what_is_not_understood_whole_is_left_to_the_passages() {
    for question in [
        "",
        "How does the brush model saturate?",
        "How many Chinese papers are in the library?",
        "How many papers in the library use the Magic Formula?",
        "How many papers are not by Pacejka?",
        "How many papers about tyres but not wear are there?",
        "List papers without keywords",
        "How many papers by authors from Germany?",
        "How many papers by more than one author are there?",
        "What do the papers in the library say about grip?",
        "Which papers in the library show that grip falls with speed?",
        "List five papers",
        "How many papers about the",
        "List all pages",
        "How many newest papers are there?",
        "How many papers were published in the last five years?",
        &format!("How many papers by {}?", "x ".repeat(400)),
    ] {
        assert_eq!(read(question), None, "{question}");
    }
}
