//! `techrag-score`: is what was found enough to answer from?

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use clap::{Parser, ValueEnum};
use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Wanted};
use techrag_core::calibration::Model;
use techrag_core::record::Verdict;
use techrag_score::{Config, Thesaurus, assess, decide, explain, gate};

/// Score how sufficient the evidence is, and ask for a second look where it is not
///
/// Reads query records with `hits` and writes `evidence`: a score of 0 to 100 in five parts, each with its inputs and
/// why, and a verdict: STRONG from 80, MODERATE from 50, WEAK below. A WEAK query gets a `retry` with a reformulated
/// question; `techrag-retrieve --retry` serves it and `techrag-score --retry` decides on it. Only the content route is
/// scored. Exit code 1 if `--require` was asked for and some record falls short of it.
#[derive(Parser)]
#[command(
    name = "techrag-score",
    after_help = "Examples:\n  \
        techrag-retrieve --library lib <questions.jsonl | techrag-score --explain\n  \
        techrag-score <hits.jsonl | techrag-retrieve --library lib --retry | techrag-score --retry >scored.jsonl\n  \
        techrag-score --require MODERATE <hits.jsonl >scored.jsonl || echo 'not enough evidence'"
)]
struct Args {
    /// Decide on the retry: drift guard, second score, the higher one is kept
    #[arg(long)]
    retry: bool,
    /// Print a table for people instead of records
    #[arg(long)]
    explain: bool,
    /// Exit with 1 unless every scored record reaches this verdict
    #[arg(long, value_name = "VERDICT", ignore_case = true)]
    require: Option<Require>,
    /// Year from which recency is judged; without it, a question for recent work gets half of those points
    #[arg(long, value_name = "YEAR")]
    year: Option<i32>,
    /// Calibration of relevance [default: the one built in]
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
    /// Synonyms, abbreviations and modifiers for a second look [default: the list built in]
    #[arg(long, value_name = "FILE")]
    thesaurus: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Require {
    /// Enough to answer from the library
    #[value(name = "STRONG")]
    Strong,
    /// Enough to answer and enrich
    #[value(name = "MODERATE")]
    Moderate,
}

impl Args {
    fn least(&self) -> Option<Verdict> {
        self.require.map(|require| match require {
            Require::Strong => Verdict::Strong,
            Require::Moderate => Verdict::Moderate,
        })
    }

    fn model(&self) -> anyhow::Result<Model> {
        match &self.calibration {
            None => Ok(Model::shipped()?),
            Some(path) => Model::parse(&read(path)?).with_context(|| path.display().to_string()),
        }
    }

    fn words(&self) -> anyhow::Result<Thesaurus> {
        match &self.thesaurus {
            None => Ok(Thesaurus::shipped()?),
            Some(path) => Thesaurus::parse(&read(path)?).with_context(|| path.display().to_string()),
        }
    }
}

fn read(path: &PathBuf) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn run(args: Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let (model, thesaurus, by) = (args.model()?, args.words()?, cli.by());
    let config = Config { year: args.year, model: &model, thesaurus: &thesaurus, by: &by };
    let short = AtomicBool::new(false);
    let wanted = Wanted { kinds: &[Kind::Query], bare: Bare::Refused };
    let outcome = cli.each(wanted, |record| {
        let Record::Query(mut query) = record else { return Ok(vec![record]) };
        cli.timed(&mut query, |query| {
            if args.retry {
                decide(query, config);
            } else {
                // What is not scored says so in its trace.
                let _ = assess(query, config);
            }
        });
        if args.least().is_some_and(|least| gate(&query, least)) {
            short.store(true, Ordering::Relaxed);
        }
        let table = || Record::Other(explain::table(&query).trim_end().to_owned());
        Ok(vec![if args.explain { table() } else { Record::Query(query) }])
    })?;
    Ok(if short.into_inner() { outcome.and(Outcome::Refused) } else { outcome })
}

fn main() -> ExitCode {
    techrag_cli::main(run)
}
