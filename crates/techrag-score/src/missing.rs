//! Concepts of the question that the evidence does not hold.

use techrag_core::lexical::Term;

use crate::evidence::Evidence;

/// Hits that count as the evidence: what a writer reads first.
const READ: usize = 5;
/// A term is held by a hit that has it, or at least this share of its parts.
const HELD: f64 = 0.5;

/// The question's content terms that none of the first hits holds, in the question's words and order.
pub(crate) fn missing(evidence: &Evidence<'_>) -> Vec<String> {
    let held = |term: &Term| evidence.reading.hits.iter().take(READ).any(|hit| hit.bag.holds(term) >= HELD);
    let lacking = evidence.reading.terms.iter().filter(|term| !held(term));
    lacking.map(|term| term.word.clone()).collect()
}
