//! `answer` and `checks`: what was written, and whether each claim stands in its source.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Extra;

/// What an answer says when the sources do not hold it (SPEC section 11), to the letter.
pub const NOT_FOUND: &str = "Not found in the provided sources.";

/// The answer to a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The whole text, citations `[SOURCE n: Title]` included, or exactly the refusal.
    pub text: String,
    /// Whether it is the refusal.
    pub abstained: bool,
    /// Why it abstained, or what is missing from the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// How well the evidence answers the question by the writer's own rule, 0 to 1, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<f64>,
    /// The sentences, each with its citations.
    #[serde(default)]
    pub sentences: Vec<AnswerSentence>,
    /// Confidence 0 to 1, written by `techrag-answer check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Medal (SPEC section 12), written by `techrag-answer check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub medal: Option<Medal>,
    /// It is what the catalog says: made of the rows of `sql`, it quotes nothing and cites nothing. `check` gives it
    /// neither confidence nor medal, which speak of citations.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub catalog: bool,
    /// Why this extractive answer stands although a model was asked to write, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// Who wrote it: `extractive` and its version, `catalog` and its version, or the model.
    pub by: String,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Answer {
    /// The refusal, with the reason kept beside it.
    pub fn not_found(by: &str, missing: impl Into<String>) -> Self {
        Self {
            text: NOT_FOUND.to_owned(),
            abstained: true,
            missing: Some(missing.into()),
            by: by.to_owned(),
            ..Self::default()
        }
    }
}

/// One sentence of an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerSentence {
    /// The sentence without its citations.
    pub text: String,
    /// What it rests on.
    pub citations: Vec<Citation>,
}

/// A pointer from a sentence into a source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Citation {
    /// The number in `[SOURCE n: Title]`.
    pub source: u32,
    /// The document's key.
    pub key: String,
    /// The chunk.
    pub uid: String,
    /// Page, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// The place in a source without printed pages: `slide 3`, `Runs!A2:F2`, `lines 13–14`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The words of the source, verbatim.
    pub span: String,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// How far an answer can be trusted (SPEC section 12).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Medal {
    /// Abstained, or no verified claim.
    #[default]
    None,
    /// Fewer claims verified, or moderate evidence from outside only.
    Bronze,
    /// At least moderate evidence, at least 80 % of claims verified.
    Silver,
    /// Strong evidence, every claim verified.
    Gold,
}

/// Mechanical checks of an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Checks {
    /// One entry a citation, in the order of the answer; one for a sentence without any.
    pub claims: Vec<Check>,
    /// Number of entries with result `verified`.
    pub verified: u32,
    /// Number of entries.
    pub total: u32,
    /// Why the medal is what it is, in a sentence.
    #[serde(default)]
    pub reason: String,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The check of one citation of one sentence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// Index of the sentence in `answer.sentences`, from 0.
    pub sentence: usize,
    /// The source cited; 0 for a sentence that cites none.
    pub source: u32,
    /// What came of it.
    pub result: CheckResult,
    /// Where the quoted words stand, as found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// What is wrong or was found, in a sentence.
    pub detail: String,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What a check found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckResult {
    /// The quoted words stand on the page named, and hold the claim's terms and numbers.
    Verified,
    /// The words stand there but not all of the claim's terms or numbers do.
    Partial,
    /// The citation does not resolve, or its words stand nowhere in the source.
    #[default]
    NotFound,
    /// The words stand in the source, on another page.
    WrongPage,
}
