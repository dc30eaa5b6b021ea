//! Source diversity: how many papers contribute?

use std::collections::BTreeMap;

use super::{Finding, share, specificity};
use crate::evidence::Evidence;

/// Papers wanted where two things are compared; one is enough for a single fact.
const COMPARED: f64 = 2.0;

pub(super) fn find(evidence: &Evidence<'_>) -> Finding {
    let mut papers: BTreeMap<&str, f64> = BTreeMap::new();
    for (hit, relevance) in evidence.weighed() {
        let best = papers.entry(hit.doc_id.as_str()).or_default();
        *best = best.max(relevance);
    }
    let expected: f64 = papers.values().sum();
    let wanted = if specificity::compares(evidence) { COMPARED } else { 1.0 };
    let inputs = [("papers", papers.len().into()), ("expected", share(expected)), ("wanted", share(wanted))];
    let why = format!(
        "{expected:.1} of {} papers are expected to be relevant (sum of each one's best probability), {wanted:.0} wanted",
        papers.len()
    );
    Finding::new(expected / wanted, inputs, why)
}
