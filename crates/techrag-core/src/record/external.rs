//! `external`: what literature and the web beyond the library hold, written by `techrag-external` (SPEC section 9).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Extra, RouteName};

/// What was looked for outside, what each source said, and what stood the vetting.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct External {
    /// Why it was searched, or why not.
    pub reason: String,
    /// Every attempt of every loop that ran, in order. None where nothing was searched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<Attempt>,
    /// The vetted works of the best attempt of each loop, best first, no work twice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub works: Vec<Work>,
    /// Publications by year; trend route only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<YearCount>,
    /// Pages of a web search; current_world route only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<WebPage>,
    /// What a reader should know: sources that were limited, refused or not asked, in a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Who wrote it: tool and version.
    pub by: String,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// One round of a loop: a query, sent to every source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Attempt {
    /// The loop, named by the route that asks for it.
    #[serde(rename = "loop")]
    pub of: RouteName,
    /// Number of the attempt within its loop, from 1.
    pub n: u32,
    /// The query.
    pub query: String,
    /// How it was made.
    pub made: String,
    /// First year asked for, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<i32>,
    /// What each source said.
    pub sources: Vec<SourceOutcome>,
    /// Works after merging.
    pub found: u32,
    /// Works that stood the vetting.
    pub vetted: u32,
}

/// What a source said to one query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceOutcome {
    /// The source: `crossref`, `openalex`, `semanticscholar`, `arxiv`, `europepmc`, `searxng`, `brave`, `tavily`.
    pub source: String,
    /// How it went.
    pub outcome: Outcome,
    /// Works or pages it gave.
    pub count: u32,
    /// When it is worth asking again: `2026-11-30 08:05 UTC`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// What it said, where it did not go well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether the answer was on disk and nobody was asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stored: bool,
}

/// How a question to a source ended. "Nothing found" is said only where the source said so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It gave something.
    Ok,
    /// It has nothing.
    Empty,
    /// It understood and said no, or failed: the query is at fault, or the source.
    Refused,
    /// Too many requests or a spent budget; see `until`.
    RateLimited,
    /// The key is missing, wrong or not enough.
    Unauthorised,
    /// No connection, no answer in time, or out of order.
    Unreachable,
    /// What it said could not be read.
    Malformed,
    /// It was not asked: offline, not configured, or no time was left.
    #[default]
    NotAsked,
}

/// A published work. Values of different sources are merged by rules that `docs/EXTERNAL.md` states.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Work {
    /// First 16 hex digits of the SHA-256 of its strongest identifier.
    pub work_id: String,
    /// Title, markup removed.
    pub title: String,
    /// Authors as the best source names them, `Given Family`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// Year to cite: of print where known, else of first publication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i32>,
    /// Year of publication online.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year_online: Option<i32>,
    /// Year of print.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year_print: Option<i32>,
    /// DOI, lower case, without address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// Journal, proceedings or series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub venue: Option<String>,
    /// `article`, `preprint`, `chapter`, `book`, `proceedings`, `dataset`, `thesis`, `report`, `other`.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Abstract as plain text.
    #[serde(default, rename = "abstract", skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Where to read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Every identifier seen, by kind: `doi`, `arxiv`, `pmid`, `pmcid`, `openalex`, `s2`, `corpus`. More than one of a
    /// kind is a conflict between sources, kept as it is.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ids: BTreeMap<String, Vec<String>>,
    /// Citations by source; sources count differently.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub citations: BTreeMap<String, u64>,
    /// Whether it was retracted, as far as the sources say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retraction: Option<Retraction>,
    /// Other versions of it: preprint and journal article are linked, not merged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<WorkVersion>,
    /// The sources that gave it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// What the vetting found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vetting: Option<Vetting>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What is known of a work's retraction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Retraction {
    /// The worst that a source says.
    pub status: RetractionStatus,
    /// Who says so.
    pub source: String,
    /// DOI of the notice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice_doi: Option<String>,
    /// Date of the notice, `2024-05-17`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

/// How bad it is. A work without a status is unknown, not sound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RetractionStatus {
    /// Corrected, amended or published in a new version: still valid.
    #[default]
    Corrected,
    /// The publisher has doubts.
    Concern,
    /// Retracted, withdrawn or removed, wholly or in part.
    Retracted,
}

/// Another version of a work.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkVersion {
    /// Its title where it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its year.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i32>,
    /// Its DOI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// Its kind, as [`Work::kind`].
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its venue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub venue: Option<String>,
}

/// Why a work counts as evidence, or does not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Vetting {
    /// Whether it stood the vetting.
    pub passed: bool,
    /// What was read: `abstract` or `title`.
    pub on: String,
    /// Share of the question's content terms that it holds, weighed by rarity, 0 to 1.
    pub coverage: f64,
    /// Cosine of question and text by the sentence encoder, −1 to 1; absent where no encoder is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cosine: Option<f64>,
    /// What works are ordered by, 0 to 1.
    pub score: f64,
    /// Why, in a sentence.
    pub why: String,
    /// `rules` and their version, or the model.
    pub by: String,
}

/// Publications of a year.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct YearCount {
    /// The year.
    pub year: i32,
    /// Works of that year.
    pub works: u64,
    /// Whether the year was not over when it was counted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
}

/// A page that a web search found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WebPage {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// The words that the search engine shows of it.
    pub text: String,
    /// When it was published, as the engine says; unknown is not today.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// When the search was answered: `2026-11-30 08:05 UTC`.
    pub fetched: String,
    /// The search that found it.
    pub source: String,
    /// What the vetting found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vetting: Option<Vetting>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}
