//! `techrag-eval metrics`: queries with hits in, retrieval measures out.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Wanted};
use techrag_core::record::Query;
use techrag_eval::judgements::Judgements;
use techrag_eval::report::{Evaluation, Report};
use techrag_eval::run::{ranked, trec_run};

/// Measure retrieval: nDCG, P, R, MRR and MAP as trec_eval computes them
///
/// Reads query records with hits. A document counts once, by its best hit; every judged query counts, one that is
/// missing from the input as 0. Judgements with page and span are measured by passage too. Each mean has a 95 %
/// bootstrap interval.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-retrieve --library lib -k 100 <queries.jsonl | techrag-eval metrics --qrels qrels.tsv\n  \
    techrag-eval metrics --qrels qrels.tsv --json <run.jsonl | jq '.\"ndcg@10\"'\n  \
    techrag-eval metrics --trec-run <run.jsonl >run.txt")]
pub(crate) struct Args {
    /// Judgements: TREC qrels, BEIR's TSV, or JSONL with query, document, page, span and grade
    #[arg(long, value_name = "FILE", required_unless_present = "trec_run")]
    qrels: Option<PathBuf>,
    /// Depths to measure at
    #[arg(long, value_name = "K", value_delimiter = ',', default_value = "5,10,100")]
    cutoffs: Vec<NonZeroUsize>,
    /// Print one JSON object
    #[arg(long, group = "form")]
    json: bool,
    /// Print one JSON object a query
    #[arg(long, group = "form")]
    per_query: bool,
    /// Print the run in TREC's six columns instead of measuring it; blanks in a document's name become underscores
    #[arg(long, group = "form", conflicts_with = "qrels")]
    trec_run: bool,
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    match &args.qrels {
        Some(path) => measure(args, &crate::judgements(path)?, cli),
        None => export(cli),
    }
}

/// Calls `step` with every query record of stdin.
pub(crate) fn queries(cli: &Cli, mut step: impl FnMut(&Query) -> anyhow::Result<()>) -> anyhow::Result<Outcome> {
    let wanted = Wanted { kinds: &[Kind::Query], bare: Bare::Refused };
    cli.consume(wanted, |record| match record {
        Record::Query(query) => step(&query),
        _ => Ok(()),
    })
}

fn measure(args: &Args, judgements: &Judgements, cli: &Cli) -> anyhow::Result<Outcome> {
    let cutoffs: Vec<usize> = args.cutoffs.iter().map(|k| k.get()).collect();
    let mut evaluation = Evaluation::new(judgements, &cutoffs);
    let outcome = queries(cli, |query| Ok(evaluation.add(query)?))?;
    cli.print(&text(args, &evaluation.finish()))?;
    Ok(outcome)
}

fn text(args: &Args, report: &Report) -> String {
    if args.json {
        format!("{}\n", report.json())
    } else if args.per_query {
        report.per_query().map(|row| format!("{row}\n")).collect()
    } else {
        report.table()
    }
}

fn export(cli: &Cli) -> anyhow::Result<Outcome> {
    let mut lines = String::new();
    let outcome = queries(cli, |query| {
        lines.push_str(&trec_run(&ranked(query), "techrag"));
        Ok(())
    })?;
    cli.print(&lines)?;
    Ok(outcome)
}
