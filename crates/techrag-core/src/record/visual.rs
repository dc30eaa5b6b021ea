//! Pages found by what they show: what `techrag-visual` writes under `visual`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Extra;

/// A page that may show what was asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PageHit {
    /// Its document.
    pub doc_id: String,
    /// The document's key; judgements name documents by it.
    pub key: String,
    /// Further keys of the document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// Title of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Year of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i32>,
    /// The page, from 1.
    pub page: u32,
    /// How well it fits the question.
    pub scores: PageScores,
    /// Caption of the figure or table that fits best, as printed; absent where the page has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// That figure or table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crop: Option<Crop>,
    /// Image of the page: a path within the library's folder, written by `techrag-visual render`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What each step of page retrieval gave a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PageScores {
    /// The score the final order is by.
    pub score: f64,
    /// Exact MaxSim: the sum over the query's vectors of the largest inner product with one of the page's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maxsim: Option<f32>,
    /// Inner product of the fixed-dimensional encodings, which chose the candidates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<f32>,
    /// Rank by the encodings, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding_rank: Option<u32>,
    /// Scores of other channels.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A figure or table cut out of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Crop {
    /// What it is.
    pub kind: CropKind,
    /// The page, from 1.
    pub page: u32,
    /// Its box on the page `[x0, y0, x1, y1]` in points, origin at the top left.
    pub bbox: [f32; 4],
    /// What told of it.
    #[serde(default)]
    pub source: CropSource,
    /// Its caption as printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// Mean over the query's vectors of the largest inner product with one of the vectors within the box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
    /// Image of it: a path within the library's folder, written by `techrag-visual render`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What a crop shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CropKind {
    /// A drawing, a plot, a photograph; a listing that is captioned as a figure.
    #[default]
    Figure,
    /// A table.
    Table,
    /// Kinds of later versions.
    #[serde(other)]
    Other,
}

/// What told of a crop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CropSource {
    /// What the PDF itself draws: paths, pictures, rules and cells.
    #[default]
    Objects,
    /// A layout network that looked at the page.
    Layout,
    /// A block of text beside a caption: a listing, a table without rules.
    Text,
    /// Sources of later versions.
    #[serde(other)]
    Other,
}
