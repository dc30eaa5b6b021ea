//! From glyphs to blocks in reading order.

pub(crate) mod document;

use crate::glyphs::Raw;
use crate::page::{Block, Line, Outcome, Page, Run};

/// A page's glyphs as blocks.
pub(crate) fn page(raw: Raw) -> Page {
    let mut text = String::new();
    for glyph in &raw.glyphs {
        glyph.text.push_to(&mut text);
    }
    let outcome =
        if text.trim().is_empty() { Outcome::NoText { images: !raw.images.is_empty() } } else { Outcome::Text };
    let line = Line { bbox: [0.0; 4], runs: vec![Run { text, size: 10.0, ..Run::default() }] };
    Page {
        width: raw.width,
        height: raw.height,
        blocks: vec![Block { lines: vec![line], ..Block::default() }],
        outcome,
        ..Page::default()
    }
}
