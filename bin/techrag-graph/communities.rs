//! `techrag-graph communities`: groups of papers and what they have in common.

use serde_json::json;
use techrag_cli::{Cli, Outcome, Record};
use techrag_graph::community::{Said, communities, summary};
use techrag_graph::expand::chunks;
use techrag_index::Reader;

use crate::store::{StoreArgs, fatal};

/// List communities of papers with their terms and an extractive summary, a JSON object each
///
/// With --keep they are kept beside the graph, in place of those kept before, for `techrag-graph context` to give to
/// questions about the library as a whole; nothing is listed then.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-graph communities --library lib | jq -r '.terms | join(\", \")'\n  \
    techrag-graph communities --library lib --keep")]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// Keep them beside the graph
    #[arg(long)]
    keep: bool,
}

/// Chunks of a paper that a summary may read: the abstract comes first.
const CHUNKS: usize = 2;

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let store = if args.keep { args.store.writing(cli, "communities")? } else { args.store.reading(cli)? };
    let mut found = communities(store.as_ref()).map_err(fatal)?;
    let reader = Reader::open(cli.library()?)?;
    for community in &mut found {
        let chunks = chunks(store.as_ref(), community.summarised(), CHUNKS, |_| true).map_err(fatal)?;
        community.summary = summary(&reader, &chunks)?;
    }
    if args.keep {
        store.keep_communities(&found).map_err(fatal)?;
        let papers: usize = found.iter().map(|community| community.papers.len()).sum();
        cli.note(&format!("{} communities of {papers} papers kept", found.len()));
        return Ok(Outcome::Done);
    }
    cli.map(found.into_iter().zip(1_usize..), None, |(community, number)| {
        let summary: Vec<String> = community.summary.into_iter().map(|Said { text, .. }| text).collect();
        let line = json!({
            "community": number, "terms": community.terms, "papers": community.papers, "summary": summary,
        });
        Ok(vec![Record::Other(line.to_string())])
    })
}
