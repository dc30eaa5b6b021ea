//! `techrag-index compact`: few segments, no dead slots.

use techrag_cli::{Cli, Outcome};
use techrag_index::Writer;

/// Merge the segments of a library and free what removed documents left
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  techrag-index compact --library lib")]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    Writer::open_existing(cli.library()?, &super::owner(cli, "compact"))?.compact()?;
    Ok(Outcome::Done)
}
