//! Metadata completeness: can the evidence be cited by section, page and year?

use techrag_core::record::Hit;

use super::{Finding, share};
use crate::evidence::Evidence;

pub(super) fn find(evidence: &Evidence<'_>) -> Finding {
    let all: f64 = evidence.relevance.iter().sum();
    let known = |has: fn(&Hit) -> bool| {
        let sum: f64 = evidence.weighed().filter(|(hit, _)| has(hit)).map(|(_, relevance)| relevance).sum();
        if all > 0.0 { sum / all } else { 0.0 }
    };
    let section = known(|hit| !hit.section.is_empty());
    let page = known(|hit| hit.pages.is_some());
    let year = known(|hit| hit.year.is_some());
    let inputs = [("section", share(section)), ("page", share(page)), ("year", share(year))];
    let why = format!(
        "of the relevant chunks {:.0} % have a section, {:.0} % a page, {:.0} % a year",
        100.0 * section,
        100.0 * page,
        100.0 * year
    );
    Finding::new((section + page + year) / 3.0, inputs, why)
}
