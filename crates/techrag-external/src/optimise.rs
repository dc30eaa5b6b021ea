//! Queries out of a question by rules, each attempt broader than the one before.
//!
//! | loop | attempts |
//! |---|---|
//! | content | the question's content words · the retry's reformulation where the library was asked again, else the words without those of general English · the words that name things |
//! | bibliometric, trend | the topic with author and years · without years · its telling words · its first three · its first two |
//!
//! A query that was tried is not tried again.

use std::sync::LazyLock;

use regex::Regex;
use techrag_core::lexical::{self, Term};
use techrag_core::record::Query;

/// Most words of a query: indexes that want all of them find nothing for more.
const WORDS: usize = 10;
/// How far back "recent" reaches, in years.
const RECENT: i32 = 3;

/// Words that ask for publications or counts and are no topic.
const ASKING: &[&str] = &[
    "paper",
    "papers",
    "publication",
    "publications",
    "article",
    "articles",
    "literature",
    "reference",
    "references",
    "study",
    "studies",
    "survey",
    "surveys",
    "review",
    "reviews",
    "work",
    "works",
    "journal",
    "journals",
    "conference",
    "conferences",
    "thesis",
    "theses",
    "preprint",
    "preprints",
    "book",
    "books",
    "author",
    "authors",
    "researcher",
    "researchers",
    "research",
    "researches",
    "published",
    "publish",
    "publishes",
    "publishing",
    "written",
    "wrote",
    "recent",
    "recently",
    "latest",
    "newest",
    "new",
    "key",
    "main",
    "important",
    "seminal",
    "cited",
    "citations",
    "most",
    "list",
    "find",
    "show",
    "give",
    "name",
    "recommend",
    "topic",
    "topics",
    "field",
    "fields",
    "area",
    "areas",
    "trend",
    "trends",
    "evolution",
    "evolve",
    "evolved",
    "develop",
    "developed",
    "development",
    "developments",
    "grow",
    "grown",
    "growth",
    "grew",
    "rise",
    "decline",
    "number",
    "numbers",
    "count",
    "counts",
    "year",
    "years",
    "yearly",
    "annual",
    "annually",
    "decade",
    "decades",
    "past",
    "last",
    "since",
    "time",
    "history",
    "emerging",
    "momentum",
    "gaining",
    "scientific",
    "academic",
    "scholarly",
    "bibliography",
    "over",
    "per",
    "interest",
    "directions",
    "change",
    "changed",
];

/// One query to come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) query: String,
    pub(crate) since: Option<i32>,
    pub(crate) until: Option<i32>,
    /// How it was made.
    pub(crate) made: String,
}

/// Queries of the content loop.
pub(crate) fn content(query: &Query) -> Vec<Asked> {
    let terms = lexical::terms(&query.question);
    let strong: Vec<&Term> = terms.iter().filter(|term| !term.weak).collect();
    let things: Vec<&Term> = terms.iter().filter(|term| term.subject).collect();
    let mut asked = vec![plain(terms.iter(), "the question's content words")];
    match &query.retry {
        Some(retry) => asked.push(worded(&retry.query, "the reformulation that the library was asked again with")),
        None => asked.push(plain(strong.iter().copied(), "without words of general English")),
    }
    asked.push(plain(things.iter().take(5).copied(), "the words that name things"));
    distinct(asked)
}

/// Queries of the bibliometric and the trend loop. `now` is the running year; without it "recent" means nothing.
pub(crate) fn topic(question: &str, now: Option<i32>) -> Vec<Asked> {
    let terms = topic_terms(question);
    let (since, until) = years(question, now);
    let strong: Vec<&Term> = terms.iter().filter(|term| !term.weak).collect();
    let mut asked = Vec::new();
    if since.is_some() || until.is_some() {
        let narrow = plain(terms.iter(), "the topic, within its years");
        asked.push(Asked { since, until, ..narrow });
    }
    asked.push(plain(terms.iter(), "the topic, all years"));
    asked.push(plain(strong.iter().copied(), "its telling words"));
    asked.push(plain(strong.iter().take(3).copied(), "its first three telling words"));
    asked.push(plain(strong.iter().take(2).copied(), "its first two telling words"));
    distinct(asked)
}

/// The content terms of a question that are its topic.
pub(crate) fn topic_terms(question: &str) -> Vec<Term> {
    let without = match author(question) {
        Some(name) => question.replace(&name, " "),
        None => question.to_owned(),
    };
    let is_year = |word: &str| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    let mut terms = lexical::terms(&without);
    terms.retain(|term| !ASKING.contains(&term.word.as_str()) && !is_year(&term.word));
    terms
}

fn plain<'a>(terms: impl Iterator<Item = &'a Term>, made: &str) -> Asked {
    let words: Vec<&str> = terms.map(|term| term.word.as_str()).take(WORDS).collect();
    worded(&words.join(" "), &format!("rules: {made}"))
}

fn worded(query: &str, made: &str) -> Asked {
    let words: Vec<&str> = query.split_whitespace().take(WORDS + 4).collect();
    Asked { query: words.join(" "), since: None, until: None, made: made.to_owned() }
}

fn distinct(asked: Vec<Asked>) -> Vec<Asked> {
    let mut kept: Vec<Asked> = Vec::new();
    for one in asked {
        let known = kept.iter().any(|own| (&own.query, own.since, own.until) == (&one.query, one.since, one.until));
        if !known && !one.query.is_empty() {
            kept.push(one);
        }
    }
    kept
}

#[expect(clippy::expect_used, reason = "the patterns are constants, and the tests compile them")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

static RANGE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b((?:19|20)\d\d)\s*(?:-|–|to|and|until)\s*((?:19|20)\d\d)\b"));
static SINCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(?:since|after|from|starting)\s+((?:19|20)\d\d)\b"));
static BEFORE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(?:before|until|up to)\s+((?:19|20)\d\d)\b"));
static IN: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(?:in|of|during)\s+((?:19|20)\d\d)\b"));
static LAST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:last|past)\s+(?:(\d{1,2}|two|three|four|five|ten|twenty)\s+)?(years?|decades?)\b")
});
static NEW: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(?:recent|recently|latest|newest)\b"));
static AUTHOR: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:by|from|of)\s+((?:\p{Lu}[\p{L}.'’-]*\s+){1,3}\p{Lu}[\p{L}'’-]{2,})"));

/// The years that a question asks for, first and last.
pub(crate) fn years(question: &str, now: Option<i32>) -> (Option<i32>, Option<i32>) {
    let year = |text: &str| text.parse::<i32>().ok();
    if let Some(range) = RANGE.captures(question) {
        return (year(&range[1]), year(&range[2]));
    }
    let since = SINCE.captures(question).and_then(|found| year(&found[1]));
    let until = BEFORE.captures(question).and_then(|found| year(&found[1]).map(|year| year - 1));
    if since.is_some() || until.is_some() {
        return (since, until);
    }
    if let Some(found) = IN.captures(question) {
        return (year(&found[1]), year(&found[1]));
    }
    let Some(now) = now else { return (None, None) };
    if let Some(found) = LAST.captures(question) {
        let count = found.get(1).map_or(1, |count| number(count.as_str()));
        let unit = if found[2].to_lowercase().starts_with("decade") { 10 } else { 1 };
        return (Some(now - count * unit), None);
    }
    (NEW.is_match(question).then_some(now - RECENT), None)
}

fn number(word: &str) -> i32 {
    let named = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let lower = word.to_lowercase();
    let known = named.iter().position(|name| *name == lower).and_then(|at| i32::try_from(at).ok());
    known.or_else(|| (lower == "twenty").then_some(20)).or_else(|| word.parse().ok()).unwrap_or(1)
}

/// The person whose works are asked for: `papers by Hans Pacejka`.
pub(crate) fn author(question: &str) -> Option<String> {
    AUTHOR.captures(question).map(|found| found[1].to_owned())
}

#[cfg(test)]
mod tests {
    use techrag_core::record::Retry;

    use super::*;

    #[test]
    fn content_queries_grow_broader_and_none_comes_twice() {
        let mut query = Query::new("How does the relaxation length of a tyre change with wheel load?");
        let asked = content(&query);
        assert!(asked.len() >= 2 && asked[0].query.contains("relaxation length"), "{asked:?}");
        query.retry = Some(Box::new(Retry { query: "relaxation length vertical force".into(), ..Retry::default() }));
        assert_eq!(content(&query)[1].query, "relaxation length vertical force");
        assert!(content(&Query::new("?")).is_empty());
    }

    #[test]
    fn topics_lose_the_words_that_ask_for_papers() {
        let asked = topic("What are the latest papers on tyre friction estimation since 2019?", Some(2026));
        assert_eq!((asked[0].query.as_str(), asked[0].since), ("tyre friction estimation", Some(2019)));
        assert_eq!((asked[1].query.as_str(), asked[1].since), ("tyre friction estimation", None));
        assert!(asked.len() <= 5 && asked.last().unwrap().query.split(' ').count() <= 2, "{asked:?}");
        let by = "List papers by Hans B. Pacejka on tyre models";
        assert_eq!(author(by).as_deref(), Some("Hans B. Pacejka"));
        assert_eq!(topic(by, None)[0].query, "tyre models");
    }

    #[test]
    fn years_are_read_as_people_write_them() {
        let read = |text: &str| years(text, Some(2026));
        assert_eq!(read("papers between 2010 and 2015"), (Some(2010), Some(2015)));
        assert_eq!(read("from 2018 on"), (Some(2018), None));
        assert_eq!(read("before 2000"), (None, Some(1999)));
        assert_eq!(read("over the last five years"), (Some(2021), None));
        assert_eq!(read("in the past two decades"), (Some(2006), None));
        assert_eq!(read("recent papers"), (Some(2023), None));
        assert_eq!(read("published in 2020"), (Some(2020), Some(2020)));
        assert_eq!((read("ISO 2631"), years("recent papers", None)), ((None, None), (None, None)));
    }
}
