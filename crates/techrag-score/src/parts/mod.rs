//! The formulas inside the rubric's parts ([`crate::VERSION`]). The paper names the parts and their weights; what is in
//! them is ours, tuned on the tuning half of the fixture questions, and each comes with its inputs.
//!
//! | part | formula |
//! |---|---|
//! | retrieval | 40 · min(1, (0.7 · best + 0.3 · mean of the best three relevances) / 0.45) |
//! | specificity | 25 · min(1, c / 0.6), c the coverage of the question by the best sentence of the first ten hits, times 0.75 where it does not hold the kind of thing asked for |
//! | diversity | 15 · min(1, expected number of relevant papers / papers wanted) |
//! | metadata | 10 · mean share of section, page and year known, hits weighed by relevance |
//! | fit | 10 · share of hits, weighed by relevance, of the place or the years that the question asks for; all of it where it asks for none |

mod diversity;
mod fit;
mod metadata;
mod retrieval;
mod specificity;

use serde_json::Value;
use techrag_core::record::{EvidencePart, Extra};

use crate::evidence::Evidence;
use crate::rubric::Part;

/// What a formula found: a share of the part's points, what it read, and why.
pub(crate) struct Finding {
    share: f64,
    inputs: Extra,
    why: String,
}

impl Finding {
    fn new<const N: usize>(share: f64, inputs: [(&str, Value); N], why: String) -> Self {
        let inputs = inputs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { share: share.clamp(0.0, 1.0), inputs, why }
    }
}

/// The parts of a query's evidence, in the rubric's order, before damping.
pub(crate) fn all(evidence: &Evidence<'_>, year: Option<i32>) -> Vec<EvidencePart> {
    Part::ALL.into_iter().map(|part| one(part, evidence, year)).collect()
}

fn one(part: Part, evidence: &Evidence<'_>, year: Option<i32>) -> EvidencePart {
    let found = match part {
        _ if evidence.hits.is_empty() => Finding::new(0.0, [], "nothing was found".into()),
        Part::Retrieval => retrieval::find(evidence),
        Part::Specificity => specificity::find(evidence),
        Part::Diversity => diversity::find(evidence),
        Part::Metadata => metadata::find(evidence),
        Part::Fit => fit::find(evidence, year),
    };
    EvidencePart {
        name: part.name().into(),
        max: part.max(),
        points: tenth(part.max() * found.share),
        inputs: found.inputs,
        why: found.why,
    }
}

/// Rounded to a tenth: points are read by people.
pub(crate) fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Rounded to a hundredth.
pub(crate) fn hundredth(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// A share as the wire has it, rounded to three decimals.
fn share(value: f64) -> Value {
    ((value * 1000.0).round() / 1000.0).into()
}
