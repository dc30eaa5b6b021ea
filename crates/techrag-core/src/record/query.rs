//! `query`: a question on its way to an answer. Each stage writes its own keys and appends to `trace`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Answer, CatalogAnswer, Checks, Critique, Draft, Evidence, EvidenceMap, External, Extra, Graph, Outline, PageHit,
    Prompt, Retry, Role, Source, Span, Verification,
};

/// A question and all that the stages so far have found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Query {
    /// The caller's own name for the question (BEIR's `_id`); judgements name queries by it.
    #[serde(default, rename = "_id", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// First 16 hex digits of the SHA-256 of the question.
    #[serde(default)]
    pub query_id: String,
    /// The user's own words.
    pub question: String,
    /// What to do with it, written by `techrag-agents route`. Absent means the content route.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<Route>,
    /// Ranked chunks, best first, written by `techrag-retrieve`. Absent until a retrieval stage ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hits: Option<Vec<Hit>>,
    /// What the catalog says to a question that counts or lists, written by `techrag-retrieve` where the route's
    /// strategies hold `sql` and a template fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql: Option<Box<CatalogAnswer>>,
    /// What the knowledge graph added, written by `techrag-graph`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<Box<Graph>>,
    /// Ranked pages, best first, written by `techrag-visual search`. Absent until page retrieval ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visual: Option<Vec<PageHit>>,
    /// Whether that is enough, written by `techrag-score`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// A second look, asked for by `techrag-score` where the first found too little.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Box<Retry>>,
    /// Literature and the web beyond the library, written by `techrag-external`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<Box<External>>,
    /// Evidence by paper, written by `techrag-answer assemble`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<Vec<Source>>,
    /// The prompt a writer gets, written by `techrag-answer assemble`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Prompt>,
    /// Guardrail 2, written by `techrag-answer assemble`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
    /// The plan of the answer, written by the planner of `techrag-agents generate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outline: Option<Outline>,
    /// Claims and their sources, written by the researcher of `techrag-agents generate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence_map: Option<EvidenceMap>,
    /// The draft as the model wrote it, and what it was sent, written by `techrag-agents generate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<Draft>,
    /// Guardrail 3, written by the critic of `techrag-agents generate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critique: Option<Critique>,
    /// Mechanical checks of each claim, written by `techrag-answer check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<Checks>,
    /// The answer, written by `techrag-agents generate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// One entry a model call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<UsageEntry>,
    /// One entry a stage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<TraceEntry>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Query {
    /// A fresh question; its id is a hash of its words.
    pub fn new(question: impl Into<String>) -> Self {
        let question = question.into();
        Self { query_id: crate::id::query_id(&question), question, ..Self::default() }
    }

    /// The name judgements use: the caller's own, else the content hash.
    pub fn judged_name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.query_id)
    }

    /// The text that dense and lexical retrieval read.
    pub fn text_query(&self) -> &str {
        self.route.as_ref().map_or(self.question.as_str(), |route| route.text_query.as_str())
    }

    /// Whether a stage of this route is wanted; a query without a route is a content query.
    pub fn takes(&self, name: RouteName) -> bool {
        self.route.as_ref().map_or(name == RouteName::Content, |route| route.routes.contains(&name))
    }
}

/// Which stages serve a question, and which words they read (SPEC section 1).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Route {
    /// One or more routes, in the order of [`RouteName`].
    pub routes: Vec<RouteName>,
    /// How to look, beside the routes.
    pub strategies: Vec<Strategy>,
    /// The question as dense and lexical retrieval read it.
    pub text_query: String,
    /// The question as page retrieval reads it; content route only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visual_query: Option<String>,
    /// How much work the question gets.
    pub effort: Effort,
    /// The caller asked for this effort: no stage changes it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub effort_fixed: bool,
    /// Why this route, these strategies and this effort.
    pub reason: String,
    /// `rules` and their version, or the model.
    pub by: String,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Kinds of question (SPEC section 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RouteName {
    /// Technical content of the documents.
    #[default]
    Content,
    /// Papers on a topic, latest papers, papers by an author.
    Bibliometric,
    /// How a field developed, counts per year.
    Trend,
    /// Companies, markets, regulation, news; the web only.
    CurrentWorld,
}

/// Ways to look (SPEC section 1, first gate).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Dense and lexical retrieval.
    Vector,
    /// The knowledge graph.
    Graph,
    /// One read-only SELECT over the catalog, for counting and listing.
    Sql,
    /// A web search.
    Web,
}

/// How much work a question gets (SPEC section 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// Route, text retrieval, score, assemble, one writer, mechanical checks.
    #[default]
    Low,
    /// Every stage of the route's column.
    High,
}

/// A retrieved chunk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hit {
    /// The chunk.
    pub uid: String,
    /// Its document.
    pub doc_id: String,
    /// The document's key; judgements name documents by it.
    pub key: String,
    /// Further keys under which the same text stands: other keys of the document, and other documents with an equal
    /// chunk, which were merged into this hit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// Title of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Authors of the document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// Year of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i32>,
    /// DOI of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// Heading of the section.
    #[serde(default)]
    pub section: String,
    /// What the section is for.
    #[serde(default)]
    pub role: Role,
    /// First and last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<[u32; 2]>,
    /// Where each paragraph stands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<Span>,
    /// The text of the chunk.
    pub text: String,
    /// Which stage brought it.
    pub origin: Origin,
    /// What each channel gave it.
    pub scores: Scores,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Which stage brought a hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Origin {
    /// Dense or lexical retrieval.
    #[default]
    Vector,
    /// Graph expansion.
    Graph,
}

/// What each channel gave a hit. A channel that was not asked leaves its field out; one that was asked and whose list
/// did not reach the hit gives its score without a rank.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scores {
    /// The score the final order is by: fused, reranked or a single channel's.
    pub score: f64,
    /// Cosine of the best window, −1 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dense: Option<f32>,
    /// Rank in the dense list, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dense_rank: Option<u32>,
    /// BM25 score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bm25: Option<f64>,
    /// Rank in the BM25 list, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bm25_rank: Option<u32>,
    /// Product with the question's learned sparse vector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparse: Option<f64>,
    /// Rank in the sparse list, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparse_rank: Option<u32>,
    /// Score of the fusion of the channels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fused: Option<f64>,
    /// Cross-encoder logit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerank: Option<f32>,
    /// Calibrated probability that the hit is relevant, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f64>,
    /// What the calibration read, by name.
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub features: Extra,
    /// Scores of other channels.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What one stage did with a query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceEntry {
    /// The stage: `route`, `retrieve`, `assemble`, …
    pub stage: String,
    /// Version of the tool.
    pub version: String,
    /// What it decided and why, in a sentence.
    pub note: String,
    /// The settings and counts behind it.
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub details: Extra,
    /// Wall time in milliseconds, only with `--timings`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<f64>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// One call of a model that is paid for in tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsageEntry {
    /// The stage that called.
    pub stage: String,
    /// The agent within the stage.
    pub agent: String,
    /// The model as the server names it.
    pub model: String,
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Cost in US dollars by the configured price table; absent where no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}
