//! How a page encoder is used, as the manifest says it: sizes, normalisation and prompts are data, not code.

use std::fmt::Write;

use serde::Deserialize;

use crate::page::resize::Filter;

/// What a page encoder is given and how it is prepared.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "profile", rename_all = "lowercase")]
pub enum PageSpec {
    /// The page's picture in tiles and one small copy of the whole (Idefics3: ColSmol, ColModernVBERT).
    Tiled(TiledSpec),
    /// The page's picture as raw patches, no tiles (NeoMME).
    Patches(PatchSpec),
    /// The page's words: token vectors of a sentence encoder. It reads; it does not see.
    Words(WordSpec),
}

/// An Idefics3 picture (Marafioti et al. 2025, SmolVLM).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TiledSpec {
    /// Length of a vector.
    pub dim: usize,
    /// Longest query in tokens, prefix and suffix included; the query's end gives way.
    pub max_tokens: usize,
    /// Names of the output of vectors; the first that the file has. Empty: its only output.
    pub outputs: Vec<String>,
    /// Pixels the longer side is brought to, smaller pages too.
    pub longest_edge: u32,
    /// Side of a tile in pixels.
    pub tile: u32,
    /// Vectors a tile, a square number.
    pub tokens_a_tile: usize,
    /// Subtracted from red, green and blue in 0..1.
    pub mean: [f32; 3],
    /// Divided by, after that.
    pub std: [f32; 3],
    /// How pixels are resampled.
    pub resample: Filter,
    /// The page's prompt; `<image>` stands where the tiles go.
    pub image_prompt: String,
    /// Put before a query.
    #[serde(default)]
    pub query_prefix: String,
    /// Put after a query.
    #[serde(default)]
    pub query_suffix: String,
}

/// Raw patches in rows (NeoMME).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatchSpec {
    /// Length of a vector.
    pub dim: usize,
    /// Longest query in tokens, prefix and suffix included; the query's end gives way.
    pub max_tokens: usize,
    /// Names of the output of vectors; the first that the file has. Empty: its only output.
    pub outputs: Vec<String>,
    /// Pixels the longer side is brought down to; smaller pages stay as they are.
    pub longest_edge: u32,
    /// Side of a patch in pixels.
    pub patch: u32,
    /// Subtracted from red, green and blue in 0..1.
    pub mean: [f32; 3],
    /// Divided by, after that.
    pub std: [f32; 3],
    /// How pixels are resampled.
    pub resample: Filter,
    /// Token that opens a document.
    pub document_token: String,
    /// Token that stands for a patch, and once for the picture.
    pub image_token: String,
    /// Token that ends a row of patches.
    pub row_token: String,
    /// Put before a query.
    #[serde(default)]
    pub query_prefix: String,
    /// Put after a query.
    #[serde(default)]
    pub query_suffix: String,
}

/// Token vectors of a sentence encoder.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordSpec {
    /// Length of a vector.
    pub dim: usize,
    /// Name of the matrix that brings token vectors to `dim`; none if they have that length already.
    pub projection: Option<String>,
}

/// Longest side a page is drawn at, in pixels: eight times what any known network takes, and a gigabyte of pixels.
const LONGEST_EDGE: u32 = 16_384;
/// Most tiles along a side.
const MOST_TILES: u32 = 64;

impl PageSpec {
    /// Length of a vector.
    pub fn dim(&self) -> usize {
        match self {
            Self::Tiled(spec) => spec.dim,
            Self::Patches(spec) => spec.dim,
            Self::Words(spec) => spec.dim,
        }
    }

    /// What is wrong with these numbers, if anything.
    pub(crate) fn complaint(&self) -> Option<&'static str> {
        match self {
            Self::Tiled(spec) => spec.complaint().or_else(|| self.complaint_on_dim()),
            Self::Patches(spec) if spec.patch == 0 || spec.longest_edge < spec.patch => {
                Some("patch must be at least 1 and at most longest_edge")
            }
            Self::Patches(spec) if spec.longest_edge > LONGEST_EDGE => Some("longest_edge must be at most 16384"),
            Self::Patches(spec) if spec.max_tokens == 0 => Some("max_tokens must be at least 1"),
            Self::Patches(spec) => complaint_on_scale(spec.mean, spec.std).or_else(|| self.complaint_on_dim()),
            Self::Words(_) => self.complaint_on_dim(),
        }
    }

    fn complaint_on_dim(&self) -> Option<&'static str> {
        (self.dim() == 0).then_some("dim must be at least 1")
    }

    /// Everything beside the weights that a vector depends on, in one line: two libraries whose lines differ hold
    /// vectors that must not be compared.
    pub(crate) fn line(&self) -> String {
        let mut line = String::new();
        // Writing to a string cannot fail.
        let _ = match self {
            Self::Tiled(spec) => write!(
                line,
                "tiled {}/{}/{} {:?} {:?} {:?} {:?} {:?} {:?}",
                spec.longest_edge,
                spec.tile,
                spec.tokens_a_tile,
                spec.resample,
                spec.mean,
                spec.std,
                spec.image_prompt,
                spec.query_prefix,
                spec.query_suffix
            ),
            Self::Patches(spec) => write!(
                line,
                "patches {}/{} {:?} {:?} {:?} {:?} {:?}",
                spec.longest_edge, spec.patch, spec.resample, spec.mean, spec.std, spec.query_prefix, spec.query_suffix
            ),
            Self::Words(spec) => write!(line, "words {}", spec.projection.as_deref().unwrap_or("unprojected")),
        };
        line
    }
}

impl TiledSpec {
    fn complaint(&self) -> Option<&'static str> {
        let grid = self.tokens_a_tile.isqrt();
        if self.tile == 0 || self.longest_edge < self.tile {
            return Some("tile must be at least 1 and at most longest_edge");
        }
        if grid == 0 || grid * grid != self.tokens_a_tile {
            return Some("tokens_a_tile must be a square number");
        }
        if self.longest_edge > LONGEST_EDGE || self.longest_edge.div_ceil(self.tile) > MOST_TILES {
            return Some("longest_edge must be at most 16384 and at most 64 tiles");
        }
        if self.image_prompt.matches(super::tiled::IMAGE).count() != 1 {
            return Some("image_prompt must say <image> once, where the page goes");
        }
        if self.max_tokens == 0 {
            return Some("max_tokens must be at least 1");
        }
        complaint_on_scale(self.mean, self.std)
    }
}

fn complaint_on_scale(mean: [f32; 3], std: [f32; 3]) -> Option<&'static str> {
    if !mean.iter().all(|value| value.is_finite()) {
        return Some("mean must be finite");
    }
    (!std.iter().all(|&value| value > 0.0 && value.is_finite())).then_some("std must be positive")
}
