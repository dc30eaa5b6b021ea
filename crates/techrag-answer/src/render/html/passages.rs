//! The passages of the sources, with the quoted words marked.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use serde::Serialize;
use techrag_core::record::{Citation, Hit, Origin, Passage, Query, Source};
use techrag_core::{clean, place as core_place};

use crate::check::Searchable;

/// Bytes of a passage that are searched for the words to mark, all quotations of it together: those of an ordinary
/// answer need a thousandth of it.
const SEARCHED: usize = 1_000_000_000;

/// A source and its passages.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    pub(super) n: u32,
    title: String,
    authors: Vec<String>,
    year: Option<i32>,
    doi: Option<String>,
    key: String,
    /// Where the answer cites it: `cited page 2`, `cited slide 3`.
    cited: String,
    passages: Vec<Block>,
}

#[derive(Debug, Serialize)]
struct Block {
    id: String,
    origin: &'static str,
    section: String,
    pages: String,
    scores: Vec<(&'static str, String)>,
    segments: Vec<Segment>,
}

#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Segment {
    text: String,
    quoted: bool,
}

/// The id of a passage on the page, without the article's.
pub(super) fn id(source: u32, at: usize) -> String {
    format!("s{source}-{at}")
}

/// All sources of a record.
pub(super) fn sources(query: &Query) -> Vec<Shown> {
    let hits: HashMap<&str, &Hit> = query.hits.iter().flatten().map(|hit| (hit.uid.as_str(), hit)).collect();
    query.sources.iter().flatten().map(|source| shown(source, query, &hits)).collect()
}

fn shown(source: &Source, query: &Query, hits: &HashMap<&str, &Hit>) -> Shown {
    let answered = query.answer.iter().filter(|answer| !answer.abstained);
    let citations: Vec<_> = answered
        .flat_map(|answer| &answer.sentences)
        .flat_map(|sentence| &sentence.citations)
        .filter(|citation| citation.source == source.n)
        .collect();
    let block = |(at, passage): (usize, &Passage)| {
        let spans = citations.iter().filter(|citation| citation.uid == passage.uid).map(|citation| &citation.span);
        let text = clean::block(&passage.text);
        let searchable = Searchable::new(&text);
        let most = SEARCHED / text.len().max(1);
        let quoted: Vec<Range<usize>> =
            spans.take(most).filter_map(|span| searchable.find(&text, &clean::line(span))).collect();
        let hit = hits.get(passage.uid.as_str());
        Block {
            id: id(source.n, at),
            origin: match hit.map(|hit| hit.origin) {
                Some(Origin::Graph) => "GRAPH",
                _ => "VECTOR",
            },
            section: clean::line(&passage.section),
            pages: match core_place::place(&(0..passage.text.len()), &passage.spans) {
                Some(place) => clean::line(&place),
                None => passage.pages.map_or(String::new(), place),
            },
            scores: scores(passage, hit.copied()),
            segments: segments(&text, quoted),
        }
    };
    Shown {
        n: source.n,
        title: clean::title(&source.title),
        authors: source.authors.iter().map(|author| clean::line(author)).collect(),
        year: source.year,
        doi: source.doi.as_deref().map(clean::line),
        key: clean::line(&source.key),
        cited: cited(&citations),
        passages: source.passages.iter().enumerate().map(block).collect(),
    }
}

fn cited(citations: &[&Citation]) -> String {
    let pages: BTreeSet<u32> = citations.iter().filter_map(|citation| citation.page).collect();
    let mut places: Vec<String> = Vec::new();
    for place in citations.iter().filter_map(|citation| citation.place.as_deref()).map(clean::line) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let listed = || pages.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    match (places.is_empty(), pages.len()) {
        (false, _) => format!("cited {}", places.join(", ")),
        (true, 0) => "not cited".into(),
        (true, 1) => format!("cited page {}", listed()),
        (true, _) => format!("cited pages {}", listed()),
    }
}

fn place([first, last]: [u32; 2]) -> String {
    if first == last { format!("page {first}") } else { format!("pages {first}–{last}") }
}

fn scores(passage: &Passage, hit: Option<&Hit>) -> Vec<(&'static str, String)> {
    let Some(scores) = hit.map(|hit| &hit.scores) else { return vec![("score", format!("{:.3}", passage.score))] };
    [
        ("score", Some(scores.score)),
        ("cosine", scores.dense.map(f64::from)),
        ("BM25", scores.bm25),
        ("cross-encoder", scores.rerank.map(f64::from)),
        ("relevance", scores.relevance),
    ]
    .into_iter()
    .filter_map(|(name, value)| value.map(|value| (name, format!("{value:.3}"))))
    .collect()
}

/// A text cut at the ends of the ranges; overlapping ranges become one.
fn segments(text: &str, mut quoted: Vec<Range<usize>>) -> Vec<Segment> {
    quoted.sort_by_key(|range| range.start);
    let (mut segments, mut at) = (Vec::new(), 0);
    let mut push = |range: Range<usize>, quoted: bool| {
        if !range.is_empty() {
            segments.push(Segment { text: text[range].to_owned(), quoted });
        }
    };
    for range in quoted {
        let start = range.start.max(at);
        if range.end <= at {
            continue;
        }
        push(at..start, false);
        push(start..range.end, true);
        at = range.end;
    }
    push(at..text.len(), false);
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_words_are_marked_once() {
        let marked = |ranges: Vec<Range<usize>>| {
            let parts = segments("abcdef", ranges);
            parts.iter().map(|s| if s.quoted { format!("<{}>", s.text) } else { s.text.clone() }).collect::<String>()
        };
        assert_eq!(marked(vec![]), "abcdef");
        assert_eq!(marked(vec![4..6, 0..2]), "<ab>cd<ef>");
        assert_eq!(marked(vec![1..3, 2..5, 2..3]), "a<bc><de>f");
    }
}
