//! What all pages of a library have in common: who encoded them, how vectors and encodings are kept.

use serde::{Deserialize, Serialize};
use techrag_index::frame::Kind;
use techrag_models::{Looks, PageEncoder};

use crate::fde::Setting;
use crate::region::Region;

/// Name of the setting in the catalog.
pub(crate) const SETTING: &str = "layout";
/// Version of the layout and of the sections of the files.
const VERSION: u32 = 1;

/// Files of pages: vectors, the tables of the encoding, the matrix of encodings.
pub(crate) const VECTORS: (&str, Kind) = ("vectors", Kind { tag: *b"PAGE", version: VERSION });
pub(crate) const TABLES: (&str, Kind) = ("tables", Kind { tag: *b"FDET", version: VERSION });
pub(crate) const CODES: (&str, Kind) = ("codes", Kind { tag: *b"CODE", version: VERSION });

/// What the file of a word in the catalog is.
pub(crate) fn kind(word: &str) -> Option<Kind> {
    [VECTORS, TABLES, CODES].into_iter().find(|(name, _)| *name == word).map(|(_, kind)| kind)
}

/// How a page's vectors are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// A byte a number: nothing is lost that can be measured (docs/VISUAL.md).
    Int8,
    /// f16: twice the bytes.
    F16,
}

impl Form {
    /// Bytes of one number.
    pub(crate) fn width(self) -> usize {
        match self {
            Self::Int8 => 1,
            Self::F16 => 2,
        }
    }
}

/// How encodings are scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scanned {
    /// Cut to the signs of what they differ from the corpus' mean: one bit a coordinate.
    Signs,
    /// Whole, a byte a coordinate.
    Bytes,
}

/// What all pages of a library have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// Manifest id of the page encoder.
    pub model: String,
    /// Its weight revision.
    pub revision: String,
    /// Everything else its vectors depend on.
    pub profile: String,
    /// How vectors are kept.
    pub form: Form,
    /// How encodings are made.
    pub fde: Setting,
    /// How they are scanned.
    pub scanned: Scanned,
    /// What drew the pages.
    pub renderer: String,
}

impl Layout {
    /// Of pages that this encoder makes; `fde` gives the encoding's setting for vectors of a length.
    pub fn of(encoder: &PageEncoder, form: Form, fde: fn(usize) -> Setting, scanned: Scanned) -> Self {
        let renderer = match encoder.looks() {
            Looks::At { .. } => techrag_pdf::RENDERER.to_owned(),
            Looks::Words => "none".to_owned(),
        };
        let (model, revision) = (encoder.id().to_owned(), encoder.revision().to_owned());
        let profile = encoder.profile().to_owned();
        Self { model, revision, profile, form, fde: fde(encoder.dim()), scanned, renderer }
    }

    /// Length of a vector.
    pub fn dim(&self) -> usize {
        self.fde.dim
    }

    /// Model, revision and profile in a line.
    pub fn encoder(&self) -> String {
        format!("{} ({}, {})", self.model, self.revision, self.profile)
    }
}

/// What is kept about a page beside its vectors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// Width in points.
    pub width: f32,
    /// Height in points.
    pub height: f32,
    /// Its figures and tables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<Region>,
    /// What of it could not be drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacking: Vec<String>,
}
