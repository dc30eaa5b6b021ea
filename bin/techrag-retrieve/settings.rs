//! From flags to what a search does.

use clap::ValueEnum;
use techrag_cli::Cli;
use techrag_index::{Bm25, Idf};
use techrag_retrieve::{Config, Fusion, Mode, Rerank};

use crate::args::Args;
use crate::values::{FusionName, ModeName};

/// The cross-encoder of the paper.
const CROSS_ENCODER: &str = "ms-marco-MiniLM-L-6-v2";

impl Args {
    /// What the flags ask for.
    ///
    /// # Errors
    /// If the dense channel's share of a convex sum is more than the whole.
    pub(crate) fn config(&self, cli: &Cli) -> anyhow::Result<Config> {
        if let (FusionName::Convex, Some(share)) = (self.fusion, self.dense_weight)
            && share > 1.0
        {
            anyhow::bail!("--dense-weight {share} is no share: of a convex sum it is 0 to 1");
        }
        Ok(Config {
            mode: match self.mode {
                ModeName::Dense => Mode::Dense,
                ModeName::Bm25 => Mode::Bm25,
                ModeName::Sparse => Mode::Sparse,
                ModeName::Hybrid => Mode::Hybrid,
            },
            fusion: match self.fusion {
                FusionName::Rrf => Fusion::Rrf { constant: self.rrf_constant },
                FusionName::Zscore => Fusion::ZScore { dense: self.dense_weight.unwrap_or(1.0) },
                FusionName::Convex => Fusion::Convex { dense: self.dense_weight.unwrap_or(0.5) },
            },
            k: self.k,
            candidates: self.candidates,
            breadth: self.hnsw,
            bm25: self.lexical(),
            keyword_boost: self.keyword_boost,
            phrase_boost: self.phrase_boost,
            sparse: self.sparse_weight,
            late: self.late_weight,
            per_paper: self.per_paper,
            relevance_share: self.mmr,
            rerank: match self.rerank.as_str() {
                "off" => Rerank::Off,
                "auto" => Rerank::IfThere(CROSS_ENCODER.into()),
                model => Rerank::By(model.into()),
            },
            reranked: self.rerank_depth,
            scope: self.scope.clone(),
            version: cli.version().into(),
        })
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

/// How rare words count.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Bm25Name {
    /// Never negative
    Lucene,
    /// As rank_bm25's BM25Okapi
    Okapi,
}
