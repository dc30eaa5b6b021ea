//! What stands where no claim of a model's answer can be verified: the quotations of the extractive writer, which has
//! answered the same question from the same evidence before a model was asked.
//!
//! An answer without a verified claim is not printed (SPEC section 12), and a reader who is told "not found" of
//! something that the sources say is told wrong. Nothing is lost in silence: the answer says that it stands in another's
//! place and why (`answer.fallback`), the trace keeps the model's words with what the checks found, and `draft` stays as
//! it was written.

use serde_json::{Value, json};
use techrag_answer::check;
use techrag_core::record::{Answer, CheckResult, Checks, Source};

/// What stands in place of a model's answer none of whose claims is verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fallback {
    /// The extractive writer's answer.
    #[default]
    Extractive,
    /// Nothing: the model's answer stays in the record and is not printed.
    Nothing,
}

/// A model's answer that was put aside.
pub(super) struct Aside {
    /// Why, in a sentence.
    pub(super) why: String,
    /// What the trace keeps of it.
    pub(super) kept: Value,
}

/// The model's answer where a claim of it stands, where it refuses, or where nothing may stand in its place; else the
/// quotations, and what was put aside.
pub(super) fn chosen(
    answer: Answer,
    extract: &Answer,
    sources: &[Source],
    fallback: Fallback,
) -> (Answer, Option<Aside>) {
    if answer.abstained || fallback == Fallback::Nothing {
        return (answer, None);
    }
    let checks = check::of(&answer, sources);
    if checks.verified > 0 {
        return (answer, None);
    }
    let claims =
        if checks.total == 1 { "the one claim".to_owned() } else { format!("none of the {} claims", checks.total) };
    let verb = if checks.total == 1 { "cannot" } else { "can" };
    let why = format!("{claims} that {} wrote {verb} be verified; quotations of the sources stand instead", answer.by);
    let kept = json!({ "by": answer.by, "text": answer.text, "checks": findings(&checks) });
    let missing = answer.missing;
    (Answer { fallback: Some(why.clone()), missing, ..extract.clone() }, Some(Aside { why, kept }))
}

/// What the checks found, a line a claim.
fn findings(checks: &Checks) -> Vec<String> {
    let found = |result| match result {
        CheckResult::Verified => "verified",
        CheckResult::Partial => "partial",
        CheckResult::NotFound => "not found",
        CheckResult::WrongPage => "wrong page",
    };
    let line = |check: &techrag_core::record::Check| {
        format!("sentence {}, source {}: {}, {}", check.sentence + 1, check.source, found(check.result), check.detail)
    };
    checks.claims.iter().map(line).collect()
}
