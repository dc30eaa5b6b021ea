//! `techrag-eval`: figures from records, and whether they moved.

mod answers;
mod compare;
mod metrics;
mod regress;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Parser, Subcommand};
use techrag_cli::{Cli, Outcome};
use techrag_eval::judgements::Judgements;

/// Measure retrieval and answers against judgements
#[derive(Parser)]
#[command(
    name = "techrag-eval",
    after_help = "Examples:\n  \
        techrag-retrieve --library lib <queries.jsonl | techrag-eval metrics --qrels qrels.tsv\n  \
        techrag-eval compare before.jsonl after.jsonl --qrels qrels.tsv"
)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Metrics(metrics::Args),
    Answers(answers::Args),
    Compare(compare::Args),
    Regress(regress::Args),
}

fn run(args: Args, cli: &Cli) -> anyhow::Result<Outcome> {
    match args.command {
        Command::Metrics(args) => metrics::run(&args, cli),
        Command::Answers(args) => answers::run(&args, cli),
        Command::Compare(args) => compare::run(&args, cli),
        Command::Regress(args) => regress::run(&args, cli),
    }
}

/// Judgements from a file that must judge something.
fn judgements(path: &Path) -> anyhow::Result<Judgements> {
    let judgements = Judgements::parse(&text(path)?).with_context(|| format!("{} is no qrels", path.display()))?;
    anyhow::ensure!(!judgements.is_empty(), "{} judges nothing", path.display());
    Ok(judgements)
}

fn text(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn main() -> ExitCode {
    techrag_cli::main(run)
}
