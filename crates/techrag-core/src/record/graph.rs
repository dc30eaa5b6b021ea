//! The `graph` key of a query: what the knowledge graph added, and along which way.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Extra;

/// What the graph stages found, written by `techrag-graph expand` and `techrag-graph context`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Graph {
    /// The store that was asked: `embedded`, or a server's address without user and password.
    pub store: String,
    /// Why the graph added less than it could: the store is down, or empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Names that were followed to their canonical one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<FollowedAlias>,
    /// Papers that share topics or methods with the hits, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expansions: Vec<Expansion>,
    /// What is known of the papers at hand, written by `techrag-graph context`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<GraphContext>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// An alias on the way from the hits to other papers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FollowedAlias {
    /// `Topic` or `Method`.
    pub label: String,
    /// The name a paper uses.
    pub name: String,
    /// The name it stands for.
    pub canonical: String,
}

/// A paper near the hits, and what its chunks came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Expansion {
    /// The paper.
    pub doc_id: String,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Sum of the idf of what it shares with the papers of the hits.
    pub score: f64,
    /// What it shares, the rarest first.
    pub shared: Vec<SharedEntity>,
    /// Its chunks that were weighed, in the order of their sections.
    pub considered: Vec<String>,
    /// Those that became hits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<String>,
}

/// A topic or method that two papers share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SharedEntity {
    /// `Topic` or `Method`.
    pub label: String,
    /// Its canonical name.
    pub name: String,
    /// Number of papers that have it, through aliases.
    pub papers: u64,
    /// ln(papers of the graph / papers that have it).
    pub idf: f64,
}

/// What the graph knows of the papers of an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphContext {
    /// The papers of the hits, in the order of their first hit.
    pub papers: Vec<ContextPaper>,
    /// Papers that cite what the papers of the hits cite, those that share most first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub co_citing: Vec<CoCiting>,
    /// Title of every paper named here, by document id.
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub titles: Extra,
    /// Authors the question names, with their papers; bibliographic questions only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<AuthorPapers>,
    /// What the papers of the hits say of how terms belong together, the relations of most of them first; only where
    /// relations were asked for when the graph was made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<ContextRelation>,
    /// For questions about the library as a whole: communities of papers, the one of most hits first, then the largest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub communities: Vec<ContextCommunity>,
}

/// What the graph knows of a paper.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextPaper {
    /// The paper.
    pub doc_id: String,
    /// Title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Year.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i32>,
    /// DOI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// Authors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// Topics, canonical.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topics: Vec<String>,
    /// Methods, canonical.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<String>,
    /// Metrics, canonical.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<String>,
    /// Applications, canonical.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub applications: Vec<String>,
    /// Papers of the library that it cites, by document id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<String>,
    /// Papers of the library that cite it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cited_by: Vec<String>,
}

/// A paper that cites the same works.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoCiting {
    /// The paper.
    pub doc_id: String,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Titles of the works both cite.
    pub shared: Vec<String>,
}

/// An author and their papers in the library.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuthorPapers {
    /// The author.
    pub name: String,
    /// Their papers, the latest first.
    pub papers: Vec<ContextPaper>,
}

/// A relation between two terms.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextRelation {
    /// The name of the first.
    pub from: String,
    /// `USED_FOR`, `MEASURES`, `RELATED_TO` or `BROADER_THAN`.
    pub relation: String,
    /// The name of the second.
    pub to: String,
    /// The papers of the hits that say so, by document id.
    pub papers: Vec<String>,
}

/// A group of papers that are closer to each other than to the rest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextCommunity {
    /// Its name: the entities that set it apart.
    pub name: String,
    /// Number of its papers.
    pub papers: u64,
    /// Sentences of its papers that tell most of them.
    pub summary: Vec<String>,
}

/// One name of a term proposed to stand for another, as `techrag-graph alias` writes and reads it. A reader changes
/// `apply`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AliasProposal {
    /// `Topic`, `Method`, `Metric` or `Application`.
    pub label: String,
    /// Id of the name.
    pub name: String,
    /// Id of the name it would stand for.
    pub canonical: String,
    /// `acronym`, `form` or `meaning`.
    pub why: String,
    /// How sure, 0 to 1: one over the long forms of an acronym, a cosine.
    pub score: f64,
    /// Whether it is to be applied.
    pub apply: bool,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}
