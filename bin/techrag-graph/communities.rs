//! `techrag-graph communities`: groups of papers and what they have in common.

use serde_json::json;
use techrag_cli::{Cli, Outcome, Record};
use techrag_graph::community::{communities, summary};
use techrag_graph::expand::chunks;
use techrag_index::Reader;

use crate::store::{StoreArgs, fatal};

/// List communities of papers with their terms and an extractive summary, a JSON object each
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  techrag-graph communities --library lib | jq -r '.terms | join(\", \")'")]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
}

/// Chunks of a paper that a summary may read: the abstract comes first.
const CHUNKS: usize = 2;

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let store = args.store.reading(cli)?;
    let reader = Reader::open(cli.library()?)?;
    let found = communities(store.as_ref()).map_err(fatal)?;
    cli.map(found.into_iter().zip(1_usize..), None, |(community, number)| {
        let chunks = chunks(store.as_ref(), &community.papers, CHUNKS, |_| true).map_err(fatal)?;
        let summary = summary(&reader, &chunks)?;
        let line = json!({
            "community": number, "terms": community.terms, "papers": community.papers, "summary": summary,
        });
        Ok(vec![Record::Other(line.to_string())])
    })
}
