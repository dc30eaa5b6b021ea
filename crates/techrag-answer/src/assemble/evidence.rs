//! Hits by paper, and the sentences of each paper that speak of the question.

use std::collections::{HashMap, HashSet};

use techrag_core::record::{EvidenceSentence, Hit, Passage, Query, Source, Verdict};
use techrag_core::unit::{self, Unit};
use techrag_core::{id, lexical, place, text};

use super::{Config, outside};

/// Characters by which two passages, and two sentences, are told to be the same (SPEC section 10).
const PASSAGE_KEY: usize = 1800;
const SENTENCE_KEY: usize = 400;

/// Score below which WEAK evidence of the library is left out.
const HOPELESS: f64 = 30.0;

/// What the words around a sentence (its section's heading, its paper's title) count against its own.
const CONTEXT: f64 = 0.25;

/// What was left out on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Merged {
    /// Passages that open with the same text as one kept before.
    pub(super) duplicates: usize,
    /// Passages of a paper that had its share.
    pub(super) over_limit: usize,
    /// Sentences that open with the same text as one kept before.
    pub(super) duplicate_sentences: usize,
}

/// The sources of a query, best paper first.
pub(super) fn sources(query: &Query, config: Config) -> (Vec<Source>, Merged) {
    let mut merged = Merged::default();
    let outside = outside::sources(query);
    // SPEC section 10: evidence this weak is left out, where there is better to take its place.
    let hopeless = query.evidence.as_ref().is_some_and(|it| it.verdict == Verdict::Weak && it.score < HOPELESS);
    let hits = query.hits.as_deref().filter(|_| outside.is_empty() || !hopeless);
    let mut sources = papers(hits.unwrap_or_default(), config.chunks, &mut merged);
    // `sort_by` is stable: papers of equal scores stay in the order of their hits.
    sources.sort_by(|a, b| b.score.total_cmp(&a.score));
    // What stands outside comes after what stands in the library.
    sources.extend(outside);
    for (n, source) in (1..).zip(&mut sources) {
        source.n = n;
    }
    pick_sentences(&query.question, &mut sources, config.sentences, &mut merged);
    (sources, merged)
}

fn papers(hits: &[Hit], limit: usize, merged: &mut Merged) -> Vec<Source> {
    let mut sources: Vec<Source> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut seen = HashSet::new();
    for hit in hits {
        if !seen.insert(opening(&hit.text, PASSAGE_KEY)) {
            merged.duplicates += 1;
            continue;
        }
        let at = *places.entry(&hit.doc_id).or_insert_with(|| {
            sources.push(source(hit));
            sources.len() - 1
        });
        let source = &mut sources[at];
        let text: usize = source.passages.iter().map(|passage| passage.text.chars().count()).sum();
        if source.passages.len() < limit || text + hit.text.chars().count() <= limit * super::CHUNK {
            source.passages.push(passage(hit));
            source.score = source.score.max(hit.scores.score);
            source.relevance = [source.relevance, hit.scores.relevance].into_iter().flatten().reduce(f64::max);
        } else {
            merged.over_limit += 1;
        }
    }
    sources
}

/// Hash of the first characters of a text, white space and case aside.
fn opening(text: &str, chars: usize) -> String {
    let end = text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    id::text_sha1(&text[..end])
}

fn source(hit: &Hit) -> Source {
    let title = hit.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    Source {
        doc_id: hit.doc_id.clone(),
        key: hit.key.clone(),
        title: title.unwrap_or(&hit.key).to_owned(),
        authors: hit.authors.clone(),
        year: hit.year,
        doi: hit.doi.clone(),
        score: hit.scores.score,
        relevance: hit.scores.relevance,
        ..Source::default()
    }
}

fn passage(hit: &Hit) -> Passage {
    Passage {
        uid: hit.uid.clone(),
        section: hit.section.clone(),
        role: hit.role,
        pages: hit.pages,
        spans: hit.spans.clone(),
        text: hit.text.clone(),
        score: hit.scores.score,
    }
}

/// A unit with its words, before anything is chosen.
struct Candidate {
    source: usize,
    passage: usize,
    unit: Unit,
    own: lexical::Bag,
}

fn pick_sentences(question: &str, sources: &mut [Source], limit: usize, merged: &mut Merged) {
    let terms = lexical::terms(question);
    let mut seen = HashSet::new();
    let mut candidates = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        for (inside, passage) in source.passages.iter().enumerate() {
            for unit in unit::units(&passage.text) {
                if seen.insert(opening(&passage.text[unit.range.clone()], SENTENCE_KEY)) {
                    let own = lexical::Bag::alike(&in_context(&unit, &passage.text));
                    candidates.push(Candidate { source: at, passage: inside, unit, own });
                } else {
                    merged.duplicate_sentences += 1;
                }
            }
        }
    }
    let idf = lexical::Idf::of(candidates.iter().map(|candidate| &candidate.own));
    let mut chosen: Vec<Vec<EvidenceSentence>> = vec![Vec::new(); sources.len()];
    for candidate in &candidates {
        let source = &sources[candidate.source];
        let passage = &source.passages[candidate.passage];
        let around = lexical::Bag::alike(&format!("{}\n{}", source.title, passage.section));
        let held = |term: &lexical::Term| candidate.own.holds(term).max(CONTEXT * around.holds(term));
        let score = lexical::coverage(&terms, &idf, held);
        chosen[candidate.source].push(sentence(passage, &candidate.unit, score));
    }
    for (source, mut sentences) in sources.iter_mut().zip(chosen) {
        sentences.sort_by(|a, b| b.score.total_cmp(&a.score));
        sentences.truncate(limit);
        source.sentences = sentences;
    }
}

/// Bytes of a caption, and of a heading row, that each row of a table brings along.
const BESIDE: usize = 2000;

/// A unit's words with those that give it meaning, as [`Unit::with_context`], long ones cut.
fn in_context(unit: &Unit, passage: &str) -> String {
    let beside = [unit.caption.as_ref(), unit.header.as_ref()].into_iter().flatten();
    let beside = beside.map(|range| text::prefix(&passage[range.clone()], BESIDE));
    beside.chain([&passage[unit.range.clone()]]).collect::<Vec<_>>().join("\n")
}

fn sentence(passage: &Passage, unit: &Unit, score: f64) -> EvidenceSentence {
    EvidenceSentence {
        uid: passage.uid.clone(),
        start: unit.range.start,
        end: unit.range.end,
        page: place::page(&unit.range, &passage.spans, passage.pages),
        place: place::place(&unit.range, &passage.spans),
        text: in_context(unit, &passage.text),
        score,
    }
}
