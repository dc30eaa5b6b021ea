//! `chunk`: a retrievable piece of a document, with where it stands on the page.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Extra;
use crate::vector::Vector;

/// A retrievable piece of a document. Never spans two sections.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Chunk {
    /// `<doc_id>:<ordinal>`, ordinals from 0 in reading order.
    pub uid: String,
    /// The document it belongs to.
    pub doc_id: String,
    /// Heading of its section as printed, with its number; empty before the first heading.
    #[serde(default)]
    pub section: String,
    /// What the section is for.
    #[serde(default)]
    pub role: Role,
    /// First and last page, from 1; absent where the format has no pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<[u32; 2]>,
    /// Where each paragraph of `text` stands, in the order of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<Span>,
    /// The text: paragraphs separated by a blank line.
    pub text: String,
    /// SHA-1 of the normalised text (see `techrag_core::id::text_sha1`).
    pub sha1: String,
    /// What kind of content it was read from.
    #[serde(default)]
    pub modality: Modality,
    /// Tables whose Markdown stands in `text`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<Table>,
    /// Embeddings of the text, added by `techrag-embed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors: Option<Vectors>,
    /// Learned sparse vector of the text, added by `techrag-embed --sparse`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparse: Option<SparseVector>,
    /// Who wrote it: tool and version.
    #[serde(default)]
    pub by: String,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A stretch of a chunk's text and its place in the source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    /// First byte in `text` (on a character boundary).
    pub start: usize,
    /// One past the last byte in `text`.
    pub end: usize,
    /// Page, from 1; absent where the format has no pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Box on the page `[x0, y0, x1, y1]` in points, origin at the top left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bbox: Option<[f32; 4]>,
    /// Where it stands in a source that has no printed pages, as a person would say it: `slide 3`, `Runs!A2:F2`,
    /// `lines 13–14`. A citation prints it in place of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Begin and end in a recording, in seconds from its start; absent for what is not spoken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<[f64; 2]>,
    /// How certain the reader is, 0 to 1, of text that was read off a picture or heard; absent for other text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f32>,
    /// What stands there, where it is no running text.
    #[serde(default, skip_serializing_if = "SpanKind::is_text")]
    pub kind: SpanKind,
}

/// What a stretch of text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpanKind {
    /// Running text.
    #[default]
    Text,
    /// A displayed formula: its signs in the order of the page, as far as a line of text can hold them.
    Formula,
    /// The caption of a figure or table.
    Caption,
    /// A table as Markdown; its cells are in `tables`.
    Table,
    /// A footnote.
    Footnote,
}

impl SpanKind {
    fn is_text(&self) -> bool {
        *self == Self::Text
    }
}

/// A table, cell by cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Table {
    /// Caption as printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// Page, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Rows of cells, top to bottom, left to right; every row has the same length.
    pub cells: Vec<Vec<String>>,
    /// Where the cells stand on a sheet, as a spreadsheet writes it: `A1:D9`, or `A1:D1,A40:D80` for the header and some
    /// of the rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// Address of a cell → the formula whose value it shows.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub formulas: BTreeMap<String, String>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Embeddings of one chunk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Vectors {
    /// Manifest id of the model.
    pub model: String,
    /// Weight revision of the model; a library refuses vectors of another revision.
    pub revision: String,
    /// Length of each vector.
    pub dim: usize,
    /// One vector a window of the text, at least one.
    pub windows: Vec<Window>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Vectors {
    /// Whether they can be searched: one or more windows, each of `dim` finite values that are not all zero.
    ///
    /// # Errors
    /// What is wrong, naming the window.
    pub fn check(&self) -> Result<(), String> {
        if self.windows.is_empty() || self.dim == 0 {
            return Err("it has vectors of no window or no dimension".into());
        }
        for (at, window) in self.windows.iter().enumerate() {
            let values = &window.vector.values;
            if values.len() != self.dim {
                return Err(format!("window {at} has {} dimensions of {}", values.len(), self.dim));
            }
            let norm = window.vector.norm();
            if !norm.is_finite() {
                return Err(format!("the vector of window {at} is not finite"));
            }
            if norm < f64::from(f32::MIN_POSITIVE) {
                return Err(format!("the vector of window {at} is zero"));
            }
        }
        Ok(())
    }
}

/// The words a chunk is about, by a learned sparse encoder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SparseVector {
    /// Manifest id of the model.
    pub model: String,
    /// Weight revision of the model; a library refuses those of another revision.
    pub revision: String,
    /// Weight of each term of the model's vocabulary, above 0.
    pub terms: BTreeMap<String, f32>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The embedding of a stretch of a chunk's text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Window {
    /// First byte of the window in `text`.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// L2-normalised embedding.
    pub vector: Vector,
}

/// What a section is for, told by its heading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Title, authors and affiliations.
    FrontMatter,
    /// Abstract or summary.
    Abstract,
    /// Introduction, motivation.
    Introduction,
    /// Related work, background, preliminaries.
    Background,
    /// Method, model, theory, experimental set-up.
    Method,
    /// Results, experiments, evaluation.
    Results,
    /// Discussion, limitations.
    Discussion,
    /// Conclusion, summary, future work.
    Conclusion,
    /// Acknowledgements, funding, conflicts of interest.
    Acknowledgements,
    /// Appendix, supplement.
    Appendix,
    /// Anything else, and roles of later versions.
    #[default]
    #[serde(other)]
    Other,
}

/// What kind of content a chunk was read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Modality {
    /// Running text.
    #[default]
    Text,
    /// A table.
    Table,
    /// A caption and what a figure says.
    Figure,
    /// Text read from an image of it.
    Ocr,
    /// A slide.
    Slide,
    /// Cells of a sheet.
    Sheet,
    /// Transcribed speech.
    Speech,
    /// Source code.
    Code,
    /// Kinds of later versions.
    #[serde(other)]
    Other,
}
