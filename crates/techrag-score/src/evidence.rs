//! What the parts of the rubric read: the hits with their relevance and their words.

use std::cmp::Ordering;

use techrag_core::calibration::{DEPTH, Model, Reading, UnitWords, features};
use techrag_core::quantity::{Quantity, quantities};
use techrag_core::record::Hit;

use crate::want::{Want, wants};

/// What the words around a sentence (its paper's title, its section's heading) count against its own.
const CONTEXT: f64 = 0.25;

/// The evidence for a question, read once.
pub(crate) struct Evidence<'a> {
    /// The first [`DEPTH`] hits, best first.
    pub(crate) hits: &'a [Hit],
    /// The words of question and hits.
    pub(crate) reading: Reading,
    /// The relevance of each hit, 0 to 1.
    pub(crate) relevance: Vec<f64>,
    /// What the question asks for.
    pub(crate) wants: Vec<Want>,
    /// Numbers that the question itself gives.
    pub(crate) given: Vec<Quantity>,
    /// The question.
    pub(crate) question: &'a str,
    /// Where the relevance is from.
    pub(crate) by: String,
}

/// A sentence, caption or row with its place and weight.
#[derive(Clone, Copy)]
pub(crate) struct Sentence<'a> {
    pub(crate) hit: usize,
    pub(crate) words: &'a UnitWords,
    /// Share of the question it holds, its context counted in.
    pub(crate) coverage: f64,
}

impl<'a> Evidence<'a> {
    /// Reads the hits; the relevance of those that carry none is computed.
    pub(crate) fn read(question: &'a str, hits: &'a [Hit], model: &Model) -> Self {
        let hits = &hits[..hits.len().min(DEPTH)];
        let reading = Reading::of(question, hits);
        let computed = features(&reading, hits);
        let relevance = hits.iter().zip(&computed);
        let relevance = relevance.map(|(hit, features)| hit.scores.relevance.unwrap_or(model.relevance(features)));
        let relevance = relevance.collect();
        let encoded = computed.first().is_some_and(|features| features.rerank.is_some());
        let by = if encoded { "cross-encoder".to_owned() } else { model.version.clone() };
        let (wants, given) = (wants(question), quantities(question));
        Self { hits, reading, relevance, wants, given, question, by }
    }

    /// The relevances, largest first.
    pub(crate) fn ranked(&self) -> Vec<f64> {
        let mut ranked = self.relevance.clone();
        ranked.sort_by(|a, b| b.total_cmp(a));
        ranked
    }

    /// Each hit with its relevance.
    pub(crate) fn weighed(&self) -> impl Iterator<Item = (&'a Hit, f64)> + '_ {
        self.hits.iter().zip(self.relevance.iter().copied())
    }

    /// The sentences of the first `depth` hits, those that hold most of the question first; equals in reading order.
    pub(crate) fn sentences(&self, depth: usize) -> Vec<Sentence<'_>> {
        let mut sentences = Vec::new();
        for (at, hit) in self.reading.hits.iter().take(depth).enumerate() {
            for words in &hit.units {
                let held = |term: &_| words.bag.holds(term).max(CONTEXT * hit.around.holds(term));
                sentences.push(Sentence { hit: at, words, coverage: self.reading.coverage(held) });
            }
        }
        sentences.sort_by(|a, b| b.coverage.partial_cmp(&a.coverage).unwrap_or(Ordering::Equal));
        sentences
    }

    /// The words of a sentence, a row's with its heading row and caption.
    pub(crate) fn text(&self, sentence: &Sentence<'_>) -> String {
        sentence.words.unit.with_context(&self.hits[sentence.hit].text)
    }
}
