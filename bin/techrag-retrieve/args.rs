//! The flags of `techrag-retrieve` and their defaults.

use clap::Parser;
use techrag_index::Condition;

use crate::endpoint::Endpoint;
use crate::values::{FusionName, ModeName, share, weight};

/// Find the chunks that answer a question
///
/// Reads questions (a line of text, {"question": …}, a BEIR line {"_id", "text"} or a query record) and writes query
/// records with `hits`, best first, each with the scores and ranks every channel gave it. Reads `route.text_query` where
/// a route was written; a question for the current world only passes. Where the route's strategies hold sql, a question
/// that counts or lists gets `sql` too: one SELECT over the catalog, its rows and the documents they come from.
#[derive(Parser)]
#[command(
    name = "techrag-retrieve",
    after_help = "Examples:\n  \
        echo 'How does the brush model saturate?' | techrag-retrieve --library lib\n  \
        techrag-retrieve --library lib -k 100 --mode bm25 <queries.jsonl | techrag-eval metrics --qrels qrels.tsv\n  \
        techrag-agents route <questions.txt | techrag-retrieve --library lib --fusion rrf"
)]
pub(crate) struct Args {
    /// Which channels are asked; bm25 needs no model
    #[arg(long, value_name = "MODE", default_value = "hybrid")]
    pub(crate) mode: ModeName,
    /// How the lists of the two channels become one; the default is the best on the collections measured
    /// (docs/RETRIEVAL.md)
    #[arg(long, value_name = "FUSION", default_value = "zscore")]
    pub(crate) fusion: FusionName,
    /// Weight of the dense channel: against BM25's 1 for zscore [default: 1], its share of 1 for convex [default: 0.5]
    #[arg(long, value_name = "W", value_parser = weight)]
    pub(crate) dense_weight: Option<f64>,
    /// Constant that reciprocal rank fusion adds to each rank
    #[arg(long, value_name = "N", default_value_t = 60.0, value_parser = weight)]
    pub(crate) rrf_constant: f64,
    /// Most hits of a question
    #[arg(short, long, value_name = "N", default_value_t = 20, value_parser = techrag_cli::range::whole::<usize>(1..=techrag_cli::range::MOST))]
    pub(crate) k: usize,
    /// Chunks taken from each channel before they are fused (at least k)
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = techrag_cli::range::whole::<usize>(1..=techrag_cli::range::MOST))]
    pub(crate) candidates: usize,
    /// Search vectors by the graphs of `techrag-index hnsw`, approximately, keeping this many candidates during a walk
    /// [default: every vector is compared, exactly]
    #[arg(long, value_name = "BREADTH", value_parser = techrag_cli::range::whole::<usize>(1..=techrag_cli::range::MOST))]
    pub(crate) hnsw: Option<usize>,
    /// How rare words count: lucene (k1 1.2) or okapi, as rank_bm25 has it (k1 1.5)
    #[arg(long, value_name = "VARIANT", default_value = "lucene")]
    pub(crate) bm25: crate::settings::Bm25Name,
    /// BM25's k1 [default: by --bm25]
    #[arg(long, value_name = "K1", value_parser = weight)]
    pub(crate) k1: Option<f64>,
    /// BM25's b
    #[arg(long, value_name = "B", default_value_t = 0.75, value_parser = share)]
    pub(crate) b: f64,
    /// What a word in the title counts against one in the text
    #[arg(long, value_name = "W", default_value_t = 2.0, value_parser = weight)]
    pub(crate) title_weight: f64,
    /// What a word in the section's heading counts against one in the text
    #[arg(long, value_name = "W", default_value_t = 2.0, value_parser = weight)]
    pub(crate) section_weight: f64,
    /// What a chunk gains that holds all codes, numbers, units and acronyms of the question; 0 turns it off
    #[arg(long, value_name = "W", default_value_t = 0.0, value_parser = weight)]
    pub(crate) keyword_boost: f64,
    /// What a chunk gains that holds all adjacent word pairs of the question side by side; 0 turns it off
    #[arg(long, value_name = "W", default_value_t = 0.0, value_parser = weight)]
    pub(crate) phrase_boost: f64,
    /// What learned sparse vectors (techrag-embed --sparse) count in a hybrid search against BM25's 1; 0 leaves them out
    #[arg(long, value_name = "W", default_value_t = 0.0, value_parser = weight)]
    pub(crate) sparse_weight: f64,
    /// What late interaction over token vectors counts against the score so far, for the best --rerank-depth; 0 turns it
    /// off
    #[arg(long, value_name = "W", default_value_t = 0.0, value_parser = weight)]
    pub(crate) late_weight: f64,
    /// Most hits of one document before those of others [default: as many as there are]
    #[arg(long, value_name = "N", value_parser = techrag_cli::range::whole::<usize>(1..=techrag_cli::range::MOST))]
    pub(crate) per_paper: Option<usize>,
    /// Maximal marginal relevance: what a hit's own score counts, 0 to 1, against its likeness to the hits before it;
    /// where candidates are read again, it orders those alone [default: the score alone]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) mmr: Option<f64>,
    #[command(flatten)]
    pub(crate) endpoint: Endpoint,
    /// Rank only chunks that meet a condition, such as year>=2020, role=method|results, key^=reports/, series!=draft
    #[arg(long = "where", value_name = "FIELD OP VALUE")]
    pub(crate) scope: Vec<Condition>,
    /// Serve the second pass: search for retry.query where a retry was asked for, leave other queries alone
    #[arg(long)]
    pub(crate) retry: bool,
    /// Cross-encoder that reads the best candidates again: auto (where its file is there), off, or a model
    #[arg(long, value_name = "MODEL", default_value = "auto")]
    pub(crate) rerank: String,
    /// How many candidates it reads
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = techrag_cli::range::whole::<usize>(0..=techrag_cli::range::MOST))]
    pub(crate) rerank_depth: usize,
}
