//! `techrag-graph`: the knowledge graph, from a stream of chunks to what a question gets of it.

mod alias;
mod communities;
mod context;
mod expand;
mod export;
mod extract;
mod extract_args;
#[path = "../llm/mod.rs"]
mod llm;
mod load;
mod resolve;
mod show;
mod stats;
mod store;
mod validate;

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use clap::{Parser, Subcommand};
use techrag_cli::{Cli, Outcome};

/// Keep a graph of papers, authors, topics, methods, metrics, applications and citations, and ask it
#[derive(Parser)]
#[command(
    name = "techrag-graph",
    after_help = "Examples:\n  \
        techrag-chunk papers/ | techrag-graph extract | techrag-graph load --library lib\n  \
        techrag-graph show --library lib 'Kalman filter'\n  \
        techrag-retrieve --library lib <questions.jsonl | techrag-graph expand --library lib\n  \
        techrag-graph stats --store bolt://127.0.0.1:7687"
)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Extract(extract::Args),
    Validate(validate::Args),
    Load(load::Args),
    Resolve(resolve::Args),
    Stats(stats::Args),
    Show(show::Args),
    Expand(expand::Args),
    Context(context::Args),
    Export(export::Args),
    Alias(alias::Args),
    Communities(communities::Args),
}

fn run(args: Args, cli: &Cli) -> anyhow::Result<Outcome> {
    match args.command {
        Command::Extract(args) => extract::run(&args, cli),
        Command::Validate(args) => validate::run(&args, cli),
        Command::Load(args) => load::run(&args, cli),
        Command::Resolve(args) => resolve::run(&args, cli),
        Command::Stats(args) => stats::run(&args, cli),
        Command::Show(args) => show::run(&args, cli),
        Command::Expand(args) => expand::run(&args, cli),
        Command::Context(args) => context::run(&args, cli),
        Command::Alias(args) => alias::run(&args, cli),
        Command::Communities(args) => communities::run(&args, cli),
        Command::Export(args) => export::run(&args, cli),
    }
}

fn main() -> ExitCode {
    techrag_cli::main(run)
}

/// A server that was asked for by name and did not serve is told by the exit code, after every query was answered.
fn degraded(outcome: Outcome, down: &AtomicBool) -> Outcome {
    if down.load(std::sync::atomic::Ordering::Relaxed) { outcome.and(Outcome::Unreachable) } else { outcome }
}
