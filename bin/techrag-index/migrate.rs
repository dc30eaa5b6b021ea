//! `techrag-index migrate`: a library of an earlier format, brought to this one.

use techrag_cli::{Cli, Outcome};
use techrag_index::{FORMAT, Writer};

/// Bring a library of an earlier format to the one this build reads, in place
///
/// All of it or nothing: killed on the way, the library is as it was. Whatever writes to a library does the same first;
/// this is for libraries that are only read.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  techrag-index migrate --library lib")]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let writer = Writer::open_existing(cli.library()?, &super::owner(cli, "migrate"))?;
    match writer.migrated_from() {
        Some(before) => cli.note(&format!("brought from format {before} to {FORMAT}")),
        None => cli.note(&format!("has format {FORMAT} already")),
    }
    Ok(Outcome::Done)
}
