//! `techrag-answer`: evidence and prompt, checks, and what a person reads.

mod assemble;
mod check;
#[path = "../llm/mod.rs"]
mod llm;
mod render;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use techrag_cli::{Cli, Outcome};

/// Assemble evidence, check citations, render answers
#[derive(Parser)]
#[command(
    name = "techrag-answer",
    after_help = "Examples:\n  \
        techrag-retrieve --library lib <q.jsonl | techrag-answer assemble | techrag-agents generate |\n    \
        techrag-answer check | techrag-answer render\n  \
        techrag-answer render --format markdown <answers.jsonl"
)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Assemble(assemble::Args),
    Check(check::Args),
    Render(render::Args),
}

fn run(args: Args, cli: &Cli) -> anyhow::Result<Outcome> {
    match args.command {
        Command::Assemble(args) => assemble::run(&args, cli),
        Command::Check(args) => check::run(&args, cli),
        Command::Render(args) => render::run(&args, cli),
    }
}

fn main() -> ExitCode {
    techrag_cli::main(run)
}
