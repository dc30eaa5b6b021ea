//! Is there an answer at all? The relevance floor.
//!
//! Support is a logistic of seven figures, each with its reason:
//!
//! | figure | weight | reason |
//! |---|---|---|
//! | `best` | 0.5 | the score of the best candidate ([`super::score`]): somebody says something like it |
//! | `stands_out` | 0.3, from 0.6 on | how far the best stands out of all candidates, in standard deviations from their mean, less √(2 ln n), what the best of n normal draws has: where many sentences are alike near, as on a topic whose papers do not say the thing, none answers |
//! | `absent` | −5 | the share of the question's terms, weighed by rarity, that no passage holds: nobody speaks of part of it |
//! | `subjects` | −2 each, two at most | things the question names (general English, verbs and adjectives aside) that no passage holds: a question about nitrogen is not answered by sources that never name it |
//! | `unread` | −3 | the share that passages hold, but none that is quoted: the parts of the question meet in no place |
//! | `numbers` | −4.5 each, two at most | numbers the question gives as conditions that no quotation has with their units ([`super::conditions`]), of the best sentence's paper or one that is best for a part of the question: at another pressure is another question, and 6 kN in a paper on something else is no condition of this one |
//! | `uncounted` | −2.5 | `how many surgeons` is asked, and no passage of the best source has a number beside that word; or a number in hours or metres, and no quotation has one of that kind |
//!
//! Below the floor the answer is "Not found in the provided sources." The weights are round numbers that separate the
//! tuning half of `fixtures/questions` (44 questions with an answer, 13 without), looked at again on `fixtures/answers` (149
//! and 70). The testing half was measured, never read. The weight of `stands_out` was set on both tuning halves and
//! `fixtures/answers` (239 and 97): 84 of the 97 are refused with it and 79 without, 10 and 9 of the 239 by mistake; from
//! 0.5 to 0.7 does the same.

use techrag_core::lexical::{self, Bag, Idf, Term};
use techrag_core::quantity::Quantity;
use techrag_core::record::{Passage, Source};
use techrag_core::text;

use super::candidates::Candidate;
use super::question::Question;
use super::{Cosines, Scored, conditions, count};

/// The default floor.
pub(super) const DEFAULT: f64 = 0.5;

/// What speaks for an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Evidence {
    /// How well the evidence answers, 0 to 1.
    pub(super) support: f64,
    best: f64,
    stands_out: f64,
    absent: f64,
    unread: f64,
    numbers: usize,
    uncounted: bool,
    /// Things the question names, as it wrote them, that no passage holds, each with its share of the question.
    missing: Vec<(String, f64)>,
    terms: usize,
    candidates: usize,
}

/// Weighs the evidence for an answer made of `chosen`, out of `ranked` candidates, best first.
pub(super) fn evidence(
    asked: &Question,
    sources: &[Source],
    ranked: &[Scored<'_>],
    chosen: &[&Candidate],
    seats: &[usize],
) -> Evidence {
    // The papers that answer: the best sentence's, and those that are best for a part of the question.
    let seated = ranked.iter().filter(|scored| seats.contains(&scored.at));
    let trusted: Vec<usize> = ranked.iter().take(1).chain(seated).map(|scored| scored.candidate.source).collect();
    let is_trusted = |candidate: &Candidate| trusted.contains(&candidate.source);
    let everything =
        words(sources.iter().flat_map(|source| source.passages.iter().map(move |passage| (source, passage))));
    let read = chosen.iter().map(|candidate| {
        let source = &sources[candidate.source];
        (source, &source.passages[candidate.passage])
    });
    let read = words(read);
    let idf = Idf::of(ranked.iter().map(|scored| &scored.candidate.words));
    // What happens may be said in other words: half of such a word counts as held.
    let held = |term: &Term, bag: &Bag| stands(term, bag).max(if term.subject { 0.0 } else { SAID_OTHERWISE });
    let share = |bag: &Bag| lexical::coverage(&asked.terms, &idf, |term| held(term, bag));
    let quoted: Vec<String> = chosen
        .iter()
        .map(|candidate| candidate.unit.with_context(&sources[candidate.source].passages[candidate.passage].text))
        .collect();
    let is_met = |condition: &Quantity| {
        let bare = condition.value.trim_start_matches('-');
        chosen.iter().zip(&quoted).filter(|(candidate, _)| is_trusted(candidate)).any(|(candidate, text)| {
            conditions::holds(&candidate.unit, &sources[candidate.source].passages[candidate.passage].text, condition)
                || count::in_name(text, bare)
        })
    };
    let all: f64 = asked.terms.iter().map(|term| idf.weight(term)).sum();
    let unmeasured = asked.dimension.is_some_and(|wanted| {
        !chosen.iter().any(|candidate| {
            let passage = &sources[candidate.source].passages[candidate.passage].text;
            conditions::measures(&candidate.unit, passage, wanted)
        })
    });
    let missing = asked.terms.iter().filter(|term| term.subject && stands(term, &everything) == 0.0);
    let mut evidence = Evidence {
        support: 0.0,
        best: ranked.first().map_or(0.0, |scored| scored.score),
        stands_out: stands_out(ranked),
        absent: 1.0 - share(&everything),
        unread: share(&everything) - share(&read),
        numbers: asked.conditions.iter().filter(|condition| !is_met(condition)).count(),
        uncounted: unmeasured
            || asked.counted.as_ref().is_some_and(|thing| {
                let best = ranked.first().map(|scored| &sources[scored.candidate.source]);
                best.is_some_and(|source| {
                    !source.passages.iter().any(|passage| count::is_counted(&passage.text, thing))
                })
            }),
        missing: missing.map(|term| (term.word.clone(), idf.weight(term) / all)).collect(),
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

/// Standard deviations by which the best score lies above the mean of all, less what the best of as many normal draws is
/// expected to have at most, √(2 ln n). 0 where all are equal.
fn stands_out(ranked: &[Scored<'_>]) -> f64 {
    let Some(best) = ranked.first() else { return 0.0 };
    let count = ranked.len() as f64;
    let mean = ranked.iter().map(|scored| scored.score).sum::<f64>() / count;
    let deviation = (ranked.iter().map(|scored| (scored.score - mean).powi(2)).sum::<f64>() / count).sqrt();
    if deviation > 0.0 { (best.score - mean) / deviation - (2.0 * count.ln()).sqrt() } else { 0.0 }
}

fn stands(term: &Term, bag: &Bag) -> f64 {
    if bag.has_kin(&term.text) { 1.0 } else { bag.holds(term) }
}

/// What a verb or an adjective that no passage holds counts as held.
const SAID_OTHERWISE: f64 = 0.5;

/// More missing subjects, or numbers, than this say nothing more.
const MOST: usize = 2;

fn support(evidence: &Evidence) -> f64 {
    if evidence.candidates == 0 || evidence.terms == 0 {
        return 0.0;
    }
    let subjects = evidence.missing.len().min(MOST) as f64;
    let numbers = evidence.numbers.min(MOST) as f64;
    let z = 0.5 * evidence.best + 0.3 * (evidence.stands_out - 0.6)
        - 5.0 * evidence.absent
        - 2.0 * subjects
        - 3.0 * evidence.unread
        - 4.5 * numbers
        - 2.7
        - if evidence.uncounted { 2.5 } else { 0.0 };
    1.0 / (1.0 + (-z).exp())
}

/// What of a missing word's share is taken back: a near synonym is not the word itself.
const HALF: f64 = 0.5;

/// Cosine of two words from which one stands for the other.
const SYNONYMS: f32 = 0.58;

impl Evidence {
    /// Takes back what a missing word cost where the quoted sentences have a word that means much the same.
    pub(super) fn excuse_synonyms(&mut self, chosen: &[&Candidate], cosines: &Cosines<'_>) {
        let mut words: Vec<&str> = chosen
            .iter()
            .flat_map(|candidate| candidate.in_context.split(|c: char| !c.is_alphabetic()))
            .filter(|word| word.chars().count() > 2 && !lexical::is_scaffold(&text::fold(word)))
            .collect();
        words.sort_unstable();
        words.dedup();
        let absent = &mut self.absent;
        self.missing.retain(|(word, share)| {
            let near = cosines(word, &words).is_ok_and(|values| values.iter().any(|value| *value >= SYNONYMS));
            if near {
                *absent = (*absent - HALF * *share).max(0.0);
            }
            !near
        });
        self.support = support(self);
    }

    /// The figures, by name, for the trace.
    pub(super) fn figures(&self) -> [(&'static str, f64); 8] {
        let subjects = self.missing.len() as f64;
        [
            ("support", self.support),
            ("best", self.best),
            ("stands_out", self.stands_out),
            ("absent", self.absent),
            ("unread", self.unread),
            ("subjects", subjects),
            ("numbers", self.numbers as f64),
            ("uncounted", if self.uncounted { 1.0 } else { 0.0 }),
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
            _ => format!("no source speaks of: {}", self.missing_words()),
        })
    }

    /// What the answer leaves open, if anything.
    pub(super) fn gap(&self) -> Option<String> {
        (!self.missing.is_empty()).then(|| format!("the sources do not mention: {}", self.missing_words()))
    }

    fn missing_words(&self) -> String {
        self.missing.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>().join(", ")
    }
}
