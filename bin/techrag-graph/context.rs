//! `techrag-graph context`: what the graph knows of the papers of the hits.

use std::sync::atomic::{AtomicBool, Ordering};

use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Wanted};
use techrag_graph::context::{Config, Contexts};
use techrag_graph::expand::{Library, Outcome as Served};
use techrag_index::Condition;

use crate::store::StoreArgs;

/// Describe the papers of the hits: metadata, terms, citations, co-citing papers
///
/// A bibliographic question also gets the papers of the authors it names; a question about the library as a whole the
/// communities that `techrag-graph communities --keep` found. Without a graph, or where its server is down,
/// the query passes with a note. Low effort is left alone.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  techrag-graph context --library lib <hits.jsonl | jq .graph.context")]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// Hits whose papers are described
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = techrag_cli::range::whole::<usize>(0..=techrag_cli::range::MOST))]
    hits: usize,
    /// Most co-citing papers
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = techrag_cli::range::whole::<usize>(0..=techrag_cli::range::MOST))]
    co_citing: usize,
    /// Most papers of an author
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = techrag_cli::range::whole::<usize>(0..=techrag_cli::range::MOST))]
    of_author: usize,
    /// Most relations between terms, where the graph has them
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = techrag_cli::range::whole::<usize>(0..=techrag_cli::range::MOST))]
    relations: usize,
    /// Most communities, for a question about the library as a whole
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = techrag_cli::range::whole::<usize>(0..=techrag_cli::range::MOST))]
    communities: usize,
    /// Name only papers with a chunk that meets a condition, as techrag-retrieve has it
    #[arg(long = "where", value_name = "FIELD OP VALUE")]
    scope: Vec<Condition>,
}

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let supply = args.store.enriching(cli)?;
    let scoped = !args.scope.is_empty();
    let library = if scoped { Some(Library::open(cli.library()?, args.scope.clone())?) } else { None };
    let config = Config {
        hits: args.hits,
        co_citing: args.co_citing,
        of_author: args.of_author,
        relations: args.relations,
        communities: args.communities,
    };
    let contexts = Contexts::new(supply, library, config);
    let down = AtomicBool::new(false);
    let outcome = cli.each(Wanted { kinds: &[Kind::Query], bare: Bare::Refused }, |record| {
        let Record::Query(mut query) = record else { return Ok(vec![record]) };
        if cli.timed(&mut query, |query| contexts.describe(query))? == Served::Degraded {
            down.store(true, Ordering::Relaxed);
        }
        Ok(vec![Record::Query(query)])
    })?;
    Ok(super::degraded(outcome, &down))
}
