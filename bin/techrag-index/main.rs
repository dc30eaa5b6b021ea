//! `techrag-index`: the library, from a stream of records to what a search reads.

mod add;
mod compact;
mod export;
mod hnsw;
mod migrate;
mod plan;
mod rebuild;
mod remove;
mod sql;
mod status;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use techrag_cli::{Cli, Outcome};

/// Keep a library of documents: add, remove, count, verify
#[derive(Parser)]
#[command(
    name = "techrag-index",
    after_help = "Examples:\n  \
        techrag-chunk papers/ | techrag-embed | techrag-index add --library lib\n  \
        techrag-index plan papers/ --library lib | techrag-chunk --root papers/\n  \
        techrag-index status --library lib --json\n  \
        techrag-index verify --library lib"
)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Add(add::Args),
    Plan(plan::Args),
    Status(status::Args),
    Verify(verify::Args),
    Remove(remove::Args),
    Sql(sql::Args),
    Compact(compact::Args),
    Rebuild(rebuild::Args),
    Hnsw(hnsw::Args),
    Migrate(migrate::Args),
    Export(export::Args),
}

fn run(args: Args, cli: &Cli) -> anyhow::Result<Outcome> {
    match args.command {
        Command::Add(args) => add::run(&args, cli),
        Command::Plan(args) => plan::run(&args, cli),
        Command::Status(args) => status::run(&args, cli),
        Command::Verify(args) => verify::run(&args, cli),
        Command::Remove(args) => remove::run(&args, cli),
        Command::Sql(args) => sql::run(&args, cli),
        Command::Compact(args) => compact::run(&args, cli),
        Command::Rebuild(args) => rebuild::run(&args, cli),
        Command::Hnsw(args) => hnsw::run(&args, cli),
        Command::Migrate(args) => migrate::run(&args, cli),
        Command::Export(args) => export::run(&args, cli),
    }
}

fn main() -> ExitCode {
    techrag_cli::main(run)
}

/// The owner a second writer hears of.
fn owner(cli: &Cli, command: &str) -> String {
    format!("{} {command}", cli.by())
}
