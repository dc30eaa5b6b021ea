//! `techrag-answer check`: answers in, checked answers out; exit code 1 if some record abstained.

use std::sync::atomic::{AtomicBool, Ordering};

use techrag_answer::check;
use techrag_cli::{Bare, Cli, Outcome};

/// Check every citation of every answer, without a model
///
/// Reads query records with `answer` and `sources`, writes `checks` (verified, partial, not_found or wrong_page for
/// each citation), `answer.confidence` and `answer.medal`. Exit code 1 if some record abstained or has no verified
/// claim.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-answer check <answers.jsonl >checked.jsonl\n  \
    techrag-answer check <answers.jsonl | jq -c '.checks.claims[] | select(.result != \"verified\")'")]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let abstained = AtomicBool::new(false);
    let outcome = cli.queries(Bare::Refused, |query| {
        check::run(query);
        if check::abstained(query) {
            abstained.store(true, Ordering::Relaxed);
        }
    })?;
    Ok(if abstained.into_inner() { outcome.and(Outcome::Refused) } else { outcome })
}
