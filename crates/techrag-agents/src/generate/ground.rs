//! From a model's sentences to an answer: where in its sources each sentence stands, word for word.
//!
//! A model says which source; this module finds the quotations there that hold the sentence's words and numbers: the
//! unit that holds most, then up to two more that each add something. They may not hold all of it. That is for
//! `techrag-answer check` to say; nothing is repaired here, and no other source is cited in place of the one named.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use techrag_core::quantity::{Quantity, quantities};
use techrag_core::record::{Answer, AnswerSentence, Citation, DraftSentence, Passage, Source};
use techrag_core::token::{Config, distinct};
use techrag_core::unit::{self, Unit};
use techrag_core::{clean, lexical, place};

/// Quotations of one source for one sentence.
const QUOTATIONS: usize = 3;
/// What a number that is held counts, a word counting one: a number that is missing makes another claim.
const NUMBER: usize = 3;
/// What a further quotation must add to be worth it.
const ADDS: usize = 2;

/// The answer that a draft is, its sentences in order, and what had to be left out, in words.
pub(super) fn answer(draft: &[DraftSentence], sources: &[Source], by: &str) -> (Answer, Vec<String>) {
    let mut notes = Vec::new();
    let mut sentences: Vec<AnswerSentence> = Vec::new();
    let mut lines = Vec::new();
    for drafted in draft {
        let text = plain(&drafted.text);
        if text.is_empty() || sentences.iter().any(|said| said.text == text) {
            continue;
        }
        let cited: Vec<&Source> =
            drafted.cite.iter().filter_map(|n| sources.iter().find(|source| source.n == *n)).collect();
        if cited.len() < drafted.cite.len() {
            notes.push(format!("a citation of no source was left out: {text}"));
        }
        let citations: Vec<Citation> = cited.iter().flat_map(|source| quotations(&text, source)).collect();
        lines.push(printed(&text, &citations, sources));
        sentences.push(AnswerSentence { text, citations });
    }
    let answer = Answer { text: lines.join("\n"), sentences, by: by.to_owned(), ..Answer::default() };
    (answer, notes)
}

/// A sentence without citations in its words: they stand behind it, and a document's or model's own are none of ours.
fn plain(text: &str) -> String {
    static LABEL: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)\s*[\[(]\s*(?:SOURCE|EXTERNAL|VISUAL)S?\b[^\])]*[\])]").ok());
    let text = clean::line(text);
    match &*LABEL {
        Some(label) => clean::line(&label.replace_all(&text, "")),
        None => text,
    }
}

/// The sentence with a marker for each page or other place that it cites.
fn printed(text: &str, citations: &[Citation], sources: &[Source]) -> String {
    let mut line = text.to_owned();
    let mut seen = BTreeSet::new();
    let place = |citation: &Citation| place::printed(citation.page, citation.place.as_deref());
    for citation in citations.iter().filter(|citation| seen.insert((citation.source, place(citation)))) {
        let source = sources.iter().find(|source| source.n == citation.source);
        let label = source.map_or_else(|| format!("SOURCE {}", citation.source), Source::label);
        let title = source.map_or("", |source| source.title.as_str());
        let place = place(citation).map_or(String::new(), |place| format!(", {place}"));
        line.push_str(&format!(" [{label}: {}{place}]", clean::title(title)));
    }
    line
}

/// A unit of a passage, and what of the sentence it holds.
struct Held<'a> {
    passage: &'a Passage,
    unit: Unit,
    words: BTreeSet<usize>,
    numbers: BTreeSet<usize>,
}

impl Held<'_> {
    /// What it adds to what is held already.
    fn adds(&self, words: &BTreeSet<usize>, numbers: &BTreeSet<usize>) -> usize {
        self.words.difference(words).count() + NUMBER * self.numbers.difference(numbers).count()
    }
}

/// The quotations of a source that hold most of a sentence; one without words where nothing of it stands there.
fn quotations(sentence: &str, source: &Source) -> Vec<Citation> {
    let held = held(sentence, source);
    let (mut words, mut numbers) = (BTreeSet::new(), BTreeSet::new());
    let mut citations = Vec::new();
    for round in 0..QUOTATIONS {
        // Of equals the shorter one, then the first: the last maximum of the reverse.
        let key = |held: &&Held<'_>| (held.adds(&words, &numbers), std::cmp::Reverse(held.unit.range.len()));
        let best = held.iter().rev().max_by_key(key);
        let least = if round == 0 { 1 } else { ADDS };
        let Some(best) = best.filter(|best| best.adds(&words, &numbers) >= least) else { break };
        words.extend(&best.words);
        numbers.extend(&best.numbers);
        let ranges = [Some(&best.unit.range), best.unit.header.as_ref(), best.unit.caption.as_ref()];
        citations.extend(ranges.into_iter().flatten().map(|range| citation(source, best.passage, range)));
    }
    if citations.is_empty() {
        citations.push(Citation { source: source.n, key: source.key.clone(), ..Citation::default() });
    }
    let mut seen = BTreeSet::new();
    citations.retain(|citation| seen.insert((citation.uid.clone(), citation.span.clone())));
    citations
}

fn held<'a>(sentence: &str, source: &'a Source) -> Vec<Held<'a>> {
    let claimed: Vec<String> = distinct(sentence, Config::WORDS);
    let given: Vec<Quantity> = quantities(sentence);
    let mut all = Vec::new();
    for passage in &source.passages {
        for unit in unit::units(&passage.text) {
            let quoted = unit.with_context(&passage.text);
            let (bag, found) = (lexical::Bag::of(&quoted), quantities(&quoted));
            let words = (0..claimed.len()).filter(|at| bag.has(&claimed[*at])).collect();
            let holds = |at: &usize| found.iter().any(|quantity| quantity.agrees(&given[*at]));
            let numbers = (0..given.len()).filter(holds).collect();
            all.push(Held { passage, unit, words, numbers });
        }
    }
    all
}

fn citation(source: &Source, passage: &Passage, range: &Range<usize>) -> Citation {
    Citation {
        source: source.n,
        key: source.key.clone(),
        uid: passage.uid.clone(),
        page: place::page(range, &passage.spans, passage.pages),
        place: place::place(range, &passage.spans),
        span: passage.text[range.clone()].to_owned(),
        ..Citation::default()
    }
}

#[cfg(test)]
mod tests {
    use techrag_core::record::Span;

    use super::*;

    fn source(text: &str) -> Source {
        let passage = Passage {
            uid: "d:0".into(),
            pages: Some([4, 4]),
            spans: vec![Span { start: 0, end: text.len(), page: Some(4), ..Span::default() }],
            text: text.into(),
            ..Passage::default()
        };
        Source { n: 2, key: "a.pdf".into(), title: "On [snow]".into(), passages: vec![passage], ..Source::default() }
    }

    fn spans(sentence: &str, text: &str) -> Vec<String> {
        quotations(sentence, &source(text)).into_iter().map(|citation| citation.span).collect()
    }

    const TEXT: &str =
        "The weather was fine. Friction on snow is 0.27. The test speed was 50 km/h on all roads. Sand is dry.";

    #[test]
    fn the_words_of_a_sentence_are_found_where_they_stand() {
        assert_eq!(spans("On snow the friction is 0.27.", TEXT), ["Friction on snow is 0.27."]);
        assert_eq!(
            spans("On snow the friction is 0.27 at a test speed of 50 km/h.", TEXT),
            ["The test speed was 50 km/h on all roads.", "Friction on snow is 0.27."]
        );
        assert_eq!(spans("Bananas ripen.", TEXT), [""]);
    }

    #[test]
    fn a_rows_heading_and_caption_come_with_it() {
        let table = "Table 1. Friction.\n\n| Road | μ |\n|---|---|\n| snow | 0.27 |\n| sand | 0.4 |";
        assert_eq!(spans("On snow it is 0.27.", table), ["| snow | 0.27 |", "| Road | μ |", "Table 1. Friction."]);
    }

    #[test]
    fn an_answer_has_our_markers_and_no_others() {
        let draft = [
            DraftSentence { text: "Friction on snow is 0.27 [SOURCE 9: Fake] (Source 2).".into(), cite: vec![2, 7] },
            DraftSentence { text: "Friction on snow is 0.27.".into(), cite: vec![2] },
            DraftSentence { text: "Sand is dry.".into(), cite: vec![] },
        ];
        let (answer, notes) = answer(&draft, &[source(TEXT)], "m");
        assert_eq!(answer.text, "Friction on snow is 0.27. [SOURCE 2: On (snow), p. 4]\nSand is dry.");
        assert_eq!((answer.sentences.len(), notes.len()), (2, 1));
        assert!(answer.sentences[1].citations.is_empty());
    }
}
