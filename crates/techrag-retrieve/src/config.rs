//! What a search is asked to do. No defaults here: they are the binary's.

use techrag_index::{Bm25, Condition};

use crate::fusion::Fusion;

/// What a search does.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Which channels are asked.
    pub mode: Mode,
    /// How their lists become one.
    pub fusion: Fusion,
    /// Hits a query gets at most.
    pub k: usize,
    /// Chunks taken from each channel, before fusion; `k` if that is more.
    pub candidates: usize,
    /// Candidates a walk of the library's HNSW graphs keeps; `None` searches vectors exactly.
    pub breadth: Option<usize>,
    /// Parameters of the lexical ranking.
    pub bm25: Bm25,
    /// What a chunk that holds all keywords of the question gains; 0 turns the boost off.
    pub keyword_boost: f64,
    /// What a chunk gains that holds all adjacent word pairs of the question side by side; 0 turns it off.
    pub phrase_boost: f64,
    /// Weight of learned sparse vectors against BM25's 1 in a hybrid search; 0 leaves them out.
    pub sparse: f64,
    /// Weight of late interaction over token vectors against the score so far; 0 turns it off.
    pub late: f64,
    /// Most hits of one document before those of others; `None` for as many as there are.
    pub per_paper: Option<usize>,
    /// Maximal marginal relevance: how much a hit's own score counts against its likeness to the hits before it, 0 to 1;
    /// `None` orders by the score alone.
    pub relevance_share: Option<f64>,
    /// Whether and by what the best candidates are read again.
    pub rerank: Rerank,
    /// How many of them.
    pub reranked: usize,
    /// Conditions a chunk must meet to be ranked at all.
    pub scope: Vec<Condition>,
    /// Version of the tool, for the trace.
    pub version: String,
}

/// Which channels are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Vectors only.
    Dense,
    /// Words only; no model is loaded.
    Bm25,
    /// Learned sparse vectors only.
    Sparse,
    /// Vectors and words, fused; learned sparse vectors too where they have a weight.
    Hybrid,
}

/// Whether the best candidates are read again by a cross-encoder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rerank {
    /// No.
    Off,
    /// By this model if its files are there; the trace says if not.
    IfThere(String),
    /// By this model; an error if its files are not there.
    By(String),
}

impl Config {
    /// Whether learned sparse vectors are asked.
    pub(crate) fn asks_sparse(&self) -> bool {
        self.mode == Mode::Sparse || (self.mode == Mode::Hybrid && self.sparse != 0.0)
    }
}

impl Mode {
    /// Whether vectors are asked.
    pub(crate) fn asks_dense(self) -> bool {
        matches!(self, Self::Dense | Self::Hybrid)
    }

    /// Whether words are asked.
    pub(crate) fn asks_words(self) -> bool {
        matches!(self, Self::Bm25 | Self::Hybrid)
    }

    /// As flags and traces write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Bm25 => "bm25",
            Self::Sparse => "sparse",
            Self::Hybrid => "hybrid",
        }
    }
}
