//! `techrag-eval answers`: finished query records in, shares of right answers and right refusals out.

use std::path::PathBuf;

use anyhow::Context as _;
use techrag_cli::{Cli, Outcome};
use techrag_eval::answers::{Evaluation, groups, json, per_question, questions, table};

/// Measure answers: gold facts, citations, verified claims, refusals
///
/// Reads query records with `answer` and `checks`. Shares are over all questions, over each half and over each kind:
/// right (gold, cited and verified), gold (every gold fact said), cited (the right document and page, or the fact
/// quoted from that document), verified (all claims, of answers given), right_refusals (of the unanswerable),
/// false_refusals (of the answerable), missing (no answer record).
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    pipelines/ask.sh lib --records <questions.jsonl | techrag-eval answers --questions questions.jsonl --qrels qrels.jsonl")]
pub(crate) struct Args {
    /// Questions: JSONL with _id, kind, answerable, gold and half
    #[arg(long, value_name = "FILE")]
    questions: PathBuf,
    /// Judged passages: JSONL with query, document, page, span and grade
    #[arg(long, value_name = "FILE")]
    qrels: PathBuf,
    /// Print one JSON object
    #[arg(long, group = "form")]
    json: bool,
    /// Print one JSON object a question
    #[arg(long, group = "form")]
    per_question: bool,
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let judgements = crate::judgements(&args.qrels)?;
    let questions = questions(&crate::text(&args.questions)?, &judgements)
        .with_context(|| format!("cannot use {}", args.questions.display()))?;
    let mut evaluation = Evaluation::new(&questions, &judgements);
    let outcome = crate::metrics::queries(cli, |query| Ok(evaluation.add(query)?))?;
    let verdicts = evaluation.finish();
    let text = if args.json {
        format!("{}\n", json(&groups(&verdicts)))
    } else if args.per_question {
        verdicts.iter().map(|(question, verdict)| format!("{}\n", per_question(question, *verdict))).collect()
    } else {
        table(&groups(&verdicts))
    };
    cli.print(&text)?;
    Ok(outcome)
}
