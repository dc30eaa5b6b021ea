//! `techrag-index remove`: keys out.

use std::collections::BTreeSet;

use techrag_cli::{Cli, Outcome, Record};
use techrag_core::record::{ErrorKind, ErrorRecord};
use techrag_index::{Change, Writer};

/// Take keys out of a library; a document goes with its last key
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  techrag-index remove --library lib brush-model-extensions.pdf")]
pub(crate) struct Args {
    /// Keys, as hits and `techrag-index plan` show them
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<String>,
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let mut writer = Writer::open_existing(cli.library()?, &super::owner(cli, "remove"))?;
    let mut changes = Vec::new();
    let mut unknown: Vec<Record> = Vec::new();
    for key in args.keys.iter().collect::<BTreeSet<_>>() {
        if writer.content_of(key)?.is_some() {
            changes.push(Change::Remove { doc_id: None, key: key.clone() });
        } else {
            let error = ErrorRecord::new(key, cli.stage(), ErrorKind::Other, "the library has no such key");
            unknown.push(error.into());
        }
    }
    let tally = writer.commit(&changes, None)?;
    writer.tidy()?;
    let outcome = cli.map(unknown.into_iter(), None, |error| Ok(vec![error]))?;
    cli.note(&format!("{} keys removed, {} documents gone", changes.len(), tally.gone));
    Ok(outcome)
}
