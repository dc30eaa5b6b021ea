//! `entities`: what a paper is about and what it cites, on its way into the graph.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Extra, Role};

/// The entities of one document, written by `techrag-graph extract` and read by `techrag-graph load`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entities {
    /// The document.
    pub doc_id: String,
    /// The document's key.
    pub key: String,
    /// What the paper is.
    pub paper: PaperFacts,
    /// Its authors, in the order printed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<EntityAuthor>,
    /// Whether a bibliographic source confirmed the authors: `unchecked`, `confirmed`, `replaced` or `not found`.
    #[serde(default)]
    pub authors_checked: String,
    /// Fields and subjects, the most telling first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topics: Vec<Entity>,
    /// What it is done by: models, algorithms, instruments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<Entity>,
    /// What is measured or reported.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<Entity>,
    /// What it is good for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub applications: Vec<Entity>,
    /// Keywords as printed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// Works it cites, in the order of its reference list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cited: Vec<CitedWork>,
    /// Relations between its entities; only where they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<EntityRelation>,
    /// Its chunks, so that the graph can lead back to the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chunks: Vec<ChunkPlace>,
    /// Who wrote it: tool and version, and the rules' version or the model.
    pub by: String,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What a paper is, bibliographically.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PaperFacts {
    /// Title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Year of publication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i32>,
    /// DOI in lower case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// arXiv identifier without version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arxiv: Option<String>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// An author of a paper.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntityAuthor {
    /// Name, given names first.
    pub name: String,
    /// ORCID without a resolver in front, where a bibliographic source gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orcid: Option<String>,
    /// Identifier in OpenAlex, where the authors were checked there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openalex: Option<String>,
}

/// A topic, method, metric or application of a paper.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entity {
    /// The term as the paper writes it most often.
    pub name: String,
    /// How telling it is for the paper, 0 to 1, by whoever extracted it.
    pub weight: f64,
    /// What it rests on, for example `keyword`, `title`, `vocabulary`, `acronym`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<String>,
    /// A further form the paper gives for it: the long form of an acronym, or its acronym.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub also: Option<String>,
}

/// A work that a paper cites.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CitedWork {
    /// Title.
    pub title: String,
    /// Authors as printed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// Year of publication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i32>,
    /// DOI in lower case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// Its label in the reference list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// A relation between two entities of a paper: the opt-in layer beside the nine edge types.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntityRelation {
    /// `USED_FOR`, `MEASURES`, `RELATED_TO` or `BROADER_THAN`.
    pub relation: String,
    /// Where it starts, as `Method:name`.
    pub from: String,
    /// Where it ends, likewise.
    pub to: String,
}

/// Where a chunk of the paper stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChunkPlace {
    /// The chunk.
    pub uid: String,
    /// Heading of its section.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub section: String,
    /// What the section is for.
    #[serde(default)]
    pub role: Role,
    /// First and last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<[u32; 2]>,
}
