//! Answer specificity: does a sentence hold the kind of thing that is asked for, about what is asked?

use techrag_core::record::Hit;

use super::{Finding, share};
use crate::evidence::{Evidence, Sentence};
use crate::want::Want;

/// Hits whose sentences are read.
const DEPTH: usize = 10;
/// What a sentence about the question is worth that does not hold the kind of thing asked for.
const UNSPECIFIC: f64 = 0.75;
/// Coverage from which a sentence is worth all the points: a good answer says half of a question in other words.
const FULL: f64 = 0.6;
/// Sentences that may share a question among them.
const TOGETHER: usize = 3;

pub(super) fn find(evidence: &Evidence<'_>) -> Finding {
    let sentences = evidence.sentences(DEPTH);
    let best = sentences.first().map_or(0.0, |sentence| sentence.coverage);
    let provides = |sentence: &&Sentence<'_>| {
        let text = evidence.text(sentence);
        evidence.wants.iter().all(|want| want.is_held_by(&text, &evidence.given))
    };
    let providing = sentences.iter().find(provides);
    let held = providing.map_or(0.0, |sentence| sentence.coverage);
    let together = together(evidence, &sentences);
    let wants = evidence.wants.iter().map(|want| want.name()).collect::<Vec<_>>().join(", ");
    let inputs = [
        ("wants", wants.clone().into()),
        ("providing", share(held)),
        ("sentence", share(best)),
        ("together", share(together)),
    ];
    let why = match providing {
        Some(sentence) => format!(
            "asked for a {wants}, a sentence of {} holds one and {:.0} % of the question's terms by weight",
            place(&evidence.hits[sentence.hit]),
            100.0 * held
        ),
        None => format!("asked for a {wants}, no sentence of the first {DEPTH} chunks holds one"),
    };
    Finding::new(held.max(UNSPECIFIC * best) / FULL, inputs, why)
}

/// What the best sentences hold of the question together.
fn together(evidence: &Evidence<'_>, sentences: &[Sentence<'_>]) -> f64 {
    let some = &sentences[..sentences.len().min(TOGETHER)];
    evidence.reading.coverage(|term| some.iter().map(|sentence| sentence.words.bag.holds(term)).fold(0.0, f64::max))
}

/// Where a hit stands, for people.
fn place(hit: &Hit) -> String {
    match hit.pages {
        Some([first, _]) => format!("{} (page {first})", hit.key),
        None => hit.key.clone(),
    }
}

/// Whether the question sets two things against each other.
pub(super) fn compares(evidence: &Evidence<'_>) -> bool {
    evidence.wants.contains(&Want::Comparison)
}
