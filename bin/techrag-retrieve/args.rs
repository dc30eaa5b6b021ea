//! The flags of `techrag-retrieve` and their defaults.

use clap::{Parser, ValueEnum};
use techrag_cli::Cli;
use techrag_index::{Bm25, Idf};
use techrag_retrieve::{Config, Fusion, Mode, Rerank};

/// The cross-encoder of the paper.
const CROSS_ENCODER: &str = "ms-marco-MiniLM-L-6-v2";

/// Find the chunks that answer a question
///
/// Reads questions (a line of text, {"question": …}, a BEIR line {"_id", "text"} or a query record) and writes query
/// records with `hits`, best first, each with the scores and ranks every channel gave it. Reads `route.text_query` where
/// a route was written; a question for the current world only passes.
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
    mode: ModeName,
    /// How the lists of the two channels become one
    #[arg(long, value_name = "FUSION", default_value = "rrf")]
    fusion: FusionName,
    /// Weight of the dense channel: against BM25's 1 for zscore, its share of 1 for convex
    #[arg(long, value_name = "W")]
    dense_weight: Option<f64>,
    /// Constant that reciprocal rank fusion adds to each rank
    #[arg(long, value_name = "N", default_value_t = 60.0)]
    rrf_constant: f64,
    /// Most hits of a question
    #[arg(short, long, value_name = "N", default_value_t = 20)]
    k: usize,
    /// Chunks taken from each channel before they are fused (at least k)
    #[arg(long, value_name = "N", default_value_t = 100)]
    candidates: usize,
    /// How rare words count: lucene (k1 1.2) or okapi, as rank_bm25 has it (k1 1.5)
    #[arg(long, value_name = "VARIANT", default_value = "lucene")]
    bm25: Bm25Name,
    /// BM25's k1 [default: by --bm25]
    #[arg(long, value_name = "K1")]
    k1: Option<f64>,
    /// BM25's b
    #[arg(long, value_name = "B", default_value_t = 0.75)]
    b: f64,
    /// What a word in the title counts against one in the text
    #[arg(long, value_name = "W", default_value_t = 1.0)]
    title_weight: f64,
    /// What a word in the section's heading counts against one in the text
    #[arg(long, value_name = "W", default_value_t = 1.0)]
    section_weight: f64,
    /// Cross-encoder that reads the best candidates again: auto (where its file is there), off, or a model
    #[arg(long, value_name = "MODEL", default_value = "auto")]
    rerank: String,
    /// How many candidates it reads
    #[arg(long, value_name = "N", default_value_t = 30)]
    rerank_depth: usize,
}

#[derive(Clone, Copy, ValueEnum)]
enum ModeName {
    /// Vectors
    Dense,
    /// Words
    Bm25,
    /// Both
    Hybrid,
}

#[derive(Clone, Copy, ValueEnum)]
enum FusionName {
    /// Reciprocal rank fusion
    Rrf,
    /// Sum of z-scores
    Zscore,
    /// Weighted sum of scores scaled to 0…1
    Convex,
}

#[derive(Clone, Copy, ValueEnum)]
enum Bm25Name {
    /// Never negative
    Lucene,
    /// As rank_bm25's BM25Okapi
    Okapi,
}

impl Args {
    /// What the flags ask for.
    pub(crate) fn config(&self, cli: &Cli) -> Config {
        Config {
            mode: match self.mode {
                ModeName::Dense => Mode::Dense,
                ModeName::Bm25 => Mode::Bm25,
                ModeName::Hybrid => Mode::Hybrid,
            },
            fusion: match self.fusion {
                FusionName::Rrf => Fusion::Rrf { constant: self.rrf_constant },
                FusionName::Zscore => Fusion::ZScore { dense: self.dense_weight.unwrap_or(1.5) },
                FusionName::Convex => Fusion::Convex { dense: self.dense_weight.unwrap_or(0.5) },
            },
            k: self.k,
            candidates: self.candidates,
            bm25: self.lexical(),
            rerank: match self.rerank.as_str() {
                "off" => Rerank::Off,
                "auto" => Rerank::IfThere(CROSS_ENCODER.into()),
                model => Rerank::By(model.into()),
            },
            reranked: self.rerank_depth,
            version: cli.version().into(),
        }
    }

    fn lexical(&self) -> Bm25 {
        let (idf, k1) = match self.bm25 {
            Bm25Name::Lucene => (Idf::Lucene, 1.2),
            Bm25Name::Okapi => (Idf::Okapi, 1.5),
        };
        let weights = [self.title_weight, self.section_weight, 1.0];
        Bm25 { idf, k1: self.k1.unwrap_or(k1), b: self.b, weights }
    }
}
