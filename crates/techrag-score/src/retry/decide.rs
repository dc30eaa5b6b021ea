//! The decision: drift guard, then the higher score.

use techrag_core::calibration::Reading;
use techrag_core::record::{Before, Drift, Evidence, Hit, Query, Retry};

/// Least share of the question's content terms that the new hits must hold (the paper's section 5.8).
const DRIFT: f64 = 0.3;
/// A term is held by a hit that has it, or at least this share of its parts.
const HELD: f64 = 0.5;

/// Writes `drift`, `accepted` and `reason`; swaps hits and evidence where the retry is accepted.
pub(crate) fn decide(query: &mut Query, retry: &mut Retry, evidence: Evidence) {
    let hits = retry.hits.take().unwrap_or_default();
    let drift = drift(&query.question, &hits);
    let (accepted, reason) = verdict(&drift, query.evidence.as_ref(), &evidence);
    retry.accepted = Some(accepted);
    retry.reason = Some(reason);
    retry.drift = Some(drift);
    if accepted {
        // Pages move with the hits where the second pass looked for pages; else the first ones stay.
        let visual = retry.visual.take().and_then(|pages| query.visual.replace(pages));
        retry.before = query.hits.replace(hits).zip(query.evidence.replace(evidence)).map(|(hits, evidence)| Before {
            hits,
            visual,
            evidence,
        });
    } else {
        retry.hits = Some(hits);
        retry.evidence = Some(evidence);
    }
}

/// How much of the question the new hits still speak of. A question without content terms cannot drift.
fn drift(question: &str, hits: &[Hit]) -> Drift {
    let reading = Reading::of(question, hits);
    let held = |term: &&_| reading.hits.iter().any(|hit| hit.bag.holds(term) >= HELD);
    let covered: Vec<String> = reading.terms.iter().filter(held).map(|term| term.word.clone()).collect();
    let share = if reading.terms.is_empty() { 1.0 } else { covered.len() as f64 / reading.terms.len() as f64 };
    Drift { covered, share: crate::parts::hundredth(share), threshold: DRIFT }
}

fn verdict(drift: &Drift, first: Option<&Evidence>, second: &Evidence) -> (bool, String) {
    let before = first.map_or(0.0, |evidence| evidence.score);
    if drift.share < DRIFT {
        let found = 100.0 * drift.share;
        return (false, format!("drifted: the new hits hold {found:.0} % of the question's terms, 30 % are needed"));
    }
    if second.score > before {
        return (true, format!("accepted: {} after {before}", second.score));
    }
    (false, format!("rejected: {} is not higher than {before}", second.score))
}
