//! `techrag-index rebuild`: the segments again, from the catalog.

use techrag_cli::{Cli, Outcome};

/// Remake vectors and lexical index of a library from its catalog
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  techrag-index verify --library lib || techrag-index rebuild --library lib")]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let chunks = techrag_index::rebuild(cli.library()?, &super::owner(cli, "rebuild"))?;
    cli.note(&format!("{chunks} chunks indexed again"));
    Ok(Outcome::Done)
}
