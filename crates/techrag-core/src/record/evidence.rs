//! `evidence` and `retry`: whether what was found is enough, and the second look where it is not (SPEC section 8).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Extra, Graph, Hit, PageHit};

/// How sufficient the retrieved evidence is, written by `techrag-score`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// 0 to 100: the first part's points, and those of the others times `damping`.
    pub score: f64,
    /// What the score means. A reviewer may have lowered it; see `reviewer`.
    pub verdict: Verdict,
    /// The parts of the rubric, in its order.
    pub parts: Vec<EvidencePart>,
    /// What the parts after the first are multiplied by, 0.2 to 1.
    pub damping: f64,
    /// Who looked at the verdict after the rules: `none`, or a model. A reviewer only lowers.
    pub reviewer: String,
    /// Concepts of the question that the evidence does not hold, in the question's words.
    #[serde(default)]
    pub missing: Vec<String>,
    /// Version of the formulas inside the parts.
    pub version: String,
    /// Who wrote it: tool and version.
    pub by: String,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// One part of the rubric, with all that is needed to argue with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvidencePart {
    /// `retrieval`, `specificity`, `diversity`, `metadata` or `fit`.
    pub name: String,
    /// The most it can give.
    pub max: f64,
    /// What it gave, before damping.
    pub points: f64,
    /// What the formula read.
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub inputs: Extra,
    /// Why, in a sentence.
    pub why: String,
}

/// What a score means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// Below 50: look again, then outside.
    #[default]
    Weak,
    /// 50 to below 80: answer from the library and enrich.
    Moderate,
    /// 80 and more: answer from the library.
    Strong,
}

/// A second look: asked for by `techrag-score`, filled by the `--retry` stages, decided by `techrag-score --retry`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Retry {
    /// Concepts the first evidence lacked.
    pub missing: Vec<String>,
    /// What the second pass of retrieval reads.
    pub query: String,
    /// How the query was made.
    #[serde(default)]
    pub made: String,
    /// What the second pass found, written by `techrag-retrieve --retry`. When accepted, it moves to the query's
    /// `hits`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hits: Option<Vec<Hit>>,
    /// What the graph added to them, written by `techrag-graph expand --retry`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<Box<Graph>>,
    /// The pages the second pass found, written by `techrag-visual --retry`; they move as the hits do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visual: Option<Vec<PageHit>>,
    /// The score of what it found; moves to the query's `evidence` when accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// Whether what it found still speaks of the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<Drift>,
    /// Whether it replaced the first; absent until decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<bool>,
    /// Why it was accepted or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The first hits and evidence, once replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Before>,
    /// Unknown fields, and those of other `--retry` stages.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The drift guard's finding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Drift {
    /// The question's content terms that the new hits hold, in the question's words.
    pub covered: Vec<String>,
    /// Their share of all content terms, 0 to 1.
    pub share: f64,
    /// The least share that is not drift.
    pub threshold: f64,
}

/// What a retry replaced.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Before {
    /// The first hits.
    pub hits: Vec<Hit>,
    /// The first pages, where the retry found others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visual: Option<Vec<PageHit>>,
    /// Their evidence.
    pub evidence: Evidence,
}
