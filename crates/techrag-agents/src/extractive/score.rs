//! How well a candidate answers: one linear rule.
//!
//! The weights were fitted by a listwise logistic loss (each judged sentence of the tuning half against all other
//! candidates of its question) with ridge penalty, and rounded. In eleven-fold cross-validation over that half the best
//! six sentences hold every gold fact of 39 of 44 questions. The weight of a definition was set afterwards.

use super::candidates::{Candidate, Features, Mark};
use super::{Scored, thread};

/// What a cosine is taken for where none was computed: a low one, since only the best candidates are compared.
const UNCOMPARED: f64 = 0.3;

fn score(features: &Features) -> f64 {
    4.3 * features.own + 5.8 * features.around + 2.4 * features.heading + 5.9 * features.meaning.unwrap_or(UNCOMPARED)
        - 0.1 * (1.0 + features.rank as f64).ln()
        + 2.0 * features.numbers
        + features.marks.iter().map(|mark| weight(*mark)).sum::<f64>()
}

fn weight(mark: Mark) -> f64 {
    match mark {
        Mark::Section => 3.0,
        Mark::Row => -0.2,
        Mark::Caption => -2.4,
        Mark::Number => 0.6,
        Mark::NoNumber => -0.9,
        Mark::Cause => 1.0,
        Mark::Listed => 2.1,
        Mark::Defines => 1.5,
    }
}

/// All candidates, best first; equals in the order they came: source, passage, place.
pub(super) fn ranked(candidates: &[Candidate]) -> Vec<Scored<'_>> {
    let mut scores: Vec<f64> = candidates.iter().map(|candidate| score(&candidate.features)).collect();
    thread::raise(candidates, &mut scores);
    let scored = |(at, (candidate, score))| Scored { at, candidate, score };
    let mut ranked: Vec<Scored<'_>> = candidates.iter().zip(scores).enumerate().map(scored).collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
    ranked
}

/// Indices of the best candidates.
pub(super) fn best(candidates: &[Candidate], most: usize) -> Vec<usize> {
    let mut order: Vec<(usize, f64)> =
        candidates.iter().enumerate().map(|(at, candidate)| (at, score(&candidate.features))).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    order.into_iter().take(most).map(|(at, _)| at).collect()
}
