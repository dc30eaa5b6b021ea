//! `techrag-eval compare`: two runs of the same queries side by side.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Wanted};
use techrag_core::codec::{Parsed, parse};
use techrag_eval::judgements::Judgements;
use techrag_eval::report::{Evaluation, Report, compare};

/// Compare two runs: means, 95 % interval of the difference, p of the paired permutation test
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-retrieve --library lib --mode bm25 <queries.jsonl >a.jsonl\n  \
    techrag-retrieve --library lib --mode hybrid <queries.jsonl >b.jsonl\n  \
    techrag-eval compare a.jsonl b.jsonl --qrels qrels.tsv")]
pub(crate) struct Args {
    /// First run: query records with hits
    a: PathBuf,
    /// Second run
    b: PathBuf,
    /// Judgements: TREC qrels, BEIR's TSV, or JSONL with query, document, page, span and grade
    #[arg(long, value_name = "FILE")]
    qrels: PathBuf,
    /// Depths to measure at
    #[arg(long, value_name = "K", value_delimiter = ',', default_value = "5,10,100")]
    cutoffs: Vec<NonZeroUsize>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let judgements = crate::judgements(&args.qrels)?;
    let (a, b) = (report(&args.a, &judgements, args)?, report(&args.b, &judgements, args)?);
    let rows = compare(&a, &b);
    let text = if args.json {
        let object: serde_json::Map<_, _> = rows.iter().map(|row| (row.name.clone(), row.json())).collect();
        format!("{}\n", serde_json::Value::from(object))
    } else {
        let heading = format!("{:13}  a       b       b - a    95 % interval       p\n", "");
        rows.iter().fold(heading, |table, row| table + &row.line() + "\n")
    };
    cli.print(&text)?;
    Ok(Outcome::Done)
}

fn report(path: &Path, judgements: &Judgements, args: &Args) -> anyhow::Result<Report> {
    let cutoffs: Vec<usize> = args.cutoffs.iter().map(|k| k.get()).collect();
    let mut evaluation = Evaluation::new(judgements, &cutoffs);
    let wanted = Wanted { kinds: &[Kind::Query], bare: Bare::Refused };
    for (index, line) in crate::text(path)?.lines().enumerate() {
        let parsed = parse(line, wanted).with_context(|| format!("{}:{}", path.display(), index + 1))?;
        if let Parsed::Record(Record::Query(query)) = parsed {
            evaluation.add(&query)?;
        }
    }
    Ok(evaluation.finish())
}
