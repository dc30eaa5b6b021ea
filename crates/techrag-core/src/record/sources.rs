//! Evidence by paper, and the prompt made of it: what `techrag-answer assemble` writes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Extra, Role, Span};

/// One paper as evidence; `n` in `[SOURCE n]` is a paper, not a passage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// The number in `[SOURCE n: Title]`, from 1.
    pub n: u32,
    /// The document.
    pub doc_id: String,
    /// The document's key.
    pub key: String,
    /// Its title, or its key where the title is unknown.
    pub title: String,
    /// Its authors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// Its year.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i32>,
    /// Its DOI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// Journal, proceedings or series, where known: works from outside are cited by title, venue and DOI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub venue: Option<String>,
    /// Whether it stands in the library or was found outside.
    #[serde(default, skip_serializing_if = "SourceOrigin::is_library")]
    pub origin: SourceOrigin,
    /// Score of its best passage.
    pub score: f64,
    /// Calibrated relevance of its best passage, 0 to 1, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f64>,
    /// Its retrieved chunks, best first.
    pub passages: Vec<Passage>,
    /// Its best sentences, best first.
    pub sentences: Vec<EvidenceSentence>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Source {
    /// How prompts and answers name it: `SOURCE 1`, `EXTERNAL 4`. The numbers run through both.
    pub fn label(&self) -> String {
        let kind = if self.origin.is_library() { "SOURCE" } else { "EXTERNAL" };
        format!("{kind} {}", self.n)
    }
}

/// Where a source stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceOrigin {
    /// A document of the library.
    #[default]
    Library,
    /// A work or page that `techrag-external` found.
    External,
}

impl SourceOrigin {
    /// Whether it is a document of the library.
    pub fn is_library(&self) -> bool {
        *self == Self::Library
    }
}

/// A retrieved chunk of a source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Passage {
    /// The chunk.
    pub uid: String,
    /// Heading of its section.
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
    /// The hit's score.
    pub score: f64,
}

/// A sentence chosen as evidence, with where it stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceSentence {
    /// The chunk it stands in.
    pub uid: String,
    /// First byte in the chunk's text.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// Page, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// The place in a source without printed pages: `slide 3`, `Runs!A2:F2`, `lines 13–14`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The sentence.
    pub text: String,
    /// How well it matches the question.
    pub score: f64,
}

/// The prompt of a writer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Prompt {
    /// Role and rules.
    pub system: String,
    /// Question, evidence and task.
    pub user: String,
    /// Name and version of the template.
    pub template: String,
    /// SHA-256 of the template.
    pub template_sha256: String,
    /// Estimated tokens of both parts.
    pub tokens: u64,
    /// What was left out to stay within the budget.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// First and one past the last byte, in `user`, of the evidence with its notes: what another template may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<[usize; 2]>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Guardrail 2: what is doubtful about the evidence before anything is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verification {
    /// Numbers of sources that hold few of the question's content terms, or none.
    #[serde(default)]
    pub off_topic: Vec<u32>,
    /// Content terms of the question that no source holds.
    #[serde(default)]
    pub gaps: Vec<String>,
    /// Pairs that seem to disagree, in a sentence each.
    #[serde(default)]
    pub contradictions: Vec<String>,
    /// `rules` and their version, or the model.
    pub by: String,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}
