//! The two passes over a query: score and ask again, then decide.

use serde_json::json;
use techrag_core::calibration::{DEPTH, Model, Reading};
use techrag_core::record::{self, Effort, Hit, Query, RouteName, TraceEntry, Verdict};

use crate::evidence::Evidence;
use crate::{Thesaurus, VERSION, missing, parts, retry, rubric};

/// How scoring is done.
#[derive(Clone, Copy, Debug)]
pub struct Config<'a> {
    /// The year from which recency is judged; without it, it is not.
    pub year: Option<i32>,
    /// The calibration of relevance.
    pub model: &'a Model,
    /// Synonyms, long forms and modifiers that a reformulation uses.
    pub thesaurus: &'a Thesaurus,
    /// Tool and version, as the evidence quotes it.
    pub by: &'a str,
}

/// Why a query carries no score. Such a query passes untouched but for its trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unscored {
    /// Its route does not ask for the library's content (SPEC section 1).
    Route,
    /// No retrieval stage has run.
    NoRetrieval,
}

/// First pass: writes `evidence`, calibrates hits that no stage has, raises the effort where the verdict is not
/// STRONG, and asks for a `retry` where it is WEAK.
pub fn assess(query: &mut Query, config: Config<'_>) -> Result<(), Unscored> {
    if let Err(unscored) = scorable(query) {
        trace(query, "score", note(unscored).to_owned(), json!({}));
        return Err(unscored);
    }
    let mut hits = query.hits.take().unwrap_or_default();
    calibrate(&query.question, &mut hits, config.model);
    let evidence = score(&query.question, &hits, config);
    query.hits = Some(hits);
    let raised = raise_effort(query, evidence.verdict);
    query.retry = (evidence.verdict == Verdict::Weak)
        .then(|| Box::new(retry::request(query, &evidence.missing, config.thesaurus)));
    let mut said = sentence(&evidence);
    if raised {
        said.push_str("; effort raised to high");
    }
    if let Some(retry) = &query.retry {
        said.push_str(&format!("; retry asked for: {}", retry.made));
    }
    trace(query, "score", said, details(&evidence));
    query.evidence = Some(evidence);
    Ok(())
}

/// Second pass: judges what the retry brought. A query that asked for none, or whose request no stage has served,
/// passes untouched but for its trace.
pub fn decide(query: &mut Query, config: Config<'_>) {
    let Some(mut asked) = query.retry.take() else { return };
    if let Some(hits) = asked.hits.as_mut().filter(|_| asked.accepted.is_none()) {
        calibrate(&query.question, hits, config.model);
        let evidence = score(&query.question, hits, config);
        retry::decide(query, &mut asked, evidence);
        let note = asked.reason.clone().unwrap_or_default();
        let details = json!({ "accepted": asked.accepted, "drift": asked.drift.as_ref().map(|drift| drift.share) });
        trace(query, "score --retry", note, details);
    } else if asked.accepted.is_none() {
        trace(query, "score --retry", "no stage has served the retry: left open".into(), json!({}));
    }
    query.retry = Some(asked);
}

/// Whether a query stands below what a gate asks for. A query that the score does not decide on is not gated.
pub fn gate(query: &Query, least: Verdict) -> bool {
    query.takes(RouteName::Content) && query.evidence.as_ref().is_none_or(|evidence| evidence.verdict < least)
}

fn scorable(query: &Query) -> Result<(), Unscored> {
    if !query.takes(RouteName::Content) {
        return Err(Unscored::Route);
    }
    if query.hits.is_none() { Err(Unscored::NoRetrieval) } else { Ok(()) }
}

fn note(unscored: Unscored) -> &'static str {
    match unscored {
        Unscored::Route => "not scored: the route does not ask for the library's content",
        Unscored::NoRetrieval => "not scored: no retrieval stage has run",
    }
}

/// Gives hits without a relevance theirs, so that every later stage reads the same one.
fn calibrate(question: &str, hits: &mut [Hit], model: &Model) {
    if hits.iter().take(DEPTH).any(|hit| hit.scores.relevance.is_none()) {
        model.annotate(&Reading::of(question, hits), hits);
    }
}

/// The score of some hits for a question.
fn score(question: &str, hits: &[Hit], config: Config<'_>) -> record::Evidence {
    let read = Evidence::read(question, hits, config.model);
    let parts = parts::all(&read, config.year);
    let retrieval = parts.first().map_or(0.0, |part| part.points);
    let damping = rubric::damping(retrieval);
    let others: f64 = parts.iter().skip(1).map(|part| part.points).sum();
    let score = parts::tenth(retrieval + damping * others);
    record::Evidence {
        score,
        verdict: rubric::verdict(score),
        parts,
        damping: parts::hundredth(damping),
        reviewer: "none".into(),
        missing: missing::missing(&read),
        version: format!("{VERSION}, {}", config.model.version),
        by: config.by.to_owned(),
        extra: Default::default(),
    }
}

/// SPEC section 1: the effort goes high when the first score is not STRONG, unless the caller fixed it.
fn raise_effort(query: &mut Query, verdict: Verdict) -> bool {
    let Some(route) = query.route.as_mut() else { return false };
    let raise = verdict != Verdict::Strong && route.effort == Effort::Low && !route.effort_fixed;
    if raise {
        route.effort = Effort::High;
        route.reason.push_str("; high effort: the first score is not STRONG");
    }
    raise
}

/// What follows where a reviewer lowered the verdict: the effort is raised, and in the first pass a WEAK one asks for a
/// retry.
pub(crate) fn lowered(query: &mut Query, first: bool, thesaurus: &Thesaurus) {
    let Some((verdict, missing)) = query.evidence.as_ref().map(|evidence| (evidence.verdict, evidence.missing.clone()))
    else {
        return;
    };
    raise_effort(query, verdict);
    if first && verdict == Verdict::Weak && query.retry.is_none() {
        query.retry = Some(Box::new(retry::request(query, &missing, thesaurus)));
    }
}

fn sentence(evidence: &record::Evidence) -> String {
    let name = match evidence.verdict {
        Verdict::Strong => "STRONG",
        Verdict::Moderate => "MODERATE",
        Verdict::Weak => "WEAK",
    };
    match evidence.missing.as_slice() {
        [] => format!("{} of 100, {name}", evidence.score),
        missing => format!("{} of 100, {name}; not found: {}", evidence.score, missing.join(", ")),
    }
}

fn details(evidence: &record::Evidence) -> serde_json::Value {
    let parts = evidence.parts.iter().map(|part| (part.name.clone(), part.points.into()));
    json!({ "points": parts.collect::<serde_json::Map<_, _>>(), "damping": evidence.damping })
}

fn trace(query: &mut Query, stage: &str, note: String, details: serde_json::Value) {
    query.trace.push(TraceEntry {
        stage: stage.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        note,
        details: details.as_object().cloned().unwrap_or_default(),
        ..TraceEntry::default()
    });
}

#[cfg(test)]
#[path = "stage_tests.rs"]
mod tests;
