//! `techrag-agents`: which way a question goes, and who writes its answer.

mod choices;
mod generate;
#[path = "../llm/mod.rs"]
mod llm;
mod route;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use techrag_cli::{Cli, Outcome};

/// Route questions and write their answers
#[derive(Parser)]
#[command(
    name = "techrag-agents",
    after_help = "Examples:\n  \
        echo 'Why is friction harder to estimate on snow?' | techrag-agents route\n  \
        techrag-answer assemble <hits.jsonl | techrag-agents generate >answers.jsonl"
)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Route(route::Args),
    Generate(generate::Args),
}

fn run(args: Args, cli: &Cli) -> anyhow::Result<Outcome> {
    match args.command {
        Command::Route(args) => route::run(&args, cli),
        Command::Generate(args) => generate::run(&args, cli),
    }
}

fn main() -> ExitCode {
    techrag_cli::main(run)
}
