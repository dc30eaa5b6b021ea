//! Is there an answer at all? The relevance floor.
//!
//! Support is a logistic of three figures, each with its reason:
//!
//! | figure | reason |
//! |---|---|
//! | `best` | the score of the best candidate ([`super::score`]): somebody says something like it |
//! | `absent` | the share of the question's terms, weighed by rarity, that no passage holds: nobody speaks of part of it |
//! | `subjects` | the number of its technical terms (general English aside) that no passage holds: a question about nitrogen is not answered by sources that never name it |
//!
//! Below the floor the answer is "Not found in the provided sources." Fitted on the tuning half of `fixtures/questions`
//! only (44 questions with an answer, 13 without).

use techrag_core::lexical::{self, Bag, Idf, Term};
use techrag_core::record::{Passage, Source};

use super::Scored;
use super::candidates::Candidate;
use super::question::Question;

/// The default floor.
pub(super) const DEFAULT: f64 = 0.5;

/// What speaks for an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Evidence {
    /// How well the evidence answers, 0 to 1.
    pub(super) support: f64,
    best: f64,
    absent: f64,
    unread: f64,
    /// Technical terms of the question, as it wrote them, that no passage holds.
    pub(super) missing: Vec<String>,
    terms: usize,
    candidates: usize,
}

/// Weighs the evidence for an answer made of `chosen`, out of `ranked` candidates, best first.
pub(super) fn evidence(asked: &Question, sources: &[Source], ranked: &[Scored<'_>], chosen: &[&Candidate]) -> Evidence {
    let everything =
        words(sources.iter().flat_map(|source| source.passages.iter().map(move |passage| (source, passage))));
    let read = chosen.iter().map(|candidate| {
        let source = &sources[candidate.source];
        (source, &source.passages[candidate.passage])
    });
    let read = words(read);
    let idf = Idf::of(ranked.iter().map(|scored| &scored.candidate.words));
    let share = |bag: &Bag| lexical::coverage(&asked.terms, &idf, |term| stands(term, bag));
    let missing = asked.terms.iter().filter(|term| !term.weak && stands(term, &everything) == 0.0);
    let mut evidence = Evidence {
        support: 0.0,
        best: ranked.first().map_or(0.0, |scored| scored.score),
        absent: 1.0 - share(&everything),
        unread: share(&everything) - share(&read),
        missing: missing.map(|term| term.word.clone()).collect(),
        terms: asked.terms.len(),
        candidates: ranked.len(),
    };
    evidence.support = support(&evidence);
    evidence
}

/// The words of passages, their headings, titles and authors.
fn words<'a>(passages: impl Iterator<Item = (&'a Source, &'a Passage)>) -> Bag {
    let text = |(source, passage): (&Source, &Passage)| {
        format!("{}\n{}\n{}\n{}", source.title, source.authors.join("\n"), passage.section, passage.text)
    };
    Bag::alike(&passages.map(text).collect::<Vec<_>>().join("\n"))
}

fn stands(term: &Term, bag: &Bag) -> f64 {
    if bag.has_kin(&term.text) { 1.0 } else { bag.holds(term) }
}

/// More missing subjects than this say nothing more.
const MOST_MISSING: usize = 2;

fn support(evidence: &Evidence) -> f64 {
    if evidence.candidates == 0 || evidence.terms == 0 {
        return 0.0;
    }
    let missing = evidence.missing.len().min(MOST_MISSING) as f64;
    let z = -1.0 + 0.45 * evidence.best - 4.0 * evidence.absent - 1.2 * missing;
    1.0 / (1.0 + (-z).exp())
}

impl Evidence {
    /// The figures, by name, for the trace.
    pub(super) fn figures(&self) -> [(&'static str, f64); 5] {
        let subjects = self.missing.len() as f64;
        [
            ("support", self.support),
            ("best", self.best),
            ("absent", self.absent),
            ("unread", self.unread),
            ("subjects", subjects),
        ]
    }

    /// Why there is no answer, if there is none.
    pub(super) fn refusal(&self, floor: f64) -> Option<String> {
        if self.candidates == 0 {
            return Some("no source was found".into());
        }
        if self.terms == 0 {
            return Some("the question names nothing to look for".into());
        }
        (self.support < floor).then(|| match self.missing.as_slice() {
            [] => format!("no sentence answers closely enough (support {:.2} of {floor:.2})", self.support),
            missing => format!("no source speaks of: {}", missing.join(", ")),
        })
    }

    /// What the answer leaves open, if anything.
    pub(super) fn gap(&self) -> Option<String> {
        (!self.missing.is_empty()).then(|| format!("the sources do not mention: {}", self.missing.join(", ")))
    }
}
