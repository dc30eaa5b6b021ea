//! Confidence and medal of a checked answer (SPEC section 12).
//!
//! | medal | needs |
//! |---|---|
//! | gold | critic `pass` at once, evidence STRONG, every claim verified |
//! | silver | critic `pass`, evidence at least MODERATE, at least 80 % of claims verified, none on a wrong page or not found |
//! | bronze | a verified claim, whatever the evidence and the critic |
//! | none | abstained, no verified claim, or the critic says `missing_evidence` |
//!
//! Evidence from outside alone is bronze at most: abstracts and snippets, not the texts.
//!
//! The critic exists only with a language model; an answer without one counts as passed. A record
//! that was never scored (no `evidence`) gets bronze at most, and the reason says so.

use techrag_core::record::{Answer, CheckResult, Checks, CriticVerdict, Critique, Evidence, Medal, Source, Verdict};

/// What a claim that is only partly held counts.
const PARTIAL: f64 = 0.5;
/// What the evidence counts when the writer does not say how well it answers.
const UNKNOWN_SUPPORT: f64 = 0.5;

/// Share of claims that silver needs.
const SILVER: f64 = 0.8;

/// The medal and why.
pub(super) fn medal(
    answer: &Answer,
    checks: &Checks,
    evidence: Option<&Evidence>,
    critique: Option<&Critique>,
) -> (Medal, String) {
    if answer.abstained {
        return (Medal::None, "the answer is a refusal".into());
    }
    if checks.verified == 0 {
        return (Medal::None, "no claim is verified".into());
    }
    if critique.is_some_and(|critique| critique.verdict == CriticVerdict::MissingEvidence) {
        return (Medal::None, "the critic says that evidence is missing".into());
    }
    if critique.is_some_and(|critique| critique.issues_found) {
        return (Medal::Bronze, "the critic still found issues after the revision".into());
    }
    let Some(evidence) = evidence else {
        return (Medal::Bronze, "the evidence is not scored, so bronze is the most there is".into());
    };
    let share = f64::from(checks.verified) / f64::from(checks.total);
    let wrong =
        checks.claims.iter().any(|check| matches!(check.result, CheckResult::NotFound | CheckResult::WrongPage));
    match evidence.verdict {
        Verdict::Strong
            if checks.verified == checks.total && critique.is_none_or(|critique| critique.revisions == 0) =>
        {
            (Medal::Gold, "strong evidence, every claim verified".into())
        }
        Verdict::Weak => (Medal::Bronze, "the evidence is weak".into()),
        _ if share >= SILVER && !wrong => (Medal::Silver, "evidence and verified claims are enough for silver".into()),
        _ => (Medal::Bronze, "too few claims verified for silver, or a citation that does not stand".into()),
    }
}

/// The same, where every cited source stands outside the library: bronze at most.
pub(super) fn outside_only(medal: Medal, reason: String, answer: &Answer, sources: &[Source]) -> (Medal, String) {
    let cited = answer.sentences.iter().flat_map(|sentence| &sentence.citations);
    let mut cited = cited.filter_map(|citation| sources.iter().find(|source| source.n == citation.source)).peekable();
    if medal > Medal::Bronze && cited.peek().is_some() && cited.all(|source| !source.origin.is_library()) {
        return (Medal::Bronze, "it rests on what was found outside alone".into());
    }
    (medal, reason)
}

/// Share of claims verified (partly held ones count half) times the support of the evidence; 0 for a refusal.
pub(super) fn confidence(answer: &Answer, checks: &Checks) -> f64 {
    if answer.abstained || checks.total == 0 {
        return 0.0;
    }
    let partial = checks.claims.iter().filter(|check| check.result == CheckResult::Partial).count();
    let held = (f64::from(checks.verified) + PARTIAL * partial as f64) / f64::from(checks.total);
    let support = answer.support.filter(|support| support.is_finite()).unwrap_or(UNKNOWN_SUPPORT);
    // Four digits: more would pretend to a precision that no part of it has.
    (held * support.clamp(0.0, 1.0) * 1e4).round() / 1e4
}
