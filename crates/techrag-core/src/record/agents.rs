//! `outline`, `evidence_map`, `draft` and `critique`: what the agents of `techrag-agents generate` handed to each other
//! (SPEC section 11). Only a language model writes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Extra, Prompt};

/// The planner's plan of an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outline {
    /// Parts of the answer, in order.
    pub sections: Vec<OutlineSection>,
    /// What the evidence does not hold.
    #[serde(default)]
    pub gaps: Vec<String>,
    /// What a reader must be warned of.
    #[serde(default)]
    pub caveats: Vec<String>,
    /// The model.
    pub by: String,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A part of an answer to be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutlineSection {
    /// What it is about.
    pub heading: String,
    /// Numbers of the sources it rests on.
    #[serde(default)]
    pub sources: Vec<u32>,
}

/// The researcher's map from claims to sources.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceMap {
    /// Claims that the evidence supports.
    pub claims: Vec<MappedClaim>,
    /// Where sources disagree.
    #[serde(default)]
    pub contradictions: Vec<String>,
    /// What the evidence does not hold.
    #[serde(default)]
    pub gaps: Vec<String>,
    /// The model.
    pub by: String,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A claim and the source it rests on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MappedClaim {
    /// The claim.
    pub claim: String,
    /// Number of the source.
    pub source: u32,
    /// How well the source supports it.
    pub strength: Strength,
}

/// How well a source supports a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// It says so.
    Strong,
    /// It says so in part.
    Moderate,
    /// It hints at it.
    #[default]
    Weak,
}

/// The last draft, before its citations were located.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Draft {
    /// Its sentences; none means that the writer found no answer.
    pub sentences: Vec<DraftSentence>,
    /// What the writer was sent.
    pub prompt: Prompt,
    /// The model.
    pub by: String,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A sentence as the writer gave it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DraftSentence {
    /// The sentence.
    pub text: String,
    /// Numbers of the sources it cites.
    #[serde(default)]
    pub cite: Vec<u32>,
}

/// The critic's judgement: guardrail 3.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Critique {
    /// The last verdict.
    pub verdict: CriticVerdict,
    /// What the critic asked for, over all rounds.
    #[serde(default)]
    pub feedback: Vec<String>,
    /// How often the draft was revised: 0 or 1.
    pub revisions: u32,
    /// The draft was revised and still did not pass.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub issues_found: bool,
    /// Why the critic gave no judgement, where it gave none: that counts as `pass`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// The model.
    pub by: String,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What a critic says of a draft.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CriticVerdict {
    /// It stands.
    #[default]
    Pass,
    /// It is to be written again.
    Revise,
    /// The evidence cannot carry an answer.
    MissingEvidence,
}
