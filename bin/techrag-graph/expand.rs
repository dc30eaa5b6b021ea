//! `techrag-graph expand`: the hits of a question, and what the graph leads to from them.

use std::sync::atomic::{AtomicBool, Ordering};

use techrag_cli::{Bare, Cli, Kind, Outcome, Record, Wanted};
use techrag_core::record::Query;
use techrag_graph::expand::{Config, Expander, Judge, Library, Models, Outcome as Served, Rerank};
use techrag_index::{Bm25, Condition, Idf};
use techrag_models::{Limits, Locator};

use crate::store::StoreArgs;

/// Name papers that share topics or methods with the hits, and bring chunks of them
///
/// Rare shared topics and methods count more. With --bring the chunks of abstract, introduction, method and results of
/// each near paper are weighed against the question, and those that pass join the hits, with origin GRAPH; it is off
/// because it changed nothing for the better on the collections measured (docs/GRAPH.md). Without a graph,
/// or where its server is down, the query passes with a note. Low effort is left alone.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    techrag-retrieve --library lib <questions.jsonl | techrag-graph expand --library lib --bring\n  \
    techrag-graph expand --library lib --where 'year>=2020' <hits.jsonl | jq '.graph.expansions[].shared'")]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// Weigh chunks of the near papers and let those that pass join the hits
    #[arg(long)]
    bring: bool,
    /// Serve the second pass: what asked for a retry, and what the score has raised to high effort
    #[arg(long)]
    retry: bool,
    /// Hits whose papers are started from
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = techrag_cli::range::whole::<usize>(0..=techrag_cli::range::MOST))]
    seeds: usize,
    /// Near papers whose chunks are weighed
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = techrag_cli::range::whole::<usize>(0..=techrag_cli::range::MOST))]
    papers: usize,
    /// Chunks of each that are weighed
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = techrag_cli::range::whole::<usize>(0..=techrag_cli::range::MOST))]
    chunks: usize,
    /// Most chunks that join the hits
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = techrag_cli::range::whole::<usize>(0..=techrag_cli::range::MOST))]
    most: usize,
    /// Least calibrated relevance of a chunk that joins, where no cross-encoder reads it
    #[arg(long, value_name = "P", default_value_t = 0.5, value_parser = techrag_cli::range::decimal::<f64>(0.0..=1.0))]
    least_relevance: f64,
    /// Least cross-encoder logit of a chunk that joins
    #[arg(long, value_name = "L", default_value_t = 0.0, allow_negative_numbers = true, value_parser = techrag_cli::range::decimal::<f32>(-1e6..=1e6))]
    least_logit: f32,
    /// Cross-encoder: auto (where its file is there and the hits were read by one), off, or a model
    #[arg(long, value_name = "MODEL", default_value = "auto")]
    rerank: String,
    /// Add only chunks that meet a condition, as techrag-retrieve has it
    #[arg(long = "where", value_name = "FIELD OP VALUE")]
    scope: Vec<Condition>,
}

/// The cross-encoder of the paper.
const CROSS_ENCODER: &str = "ms-marco-MiniLM-L-6-v2";

pub(crate) fn run(args: &Args, cli: &Cli) -> anyhow::Result<Outcome> {
    let supply = args.store.enriching(cli)?;
    let models = Models::new(Locator::new(cli.model_folders()), Limits { sessions: cli.jobs(), batch: 8 })?;
    let library = Library::open(cli.library()?, args.scope.clone())?;
    let expander = Expander::new(supply, library, models, args.config());
    let down = AtomicBool::new(false);
    let outcome = cli.each(Wanted { kinds: &[Kind::Query], bare: Bare::Refused }, |record| {
        let Record::Query(mut query) = record else { return Ok(vec![record]) };
        let serve = |query: &mut Query| if args.retry { expander.retry(query) } else { expander.expand(query) };
        if cli.timed(&mut query, serve)? == Served::Degraded {
            down.store(true, Ordering::Relaxed);
        }
        Ok(vec![Record::Query(query)])
    })?;
    Ok(super::degraded(outcome, &down))
}

impl Args {
    fn config(&self) -> Config {
        let rerank = match self.rerank.as_str() {
            "off" => Rerank::Off,
            "auto" => Rerank::IfThere(CROSS_ENCODER.into()),
            model => Rerank::By(model.into()),
        };
        let judge = Judge {
            rerank,
            least_logit: self.least_logit,
            least_relevance: self.least_relevance,
            // What techrag-retrieve does unless it is told otherwise.
            bm25: Bm25 { idf: Idf::Lucene, k1: 1.2, b: 0.75, weights: [2.0, 2.0, 1.0] },
        };
        Config {
            bring: self.bring,
            seeds: self.seeds,
            papers: self.papers,
            chunks: self.chunks,
            most: self.most,
            judge,
            scope: self.scope.clone(),
        }
    }
}
