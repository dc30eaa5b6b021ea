//! What a reader makes of a page: lines with boxes and fonts, grouped into blocks in reading order.
//!
//! These are domain types. They derive serde only because they cross the pipe between a worker process and its parent;
//! they are not part of the wire.

use serde::{Deserialize, Serialize};

/// Box on a page `[x0, y0, x1, y1]` in points, origin at the top left, rotation applied.
pub type Bbox = [f32; 4];

/// A whole document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pdf {
    /// Values of the Info dictionary and XMP.
    pub info: Info,
    /// Entries of the outline (bookmarks), in order.
    pub outline: Vec<OutlineItem>,
    /// The pages, in order; one entry for every page, readable or not.
    pub pages: Vec<Page>,
}

/// Values of the Info dictionary and XMP, as written there; empty strings are `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Info {
    /// Title.
    pub title: Option<String>,
    /// Author, often several in one string.
    pub author: Option<String>,
    /// Subject.
    pub subject: Option<String>,
    /// Keywords, separated as the producer liked.
    pub keywords: Option<String>,
    /// Year of creation.
    pub year: Option<i32>,
    /// DOI found in XMP or Info.
    pub doi: Option<String>,
    /// Program that made the source.
    pub creator: Option<String>,
}

/// An entry of the outline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OutlineItem {
    /// Depth, from 1.
    pub level: u8,
    /// Its words.
    pub title: String,
    /// Page, from 1, where it points to one.
    pub page: Option<u32>,
}

/// One page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// Its number, from 1.
    pub number: u32,
    /// Width in points.
    pub width: f32,
    /// Height in points.
    pub height: f32,
    /// Its blocks in reading order, running headers and the like included (see [`BlockKind`]).
    pub blocks: Vec<Block>,
    /// Boxes of what is drawn rather than written: plots, diagrams, photographs. Tables are blocks.
    pub graphics: Vec<Bbox>,
    /// What came of it.
    pub outcome: Outcome,
    /// Whether one image takes most of the page, as where a scan has a stamp or a page number of its own.
    pub is_covered: bool,
    /// Which reader gave the text.
    pub reader: Reader,
    /// Share of glyphs whose character is unknown, 0 to 1.
    pub unknown_glyphs: f32,
    /// How far its text can be trusted.
    pub quality: Quality,
    /// How its text was read off its picture, where it was.
    pub recognised: Option<Recognised>,
    /// What of its content is in no block.
    pub left_out: LeftOut,
}

/// Words of a page's content that are in no block, since nobody sees them on the page: how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Outside the page as it is cut.
    pub off_page: usize,
    /// Under other text that does not say the same.
    pub covered: usize,
    /// In layers that are switched off.
    pub hidden: usize,
}

/// How far the text of a page can be trusted: three shares, 0 to 1; 1 where there is too little text to tell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// Letters and digits among what is not white space.
    pub letters: f32,
    /// Plausible words among the Latin ones; see [`techrag_core::lexicon`].
    pub words: f32,
    /// Steps from block to block that go down the page or on to the right; the rest jump back.
    pub order: f32,
}

impl Default for Quality {
    fn default() -> Self {
        Self { letters: 1.0, words: 1.0, order: 1.0 }
    }
}

/// How a page's text was read off its picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recognised {
    /// Which reader it was, with its version.
    pub by: String,
    /// Mean confidence of its words weighed by their letters, 0 to 1.
    pub confidence: f32,
    /// Box on the page in points, and confidence from 0 to 1, of each word.
    pub words: Vec<(Bbox, f32)>,
}

/// What came of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// It has a text layer.
    #[default]
    Text,
    /// It has no text layer; `images` tells a scan from a blank page.
    NoText {
        /// Whether it shows an image.
        images: bool,
    },
    /// It could not be read, and why.
    Failed(String),
}

/// Which reader gave a page's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reader {
    /// hayro, with our own text device.
    #[default]
    Hayro,
    /// MuPDF.
    Mupdf,
    /// lopdf, without positions.
    Lopdf,
    /// A reader of pictures: see [`Page::recognised`].
    Picture,
}

/// A block: a paragraph, heading, caption, table, … whose lines belong together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// What it seems to be, from its place and shape alone.
    pub kind: BlockKind,
    /// The box around its lines.
    pub bbox: Bbox,
    /// Its lines, top to bottom.
    pub lines: Vec<Line>,
    /// Cells of a table, row by row, every row of the same length; empty for other kinds.
    pub cells: Vec<Vec<String>>,
    /// Whether its text goes on in the next body block (the paragraph was cut by a column or page end, or a float).
    pub continues: bool,
    /// Whether it was drawn over other text, as a stamp: what stands around it in the order is no text of its own.
    pub is_overlay: bool,
}

/// What a block seems to be, from its place and shape alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlockKind {
    /// Running text, headings included: telling headings apart is the chunker's business.
    #[default]
    Body,
    /// Repeated at the top of pages.
    Header,
    /// Repeated at the bottom of pages, page numbers included.
    Footer,
    /// Small text under the last column, set apart.
    Footnote,
    /// Starts with `Figure 1`, `Fig. 1`, `Table 1`, ….
    Caption,
    /// A grid; see [`Block::cells`].
    Table,
    /// A displayed formula.
    Formula,
    /// Program text in a typewriter font: its lines are kept, each with the spaces it is indented by.
    Listing,
    /// Words inside a figure: axis labels, legends.
    FigureText,
    /// Line numbers, watermarks, text rotated along the margin.
    Marginal,
}

/// One line of a block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The box around its glyphs.
    pub bbox: Bbox,
    /// Stretches of one font, in reading order; white space between words included in the text.
    pub runs: Vec<Run>,
}

impl Line {
    /// The text of the line.
    pub fn text(&self) -> String {
        self.runs.iter().map(|run| run.text.as_str()).collect()
    }

    /// The font size most of its characters have, in points.
    pub fn size(&self) -> f32 {
        self.runs.iter().max_by_key(|run| run.text.len()).map_or(0.0, |run| run.size)
    }
}

/// A stretch of a line in one font.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its characters; ligatures expanded.
    pub text: String,
    /// Font size in points, transformation applied.
    pub size: f32,
    /// Bold, by the font's name or weight.
    pub bold: bool,
    /// Italic or oblique.
    pub italic: bool,
    /// Raised or lowered against the line's base line.
    pub script: Script,
}

impl Run {
    /// Its text with raised and lowered digits as the characters that say so, `10³` and `x₁`, since `103` would be
    /// another number.
    pub fn written(&self) -> String {
        const SUPER: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
        const SUB: [char; 10] = ['₀', '₁', '₂', '₃', '₄', '₅', '₆', '₇', '₈', '₉'];
        let digit = |c: char| c.to_digit(10).and_then(|digit| usize::try_from(digit).ok());
        let map = |c: char| match (self.script, digit(c), c) {
            (Script::Super, Some(digit), _) => SUPER[digit],
            (Script::Sub, Some(digit), _) => SUB[digit],
            (Script::Super, None, '-' | '−') => '⁻',
            (Script::Super, None, '+') => '⁺',
            _ => c,
        };
        self.text.chars().map(map).collect()
    }
}

/// Whether a run is raised or lowered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Script {
    /// On the base line.
    #[default]
    None,
    /// Superscript: exponents, footnote marks.
    Super,
    /// Subscript.
    Sub,
}
