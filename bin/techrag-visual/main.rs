//! `techrag-visual`: pages found by what stands on them, their figures cut out, their pictures kept.

mod budget;
mod crops;
mod index;
mod index_args;
mod look;
mod pdf;
mod render;
mod search;
mod verify;

use std::io::{self, BufReader};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use techrag_cli::{Cli, Outcome, Worker};
use techrag_pdf::worker;

/// Find pages by what stands on them, and show the figure that answers
///
/// The built-in page encoder reads a page's words and does not see; encoders that see are models of their own
/// (docs/VISUAL.md).
#[derive(Parser)]
#[command(
    name = "techrag-visual",
    after_help = "Examples:\n  \
        techrag-chunk papers/ | tee >(techrag-embed | techrag-index add --library lib) | techrag-visual index --library lib\n  \
        echo 'How does force saturate over slip?' | techrag-visual search --library lib | techrag-visual render --library lib\n  \
        techrag-visual crops --library lib --document brush-model-extensions.pdf --page 4\n  \
        techrag-visual verify --library lib"
)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Index(index::Args),
    Search(search::Args),
    Crops(crops::Args),
    Render(render::Args),
    Verify(verify::Args),
}

fn run(args: Args, cli: &Cli) -> anyhow::Result<Outcome> {
    match args.command {
        Command::Index(args) => index::run(&args, cli),
        Command::Search(args) => search::run(&args, cli),
        Command::Crops(args) => crops::run(&args, cli),
        Command::Render(args) => render::run(&args, cli),
        Command::Verify(args) => verify::run(&args, cli),
    }
}

fn main() -> ExitCode {
    // PDFs are read and drawn in processes of this same executable, so that what breaks them costs one page.
    let serve: fn(&mut dyn io::Read, &mut dyn io::Write) -> io::Result<()> =
        |input, output| worker::serve(BufReader::new(input), output);
    techrag_cli::main_with_worker(Worker { name: worker::ARGUMENT, serve }, run)
}

fn fatal(error: techrag_visual::Error) -> anyhow::Error {
    match error.hint().map(str::to_owned) {
        Some(hint) => techrag_cli::hint(error, hint),
        None => error.into(),
    }
}
