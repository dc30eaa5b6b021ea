//! `techrag-index export`: a library as records again.

use techrag_cli::{Cli, Outcome};
use techrag_index::Export;

/// Write a library as records: documents, their chunks with vectors, and what of them failed
///
/// `techrag-index add` takes them back: into a new library, of whatever format that build writes, whose searches give
/// the same bytes. The way between machines and formats, and a copy that any tool can read.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-index export --library lib >lib.jsonl\n  \
    techrag-index export --library old | techrag-index add --library new")]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let export = Export::open(cli.library()?)?;
    let documents = export.documents()?;
    let total = documents.len() as u64;
    cli.map(documents.into_iter(), Some(total), |document| Ok(export.records(document)?))
}
