//! Retrieval confidence: are the top chunks relevant?

use super::{Finding, share};
use crate::evidence::Evidence;

/// How much the best hit counts against the mean of the best three.
const BEST: f64 = 0.7;
/// Confidence from which the part gives all its points. Without a cross-encoder a calibrated relevance seldom comes
/// near 1; of the tuning questions a third reach this, and no unanswerable one does.
const FULL: f64 = 0.45;

pub(super) fn find(evidence: &Evidence<'_>) -> Finding {
    let ranked = evidence.ranked();
    let best = ranked.first().copied().unwrap_or_default();
    let three = ranked.iter().take(3).sum::<f64>() / 3.0;
    let first = evidence.relevance.first().copied().unwrap_or_default();
    let confidence = BEST * best + (1.0 - BEST) * three;
    let inputs = [
        ("best", share(best)),
        ("mean_of_three", share(three)),
        ("first", share(first)),
        ("confidence", share(confidence)),
        ("relevance", evidence.by.clone().into()),
    ];
    let why = format!(
        "the best chunk is relevant with probability {best:.2}, the best three with {three:.2} on average ({})",
        evidence.by
    );
    Finding::new(confidence / FULL, inputs, why)
}
